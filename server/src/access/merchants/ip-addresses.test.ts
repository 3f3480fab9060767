// Tests the IP allowlist: the roles that may add an entry, and the refusal of a restricted live key from other addresses.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, testDeps, type World } from '../../../test/harness.ts'
import type { Role } from '../../kernel/http/index.ts'
import { compose } from '../../system.ts'

const ADDRESSES = '/v1/merchant/ip-addresses'
const PROXY = '10.0.0.9'

let world: World
let admin: string
before(async () => {
  world = await createWorld({ env: { TRUST_PROXY: `${PROXY}, fd00::/16` } })
  admin = (await world.newSession('MERCHANT_ADMIN')).token
})
after(() => world.close())

const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']
const add = (body: object, options: Parameters<World['post']>[2] = {}) =>
  world.post(ADDRESSES, { label: 'Office', environment: 'live', ...body }, { key: admin, ...options })
const remove = (id: string, key = admin, idempotency_key: string | null = null) =>
  world.call({ method: 'DELETE', url: `${ADDRESSES}/${id}`, key, idempotency_key })

/** Writes the decision of an operator to the database without the API. */
const decide = (id: string, status: 'APPROVED' | 'REJECTED') =>
  world.rows('update ip_addresses set status = $2, decided_at = $3 where id = $1', [id, status, new Date()])

/**
 * Adds two addresses concurrently: the second request begins before the first one has inserted its row. Returns the sorted
 * statuses.
 */
async function atOnce(key: string, addresses: [string, string]): Promise<number[]> {
  let writing = 0
  const waits = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const deps = testDeps(world.url, {
    before: async (statement) => {
      if (statement !== 'ip_addresses_insert' || ++writing > 1) return
      while (writing < 2 && (await world.rows(waits)).length === 0);
    },
  })
  const system = await compose(deps)
  try {
    const replies = addresses.map((address) =>
      system.app.inject({
        method: 'POST',
        url: ADDRESSES,
        headers: { authorization: `Bearer ${key}` },
        payload: { label: 'Office', address },
      }),
    )
    return (await Promise.all(replies)).map(({ statusCode }) => statusCode).sort()
  } finally {
    await system.app.close()
    await system.close()
    await deps.close()
  }
}

/** Creates a merchant with approved addresses, and a live key that works only from them. */
async function boundMerchant(...approved: string[]) {
  const merchant = await world.newMerchant()
  const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  for (const address of approved) await decide((await add({ address }, { key: token })).body.data.id, 'APPROVED')
  const body = { name: 'Bound', scopes: ['transactions:read'], ip_whitelist_enabled: true }
  const live = await world.post('/v1/merchant/api-keys', { ...body, environment: 'live' }, { key: token })
  const sandbox = await world.post('/v1/merchant/api-keys', { ...body, environment: 'sandbox' }, { key: token })
  return { merchant, token, live: live.body.data, sandbox: sandbox.body.data }
}

const callFrom = (remoteAddress: string, key: string, headers: Record<string, string> = {}) =>
  world.call({ method: 'GET', url: '/v1/balance', key, remoteAddress, headers })

describe('entries of the allowlist', () => {
  test('a new entry of the allowlist is PENDING and in the list, and a member can remove the entry', async () => {
    const reply = await add({ address: '::ffff:203.0.113.1', label: 'Head office' })
    assert.equal(reply.status, 201)
    const { id, created_at, ...rest } = reply.body.data
    assert.deepEqual(rest, {
      merchant_id: world.merchant.id,
      label: 'Head office',
      address: '203.0.113.1',
      environment: 'live',
      status: 'PENDING',
      reason: null,
      decided_at: null,
    })
    assert.equal(created_at, world.deps.clock.now().toISOString())
    const listed = async () =>
      (await world.get(ADDRESSES, admin)).body.data.items.map((item: { id: string }) => item.id)
    assert.ok((await listed()).includes(id))
    const removed = await remove(id)
    assert.deepEqual([removed.status, removed.body.data], [200, reply.body.data])
    assert.ok(!(await listed()).includes(id))
    assert.deepEqual(codeOf(await remove(id)), [404, 'not_found'])
  })

  test('the list shows the newest entries of the allowlist first, and entries of both environments without a filter', async () => {
    const merchant = await world.newMerchant()
    const { token: key } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    const made: string[] = []
    for (const [address, environment] of [
      ['203.0.113.1', 'live'],
      ['203.0.113.1', 'sandbox'],
      ['2001:db8::/48', 'live'],
    ]) {
      world.deps.clock.advance(1)
      made.unshift((await add({ address, environment }, { key })).body.data.id)
    }
    await decide(made[2] as string, 'APPROVED')
    const ids = async (query: string) =>
      (await world.get(`${ADDRESSES}${query}`, key)).body.data.items.map((item: { id: string }) => item.id)
    assert.deepEqual(await ids(''), made)
    assert.deepEqual(await ids('?environment=live'), [made[0], made[2]])
    assert.deepEqual(await ids('?status=APPROVED'), [made[2]])
    assert.deepEqual(await ids('?page=2&page_size=2'), [made[2]])
  })

  test('the server adds an allowlist entry to the live environment when the request names no environment', async () => {
    const merchant = await world.newMerchant()
    const { token: key } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    const body = { label: 'Office', address: '203.0.113.1' }
    assert.equal((await world.post(ADDRESSES, body, { key })).body.data.environment, 'live')
    const there = await world.post(`${ADDRESSES}?environment=sandbox`, body, { key })
    assert.equal(there.body.data.environment, 'sandbox')
  })

  test('administrators and developers can change the allowlist, every role can read the list, and the server refuses API keys', async () => {
    for (const [role, writes] of [
      ['MERCHANT_ADMIN', 201],
      ['DEVELOPER', 201],
      ['FINANCE', 403],
      ['VIEWER', 403],
    ] as [Role, number][]) {
      const { token } = await world.newSession(role)
      const made = await add({ address: `198.51.100.${writes === 201 ? role.length : 1}` }, { key: token })
      assert.equal(made.status, writes, role)
      assert.equal((await world.get(ADDRESSES, token)).status, 200, role)
      assert.equal((await remove(made.body.data?.id ?? randomUUID(), token)).status, writes === 201 ? 200 : 403, role)
    }
    assert.deepEqual(codeOf(await world.get(ADDRESSES)), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await add({ address: '198.51.100.9' }, { key: world.live_key })), [
      403,
      'insufficient_role',
    ])
  })

  test('the refusal of a new entry names the wrong field of the body', async () => {
    for (const [body, field, message = /./] of [
      [{ address: '203.0.113.7/24' }, 'address', /send 203\.0\.113\.0\/24 or 203\.0\.113\.7/],
      [{ address: '0.0.0.0/0' }, 'address', /too wide/],
      [{ address: 'my office' }, 'address', /IPv4 or IPv6/],
      [{}, 'address'],
      [{ address: 7 }, 'address'],
      [{ address: '203.0.113.7', label: '' }, 'label'],
      [{ address: '203.0.113.7', label: undefined }, 'label'],
      [{ address: '203.0.113.7', label: 'a\nb' }, 'label'],
      [{ address: '203.0.113.7', environment: 'test' }, 'environment'],
    ] as [object, string, RegExp?][]) {
      const reply = await add(body)
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(body))
      const [problem] = reply.body.error.details.fields
      assert.equal(problem.field, field)
      assert.match(problem.message, message)
    }
  })

  test('the server answers 409 to a duplicate address in three spellings, and accepts a rejected address after the removal of its entry', async () => {
    const { id } = (await add({ address: '203.0.113.77' })).body.data
    for (const address of ['203.0.113.77', '203.0.113.77/32', '::ffff:203.0.113.77']) {
      assert.deepEqual(codeOf(await add({ address })), [409, 'invalid_state'], address)
    }
    const both = await atOnce(admin, ['203.0.113.78', '203.0.113.78'])
    assert.deepEqual(both, [201, 409])
    assert.equal((await add({ address: '203.0.113.77', environment: 'sandbox' })).status, 201)
    await decide(id, 'REJECTED')
    assert.match((await add({ address: '203.0.113.77' })).body.error.message, /REJECTED. Remove the entry first/)
    await remove(id)
    assert.equal((await add({ address: '203.0.113.77' })).body.data.status, 'PENDING')
  })

  test('a merchant has at most a hundred entries, even when two requests add an entry at the same time', async () => {
    const merchant = await world.newMerchant()
    const { token: key } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    for (let i = 0; i < 99; i++) {
      await world.rows(
        `insert into ip_addresses (merchant_id, id, label, address, environment, status, created_at)
         values ($1, $2, 'x', $3, 'live', 'PENDING', $4)`,
        [merchant.id, randomUUID(), `198.51.100.${i}/32`, new Date()],
      )
    }
    assert.deepEqual(await atOnce(key, ['203.0.113.1', '203.0.113.2']), [201, 409])
    const refused = await add({ address: '203.0.113.99' }, { key })
    assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
    assert.match(refused.body.error.message, /100/)
  })

  test("the server answers 404 to a request about another merchant's entry of the allowlist", async () => {
    const { id } = (await add({ address: '203.0.113.90' })).body.data
    const merchant = await world.newMerchant()
    const { token } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
    assert.deepEqual(codeOf(await remove(id, token)), [404, 'not_found'])
    assert.deepEqual(codeOf(await remove('no-id', token)), [404, 'not_found'])
    assert.equal((await world.get(ADDRESSES, token)).body.data.pagination.total_items, 0)
  })

  test('the server adds and removes an entry once for repeated requests with one Idempotency-Key', async () => {
    const idempotency_key = randomUUID()
    const first = await add({ address: '203.0.113.91' }, { idempotency_key })
    const again = await add({ address: '203.0.113.91' }, { idempotency_key })
    assert.deepEqual([again.status, again.text], [201, first.text])
    const removal = randomUUID()
    const removed = await remove(first.body.data.id, admin, removal)
    const repeated = await remove(first.body.data.id, admin, removal)
    assert.deepEqual([repeated.status, repeated.text], [200, removed.text])
  })

  test('the audit log has an entry for each added and each removed address of the allowlist', async () => {
    const { token, email, user_id } = await world.newSession('DEVELOPER')
    const made = (await add({ address: '203.0.113.92' }, { key: token })).body.data
    await remove(made.id, token)
    const entries = await world.rows(
      'select action, actor_id, actor_name, before, after from audit_log where target_id = $1 order by seq',
      [made.id],
    )
    assert.deepEqual(entries, [
      { action: 'ip_address.create', actor_id: user_id, actor_name: email, before: null, after: made },
      { action: 'ip_address.delete', actor_id: user_id, actor_name: email, before: made, after: null },
    ])
  })
})

describe('live keys bound to approved addresses', () => {
  test('the server accepts a bound live key from approved addresses and networks, and refuses every other address', async () => {
    const { live } = await boundMerchant('203.0.113.7', '198.51.100.0/24', '2001:db8:1::/48')
    const key = live.plaintext_key
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '198.51.100.0', '198.51.100.255', '2001:db8:1:2::3']) {
      assert.equal((await callFrom(address, key)).status, 200, address)
    }
    for (const address of ['203.0.113.8', '198.51.101.0', '::ffff:203.0.113.8', '2001:db8:2::1', '::1', '127.0.0.1']) {
      assert.deepEqual(codeOf(await callFrom(address, key)), [403, 'forbidden'], address)
    }
  })

  test('the refusal of a bound live key reveals no entry of the allowlist, and comes before the check of the scope', async () => {
    const { live } = await boundMerchant('203.0.113.7')
    const refused = await callFrom('192.0.2.1', live.plaintext_key)
    assert.deepEqual(refused.body, {
      success: false,
      error: {
        code: 'forbidden',
        message: 'The server does not allow this request. For a live key, check the addresses that may use the key.',
        details: null,
      },
    })
    const without_scope = { method: 'GET', url: '/v1/collections', key: live.plaintext_key } as const
    const there = await world.call({ ...without_scope, remoteAddress: '192.0.2.1' })
    assert.equal(there.text, refused.text)
    const here = await world.call({ ...without_scope, remoteAddress: '203.0.113.7' })
    assert.deepEqual(codeOf(here), [403, 'insufficient_scope'])
  })

  test('the log has one line for each refused use of a bound live key, with merchant, key id and address, and without the key', async () => {
    const { merchant, live } = await boundMerchant()
    world.deps.logged.length = 0
    await callFrom('192.0.2.44', live.plaintext_key)
    const lines = world.deps.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
    assert.equal(lines.length, 1)
    assert.deepEqual([lines[0].merchant_id, lines[0].key_id, lines[0].address], [merchant.id, live.id, '192.0.2.44'])
    const all = world.deps.logged.join('')
    assert.ok(!all.includes(live.plaintext_key) && !all.includes(live.plaintext_key.slice(-10)))
  })

  test('an entry allows requests only when the entry is approved, is for live, and has the merchant of the key', async () => {
    const from = '203.0.113.50'
    const other = await boundMerchant(from)
    const { live, token } = await boundMerchant()
    const key = live.plaintext_key
    assert.equal((await callFrom(from, other.live.plaintext_key)).status, 200)
    assert.equal((await callFrom(from, key)).status, 403, 'no entry')
    const { id } = (await add({ address: from }, { key: token })).body.data
    assert.equal((await callFrom(from, key)).status, 403, 'pending')
    await decide(id, 'REJECTED')
    assert.equal((await callFrom(from, key)).status, 403, 'rejected')
    const sandbox = await add({ address: from, environment: 'sandbox' }, { key: token })
    await decide(sandbox.body.data.id, 'APPROVED')
    assert.equal((await callFrom(from, key)).status, 403, 'approved for the sandbox')
    await decide(id, 'APPROVED')
    assert.equal((await callFrom(from, key)).status, 200, 'approved')
  })

  test('another process applies the approval or the removal of an entry on the next request', async () => {
    const from = '203.0.113.60'
    const { live, token } = await boundMerchant()
    const other = testDeps(world.url)
    const system = await compose(other)
    const there = async () => {
      const headers = { 'x-api-key': live.plaintext_key }
      return (await system.app.inject({ url: '/v1/balance', headers, remoteAddress: from })).statusCode
    }
    try {
      assert.equal(await there(), 403)
      const { id } = (await add({ address: from }, { key: token })).body.data
      await decide(id, 'APPROVED')
      assert.equal(await there(), 200)
      await remove(id, token)
      assert.equal(await there(), 403)
    } finally {
      await system.app.close()
      await system.close()
      await other.close()
    }
  })

  test('the server applies the allowlist to no sandbox key, no unbound live key and no session', async () => {
    const { sandbox, token } = await boundMerchant()
    assert.equal((await callFrom('192.0.2.1', sandbox.plaintext_key)).status, 200)
    assert.equal((await callFrom('192.0.2.1', world.live_key)).status, 200)
    const signed_in = { method: 'GET', url: '/v1/merchant/balance', key: token, remoteAddress: '192.0.2.1' } as const
    assert.equal((await world.call(signed_in)).status, 200)
  })

  test('the server checks the address of each request when many requests arrive at the same time', async () => {
    const merchants = await Promise.all(['203.0.113.1', '203.0.113.2', '203.0.113.3'].map((one) => boundMerchant(one)))
    const calls = Array.from({ length: 90 }, (_, i) => ({ who: i % 3, from: ((i / 3) | 0) % 3 }))
    const replies = await Promise.all(
      calls.map(({ who, from }) =>
        callFrom(`203.0.113.${from + 1}`, (merchants[who] as (typeof merchants)[0]).live.plaintext_key),
      ),
    )
    for (const [i, { who, from }] of calls.entries()) assert.equal(replies[i]?.status, who === from ? 200 : 403)
  })
})

describe('addresses of callers behind proxies', () => {
  const FROM = '203.0.113.7'
  let key: string
  before(async () => {
    key = (await boundMerchant(FROM, '2001:db8:7::7')).live.plaintext_key
  })
  const outcome = async (peer: string, forwarded: string) =>
    (await callFrom(peer, key, { 'x-forwarded-for': forwarded })).status

  test('the server uses the address of the connection when a client that is no trusted proxy sends X-Forwarded-For', async () => {
    assert.equal(await outcome('192.0.2.1', FROM), 403)
    assert.equal(await outcome('192.0.2.1', `${FROM}, ${PROXY}`), 403)
    assert.equal(await outcome(FROM, '192.0.2.1'), 200)
  })

  test('the server uses the last address that no trusted proxy wrote when the connection comes from a trusted proxy', async () => {
    assert.equal(await outcome(PROXY, FROM), 200)
    assert.equal(await outcome(PROXY, '192.0.2.1'), 403)
    assert.equal(await outcome(PROXY, `192.0.2.1, ${FROM}`), 200)
    // The client wrote the first address of the header, so the server ignores that address.
    assert.equal(await outcome(PROXY, `${FROM}, 192.0.2.1`), 403)
    assert.equal(await outcome(PROXY, `${FROM}, fd00::5`), 200)
    assert.equal(await outcome(PROXY, `192.0.2.1, ${FROM}, fd00::5, ${PROXY}`), 200)
    assert.equal(await outcome(PROXY, `${FROM}, 192.0.2.1, fd00::5`), 403)
  })

  test('the server matches IPv6 addresses, and IPv4 addresses that are mapped into IPv6, with the allowlist and with TRUST_PROXY', async () => {
    assert.equal(await outcome(`::ffff:${PROXY}`, FROM), 200)
    assert.equal(await outcome('fd00::1', FROM), 200)
    assert.equal(await outcome('fd01::1', FROM), 403)
    assert.equal(await outcome(PROXY, `::ffff:${FROM}`), 200)
    assert.equal(await outcome(PROXY, '2001:0db8:0007::7'), 200)
    assert.equal(await outcome(PROXY, '2001:db8:7::8'), 403)
  })

  test('a forwarded address that is invalid matches no entry of the allowlist', async () => {
    for (const text of ['unknown', 'a'.repeat(2000), `${FROM}:443`, `${FROM}/32`, '0313.0.0161.7', "';--"]) {
      assert.equal(await outcome(PROXY, `${FROM}, ${text}`), 403, text)
    }
  })

  test('the server ignores forwarded addresses when TRUST_PROXY is not set', async () => {
    const deps = testDeps(world.url)
    const system = await compose(deps)
    try {
      const headers = { 'x-api-key': key, 'x-forwarded-for': FROM }
      const there = (remoteAddress: string) => system.app.inject({ url: '/v1/balance', headers, remoteAddress })
      assert.equal((await there(PROXY)).statusCode, 403)
      assert.equal((await there('127.0.0.1')).statusCode, 403)
      assert.equal((await there(FROM)).statusCode, 200)
    } finally {
      await system.app.close()
      await system.close()
      await deps.close()
    }
  })
})
