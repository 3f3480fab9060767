// Tests the checks of verify about day sums. Each check accepts correct sums and finds each planted contradiction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Contradictions, oneRow, testContradictions } from '../../../test/contradictions.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld } from '../../../test/harness.ts'
import { approve, submitWithdrawal } from '../../../test/ledger-facts.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'
import { verify } from './verify.ts'
import { DAYS } from './verify-days.ts'

let base: TestDatabase
before(async () => {
  base = await createTestDatabase()
  const world = await createWorld({ url: base.url })
  for (const end of ['001', '001', '003', '011', '012']) {
    const reply = await world.post('/v1/collections/wallet-push', { amount: 1_000, phone: `0754123${end}` })
    assert.equal(reply.status, 202)
    world.deps.clock.advance(DAY_MS / 2)
    await world.work()
  }
  await submitWithdrawal(world, { amount_minor: 700n })
  world.deps.clock.advance(DAY_MS)
  const late = await submitWithdrawal(world, { amount_minor: 300n })
  world.deps.clock.advance(5 * DAY_MS)
  await world.work()
  // The stored sums of the day of this withdrawal do not have the approval, and verify accepts this.
  await approve(world.deps, world.merchant, [late])
  await world.close()
})
after(() => base.drop())

test('correct day sums pass every check', async () => {
  const { checks } = await verify(base.url)
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  )
})

const SUCCESSFUL = oneRow('collection_days', "status = 'successful'")

const WAITING = oneRow('withdrawal_days', 'amount_minor = 700')

const PLANTS: Contradictions = {
  'The stored sums of withdrawals of every finished day equal its withdrawals': [
    `update withdrawal_days set items = items + 1 where ${WAITING}`,
    `update withdrawal_days set amount_minor = amount_minor + 1 where ${WAITING}`,
    `update withdrawal_days set status = 'SUCCESS' where ${WAITING}`,
    `update withdrawal_days set day = day + 100 where ${WAITING}`,
    `delete from withdrawal_days where ${WAITING}`,
    `update withdrawals set status = 'INFO_REQUESTED' where ${oneRow('withdrawals', 'amount_minor = 700')}`,
  ],
  'The stored sums of every finished day equal the sums of its payments': [
    `update collection_days set items = items + 1 where ${SUCCESSFUL}`,
    `update collection_days set amount_minor = amount_minor + 1 where ${SUCCESSFUL}`,
    `update collection_days set amount_received_minor = amount_received_minor - 1 where ${SUCCESSFUL}`,
    `update collection_days set fee_minor = fee_minor + 1 where ${SUCCESSFUL}`,
    `update collection_days set day = day + 1 where ${SUCCESSFUL}`,
    `delete from collection_days where ${SUCCESSFUL}`,
    `update collections set method = 'qr' where ${oneRow('collections', "status = 'failed'")}`,
    `update collection_days set day = day + 100, ids = null where ${SUCCESSFUL}`,
  ],
  'The payment ids stored for a day are the payments that the day counts': [
    `update collection_days set ids = array[gen_random_uuid()] where ${oneRow('collection_days', 'items = 1')}`,
    `update collection_days set ids = '{}' where ${SUCCESSFUL}`,
    `update collection_days d set ids = o.ids from collection_days o
     where d.status = 'failed' and o.status = 'reversed' and d.merchant_id = o.merchant_id`,
  ],
}

describe('planted contradictions in day sums', () => {
  testContradictions(() => base.url, PLANTS)

  test('each check of day sums has a planted contradiction', () => {
    assert.deepEqual(Object.keys(PLANTS).sort(), DAYS.map(({ name }) => name).sort())
  })
})
