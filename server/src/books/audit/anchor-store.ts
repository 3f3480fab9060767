// Makes anchors, reads them from the database, and stores which anchors the file and the receiver have.

import { type Deps, oneStatement, type Reader, sql } from '../../kernel/db/index.ts'
import { type AnchorKey, anchorKey, anchorLine, lineHash, NO_ANCHOR_BEFORE, parseAnchor } from './anchor.ts'

/** The greatest number of chains in one anchor. If more chains have new entries, another anchor follows immediately. */
export const HEADS_MAX = 1_000
const LINES_MAX = 100
const LEASE_MS = 60_000
const HOUR_MS = 3_600_000
/** The tolerated difference between the clocks of two machines, in milliseconds. */
export const ANCHOR_CLOCKS_DIFFER_MS = 5_000

const LAST = sql('audit_anchor_last', 'select number, at, line from audit_anchors order by number desc limit 1')
const GROWN = sql(
  'audit_anchor_grown',
  `select c.merchant_id, c.seq::text as seq, encode(c.hash, 'hex') as hash, coalesce(a.seq, 0)::text as anchored
   from audit_chains c left join audit_anchored_chains a on a.merchant_id = c.merchant_id
   where c.seq is distinct from coalesce(a.seq, 0) order by c.merchant_id limit ${HEADS_MAX}`,
)
// The unique number is the lock: if two processes make the same anchor, only one process inserts the row and updates the
// chains.
const INSERT = sql(
  'audit_anchor_insert',
  `with made as (
     insert into audit_anchors (number, at, line) values ($1, $2, $3) on conflict (number) do nothing returning number
   ), marked as (
     insert into audit_anchored_chains (merchant_id, seq)
     select h.merchant_id, h.seq from made cross join json_to_recordset($4::json) as h(merchant_id uuid, seq bigint)
     order by h.merchant_id
     on conflict (merchant_id) do update set seq = excluded.seq
   )
   select number from made`,
)

type GrownRow = { merchant_id: string; seq: string; hash: string; anchored: string }
type LastRow = { number: number; at: Date; line: string }

/**
 * Makes the anchor of this hour. If more chains have new entries than one anchor contains, makes further anchors. Returns the
 * number of new anchors. One statement inserts an anchor and updates its chains, so a crash leaves no half anchor.
 */
export async function makeAnchors(deps: Deps): Promise<number> {
  const { db, clock, vault } = deps
  const key = anchorKey(vault)
  for (let made = 0; ; made++) {
    const [last] = await db.query<LastRow>(LAST)
    if (!isDue(last, clock.now())) return made
    const grown = await db.query<GrownRow>(GROWN)
    if (!(await insertAnchor(deps, key, last, grown))) return made
  }
}

/**
 * Returns true if no anchor exists, the last anchor is full, or a new hour has begun. If the clock is more than an hour behind
 * the last anchor, also returns true.
 */
function isDue(last: LastRow | undefined, now: Date): boolean {
  if (last === undefined) return true
  const hourOf = (time: Date) => Math.floor(time.getTime() / HOUR_MS)
  const is_full = (parseAnchor(last.line)?.heads.length ?? 0) >= HEADS_MAX
  return is_full || hourOf(now) > hourOf(last.at) || now.getTime() < last.at.getTime() - HOUR_MS
}

async function insertAnchor(
  { db, clock }: Deps,
  key: AnchorKey,
  last: LastRow | undefined,
  grown: readonly GrownRow[],
): Promise<boolean> {
  const at = clock.now()
  const number = (last?.number ?? 0) + 1
  const before = last === undefined ? null : parseAnchor(last.line)
  const heads = grown.map(({ merchant_id, seq, hash }) => ({ merchant_id, seq: Number(seq), hash }))
  const added = grown.reduce((sum, { seq, anchored }) => sum + Number(seq) - Number(anchored), 0)
  const entries = (before?.entries ?? 0) + added
  const previous = last === undefined ? NO_ANCHOR_BEFORE : lineHash(last.line)
  const line = anchorLine({ number, at: at.toISOString(), previous, entries, heads }, key)
  const made = await oneStatement(db).query(INSERT, [number, at, line, JSON.stringify(heads)])
  return made.length > 0
}

const LINE = sql('audit_anchor_line', 'select line from audit_anchors where number = $1')
const LINES_AFTER = sql(
  'audit_anchor_lines',
  `select number, line from audit_anchors where number > $1 order by number limit ${LINES_MAX}`,
)
const HASHES = sql(
  'audit_anchor_hashes',
  `select number, encode(sha256(convert_to(line, 'UTF8')), 'hex') as hash from audit_anchors where number = any($1::int[])`,
)

/** Returns the line of an anchor. Undefined means that the database has no such anchor. */
export async function lineOfAnchor(reader: Reader, number: number): Promise<string | undefined> {
  return (await reader.query<{ line: string }>(LINE, [number]))[0]?.line
}

/** Returns the lines after an anchor in order, at most 100 of them. */
export function linesAfterAnchor(reader: Reader, number: number): Promise<{ number: number; line: string }[]> {
  return reader.query(LINES_AFTER, [number])
}

/** Yields the lines of all anchors in order. */
export async function* allAnchorLines(reader: Reader): AsyncGenerator<string> {
  for (let last = 0; ; ) {
    const rows = await linesAfterAnchor(reader, last)
    for (const { line } of rows) yield line
    const end = rows.at(-1)
    if (end === undefined) return
    last = end.number
  }
}

/** Returns the SHA-256 of the lines of these anchors in hexadecimal, by number. */
export async function anchorHashes(reader: Reader, numbers: readonly number[]): Promise<Map<number, string>> {
  const rows = await reader.query<{ number: number; hash: string }>(HASHES, [numbers])
  return new Map(rows.map(({ number, hash }) => [number, hash]))
}

/** The last anchor: its number, its time, and the number of audit entries in all chains at that time. */
type LastAnchor = { number: number; at: Date; entries: number }

/** Returns the last anchor. Null means that the database has none. */
export async function findLastAnchor(reader: Reader): Promise<LastAnchor | null> {
  const [row] = await reader.query<LastRow>(LAST)
  return row === undefined ? null : { number: row.number, at: row.at, entries: parseAnchor(row.line)?.entries ?? 0 }
}

/** Returns the number of the last anchor. 0 means that the database has none. */
export async function lastAnchorNumber(reader: Reader): Promise<number> {
  return (await findLastAnchor(reader))?.number ?? 0
}

/**
 * The progress of the anchors. `written_number` is the last anchor in the file, and `sent_number` the last anchor that the
 * receiver accepted. Null as `file_error`, `send_error` or `send_due_at` means that the last attempt did not fail.
 */
export type AnchorState = {
  written_number: number
  file_error: string | null
  sent_number: number
  send_failures: number
  send_due_at: Date | null
  send_error: string | null
}

const STATE_COLUMNS = 'written_number, file_error, sent_number, send_failures, send_due_at, send_error'
const STATE = sql('audit_anchor_state', `select ${STATE_COLUMNS} from audit_anchor_state where id = 1`)
// If a lease ends later than its longest duration, a process with a wrong clock took the lease. So another process may take the
// lease. Two right clocks still differ slightly, and a process that waits for the row has an earlier time.
const LEASE = sql(
  'audit_anchor_lease',
  `update audit_anchor_state set lease_owner = $1, lease_until = $3
   where id = 1 and (lease_until is null or lease_owner = $1 or lease_until <= $2 or lease_until > $4)
   returning ${STATE_COLUMNS}`,
)
const RELEASE = sql(
  'audit_anchor_release',
  'update audit_anchor_state set lease_owner = null, lease_until = null where id = 1 and lease_owner = $1',
)
const WRITTEN = sql(
  'audit_anchor_written',
  'update audit_anchor_state set written_number = greatest(written_number, $1), file_error = null where id = 1',
)
const NOT_WRITTEN = sql('audit_anchor_not_written', 'update audit_anchor_state set file_error = $1 where id = 1')
const SENT = sql(
  'audit_anchor_sent',
  `update audit_anchor_state set sent_number = $1, send_failures = 0, send_due_at = null, send_error = null where id = 1`,
)
const NOT_SENT = sql(
  'audit_anchor_not_sent',
  'update audit_anchor_state set send_failures = send_failures + 1, send_due_at = $1, send_error = $2 where id = 1',
)

/** Reads the progress of the anchors. Undefined means that the database has no row for the progress. */
export async function readAnchorState(reader: Reader): Promise<AnchorState | undefined> {
  return (await reader.query<AnchorState>(STATE))[0]
}

/** Takes the lease to write and send anchors, for 60 seconds. Null means that another process holds the lease. */
export async function leaseAnchors({ db, clock, process_id }: Deps): Promise<AnchorState | null> {
  const now = clock.now()
  const until = new Date(now.getTime() + LEASE_MS)
  const latest = new Date(until.getTime() + ANCHOR_CLOCKS_DIFFER_MS)
  return (await oneStatement(db).query<AnchorState>(LEASE, [process_id, now, until, latest]))[0] ?? null
}

/** Releases the lease of this process. If another process holds the lease, changes nothing. */
export async function releaseAnchors({ db, process_id }: Deps): Promise<void> {
  await oneStatement(db).query(RELEASE, [process_id])
}

/** Stores the number of the last anchor in the file, and removes the stored file error. */
export async function markWritten({ db }: Deps, number: number): Promise<void> {
  await oneStatement(db).query(WRITTEN, [number])
}

/** Stores the reason why the process could not write the file. */
export async function markNotWritten({ db }: Deps, problem: string): Promise<void> {
  await oneStatement(db).query(NOT_WRITTEN, [problem])
}

/** Stores the number of the last anchor that AUDIT_ANCHOR_URL accepted. */
export async function markSent({ db }: Deps, number: number): Promise<void> {
  await oneStatement(db).query(SENT, [number])
}

/** Stores a failed request to AUDIT_ANCHOR_URL, and the time of the next request. */
export async function markNotSent({ db }: Deps, due_at: Date, problem: string): Promise<void> {
  await oneStatement(db).query(NOT_SENT, [due_at, problem])
}
