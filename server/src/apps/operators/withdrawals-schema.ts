// Defines the requests and responses of operators for withdrawals.

import Type, { type Static } from 'typebox'
import { MerchantRecord } from '../../access/merchants/index.ts'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { enumOf, nullable, oneOf, visibleLine, visibleText } from '../../kernel/lib/index.ts'
import { WITHDRAWAL_STATUSES, WithdrawalRecord } from '../../money/withdrawals/index.ts'

const Timestamp = Type.String({ format: 'date-time' })

const record = {
  ...WithdrawalRecord.properties,
  status_reason: nullable(Type.String({ description: 'The reason for the status, from an operator or the provider.' })),
  merchant_code: Type.String(),
  merchant_name: Type.String(),
  merchant_status: MerchantRecord.properties.status,
  merchant_verified: MerchantRecord.properties.verified,
  approvals_required: Type.Integer({
    description:
      'The number of required approvals: 2 if the withdrawal, or a sum of this day with it, reaches FOUR_EYES_AMOUNT. The first approval fixes this number.',
  }),
  approvals: Type.Array(
    Type.Object({
      operator: Type.String({ description: 'An e-mail address.' }),
      reason: nullable(Type.String({ description: 'The reason that the operator gave with the approval.' })),
      at: Timestamp,
    }),
    { description: 'The approvals, oldest first. A question to the merchant or a rejection ends earlier approvals.' },
  ),
}

/** A withdrawal as operators read it, with its merchant and its approvals. */
export const OperatorWithdrawal = Type.Object(record, { title: 'OperatorWithdrawal' })
export type OperatorWithdrawal = Static<typeof OperatorWithdrawal>

/** The answer of the provider to one question for the name on an account. */
export const NameCheck = Type.Object(
  {
    name: nullable(
      Type.String({
        description:
          'The name on the account, as the provider reports the name. Null means that `message` gives the reason, or that `erase payer` erased the recipient.',
      }),
    ),
    matches: nullable(
      Type.Boolean({
        description:
          'True means that the name has the same words as destination_name, in any order, case or accents. False means that an operator should compare the names. Null means that one of the two names is unknown.',
      }),
    ),
    checked_at: Type.String({ format: 'date-time' }),
    checked_by: Type.String({ description: 'The operator who asked for the name.' }),
    message: nullable(
      Type.String({
        description: 'The reason for a missing name. A missing name never means that the account does not exist.',
      }),
    ),
  },
  { title: 'NameCheck' },
)
export type NameCheck = Static<typeof NameCheck>

const Actor = Type.Object(
  {
    kind: oneOf(['user', 'operator', 'api_key', 'command', 'system', 'provider']),
    id: nullable(Type.String()),
    name: Type.String({ description: 'An e-mail address, the name of a key, or of a provider.' }),
  },
  { title: 'WithdrawalActor' },
)

/** Returns the actor of a withdrawal from the columns of its row. */
export function presentActor(kind: string, id: string | null, name: string): Static<typeof Actor> {
  return { kind: kind as Static<typeof Actor>['kind'], id, name }
}

/** The number of latest paid withdrawals of a merchant among which the server looks for the largest. */
export const LATEST_PAID = 200

/** The warnings about a withdrawal, the most severe first. */
const DECISION_WARNINGS = [
  'merchant_not_active',
  'merchant_not_verified',
  'balance_too_low',
  'daily_limit',
  'destination_limit',
  'income_burst',
  'large_share',
  'large_multiple',
  'shared_destination',
  'new_destination',
  'recent_failure',
] as const
/** The name of a warning about a withdrawal. */
export type DecisionWarning = (typeof DECISION_WARNINGS)[number]

/** The facts that show an operator how large a withdrawal is for its merchant, and what to check. */
export const DecisionFacts = Type.Object(
  {
    balance_percent: nullable(
      Type.String({
        description:
          'Amount and fees in percent of the available balance now, rounded down to one decimal. Null means that the available balance is not above zero.',
      }),
    ),
    largest_paid_amount: nullable(
      Type.String({
        description: `The largest amount among the latest ${LATEST_PAID} successful withdrawals of the merchant. Null means that none has succeeded.`,
      }),
    ),
    times_largest_paid: nullable(
      Type.String({
        description:
          'The amount divided by `largest_paid_amount`, rounded down to one decimal. Null means that no withdrawal has succeeded.',
      }),
    ),
    new_destination: Type.Boolean({
      description: 'True means that no other withdrawal of the merchant has paid this destination.',
    }),
    paid_by_others: Type.Boolean({
      description: 'True means that another merchant has paid this destination.',
    }),
    recent_failures: Type.Union(
      [
        Type.Object({
          count: Type.Integer({ description: 'How many of these withdrawals were rejected or failed.' }),
          withdrawal_id: Type.String({ description: 'The withdrawal of the latest failure.' }),
          status: oneOf(['REJECTED', 'FAILED']),
          reason: nullable(Type.String({ description: 'The reason of the rejection, or the text of the provider.' })),
          failure_reason_code: nullable(Type.String({ description: 'Null means that an operator rejected it.' })),
          at: Timestamp,
          rejected_by: Type.Union([Actor, Type.Null()], {
            description: 'The actor of the rejection. Null means that the provider did not pay.',
          }),
        }),
        Type.Null(),
      ],
      {
        description:
          'The failures among up to three withdrawals of the merchant before this one. The latest failure has the latest change, whose time is `at`. Null means that there is none.',
      },
    ),
    income_later: Type.Union([Type.Object({ amount: nullable(Type.String()) }), Type.Null()], {
      description:
        'The income after the request, if the warning income_burst is about it. Its `amount` is null after 5,000 transfers or more. Null means that the warning is not about it.',
    }),
    warnings: Type.Array(
      oneOf(
        DECISION_WARNINGS,
        'income_burst: the income of the 24 hours before the request is at least 5 times the average day of the 7 days before them, and the older balance does not cover the amount; or the same with the income until now, and the older balance does not cover the waiting withdrawals; or 5,000 transfers or more followed the request. large_share: amount and fees take at least 80 % of the available balance. large_multiple: the amount is at least 5 times `largest_paid_amount`. recent_failure: one of up to three withdrawals before this one was rejected or failed.',
      ),
      { description: 'What an operator must check before an approval, the most severe warning first.' },
    ),
  },
  { title: 'DecisionFacts' },
)
export type DecisionFacts = Static<typeof DecisionFacts>

const ExceededFact = (description: string) =>
  Type.Union([Type.Object({ limit: Type.String(), approved_today: Type.String() }), Type.Null()], { description })
const { largest_paid_amount, times_largest_paid, income_later, warnings } = DecisionFacts.properties

const DecisionEvidence = Type.Object(
  {
    warnings,
    available: Type.String({
      description: 'The available balance of the merchant before the decision, or before all decisions of its batch.',
    }),
    balance_percent: nullable(
      Type.String({
        description:
          'Amount and fees in percent of `available`, rounded down to one decimal. Null means that `available` is not above zero.',
      }),
    ),
    largest_paid_amount,
    times_largest_paid,
    income: Type.Union([Type.Object({ received: Type.String(), daily_before: Type.String() }), Type.Null()], {
      description: 'The figures of the warning income_burst. Null means that there was no such warning.',
    }),
    income_later: Type.Optional(income_later),
    daily_limit: ExceededFact('The figures of the warning daily_limit. Null means that there was no such warning.'),
    destination_limit: ExceededFact(
      'The figures of the warning destination_limit. Null means that there was no such warning.',
    ),
    recent_failure: Type.Union(
      [
        Type.Object({
          count: Type.Integer(),
          withdrawal_id: Type.String(),
          status: oneOf(['REJECTED', 'FAILED']),
          at: Timestamp,
          rejected_by: Type.Union([Actor, Type.Null()]),
        }),
        Type.Null(),
      ],
      { description: 'The figures of the warning recent_failure. Null means that there was no such warning.' },
    ),
    name_check: Type.Union(
      [Type.Object({ matches: NameCheck.properties.matches, checked_at: Timestamp }), Type.Null()],
      {
        description:
          'The newest name check at that time, without the name. Null means that no operator had asked the provider.',
      },
    ),
  },
  { title: 'DecisionEvidence' },
)
/** The warnings of a withdrawal at the moment of a decision, with their figures. */
export type DecisionEvidence = Static<typeof DecisionEvidence>

/** A decision about a withdrawal with its evidence. */
export const RecordedDecision = Type.Object(
  {
    action: oneOf(['withdrawal.approve', 'withdrawal.first_approve', 'withdrawal.reject']),
    operator: Type.String({ description: 'The e-mail address of the operator who decided.' }),
    at: Timestamp,
    evidence: DecisionEvidence,
  },
  { title: 'RecordedDecision' },
)
export type RecordedDecision = Static<typeof RecordedDecision>

/** The facts of a withdrawal that waits for an approval, or null. */
export const WaitingFacts = Type.Union([DecisionFacts, Type.Null()], {
  description:
    'How large the withdrawal is for its merchant, in the same environment. Null means that the withdrawal waits for no approval.',
})

const OperatorWithdrawalItem = Type.Object({ ...record, facts: WaitingFacts }, { title: 'OperatorWithdrawalItem' })

const Payout = Type.Object(
  {
    provider: Type.String(),
    state: oneOf(
      ['to_send', 'sending', 'asked', 'blocked', 'final'],
      'to_send: the server has not sent the payout yet. sending: the server has no answer yet. asked: the provider has the payout, or may have it. blocked: the provider refused our access, its float is empty, or the provider could not accept the payout; see status_reason. final: the provider gave its final answer.',
    ),
    asks: Type.Integer({ description: 'The number of steps so far.' }),
    provider_status: nullable(Type.String({ description: 'The status in the last answer of the provider.' })),
    provider_id: nullable(Type.String({ description: 'The id of the payout at the provider.' })),
    due_at: nullable(
      Type.String({ format: 'date-time', description: 'When the next step is due. Null means that no step follows.' }),
    ),
    sent_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'When the provider accepted the payout. Null means that the time is unknown.',
      }),
    ),
    waits_for: Type.Union(
      [
        Type.Object({
          what: oneOf(
            ['merchant_suspended', 'payout_pause'],
            'merchant_suspended: an operator must reactivate the merchant. payout_pause: an operator must end the pause.',
          ),
          pause_id: nullable(Type.String({ description: 'The pause. Null means that `what` is merchant_suspended.' })),
          text: Type.String({ description: 'The reason as a sentence.' }),
        }),
        Type.Null(),
      ],
      {
        description:
          'Why the server does not send the approved payout now. The payout keeps its reservation, and the server sends it within half a minute after the reason ends. Null means that nothing delays the payout.',
      },
    ),
  },
  { title: 'Payout' },
)

/** A withdrawal with the merchant's balance, the payout and the history. */
export const OperatorWithdrawalDetail = Type.Object(
  {
    ...record,
    requested_by: Actor,
    balance: Type.Object(
      { available: Type.String(), reserved: Type.String(), held: Type.String() },
      { description: 'The balance of the merchant now, in the environment of the withdrawal.' },
    ),
    payout: Type.Union([Payout, Type.Null()], {
      description: 'The payout at the provider. Null means that no operator has approved the withdrawal.',
    }),
    history: Type.Array(
      Type.Object({
        from_status: enumOf('WithdrawalStatus', WITHDRAWAL_STATUSES),
        to_status: enumOf(
          'WithdrawalStatus',
          WITHDRAWAL_STATUSES,
          'Equal to from_status: an answer of the provider that changed no status, or a payout that waits.',
        ),
        actor: Actor,
        reason: nullable(Type.String({ description: 'The reason from the provider or from the decision.' })),
        event: nullable(Type.String({ description: 'The event that the server sent to the merchant.' })),
        at: Timestamp,
      }),
      { description: 'The history of the withdrawal, oldest first.' },
    ),
  },
  { title: 'OperatorWithdrawalWithHistory' },
)
export type OperatorWithdrawalDetail = Static<typeof OperatorWithdrawalDetail>

/** The query of GET /v1/operator/withdrawals. */
export const WithdrawalsQuery = Type.Object({
  ...PageQuery,
  status: Type.Optional(enumOf('WithdrawalStatus', WITHDRAWAL_STATUSES)),
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS)),
  order: Type.Optional(
    oneOf(['newest', 'oldest'], 'newest when left out. oldest only with the status of withdrawals that wait.'),
  ),
})
export type WithdrawalsQuery = Static<typeof WithdrawalsQuery>

/** The parameters of a path that contains the id of a withdrawal. */
export const WithdrawalParams = Type.Object({
  withdrawal_id: Type.String({ description: 'The id of the withdrawal.' }),
})

const Ids = Type.Array(Type.String({ description: 'The id of a withdrawal.' }), {
  minItems: 1,
  maxItems: 100,
  description:
    'The server checks the withdrawals in this order, so the first withdrawals take the balance first. The list must not repeat an id.',
})

const ApprovalReason = Type.Optional(
  visibleLine(
    500,
    'The reason. The history and the audit log keep this text. Operators read the reason, but the merchant does not.',
  ),
)

const confirm_new_destination = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'true: you have checked the destinations that the merchants have not paid yet. With NEW_DESTINATION=confirm, the server otherwise refuses the approval of such a withdrawal with `confirmation_required`.',
  }),
)

/** The body of approve. The operator may leave out the body, the reason and the confirmation. */
export const ApproveBody = nullable(Type.Object({ reason: ApprovalReason, confirm_new_destination }))

/**
 * The body of approve-batch. The reason and `confirm_new_destination` apply to each withdrawal of the batch.
 * `confirmed_new_destinations` confirms the destinations of single withdrawals.
 */
export const ApproveBatchBody = Type.Object(
  {
    withdrawal_ids: Ids,
    reason: ApprovalReason,
    confirm_new_destination,
    confirmed_new_destinations: Type.Optional(
      Type.Array(Type.String({ description: 'The id of a withdrawal.' }), {
        maxItems: 100,
        description:
          'The ids, from `withdrawal_ids`, of the withdrawals whose destination you have checked. Send this list in place of `confirm_new_destination`, which confirms all withdrawals of the batch.',
      }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Makes the same checks and changes nothing. Requires no recent sign-in.',
      }),
    ),
  },
  { title: 'BatchApproval' },
)

const Sum = Type.Object(
  { count: Type.Integer(), amount: Type.String(), total_reserved_amount: Type.String() },
  { title: 'WithdrawalSum' },
)

const ApproveBatchResult = Type.Object(
  {
    dry_run: Type.Boolean(),
    approved: Type.Object(Sum.properties, { description: 'The withdrawals that the server pays out now.' }),
    awaiting_second: Type.Object(Sum.properties, {
      description: 'The withdrawals that another operator must approve too.',
    }),
    items: Type.Array(
      Type.Object({
        withdrawal_id: Type.String(),
        ok: Type.Boolean({
          description: 'True means that this approval counts. Otherwise `code` and `message` give the reason.',
        }),
        code: nullable(Type.String()),
        message: nullable(Type.String()),
        new_destination: Type.Boolean({
          description: 'True means that no other withdrawal of the merchant has paid this destination.',
        }),
        facts: Type.Union([DecisionFacts, Type.Null()], {
          description:
            'How large the withdrawal was for its merchant before this request, in the same environment. Null means that the withdrawal waited for no approval.',
        }),
        name_check: Type.Union([NameCheck, Type.Null()], {
          description:
            'The newest name check of the withdrawal. The server asks no provider for this request. Null means that no operator has asked the provider for the name.',
        }),
        status: nullable(
          enumOf(
            'WithdrawalStatus',
            WITHDRAWAL_STATUSES,
            'The status of the withdrawal; in a dry run, the status that an approval would give. Null means that there is no such withdrawal.',
          ),
        ),
      }),
      { description: 'One result for each id, in the order of the request.' },
    ),
  },
  { title: 'BatchApprovalResult' },
)
/** The sums of an approve-batch request, and one item for each id, in the order of the request. */
export type ApproveBatchResult = Static<typeof ApproveBatchResult>

/** The response to POST /v1/operator/withdrawals/approve-batch. */
export const ApproveBatchAnswer = success(ApproveBatchResult)

/** The body of reject. The merchant reads the reason. */
export const RejectBody = Type.Object({ reason: visibleLine(500, 'The reason. The merchant sees this text.') })
/** The body of recall. The merchant reads the reason. */
export const RecallBody = Type.Object({ reason: visibleLine(500, 'The reason. The merchant sees this text.') })
/** The body of request-info: the question to the merchant. */
export const RequestInfoBody = Type.Object({
  message: visibleText(500, 'The question. The merchant sees this text.'),
})
/** The body of resolve: the outcome of a payout whose outcome the provider has not confirmed. */
export const ResolveBody = Type.Object(
  {
    outcome: oneOf(
      ['SUCCESS', 'FAILED'],
      'SUCCESS: the provider paid the recipient. FAILED: the provider has not paid the recipient, and will not pay.',
    ),
    reason: visibleLine(
      500,
      'The evidence for the outcome. The merchant sees this text. The history and the audit log keep the text.',
    ),
    provider_reference: Type.Optional({
      ...visibleLine(64),
      description: 'The id of the payout at the provider, as you found it. Our reference never changes.',
    }),
  },
  { title: 'WithdrawalResolution' },
)

/** The response with one withdrawal after a decision. */
export const WithdrawalAnswer = success(OperatorWithdrawal)
/** The response with a withdrawal after its rejection. */
export const RejectionAnswer = success(
  Type.Object(
    {
      ...record,
      warned_withdrawals: Type.Integer({
        description:
          'The number of other waiting withdrawals of the merchant that have the warning recent_failure because of this rejection.',
      }),
    },
    { title: 'RejectedWithdrawal' },
  ),
)
/** The response with one withdrawal, its balance, payout and history. */
export const WithdrawalDetailAnswer = success(OperatorWithdrawalDetail)
/** The response with a page of withdrawals. */
export const WithdrawalsAnswer = success(page(OperatorWithdrawalItem))
