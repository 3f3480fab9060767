// Assembles the OpenAPI document from the output of @fastify/swagger: adds shared components, examples and events.

import type { ErrorCode } from '../lib/index.ts'
import {
  createErrorResponses,
  ERROR_DETAILS,
  type ErrorResponses,
  headerRefs,
  sharedAnswerHeaders,
} from './openapi-errors.ts'
import { exampleOf } from './openapi-examples.ts'
import {
  type Json,
  pascal,
  shareDescriptions,
  shareParameters,
  shareProperties,
  shareSchemas,
} from './openapi-share.ts'

/** The facts of each call that are not in its schema, by operationId. */
export type CallFacts = Map<string, { codes: readonly ErrorCode[]; stores_answer: boolean }>

/** An event of the webhooks, as the document describes it. */
export type DescribedEvent = { event: string; summary: string; description: string; schema: object; example: object }

/**
 * The readers of a document. The document for `everyone` has all calls. The document for `merchants` has the calls that an API
 * key or a public caller can make, without health checks.
 */
export type Audience = 'everyone' | 'merchants'

/** The readers and the events of a document, and the name of the header with the unknown fields of a body. */
export type AssembleOptions = { audience: Audience; events: readonly DescribedEvent[]; ignored_fields: string }
type Media = { schema?: Json; example?: unknown; examples?: Json }
type OperationParts = Json & {
  operationId?: string
  tags?: string[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Json & { content?: Record<string, Media>; headers?: Json }>
}

/** Returns the complete OpenAPI document for its readers. */
export function assemble(raw: Json, calls: CallFacts, { events, ignored_fields }: AssembleOptions): Json {
  const shared = new Map<string, Json>()
  const errors = createErrorResponses()
  const { components, tags, paths, ...head } = raw as Json & { components: Json; tags: Json[] }
  const document: Json = { ...head, tags, paths, webhooks: describeEvents(events, ignored_fields) }
  document.paths = shareSchemas(paths, shared)
  document.webhooks = shareSchemas(document.webhooks, shared)
  const operations = describedCalls(document.paths as Json)
  const of_events = describedCalls(document.webhooks as Json)
  for (const operation of operations) completeAnswers(operation, calls, { errors, ignored_fields })
  shareDescriptions([document.paths, document.webhooks], shared)
  shareProperties(shared)
  for (const operation of operations) moveStyles(operation)
  const parameters = shareParameters([...operations, ...of_events])
  const { schemas, ...others } = components
  document.components = {
    ...others,
    schemas: Object.fromEntries(
      byName(new Map([...Object.entries({ ...(schemas as Json), ErrorDetails: ERROR_DETAILS }), ...shared])),
    ),
    responses: Object.fromEntries(byName(errors.responses)),
    parameters,
    headers: sharedAnswerHeaders(ignored_fields),
    examples: Object.fromEntries(byName(errors.examples)),
  }
  for (const operation of operations) addExamples(document, operation)
  shareExamples(operations, document.components as Json)
  const used = new Set([...operations, ...of_events].flatMap(({ tags }) => tags ?? []))
  document.tags = tags.filter(({ name }) => used.has(String(name)))
  return document
}

const byName = <Value>(map: ReadonlyMap<string, Value>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

function describedCalls(paths: Json): OperationParts[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods as Record<string, OperationParts>))
}

/** Adds the headers of the successful answers, the refusals, and the mark of a required body. */
function completeAnswers(
  operation: OperationParts,
  calls: CallFacts,
  { errors, ignored_fields }: { errors: ErrorResponses; ignored_fields: string },
): void {
  const facts = calls.get(String(operation.operationId))
  if (facts === undefined) return
  const headers = ['X-Request-Id']
  if (facts.stores_answer) headers.push('Idempotency-Replayed')
  if (operation.requestBody !== undefined) headers.push(ignored_fields)
  for (const answer of Object.values(operation.responses))
    answer.headers = { ...headerRefs(headers), ...answer.headers }
  operation.responses = { ...operation.responses, ...errors.responsesOf(facts.codes) } as OperationParts['responses']
  if (operation.requestBody !== undefined) {
    const [media] = Object.values(operation.requestBody.content)
    operation.requestBody.required = ![media?.schema?.type].flat().includes('null')
  }
}

/** Moves the form of a parameter with several names, such as `metadata[name]`, from its schema to the parameter. */
function moveStyles({ parameters }: OperationParts): void {
  for (const parameter of (parameters ?? []) as (Json & { schema: Json })[]) {
    const { style, explode, ...schema } = parameter.schema
    if (style === undefined) continue
    Object.assign(parameter, { schema, style, explode })
  }
}

/** Adds an example of the body and of each successful answer. If the route has an example, keeps that example. */
function addExamples(document: Json, operation: OperationParts): void {
  const media = operation.requestBody?.content['application/json']
  if (media?.schema !== undefined && !('example' in media) && !('examples' in media)) {
    const { type, ...schema } = media.schema
    const plain = [type].flat().includes('null') ? { ...schema, type: 'object' } : media.schema
    media.example = exampleOf(document, plain, { all: false })
  }
  for (const answer of Object.values(operation.responses)) {
    const content = answer.content?.['application/json']
    if (content?.schema === undefined || 'example' in content || 'examples' in content) continue
    content.example = exampleOf(document, content.schema)
  }
}

/**
 * Moves equal examples of answers to the components. The name of a shared example comes from the first call with the example.
 */
function shareExamples(operations: readonly OperationParts[], components: Json): void {
  const places = new Map<string, { name: string; media: Media[] }>()
  for (const { operationId, responses } of operations) {
    for (const answer of Object.values(responses)) {
      const media = answer.content?.['application/json']
      if (media === undefined || !('example' in media)) continue
      const text = JSON.stringify(media.example)
      const known = places.get(text) ?? { name: String(operationId), media: [] }
      places.set(text, { ...known, media: [...known.media, media] })
    }
  }
  for (const [text, { name, media }] of places) {
    if (media.length === 1) continue
    const examples = components.examples as Json
    examples[name] = { value: JSON.parse(text) }
    for (const one of media) {
      delete one.example
      one.examples = { [name]: { $ref: `#/components/examples/${name}` } }
    }
  }
}

/** Returns the description of each event: the request that the server sends to the merchant. */
function describeEvents(events: readonly DescribedEvent[], ignored_fields: string): Json {
  const brand = ignored_fields.replace(/-Ignored-Fields$/, '')
  return Object.fromEntries(
    events.map(({ event, summary, description, schema, example }) => [
      event,
      {
        post: {
          tags: ['Webhooks'],
          operationId: `receive${pascal(event)}`,
          summary,
          description,
          security: [],
          parameters: deliveryHeaders(brand),
          requestBody: { required: true, content: { 'application/json': { schema, example } } },
          responses: {
            '2XX': { description: 'The receiver has stored the event. The body does not matter.' },
            default: { description: 'Any other answer: the server sends the event again, with the same webhook-id.' },
          },
        },
      },
    ]),
  )
}

function deliveryHeaders(brand: string): Json[] {
  const header = (name: string, description: string, required = true) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  return [
    header('webhook-id', 'The id of the delivery: the same over all attempts and replays. Ignore a repeated id.'),
    header('webhook-timestamp', 'The time of sending, in seconds since 1970.'),
    header(
      'webhook-signature',
      '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks); several during a rotation, separated by spaces.',
    ),
    header(`${brand}-Signature`, 'Hex of HMAC-SHA256 over the raw body, keyed with the whole secret as text.'),
    header(
      `${brand}-Signature-Previous`,
      'The same hash with the previous secret, for 24 hours after a rotation.',
      false,
    ),
    header(`${brand}-Event`, 'The name of the event.'),
    header(`${brand}-Delivery`, 'The same as webhook-id.'),
    header(`${brand}-Timestamp`, 'The same as webhook-timestamp.'),
  ]
}
