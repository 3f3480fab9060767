// Invites, changes and removes members of a merchant. No change or removal takes the last MERCHANT_ADMIN away. Answers contain
// the membership id and the invited name, so that they do not reveal accounts.

import { hasGateway, queueEmail } from '../../adapters/messages/index.ts'
import { type Act, type AuditAction, recordAudit } from '../../books/audit/index.ts'
import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type MerchantRole, type PageChoice, pageOf, type SessionPrincipal } from '../../kernel/http/index.ts'
import { isId, type Language, newId, refuse, routingCodeOf, withoutDirectionMarks } from '../../kernel/lib/index.ts'
import { dashboardUrl } from './dashboard-url.ts'
import { invitationMail } from './invitation-mail.ts'
import { getMerchant } from './list.ts'
import type { RevokedKey } from './members-reclaim.ts'
import type { InvitedMemberView, MemberView, RemovedMemberView } from './schema.ts'
import { notifyAdmins } from './security-mail.ts'
import { inviteUser } from './users.ts'

type MemberTime = 'created_at' | 'updated_at' | 'first_seen_at'
type MemberRow = Omit<MemberView, MemberTime> & { created_at: Date; updated_at: Date; first_seen_at: Date | null }

const COLUMNS = 's.id, u.email, coalesce(s.name, u.name) as name, s.role, s.created_at, s.updated_at, s.first_seen_at'

const LIST = sql(
  'members_list',
  `select ${COLUMNS} from members s join users u on u.id = s.user_id where s.merchant_id = $1
   order by s.id desc limit $2 offset $3`,
)
const COUNT = sql('members_count', 'select count(*)::int as total from members where merchant_id = $1')
const FIND = sql(
  'members_find',
  `select ${COLUMNS} from members s join users u on u.id = s.user_id where s.merchant_id = $1 and s.id = $2`,
)

/** Returns a page of the merchant's members, newest first. */
export async function listMembers(reader: Reader, merchant_id: string, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const [rows, counted] = await Promise.all([
    reader.query<MemberRow>(LIST, [merchant_id, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [merchant_id]),
  ])
  return pageOf(rows.map(memberView), counted[0]?.total ?? 0, choice)
}

async function getMember(reader: Reader, merchant_id: string, member_id: string): Promise<MemberView> {
  const [row] = isId(member_id) ? await reader.query<MemberRow>(FIND, [merchant_id, member_id]) : []
  return row ? memberView(row) : refuseUnknownMember()
}

const INSERT = sql(
  'members_insert',
  `with member as (
     insert into members (merchant_id, id, user_id, role, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (merchant_id, user_id) do nothing returning merchant_id, user_id, created_at
   ), noted as (
     insert into member_history (merchant_id, user_id, created_at) select merchant_id, user_id, created_at from member
     on conflict do nothing
   )
   select 1 as invited from member`,
)

const INVITER = sql('members_inviter', 'select language from users where id = $1')

/** An invitation. Null as `name` means that the server uses the e-mail address as the name. */
export type Invitation = { merchant_id: string; email: string; role: MerchantRole; name: string | null }

/** If a merchant has this number of members, the server refuses another invitation. */
const MEMBERS_MAX = 200
// With this lock, concurrent invitations of the same merchant wait for each other, so that the limit holds. A removal also waits
// for requests that create a key, and finds these keys. Requests that wait for a removal or a new role check their caller again.
const LOCK_MERCHANT = sql('members_lock_merchant', 'select 1 from merchants where id = $1 for no key update')

/**
 * Counts an invitation e-mail. If the rate limit is reached, returns false. `email` is in lower case. The identity room
 * implements this function.
 */
export type MayMailInvitation = (deps: Deps, tx: Tx, merchant_id: string, email: string) => Promise<boolean>

/**
 * Makes the user with this e-mail address a member, and queues the invitation and e-mails to the administrators. If the rate
 * limit is reached, queues no invitation but returns the same answer. If the user is a member, or the merchant has MEMBERS_MAX
 * members, refuses with invalid_state.
 */
export async function inviteMember(
  deps: Deps,
  tx: Tx,
  act: Act,
  invitation: Invitation,
  mayMailInvitation: MayMailInvitation,
): Promise<InvitedMemberView> {
  const { merchant_id, role } = invitation
  const email = invitation.email.toLowerCase()
  const name = withoutDirectionMarks(invitation.name ?? '').trim() || email
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const [counted] = await tx.query<{ total: number }>(COUNT, [merchant_id])
  if ((counted?.total ?? 0) >= MEMBERS_MAX) {
    refuse('invalid_state', { message: `A merchant has at most ${MEMBERS_MAX} members. Remove a member first.` })
  }
  const user_id = await inviteUser(deps, tx, { email, name })
  const id = newId(deps, routingCodeOf(merchant_id))
  const inserted = await tx.query(INSERT, [merchant_id, id, user_id, role, name, deps.clock.now()])
  if (inserted.length === 0) {
    refuse('invalid_state', {
      message: 'A user with this e-mail address is a member already. Change the role instead.',
    })
  }
  if (act.actor.kind !== 'user' || (await mayMailInvitation(deps, tx, merchant_id, email))) {
    await mailInvitation(deps, tx, act, { merchant_id, email, role })
  }
  await auditMember(deps, tx, act, { merchant_id, id, action: 'member.invite', after: { email, name, role } })
  await notifyAdmins(deps, tx, act, merchant_id, { kind: 'member_added', email, role })
  return withMailServer(deps, await getMember(tx, merchant_id, id))
}

async function mailInvitation(
  deps: Deps,
  tx: Tx,
  act: Act,
  invited: { merchant_id: string; email: string; role: MerchantRole },
): Promise<void> {
  const { name: merchant_name } = await getMerchant(tx, invited.merchant_id)
  const [inviter] = await tx.query<{ language: Language }>(INVITER, [act.actor.id])
  const language = inviter?.language ?? 'sw'
  const { brand_name: brand } = deps.config
  const url = dashboardUrl(deps, invited.merchant_id)
  await queueEmail(deps, tx, invitationMail({ ...invited, merchant_name, language, url, brand }))
}

function withMailServer({ config }: Deps, member: MemberView): InvitedMemberView {
  return { ...member, has_mail_server: hasGateway(config, 'email') }
}

/**
 * Queues the e-mail of an invitation again. If the rate limit is reached, queues no e-mail but returns the same answer. If the
 * member has used the membership, refuses with invalid_state. If the member is unknown, refuses with not_found.
 */
export async function inviteAgain(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, member_id }: { merchant_id: string; member_id: string },
  mayMailInvitation: MayMailInvitation,
): Promise<InvitedMemberView> {
  if (!isId(merchant_id)) refuseUnknownMember()
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const member = await getMember(tx, merchant_id, member_id)
  const { id, email, role } = member
  if (member.first_seen_at !== null) {
    refuse('invalid_state', { message: 'This member has signed in already. No invitation is needed.' })
  }
  if (await mayMailInvitation(deps, tx, merchant_id, email)) {
    await mailInvitation(deps, tx, act, { merchant_id, email, role })
  }
  await auditMember(deps, tx, act, { merchant_id, id, action: 'member.invite_again', after: { email, role } })
  return withMailServer(deps, member)
}

const FIRST_USE = sql(
  'members_first_use',
  'update members set first_seen_at = $3 where merchant_id = $1 and user_id = $2 and first_seen_at is null',
)

/** Records that a user used a membership. If the server has recorded an earlier use, changes nothing. */
export async function recordFirstUse(deps: Deps, merchant_id: string, user_id: string): Promise<void> {
  await oneStatement(deps.db).query(FIRST_USE, [merchant_id, user_id, deps.clock.now()])
}

/**
 * If the user has not confirmed the e-mail address, refuses. Otherwise a stranger could sign up with another person's address
 * and invite members in the name of that person.
 */
export function checkMayInvite({ email_verified }: SessionPrincipal): void {
  if (email_verified) return
  refuse('insufficient_role', {
    message: 'Confirm your e-mail address first: open the link in the e-mail that you got when you signed up.',
  })
}

// Each change of a role and each removal locks all members of the merchant in one order. So if two administrators demote each
// other at the same time, the second transaction reads the change of the first.
const LOCK = sql(
  'members_lock',
  'select id, user_id, role from members where merchant_id = $1 order by merchant_id, user_id for update',
)
const SET_ROLE = sql(
  'members_set_role',
  'update members set role = $3, updated_at = $4 where merchant_id = $1 and id = $2',
)
const REMOVE = sql('members_remove', 'delete from members where merchant_id = $1 and id = $2 returning user_id')

/**
 * Changes the role of a member from the next request on. If the role is the same, changes nothing. If the member is the last
 * MERCHANT_ADMIN, refuses with invalid_state. If the member is unknown, refuses with not_found.
 */
export async function changeRole(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; member_id: string; role: MerchantRole },
): Promise<MemberView> {
  const { merchant_id, role } = input
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const member = await lockMember(tx, merchant_id, input.member_id, role)
  if (member.role === role) return member
  await tx.query(SET_ROLE, [merchant_id, member.id, role, deps.clock.now()])
  const { id, email } = member
  await auditMember(deps, tx, act, {
    merchant_id,
    id,
    action: 'member.change_role',
    before: { email, role: member.role },
    after: { email, role },
  })
  return getMember(tx, merchant_id, id)
}

/**
 * The function that revokes the active API keys that a user made for a merchant, except the keys in `keep`. If `keep` contains
 * another key, the function refuses. The api-keys room implements it.
 */
export type RevokeKeysOf = (
  deps: Deps,
  tx: Tx,
  maker: { merchant_id: string; user_id: string; keep: readonly string[] },
) => Promise<RevokedKey[]>

/** A removal: the member, the user who removes the member, and the ids of the member's API keys that stay active. */
export type Removal = {
  merchant_id: string
  member_id: string
  by: { user_id: string; role: MerchantRole | null }
  keep: readonly string[]
}

/**
 * Removes a member from the next request on, and revokes the active API keys that the member made, except those in `keep`.
 * Errors: not_found for an unknown member, invalid_state for the last MERCHANT_ADMIN, insufficient_role, and 400 for a wrong id
 * in `keep`. Without the role MERCHANT_ADMIN, a user can only leave, and cannot keep keys.
 */
export async function removeMember(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, member_id, by, keep }: Removal,
  revokeKeysOf: RevokeKeysOf,
): Promise<RemovedMemberView> {
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const member = await lockMember(tx, merchant_id, member_id, null, by)
  if (keep.length > 0 && by.role !== 'MERCHANT_ADMIN') {
    refuse('insufficient_role', { message: 'Only a MERCHANT_ADMIN may keep the API keys of a member who leaves.' })
  }
  const { id, email, name, role } = member
  const [removed] = await tx.query<{ user_id: string }>(REMOVE, [merchant_id, id])
  const revoked = await revokeKeysOf(deps, tx, { merchant_id, user_id: removed?.user_id ?? '', keep })
  const kept = keep.length === 0 ? {} : { keys_kept: keep }
  await auditMember(deps, tx, act, {
    merchant_id,
    id,
    action: 'member.remove',
    before: { email, name, role },
    after: { keys_revoked: revoked.map((key) => key.id), ...kept },
  })
  for (const { id: key_id, ...key } of revoked) {
    await recordAudit(deps, tx, {
      ...act,
      merchant_id,
      action: 'api_key.revoke',
      target_type: 'api_key',
      target_id: key_id,
      reason: `Made by ${email}, who is no longer a member.`,
      before: { ...key, status: 'active' },
      after: { ...key, status: 'revoked' },
    })
  }
  return { ...member, revoked_keys: revoked }
}

/**
 * Locks the members and returns the member to change. Null as `role` means a removal. If the change is not allowed, refuses.
 */
async function lockMember(
  tx: Tx,
  merchant_id: string,
  member_id: string,
  role: MerchantRole | null,
  by?: { user_id: string; role: MerchantRole | null },
): Promise<MemberView> {
  const members = await tx.query<{ id: string; user_id: string; role: MerchantRole }>(LOCK, [merchant_id])
  const found = members.find(({ id }) => id === member_id)
  if (!found) refuseUnknownMember()
  if (by && by.role !== 'MERCHANT_ADMIN' && by.user_id !== found.user_id) {
    refuse('insufficient_role', { message: 'You may leave, but only a MERCHANT_ADMIN may remove another member.' })
  }
  const others = members.some((other) => other.role === 'MERCHANT_ADMIN' && other.id !== found.id)
  if (found.role === 'MERCHANT_ADMIN' && role !== 'MERCHANT_ADMIN' && !others) {
    refuse('invalid_state', {
      message: 'This is the last MERCHANT_ADMIN. Make another member MERCHANT_ADMIN first.',
    })
  }
  return getMember(tx, merchant_id, found.id)
}

function auditMember(
  deps: Deps,
  tx: Tx,
  act: Act,
  entry: { merchant_id: string; id: string; action: AuditAction; before?: object; after?: object },
): Promise<void> {
  const { id, ...rest } = entry
  return recordAudit(deps, tx, { ...act, ...rest, target_type: 'member', target_id: id })
}

function refuseUnknownMember(): never {
  refuse('not_found', { message: 'There is no such member. Check the id.' })
}

function memberView({ created_at, updated_at, first_seen_at, ...rest }: MemberRow): MemberView {
  return {
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    first_seen_at: first_seen_at?.toISOString() ?? null,
  }
}
