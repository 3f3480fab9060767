// Tests which merchant of a user has the newest payment, and the number of rows that the server reads for the answer.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import { issueAccessToken, issuerKey } from '../../access/identity/index.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { Environment, Membership } from '../../kernel/http/index.ts'
import { recentMerchant } from './recent-merchant.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const pay = async (merchant: Merchant, environment: Environment) => {
  const key = await world.newKey({ merchant, environment })
  // The payment stays open.
  const paid = await world.post('/v1/collections', { amount: '500' }, { key })
  assert.equal(paid.status, 202, paid.text)
  world.deps.clock.advance(1)
}
const recent = async (token: string) => {
  const { status, body } = await world.get('/v1/me/recent-merchant', token)
  assert.equal(status, 200)
  return [body.data.merchant_id, body.data.environment]
}
const NONE = [null, null]

test('the merchant with the newest payment of any environment and status is that of the user, and null without a payment', async () => {
  const merchants = await Promise.all([1, 2, 3, 4].map(() => world.newMerchant()))
  const [one, two, strict, foreign] = merchants as [Merchant, Merchant, Merchant, Merchant]
  const roles = [one, two, strict].map((merchant) => ({ role: 'VIEWER' as const, merchant }))
  const { token: strong, user_id } = await world.newSession(roles)
  await pay(foreign, 'sandbox')
  assert.deepEqual(await recent(strong), NONE)
  await pay(two, 'live')
  assert.deepEqual(await recent(strong), [two.id, 'live'])
  await pay(one, 'sandbox')
  assert.deepEqual(await recent(strong), [one.id, 'sandbox'])
  await pay(strict, 'sandbox')
  await pay(foreign, 'live')
  assert.deepEqual(await recent(strong), [strict.id, 'sandbox'])
  await world.rows('update merchants set second_factor_required = true where id = $1', [strict.id])
  const issuer = await issuerKey(world.deps, 'http://127.0.0.1/identity')
  assert.deepEqual(await recent(await issueAccessToken(world.deps, issuer, user_id, ['pwd'])), [one.id, 'sandbox'])
  assert.deepEqual(await recent(strong), [strict.id, 'sandbox'])
  await pay(two, 'sandbox')
  assert.deepEqual(await recent(strong), [two.id, 'sandbox'])
})

test('users without a merchant get null, and the server refuses API keys', async () => {
  assert.deepEqual(await recent((await world.newSession('SUPER_ADMIN')).token), NONE)
  assert.deepEqual(codeOf(await world.get('/v1/me/recent-merchant', world.sandbox_key)), [403, 'insufficient_role'])
})

test('the server reads the same number of rows for merchants with few and with many payments, and none for operators', async () => {
  const merchants = [await world.newMerchant(), await world.newMerchant()]
  const memberships = merchants.map(
    (merchant) => ({ role: 'VIEWER', second_factor_required: false, merchant }) as unknown as Membership,
  )
  const read = (console: 'dashboard' | 'operator') =>
    rowsRead(world, ({ db }) => recentMerchant(db, { memberships, second_factor: true, console }))
  for (const merchant of merchants) await pay(merchant, 'sandbox')
  await world.rows('analyze collections')
  const few = await read('dashboard')
  assert.equal(few.result?.merchant_id, merchants[1]?.id)
  for (const merchant of merchants) for (let i = 0; i < 40; i++) await pay(merchant, 'sandbox')
  await world.rows('analyze collections')
  const many = await read('dashboard')
  assert.deepEqual([many.result?.merchant_id, many.read], [few.result?.merchant_id, few.read])
  assert.deepEqual(await read('operator'), { result: null, read: 0 })
})
