// Tests that merchants can read their withdrawals, answer operators and list destinations, and cannot read data of other
// merchants.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { fund, unchanged } from '../../../test/withdrawals.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { DESTINATIONS } from '../../kernel/lib/index.ts'
import { rejectWithdrawal, requestInfo } from './review.ts'
import { STATUSES } from './state.ts'

const LIST = '/v1/merchant/withdrawals'
const DIRECT = '/v1/disbursements'
const OPERATOR = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const
const BODY = { amount: '100', destination_code: 'MPESA', destination_identifier: '0754123456' }

let world: World
let viewer: string
let finance: string
/**
 * The ids of 25 withdrawals, oldest first. Of each three, an operator rejected the first and asked the merchant a question
 * about the second.
 */
const ids: string[] = []
before(async () => {
  world = await createWorld()
  viewer = (await world.newSession('VIEWER')).token
  finance = (await world.newSession('FINANCE')).token
  for (const environment of ['sandbox', 'live'] as const) await fund(world, { amount: '100000', environment })
  for (let i = 0; i < 25; i++) {
    const id = await submit(`R-${i}`)
    ids.push(id)
    if (i % 3 === 0) await reject(id)
    if (i % 3 === 1) await ask(id)
    world.deps.clock.advance(1_000)
  }
  await submit('live', world.live_key)
})
after(() => world.close())

async function submit(reference: string, key = world.sandbox_key): Promise<string> {
  const reply = await world.post(`${DIRECT}/mobile-money`, { ...BODY, reference }, { key })
  assert.equal(reply.status, 202, reply.text)
  return reply.body.data.id
}
const named = (id: string) => ({ merchant_id: world.merchant.id, id })
const reject = (id: string, reason = 'This recipient is not known.') =>
  inTransaction(world.deps.db, (tx) => rejectWithdrawal(world.deps, tx, OPERATOR, { ...named(id), reason }))
const ask = (id: string, message = 'What is it for?') =>
  inTransaction(world.deps.db, (tx) => requestInfo(world.deps, tx, OPERATOR, { ...named(id), message }))
const idsOf = (reply: Reply): string[] => reply.body.data.items.map((item: { id: string }) => item.id)
const newest = [...Array(25).keys()].reverse()
const expected = (filter: (i: number) => boolean) => newest.filter(filter).map((i) => ids[i] as string)

/** The two lists of the same withdrawals. Only the requests to the second list have the merchant id. */
const LISTS = [
  { name: LIST, list: (query = '', key = viewer) => world.get(`${LIST}?environment=sandbox${query}`, key) },
  {
    name: DIRECT,
    list: (query = '', key = world.sandbox_key) => world.get(`${DIRECT}?merchant_id=${world.merchant.id}${query}`, key),
  },
]

for (const { name, list } of LISTS) {
  describe(`the list at ${name}`, () => {
    test(`the list at ${name} shows the newest withdrawals first, twenty on a page, with the fields of a single record`, async () => {
      const reply = await list()
      assert.deepEqual(idsOf(reply), expected(() => true).slice(0, 20))
      assert.deepEqual(reply.body.data.pagination, { page: 1, page_size: 20, total_items: 25, total_pages: 2 })
      const [first] = reply.body.data.items
      const { history: _, ...shown } = (await world.get(`${DIRECT}/${first.id}`)).body.data
      assert.deepEqual(first, shown)
    })

    test(`the pages of the list at ${name} contain every withdrawal of the environment once`, async () => {
      const all: string[] = []
      for (let page = 1; page <= 5; page++) all.push(...idsOf(await list(`&page=${page}&page_size=6`)))
      assert.deepEqual(
        all,
        expected(() => true),
      )
    })

    test(`a page after the last page of the list at ${name} is empty and still has the total`, async () => {
      const { data } = (await list('&page=1000000&page_size=100')).body
      assert.deepEqual([data.items, data.pagination.total_items], [[], 25])
    })

    test(`the list at ${name} shows only withdrawals with the status of the filter`, async () => {
      const found = {
        REJECTED: expected((i) => i % 3 === 0),
        INFO_REQUESTED: expected((i) => i % 3 === 1),
        PENDING_ADMIN_APPROVAL: expected((i) => i % 3 === 2),
      }
      for (const status of STATUSES) {
        const reply = await list(`&status=${status}&page_size=100`)
        const matches = (found as Record<string, string[]>)[status] ?? []
        assert.deepEqual([idsOf(reply), reply.body.data.pagination.total_items], [matches, matches.length])
      }
    })

    test(`the list at ${name} finds a withdrawal by the beginning of its reference, in any case`, async () => {
      for (const [reference, filter] of [
        ['r-1', (i: number) => i === 1 || (i >= 10 && i < 20)],
        ['R-24', (i: number) => i === 24],
        ['R', () => true],
        ['R%25', () => false],
        ['-1', () => false],
      ] as const) {
        const reply = await list(`&page_size=100&reference=${reference}`)
        const found = expected(filter)
        assert.deepEqual([idsOf(reply), reply.body.data.pagination.total_items], [found, found.length], reference)
      }
    })

    test(`the list at ${name} refuses an invalid page, page size or status with 400`, async () => {
      for (const query of ['&page=0', '&page=x', '&page_size=0', '&page_size=101', '&status=DONE', '&status=']) {
        assert.deepEqual(codeOf(await list(query)), [400, 'validation_failed'], query)
      }
    })

    test(`the list at ${name} shows no withdrawal of this merchant to another merchant`, async () => {
      const merchant = await world.newMerchant()
      const key = await world.newKey({ merchant })
      assert.deepEqual(idsOf(await world.get(`${DIRECT}?merchant_id=${merchant.id}`, key)), [])
      const { token } = await world.newSession([{ role: 'VIEWER', merchant }])
      assert.deepEqual(idsOf(await world.get(`${LIST}?environment=sandbox`, token)), [])
      for (const foreign of [world.merchant.id, randomUUID()]) {
        assert.deepEqual(codeOf(await world.get(`${DIRECT}?merchant_id=${foreign}`, key)), [403, 'merchant_mismatch'])
        assert.deepEqual(codeOf(await world.get(`${LIST}?merchant_id=${foreign}`, token)), [403, 'merchant_mismatch'])
      }
    })
  })
}

test('the list of disbursements needs no merchant id from a key or from a member of only one merchant', async () => {
  for (const key of [world.sandbox_key, world.live_key, finance]) {
    const named = await world.get(`${DIRECT}?merchant_id=${world.merchant.id}`, key)
    assert.equal(named.status, 200)
    assert.deepEqual((await world.get(DIRECT, key)).body.data, named.body.data)
  }
  assert.equal((await world.get(`${DIRECT}?merchant_id=${world.merchant.id.toUpperCase()}`)).status, 200)
})

test('a key with only the write scope cannot read withdrawals, and a key with only the read scope cannot submit withdrawals', async () => {
  const writer = await world.newKey({ scopes: ['disbursements:write'] })
  const reader = await world.newKey({ scopes: ['disbursements:read'] })
  const id = ids[0] as string
  for (const path of [`${DIRECT}?merchant_id=${world.merchant.id}`, `${DIRECT}/${id}`]) {
    assert.deepEqual(codeOf(await world.get(path, writer)), [403, 'insufficient_scope'])
    assert.equal((await world.get(path, reader)).status, 200)
  }
  const refused = await unchanged(world, () => world.post(`${DIRECT}/mobile-money`, BODY, { key: reader }))
  assert.deepEqual(codeOf(refused), [403, 'insufficient_scope'])
  assert.equal(refused.body.error.details.required_scope, 'disbursements:write')
})

test('every role can read a withdrawal by its id in the environment of the withdrawal', async () => {
  const id = ids[2] as string
  for (const role of ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER'] as const) {
    const { token } = await world.newSession(role)
    for (const path of [`${LIST}/${id}`, `${DIRECT}/${id}`, `${LIST}/${id.toUpperCase()}`]) {
      assert.equal((await world.get(`${path}?environment=sandbox`, token)).body.data.id, id)
      assert.deepEqual(codeOf(await world.get(path, token)), [404, 'not_found'], 'live, the default')
    }
  }
  assert.deepEqual(codeOf(await world.get(`${DIRECT}/${id}`, world.live_key)), [404, 'not_found'])
})

test('the server answers not_found to an id that is unknown, malformed or of another merchant', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  assert.deepEqual(codeOf(await world.get(`${DIRECT}/${ids[0]}`, key)), [404, 'not_found'])
  assert.deepEqual(codeOf(await world.get(`${LIST}/${ids[0]}?environment=sandbox`, token)), [404, 'not_found'])
  for (const id of [randomUUID(), 'x', `${ids[0]}0`, 'TXN-1', '%00']) {
    assert.deepEqual(codeOf(await world.get(`${DIRECT}/${id}`)), [404, 'not_found'], id)
  }
})

test('the history has the messages of operators and merchant, without the names of operators and the texts of providers', async () => {
  const id = await submit('history')
  await ask(id, 'Who is Juma?')
  const { token, email } = await world.newSession('FINANCE')
  const answered = await world.post(
    `${LIST}/${id}/respond?environment=sandbox`,
    { message: 'My brother.\nHe paid the rent.' },
    { key: token },
  )
  assert.equal(answered.status, 200, answered.text)
  await world.post(`/v1/sandbox/disbursements/${id}/simulate`, { outcome: 'FAILED' })
  const reply = await world.get(`${DIRECT}/${id}`)
  const at = world.deps.clock.now().toISOString()
  assert.deepEqual(reply.body.data.history, [
    {
      from_status: 'PENDING_ADMIN_APPROVAL',
      to_status: 'INFO_REQUESTED',
      by: 'operator',
      message: 'Who is Juma?',
      at,
    },
    {
      from_status: 'INFO_REQUESTED',
      to_status: 'PENDING_ADMIN_APPROVAL',
      by: 'merchant',
      message: 'My brother.\nHe paid the rent.',
      at,
    },
    { from_status: 'PENDING_ADMIN_APPROVAL', to_status: 'PROCESSING', by: 'merchant', message: null, at },
    { from_status: 'PROCESSING', to_status: 'FAILED', by: 'provider', message: null, at },
  ])
  for (const secret of [OPERATOR.actor.name, OPERATOR.actor.id, email]) assert.ok(!reply.text.includes(secret))
})

test("the record of a withdrawal shows the operator's text until the next move", async () => {
  const id = await submit('reason')
  const reason = async () => (await world.get(`${DIRECT}/${id}`)).body.data.status_reason
  assert.equal(await reason(), null)
  await ask(id, 'What for?')
  assert.equal(await reason(), 'What for?')
  await world.post(`${LIST}/${id}/respond`, { message: 'Rent.', environment: 'sandbox' }, { key: finance })
  assert.equal(await reason(), null)
  await reject(id, 'Not for rent.')
  assert.equal(await reason(), 'Not for rent.')
})

const answerTo = (id: string, options: { key?: string; message?: unknown; idempotency_key?: string | null } = {}) => {
  const { key = finance, message = 'Rent.', idempotency_key = null } = options
  return world.post(`${LIST}/${id}/respond`, { message, environment: 'sandbox' }, { key, idempotency_key })
}

test('an answer of the merchant makes the withdrawal wait for approval again, with an audit entry', async () => {
  const id = await submit('answered')
  await ask(id)
  const { token, user_id } = await world.newSession('MERCHANT_ADMIN')
  const reply = await answerTo(id, { key: token })
  assert.equal(reply.status, 200, reply.text)
  const { status, requires_approval, status_reason } = reply.body.data
  assert.deepEqual([status, requires_approval, status_reason], ['PENDING_ADMIN_APPROVAL', true, null])
  const entries = await world.rows(
    "select actor_kind, actor_id, reason from audit_log where target_id = $1 and action = 'withdrawal.respond'",
    [id],
  )
  assert.deepEqual(entries, [{ actor_kind: 'user', actor_id: user_id, reason: 'Rent.' }])
})

test('an operator can ask the merchant again after each answer', async () => {
  const id = await submit('asked twice')
  for (let i = 0; i < 3; i++) {
    await ask(id, `Question ${i}`)
    assert.equal((await answerTo(id)).status, 200)
  }
  assert.equal((await world.get(`${DIRECT}/${id}`)).body.data.history.length, 6)
})

test('the server refuses an answer of the merchant with 409 invalid_state when no operator asked, and changes nothing', async () => {
  const pending = await submit('pending')
  const rejected = await submit('rejected')
  await reject(rejected)
  const paid = await submit('paid')
  await world.post(`/v1/sandbox/disbursements/${paid}/simulate`, { outcome: 'SUCCESS' })
  for (const [id, status] of [
    [pending, 'PENDING_ADMIN_APPROVAL'],
    [rejected, 'REJECTED'],
    [paid, 'SUCCESS'],
  ] as const) {
    const reply = await unchanged(world, () => answerTo(id))
    assert.deepEqual([codeOf(reply), reply.body.error.details], [[409, 'invalid_state'], { status }])
  }
})

test('only members who may send money can answer an operator, only for their merchant and with a visible text', async () => {
  const id = await submit('guarded')
  await ask(id)
  for (const role of ['VIEWER', 'DEVELOPER'] as const) {
    const { token } = await world.newSession(role)
    const reply = await unchanged(world, () => answerTo(id, { key: token }))
    assert.deepEqual(codeOf(reply), [403, 'insufficient_role'])
  }
  assert.deepEqual(codeOf(await answerTo(id, { key: world.sandbox_key })), [403, 'insufficient_role'])
  const { token } = await world.newSession([{ role: 'FINANCE', merchant: await world.newMerchant() }])
  assert.deepEqual(codeOf(await unchanged(world, () => answerTo(id, { key: token }))), [404, 'not_found'])
  const live = await unchanged(world, () => world.post(`${LIST}/${id}/respond`, { message: 'x' }, { key: finance }))
  assert.deepEqual(codeOf(live), [404, 'not_found'])
  for (const message of ['', '  \n ', '\u200b', 'x'.repeat(1001), 'a\u0000', 7, null]) {
    const reply = await unchanged(world, () => answerTo(id, { message }))
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(message))
  }
  for (const unknown of [randomUUID(), 'x']) assert.deepEqual(codeOf(await answerTo(unknown)), [404, 'not_found'])
})

test('the server accepts one of ten concurrent answers, and ten answers with one Idempotency-Key get the same reply', async () => {
  const [first, second] = [await submit('race'), await submit('race with a key')]
  await ask(first)
  await ask(second)
  const replies = await Promise.all(Array.from({ length: 10 }, () => answerTo(first)))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  for (const reply of replies) if (reply.status !== 200) assert.deepEqual(codeOf(reply), [409, 'invalid_state'])
  const idempotency_key = randomUUID()
  const same = await Promise.all(Array.from({ length: 10 }, () => answerTo(second, { idempotency_key })))
  assert.deepEqual([...new Set(same.map(({ text }) => text))].length, 1)
  assert.deepEqual([...new Set(same.map(({ status }) => status))], [200])
  assert.equal((await world.get(`${DIRECT}/${second}`)).body.data.history.length, 2)
})

test('a caller without a key can read all networks and banks with their aliases', async () => {
  const { status, body } = await world.call({ method: 'GET', url: '/v1/destinations', key: null })
  assert.equal(status, 200)
  assert.deepEqual(body.data.items, DESTINATIONS)
  const [first] = body.data.items
  assert.deepEqual(Object.keys(first), ['code', 'name', 'method', 'aliases'])
  const mpesa = body.data.items.find((item: { code: string }) => item.code === 'MPESA')
  assert.ok(mpesa.aliases.includes('VODACOM'))
})

test('a caller can filter the destinations by method', async () => {
  let total = 0
  for (const method of ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA']) {
    const { items } = (await world.get(`/v1/destinations?method=${method}`)).body.data
    assert.ok(items.length > 0 && items.every((item: { method: string }) => item.method === method))
    total += items.length
  }
  assert.equal(total, DESTINATIONS.length)
  assert.deepEqual(codeOf(await world.get('/v1/destinations?method=CASH')), [400, 'validation_failed'])
})

test('the server accepts every listed destination by its code and by each alias', async () => {
  for (const { code, method, aliases } of DESTINATIONS) {
    for (const name of [code, code.toLowerCase(), ...aliases]) {
      const reply = await world.post(
        '/v1/merchant/withdrawals/quote',
        { amount: '100', method, destination_code: name },
        { key: finance, idempotency_key: null },
      )
      assert.equal(reply.body.data?.destination_code, code, `${method} ${name}: ${reply.text}`)
    }
  }
})
