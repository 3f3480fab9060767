// Runs the command verify. Each invariant of the books and of the statuses is a query that must find no row.

import { checkAnchors, checkChains } from '../../books/audit/index.ts'
import { createDb, inTransaction, type Reader, sql } from '../../kernel/db/index.ts'
import type { Vault } from '../../kernel/lib/index.ts'
import { moves, START } from '../../money/collections/index.ts'
import { BOOKINGS } from './verify-bookings.ts'
import { DAYS } from './verify-days.ts'
import { EVENTS_HOLD, findLostEvents } from './verify-events.ts'
import { INVOICES } from './verify-invoices.ts'
import { OPERATORS } from './verify-operators.ts'
import { PAGES } from './verify-pages.ts'
import { type Invariant, PEOPLE } from './verify-people.ts'
import { lostRevocations, PRIVILEGES_HOLD, ROLE_SEPARATED, runtimeRights } from './verify-privileges.ts'
import { findWrongSums, SUMS_HOLD } from './verify-sums.ts'
import { WITHDRAWALS } from './verify-withdrawals.ts'

const EDGES = [START, ...Object.values(moves)]
  .flatMap((move) => move.from.map((from) => `('${from}', '${move.to}')`))
  .join(', ')

const INVARIANTS: Invariant[] = [
  {
    name: 'Every book sums to zero',
    broken: `select merchant_id || ' ' || environment || ' sums to ' || sum(balance_minor) as finding
      from ledger_accounts group by merchant_id, environment, currency having sum(balance_minor) <> 0`,
  },
  {
    name: 'Every merchant has two complete books',
    broken: `select m.id || ' has ' || count(a.code) || ' accounts' as finding
      from merchants m left join ledger_accounts a on a.merchant_id = m.id group by m.id having count(a.code) <> 12`,
  },
  {
    name: 'Every balance equals the sum of its movements, and its version equals their number',
    broken: `select a.merchant_id || ' ' || a.environment || ' ' || a.code || ' holds ' || a.balance_minor || ', moved ' || coalesce(t.moved, 0) as finding
      from ledger_accounts a left join (
        select merchant_id, environment, currency, code, sum(amount) as moved, count(*) as moves from (
          select merchant_id, environment, currency, credit_code as code, amount_minor as amount from ledger_transfers
          union all select merchant_id, environment, currency, debit_code, -amount_minor from ledger_transfers) legs
        group by merchant_id, environment, currency, code) t using (merchant_id, environment, currency, code)
      where a.balance_minor <> coalesce(t.moved, 0) or a.version <> coalesce(t.moves, 0)`,
  },
  {
    name: 'The running balance of every account has no gap and no fork',
    broken: `select merchant_id || ' ' || environment || ' ' || code || ' at version ' || version as finding from (
        select merchant_id, environment, code, version, balance, sum(amount) over w as expected, row_number() over w as place from (
          select merchant_id, environment, credit_code as code, credit_version as version, credit_balance_minor as balance, amount_minor as amount from ledger_transfers
          union all select merchant_id, environment, debit_code, debit_version, debit_balance_minor, -amount_minor from ledger_transfers) legs
        window w as (partition by merchant_id, environment, code order by version)) q
      where expected <> balance or place <> version`,
  },
  {
    name: 'The held and reserved balances were never below zero',
    broken: `select merchant_id || ' ' || id as finding from ledger_transfers
      where debit_code in ('held', 'reserved') and debit_balance_minor < 0
      union all select merchant_id || ' ' || code from ledger_accounts where code in ('held', 'reserved') and balance_minor < 0`,
  },
  {
    name: 'Only a reversal takes the available balance below zero',
    // A payment increases the balance. But if available was far below zero, it can stay below zero after the payment and its
    // fee.
    broken: `select merchant_id || ' ' || id || ' ' || posting as finding from ledger_transfers
      where debit_code = 'available' and debit_balance_minor < 0 and posting <> 'collection_reversed'
        and not (leg = 1 and posting in ('collection_settled', 'collection_cleared'))`,
  },
  {
    name: 'A collection is credited exactly once, if and only if its money was settled or cleared',
    // For a cleared collection, the ledger credits the received amount. For a settled collection, it credits the requested
    // amount.
    broken: `select c.merchant_id || ' ' || c.id || ' ' || c.status as finding
      from collections c left join (
        select merchant_id, source_id, count(*) as times, sum(amount_minor) as amount, bool_and(environment = 'live') as live,
          count(distinct environment) as environments, min(posting) as posting
        from ledger_transfers where source_type = 'collection' and posting in ('collection_settled', 'collection_cleared') and leg = 0
        group by merchant_id, source_id) t on t.merchant_id = c.merchant_id and t.source_id = c.id
      left join (
        select merchant_id, collection_id, bool_or(from_status = 'pending_clearance') as cleared from collection_history
        where to_status = 'successful' and from_status <> 'successful' group by merchant_id, collection_id) h
        on h.merchant_id = c.merchant_id and h.collection_id = c.id
      where (h.collection_id is not null) <> (t.times is not null)
        or (t.times is not null and (t.times <> 1 or t.environments <> 1 or t.live <> (c.environment = 'live')
          or t.posting <> case when h.cleared then 'collection_cleared' else 'collection_settled' end
          -- Lists and totals show this amount as received.
          or t.amount is distinct from c.amount_received_minor
          or t.amount <> case when h.cleared then c.amount_received_minor else c.amount_minor end))
        or (c.status = 'successful' and t.times is null)`,
  },
  {
    name: 'A collection is debited exactly once, if and only if it was reversed',
    broken: `select c.merchant_id || ' ' || c.id || ' ' || c.status as finding
      from collections c left join (
        select merchant_id, source_id, count(*) as times, sum(amount_minor) as amount from ledger_transfers
        where source_type = 'collection' and posting in ('collection_reversed', 'collection_held_reversed') and leg = 0
        group by merchant_id, source_id) t on t.merchant_id = c.merchant_id and t.source_id = c.id
      where (c.status = 'reversed' and (c.foreign_currency is null or c.amount_received_minor is not null)) <> (t.times is not null)
        or (t.times is not null and (t.times <> 1 or t.amount <> c.amount_received_minor))`,
  },
  {
    name: 'Our fee equals the frozen fee, and a reversal returns it',
    // If the fee is not less than the cleared amount, the server takes no fee.
    broken: `select c.merchant_id || ' ' || c.id || ' ' || t.posting as finding
      from collections c join ledger_transfers t on t.merchant_id = c.merchant_id and t.source_id = c.id
        and t.source_type = 'collection' and t.posting in ('collection_settled', 'collection_cleared', 'collection_reversed') and t.leg = 0
      left join ledger_transfers f on f.merchant_id = t.merchant_id and f.source_id = t.source_id
        and f.source_type = t.source_type and f.posting = t.posting and f.leg = 1
      where coalesce(f.amount_minor, 0) <>
        case when c.fee_minor < t.amount_minor or t.posting = 'collection_settled' then c.fee_minor else 0 end`,
  },
  {
    name: 'The held balance equals the sum of the collections that wait for clearance',
    broken: `select a.merchant_id || ' ' || a.environment || ' holds ' || a.balance_minor || ', waiting ' || coalesce(c.waiting, 0) as finding
      from ledger_accounts a left join (
        select merchant_id, environment, sum(amount_received_minor) as waiting from collections
        where status = 'pending_clearance' group by merchant_id, environment) c using (merchant_id, environment)
      where a.code = 'held' and a.balance_minor <> coalesce(c.waiting, 0)`,
  },
  {
    name: 'Every movement belongs to a collection of the same merchant and environment',
    broken: `select t.merchant_id || ' ' || t.id as finding from ledger_transfers t
      left join collections c on c.merchant_id = t.merchant_id and c.id = t.source_id and c.environment = t.environment
      where t.source_type = 'collection' and c.id is null`,
  },
  {
    name: 'No attempt, history row or webhook attempt is an orphan',
    broken: `select 'attempt ' || a.merchant_id || ' ' || a.collection_id as finding from collection_attempts a
      left join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id where c.id is null
      union all select 'history ' || h.merchant_id || ' ' || h.collection_id from collection_history h
      left join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id where c.id is null
      union all select 'webhook attempt ' || w.merchant_id || ' ' || w.delivery_id from webhook_attempts w
      left join webhook_deliveries d on d.merchant_id = w.merchant_id and d.id = w.delivery_id where d.id is null
      union all select 'collection ' || c.merchant_id || ' ' || c.id from collections c
      left join merchants m on m.id = c.merchant_id where m.id is null`,
  },
  {
    name: 'Every status move of a collection is allowed, and the history ends at its status',
    broken: `select h.merchant_id || ' ' || h.collection_id || ' ' || h.from_status || ' to ' || h.to_status as finding
      from collection_history h where h.from_status <> h.to_status and (h.from_status, h.to_status) not in (values ${EDGES})
      union all select merchant_id || ' ' || collection_id || ' stays ' || to_status || ' for no reason, or with an event'
      from collection_history where from_status = to_status and (reason is null or event is not null)
      union all select merchant_id || ' ' || collection_id || ' breaks at ' || seq from (
        select merchant_id, collection_id, seq, from_status, lag(to_status) over w as before, row_number() over w as place
        from collection_history window w as (partition by merchant_id, collection_id order by seq)) q
      where place <> seq or (place > 1 and before <> from_status)
      union all select c.merchant_id || ' ' || c.id || ' is ' || c.status || ', its history ends at ' || coalesce(h.to_status, 'no status')
      from collections c left join collection_history h
        on h.merchant_id = c.merchant_id and h.collection_id = c.id and h.seq = c.version
      where case when c.version = 0 then c.status not in ('created', 'processing') else h.to_status is distinct from c.status end`,
  },
  {
    name: 'Every processing collection has an attempt with a due time',
    broken: `select c.merchant_id || ' ' || c.id as finding from collections c
      where c.status = 'processing' and not exists (
        select 1 from collection_attempts a where a.merchant_id = c.merchant_id and a.collection_id = c.id and a.due_at is not null)`,
  },
  {
    name: 'The attempts of a collection are numbered without a gap',
    broken: `select c.merchant_id || ' ' || c.id || ' counts ' || c.attempts || ', has ' || count(a.number) as finding
      from collections c left join collection_attempts a on a.merchant_id = c.merchant_id and a.collection_id = c.id
      group by c.merchant_id, c.id
      having c.attempts <> count(a.number) or c.attempts <> coalesce(max(a.number), 0) or c.settled_attempt > c.attempts`,
  },
  {
    name: 'A provider reference belongs to one attempt',
    broken: `select provider || ' ' || provider_reference as finding from collection_attempts
      group by provider, provider_reference having count(*) > 1`,
  },
  {
    name: 'Every attempt has the environment, amount and currency of its collection',
    broken: `select a.merchant_id || ' ' || a.collection_id as finding from collection_attempts a
      join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
      where a.environment <> c.environment or a.amount_minor <> c.amount_minor or a.currency <> c.currency`,
  },
  {
    name: 'No sandbox payment was sent to a provider that moves money',
    // If no provider of the installation moves real money, pages of sandbox keys are in the sandbox. The mock provider takes
    // their payments.
    broken: `select a.merchant_id || ' ' || a.collection_id as finding from collection_attempts a
      where a.environment = 'sandbox' and a.provider <> case when a.on_page then 'mock' else 'sandbox' end`,
  },
  {
    name: 'Every recorded event of a collection has its delivery, and every delivery has its event',
    broken: `select h.merchant_id || ' ' || h.collection_id || ' owes ' || h.event as finding from collection_history h
      left join webhook_deliveries d on d.merchant_id = h.merchant_id and d.source_id = h.collection_id
        and d.source_type = 'collection' and d.source_seq = h.seq and d.event = h.event
      where h.event is not null and d.id is null
      union all select d.merchant_id || ' ' || d.id || ' has no event in the history' from webhook_deliveries d
      left join collection_history h on h.merchant_id = d.merchant_id and h.collection_id = d.source_id
        and h.seq = d.source_seq and h.event = d.event
      where d.source_type = 'collection' and d.event like 'collection.%' and h.seq is null`,
  },
  {
    name: 'Every delivered webhook got a 2xx response, and the last attempt of a failed webhook did not',
    broken: `select d.merchant_id || ' ' || d.id || ' ' || d.status as finding from webhook_deliveries d
      left join (
        select merchant_id, delivery_id, bool_or(status_code between 200 and 299) as ok,
          (array_agg(status_code order by number desc))[1] between 200 and 299 as last_ok
        from webhook_attempts
        group by merchant_id, delivery_id) a on a.merchant_id = d.merchant_id and a.delivery_id = d.id
      where (d.status = 'delivered' and a.ok is not true) or (d.status = 'failed' and (a.delivery_id is null or a.last_ok))`,
  },
  {
    name: 'Every sandbox webhook has the field sandbox, and no live webhook has the field sandbox or test',
    broken: `select merchant_id || ' ' || id as finding from webhook_deliveries
      where source_type <> 'test' and ((environment = 'sandbox') <> (body::jsonb ? 'sandbox') or body::jsonb ? 'test')`,
  },
  {
    name: 'Every answered Idempotency-Key names the record that it created, and no record has two keys',
    // Several idempotency keys can refer to the collection of a hosted page. Each attempt has its own key, with a scope other
    // than `api`.
    broken: `select k.merchant_id || ' ' || k.environment || ' ' || k.resource_id as finding from idempotency_keys k
      left join collections c on c.merchant_id = k.merchant_id and c.id = k.resource_id
      where k.status_code = 202 and k.resource_id is not null and c.id is null
      union all select merchant_id || ' ' || resource_id || ' has two keys' from idempotency_keys
      where resource_id is not null and scope = 'api' group by merchant_id, resource_id having count(*) > 1
      union all select merchant_id || ' stores a 5xx' from idempotency_keys where status_code >= 500`,
  },
  ...BOOKINGS,
  ...DAYS,
  ...PAGES,
  ...INVOICES,
  ...WITHDRAWALS,
  ...OPERATORS,
  ...PEOPLE,
]

const CHAINS_HOLD = 'No entry of the audit log was changed, removed or inserted'

/** If every chain holds, but the program has no key to check the seals, the check has this detail. */
const WITHOUT_SEALS = 'holds, but the seals were not checked: run the command with the SECRET_KEY of this database'

const ANCHORS_HOLD = 'The audit log has every entry that its anchors recorded'

const EXAMPLES_MAX = 5

/** The facts about the installation that some checks of verify need. */
export type VerifyOptions = {
  /** True if the configuration has two database roles. If so, verify reports a server role that owns tables. */
  must_separate?: boolean
  /** The vault with the key for the seals of the audit log. Null means that the program has no key. */
  vault?: Pick<Vault, 'mark'> | null
  /**
   * The file of the anchors, and the time of the check. If `file` is null, the function checks only the anchors in the
   * database. Undefined means that the function checks no anchors.
   */
  anchors?: { file: string | null; now: Date }
  /**
   * The present time. If the time is missing or null, verify reads no list of events. Verify then also reports no missing addresses of
   * the audit log and no missing sums of a day.
   */
  now?: Date | null
  /**
   * The timeout of each check in milliseconds. If the field is set, verify uses only one core of the database, so that verify
   * can run beside live work.
   */
  statement_ms?: number
}

/** The result of verify. `detail` counts the rows that break an invariant, and describes some of them. */
export type Verification = { ok: boolean; checks: { name: string; ok: boolean; detail: string }[] }

/**
 * Runs every check on the database at `url`. The function only reads, so an operator can run it while the server runs.
 */
export async function verify(url: string, options: VerifyOptions = {}): Promise<Verification> {
  const db = createDb({
    url,
    max_connections: 1,
    application_name: 'malipo-verify',
    reporting: true,
    statement_ms: options.statement_ms,
  })
  try {
    // All checks but that of the anchors read one snapshot. Otherwise payments that arrive during the checks would look like
    // contradictions.
    const { checks } = await inTransaction(db, async (tx) => {
      await tx.query(SNAPSHOT)
      return await runChecks(tx, () => true, options)
    })
    if (options.anchors !== undefined) checks.push(await anchorsCheck(db, options.anchors, options.vault ?? null))
    return { ok: checks.every(({ ok }) => ok), checks }
  } finally {
    await db.close()
  }
}

/** Runs the checks that `isWanted` accepts. If `isWanted` is missing, runs all checks but that of the anchors. */
export async function runChecks(
  reader: Reader,
  isWanted: (name: string) => boolean = () => true,
  { must_separate = false, vault = null, now = null }: VerifyOptions = {},
): Promise<Verification> {
  const checks: Verification['checks'] = []
  for (const [i, invariant] of INVARIANTS.entries()) {
    if (!isWanted(invariant.name)) continue
    const text = `select count(*) over ()::int as total, finding from (${invariant.broken}) broken limit ${EXAMPLES_MAX}`
    const rows = await reader.query<{ total: number; finding: string }>(sql(`verify_${i}`, text))
    const total = rows[0]?.total ?? 0
    const detail = detailOf(
      total,
      rows.map((row) => row.finding),
    )
    checks.push({ name: invariant.name, ok: total === 0, detail })
  }
  if (isWanted(SUMS_HOLD)) {
    const { total, findings } = await findWrongSums(reader, now, EXAMPLES_MAX)
    checks.push({ name: SUMS_HOLD, ok: total === 0, detail: detailOf(total, findings) })
  }
  if (isWanted(EVENTS_HOLD)) {
    const { total, findings } = await findLostEvents(reader, now, EXAMPLES_MAX)
    checks.push({ name: EVENTS_HOLD, ok: total === 0, detail: detailOf(total, findings) })
  }
  if (isWanted(CHAINS_HOLD)) {
    const faults = await checkChains(reader, vault, now)
    const sealed = faults.length === 0 && vault === null ? WITHOUT_SEALS : detailOf(faults.length, faults)
    checks.push({ name: CHAINS_HOLD, ok: faults.length === 0, detail: sealed })
  }
  if (isWanted(PRIVILEGES_HOLD)) {
    const lost = await lostRevocations(reader)
    checks.push({ name: PRIVILEGES_HOLD, ok: lost.length === 0, detail: detailOf(lost.length, lost) })
  }
  if (isWanted(ROLE_SEPARATED)) {
    const { findings, note } = await runtimeRights(reader, must_separate)
    checks.push({
      name: ROLE_SEPARATED,
      ok: findings.length === 0,
      detail: note ?? detailOf(findings.length, findings),
    })
  }
  return { ok: checks.every((check) => check.ok), checks }
}

async function anchorsCheck(
  reader: Reader,
  { file, now }: { file: string | null; now: Date },
  vault: Pick<Vault, 'mark'> | null,
) {
  const source = file === null ? null : { path: file, is_copy: false }
  const { anchors, faults, notes } = await checkAnchors(reader, now, source, vault)
  const good = `holds for ${anchors} anchor${anchors === 1 ? '' : 's'}`
  const detail = [faults.length === 0 ? good : detailOf(faults.length, faults), ...notes].join('; ')
  return { name: ANCHORS_HOLD, ok: faults.length === 0, detail }
}

const SNAPSHOT = sql('verify_snapshot', 'set transaction isolation level repeatable read read only')

function detailOf(total: number, examples: readonly string[]): string {
  return total === 0 ? 'holds' : `${total} broken: ${examples.slice(0, EXAMPLES_MAX).join('; ')}`
}
