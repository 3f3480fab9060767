// How often payers may try: a stranger who has a link must not be able to send prompts to other people's phones, nor to
// keep a page busy. Counted over ten minutes, across all processes.

import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import { customerNetwork, refuse } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'

const WINDOW_MS = 10 * 60_000
/** Counters that nobody has touched for this long are deleted. */
const KEPT_MS = 2 * WINDOW_MS

/** Who tries. `phone` is null where no prompt is sent; `address` null where nobody knows it. */
export type Trying = { phone: string | null; link_id: string; address: string | null }

// In one order: of two payers who share counters, one waits for the other.
const COUNT = sql(
  'payer_tries_count',
  `insert into payer_tries as t (kind, subject, window_started_at, tries)
   select kind, decode(subject, 'hex'), $2, 1 from json_to_recordset($1::json) as x(kind text, subject text)
   order by kind, subject
   on conflict (kind, subject) do update set
     tries = case when t.window_started_at <= $3 then 1 else t.tries + 1 end,
     window_started_at = case when t.window_started_at <= $3 then $2 else t.window_started_at end
   returning kind, tries, window_started_at`,
)

/**
 * Counts a try, in the transaction that makes it. Refuses with rate_limited what is too much; the transaction then ends
 * without a trace, so that whoever keeps trying is not shut out for longer.
 */
export async function countTry(deps: Deps, tx: Tx, trying: Trying): Promise<void> {
  const { prompts_per_phone, tries_per_link, tries_per_address } = deps.config
  const limits = { phone: prompts_per_phone, link: tries_per_link, address: tries_per_address }
  const address = trying.address === null ? null : customerNetwork(trying.address)
  const subjects = { phone: trying.phone, link: trying.link_id, address }
  const rows = (['address', 'link', 'phone'] as const).flatMap((kind) => {
    const subject = subjects[kind]
    return subject === null || limits[kind] === 0
      ? []
      : [{ kind, subject: markOf(deps, kind, subject).toString('hex') }]
  })
  if (rows.length === 0) return
  const now = deps.clock.now()
  const before = new Date(now.getTime() - WINDOW_MS)
  const counted = await tx.query<{ kind: keyof typeof limits; tries: number; window_started_at: Date }>(COUNT, [
    JSON.stringify(rows),
    now,
    before,
  ])
  const over = counted.filter(({ kind, tries }) => tries > limits[kind])
  if (over.length === 0) return
  const until = Math.max(...over.map(({ window_started_at }) => window_started_at.getTime())) + WINDOW_MS
  const retry_after_s = Math.max(1, Math.ceil((until - now.getTime()) / 1_000))
  refuse('rate_limited', { retry_after_s, message: WHY[over[0]?.kind ?? 'link'] })
}

const WHY = {
  phone: 'This phone was sent several prompts and approved none. Wait before it is sent another one.',
  link: 'This payment was tried too often. Wait before you try again.',
  address: 'Too many payments were tried from your network. Wait before you try again.',
} as const

/** What a subject is counted under. Nobody who reads the table learns a phone or an address. */
function markOf(deps: Deps, kind: string, subject: string): Buffer {
  return deps.vault.mark(`payer_tries ${kind} ${subject}`)
}

const FORGIVE = sql(
  'payer_tries_forgive',
  `delete from payer_tries where (kind, subject) in (
     select t.kind, t.subject from payer_tries t
     where t.kind = 'phone' and t.subject in (select decode(value, 'hex') from json_array_elements_text($1::json))
     order by t.kind, t.subject for update)`,
)

/** Forgets the prompts of phones whose owners have approved a payment: they want to pay. None: no statement. */
export async function forgivePhones(deps: Deps, tx: Tx, phones: ReadonlySet<string>): Promise<void> {
  if (phones.size === 0) return
  await tx.query(FORGIVE, [JSON.stringify([...phones].map((phone) => markOf(deps, 'phone', phone).toString('hex')))])
}

// What somebody has in hand right now is not old any more.
const PURGE = sql(
  'payer_tries_purge',
  `delete from payer_tries where (kind, subject) in (
     select kind, subject from payer_tries where window_started_at < $1 order by kind, subject for update skip locked)`,
)
const PURGE_EVERY_MS = 10 * 60_000

/** The background work that deletes counters of windows that are long over. */
export function triesTask(deps: Deps): Task {
  return {
    name: 'payer_tries',
    every_ms: PURGE_EVERY_MS,
    async runOnce() {
      await oneStatement(deps.db).query(PURGE, [new Date(deps.clock.now().getTime() - KEPT_MS)])
      return 0
    },
    async idle() {},
  }
}
