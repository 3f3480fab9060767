// Tests that the server posts each fact once, whatever the source, the order and the repetition of a provider's answers.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createWorld, type TestDeps, type World } from '../../../test/harness.ts'
import {
  booksHold,
  fund,
  insertWithdrawal,
  newPayoutScript,
  payoutAnswers,
  payoutCallsOf,
  payoutOf,
  recordOf,
  scriptedProvider,
  traceOf,
  type WithdrawalFields,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import { settlePayouts } from './settle.ts'

const A = 100_000n
const provider = scriptedProvider(newPayoutScript())
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

/**
 * Creates an approved withdrawal of a merchant that subscribes to the events of a success, a failure and a reversal. This
 * process holds the lease of the payout.
 */
async function approved(fields: WithdrawalFields = {}): Promise<WithdrawalKey> {
  const merchant = fields.merchant ?? (await newSubscriber())
  const key = await insertWithdrawal(world, { ...fields, merchant })
  const { total_reserved_minor } = await recordOf(world, key)
  await fund(world, total_reserved_minor, { ...fields, merchant })
  await payoutCallsOf(world, provider, { sends: false }).approve(key)
  await leaseTo(key)
  return key
}

const EVENTS = ['disbursement.success', 'disbursement.failed', 'disbursement.reversed']
async function newSubscriber(events = EVENTS): Promise<Merchant> {
  const merchant = await world.newMerchant()
  const payload = { webhook_url: 'http://127.0.0.1:9/hook', events }
  for (const environment of ['live', 'sandbox'] as const) {
    const key = await world.newKey({ merchant, environment })
    const reply = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key })
    assert.equal(reply.status, 200, reply.text)
  }
  return merchant
}

/** Gives the lease of a payout to a process, as a claim by the worker does. */
async function leaseTo({ id }: WithdrawalKey, process_id = world.deps.process_id): Promise<void> {
  const until = new Date(world.deps.clock.now().getTime() + 15_000)
  await world.rows('update payouts set lease_owner = $2, due_at = $3 where withdrawal_id = $1', [id, process_id, until])
}

const settleAnswers = (
  key: WithdrawalKey,
  answers: readonly PayoutAnswer[],
  options: { hint?: boolean; of?: TestDeps } = {},
) =>
  settlePayouts(
    options.of ?? world.deps,
    answers.map((answer) => ({ ...key, answer, holds_lease: options.hint !== true })),
    () => false,
  )

/**
 * Returns the balances of the merchant's book that are not zero. The merchant's first money came through `provider_float`.
 */
async function book({ merchant_id }: WithdrawalKey): Promise<Record<string, bigint>> {
  const rows = await world.rows<{ code: string; balance_minor: bigint }>(
    "select code, balance_minor from ledger_accounts where merchant_id = $1 and environment = 'live' and balance_minor <> 0",
    [merchant_id],
  )
  return Object.fromEntries(rows.map((row) => [row.code, row.balance_minor]))
}

const CHARGES: WithdrawalFields = { percentage_fee_minor: 1_500n, flat_fee_minor: 200n, processor_charge_minor: 30n }
const PASSED: WithdrawalFields = { ...CHARGES, processor_fee_pass_through: true }

describe('books after the settlement of a payout', () => {
  for (const [name, fields, answers, expected, facts] of [
    ['a payout without charges', {}, [payoutAnswers.paid(A)], {}, ['reserved 100000', 'paid 100000']],
    [
      'a payout whose charge the merchant bears',
      PASSED,
      [payoutAnswers.paid(A)],
      { fee_income: 1_700n, provider_float: -1_700n },
      ['reserved 101730', 'paid 101730'],
    ],
    [
      'a payout whose charge we bear',
      CHARGES,
      [payoutAnswers.paid(A)],
      { fee_income: 1_700n, processor_cost: -30n, provider_float: -1_670n },
      ['reserved 101700', 'paid 101730'],
    ],
    [
      'a decline, which releases the whole reservation',
      PASSED,
      [payoutAnswers.declined],
      { available: 101_730n, provider_float: -101_730n },
      ['reserved 101730', 'released 101730'],
    ],
    [
      'a reversal that kept the provider’s charge, which the merchant bears',
      PASSED,
      [payoutAnswers.paid(A), payoutAnswers.reversed(A)],
      { available: 101_700n, provider_float: -101_700n },
      ['reserved 101730', 'paid 101730', 'reversed 101700'],
    ],
    [
      'a reversal that gave the provider’s charge back too',
      PASSED,
      [payoutAnswers.paid(A), payoutAnswers.reversed(A, true)],
      { available: 101_730n, provider_float: -101_730n },
      ['reserved 101730', 'paid 101730', 'reversed 101730'],
    ],
    [
      'a reversal that kept the provider’s charge, which we bear',
      CHARGES,
      [payoutAnswers.paid(A), payoutAnswers.reversed(A)],
      { available: 101_700n, processor_cost: -30n, provider_float: -101_670n },
      ['reserved 101700', 'paid 101730', 'reversed 101700'],
    ],
    [
      'a reversal that gave back a charge which we bear',
      CHARGES,
      [payoutAnswers.paid(A), payoutAnswers.reversed(A, true)],
      { available: 101_700n, provider_float: -101_700n },
      ['reserved 101700', 'paid 101730', 'reversed 101730'],
    ],
    [
      'a reversal of a payout without a recorded payment',
      PASSED,
      [payoutAnswers.reversed(A)],
      { available: 101_700n, provider_float: -101_700n },
      ['reserved 101730', 'paid 101730', 'reversed 101700'],
    ],
  ] as [string, WithdrawalFields, PayoutAnswer[], Record<string, bigint>, string[]][]) {
    test(`the books after ${name} are the same for single, repeated, batched and concurrent settlements`, async () => {
      const once = await approved(fields)
      for (const answer of answers) await settleAnswers(once, [answer])
      assert.deepEqual(await book(once), expected)
      assert.deepEqual((await traceOf(world, once)).facts, facts)

      const in_one_batch = await approved(fields)
      await settleAnswers(
        in_one_batch,
        answers.flatMap((answer) => [answer, answer]),
      )
      await settleAnswers(in_one_batch, [...answers, ...answers.slice(-1)])
      assert.deepEqual(await book(in_one_batch), expected)

      const by_many = await approved(fields)
      for (const answer of answers) {
        await Promise.all(
          Array.from({ length: 12 }, (_, i) =>
            settleAnswers(by_many, [answer], { hint: i % 3 > 0, of: (i % 2 ? world : other).deps }),
          ),
        )
      }
      assert.deepEqual(await book(by_many), expected)

      const outcomesOf = async (key: WithdrawalKey) => {
        const { moves, facts: posted, events, status } = await traceOf(world, key)
        return { moves, posted, events, status }
      }
      assert.deepEqual(await outcomesOf(in_one_batch), await outcomesOf(once))
      assert.deepEqual(await outcomesOf(by_many), await outcomesOf(once))
      assert.equal((await payoutOf(world, once))?.state, 'final')
    })
  }
})

describe('events about a payout', () => {
  test('the server queues one event for a success and one for a reversal, with the fields of the status', async () => {
    const key = await approved({ environment: 'sandbox' })
    await settleAnswers(key, [payoutAnswers.paid(A)])
    await settleAnswers(key, [payoutAnswers.paid(A)])
    await settleAnswers(key, [payoutAnswers.reversed(A)])
    const rows = await world.rows<{ body: string }>(
      'select body from webhook_deliveries where source_id = $1 order by source_seq',
      [key.id],
    )
    const now = world.deps.clock.now().toISOString()
    const [merchant] = await world.rows<{ merchant_code: string }>(
      'select merchant_code from merchants where id = $1',
      [key.merchant_id],
    )
    const body = {
      merchant_code: merchant?.merchant_code,
      disbursement_id: key.id,
      reference: null,
      merchant_reference: null,
      amount: '1000.00',
      currency: 'TZS',
      method: 'MOBILE_MONEY',
      timestamp: now,
      metadata: {},
      sandbox: true,
    }
    assert.deepEqual(
      rows.map((row) => JSON.parse(row.body)),
      [
        { event: 'disbursement.success', ...body, status: 'SUCCESS', completed_at: now },
        { event: 'disbursement.reversed', ...body, status: 'REVERSED', reversed_at: now },
      ],
    )
  })

  test('the event of a failure has the reason, and the event of a live withdrawal has no field sandbox', async () => {
    const key = await approved()
    await settleAnswers(key, [{ ...payoutAnswers.declined, reason: 'limit_exceeded' }])
    const [row] = await world.rows<{ body: string }>('select body from webhook_deliveries where source_id = $1', [
      key.id,
    ])
    const { failure_reason_code, failure_reason_message, failed_at, status, ...rest } = JSON.parse(row?.body ?? '')
    assert.deepEqual(
      { failure_reason_code, failure_reason_message, failed_at, status },
      {
        failure_reason_code: 'limit_exceeded',
        failure_reason_message: 'The payout is outside the limits of the receiving account.',
        failed_at: world.deps.clock.now().toISOString(),
        status: 'FAILED',
      },
    )
    assert.ok(!('sandbox' in rest) && !('test' in rest))
  })

  test('the money returns and the server queues no reversal event when the merchant does not subscribe to this event', async () => {
    const key = await approved({ merchant: await newSubscriber(EVENTS.slice(0, 2)) })
    await settleAnswers(key, [payoutAnswers.reversed(A)])
    const { events, status, available } = await traceOf(world, key)
    assert.deepEqual(
      { events, status, available },
      { events: ['disbursement.success'], status: 'REVERSED', available: A },
    )
  })
})

describe('sources of an answer', () => {
  const OPEN = { ...payoutAnswers, unknown_again: { ...payoutAnswers.unknown, ask_again_ms: 300 } }
  for (const name of ['accepted', 'blocked', 'not_sent', 'not_found', 'unknown', 'unknown_again'] as const) {
    test(`the answer "${name}" of a provider after a callback, or to a process without the lease, changes no status and ends no lease`, async () => {
      const key = await approved()
      const before = await payoutOf(world, key)
      const record = await recordOf(world, key)
      await settleAnswers(key, [OPEN[name]], { hint: true })
      await settleAnswers(key, [OPEN[name]], { of: other.deps })
      const { sent_at, provider_status, ...after } = (await payoutOf(world, key)) ?? {}
      const { sent_at: _, provider_status: __, ...was } = before ?? {}
      assert.deepEqual(after, was)
      assert.deepEqual(await recordOf(world, key), record)
      assert.equal(sent_at !== null, name === 'accepted', 'an acceptance counts from any source')
      assert.equal(provider_status, OPEN[name].provider_status)
    })
  }

  for (const answer of [payoutAnswers.paid(A), payoutAnswers.declined, payoutAnswers.reversed(A)]) {
    test(`the answer "${answer.kind}" of a provider after a callback settles the payout and ends the lease of another process`, async () => {
      const key = await approved()
      await leaseTo(key, other.deps.process_id)
      await settleAnswers(key, [answer], { hint: true })
      const { state, send_token, due_at, lease_owner } = (await payoutOf(world, key)) ?? {}
      assert.deepEqual(
        { state, send_token, due_at, lease_owner },
        { state: 'final', send_token: null, due_at: null, lease_owner: null },
      )
      for (const late of [
        payoutAnswers.accepted,
        payoutAnswers.blocked,
        payoutAnswers.not_sent,
        payoutAnswers.not_found,
        payoutAnswers.unknown,
      ]) {
        await settleAnswers(key, [late], { of: other.deps })
        assert.equal((await payoutOf(world, key))?.state, 'final', `${late.kind} comes late`)
      }
    })
  }

  test('the server writes no row for an answer about a withdrawal without an approval', async () => {
    const key = await insertWithdrawal(world)
    const before = await recordOf(world, key)
    await assert.rejects(settleAnswers(key, [payoutAnswers.paid(A)]), /broken invariant/)
    assert.deepEqual(await recordOf(world, key), before)
    assert.deepEqual((await traceOf(world, key)).moves, [])
  })
})

describe('providers that contradict themselves', () => {
  const movesAndStatusOf = (key: WithdrawalKey) =>
    traceOf(world, key).then(({ moves, status }) => ({ moves: moves.slice(1), status }))

  test('a withdrawal becomes NEEDS_ADMIN_ATTENTION once when the provider reports paid and then declined, even if the provider repeats both answers', async () => {
    const key = await approved()
    await settleAnswers(key, [payoutAnswers.paid(A), payoutAnswers.declined])
    for (let i = 0; i < 3; i++)
      await settleAnswers(key, [payoutAnswers.declined, payoutAnswers.paid(A)], { hint: true })
    assert.deepEqual(await movesAndStatusOf(key), {
      status: 'NEEDS_ADMIN_ATTENTION',
      moves: ['SUCCESS: succeeded 1000.00 TZS', 'NEEDS_ADMIN_ATTENTION: declined provider_declined'],
    })
    const { funds, available, reserved } = await traceOf(world, key)
    assert.deepEqual(
      { funds, available, reserved },
      { funds: 'paid', available: 0n, reserved: 0n },
      'no money has moved',
    )

    const hands = payoutCallsOf(world, provider)
    await hands.resolve(key, 'SUCCESS')
    await settleAnswers(key, [payoutAnswers.declined, payoutAnswers.paid(A)], { hint: true })
    assert.equal((await movesAndStatusOf(key)).status, 'SUCCESS', 'the operator knew this answer when deciding')
    await settleAnswers(key, [{ ...payoutAnswers.declined, reason: 'limit_exceeded' }], { hint: true })
    assert.equal((await movesAndStatusOf(key)).status, 'NEEDS_ADMIN_ATTENTION', 'another answer needs another decision')
  })

  test('the server does not take released money from the merchant again when the provider reports declined and then paid', async () => {
    const key = await approved()
    await settleAnswers(key, [payoutAnswers.declined])
    await settleAnswers(key, [payoutAnswers.paid(A)], { hint: true })
    await settleAnswers(key, [payoutAnswers.paid(A)], { hint: true })
    assert.deepEqual(await movesAndStatusOf(key), {
      status: 'NEEDS_ADMIN_ATTENTION',
      moves: ['FAILED: declined provider_declined', 'NEEDS_ADMIN_ATTENTION: succeeded 1000.00 TZS'],
    })
    const { funds, available } = await traceOf(world, key)
    assert.deepEqual({ funds, available }, { funds: 'released', available: A })
    await payoutCallsOf(world, provider).resolve(key, 'FAILED')
    await settleAnswers(key, [payoutAnswers.paid(A)], { hint: true })
    assert.equal((await movesAndStatusOf(key)).status, 'FAILED')
  })

  for (const answer of [
    payoutAnswers.paid(A + 1n),
    payoutAnswers.paid(A - 1n),
    payoutAnswers.paid(A, 'USD'),
    payoutAnswers.reversed(A - 1n),
  ]) {
    const reported = `${answer.kind} ${answer.amount_minor} ${answer.currency}`
    test(`no money moves and the withdrawal becomes NEEDS_ADMIN_ATTENTION when the provider reports "${reported}" for a payout of 1000.00 TZS`, async () => {
      const key = await approved()
      await settleAnswers(key, [answer])
      await settleAnswers(key, [answer], { hint: true })
      const { status, funds, facts, events, moves } = await traceOf(world, key)
      assert.deepEqual(
        { status, funds, facts, events, moves: moves.length },
        { status: 'NEEDS_ADMIN_ATTENTION', funds: 'reserved', facts: ['reserved 100000'], events: [], moves: 2 },
      )
      const paid = await approved()
      await settleAnswers(paid, [payoutAnswers.paid(A)])
      await settleAnswers(paid, [answer], { hint: true })
      assert.equal((await recordOf(world, paid)).status, 'NEEDS_ADMIN_ATTENTION')
    })
  }

  test('the server never treats a text of the merchant as a recorded answer of the provider', async () => {
    const merchant = await newSubscriber()
    await fund(world, A, { merchant })
    const key = await insertWithdrawal(world, { merchant })
    const hands = payoutCallsOf(world, provider, { sends: false })
    await hands.requestInfo(key, 'declined provider_declined')
    await hands.respond(key, 'declined provider_declined')
    await hands.approve(key)
    await settleAnswers(key, [payoutAnswers.paid(A)], { hint: true })
    await settleAnswers(key, [payoutAnswers.declined], { hint: true })
    assert.equal((await recordOf(world, key)).status, 'NEEDS_ADMIN_ATTENTION')
  })

  test('no answer moves money while the ledger differs from the record, and the withdrawal becomes NEEDS_ADMIN_ATTENTION', async () => {
    for (const [answer, expected] of [
      [payoutAnswers.paid(A), 'the ledger reserved 999.99 of 1000.00; the provider answered succeeded 1000.00 TZS'],
      [
        payoutAnswers.declined,
        'the ledger reserved 999.99 of 1000.00; the provider answered declined provider_declined',
      ],
    ] as const) {
      // The test uses a separate database, because the test leaves books that do not balance.
      const tampered = await createWorld({ compose: { providers: [provider] } })
      try {
        await fund(tampered, A)
        const key = await insertWithdrawal(tampered)
        await payoutCallsOf(tampered, provider, { sends: false }).approve(key)
        await tampered.rows('grant update on ledger_transfers to current_user')
        await tampered.rows('update ledger_transfers set amount_minor = amount_minor - 1 where source_id = $1', [
          key.id,
        ])
        const outcome = { ...key, answer, holds_lease: false }
        await settlePayouts(tampered.deps, [outcome], () => false)
        await settlePayouts(tampered.deps, [outcome], () => false)
        const { status, funds, facts, moves } = await traceOf(tampered, key)
        assert.deepEqual(
          { status, funds, facts, moves },
          {
            status: 'NEEDS_ADMIN_ATTENTION',
            funds: 'reserved',
            facts: ['reserved 99999'],
            moves: ['PROCESSING', `NEEDS_ADMIN_ATTENTION: ${expected}`],
          },
        )
      } finally {
        await tampered.close()
      }
    }
  })
})

describe('batches of answers', () => {
  test('batches of answers in opposite order settle the withdrawals of many merchants without a deadlock', async () => {
    const keys: WithdrawalKey[] = []
    for (let i = 0; i < 24; i++) keys.push(await approved({ amount_minor: 1_000n + BigInt(i) }))
    const outcomes = keys.map((key, i) => ({
      ...key,
      answer: i % 2 ? payoutAnswers.declined : payoutAnswers.paid(1_000n + BigInt(i)),
      holds_lease: true,
    }))
    await Promise.all([
      settlePayouts(world.deps, outcomes, () => false),
      settlePayouts(other.deps, outcomes.toReversed(), () => false),
      settlePayouts(other.deps, outcomes, () => false),
    ])
    for (const [i, key] of keys.entries()) {
      const { status, facts } = await traceOf(world, key)
      const amount = 1_000 + i
      assert.deepEqual(
        { status, facts },
        i % 2
          ? { status: 'FAILED', facts: [`reserved ${amount}`, `released ${amount}`] }
          : { status: 'SUCCESS', facts: [`reserved ${amount}`, `paid ${amount}`] },
      )
    }
  })

  test('a paid withdrawal has completed_at, and a failed withdrawal has no completed_at', async () => {
    const key = await approved()
    const paid_at = world.deps.clock.now()
    await settleAnswers(key, [payoutAnswers.paid(A)])
    assert.deepEqual((await recordOf(world, key)).completed_at, paid_at)
    world.deps.clock.advance(60_000)
    await settleAnswers(key, [payoutAnswers.declined], { hint: true })
    await payoutCallsOf(world, provider).resolve(key, 'SUCCESS')
    assert.deepEqual((await recordOf(world, key)).completed_at, paid_at)
    await settleAnswers(key, [payoutAnswers.paid(A + 5n)], { hint: true })
    await payoutCallsOf(world, provider).resolve(key, 'FAILED')
    const { completed_at, failure_reason_code, status_reason } = await recordOf(world, key)
    assert.deepEqual(
      { completed_at, failure_reason_code, status_reason },
      { completed_at: null, failure_reason_code: 'operator_resolved', status_reason: 'The bank told us' },
    )
  })
})
