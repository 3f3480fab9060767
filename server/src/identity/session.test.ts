// Sessions: whose token is good, and what its person may do now.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('a member reads the payments of the merchant with a session, live unless the sandbox is asked for', async () => {
  const { token } = await world.newSession('VIEWER')
  const made = await world.post('/v1/collections/wallet-push', { amount: '1000', phone: '0754123001' })
  const id = made.body.data.collection_id
  assert.equal((await world.get(`/v1/collections/${id}`, token)).status, 404)
  assert.equal((await world.get(`/v1/collections/${id}?environment=sandbox`, token)).body.data.collection_id, id)
})

test('a member who is removed is refused on the very next request', async () => {
  const { token, user_id } = await world.newSession('MERCHANT_ADMIN')
  assert.equal((await world.get('/v1/collections', token)).status, 200)
  await world.rows('delete from members where user_id = $1', [user_id])
  const refused = await world.get('/v1/collections', token)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'insufficient_role'])
})
