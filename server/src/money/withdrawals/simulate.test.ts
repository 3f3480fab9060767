// Tests that a merchant can simulate every outcome of a withdrawal in the sandbox.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { until } from '../../../test/crash/processes.ts'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { balanceOf, fund, unchanged } from '../../../test/withdrawals.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { verify } from '../../apps/admin/verify.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { approveWithdrawals } from './approve.ts'
import { cancelWithdrawal, rejectWithdrawal, requestInfo, retryWithdrawal } from './review.ts'
import { OUTCOMES, type SimulatedOutcome } from './schema.ts'
import { settlePayouts } from './settle.ts'
import { STATUSES, type WithdrawalStatus } from './state.ts'
import { findWithdrawal } from './store.ts'

const SUBMIT = '/v1/disbursements/mobile-money'
const OPERATOR = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const

let world: World
let receiver: Receiver
let merchant: Merchant
let key: string
before(async () => {
  world = await createWorld()
  receiver = await startReceiver()
  merchant = world.merchant
  key = world.sandbox_key
  const operator = (await world.newSession('SUPER_ADMIN')).token
  const rules = [
    {
      flow: 'withdrawal',
      percentage: '1',
      flat_fee: '50',
      processor_charge: '25',
      processor_fee_pass_through: true,
    },
  ]
  const url = `/v1/operator/merchants/${merchant.id}/pricing`
  assert.equal((await world.call({ method: 'PUT', url, payload: { rules }, key: operator })).status, 200)
  const config = {
    webhook_url: receiver.url,
    events: ['disbursement.success', 'disbursement.failed', 'disbursement.reversed'],
  }
  assert.equal((await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: config })).status, 200)
  for (const environment of ['sandbox', 'live'] as const) await fund(world, { amount: '1000000', environment })
})
after(async () => {
  await world.work()
  const { checks } = await verify(world.url)
  await receiver.close()
  await world.close()
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
  )
})

/** Submits a withdrawal, by default of 1,000.00 with charges of 85.00. */
async function submit(phone = '0754123456', options: { key?: string; amount?: string } = {}): Promise<string> {
  const body = { amount: options.amount ?? '1000', destination_code: 'MPESA', destination_identifier: phone }
  const reply = await world.post(SUBMIT, body, { key: options.key ?? key })
  assert.equal(reply.status, 202, reply.text)
  return reply.body.data.id
}
const simulate = (
  id: string,
  outcome: SimulatedOutcome,
  options: { key?: string; idempotency_key?: string | null; query?: string } = {},
) => {
  const { query = '', ...rest } = options
  const url = `/v1/sandbox/disbursements/${id}/simulate${query}`
  return world.post(url, { outcome }, { key, idempotency_key: null, ...rest })
}
const statusOf = async (id: string): Promise<WithdrawalStatus> =>
  (await findWithdrawal(world.deps.db, { merchant_id: merchant.id, id }))?.status as WithdrawalStatus

/** Moves a new withdrawal to a status by decisions of operators and answers of providers. */
async function bring(to: WithdrawalStatus): Promise<string> {
  const id = await submit()
  const of = { merchant_id: merchant.id, id }
  const { deps } = world
  const row = () => findWithdrawal(deps.db, of)
  const approve = () =>
    inTransaction(deps.db, (tx) => approveWithdrawals(deps, tx, APPROVER, [{ ...of, act: OPERATOR }], { send: false }))
  const settleWith = async (answer: PayoutAnswer) => {
    await approve()
    await settlePayouts(deps, [{ ...of, answer, holds_lease: true }], () => false)
  }
  const provider_fields = { provider_status: 'X', currency: 'TZS' }
  const steps: Record<WithdrawalStatus, () => Promise<unknown>> = {
    PENDING_ADMIN_APPROVAL: async () => {},
    INFO_REQUESTED: () =>
      inTransaction(deps.db, (tx) => requestInfo(deps, tx, OPERATOR, { ...of, message: 'What for?' })),
    REJECTED: () => inTransaction(deps.db, (tx) => rejectWithdrawal(deps, tx, OPERATOR, { ...of, reason: 'No.' })),
    CANCELLED: () =>
      inTransaction(deps.db, (tx) => cancelWithdrawal(deps, tx, OPERATOR, { ...of, environment: 'sandbox' })),
    PROCESSING: approve,
    SUCCESS: () => settleWith({ kind: 'succeeded', amount_minor: 100_000n, ...provider_fields }),
    FAILED: () => settleWith({ kind: 'declined', reason: 'provider_declined', provider_status: 'X' }),
    NEEDS_RECONCILIATION: () => settleWith({ kind: 'unknown', why: 'timeout', provider_status: 'X' }),
    BLOCKED_IP_WHITELIST: () => settleWith({ kind: 'blocked', provider_status: 'X' }),
    NEEDS_ADMIN_ATTENTION: () => settleWith({ kind: 'succeeded', amount_minor: 1n, ...provider_fields }),
    REVERSED: () =>
      settleWith({ kind: 'reversed', amount_minor: 100_000n, charge_returned: false, ...provider_fields }),
  }
  await steps[to]()
  assert.equal((await row())?.status, to)
  return id
}
const APPROVER = {
  canDispatch: () => false,
  find: () => ({ name: 'sandbox', capabilities: { payout_methods: ['MOBILE_MONEY'] } }) as never,
}

const UNDER_WAY: readonly SimulatedOutcome[] = ['SUCCESS', 'FAILED', 'REVERSED']
/** The outcomes that a merchant can simulate in each status. */
const WAYS: Record<WithdrawalStatus, readonly SimulatedOutcome[]> = {
  PENDING_ADMIN_APPROVAL: OUTCOMES,
  INFO_REQUESTED: OUTCOMES.filter((outcome) => outcome !== 'INFO_REQUESTED'),
  PROCESSING: UNDER_WAY,
  NEEDS_RECONCILIATION: UNDER_WAY,
  BLOCKED_IP_WHITELIST: UNDER_WAY,
  SUCCESS: ['REVERSED'],
  FAILED: [],
  REJECTED: [],
  CANCELLED: [],
  REVERSED: [],
  NEEDS_ADMIN_ATTENTION: [],
}

for (const from of STATUSES) {
  describe(`simulations from ${from}`, () => {
    for (const outcome of OUTCOMES) {
      if (WAYS[from].includes(outcome)) {
        test(`a merchant can simulate the outcome ${outcome} of a withdrawal that is ${from}`, async () => {
          const id = await bring(from)
          const reply = await simulate(id, outcome)
          assert.equal(reply.status, 200, reply.text)
          assert.deepEqual([reply.body.data.id, reply.body.data.status], [id, outcome])
          const { history, ...shown } = (await world.get(`/v1/disbursements/${id}`)).body.data
          assert.deepEqual(shown, reply.body.data)
          assert.equal(history.at(-1).to_status, outcome)
          assert.deepEqual(codeOf(await simulate(id, outcome)), [409, 'invalid_state'], 'twice')
        })
      } else {
        test(`the server refuses to simulate the outcome ${outcome} of a withdrawal that is ${from} with 409 invalid_state and changes no row`, async () => {
          const id = await bring(from)
          const reply = await unchanged(world, () => simulate(id, outcome))
          assert.deepEqual(codeOf(reply), [409, 'invalid_state'])
          assert.deepEqual(reply.body.error.details, { status: from })
        })
      }
    }
  })
}

describe('money of a simulated outcome', () => {
  const minus = (text: string, cents: bigint): string => {
    const minor = BigInt(text.replace('.', '')) - cents
    return `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`
  }
  for (const [outcome, taken, reserved] of [
    ['SUCCESS', 108_500n, '0.00'],
    ['FAILED', 0n, '0.00'],
    ['REJECTED', 0n, '0.00'],
    ['INFO_REQUESTED', 0n, '0.00'],
    // The amount and our fee return to the merchant. The provider does not return its charge for the payout.
    ['REVERSED', 2_500n, '0.00'],
    ['NEEDS_RECONCILIATION', 108_500n, '1085.00'],
    ['BLOCKED_IP_WHITELIST', 108_500n, '1085.00'],
  ] as const) {
    test(`the simulated outcome ${outcome} takes ${taken} cents from the balance and keeps ${reserved} shillings reserved`, async () => {
      const of = await world.newMerchant()
      const own = await world.newKey({ merchant: of })
      await world.rows(
        'update pricing_rules set percentage_hundredths = 100, flat_fee_minor = 5000, processor_charge_minor = 2500, processor_fee_pass_through = true where merchant_id = $1',
        [of.id],
      )
      await fund(world, { merchant: of, amount: '5000' })
      const [before] = await balanceOf(world, own)
      const id = await submit(undefined, { key: own })
      assert.equal((await simulate(id, outcome, { key: own })).body.data.status, outcome)
      assert.deepEqual(await balanceOf(world, own), [minus(before, taken), reserved])
    })
  }
})

test('a simulated withdrawal has references, a completion time and reasons in the formats of a real withdrawal', async () => {
  const succeeded = (await simulate(await submit(), 'SUCCESS')).body.data
  assert.match(succeeded.provider_reference, /^W[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.match(succeeded.transaction_reference, /^TXN-[0-9A-HJKMNP-TV-Z]{26}$/)
  assert.equal(succeeded.completed_at, world.deps.clock.now().toISOString())
  assert.equal(succeeded.requires_approval, false)
  const failed = (await simulate(await submit(), 'FAILED')).body.data
  assert.deepEqual([failed.failure_reason_code, failed.completed_at], ['provider_declined', null])
  assert.match(failed.failure_reason_message, /declined/)
  const rejected = (await simulate(await submit(), 'REJECTED')).body.data
  assert.deepEqual([rejected.provider_reference, rejected.transaction_reference], [null, null])
  assert.match(rejected.status_reason, /Simulated/)
})

test('the history of a simulated withdrawal names the party of each move', async () => {
  const id = await submit()
  await simulate(id, 'SUCCESS')
  await simulate(id, 'REVERSED')
  const { history } = (await world.get(`/v1/disbursements/${id}`)).body.data
  const at = world.deps.clock.now().toISOString()
  assert.deepEqual(history, [
    { from_status: 'PENDING_ADMIN_APPROVAL', to_status: 'PROCESSING', by: 'merchant', message: null, at },
    { from_status: 'PROCESSING', to_status: 'SUCCESS', by: 'provider', message: null, at },
    { from_status: 'SUCCESS', to_status: 'REVERSED', by: 'provider', message: null, at },
  ])
})

test('the server sends the events of a simulation immediately, marked as sandbox', async () => {
  const ids = [await submit(), await submit(), await submit()] as const
  // The receiver may still get events of earlier withdrawals.
  const sent = () =>
    receiver.received.map(({ body }) => JSON.parse(body)).filter(({ disbursement_id }) => ids.includes(disbursement_id))
  const arrive = (count: number) => until(`${count} events`, () => sent().length >= count)
  await simulate(ids[0], 'SUCCESS')
  await arrive(1)
  await simulate(ids[1], 'FAILED')
  await arrive(2)
  // If the payout had no success yet, the server sends both events for the simulation of a reversal.
  await simulate(ids[2], 'REVERSED')
  await arrive(4)
  const received = sent()
  assert.ok(received.every(({ sandbox }) => sandbox === true))
  assert.deepEqual(
    received.map((event) => [event.event, event.disbursement_id, event.amount]).sort(),
    [
      ['disbursement.failed', ids[1], '1000.00'],
      ['disbursement.reversed', ids[2], '1000.00'],
      ['disbursement.success', ids[0], '1000.00'],
      ['disbursement.success', ids[2], '1000.00'],
    ].sort(),
  )
})

test('no process sends a simulated payout to the mock provider, even if the destination is a magic number', async () => {
  const made: [string, SimulatedOutcome][] = []
  for (const ending of ['102', '103', '104', '105', '106', '456']) {
    for (const outcome of ['SUCCESS', 'FAILED', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'REVERSED'] as const) {
      const id = await submit(`0754123${ending}`)
      assert.equal((await simulate(id, outcome)).status, 200)
      made.push([id, outcome])
    }
  }
  for (const hours of [0, 1, 12, 24, 48]) {
    world.deps.clock.advance(hours * 3_600_000)
    await world.work()
    for (const [id, outcome] of made) assert.equal(await statusOf(id), outcome, `${id} after ${hours} hours more`)
  }
  const ids = made.map(([id]) => id)
  const sent =
    'select 1 from payouts where withdrawal_id = any($1) and (provider_id is not null or send_token is not null)'
  assert.deepEqual(await world.rows(sent, [ids]), [])
  const states = await world.rows(
    `select w.status, p.state, p.due_at is null as at_rest, count(*)::int as n from payouts p join withdrawals w on w.id = p.withdrawal_id
     where w.id = any($1) group by 1, 2, 3 order by 1`,
    [ids],
  )
  assert.deepEqual(states, [
    { status: 'BLOCKED_IP_WHITELIST', state: 'blocked', at_rest: true, n: 6 },
    { status: 'FAILED', state: 'final', at_rest: true, n: 6 },
    { status: 'NEEDS_RECONCILIATION', state: 'asked', at_rest: false, n: 6 },
    { status: 'REVERSED', state: 'final', at_rest: true, n: 6 },
    { status: 'SUCCESS', state: 'final', at_rest: true, n: 6 },
  ])
})

test('an operator can retry a payout after a simulated block, and the server sends the payout to the provider', async () => {
  const id = await submit()
  await simulate(id, 'BLOCKED_IP_WHITELIST')
  const { provider_reference } = (await world.get(`/v1/disbursements/${id}`)).body.data
  await inTransaction(world.deps.db, (tx) =>
    retryWithdrawal(world.deps, tx, OPERATOR, { merchant_id: merchant.id, id }, APPROVER),
  )
  await world.work()
  const shown = (await world.get(`/v1/disbursements/${id}`)).body.data
  assert.deepEqual([shown.status, shown.provider_reference], ['SUCCESS', provider_reference])
})

test('the server refuses a simulation above the balance with 409 insufficient_balance, and the withdrawal stays pending', async () => {
  const of = await world.newMerchant()
  const own = await world.newKey({ merchant: of })
  await fund(world, { merchant: of, amount: '1000' })
  const [first, second] = [await submit(undefined, { key: own }), await submit(undefined, { key: own })]
  assert.equal((await simulate(first, 'NEEDS_RECONCILIATION', { key: own })).status, 200)
  for (const outcome of ['SUCCESS', 'FAILED', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'REVERSED'] as const) {
    const reply = await unchanged(world, () => simulate(second, outcome, { key: own }))
    assert.deepEqual(codeOf(reply), [409, 'insufficient_balance'])
    assert.equal(reply.body.error.details, null)
  }
  assert.equal((await simulate(second, 'INFO_REQUESTED', { key: own })).status, 200)
  assert.equal((await simulate(second, 'REJECTED', { key: own })).status, 200)
})

test('the server answers not_found to every simulation of a live withdrawal, by a key or a session', async () => {
  const id = await submit(undefined, { key: world.live_key })
  const { token } = await world.newSession('MERCHANT_ADMIN')
  for (const [caller_key, query] of [
    [world.live_key, ''],
    [key, ''],
    [token, ''],
    [token, '?environment=live'],
    [token, '?environment=sandbox'],
  ] as const) {
    for (const outcome of OUTCOMES) {
      const reply = await unchanged(world, () => simulate(id, outcome, { key: caller_key, query }))
      assert.deepEqual(codeOf(reply), [404, 'not_found'])
    }
  }
  assert.equal(await statusOf(id), 'PENDING_ADMIN_APPROVAL')
})

test('a merchant cannot simulate an outcome with a live key, not even of a sandbox withdrawal', async () => {
  const id = await submit()
  const reply = await unchanged(world, () => simulate(id, 'SUCCESS', { key: world.live_key }))
  assert.deepEqual(codeOf(reply), [404, 'not_found'])
})

test('a member can simulate sandbox outcomes in a session of either environment', async () => {
  for (const role of ['MERCHANT_ADMIN', 'FINANCE'] as const) {
    const { token } = await world.newSession(role)
    for (const query of ['', '?environment=live', '?environment=sandbox']) {
      const reply = await simulate(await submit(), 'SUCCESS', { key: token, query })
      assert.deepEqual([reply.status, reply.body.data?.environment], [200, 'sandbox'], reply.text)
    }
  }
})

test('the server refuses the simulation of an unknown, malformed or foreign id with not_found', async () => {
  const stranger = await world.newMerchant()
  await fund(world, { merchant: stranger, amount: '2000' })
  const foreign = await submit(undefined, { key: await world.newKey({ merchant: stranger }) })
  for (const id of [foreign, randomUUID(), 'x', 'W0000', '00000000-0000-0000-0000-000000000000']) {
    assert.deepEqual(codeOf(await unchanged(world, () => simulate(id, 'SUCCESS'))), [404, 'not_found'])
  }
  assert.equal((await simulate((await submit()).toUpperCase(), 'SUCCESS')).status, 200)
})

test('the server refuses the simulation of an unknown outcome with 400', async () => {
  const id = await submit()
  for (const outcome of ['PROCESSING', 'NEEDS_ADMIN_ATTENTION', 'success', '', null, undefined]) {
    const reply = await unchanged(world, () => simulate(id, outcome as SimulatedOutcome))
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'], String(outcome))
  }
})

test('a simulation with a repeated Idempotency-Key gets the same reply and simulates no second outcome', async () => {
  const id = await submit()
  const options = { idempotency_key: randomUUID() }
  const first = await simulate(id, 'SUCCESS', options)
  const again = await unchanged(world, () => simulate(id, 'SUCCESS', options))
  assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
  assert.deepEqual(codeOf(await simulate(id, 'REVERSED', options)), [422, 'idempotency_key_reused'])
})

test('the server accepts one of ten concurrent simulations on two processes, and the money moves once', async () => {
  const other = await createWorld({ url: world.url })
  try {
    const [available] = await balanceOf(world)
    const id = await submit()
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) => {
        const outcome = i % 3 === 0 ? 'FAILED' : 'SUCCESS'
        const url = `/v1/sandbox/disbursements/${id}/simulate`
        return (i % 2 ? world : other).post(url, { outcome }, { key, idempotency_key: null })
      }),
    )
    const won = replies.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    for (const reply of replies) {
      if (reply.status !== 200) assert.deepEqual(codeOf(reply), [409, 'invalid_state'])
    }
    assert.equal(await statusOf(id), won[0]?.body.data.status)
    const [left] = await balanceOf(world)
    const cost = won[0]?.body.data.status === 'SUCCESS' ? 1085 : 0
    assert.equal(Number(available) - Number(left), cost)
  } finally {
    await other.close()
  }
})

test('the audit entry of a simulated approval has the actor kind api_key', async () => {
  const id = await submit()
  await simulate(id, 'SUCCESS')
  const entries = await world.rows('select action, actor_kind from audit_log where target_id = $1 order by seq', [id])
  assert.deepEqual(entries, [
    { action: 'withdrawal.submit', actor_kind: 'api_key' },
    { action: 'withdrawal.approve', actor_kind: 'api_key' },
  ])
})
