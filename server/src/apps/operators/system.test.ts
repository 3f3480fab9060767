// Tests that operators read the checks of the installation, and that a SUPER_ADMIN manages operators.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { consoleToken, newOperator } from '../../../test/operator-sessions.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { MOCK_SECRET: 'not-to-be-shown' } })
})
after(() => world.close())

test('operators read the result of each check without secrets, from at most 30 seconds ago', async () => {
  const { token } = await world.newSession('SUPPORT')
  const first = await world.get('/v1/operator/system', token)
  assert.equal(first.status, 200, first.text)
  const { ok, checks, checked_at } = first.body.data
  assert.equal(
    ok,
    checks.every(({ status }: { status: string }) => status !== 'fail'),
  )
  const found = new Map(checks.map((one: { name: string; status: string }) => [one.name, one.status]))
  for (const name of ['database', 'schema', 'connections', 'books', 'anchors', 'disk', 'providers'])
    assert.ok(found.has(name), name)
  assert.equal(found.get('database'), 'ok')
  assert.equal(checked_at, world.deps.clock.now().toISOString())
  const password = new URL(world.url).password
  for (const secret of ['not-to-be-shown', ...(password === '' ? [] : [password])])
    assert.ok(!first.text.includes(secret))

  await world.pass(29_000)
  assert.deepEqual((await world.get('/v1/operator/system', token)).body.data, first.body.data)
  await world.pass(1_000)
  const later = await world.get('/v1/operator/system', token)
  assert.equal(later.body.data.checked_at, world.deps.clock.now().toISOString())
})

test('members and API keys cannot read the checks', async () => {
  const { token } = await world.newSession('MERCHANT_ADMIN')
  assert.deepEqual(codeOf(await world.get('/v1/operator/system', token)), [403, 'insufficient_role'])
  assert.deepEqual(codeOf(await world.get('/v1/operator/system', world.live_key)), [403, 'insufficient_role'])
})

test('a SUPER_ADMIN lists the operators with role and second factor, removes a role and disables an operator, each with a reason', async () => {
  const path = '/v1/operator/operators'
  const boss = await newOperator(world)
  const support = await world.newSession('SUPPORT')
  const finance = await world.newSession('FINANCE_OPERATOR')
  const listed = async () =>
    (await world.get(`${path}?page_size=100`, await boss.token())).body.data.items as { user_id: string }[]
  await world.rows("insert into second_steps (user_id, secret, last_counter, created_at) values ($1, 'x', 0, now())", [
    finance.user_id,
  ])
  const found = (await listed()).find(({ user_id }) => user_id === finance.user_id)
  assert.deepEqual(found, {
    user_id: finance.user_id,
    email: finance.email,
    name: 'Asha',
    role: 'FINANCE_OPERATOR',
    disabled: false,
    demo: false,
    authenticator: true,
    passkeys: 0,
    last_sign_in_at: null,
    has_signed_in: true,
  })
  for (const token of [support.token, finance.token, (await world.newSession('MERCHANT_ADMIN')).token])
    assert.deepEqual(codeOf(await world.get(path, token)), [403, 'insufficient_role'])

  const act = async (user_id: string, verb: string, { reason = 'Left', age_s = 0 } = {}) =>
    world.post(`${path}/${user_id}/${verb}`, { reason }, { key: await consoleToken(world, boss.user_id, { age_s }) })
  assert.deepEqual(codeOf(await act(support.user_id, 'revoke', { age_s: 3_600 })), [403, 'step_up_required'])
  assert.deepEqual(codeOf(await act(support.user_id, 'revoke', { reason: ' ' })), [400, 'validation_failed'])
  assert.equal(
    (await listed()).some(({ user_id }) => user_id === support.user_id),
    true,
  )
  const revoked = await act(support.user_id, 'revoke')
  assert.deepEqual([revoked.status, revoked.body.data], [200, { user_id: support.user_id, email: support.email }])
  assert.equal(
    (await listed()).some(({ user_id }) => user_id === support.user_id),
    false,
  )
  assert.deepEqual(codeOf(await act(support.user_id, 'disable')), [404, 'not_found'])
  assert.equal((await act(finance.user_id, 'disable')).status, 200)
  assert.equal((await world.get('/v1/operator/queue', finance.token)).status, 401)
  const entries = await world.rows(
    `select action, actor_kind, actor_id, target_id, reason from audit_log where action in ('user.revoke_operator', 'user.disable')
     order by seq`,
  )
  const by = { actor_kind: 'operator', actor_id: boss.user_id, reason: 'Left' }
  assert.deepEqual(entries, [
    { action: 'user.revoke_operator', target_id: support.user_id, ...by },
    { action: 'user.disable', target_id: finance.user_id, ...by },
  ])
  // The server refuses to remove the last enabled SUPER_ADMIN.
  const last = await act(boss.user_id, 'revoke')
  assert.deepEqual(codeOf(last), [409, 'invalid_state'])
  assert.match(last.body.error.message, /the last enabled SUPER_ADMIN/)
})
