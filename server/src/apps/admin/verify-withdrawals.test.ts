// Tests the checks of verify about withdrawals. Each check accepts every status and finds each planted contradiction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Contradictions, oneRow, testContradictions } from '../../../test/contradictions.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import {
  fund,
  insertWithdrawal,
  newPayoutScript,
  payoutAnswers,
  payoutCallsOf,
  scriptedProvider,
  type WithdrawalFields,
  type WithdrawalKey,
} from '../../../test/payouts.ts'
import type { PayoutAnswer } from '../../adapters/providers/port.ts'
import type { Act } from '../../books/audit/index.ts'
import { payoutReference, settlePayouts } from '../../money/withdrawals/index.ts'
import { type Verification, verify } from './verify.ts'
import { WITHDRAWALS } from './verify-withdrawals.ts'

const AMOUNT = 100_000n
/** From this amount on, in cents, a withdrawal needs two operators. */
const FOUR_EYES_MINOR = 200_000n
const CHARGES: WithdrawalFields = { percentage_fee_minor: 1_500n, flat_fee_minor: 200n, processor_charge_minor: 30n }
const PASSED_THROUGH: WithdrawalFields = { ...CHARGES, processor_fee_pass_through: true }

/** A database with a withdrawal in every status. Each planted contradiction changes a copy of the database. */
let base: TestDatabase
let sound: Verification
before(async () => {
  base = await createTestDatabase()
  const script = newPayoutScript()
  const [live, sandbox] = [scriptedProvider(script), scriptedProvider(script, 'sandbox')]
  const env = { FOUR_EYES_AMOUNT: String(FOUR_EYES_MINOR / 100n) }
  const compose = { providers: [live, sandbox] }
  const world = await createWorld({ url: base.url, compose })
  const careful = await createWorld({ url: base.url, env, compose })
  const answers = new Map<string, PayoutAnswer>()
  script.payout = ({ reference }) => answers.get(reference) ?? payoutAnswers.accepted
  const hands = payoutCallsOf(world, live)
  const events = ['disbursement.success', 'disbursement.failed', 'disbursement.reversed']
  for (const key of [world.sandbox_key, world.live_key]) {
    await world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      payload: { webhook_url: 'http://127.0.0.1:9/hook', events },
      key,
    })
  }
  for (const environment of ['live', 'sandbox'] as const) {
    for (const fields of [PASSED_THROUGH, CHARGES, {}])
      await makeWithdrawals(world, environment, { hands, answers, fields })
  }
  for (const environment of ['live', 'sandbox'] as const) {
    await makeLargeWithdrawals(careful, environment, payoutCallsOf(careful, live))
  }
  for (const one of [world, careful]) {
    await one.system.payouts.task.idle()
    await one.close()
  }
  sound = await verify(base.url)
})
after(() => base.drop())

/** Makes withdrawals in every status, on several paths. */
async function makeWithdrawals(
  world: World,
  environment: 'live' | 'sandbox',
  of: { hands: ReturnType<typeof payoutCallsOf>; answers: Map<string, PayoutAnswer>; fields?: WithdrawalFields },
): Promise<void> {
  const { hands, answers, fields = {} } = of
  await fund(world, 30n * 101_730n, { environment })
  const submit = () => insertWithdrawal(world, { ...fields, environment })
  const settle = (key: WithdrawalKey, answer: PayoutAnswer) =>
    settlePayouts(world.deps, [{ ...key, answer, holds_lease: false }], () => false)
  const approve = async (answer: PayoutAnswer, ...later: PayoutAnswer[]): Promise<WithdrawalKey> => {
    const key = await submit()
    answers.set(payoutReference(key.id), answer)
    await hands.approve(key)
    await world.system.payouts.task.idle()
    for (const next of later) await settle(key, next)
    return key
  }
  // The server reserves no money for the following withdrawals.
  await submit()
  await hands.requestInfo(await submit())
  const questioned = await submit()
  for (let i = 0; i < 2; i++) {
    await hands.requestInfo(questioned)
    await hands.respond(questioned)
  }
  await hands.reject(await submit())
  await hands.cancel(await submit())
  // The server has reserved money for the following withdrawals. An operator recalls one of them.
  const unsent = payoutCallsOf(world, scriptedProvider(newPayoutScript()), { sends: false })
  await unsent.approve(await submit())
  const recalled = await submit()
  await unsent.approve(recalled)
  await hands.recall(recalled)
  await approve(payoutAnswers.accepted)
  await approve(payoutAnswers.unknown)
  const retried = await approve(payoutAnswers.blocked)
  await hands.retry(retried)
  await world.system.payouts.task.idle()
  await approve(payoutAnswers.paid(AMOUNT + 1n))
  // The answer of the provider ends the following withdrawals.
  await approve(payoutAnswers.paid(AMOUNT))
  await approve(payoutAnswers.declined)
  await approve(payoutAnswers.paid(AMOUNT), payoutAnswers.reversed(AMOUNT))
  await approve(
    payoutAnswers.paid(AMOUNT),
    payoutAnswers.reversed(AMOUNT, true),
    payoutAnswers.paid(AMOUNT),
    payoutAnswers.reversed(AMOUNT - 1n),
  )
  await approve(payoutAnswers.reversed(AMOUNT))
  // The provider contradicts its first answer about the following withdrawals. Afterwards an operator resolves some of them.
  await approve(payoutAnswers.paid(AMOUNT), payoutAnswers.declined)
  await approve(payoutAnswers.declined, payoutAnswers.paid(AMOUNT))
  for (const outcome of ['SUCCESS', 'FAILED'] as const) {
    await hands.resolve(await approve(payoutAnswers.unknown), outcome)
    await hands.resolve(await approve(payoutAnswers.blocked), outcome)
    await hands.resolve(await approve(payoutAnswers.paid(AMOUNT), payoutAnswers.declined), outcome)
    await hands.resolve(await approve(payoutAnswers.declined, payoutAnswers.paid(AMOUNT)), outcome)
  }
  const late = await approve(payoutAnswers.declined, payoutAnswers.paid(AMOUNT))
  await hands.resolve(late, 'SUCCESS')
  await settle(late, payoutAnswers.reversed(AMOUNT))
}

/**
 * Makes withdrawals that need two operators: with one approval, with two approvals, and with one approval before and two after
 * a question.
 */
async function makeLargeWithdrawals(
  world: World,
  environment: 'live' | 'sandbox',
  hands: ReturnType<typeof payoutCallsOf>,
): Promise<void> {
  await fund(world, 4n * FOUR_EYES_MINOR, { environment })
  const acts: Act[] = []
  for (let i = 0; i < 2; i++) {
    const { user_id: id, email: name } = await world.newSession('SUPER_ADMIN')
    acts.push({ actor: { kind: 'operator', id, name } })
  }
  const [first, second] = acts as [Act, Act]
  const submit = () => insertWithdrawal(world, { amount_minor: FOUR_EYES_MINOR, environment })
  await hands.service.approve({ ...(await submit()), act: first })
  const both = await submit()
  const questioned = await submit()
  for (const act of [first, second])
    await hands.service.approve({ ...both, act, reason: `Checked by ${act.actor.name}` })
  await hands.service.approve({ ...questioned, act: second })
  await hands.requestInfo(questioned)
  for (const act of [first, second]) await hands.service.approve({ ...questioned, act })
}

test('every invariant is true for a database with a withdrawal in every status', async () => {
  assert.deepEqual(
    sound.checks.filter((check) => !check.ok),
    [],
  )
  const client = await createWorld({ url: base.url })
  try {
    const states = await client.rows<{ state: string }>(
      "select distinct status || ' ' || funds as state from withdrawals order by 1",
    )
    assert.deepEqual(
      states.map((row) => row.state),
      [
        'BLOCKED_IP_WHITELIST reserved',
        'CANCELLED none',
        'CANCELLED released',
        'FAILED released',
        'FAILED returned',
        'INFO_REQUESTED none',
        'NEEDS_ADMIN_ATTENTION paid',
        'NEEDS_ADMIN_ATTENTION released',
        'NEEDS_ADMIN_ATTENTION reserved',
        'NEEDS_RECONCILIATION reserved',
        'PENDING_ADMIN_APPROVAL none',
        'PROCESSING reserved',
        'REJECTED none',
        'REVERSED returned',
        'SUCCESS paid',
      ],
    )
  } finally {
    await client.close()
  }
})

const withdrawal = (status: string, more = 'true') => oneRow('withdrawals', `status = '${status}' and ${more}`)
const payout = (condition: string) => oneRow('payouts', condition)
const payoutOf = (status: string) => payout(`withdrawal_id in (select id from withdrawals where status = '${status}')`)
const transfer = (condition: string) => oneRow('ledger_transfers', condition)
const history = (condition: string) => oneRow('withdrawal_history', condition)
/** Returns an SQL condition for one approval of a withdrawal in PROCESSING that needs this number of approvals. */
const approval = (required: number, environment: string, more = 'true') =>
  oneRow(
    'withdrawal_approvals',
    `${more} and withdrawal_id in (select id from withdrawals where status = 'PROCESSING'
       and approvals_required = ${required} and environment = '${environment}')`,
  )
/** The SQL condition for the audit entries of approvals. */
const APPROVAL_AUDITED = "action in ('withdrawal.approve', 'withdrawal.first_approve')"
/** The SQL condition for approvals after the last question to the merchant. */
const VALID = `version >= coalesce((select max(h.seq) from withdrawal_history h
  where h.withdrawal_id = withdrawal_approvals.withdrawal_id and h.to_status = 'INFO_REQUESTED'), 0)`
const WITHOUT_CONSTRAINTS = `alter table withdrawals drop constraint withdrawals_funds_check;
  alter table withdrawals drop constraint withdrawals_approved_check;
  alter table withdrawals drop constraint withdrawals_failure_check;
  alter table withdrawals drop constraint withdrawals_charges_check;
  alter table withdrawals drop constraint withdrawals_amount_check;`

const PLANTS: Contradictions = {
  'The reserved balance equals the sum of the withdrawals whose funds are reserved': [
    `update withdrawals set amount_minor = amount_minor + 1, total_reserved_minor = total_reserved_minor + 1 where ${withdrawal('PROCESSING')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'released' where ${withdrawal('BLOCKED_IP_WHITELIST')}`,
    `update withdrawals set environment = case environment when 'live' then 'sandbox' else 'live' end where ${withdrawal('PROCESSING')}`,
    "update ledger_accounts set balance_minor = balance_minor + 1 where code = 'reserved'",
  ],
  'The transfers of every withdrawal match its record, each exactly once, and none exists before its approval': [
    // Each of these SQL statements removes a transfer.
    ...['reserved', 'paid', 'released', 'paid_late', 'reversed'].map(
      (fact) => `delete from ledger_transfers where ${transfer(`posting = 'withdrawal_${fact}' and leg = 0`)}`,
    ),
    ...['paid', 'paid_late', 'reversed'].map(
      (fact) => `delete from ledger_transfers where ${transfer(`posting = 'withdrawal_${fact}' and leg = 1`)}`,
    ),
    `delete from ledger_transfers where ${transfer("posting = 'withdrawal_paid' and leg = 2")}`,
    // Each of these SQL statements makes a transfer that does not fit its withdrawal.
    `${WITHOUT_CONSTRAINTS} update withdrawals set status = 'INFO_REQUESTED', funds = 'none' where ${withdrawal('PROCESSING')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'paid' where ${withdrawal('FAILED', "funds = 'released'")}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'paid' where ${withdrawal('REVERSED')}`,
    `update ledger_transfers set source_id = gen_random_uuid() where ${transfer("posting = 'withdrawal_paid' and leg = 0")}`,
    `update ledger_transfers set merchant_id = gen_random_uuid() where ${transfer("posting = 'withdrawal_reserved'")}`,
    `update ledger_transfers set environment = case environment when 'live' then 'sandbox' else 'live' end, sequence = sequence + 1000 where ${transfer("posting = 'withdrawal_reserved'")}`,
    // Each of these SQL statements repeats a transfer.
    `alter table ledger_transfers drop constraint ledger_transfers_once_key;
     insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid()))).* from ledger_transfers t where ${transfer("posting = 'withdrawal_paid' and leg = 0")}`,
    `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'sequence', t.sequence + 1000, 'posting', 'withdrawal_released'))).* from ledger_transfers t
     where ${transfer("posting = 'withdrawal_paid' and leg = 0")}`,
    // Each of these SQL statements changes the amount or an account of a transfer.
    ...['reserved', 'paid', 'released', 'paid_late', 'reversed'].map(
      (fact) =>
        `update ledger_transfers set amount_minor = amount_minor + 1 where ${transfer(`posting = 'withdrawal_${fact}' and leg = 0`)}`,
    ),
    `update ledger_transfers set amount_minor = amount_minor - 1 where ${transfer("posting = 'withdrawal_paid' and leg = 1")}`,
    `update ledger_transfers set amount_minor = amount_minor - 1 where ${transfer("posting = 'withdrawal_reversed' and leg = 2")}`,
    `update ledger_transfers set debit_code = 'processor_cost' where ${transfer("posting = 'withdrawal_paid' and leg = 2 and debit_code = 'reserved'")}`,
    `update ledger_transfers set debit_code = 'reserved' where ${transfer("posting = 'withdrawal_paid' and leg = 2 and debit_code = 'processor_cost'")}`,
    `update ledger_transfers set credit_code = 'fee_income' where ${transfer("posting = 'withdrawal_paid' and leg = 0")}`,
    // These SQL statements make the amounts of the withdrawal differ from the amounts of the posting.
    `update withdrawals set percentage_fee_minor = percentage_fee_minor + 1, flat_fee_minor = flat_fee_minor - 1, amount_minor = amount_minor - 1,
       total_reserved_minor = total_reserved_minor - 1 where ${withdrawal('SUCCESS', 'flat_fee_minor > 0')}`,
  ],
  'The transaction of a withdrawal is the transfer that reserved its money': [
    `update withdrawals set transfer_id = gen_random_uuid() where ${withdrawal('PROCESSING')}`,
    `update withdrawals w set transfer_id = (select id from ledger_transfers t where t.source_id = w.id and posting = 'withdrawal_paid' and leg = 0) where ${withdrawal('SUCCESS', "funds = 'paid' and id in (select source_id from ledger_transfers where posting = 'withdrawal_paid')")}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set transfer_id = null where ${withdrawal('PROCESSING')}`,
  ],
  'The frozen charges of every withdrawal equal the sum of their parts': [
    ...['total_charges_minor', 'total_reserved_minor', 'flat_fee_minor', 'percentage_fee_minor'].map(
      (column) =>
        `${WITHOUT_CONSTRAINTS} update withdrawals set ${column} = ${column} + 1 where ${withdrawal('PENDING_ADMIN_APPROVAL')}`,
    ),
    `${WITHOUT_CONSTRAINTS} update withdrawals set processor_fee_pass_through = not processor_fee_pass_through where ${withdrawal('PENDING_ADMIN_APPROVAL', 'processor_charge_minor > 0')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set flat_fee_minor = -1, percentage_fee_minor = percentage_fee_minor + flat_fee_minor + 1 where ${withdrawal('PENDING_ADMIN_APPROVAL')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set amount_minor = 0, total_reserved_minor = total_charges_minor where ${withdrawal('PENDING_ADMIN_APPROVAL')}`,
  ],
  'The status of every withdrawal agrees with its funds, failure reason and completion time': [
    `${WITHOUT_CONSTRAINTS} update withdrawals set failure_reason_code = null where ${withdrawal('FAILED')}`,
    `update withdrawals set failure_reason_code = 'provider_declined' where ${withdrawal('SUCCESS')}`,
    `update withdrawals set completed_at = null where ${withdrawal('SUCCESS')}`,
    `update withdrawals set completed_at = updated_at where ${withdrawal('FAILED')}`,
    `update withdrawals set completed_at = updated_at where ${withdrawal('PROCESSING')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'reserved' where ${withdrawal('SUCCESS')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'paid' where ${withdrawal('REVERSED')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'returned' where ${withdrawal('NEEDS_ADMIN_ATTENTION')}`,
    `${WITHOUT_CONSTRAINTS} update withdrawals set funds = 'reserved' where ${withdrawal('CANCELLED', "funds = 'released'")}`,
  ],
  'A provider reference belongs to one payment or one payout': [
    `update payouts p set provider_reference = (select provider_reference from payouts o where o.withdrawal_id <> p.withdrawal_id
       order by created_at, withdrawal_id limit 1) where ${payoutOf('SUCCESS')}`,
    `update payouts set provider_reference = (select provider_reference from collection_attempts limit 1) where ${payoutOf('SUCCESS')}`,
  ],
  'Every approved withdrawal has its payout with the same amount, destination and reference': [
    `delete from payouts where ${payoutOf('PROCESSING')}`,
    `insert into payouts select (json_populate_record(p, json_build_object('withdrawal_id', (select id from withdrawals where status = 'PENDING_ADMIN_APPROVAL' limit 1)))).*
     from payouts p where ${payoutOf('PROCESSING')}`,
    `insert into payouts select (json_populate_record(p, json_build_object('withdrawal_id', (select id from withdrawals where status = 'REJECTED' limit 1)))).*
     from payouts p where ${payoutOf('SUCCESS')}`,
    ...[
      'merchant_id = gen_random_uuid()',
      'amount_minor = amount_minor + 1',
      "environment = 'elsewhere'",
      "currency = 'USD'",
      "method = 'BANK_ACCOUNT'",
      "destination_code = 'AIRTEL'",
      "destination_identifier = '255754999999'",
      "destination_name = 'Juma'",
      'destination_name = null',
      "bank_name = 'A bank'",
      "provider_reference = 'another'",
    ].map((change) => `update payouts set ${change} where ${payoutOf('PROCESSING')}`),
    `update withdrawals set destination_identifier = '255754999999' where ${withdrawal('PROCESSING')}`,
  ],
  'No sandbox payout was sent to a live provider': [
    `update payouts set provider = 'mock' where ${payout("environment = 'sandbox'")}`,
  ],
  'The payout of every open withdrawal is due or blocked, and a payout in doubt is never sent again': [
    `update payouts set due_at = null where ${payoutOf('PROCESSING')}`,
    `update payouts set due_at = null where ${payoutOf('NEEDS_RECONCILIATION')}`,
    `update payouts set state = 'final' where ${payout("state = 'asked' and withdrawal_id in (select id from withdrawals where status = 'PROCESSING')")}`,
    `update payouts set state = 'to_send', send_token = gen_random_uuid() where ${payoutOf('NEEDS_RECONCILIATION')}`,
    `update payouts set state = 'sending' where ${payoutOf('NEEDS_RECONCILIATION')}`,
    `update payouts set state = 'to_send', send_token = gen_random_uuid(), due_at = created_at where ${payoutOf('SUCCESS')}`,
    `update payouts set state = 'sending', due_at = created_at where ${payoutOf('FAILED')}`,
    `update payouts set due_at = created_at where ${payoutOf('BLOCKED_IP_WHITELIST')}`,
    `update payouts set state = 'blocked' where ${payoutOf('NEEDS_ADMIN_ATTENTION')}`,
    `update payouts set due_at = created_at where ${payoutOf('SUCCESS')}`,
  ],
  'Every withdrawal belongs to a merchant, and every history row belongs to a withdrawal': [
    `update withdrawal_history set merchant_id = gen_random_uuid() where ${history('true')}`,
    `update withdrawal_history set withdrawal_id = gen_random_uuid() where ${history('true')}`,
    `update withdrawals set merchant_id = gen_random_uuid() where ${withdrawal('PENDING_ADMIN_APPROVAL')}`,
  ],
  'Every status move of a withdrawal is allowed for its actor, and the history ends at its status': [
    // The table of moves does not permit these moves, or permits them only to another actor or with another event.
    `update withdrawal_history set to_status = 'PENDING_ADMIN_APPROVAL' where ${history("to_status = 'FAILED'")}`,
    `update withdrawal_history set to_status = 'SUCCESS' where ${history("to_status = 'PROCESSING'")}`,
    `update withdrawal_history set actor_kind = 'provider' where ${history("to_status = 'PROCESSING'")}`,
    `update withdrawal_history set actor_kind = 'operator' where ${history("from_status = 'PROCESSING' and to_status = 'SUCCESS'")}`,
    ...['user', 'api_key', 'command', 'system'].map(
      (kind) =>
        `update withdrawal_history set actor_kind = '${kind}' where ${history(
          "to_status = 'PROCESSING' and withdrawal_id in (select id from withdrawals where environment = 'live')",
        )}`,
    ),
    `update withdrawal_history set event = 'disbursement.failed' where ${history("event = 'disbursement.success'")}`,
    `update withdrawal_history set event = 'disbursement.success' where ${history("to_status = 'PROCESSING'")}`,
    // These rows of the history do not change the status.
    `update withdrawal_history set reason = null where ${history('from_status = to_status')}`,
    `update withdrawal_history set event = 'disbursement.success' where ${history('from_status = to_status')}`,
    // These SQL statements break the order of the history, or make the withdrawal differ from the end of its history.
    `update withdrawal_history set from_status = 'PROCESSING' where ${history("to_status = 'CANCELLED' and from_status <> 'PROCESSING'")}`,
    `delete from withdrawal_history where ${history("seq = 1 and to_status = 'PROCESSING'")}`,
    `update withdrawal_history set seq = seq + 1 where ${history("to_status = 'REVERSED'")}`,
    `update withdrawals set version = version + 1 where ${withdrawal('SUCCESS')}`,
    `update withdrawals set status = 'INFO_REQUESTED' where ${withdrawal('PENDING_ADMIN_APPROVAL', 'version = 0')}`,
    `update withdrawals set status = 'NEEDS_RECONCILIATION' where ${withdrawal('PROCESSING')}`,
  ],
  'Every recorded event of a withdrawal has its delivery, and every delivery has its event': [
    `delete from webhook_deliveries where ${oneRow('webhook_deliveries', "source_type = 'withdrawal'")}`,
    `update withdrawal_history set event = null where ${history('event is not null')}`,
    `update webhook_deliveries set event = 'disbursement.reversed' where ${oneRow('webhook_deliveries', "event = 'disbursement.success'")}`,
    `update webhook_deliveries set source_seq = source_seq + 5 where ${oneRow('webhook_deliveries', "source_type = 'withdrawal'")}`,
  ],
  'Every decision about a withdrawal has exactly one audit entry, with its actor and reason': [
    ...['approve', 'reject', 'cancel', 'recall', 'request_info', 'respond', 'retry', 'resolve'].map(
      (verb) => `delete from audit_log where ${oneRow('audit_log', `action = 'withdrawal.${verb}'`)}`,
    ),
    `insert into audit_log select (json_populate_record(l, json_build_object('seq', l.seq + 100000))).* from audit_log l where ${oneRow('audit_log', "action = 'withdrawal.approve'")}`,
    `update audit_log set actor_id = 'another' where ${oneRow('audit_log', "action = 'withdrawal.approve'")}`,
    `update audit_log set actor_name = 'another' where ${oneRow('audit_log', "action = 'withdrawal.resolve'")}`,
    `update audit_log set reason = 'another' where ${oneRow('audit_log', "action = 'withdrawal.reject'")}`,
    `update audit_log set action = 'withdrawal.approve' where ${oneRow('audit_log', "action = 'withdrawal.retry'")}`,
    `update audit_log set after = '{"status": "FAILED"}' where ${oneRow('audit_log', "action = 'withdrawal.resolve' and after ->> 'status' = 'SUCCESS'")}`,
    `update audit_log set target_id = gen_random_uuid()::text where ${oneRow('audit_log', "action = 'withdrawal.approve'")}`,
  ],
  'Every payout has the approvals that its amount requires, and neither of two approvals is by the submitter': [
    ...['live', 'sandbox'].flatMap((environment) => [
      `delete from withdrawal_approvals where ${approval(2, environment, VALID)}`,
      `update withdrawal_approvals set version = version - 1 where ${approval(2, environment, 'version = 1')}`,
      `delete from withdrawal_approvals where ${approval(1, environment, VALID)}`,
    ]),
    `update withdrawals set requested_by_id = (select min(operator_id::text) from withdrawal_approvals a where a.withdrawal_id = id)
     where ${withdrawal('PROCESSING', 'approvals_required = 2')}`,
    `update withdrawals set approvals_required = null, four_eyes_minor = null where ${withdrawal('PROCESSING')}`,
    `alter table withdrawals drop constraint withdrawals_approvals_check;
     update withdrawals set approvals_required = 1 where ${withdrawal('PROCESSING', 'approvals_required = 2')}`,
    // A person with access to the database could lower the limit. The SQL statement simulates such a change.
    `update withdrawals set approvals_required = 2, four_eyes_minor = 1 where ${withdrawal('SUCCESS')}`,
  ],
  'Every approval of a withdrawal is in the audit log with its reason, and no approval is only there': [
    // An operator may approve before and after a question. So the SQL statement deletes all approval entries of the operator
    // about the withdrawal.
    ...['approve', 'first_approve'].map(
      (verb) => `delete from audit_log where ${APPROVAL_AUDITED} and (target_id, actor_id) = (
         select target_id, actor_id from audit_log where action = 'withdrawal.${verb}' limit 1)`,
    ),
    `delete from withdrawal_approvals where (withdrawal_id, operator_id) = (
       select withdrawal_id, operator_id from withdrawal_approvals where version = 0 limit 1)`,
    `update withdrawal_approvals set operator_id = gen_random_uuid() where (withdrawal_id, operator_id) = (
       select withdrawal_id, operator_id from withdrawal_approvals limit 1)`,
    `update withdrawal_approvals set reason = 'another' where (withdrawal_id, operator_id) = (
       select withdrawal_id, operator_id from withdrawal_approvals where reason is null limit 1)`,
    `update withdrawal_approvals set reason = null where reason is not null`,
    `update audit_log set reason = 'another' where action = 'withdrawal.first_approve' and reason is not null`,
    `update audit_log set actor_id = 'another' where ${APPROVAL_AUDITED} and (target_id, actor_id) = (
       select target_id, actor_id from audit_log where action = 'withdrawal.first_approve' limit 1)`,
  ],
  // A wrong withdrawal can also break the following checks of the whole ledger and of webhooks.
  'Only a reversal takes the available balance below zero': [
    `update ledger_transfers set debit_balance_minor = -1 where ${transfer("posting = 'withdrawal_reserved'")}`,
    `update ledger_transfers set debit_balance_minor = -amount_minor - 5 where ${transfer("posting = 'withdrawal_reserved'")}`,
    `update ledger_transfers set debit_balance_minor = -1 where ${transfer("posting = 'withdrawal_paid_late' and leg = 1")}`,
  ],
  'The held and reserved balances were never below zero': [
    `update ledger_transfers set debit_balance_minor = -1 where ${transfer("posting = 'withdrawal_paid' and leg = 0")}`,
  ],
  'Every sandbox webhook has the field sandbox, and no live webhook has the field sandbox or test': [
    `update webhook_deliveries set body = (body::jsonb - 'sandbox')::text where ${oneRow('webhook_deliveries', "environment = 'sandbox' and source_type = 'withdrawal'")}`,
    `update webhook_deliveries set body = (body::jsonb || '{"sandbox": true}')::text where ${oneRow('webhook_deliveries', "environment = 'live' and source_type = 'withdrawal'")}`,
  ],
}

describe('planted contradictions in withdrawals', () => {
  testContradictions(() => base.url, PLANTS)

  test('each check of withdrawals has a planted contradiction', () => {
    assert.deepEqual(
      WITHDRAWALS.map(({ name }) => name).filter((name) => !(name in PLANTS)),
      [],
    )
  })
})
