// Tests which page the checkout of the plugin opens for an order. A PHP program runs the plugin against a scripted server.

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { outputOf, requirePhp } from '../../../server/test/programs.ts'
import { type ScriptedAnswer, type ScriptedServer, startScriptedServer } from '../../conformance/scripted-server.ts'

const PROGRAM = fileURLToPath(new URL('checkout.php', import.meta.url))
const PAGE = 'https://pay.example/pay/first'
const NEXT_PAGE = 'https://pay.example/pay/next'

const created = (collection_id: string, payment_url: string) => ({
  status: 201,
  data: { collection_id, reference: '7', status: 'created', payment_url },
})

/** The answer to a query about the payment c1 of 25,000 shillings. */
const found = (status: string, changed: object = {}) => ({
  status: 200,
  data: {
    ...{ collection_id: 'c1', status, amount: 25000, currency: 'TZS', payment_url: PAGE },
    ...{ amount_received: null, foreign_currency: null, failure_reason_message: null },
    ...changed,
  },
})

let server: ScriptedServer

before(async () => {
  await requirePhp(['curl'])
  server = await startScriptedServer()
})
after(() => server.close())

/** Pays one order once for each total. Returns what the customer sees, the notes of the shop, and the requests. */
async function checkout(totals: string[], answers: ScriptedAnswer[], meta: Record<string, string> = {}) {
  const { base_url, requests } = server.script(answers)
  const output = await outputOf('php', [PROGRAM], { input: JSON.stringify({ base_url, totals, meta }) })
  const { seen, notes } = JSON.parse(output) as { seen: (string | string[])[]; notes: string[] }
  const keys = requests.flatMap(({ headers }) => headers['idempotency-key'] ?? [])
  return { seen, notes, methods: requests.map(({ method }) => method), keys }
}

test('a customer whose order changed its total gets no second page while the first page can be paid', async () => {
  for (const status of ['created', 'processing', 'failed']) {
    const { seen, notes, methods } = await checkout(
      ['25000', '30000', '30000', '25000.00'],
      [created('c1', PAGE), found(status), found(status), found(status)],
    )
    assert.deepEqual(methods, ['POST', 'GET', 'GET', 'GET'], status)
    const [first, second, third, last] = seen
    assert.deepEqual([first, last], [PAGE, PAGE])
    assert.match(String(second), /page for TZS 25000\.00, but its total is now TZS 30000\.00\. .*Contact the shop\.$/)
    assert.deepEqual(third, second)
    assert.equal(notes.length, 1)
    assert.match(notes[0] ?? '', /can still pay 25000\.00 TZS with the payment c1, but the order is now 30000\.00 TZS/)
  }
})

test('a customer gets a new page after the first page has ended, by a reversal or by an operator who declined held money', async () => {
  const ended = {
    '30000': found('reversed', { amount_received: 25000 }),
    '25000': found('failed', { amount_received: 24000 }),
  }
  for (const [total, end] of Object.entries(ended)) {
    const { seen, notes, keys } = await checkout(['25000', total], [created('c1', PAGE), end, created('c2', NEXT_PAGE)])
    assert.deepEqual([seen, notes], [[PAGE, NEXT_PAGE], []], total)
    assert.equal(new Set(keys).size, 2)
  }
})

test('a checkout with another total repeats the Idempotency-Key when the answer to the first request was lost', async () => {
  // The SDK waits for no such long Retry-After, so it does not know whether the server made the payment.
  const lost = { status: 503, headers: { 'retry-after': '3600' }, text: 'A proxy lost the answer.' }
  const reused = { status: 422, error: { code: 'idempotency_key_reused' } }
  const { seen, keys } = await checkout(['25000', '30000'], [lost, reused])
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1])
  assert.match(String(seen[0]), /you will not pay twice/)
  assert.match(String(seen[1]), /could not begin\. Contact the shop\.$/)
})

/** The key that the first version of the plugin sent. It stored no key in the order. */
const keyOf = (attempt: number, amount: string) =>
  `wc-${hash('sha256', 'https://shop.example').slice(0, 16)}-7-${attempt}-${amount}`

test('after an update of the plugin, a checkout repeats the Idempotency-Key whose answer the earlier version lost', async () => {
  const { seen, keys } = await checkout(['25000'], [created('c1', PAGE)])
  assert.deepEqual([seen, keys], [[PAGE], [keyOf(1, '25000.00')]])
})

test('a checkout repeats the Idempotency-Key that the order has stored for this attempt, and makes a new key for the next attempt', async () => {
  const meta = { _malipo_key: '1 key-of-another-version' }
  const { seen, keys } = await checkout(
    ['25000', '25000'],
    [created('c1', PAGE), found('reversed', { amount_received: 25000 }), created('c2', NEXT_PAGE)],
    meta,
  )
  assert.deepEqual(
    [seen, keys],
    [
      [PAGE, NEXT_PAGE],
      ['key-of-another-version', keyOf(2, '25000.00')],
    ],
  )
})
