// Decides whether a live payout must wait: for the end of a pause, or because its merchant is suspended. The statement that
// takes the send token decides, so that no process takes the token after a pause began. If the reason changes, the history gets
// an entry.

import { type Deps, inLockOrder, inputRows, inTransaction, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { noteHold, writeWithdrawalChanges } from './change.ts'
import { describePaused, findPause, type PayoutPause } from './pauses.ts'
import { lockWithdrawals, type Payout, withdrawalName } from './store.ts'

/** The reason for which a payout waits: the id of a pause, or `suspended` if its merchant is suspended. */
export type PayoutHold = string
const SUSPENDED: PayoutHold = 'suspended'

/** A payout that waits, with the reason. */
export type HeldPayout = Pick<Payout, 'merchant_id' | 'withdrawal_id'> & { hold: PayoutHold }

/** The columns of the row `i` from which `HOLD` reads. */
export const HOLD_COLUMNS = 'merchant_id uuid, environment text, provider text, destination_code text'

/** The fields of a payout that decide whether it must wait. */
export type HoldFacts = Pick<Payout, 'merchant_id' | 'environment' | 'provider' | 'destination_code'>

const hold = (lock: string) => `(
     select coalesce(s.id::text, case when m.status = 'SUSPENDED' then '${SUSPENDED}' end) as hold
     from (select 1) one
     left join lateral (select status from merchants where id = i.merchant_id and i.environment = 'live' offset 0) m on true
     left join lateral (
       select id from payout_pauses where ended_at is null and i.environment = 'live' and (scope, target) in (
         ('platform', ''), ('merchant', i.merchant_id::text), ('provider', i.provider), ('destination', i.destination_code))
       order by started_at limit 1${lock}) s on true)`

/**
 * SQL of one row with the column `hold`: the reason for which the payout of the row `i` waits. Null means that a process may
 * send the payout. Because of the lock clause, the start of a pause waits for this statement (pauses.ts).
 */
export const HOLD = hold(' for key share')

/** The milliseconds after which a worker checks again whether the payout must still wait. */
export const HOLD_CHECK_MS = 30_000

const FIND = sql(
  'payouts_find_hold',
  `select h.hold from (
     select $1::uuid as merchant_id, $2::text as environment, $3::text as provider, $4::text as destination_code) i
   cross join lateral ${hold('')} h`,
)

/** A reason for which a payout waits, for operators. Null in `pause` means that the merchant is suspended. */
export type DescribedHold = { text: string; pause: PayoutPause | null }

/** Returns the reason for which an unsent payout waits now. Null means that a process may send the payout. */
export async function findHold(reader: Reader, facts: HoldFacts): Promise<DescribedHold | null> {
  const { merchant_id, environment, provider, destination_code } = facts
  const values = [merchant_id, environment, provider, destination_code]
  const [row] = await reader.query<{ hold: PayoutHold | null }>(FIND, values)
  return row === undefined || row.hold === null ? null : describeHold(reader, row.hold)
}

async function describeHold(reader: Reader, reason: PayoutHold): Promise<DescribedHold> {
  const pause = reason === SUSPENDED ? null : await findPause(reader, reason)
  if (pause === null) return { text: 'The payout waits: its merchant is suspended.', pause }
  const { started_at, started_by_name } = pause
  const since = `since ${started_at.toISOString()} by ${started_by_name}`
  return { text: `The payout waits. ${describePaused(pause)} are paused ${since}: "${pause.reason}".`, pause }
}

const MARK = sql(
  'payouts_mark_held',
  `update payouts p set held_by = i.hold, updated_at = $2
   from ${inputRows('$1', 'withdrawal_id', 'merchant_id uuid, withdrawal_id uuid, hold text')} i
   where p.merchant_id = i.merchant_id and p.withdrawal_id = i.withdrawal_id and p.state = 'to_send'
     and p.held_by is distinct from i.hold
   returning p.withdrawal_id`,
)

/**
 * Writes the reasons for which payouts wait into their history. If the history of a payout has the reason already, or a process
 * has taken the send token meanwhile, writes nothing for this payout.
 */
export function recordHolds(deps: Deps, held: readonly HeldPayout[]): Promise<void> {
  return inTransaction(deps.db, (tx) => writeHolds(deps, tx, held))
}

async function writeHolds(deps: Deps, tx: Tx, held: readonly HeldPayout[]): Promise<void> {
  const snapshots = await lockWithdrawals(
    tx,
    held.map(({ merchant_id, withdrawal_id: id }) => ({ merchant_id, id })),
  )
  const rows = inLockOrder(held, (row) => row.withdrawal_id)
  const marked = await tx.query<{ withdrawal_id: string }>(MARK, [JSON.stringify(rows), deps.clock.now()])
  const ids = new Set(marked.map((row) => row.withdrawal_id))
  const texts = new Map<PayoutHold, string>()
  for (const { hold: reason } of rows) if (!texts.has(reason)) texts.set(reason, (await describeHold(tx, reason)).text)
  const changes = rows.flatMap(({ merchant_id, withdrawal_id: id, hold: reason }) => {
    const snapshot = snapshots.get(withdrawalName({ merchant_id, id }))
    if (snapshot === undefined || !ids.has(id)) return []
    return [noteHold(deps, snapshot.withdrawal, texts.get(reason) ?? reason)]
  })
  await writeWithdrawalChanges(deps, tx, changes, () => false)
}
