// Compares the audit log with its anchors. With a file outside of the database, the check also finds missing newest entries,
// and changes by a superuser with SECRET_KEY.

import { type Reader, sql } from '../../kernel/db/index.ts'
import { anchorKey } from './anchor.ts'
import { readAnchorFile } from './anchor-file.ts'
import {
  allAnchorLines,
  anchorHashes,
  HEADS_MAX,
  lastAnchorNumber,
  lineOfAnchor,
  readAnchorState,
} from './anchor-store.ts'
import { type AnchorWalk, createAnchorWalk, type IsTrusted, type WalkedAnchor } from './anchor-walk.ts'
import { type SealCheck, sealCheck } from './chain.ts'

/** The result of a check of anchors. `notes` are texts for the operator that report no fault. */
export type AnchorReport = { anchors: number; faults: string[]; notes: string[] }

/**
 * The file to check. If `is_copy` is true, the file may lack the newest anchors. Null means that the check reads the anchors
 * from the database.
 */
export type AnchorSource = { path: string; is_copy: boolean } | null

const FAULTS_MAX = 100
const HEADS_PER_READ = 1_000
const HOUR_MS = 3_600_000
/**
 * The longest time between the time of an entry and its commit, in milliseconds. An anchor contains all entries that are older.
 */
const COMMIT_MS = HOUR_MS
const LATE_MS = 3 * HOUR_MS

const HEADS = sql(
  'audit_anchor_check_heads',
  `select h.merchant_id, h.seq::text as seq, h.number, encode(l.hash, 'hex') = h.hash as fits
   from json_to_recordset($1::json) as h(merchant_id uuid, seq bigint, number integer, hash text)
   left join audit_log l on l.merchant_id = h.merchant_id and l.seq = h.seq
   where h.seq > 0 and encode(l.hash, 'hex') is distinct from h.hash order by h.number, h.merchant_id`,
)
const LAST_ENTRY = sql(
  'audit_anchor_check_last',
  'select coalesce(max(seq), 0)::text as seq from audit_log where merchant_id = $1 and seq <= $2::bigint',
)
const CHAINS = sql(
  'audit_anchor_check_chains',
  `select merchant_id from audit_chains where merchant_id > $1::uuid order by merchant_id limit ${HEADS_PER_READ}`,
)
const NOT_ANCHORED = sql(
  'audit_anchor_check_rest',
  `select l.merchant_id, l.seq::text as seq, l.at from json_to_recordset($1::json) as h(merchant_id uuid, seq bigint)
   join audit_log l on l.merchant_id = h.merchant_id and l.seq = h.seq + 1 where l.at < $2 order by l.merchant_id`,
)

/**
 * Checks all anchors, and compares each anchor with the entries at the ends of its chains. If `vault` is null, the check cannot
 * find a wrong signing key. Callers must not use a snapshot, because the check reads the file before the rows.
 */
export async function checkAnchors(
  reader: Reader,
  now: Date,
  source: AnchorSource,
  vault: SealCheck['vault'],
): Promise<AnchorReport> {
  const walk = createAnchorWalk(await trustOf(reader, vault))
  const written = (await readAnchorState(reader))?.written_number ?? 0
  const report = (faults: string[], notes: string[] = []) => ({ anchors: walk.last?.number ?? 0, faults, notes })
  const lines = source === null ? allAnchorLines(reader) : await readAnchorFile(source.path)
  if (lines === null) {
    const is_new = written === 0 && source?.is_copy === false
    return is_new
      ? report([], [`no process has written the file ${source.path} yet`])
      : report([`the file ${source?.path} is missing: ${RESTORE}`])
  }
  const { line_fault, entry_faults } = await readAll(reader, walk, lines, source !== null)
  const problem = line_fault ?? (await unfinishedFault(reader, walk))
  if (problem !== null) return report([`${sourceName(source)}: ${problem}. ${RESTORE}`, ...entry_faults])
  const end = await readEnd(reader, walk, source, written)
  const rest = entry_faults.length === 0 ? await notAnchored(reader, walk) : []
  return report([...entry_faults, ...end.faults, ...rest].slice(0, FAULTS_MAX), [...end.notes, ...lateNote(walk, now)])
}

/** Checks the signatures, the numbers and the line hashes of a file of anchors with public keys only. */
export async function checkAnchorFile(path: string, keys: readonly string[]): Promise<AnchorReport> {
  const walk = createAnchorWalk((key) => keys.includes(key))
  const lines = await readAnchorFile(path)
  if (lines === null) return { anchors: 0, faults: [`the file ${path} is missing`], notes: [] }
  let fault: string | null = null
  for await (const line of lines) {
    const read = walk.read(line)
    if (typeof read !== 'string') continue
    fault = read
    break
  }
  const { last, unfinished } = walk
  const notes = last === null ? [] : [`the last anchor is of ${last.at}`]
  if (unfinished !== null)
    notes.push(`line ${unfinished.place} is unfinished; the server writes it again with the next anchor`)
  return { anchors: last?.number ?? 0, faults: fault === null ? [] : [fault], notes }
}

const RESTORE = 'restore the file from its copy on another machine, see docs/operate/audit-anchors.md'

const sourceName = (source: AnchorSource) => source?.path ?? 'the anchors of the database'

async function trustOf(reader: Reader, vault: SealCheck['vault']): Promise<IsTrusted> {
  if (vault === null) return () => true
  const { public_key } = anchorKey(vault)
  // If an operator abandoned a lost SECRET_KEY, earlier anchors have another key. The hashes of the lines protect these
  // anchors.
  const { abandoned_at } = await sealCheck(reader, vault)
  return (key, at) => key === public_key || (abandoned_at !== null && at <= abandoned_at)
}

/**
 * Reads all lines, and compares each anchor with the log. If the lines are those of a file, also compares each anchor with its
 * row. Stops at the first faulty line.
 */
async function readAll(
  reader: Reader,
  walk: AnchorWalk,
  lines: AsyncIterable<string>,
  is_file: boolean,
): Promise<{ line_fault: string | null; entry_faults: string[] }> {
  const entry_faults: string[] = []
  const broken = new Set<string>()
  let waiting: WalkedAnchor[] = []
  let heads = 0
  const compare = async () => {
    const batch = waiting
    waiting = []
    heads = 0
    entry_faults.push(...(await entryFaults(reader, batch, broken)))
    return is_file ? storedFault(reader, batch) : null
  }
  for await (const line of lines) {
    const read = walk.read(line)
    if (read === null) continue
    if (typeof read === 'string') return { line_fault: (await compare()) ?? read, entry_faults }
    waiting.push(read)
    heads += read.heads.length
    if (heads < HEADS_PER_READ && waiting.length < HEADS_PER_READ) continue
    const line_fault = await compare()
    if (line_fault !== null) return { line_fault, entry_faults }
  }
  return { line_fault: await compare(), entry_faults }
}

/** Returns a text about the first anchor that differs from its row. Null means that each anchor equals its row. */
async function storedFault(reader: Reader, anchors: readonly WalkedAnchor[]): Promise<string | null> {
  const stored = await anchorHashes(
    reader,
    anchors.map(({ anchor }) => anchor.number),
  )
  const wrong = anchors.find(({ anchor, hash }) => stored.get(anchor.number) !== hash)
  if (wrong === undefined) return null
  const { number, at } = wrong.anchor
  return stored.has(number)
    ? `anchor ${number} of ${at} in the database differs from the anchor in the file`
    : `anchor ${number} of ${at} is missing in the database: an operator restored the database from an older backup, or a superuser removed the anchor`
}

/**
 * Returns one text for each chain whose entry differs from the anchor. Each text names the first entry that may be faulty.
 */
async function entryFaults(reader: Reader, anchors: readonly WalkedAnchor[], broken: Set<string>): Promise<string[]> {
  const heads = anchors.flatMap((walked) => walked.heads.map((head) => ({ ...head, anchor: walked.anchor })))
  if (heads.length === 0) return []
  const given = heads.map(({ merchant_id, seq, hash, anchor: { number } }) => ({ merchant_id, seq, hash, number }))
  const rows = await reader.query<{ merchant_id: string; number: number; fits: boolean | null }>(HEADS, [
    JSON.stringify(given),
  ])
  const faults: string[] = []
  for (const { merchant_id, number, fits } of rows) {
    const head = heads.find((one) => one.merchant_id === merchant_id && one.anchor.number === number)
    if (head === undefined || broken.has(merchant_id) || broken.size >= FAULTS_MAX) continue
    broken.add(merchant_id)
    const { seq, before, anchor } = head
    const name = `anchor ${number} of ${anchor.at}`
    if (fits === null) {
      const [last] = await reader.query<{ seq: string }>(LAST_ENTRY, [merchant_id, seq])
      const first = Number(last?.seq ?? 0) + 1
      faults.push(`${merchant_id}: entry ${first > seq ? seq : first} is missing: ${name} has ${seq} entries`)
      continue
    }
    const first = (before?.seq ?? 0) + 1
    const range = first < seq ? `an entry from ${first} to ${seq}` : `entry ${seq}`
    faults.push(`${merchant_id}: ${range} is not what the log had at ${name}`)
  }
  return faults
}

async function unfinishedFault(reader: Reader, { unfinished, last }: AnchorWalk): Promise<string | null> {
  if (unfinished === null) return null
  const next = await lineOfAnchor(reader, (last?.number ?? 0) + 1)
  return next?.startsWith(unfinished.line) ? null : `line ${unfinished.place} is not an anchor`
}

/** Compares the last line with the newest anchor of the database. */
async function readEnd(reader: Reader, walk: AnchorWalk, source: AnchorSource, written: number) {
  const last = walk.last?.number ?? 0
  const newest = await lastAnchorNumber(reader)
  if (source === null || last >= newest) return { faults: [], notes: [] }
  if (source.is_copy || last >= written)
    return { faults: [], notes: [`${source.path} does not yet have the anchors ${last + 1} to ${newest}`] }
  const fault = `${source.path} ends with anchor ${last}, but the server had written ${written}: ${RESTORE}`
  return { faults: [fault], notes: [] }
}

/** Returns one text for each chain with an entry that is an hour older than the last anchor, but in no anchor. */
async function notAnchored(reader: Reader, { last, held }: AnchorWalk): Promise<string[]> {
  // If the last anchor is full, the next anchor contains the remaining chains.
  if (last === null || last.chains >= HEADS_MAX) return []
  const faults: string[] = []
  const before = new Date(new Date(last.at).getTime() - COMMIT_MS)
  for (let after = '00000000-0000-0000-0000-000000000000', is_first = true; ; is_first = false) {
    const rows = await reader.query<{ merchant_id: string }>(CHAINS, [after])
    const ids = [...(is_first ? [after] : []), ...rows.map(({ merchant_id }) => merchant_id)]
    const given = ids.map((merchant_id) => ({ merchant_id, seq: held.get(merchant_id)?.seq ?? 0 }))
    const found = await reader.query<{ merchant_id: string; seq: string; at: Date }>(NOT_ANCHORED, [
      JSON.stringify(given),
      before,
    ])
    for (const { merchant_id, seq, at } of found)
      faults.push(
        `${merchant_id}: entry ${seq} of ${at.toISOString()} is in no anchor, but anchor ${last.number} of ${last.at} is newer`,
      )
    const end = rows.at(-1)
    if (end === undefined || faults.length >= FAULTS_MAX) return faults
    after = end.merchant_id
  }
}

function lateNote({ last }: AnchorWalk, now: Date): string[] {
  if (last === null || now.getTime() - new Date(last.at).getTime() < LATE_MS) return []
  return [`the last anchor is of ${last.at}: check that a worker runs`]
}
