// Tests that every process accepts valid tokens, and applies the current rights of the user.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'

let world: World
/** Another server process on the same database. */
let other: World
before(async () => {
  world = await createWorld()
  other = await createWorld({ url: world.url })
})
after(async () => {
  await other.close()
  await world.close()
})

const refusal = ({ status, body }: Reply) => [status, body.error?.code]

test('the server finds a sandbox payment for a member only when the request names the sandbox', async () => {
  const { token } = await world.newSession('VIEWER')
  const made = await world.post('/v1/collections/wallet-push', { amount: '1000', phone: '0754123001' })
  const id = made.body.data.collection_id
  assert.equal((await world.get(`/v1/collections/${id}`, token)).status, 404)
  assert.equal((await world.get(`/v1/collections/${id}?environment=sandbox`, token)).body.data.collection_id, id)
})

describe('changes of rights in another process', () => {
  const deliveries = (at: World, token: string) => at.get('/v1/merchant/webhook-deliveries', token)

  test('another process refuses a removed member on the next request', async () => {
    const { token, user_id } = await world.newSession('MERCHANT_ADMIN')
    for (const at of [world, other]) assert.equal((await at.get('/v1/collections', token)).status, 200)
    await world.rows('delete from members where user_id = $1', [user_id])
    for (const at of [other, world]) {
      assert.deepEqual(refusal(await at.get('/v1/collections', token)), [403, 'insufficient_role'])
    }
  })

  test('a member of two merchants keeps the access to one merchant after a removal from the other merchant', async () => {
    const second = await world.newMerchant()
    const { token, user_id } = await world.newSession([{ role: 'VIEWER' }, { role: 'VIEWER', merchant: second }])
    const list = (merchant_id: string) => other.get(`/v1/collections?merchant_id=${merchant_id}`, token)
    for (const { id } of [world.merchant, second]) assert.equal((await list(id)).status, 200)
    await world.rows('delete from members where user_id = $1 and merchant_id = $2', [user_id, second.id])
    assert.deepEqual(refusal(await list(second.id)), [403, 'merchant_mismatch'])
    assert.equal((await list(world.merchant.id)).status, 200)
  })

  test('another process applies a changed role on the next request', async () => {
    const { token, user_id } = await world.newSession('DEVELOPER')
    assert.equal((await deliveries(other, token)).status, 200)
    const become = (role: string) => world.rows('update members set role = $2 where user_id = $1', [user_id, role])
    await become('VIEWER')
    assert.deepEqual(refusal(await deliveries(other, token)), [403, 'insufficient_role'])
    await become('MERCHANT_ADMIN')
    assert.equal((await deliveries(other, token)).status, 200)
  })

  test('another process refuses a disabled user on the next request, and accepts the user when an operator enables the user', async () => {
    const { token, user_id } = await world.newSession('MERCHANT_ADMIN')
    assert.equal((await other.get('/v1/collections', token)).status, 200)
    const disable = (at: Date | null) => world.rows('update users set disabled_at = $2 where id = $1', [user_id, at])
    await disable(world.deps.clock.now())
    assert.deepEqual(refusal(await other.get('/v1/collections', token)), [401, 'invalid_session'])
    await disable(null)
    assert.equal((await other.get('/v1/collections', token)).status, 200)
  })

  test('another process refuses a former operator on the next request after the loss of the operator role', async () => {
    const { token, user_id } = await world.newSession('SUPER_ADMIN')
    const audit = () => other.get('/v1/operator/audit-log', token)
    assert.equal((await audit()).status, 200)
    await world.rows('update users set super_admin = false where id = $1', [user_id])
    assert.deepEqual(refusal(await audit()), [403, 'insufficient_role'])
  })

  test('another process applies a new role of an operator on the next request, and names the roles that may make the call', async () => {
    const { token, user_id } = await world.newSession('COMPLIANCE')
    const endPause = () =>
      other.call({ method: 'POST', url: `/v1/operator/payout-pauses/${user_id}/end`, key: token, payload: {} })
    assert.equal((await endPause()).status, 400, 'the role allows the call, the body lacks the reason')
    await world.rows("update users set operator_role = 'FINANCE_OPERATOR' where id = $1", [user_id])
    const refused = await endPause()
    assert.deepEqual(refused.body.error, {
      code: 'insufficient_role',
      message:
        'Your role FINANCE_OPERATOR does not allow this call. An operator with the role COMPLIANCE or SUPER_ADMIN must make this call.',
      details: { operator_role: 'FINANCE_OPERATOR', required_roles: 'COMPLIANCE or SUPER_ADMIN' },
    })
    const { super_admin, operator_role, operator_duties } = (await other.get('/v1/me', token)).body.data
    assert.deepEqual(
      [super_admin, operator_role, operator_duties],
      [false, 'FINANCE_OPERATOR', ['read', 'money', 'pause']],
    )
  })
})

test('a request with a session gets 503, and not 401, when the database is unreachable', async () => {
  const { token } = await world.newSession('VIEWER')
  let away = false
  const before = () => {
    if (away) throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })
  }
  const process = await createWorld({ url: world.url, before })
  away = true
  assert.deepEqual(refusal(await process.get('/v1/collections', token)), [503, 'service_unavailable'])
  away = false
  assert.equal((await process.get('/v1/collections', token)).status, 200)
  await process.close()
})
