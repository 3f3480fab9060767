// Checks the hash chains in steps. A step reads a limited number of entries and returns the position of the next step. So a
// check of a long log uses a database connection only for seconds at a time.

import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { isId, ZERO_ID } from '../../kernel/lib/index.ts'
import {
  CHAIN_COLUMNS,
  type ChainLink,
  type ChainRow,
  endFault,
  FIRST_LINK,
  nextLink,
  type SealCheck,
  sealCheck,
} from './chain.ts'

/** The greatest number of entries that one statement reads. */
const BATCH_SIZE = 1_000
/** The limits of one step: the number of entries, and the duration in milliseconds. */
export const AUDIT_STEP_LIMITS = { entries: 20_000, ms: 2_000 } as const
const PROBLEMS_MAX = 100
/** A number that is greater than the number of any entry: the largest bigint. */
const END = '9223372036854775807'

/**
 * The result of one step. The counts are those of this step. Null as `next` means that the check has read the whole log.
 */
export type AuditStepResult = { chains: number; entries: number; problems: string[]; next: string | null }

type CheckedEntryRow = ChainRow & { merchant_id: string; head_seq: string | null; head_hash: Buffer | null }

// One snapshot contains the entries and the heads of their chains. So if another process appends an entry, the step reports no
// false fault.
const ENTRIES_AFTER = sql(
  'audit_check_walk',
  `select l.merchant_id, ${CHAIN_COLUMNS}, c.seq::text as head_seq, c.hash as head_hash
   from (
     select * from audit_log where (merchant_id, seq) > ($1::uuid, $2::bigint) order by merchant_id, seq limit $3) l
   left join audit_chains c on c.merchant_id = l.merchant_id
   order by l.merchant_id, l.seq`,
)

// If a step starts within a chain, the step reads the hash of the last checked entry.
const LAST_CHECKED = sql(
  'audit_check_last',
  `select l.hash, l.seal, c.seq::text as head_seq, c.hash as head_hash from audit_log l
   left join audit_chains c on c.merchant_id = l.merchant_id where l.merchant_id = $1 and l.seq = $2::bigint`,
)

// If a chain has lost all entries, `ENTRIES_AFTER` does not return the chain. So this statement reads the heads of chains.
const EMPTY_CHAINS = sql(
  'audit_check_emptied',
  `select c.merchant_id, c.seq::text as seq from audit_chains c
   where c.merchant_id >= $1 and c.merchant_id <= $2 and c.seq > 0
     and not exists (select from audit_log l where l.merchant_id = c.merchant_id)
   order by c.merchant_id limit ${PROBLEMS_MAX}`,
)

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Parses the position that an earlier step returned. Null means that the text has a wrong format. */
export function parseChainPosition(text: string): ChainPosition | null {
  const [, merchant_id = '', seq = ''] = /^([0-9a-f-]{36})\.(\d{1,15}|end)$/.exec(text) ?? []
  return isId(merchant_id) ? { merchant_id, seq: seq === 'end' ? seq : Number(seq) } : null
}

/**
 * The position after the last checked entry. `end` means that the chain is broken, so the next step starts with the next chain.
 */
export type ChainPosition = { merchant_id: string; seq: number | 'end' }

const FIRST_POSITION: ChainPosition = { merchant_id: ZERO_ID, seq: 0 }

/** Checks the entries after a position, up to the limits of one step. */
export async function checkAuditStep(
  deps: Deps,
  reader: Reader,
  from: ChainPosition = FIRST_POSITION,
  most: { entries: number; ms: number } = AUDIT_STEP_LIMITS,
): Promise<AuditStepResult> {
  const now = deps.clock.now()
  const until = now.getTime() + most.ms
  const walk = await walkFrom(reader, from, await sealCheck(reader, deps.vault, now))
  let entries = 0
  for (;;) {
    const limit = Math.min(BATCH_SIZE, most.entries - entries)
    const rows = await reader.query<CheckedEntryRow>(ENTRIES_AFTER, [
      walk.merchant_id,
      walk.broken ? END : walk.link.seq,
      limit,
    ])
    for (const row of rows) checkEntry(walk, row)
    entries += rows.length
    const ended = rows.length < limit
    if (ended) endChain(walk)
    if (!ended && entries < most.entries && deps.clock.now().getTime() < until && walk.problems.length < PROBLEMS_MAX)
      continue
    const empty_chains = await reader.query<{ merchant_id: string; seq: string }>(EMPTY_CHAINS, [
      from.merchant_id,
      ended ? LAST_ID : walk.merchant_id,
    ])
    const empty_problems = empty_chains.map(
      ({ merchant_id, seq }) => `${merchant_id}: the chain ends at 0, but its head records ${seq}`,
    )
    const next = ended ? null : `${walk.merchant_id}.${walk.broken ? 'end' : walk.link.seq}`
    return { chains: walk.chains, entries, problems: [...walk.problems, ...empty_problems], next }
  }
}

/**
 * The state of a step: the current chain, its last checked entry, and its head from the same snapshot. Null as `head` means
 * that the step has found no head.
 */
type ChainWalk = {
  merchant_id: string
  link: ChainLink
  head: { seq: string; hash: Buffer } | null
  /** True if the chain is broken, so the step skips its other entries. */
  broken: boolean
  /** True if the step has read an entry of this chain, or started within this chain. */
  begun: boolean
  seals: SealCheck
  chains: number
  problems: string[]
}

async function walkFrom(reader: Reader, { merchant_id, seq }: ChainPosition, seals: SealCheck): Promise<ChainWalk> {
  const begin = { merchant_id, link: FIRST_LINK, head: null, begun: false, seals, chains: 0, problems: [] }
  if (seq === 'end') return { ...begin, broken: true }
  if (seq === 0) return { ...begin, broken: false }
  const [last] = await reader.query<Pick<CheckedEntryRow, 'hash' | 'seal' | 'head_seq' | 'head_hash'>>(LAST_CHECKED, [
    merchant_id,
    String(seq),
  ])
  if (last === undefined) {
    return { ...begin, broken: true, begun: true, problems: [`${merchant_id}: entry ${seq} is missing`] }
  }
  const { hash, seal, head_seq, head_hash } = last
  const head = head_seq === null || head_hash === null ? null : { seq: head_seq, hash: head_hash }
  return { ...begin, link: { seq, hash, sealed: seal !== null }, head, broken: false, begun: true }
}

function checkEntry(walk: ChainWalk, row: CheckedEntryRow): void {
  if (row.merchant_id !== walk.merchant_id) {
    endChain(walk)
    Object.assign(walk, { merchant_id: row.merchant_id, link: FIRST_LINK, head: null, broken: false })
  }
  if (walk.broken) return
  walk.begun = true
  if (row.head_seq === null || row.head_hash === null) {
    recordFault(walk, `${row.merchant_id} has entries but no chain`)
    return
  }
  walk.head = { seq: row.head_seq, hash: row.head_hash }
  const next = nextLink(row.merchant_id, walk.link, row, walk.seals)
  if (typeof next === 'string') recordFault(walk, next)
  else walk.link = next
}

function recordFault(walk: ChainWalk, problem: string): void {
  walk.broken = true
  walk.problems.push(problem)
}

/** Ends the current chain, and compares its last checked entry with the head. */
function endChain(walk: ChainWalk): void {
  if (!walk.begun) return
  walk.begun = false
  walk.chains += 1
  if (walk.broken || walk.head === null) return
  const problem = endFault(walk.merchant_id, walk.link, walk.head)
  if (problem !== null) recordFault(walk, problem)
}
