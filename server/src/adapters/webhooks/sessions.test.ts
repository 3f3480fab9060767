// Tests webhooks with sessions of members: settings, tests, replays, and the entries in the audit log.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'

const CONFIG = '/v1/merchant/webhook-config'
const DELIVERIES = '/v1/merchant/webhook-deliveries'

let world: World
let receiver: Receiver
before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
})
after(async () => {
  await world.close()
  await receiver.close()
})

const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']
const patch = (key: string, payload: object, idempotency_key: string | null = null) =>
  world.call({ method: 'PATCH', url: CONFIG, key, payload, idempotency_key })

/** Makes a merchant and a session of a developer of this merchant. */
async function newDeveloper() {
  const merchant = await world.newMerchant()
  return { merchant, ...(await world.newSession([{ role: 'DEVELOPER', merchant }])) }
}

test('a developer sets the webhook and sees the secret once, and the server refuses members with other roles', async () => {
  const { merchant, token } = await newDeveloper()
  const saved = await patch(token, { webhook_url: receiver.url })
  assert.equal(saved.status, 200)
  assert.match(saved.body.data.secret, /^whsec_/)
  assert.equal((await world.get(CONFIG, token)).body.data.secret, undefined)
  for (const role of ['VIEWER', 'FINANCE'] as const) {
    const other = (await world.newSession([{ role, merchant }])).token
    assert.deepEqual(codeOf(await patch(other, { rotate_secret: true })), [403, 'insufficient_role'], role)
    assert.deepEqual(codeOf(await world.get(CONFIG, other)), [403, 'insufficient_role'], role)
  }
})

test('the server rotates the secret once for a repeated Idempotency-Key and does not show the secret again', async () => {
  const { token } = await newDeveloper()
  await patch(token, { webhook_url: receiver.url })
  const key = randomUUID()
  const first = await patch(token, { rotate_secret: true }, key)
  const again = await patch(token, { rotate_secret: true }, key)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  const { secret, ...rest } = first.body.data
  assert.deepEqual(again.body.data, rest)
  assert.ok(secret.endsWith((await world.get(CONFIG, token)).body.data.secret_last4))
})

test('the deliveries have a second signature for 24 hours after a rotation of the secret', async () => {
  const { merchant, token } = await newDeveloper()
  await patch(token, { webhook_url: receiver.url })
  await patch(token, { rotate_secret: true })
  const signedTwice = async () => {
    // The first session ends within 24 hours, so the test makes a new session.
    const { token: fresh } = await world.newSession([{ role: 'DEVELOPER', merchant }])
    receiver.received.length = 0
    await world.post(`${CONFIG}/test`, {}, { key: fresh })
    await world.work()
    assert.equal(receiver.received.length, 1)
    return receiver.received[0]?.headers['x-service-signature-previous'] !== undefined
  }
  assert.equal(await signedTwice(), true)
  world.deps.clock.advance(24 * 3_600_000 - 1)
  assert.equal(await signedTwice(), true)
  world.deps.clock.advance(1)
  assert.equal(await signedTwice(), false)
})

test('the server shows a test delivery only in the environment of its request', async () => {
  const { token } = await newDeveloper()
  await patch(token, { webhook_url: receiver.url })
  const live = await world.post(`${CONFIG}/test`, {}, { key: token })
  const by_query = await world.post(`${CONFIG}/test?environment=sandbox`, {}, { key: token })
  const by_body = await world.post(`${CONFIG}/test`, { environment: 'sandbox' }, { key: token })
  assert.deepEqual(
    [live, by_query, by_body].map(({ status, body }) => [status, body.data.environment]),
    [
      [202, 'live'],
      [202, 'sandbox'],
      [202, 'sandbox'],
    ],
  )
  const idsIn = async (query: string) =>
    (await world.get(`${DELIVERIES}${query}`, token)).body.data.items.map(({ id }: { id: string }) => id).sort()
  assert.deepEqual(await idsIn(''), [live.body.data.id])
  assert.deepEqual(await idsIn('?environment=sandbox'), [by_query.body.data.id, by_body.body.data.id].sort())
  const { id } = by_query.body.data
  assert.deepEqual(codeOf(await world.get(`${DELIVERIES}/${id}`, token)), [404, 'not_found'])
  assert.equal((await world.get(`${DELIVERIES}/${id}?environment=sandbox`, token)).status, 200)
})

test('a developer replays a delivered delivery once per Idempotency-Key, and the server refuses the replay of a pending delivery', async () => {
  const { token } = await newDeveloper()
  await patch(token, { webhook_url: receiver.url })
  const { id } = (await world.post(`${CONFIG}/test`, {}, { key: token })).body.data
  const replay = (idempotency_key: string, query = '') =>
    world.call({ method: 'POST', url: `${DELIVERIES}/${id}/replay${query}`, key: token, idempotency_key })
  assert.deepEqual(codeOf(await replay('early')), [409, 'invalid_state'])
  await world.work()
  receiver.received.length = 0
  assert.deepEqual(codeOf(await replay('elsewhere', '?environment=sandbox')), [404, 'not_found'])
  const first = await replay('again')
  assert.deepEqual([first.status, first.body.data.status], [202, 'pending'])
  assert.equal((await replay('again')).headers['idempotency-replayed'], 'true')
  await world.work()
  assert.equal(receiver.received.length, 1)
})

test('the audit log contains each change with its old and new values, without the secret', async () => {
  const { merchant, token, email } = await newDeveloper()
  const saved = (await patch(token, { webhook_url: receiver.url, events: ['collection.success'] })).body.data
  const rotated = (await patch(token, { rotate_secret: true, events: ['collection.failed'] })).body.data
  const { id } = (await world.post(`${CONFIG}/test`, {}, { key: token })).body.data
  await world.work()
  await world.call({ method: 'POST', url: `${DELIVERIES}/${id}/replay`, key: token })
  const by_key = await world.newKey({ merchant, scopes: ['webhooks:manage'] })
  await patch(by_key, { webhook_url: `${receiver.url}/new` })
  const entries = await world.rows<{
    action: string
    before: unknown
    after: unknown
    actor_name: string
    text: string
  }>(
    'select action, actor_kind, actor_name, before, after, l::text as text from audit_log l where merchant_id = $1 and action like $2 order by seq',
    [merchant.id, 'webhook%'],
  )
  const view = ({ secret: _, ...rest }: Record<string, unknown>, environment: string) => ({ environment, ...rest })
  const update = 'webhook_config.update'
  assert.deepEqual(
    entries.map(({ action, actor_name, before, after }) => [action, actor_name, before, after]),
    [
      ...['live', 'sandbox'].map((env) => [update, email, null, view(saved, env)]),
      ...['live', 'sandbox'].map((env) => [update, email, view(saved, env), view(rotated, env)]),
      ['webhook_delivery.test', email, null, { environment: 'live' }],
      ['webhook_delivery.replay', email, null, { environment: 'live' }],
      [update, 'Test', view(rotated, 'sandbox'), { ...view(rotated, 'sandbox'), webhook_url: `${receiver.url}/new` }],
    ],
  )
  for (const { text } of entries) assert.ok(!text.includes('whsec_') && !text.includes(saved.secret))
})

describe('the webhook configuration of each environment', () => {
  test('a key of the sandbox changes only the address of the sandbox, and live events go to the live address', async () => {
    const { merchant, token } = await newDeveloper()
    await patch(token, { webhook_url: `${receiver.url}/live` })
    const sandbox_key = await world.newKey({ merchant, scopes: ['webhooks:manage'] })
    assert.equal((await patch(sandbox_key, { webhook_url: `${receiver.url}/stolen`, rotate_secret: true })).status, 200)
    await world.work()
    receiver.received.length = 0
    for (const environment of ['live', 'sandbox']) {
      assert.equal((await world.post(`${CONFIG}/test`, { environment }, { key: token })).status, 202)
    }
    await world.work()
    assert.deepEqual(
      receiver.received
        .map(({ path, headers }) => [path, headers['x-service-signature-previous'] !== undefined])
        .sort(),
      [
        ['/hook/live', false],
        ['/hook/stolen', true],
      ],
    )
    assert.equal((await world.get(CONFIG, token)).body.data.webhook_url, `${receiver.url}/live`)
    assert.equal(
      (await world.get(`${CONFIG}?environment=sandbox`, token)).body.data.webhook_url,
      `${receiver.url}/stolen`,
    )
  })

  test('a session that names an environment changes this environment, and a session that names none changes both', async () => {
    const { token } = await newDeveloper()
    const urlIn = async (environment: string) =>
      (await world.get(`${CONFIG}?environment=${environment}`, token)).body.data?.webhook_url ?? null
    const named = { method: 'PATCH', key: token, payload: { webhook_url: `${receiver.url}/1` } } as const
    assert.equal((await world.call({ ...named, url: `${CONFIG}?environment=sandbox` })).status, 200)
    assert.deepEqual([await urlIn('live'), await urlIn('sandbox')], [null, `${receiver.url}/1`])
    assert.equal((await patch(token, { events: ['collection.failed'] })).status, 200)
    assert.equal(await urlIn('live'), null, 'a change without an address makes no configuration')
    assert.equal((await patch(token, { webhook_url: `${receiver.url}/2` })).status, 200)
    assert.deepEqual([await urlIn('live'), await urlIn('sandbox')], [`${receiver.url}/2`, `${receiver.url}/2`])
  })

  test('the live secret is never a secret that a key of the sandbox made', async () => {
    const { merchant, token } = await newDeveloper()
    const sandbox_key = await world.newKey({ merchant, scopes: ['webhooks:manage'] })
    const known = (await patch(sandbox_key, { webhook_url: receiver.url })).body.data.secret
    const saved = (await patch(token, { webhook_url: receiver.url })).body.data
    assert.match(saved.secret, /^whsec_/)
    assert.notEqual(saved.secret, known)
    const sandbox = (await world.get(`${CONFIG}?environment=sandbox`, token)).body.data
    assert.deepEqual([saved.secret_last4, sandbox.secret_last4], [saved.secret.slice(-4), known.slice(-4)])
  })

  test('a new sandbox address gets the live secret when a session names no environment', async () => {
    const { merchant, token } = await newDeveloper()
    const live_key = await world.newKey({ merchant, environment: 'live', scopes: ['webhooks:manage'] })
    const { secret } = (await patch(live_key, { webhook_url: receiver.url })).body.data
    const saved = (await patch(token, { webhook_url: receiver.url })).body.data
    assert.deepEqual([saved.secret, saved.secret_last4], [undefined, secret.slice(-4)])
    const sandbox = (await world.get(`${CONFIG}?environment=sandbox`, token)).body.data
    assert.equal(sandbox.secret_last4, secret.slice(-4))
  })

  test('eight first saves at the same time make one secret', async () => {
    const { token } = await newDeveloper()
    const saves = await Promise.all(Array.from({ length: 8 }, () => patch(token, { webhook_url: receiver.url })))
    assert.deepEqual(new Set(saves.map(({ status }) => status)), new Set([200]))
    assert.equal(saves.filter(({ body }) => body.data.secret !== undefined).length, 1)
  })
})
