// Enforces rate limits of payments on pages, over ten minutes and across all processes. A stranger with a link must not send
// prompts to other people's phones, and must not keep a page busy.

import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import { customerNetwork, refuse } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'

const WINDOW_MS = 10 * 60_000
/** The age at which the server deletes a counter. */
const KEPT_MS = 2 * WINDOW_MS

/**
 * The facts of a payer's attempt that the limits count. If `phone` is null, the server sends no prompt; if `address` is null, the
 * address is unknown.
 */
export type PayerTry = { phone: string | null; link_id: string; address: string | null }

// The query locks counters in one order. If two payers share counters, one transaction waits for the other without a deadlock.
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
 * Counts an attempt in the transaction that writes the attempt. If a count exceeds its limit, refuses the attempt with
 * `rate_limited`. The transaction then rolls back, so that a refused attempt does not count.
 */
export async function checkPromptLimits(deps: Deps, tx: Tx, payerTry: PayerTry): Promise<void> {
  const { prompts_per_phone, tries_per_link, tries_per_address } = deps.config
  const limits = { phone: prompts_per_phone, link: tries_per_link, address: tries_per_address }
  const address = payerTry.address === null ? null : customerNetwork(payerTry.address)
  const subjects = { phone: payerTry.phone, link: payerTry.link_id, address }
  const rows = (['address', 'link', 'phone'] as const).flatMap((kind) => {
    const subject = subjects[kind]
    return subject === null || limits[kind] === 0
      ? []
      : [{ kind, subject: subjectHash(deps, kind, subject).toString('hex') }]
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
  phone: 'This phone received several prompts and approved none. Wait before you try again.',
  link: 'This payment had too many attempts. Wait before you try again.',
  address: 'Your network started too many payments. Wait before you try again.',
} as const

/** Returns the hash that identifies a counter, so that a reader of the table learns no phone and no address. */
function subjectHash(deps: Deps, kind: string, subject: string): Buffer {
  return deps.vault.mark(`payer_tries ${kind} ${subject}`)
}

const FORGIVE = sql(
  'payer_tries_forgive',
  `delete from payer_tries where (kind, subject) in (
     select t.kind, t.subject from payer_tries t
     where t.kind = 'phone' and t.subject in (select decode(value, 'hex') from json_array_elements_text($1::json))
     order by t.kind, t.subject for update)`,
)

/** Deletes the counters of the phones of payers who approved a payment. Without a phone, no query runs. */
export async function resetPhoneLimits(deps: Deps, tx: Tx, phones: ReadonlySet<string>): Promise<void> {
  if (phones.size === 0) return
  await tx.query(FORGIVE, [
    JSON.stringify([...phones].map((phone) => subjectHash(deps, 'phone', phone).toString('hex'))),
  ])
}

// The query skips counters that another transaction has locked, because such counters are in use.
const PURGE = sql(
  'payer_tries_purge',
  `delete from payer_tries where (kind, subject) in (
     select kind, subject from payer_tries where window_started_at < $1 order by kind, subject for update skip locked)`,
)
const PURGE_EVERY_MS = 10 * 60_000

/** Returns the task that deletes old counters. */
export function promptLimitsTask(deps: Deps): Task {
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
