// Tests the balance: an API key determines the environment, and a session names the environment in the request.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { MERCHANT_ROLES } from '../../kernel/http/index.ts'

const PATH = '/v1/merchant/balance'
const EMPTY = { available: '0.00', reserved: '0.00', held: '0.00', currency: 'TZS' }
const FULL = { ...EMPTY, available: '1500.00' }

let world: World
before(async () => {
  world = await createWorld()
  await world.post('/v1/collections/wallet-push', { amount: '1500', phone: '0754123001' })
  await world.work()
})
after(() => world.close())

const codeOf = (reply: Reply): [number, string] => [reply.status, reply.body.error?.code ?? 'ok']

test('a member of each role can read the live balance by default, and the sandbox balance on request', async () => {
  for (const role of MERCHANT_ROLES) {
    const { token } = await world.newSession(role)
    assert.deepEqual((await world.get(PATH, token)).body.data, EMPTY, role)
    assert.deepEqual((await world.get(`${PATH}?environment=live`, token)).body.data, EMPTY, role)
    assert.deepEqual((await world.get(`${PATH}?environment=sandbox`, token)).body.data, FULL, role)
  }
})

test('an API key can read the balance of its environment at /v1/balance, and the server refuses a session at this path', async () => {
  assert.deepEqual((await world.get('/v1/balance')).body.data, FULL)
  assert.deepEqual((await world.get('/v1/balance', world.live_key)).body.data, EMPTY)
  const { token } = await world.newSession('FINANCE')
  assert.deepEqual(codeOf(await world.get('/v1/balance', token)), [403, 'insufficient_role'])
  assert.deepEqual(codeOf(await world.get(PATH)), [403, 'insufficient_role'])
})

test('the server refuses a request for a balance with an unknown environment or with two environments, and names the field', async () => {
  const { token } = await world.newSession('VIEWER')
  for (const query of [
    'environment=test',
    'environment=',
    'environment=Live',
    'environment=live&environment=sandbox',
  ]) {
    const reply = await world.get(`${PATH}?${query}`, token)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], query)
    assert.equal(reply.body.error.details.fields[0].field, 'environment')
  }
})

test('a member of two merchants gets the balance of the merchant that the request names', async () => {
  const other = await world.newMerchant()
  const { token } = await world.newSession([{ role: 'VIEWER' }, { role: 'FINANCE', merchant: other }])
  const read = (query: string) => world.get(`${PATH}?environment=sandbox&${query}`, token)
  assert.deepEqual((await read(`merchant_id=${world.merchant.id}`)).body.data, FULL)
  assert.deepEqual((await read(`merchant_id=${other.id.toUpperCase()}`)).body.data, EMPTY)
  for (const query of ['', `merchant_id=${other.id}&merchant_id=${world.merchant.id}`]) {
    const reply = await read(query)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], query)
    assert.equal(reply.body.error.details.fields[0].field, 'merchant_id')
  }
})
