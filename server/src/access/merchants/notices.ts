// Stores which e-mails each member wants about a merchant, and which e-mails the worker has queued. Members cannot turn off
// security e-mails.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { MerchantRole } from '../../kernel/http/index.ts'
import { isId, type Language, refuse, sameSecret } from '../../kernel/lib/index.ts'
import { mailedName } from './invitation-mail.ts'
import type { NoticeSettings, NoticeSettingsChange } from './schema.ts'

/** The kinds of e-mails that a member can turn off: warnings about one topic each, and the summary. */
export const NOTICE_KINDS = ['withdrawals', 'webhooks', 'keys', 'digest'] as const
/** A topic of warnings, or `digest` for the summary. */
export type NoticeKind = (typeof NOTICE_KINDS)[number]
/** The topic of a warning. The summary (`digest`) is no warning. */
export type WarningKind = Exclude<NoticeKind, 'digest'>
/** The time that one summary covers: a day or a week. */
export type DigestPeriod = 'daily' | 'weekly'

/** The roles that get a warning, because members with these roles can solve the problem. */
export const WARNED_ROLES: Record<WarningKind, readonly MerchantRole[]> = {
  withdrawals: ['MERCHANT_ADMIN', 'FINANCE'],
  webhooks: ['MERCHANT_ADMIN', 'DEVELOPER'],
  keys: ['MERCHANT_ADMIN', 'DEVELOPER'],
}

/** A member that gets an e-mail. The unsubscribe URL contains `member_id`. */
export type NoticeRecipient = {
  member_id: string
  user_id: string
  email: string
  language: Language
  merchant_name: string
}

/** The greatest number of members of a merchant that get the same warning. */
const RECIPIENTS_MAX = 20
/** The number of days for which the server keeps the records of queued e-mails. */
const QUEUED_DAYS = 60
const DAY_MS = 86_400_000

const FIND = sql(
  'notices_find',
  `select u.email, u.email_verified, s.role, coalesce(n.withdrawals, true) as withdrawals, coalesce(n.webhooks, true) as webhooks,
     coalesce(n.keys, true) as keys, coalesce(n.digest, 'off') as digest
   from members s join users u on u.id = s.user_id
   left join member_notices n on n.merchant_id = s.merchant_id and n.user_id = s.user_id
   where s.merchant_id = $1 and s.user_id = $2`,
)
// Null means that the field keeps its value. One statement changes the row, so concurrent changes of different fields do not
// overwrite each other.
const SET = sql(
  'notices_set',
  `insert into member_notices as n (merchant_id, user_id, withdrawals, webhooks, keys, digest, digest_since, updated_at)
   values ($1, $2, coalesce($3::boolean, true), coalesce($4::boolean, true), coalesce($5::boolean, true), coalesce($6::text, 'off'),
     case when $6 <> 'off' then $7::timestamptz end, $7)
   on conflict (merchant_id, user_id) do update
     set withdrawals = coalesce($3, n.withdrawals), webhooks = coalesce($4, n.webhooks), keys = coalesce($5, n.keys),
       digest_since = case when coalesce($6, n.digest) = n.digest then n.digest_since else excluded.digest_since end,
       digest = coalesce($6, n.digest), updated_at = excluded.updated_at`,
)
const OWNER_OF = sql(
  'notices_owner',
  `select s.user_id, m.name from members s join merchants m on m.id = s.merchant_id where s.merchant_id = $1 and s.id = $2`,
)
// The query returns only members with a verified e-mail address, because an invitation can name any address. The oldest members
// come first.
const RECIPIENTS = sql(
  'notices_recipients',
  `select s.id as member_id, s.user_id, u.email, u.language, m.name as merchant_name
   from members s join users u on u.id = s.user_id join merchants m on m.id = s.merchant_id
   left join member_notices n on n.merchant_id = s.merchant_id and n.user_id = s.user_id
   where s.merchant_id = $1 and s.role = any($2::text[]) and u.email_verified and u.disabled_at is null
     and case $3 when 'withdrawals' then coalesce(n.withdrawals, true) when 'webhooks' then coalesce(n.webhooks, true)
       else coalesce(n.keys, true) end
   order by s.id limit $4`,
)
const CLAIM = sql(
  'notices_claim',
  `insert into notices_queued as q (merchant_id, kind, subject, queued_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, kind, subject) do update set queued_at = excluded.queued_at where q.queued_at <= $5
   returning 1 as claimed`,
)
// The query finds each pair by the primary key.
const CLAIMED = sql(
  'notices_claimed',
  `select q.merchant_id, q.subject from unnest($1::uuid[], $2::text[]) as a (merchant_id, subject)
   join notices_queued q on q.merchant_id = a.merchant_id and q.kind = $3 and q.subject = a.subject
   where q.queued_at > $4`,
)
const DIGEST_MEMBERS = `select n.merchant_id, n.user_id, s.id as member_id, u.email, u.language, m.name as merchant_name
   from member_notices n
   join members s on s.merchant_id = n.merchant_id and s.user_id = n.user_id
   join users u on u.id = n.user_id join merchants m on m.id = n.merchant_id
   where n.digest = $1 and n.digest_since < $2 and u.email_verified and u.disabled_at is null`
const DUE_DIGESTS = sql(
  'notices_due_digests',
  `${DIGEST_MEMBERS} and n.merchant_id <> all($5::uuid[])
     and not exists (select from notices_queued q where q.merchant_id = n.merchant_id and q.kind = $1
       and q.subject = $3 || ' ' || n.user_id::text)
   order by n.merchant_id, n.user_id limit $4`,
)
const DIGEST_MEMBER = sql('notices_digest_member', `${DIGEST_MEMBERS} and n.merchant_id = $3 and n.user_id = $4`)
const SWEEP = sql(
  'notices_sweep',
  `delete from notices_queued q using (
     select o.merchant_id, o.kind, o.subject from merchants m cross join lateral (
       select x.merchant_id, x.kind, x.subject from notices_queued x where x.merchant_id = m.id and x.queued_at < $1 limit $2) o
     limit $2) gone
   where q.merchant_id = gone.merchant_id and q.kind = gone.kind and q.subject = gone.subject returning 1 as gone`,
)

/** The merchant and the user of the settings. */
export type NoticeOwner = { merchant_id: string; user_id: string }

type NoticeRow = Omit<NoticeSettings, 'applies'> & { role: MerchantRole }

/** Returns the settings of a member. If the user is not a member, refuses with not_found. */
export async function getNotices(reader: Reader, { merchant_id, user_id }: NoticeOwner): Promise<NoticeSettings> {
  const [row] = await reader.query<NoticeRow>(FIND, [merchant_id, user_id])
  if (row === undefined) return refuse('not_found', { message: 'There is no such member. Check the id.' })
  const { role, ...settings } = row
  const warnings = Object.keys(WARNED_ROLES) as WarningKind[]
  return { ...settings, applies: warnings.filter((kind) => WARNED_ROLES[kind].includes(role)) }
}

/** Changes the given settings of a member. The first summary is of the first period that ends after the change. */
export async function setNotices(
  deps: Deps,
  tx: Tx,
  owner: NoticeOwner,
  change: NoticeSettingsChange,
): Promise<NoticeSettings> {
  await getNotices(tx, owner)
  const { withdrawals = null, webhooks = null, keys = null, digest = null } = change
  const chosen = [withdrawals, webhooks, keys, digest]
  await tx.query(SET, [owner.merchant_id, owner.user_id, ...chosen, deps.clock.now()])
  return getNotices(tx, owner)
}

/** The parts of an unsubscribe URL. With the signature, the URL works without a sign-in, and only for this purpose. */
export type UnsubscribeAddress = { merchant_id: string; member_id: string; kind: NoticeKind; signature: string }

const unsubscribeSignature = ({ vault }: Pick<Deps, 'vault'>, address: Omit<UnsubscribeAddress, 'signature'>): string =>
  vault.mark(`malipo unsubscribe ${address.merchant_id} ${address.member_id} ${address.kind}`).toString('base64url')

/** Returns the unsubscribe URL of a member for a kind. Empty means that BASE_URL is not set. */
export function unsubscribeUrl(
  deps: Pick<Deps, 'config' | 'vault'>,
  address: Omit<UnsubscribeAddress, 'signature'>,
): string {
  const { base_url } = deps.config
  if (base_url === '') return ''
  const { merchant_id, member_id, kind } = address
  return `${base_url}/unsubscribe/${merchant_id}/${member_id}/${kind}/${unsubscribeSignature(deps, address)}`
}

/**
 * Returns the member and the business of an unsubscribe URL. Null means that the signature is wrong, or that the member left
 * the business.
 */
export async function memberOfAddress(
  deps: Pick<Deps, 'vault'>,
  reader: Reader,
  { signature, ...address }: UnsubscribeAddress,
): Promise<(NoticeOwner & { merchant_name: string }) | null> {
  const { merchant_id, member_id } = address
  if (!isId(merchant_id) || !isId(member_id) || !sameSecret(signature, unsubscribeSignature(deps, address))) return null
  const [row] = await reader.query<{ user_id: string; name: string }>(OWNER_OF, [merchant_id, member_id])
  return row === undefined ? null : { merchant_id, user_id: row.user_id, merchant_name: mailedName(row.name) }
}

/** Turns off the e-mails of one kind for a member. A repeated call changes no setting. */
export async function endNotices(deps: Deps, tx: Tx, owner: NoticeOwner, kind: NoticeKind): Promise<void> {
  await setNotices(deps, tx, owner, kind === 'digest' ? { digest: 'off' } : { [kind]: false })
}

/** Returns the members that get a warning, at most RECIPIENTS_MAX. */
export function noticeRecipients(reader: Reader, merchant_id: string, kind: WarningKind): Promise<NoticeRecipient[]> {
  return reader.query<NoticeRecipient>(RECIPIENTS, [merchant_id, WARNED_ROLES[kind], kind, RECIPIENTS_MAX])
}

/**
 * The kinds of warnings and summaries that the worker queues. The transaction of a decision about a withdrawal queues the
 * e-mails about the decision.
 */
export type QueuedNoticeKind = DigestPeriod | Exclude<WarningKind, 'withdrawals'>

/**
 * A warning or summary that the worker queues at most once. If `not_before` is given and the worker last queued the notice at
 * or before `not_before`, the worker may queue the notice again.
 */
export type NoticeClaim = { merchant_id: string; kind: QueuedNoticeKind; subject: string; not_before?: Date }

/**
 * Records that the worker queues a warning or summary. If a worker has queued the same notice after `not_before`, or at any
 * time without `not_before`, returns false.
 */
export async function claimNotice(deps: Deps, tx: Tx, claim: NoticeClaim): Promise<boolean> {
  const { merchant_id, kind, subject, not_before = new Date(0) } = claim
  return (await tx.query(CLAIM, [merchant_id, kind, subject, deps.clock.now(), not_before])).length > 0
}

/** Returns the notices that a worker has queued after `since`, of the given notices of a kind. */
export function queuedNotices(
  reader: Reader,
  { kind, since, notices }: { kind: QueuedNoticeKind; since: Date; notices: readonly Omit<NoticeClaim, 'kind'>[] },
): Promise<{ merchant_id: string; subject: string }[]> {
  const merchant_ids = notices.map(({ merchant_id }) => merchant_id)
  return reader.query(CLAIMED, [merchant_ids, notices.map(({ subject }) => subject), kind, since])
}

/** A member that gets summaries of a merchant. */
export type DueDigest = NoticeRecipient & { merchant_id: string }

/** The kind of a summary, and the end of its period. */
export type EndedPeriod = { kind: DigestPeriod; end: Date }

/**
 * Returns up to `limit` members for whom no worker has queued the summary of the period that began on `first_day`. Omits the
 * merchants in `without`.
 */
export function dueDigests(
  reader: Reader,
  { kind, first_day, end, limit, without }: EndedPeriod & { first_day: string; limit: number; without: string[] },
): Promise<DueDigest[]> {
  return reader.query<DueDigest>(DUE_DIGESTS, [kind, end, first_day, limit, without])
}

/** Reads a member again. Null means that the member must no longer get the summary of the period. */
export async function findDigestMember(
  tx: Tx,
  { merchant_id, user_id }: NoticeOwner,
  { kind, end }: EndedPeriod,
): Promise<DueDigest | null> {
  const [row] = await tx.query<DueDigest>(DIGEST_MEMBER, [kind, end, merchant_id, user_id])
  return row ?? null
}

/**
 * Deletes records of queued e-mails that are older than QUEUED_DAYS, at most 1,000. Returns the number of deleted records.
 */
export async function sweepNotices(tx: Tx, now: Date): Promise<number> {
  return (await tx.query(SWEEP, [new Date(now.getTime() - QUEUED_DAYS * DAY_MS), 1_000])).length
}
