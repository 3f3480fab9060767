// The members of a merchant: inviting, changing roles, removing. One MERCHANT_ADMIN always stays.
//
// Anybody may make a merchant and invite addresses to it, so no answer tells whether an address had an account before:
// a member is shown under an id of the membership and the name that the inviter gave.

import { queueEmail } from '../../adapters/messages/index.ts'
import { type Act, type AuditAction, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type MerchantRole, type PageChoice, pageOf, type SessionPrincipal } from '../../kernel/http/index.ts'
import { isId, type Language, newId, refuse, routingCodeOf } from '../../kernel/lib/index.ts'
import { dashboardUrl } from './dashboard-url.ts'
import { invitationMail } from './invitation-mail.ts'
import { getMerchant } from './list.ts'
import { mayMailInvitation } from './members-mails.ts'
import type { MemberView } from './schema.ts'
import { inviteUser } from './users.ts'

type Row = Omit<MemberView, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date }

const COLUMNS = 's.id, u.email, coalesce(s.name, u.name) as name, s.role, s.created_at, s.updated_at'

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

/** A page of the merchant's members, newest first. */
export async function listMembers(reader: Reader, merchant_id: string, choice: PageChoice) {
  const { page = 1, page_size = 20 } = choice
  const [rows, counted] = await Promise.all([
    reader.query<Row>(LIST, [merchant_id, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [merchant_id]),
  ])
  return pageOf(rows.map(view), counted[0]?.total ?? 0, choice)
}

async function getMember(reader: Reader, merchant_id: string, member_id: string): Promise<MemberView> {
  const [row] = isId(member_id) ? await reader.query<Row>(FIND, [merchant_id, member_id]) : []
  return row ? view(row) : refuseUnknown()
}

const INSERT = sql(
  'members_insert',
  `insert into members (merchant_id, id, user_id, role, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)
   on conflict (merchant_id, user_id) do nothing returning id`,
)

const INVITER = sql('members_inviter', 'select language from users where id = $1')

/** An invitation as it is sent. */
export type Invitation = { merchant_id: string; email: string; role: MerchantRole; name: string | null }

/** More members than any business of ours has; a bound on the e-mails that one merchant can send to strangers. */
const MEMBERS_MAX = 200

/**
 * Makes the person with this e-mail address a member, and mails them, unless too many invitations were mailed today: then
 * nothing else differs. One without an account is bound to it when somebody signs in with the verified address. Refuses somebody who is a member already, and more members than there may be, with invalid_state.
 */
export async function inviteMember(deps: Deps, tx: Tx, act: Act, invitation: Invitation): Promise<MemberView> {
  const { merchant_id, role } = invitation
  const email = invitation.email.toLowerCase()
  const name = invitation.name ?? email
  const [counted] = await tx.query<{ total: number }>(COUNT, [merchant_id])
  if ((counted?.total ?? 0) >= MEMBERS_MAX) {
    refuse('invalid_state', { message: `A merchant has at most ${MEMBERS_MAX} members. Remove one first.` })
  }
  const user_id = await inviteUser(deps, tx, { email, name })
  const id = newId(deps, routingCodeOf(merchant_id))
  const made = await tx.query(INSERT, [merchant_id, id, user_id, role, name, deps.clock.now()])
  if (made.length === 0) {
    refuse('invalid_state', {
      message: 'Somebody with this e-mail address is a member already. Change the role instead.',
    })
  }
  const merchant = await getMerchant(tx, merchant_id)
  const { brand_name: brand } = deps.config
  const url = dashboardUrl(deps, merchant_id)
  if (act.actor.kind !== 'user' || (await mayMailInvitation(deps, tx, merchant_id, email))) {
    const [inviter] = await tx.query<{ language: Language }>(INVITER, [act.actor.id])
    const mail = {
      merchant_id,
      merchant_name: merchant.name,
      email,
      role,
      language: inviter?.language ?? 'sw',
      url,
      brand,
    }
    await queueEmail(deps, tx, invitationMail(mail))
  }
  await record(deps, tx, act, { merchant_id, id, action: 'member.invite', after: { email, name, role } })
  return getMember(tx, merchant_id, id)
}

/**
 * Refuses somebody whose address is not proven: whoever signed up with an address that is not theirs must not bring others
 * in, who would stay when its owner takes the account back.
 */
export function checkMayInvite({ email_verified }: SessionPrincipal): void {
  if (email_verified) return
  refuse('insufficient_role', {
    message: 'Confirm your e-mail address first: open the link in the e-mail that you got when you signed up.',
  })
}

// Every change locks all members of the merchant, in one order: of two administrators who demote each other at once,
// the second sees what the first did.
const LOCK = sql(
  'members_lock',
  'select id, user_id, role from members where merchant_id = $1 order by merchant_id, user_id for update',
)
const SET_ROLE = sql(
  'members_set_role',
  'update members set role = $3, updated_at = $4 where merchant_id = $1 and id = $2',
)
const REMOVE = sql('members_remove', 'delete from members where merchant_id = $1 and id = $2')

/**
 * Gives a member another role, which holds on their next request. Giving the one they have changes nothing. Refuses to
 * demote the last MERCHANT_ADMIN with invalid_state, and an unknown member with not_found.
 */
export async function changeRole(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; member_id: string; role: MerchantRole },
): Promise<MemberView> {
  const { merchant_id, role } = input
  const member = await lockMember(tx, merchant_id, input.member_id, role)
  if (member.role === role) return member
  await tx.query(SET_ROLE, [merchant_id, member.id, role, deps.clock.now()])
  const { id, email } = member
  await record(deps, tx, act, {
    merchant_id,
    id,
    action: 'member.change_role',
    before: { email, role: member.role },
    after: { email, role },
  })
  return getMember(tx, merchant_id, id)
}

/**
 * Removes a member, who is refused on their next request. Answers who it was. Everybody may leave, and only a
 * MERCHANT_ADMIN may remove others (insufficient_role). Refuses to remove the last MERCHANT_ADMIN with invalid_state, and
 * an unknown member with not_found.
 */
export async function removeMember(
  deps: Deps,
  tx: Tx,
  act: Act,
  input: { merchant_id: string; member_id: string; by: { user_id: string; role: MerchantRole | null } },
): Promise<MemberView> {
  const { merchant_id, by } = input
  const member = await lockMember(tx, merchant_id, input.member_id, null, by)
  const { id, email, name, role } = member
  await tx.query(REMOVE, [merchant_id, id])
  await record(deps, tx, act, { merchant_id, id, action: 'member.remove', before: { email, name, role } })
  return member
}

/** Locks the members, and gives the one who is to get `role`; null: who is to be removed, by whom. */
async function lockMember(
  tx: Tx,
  merchant_id: string,
  member_id: string,
  role: MerchantRole | null,
  by?: { user_id: string; role: MerchantRole | null },
): Promise<MemberView> {
  const members = await tx.query<{ id: string; user_id: string; role: MerchantRole }>(LOCK, [merchant_id])
  const found = members.find(({ id }) => id === member_id)
  if (!found) refuseUnknown()
  if (by && by.role !== 'MERCHANT_ADMIN' && by.user_id !== found.user_id) {
    refuse('insufficient_role', { message: 'You may leave, but only a MERCHANT_ADMIN may remove somebody else.' })
  }
  const others = members.some((other) => other.role === 'MERCHANT_ADMIN' && other.id !== found.id)
  if (found.role === 'MERCHANT_ADMIN' && role !== 'MERCHANT_ADMIN' && !others) {
    refuse('invalid_state', {
      message: 'This is the last MERCHANT_ADMIN. Make another member MERCHANT_ADMIN first.',
    })
  }
  return getMember(tx, merchant_id, found.id)
}

function record(
  deps: Deps,
  tx: Tx,
  act: Act,
  what: { merchant_id: string; id: string; action: AuditAction; before?: object; after?: object },
): Promise<void> {
  const { id, ...rest } = what
  return recordAudit(deps, tx, { ...act, ...rest, target_type: 'member', target_id: id })
}

function refuseUnknown(): never {
  refuse('not_found', { message: 'There is no such member.' })
}

function view({ created_at, updated_at, ...rest }: Row): MemberView {
  return { ...rest, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() }
}
