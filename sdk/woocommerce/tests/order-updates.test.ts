// Tests how payments change orders of WooCommerce. A PHP program applies the payments to orders of a stub.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { outputOf } from '../../../server/test/programs.ts'

const PROGRAM = fileURLToPath(new URL('order-updates.php', import.meta.url))
const PLUGIN = fileURLToPath(new URL('../malipo-for-woocommerce/', import.meta.url))

type OrderSeen = { results: string[]; status: string; notes: string[]; completed: number }

const facts = (status: string, changed: object = {}) => ({
  collection_id: 'c1',
  status,
  amount: '25000.00',
  currency: 'TZS',
  ...changed,
})

/** Applies facts about payments to one order, of 25,000 shillings by default, and returns the order. */
async function applied(all: object[], order: object = {}): Promise<OrderSeen> {
  const input = JSON.stringify([{ order: { total: '25000', ...order }, facts: all }])
  return JSON.parse(await outputOf('php', [PROGRAM], { input }))[0]
}

test('a successful payment pays the order once, however often the webhook arrives', async () => {
  const { results, status, completed } = await applied([facts('successful'), facts('successful'), facts('successful')])
  assert.deepEqual([results, status, completed], [['paid', 'known', 'known'], 'processing', 1])
})

test('a payment of another amount or currency puts the order on hold, and never pays it', async () => {
  for (const changed of [{ amount: '24999.99' }, { amount: '25000.01' }, { amount: '250.00' }, { currency: 'USD' }]) {
    const { status, completed, notes } = await applied([facts('successful', changed), facts('successful', changed)])
    assert.deepEqual([status, completed, notes.length], ['on-hold', 0, 1])
    assert.match(notes[0] ?? '', /Compare before you ship/)
  }
})

test('the plugin compares the total of an order as an amount, whether the total is a text or a number', async () => {
  for (const total of ['25000', '25000.0', '25000.00', 25000, 25000.0]) {
    assert.equal((await applied([facts('successful')], { total })).status, 'processing')
  }
  assert.equal((await applied([facts('successful', { amount: '0.30' })], { total: 0.1 + 0.2 })).status, 'processing')
})

test('a later reversal puts the order on hold with a note, once', async () => {
  const { status, notes, completed } = await applied([facts('successful'), facts('reversed'), facts('reversed')])
  assert.deepEqual([status, completed, notes.length], ['on-hold', 1, 2])
  assert.match(notes[1] ?? '', /reversed the payment c1/)
})

test('a success that arrives after the reversal of the same payment does not pay the order', async () => {
  const { status, completed } = await applied([facts('reversed'), facts('successful')])
  assert.deepEqual([status, completed], ['on-hold', 0])
})

test('the plugin notes a failed attempt, and a late success pays the order', async () => {
  const { results, status } = await applied([facts('failed', { reason: 'Wrong PIN.' }), facts('successful')])
  assert.deepEqual([results, status], [['noted', 'paid'], 'processing'])
})

test('a payment under review puts the order on hold until the platform decides', async () => {
  assert.equal((await applied([facts('pending_clearance')])).status, 'on-hold')
  assert.equal((await applied([facts('pending_clearance'), facts('successful')])).status, 'processing')
})

test('the plugin notes a second payment of a paid order, and does not pay the order again', async () => {
  const { status, completed, notes } = await applied([
    facts('successful'),
    facts('successful', { collection_id: 'c2' }),
  ])
  assert.deepEqual([status, completed], ['processing', 1])
  assert.match(notes.at(-1) ?? '', /second payment c2/)
})

test('a payment with the status created or processing does not pay the order', async () => {
  const { results, status, notes } = await applied([facts('created'), facts('processing'), facts('of a newer server')])
  assert.deepEqual([results, status, notes], [['open', 'open', 'open'], 'pending', []])
})

test('the next delivery completes an order whose process died after its note about the payment', async () => {
  const meta = { _malipo_paid_by: 'c1' }
  const { status, completed } = await applied([facts('successful')], { meta })
  assert.deepEqual([status, completed], ['processing', 1])
})

test('each text of the plugin has a Swahili translation with the same placeholders', async () => {
  const names = [
    'malipo-for-woocommerce.php',
    ...['Gateway', 'OrderUpdates', 'SettingsActions', 'Shop'].map((n) => `includes/${n}.php`),
  ]
  const sources = await Promise.all(names.map((name) => readFile(PLUGIN + name, 'utf8')))
  const texts = [...sources.join('\n').matchAll(/\b__\('((?:[^'\\]|\\.)*)', 'malipo-for-woocommerce'\)/g)].map(
    ([, t]) => t,
  )
  assert.ok(texts.length > 30)
  const swahili = JSON.parse(await outputOf('php', ['-r', `echo json_encode(require '${PLUGIN}languages/sw.php');`]))
  const marks = (text: string) => (text.match(/%(?:\d\$)?s/g) ?? []).sort()
  for (const text of new Set(texts as string[])) {
    assert.ok(text in swahili, `languages/sw.php lacks: ${text}`)
    assert.deepEqual(marks(swahili[text]), marks(text), text)
  }
  assert.deepEqual(
    Object.keys(swahili).filter((text) => !texts.includes(text)),
    [],
    'languages/sw.php has unused texts',
  )
})
