// Tests that operators create, find, verify, approve and suspend merchants, and that the server refuses members and keys.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'

let world: World
let operator: string
let operator_email: string
before(async () => {
  world = await createWorld()
  const session = await world.newSession('SUPER_ADMIN')
  operator = session.token
  operator_email = session.email
})
after(() => world.close())

const act = (merchant_id: string, verb: string, body?: object) =>
  world.post(`/v1/operator/merchants/${merchant_id}/${verb}`, body ?? {}, { key: operator })
const show = (merchant_id: string) => world.get(`/v1/operator/merchants/${merchant_id}`, operator)
const entries = async (merchant_id: string) =>
  (await world.get(`/v1/operator/audit-log?merchant_id=${merchant_id}`, operator)).body.data.items

async function create(body: object = { name: 'Duka la Neema' }): Promise<string> {
  const made = await world.post('/v1/operator/merchants', body, { key: operator })
  assert.equal(made.status, 201, made.text)
  return made.body.data.id
}

test('a new merchant is PENDING, not verified and not priced, and has live and sandbox books', async () => {
  const { status, body } = await world.post('/v1/operator/merchants', { name: 'Duka la Neema' }, { key: operator })
  assert.equal(status, 201)
  const { id, merchant_code, created_at, updated_at, ...rest } = body.data
  assert.deepEqual(rest, {
    name: 'Duka la Neema',
    email: null,
    status: 'PENDING',
    verified: false,
    priced: false,
    archived_at: null,
  })
  assert.match(merchant_code, /^M[0-9A-Z]{7}$/)
  assert.equal(created_at, updated_at)
  const books = await world.rows(
    'select environment, count(*) as accounts from ledger_accounts where merchant_id = $1 group by 1 order by 1',
    [id],
  )
  assert.deepEqual(books, [
    { environment: 'live', accounts: 6n },
    { environment: 'sandbox', accounts: 6n },
  ])
})

test('the server adds the e-mail address of a new merchant as its administrator', async () => {
  const email = `${randomUUID()}@Example.com`
  const id = await create({ name: 'Duka', email })
  const { members, email: stored } = (await show(id)).body.data
  assert.equal(stored, email.toLowerCase())
  assert.deepEqual(
    members.map((member: { email: string; role: string }) => [member.email, member.role]),
    [[email.toLowerCase(), 'MERCHANT_ADMIN']],
  )
})

test('two requests with one Idempotency-Key make one merchant', async () => {
  const idempotency_key = randomUUID()
  const name = `Mara Moja ${randomUUID()}`
  const send = () => world.post('/v1/operator/merchants', { name }, { key: operator, idempotency_key })
  const [first, second] = [await send(), await send()]
  assert.equal(first.text, second.text)
  assert.equal(second.headers['idempotency-replayed'], 'true')
  const found = await world.get(`/v1/operator/merchants?search=${encodeURIComponent(name)}`, operator)
  assert.equal(found.body.data.pagination.total_items, 1)
})

test('a merchant can make a live key only after operators approve, verify and price the merchant', async () => {
  for (const order of [
    ['approve', 'verify', 'price'],
    ['price', 'verify', 'approve'],
  ]) {
    const id = await create()
    const [merchant] = await world.rows<{ id: string }>('select * from merchants where id = $1', [id])
    for (const step of order) {
      await assert.rejects(world.newKey({ merchant: merchant as never, environment: 'live' }), {
        code: 'production_access_restricted',
      })
      const done =
        step === 'price'
          ? await world.call({
              method: 'PUT',
              url: `/v1/operator/merchants/${id}/pricing`,
              key: operator,
              payload: { rules: [{ flow: 'withdrawal' }] },
            })
          : await act(id, step)
      assert.equal(done.status, 200, done.text)
    }
    assert.match(await world.newKey({ merchant: merchant as never, environment: 'live' }), /_live_/)
    const { status, verified, priced } = (await show(id)).body.data
    assert.deepEqual({ status, verified, priced }, { status: 'ACTIVE', verified: true, priced: true })
  }
})

test('the server permits each move of a merchant from one state only, and answers 409 invalid_state in any other state', async () => {
  const states = {
    PENDING: () => create(),
    ACTIVE: async () => {
      const id = await create()
      await act(id, 'approve')
      return id
    },
    SUSPENDED: async () => {
      const id = await create()
      await act(id, 'approve')
      await act(id, 'suspend')
      return id
    },
  }
  const allowed: Record<string, [string, string]> = {
    approve: ['PENDING', 'ACTIVE'],
    suspend: ['ACTIVE', 'SUSPENDED'],
    reactivate: ['SUSPENDED', 'ACTIVE'],
  }
  for (const [verb, [from, to]] of Object.entries(allowed)) {
    for (const [state, make] of Object.entries(states)) {
      const id = await make()
      const before = (await entries(id)).length
      const { status, body } = await act(id, verb)
      if (state === from) {
        assert.deepEqual([status, body.data.status], [200, to], `${verb} from ${state}`)
        assert.equal((await entries(id)).length, before + 1)
      } else {
        assert.deepEqual([status, body.error.code], [409, 'invalid_state'], `${verb} from ${state}`)
        assert.deepEqual(body.error.details, { status: state })
        assert.equal((await show(id)).body.data.status, state)
        assert.equal((await entries(id)).length, before, 'a refused action leaves no entry')
      }
    }
  }
})

test('of ten simultaneous approvals of one merchant, one approval succeeds and writes one audit entry', async () => {
  const id = await create()
  const answers = await Promise.all(Array.from({ length: 10 }, () => act(id, 'approve')))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  assert.equal((await entries(id)).filter(({ action }: { action: string }) => action === 'merchant.approve').length, 1)
})

test('a repeated verification of a merchant returns the same record and adds no audit entry', async () => {
  const id = await create()
  const first = await act(id, 'verify', { reason: 'BRELA extract seen' })
  world.deps.clock.advance(1000)
  const second = await act(id, 'verify')
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.deepEqual(second.body, first.body)
  const kept = (await entries(id)).filter(({ action }: { action: string }) => action === 'merchant.verify')
  assert.deepEqual(
    kept.map(({ reason }: { reason: string }) => reason),
    ['BRELA extract seen'],
  )
})

test('the audit log shows an action on a merchant with operator, reason, old and new values, request and IP address', async () => {
  const id = await create()
  const { status } = await world.post(
    `/v1/operator/merchants/${id}/approve`,
    { reason: 'Documents complete' },
    { key: operator, headers: { 'x-request-id': 'req-approve-1' } },
  )
  assert.equal(status, 200)
  const [entry] = await entries(id)
  const { at, seq, actor, ...rest } = entry
  assert.deepEqual(rest, {
    merchant_id: id,
    action: 'merchant.approve',
    actor_is_operator: true,
    target_type: 'merchant',
    target_id: id,
    reason: 'Documents complete',
    before: { status: 'PENDING' },
    after: { status: 'ACTIVE' },
    request_id: 'req-approve-1',
    address: '127.0.0.1',
  })
  assert.equal(seq, 2)
  assert.equal(at, world.deps.clock.now().toISOString())
  assert.deepEqual([actor.kind, actor.name], ['operator', operator_email])
})

test('the server accepts a decision about a merchant without a body', async () => {
  const id = await create()
  const done = await world.call({ method: 'POST', url: `/v1/operator/merchants/${id}/approve`, key: operator })
  assert.equal(done.status, 200, done.text)
})

test('the server answers 404 for an unknown merchant and a malformed id', async () => {
  for (const id of [randomUUID(), 'nobody']) {
    for (const answer of [
      await show(id),
      await act(id, 'approve'),
      await act(id, 'verify'),
      await world.get(`/v1/operator/merchants/${id}/pricing`, operator),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'not_found'])
    }
  }
})

test('an operator finds merchants by status, by part of the name and by the start of the code, newest first', async () => {
  const mark = randomUUID()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) {
    ids.unshift(await create({ name: `Soko ${mark} ${i}%` }))
    world.deps.clock.advance(10)
  }
  await act(ids[0] as string, 'approve')
  const find = async (query: string) => {
    const { status, body, text } = await world.get(`/v1/operator/merchants?${query}`, operator)
    assert.equal(status, 200, text)
    return body.data
  }
  const idsOf = (data: { items: { id: string }[] }) => data.items.map(({ id }) => id)
  assert.deepEqual(idsOf(await find(`search=soko%20${mark.toUpperCase()}`)), ids)
  assert.deepEqual(idsOf(await find(`search=${mark}&status=ACTIVE`)), [ids[0]])
  assert.deepEqual(idsOf(await find(`search=${mark}&page=2&page_size=2`)), [ids[2]])
  const code = (await show(ids[1] as string)).body.data.merchant_code
  assert.deepEqual(idsOf(await find(`search=${code.toLowerCase()}`)), [ids[1]])
  // The search treats `%` and `_` as ordinary characters.
  assert.deepEqual(idsOf(await find(`search=${mark}%20_%25`)), [])
  assert.deepEqual(idsOf(await find(`search=${mark}%200%25`)), [ids[2]])
})

test('the server refuses a merchant name without visible characters, and an invalid e-mail address', async () => {
  for (const body of [
    {},
    { name: '' },
    { name: ' \u200b ' },
    { name: 5 },
    { name: 'A\u0000' },
    { name: 'A', email: 'x' },
  ]) {
    const { status, body: answer } = await world.post('/v1/operator/merchants', body, { key: operator })
    assert.deepEqual([status, answer.error.code], [400, 'validation_failed'], JSON.stringify(body))
  }
})

test('the server refuses members and keys on the operator routes of merchants, prices, addresses and the audit log', async () => {
  const { token } = await world.newSession('MERCHANT_ADMIN')
  const id = world.merchant.id
  const routes: ['GET' | 'POST' | 'PUT', string][] = [
    ['GET', '/v1/operator/merchants'],
    ['POST', '/v1/operator/merchants'],
    ['GET', `/v1/operator/merchants/${id}`],
    ['GET', `/v1/operator/merchants/${id}/pricing`],
    ['PUT', `/v1/operator/merchants/${id}/pricing`],
    ...['approve', 'verify', 'suspend', 'reactivate'].map(
      (verb) => ['POST', `/v1/operator/merchants/${id}/${verb}`] as ['POST', string],
    ),
    ['GET', '/v1/operator/ip-addresses'],
    ['POST', `/v1/operator/ip-addresses/${id}/approve`],
    ['POST', `/v1/operator/ip-addresses/${id}/reject`],
    ['GET', '/v1/operator/audit-log'],
  ]
  for (const [method, url] of routes) {
    for (const key of [token, world.live_key, world.sandbox_key]) {
      const { status, body } = await world.call({ method, url, key })
      assert.deepEqual([status, body.error.code], [403, 'insufficient_role'], `${method} ${url}`)
    }
    assert.equal((await world.call({ method, url, key: null })).status, 401)
  }
})
