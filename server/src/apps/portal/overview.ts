// The totals of a merchant's home: what came in and went out today, or in the last days.

import type { Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { CURRENCY, DAY_MS, dayNumber, formatAmount, startOfDay } from '../../kernel/lib/index.ts'
import { readSlotSums, type SlotSum } from '../../money/collections/index.ts'
import { sumWithdrawals, type WITHDRAWAL_STATUSES } from '../../money/withdrawals/index.ts'
import type { OverviewView, PeriodName, Total } from './overview-schema.ts'

const HOUR_MS = DAY_MS / 24
const DAYS: Record<PeriodName, number> = { today: 1, '7d': 7, '30d': 30 }

type Sum = { count: bigint; amount_minor: bigint }

const NOTHING: Sum = { count: 0n, amount_minor: 0n }

function totalOf(sums: readonly Sum[]): Total {
  const { count, amount_minor } = sums.reduce(
    (all, one) => ({ count: all.count + one.count, amount_minor: all.amount_minor + one.amount_minor }),
    NOTHING,
  )
  return { count: Number(count), amount: formatAmount(amount_minor) }
}

/** Of money that came, what was received counts; of all other payments, what was asked for. */
function sumOf({ status, items, amount_minor, amount_received_minor }: SlotSum): Sum {
  const came = status === 'successful' || status === 'pending_clearance' || status === 'reversed'
  return { count: items, amount_minor: came ? amount_received_minor : amount_minor }
}

const ofStatus = (rows: readonly SlotSum[], status: SlotSum['status']): Total =>
  totalOf(rows.filter((row) => row.status === status).map(sumOf))

/** Percent with one decimal, half up. */
function rateOf(successful: Total, failed: Total): string | null {
  const all = successful.count + failed.count
  if (all === 0) return null
  const tenths = Math.floor((successful.count * 2_000 + all) / (2 * all))
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

const WITHDRAWALS = {
  success: ['SUCCESS'],
  waiting: ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'],
  in_progress: ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'],
  failed: ['FAILED', 'REJECTED', 'REVERSED'],
} as const satisfies Record<string, readonly (typeof WITHDRAWAL_STATUSES)[number][]>

/** What a merchant's home shows of a period that ends with today. */
export async function overviewOf(
  deps: Deps,
  whose: { merchant_id: string; environment: Environment },
  period: PeriodName,
): Promise<OverviewView> {
  const today = dayNumber(deps.clock.now())
  const from = startOfDay(today - DAYS[period] + 1)
  const to = startOfDay(today + 1)
  const by = period === 'today' ? 'hour' : 'day'
  const step = by === 'hour' ? HOUR_MS : DAY_MS
  const slots = Array.from({ length: (to.getTime() - from.getTime()) / step }, (_, i) => ({
    from: new Date(from.getTime() + i * step),
    to: new Date(from.getTime() + (i + 1) * step),
  }))
  const [rows, withdrawn] = await Promise.all([
    readSlotSums(deps.db, whose, slots, by),
    sumWithdrawals(deps.db, whose, { from, to }),
  ])
  const withdrawals = (key: keyof typeof WITHDRAWALS) =>
    totalOf(withdrawn.filter(({ status }) => (WITHDRAWALS[key] as readonly string[]).includes(status)))
  const by_slot = Map.groupBy(rows, ({ slot }) => slot)
  const successful = ofStatus(rows, 'successful')
  const failed = ofStatus(rows, 'failed')
  const fees = rows.filter(({ status }) => status === 'successful').reduce((sum, { fee_minor }) => sum + fee_minor, 0n)
  return {
    environment: whose.environment,
    period,
    from: from.toISOString(),
    to: to.toISOString(),
    currency: CURRENCY,
    collections: {
      successful,
      failed,
      pending: ofStatus(rows, 'processing'),
      held: ofStatus(rows, 'pending_clearance'),
      reversed: ofStatus(rows, 'reversed'),
      created: ofStatus(rows, 'created'),
    },
    success_rate: rateOf(successful, failed),
    fees: formatAmount(fees),
    withdrawals: {
      success: withdrawals('success'),
      waiting: withdrawals('waiting'),
      in_progress: withdrawals('in_progress'),
      failed: withdrawals('failed'),
    },
    series: slots.map((slot, i) => {
      const of = by_slot.get(i) ?? []
      return {
        from: slot.from.toISOString(),
        to: slot.to.toISOString(),
        successful: ofStatus(of, 'successful'),
        failed: ofStatus(of, 'failed'),
      }
    }),
    methods: methodsOf(rows),
  }
}

/** What was paid in each way, or failed, the most first. */
function methodsOf(rows: readonly SlotSum[]): OverviewView['methods'] {
  const ended = rows.filter(({ status, method }) => method !== '' && (status === 'successful' || status === 'failed'))
  return [...Map.groupBy(ended, ({ method, network }) => `${method} ${network}`).values()]
    .map((of) => {
      const { method, network } = of[0] as SlotSum
      const successful = ofStatus(of, 'successful')
      const failed = ofStatus(of, 'failed')
      return {
        method: method as Method,
        network: network === '' ? null : network,
        successful,
        failed,
        success_rate: rateOf(successful, failed),
      }
    })
    .sort((a, b) => b.successful.count + b.failed.count - a.successful.count - a.failed.count)
}
