// Statements as they are stored: taking one in exclusively, and reading them.

import { type Deps, inTransaction, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type Actor, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { newId, refuse } from '../../kernel/lib/index.ts'

/** A statement. Times are half-open: from `period_from`, before `period_to`. */
export type Statement = {
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

/** What is imported, and by whom. */
export type NewStatement = {
  provider: string
  source: Statement['source']
  file_name: string | null
  sha256: Buffer | null
  period: { from: Date; to: Date }
  actor: Actor
}

/** The columns of a `Statement`. */
export const STATEMENT_COLUMNS = `id, provider, source, file_name, sha256, period_from, period_to, state, lines, matched, opened, explained,
   imported_by_kind, imported_by_id, imported_by_name, created_at, finished_at, withdrawn_at, withdrawn_by_id,
   withdrawn_by_name, withdrawn_reason`
const COLUMNS = STATEMENT_COLUMNS

/** How long an import may be silent before another may begin. */
const LEASE_MS = 60_000
/** A lease that ends later was taken by a clock that was ahead. It counts as ended. */
export const LEASE_MS_MAX = LEASE_MS + 5_000
const RENEW_MS = 10_000

const BURY = sql(
  'statements_bury',
  `update statements set state = 'failed', lease_until = null, finished_at = $2
   where provider = $1 and state = 'importing' and (lease_until <= $2 or lease_until > $3)`,
)
// Both of the table's unique indexes can say no: the file is known, or another import of this provider runs.
const BEGIN = sql(
  'statements_begin',
  `insert into statements (id, provider, source, file_name, sha256, period_from, period_to, state, lease_until, lines,
     matched, opened, explained, imported_by_kind, imported_by_id, imported_by_name, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'importing', $8, 0, 0, 0, 0, $9, $10, $11, $12)
   on conflict do nothing returning ${COLUMNS}`,
)

/**
 * Takes a statement in: nothing of it is stored yet. Refuses with invalid_state a file that was imported before, and a second
 * import of one provider at once.
 */
export async function beginStatement(deps: Deps, input: NewStatement): Promise<Statement> {
  const now = deps.clock.now()
  const { provider, source, file_name, sha256, period, actor } = input
  return inTransaction(deps.db, async (tx) => {
    await tx.query(BURY, [provider, now, new Date(now.getTime() + LEASE_MS_MAX)])
    const id = newId(deps, 0)
    const until = new Date(now.getTime() + LEASE_MS)
    const what = [id, provider, source, file_name, sha256, period.from, period.to, until]
    const [row] = await tx.query<Statement>(BEGIN, [...what, actor.kind, actor.id, actor.name, now])
    if (row !== undefined) return row
    if (sha256 !== null) await refuseKnownFile(tx, sha256)
    return refuse('invalid_state', { message: 'Another statement of this provider is being imported. Try again soon.' })
  })
}

const BY_FILE = sql(
  'statements_by_file',
  `select ${COLUMNS} from statements where sha256 = $1 and state in ('importing', 'done')`,
)

/** Refuses with invalid_state a file that was imported before, naming when; lets any other pass. */
async function refuseKnownFile(reader: Reader, sha256: Buffer): Promise<void> {
  const [known] = await reader.query<Statement>(BY_FILE, [sha256])
  if (known === undefined) return
  if (known.state === 'importing') refuse('invalid_state', { message: 'This file is being imported right now.' })
  refuse('invalid_state', {
    message: `This file was imported on ${known.created_at.toISOString()}: see statement ${known.id}. Withdraw that one first if it was brought wrongly.`,
    details: { statement_id: known.id, imported_at: known.created_at.toISOString() },
  })
}

const RENEW = sql(
  'statements_renew',
  `update statements set lease_until = $2 where id = $1 and state = 'importing' returning 1 as held`,
)

/** Makes the sign of life of an import: call it after each set. Throws when another process has taken over. */
export function keepAlive(deps: Deps, id: string): () => Promise<void> {
  let renewed = deps.clock.now().getTime()
  return async () => {
    const now = deps.clock.now().getTime()
    if (now - renewed < RENEW_MS) return
    renewed = now
    const held = await oneStatement(deps.db).query(RENEW, [id, new Date(now + LEASE_MS)])
    if (held.length === 0) throw new Error(`the import of statement ${id} was given up for dead`)
  }
}

const FINISH = sql(
  'statements_finish',
  `update statements set state = 'done', lease_until = null, lines = $2, matched = $3, opened = $4, explained = $5,
     finished_at = $6
   where id = $1 and state = 'importing' returning ${COLUMNS}`,
)

/** What an import came to. */
export type Totals = { lines: number; matched: number; opened: number; explained: number }

/** Ends an import. */
export async function finishStatement(deps: Deps, tx: Tx, id: string, totals: Totals): Promise<Statement> {
  const { lines, matched, opened, explained } = totals
  const [row] = await tx.query<Statement>(FINISH, [id, lines, matched, opened, explained, deps.clock.now()])
  if (row === undefined) throw new Error(`the import of statement ${id} was given up for dead`)
  return row
}

const FAIL = sql(
  'statements_fail',
  `update statements set state = 'failed', lease_until = null, finished_at = $2 where id = $1 and state = 'importing'`,
)

/** Gives an import up that stopped in the middle, so that the file may be brought again. */
export async function failStatement(deps: Deps, id: string): Promise<void> {
  await oneStatement(deps.db).query(FAIL, [id, deps.clock.now()])
}

const LIST = sql(
  '',
  `select ${COLUMNS} from statements where ($1::text is null or provider = $1) order by id desc limit $2 offset $3`,
)
const COUNT = sql('', `select count(*)::int as total from statements where ($1::text is null or provider = $1)`)

/** A page of statements, newest first. */
export async function listStatements(reader: Reader, filter: PageChoice & { provider?: string }) {
  const { page = 1, page_size = 20, provider = null } = filter
  const [rows, counted] = await Promise.all([
    reader.query<Statement>(LIST, [provider, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [provider]),
  ])
  return pageOf(rows.map(presentStatement), counted[0]?.total ?? 0, filter)
}

/** A statement as operators see it. */
export function presentStatement(row: Statement) {
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
