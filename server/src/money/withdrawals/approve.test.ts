// Tests that approvals reserve the money of each withdrawal once, and never reserve more than the balance.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  payoutCallsOf,
  payoutOf,
  recordOf,
  scriptedProvider,
  traceOf,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { idToBase32, Refusal, routingCodeOf } from '../../kernel/lib/index.ts'
import { approveWithdrawals, parsePayoutReference, payoutReference } from './approve.ts'
import { PAYOUT_LEASE_MS } from './store.ts'

const script = newPayoutScript()
const provider = scriptedProvider(script)
let world: World
let other: World
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  other = await createWorld({ url: world.url, compose: { providers: [provider] } })
})
after(async () => {
  await booksHold(world)
  await other.close()
  await world.close()
})

/** Approves a batch and sends no payouts. For each item, returns the status or the error code. */
async function approve(keys: readonly WithdrawalKey[], options: { of?: World; with?: Provider } = {}) {
  const { deps } = options.of ?? world
  const act = payoutCallsOf(world, provider).act
  const { find } = payoutCallsOf(world, options.with ?? provider).service.providers
  const approver = { find, canDispatch: () => false }
  const { answers } = await inTransaction(deps.db, (tx) =>
    approveWithdrawals(
      deps,
      tx,
      approver,
      keys.map((key) => ({ ...key, act })),
    ),
  )
  return answers.map((answer) => (answer instanceof Refusal ? answer.code : answer.status))
}

/** Returns the contents or the number of rows of six tables that an approval changes. */
const storedRows = () =>
  world.rows(
    `select (select json_agg(w order by id) from withdrawals w) as withdrawals,
       (select json_agg(p order by withdrawal_id) from payouts p) as payouts,
       (select count(*) from withdrawal_history) as history, (select count(*) from audit_log) as audit,
       (select count(*) from ledger_transfers) as transfers, (select json_agg(a order by merchant_id, environment, code) from ledger_accounts a) as accounts`,
  )

describe('approvals of a withdrawal', () => {
  test('an approval reserves amount and charges, makes one payout with a token, and records the operator', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 200_000n, { merchant })
    const key = await insertWithdrawal(world, {
      merchant,
      percentage_fee_minor: 1_500n,
      flat_fee_minor: 200n,
      processor_charge_minor: 30n,
      processor_fee_pass_through: true,
    })
    const submitted = await recordOf(world, key)
    assert.deepEqual(await approve([key]), ['PROCESSING'])
    const record = await recordOf(world, key)
    assert.deepEqual(record, {
      ...submitted,
      status: 'PROCESSING',
      version: 1,
      funds: 'reserved',
      provider_reference: `W${idToBase32(key.id)}`,
      transfer_id: record.transfer_id,
      approvals_required: 1,
    })
    const { due_at, send_token, ...payout } = (await payoutOf(world, key)) ?? {}
    assert.deepEqual(payout, {
      state: 'to_send',
      asks: 0,
      lease_owner: null,
      sent_at: null,
      provider_reference: record.provider_reference,
      provider_status: null,
      provider_id: null,
    })
    assert.ok(send_token)
    assert.deepEqual(due_at, world.deps.clock.now())
    const [sent] = await world.rows(
      `select method, destination_code, destination_identifier, destination_name, bank_name, amount_minor, currency, provider
       from payouts where withdrawal_id = $1`,
      [key.id],
    )
    assert.deepEqual(sent, {
      method: 'MOBILE_MONEY',
      destination_code: 'MPESA',
      destination_identifier: '255754123456',
      destination_name: 'Asha',
      bank_name: null,
      amount_minor: 100_000n,
      currency: 'TZS',
      provider: 'mock',
    })
    assert.deepEqual(await traceOf(world, key), {
      status: 'PROCESSING',
      funds: 'reserved',
      available: 98_270n,
      reserved: 101_730n,
      moves: ['PROCESSING'],
      facts: ['reserved 101730'],
      events: [],
    })
    const [transfer] = await world.rows(
      'select id, debit_code, credit_code from ledger_transfers where source_id = $1',
      [key.id],
    )
    assert.deepEqual(transfer, { id: record.transfer_id, debit_code: 'available', credit_code: 'reserved' })
    const [history] = await world.rows(
      'select actor_kind, actor_name from withdrawal_history where withdrawal_id = $1',
      [key.id],
    )
    assert.deepEqual(history, { actor_kind: 'operator', actor_name: 'operator@example.com' })
    const audits = await world.rows('select action, actor_kind, before, after from audit_log where target_id = $1', [
      key.id,
    ])
    assert.deepEqual(audits, [
      {
        action: 'withdrawal.approve',
        actor_kind: 'operator',
        before: { status: 'PENDING_ADMIN_APPROVAL' },
        after: {
          status: 'PROCESSING',
          environment: 'live',
          amount: '1000.00',
          total_reserved_amount: '1017.30',
          method: 'MOBILE_MONEY',
          destination_code: 'MPESA',
          destination_identifier: '0754 *** 456',
        },
      },
    ])
  })

  test('an approval succeeds when the balance equals the reservation, and fails when the balance is one cent lower', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 100_000n, { merchant })
    const [exact, more] = [await insertWithdrawal(world, { merchant }), await insertWithdrawal(world, { merchant })]
    const cent = await insertWithdrawal(world, { merchant, amount_minor: 99_999n, flat_fee_minor: 2n })
    assert.deepEqual(await approve([cent]), ['insufficient_balance'])
    assert.deepEqual(await approve([exact]), ['PROCESSING'])
    assert.deepEqual(await approve([more]), ['insufficient_balance'])
    assert.equal((await traceOf(world, exact)).available, 0n)
  })

  test('the server refuses only the approvals of a batch whose destination no configured provider reaches', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 500_000n, { merchant })
    const keys: WithdrawalKey[] = []
    for (let i = 0; i < 3; i++) keys.push(await insertWithdrawal(world, { merchant }))
    await world.rows(`update withdrawals set destination_code = 'AIRTEL' where id = $1`, [keys[1]?.id])
    const mpesa = { ...provider, capabilities: { ...provider.capabilities, destinations: ['MPESA'] } }
    assert.deepEqual(await approve(keys, { with: mpesa }), ['PROCESSING', 'provider_unavailable', 'PROCESSING'])
    assert.deepEqual(
      await approve([keys[1] as WithdrawalKey]),
      ['PROCESSING'],
      'once a provider reaches the destination',
    )
  })

  test('an approval changes no table when the status, merchant, environment or provider does not allow the approval', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 500_000n, { merchant })
    const sandbox_only = await world.newMerchant({ approved: false })
    await fund(world, 500_000n, { merchant: sandbox_only, environment: 'sandbox' })
    const waiting = await insertWithdrawal(world, { merchant })
    const approved = await insertWithdrawal(world, { merchant })
    await approve([approved])
    const rejected = await insertWithdrawal(world, { merchant })
    await payoutCallsOf(world, provider).reject(rejected)
    const unapproved = await insertWithdrawal(world, { merchant: sandbox_only })
    const stranger = await world.newMerchant()
    const before = await storedRows()
    for (const [key, code] of [
      [approved, 'invalid_state'],
      [rejected, 'invalid_state'],
      [unapproved, 'withdrawal_restricted'],
      [{ merchant_id: merchant.id, id: randomUUID() }, 'not_found'],
      [{ merchant_id: merchant.id, id: 'x' }, 'not_found'],
      [{ merchant_id: stranger.id, id: waiting.id }, 'not_found'],
    ] as const)
      assert.deepEqual(await approve([key]), [code])
    const elsewhere = { ...provider, capabilities: { ...provider.capabilities, payout_methods: [] } }
    assert.deepEqual(await approve([waiting], { with: elsewhere }), ['provider_unavailable'])
    assert.deepEqual(await storedRows(), before)

    const shillings = { ...provider, capabilities: { ...provider.capabilities, whole_shillings: true } }
    const cents = await insertWithdrawal(world, { merchant, amount_minor: 100_050n })
    assert.deepEqual(await approve([cents], { with: shillings }), ['provider_unavailable'])

    const sandbox = await insertWithdrawal(world, { merchant: sandbox_only, environment: 'sandbox' })
    assert.deepEqual(await approve([sandbox]), ['PROCESSING'], 'the sandbox is open to every merchant')
  })

  for (const [merchant_state, change] of [
    ['suspended', "status = 'SUSPENDED'"],
    ['no longer verified', 'verified = false'],
  ] as const) {
    test(`the server refuses an approval of live money, but not of sandbox money, while the merchant is ${merchant_state}`, async () => {
      const merchant = await world.newMerchant()
      await fund(world, 500_000n, { merchant })
      await fund(world, 500_000n, { merchant, environment: 'sandbox' })
      const live = await insertWithdrawal(world, { merchant })
      const sandbox = await insertWithdrawal(world, { merchant, environment: 'sandbox' })
      const [was] = await world.rows<{ status: string; verified: boolean }>(
        'select status, verified from merchants where id = $1',
        [merchant.id],
      )
      await world.rows(`update merchants set ${change} where id = $1`, [merchant.id])
      const before = await storedRows()
      assert.deepEqual(await approve([live]), ['withdrawal_restricted'])
      assert.deepEqual(await storedRows(), before)
      assert.deepEqual(await approve([sandbox]), ['PROCESSING'])
      await world.rows('update merchants set status = $2, verified = $3 where id = $1', [
        merchant.id,
        was?.status,
        was?.verified,
      ])
      assert.deepEqual(await approve([live]), ['PROCESSING'])
    })
  }

  test('an operator can approve a withdrawal before the merchant answers a question', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 100_000n, { merchant })
    const hands = payoutCallsOf(world, provider)
    const key = await insertWithdrawal(world, { merchant })
    await hands.requestInfo(key)
    assert.deepEqual(await approve([key]), ['PROCESSING'])
    assert.equal((await recordOf(world, key)).status_reason, null, 'the question is over')
  })
})

describe('batches of approvals', () => {
  test('a batch checks each approval against the balance after the earlier approvals, and a refused approval does not change other approvals', async () => {
    const merchant = await world.newMerchant()
    const rich = await world.newMerchant()
    await fund(world, 100_000n, { merchant })
    await fund(world, 100_000n, { merchant: rich })
    const of = (amount_minor: bigint, whose: Merchant = merchant) =>
      insertWithdrawal(world, { merchant: whose, amount_minor })
    const first = await of(60_000n)
    const keys = [first, await of(50_000n), await of(100_000n, rich), await of(40_000n), first, await of(1n)]
    assert.deepEqual(await approve(keys), [
      'PROCESSING',
      'insufficient_balance',
      'PROCESSING',
      'PROCESSING',
      'invalid_state',
      'insufficient_balance',
    ])
    assert.equal((await traceOf(world, first)).available, 0n)
    assert.equal((await traceOf(world, first)).reserved, 100_000n)
  })

  test('a batch reserves no sandbox money for a live withdrawal', async () => {
    const merchant = await world.newMerchant()
    await fund(world, 100_000n, { merchant, environment: 'sandbox' })
    const live = await insertWithdrawal(world, { merchant })
    const sandbox = await insertWithdrawal(world, { merchant, environment: 'sandbox' })
    assert.deepEqual(await approve([live, sandbox]), ['insufficient_balance', 'PROCESSING'])
  })

  test('a batch finds each withdrawal by its merchant when two approvals have the same withdrawal id', async () => {
    const merchant = await world.newMerchant()
    const stranger = await world.newMerchant()
    await fund(world, 1_000_000n, { merchant })
    for (const own_first of [true, false]) {
      const own = await insertWithdrawal(world, { merchant })
      const foreign = { merchant_id: stranger.id, id: own.id }
      const answers = await approve(own_first ? [own, foreign] : [foreign, own])
      assert.deepEqual(answers, own_first ? ['PROCESSING', 'not_found'] : ['not_found', 'PROCESSING'])
    }
  })

  test('two processes that approve forty withdrawals at the same time approve each withdrawal at most once, within the balance', async () => {
    const merchants = await Promise.all([world.newMerchant(), world.newMerchant()])
    const keys: WithdrawalKey[] = []
    for (const merchant of merchants) {
      await fund(world, 1_000_000n, { merchant })
      for (let i = 0; i < 20; i++) keys.push(await insertWithdrawal(world, { merchant }))
    }
    const desks = [world, other].map((of) => payoutCallsOf(of, provider, { sends: false }))
    const shuffled = () => [...keys].sort(() => Math.random() - 0.5)
    const results = await Promise.all(
      desks.flatMap((hands) =>
        shuffled().map((key) =>
          hands.approve(key).then(
            () => 'ok',
            (refusal) => refusal.code,
          ),
        ),
      ),
    )
    const count = (what: string) => results.filter((result) => result === what).length
    assert.equal(count('ok'), 20, 'ten of each merchant')
    assert.equal(count('ok') + count('invalid_state') + count('insufficient_balance'), 80)
    for (const merchant of merchants) {
      const [book] = await world.rows<{ available: bigint; reserved: bigint; payouts: bigint }>(
        `select sum(balance_minor) filter (where code = 'available')::bigint as available,
           sum(balance_minor) filter (where code = 'reserved')::bigint as reserved,
           (select count(*) from payouts p where p.merchant_id = $1) as payouts
         from ledger_accounts where merchant_id = $1 and environment = 'live'`,
        [merchant.id],
      )
      assert.deepEqual(book, { available: 0n, reserved: 1_000_000n, payouts: 10n })
    }
  })
})

describe('processes that die during an approval', () => {
  for (const [point, expected] of [
    ['approve.before_commit', 'PENDING_ADMIN_APPROVAL'],
    ['approve.after_commit', 'PROCESSING'],
  ] as const) {
    test(`a withdrawal is ${expected} after its process died at ${point}, and a worker sends the payout if the payout exists`, async () => {
      const merchant = await world.newMerchant()
      await fund(world, 100_000n, { merchant })
      const dying = await createWorld({
        url: world.url,
        compose: { providers: [provider] },
        point: (name) => {
          if (name === point) throw new Error('the process dies here')
        },
      })
      try {
        const key = await insertWithdrawal(world, { merchant })
        const sent = script.sent.length
        await assert.rejects(payoutCallsOf(dying, provider).approve(key), /dies here/)
        assert.equal((await recordOf(world, key)).status, expected)
        const payout = await payoutOf(world, key)
        const died_after = expected === 'PROCESSING'
        assert.equal(payout?.state, died_after ? 'to_send' : undefined)
        assert.equal(payout?.lease_owner, died_after ? dying.deps.process_id : undefined)
        assert.equal(script.sent.length, sent, 'the dead process sent no payout')
        world.deps.clock.advance(PAYOUT_LEASE_MS)
        await world.work()
        assert.deepEqual(
          script.sent.slice(sent).filter((reference) => reference === payoutReference(key.id)).length,
          died_after ? 1 : 0,
          'the lease has ended, and another process has sent it',
        )
      } finally {
        await dying.close()
      }
    })
  }
})

describe('references of payouts', () => {
  test('the reference of a payout contains the id of its withdrawal and the code of its merchant', async () => {
    const { id } = await insertWithdrawal(world)
    const { routing_code } = world.merchant
    assert.deepEqual(parsePayoutReference(payoutReference(id)), { routing_code, id })
    assert.equal(routingCodeOf(id), routing_code)
    for (const wrong of [
      '',
      'W',
      id,
      idToBase32(id),
      `X${idToBase32(id)}`,
      `W${idToBase32(id)}0`,
      `W${'Z'.repeat(26)}`,
    ])
      assert.equal(parsePayoutReference(wrong), null, wrong)
  })
})
