// Approving withdrawals: the only way by which money is set aside for a payout.
//
// Reservation, payout row, the operators' yes and the audit entry are one transaction, and the provider is called after it. The
// first yes of two is written without them. Dying before the commit leaves the withdrawal as it was. Dying after it leaves a payout with its token: it falls due when the lease ends, and
// a worker takes the token and sends it.

import type { Provider } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Act, recordAudits } from '../../books/audit/index.ts'
import { bookName, lockBooks } from '../../books/ledger/index.ts'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import {
  base32ToId,
  formatAmount,
  idToBase32,
  isId,
  newId,
  Refusal,
  refuse,
  routingCodeOf,
} from '../../kernel/lib/index.ts'
import { applyStep, beginChanges, type Changes, writeChanges } from './change.ts'
import { type FindProvider, missingOf } from './check.ts'
import { WHOLE } from './decide.ts'
import {
  type Consent,
  consentsOf,
  consentTo,
  eyesFor,
  giveConsents,
  judgeEyes,
  type NewConsent,
  withConsent,
} from './four-eyes.ts'
import { mayMove, type Status } from './state.ts'
import {
  type Locked,
  lockWithdrawals,
  PAYOUT_LEASE_MS,
  type Payout,
  type Withdrawal,
  type WithdrawalId,
  withdrawalName,
} from './store.ts'

/** One approval: of which withdrawal, by whom, and why. The reason is for operators: no merchant reads it. */
export type Approval = WithdrawalId & { act: Act; reason?: string | null }

/** What approving needs to know of the providers. */
export type Approver = {
  find: FindProvider
  /** True: this process sends a payout of this provider at once. False: a worker claims it. */
  lease(provider: string): boolean
}

/** A withdrawal after an operator's yes, with all that were given so far. */
export type Judged = Locked & { consents: readonly Consent[] }

/** What became of a set of approvals. `payouts` with a lease are this process's to send, after the commit. */
export type Approved = { answers: (Judged | Refusal)[]; payouts: Payout[]; deliveries: Delivery[] }

/**
 * `send: false` leaves the payouts unsent, for whoever plays the provider, and plays all operators too: one yes is enough.
 * `dry_run` judges the same, and writes nothing.
 */
export type ApproveOptions = { send?: boolean; dry_run?: boolean }

const INSERT = sql(
  'payouts_insert',
  `insert into payouts (merchant_id, withdrawal_id, environment, provider, provider_reference, method, destination_code,
     destination_identifier, destination_name, bank_name, amount_minor, currency, state, send_token, asks, deadline_at,
     due_at, lease_owner, sent_at, provider_status, provider_id, created_at, updated_at)
   select merchant_id, withdrawal_id, environment, provider, provider_reference, method, destination_code,
     destination_identifier, destination_name, bank_name, amount, currency, state, send_token, 0, deadline_at, due_at, lease_owner,
     null, null, null, $2, $2
   from json_to_recordset($1::json) as p(merchant_id uuid, withdrawal_id uuid, environment text, provider text,
     provider_reference text, method text, destination_code text, destination_identifier text, destination_name text,
     bank_name text, amount bigint, currency text, state text, send_token uuid, deadline_at timestamptz, due_at timestamptz, lease_owner uuid)`,
)

/**
 * Approves a set of withdrawals in the given transaction. Each is judged by itself, under lock, in the order given: its
 * state, who has approved it, its merchant, and what is available after those before it. A refusal is answered in its place
 * and changes nothing of that withdrawal. Where two operators are needed, the first of them sets nothing aside.
 */
export async function approveAll(
  deps: Deps,
  tx: Tx,
  approver: Approver,
  approvals: readonly Approval[],
  { send = true, dry_run = false }: ApproveOptions = {},
): Promise<Approved> {
  const rows = await lockWithdrawals(
    tx,
    approvals.filter(({ id }) => isId(id)),
  )
  const changes = await beginChanges(tx, rows.values())
  const available = await lockBooks(tx, [...rows.values()])
  const consents = await consentsOf(tx, [...rows.values()])
  const payouts: Payout[] = []
  const given: NewConsent[] = []
  const audits: Parameters<typeof recordAudits>[2][number][] = []
  const answers = approvals.map(({ act, reason = null, ...key }) => {
    const row = rows.get(withdrawalName(key))
    if (row === undefined) return new Refusal('not_found', NOT_FOUND)
    const before = consents.get(withdrawalName(key)) ?? []
    const judged = judge(deps, row, available, approver, send ? { act, consents: before } : null)
    if (judged instanceof Refusal) return judged
    Object.assign(row, send ? eyesFor(deps.config, row) : { approvals_required: row.approvals_required ?? 1 })
    const consent = consentTo(deps, row, { act, reason, eyes: judged.eyes })
    if (consent !== null) given.push(consent)
    const after = consent === null ? before : withConsent(before, consent)
    consents.set(withdrawalName(key), after)
    const { status } = row
    if (judged.eyes === 'last') {
      const payout = payoutOf(deps, row, judged.provider.name, approver, send)
      payouts.push(payout)
      setAside(deps, changes, available, row, payout, { ...act, reason })
    }
    const approvals = after.map(({ operator_name }) => operator_name)
    const seen = !send || row.approvals_required === 1 ? {} : { approvals_required: row.approvals_required, approvals }
    audits.push({
      ...act,
      merchant_id: row.merchant_id,
      action: judged.eyes === 'last' ? 'withdrawal.approve' : 'withdrawal.first_approve',
      target_type: 'withdrawal',
      target_id: row.id,
      reason,
      before: { status },
      after: { status: row.status, ...factsOf(row), ...seen },
    })
    // A copy: another operator's yes in the same set takes the row further.
    return { ...row, consents: after }
  })
  if (dry_run) return { answers, payouts: [], deliveries: [] }
  await Promise.all([insertPayouts(deps, tx, payouts), giveConsents(deps, tx, given)])
  const deliveries = await writeChanges(deps, tx, changes, () => false)
  await recordAudits(deps, tx, audits)
  return { answers, payouts, deliveries }
}

/** Moves an approved withdrawal and its money, in memory: it is written with the set. */
function setAside(
  deps: Deps,
  changes: Changes,
  available: Map<string, bigint>,
  row: Locked,
  payout: Payout,
  { actor, reason }: Act & { reason: string | null },
): void {
  const book = bookName(row)
  available.set(book, (available.get(book) as bigint) - row.total_reserved_minor)
  row.provider_reference = payout.provider_reference
  row.transfer_id = newId(deps, row.routing_code)
  row.provider = payout.provider
  row.payout_state = payout.state
  row.booked_minor = row.total_reserved_minor
  const effect = { fact: 'withdrawal_reserved', amount_minor: row.total_reserved_minor, ...WHOLE } as const
  const step = { move: 'approve', funds: 'reserved', failure: null, effect, why: reason } as const
  applyStep(deps, changes, row, step, { actor, transfer_id: row.transfer_id })
}

async function insertPayouts(deps: Deps, tx: Tx, payouts: readonly Payout[]): Promise<void> {
  if (payouts.length === 0) return
  const input = payouts.map((payout) => ({
    ...payout,
    amount_minor: undefined,
    amount: payout.amount_minor.toString(),
    lease_owner: payout.due_at !== null && payout.due_at > deps.clock.now() ? deps.process_id : null,
  }))
  await tx.query(INSERT, [JSON.stringify(input), deps.clock.now()])
}

/** What an audit entry says of a withdrawal: enough to know what was decided, without its whole record. */
export function factsOf(row: Withdrawal) {
  const { environment, method, destination_code, destination_identifier } = row
  return {
    environment,
    amount: formatAmount(row.amount_minor),
    total_reserved_amount: formatAmount(row.total_reserved_minor),
    method,
    destination_code,
    destination_identifier,
  }
}

/** What is said of a withdrawal that is not there. */
export const NOT_FOUND = { message: 'There is no such withdrawal.' }

/** Refuses a move that may not start from where the withdrawal stands. */
export function refuseState(row: Locked, what: string): never {
  refuse('invalid_state', stateProblem(row, what))
}

function stateProblem({ status }: Locked, what: string) {
  const hint = WAY_ON[status] ?? ''
  return { message: `A withdrawal that is ${status} cannot be ${what}.${hint}`, details: { status } }
}

/** What an operator or the merchant can do instead. */
const WAY_ON: Partial<Record<Status, string>> = {
  INFO_REQUESTED: ' The merchant was asked: it can respond, and an operator can approve or reject.',
  PROCESSING: ' The provider is being asked: wait for its answer.',
  NEEDS_RECONCILIATION: ' An operator can resolve it.',
  BLOCKED_IP_WHITELIST: ' An operator can retry or resolve it.',
  NEEDS_ADMIN_ATTENTION: ' An operator can resolve it.',
}

/** What a yes comes to: it is the last that is needed, or the first of two. */
type Verdict = { provider: Provider; eyes: 'first' | 'last' }

/** The provider that pays it out and whether it may, or why it is not approved. `by` is null for whoever plays all operators. */
function judge(
  deps: Deps,
  row: Locked,
  available: ReadonlyMap<string, bigint>,
  approver: Approver,
  by: { act: Act; consents: readonly Consent[] } | null,
): Verdict | Refusal {
  if (!mayMove('approve', row.status)) return new Refusal('invalid_state', stateProblem(row, 'approved'))
  const eyes = by === null ? 'last' : judgeEyes(deps.config, row, by.consents, by.act)
  if (eyes instanceof Refusal) return eyes
  if (isRestricted(row)) {
    const message = 'The merchant is not active and verified. Reject the withdrawal, or complete the merchant first.'
    return new Refusal('withdrawal_restricted', { message })
  }
  const left = available.get(bookName(row)) ?? 0n
  if (left < row.total_reserved_minor) return shortOf(left, row)
  // Since it was submitted, the configuration may have changed.
  const provider = approver.find(row.environment, row)
  if (provider === null) {
    const message = `No configured provider pays out ${row.method} to ${row.destination_code}.`
    return new Refusal('provider_unavailable', { message })
  }
  const absent = missingOf(provider, row)
  if (absent.length > 0) {
    const message = `${provider.name} cannot pay this out without its ${absent.join(', ')}. Reject it, and have it submitted again.`
    return new Refusal('provider_unavailable', { message })
  }
  if (provider.capabilities.whole_shillings && row.amount_minor % 100n !== 0n) {
    const message = `${provider.name} pays out whole shillings only, and this is ${formatAmount(row.amount_minor)}.`
    return new Refusal('provider_unavailable', { message })
  }
  return { provider, eyes }
}

/** True if the withdrawal would send live money of a merchant that is not active and verified. */
export function isRestricted({ environment, merchant_status, merchant_verified }: Locked): boolean {
  return environment === 'live' && (merchant_status !== 'ACTIVE' || !merchant_verified)
}

/** The refusal of a withdrawal that the balance does not cover. */
export function shortOf(
  available_minor: bigint,
  { amount_minor, total_reserved_minor }: Pick<Withdrawal, 'amount_minor' | 'total_reserved_minor'>,
): Refusal {
  const [available, amount, needed] = [available_minor, amount_minor, total_reserved_minor].map(formatAmount)
  const message = `Available is ${available}; the requested ${amount} needs ${needed} with its charges.`
  return new Refusal('insufficient_balance', { message })
}

/** The reference a provider knows a payout by. One letter more than any reference of a collection: neither is ever the other. */
export function payoutReference(withdrawal_id: string): string {
  return `W${idToBase32(withdrawal_id)}`
}

/** The withdrawal behind a reference of a payout, or null when it is not one of ours. The routing code leads to the merchant. */
export function parsePayoutReference(reference: string): { routing_code: number; id: string } | null {
  const id = /^W[0-9A-Z]{26}$/.test(reference) ? base32ToId(reference.slice(1)) : null
  return id === null ? null : { routing_code: routingCodeOf(id), id }
}

function payoutOf(deps: Deps, row: Locked, provider: string, approver: Approver, send: boolean): Payout {
  const now = deps.clock.now()
  // Whoever plays the provider holds the lease, so that what it says counts; unsaid, it falls due when the lease ends.
  const leased = !send || approver.lease(provider)
  const { merchant_id, id, environment, method, destination_code, destination_identifier } = row
  return {
    merchant_id,
    withdrawal_id: id,
    environment,
    provider,
    provider_reference: payoutReference(id),
    method,
    destination_code,
    destination_identifier,
    destination_name: row.destination_name,
    bank_name: row.bank_name,
    amount_minor: row.amount_minor,
    currency: row.currency,
    state: send ? 'to_send' : 'asked',
    send_token: send ? newId(deps, row.routing_code) : null,
    asks: 0,
    sent_at: null,
    created_at: now,
    deadline_at: payoutDeadline(deps),
    due_at: leased ? new Date(now.getTime() + PAYOUT_LEASE_MS) : now,
  }
}

/** When a payout that is approved or retried now is not sent any more. */
export function payoutDeadline(deps: Deps): Date {
  return new Date(deps.clock.now().getTime() + deps.config.payout_deadline_h * 3_600_000)
}
