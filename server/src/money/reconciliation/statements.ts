// Stores statements: begins, finishes and fails an import under a lease, and lists statements.

import { type Deps, inTransaction, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type Actor, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { newId, refuse } from '../../kernel/lib/index.ts'

/** A stored statement. Its period begins at `period_from` and ends before `period_to`. */
export type ProviderStatement = {
  id: string
  provider: string
  source: 'file' | 'list'
  file_name: string | null
  sha256: Buffer | null
  period_from: Date
  period_to: Date
  state: 'importing' | 'done' | 'failed' | 'withdrawn'
  lines: number
  matched: number
  opened: number
  explained: number
  imported_by_kind: Actor['kind']
  imported_by_id: string | null
  imported_by_name: string
  created_at: Date
  finished_at: Date | null
  withdrawn_at: Date | null
  withdrawn_by_id: string | null
  withdrawn_by_name: string | null
  withdrawn_reason: string | null
}

/** A statement to import, and the actor of the import. */
export type NewStatement = {
  provider: string
  source: ProviderStatement['source']
  file_name: string | null
  sha256: Buffer | null
  period: { from: Date; to: Date }
  actor: Actor
}

/** The columns that a query must select for a `ProviderStatement`. */
export const STATEMENT_COLUMNS = `id, provider, source, file_name, sha256, period_from, period_to, state, lines, matched, opened, explained,
   imported_by_kind, imported_by_id, imported_by_name, created_at, finished_at, withdrawn_at, withdrawn_by_id,
   withdrawn_by_name, withdrawn_reason`
const COLUMNS = STATEMENT_COLUMNS

/** The duration of the lease of an import. If an import does not renew its lease in this time, the import has failed. */
const LEASE_MS = 60_000
/**
 * The longest possible duration of a lease. If a lease is longer, a process with a fast clock wrote it, and other processes treat
 * it as expired.
 */
export const LEASE_MS_MAX = LEASE_MS + 5_000
const RENEW_MS = 10_000

const FAIL_EXPIRED = sql(
  'statements_bury',
  `update statements set state = 'failed', lease_until = null, finished_at = $2
   where provider = $1 and state = 'importing' and (lease_until <= $2 or lease_until > $3)`,
)
// If the file has a running or finished import, or another import of this provider runs, a unique index rejects the row. Failed
// and withdrawn imports of the file do not count.
const BEGIN = sql(
  'statements_begin',
  `insert into statements (id, provider, source, file_name, sha256, period_from, period_to, state, lease_until, lines,
     matched, opened, explained, imported_by_kind, imported_by_id, imported_by_name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'importing', $8, 0, 0, 0, 0, $9, $10, $11, $12)
   on conflict do nothing returning ${COLUMNS}`,
)

/**
 * Begins an import without lines. If an operator imported the file before, or another import of the provider runs, refuses with
 * invalid_state.
 */
export async function beginStatement(deps: Deps, input: NewStatement): Promise<ProviderStatement> {
  const now = deps.clock.now()
  const { provider, source, file_name, sha256, period, actor } = input
  return inTransaction(deps.db, async (tx) => {
    await tx.query(FAIL_EXPIRED, [provider, now, new Date(now.getTime() + LEASE_MS_MAX)])
    const id = newId(deps, 0)
    const lease_until = new Date(now.getTime() + LEASE_MS)
    const values = [id, provider, source, file_name, sha256, period.from, period.to, lease_until]
    const [row] = await tx.query<ProviderStatement>(BEGIN, [...values, actor.kind, actor.id, actor.name, now])
    if (row !== undefined) return row
    if (sha256 !== null) await refuseImportedFile(tx, sha256)
    return refuse('invalid_state', { message: 'Another import of this provider is running. Try again soon.' })
  })
}

const BY_FILE = sql(
  'statements_by_file',
  `select ${COLUMNS} from statements where sha256 = $1 and state in ('importing', 'done')`,
)

/** If an operator imported the file before, or imports the file now, refuses the file with invalid_state. */
async function refuseImportedFile(reader: Reader, sha256: Buffer): Promise<void> {
  const [earlier] = await reader.query<ProviderStatement>(BY_FILE, [sha256])
  if (earlier === undefined) return
  if (earlier.state === 'importing')
    refuse('invalid_state', { message: 'Another request is importing this file now. Wait until that import ends.' })
  refuse('invalid_state', {
    message: `An operator imported this file on ${earlier.created_at.toISOString()}: see statement ${earlier.id}. If that import was wrong, withdraw the statement first.`,
    details: { statement_id: earlier.id, imported_at: earlier.created_at.toISOString() },
  })
}

const RENEW = sql(
  'statements_renew',
  `update statements set lease_until = $2 where id = $1 and state = 'importing' returning 1 as held`,
)

/**
 * Makes the function that an import calls for each batch. If RENEW_MS have passed, the function renews the lease. If another
 * process has ended the import, this renewal throws.
 */
export function createLeaseRenewal(deps: Deps, id: string): () => Promise<void> {
  let renewed = deps.clock.now().getTime()
  return async () => {
    const now = deps.clock.now().getTime()
    if (now - renewed < RENEW_MS) return
    renewed = now
    const held = await oneStatement(deps.db).query(RENEW, [id, new Date(now + LEASE_MS)])
    if (held.length === 0) throw new Error(`the lease of the import of statement ${id} has ended`)
  }
}

const FINISH = sql(
  'statements_finish',
  `update statements set state = 'done', lease_until = null, lines = $2, matched = $3, opened = $4, explained = $5,
     finished_at = $6
   where id = $1 and state = 'importing' returning ${COLUMNS}`,
)

/** The counts of lines and cases of an import. */
export type ImportTotals = { lines: number; matched: number; opened: number; explained: number }

/** Finishes an import and stores its counts. */
export async function finishStatement(
  deps: Deps,
  tx: Tx,
  id: string,
  totals: ImportTotals,
): Promise<ProviderStatement> {
  const { lines, matched, opened, explained } = totals
  const [row] = await tx.query<ProviderStatement>(FINISH, [id, lines, matched, opened, explained, deps.clock.now()])
  if (row === undefined) throw new Error(`the lease of the import of statement ${id} has ended`)
  return row
}

const FAIL = sql(
  'statements_fail',
  `update statements set state = 'failed', lease_until = null, finished_at = $2 where id = $1 and state = 'importing'`,
)

/** Marks an import as failed, so that an operator can import the file again. */
export async function failStatement(deps: Deps, id: string): Promise<void> {
  await oneStatement(deps.db).query(FAIL, [id, deps.clock.now()])
}

const LIST = sql(
  '',
  `select ${COLUMNS} from statements where ($1::text is null or provider = $1) order by id desc limit $2 offset $3`,
)
const COUNT = sql('', `select count(*)::int as total from statements where ($1::text is null or provider = $1)`)

/** Returns a page of statements, newest first. */
export async function listStatements(reader: Reader, filter: PageChoice & { provider?: string }) {
  const { page = 1, page_size = 20, provider = null } = filter
  const [rows, counted] = await Promise.all([
    reader.query<ProviderStatement>(LIST, [provider, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [provider]),
  ])
  return pageOf(rows.map(presentStatement), counted[0]?.total ?? 0, filter)
}

/** Converts a statement to its record in the API. */
export function presentStatement(row: ProviderStatement) {
  return {
    id: row.id,
    provider: row.provider,
    source: row.source,
    file_name: row.file_name,
    sha256: row.sha256?.toString('hex') ?? null,
    from: row.period_from.toISOString(),
    to: row.period_to.toISOString(),
    state: row.state,
    lines: row.lines,
    matched: row.matched,
    opened: row.opened,
    explained: row.explained,
    imported_by: { kind: row.imported_by_kind, id: row.imported_by_id, name: row.imported_by_name },
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    withdrawn:
      row.withdrawn_at === null
        ? null
        : {
            at: row.withdrawn_at.toISOString(),
            by: row.withdrawn_by_name ?? '',
            reason: row.withdrawn_reason ?? '',
          },
  }
}
