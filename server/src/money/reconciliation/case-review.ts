// Implements the operators' work on cases. Operators list cases, query the provider about a case, and close a case.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import { type Act, type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { formatAmount, isId, refuse } from '../../kernel/lib/index.ts'
import { type Driver, findAttempts } from '../collections/index.ts'
import { findPayouts, type PayoutDriver } from '../withdrawals/index.ts'
import type { CaseKind } from './compare.ts'
import type { LineKind } from './line.ts'
import { compareAgain } from './match.ts'
import { parseOwnReference } from './subject.ts'

/** The resolutions that an operator can choose to close a case. */
export const RESOLUTIONS = ['accepted', 'written_off', 'corrected'] as const
/**
 * The resolution of a closed case. `explained` means that books and statements agree now; `withdrawn` means that an operator
 * withdrew the statement that opened the case.
 */
export type CaseResolution = (typeof RESOLUTIONS)[number] | 'explained' | 'withdrawn'

/** A case as the database stores it. */
export type ReconciliationCase = {
  id: string
  provider: string
  kind: CaseKind
  subject: string
  reference: string | null
  provider_id: string | null
  line_kind: LineKind
  theirs_minor: bigint | null
  theirs_currency: string | null
  ours_minor: bigint | null
  currency: string
  ours_status: string | null
  difference_minor: bigint
  at: Date | null
  statement_id: string
  line_number: number | null
  opened_at: Date
  resolution: CaseResolution | null
  reason: string | null
  resolved_at: Date | null
  resolved_by_id: string | null
  resolved_by_name: string | null
  explained_by: string | null
}

const COLUMNS = `id, provider, kind, subject, reference, provider_id, line_kind, theirs_minor, theirs_currency, ours_minor, currency,
   ours_status, difference_minor, at, statement_id, line_number, opened_at, resolution, reason, resolved_at, resolved_by_id,
   resolved_by_name, explained_by`

/** The filters and the page of the list of cases. Without `state`, the list has the open cases. */
export type CaseFilter = PageChoice & { state?: 'open' | 'resolved'; kind?: CaseKind; provider?: string }

// PostgreSQL plans this unnamed prepared statement for the given filter, and can thus use the small index of open cases.
const caseCondition = (state: 'open' | 'resolved') =>
  `resolution is ${state === 'open' ? '' : 'not '}null and ($1::text is null or provider = $1)
     and ($2::text is null or kind = $2)`
const caseListStatement = (state: 'open' | 'resolved') =>
  sql(
    '',
    `select ${COLUMNS} from reconciliation_exceptions where ${caseCondition(state)} order by id desc limit $3 offset $4`,
  )
const caseCountStatement = (state: 'open' | 'resolved') =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from reconciliation_exceptions where ${caseCondition(state)} limit $3) counted`,
  )

/** Returns a page of cases, newest first. `total_items` counts up to 10,000. */
export async function listCases(deps: Deps, filter: CaseFilter) {
  const { page = 1, page_size = 20, state = 'open', kind = null, provider = null } = filter
  const [rows, counted] = await Promise.all([
    deps.db.query<ReconciliationCase>(caseListStatement(state), [provider, kind, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(caseCountStatement(state), [provider, kind, COUNT_MAX]),
  ])
  const merchants = await merchantsOf(deps.db, rows)
  return pageOf(
    rows.map((row) => presentCase(row, merchants)),
    counted[0]?.total ?? 0,
    filter,
  )
}

const MERCHANTS = sql(
  'reconciliation_merchants',
  `select routing_code::float8 as routing_code, id from merchants where routing_code = any($1::bigint[])`,
)

/** Finds the merchants of cases by the routing code in the reference of each case. */
async function merchantsOf(reader: Reader, rows: readonly ReconciliationCase[]): Promise<Map<number, string>> {
  const codes = rows.flatMap(({ reference }) => parseOwnReference(reference)?.routing_code ?? [])
  if (codes.length === 0) return new Map()
  const merchants = await reader.query<{ routing_code: number; id: string }>(MERCHANTS, [codes])
  return new Map(merchants.map(({ routing_code, id }) => [routing_code, id]))
}

function presentCase(row: ReconciliationCase, merchants: ReadonlyMap<number, string>) {
  const parsed = parseOwnReference(row.reference)
  const merchant_id = parsed === null ? null : (merchants.get(parsed.routing_code) ?? null)
  const own_reference = merchant_id === null ? null : parsed
  const amount = (minor: bigint | null) => (minor === null ? null : formatAmount(minor))
  return {
    id: row.id,
    provider: row.provider,
    kind: row.kind,
    line_kind: row.line_kind,
    state: row.resolution === null ? ('open' as const) : ('resolved' as const),
    reference: row.reference,
    provider_id: row.provider_id,
    merchant_id,
    collection_id: own_reference?.flow === 'payment' ? own_reference.id : null,
    withdrawal_id: own_reference?.flow === 'payout' ? own_reference.id : null,
    amount_theirs: amount(row.theirs_minor),
    amount_ours: amount(row.ours_minor),
    currency: row.currency,
    currency_theirs: row.theirs_minor === null ? null : (row.theirs_currency ?? row.currency),
    status_ours: row.ours_status,
    difference: formatAmount(row.difference_minor),
    at: row.at?.toISOString() ?? null,
    statement_id: row.statement_id,
    line: row.line_number,
    opened_at: row.opened_at.toISOString(),
    resolution: row.resolution,
    reason: row.reason,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolved_by: row.resolved_by_name === null ? null : { id: row.resolved_by_id, name: row.resolved_by_name },
    explained_by: row.explained_by,
  }
}

const FIND = sql('reconciliation_find', `select ${COLUMNS} from reconciliation_exceptions where id = $1`)
const LOCK = sql('reconciliation_lock', `select ${COLUMNS} from reconciliation_exceptions where id = $1 for update`)

const NOT_FOUND = { message: 'There is no such case. Check the id.' }

/** Finds a case. If the id is unknown, refuses with not_found. */
export async function findCase(reader: Reader, id: string, statement = FIND): Promise<ReconciliationCase> {
  const key = id.toLowerCase()
  const [row] = isId(key) ? await reader.query<ReconciliationCase>(statement, [key]) : []
  return row ?? refuse('not_found', NOT_FOUND)
}

/** Locks a case until the transaction ends. If the case is closed, refuses with invalid_state. */
async function lockOpenCase(tx: Tx, id: string): Promise<ReconciliationCase> {
  const row = await findCase(tx, id, LOCK)
  if (row.resolution !== null) refuse('invalid_state', { message: `This case is closed: ${row.resolution}.` })
  return row
}

const CLOSE = sql(
  'reconciliation_close',
  `update reconciliation_exceptions set resolution = $2, reason = $3, resolved_at = $4, resolved_by_id = $5,
     resolved_by_name = $6
   where id = $1 and resolution is null returning ${COLUMNS}`,
)

/**
 * Closes a case with an operator's resolution. No money moves, because an operator corrects money by another action, such as an
 * adjustment. If the case is closed, refuses with invalid_state.
 */
export async function resolveCase(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { id: string; resolution: (typeof RESOLUTIONS)[number]; reason: string },
) {
  const before = await lockOpenCase(tx, input.id)
  const { resolution, reason } = input
  const values = [before.id, resolution, reason, deps.clock.now(), act.actor.id, act.actor.name]
  const [row] = await tx.query<ReconciliationCase>(CLOSE, values)
  return auditCase(deps, tx, act, 'reconciliation.resolve', before, row as ReconciliationCase, reason)
}

/** The drivers that query providers about payments and payouts. */
export type CaseDrivers = { driver: Driver; payouts: PayoutDriver }

/**
 * Makes the function that queries the provider about a case. If the case has no payment or payout of ours, refuses with
 * invalid_state.
 */
export function createQueryProvider(
  deps: Deps,
  { driver, payouts }: CaseDrivers,
): (row: ReconciliationCase) => Promise<void> {
  const merchantOf = merchantByRoutingCode(deps)
  return async (row) => {
    const parsed = parseOwnReference(row.reference)
    const merchant_id = parsed === null ? null : await merchantOf(parsed.routing_code)
    if (parsed === null || merchant_id === null) return refuse('invalid_state', NOT_OURS)
    if (parsed.number === null) {
      const [payout] = await findPayouts(deps.db, [{ merchant_id, id: parsed.id }])
      return payout === undefined ? refuse('invalid_state', NOT_OURS) : payouts.ask(payout)
    }
    const key = { merchant_id, collection_id: parsed.id, number: parsed.number }
    const [attempt] = await findAttempts(deps.db, [key])
    return attempt === undefined ? refuse('invalid_state', NOT_OURS) : driver.ask(attempt)
  }
}

const NOT_OURS = {
  message:
    'This case is about no payment or payout of ours, so the server cannot query the provider. Close the case with a reason.',
}

/**
 * After a query at the provider, compares the payment or payout of a case again. Closes its cases whose difference no longer
 * exists. If the case is closed already, refuses with invalid_state.
 */
export async function reviewCase(deps: Deps, tx: Tx, act: Act, id: string) {
  const before = await lockOpenCase(tx, id)
  const { provider, statement_id, subject, reference } = before
  const { actor } = act
  const origin = { provider, statement_id, explained_by: null, closed_by: actor, missingKinds: () => [] }
  await compareAgain(deps, tx, origin, [{ subject, reference }])
  return auditCase(deps, tx, act, 'reconciliation.ask', before, await findCase(tx, id), null)
}

/** Writes a change of a case to the audit log, and returns the case as the API shows it. */
async function auditCase(
  deps: Deps,
  tx: Tx,
  act: Act,
  action: AuditAction,
  before: ReconciliationCase,
  after: ReconciliationCase,
  reason: string | null,
) {
  const merchants = await merchantsOf(tx, [after])
  const shown = presentCase(after, merchants)
  const { kind, provider, reference, provider_id, difference, resolution } = shown
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: shown.merchant_id ?? PLATFORM,
    action,
    target_type: 'reconciliation_exception',
    target_id: before.id,
    reason,
    before: { resolution: before.resolution },
    after: { resolution, kind, provider, reference, provider_id, difference },
  })
  return shown
}
