// Closes the merchants with a demo history, ends their open work and archives them. Each step is a transaction with the locks of
// docs/design/lock-order.md. If the process dies, the next run repeats the steps, and the archive is the last step.

import { revokeAllKeys } from '../../access/api-keys/index.ts'
import {
  archiveDemoMerchant,
  closeDemoMerchant,
  HISTORY_EMAIL,
  rejectPendingAddresses,
} from '../../access/merchants/index.ts'
import { isSimulated } from '../../adapters/providers/registry.ts'
import { type Deps, inTransaction, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import { applyOutcomes } from '../../money/collections/index.ts'
import { cancelUnpaidInvoices } from '../../money/invoices/index.ts'
import { linkSettlement } from '../../money/payment-links/index.ts'
import { cancelWaitingWithdrawals, lockTokens, settlePayouts } from '../../money/withdrawals/index.ts'
import { COMMAND_ACT } from './act.ts'

const FIND_HISTORY = sql(
  'demo_history_find',
  `select m.id from merchants m where m.email = $1 and m.archived_at is null order by m.created_at`,
)
const WAITING_WITHDRAWALS = sql(
  'demo_history_withdrawals',
  `select merchant_id, id from withdrawals
   where merchant_id = $1 and status in ('PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED')`,
)
const DOUBTFUL_PAYOUTS = sql(
  'demo_history_doubtful',
  `select w.id, p.environment, p.provider from withdrawals w
   join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
   where w.merchant_id = $1 and w.status in ('NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST')`,
)
// Null in settled_attempt means that the first attempt has the money.
const HELD_PAYMENTS = sql(
  'demo_history_held',
  `select c.merchant_id, c.id as collection_id, a.number, h.environment, a.provider, c.amount_received_minor as amount_minor, c.currency
   from held_collections h join collections c on c.merchant_id = h.merchant_id and c.id = h.collection_id
   join collection_attempts a on a.merchant_id = c.merchant_id and a.collection_id = c.id
     and a.number = coalesce(c.settled_attempt, 1)
   where h.merchant_id = $1 and h.decided_at is null and c.amount_received_minor is not null`,
)
const WORK_OF_PROVIDERS = sql(
  'demo_history_providers',
  `select distinct provider from collection_attempts where merchant_id = $1 and environment = 'live' and due_at is not null
   union select distinct p.provider from withdrawals w
     join payouts p on p.merchant_id = w.merchant_id and p.withdrawal_id = w.id
     where w.merchant_id = $1 and w.environment = 'live'
       and w.status in ('PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION')
   union select distinct a.provider from held_collections h
     join collection_attempts a on a.merchant_id = h.merchant_id and a.collection_id = h.collection_id
     where h.merchant_id = $1 and h.environment = 'live' and h.decided_at is null`,
)
const UNDER_WAY = sql(
  'demo_history_under_way',
  `select (select count(*)::int from collections where merchant_id = $1 and status = 'processing') as payments,
     (select count(*)::int from withdrawals where merchant_id = $1 and status = 'PROCESSING') as payouts,
     (select count(*)::int from withdrawals where merchant_id = $1 and status = 'NEEDS_ADMIN_ATTENTION') as undecided`,
)

type AtProvider = { environment: Environment; provider: string }
type HeldPayment = AtProvider & {
  merchant_id: string
  collection_id: string
  number: number
  amount_minor: bigint
  currency: string
}

/** Returns the ids of the merchants with a demo history that are not archived. */
export async function historyMerchants(reader: Reader): Promise<string[]> {
  return (await reader.query<{ id: string }>(FIND_HISTORY, [HISTORY_EMAIL])).map(({ id }) => id)
}

const movesNoMoney = ({ environment, provider }: AtProvider) => environment === 'sandbox' || isSimulated(provider)

const REASON = 'demo --remove-history'

/**
 * Archives the merchants with a demo history, so that they take no payment, and ends their open work. The ledger is
 * append-only, so the records stay, and `kept` says so. If money at a real provider waits, or work is under way, refuses with
 * invalid_state.
 */
export async function removeDemoHistory(deps: Deps): Promise<{ archived: string[]; kept: string }> {
  const archived = await historyMerchants(deps.db)
  for (const merchant_id of archived) await refuseOpenMoney(deps.db, merchant_id)
  for (const merchant_id of archived) await removeMerchant(deps, merchant_id)
  return {
    archived,
    kept: 'The books are append-only, so the records stay; lists show them only for archived merchants.',
  }
}

async function refuseRealMoney(reader: Reader, merchant_id: string): Promise<void> {
  const rows = await reader.query<{ provider: string }>(WORK_OF_PROVIDERS, [merchant_id])
  const real = rows.map(({ provider }) => provider).filter((provider) => !isSimulated(provider))
  if (real.length === 0) return
  const message = `Payments or payouts of the demo history wait at ${real.join(', ')}, which moves money. End them first, then repeat.`
  refuse('invalid_state', { message, details: { merchant_id, providers: real } })
}

/**
 * Refuses while money at a real provider waits, or while a payment or payout is under way. A simulated provider can still answer
 * such work, so only its answer or its time limit ends the work.
 */
async function refuseOpenMoney(reader: Reader, merchant_id: string): Promise<void> {
  await refuseRealMoney(reader, merchant_id)
  const [open] = await reader.query<{ payments: number; payouts: number; undecided: number }>(UNDER_WAY, [merchant_id])
  const { payments = 0, payouts = 0, undecided = 0 } = open ?? {}
  const details = { merchant_id, payments, payouts, undecided }
  if (undecided > 0) {
    const message = `Payouts of the demo history that need the decision of an operator: ${undecided}. Resolve them in the operator console, then repeat.`
    refuse('invalid_state', { message, details })
  }
  if (payments + payouts === 0) return
  const message = `The demo history has ${payments} payments and ${payouts} payouts under way. Let the server run until they end, and end a payout pause that holds them. Then repeat.`
  refuse('invalid_state', { message, details })
}

async function removeMerchant(deps: Deps, merchant_id: string): Promise<void> {
  const step = (work: (tx: Tx) => Promise<unknown>) => inTransaction(deps.db, work)
  await step(async (tx) => {
    // Until the commit, the lock keeps every process from taking the send token of a payout.
    await lockTokens(tx)
    await refuseOpenMoney(tx, merchant_id)
    await closeDemoMerchant(deps, tx, COMMAND_ACT, { merchant_id, reason: REASON, revokeAllKeys })
  })
  await declineDoubtfulPayouts(deps, merchant_id)
  await step(async (tx) => {
    const waiting = await tx.query<{ merchant_id: string; id: string }>(WAITING_WITHDRAWALS, [merchant_id])
    await cancelWaitingWithdrawals(deps, tx, COMMAND_ACT, waiting)
  })
  await step((tx) => returnHeldPayments(deps, tx, merchant_id))
  await step((tx) => cancelUnpaidInvoices(deps, tx, COMMAND_ACT, merchant_id))
  await step((tx) => rejectPendingAddresses(deps, tx, COMMAND_ACT, { merchant_id, reason: REASON }))
  await step(async (tx) => {
    // Lists omit an archived merchant, so none is archived while money at a provider waits.
    await refuseOpenMoney(tx, merchant_id)
    await archiveDemoMerchant(deps, tx, merchant_id)
  })
}

/** The simulated provider declines its payouts in doubt, so the money is available again. No payout of a real provider changes. */
async function declineDoubtfulPayouts(deps: Deps, merchant_id: string): Promise<void> {
  const found = await deps.db.query<AtProvider & { id: string }>(DOUBTFUL_PAYOUTS, [merchant_id])
  const doubtful = found.filter(movesNoMoney)
  const answer = { kind: 'declined', reason: 'provider_declined', provider_status: 'FAILED' } as const
  const outcomes = doubtful.map(({ id }) => ({ merchant_id, id, answer, holds_lease: false }))
  await settlePayouts(deps, outcomes, () => false)
}

/** The simulated provider returns its held payments to the payers. No payment of a real provider changes. */
async function returnHeldPayments(deps: Deps, tx: Tx, merchant_id: string): Promise<void> {
  const found = await tx.query<HeldPayment>(HELD_PAYMENTS, [merchant_id])
  const held = found.filter(movesNoMoney)
  const reversals = held.map(({ collection_id, number, amount_minor, currency }) => {
    const answer = { kind: 'reversed', amount_minor, currency, provider_status: 'REVERSED' } as const
    return { merchant_id, collection_id, number, answer }
  })
  await applyOutcomes(deps, tx, linkSettlement, reversals, () => false)
}
