/**
 * Tests rules of the OpenAPI document. Generated clients name their methods by `operationId`, so a name is part of the
 * contract. The tests read the generated file and need no database.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { EVENTS } from '../src/adapters/webhooks/index.ts'

type NamedCall = { call: string; operation_id: string | undefined }

const FORM = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/

/** The verbs of the names. Each verb has one effect: `get` reads one record, `list` reads a page of records. */
const VERBS = [
  ...['get', 'list', 'export', 'quote', 'preview', 'check', 'verify', 'query', 'create', 'update', 'replace', 'delete'],
  ...[
    'cancel',
    'pay',
    'refresh',
    'send',
    'simulate',
    'test',
    'replay',
    'stream',
    'revoke',
    'rotate',
    'invite',
    'remove',
    'end',
  ],
  ...[
    'confirm',
    'respond',
    'approve',
    'reject',
    'request',
    'resolve',
    'retry',
    'recall',
    'clear',
    'suspend',
    'reactivate',
  ],
  ...['import', 'withdraw', 'disable'],
]

/** Returns the calls whose name is missing, is not a verb with a noun, or is the name of an earlier call. */
function nameProblems(calls: readonly NamedCall[]): string[] {
  const owners = new Map<string, string>()
  return calls.flatMap(({ call, operation_id }) => {
    if (operation_id === undefined) return [`${call} has no operationId: write one beside the summary of its route`]
    const verb = /^[a-z]+/.exec(operation_id)?.[0] ?? ''
    const owner = owners.get(operation_id)
    owners.set(operation_id, call)
    if (owner !== undefined)
      return [`${call} and ${owner} have the operationId ${operation_id}: name the noun of each call`]
    if (FORM.test(operation_id) && VERBS.includes(verb)) return []
    return [`${call} has the operationId ${operation_id}: write a verb of VERBS and a noun, such as createInvoice`]
  })
}

type Content = Record<string, { schema?: object; example?: unknown; examples?: Record<string, object> }>
type Described = {
  operationId?: string
  security?: object[]
  tags?: string[]
  requestBody?: { content: Content }
  responses: Record<string, { $ref?: string; content?: Content }>
}
type ApiText = {
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: Described }>
  components: Record<string, Record<string, object>>
}

const NAMES = ['openapi.json', 'openapi.merchant.json'] as const
const texts = NAMES.map((name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))
const [whole, of_merchants] = texts.map((text) => JSON.parse(text) as ApiText) as [ApiText, ApiText]

const operationsOf = ({ paths, webhooks }: ApiText) =>
  [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )

function namedCalls(): NamedCall[] {
  return operationsOf({ ...whole, webhooks: {} }).map(({ call, operation }) => ({
    call,
    operation_id: operation.operationId,
  }))
}

test('each call of the OpenAPI document has its own name, which is a verb and a noun', () => {
  const calls = namedCalls()
  assert.ok(calls.length > 100)
  const problems = nameProblems(calls)
  assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`)
})

test('the rule of names finds a missing name, a repeated name, an unknown verb and another form', () => {
  const problemsOf = (...names: (string | undefined)[]) =>
    nameProblems(names.map((operation_id, i) => ({ call: `GET /${i}`, operation_id }))).length
  assert.equal(problemsOf('getInvoice', 'listInvoices'), 0)
  assert.equal(problemsOf(undefined), 1)
  assert.equal(problemsOf('getInvoice', 'getInvoice'), 1)
  for (const name of ['invoice', 'get', 'fetchInvoice', 'GetInvoice', 'get_invoice', 'getinvoice', 'get-invoice'])
    assert.equal(problemsOf(name), 1, name)
})

/** Calls `visit` for each object of a JSON value, with the names of its place. */
function walk(value: unknown, visit: (inner: Record<string, unknown>, place: string) => void, place = '#'): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Record<string, unknown>, place)
  for (const [key, inner] of Object.entries(value)) walk(inner, visit, `${place}/${key.replaceAll('/', '~1')}`)
}

/** Compiles the schemas of a document. The formats and annotations are those of OpenAPI. */
function compilerOf(document: ApiText) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  ajv.addSchema(document, 'document')
  return (place: string) => ajv.getSchema(`document${encodeURI(place)}`) ?? ajv.compile({ $ref: `document${place}` })
}

test('each request body, successful answer and event of the documents has an example that its schema accepts', () => {
  for (const document of [whole, of_merchants]) {
    const compile = compilerOf(document)
    let checked = 0
    for (const { call, operation } of operationsOf(document)) {
      const place = placeOf(document, call)
      const parts = Object.entries(operation.responses).map(([status, answer]) => ({
        content: answer.content,
        at: `${place}/responses/${status}`,
      }))
      parts.push({ content: operation.requestBody?.content, at: `${place}/requestBody` })
      for (const { content, at } of parts) {
        const media = content?.['application/json']
        if (media === undefined) continue
        const [named] = Object.entries(media.examples ?? {})
        const shared = named === undefined ? undefined : document.components.examples?.[named[0]]
        const example = shared === undefined ? media.example : (shared as { value: unknown }).value
        assert.notEqual(example, undefined, `${at} has no example`)
        const validate = compile(`${at}/content/application~1json/schema`)
        assert.ok(validate(example), `${at}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(example)}`)
        checked += 1
      }
    }
    assert.ok(checked > 60, String(checked))
  }
})

function placeOf(document: ApiText, call: string): string {
  const [method = '', path = ''] = call.split(' ')
  const part = path in document.paths ? 'paths' : 'webhooks'
  return `#/${part}/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`
}

test('each shared refusal has an example of each of its codes, which its schema accepts', () => {
  for (const document of [whole, of_merchants]) {
    const compile = compilerOf(document)
    const { examples: shared = {} } = document.components
    let checked = 0
    for (const [name, response] of Object.entries(document.components.responses ?? {})) {
      const { examples = {} } = (response as { content: Content }).content['application/json'] ?? {}
      const validate = compile(`#/components/responses/${name}/content/application~1json/schema`)
      for (const code of Object.keys(examples)) {
        const { value } = shared[code] as { value: { error: { code: string } } }
        assert.ok(validate(value), `${name}: ${JSON.stringify(validate.errors)}`)
        assert.equal(value.error.code, code)
        checked += 1
      }
    }
    assert.ok(checked > 40, String(checked))
  }
})

test('each reference of the documents has a target, and each component has a reference', () => {
  for (const document of [whole, of_merchants]) {
    const used = new Set<string>()
    walk(document, (inner) => {
      if (typeof inner.$ref === 'string') used.add(inner.$ref)
    })
    const present = new Set(
      Object.entries(document.components)
        .filter(([kind]) => kind !== 'securitySchemes')
        .flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`)),
    )
    assert.deepEqual(
      [...used].filter((reference) => !present.has(reference)),
      [],
    )
    assert.deepEqual(
      [...present].filter((reference) => !used.has(reference)),
      [],
    )
  }
})

/** Parts of expressions that Python, PHP (PCRE with the flag u) and Go (RE2) read differently or refuse. */
const NOT_PORTABLE = /\\(?:[pPuUdDwWsSbBkc]|x(?![0-9a-f]{2}))|\(\?(?!:)/

test('the patterns of the documents have no part that other languages refuse or read differently', () => {
  for (const pattern of ['\\p{Cc}', '(?=a)', '(?<!a)', '\\u0001', '\\d', '\\s', '\\x{1f}'])
    assert.match(pattern, NOT_PORTABLE)
  let seen = 0
  for (const document of [whole, of_merchants])
    walk(document, ({ pattern }, place) => {
      if (typeof pattern !== 'string') return
      seen += 1
      assert.doesNotMatch(pattern, NOT_PORTABLE, place)
    })
  assert.ok(seen > 20)
})

test('the document for merchants has the calls of API keys and of payers, and no other call', () => {
  const has = (document: ApiText) => new Set(operationsOf(document).map(({ operation }) => operation.operationId))
  const [all, merchants] = [has(whole), has(of_merchants)]
  for (const { operation } of operationsOf({ ...whole, webhooks: {} })) {
    const { operationId, security = [], tags = [] } = operation
    const for_keys = security.length === 0 ? !tags.includes('Health') : security.some((one) => 'api_key' in one)
    assert.equal(merchants.has(operationId), for_keys, operationId)
  }
  for (const id of merchants) assert.ok(all.has(id), id)
  const text = texts[1] as string
  assert.doesNotMatch(text, /"session":\[|operator\//)
  assert.ok(text.length < 250_000, `openapi.merchant.json has ${text.length} bytes`)
})

test('the documents describe every event, and public calls need no credential', () => {
  for (const document of [whole, of_merchants]) {
    assert.deepEqual(Object.keys(document.webhooks), [...EVENTS])
    for (const { call, operation } of operationsOf(document)) {
      assert.ok(Array.isArray(operation.security), call)
      if (call.includes(' /public/')) assert.deepEqual(operation.security, [], call)
    }
  }
})
