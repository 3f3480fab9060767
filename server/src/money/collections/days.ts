// Decides when a day closes. If a payment of an old day changes, marks the day (table collection_days_stale). The table
// collection_days holds the sums of closed days. days-task.ts writes the sums, and tally.ts reads them.

import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { dateSql, dayNumber, networkPrefixSql, networkSql, newId, timeOfId } from '../../kernel/lib/index.ts'

const HOUR_MS = 3_600_000

/**
 * The time from the end of a day until a change of a payment of that day needs a mark. By then nearly all payments have their
 * outcome. No setting changes this value, because all processes must agree on it.
 */
const MARK_AFTER_MS = 72 * HOUR_MS

/**
 * The shortest time from MARK_AFTER_MS to the first sum of a day. This time is longer than any transaction and any difference
 * between two clocks, so the sum includes every change without a mark.
 */
const MARGIN_MS = 2 * HOUR_MS

/**
 * Returns the first day that is still open. The server counts the payments of open days without stored sums. No new payment
 * gets an id of a closed day.
 */
export function firstOpenDay(deps: Deps): number {
  const wait_ms = Math.max(MARK_AFTER_MS, deps.config.collection_deadline_h * HOUR_MS) + MARGIN_MS
  return dayNumber(new Date(deps.clock.now().getTime() - wait_ms))
}

const MARK = sql(
  'collection_days_mark',
  `insert into collection_days_stale (merchant_id, id, environment, day)
   select merchant_id, id, environment, ${dateSql('day')}
   from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, environment text, day int)`,
)

type ChangedCollection = { merchant_id: string; collection_id: string; environment: string; routing_code: number }

/** Marks the days of payments that change long after their creation. Without such a payment, no query runs. */
export async function markDays(deps: Deps, tx: Tx, changed: readonly ChangedCollection[]): Promise<void> {
  const open = dayNumber(new Date(deps.clock.now().getTime() - MARK_AFTER_MS))
  const rows = changed.flatMap(({ merchant_id, collection_id, environment, routing_code }) => {
    const day = dayNumber(timeOfId(collection_id))
    return day < open ? [{ merchant_id, id: newId(deps, routing_code), environment, day }] : []
  })
  if (rows.length > 0) await tx.query(MARK, [JSON.stringify(rows)])
}

/**
 * SQL for the method of a group of payments. Empty means that the payer has not chosen a method. The table collections has the
 * alias c.
 */
export const METHOD = "coalesce(c.method, '')"
/**
 * SQL for the network of a group of payments. If the payment is by QR code or has no method yet, the network is empty, because
 * the phone that pays is unknown.
 */
export const NETWORK = `case when c.method <> 'qr' then ${networkSql(networkPrefixSql('c.customer_phone'))} else '' end`
/**
 * SQL for the sums of a group. If the received amount, or else the requested amount, is not more than the fee, the payment adds
 * no fee.
 */
export const SUMS = `count(*) as items, sum(c.amount_minor)::bigint as amount_minor,
     coalesce(sum(c.amount_received_minor), 0)::bigint as amount_received_minor,
     sum(case when c.fee_minor < coalesce(c.amount_received_minor, c.amount_minor) then c.fee_minor else 0 end)::bigint as fee_minor`

/**
 * Returns SQL for the sums of the payments that match conditions, by status, method and network. The table collections has the
 * alias c. PostgreSQL first groups by the digits of the phone, and then finds the network of few groups, not of each payment.
 */
export function sumsSql(conditions: string): string {
  return `select status, method, ${networkSql('prefix')} as network, sum(items)::bigint as items,
       sum(amount_minor)::bigint as amount_minor, sum(amount_received_minor)::bigint as amount_received_minor,
       sum(fee_minor)::bigint as fee_minor
     from (
       select c.status, ${METHOD} as method,
         case when c.method <> 'qr' then ${networkPrefixSql('c.customer_phone')} else '' end as prefix, ${SUMS}
       from collections c where ${conditions} group by 1, 2, 3) by_prefix
     group by 1, 2, 3`
}
