// Defines the response with the facts that an operator needs to decide about a withdrawal.

import Type, { type Static } from 'typebox'
import { MerchantRecord } from '../../access/merchants/index.ts'
import { success } from '../../kernel/http/index.ts'
import { enumOf, nullable } from '../../kernel/lib/index.ts'
import { WITHDRAWAL_STATUSES } from '../../money/withdrawals/index.ts'
import { NAME_CHECKS_MAX } from './name-check.ts'
import { DecisionFacts, NameCheck, OperatorWithdrawalDetail, RecordedDecision } from './withdrawals-schema.ts'

/** The periods, in hours, for which a case counts withdrawals. */
export const VELOCITY_HOURS = [1, 24, 168] as const
/** The highest number of withdrawals that each count of a case includes. */
export const CASE_COUNT_MAX = 10_000
/** The highest number of other merchants, and of their names for a recipient, that a case lists. */
export const NEWEST_OTHERS = 5

const time = (description: string) => Type.String({ format: 'date-time', description })
const PayoutLimitFact = (description: string) =>
  Type.Object(
    {
      limit: nullable(Type.String({ description: 'The limit in force. Null means that there is no limit.' })),
      approved_today: Type.String({ description: 'The payouts that operators approved today, without fees.' }),
      exceeded: Type.Boolean({ description: 'True means that an approval of this withdrawal would exceed the limit.' }),
    },
    { description },
  )

const { id, name, merchant_code, status, verified, created_at } = MerchantRecord.properties

/** A withdrawal with facts about its merchant, its destination and earlier withdrawals in the same environment. */
export const WithdrawalCase = Type.Object(
  {
    withdrawal: OperatorWithdrawalDetail,
    api_key_created_at: nullable(
      time('When the API key that requested the withdrawal was made. Null means that no API key requested it.'),
    ),
    facts: Type.Union([DecisionFacts, Type.Null()], {
      description:
        'How large the withdrawal is for its merchant, in the same environment. For a rejected withdrawal these are the facts of now, not those of the decision. Null means that the withdrawal waits for no approval and is not rejected.',
    }),
    balance: Type.Object(
      {
        available: Type.String(),
        reserved: Type.String(),
        held: Type.String(),
        currency: Type.String(),
        last_received_at: nullable(
          time('When a payment was last credited. Null means that the newest movements contain no payment.'),
        ),
        received_24h: Type.String({
          description: 'Payments credited in the 24 hours before the request, before fees.',
        }),
        received_since: Type.String({
          description: 'Payments credited after the request, before fees. Only the newest movements count.',
        }),
        received_24h_complete: Type.Boolean({
          description:
            'False means that the merchant received too many payments, and received_24h counts only some of them.',
        }),
        received_daily_before: nullable(
          Type.String({
            description:
              'The average per day of the 7 days before these 24 hours, before fees. Null means that the merchant was younger than 8 days, or that it received too many payments.',
          }),
        ),
        received_burst: Type.Boolean({
          description: 'True means that received_24h is at least 5 times received_daily_before.',
        }),
      },
      { description: 'The balance of the merchant now.' },
    ),
    destination: Type.Object(
      {
        first_time: Type.Boolean({
          description: 'True means that no other withdrawal of this merchant has paid this destination.',
        }),
        paid_count: Type.Integer({
          description: `Other withdrawals to this destination that succeeded, up to ${CASE_COUNT_MAX}.`,
        }),
        paid_amount: Type.String({ description: 'The sum of these withdrawals.' }),
        first_paid_at: nullable(time('The completion of the oldest of these withdrawals.')),
        last_paid_at: nullable(time('The latest completion of these withdrawals.')),
        open_payout: Type.Union(
          [
            Type.Object({
              withdrawal_id: Type.String(),
              status: enumOf('WithdrawalStatus', WITHDRAWAL_STATUSES),
              amount: Type.String(),
              changed_at: time('The last change of this withdrawal, such as its approval.'),
            }),
            Type.Null(),
          ],
          {
            description:
              'The newest other withdrawal of this merchant to this destination that an operator approved and that has no final status. Null means that there is none.',
          },
        ),
        other_merchants: Type.Integer({
          description: 'The number of other merchants that have paid this destination, up to 1000.',
        }),
        newest_other_merchants: Type.Array(
          Type.Object({
            merchant_id: Type.String(),
            name: Type.String(),
            destination_name: nullable(
              Type.String({ description: 'The recipient in the latest payout of this merchant to this destination.' }),
            ),
            last_paid_at: time('The completion of this payout.'),
          }),
          { description: `The ${NEWEST_OTHERS} of these merchants that paid last, newest first.` },
        ),
        other_names: Type.Array(Type.String(), {
          description: `Names of the recipient by other merchants that differ from destination_name, newest first, at most ${NEWEST_OTHERS}. A name with the same words in another order, case or accents does not differ.`,
        }),
      },
      { description: 'The account or phone that receives the withdrawal.' },
    ),
    name_checks: Type.Array(NameCheck, {
      description: `The answers of the provider to questions for the name on the account, newest first, at most ${NAME_CHECKS_MAX}. The server reads them from the audit log.`,
    }),
    decisions: Type.Array(RecordedDecision, {
      description:
        'The approvals and rejections with the warnings at their time, oldest first, at most 10. The server reads them from the audit log, and omits decisions of versions that recorded no warnings.',
    }),
    payout_limits: Type.Object(
      {
        daily: PayoutLimitFact('All payouts of the merchant.'),
        destination: PayoutLimitFact('The payouts of the merchant to this phone or account.'),
      },
      { description: 'The limits of the payouts on this day in Tanzania.' },
    ),
    velocity: Type.Array(
      Type.Object({
        hours: Type.Integer(),
        count: Type.Integer({
          description: `Withdrawals that the merchant submitted, with this withdrawal, up to ${CASE_COUNT_MAX}.`,
        }),
        amount: Type.String(),
      }),
      { description: 'The withdrawals of the merchant in periods that end now.' },
    ),
    earlier: Type.Array(
      Type.Object({
        withdrawal_id: Type.String(),
        status: enumOf('WithdrawalStatus', WITHDRAWAL_STATUSES),
        amount: Type.String(),
        destination_identifier: Type.String(),
        created_at: Type.String({ format: 'date-time' }),
        reason: nullable(Type.String({ description: 'The reason for the status.' })),
      }),
      { description: 'The ten previous withdrawals of the merchant, newest first.' },
    ),
    conflict_of_interest: Type.Boolean({
      description:
        'True means that you must not approve, resolve or retry. You are or were a member of the merchant, or made one of its API keys.',
    }),
    merchant: Type.Object({ id, name, merchant_code, status, verified, created_at }),
  },
  { title: 'WithdrawalCase' },
)
export type WithdrawalCase = Static<typeof WithdrawalCase>

/** The response with the case of one withdrawal. */
export const WithdrawalCaseAnswer = success(WithdrawalCase)
