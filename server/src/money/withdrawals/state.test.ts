// Tests that a withdrawal makes only allowed moves, that each move changes the place of its money as listed, and that the
// database enforces both.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { insertWithdrawal } from '../../../test/payouts.ts'
import {
  canMoveWithdrawal,
  FUNDS,
  type Funds,
  moves,
  OPEN_STATUSES,
  STATUSES,
  type WithdrawalMoveName,
  type WithdrawalStatus,
} from './state.ts'

const ALLOWED: Record<WithdrawalMoveName, [from: WithdrawalStatus[], to: WithdrawalStatus]> = {
  approve: [['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'], 'PROCESSING'],
  reject: [['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'], 'REJECTED'],
  cancel: [['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'], 'CANCELLED'],
  request_info: [['PENDING_ADMIN_APPROVAL'], 'INFO_REQUESTED'],
  respond: [['INFO_REQUESTED'], 'PENDING_ADMIN_APPROVAL'],
  succeed: [['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'], 'SUCCESS'],
  fail: [['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'], 'FAILED'],
  doubt: [['PROCESSING'], 'NEEDS_RECONCILIATION'],
  block: [['PROCESSING'], 'BLOCKED_IP_WHITELIST'],
  alarm: [
    ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'SUCCESS', 'FAILED', 'CANCELLED'],
    'NEEDS_ADMIN_ATTENTION',
  ],
  reverse: [['SUCCESS'], 'REVERSED'],
  recall: [['PROCESSING'], 'CANCELLED'],
  retry: [['BLOCKED_IP_WHITELIST'], 'PROCESSING'],
  resolve_paid: [['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'], 'SUCCESS'],
  resolve_unpaid: [['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'], 'FAILED'],
}

describe('moves of a withdrawal', () => {
  for (const [name, [from, to]] of Object.entries(ALLOWED) as [
    WithdrawalMoveName,
    [WithdrawalStatus[], WithdrawalStatus],
  ][]) {
    for (const status of STATUSES) {
      test(`the move ${name} ${from.includes(status) ? `leads from ${status} to ${to}` : `may not start from ${status}`}`, () => {
        assert.equal(canMoveWithdrawal(name, status), from.includes(status))
        assert.equal(moves[name].to, to)
      })
    }
  }
  test('the table of moves contains no move that the test does not expect', () =>
    assert.deepEqual(Object.keys(moves).sort(), Object.keys(ALLOWED).sort()))

  test('apart from the move alarm, only approve leads from a status without reserved money to an approved status', () => {
    const approved: WithdrawalStatus[] = STATUSES.filter(
      (status) => !['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED', 'CANCELLED'].includes(status),
    )
    // A contradiction about a recalled payout moves no money.
    const into = Object.values(moves).filter(
      (move) =>
        move !== moves.alarm && approved.includes(move.to) && move.from.some((from) => !approved.includes(from)),
    )
    assert.deepEqual(into, [moves.approve])
  })

  test('no move leads from an approved status back to a waiting status, or out of REJECTED or REVERSED', () => {
    for (const { from, to } of Object.values(moves)) {
      assert.ok(!(from as readonly WithdrawalStatus[]).includes('REJECTED'))
      assert.ok(!(from as readonly WithdrawalStatus[]).includes('REVERSED'))
      if (to === 'PENDING_ADMIN_APPROVAL' || to === 'INFO_REQUESTED' || to === 'REJECTED')
        assert.ok(from.every((status) => ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'].includes(status)))
    }
  })

  test('each open status that is not PROCESSING allows a move by an operator or the merchant, and closed statuses allow only moves of the provider', () => {
    for (const status of STATUSES) {
      const leaving = Object.values(moves).filter((move) => (move.from as readonly WithdrawalStatus[]).includes(status))
      if ((OPEN_STATUSES as readonly WithdrawalStatus[]).includes(status))
        assert.ok(leaving.some((move) => move.by !== 'provider') || status === 'PROCESSING')
      else assert.ok(leaving.every((move) => move.by === 'provider'))
    }
  })

  test('the table of moves has one event for each move to SUCCESS, FAILED or REVERSED, for an approval and a question, and no other event', () => {
    const described = Object.values(moves).map(({ to, event }) => `${to} ${event}`)
    assert.deepEqual([...new Set(described)].sort(), [
      'BLOCKED_IP_WHITELIST null',
      'CANCELLED null',
      'FAILED disbursement.failed',
      'INFO_REQUESTED disbursement.info_requested',
      'NEEDS_ADMIN_ATTENTION null',
      'NEEDS_RECONCILIATION null',
      'PENDING_ADMIN_APPROVAL null',
      'PROCESSING disbursement.approved',
      'PROCESSING null',
      'REJECTED null',
      'REVERSED disbursement.reversed',
      'SUCCESS disbursement.success',
    ])
  })
})

/** The place of the money after each move. If the table does not list a move, the money stays in its place. */
const FLOWS: Partial<Record<WithdrawalMoveName, Partial<Record<Funds, Funds>>>> = {
  approve: { none: 'reserved' },
  succeed: { reserved: 'paid' },
  fail: { reserved: 'released' },
  reverse: { paid: 'returned' },
  recall: { reserved: 'released' },
  resolve_paid: { reserved: 'paid', paid: 'paid', released: 'paid' },
  resolve_unpaid: { reserved: 'released', paid: 'returned', released: 'released' },
}

/**
 * Returns every status and place of the money to which moves can lead. If the money is returned or not reserved, the move
 * `alarm` is not possible.
 */
function reachable(): Set<string> {
  const found = new Set(['PENDING_ADMIN_APPROVAL none'])
  for (const place of found) {
    const [status, funds] = place.split(' ') as [WithdrawalStatus, Funds]
    for (const name of Object.keys(moves) as WithdrawalMoveName[]) {
      if (!canMoveWithdrawal(name, status) || (name === 'alarm' && (funds === 'returned' || funds === 'none'))) continue
      const flow = FLOWS[name]
      const to = flow === undefined ? funds : flow[funds]
      assert.ok(to, `${name} of ${place} moves money from where it cannot lie`)
      found.add(`${moves[name].to} ${to}`)
    }
  }
  return found
}

describe('constraints of the database', () => {
  let world: World
  before(async () => {
    world = await createWorld()
  })
  after(() => world.close())

  test('the database accepts exactly the statuses and places of the money to which moves can lead', async () => {
    const places = reachable()
    assert.equal(places.size, 15)
    for (const status of STATUSES) {
      for (const funds of FUNDS) {
        const { id } = await insertWithdrawal(world)
        const none = funds === 'none'
        const update = world.rows(
          `update withdrawals set status = $2, funds = $3, failure_reason_code = $4, provider_reference = $5, transfer_id = $6
           where id = $1`,
          [id, status, funds, status === 'FAILED' ? 'provider_declined' : null, none ? null : 'W', none ? null : id],
        )
        if (places.has(`${status} ${funds}`)) await update
        else await assert.rejects(update, { constraint: 'withdrawals_funds_check' }, `${status} ${funds}`)
      }
    }
  })

  test('the database refuses an unknown status and an unknown place of the money', async () => {
    const { id } = await insertWithdrawal(world)
    for (const change of ["status = 'COMPLETED'", "funds = 'lost'"])
      await assert.rejects(world.rows(`update withdrawals set ${change} where id = $1`, [id]), { code: '23514' })
  })

  test('the database refuses wrong sums of charges, a failure without a reason and an approval without a reference', async () => {
    const { id } = await insertWithdrawal(world)
    for (const [constraint, change] of [
      ['withdrawals_charges_check', 'total_charges_minor = total_charges_minor + 1'],
      ['withdrawals_charges_check', 'total_reserved_minor = total_reserved_minor - 1'],
      [
        'withdrawals_charges_check',
        'flat_fee_minor = -1, total_charges_minor = -1, total_reserved_minor = amount_minor - 1',
      ],
      ['withdrawals_charges_check', 'processor_charge_minor = 5, processor_fee_pass_through = true'],
      ['withdrawals_amount_check', 'amount_minor = 0, total_reserved_minor = total_charges_minor'],
      [
        'withdrawals_failure_check',
        "status = 'FAILED', funds = 'released', provider_reference = 'W', transfer_id = id",
      ],
      ['withdrawals_approved_check', "provider_reference = 'W'"],
      ['withdrawals_approved_check', 'transfer_id = id'],
      ['withdrawals_approved_check', "status = 'PROCESSING', funds = 'reserved'"],
    ])
      await assert.rejects(world.rows(`update withdrawals set ${change} where id = $1`, [id]), { constraint })
  })
})
