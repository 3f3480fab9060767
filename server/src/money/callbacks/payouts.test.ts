// Tests that a callback about a payout only makes the server query the provider. The tests also check the outcome of each magic
// destination of the mock provider.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { callBack, keptOf } from '../../../test/callbacks.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  newPayoutScript,
  payoutCallsOf,
  payoutOf,
  recordOf,
  scriptedProvider,
  traceOf,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import { idToBase32, newId } from '../../kernel/lib/index.ts'
import { payoutReference } from '../withdrawals/index.ts'

let world: World
before(async () => {
  world = await createWorld()
  for (const environment of ['live', 'sandbox'] as const) await fund(world, 1_000_000_00n, { environment })
})
after(async () => {
  await booksHold(world)
  await world.close()
})

type Where = { environment?: 'live' | 'sandbox'; path?: string; fields?: object; sends?: boolean }

/** Submits a withdrawal to a destination whose number ends with `ending`. */
async function submit(
  ending: string,
  { environment = 'live', path = 'mobile-money', fields }: Where = {},
): Promise<WithdrawalKey> {
  const key = environment === 'live' ? world.live_key : world.sandbox_key
  const destination = { destination_code: 'MPESA', destination_identifier: `0754123${ending}`, ...fields }
  const body = { merchant_id: world.merchant.id, amount: '1000.00', destination_name: 'Asha', ...destination }
  const reply = await world.post(`/v1/disbursements/${path}`, body, { key })
  assert.equal(reply.status, 202, reply.text)
  return { merchant_id: world.merchant.id, id: reply.body.data.id }
}

/**
 * Submits a withdrawal, approves it as an operator and sends its payout. The test clock stands still, so that the mock provider
 * sends no callback.
 */
async function send(ending: string, where: Where = {}): Promise<WithdrawalKey & { reference: string }> {
  const key = await submit(ending, where)
  // The approval reads only the name and capabilities of this adapter. The server of the test sends the payout with its registered
  // adapter of the same name.
  const adapter = scriptedProvider(newPayoutScript(), where.environment === 'sandbox' ? 'sandbox' : 'mock')
  await payoutCallsOf(world, adapter, { sends: where.sends ?? true }).approve(key)
  await world.system.payouts.task.idle()
  return { ...key, reference: payoutReference(key.id) }
}

const statusOf = async (key: WithdrawalKey) => (await recordOf(world, key)).status
const transfers = async () => (await world.rows('select 1 from ledger_transfers')).length
const hint = (reference: string, fields: object = {}) => JSON.stringify({ reference, status: 'COMPLETED', ...fields })

test('the server queries the provider after a signed callback about a payout, and ignores the outcome in the body of the callback', async () => {
  const paid = await send('106')
  const denies = hint(paid.reference, { status: 'FAILED', amount: '0.01' })
  assert.equal(await statusOf(paid), 'PROCESSING')
  assert.equal((await callBack(world, denies)).status, 200)
  assert.equal(await statusOf(paid), 'SUCCESS', 'the status query reports a paid payout')
  assert.equal((await payoutOf(world, paid))?.state, 'final')
  assert.deepEqual(await keptOf(world, denies), [
    { verdict: 'hint', times: 1, provider: 'mock', provider_reference: paid.reference, body: denies },
  ])

  const declined = await send('102')
  assert.equal((await callBack(world, hint(declined.reference))).status, 200)
  assert.equal(await statusOf(declined), 'FAILED', 'the status query reports a declined payout')

  const unclear = await send('103')
  assert.equal(await statusOf(unclear), 'NEEDS_RECONCILIATION')
  assert.equal((await callBack(world, hint(unclear.reference))).status, 200)
  assert.equal(await statusOf(unclear), 'NEEDS_RECONCILIATION', 'the status query reports no clear outcome')

  const blocked = await send('104')
  assert.equal(await statusOf(blocked), 'BLOCKED_IP_WHITELIST')
  assert.equal((await callBack(world, hint(blocked.reference))).status, 200)
  assert.equal(await statusOf(blocked), 'BLOCKED_IP_WHITELIST', 'the status query finds no such payout')
})

test('the server answers 403 to a forged callback about a payout, stores it as forged, and moves no money', async () => {
  const payout = await send('106')
  const before = await transfers()
  for (const [i, options] of [{ signature: null }, { signature: 'f'.repeat(64) }, { secret: 'another' }].entries()) {
    const body = hint(payout.reference, { i })
    assert.equal((await callBack(world, body, options)).status, 403)
    assert.deepEqual(await keptOf(world, body), [
      { verdict: 'forged', times: 1, provider: 'mock', provider_reference: null, body },
    ])
  }
  assert.equal(await statusOf(payout), 'PROCESSING')
  assert.equal(await transfers(), before)
  assert.equal((await payoutOf(world, payout))?.state, 'asked')
})

test('the server stores simultaneous duplicates of a callback as one row with their count, and settles the payout once', async () => {
  const payout = await send('106')
  const body = hint(payout.reference)
  await Promise.all(Array.from({ length: 10 }, () => callBack(world, body)))
  await callBack(world, body)
  const { reference: provider_reference } = payout
  const row = { verdict: 'hint', times: 11, provider: 'mock', provider_reference, body }
  assert.deepEqual(await keptOf(world, body), [row])
  const { status, facts, moves } = await traceOf(world, payout)
  assert.equal(status, 'SUCCESS')
  assert.deepEqual(facts.map((fact) => fact.split(' ')[0]).sort(), ['paid', 'reserved'])
  assert.equal(moves.length, 2)
})

test('the server accepts and stores a callback about an unknown payout, whatever the form of its reference', async () => {
  const pending = await submit('456')
  const { collection_id } = (
    await world.post(
      '/v1/collections/wallet-push',
      { amount: 10, phone: '0754123008' },
      { key: world.live_key, idempotency_key: randomUUID() },
    )
  ).body.data
  await world.system.driver.task.idle()
  const approved = await send('106')
  const before = await transfers()
  for (const reference of [
    payoutReference(newId(world.deps, world.merchant.routing_code)),
    payoutReference(newId(world.deps, 0xfffffff)),
    payoutReference(randomUUID()),
    payoutReference(pending.id),
    payoutReference(collection_id),
    `${idToBase32(approved.id)}01`,
    idToBase32(approved.id),
    `${approved.reference}01`,
    `W${approved.reference}`,
    approved.reference.toLowerCase(),
    ` ${approved.reference}`,
    `${approved.reference}\0`,
    `W${'Z'.repeat(26)}`,
    'W',
  ]) {
    const body = hint(reference)
    assert.equal((await callBack(world, body)).status, 200, reference)
    assert.equal((await keptOf(world, body))[0]?.verdict, 'unknown_reference', reference)
  }
  assert.equal(await statusOf(pending), 'PENDING_ADMIN_APPROVAL')
  assert.equal(await statusOf(approved), 'PROCESSING')
  assert.equal(await transfers(), before)
})

test('the server stores a callback about a payout of another provider as unknown, and does not settle the payout', async () => {
  const payout = await send('106', { environment: 'sandbox' })
  const body = hint(payout.reference)
  assert.equal((await callBack(world, body, { provider: 'mock' })).status, 200)
  assert.equal((await keptOf(world, body))[0]?.verdict, 'unknown_reference')
  assert.equal(await statusOf(payout), 'PROCESSING')
  assert.equal((await callBack(world, body, { provider: 'sandbox' })).status, 200)
  assert.equal(await statusOf(payout), 'SUCCESS')
  const verdicts = (await keptOf(world, body)).map(({ provider, verdict }) => `${provider} ${verdict}`)
  assert.deepEqual(verdicts.sort(), ['mock unknown_reference', 'sandbox hint'])
})

test('a callback about an unsent payout does not change the payout, and the worker sends the payout later', async () => {
  const payout = await send('106', { sends: false })
  const before = await payoutOf(world, payout)
  assert.equal(before?.state, 'to_send')
  assert.equal((await callBack(world, hint(payout.reference))).status, 200)
  const { state, send_token, sent_at, asks, due_at } = (await payoutOf(world, payout)) ?? {}
  const { send_token: token, due_at: due } = before ?? {}
  assert.deepEqual({ state, send_token, sent_at, asks, due_at }, { ...NOT_SENT, send_token: token, due_at: due })
  assert.equal(await statusOf(payout), 'PROCESSING')
  await world.pass(10_000)
  assert.equal(await statusOf(payout), 'SUCCESS')
})
const NOT_SENT = { state: 'to_send', sent_at: null, asks: 0 }

test('simultaneous callbacks about payments and payouts settle each payment and each payout', async () => {
  const payouts = await Promise.all(Array.from({ length: 10 }, () => send('106')))
  assert.equal(new Set(payouts.map(({ id }) => id)).size, 10)
  const collections = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const body = { amount: 10, phone: '0754123008' }
      return (await world.post('/v1/collections/wallet-push', body, { key: world.live_key })).body.data.collection_id
    }),
  )
  await world.system.driver.task.idle()
  const references = [
    ...payouts.map(({ reference }) => reference),
    ...collections.map((id) => `${idToBase32(id)}01`),
    payoutReference(randomUUID()),
  ]
  const replies = await Promise.all(references.map((reference) => callBack(world, hint(reference))))
  for (const { status } of replies) assert.equal(status, 200)
  for (const payout of payouts) assert.equal(await statusOf(payout), 'SUCCESS')
  for (const id of collections) {
    assert.equal((await world.get(`/v1/collections/${id}`, world.live_key)).body.data.status, 'successful')
  }
})

const BANK = {
  path: 'bank-account',
  fields: { destination_code: 'CRDB', bank_name: 'CRDB Bank', destination_identifier: '0150-103' },
}
const WALLET = { path: 'provider-pesa', fields: { destination_code: undefined } }

const ENDINGS: [string, Where, string[], string[]][] = [
  ['456', {}, ['SUCCESS: succeeded 1000.00 TZS'], ['hint']],
  ['102', {}, ['FAILED: declined provider_declined'], ['hint']],
  ['103', {}, ['NEEDS_RECONCILIATION: unknown ambiguous'], []],
  ['104', {}, ['BLOCKED_IP_WHITELIST: blocked'], []],
  ['105', {}, ['SUCCESS: succeeded 1000.00 TZS', 'REVERSED: reversed 1000.00 TZS'], ['hint', 'hint']],
  ['106', {}, ['SUCCESS: succeeded 1000.00 TZS'], []],
  ['103', BANK, ['NEEDS_RECONCILIATION: unknown ambiguous'], []],
  ['102', WALLET, ['FAILED: declined provider_declined'], ['hint']],
]

describe('approved payouts, settled by callbacks and by the worker', () => {
  const rows = ENDINGS.flatMap((row) =>
    (['live', 'sandbox'] as const).map((environment) => ({ row, environment, payout: { merchant_id: '', id: '' } })),
  )
  before(async () => {
    for (const of of rows) of.payout = await send(of.row[0], { ...of.row[1], environment: of.environment })
    await world.work()
    await world.pass(30_000)
  })

  for (const of of rows) {
    const [ending, { path = 'mobile-money' }, moves, verdicts] = of.row
    test(`a ${of.environment} payout by ${path} to a destination that ends with ${ending} is PROCESSING, then ${moves.join(', then ')}, with ${verdicts.length} stored callbacks`, async () => {
      const trace = await traceOf(world, of.payout)
      assert.deepEqual(trace.moves, ['PROCESSING', ...moves])
      assert.equal(trace.status, (moves.at(-1) as string).split(':')[0])
      const kept = await world.rows<{ verdict: string; provider: string }>(
        'select verdict, provider from provider_callbacks where provider_reference = $1',
        [payoutReference(of.payout.id)],
      )
      const provider = of.environment === 'live' ? 'mock' : 'sandbox'
      assert.deepEqual(
        kept,
        verdicts.map((verdict) => ({ verdict, provider })),
      )
    })
  }

  test('each payout keeps its status and moves no more money when the worker runs two hours later', async () => {
    const before = await transfers()
    world.deps.clock.advance(7_200_000)
    await world.pass(5_000)
    for (const { row, payout } of rows) assert.deepEqual((await traceOf(world, payout)).moves.slice(1), row[2], row[0])
    assert.equal(await transfers(), before)
  })
})
