// Defines the request and the response of the overview.

import Type, { type Static } from 'typebox'
import { METHODS } from '../../adapters/providers/port.ts'
import { ENVIRONMENTS, success } from '../../kernel/http/index.ts'
import { enumOf, line, nullable } from '../../kernel/lib/index.ts'

/** The periods in days of Tanzania. Each period includes today. */
export const PERIODS = ['today', '7d', '30d'] as const
/** The period of one overview, up to and including today. */
export type PeriodName = (typeof PERIODS)[number]

/** The query of the overview: a period and an environment. */
export const OverviewQuery = Type.Object({
  merchant_id: Type.Optional(line(64)),
  environment: Type.Optional(enumOf('Environment', ENVIRONMENTS, 'live, the default, or sandbox.')),
  period: Type.Optional(
    enumOf(
      'OverviewPeriod',
      PERIODS,
      'today, the default, or the last 7 or 30 days including today. Days in the time of Tanzania.',
    ),
  ),
})

const Timestamp = Type.String({ format: 'date-time' })

/** A number of records and the sum of their amounts. */
export const Total = Type.Object({ count: Type.Integer(), amount: Type.String() }, { title: 'OverviewTotal' })
export type Total = Static<typeof Total>

const describedTotal = (description: string) => Type.Object(Total.properties, { description })
const Rate = nullable(
  Type.String({
    description:
      'The share of successful payments among successful and failed payments, in percent with one decimal. Null means that the period has no such payment.',
    examples: ['92.3'],
  }),
)

/** The totals of the payments and withdrawals of a period. */
export const OverviewView = Type.Object(
  {
    environment: enumOf('Environment', ENVIRONMENTS),
    period: enumOf('OverviewPeriod', PERIODS),
    from: Timestamp,
    to: Type.String({ format: 'date-time', description: 'The end of today.' }),
    currency: Type.String(),
    collections: Type.Object(
      {
        successful: describedTotal('The amount received.'),
        failed: describedTotal('The amount requested.'),
        pending: describedTotal('Payments that are processing.'),
        held: describedTotal('The amount received and under review (pending_clearance).'),
        reversed: describedTotal('The amount received and then reversed.'),
        created: describedTotal('Pages without an attempt.'),
      },
      {
        description:
          'Payments created in the period, by current status. Each count equals the total_items of the list with the same filters.',
      },
    ),
    success_rate: Rate,
    fees: Type.String({ description: 'Our fees on the successful payments.' }),
    withdrawals: Type.Object(
      {
        success: describedTotal('SUCCESS.'),
        waiting: describedTotal('PENDING_ADMIN_APPROVAL and INFO_REQUESTED.'),
        in_progress: describedTotal(
          'PROCESSING, NEEDS_RECONCILIATION, BLOCKED_IP_WHITELIST and NEEDS_ADMIN_ATTENTION.',
        ),
        failed: describedTotal('FAILED, REJECTED, CANCELLED and REVERSED.'),
      },
      { description: 'Withdrawals submitted in the period. Amounts without fees.' },
    ),
    series: Type.Array(Type.Object({ from: Timestamp, to: Timestamp, successful: Total, failed: Total }), {
      description: 'One entry for each hour of today, or for each day of a longer period. Oldest first.',
    }),
    methods: Type.Array(
      Type.Object({
        method: enumOf('CollectionMethod', METHODS),
        network: nullable(
          Type.String({
            description: 'The network of the phone number. Null means qr, or a number of no known network.',
          }),
        ),
        successful: Total,
        failed: Total,
        success_rate: Rate,
      }),
      { description: 'By method and network, the most frequent first.' },
    ),
  },
  { title: 'Overview' },
)
export type OverviewView = Static<typeof OverviewView>

/** The response of GET /v1/merchant/overview. */
export const OverviewAnswer = success(OverviewView)
