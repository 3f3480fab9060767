// Lists, saves, renames, checks and removes the recipients that a merchant pays repeatedly. A saved recipient only fills in a
// form. The server checks every withdrawal to a saved recipient like any other withdrawal.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import {
  canonicalPhone,
  type DestinationMethod,
  dayOf,
  findDestination,
  isId,
  maskPhone,
  newId,
  refuse,
  refuseField,
  routingCodeOf,
} from '../../kernel/lib/index.ts'
import { CANONICAL_IDENTIFIER, IDENTIFIER_HELP } from './check.ts'

/** The merchant and the environment of saved recipients. */
export type RecipientOwner = { merchant_id: string; environment: Environment }

/** The results of a name check. `unknown` never means that the account does not exist. */
export const NAME_CHECKS = ['same', 'different', 'unknown'] as const

/** The result of one name check. `same` means the same words in any order and case. */
export type NameCheckResult = (typeof NAME_CHECKS)[number]

/**
 * A destination that a merchant paid or saved. `paid_count` counts payouts with status SUCCESS: up to 100 for a saved recipient, and
 * among the latest RECENT_PAID for an earlier recipient. Null in `last_paid_at` means that no payout has succeeded.
 */
export type PaidDestination = {
  method: DestinationMethod
  destination_code: string
  destination_identifier: string
  destination_name: string | null
  paid_count: number
  last_paid_at: Date | null
}

/** A recipient that a merchant saved. Null in `name_check` means that the server has no result of a name check. */
export type SavedRecipient = PaidDestination & {
  id: string
  label: string
  destination_name: string
  name_check: NameCheckResult | null
  name_checked_at: Date | null
  created_by: string
  created_at: Date
}

/** The greatest number of recipients that a merchant can save in an environment. The list is then one page. */
export const RECIPIENTS_MAX = 200
/**
 * The greatest number of name checks of a merchant on a day, so that no merchant searches for the owners of numbers.
 */
export const NAME_CHECKS_PER_DAY = 30
/** The number of latest paid withdrawals from which the list of earlier recipients comes. */
const RECENT_PAID = 200
/** The greatest number of earlier recipients in the list. */
const EARLIER_MAX = 20

const COLUMNS = `r.id, r.label, r.method, r.destination_code, r.destination_identifier, r.destination_name, r.name_check,
  r.name_checked_at, r.created_by, r.created_at`
// One lookup in the index of paid withdrawals for each recipient reads at most 100 entries.
const PAID = `left join lateral (
     select count(*)::int as paid_count, max(p.completed_at) as last_paid_at from (
       select w.completed_at from withdrawals w
       where w.merchant_id = r.merchant_id and w.destination_identifier = r.destination_identifier and w.status = 'SUCCESS'
         and w.environment = r.environment and w.destination_code = r.destination_code
       order by w.id desc limit 100) p
   ) paid on true`

const LIST = sql(
  'recipients_list',
  `select ${COLUMNS}, paid.paid_count, paid.last_paid_at from saved_recipients r ${PAID}
   where r.merchant_id = $1 and r.environment = $2 order by lower(r.label), r.id`,
)
const FIND = sql(
  'recipients_find',
  `select ${COLUMNS}, paid.paid_count, paid.last_paid_at from saved_recipients r ${PAID}
   where r.merchant_id = $1 and r.environment = $2 and r.id = $3`,
)
const EARLIER = sql(
  'recipients_earlier',
  `with recent as (
     select w.id, w.method, w.destination_code, w.destination_identifier, w.destination_name, w.completed_at from withdrawals w
     where w.merchant_id = $1 and w.environment = $2 and w.status = 'SUCCESS' order by w.id desc limit $3
   )
   select method, destination_code, destination_identifier,
     (array_agg(destination_name order by id desc))[1] as destination_name,
     count(*)::int as paid_count, max(completed_at) as last_paid_at
   from recent e
   where not exists (select 1 from saved_recipients r where r.merchant_id = $1 and r.environment = $2
     and r.destination_code = e.destination_code and r.destination_identifier = e.destination_identifier)
   group by method, destination_code, destination_identifier order by max(id::text) desc limit $4`,
)
// Because of this lock, concurrent requests that save a recipient count the recipients one after the other.
const LOCK_MERCHANT = sql('recipients_lock', 'select 1 from merchants where id = $1 for no key update')
const COUNT = sql(
  'recipients_count',
  `select count(*)::int as total, count(*) filter (where destination_code = $3 and destination_identifier = $4)::int as same
   from saved_recipients where merchant_id = $1 and environment = $2`,
)
const INSERT = sql(
  'recipients_insert',
  `insert into saved_recipients (merchant_id, id, environment, label, method, destination_code, destination_identifier,
     destination_name, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
const RENAME = sql('recipients_rename', 'update saved_recipients set label = $3 where merchant_id = $1 and id = $2')
const SET_CHECK = sql(
  'recipients_set_check',
  'update saved_recipients set name_check = $3, name_checked_at = $4 where merchant_id = $1 and id = $2',
)
const DELETE = sql('recipients_delete', 'delete from saved_recipients where merchant_id = $1 and id = $2')
// After midnight, a process whose clock is behind still has the day before, so its checks count for the new day. If a count has
// a still later day, its clock was wrong, and the count starts again.
const COUNT_ENDED = '(c.day < excluded.day or c.day > excluded.day + 1)'
const COUNT_CHECK = sql(
  'recipients_count_check',
  `insert into recipient_name_checks as c (merchant_id, day, count) values ($1, $2, 1)
   on conflict (merchant_id) do update
     set day = case when ${COUNT_ENDED} then excluded.day else c.day end,
       count = case when ${COUNT_ENDED} then 1 else c.count + 1 end
   returning count`,
)

/**
 * Returns the saved recipients of a merchant by label, and earlier recipients that the merchant has not saved, latest first.
 */
export async function listRecipients(
  reader: Reader,
  { merchant_id, environment }: RecipientOwner,
): Promise<{ items: SavedRecipient[]; earlier: PaidDestination[] }> {
  const [items, earlier] = await Promise.all([
    reader.query<SavedRecipient>(LIST, [merchant_id, environment]),
    reader.query<PaidDestination>(EARLIER, [merchant_id, environment, RECENT_PAID, EARLIER_MAX]),
  ])
  return { items, earlier }
}

/** Returns a saved recipient. If this environment of the merchant has no such recipient, refuses with not_found. */
export async function getRecipient(reader: Reader, owner: RecipientOwner, id: string): Promise<SavedRecipient> {
  const wanted = id.toLowerCase()
  const [row] = isId(wanted)
    ? await reader.query<SavedRecipient>(FIND, [owner.merchant_id, owner.environment, wanted])
    : []
  return (
    row ??
    refuse('not_found', {
      message: 'There is no such saved recipient in this environment. Check the id and the environment.',
    })
  )
}

/** The fields of a recipient that a member wants to save. */
export type NewRecipient = {
  label?: string | undefined
  method: DestinationMethod
  destination_code?: string | undefined
  destination_identifier: string
  destination_name: string
}

/**
 * Saves a recipient. If the destination is wrong or already saved, refuses with 400 and names the field. If the merchant has
 * RECIPIENTS_MAX recipients, refuses with invalid_state.
 */
export async function saveRecipient(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, environment, ...input }: RecipientOwner & NewRecipient,
): Promise<SavedRecipient> {
  const { code, identifier } = checkedDestination(input)
  const destination_name = plainName('destination_name', input.destination_name)
  const label = plainName('label', input.label ?? destination_name)
  await tx.query(LOCK_MERCHANT, [merchant_id])
  const [counted] = await tx.query<{ total: number; same: number }>(COUNT, [merchant_id, environment, code, identifier])
  if ((counted?.same ?? 0) > 0) refuseField('destination_identifier', 'is already the number of a saved recipient')
  if ((counted?.total ?? 0) >= RECIPIENTS_MAX) {
    refuse('invalid_state', {
      message: `The business already has ${RECIPIENTS_MAX} saved recipients. Remove one first.`,
    })
  }
  const id = newId(deps, routingCodeOf(merchant_id))
  const destination = [input.method, code, identifier, destination_name]
  const values = [merchant_id, id, environment, label, ...destination, act.actor.name, deps.clock.now()]
  await tx.query(INSERT, values)
  const saved = await getRecipient(tx, { merchant_id, environment }, id)
  await recordChange(deps, tx, act, { merchant_id, environment }, 'recipient.create', { id, after: auditOf(saved) })
  return saved
}

/** Changes the label of a recipient. If the label is the same, changes nothing and writes no audit entry. */
export async function renameRecipient(
  deps: Deps,
  tx: Tx,
  act: Act,
  { id, label: typed, ...owner }: RecipientOwner & { id: string; label: string },
): Promise<SavedRecipient> {
  const label = plainName('label', typed)
  await tx.query(LOCK_MERCHANT, [owner.merchant_id])
  const before = await getRecipient(tx, owner, id)
  if (before.label === label) return before
  await tx.query(RENAME, [owner.merchant_id, before.id, label])
  await recordChange(deps, tx, act, owner, 'recipient.rename', { id: before.id, after: auditOf(before) })
  return { ...before, label }
}

/** Removes a recipient. The withdrawals to this recipient stay unchanged. */
export async function removeRecipient(
  deps: Deps,
  tx: Tx,
  act: Act,
  { id, ...owner }: RecipientOwner & { id: string },
): Promise<SavedRecipient> {
  await tx.query(LOCK_MERCHANT, [owner.merchant_id])
  const before = await getRecipient(tx, owner, id)
  await tx.query(DELETE, [owner.merchant_id, before.id])
  await recordChange(deps, tx, act, owner, 'recipient.delete', { id: before.id, before: auditOf(before) })
  return before
}

/** Counts a name check of today. After NAME_CHECKS_PER_DAY checks, refuses with rate_limited. */
export async function countNameCheck(deps: Deps, tx: Tx, merchant_id: string): Promise<void> {
  const now = deps.clock.now()
  const [row] = await tx.query<{ count: number }>(COUNT_CHECK, [merchant_id, dayOf(now)])
  if ((row?.count ?? 0) <= NAME_CHECKS_PER_DAY) return
  const tomorrow = new Date(`${dayOf(now)}T00:00:00+03:00`).getTime() + 86_400_000
  const message = `A business can check ${NAME_CHECKS_PER_DAY} names a day. Try again tomorrow.`
  refuse('rate_limited', { retry_after_s: Math.ceil((tomorrow - now.getTime()) / 1_000), message })
}

/** Stores the result and the time of a name check, and writes an audit entry. */
export async function storeNameCheck(
  deps: Deps,
  tx: Tx,
  act: Act,
  { id, result, ...owner }: RecipientOwner & { id: string; result: NameCheckResult },
): Promise<SavedRecipient> {
  await tx.query(LOCK_MERCHANT, [owner.merchant_id])
  const before = await getRecipient(tx, owner, id)
  const name_checked_at = deps.clock.now()
  await tx.query(SET_CHECK, [owner.merchant_id, before.id, result, name_checked_at])
  const change = { id: before.id, after: { ...auditOf(before), name_check: result } }
  await recordChange(deps, tx, act, owner, 'recipient.check_name', change)
  return { ...before, name_check: result, name_checked_at }
}

function checkedDestination({ method, destination_code = '', destination_identifier }: NewRecipient) {
  const wanted = destination_code === '' && method === 'PROVIDER_PESA' ? method : destination_code
  if (wanted === '') refuseField('destination_code', 'is required')
  const destination = findDestination(wanted)
  if (destination === null || destination.method !== method) {
    return refuseField('destination_code', 'is no network or bank of this method')
  }
  const identifier = CANONICAL_IDENTIFIER[method](destination_identifier.trim())
  if (identifier === null) return refuseField('destination_identifier', IDENTIFIER_HELP[method])
  return { code: destination.code, identifier }
}

/**
 * Returns the name without spaces at its ends. A member or an operator trusts this name, so the function refuses a name with
 * invisible characters.
 */
function plainName(field: string, text: string): string {
  if (/\p{Cf}/u.test(text)) refuseField(field, 'contains invisible characters')
  return text.trim()
}

type RecipientAction = 'recipient.create' | 'recipient.rename' | 'recipient.delete' | 'recipient.check_name'

async function recordChange(
  deps: Deps,
  tx: Tx,
  act: Act,
  { merchant_id, environment }: RecipientOwner,
  action: RecipientAction,
  { id, before, after }: { id: string; before?: object; after?: object },
): Promise<void> {
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action,
    target_type: 'recipient',
    target_id: id,
    ...(before === undefined ? {} : { before: { ...before, environment } }),
    ...(after === undefined ? {} : { after: { ...after, environment } }),
  })
}

/**
 * Returns the fields of a recipient for the audit log: no name and a masked number, because the log never deletes an entry.
 */
function auditOf({ method, destination_code, destination_identifier }: SavedRecipient) {
  const is_phone = method !== 'BANK_ACCOUNT' && canonicalPhone(destination_identifier) === destination_identifier
  const masked = is_phone ? maskPhone(destination_identifier) : `*** ${destination_identifier.slice(-4)}`
  return { method, destination_code, destination_identifier: masked }
}
