// Tests the failures of approvals in a batch. The failure of one approval fails only the request for that approval.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  scriptedProvider,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { fingerprint, type IdempotencyClaim } from '../../kernel/http/index.ts'
import { InvariantError, ZERO_ID } from '../../kernel/lib/index.ts'
import { type ApprovalKey, type ApprovalService, createApprovalService } from './approval-service.ts'
import type { ApprovalResult } from './approve.ts'

let world: World
const statements: string[] = []
/** The function that the test world calls before each SQL query. */
let beforeStatement: (name: string) => void = () => {}
/** The function that the test world calls after the commit of each batch. */
let afterCommit: () => void = () => {}
before(async () => {
  world = await createWorld({
    compose: { providers: [scriptedProvider(newPayoutScript())] },
    before(name) {
      statements.push(name)
      beforeStatement(name)
    },
    point: (name) => name === 'approve.after_commit' && afterCommit(),
  })
})
after(async () => {
  await booksHold(world)
  await world.close()
})
beforeEach(() => {
  statements.length = 0
  beforeStatement = () => {}
  afterCommit = () => {}
})

/** Returns an approval service whose search for a provider fails for withdrawals to AIRTEL. */
function newService(): ApprovalService {
  const provider: Provider = scriptedProvider(newPayoutScript())
  return createApprovalService(world.deps, {
    driver: world.system.payouts,
    find(_environment, { destination_code }) {
      if (destination_code === 'AIRTEL') throw new TypeError('a bug')
      return provider
    },
    webhooks: { canDispatch: () => false, dispatch: () => {} },
    canDispatch: false,
    readEvidence: async () => new Map(),
  })
}

function newClaim(): IdempotencyClaim {
  const key = randomUUID()
  return { merchant_id: ZERO_ID, environment: 'live', scope: 'test', key, fingerprint: fingerprint('POST', '/', key) }
}

const answerOf = ({ id }: ApprovalResult) => ({ status_code: 200, response_body: id })

async function newWithdrawals(count: number): Promise<WithdrawalKey[]> {
  const merchant = await world.newMerchant()
  await fund(world, 10_000_000n, { merchant })
  const keys: WithdrawalKey[] = []
  for (let i = 0; i < count; i++) keys.push(await insertWithdrawal(world, { merchant }))
  return keys
}

/** Approves all withdrawals at the same time. For each withdrawal, returns 'approved' or the message of the error. */
async function approveAtOnce(
  keys: readonly WithdrawalKey[],
  key_of: (place: number) => ApprovalKey,
): Promise<string[]> {
  const service = newService()
  const act = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const
  const settled = await Promise.allSettled(keys.map((key, i) => service.approveOnce({ ...key, act }, key_of(i))))
  return settled.map((result) => (result.status === 'fulfilled' ? 'approved' : (result.reason as Error).message))
}

const statusesOf = async (keys: readonly WithdrawalKey[]) => {
  const rows = await world.rows<{ id: string; status: string }>(
    'select id, status from withdrawals where id = any($1::uuid[])',
    [keys.map(({ id }) => id)],
  )
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  return keys.map(({ id }) => statuses.get(id))
}
const keysOf = async (claims: readonly IdempotencyClaim[]) => {
  const rows = await world.rows<{ key: string }>('select key from idempotency_keys where key = any($1)', [
    claims.map(({ key }) => key),
  ])
  const found = new Set(rows.map(({ key }) => key))
  return claims.map(({ key }) => found.has(key))
}

const SET = 8
const BAD = 5

describe('failures of one approval in a batch', () => {
  const only = <Value>(bad: Value, good: Value) => Array.from({ length: SET }, (_, i) => (i === BAD ? bad : good))
  const check = async (keys: WithdrawalKey[], claims: IdempotencyClaim[], answers: string[], message: string) => {
    assert.deepEqual(answers, only(message, 'approved'))
    assert.deepEqual(await statusesOf(keys), only('PENDING_ADMIN_APPROVAL', 'PROCESSING'))
    assert.deepEqual(await keysOf(claims), only(false, true))
    assert.ok(statements.filter((name) => name === 'payouts_insert').length > 1, 'the service split the batch')
  }

  test('an error in the decision about one approval fails only that approval of the batch', async () => {
    const keys = await newWithdrawals(SET)
    await world.rows("update withdrawals set destination_code = 'AIRTEL' where id = $1", [keys[BAD]?.id])
    const claims = keys.map(newClaim)
    const answers = await approveAtOnce(keys, (i) => ({ claim: claims[i] as IdempotencyClaim, answerOf }))
    await check(keys, claims, answers, 'a bug')
  })

  test('a failed invariant in the answer to one approval fails only that approval of the batch', async () => {
    const keys = await newWithdrawals(SET)
    const claims = keys.map(newClaim)
    const answers = await approveAtOnce(keys, (i) => ({
      claim: claims[i] as IdempotencyClaim,
      answerOf(approved) {
        if (i === BAD) throw new InvariantError('the answer')
        return answerOf(approved)
      },
    }))
    await check(keys, claims, answers, 'broken invariant: the answer')
  })

  test('a row that the database refuses fails only the approval of that row', async () => {
    const keys = await newWithdrawals(SET)
    const claims = keys.map(newClaim)
    const answers = await approveAtOnce(keys, (i) => ({
      claim: claims[i] as IdempotencyClaim,
      answerOf: ({ id }) => ({ status_code: i === BAD ? 70_000 : 200, response_body: id }),
    }))
    await check(keys, claims, answers, 'value "70000" is out of range for type smallint')
  })
})

test('after a lock timeout the service runs each approval of the batch alone, and only the approval of the locked withdrawal fails', async () => {
  const keys = await newWithdrawals(SET)
  const claims = keys.map(newClaim)
  let locks = 0
  beforeStatement = (name) => {
    if (name !== 'withdrawals_lock') return
    locks += 1
    // The transaction that locks one withdrawal lasts longer than the lock timeouts of the batch and of a single approval.
    if (locks <= 2) throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  }
  const answers = await approveAtOnce(keys, (i) => ({ claim: claims[i] as IdempotencyClaim, answerOf }))
  const late = answers.filter((answer) => answer !== 'approved')
  assert.deepEqual(late, ['canceling statement due to lock timeout'])
  assert.equal(locks, 1 + SET)
  assert.equal((await statusesOf(keys)).filter((status) => status === 'PROCESSING').length, SET - 1)
  assert.equal((await keysOf(claims)).filter((stored) => stored).length, SET - 1)
})

test('the whole batch fails and the service does not split the batch when the database is unreachable', async () => {
  const keys = await newWithdrawals(SET)
  const claims = keys.map(newClaim)
  beforeStatement = (name) => {
    if (name === 'withdrawals_lock') throw Object.assign(new Error('shutting down'), { code: '57P01' })
  }
  const answers = await approveAtOnce(keys, (i) => ({ claim: claims[i] as IdempotencyClaim, answerOf }))
  assert.deepEqual([...new Set(answers)], ['shutting down'])
  assert.equal(statements.filter((name) => name === 'withdrawals_lock').length, 1)
})

test('when an error follows the commit, the service does not split the batch, and requests with the same keys succeed without a second approval', async () => {
  const keys = await newWithdrawals(SET)
  const claims = keys.map(newClaim)
  const key_of = (i: number): ApprovalKey => ({ claim: claims[i] as IdempotencyClaim, answerOf })
  afterCommit = () => {
    throw new Error('after the commit')
  }
  assert.deepEqual([...new Set(await approveAtOnce(keys, key_of))], ['after the commit'])
  assert.equal(statements.filter((name) => name === 'payouts_insert').length, 1)
  assert.deepEqual([...new Set(await statusesOf(keys))], ['PROCESSING'])
  assert.deepEqual([...new Set(await approveAtOnce(keys, key_of))], ['approved'])
  assert.equal(statements.filter((name) => name === 'payouts_insert').length, 1)
})
