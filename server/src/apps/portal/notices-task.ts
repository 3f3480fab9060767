// Queues e-mails to the members who want them: summaries, and warnings about failing webhooks and expiring keys. One
// transaction records each notice and queues its e-mails, so a process that dies leaves both or none.

import {
  claimNotice,
  dashboardUrl,
  dueDigests,
  findDigestMember,
  mailedName,
  type NoticeClaim,
  noticeRecipients,
  queuedNotices,
  sweepNotices,
} from '../../access/merchants/index.ts'
import { queueEmail } from '../../adapters/messages/index.ts'
import { failingEndpoints } from '../../adapters/webhooks/index.ts'
import { type Deps, inTransaction, isUnavailable, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { DAY_MS, dayNumber, type Language, showTime, startOfDay } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { type DigestDays, dayText, digestFacts, digestMail, isEmptyDigest, withFooter } from './digest-mail.ts'
import { DIGEST_TEXTS } from './digest-texts.ts'

const EVERY_MS = 60_000
/**
 * The shortest time between two checks for warnings. A check reads more than the summaries, and a warning a few minutes later
 * still helps the member.
 */
const WARN_EVERY_MS = 300_000
const HOUR_MS = 3_600_000
/** From this hour in Tanzania on, members receive the summary of yesterday. */
const DIGEST_HOUR = 6
/** The highest number of members for whom one run queues summaries of one period. */
const DIGESTS_MAX = 20
/**
 * An endpoint must have failed for this time. After a shorter time, the endpoint may work again before the member reads the
 * e-mail.
 */
const FAILING_MS_MIN = 15 * 60_000
/** After a warning about an endpoint, members receive no warning about this endpoint for a day. */
const WEBHOOK_AGAIN_MS = DAY_MS
/** Members receive a warning about a key from this time before it expires. */
const KEY_WARNING_MS = 7 * DAY_MS
const KEYS_MAX = 100

const EXPIRING = sql(
  'notices_expiring_keys',
  `select k.merchant_id, k.id, k.environment, k.name, k.key_last4, k.expires_at from api_keys k
   where k.revoked_at is null and k.expires_at > $1 and k.expires_at <= $2
     and not exists (select from notices_queued q where q.merchant_id = k.merchant_id and q.kind = 'keys' and q.subject = k.id::text)
   order by k.expires_at limit $3`,
)

type ExpiringKey = {
  merchant_id: string
  id: string
  environment: Environment
  name: string
  key_last4: string
  expires_at: Date
}

/** Returns the last finished periods whose summaries are due: yesterday, and the last week from Monday to Sunday. */
export function duePeriods(now: Date): DigestDays[] {
  const today = dayNumber(new Date(now.getTime() - DIGEST_HOUR * HOUR_MS))
  // Day 0, 1 January 1970, was a Thursday. So day 4 was a Monday.
  const monday = today - ((((today - 4) % 7) + 7) % 7)
  return [
    { kind: 'daily', first: today - 1, days: 1 },
    { kind: 'weekly', first: monday - 7, days: 7 },
  ]
}

/** Makes the worker's task that queues summaries and warnings. */
export function noticesTask(deps: Deps): Task {
  let warned_at = Number.NEGATIVE_INFINITY
  let failed: FailedInRound = { merchants: new Set(), periods: new Set() }
  return {
    name: 'notices',
    every_ms: EVERY_MS,
    async runOnce() {
      const now = deps.clock.now()
      let queued = 0
      for (const period of duePeriods(now)) {
        if (failed.periods.has(period.kind)) continue
        const settled = await attempt(deps, `notices ${period.kind}`, null, () => queueDigests(deps, period, failed))
        if (settled === null) failed.periods.add(period.kind)
        queued += settled ?? 0
      }
      if (now.getTime() - warned_at >= WARN_EVERY_MS) {
        warned_at = now.getTime()
        queued += (await attempt(deps, 'notices webhooks', null, () => warnOfWebhooks(deps, now))) ?? 0
        queued += (await attempt(deps, 'notices keys', null, () => warnOfKeys(deps, now))) ?? 0
        await attempt(deps, 'notices sweep', null, () => inTransaction(deps.db, (tx) => sweepNotices(tx, now)))
      }
      // While a run queues something, the worker runs the task again immediately. The run that queues nothing ends the round.
      if (queued === 0) failed = { merchants: new Set(), periods: new Set() }
      return queued
    },
    async idle() {},
  }
}

/** The merchants and periods that failed in this round. The next round tries them again. */
type FailedInRound = { merchants: Set<string>; periods: Set<string> }

/**
 * Runs one part of the task. If the part fails, the function logs the error and returns null, so that the other parts continue.
 */
async function attempt<Result>(
  deps: Deps,
  task: string,
  merchant_id: string | null,
  run: () => Promise<Result>,
): Promise<Result | null> {
  try {
    return await run()
  } catch (error) {
    deps.log[isUnavailable(error) ? 'warn' : 'error'](
      { component: 'portal', err: error, task, ...(merchant_id === null ? {} : { merchant_id }) },
      'a part of the notices failed; the worker tries it again in the next round',
    )
    return null
  }
}

/** Queues summaries of a period. Returns the number of members that this run examined. */
async function queueDigests(deps: Deps, period: DigestDays, failed: FailedInRound): Promise<number> {
  const first_day = dayText(period.first)
  const end = startOfDay(period.first + period.days)
  const ended = { kind: period.kind, end }
  const without = [...failed.merchants]
  const due = await dueDigests(deps.db, { ...ended, first_day, limit: DIGESTS_MAX, without })
  const facts = new Map<string, ReturnType<typeof digestFacts>>()
  for (const member of due) {
    const { merchant_id, user_id } = member
    if (failed.merchants.has(merchant_id)) continue
    const settled = await attempt(deps, `notices ${period.kind}`, merchant_id, async () => {
      const read = facts.get(merchant_id) ?? digestFacts(deps, merchant_id, period)
      facts.set(merchant_id, read)
      const found = await read
      await inTransaction(deps.db, async (tx) => {
        const claim = { merchant_id, kind: period.kind, subject: `${first_day} ${user_id}` }
        if (!(await claimNotice(deps, tx, claim)) || isEmptyDigest(found)) return
        // Since the worker read the list, the member may have ended the summaries or left the merchant.
        const current = await findDigestMember(tx, member, ended)
        if (current !== null) await queueEmail(deps, tx, digestMail(deps, current, period, found))
      })
      return true
    })
    if (settled === null) failed.merchants.add(merchant_id)
  }
  return due.length
}

/**
 * Queues warnings about endpoints that fail, at most one a day for each endpoint. Returns the number of claims that this call
 * made.
 */
async function warnOfWebhooks(deps: Deps, now: Date): Promise<number> {
  const not_before = new Date(now.getTime() - WEBHOOK_AGAIN_MS)
  const failing = (await failingEndpoints(deps, deps.db))
    .filter(({ oldest_at }) => now.getTime() - oldest_at.getTime() >= FAILING_MS_MIN)
    .map((one) => ({ ...one, subject: `${one.environment} ${one.endpoint_id}` }))
  const warned = await queuedNotices(deps.db, { kind: 'webhooks', since: not_before, notices: failing })
  const keyOf = ({ merchant_id, subject }: { merchant_id: string; subject: string }) => `${merchant_id} ${subject}`
  const done = new Set(warned.map(keyOf))
  let queued = 0
  for (const one of failing) {
    if (done.has(keyOf(one))) continue
    const { merchant_id, environment, subject } = one
    const claim = { merchant_id, kind: 'webhooks', subject, not_before } as const
    const host = URL.parse(one.webhook_url ?? '')?.host ?? '-'
    queued += await queueWarning(deps, claim, environment, (t, language, merchant) => ({
      subject: t.webhooks_subject,
      parts: [
        t.webhooks_lead(merchant, t.environment[environment]),
        [
          t.host(host),
          t.failed_deliveries(String(one.failed), String(one.given_up)),
          t.last_failure(showTime(one.last_failed_at, language), failingReason(one)),
        ].join('\n'),
      ],
      next: t.webhooks_next,
      button: t.webhooks_button,
    }))
  }
  return queued
}

const failingReason = ({
  last_status_code,
  last_error,
}: {
  last_status_code: number | null
  last_error: string | null
}) => (last_status_code === null ? mailedName(last_error ?? '') : `HTTP ${last_status_code}`)

/** Queues one warning about each key that expires within a week. Returns the number of claims that this call made. */
async function warnOfKeys(deps: Deps, now: Date): Promise<number> {
  const until = new Date(now.getTime() + KEY_WARNING_MS)
  const keys = await deps.db.query<ExpiringKey>(EXPIRING, [now, until, KEYS_MAX])
  let queued = 0
  for (const { merchant_id, id, environment, name, key_last4, expires_at } of keys) {
    const claim = { merchant_id, kind: 'keys', subject: id } as const
    queued += await queueWarning(deps, claim, environment, (t, language, merchant) => ({
      subject: t.keys_subject,
      parts: [
        t.keys_lead(merchant, t.environment[environment]),
        [t.key(mailedName(name), key_last4), t.expires(showTime(expires_at, language))].join('\n'),
      ],
      next: t.keys_next,
      button: t.keys_button,
    }))
  }
  return queued
}

type Warning = { subject: string; parts: readonly string[]; next: string; button: string }

/**
 * Queues a warning to each member that `noticeRecipients` returns. If this call made the claim, returns 1, otherwise 0. If the
 * call fails, other warnings continue.
 */
async function queueWarning(
  deps: Deps,
  claim: NoticeClaim & { kind: 'webhooks' | 'keys' },
  environment: Environment,
  write: (t: (typeof DIGEST_TEXTS)[Language], language: Language, merchant: string) => Warning,
): Promise<number> {
  const { merchant_id, kind } = claim
  const url = dashboardUrl(deps, merchant_id, `${environment}/${kind}`)
  const queue = async (tx: Tx) => {
    if (!(await claimNotice(deps, tx, claim))) return 0
    for (const { email, language, member_id, merchant_name } of await noticeRecipients(tx, merchant_id, kind)) {
      const { subject, parts, next, button } = write(DIGEST_TEXTS[language], language, mailedName(merchant_name))
      const notice = { merchant_id, member_id, language, kind }
      await queueEmail(deps, tx, {
        to: email,
        merchant_id,
        environment,
        kind: `notice.${kind}`,
        subject: `${deps.config.brand_name}: ${subject}`,
        button: { label: button, url },
        ...withFooter(deps, notice, [...parts, `${next}\n${url}`]),
      })
    }
    return 1
  }
  return (await attempt(deps, `notices ${kind}`, merchant_id, () => inTransaction(deps.db, queue))) ?? 0
}
