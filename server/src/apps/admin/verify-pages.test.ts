// Tests the checks of verify about payment pages. Each check accepts correct pages and finds each planted contradiction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Contradictions, oneRow, testContradictions } from '../../../test/contradictions.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld } from '../../../test/harness.ts'
import type { Answer } from '../../adapters/providers/port.ts'
import { type Verification, verify } from './verify.ts'
import { PAGES } from './verify-pages.ts'

const SUCCESS: Answer = { kind: 'succeeded', amount_minor: 100_000n, currency: 'TZS', provider_status: 'COMPLETED' }

let base: TestDatabase
let sound: Verification
before(async () => {
  base = await createTestDatabase()
  const world = await createWorld({ url: base.url })
  const pay = async (slug: string, phone: string) => {
    const paid = await world.post(
      `/public/payment-links/${slug}/collect`,
      { method: 'WALLET_PUSH', customer_phone: phone },
      { key: null },
    )
    assert.equal(paid.status, 202, paid.text)
  }
  const settle = (collection_id: string, number: number) =>
    world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number, answer: SUCCESS })
  for (const key of [world.sandbox_key, world.live_key]) {
    const links: string[] = []
    for (let i = 0; i < 3; i++)
      links.push((await world.post('/v1/payment-links', { amount: 1000 }, { key })).body.data.public_slug)
    await pay(links[0] as string, '0754123002')
    await pay(links[0] as string, '0754123001')
    await pay(links[1] as string, '0754123012')
    const made = await world.post('/v1/collections', { amount: 1000 }, { key })
    const { collection_id, payment_url } = made.body.data
    const slug = String(payment_url).split('/pay/')[1] as string
    await pay(slug, '0754123003')
    await pay(slug, '0754123007')
    await settle(collection_id, 1)
    await settle(collection_id, 2)
  }
  await world.work()
  await world.pass(5_000)
  await world.close()
  sound = await verify(base.url)
})
after(() => base.drop())

test('correct payment pages pass every check', () => {
  assert.deepEqual(
    sound.checks.filter(({ ok }) => !ok),
    [],
  )
})

const PAID = "status = 'PAID' and collection_id is null"

const PLANTS: Contradictions = {
  'A payment page is paid once, by one of its own payments': [
    `update payment_links set paid_collection_id = gen_random_uuid() where ${oneRow('payment_links', PAID)}`,
    `update payment_links set amount_minor = amount_minor + 1 where ${oneRow('payment_links', PAID)}`,
    `update payment_links set status = 'ACTIVE', paid_collection_id = null, paid_at = null where ${oneRow('payment_links', PAID)}`,
    `update payment_links l set status = 'CANCELLED', paid_collection_id = null, paid_at = null
     where ${oneRow('payment_links', PAID)};
     update collections c set payment_link_id = l.id from payment_links l
     where l.status = 'CANCELLED' and l.merchant_id = c.merchant_id and c.status in ('successful', 'reversed')`,
    `update payment_links set paid_collection_id = (
       select e.id from collections e where e.payment_link_id = payment_links.id and e.status = 'pending_clearance')
     where ${oneRow('payment_links', "status = 'PAID' and collection_id is not null")}`,
  ],
  'Every duplicate payment is held in a collection of its own': [
    `update collection_attempts set extra_collection_id = gen_random_uuid() where ${oneRow('collection_attempts', 'extra_collection_id is not null')}`,
    `update collection_attempts set extra_collection_id = collection_id where ${oneRow('collection_attempts', 'extra_collection_id is null')}`,
  ],
}

describe('planted contradictions in payment pages', () => {
  testContradictions(() => base.url, PLANTS)

  test('each check of payment pages has a planted contradiction', () => {
    assert.deepEqual(Object.keys(PLANTS).sort(), PAGES.map(({ name }) => name).sort())
  })
})
