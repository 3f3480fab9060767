// Adds up the payments and withdrawals of today or of the last days, for the home page of the dashboard.

import type { Method } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { CURRENCY, DAY_MS, dayNumber, formatAmount, startOfDay } from '../../kernel/lib/index.ts'
import { readSlotSums, type SlotSum } from '../../money/collections/index.ts'
import { sumWithdrawals, type WITHDRAWAL_STATUSES } from '../../money/withdrawals/index.ts'
import type { OverviewView, PeriodName, Total } from './overview-schema.ts'

const HOUR_MS = DAY_MS / 24
const PERIOD_DAYS: Record<PeriodName, number> = { today: 1, '7d': 7, '30d': 30 }

type CountAndAmount = { count: bigint; amount_minor: bigint }

const ZERO: CountAndAmount = { count: 0n, amount_minor: 0n }

function presentSums(sums: readonly CountAndAmount[]): Total {
  const { count, amount_minor } = sums.reduce(
    (all, one) => ({ count: all.count + one.count, amount_minor: all.amount_minor + one.amount_minor }),
    ZERO,
  )
  return { count: Number(count), amount: formatAmount(amount_minor) }
}

/** If a provider took money for the payment, returns the received amount. Otherwise returns the requested amount. */
function countedSum({ status, items, amount_minor, amount_received_minor }: SlotSum): CountAndAmount {
  const is_received = status === 'successful' || status === 'pending_clearance' || status === 'reversed'
  return { count: items, amount_minor: is_received ? amount_received_minor : amount_minor }
}

const ofStatus = (rows: readonly SlotSum[], status: SlotSum['status']): Total =>
  presentSums(rows.filter((row) => row.status === status).map(countedSum))

/** Returns the success rate in percent, rounded to one decimal. If no payment has ended, returns null. */
function successRate(successful: Total, failed: Total): string | null {
  const all = successful.count + failed.count
  if (all === 0) return null
  const tenths = Math.floor((successful.count * 2_000 + all) / (2 * all))
  return `${Math.floor(tenths / 10)}.${tenths % 10}`
}

const STATUSES_BY_GROUP = {
  success: ['SUCCESS'],
  waiting: ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED'],
  in_progress: ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION'],
  failed: ['FAILED', 'REJECTED', 'CANCELLED', 'REVERSED'],
} as const satisfies Record<string, readonly (typeof WITHDRAWAL_STATUSES)[number][]>

/** Reads the totals of a merchant for a period that ends with today. */
export async function overviewOf(
  deps: Deps,
  owner: { merchant_id: string; environment: Environment },
  period: PeriodName,
): Promise<OverviewView> {
  const today = dayNumber(deps.clock.now())
  const [first_day, end_day] = [today - PERIOD_DAYS[period] + 1, today + 1]
  const [from, to] = [startOfDay(first_day), startOfDay(end_day)]
  const unit = period === 'today' ? 'hour' : 'day'
  const slot_ms = unit === 'hour' ? HOUR_MS : DAY_MS
  const slots = Array.from({ length: (to.getTime() - from.getTime()) / slot_ms }, (_, i) => ({
    from: new Date(from.getTime() + i * slot_ms),
    to: new Date(from.getTime() + (i + 1) * slot_ms),
  }))
  const [rows, withdrawn] = await Promise.all([
    readSlotSums(deps.db, owner, slots, unit),
    sumWithdrawals(deps.db, owner, { first_day, end_day }),
  ])
  const withdrawals = (key: keyof typeof STATUSES_BY_GROUP) =>
    presentSums(withdrawn.filter(({ status }) => (STATUSES_BY_GROUP[key] as readonly string[]).includes(status)))
  const by_slot = Map.groupBy(rows, ({ slot }) => slot)
  const successful = ofStatus(rows, 'successful')
  const failed = ofStatus(rows, 'failed')
  const fees = rows.filter(({ status }) => status === 'successful').reduce((sum, { fee_minor }) => sum + fee_minor, 0n)
  return {
    environment: owner.environment,
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
    success_rate: successRate(successful, failed),
    fees: formatAmount(fees),
    withdrawals: {
      success: withdrawals('success'),
      waiting: withdrawals('waiting'),
      in_progress: withdrawals('in_progress'),
      failed: withdrawals('failed'),
    },
    series: slots.map((slot, i) => {
      const slot_sums = by_slot.get(i) ?? []
      return {
        from: slot.from.toISOString(),
        to: slot.to.toISOString(),
        successful: ofStatus(slot_sums, 'successful'),
        failed: ofStatus(slot_sums, 'failed'),
      }
    }),
    methods: sumsByMethod(rows),
  }
}

/** Adds up successful and failed payments by method and network. The pair with the most of these payments comes first. */
function sumsByMethod(rows: readonly SlotSum[]): OverviewView['methods'] {
  const ended = rows.filter(({ status, method }) => method !== '' && (status === 'successful' || status === 'failed'))
  return [...Map.groupBy(ended, ({ method, network }) => `${method} ${network}`).values()]
    .map((sums) => {
      const { method, network } = sums[0] as SlotSum
      const successful = ofStatus(sums, 'successful')
      const failed = ofStatus(sums, 'failed')
      return {
        method: method as Method,
        network: network === '' ? null : network,
        successful,
        failed,
        success_rate: successRate(successful, failed),
      }
    })
    .sort((a, b) => b.successful.count + b.failed.count - a.successful.count - a.failed.count)
}
