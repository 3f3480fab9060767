// Reads and sets the balance mark of a merchant. If the balance is below the mark, the dashboard shows a warning.

import { type Act, recordAudit } from '../../books/audit/index.ts'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { formatAmount, parseAmount, refuseField } from '../../kernel/lib/index.ts'
import type { BalanceMark } from './schema.ts'

/** The merchant and the environment of a balance mark. */
export type MarkOwner = { merchant_id: string; environment: Environment }

const FIND = sql(
  'balance_mark_find',
  'select mark_minor from balance_marks where merchant_id = $1 and environment = $2',
)
const SET = sql(
  'balance_mark_set',
  `insert into balance_marks as b (merchant_id, environment, mark_minor, updated_at) values ($1, $2, $3, $4)
   on conflict (merchant_id, environment) do update set mark_minor = excluded.mark_minor, updated_at = excluded.updated_at`,
)
const CLEAR = sql('balance_mark_clear', 'delete from balance_marks where merchant_id = $1 and environment = $2')

/** Returns the balance mark of a merchant in cents. Null means that the merchant has set none. */
export async function balanceMarkMinor(
  reader: Reader,
  { merchant_id, environment }: MarkOwner,
): Promise<bigint | null> {
  const [row] = await reader.query<{ mark_minor: bigint }>(FIND, [merchant_id, environment])
  return row?.mark_minor ?? null
}

/** Returns the balance mark in the form of the API. Null as `balance_below` means that the merchant has set none. */
export async function getBalanceMark(reader: Reader, owner: MarkOwner): Promise<BalanceMark> {
  const minor = await balanceMarkMinor(reader, owner)
  return { balance_below: minor === null ? null : formatAmount(minor) }
}

/**
 * Sets the balance mark. Null removes the mark. If the amount is wrong, refuses with 400. If the mark is the same, changes
 * nothing.
 */
export async function setBalanceMark(
  deps: Deps,
  tx: Tx,
  act: Act,
  { balance_below, ...owner }: MarkOwner & BalanceMark,
): Promise<BalanceMark> {
  const minor = balance_below === null ? null : parseAmount(balance_below)
  if (typeof minor === 'string')
    refuseField('balance_below', 'must be null, or an amount in shillings such as "50000.00"')
  const before = await getBalanceMark(tx, owner)
  const after = { balance_below: minor === null ? null : formatAmount(minor) }
  if (before.balance_below === after.balance_below) return after
  const { merchant_id, environment } = owner
  if (minor === null) await tx.query(CLEAR, [merchant_id, environment])
  else await tx.query(SET, [merchant_id, environment, minor.toString(), deps.clock.now()])
  await recordAudit(deps, tx, {
    ...act,
    merchant_id,
    action: 'merchant.set_balance_mark',
    target_type: 'merchant',
    target_id: merchant_id,
    before: { ...before, environment },
    after: { ...after, environment },
  })
  return after
}
