// Tests requests that wait while another transaction removes the caller, demotes the caller, or revokes the caller's key.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { workBeforeCommit } from '../../../test/running-change.ts'
import { recordAudit } from '../../books/audit/index.ts'
import { sql, type Tx } from '../../kernel/db/index.ts'
import { insertKey, lockKey, revokeKeysOf, revokeLocked } from '../api-keys/index.ts'
import { setMember } from './index.ts'
import { removeIpAddress } from './ip-addresses.ts'
import { changeRole, removeMember } from './members.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const ACT = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null } as const
const LOCK_MERCHANT = sql('', 'select 1 from merchants where id = $1 for no key update')
const ONE_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const NO_SERVER = 'http://127.0.0.1:9/hook'

type Team = Awaited<ReturnType<typeof newTeam>>

/** Creates a merchant with two administrators, a viewer, two API keys, a webhook, an endpoint, a delivery and an IP address. */
async function newTeam() {
  const merchant = await world.newMerchant()
  const { token: admin, user_id: admin_id } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  const { token, user_id } = await world.newSession([{ role: 'MERCHANT_ADMIN', merchant }])
  await world.newSession([{ role: 'VIEWER', merchant }])
  const members = await world.rows<{ id: string; user_id: string; role: string }>(
    'select id, user_id, role from members where merchant_id = $1',
    [merchant.id],
  )
  const memberOf = (id: string) => members.find((member) => member.user_id === id)?.id ?? ''
  const scopes = ['webhooks:manage']
  const insert = (name: string, created_by_id: string) => {
    const key = { merchant_id: merchant.id, environment: 'sandbox', scopes, name, created_by_id } as const
    return world.deps.db.transaction((tx) => insertKey(world.deps, tx, key, 0))
  }
  const { record } = await insert('Ours', admin_id)
  const theirs = await insert('Theirs', user_id)
  const made = async (reply: Promise<Reply>) => {
    const { status, text, body } = await reply
    assert.ok(status < 300, text)
    return body.data.id as string
  }
  const payload = { webhook_url: NO_SERVER, environment: 'sandbox' }
  await made(world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', key: admin, payload }))
  const endpoint_id = await made(world.post('/v1/merchant/webhook-endpoints', payload, { key: admin }))
  const tested = `/v1/merchant/webhook-endpoints/${endpoint_id}/test?environment=sandbox`
  const delivery_id = await made(world.post(tested, {}, { key: admin }))
  // The delivery waits for its retry.
  const retry = `update webhook_deliveries set attempts = 1, due_at = due_at + interval '1 hour'`
  await world.rows(`${retry} where merchant_id = $1 and id = $2`, [merchant.id, delivery_id])
  const address = { label: 'Server', address: '196.41.32.7' }
  const address_id = await made(world.post('/v1/merchant/ip-addresses', address, { key: admin }))
  const recipient = { method: 'MOBILE_MONEY', destination_code: 'MPESA', destination_identifier: '0754123001' }
  const named = { ...recipient, destination_name: 'Neema Mushi' }
  const recipient_id = await made(world.post('/v1/merchant/recipients', named, { key: admin }))
  const invitation = { email: `${randomUUID()}@example.com`, role: 'VIEWER' }
  const invited_id = await made(world.post('/v1/merchant/members', invitation, { key: admin }))
  const viewer_id = members.find(({ role }) => role === 'VIEWER')?.id ?? ''
  const ids = {
    viewer_id,
    invited_id,
    member_id: memberOf(user_id),
    admin_member_id: memberOf(admin_id),
    key_id: record.id,
  }
  const { record: their_key, plaintext_key } = theirs
  return {
    ...ids,
    merchant,
    user_id,
    token,
    their_key,
    plaintext_key,
    endpoint_id,
    delivery_id,
    address_id,
    recipient_id,
  }
}

/** Removes the second administrator, as the first one does. */
const remove =
  ({ merchant, member_id }: Team) =>
  (tx: Tx) => {
    const by = { user_id: randomUUID(), role: 'MERCHANT_ADMIN' } as const
    return removeMember(world.deps, tx, ACT, { merchant_id: merchant.id, member_id, by, keep: [] }, revokeKeysOf)
  }

const demote =
  ({ merchant, member_id }: Team) =>
  (tx: Tx) =>
    changeRole(world.deps, tx, ACT, { merchant_id: merchant.id, member_id, role: 'VIEWER' })

/** Revokes the key of the second administrator, as the admin command does. */
const revoke =
  ({ merchant, their_key }: Team) =>
  async (tx: Tx) => {
    const { id: merchant_id } = merchant
    await revokeLocked(world.deps, tx, await lockKey(tx, merchant_id, their_key.id))
    const target = { target_type: 'api_key', target_id: their_key.id }
    await recordAudit(world.deps, tx, { ...ACT, merchant_id, action: 'api_key.revoke', ...target })
  }

/** The rows that the tested requests write. The removal itself changes none of these rows. */
async function rowsOf({ merchant, member_id, user_id }: Team) {
  const read = (text: string, ...more: string[]) => world.rows(text, [merchant.id, ...more])
  return {
    members: await read('select id, role from members where merchant_id = $1 and id <> $2 order by id', member_id),
    keys: await read(
      'select id, revoked_at from api_keys where merchant_id = $1 and created_by_id is distinct from $2 order by id',
      user_id,
    ),
    endpoints: await read('select * from webhook_configs where merchant_id = $1 order by environment, id'),
    deliveries: await read(
      'select id, status, attempts, due_at from webhook_deliveries where merchant_id = $1 order by id',
    ),
    addresses: await read('select id, status from ip_addresses where merchant_id = $1 order by id'),
    recipients: await read('select id, label, name_check from saved_recipients where merchant_id = $1 order by id'),
    settings: await read('select second_factor_required, support_email, logo_hash from merchants where id = $1'),
    audited: await read('select seq, action from audit_log where merchant_id = $1 and actor_id = $2', user_id),
    answers: await read('select key from idempotency_keys where merchant_id = $1'),
  }
}

const NEW_KEY = { name: 'Late', environment: 'sandbox', scopes: ['transactions:read'] }

const patch = (url: string, payload: object) => (key: string) => world.call({ method: 'PATCH', url, payload, key })
const post = (url: string, body: object) => (key: string) =>
  world.post(url, body, { key, idempotency_key: randomUUID() })
const erase = (url: string) => (key: string) => world.call({ method: 'DELETE', url, key })

/** The requests that give access, take access, or send stored data, for an administrator of the team. */
const CHANGES: Record<string, (team: Team) => (key: string) => Promise<Reply>> = {
  'a new API key': () => post('/v1/merchant/api-keys', NEW_KEY),
  'a new API key of a named merchant': ({ merchant }) => post(`/v1/merchants/${merchant.id}/api-keys`, NEW_KEY),
  'a rotation of an API key': ({ key_id }) => post(`/v1/merchant/api-keys/${key_id}/rotate`, {}),
  'a revocation of an API key': ({ key_id }) => patch(`/v1/merchant/api-keys/${key_id}/revoke`, {}),
  'an invitation': () => post('/v1/merchant/members', { email: `${randomUUID()}@example.com`, role: 'VIEWER' }),
  'a repeated invitation': ({ invited_id }) => post(`/v1/merchant/members/${invited_id}/invitation`, {}),
  'a change of a role': ({ viewer_id }) => patch(`/v1/merchant/members/${viewer_id}`, { role: 'DEVELOPER' }),
  'a removal of a member': ({ viewer_id }) => erase(`/v1/merchant/members/${viewer_id}`),
  'a removal of the administrator': ({ admin_member_id }) => erase(`/v1/merchant/members/${admin_member_id}`),
  'a change of the security settings': () => patch('/v1/merchant/security', { second_factor_required: true }),
  'a new IP address': () => post('/v1/merchant/ip-addresses', { label: 'Late', address: '196.41.32.8' }),
  'a removal of an IP address': ({ address_id }) => erase(`/v1/merchant/ip-addresses/${address_id}`),
  'a new saved recipient': () =>
    post('/v1/merchant/recipients', {
      ...{ method: 'MOBILE_MONEY', destination_code: 'MPESA' },
      ...{ destination_identifier: '0754123002', destination_name: 'Late' },
    }),
  'a new label of a saved recipient': ({ recipient_id }) =>
    patch(`/v1/merchant/recipients/${recipient_id}`, { label: 'Late' }),
  'a check of the name of a saved recipient': ({ recipient_id }) =>
    post(`/v1/merchant/recipients/${recipient_id}/name-check`, {}),
  'a removal of a saved recipient': ({ recipient_id }) => erase(`/v1/merchant/recipients/${recipient_id}`),
  'a change of the contact that payers see': () => patch('/v1/merchant/profile', { support_email: 'late@example.com' }),
  'a new logo': () => (key) =>
    world.call({ method: 'PUT', url: '/v1/merchant/logo', payload: { png: ONE_PIXEL }, key }),
  'a removal of the logo': () => erase('/v1/merchant/logo'),
}

/** The requests about webhooks, which an API key may also make. */
const WEBHOOKS: typeof CHANGES = {
  'a change of the default webhook endpoint': () =>
    patch('/v1/merchant/webhook-config', { webhook_url: `${NO_SERVER}/late` }),
  'a new webhook endpoint': () => post('/v1/merchant/webhook-endpoints', { webhook_url: `${NO_SERVER}/late` }),
  'a new webhook secret': ({ endpoint_id }) =>
    patch(`/v1/merchant/webhook-endpoints/${endpoint_id}`, { rotate_secret: true }),
  'a deletion of a webhook endpoint': ({ endpoint_id }) => erase(`/v1/merchant/webhook-endpoints/${endpoint_id}`),
  'a test of the default webhook endpoint': () => post('/v1/merchant/webhook-config/test?environment=sandbox', {}),
  'a test of a webhook endpoint': ({ endpoint_id }) =>
    post(`/v1/merchant/webhook-endpoints/${endpoint_id}/test?environment=sandbox`, {}),
  'a replay of a webhook delivery': ({ delivery_id }) =>
    post(`/v1/merchant/webhook-deliveries/${delivery_id}/replay?environment=sandbox`, {}),
  'a replay of webhook deliveries since a time': () =>
    post('/v1/merchant/webhook-deliveries/replay?environment=sandbox', {
      since: new Date(world.deps.clock.now().getTime() - 3_600_000).toISOString(),
    }),
}

/** Starts the request of the second administrator during `change`. The server must refuse it, and it must leave no rows. */
async function refusesDuring(
  change: (team: Team) => (tx: Tx) => Promise<unknown>,
  request: (team: Team) => (key: string) => Promise<Reply>,
  expected: [status: number, code: string],
  credential: 'token' | 'plaintext_key' = 'token',
) {
  const team = await newTeam()
  world.deps.clock.advance(1_000)
  const earlier = await rowsOf(team)
  const reply = await workBeforeCommit(world, change(team), () => request(team)(team[credential]))
  assert.deepEqual([reply.status, reply.body.error?.code], expected, reply.text)
  assert.deepEqual(await rowsOf(team), earlier)
}

describe('the server refuses a request that waits while another transaction removes the calling member', () => {
  for (const [name, request] of Object.entries({ ...CHANGES, ...WEBHOOKS }))
    test(name, () => refusesDuring(remove, request, [403, 'insufficient_role']))
})

describe('the server refuses a request of an API key that waits while another transaction removes the maker of the key', () => {
  for (const [name, request] of Object.entries(WEBHOOKS))
    test(name, () => refusesDuring(remove, request, [401, 'api_key_revoked'], 'plaintext_key'))
})

describe('the server refuses a request of an API key that waits while another transaction revokes the key', () => {
  for (const [name, request] of Object.entries(WEBHOOKS))
    test(name, () => refusesDuring(revoke, request, [401, 'api_key_revoked'], 'plaintext_key'))
})

describe('the server refuses a request that waits while another transaction demotes the calling member', () => {
  for (const [name, request] of Object.entries({ ...CHANGES, ...WEBHOOKS }))
    test(name, () => refusesDuring(demote, request, [403, 'insufficient_role']))
})

test('the server refuses a live key whose request waits while another transaction removes its IP address', async () => {
  const { merchant, token, address_id } = await newTeam()
  await world.rows(`update ip_addresses set status = 'APPROVED', decided_at = created_at where merchant_id = $1`, [
    merchant.id,
  ])
  const scopes = ['webhooks:manage']
  const restricted = { name: 'Live', environment: 'live', scopes, ip_whitelist_enabled: true }
  const { plaintext_key: key } = (await post('/v1/merchant/api-keys', restricted)(token)).body.data
  const payload = { webhook_url: `${NO_SERVER}/late` }
  const add = () =>
    world.call({ method: 'POST', url: '/v1/merchant/webhook-endpoints', payload, key, remoteAddress: '196.41.32.7' })
  assert.equal((await add()).status, 201)
  const removeAddress = async (tx: Tx) => {
    await tx.query(LOCK_MERCHANT, [merchant.id])
    await removeIpAddress(tx, merchant.id, address_id)
  }
  const reply = await workBeforeCommit(world, removeAddress, add)
  assert.deepEqual([reply.status, reply.body.error?.code], [403, 'forbidden'], reply.text)
  const rows = await world.rows(`select 1 from webhook_configs where merchant_id = $1 and environment = 'live'`, [
    merchant.id,
  ])
  assert.equal(rows.length, 1)
})

test('the server refuses a waiting request of a member who leaves its merchant and joins another', async () => {
  const other = await world.newMerchant()
  const move = (team: Team) => async (tx: Tx) => {
    await remove(team)(tx)
    await setMember(world.deps, tx, other.id, team.user_id, 'MERCHANT_ADMIN')
  }
  await refusesDuring(move, () => post('/v1/merchant/api-keys', NEW_KEY), [403, 'insufficient_role'])
  const keys = await world.rows('select 1 from api_keys where merchant_id = $1', [other.id])
  assert.deepEqual(keys, [])
})

test('a request that waits for the removal of another member succeeds', async () => {
  const team = await newTeam()
  const { viewer_id } = team
  const reply = await workBeforeCommit(world, remove({ ...team, member_id: viewer_id }), () =>
    post('/v1/merchant/api-keys', NEW_KEY)(team.token),
  )
  assert.equal(reply.status, 201, reply.text)
})
