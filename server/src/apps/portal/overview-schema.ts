// What the overview answers.

import Type, { type Static } from 'typebox'
import { METHODS } from '../../adapters/providers/port.ts'
import { ENVIRONMENTS, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf } from '../../kernel/lib/index.ts'

/** Spans of time: Tanzanian days, today among them. */
export const PERIODS = ['today', '7d', '30d'] as const
/** One of them. */
export type PeriodName = (typeof PERIODS)[number]

/** What is asked for. */
export const OverviewQuery = Type.Object({
  merchant_id: Type.Optional(line(64)),
  environment: Type.Optional(oneOf(ENVIRONMENTS, 'live, the default, or sandbox.')),
  period: Type.Optional(oneOf(PERIODS, 'today, the default, or the last 7 or 30 days with today. Days of Tanzania.')),
})

const Timestamp = Type.String({ format: 'date-time' })

/** How many, and how much. */
export const Total = Type.Object({ count: Type.Integer(), amount: Type.String() })
export type Total = Static<typeof Total>

const total = (description: string) => Type.Object(Total.properties, { description })
const Rate = nullable(
  Type.String({
    description: 'Successful among successful and failed, in percent with one decimal. Null: neither.',
    examples: ['92.3'],
  }),
)

/** What came in and went out in a period. */
export const OverviewView = Type.Object({
  environment: oneOf(ENVIRONMENTS),
  period: oneOf(PERIODS),
  from: Timestamp,
  to: Type.String({ format: 'date-time', description: 'The end of today.' }),
  currency: Type.String(),
  collections: Type.Object(
    {
      successful: total('What was received.'),
      failed: total('What was asked for.'),
      pending: total('Payments that are processing.'),
      held: total('Received, and waiting for a review (pending_clearance).'),
      reversed: total('What was received, and went back.'),
      created: total('Pages on which no payer has tried yet.'),
    },
    {
      description: 'Payments made in the period, by where they stand now: each count is the total_items of their list.',
    },
  ),
  success_rate: Rate,
  fees: Type.String({ description: 'Our fees on the successful ones.' }),
  withdrawals: Type.Object(
    {
      success: total('SUCCESS.'),
      waiting: total('PENDING_ADMIN_APPROVAL and INFO_REQUESTED.'),
      in_progress: total('PROCESSING, NEEDS_RECONCILIATION, BLOCKED_IP_WHITELIST and NEEDS_ADMIN_ATTENTION.'),
      failed: total('FAILED, REJECTED and REVERSED.'),
    },
    { description: 'Withdrawals submitted in the period, without charges.' },
  ),
  series: Type.Array(Type.Object({ from: Timestamp, to: Timestamp, successful: Total, failed: Total }), {
    description: 'Hours of today, else days; oldest first.',
  }),
  methods: Type.Array(
    Type.Object({
      method: oneOf(METHODS),
      network: nullable(
        Type.String({ description: 'Guessed from the phone; null for qr, and where nothing is known.' }),
      ),
      successful: Total,
      failed: Total,
      success_rate: Rate,
    }),
    { description: 'By how they were paid, the most first.' },
  ),
})
export type OverviewView = Static<typeof OverviewView>

/** Answer of the overview. */
export const OverviewAnswer = success(OverviewView)
