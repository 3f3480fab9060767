// Queues an event if the available balance of a merchant has fallen below the balance mark. One transaction stores that the
// balance is low and queues the event, so that two workers never report it twice.

import { enqueueEvents, subscriptionKey, subscriptionsOf } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { CURRENCY, formatAmount, newId } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'

const EVERY_MS = 10_000
const BATCH_MAX = 500

type PassedMark = {
  merchant_id: string
  environment: Environment
  mark_minor: bigint
  available_minor: bigint
  is_low: boolean
  merchant_code: string
  routing_code: number
}

// Only merchants with a balance mark have a row, so the cost does not grow with the payments. If another transaction has locked
// a row, the row waits for the next run.
const PASS = sql(
  'balance_marks_pass',
  `update balance_marks b set low_since = case when passed.is_low then $1::timestamptz end
   from (
     select m.merchant_id, m.environment, a.balance_minor, a.balance_minor < m.mark_minor as is_low
     from balance_marks m
     join ledger_accounts a on a.merchant_id = m.merchant_id and a.environment = m.environment and a.currency = $2
       and a.code = 'available'
     where (a.balance_minor < m.mark_minor) <> (m.low_since is not null)
     order by m.merchant_id, m.environment limit $3 for update of m skip locked) passed
   join merchants owner on owner.id = passed.merchant_id
   where b.merchant_id = passed.merchant_id and b.environment = passed.environment
   returning b.merchant_id, b.environment, b.mark_minor, passed.balance_minor as available_minor, passed.is_low,
     owner.merchant_code, owner.routing_code::float8 as routing_code`,
)

/**
 * Makes the worker task that reports low balances. If a balance stays below the mark, the task queues no second event. The
 * webhook task sends the events.
 */
export function lowBalanceTask(deps: Deps): Task {
  return {
    name: 'balances_low',
    every_ms: EVERY_MS,
    runOnce: () => inTransaction(deps.db, (tx) => reportLowBalances(deps, tx)),
    async idle() {},
  }
}

async function reportLowBalances(deps: Deps, tx: Tx): Promise<number> {
  const now = deps.clock.now()
  const passed = await tx.query<PassedMark>(PASS, [now, CURRENCY, BATCH_MAX])
  const low = passed.filter(({ is_low }) => is_low)
  if (low.length === 0) return passed.length
  const subscriptions = await subscriptionsOf(tx, [...new Set(low.map(({ merchant_id }) => merchant_id))])
  const events = low.map((balance) => ({
    merchant_id: balance.merchant_id,
    routing_code: balance.routing_code,
    environment: balance.environment,
    event: 'balance.low' as const,
    endpoint_ids: subscriptions.get(subscriptionKey(balance))?.get('balance.low') ?? [],
    source_type: 'balance' as const,
    // An event needs a source id, but a balance has none. So each event gets a new id.
    source_id: newId(deps, balance.routing_code),
    source_seq: 0,
    body: lowBalanceBody(balance, now.toISOString()),
  }))
  await enqueueEvents(deps, tx, events, () => false)
  return passed.length
}

function lowBalanceBody({ merchant_code, environment, mark_minor, available_minor }: PassedMark, now: string) {
  return {
    event: 'balance.low',
    merchant_code,
    reference: null,
    merchant_reference: null,
    amount: formatAmount(available_minor),
    currency: CURRENCY,
    balance_below: formatAmount(mark_minor),
    status: 'LOW',
    low_at: now,
    timestamp: now,
    metadata: {},
    ...(environment === 'sandbox' ? { sandbox: true } : {}),
  }
}
