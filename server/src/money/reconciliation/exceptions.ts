// Cases as operators work on them: the list, asking the provider again, and a person's word that ends one.

import { merchantByRoutingCode } from '../../access/merchants/index.ts'
import { type Act, type AuditAction, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { formatAmount, isId, refuse } from '../../kernel/lib/index.ts'
import { type Driver, findAttempts } from '../collections/index.ts'
import { findPayouts, type PayoutDriver } from '../withdrawals/index.ts'
import type { CaseKind } from './judge.ts'
import type { LineKind } from './line.ts'
import { judgeAgain } from './match.ts'
import { namedBy } from './subject.ts'

/** Words with which an operator ends a case. */
export const RESOLUTIONS = ['accepted', 'written_off', 'corrected'] as const
/** How a case ended. */
export type Resolution = (typeof RESOLUTIONS)[number] | 'explained' | 'withdrawn'

/** A case as it is stored. */
export type Case = {
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
  resolution: Resolution | null
  reason: string | null
  resolved_at: Date | null
  resolved_by_id: string | null
  resolved_by_name: string | null
  explained_by: string | null
}

const COLUMNS = `id, provider, kind, subject, reference, provider_id, line_kind, theirs_minor, theirs_currency, ours_minor, currency,
   ours_status, difference_minor, at, statement_id, line_number, opened_at, resolution, reason, resolved_at, resolved_by_id,
   resolved_by_name, explained_by`

/** Which cases are listed. */
export type CaseFilter = PageChoice & { state?: 'open' | 'resolved'; kind?: CaseKind; provider?: string }

// Without a name they are planned for the filter at hand: open cases lie in an index as short as the work that waits.
const matching = (state: 'open' | 'resolved') =>
  `resolution is ${state === 'open' ? '' : 'not '}null and ($1::text is null or provider = $1)
     and ($2::text is null or kind = $2)`
const list = (state: 'open' | 'resolved') =>
  sql(
    '',
    `select ${COLUMNS} from reconciliation_exceptions where ${matching(state)} order by id desc limit $3 offset $4`,
  )
const count = (state: 'open' | 'resolved') =>
  sql(
    '',
    `select count(*)::int as total from (
       select 1 from reconciliation_exceptions where ${matching(state)} limit $3) counted`,
  )

/** A page of cases, newest first. `total_items` counts up to 10,000. */
export async function listCases(deps: Deps, filter: CaseFilter) {
  const { page = 1, page_size = 20, state = 'open', kind = null, provider = null } = filter
  const [rows, counted] = await Promise.all([
    deps.db.query<Case>(list(state), [provider, kind, page_size, (page - 1) * page_size]),
    deps.db.query<{ total: number }>(count(state), [provider, kind, COUNT_MAX]),
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

/** The merchants of cases, by routing code: a reference of ours leads to its own. */
async function merchantsOf(reader: Reader, rows: readonly Case[]): Promise<Map<number, string>> {
  const codes = rows.flatMap(({ reference }) => namedBy(reference)?.routing_code ?? [])
  if (codes.length === 0) return new Map()
  const found = await reader.query<{ routing_code: number; id: string }>(MERCHANTS, [codes])
  return new Map(found.map(({ routing_code, id }) => [routing_code, id]))
}

function presentCase(row: Case, merchants: ReadonlyMap<number, string>) {
  const named = namedBy(row.reference)
  const merchant_id = named === null ? null : (merchants.get(named.routing_code) ?? null)
  const known = merchant_id === null ? null : named
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
    collection_id: known?.flow === 'payment' ? known.id : null,
    withdrawal_id: known?.flow === 'payout' ? known.id : null,
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

const NOT_FOUND = { message: 'There is no such case.' }

/** A case. Refuses an unknown one with not_found. */
export async function findCase(reader: Reader, id: string, statement = FIND): Promise<Case> {
  const key = id.toLowerCase()
  const [row] = isId(key) ? await reader.query<Case>(statement, [key]) : []
  return row ?? refuse('not_found', NOT_FOUND)
}

/** The case, locked until the transaction ends. Refuses a closed one with invalid_state. */
async function lockOpen(tx: Tx, id: string): Promise<Case> {
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
 * Ends a case by an operator's word. It moves no money: adjustments and the resolving of withdrawals do that. Refuses with
 * invalid_state one that is closed.
 */
export async function resolveCase(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { id: string; resolution: (typeof RESOLUTIONS)[number]; reason: string },
) {
  const before = await lockOpen(tx, input.id)
  const { resolution, reason } = input
  const values = [before.id, resolution, reason, deps.clock.now(), act.actor.id, act.actor.name]
  const [row] = await tx.query<Case>(CLOSE, values)
  return tell(deps, tx, act, 'reconciliation.resolve', before, row as Case, reason)
}

/** What asks providers. */
export type Askers = { driver: Driver; payouts: PayoutDriver }

/** Makes the function that asks the provider about what a case is about. Refuses with invalid_state where nothing of ours is. */
export function createAsk(deps: Deps, { driver, payouts }: Askers): (row: Case) => Promise<void> {
  const merchantOf = merchantByRoutingCode(deps)
  return async (row) => {
    const named = namedBy(row.reference)
    const merchant_id = named === null ? null : await merchantOf(named.routing_code)
    if (named === null || merchant_id === null) return refuse('invalid_state', NOTHING)
    if (named.number === null) {
      const [payout] = await findPayouts(deps.db, [{ merchant_id, id: named.id }])
      return payout === undefined ? refuse('invalid_state', NOTHING) : payouts.ask(payout)
    }
    const key = { merchant_id, collection_id: named.id, number: named.number }
    const [attempt] = await findAttempts(deps.db, [key])
    return attempt === undefined ? refuse('invalid_state', NOTHING) : driver.ask(attempt)
  }
}

const NOTHING = { message: 'There is nothing of ours behind this case that the provider could be asked about.' }

/**
 * Looks at a case again after the provider was asked, and closes it, and others of the same payment or payout, when books and
 * statements agree by now. Refuses with invalid_state one that is closed.
 */
export async function reviewCase(deps: Deps, tx: Tx, act: Act, id: string) {
  const before = await lockOpen(tx, id)
  const { provider, statement_id, subject, reference } = before
  const { actor } = act
  const judge = { provider, statement_id, explained_by: null, by: actor, may_be_missing: () => [] }
  await judgeAgain(deps, tx, judge, [{ subject, reference }])
  return tell(deps, tx, act, 'reconciliation.ask', before, await findCase(tx, id), null)
}

async function tell(
  deps: Deps,
  tx: Tx,
  act: Act,
  action: AuditAction,
  before: Case,
  after: Case,
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
