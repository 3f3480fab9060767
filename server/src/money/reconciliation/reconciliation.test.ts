// Statements and cases as operators work with them, and as time goes on.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import {
  type CaseView,
  csvOf,
  lineOf,
  openReconciler,
  type Plant,
  type Planted,
  plant,
  type Reconciler,
} from '../../../test/statements.ts'
import type { ProviderExtras, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Answer, PayoutAnswer, Provider } from '../../adapters/providers/port.ts'
import { formatAmount } from '../../kernel/lib/index.ts'

/** What the provider says when it is asked, by reference. */
const answers = new Map<string, Answer | PayoutAnswer>()
const asked: string[] = []
let balance: { amount_minor: bigint; currency: string } | null = null

const open = { kind: 'accepted', provider_status: 'PENDING' } as const
const answer = (reference: string) => {
  asked.push(reference)
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
let desk: Reconciler
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  desk = await openReconciler(world)
})
after(() => world.close())

const AT = new Date('2026-01-05T07:00:00Z')
const paid = { flow: 'payment', state: 'paid', amount_minor: 2_500_000n, at: AT } as const
const make = async (wish: Partial<Plant> = {}) => (await plant(world, [{ ...paid, ...wish }]))[0] as Planted

/** The case of something that was planted, if there is one. */
async function caseOf(one: Planted, state: 'open' | 'resolved' = 'open'): Promise<CaseView | undefined> {
  return (await desk.cases(state)).find(({ reference }) => reference === one.reference)
}

/** Only what is named is missing in what is brought here: everything else is stated, so that nothing else becomes a case. */
const known: Planted[] = []
const all = (more: Planted[] = []) => [...known, ...more].map((one) => lineOf(one))

test('a file is taken once: brought again it is refused, naming the first import', async () => {
  known.push(await make())
  const first = await desk.bring(csvOf(all()), { query: '&file_name=monday.csv' })
  assert.equal(first.status, 201, first.text)
  const { id, file_name, sha256, state, lines, matched, opened } = first.body.data
  assert.deepEqual([file_name, state, lines, matched, opened], ['monday.csv', 'done', 1, 1, 0])
  assert.match(sha256, /^[0-9a-f]{64}$/)
  const again = await desk.bring(csvOf(all()))
  assert.deepEqual(codeOf(again), [409, 'invalid_state'])
  assert.equal(again.body.error.details.statement_id, id)
  assert.match(again.body.error.message, /This file was imported on 2026-01-05T09:00:00.000Z/)
  const listed = await world.get('/v1/operator/statements?provider=mock', await desk.session())
  assert.deepEqual(
    listed.body.data.items.map((one: { id: string }) => one.id),
    [id],
  )
})

test('an Idempotency-Key repeats the answer, and is not good for another file', async () => {
  const idempotency_key = randomUUID()
  const csv = `${csvOf(all())}\r\n`
  const first = await desk.bring(csv, { idempotency_key })
  assert.equal(first.status, 201, first.text)
  const again = await desk.bring(csv, { idempotency_key })
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.deepEqual(codeOf(await desk.bring(`${csv}\r\n`, { idempotency_key })), [422, 'idempotency_key_reused'])
  const other = randomUUID()
  const refused = await desk.bring(csv, { idempotency_key: other })
  assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
  const repeated = await desk.bring(csv, { idempotency_key: other })
  assert.equal(repeated.text, refused.text, 'the refusal is an answer too')
  assert.equal(repeated.headers['idempotency-replayed'], 'true')
})

test('stated again, the same movements make no case, and a case stays the one that it is', async () => {
  const one = await make({ state: 'failed' })
  const rows = [...all(), lineOf(one)]
  assert.equal((await desk.take(rows)).opened, 1)
  const found = await caseOf(one)
  assert.deepEqual(
    [found?.kind, found?.status_ours, found?.merchant_id],
    ['outcome_differs', 'failed', world.merchant.id],
  )
  const again = await desk.take([...rows].reverse())
  assert.deepEqual([again.opened, again.explained, again.matched], [0, 0, known.length])
  assert.equal((await caseOf(one))?.id, found?.id)
  const done = await desk.act(found?.id ?? '', 'resolve', { resolution: 'written_off', reason: 'Too small to follow' })
  assert.equal(done.status, 200, done.text)
  // What an operator has settled is not opened again by the next file that tells the same.
  assert.equal((await desk.take([lineOf(one), ...all()])).opened, 0)
  // Another difference is another case.
  assert.equal((await desk.take([lineOf(one, { amount_minor: 7n }), ...all()])).opened, 1)
  const [another] = (await desk.cases()).filter(({ reference }) => reference === one.reference)
  await desk.act(another?.id ?? '', 'resolve', { resolution: 'written_off', reason: 'This one too' })
})

test('a late statement explains what an earlier one left out', async () => {
  const one = await make()
  const first = await desk.take(all())
  assert.equal(first.opened, 1)
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['unknown_to_them', 'payment', '-25000.00'])
  // It is in the statement of the hours before, by the clock of the provider.
  const late = await desk.take([lineOf(one, { at: new Date('2026-01-04T20:59:59Z') })], {
    from: '2026-01-04T20:00:00Z',
    to: '2026-01-04T21:00:00Z',
  })
  assert.deepEqual([late.opened, late.explained, late.matched], [0, 1, 1])
  const closed = await caseOf(one, 'resolved')
  assert.deepEqual([closed?.id, closed?.resolution, closed?.explained_by], [found?.id, 'explained', late.id])
  known.push(one)
})

test('a corrected amount explains the wrong one; a movement under another id does not', async () => {
  const one = await make()
  await desk.take([...all(), lineOf(one, { amount_minor: 2_400_000n })])
  assert.equal((await caseOf(one))?.difference, '-1000.00')
  const second = await desk.take([...all(), lineOf(one, { provider_id: 'OTHER' })])
  assert.equal(second.explained, 0)
  const both = (await desk.cases()).filter(({ reference }) => reference === one.reference)
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ['amount_differs', 'duplicate'])
  const right = await desk.take([...all(), lineOf(one)])
  assert.equal(right.explained, 1)
  const left = (await desk.cases()).filter(({ reference }) => reference === one.reference)
  assert.deepEqual(
    left.map(({ kind, provider_id }) => [kind, provider_id]),
    [['duplicate', 'OTHER']],
    'that the movement is stated once more does not undo the second one',
  )
  known.push(one)
})

test('a payment that was taken back the same day is no difference, whichever line comes first', async () => {
  const one = await make({ state: 'failed' })
  const lines = [lineOf(one), lineOf(one, { kind: 'reversal', provider_id: 'BACK' })]
  assert.equal((await desk.take([...lines.reverse(), ...all()])).opened, 0)
  const two = await make({ state: 'reversed' })
  const stated = [lineOf(two, { kind: 'reversal', provider_id: 'BACK2' }), lineOf(two)]
  const taken = await desk.take([...stated, ...all()])
  assert.deepEqual([taken.opened, taken.matched], [0, known.length + 2])
  known.push(two)
})

test('a reversal that we booked and no statement has is a difference until one has it', async () => {
  const one = await make({ state: 'reversed' })
  assert.equal((await desk.take([...all(), lineOf(one)])).opened, 1)
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['outcome_differs', 'reversal', '25000.00'])
  const late = await desk.take([lineOf(one, { kind: 'reversal', provider_id: 'BACK3' }), ...all([one])])
  assert.equal(late.explained, 1)
  known.push(one)
})

test('a charge is compared with what a payout was to cost; one that belongs to nothing is a case', async () => {
  const [right, wrong] = [await make({ flow: 'payout' }), await make({ flow: 'payout' })]
  const charge = { kind: 'charge', provider_id: 'C1', amount_minor: 20_000n } as const
  const rows = [lineOf(right, charge), lineOf(wrong, { ...charge, provider_id: 'C2', amount_minor: 30_000n })]
  const fee = lineOf(right, { ...charge, reference: null, provider_id: 'MONTHLY' })
  assert.equal((await desk.take([...rows, fee, ...all([right, wrong])])).opened, 2)
  assert.equal(await caseOf(right), undefined)
  const found = await caseOf(wrong)
  assert.deepEqual([found?.kind, found?.line_kind, found?.difference], ['amount_differs', 'charge', '-100.00'])
  const monthly = (await desk.cases()).find(({ provider_id }) => provider_id === 'MONTHLY')
  assert.deepEqual([monthly?.kind, monthly?.difference], ['unknown_to_us', '-200.00'])
  known.push(right, wrong)
})

test('asking the provider settles what it says, and closes the case that this explains', async () => {
  const one = await make({ state: 'processing' })
  const out = await make({ state: 'processing', flow: 'payout' })
  const rows = [...all(), lineOf(one), lineOf(out)]
  assert.equal((await desk.take(rows)).opened, 2)
  const [payment, payout] = [await caseOf(one), await caseOf(out)]
  // It still does not know: the case stays.
  const still = await desk.act(payment?.id ?? '', 'ask')
  assert.deepEqual([still.status, still.body.data.state], [200, 'open'])
  assert.equal(asked.at(-1), one.reference)
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const key = randomUUID()
  const now = await desk.act(payment?.id ?? '', 'ask', {}, key)
  const { state, resolution, explained_by, resolved_by, status_ours } = now.body.data
  assert.equal(status_ours, 'successful', 'the answer tells how it is by now')
  assert.deepEqual([now.status, state, resolution, explained_by], [200, 'resolved', 'explained', null], now.text)
  assert.match(resolved_by.name, /@example.com$/)
  const [row] = await world.rows<{ status: string }>('select status from collections where id = $1', [one.id])
  assert.equal(row?.status, 'successful')
  const before_repeating = asked.length
  const repeated = await desk.act(payment?.id ?? '', 'ask', {}, key)
  assert.equal(repeated.text, now.text)
  assert.equal(asked.length, before_repeating, 'a repeated key asks nobody')
  assert.deepEqual(codeOf(await desk.act(payment?.id ?? '', 'ask')), [409, 'invalid_state'])
  assert.equal(asked.length, before_repeating, 'nobody is asked about a closed case')
  answers.set(out.reference, open)
  assert.equal((await desk.act(payout?.id ?? '', 'ask')).body.data.state, 'open')
  assert.equal(asked.at(-1), out.reference)
  await desk.act(payout?.id ?? '', 'resolve', { resolution: 'accepted', reason: 'Known at the provider' })
  known.push(one)
})

test('a second movement stays a case when the first one is explained, and tells where the payment stands by now', async () => {
  const one = await make({ state: 'processing' })
  await desk.take([...all(), lineOf(one), lineOf(one, { provider_id: 'TWICE' })])
  const twice = (await desk.cases()).find(({ kind, reference }) => kind === 'duplicate' && reference === one.reference)
  assert.equal(twice?.status_ours, 'processing')
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const now = await desk.act(twice?.id ?? '', 'ask')
  assert.deepEqual([now.body.data.state, now.body.data.status_ours], ['open', 'successful'], now.text)
  await desk.act(twice?.id ?? '', 'resolve', { resolution: 'accepted', reason: 'Seen' })
  known.push(one)
})

test('a payout that we took back and they never made is no difference any more: asking closes its case', async () => {
  const one = await make({ flow: 'payout' })
  assert.equal((await desk.take(all())).opened, 1)
  const found = await caseOf(one)
  assert.equal(found?.kind, 'unknown_to_them')
  // An operator found out that it was not paid.
  await world.rows(
    `update withdrawals set status = 'FAILED', funds = 'returned', failure_reason_code = 'operator_resolved' where id = $1`,
    [one.id],
  )
  const now = await desk.act(found?.id ?? '', 'ask')
  assert.deepEqual([now.body.data.resolution, now.body.data.status_ours], ['explained', 'FAILED'], now.text)
  assert.equal((await desk.take(all())).opened, 0)
})

test('a line with a reference of their own leads to ours by their id, and the case can be asked about', async () => {
  const one = await make({ state: 'processing' })
  const taken = await desk.take([...all(), lineOf(one, { reference: 'TILL 12' })])
  assert.deepEqual([taken.opened, taken.matched], [1, known.length])
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.provider_id], ['outcome_differs', one.provider_id])
  answers.set(one.reference, {
    kind: 'succeeded',
    amount_minor: one.amount_minor,
    currency: 'TZS',
    provider_status: 'OK',
  })
  const now = await desk.act(found?.id ?? '', 'ask')
  assert.equal(now.body.data.resolution, 'explained', now.text)
  // Stated again in either form, it is the same movement.
  const again = await desk.take([...all(), lineOf(one, { reference: null })])
  assert.deepEqual([again.opened, again.matched], [0, known.length + 1])
  known.push(one)
  assert.equal((await desk.take(all())).opened, 0)
})

test('money that is not ours becomes ours when we learn whose it is', async () => {
  const one = await make({ state: 'processing' })
  await world.rows('update collection_attempts set provider_id = null where collection_id = $1', [one.id])
  const rows = [...all(), lineOf(one, { reference: null })]
  assert.equal((await desk.take(rows)).opened, 1)
  const stranger = (await desk.cases()).find(({ provider_id }) => provider_id === one.provider_id)
  assert.equal(stranger?.kind, 'unknown_to_us')
  await world.rows('update collection_attempts set provider_id = $2 where collection_id = $1', [
    one.id,
    one.provider_id,
  ])
  const taken = await desk.take(rows)
  assert.deepEqual([taken.opened, taken.explained], [1, 1])
  assert.equal((await caseOf(one))?.kind, 'outcome_differs')
  const closed = (await desk.cases('resolved')).find(({ id }) => id === stranger?.id)
  assert.equal(closed?.explained_by, taken.id)
})

test('there is nobody to ask about money that is not ours', async () => {
  const one = { ...paid, merchant_id: '', id: '', reference: 'TILL 7', provider_id: 'NOBODY' }
  await desk.take([...all(), lineOf(one)])
  const found = await caseOf(one)
  assert.deepEqual([found?.kind, found?.merchant_id], ['unknown_to_us', null])
  assert.deepEqual(codeOf(await desk.act(found?.id ?? '', 'ask')), [409, 'invalid_state'])
  assert.deepEqual(codeOf(await desk.act(randomUUID(), 'ask')), [404, 'not_found'])
  assert.deepEqual(codeOf(await desk.act('x', 'resolve', { resolution: 'accepted', reason: 'x' })), [404, 'not_found'])
  assert.deepEqual(codeOf(await desk.act(found?.id ?? '', 'resolve', { resolution: 'explained', reason: 'x' })), [
    400,
    'validation_failed',
  ])
})

test('of operators who resolve a case at once, one wins, and the audit log tells it once', async () => {
  const one = await make({ state: 'failed' })
  await desk.take([...all(), lineOf(one)])
  const found = await caseOf(one)
  const reasons = ['a', 'b', 'c', 'd', 'e']
  const replies = await Promise.all(
    reasons.map((reason) => desk.act(found?.id ?? '', 'resolve', { resolution: 'corrected', reason })),
  )
  const codes = replies.map((reply) => codeOf(reply).join(' ')).sort()
  assert.deepEqual(codes, ['200 ok', ...Array(4).fill('409 invalid_state')])
  const winner = reasons[replies.findIndex(({ status }) => status === 200)]
  const closed = (await desk.cases('resolved')).find(({ id }) => id === found?.id)
  assert.equal((closed as unknown as { reason: string }).reason, winner)
  const log = await world.rows<{ reason: string; actor_kind: string; merchant_id: string }>(
    `select reason, actor_kind, merchant_id from audit_log where target_id = $1`,
    [found?.id],
  )
  assert.deepEqual(log, [{ reason: winner, actor_kind: 'operator', merchant_id: world.merchant.id }])
})

test('every import is in the audit log', async () => {
  const [count] = await world.rows<{ log: number; statements: number }>(
    `select (select count(*)::int from audit_log where action = 'statement.import') as log,
       (select count(*)::int from statements where state = 'done') as statements`,
  )
  assert.ok((count?.log ?? 0) > 10)
  assert.equal(count?.log, count?.statements)
})

test('the summary shows the money at the provider beside our books, and no difference while it does not answer', async () => {
  balance = null
  const silent = (await desk.summary()).float
  assert.deepEqual(
    [silent.providers, silent.difference],
    [[{ provider: 'mock', balance: null, separate: false }], null],
  )
  const [books] = await world.rows<{ minor: bigint }>(
    `select coalesce(-sum(balance_minor), 0)::bigint as minor from ledger_accounts
     where environment = 'live' and code = 'provider_float'`,
  )
  balance = { amount_minor: (books?.minor ?? 0n) + 1_05n, currency: 'TZS' }
  assert.equal((await desk.summary()).float.difference, '1.05')
  provider.separate_float = true
  const { float } = await desk.summary()
  assert.deepEqual(
    [float.providers[0].balance, float.providers[0].separate, float.difference],
    [formatAmount((books?.minor ?? 0n) + 1_05n), true, null],
    'an account that is filled by hand is shown beside the books, and not compared with them',
  )
  delete provider.separate_float
  balance = { amount_minor: 5n, currency: 'USD' }
  assert.equal((await desk.summary()).float.difference, null)
})

test('filters show the cases of a kind and of a provider alone', async () => {
  const list = async (query: string) =>
    (await world.get(`/v1/operator/reconciliation/exceptions?${query}`, await desk.session())).body.data
  const every = await list('page_size=100')
  const kinds = new Set(every.items.map((one: CaseView) => one.kind))
  assert.ok(kinds.size > 1)
  for (const kind of kinds) {
    const some = await list(`kind=${kind}&page_size=100`)
    assert.ok(some.items.length > 0 && some.items.every((one: CaseView) => one.kind === kind))
  }
  assert.equal((await list('provider=other')).pagination.total_items, 0)
  assert.equal((await list('state=resolved&provider=mock')).items[0].state, 'resolved')
})
