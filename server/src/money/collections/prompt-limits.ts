// Enforces rate limits across all processes: of payments on pages in ten minutes, of live prompts to one phone in an hour and a
// day. The limits stop a stranger who sends many prompts to another person's phone, or who keeps a page busy.

import type { Method } from '../../adapters/providers/port.ts'
import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { customerNetwork, Refusal, refuse } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'

const WINDOW_MS = 10 * 60_000
/**
 * The age at which the server deletes a counter, from the start of its window. A counter of an address on a page stays for
 * PAGE_WINDOW_MS.
 */
const KEPT_MS = 2 * WINDOW_MS
/** The window in which the server counts the prompts of one address on one page. */
const PAGE_WINDOW_MS = 24 * 3_600_000
/** After this number of prompts of one address on one page, further prompts of the address no longer block other payers. */
const BLOCKING_PROMPTS = 2

/**
 * The facts of a payer's attempt that the limits count. If `phone` is null, the server sends no prompt; if `address` is null, the
 * address is unknown.
 */
export type PayerTry = { phone: string | null; link_id: string; address: string | null; prompt: Prompt }

/** The facts of a payment that determine whether the payment sends a live prompt to a phone. */
export type Prompt = { environment: Environment; method: Method; phone: string | null }

const ENDED = `t.window_started_at <= case when t.kind = 'page_address' then $4::timestamptz else $3::timestamptz end`

// The query locks counters in one order. If two payers share counters, one transaction waits for the other without a deadlock.
const COUNT = sql(
  'payer_tries_count',
  `insert into payer_tries as t (kind, subject, window_started_at, tries)
   select kind, decode(subject, 'hex'), $2, 1 from json_to_recordset($1::json) as x(kind text, subject text)
   order by kind, subject
   on conflict (kind, subject) do update set
     tries = case when ${ENDED} then 1 else t.tries + 1 end,
     window_started_at = case when ${ENDED} then $2 else t.window_started_at end
   returning kind, tries, window_started_at`,
)

/**
 * Counts an attempt in the transaction that writes the attempt. If a count exceeds its limit, refuses the attempt with
 * `rate_limited`; the transaction rolls back, and the attempt does not count. Returns the hash for `busy_for` of the payment.
 * Null means that the prompt keeps the page busy for every payer.
 */
export async function checkPromptLimits(deps: Deps, tx: Tx, payerTry: PayerTry): Promise<Buffer | null> {
  const [busy_for] = await Promise.all([
    checkPayerTry(deps, tx, payerTry),
    checkPhonePrompts(deps, tx, payerTry.prompt),
  ])
  return busy_for
}

/** Returns the hash of a page and of the network of a payer's address. Null means that the address is unknown. */
export function pageAddressHash(deps: Deps, link_id: string, address: string | null): Buffer | null {
  return address === null ? null : subjectHash(deps, 'page_address', `${link_id} ${customerNetwork(address)}`)
}

async function checkPayerTry(deps: Deps, tx: Tx, payerTry: PayerTry): Promise<Buffer | null> {
  const { prompts_per_phone, tries_per_link, tries_per_address } = deps.config
  const limits = { phone: prompts_per_phone, link: tries_per_link, address: tries_per_address, page_address: Infinity }
  const address = payerTry.address === null ? null : customerNetwork(payerTry.address)
  const page_address = payerTry.phone === null ? null : pageAddressHash(deps, payerTry.link_id, payerTry.address)
  const hashOf = (kind: string, subject: string | null) => (subject === null ? null : subjectHash(deps, kind, subject))
  const subjects = {
    phone: hashOf('phone', payerTry.phone),
    link: hashOf('link', payerTry.link_id),
    address: hashOf('address', address),
    page_address,
  }
  const rows = (['address', 'link', 'page_address', 'phone'] as const).flatMap((kind) => {
    const subject = subjects[kind]
    return subject === null || limits[kind] === 0 ? [] : [{ kind, subject: subject.toString('hex') }]
  })
  if (rows.length === 0) return null
  const now = deps.clock.now()
  const before = new Date(now.getTime() - WINDOW_MS)
  const counted = await tx.query<{ kind: keyof typeof limits; tries: number; window_started_at: Date }>(COUNT, [
    JSON.stringify(rows),
    now,
    before,
    new Date(now.getTime() - PAGE_WINDOW_MS),
  ])
  const over = counted.filter(({ kind, tries }) => tries > limits[kind])
  if (over.length === 0) {
    const on_page = counted.find(({ kind }) => kind === 'page_address')
    return on_page !== undefined && on_page.tries > BLOCKING_PROMPTS ? page_address : null
  }
  const until = Math.max(...over.map(({ window_started_at }) => window_started_at.getTime())) + WINDOW_MS
  const retry_after_s = Math.max(1, Math.ceil((until - now.getTime()) / 1_000))
  return refuse('rate_limited', { retry_after_s, message: WHY[over[0]?.kind ?? 'link'] })
}

const WHY = {
  phone: 'The server sent several prompts to this phone, and the payer approved none. Wait before you try again.',
  link: 'This payment had too many attempts. Wait before you try again.',
  page_address: 'This payment had too many attempts. Wait before you try again.',
  address: 'Your network started too many payments. Wait before you try again.',
} as const

/** Returns the hash that identifies a counter. The table thus shows no phone and no address. */
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

const HOUR_MS = 3_600_000
const PROMPTS_DAY_MS = 24 * HOUR_MS

/** A limit that no count reaches, for a setting of 0. */
const NO_LIMIT = 2_147_483_647

/**
 * Returns the key of the counter of a live prompt as hexadecimal text. Null means that the payment sends no live prompt, or that the
 * settings have no limits.
 */
export function promptCounter(deps: Deps, { environment, method, phone }: Prompt): string | null {
  const counts = limitsPrompts(deps) && environment === 'live' && method !== 'qr' && phone !== null
  return counts ? subjectHash(deps, 'prompts', phone).toString('hex') : null
}

function limitsPrompts({ config }: Pick<Deps, 'config'>): boolean {
  return (config.prompts_per_phone_hour ?? 0) > 0 || (config.prompts_per_phone_day ?? 0) > 0
}

/** Returns the limits of an hour and of a day, as parameters of `countPromptsSql`. */
export function promptLimits({ config }: Pick<Deps, 'config'>): [number, number] {
  return [config.prompts_per_phone_hour || NO_LIMIT, config.prompts_per_phone_day || NO_LIMIT]
}

/**
 * Returns the SQL that counts prompts and grants as many as the limits allow. `wanted` is a query with the columns subject (bytea)
 * and n. `now`, `hour` and `day` are the parameters with the time and the limits. The SQL returns subject, granted, and retry_at.
 */
export function countPromptsSql(wanted: string, [now, hour, day]: readonly [string, string, string]): string {
  const hourCount = `(case when p.hour_started_at > ${now}::timestamptz - interval '1 hour' then p.hour_prompts else 0 end)`
  const dayCount = `(case when p.day_started_at > ${now}::timestamptz - interval '1 day' then p.day_prompts else 0 end)`
  const wantedOnce = `least(n, ${hour}::int, ${day}::int)`
  const granted = `greatest(0, least(excluded.granted, ${hour}::int - ${hourCount}, ${day}::int - ${dayCount}))`
  return `insert into phone_prompts as p (subject, hour_started_at, hour_prompts, day_started_at, day_prompts, granted)
     select subject, ${now}::timestamptz, ${wantedOnce}, ${now}::timestamptz, ${wantedOnce}, ${wantedOnce} from (${wanted}) w order by subject
     on conflict (subject) do update set granted = ${granted},
       hour_prompts = ${hourCount} + ${granted}, day_prompts = ${dayCount} + ${granted},
       hour_started_at = case when ${hourCount} = 0 then ${now}::timestamptz else p.hour_started_at end,
       day_started_at = case when ${dayCount} = 0 then ${now}::timestamptz else p.day_started_at end
     returning subject, granted, greatest(
       case when p.hour_prompts >= ${hour}::int then p.hour_started_at + interval '1 hour' end,
       case when p.day_prompts >= ${day}::int then p.day_started_at + interval '1 day' end) as retry_at`
}

const COUNT_ONE = sql(
  'phone_prompts_count',
  countPromptsSql(`select decode($1, 'hex') as subject, 1 as n`, ['$2', '$3', '$4']),
)

/** Counts the live prompt of an attempt. If the phone has too many prompts, refuses the attempt with `rate_limited`. */
async function checkPhonePrompts(deps: Deps, tx: Tx, prompt: Prompt): Promise<void> {
  const counter = promptCounter(deps, prompt)
  if (counter === null) return
  const values = [counter, deps.clock.now(), ...promptLimits(deps)]
  const [row] = await tx.query<{ granted: number; retry_at: Date | null }>(COUNT_ONE, values)
  if (row?.granted === 0) throw refusePrompt(deps, row.retry_at)
}

/**
 * Returns the refusal of a prompt to a phone with too many prompts. `retry_at` is the time from which the server accepts a
 * prompt again.
 */
export function refusePrompt({ clock }: Pick<Deps, 'clock'>, retry_at: Date | null): Refusal {
  const left_ms = (retry_at ?? clock.now()).getTime() - clock.now().getTime()
  return new Refusal('rate_limited', { retry_after_s: Math.max(1, Math.ceil(left_ms / 1_000)), message: WHY.phone })
}

// The query locks counters in one order, as the queries that count prompts do.
const FORGET_APPROVED = sql(
  'phone_prompts_forget',
  `with approved as materialized (
     select decode(value, 'hex') as subject, count(*)::int as n from json_array_elements_text($1::json) group by value
   )
   update phone_prompts p set hour_prompts = greatest(0, p.hour_prompts - a.n), day_prompts = greatest(0, p.day_prompts - a.n)
   from approved a
   where p.subject = a.subject and p.subject in (
     select l.subject from phone_prompts l join approved using (subject) order by l.subject for update of l)`,
)

/** Subtracts approved prompts from the counters of their phones. Without a limit or a prompt, no query runs. */
export async function forgetApprovedPrompts(deps: Deps, tx: Tx, prompts: readonly Prompt[]): Promise<void> {
  const counters = prompts.map((prompt) => promptCounter(deps, prompt)).filter((counter) => counter !== null)
  if (counters.length > 0) await tx.query(FORGET_APPROVED, [JSON.stringify(counters)])
}

const PURGE_PROMPTS = sql(
  'phone_prompts_purge',
  `delete from phone_prompts where subject in (
     select subject from phone_prompts where hour_started_at <= $1 and day_started_at <= $2
     order by subject for update skip locked)`,
)

// The query skips counters that another transaction has locked, because such counters are in use.
const PURGE = sql(
  'payer_tries_purge',
  `delete from payer_tries where (kind, subject) in (
     select kind, subject from payer_tries
     where window_started_at < case when kind = 'page_address' then $2::timestamptz else $1::timestamptz end order by kind, subject for update skip locked)`,
)
const PURGE_EVERY_MS = 10 * 60_000

/** Returns the worker's task that deletes counters whose windows have ended, every ten minutes. */
export function promptLimitsTask(deps: Deps): Task {
  return {
    name: 'payer_tries',
    every_ms: PURGE_EVERY_MS,
    async runOnce() {
      const now = deps.clock.now().getTime()
      await oneStatement(deps.db).query(PURGE, [new Date(now - KEPT_MS), new Date(now - PAGE_WINDOW_MS)])
      await oneStatement(deps.db).query(PURGE_PROMPTS, [new Date(now - HOUR_MS), new Date(now - PROMPTS_DAY_MS)])
      return 0
    },
    async idle() {},
  }
}
