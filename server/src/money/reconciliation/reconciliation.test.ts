// Tests how operators import statements and work on cases.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  type CaseView,
  csvOf,
  lineOf,
  openReconciler,
  type PlannedRecord,
  type PlantedRecord,
  plant,
  type Reconciler,
} from '../../../test/statements.ts'
import type { ProviderExtras, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Answer, PayoutAnswer, Provider } from '../../adapters/providers/port.ts'
import { formatAmount } from '../../kernel/lib/index.ts'

/** The answers of the provider to status queries, by reference. */
const answers = new Map<string, Answer | PayoutAnswer>()
const queried: string[] = []
let balance: { amount_minor: bigint; currency: string } | null = null

const open = { kind: 'accepted', provider_status: 'PENDING' } as const
const answer = (reference: string) => {
  queried.push(reference)
  return answers.get(reference) ?? open
}
const provider: Provider & ProviderExtras & ProviderLists = {
  name: 'mock',
  capabilities: {
    methods: ['wallet_push'],
    whole_shillings: false,
    payout_methods: ['MOBILE_MONEY'],
  },
  push: async () => open,
  qr: async () => open,
  status: async (requests) => requests.map(({ reference }) => answer(reference) as Answer),
  payout: async () => open,
  payoutStatus: async (requests) => requests.map(({ reference }) => answer(reference) as PayoutAnswer),
  verifyCallback: () => ({ verified: false }),
  floatBalance: async () => balance,
}

let world: World
let operator: Reconciler
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  operator = await openReconciler(world)
})
after(() => world.close())

const AT = new Date('2026-01-05T07:00:00Z')
const paid = { flow: 'payment', state: 'paid', amount_minor: 2_500_000n, at: AT } as const
const plantPayment = async (fields: Partial<PlannedRecord> = {}) =>
  (await plant(world, [{ ...paid, ...fields }]))[0] as PlantedRecord

/** Returns the case of a planted payment or payout. Undefined means that no case exists. */
async function caseOf(one: PlantedRecord, state: 'open' | 'resolved' = 'open'): Promise<CaseView | undefined> {
  return (await operator.cases(state)).find(({ reference }) => reference === one.reference)
}

/**
 * The earlier payments and payouts of this file. Most statements repeat their lines, so that these open no further cases.
 */
const earlier: PlantedRecord[] = []
const earlierLines = (more: PlantedRecord[] = []) => [...earlier, ...more].map((one) => lineOf(one))

test('the server refuses a file that an operator has already imported, and returns the id of the first import', async () => {
  earlier.push(await plantPayment())
  const first = await operator.upload(csvOf(earlierLines()), { query: '&file_name=monday.csv' })
  assert.equal(first.status, 201, first.text)
  const { id, file_name, sha256, state, lines, matched, opened } = first.body.data
  assert.deepEqual([file_name, state, lines, matched, opened], ['monday.csv', 'done', 1, 1, 0])
  assert.match(sha256, /^[0-9a-f]{64}$/)
  const again = await operator.upload(csvOf(earlierLines()))
  assert.deepEqual(codeOf(again), [409, 'invalid_state'])
  assert.equal(again.body.error.details.statement_id, id)
  assert.match(again.body.error.message, /An operator imported this file on 2026-01-05T09:00:00.000Z/)
  const listed = await world.get('/v1/operator/statements?provider=mock', await operator.session())
  assert.deepEqual(
    listed.body.data.items.map((one: { id: string }) => one.id),
    [id],
  )
})

test('the server replays an import under its Idempotency-Key, and refuses another file under that key', async () => {
  const idempotency_key = randomUUID()
  const csv = `${csvOf(earlierLines())}\r\n`
  const first = await operator.upload(csv, { idempotency_key })
  assert.equal(first.status, 201, first.text)
  const again = await operator.upload(csv, { idempotency_key })
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.deepEqual(codeOf(await operator.upload(`${csv}\r\n`, { idempotency_key })), [422, 'idempotency_key_reused'])
  const other = randomUUID()
  const refused = await operator.upload(csv, { idempotency_key: other })
  assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
  const repeated = await operator.upload(csv, { idempotency_key: other })
  assert.equal(repeated.text, refused.text, 'the refusal is replayed too')
  assert.equal(repeated.headers['idempotency-replayed'], 'true')
})

test('the server opens no case for a repeated line or for a line whose case an operator has closed', async () => {
  const one = await plantPayment({ state: 'failed' })
  const rows = [...earlierLines(), lineOf(one)]
  assert.equal((await operator.importRows(rows)).opened, 1)
  const found = await caseOf(one)
  assert.deepEqual(
    [found?.kind, found?.status_ours, found?.merchant_id],
    ['outcome_differs', 'failed', world.merchant.id],
  )
  const again = await operator.importRows([...rows].reverse())
  assert.deepEqual([again.opened, again.explained, again.matched], [0, 0, earlier.length])
  assert.equal((await caseOf(one))?.id, found?.id)
  const done = await operator.act(found?.id ?? '', 'resolve', {
    resolution: 'written_off',
    reason: 'Too small to follow',
  })
  assert.equal(done.status, 200, done.text)
  // After an operator closes a case, a file with the same difference opens no case.
  assert.equal((await operator.importRows([lineOf(one), ...earlierLines()])).opened, 0)
  // A file with another difference opens another case.
  assert.equal((await operator.importRows([lineOf(one, { amount_minor: 7n }), ...earlierLines()])).opened, 1)
  const [new_case] = (await operator.cases()).filter(({ reference }) => reference === one.reference)
  await operator.act(new_case?.id ?? '', 'resolve', { resolution: 'written_off', reason: 'This one too' })
})

test('a later statement closes the case of a movement that an earlier statement did not have', async () => {
  const one = await plantPayment()
  const first = await operator.importRows(earlierLines())
  assert.equal(first.opened, 1)
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['unknown_to_them', 'payment', '-25000.00'])
  // By the clock of the provider, the movement was in the hour of this statement.
  const late = await operator.importRows([lineOf(one, { at: new Date('2026-01-04T20:59:59Z') })], {
    from: '2026-01-04T20:00:00Z',
    to: '2026-01-04T21:00:00Z',
  })
  assert.deepEqual([late.opened, late.explained, late.matched], [0, 1, 1])
  const closed = await caseOf(one, 'resolved')
  assert.deepEqual([closed?.id, closed?.resolution, closed?.explained_by], [found?.id, 'explained', late.id])
  earlier.push(one)
})

test('a line with the right amount closes the case of a wrong amount, and a line with another provider id closes no case', async () => {
  const one = await plantPayment()
  await operator.importRows([...earlierLines(), lineOf(one, { amount_minor: 2_400_000n })])
  assert.equal((await caseOf(one))?.difference, '-1000.00')
  const second = await operator.importRows([...earlierLines(), lineOf(one, { provider_id: 'OTHER' })])
  assert.equal(second.explained, 0)
  const both = (await operator.cases()).filter(({ reference }) => reference === one.reference)
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ['amount_differs', 'duplicate'])
  const right = await operator.importRows([...earlierLines(), lineOf(one)])
  assert.equal(right.explained, 1)
  const left = (await operator.cases()).filter(({ reference }) => reference === one.reference)
  assert.deepEqual(
    left.map(({ kind, provider_id }) => [kind, provider_id]),
    [['duplicate', 'OTHER']],
    'a repeated line does not undo the second movement',
  )
  earlier.push(one)
})

test('a payment that the provider paid and then reversed opens no case, even when the line of the reversal comes first', async () => {
  const one = await plantPayment({ state: 'failed' })
  const lines = [lineOf(one), lineOf(one, { kind: 'reversal', provider_id: 'BACK' })]
  assert.equal((await operator.importRows([...lines.reverse(), ...earlierLines()])).opened, 0)
  const two = await plantPayment({ state: 'reversed' })
  const lines_of_two = [lineOf(two, { kind: 'reversal', provider_id: 'BACK2' }), lineOf(two)]
  const taken = await operator.importRows([...lines_of_two, ...earlierLines()])
  assert.deepEqual([taken.opened, taken.matched], [0, earlier.length + 2])
  earlier.push(two)
})

test('a booked reversal has a case until a statement has the line of the reversal', async () => {
  const one = await plantPayment({ state: 'reversed' })
  assert.equal((await operator.importRows([...earlierLines(), lineOf(one)])).opened, 1)
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['outcome_differs', 'reversal', '25000.00'])
  const late = await operator.importRows([
    lineOf(one, { kind: 'reversal', provider_id: 'BACK3' }),
    ...earlierLines([one]),
  ])
  assert.equal(late.explained, 1)
  earlier.push(one)
})

test('the server compares each charge with its payout, and opens a case for a charge without a payout', async () => {
  const plantPayout = () => plantPayment({ flow: 'payout' })
  const [right, wrong, by_id] = [await plantPayout(), await plantPayout(), await plantPayout()]
  const charge = { kind: 'charge', provider_id: 'C1', amount_minor: 20_000n } as const
  const rows = [lineOf(right, charge), lineOf(wrong, { ...charge, provider_id: 'C2', amount_minor: 30_000n })]
  const fee = lineOf(right, { ...charge, reference: null, provider_id: 'MONTHLY' })
  // The lines of the third payout have only the provider's id.
  const payout = lineOf(by_id, { reference: null })
  const own_charge = { ...payout, kind: 'charge', amount_minor: 30_000n } as const
  const lines = [...rows, fee, payout, own_charge, ...earlierLines([right, wrong])]
  assert.equal((await operator.importRows(lines)).opened, 3)
  assert.equal(await caseOf(right), undefined)
  for (const one of [wrong, by_id]) {
    const found = await caseOf(one)
    assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['amount_differs', 'charge', '-100.00'])
  }
  const monthly = (await operator.cases()).find(({ provider_id }) => provider_id === 'MONTHLY')
  assert.deepEqual([monthly?.kind, monthly?.difference], ['unknown_to_us', '-200.00'])
  earlier.push(right, wrong, by_id)
})

test('a query at the provider settles the outcome, and closes the case when books and statements agree', async () => {
  const one = await plantPayment({ state: 'processing' })
  const out = await plantPayment({ state: 'processing', flow: 'payout' })
  const rows = [...earlierLines(), lineOf(one), lineOf(out)]
  assert.equal((await operator.importRows(rows)).opened, 2)
  const [payment, payout] = [await caseOf(one), await caseOf(out)]
  // The provider reports no outcome yet, so the case stays open.
  const still = await operator.act(payment?.id ?? '', 'ask')
  assert.deepEqual([still.status, still.body.data.state], [200, 'open'])
  assert.equal(queried.at(-1), one.reference)
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const key = randomUUID()
  const now = await operator.act(payment?.id ?? '', 'ask', {}, key)
  const { state, resolution, explained_by, resolved_by, status_ours } = now.body.data
  assert.equal(status_ours, 'successful', 'the response has the current status')
  assert.deepEqual([now.status, state, resolution, explained_by], [200, 'resolved', 'explained', null], now.text)
  assert.match(resolved_by.name, /@example.com$/)
  const [row] = await world.rows<{ status: string }>('select status from collections where id = $1', [one.id])
  assert.equal(row?.status, 'successful')
  const queries_before = queried.length
  const repeated = await operator.act(payment?.id ?? '', 'ask', {}, key)
  assert.equal(repeated.text, now.text)
  assert.equal(queried.length, queries_before, 'a replay queries no provider')
  assert.deepEqual(codeOf(await operator.act(payment?.id ?? '', 'ask')), [409, 'invalid_state'])
  assert.equal(queried.length, queries_before, 'a closed case queries no provider')
  answers.set(out.reference, open)
  assert.equal((await operator.act(payout?.id ?? '', 'ask')).body.data.state, 'open')
  assert.equal(queried.at(-1), out.reference)
  await operator.act(payout?.id ?? '', 'resolve', { resolution: 'accepted', reason: 'Known at the provider' })
  earlier.push(one)
})

test('a duplicate case stays open when a query settles the first movement, and the case shows the current status of the payment', async () => {
  const one = await plantPayment({ state: 'processing' })
  await operator.importRows([...earlierLines(), lineOf(one), lineOf(one, { provider_id: 'TWICE' })])
  const twice = (await operator.cases()).find(
    ({ kind, reference }) => kind === 'duplicate' && reference === one.reference,
  )
  assert.equal(twice?.status_ours, 'processing')
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const now = await operator.act(twice?.id ?? '', 'ask')
  assert.deepEqual([now.body.data.state, now.body.data.status_ours], ['open', 'successful'], now.text)
  await operator.act(twice?.id ?? '', 'resolve', { resolution: 'accepted', reason: 'Seen' })
  earlier.push(one)
})

test('a query at the provider closes the case of a payout when our books have returned the money and the provider never paid', async () => {
  const one = await plantPayment({ flow: 'payout' })
  assert.equal((await operator.importRows(earlierLines())).opened, 1)
  const found = await caseOf(one)
  assert.equal(found?.kind, 'unknown_to_them')
  // An operator has resolved the payout as not paid.
  await world.rows(
    `update withdrawals set status = 'FAILED', funds = 'returned', failure_reason_code = 'operator_resolved' where id = $1`,
    [one.id],
  )
  const now = await operator.act(found?.id ?? '', 'ask')
  assert.deepEqual([now.body.data.resolution, now.body.data.status_ours], ['explained', 'FAILED'], now.text)
  assert.equal((await operator.importRows(earlierLines())).opened, 0)
})

test('a line with a foreign reference matches our payment by the provider id, and a query at the provider closes the case', async () => {
  const one = await plantPayment({ state: 'processing' })
  const taken = await operator.importRows([...earlierLines(), lineOf(one, { reference: 'TILL 12' })])
  assert.deepEqual([taken.opened, taken.matched], [1, earlier.length])
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.provider_id], ['outcome_differs', one.provider_id])
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const now = await operator.act(found?.id ?? '', 'ask')
  assert.equal(now.body.data.resolution, 'explained', now.text)
  // A repeated line with either reference is the same movement.
  const again = await operator.importRows([...earlierLines(), lineOf(one, { reference: null })])
  assert.deepEqual([again.opened, again.matched], [0, earlier.length + 1])
  earlier.push(one)
  assert.equal((await operator.importRows(earlierLines())).opened, 0)
})

test('a line of an unknown payment becomes a line of our payment when our payment gets the same provider id', async () => {
  const one = await plantPayment({ state: 'processing' })
  await world.rows('update collection_attempts set provider_id = null where collection_id = $1', [one.id])
  const rows = [...earlierLines(), lineOf(one, { reference: null })]
  assert.equal((await operator.importRows(rows)).opened, 1)
  const unknown_case = (await operator.cases()).find(({ provider_id }) => provider_id === one.provider_id)
  assert.equal(unknown_case?.kind, 'unknown_to_us')
  await world.rows('update collection_attempts set provider_id = $2 where collection_id = $1', [
    one.id,
    one.provider_id,
  ])
  const taken = await operator.importRows(rows)
  assert.deepEqual([taken.opened, taken.explained], [1, 1])
  assert.equal((await caseOf(one))?.kind, 'outcome_differs')
  const closed = (await operator.cases('resolved')).find(({ id }) => id === unknown_case?.id)
  assert.equal(closed?.explained_by, taken.id)
})

test('the server refuses a query at the provider when the case is about no payment or payout of ours', async () => {
  const one = { ...paid, merchant_id: '', id: '', reference: 'TILL 7', provider_id: 'ABSENT' }
  await operator.importRows([...earlierLines(), lineOf(one)])
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.merchant_id], ['unknown_to_us', null])
  assert.deepEqual(codeOf(await operator.act(found?.id ?? '', 'ask')), [409, 'invalid_state'])
  assert.deepEqual(codeOf(await operator.act(randomUUID(), 'ask')), [404, 'not_found'])
  assert.deepEqual(codeOf(await operator.act('x', 'resolve', { resolution: 'accepted', reason: 'x' })), [
    404,
    'not_found',
  ])
  assert.deepEqual(codeOf(await operator.act(found?.id ?? '', 'resolve', { resolution: 'explained', reason: 'x' })), [
    400,
    'validation_failed',
  ])
})

test('one of five simultaneous requests closes a case, and the audit log has one entry', async () => {
  const one = await plantPayment({ state: 'failed' })
  await operator.importRows([...earlierLines(), lineOf(one)])
  const found = await caseOf(one)
  const reasons = ['a', 'b', 'c', 'd', 'e']
  const replies = await Promise.all(
    reasons.map((reason) => operator.act(found?.id ?? '', 'resolve', { resolution: 'corrected', reason })),
  )
  const codes = replies.map((reply) => codeOf(reply).join(' ')).sort()
  assert.deepEqual(codes, ['200 ok', ...Array(4).fill('409 invalid_state')])
  const winner = reasons[replies.findIndex(({ status }) => status === 200)]
  const closed = (await operator.cases('resolved')).find(({ id }) => id === found?.id)
  assert.equal((closed as unknown as { reason: string }).reason, winner)
  const log = await world.rows<{ reason: string; actor_kind: string; merchant_id: string }>(
    `select reason, actor_kind, merchant_id from audit_log where target_id = $1`,
    [found?.id],
  )
  assert.deepEqual(log, [{ reason: winner, actor_kind: 'operator', merchant_id: world.merchant.id }])
})

test('the audit log has an entry for every finished import', async () => {
  const [count] = await world.rows<{ log: number; statements: number }>(
    `select (select count(*)::int from audit_log where action = 'statement.import') as log,
       (select count(*)::int from statements where state = 'done') as statements`,
  )
  assert.ok((count?.log ?? 0) > 10)
  assert.equal(count?.log, count?.statements)
})

test('the summary shows the difference between the balance at the provider and our books, and no difference when the provider reports no balance', async () => {
  balance = null
  const without_balance = (await operator.summary()).float
  assert.deepEqual(
    [without_balance.providers, without_balance.difference],
    [[{ provider: 'mock', balance: null, separate: false }], null],
  )
  const [books] = await world.rows<{ minor: bigint }>(
    `select coalesce(-sum(balance_minor), 0)::bigint as minor from ledger_accounts
     where environment = 'live' and code = 'provider_float'`,
  )
  balance = { amount_minor: (books?.minor ?? 0n) + 1_05n, currency: 'TZS' }
  assert.equal((await operator.summary()).float.difference, '1.05')
  provider.separate_float = true
  const { float } = await operator.summary()
  assert.deepEqual(
    [float.providers[0].balance, float.providers[0].separate, float.difference],
    [formatAmount((books?.minor ?? 0n) + 1_05n), true, null],
    'the summary shows a separate account and does not compare its balance with the books',
  )
  delete provider.separate_float
  balance = { amount_minor: 5n, currency: 'USD' }
  assert.equal((await operator.summary()).float.difference, null)
})

test('the list of cases has only the cases of the requested kind, state and provider', async () => {
  const list = async (query: string) =>
    (await world.get(`/v1/operator/reconciliation/exceptions?${query}`, await operator.session())).body.data
  const all_cases = await list('page_size=100')
  const kinds = new Set(all_cases.items.map((one: CaseView) => one.kind))
  assert.ok(kinds.size > 1)
  for (const kind of kinds) {
    const of_kind = await list(`kind=${kind}&page_size=100`)
    assert.ok(of_kind.items.length > 0 && of_kind.items.every((one: CaseView) => one.kind === kind))
  }
  assert.equal((await list('provider=other')).pagination.total_items, 0)
  assert.equal((await list('state=resolved&provider=mock')).items[0].state, 'resolved')
})
