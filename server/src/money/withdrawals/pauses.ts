// Starts, ends and lists pauses of payouts. The start of a pause waits for running statements that take send tokens, and later
// statements read the pause. So after the answer to the operator, no process takes the send token of a payout of the pause.

import { refuseConflict } from '../../access/merchants/index.ts'
import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { COUNT_MAX, type PageChoice, pageOf } from '../../kernel/http/index.ts'
import { assertInvariant, findDestination, isId, newId, refuse } from '../../kernel/lib/index.ts'

/** The scopes of a pause: all live payouts, or those of one merchant, provider or destination. */
export const PAUSE_SCOPES = ['platform', 'merchant', 'provider', 'destination'] as const
/** The scope of one pause. A pause with the scope `platform` stops all live payouts. */
export type PauseScope = (typeof PAUSE_SCOPES)[number]

/** The live payouts that a pause concerns. If the scope is `platform`, the target is empty. */
export type PauseTarget = { scope: PauseScope; target: string }

/**
 * A row of `payout_pauses`. Null in `merchant_name` means that the target is not a merchant. Null in the fields about the end
 * means that the pause is active.
 */
export type PayoutPause = PauseTarget & {
  id: string
  reason: string
  started_by_name: string
  started_at: Date
  ended_by_name: string | null
  ended_reason: string | null
  ended_at: Date | null
  merchant_name: string | null
}

const FROM = `from payout_pauses s
   left join merchants m on m.id = case when s.scope = 'merchant' then s.target::uuid end`
const COLUMNS = `s.id, s.scope, s.target, s.reason, s.started_by_name, s.started_at, s.ended_by_name, s.ended_reason, s.ended_at,
     m.name as merchant_name`

// The statements that take a token read the table `for key share`, which conflicts with this lock. PostgreSQL takes this lock
// before the snapshot, so a statement that waited reads the new pause. Backups do not conflict with this lock.
const LOCK = sql('payout_pauses_lock', 'lock table payout_pauses in exclusive mode')

/**
 * Waits for all statements that take send tokens, and stops new ones until the transaction ends. Every later token then depends
 * on the pauses and merchants that this transaction writes.
 */
export async function lockTokens(tx: Tx): Promise<void> {
  await tx.query(LOCK)
}

const INSERT = sql(
  'payout_pauses_insert',
  `insert into payout_pauses (id, scope, target, reason, started_by_id, started_by_name, started_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
)
const FIND_ACTIVE = sql(
  'payout_pauses_find_active',
  `select ${COLUMNS} ${FROM} where s.ended_at is null and s.scope = $1 and s.target = $2`,
)

// The payouts whose token a process has taken, and whose answer the server does not have yet.
const SENDING = sql(
  'payouts_sending',
  `select count(*)::int as sending from payouts
   where due_at is not null and state = 'sending' and sent_at is null and environment = 'live'
     and case $1::text when 'merchant' then merchant_id::text = $2 when 'provider' then provider = $2
       when 'destination' then destination_code = $2 else true end`,
)

/**
 * Pauses payouts. `sending` counts the payouts of the pause that a process may have sent, because it took the token before the
 * pause. If a pause of the same payouts has not ended yet, refuses with invalid_state.
 */
export async function startPause(
  deps: Deps,
  tx: Tx,
  act: Act,
  { scope, target, reason }: PauseTarget & { reason: string },
): Promise<PayoutPause & { sending: number }> {
  await lockTokens(tx)
  const id = newId(deps, 0)
  const { id: operator_id, name } = act.actor
  const inserted = await tx.query(INSERT, [id, scope, target, reason, operator_id, name, deps.clock.now()])
  const [active] = await tx.query<PayoutPause>(FIND_ACTIVE, [scope, target])
  assertInvariant(active !== undefined, 'a pause is in force after its start')
  if (inserted.length === 0) {
    const { started_by_name, started_at } = active
    const message = `${describePaused(active)} are paused already, since ${started_at.toISOString()} by ${started_by_name}: "${active.reason}".`
    refuse('invalid_state', { message, details: pauseDetails(active) })
  }
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: scope === 'merchant' ? target : PLATFORM,
    action: 'payouts.pause',
    target_type: 'payout_pause',
    target_id: id,
    reason,
    after: { scope, target },
  })
  const [row] = await tx.query<{ sending: number }>(SENDING, [scope, target])
  deps.log.warn(
    { component: 'withdrawals', pause_id: id, scope, target, operator: name, reason },
    'an operator paused payouts',
  )
  return { ...active, sending: row?.sending ?? 0 }
}

const FIND = sql('payout_pauses_find', `select ${COLUMNS} ${FROM} where s.id = $1`)
const END = sql(
  'payout_pauses_end',
  `update payout_pauses set ended_by_id = $2, ended_by_name = $3, ended_reason = $4, ended_at = $5
   where id = $1 and ended_at is null returning id`,
)

/**
 * Ends a pause. If no other reason holds a payout of the pause, a worker sends the payout within about half a minute. Errors:
 * invalid_state after the end of the pause, not_found for an unknown pause, conflict_of_interest for an operator with ties to
 * the merchant.
 */
export async function endPause(
  deps: Deps,
  tx: Tx,
  act: Act,
  { pause_id: id, reason }: { pause_id: string; reason: string },
): Promise<PayoutPause> {
  const { id: operator_id, name } = act.actor
  const now = deps.clock.now()
  const ended = isId(id) ? await tx.query(END, [id, operator_id, name, reason, now]) : []
  const [pause] = isId(id) ? await tx.query<PayoutPause>(FIND, [id]) : []
  if (pause === undefined) return refuse('not_found', { message: 'There is no such pause of payouts. Check the id.' })
  const { scope, target } = pause
  // A refusal rolls the transaction back, so the pause stays.
  if (scope === 'merchant') await refuseConflict(tx, { merchant_id: target, act })
  if (ended.length === 0) {
    const message = `This pause ended already, at ${pause.ended_at?.toISOString()} by ${pause.ended_by_name}.`
    refuse('invalid_state', { message, details: pauseDetails(pause) })
  }
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: scope === 'merchant' ? target : PLATFORM,
    action: 'payouts.resume',
    target_type: 'payout_pause',
    target_id: id,
    reason,
    before: { scope, target, reason: pause.reason, started_at: pause.started_at.toISOString() },
    after: { ended_at: now.toISOString() },
  })
  deps.log.warn(
    { component: 'withdrawals', pause_id: id, scope, target, operator: name, reason },
    'an operator ended a pause of payouts',
  )
  return pause
}

// These queries are unnamed prepared statements, so PostgreSQL plans each query for its filter.
const MATCHING = 's where $1::boolean is null or (s.ended_at is null) = $1'
const LIST = sql(
  '',
  `select ${COLUMNS} from (
     select * from payout_pauses ${MATCHING} order by (s.ended_at is null) desc, s.started_at desc, s.id desc limit $2 offset $3) s
   left join merchants m on m.id = case when s.scope = 'merchant' then s.target::uuid end
   order by (s.ended_at is null) desc, s.started_at desc, s.id desc`,
)
const COUNT = sql('', `select count(*)::int as total from (select 1 from payout_pauses ${MATCHING} limit $2) counted`)

/** Returns a page of pauses: active pauses first, then the newest. Null in `active` means all pauses. */
export async function listPauses(reader: Reader, filter: PageChoice & { active: boolean | null }) {
  const { active, page = 1, page_size = 20 } = filter
  const [rows, counted] = await Promise.all([
    reader.query<PayoutPause>(LIST, [active, page_size, (page - 1) * page_size]),
    reader.query<{ total: number }>(COUNT, [active, COUNT_MAX]),
  ])
  return pageOf(rows, counted[0]?.total ?? 0, filter)
}

/** Returns the pause with this id. Null means that no such pause exists. */
export async function findPause(reader: Reader, id: string): Promise<PayoutPause | null> {
  const [row] = await reader.query<PayoutPause>(FIND, [id])
  return row ?? null
}

/** Returns the payouts of a pause as the subject of a sentence, for example "All payouts". */
export function describePaused({
  scope,
  target,
  merchant_name,
}: PauseTarget & { merchant_name?: string | null }): string {
  switch (scope) {
    case 'platform':
      return 'All payouts'
    case 'merchant':
      return `The payouts of the merchant ${merchant_name ?? target}`
    case 'provider':
      return `The payouts over the provider ${target}`
    case 'destination':
      return `The payouts to ${findDestination(target)?.name ?? target}`
  }
}

/** Returns the details of a refusal that names a pause. */
export function pauseDetails({ id, scope, target, reason, started_at }: PayoutPause) {
  return { pause_id: id, scope, target: target === '' ? null : target, reason, since: started_at.toISOString() }
}
