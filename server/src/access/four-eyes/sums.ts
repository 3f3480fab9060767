// Counts the money that operators move per day in Tanzania: payouts and corrections of a merchant, and payouts to a
// destination. If a sum reaches FOUR_EYES_AMOUNT, the action needs a second operator. So a split into small actions does not
// avoid the rule.

import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { type Config, DAY_MS, dayNumber, ZERO_ID } from '../../kernel/lib/index.ts'
import { sweepTask, type Task } from '../../kernel/work/index.ts'

/** The key of a sum of the day. The sum of a destination has no merchant. */
export type SumKey = {
  merchant_id: string
  environment: Environment
  kind: 'payouts' | 'destination' | 'corrections'
  subject: string
}

/** Sums of one day in cents, by `sumName`. If the Map has no entry for a sum, the sum is zero. */
export type DailySums = { day: string; totals: Map<string, bigint> }

/** The amount in cents that an action adds to a sum. */
export type SumPart = { key: SumKey; amount_minor: bigint }

/** Returns the amount in cents from which an action needs a second operator. Null means that no amount needs one. */
export function fourEyesMinor({ four_eyes_amount }: Pick<Config, 'four_eyes_amount'>): bigint | null {
  return four_eyes_amount === 'off' ? null : four_eyes_amount
}

/** Returns the name of a sum, which is its key in a Map. */
export function sumName({ merchant_id, environment, kind, subject }: SumKey): string {
  return `${merchant_id} ${environment} ${kind} ${subject}`
}

/**
 * Returns the keys of the two sums that include a payout: of its merchant, and of its destination over all merchants.
 */
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

/** Returns the key of the sum that includes a correction. */
export function correctionSum({ merchant_id, environment }: { merchant_id: string; environment: Environment }): SumKey {
  return { merchant_id, environment, kind: 'corrections', subject: '' }
}

/**
 * Returns true if one of the sums reaches `limit_minor` with this action. Null as `limit_minor` means that no action needs a
 * second operator.
 */
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

// Every transaction locks sums in the order of the whole key. If a sum has no row, the statement inserts one, so that the first
// two actions of a day also wait for each other.
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

/** Locks the sums of today until the transaction ends, and reads them in cents. */
export const lockSums: (deps: Pick<Deps, 'clock'>, tx: Tx, keys: readonly SumKey[]) => Promise<DailySums> =
  readTotals(LOCK)

/** Reads the sums of today in cents without locks, for a preview. */
export const readSums = readTotals(READ)

/**
 * Adds an amount to `sums` in memory, for the next action of the same batch. `addToSums` writes the amount to the database.
 */
export function countPart({ totals }: DailySums, { key, amount_minor }: SumPart): void {
  const name = sumName(key)
  totals.set(name, (totals.get(name) ?? 0n) + amount_minor)
}

/** Adds amounts to the stored sums of the day. The transaction must have locked these sums. */
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
/** The greatest number of rows that one statement deletes. */
const BATCH_MAX = 5_000

/** Makes the task that deletes sums older than two days. */
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
