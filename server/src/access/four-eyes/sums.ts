// Counts the money that operators move on each day in Tanzania: payouts of a merchant, payouts to a destination over all merchants,
// and corrections of a merchant. From FOUR_EYES_AMOUNT on, a sum with the act requires a second operator, so that many small acts do
// not avoid the amount. A transaction locks its sums until its end (docs/design/lock-order.md): concurrent acts wait.

import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { type Config, DAY_MS, dayNumber, ZERO_ID } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

/** The name of one daily sum. The sum of a destination belongs to no merchant. */
export type SumKey = {
  merchant_id: string
  environment: Environment
  kind: 'payouts' | 'destination' | 'corrections'
  subject: string
}

/** Daily sums in cents by `sumName`, with the day to which they belong. A missing sum is zero. */
export type DailySums = { day: string; totals: Map<string, bigint> }

/** An amount in cents that an act adds to a sum. */
export type SumPart = { key: SumKey; amount_minor: bigint }

/** Returns the amount in cents from which on an act needs a second operator. Null means that no amount needs one. */
export function fourEyesMinor({ four_eyes_amount }: Pick<Config, 'four_eyes_amount'>): bigint | null {
  return four_eyes_amount === 'off' ? null : four_eyes_amount
}

/** Returns the key of a sum in a Map. */
export function sumName({ merchant_id, environment, kind, subject }: SumKey): string {
  return `${merchant_id} ${environment} ${kind} ${subject}`
}

/** Returns the two sums to which a payout counts: of its merchant, and of its destination over all merchants. */
export function payoutSums(payout: {
  merchant_id: string
  environment: Environment
  destination_identifier: string
}): SumKey[] {
  const { merchant_id, environment, destination_identifier: subject } = payout
  return [
    { merchant_id, environment, kind: 'payouts', subject: '' },
    { merchant_id: ZERO_ID, environment, kind: 'destination', subject },
  ]
}

/** Returns the sum to which a correction of a merchant's money counts. */
export function correctionSum({ merchant_id, environment }: { merchant_id: string; environment: Environment }): SumKey {
  return { merchant_id, environment, kind: 'corrections', subject: '' }
}

/** Returns true if one of the sums reaches the amount `limit_minor` with this act. Null in `limit_minor` means false. */
export function needsSecond(
  limit_minor: bigint | null,
  sums: Pick<DailySums, 'totals'> | null,
  { keys, amount_minor }: { keys: readonly SumKey[]; amount_minor: bigint },
): boolean {
  if (limit_minor === null) return false
  return keys.some((key) => (sums?.totals.get(sumName(key)) ?? 0n) + amount_minor >= limit_minor)
}

const ROWS = `json_to_recordset($1::json) as i(merchant_id uuid, environment text, kind text, subject text, amount bigint)`
const ON_KEY = `s.merchant_id = i.merchant_id and s.environment = i.environment and s.kind = i.kind
     and s.subject = i.subject and s.day = $2::date`

// Every transaction locks its sums in this order, by the whole key. If a sum has no row, the statement inserts one, so that the first
// two acts of a day also wait for each other.
const LOCK = sql(
  'four_eyes_lock',
  `insert into four_eyes_sums as s (merchant_id, environment, kind, subject, day, total_minor)
   select i.merchant_id, i.environment, i.kind, i.subject, $2::date, 0 from ${ROWS}
   order by i.merchant_id, i.environment, i.kind, i.subject
   on conflict (merchant_id, environment, kind, subject, day) do update set total_minor = s.total_minor
   returning merchant_id, environment, kind, subject, total_minor`,
)
const READ = sql(
  'four_eyes_read',
  `select s.merchant_id, s.environment, s.kind, s.subject, s.total_minor from ${ROWS} join four_eyes_sums s on ${ON_KEY}`,
)
const ADD = sql(
  'four_eyes_add',
  `update four_eyes_sums s set total_minor = s.total_minor + i.amount from ${ROWS} where ${ON_KEY}`,
)

const readTotals =
  (statement: typeof LOCK) =>
  async (deps: Pick<Deps, 'clock'>, reader: Reader, keys: readonly SumKey[]): Promise<DailySums> => {
    const day = sumDay(deps.clock.now())
    const distinct = [...new Map(keys.map((key) => [sumName(key), key])).values()]
    if (distinct.length === 0) return { day, totals: new Map() }
    const input = distinct.map(({ merchant_id, environment, kind, subject }) => ({
      ...{ merchant_id, environment, kind, subject },
    }))
    const rows = await reader.query<SumKey & { total_minor: bigint }>(statement, [JSON.stringify(input), day])
    return { day, totals: new Map(rows.map((row) => [sumName(row), row.total_minor])) }
  }

/** Locks the sums of today until the transaction ends, and reads them. */
export const lockSums: (deps: Pick<Deps, 'clock'>, tx: Tx, keys: readonly SumKey[]) => Promise<DailySums> =
  readTotals(LOCK)

/** Reads the sums of today without locks, for a preview. */
export const readSums = readTotals(READ)

/** Counts an amount in `sums`, so that the next act of the same batch reads it. `addToSums` writes the amount. */
export function countPart({ totals }: DailySums, { key, amount_minor }: SumPart): void {
  const name = sumName(key)
  totals.set(name, (totals.get(name) ?? 0n) + amount_minor)
}

/** Adds amounts to the stored sums of the day of `sums`, whose rows this transaction has locked. */
export async function addToSums(tx: Tx, { day }: DailySums, parts: readonly SumPart[]): Promise<void> {
  if (parts.length === 0) return
  const added = new Map<string, SumPart>()
  for (const { key, amount_minor } of parts) {
    const name = sumName(key)
    added.set(name, { key, amount_minor: amount_minor + (added.get(name)?.amount_minor ?? 0n) })
  }
  const input = [...added.values()].map(({ key, amount_minor }) => ({ ...key, amount: amount_minor.toString() }))
  await tx.query(ADD, [JSON.stringify(input), day])
}

const SWEEP = sql(
  'four_eyes_sweep',
  `delete from four_eyes_sums where ctid = any(array(select ctid from four_eyes_sums where day < $1::date limit $2))
   returning 1 as gone`,
)
/** The highest number of sums that one statement deletes. */
const BATCH_MAX = 5_000

/** Makes the task that deletes the sums of past days. A sum stays until two days after its day. */
export function fourEyesTask(deps: Deps): Task {
  const sweep = async (now: Date) => {
    const before = sumDay(new Date(now.getTime() - 2 * DAY_MS))
    return (await oneStatement(deps.db).query(SWEEP, [before, BATCH_MAX])).length
  }
  return sweepTask(deps, 'four_eyes_sweep', [sweep])
}

function sumDay(time: Date): string {
  return new Date(dayNumber(time) * DAY_MS).toISOString().slice(0, 10)
}
