// Checking the chains of hashes in steps: each reads so many entries, in the order of the log, and says where the next one goes on.
// So the longest log is checked without holding a connection or a process for long.

import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { isId, ZERO_ID } from '../../kernel/lib/index.ts'
import { CHAIN_COLUMNS, type ChainRow, endFault, GENESIS, type Link, nextLink } from './chain.ts'

/** Entries that one statement reads. */
const PAGE = 1_000
/** What a step reads at most, and for how long. */
export const STEP = { entries: 20_000, ms: 2_000 } as const
const PROBLEMS_MAX = 100
/** Behind every entry of a chain. */
const END = '9223372036854775807'

/** What a step found. `next`: where to go on; null: this was the last. Counts are those of the step. */
export type CheckedSome = { chains: number; entries: number; problems: string[]; next: string | null }

type Row = ChainRow & { merchant_id: string; head_seq: string | null; head_hash: Buffer | null }

// Each entry comes with the head of its chain as of the same moment: what is appended meanwhile confuses nobody.
const WALK = sql(
  'audit_check_walk',
  `select l.merchant_id, ${CHAIN_COLUMNS}, c.seq::text as head_seq, c.hash as head_hash
   from (
     select * from audit_log where (merchant_id, seq) > ($1::uuid, $2::bigint) order by merchant_id, seq limit $3) l
   left join audit_chains c on c.merchant_id = l.merchant_id
   order by l.merchant_id, l.seq`,
)

// Where a step goes on within a chain, what was checked before is taken from its last entry.
const LAST = sql(
  'audit_check_last',
  `select l.hash, c.seq::text as head_seq, c.hash as head_hash from audit_log l
   left join audit_chains c on c.merchant_id = l.merchant_id where l.merchant_id = $1 and l.seq = $2::bigint`,
)

// A chain of which nothing is left has no entry on which the walk would come by.
const EMPTIED = sql(
  'audit_check_emptied',
  `select c.merchant_id, c.seq::text as seq from audit_chains c
   where c.merchant_id >= $1 and c.merchant_id <= $2 and c.seq > 0
     and not exists (select from audit_log l where l.merchant_id = c.merchant_id)
   order by c.merchant_id limit ${PROBLEMS_MAX}`,
)

const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Reads where a step is to begin, as an earlier one said it. Null: it said no such thing. */
export function readPlace(text: string): Place | null {
  const [, merchant_id = '', seq = ''] = /^([0-9a-f-]{36})\.(\d{1,15}|end)$/.exec(text) ?? []
  return isId(merchant_id) ? { merchant_id, seq: seq === 'end' ? seq : Number(seq) } : null
}

/** Up to which entry of which chain everything was checked. `end`: it is broken, and nothing behind says more. */
export type Place = { merchant_id: string; seq: number | 'end' }

const BEGINNING: Place = { merchant_id: ZERO_ID, seq: 0 }

/** Checks what follows a place: at most so many entries, and no longer than so long. */
export async function checkSome(
  deps: Deps,
  reader: Reader,
  from: Place = BEGINNING,
  most: { entries: number; ms: number } = STEP,
): Promise<CheckedSome> {
  const until = deps.clock.now().getTime() + most.ms
  const walk = await walkFrom(reader, from)
  let entries = 0
  for (;;) {
    const limit = Math.min(PAGE, most.entries - entries)
    const rows = await reader.query<Row>(WALK, [walk.merchant_id, walk.broken ? END : walk.link.seq, limit])
    for (const row of rows) follow(walk, row)
    entries += rows.length
    const ended = rows.length < limit
    if (ended) finish(walk)
    if (!ended && entries < most.entries && deps.clock.now().getTime() < until && walk.problems.length < PROBLEMS_MAX)
      continue
    const emptied = await reader.query<{ merchant_id: string; seq: string }>(EMPTIED, [
      from.merchant_id,
      ended ? LAST_ID : walk.merchant_id,
    ])
    const gone = emptied.map(({ merchant_id, seq }) => `${merchant_id}: the chain ends at 0, its head says ${seq}`)
    const next = ended ? null : `${walk.merchant_id}.${walk.broken ? 'end' : walk.link.seq}`
    return { chains: walk.chains, entries, problems: [...walk.problems, ...gone], next }
  }
}

/** Where a walk along the log stands: in which chain, at which link, and with which head it was seen. */
type Walk = {
  merchant_id: string
  link: Link
  head: { seq: string; hash: Buffer } | null
  /** The chain is broken: nothing behind says more. */
  broken: boolean
  /** Something of this chain was seen. */
  begun: boolean
  chains: number
  problems: string[]
}

async function walkFrom(reader: Reader, { merchant_id, seq }: Place): Promise<Walk> {
  const begin = { merchant_id, link: { seq: 0, hash: GENESIS }, head: null, begun: false, chains: 0, problems: [] }
  if (seq === 'end') return { ...begin, broken: true }
  if (seq === 0) return { ...begin, broken: false }
  const [last] = await reader.query<{ hash: Buffer } & Pick<Row, 'head_seq' | 'head_hash'>>(LAST, [
    merchant_id,
    String(seq),
  ])
  if (last === undefined) {
    return { ...begin, broken: true, begun: true, problems: [`${merchant_id}: entry ${seq} is missing`] }
  }
  const { hash, head_seq, head_hash } = last
  const head = head_seq === null || head_hash === null ? null : { seq: head_seq, hash: head_hash }
  // The chain is ended by what follows: nothing, or more of it.
  return { ...begin, link: { seq, hash }, head, broken: false, begun: true }
}

function follow(walk: Walk, row: Row): void {
  if (row.merchant_id !== walk.merchant_id) {
    finish(walk)
    Object.assign(walk, { merchant_id: row.merchant_id, link: { seq: 0, hash: GENESIS }, head: null, broken: false })
  }
  if (walk.broken) return
  walk.begun = true
  if (row.head_seq === null || row.head_hash === null) {
    fault(walk, `${row.merchant_id} has entries but no chain`)
    return
  }
  walk.head = { seq: row.head_seq, hash: row.head_hash }
  const next = nextLink(row.merchant_id, walk.link, row)
  if (typeof next === 'string') fault(walk, next)
  else walk.link = next
}

function fault(walk: Walk, problem: string): void {
  walk.broken = true
  walk.problems.push(problem)
}

/** Ends a chain: its last entry is what its head says. */
function finish(walk: Walk): void {
  if (!walk.begun) return
  walk.begun = false
  walk.chains += 1
  if (walk.broken || walk.head === null) return
  const problem = endFault(walk.merchant_id, walk.link, walk.head)
  if (problem !== null) fault(walk, problem)
}
