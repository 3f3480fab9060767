// Tests that the log has an entry for each action even under load, that no entry changes, and that only permitted users read
// the log.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { createTestOperator } from '../../../test/operator.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { MERCHANT_ACTIONS, OPERATOR_ACTIONS } from './actions.ts'
import { checkChains, PLATFORM, recordAudit } from './index.ts'

let world: World
/** A second server process on the same database. */
let other: World
let operator: string
before(async () => {
  world = await createWorld()
  other = await createWorld({ url: world.url })
  operator = (await world.newSession('SUPER_ADMIN')).token
})
after(async () => {
  await other.close()
  await world.close()
})

const ACTOR = { kind: 'command', id: null, name: 'test' } as const
const entry = (merchant_id: string, target_id = '1') => ({
  merchant_id,
  actor: ACTOR,
  action: 'merchant.verify' as const,
  target_type: 'test',
  target_id,
})
const write = (merchant_id: string, target_id?: string, { deps } = world) =>
  inTransaction(deps.db, (tx) => recordAudit(deps, tx, entry(merchant_id, target_id)))
const read = async (query: string, key = operator) => {
  const { status, body, text } = await world.get(`/v1/operator/audit-log?${query}`, key)
  assert.equal(status, 200, text)
  return body.data
}
const seqsOf = (data: { items: { seq: number }[] }) => data.items.map(({ seq }) => seq)

test('100 concurrent actions of two processes on one merchant make one hash chain without a gap', async () => {
  const { id } = await world.newMerchant()
  const rules = [{ flow: 'withdrawal' }]
  const act = async (i: number): Promise<Reply> => {
    const request = {
      method: 'PUT',
      url: `/v1/operator/merchants/${id}/pricing`,
      payload: { rules },
      key: operator,
    } as const
    const answer = await (i % 2 ? world : other).call(request)
    // If a request gets no database connection in time, the server changes nothing and answers 503. So the test repeats the
    // request.
    return answer.status === 503 ? act(i) : answer
  }
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => act(i)))
  for (const { status, text } of answers) assert.equal(status, 200, text)
  assert.deepEqual(
    seqsOf(await read(`merchant_id=${id}&page_size=100`)),
    Array.from({ length: 100 }, (_, i) => 101 - i),
  )
  assert.deepEqual(await checkChains(world.deps.db), [])
})

test('a transaction that rolls back writes no entry to the audit log and leaves no gap', async () => {
  const { id } = await world.newMerchant()
  await write(id, 'kept')
  await assert.rejects(
    inTransaction(world.deps.db, async (tx) => {
      await recordAudit(world.deps, tx, entry(id, 'undone'))
      throw new Error('changed my mind')
    }),
    /changed my mind/,
  )
  await write(id, 'after')
  const { items } = await read(`merchant_id=${id}`)
  assert.deepEqual(
    items.map(({ seq, target_id }: { seq: number; target_id: string }) => [seq, target_id]),
    [
      [3, 'after'],
      [2, 'kept'],
      [1, id],
    ],
  )
  assert.deepEqual(await checkChains(world.deps.db), [])
})

test('the server records an action on one merchant while a transaction records an action on another merchant', async () => {
  const [one, two] = [await world.newMerchant(), await world.newMerchant()]
  await inTransaction(world.deps.db, async (tx) => {
    await recordAudit(world.deps, tx, entry(one.id))
    // If the two chains shared a lock, this write would wait for the outer transaction.
    await write(two.id, '1', other)
  })
})

test('with the rights of the server, the database refuses to change or delete entries of the audit log, or to delete chains', async () => {
  await write(world.merchant.id)
  for (const statement of [
    "update audit_log set actor_name = 'somebody else'",
    'delete from audit_log',
    'truncate audit_log',
    'delete from audit_chains',
    'truncate audit_chains',
  ]) {
    await assert.rejects(world.rows(statement), /permission denied/, statement)
  }
})

test('the audit log returns special characters and empty values unchanged, and the hash chain stays valid', async () => {
  const { id } = await world.newMerchant()
  const after = { name: 'Mama Ñandú "quoted" \\ \u2028 😀', nested: [1.5, null, { z: 1, a: 2 }], text: '\u0000' }
  await inTransaction(world.deps.db, (tx) =>
    recordAudit(world.deps, tx, { ...entry(id), reason: "it's; drop table", before: null, after }),
  )
  await write(id)
  const { items } = await read(`merchant_id=${id}`)
  assert.deepEqual(items[1].after, after)
  assert.deepEqual([items[1].before, items[0].before, items[0].after, items[0].reason], [null, null, null, null])
  assert.deepEqual(await checkChains(world.deps.db), [])
})

test('the server pages the audit log of a merchant, newest entries first', async () => {
  const { id } = await world.newMerchant()
  for (let i = 2; i <= 5; i++) await write(id, String(i))
  const page = await read(`merchant_id=${id}&page=2&page_size=2`)
  assert.deepEqual(seqsOf(page), [3, 2])
  assert.deepEqual(page.pagination, { page: 2, page_size: 2, total_items: 5, total_pages: 3 })
  assert.deepEqual(seqsOf(await read(`merchant_id=${id}&page=3&page_size=2`)), [1])
  assert.deepEqual(seqsOf(await read(`merchant_id=${id}&page=4&page_size=2`)), [])
  assert.deepEqual(seqsOf(await read(`merchant_id=${randomUUID()}`)), [])
})

test('an operator reads the newest actions of all merchants and of the platform in one list', async () => {
  const merchants = await Promise.all(Array.from({ length: 4 }, () => world.newMerchant()))
  const chains = [...merchants.map(({ id }) => id), PLATFORM]
  const written: string[] = []
  for (let i = 0; i < 20; i++) {
    world.deps.clock.advance(1)
    const target = `act ${i}`
    // Some merchants have many entries and other merchants few, so the newest entries are unevenly distributed over the chains.
    await write(chains[i % 7 < 3 ? 0 : i % chains.length] as string, target)
    written.unshift(target)
  }
  const targets = (data: { items: { target_id: string }[] }) => data.items.map(({ target_id }) => target_id)
  assert.deepEqual(targets(await read('page_size=12')), written.slice(0, 12))
  assert.deepEqual(targets(await read('page=2&page_size=7')), written.slice(7, 14))
  const platform = await read('scope=platform')
  assert.ok(platform.items.length > 0)
  for (const { merchant_id } of platform.items) assert.equal(merchant_id, null)
  const both = await world.get(`/v1/operator/audit-log?scope=platform&merchant_id=${merchants[0]?.id}`, operator)
  assert.equal(both.status, 400)
})

test('the list of all chains shows RECENT_MAX actions at most, and its total stops at the same number', async () => {
  const { id } = await world.newMerchant()
  await inTransaction(world.deps.db, async (tx) => {
    for (let i = 0; i < 1010; i++) await recordAudit(world.deps, tx, entry(id, String(i)))
  })
  const last = await read('page=5&page_size=100')
  assert.deepEqual([last.items.length, last.pagination.total_items, last.pagination.total_pages], [100, 500, 5])
  assert.equal((await read('page=6&page_size=100')).items.length, 0)
  assert.equal((await read(`merchant_id=${id}&page=11&page_size=100`)).items.length, 11)
  assert.deepEqual(await checkChains(world.deps.db), [], 'a chain longer than one batch is valid')
})

test("a merchant reads the actions of operators, but not the operator's name, address and reason", async () => {
  const merchant = await world.newMerchant()
  const { token, email } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  await world.post('/v1/merchant/members', { email: 'new@example.com', role: 'VIEWER' }, { key: token })
  await world.post(`/v1/operator/merchants/${merchant.id}/suspend`, { reason: 'Suspicion' }, { key: operator })
  const { items } = (await world.get('/v1/merchant/audit-log', token)).body.data
  assert.deepEqual(
    items.map(({ action, actor, reason, address }: Record<string, unknown>) => ({ action, actor, reason, address })),
    [
      {
        action: 'merchant.suspend',
        actor: { kind: 'operator', id: null, name: 'operator' },
        reason: null,
        address: null,
      },
      {
        action: 'member.invite',
        actor: { kind: 'user', id: items[1].actor.id, name: email },
        reason: null,
        address: '127.0.0.1',
      },
      { action: 'merchant.create', actor: { kind: 'command', id: null, name: 'admin' }, reason: null, address: null },
    ],
  )
  assert.equal(items[0].request_id, null)
})

test('a merchant reads only the audit log of that merchant', async () => {
  const [mine, theirs] = [await world.newMerchant(), await world.newMerchant()]
  await write(theirs.id)
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: mine }])
  assert.equal((await world.get('/v1/merchant/audit-log', token)).body.data.pagination.total_items, 1)
  const foreign = await world.get(`/v1/merchant/audit-log?merchant_id=${theirs.id}`, token)
  assert.equal(foreign.body.error.code, 'merchant_mismatch')
})

test('a merchant sees no entry, no count and no gap for name checks and first approvals of operators', async () => {
  const careful = await createWorld({ url: world.url, env: { FOUR_EYES_AMOUNT: '5000' } })
  try {
    const [asha, juma] = [await createTestOperator(careful), await createTestOperator(careful)]
    const shop = await asha.shop('1000000')
    const id = await asha.submit(shop)
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: shop.merchant }])
    const log = async (query = '') => (await world.get(`/v1/merchant/audit-log?${query}`, token)).body.data
    const before = await log()
    const named = await careful.post(
      `/v1/operator/withdrawals/${id}/name-check`,
      {},
      { key: await asha.session(), idempotency_key: null },
    )
    assert.equal(named.status, 200, named.text)
    assert.equal((await asha.act(id, 'approve', { reason: 'Seen their shop' })).status, 200)
    assert.deepEqual(await log(), before)
    assert.equal((await juma.act(id, 'approve', { reason: 'I agree' })).body.data.status, 'PROCESSING')
    const { items, pagination } = await log('page_size=100')
    assert.equal(items[0].action, 'withdrawal.approve')
    assert.equal(pagination.total_items, before.pagination.total_items + 1)
    assert.equal(items.length, pagination.total_items)
    const pages = [...(await log('page_size=2')).items, ...(await log('page_size=2&page=2')).items]
    assert.deepEqual(pages, items.slice(0, 4))
    assert.ok(
      items.every((entry: object) => !('seq' in entry)),
      'a number in the chain would count hidden entries',
    )
    assert.doesNotMatch(JSON.stringify(items), /first_approve|name_check|Seen their shop|I agree/)
    const all = await careful.get(`/v1/operator/audit-log?merchant_id=${shop.merchant.id}`, await asha.session())
    // The four hidden entries: the check of the name, the first approval, and the first approvals of the two opening balances.
    assert.equal(all.body.data.pagination.total_items, pagination.total_items + 4, 'operators read all entries')
  } finally {
    await careful.close()
  }
})

test('the two lists of actions name every action that the code records', () => {
  const folder = new URL('../../', import.meta.url)
  const known = new Set<string>([...MERCHANT_ACTIONS, ...OPERATOR_ACTIONS])
  assert.equal(known.size, MERCHANT_ACTIONS.length + OPERATOR_ACTIONS.length, 'each action is in one list, once')
  const found = new Set<string>()
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts') || file === 'books/audit/actions.ts') continue
    const text = readFileSync(new URL(file, folder), 'utf8')
    for (const [, action] of text.matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g)) found.add(action as string)
  }
  assert.ok(found.size > 20, `the test found only ${found.size} actions`)
  assert.deepEqual(
    [...found].filter((action) => !known.has(action)),
    [],
  )
})
