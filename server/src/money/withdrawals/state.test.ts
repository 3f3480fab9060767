// The states of a withdrawal: which moves exist, where its money can lie, and that the database agrees.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { insertWithdrawal } from '../../../test/payouts.ts'
import { FUNDS, type Funds, type MoveName, mayMove, moves, OPEN_STATUSES, STATUSES, type Status } from './state.ts'

const ALLOWED: Record<MoveName, [from: Status[], to: Status]> = {
  approve: [['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'], 'PROCESSING'],
  reject: [['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'], 'REJECTED'],
  request_info: [['PENDING_ADMIN_APPROVAL'], 'INFO_REQUESTED'],
  respond: [['INFO_REQUESTED'], 'PENDING_ADMIN_APPROVAL'],
  succeed: [['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'], 'SUCCESS'],
  fail: [['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'], 'FAILED'],
  doubt: [['PROCESSING'], 'NEEDS_RECONCILIATION'],
  block: [['PROCESSING'], 'BLOCKED_IP_WHITELIST'],
  alarm: [['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'SUCCESS', 'FAILED'], 'NEEDS_ADMIN_ATTENTION'],
  reverse: [['SUCCESS'], 'REVERSED'],
  retry: [['BLOCKED_IP_WHITELIST'], 'PROCESSING'],
  resolve_paid: [['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'], 'SUCCESS'],
  resolve_unpaid: [['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'], 'FAILED'],
}

describe('moves', () => {
  for (const [name, [from, to]] of Object.entries(ALLOWED) as [MoveName, [Status[], Status]][]) {
    for (const status of STATUSES) {
      test(`${name} ${from.includes(status) ? `leads from ${status} to ${to}` : `may not start from ${status}`}`, () => {
        assert.equal(mayMove(name, status), from.includes(status))
        assert.equal(moves[name].to, to)
      })
    }
  }
  test('there are no others', () => assert.deepEqual(Object.keys(moves).sort(), Object.keys(ALLOWED).sort()))

  test('money is set aside by approving and by nothing else', () => {
    const approved: Status[] = STATUSES.filter(
      (status) => !['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED'].includes(status),
    )
    const into = Object.values(moves).filter(
      (move) => approved.includes(move.to) && move.from.some((from) => !approved.includes(from)),
    )
    assert.deepEqual(into, [moves.approve])
  })

  test('nothing leads back from approved to waiting for approval, and nothing out of REJECTED and REVERSED', () => {
    for (const { from, to } of Object.values(moves)) {
      assert.ok(!(from as readonly Status[]).includes('REJECTED'))
      assert.ok(!(from as readonly Status[]).includes('REVERSED'))
      if (to === 'PENDING_ADMIN_APPROVAL' || to === 'INFO_REQUESTED' || to === 'REJECTED')
        assert.ok(from.every((status) => ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'].includes(status)))
    }
  })

  test('out of every status in which somebody has to act there is a move, out of the others only the provider’s', () => {
    for (const status of STATUSES) {
      const leaving = Object.values(moves).filter((move) => (move.from as readonly Status[]).includes(status))
      if ((OPEN_STATUSES as readonly Status[]).includes(status))
        assert.ok(leaving.some((move) => move.by !== 'provider') || status === 'PROCESSING')
      else assert.ok(leaving.every((move) => move.by === 'provider'))
    }
  })

  test('the merchant is told of every end, once for each', () => {
    const told = Object.values(moves).map(({ to, event }) => `${to} ${event}`)
    assert.deepEqual([...new Set(told)].sort(), [
      'BLOCKED_IP_WHITELIST null',
      'FAILED disbursement.failed',
      'INFO_REQUESTED null',
      'NEEDS_ADMIN_ATTENTION null',
      'NEEDS_RECONCILIATION null',
      'PENDING_ADMIN_APPROVAL null',
      'PROCESSING null',
      'REJECTED null',
      'REVERSED disbursement.reversed',
      'SUCCESS disbursement.success',
    ])
  })
})

/** What each move does to the money, from each place where it may lie. Every other move leaves it where it is. */
const FLOWS: Partial<Record<MoveName, Partial<Record<Funds, Funds>>>> = {
  approve: { none: 'reserved' },
  succeed: { reserved: 'paid' },
  fail: { reserved: 'released' },
  reverse: { paid: 'returned' },
  resolve_paid: { reserved: 'paid', paid: 'paid', released: 'paid' },
  resolve_unpaid: { reserved: 'released', paid: 'returned', released: 'released' },
}

/** Every place that moves can lead to, from a withdrawal that was just submitted. What is returned is never doubted. */
function reachable(): Set<string> {
  const found = new Set(['PENDING_ADMIN_APPROVAL none'])
  for (const place of found) {
    const [status, funds] = place.split(' ') as [Status, Funds]
    for (const name of Object.keys(moves) as MoveName[]) {
      if (!mayMove(name, status) || (name === 'alarm' && funds === 'returned')) continue
      const flow = FLOWS[name]
      const to = flow === undefined ? funds : flow[funds]
      assert.ok(to, `${name} of ${place} moves money from where it cannot lie`)
      found.add(`${moves[name].to} ${to}`)
    }
  }
  return found
}

describe('the database', () => {
  let world: World
  before(async () => {
    world = await createWorld()
  })
  after(() => world.close())

  test('takes exactly the places that moves can lead to', async () => {
    const places = reachable()
    assert.equal(places.size, 13)
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

  test('knows no other status and no other place of the money', async () => {
    const { id } = await insertWithdrawal(world)
    for (const change of ["status = 'COMPLETED'", "funds = 'lost'"])
      await assert.rejects(world.rows(`update withdrawals set ${change} where id = $1`, [id]), { code: '23514' })
  })

  test('takes no charges that do not add up, no failure without a reason, no approval without its reference', async () => {
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
