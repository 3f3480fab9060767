/**
 * Rules of the OpenAPI document. Generated clients name their methods by `operationId`, so a name is part of the contract. The tests
 * read the generated file and need no database.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

type NamedCall = { call: string; operation_id: string | undefined }

const FORM = /^[a-z]+(?:[A-Z][a-z0-9]*)+$/

/** The verbs of the names. The verb tells the effect: `get` reads one thing, `list` reads a page of many things. */
const VERBS = [
  ...['get', 'list', 'export', 'quote', 'preview', 'check', 'verify', 'query', 'create', 'update', 'replace', 'delete'],
  ...['cancel', 'pay', 'refresh', 'send', 'simulate', 'test', 'replay', 'revoke', 'rotate', 'invite', 'remove', 'end'],
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

function namedCalls(): NamedCall[] {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string }>>
  }
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation_id: operationId,
    })),
  )
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
