// Checks answers against the OpenAPI document: status, content type, schema without unknown fields, and the headers of every answer.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { inlineRefs } from '../../src/kernel/http/index.ts'
import type { Reply } from '../harness.ts'
import type { FuzzOperation } from './requests.ts'

type Node = Record<string, unknown>

/** Reads the document in the form that the fuzz test needs: without references, and with closed objects in answers. */
export function readDocument(document: object) {
  const whole = closed(inlineRefs(document)) as {
    paths: Record<string, Record<string, Node>>
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: object }> } } }>
  }
  const open = inlineRefs(document) as typeof whole
  const operations = Object.entries(open.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): FuzzOperation => {
      const {
        operationId,
        parameters = [],
        requestBody,
        security,
      } = operation as never as {
        security: object[]
        operationId: string
        parameters?: FuzzOperation['parameters']
        requestBody?: { content: FuzzOperation['body'] }
      }
      const responses = whole.paths[path]?.[method]?.responses as FuzzOperation['responses']
      const body = requestBody?.content ?? null
      return {
        name: operationId,
        method: method.toUpperCase(),
        path,
        parameters,
        body,
        security: security.flatMap(Object.keys),
        responses,
      }
    }),
  )
  // A stream of events has no end, so the fuzz test does not call it.
  const ending = operations.filter(({ responses }) => responses['200']?.content?.['text/event-stream'] === undefined)
  const events = Object.entries(whole.webhooks).map(
    ([event, { post }]) => [event, post.requestBody.content['application/json']?.schema] as const,
  )
  return { operations: ending, events: new Map(events) }
}

/**
 * Returns a copy in which each object schema accepts only the fields that it names. The copy does not change a schema that
 * states `additionalProperties`.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value as Node).map(([key, inner]) => [key, closed(inner)]))
  const is_schema = typeof copy.properties === 'object' && [copy.type].flat().includes('object')
  if (is_schema && copy.additionalProperties === undefined) copy.additionalProperties = false
  return copy
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Makes the functions that return the breaches of the contract in an answer, and the errors of a value against a schema.
 */
export function createAnswerCheck() {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addFormat('uuid', UUID).addFormat('date-time', TIME).addFormat('email', true)
  const compiled = new Map<object, ValidateFunction>()
  const validate = (schema: object, value: unknown): string[] => {
    const check = compiled.get(schema) ?? ajv.compile(schema)
    compiled.set(schema, check)
    if (check(value)) return []
    return (check.errors ?? []).slice(0, 4).map(({ instancePath, message, params }) => {
      return `the schema refuses ${instancePath || 'the value'}: ${message} ${JSON.stringify(params)}`
    })
  }

  /** Returns the breaches in an answer to a call. */
  const breaches = (operation: FuzzOperation, reply: Reply): string[] => {
    const found: string[] = []
    if (reply.status >= 500) found.push(`status ${reply.status}`)
    if (reply.headers['x-request-id'] === undefined) found.push('no X-Request-Id')
    const answer = operation.responses[String(reply.status)]
    if (answer === undefined) return [...found, `undeclared status ${reply.status}`]
    const type = String(reply.headers['content-type'] ?? '').split(';')[0] as string
    const media = answer.content?.[type]
    if (media === undefined) return [...found, `undeclared content type ${type || '(none)'}`]
    if (type === 'application/json' && media.schema !== undefined) found.push(...validate(media.schema, reply.body))
    if (reply.status === 429 && reply.headers['retry-after'] === undefined) found.push('429 without Retry-After')
    return found
  }
  return { breaches, validate }
}
