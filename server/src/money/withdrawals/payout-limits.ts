// Limits the payouts that operators approve for a merchant in an environment on a day in Tanzania. The limits are settings, or
// numbers that an operator sets for the merchant. If the money of a payout came back, the payout no longer counts.

import { type BookKey, bookName } from '../../books/ledger/index.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { type Config, DAY_MS, dayNumber, formatAmount, Refusal, startOfDay } from '../../kernel/lib/index.ts'
import type { Withdrawal } from './store.ts'

/** The daily limits of a merchant in cents. Null means that there is no limit. */
export type PayoutLimits = { daily_minor: bigint | null; destination_minor: bigint | null }

/** The fields of a withdrawal that determine to which daily sums its amount adds. */
type LimitedPayout = BookKey & Pick<Withdrawal, 'destination_identifier'>

/**
 * The limits of merchants by merchant id, and the sums of the payouts of the day in cents. The keys of the sums come from
 * `bookName` and `destinationName`.
 */
export type PayoutDay = { limits: ReadonlyMap<string, PayoutLimits>; sums: Map<string, bigint> }

type LimitsConfig = Pick<Config, 'payout_daily_limit' | 'payout_daily_limit_per_destination'>

const LIMITS = sql(
  'payout_limits_find',
  `select id, payout_daily_limit_minor as daily_minor, payout_destination_limit_minor as destination_minor
   from merchants where id = any($1::uuid[])`,
)

/** Returns the limits of merchants, by merchant id. If an operator set no limit for a merchant, the setting applies. */
export async function findPayoutLimits(
  config: LimitsConfig,
  reader: Reader,
  payouts: readonly Pick<BookKey, 'merchant_id'>[],
): Promise<Map<string, PayoutLimits>> {
  if (payouts.length === 0) return new Map()
  const ids = new Set(payouts.map(({ merchant_id }) => merchant_id))
  const rows = await reader.query<PayoutLimits & { id: string }>(LIMITS, [[...ids]])
  return new Map(
    rows.map(({ id, daily_minor, destination_minor }) => [
      id,
      {
        daily_minor: daily_minor ?? config.payout_daily_limit,
        destination_minor: destination_minor ?? config.payout_daily_limit_per_destination,
      },
    ]),
  )
}

// The same phone may have the codes of several networks, so the sum of a destination ignores the code.
const SUMS = sql(
  'payout_limits_sums',
  `with wanted as materialized (
     select distinct merchant_id, environment, destination_identifier
     from json_to_recordset($1::json) as x(merchant_id uuid, environment text, destination_identifier text)
   ), counted as materialized (
     select p.merchant_id, p.environment, p.destination_identifier, p.amount_minor
     from (select distinct merchant_id, environment from wanted) b
     join payouts p on p.merchant_id = b.merchant_id and p.environment = b.environment and p.created_at >= $2 and p.created_at < $3
     join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.withdrawal_id and w.funds in ('reserved', 'paid')
   )
   select merchant_id, environment, null as destination_identifier, sum(amount_minor)::bigint as sum_minor
   from counted group by merchant_id, environment
   union all
   select c.merchant_id, c.environment, c.destination_identifier, sum(c.amount_minor)::bigint
   from wanted join counted c using (merchant_id, environment, destination_identifier)
   group by c.merchant_id, c.environment, c.destination_identifier`,
)

type DailySumRow = BookKey & { destination_identifier: string | null; sum_minor: bigint }

/**
 * Reads the sums of the payouts that operators approved today: of each book, and of each destination of `payouts`. If the
 * calling transaction holds the locks of the books, no other approval changes a sum before its commit.
 */
export async function readPayoutSums(
  now: Date,
  reader: Reader,
  payouts: readonly LimitedPayout[],
): Promise<Map<string, bigint>> {
  if (payouts.length === 0) return new Map()
  const wanted = payouts.map(({ merchant_id, environment, destination_identifier }) => ({
    merchant_id,
    environment,
    destination_identifier,
  }))
  const since = startOfDay(dayNumber(now))
  const until = new Date(since.getTime() + DAY_MS)
  const rows = await reader.query<DailySumRow>(SUMS, [JSON.stringify(wanted), since, until])
  return new Map(
    rows.map(({ destination_identifier, sum_minor, ...book }) => [
      destination_identifier === null ? bookName(book) : destinationName({ ...book, destination_identifier }),
      sum_minor,
    ]),
  )
}

/** Reads the limits and the sums for a batch of approvals. If no merchant of the batch has a limit, reads no sums. */
export async function readPayoutDay(
  { clock }: Pick<Deps, 'clock'>,
  reader: Reader,
  payouts: readonly LimitedPayout[],
  limits: ReadonlyMap<string, PayoutLimits>,
): Promise<PayoutDay> {
  const limited = payouts.filter(({ merchant_id }) => isLimited(limits.get(merchant_id)))
  return { limits, sums: await readPayoutSums(clock.now(), reader, limited) }
}

function isLimited(limits: PayoutLimits | undefined): boolean {
  return limits !== undefined && (limits.daily_minor !== null || limits.destination_minor !== null)
}

/** Returns the key of a destination in the map of sums. */
export function destinationName({ destination_identifier, ...book }: LimitedPayout): string {
  return `${bookName(book)} ${destination_identifier}`
}

/** A limit, the payouts of the day, and whether another payout would exceed the limit. Amounts are decimal texts. */
type PayoutLimitFact = { limit: string | null; approved_today: string; exceeded: boolean }

/**
 * Returns the limits of a merchant and the payouts that operators approved today, of the merchant and of one destination.
 * `amount` is the decimal amount of a payout that waits for approval, or "0.00".
 */
export async function getPayoutFacts(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  { amount, ...payout }: LimitedPayout & { amount: string },
): Promise<{ daily: PayoutLimitFact; destination: PayoutLimitFact }> {
  const [limits, sums] = await Promise.all([
    findPayoutLimits(config, reader, [payout]),
    readPayoutSums(clock.now(), reader, [payout]),
  ])
  return payoutFactsOf({ limits, sums }, { ...payout, amount_minor: BigInt(amount.replace('.', '')) })
}

function payoutFactsOf(
  { limits, sums }: PayoutDay,
  payout: LimitedPayout & Pick<Withdrawal, 'amount_minor'>,
): { daily: PayoutLimitFact; destination: PayoutLimitFact } {
  const { daily_minor = null, destination_minor = null } = limits.get(payout.merchant_id) ?? {}
  const factOf = (limit_minor: bigint | null, sum_minor: bigint): PayoutLimitFact => ({
    limit: limit_minor === null ? null : formatAmount(limit_minor),
    approved_today: formatAmount(sum_minor),
    exceeded: limit_minor !== null && sum_minor + payout.amount_minor > limit_minor,
  })
  return {
    daily: factOf(daily_minor, sums.get(bookName(payout)) ?? 0n),
    destination: factOf(destination_minor, sums.get(destinationName(payout)) ?? 0n),
  }
}

/** A limit that an approval would exceed, and the payouts that operators approved today. Amounts are decimal texts. */
export type ExceededFact = Pick<PayoutLimitFact, 'approved_today'> & { limit: string }
/** The limits that an approval would exceed. Null means that the limit allows the payout. */
export type ExceededLimits = { daily: ExceededFact | null; destination: ExceededFact | null }

/**
 * Returns for each payout which limits an approval of this payout would exceed, in the given order, with at most two queries.
 */
export async function findExceededLimits(
  deps: Pick<Deps, 'config' | 'clock'>,
  reader: Reader,
  payouts: readonly (LimitedPayout & Pick<Withdrawal, 'amount_minor'>)[],
): Promise<ExceededLimits[]> {
  const limits = await findPayoutLimits(deps.config, reader, payouts)
  const day = await readPayoutDay(deps, reader, payouts, limits)
  return payouts.map((payout) => {
    const { daily, destination } = payoutFactsOf(day, payout)
    return { daily: exceededFact(daily), destination: exceededFact(destination) }
  })
}

function exceededFact({ limit, approved_today, exceeded }: PayoutLimitFact): ExceededFact | null {
  return exceeded && limit !== null ? { limit, approved_today } : null
}

/** The limit that a payout would exceed, with the sum of the day before the payout. Amounts are in cents. */
type ExceededLimit = { limit: 'daily' | 'destination'; limit_minor: bigint; sum_minor: bigint }

/** Returns the limit that a payout would exceed. Null means that the limits allow the payout. */
export function exceededLimit(
  { limits, sums }: PayoutDay,
  payout: LimitedPayout & Pick<Withdrawal, 'amount_minor'>,
): ExceededLimit | null {
  const { daily_minor = null, destination_minor = null } = limits.get(payout.merchant_id) ?? {}
  const checks = [
    { limit: 'daily', limit_minor: daily_minor, sum_minor: sums.get(bookName(payout)) ?? 0n },
    { limit: 'destination', limit_minor: destination_minor, sum_minor: sums.get(destinationName(payout)) ?? 0n },
  ] as const
  for (const { limit, limit_minor, sum_minor } of checks) {
    if (limit_minor !== null && sum_minor + payout.amount_minor > limit_minor) return { limit, limit_minor, sum_minor }
  }
  return null
}

const NEXT = 'Approve the withdrawal on another day, or set a higher limit for the merchant.'

/** If a payout would exceed a limit, returns its refusal; otherwise returns null. */
export function refusePayoutLimit(day: PayoutDay, payout: Withdrawal): Refusal | null {
  const exceeded = exceededLimit(day, payout)
  if (exceeded === null) return null
  const [limit, approved_today, amount] = [exceeded.limit_minor, exceeded.sum_minor, payout.amount_minor].map(
    formatAmount,
  )
  const message =
    exceeded.limit === 'daily'
      ? `The daily limit of the merchant is ${limit}. Operators approved ${approved_today} today, and this payout is ${amount}. ${NEXT}`
      : `The daily limit of the merchant to one destination is ${limit}. Operators approved ${approved_today} to this destination today, and this payout is ${amount}. ${NEXT}`
  return new Refusal('payout_limit_reached', { message, details: { limit, approved_today, amount } })
}

/** Adds an approved payout to the sums of the day, so that the next item of the batch counts the payout. */
export function addToDay({ sums }: PayoutDay, payout: LimitedPayout & Pick<Withdrawal, 'amount_minor'>): void {
  for (const name of [bookName(payout), destinationName(payout)]) {
    sums.set(name, (sums.get(name) ?? 0n) + payout.amount_minor)
  }
}
