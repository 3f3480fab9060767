// Tests that operators read the checks of the installation, and that a process runs them at most every 30 seconds.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { MOCK_SECRET: 'not-to-be-shown' } })
})
after(() => world.close())

test('operators read each check with its time, no secret, and a result of at most 30 seconds ago', async () => {
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
