// Defines the query and the response of the list of a merchant's problems.

import Type, { type Static } from 'typebox'
import { FAILING_FIELDS } from '../../adapters/webhooks/index.ts'
import { ENVIRONMENTS, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'

/** The kinds of items, the most urgent kind first. */
export const ATTENTION_KINDS = [
  'webhooks_failing',
  'webhooks_retrying',
  'webhooks_waiting',
  'withdrawals_info_requested',
  'withdrawals_in_doubt',
  'payments_held',
  'success_rate_low',
  'balance_low',
  'keys_expiring',
] as const

const knownText = (description: string) => nullable(Type.String({ description }))

/** The query of GET /v1/merchant/attention. */
export const AttentionQuery = Type.Object({
  merchant_id: Type.Optional(line(64)),
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default, or sandbox.')),
})

const Item = Type.Object({
  kind: oneOf(
    ATTENTION_KINDS,
    'webhooks_failing: an endpoint missed two attempts or more. webhooks_retrying: the last attempt failed, and the server tries again. webhooks_waiting: an endpoint works again, and missed deliveries wait. withdrawals_info_requested: an operator waits for your answer. withdrawals_in_doubt: operators examine the outcome. payments_held: payments are under review. success_rate_low: today at least 10 percentage points below the 7 days before. balance_low: below the mark of `/v1/merchant/balance-mark`. keys_expiring: within 14 days.',
  ),
  environment: oneOf(ENVIRONMENTS),
  count: Type.Integer({ description: 'The number of records, up to 1,000: missed deliveries, payments, or keys.' }),
  status: knownText('The status of the records, as the filter of their list. Null for other kinds.'),
  since: nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when the oldest record waits. For keys, when the first key expires. Null: not known.',
    }),
  ),
  amount: knownText('The money of the records, or the available balance. Null means that the kind has no amount.'),
  limit: knownText('The mark of the balance. Null for other kinds.'),
  rate: knownText('The success rate of today in percent. Null for other kinds.'),
  rate_before: knownText('The success rate of the 7 days before. Null for other kinds.'),
  webhook: nullable(
    Type.Object(
      {
        ...FAILING_FIELDS,
        failed: Type.Integer({ description: 'The number of missed deliveries, up to 1,000.' }),
        webhook_url: knownText('Its address without the query. Null: the merchant has removed the endpoint.'),
        changed: Type.Boolean({
          description: 'True if a member or an API key changed the endpoint after the last failed attempt.',
        }),
      },
      { description: 'The endpoint. Null for other kinds.' },
    ),
  ),
})

/** The problems of a merchant, the most urgent first. */
export const AttentionView = Type.Object({ items: Type.Array(Item) })
export type AttentionView = Static<typeof AttentionView>

/** The response of GET /v1/merchant/attention. */
export const AttentionAnswer = success(AttentionView)

/** The query of GET /v1/me/attention. */
export const TroubledMerchantsQuery = Type.Object({
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default, or sandbox.')),
})

/** The merchants of a user that have problems, with the kinds of the problems. */
export const TroubledMerchants = Type.Object({
  merchants: Type.Array(
    Type.Object({
      merchant_id: Type.String(),
      kinds: Type.Array(oneOf(ATTENTION_KINDS), {
        description: 'The kinds of the problems as in `/v1/merchant/attention`, the most urgent first.',
      }),
    }),
    { description: 'Those of your merchants that have a problem.' },
  ),
})
export type TroubledMerchants = Static<typeof TroubledMerchants>

/** The response of GET /v1/me/attention. */
export const TroubledMerchantsAnswer = success(TroubledMerchants)
