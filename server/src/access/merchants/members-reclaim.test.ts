// Tests a stranger who signs up with the e-mail address of another person. If this person proves the address, the stranger
// loses all access.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { workBeforeCommit } from '../../../test/running-change.ts'
import { mailedUrl, openBrowser, type Served, serve, signIn } from '../../../test/sign-in.ts'
import { sql, type Tx } from '../../kernel/db/index.ts'
import { insertKey, revokeAllKeys } from '../api-keys/index.ts'
import { endSessions } from '../identity/index.ts'
import { inviteMember, reclaimMerchants } from './index.ts'

let world: Served
before(async () => {
  world = await serve()
})
after(() => world.close())

const PASSWORD = 'samaki wa ziwa'
const browser = () => openBrowser(world.base)

/** Signs up a stranger with another person's e-mail address. Returns the address, the merchant and the session. */
async function signUp() {
  const email = `${randomUUID()}@example.com`
  await world.rows('delete from sign_in_attempts')
  world.deps.clock.advance(1)
  const form = { business_name: 'Duka la Neema', name: 'Neema Mushi', email, password: PASSWORD }
  assert.equal((await browser().post('/identity/sign-up', form)).status, 200)
  const { access_token } = await signIn(world, { email, password: PASSWORD })
  const [merchant] = await world.rows<{ id: string }>('select id from merchants where email = $1', [email])
  return { email, merchant_id: merchant?.id ?? '', token: access_token }
}

/** Requests a link and sets a new password, as the owner of the e-mail address. */
async function reset(email: string) {
  await world.rows('delete from sign_in_attempts')
  world.deps.clock.advance(1)
  await browser().post('/identity/forgot', { email })
  const url = await mailedUrl(world, email)
  assert.equal((await browser().post(url, { password: 'mimi ndiye mwenyewe' })).status, 200)
  return (await signIn(world, { email, password: 'mimi ndiye mwenyewe' })).access_token
}

/** Creates a sandbox key, a webhook and a second administrator as the stranger. */
async function leaveBehind({ merchant_id, token }: { merchant_id: string; token: string }) {
  const body = { name: 'Duka', environment: 'sandbox', scopes: ['transactions:read', 'webhooks:manage'] }
  const made = await world.post('/v1/merchant/api-keys', body, { key: token })
  assert.equal(made.status, 201)
  const payload = { webhook_url: 'http://127.0.0.1:9/hook' }
  const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', key: token, payload })
  assert.equal(saved.status, 200, saved.text)
  const accomplice = await world.newSession([])
  await world.rows(
    `insert into members (merchant_id, id, user_id, role, name, created_at, updated_at)
     values ($1, $2, $3, 'MERCHANT_ADMIN', 'x', $4, $4)`,
    [merchant_id, randomUUID(), accomplice.user_id, world.deps.clock.now()],
  )
  return { api_key: made.body.data.plaintext_key as string, accomplice }
}

test("after a password reset, the owner of an address is the only member of a stranger's merchant, without the keys and webhooks of the stranger", async () => {
  const thief = await signUp()
  const { api_key, accomplice } = await leaveBehind(thief)
  assert.equal((await world.get('/v1/balance', api_key)).status, 200)
  assert.equal((await world.get('/v1/merchant/members', accomplice.token)).status, 200)

  const owner = await reset(thief.email)
  assert.equal((await world.get('/v1/balance', api_key)).body.error.code, 'api_key_revoked')
  assert.equal((await world.get('/v1/merchant/members', accomplice.token)).body.error.code, 'insufficient_role')
  const members = (await world.get('/v1/merchant/members', owner)).body.data.items
  assert.deepEqual(
    members.map(({ email, role }: { email: string; role: string }) => [email, role]),
    [[thief.email, 'MERCHANT_ADMIN']],
  )
  assert.equal((await world.get('/v1/merchant/webhook-config', owner)).status, 404)
  const log = (await world.get('/v1/merchant/audit-log', owner)).body.data.items
  const noted = log.slice(0, 4).map(({ action, actor }: { action: string; actor: { name: string } }) => {
    return [action, actor.name]
  })
  assert.deepEqual(noted, [
    ['webhook_config.delete', thief.email],
    ['webhook_config.delete', thief.email],
    ['api_key.revoke', thief.email],
    ['member.remove', thief.email],
  ])
})

test('a password reset also removes a member and a key that a running request of the stranger adds', async () => {
  const { email, merchant_id } = await signUp()
  const act = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null } as const
  const key = { merchant_id, environment: 'sandbox', scopes: ['transactions:read'], name: 'Late' } as const
  const invitation = { merchant_id, email: `${randomUUID()}@example.com`, role: 'VIEWER', name: null } as const
  let plaintext_key = ''
  const owner = await workBeforeCommit(
    world,
    async (tx) => {
      plaintext_key = (await insertKey(world.deps, tx, key, world.deps.config.keys_per_merchant)).plaintext_key
      await inviteMember(world.deps, tx, act, invitation, async () => true)
    },
    () => reset(email),
  )
  assert.equal((await world.get('/v1/balance', plaintext_key)).body.error.code, 'api_key_revoked')
  const members = (await world.get('/v1/merchant/members', owner)).body.data.items
  assert.deepEqual(
    members.map((member: { email: string }) => member.email),
    [email],
  )
})

test('if a request of the stranger, of an accomplice or of their key waits for a password reset, the server refuses the request', async () => {
  const act = { actor: { kind: 'command', id: null, name: 'admin' }, request_id: null, address: null } as const
  const rowsOf = async (merchant_id: string) => [
    await world.rows('select 1 from api_keys where merchant_id = $1 and revoked_at is null', [merchant_id]),
    await world.rows('select 1 from webhook_configs where merchant_id = $1', [merchant_id]),
  ]
  const new_key = { name: 'Late', environment: 'sandbox', scopes: ['transactions:read'] }
  const endpoint = { webhook_url: 'http://127.0.0.1:9/late' }
  const late = [
    ['stranger', '/v1/merchant/api-keys', new_key, [401, 'invalid_session']],
    ['stranger', '/v1/merchant/webhook-endpoints', endpoint, [401, 'invalid_session']],
    ['accomplice', '/v1/merchant/api-keys', new_key, [403, 'insufficient_role']],
    ['accomplice', '/v1/merchant/webhook-endpoints', endpoint, [403, 'insufficient_role']],
    ['key', '/v1/merchant/webhook-endpoints', endpoint, [401, 'api_key_revoked']],
  ] as const
  for (const [who, path, body, expected] of late) {
    const thief = await signUp()
    const { api_key, accomplice } = await leaveBehind(thief)
    const [user] = await world.rows<{ id: string }>('select id from users where email = $1', [thief.email])
    const user_id = user?.id ?? ''
    const resetAll = async (tx: Tx) => {
      await endSessions(world.deps, tx, user_id)
      await reclaimMerchants(world.deps, tx, act, user_id, revokeAllKeys)
    }
    const key = { stranger: thief.token, accomplice: accomplice.token, key: api_key }[who]
    const reply = await workBeforeCommit(world, resetAll, () => world.post(path, body, { key }))
    assert.deepEqual([reply.status, reply.body.error?.code], expected, `${who} ${path}`)
    assert.deepEqual(await rowsOf(thief.merchant_id), [[], []])
  }
})

test('a password reset that waits for the row of a key leaves the audit chain free, so that no deadlock occurs', async () => {
  const thief = await signUp()
  const { api_key } = await leaveBehind(thief)
  const [key] = await world.rows<{ id: string }>('select id from api_keys where merchant_id = $1', [thief.merchant_id])
  const lock = sql('', 'select 1 from api_keys where merchant_id = $1 and id = $2 for update')
  const chain = sql('', 'select 1 from audit_chains where merchant_id = $1 for update nowait')
  await workBeforeCommit(
    world,
    (tx) => tx.query(lock, [thief.merchant_id, key?.id]),
    () => reset(thief.email),
    (tx) => tx.query(chain, [thief.merchant_id]),
  )
  assert.equal((await world.get('/v1/balance', api_key)).body.error.code, 'api_key_revoked')
})

test('the owner of an address becomes MERCHANT_ADMIN after a password reset when the stranger has demoted the account', async () => {
  const thief = await signUp()
  await leaveBehind(thief)
  await world.rows("update members set role = 'VIEWER' where merchant_id = $1 and name is null", [thief.merchant_id])
  const owner = await reset(thief.email)
  const [member, ...others] = (await world.get('/v1/merchant/members', owner)).body.data.items
  assert.deepEqual([member.role, others], ['MERCHANT_ADMIN', []])
})

test('a password reset leaves members and keys of the merchant unchanged when the user has proven the address before', async () => {
  const person = await signUp()
  const { api_key, accomplice } = await leaveBehind(person)
  await world.rows('update users set email_verified = true where email = $1', [person.email])
  await reset(person.email)
  assert.equal((await world.get('/v1/balance', api_key)).status, 200)
  assert.equal((await world.get('/v1/merchant/members', accomplice.token)).status, 200)
})

test('a merchant keeps its members and keys when an invited user chooses a first password', async () => {
  const { token } = await world.newSession('MERCHANT_ADMIN')
  const email = `${randomUUID()}@example.com`
  assert.equal((await world.post('/v1/merchant/members', { email, role: 'VIEWER' }, { key: token })).status, 201)
  await reset(email)
  assert.equal((await world.get('/v1/merchant/members', token)).status, 200)
  assert.equal((await world.get('/v1/balance', world.sandbox_key)).status, 200)
})
