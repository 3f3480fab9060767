// Tests that the server applies each operator's decision, except an approval, once, with its reason, history row and audit
// entry.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  type PayoutCalls,
  payoutAnswers,
  payoutCallsOf,
  payoutOf,
  recordOf,
  reverseCollection,
  scriptedProvider,
  traceOf,
  type WithdrawalFields,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { respond } from './review.ts'
import { settlePayouts } from './settle.ts'

const A = 100_000n
const TOTAL = 101_730n
const CHARGES: WithdrawalFields = {
  percentage_fee_minor: 1_500n,
  flat_fee_minor: 200n,
  processor_charge_minor: 30n,
  processor_fee_pass_through: true,
}
const script = newPayoutScript()
const provider = scriptedProvider(script)
let world: World
let hands: PayoutCalls
let idle: () => Promise<void>
before(async () => {
  world = await createWorld({ compose: { providers: [provider] } })
  hands = payoutCallsOf(world, provider)
  idle = () => world.system.payouts.task.idle()
})
after(async () => {
  await booksHold(world)
  await world.close()
})

/** Creates a withdrawal with charges for a new merchant, whose balance equals the amount and charges. */
async function submitted(): Promise<WithdrawalKey & { merchant: Merchant }> {
  const merchant = await world.newMerchant()
  await fund(world, TOTAL, { merchant })
  return { ...(await insertWithdrawal(world, { merchant, ...CHARGES })), merchant }
}

/** Creates an approved withdrawal about which the provider gives these answers. */
async function withdrawalAfter(
  first: PayoutAnswer,
  ...then: PayoutAnswer[]
): Promise<WithdrawalKey & { merchant: Merchant }> {
  const key = await submitted()
  script.payout = () => first
  await hands.approve(key)
  await idle()
  const { merchant_id, id } = key
  for (const answer of then)
    await settlePayouts(world.deps, [{ merchant_id, id, answer, holds_lease: false }], () => false)
  return key
}

const audits = ({ id }: WithdrawalKey) =>
  world.rows<{ action: string; reason: string | null; before: object; after: { status: string } }>(
    'select action, reason, before, after from audit_log where target_id = $1 order by seq',
    [id],
  )

/** Returns the balances of a merchant's book that are not zero. */
async function book({ merchant_id }: WithdrawalKey): Promise<Record<string, bigint>> {
  const rows = await world.rows<{ code: string; balance_minor: bigint }>(
    "select code, balance_minor from ledger_accounts where merchant_id = $1 and environment = 'live' and balance_minor <> 0",
    [merchant_id],
  )
  return Object.fromEntries(rows.map((row) => [row.code, row.balance_minor]))
}

/** Returns the stored state of a withdrawal, which a refused decision must not change. */
const storedState = async (key: WithdrawalKey) => ({
  record: await recordOf(world, key),
  trace: await traceOf(world, key),
  payout: await payoutOf(world, key),
  audits: await audits(key),
  book: await book(key),
})

const refused = (work: Promise<unknown>, code: string) =>
  assert.rejects(work, (error: { code?: string }) => error.code === code)

describe('withdrawals before their approval', () => {
  test('a rejection moves no money, and the withdrawal has the reason', async () => {
    const key = await submitted()
    const before = await book(key)
    await hands.reject(key, 'The name is another one')
    const { status, funds, status_reason, provider_reference } = await recordOf(world, key)
    assert.deepEqual(
      { status, funds, status_reason, provider_reference },
      { status: 'REJECTED', funds: 'none', status_reason: 'The name is another one', provider_reference: null },
    )
    assert.deepEqual(await book(key), before)
    assert.equal(await payoutOf(world, key), undefined)
    assert.deepEqual((await traceOf(world, key)).moves, ['REJECTED: The name is another one'])
    const [entry] = await audits(key)
    assert.deepEqual(
      [entry?.action, entry?.reason, entry?.before, entry?.after.status],
      ['withdrawal.reject', 'The name is another one', { status: 'PENDING_ADMIN_APPROVAL' }, 'REJECTED'],
    )
  })

  test('an operator can approve a withdrawal after two questions and two answers', async () => {
    const key = await submitted()
    await hands.requestInfo(key, 'Who is this?')
    assert.equal((await recordOf(world, key)).status_reason, 'Who is this?')
    await refused(hands.requestInfo(key, 'Once more'), 'invalid_state')
    await hands.respond(key, 'A supplier')
    const { status, status_reason } = await recordOf(world, key)
    assert.deepEqual({ status, status_reason }, { status: 'PENDING_ADMIN_APPROVAL', status_reason: null })
    await refused(hands.respond(key), 'invalid_state')
    await hands.requestInfo(key, 'Of what?')
    await hands.respond(key, 'Of maize')
    script.payout = () => payoutAnswers.paid(A)
    await hands.approve(key)
    await idle()
    assert.deepEqual((await traceOf(world, key)).moves, [
      'INFO_REQUESTED: Who is this?',
      'PENDING_ADMIN_APPROVAL: A supplier',
      'INFO_REQUESTED: Of what?',
      'PENDING_ADMIN_APPROVAL: Of maize',
      'PROCESSING',
      'SUCCESS: succeeded 1000.00 TZS',
    ])
    assert.equal((await audits(key)).length, 5)
  })

  test('only the merchant of the withdrawal can respond, in the environment of the withdrawal', async () => {
    const key = await submitted()
    await hands.requestInfo(key)
    const before = await storedState(key)
    const stranger = await world.newMerchant()
    const input = { id: key.id, message: 'It is mine' }
    for (const wrong of [
      { merchant_id: stranger.id, environment: 'live' },
      { merchant_id: key.merchant_id, environment: 'sandbox' },
    ]) {
      await refused(
        inTransaction(world.deps.db, (tx) => respond(world.deps, tx, hands.act, { ...input, ...wrong })),
        'not_found',
      )
    }
    assert.deepEqual(await storedState(key), before)
  })

  test('the server refuses an approval, rejection, question, resolution or retry of an unknown withdrawal with not_found', async () => {
    for (const id of [randomUUID(), 'x', '']) {
      const key = { merchant_id: world.merchant.id, id }
      for (const work of [
        () => hands.reject(key),
        () => hands.requestInfo(key),
        () => hands.resolve(key, 'SUCCESS'),
        () => hands.retry(key),
        () => hands.approve(key),
      ])
        await refused(work(), 'not_found')
    }
  })

  test('the server accepts one of several concurrent decisions about a withdrawal, and refuses the other decisions', async () => {
    const other = await createWorld({ url: world.url, compose: { providers: [provider] } })
    try {
      const elsewhere = payoutCallsOf(other, provider, { sends: false })
      for (let round = 0; round < 10; round++) {
        const key = await submitted()
        const results = await Promise.allSettled([
          elsewhere.approve(key),
          hands.reject(key),
          elsewhere.reject(key),
          hands.retry(key),
        ])
        const done = results.filter((result) => result.status === 'fulfilled')
        assert.equal(done.length, 1)
        for (const result of results)
          if (result.status === 'rejected') assert.equal(result.reason.code, 'invalid_state', String(result.reason))
        const { status, moves } = await traceOf(world, key)
        assert.equal(moves.length, 1)
        assert.equal((await payoutOf(world, key)) !== undefined, status === 'PROCESSING')
        assert.equal((await audits(key)).length, 1)
      }
    } finally {
      await other.close()
    }
  })
})

describe('decisions that the status does not allow', () => {
  const PLACES: [string, () => Promise<WithdrawalKey>, string[]][] = [
    ['PENDING_ADMIN_APPROVAL', submitted, ['approve', 'reject', 'requestInfo']],
    ['PROCESSING', () => withdrawalAfter(payoutAnswers.accepted), []],
    ['SUCCESS', () => withdrawalAfter(payoutAnswers.paid(A)), []],
    ['FAILED', () => withdrawalAfter(payoutAnswers.declined), []],
    ['REVERSED', () => withdrawalAfter(payoutAnswers.reversed(A)), []],
    ['NEEDS_RECONCILIATION', () => withdrawalAfter(payoutAnswers.unknown), ['resolve']],
    ['BLOCKED_IP_WHITELIST', () => withdrawalAfter(payoutAnswers.blocked), ['resolve', 'retry']],
    ['NEEDS_ADMIN_ATTENTION', () => withdrawalAfter(payoutAnswers.paid(A + 1n)), ['resolve']],
  ]
  for (const [status, make, allowed] of PLACES) {
    for (const verb of ['approve', 'reject', 'requestInfo', 'respond', 'resolve', 'retry'] as const) {
      if (allowed.includes(verb)) continue
      test(`the server refuses the decision ${verb} about a ${status} withdrawal and changes no row`, async () => {
        const key = await make()
        const before = await storedState(key)
        assert.equal(before.record.status, status)
        const call = {
          approve: () => hands.approve(key),
          reject: () => hands.reject(key),
          requestInfo: () => hands.requestInfo(key),
          respond: () => hands.respond(key),
          resolve: () => hands.resolve(key, 'SUCCESS'),
          retry: () => hands.retry(key),
        }[verb]
        await assert.rejects(call(), (error: { code: string; details?: unknown }) => {
          assert.deepEqual([error.code, error.details], ['invalid_state', { status }])
          return true
        })
        assert.deepEqual(await storedState(key), before)
      })
    }
  }
})

describe('resolutions of a payout', () => {
  const PAID = { fee_income: 1_700n, provider_float: -1_700n }
  const BACK = { available: TOTAL, provider_float: -TOTAL }
  for (const [place, make, outcome, facts, expected] of [
    ['in doubt', () => withdrawalAfter(payoutAnswers.unknown), 'SUCCESS', ['paid 101730'], PAID],
    ['in doubt', () => withdrawalAfter(payoutAnswers.unknown), 'FAILED', ['released 101730'], BACK],
    ['blocked', () => withdrawalAfter(payoutAnswers.blocked), 'SUCCESS', ['paid 101730'], PAID],
    ['blocked', () => withdrawalAfter(payoutAnswers.blocked), 'FAILED', ['released 101730'], BACK],
    ['paid in part', () => withdrawalAfter(payoutAnswers.paid(A - 1n)), 'SUCCESS', ['paid 101730'], PAID],
    ['paid in part', () => withdrawalAfter(payoutAnswers.paid(A - 1n)), 'FAILED', ['released 101730'], BACK],
    [
      'paid, then declined',
      () => withdrawalAfter(payoutAnswers.paid(A), payoutAnswers.declined),
      'SUCCESS',
      ['paid 101730'],
      PAID,
    ],
    [
      'paid, then declined',
      () => withdrawalAfter(payoutAnswers.paid(A), payoutAnswers.declined),
      'FAILED',
      ['paid 101730', 'reversed 101730'],
      BACK,
    ],
    [
      'declined, then paid',
      () => withdrawalAfter(payoutAnswers.declined, payoutAnswers.paid(A)),
      'SUCCESS',
      ['released 101730', 'paid_late 101730'],
      PAID,
    ],
    [
      'declined, then paid',
      () => withdrawalAfter(payoutAnswers.declined, payoutAnswers.paid(A)),
      'FAILED',
      ['released 101730'],
      BACK,
    ],
  ] as const) {
    test(`an operator who resolves a payout that is ${place} as ${outcome} makes the postings ${facts.join(' and ')} once, with the reason`, async () => {
      const key = await make()
      const before = await recordOf(world, key)
      await hands.resolve(key, outcome, 'BANK-1')
      assert.deepEqual(await book(key), expected)
      assert.deepEqual((await traceOf(world, key)).facts, ['reserved 101730', ...facts])
      const record = await recordOf(world, key)
      assert.deepEqual(
        [record.status, record.status_reason, record.failure_reason_code],
        [outcome, 'The bank told us', outcome === 'FAILED' ? 'operator_resolved' : null],
      )
      const { state, due_at, send_token, lease_owner, provider_id } = (await payoutOf(world, key)) ?? {}
      assert.deepEqual(
        { state, due_at, send_token, lease_owner, provider_id },
        { state: 'final', due_at: null, send_token: null, lease_owner: null, provider_id: 'BANK-1' },
      )
      const entry = (await audits(key)).at(-1)
      assert.equal(entry?.action, 'withdrawal.resolve')
      assert.deepEqual(entry?.before, { status: before.status })
      assert.equal(entry?.reason, 'The bank told us')
      const settled = await storedState(key)
      await refused(hands.resolve(key, outcome === 'SUCCESS' ? 'FAILED' : 'SUCCESS'), 'invalid_state')
      assert.deepEqual(await storedState(key), settled)
    })
  }

  test('the server refuses to resolve a payout as paid when the merchant spent the released money, until the balance suffices', async () => {
    const key = await withdrawalAfter(payoutAnswers.declined, payoutAnswers.paid(A))
    const { merchant } = key
    const spent = await insertWithdrawal(world, { merchant, amount_minor: 1n })
    script.payout = () => payoutAnswers.paid(1n)
    await hands.approve(spent)
    await idle()
    const before = await storedState(key)
    assert.equal(before.book.available, TOTAL - 1n)
    await refused(hands.resolve(key, 'SUCCESS'), 'insufficient_balance')
    assert.deepEqual(await storedState(key), before)
    await fund(world, 100n, { merchant })
    await hands.resolve(key, 'SUCCESS')
    assert.equal((await traceOf(world, key)).available, 99n)
  })

  test('the server resolves a payout as not paid but not as paid while the balance is below zero', async () => {
    const key = await withdrawalAfter(payoutAnswers.declined, payoutAnswers.paid(A))
    const [payment] = await world.rows<{ id: string }>('select id from collections where merchant_id = $1', [
      key.merchant_id,
    ])
    const other = await insertWithdrawal(world, { merchant: key.merchant, amount_minor: TOTAL })
    script.payout = () => payoutAnswers.paid(TOTAL)
    await hands.approve(other)
    await idle()
    await reverseCollection(world, payment?.id ?? '', key.merchant)
    assert.equal((await traceOf(world, key)).available, -TOTAL)
    await refused(hands.resolve(key, 'SUCCESS'), 'insufficient_balance')
    await hands.resolve(key, 'FAILED')
    assert.equal((await traceOf(world, key)).available, -TOTAL)
  })

  test('the server accepts one of two concurrent resolutions of a payout, and the money moves once', async () => {
    for (let round = 0; round < 8; round++) {
      const key = await withdrawalAfter(payoutAnswers.unknown)
      const results = await Promise.allSettled([hands.resolve(key, 'SUCCESS'), hands.resolve(key, 'FAILED')])
      assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
      assert.equal((await traceOf(world, key)).facts.length, 2)
    }
  })
})

describe('retries of a payout', () => {
  test('a retry sends the same reference, from the process of the request or from a worker', async () => {
    for (const sends of [true, false]) {
      const key = await withdrawalAfter(payoutAnswers.blocked)
      const { provider_reference } = await recordOf(world, key)
      script.sent.length = 0
      script.payout = () => payoutAnswers.paid(A)
      await payoutCallsOf(world, provider, { sends }).retry(key)
      await idle()
      if (!sends) {
        const { state, send_token, lease_owner, asks } = (await payoutOf(world, key)) ?? {}
        assert.ok(send_token)
        assert.deepEqual({ state, lease_owner, asks }, { state: 'to_send', lease_owner: null, asks: 0 })
        await world.work()
      }
      assert.equal(script.sent.filter((reference) => reference === provider_reference).length, 1)
      assert.equal((await recordOf(world, key)).status, 'SUCCESS')
    }
  })

  test('the server accepts one of three concurrent retries and sends the payout once', async () => {
    const key = await withdrawalAfter(payoutAnswers.blocked)
    script.sent.length = 0
    script.payout = () => payoutAnswers.accepted
    const results = await Promise.allSettled([hands.retry(key), hands.retry(key), hands.retry(key)])
    await idle()
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
    assert.equal(script.sent.length, 1)
  })

  test('the server refuses a retry while the payout is in progress', async () => {
    const key = await withdrawalAfter(payoutAnswers.blocked)
    const due_at = world.deps.clock.now()
    await world.rows("update payouts set state = 'asked', due_at = $2 where withdrawal_id = $1", [key.id, due_at])
    const before = await storedState(key)
    await refused(hands.retry(key), 'invalid_state')
    assert.deepEqual(await storedState(key), before)
    await world.rows("update payouts set state = 'blocked', due_at = null where withdrawal_id = $1", [key.id])
  })
})
