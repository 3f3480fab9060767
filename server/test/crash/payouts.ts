// Helpers for payouts in crash tests: merchants with money, submitted withdrawals, an operator, and a comparison of the records
// after a crash.

import { setTimeout as sleep } from 'node:timers/promises'
import { issueAccessToken, issuerKey } from '../../src/access/identity/index.ts'
import type { PayoutEntry } from '../../src/adapters/providers/mock/payout-book.ts'
import { verify } from '../../src/apps/admin/verify.ts'
import { sql } from '../../src/kernel/db/index.ts'
import { settableClock, systemClock } from '../../src/kernel/lib/index.ts'
import { createWorld } from '../harness.ts'
import { fund, insertWithdrawal, newPayoutScript, scriptedProvider } from '../payouts.ts'
import type { Arrival, Rig, Shop } from './rig.ts'

/** A helper that gives merchants money, submits withdrawals and approves withdrawals. */
export type Cashier = {
  /** Gives a merchant an amount in cents. */
  fund(shop: Shop, amount_minor: bigint): Promise<void>
  /** Submits a withdrawal and returns its id. `ending` is the last three digits of the destination. */
  submit(shop: Shop, amount_minor: bigint, ending: string): Promise<string>
  /** Sends the approval to a server, with or without an Idempotency-Key. Null means that the connection broke. */
  approve(server_url: string, id: string, idempotency_key?: string): Promise<number | null>
  /** Sends a request of an operator to a server, and returns the status of the answer. */
  operate(server_url: string, path: string, body: object): Promise<number>
  close(): Promise<void>
}

/** Our fee and the provider's charge of each withdrawal, in cents. The merchant pays both. */
const FEE = 150n
const CHARGE = 30n
/** Returns the total that the platform reserves for a withdrawal of this amount. */
export const totalOf = (amount_minor: bigint): bigint => amount_minor + FEE + CHARGE

/** Builds the helper over a rig. */
export async function openCashier(rig: Rig): Promise<Cashier> {
  // By default, the clock of a world stands still. With a clock that runs, the payments that fund merchants are due only later,
  // so no other process sends them.
  const clock = { ...settableClock(new Date()), now: () => new Date() }
  const compose = { providers: [scriptedProvider(newPayoutScript())] }
  const world = await createWorld({ url: rig.url, clock, compose })
  const { user_id } = await world.newSession('SUPER_ADMIN')
  const signing = await issuerKey(rig.deps, 'http://127.0.0.1/identity')
  const newToken = () => issueAccessToken({ ...rig.deps, clock: systemClock }, signing, user_id, ['pwd', 'otp'])
  return {
    fund: async ({ merchant }, amount_minor) => void (await fund(world, amount_minor, { merchant })),
    async submit({ merchant }, amount_minor, ending) {
      const charges = { flat_fee_minor: FEE, processor_charge_minor: CHARGE, processor_fee_pass_through: true }
      const { id } = await insertWithdrawal(world, { merchant, amount_minor, ...charges })
      await world.rows('update withdrawals set destination_identifier = $2 where id = $1', [id, `255754123${ending}`])
      return id
    },
    async approve(server_url, id, idempotency_key) {
      try {
        const answer = await fetch(`${server_url}/v1/operator/withdrawals/${id}/approve`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${await newToken()}`,
            'content-type': 'application/json',
            ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
          },
          body: '{}',
        })
        await answer.arrayBuffer()
        return answer.status
      } catch {
        return null
      }
    },
    async operate(server_url, path, body) {
      const headers = { authorization: `Bearer ${await newToken()}`, 'content-type': 'application/json' }
      const answer = await fetch(`${server_url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      await answer.arrayBuffer()
      return answer.status
    },
    close: () => world.close(),
  }
}

type WithdrawalRow = {
  merchant_id: string
  id: string
  status: string
  amount_minor: bigint
  total_reserved_minor: bigint
  provider_reference: string | null
  destination_identifier: string
}
type DeliveryRow = { id: string; source_id: string; event: string; status: string }

/** The records of database, provider and receiver about payouts. */
export type PayoutFacts = {
  withdrawals: WithdrawalRow[]
  entries: PayoutEntry[]
  deliveries: DeliveryRow[]
  arrivals: Arrival[]
  books: { merchant_id: string; available: bigint; reserved: bigint }[]
  broken: string[]
}

const WITHDRAWALS = sql(
  'crash_withdrawals',
  `select merchant_id, id, status, amount_minor, total_reserved_minor, provider_reference, destination_identifier
   from withdrawals`,
)
const DELIVERIES = sql(
  'crash_payout_deliveries',
  "select id, source_id, event, status from webhook_deliveries where source_type = 'withdrawal'",
)
const BOOKS = sql(
  'crash_books',
  `select merchant_id, sum(balance_minor) filter (where code = 'available')::bigint as available,
     sum(balance_minor) filter (where code = 'reserved')::bigint as reserved
   from ledger_accounts where environment = 'live' group by merchant_id`,
)

/** Reads the records of database, provider and receiver about payouts. */
export async function gatherPayoutFacts(rig: Rig): Promise<PayoutFacts> {
  const { checks } = await verify(rig.url)
  return {
    withdrawals: await rig.db.query<WithdrawalRow>(WITHDRAWALS),
    entries: rig.provider.book({ full: true }).payouts.entries ?? [],
    deliveries: await rig.db.query<DeliveryRow>(DELIVERIES),
    arrivals: [...rig.hooks.arrivals],
    books: await rig.db.query<PayoutFacts['books'][number]>(BOOKS),
    broken: checks.filter((check) => !check.ok).map((check) => `verify: ${check.name}: ${check.detail}`),
  }
}

/**
 * The status of a withdrawal that follows from each outcome at the provider. If the provider refused a payout, the provider has
 * no record of the payout.
 */
const STATUS_OF: Record<string, string> = {
  COMPLETED: 'SUCCESS',
  FAILED: 'FAILED',
  REVERSED: 'REVERSED',
  AMBIGUOUS: 'NEEDS_RECONCILIATION',
}
const EVENTS_OF: Record<string, string[]> = {
  SUCCESS: ['disbursement.success'],
  FAILED: ['disbursement.failed'],
  REVERSED: ['disbursement.success'],
}

/** Describes each contradiction. `funded` is the money that the test gave each merchant. */
export function findPayoutProblems(facts: PayoutFacts, funded: ReadonlyMap<string, bigint>): string[] {
  const problems = [...facts.broken]
  const entries = new Map(facts.entries.map((entry) => [entry.reference, entry]))
  const expected = new Map([...funded].map(([merchant_id, available]) => [merchant_id, { available, reserved: 0n }]))
  for (const row of facts.withdrawals) {
    const entry = entries.get(row.provider_reference ?? '')
    entries.delete(row.provider_reference ?? '')
    const refused = row.destination_identifier.endsWith('104')
    const due = entry === undefined ? (refused ? 'BLOCKED_IP_WHITELIST' : 'sent') : STATUS_OF[entry.status ?? '']
    if (row.status !== due) problems.push(`${row.id} is ${row.status}, and should be ${due}`)
    if (entry && entry.executions !== 1) problems.push(`the provider executed ${row.id} ${entry.executions} times`)
    if (entry && entry.amount_minor !== String(row.amount_minor)) problems.push(`${row.id} paid ${entry.amount_minor}`)
    const book = expected.get(row.merchant_id)
    if (book === undefined) continue
    const total = row.total_reserved_minor
    if (row.status === 'SUCCESS') book.available -= total
    // When the provider reversed the payout, the provider kept its charge.
    else if (row.status === 'REVERSED') book.available -= CHARGE
    else if (row.status !== 'FAILED') {
      book.available -= total
      book.reserved += total
    }
  }
  for (const reference of entries.keys()) problems.push(`the provider has ${reference}, and the platform does not`)
  for (const { merchant_id, available, reserved } of facts.books) {
    const book = expected.get(merchant_id)
    if (book && (book.available !== available || book.reserved !== reserved))
      problems.push(`${merchant_id} has ${available} and ${reserved}, due ${book.available} and ${book.reserved}`)
  }
  return [...problems, ...eventProblems(facts)]
}

function eventProblems({ withdrawals, deliveries, arrivals }: PayoutFacts): string[] {
  const problems: string[] = []
  const sent = Map.groupBy(deliveries, (row) => row.source_id)
  for (const { id, status } of withdrawals) {
    const events = (sent.get(id) ?? []).map((row) => row.event)
    if (events.join() !== (EVENTS_OF[status] ?? []).join())
      problems.push(`${id} is ${status}, with the events ${events}`)
  }
  for (const { id, event, source_id, status } of deliveries) {
    const taken = arrivals.filter((arrival) => arrival.id === id && arrival.answer === 200)
    if (status !== 'delivered' || taken.length === 0) problems.push(`${event} of ${source_id} is ${status}`)
  }
  const ids = new Map<string, string>()
  for (const { id, body } of arrivals) {
    const { disbursement_id, event } = JSON.parse(body) as { disbursement_id?: string; event: string }
    const name = `${disbursement_id} ${event}`
    if (disbursement_id && (ids.get(name) ?? id) !== id) problems.push(`${name} arrived under two ids`)
    ids.set(name, id)
  }
  return problems
}

const OPEN = sql(
  'crash_payouts_open',
  `select (select count(*)::int from withdrawals where status in ('PENDING_ADMIN_APPROVAL', 'PROCESSING')) as open,
     (select count(*)::int from payouts where state in ('to_send', 'sending')) as unsent,
     (select count(*)::int from payouts p join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.withdrawal_id
      where p.due_at is not null and w.status <> 'NEEDS_RECONCILIATION') as due,
     (select count(*)::int from webhook_deliveries where status = 'pending') as pending`,
)
// After a failed delivery, the worker waits a minute or more before the next attempt. This statement ends the wait.
const HURRY = sql(
  'crash_payouts_hurry',
  "update webhook_deliveries set due_at = $1 where status = 'pending' and lease_owner is null and attempts > 0 and due_at > $1",
)

// On a loaded machine, more payouts are in doubt, and the platform waits minutes before it queries the provider. This statement
// ends the wait.
const ASK_AGAIN = sql(
  'crash_payouts_ask_again',
  `update payouts p set due_at = $1 from withdrawals w
   where w.merchant_id = p.merchant_id and w.id = p.withdrawal_id and w.status = 'NEEDS_RECONCILIATION'
     and p.lease_owner is null and p.due_at > $1`,
)
const UNASKED = sql(
  'crash_payouts_unasked',
  `select count(*)::int as unasked from payouts p join withdrawals w on w.merchant_id = p.merchant_id and w.id = p.withdrawal_id
   where w.status = 'NEEDS_RECONCILIATION' and (p.due_at <= $1 or p.lease_owner is not null)`,
)

/** Makes each payout in doubt due for another query, and waits for the queries, at most `within_ms`. */
export async function askAgain(rig: Rig, within_ms = 20_000): Promise<void> {
  const now = new Date()
  await rig.db.query(ASK_AGAIN, [now])
  for (const end = Date.now() + within_ms; Date.now() < end; await sleep(50)) {
    const [row] = await rig.db.query<{ unasked: number }>(UNASKED, [now])
    if (row?.unasked === 0) return
  }
}

/** The numbers of open withdrawals, unsent payouts, due payouts without doubt, and pending webhooks. */
export type OpenPayoutRecords = { open: number; unsent: number; due: number; pending: number }

/**
 * Waits, at most `within_ms`, until only payouts in doubt at the provider are open and no webhook is pending. Returns the
 * numbers of open records.
 */
export async function waitPayoutsQuiet(rig: Rig, within_ms = 45_000): Promise<OpenPayoutRecords> {
  const end = Date.now() + within_ms
  for (;;) {
    await rig.db.query(HURRY, [new Date()])
    const [left] = await rig.db.query<OpenPayoutRecords>(OPEN)
    if (left === undefined) throw new Error('the count returned no row')
    if (left.open + left.unsent + left.due + left.pending === 0 || Date.now() > end) return left
    await sleep(50)
  }
}
