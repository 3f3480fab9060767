// Helpers for tests of payouts: a scripted provider, stored withdrawals, and the calls of an operator and a merchant.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Merchant } from '../src/access/merchants/index.ts'
import type { PayoutAnswer, PayoutRequest, Provider } from '../src/adapters/providers/port.ts'
import { createRouting } from '../src/adapters/providers/routing.ts'
import { verify } from '../src/apps/admin/verify.ts'
import { SUMS_HOLD } from '../src/apps/admin/verify-sums.ts'
import type { Act } from '../src/books/audit/index.ts'
import { inTransaction } from '../src/kernel/db/index.ts'
import type { Environment } from '../src/kernel/http/index.ts'
import { newId } from '../src/kernel/lib/index.ts'
import { applyOutcomes } from '../src/money/collections/index.ts'
import { linkSettlement } from '../src/money/payment-links/index.ts'
import {
  type ApprovalService,
  cancelWithdrawal,
  createApprovalService,
  findWithdrawal,
  recallWithdrawal,
  rejectWithdrawal,
  requestInfo,
  resolveWithdrawal,
  respond,
  retryWithdrawal,
  type Withdrawal,
} from '../src/money/withdrawals/index.ts'
import type { World } from './harness.ts'

/** The primary key of a withdrawal: merchant and id. */
export type WithdrawalKey = { merchant_id: string; id: string }

type PayoutReply = PayoutAnswer | Promise<PayoutAnswer>

/** The answers of a scripted provider, and the calls that it has received. */
export type PayoutScript = {
  payout(request: PayoutRequest): PayoutReply
  status(request: PayoutRequest): PayoutReply
  /** The references in the order of the calls. */
  sent: string[]
  asked: string[]
}

/** Answers of the provider about a payout of `amount_minor`. */
export const payoutAnswers = {
  accepted: { kind: 'accepted', provider_status: 'PENDING' },
  blocked: { kind: 'blocked', provider_status: 'FORBIDDEN' },
  not_sent: { kind: 'not_sent', provider_status: null },
  not_found: { kind: 'not_found', provider_status: 'NOT_FOUND' },
  unknown: { kind: 'unknown', why: 'timeout', provider_status: null },
  declined: { kind: 'declined', reason: 'provider_declined', provider_status: 'FAILED' },
  paid: (amount_minor: bigint, currency = 'TZS') =>
    ({ kind: 'succeeded', amount_minor, currency, provider_status: 'COMPLETED' }) as const,
  reversed: (amount_minor: bigint, charge_returned = false) =>
    ({ kind: 'reversed', amount_minor, currency: 'TZS', charge_returned, provider_status: 'REVERSED' }) as const,
} as const satisfies Record<string, PayoutAnswer | ((...given: never[]) => PayoutAnswer)>

/** Makes a script that accepts every payout and leaves the payout open. */
export function newPayoutScript(given: Partial<PayoutScript> = {}): PayoutScript {
  return { payout: () => payoutAnswers.accepted, status: () => payoutAnswers.accepted, sent: [], asked: [], ...given }
}

/** Makes a provider that follows a script. The provider sends no prompts. The body of a callback is the reference. */
export function scriptedProvider(script: PayoutScript, name = 'mock'): Provider {
  const accepted = { kind: 'accepted', provider_status: 'PENDING' } as const
  return {
    name,
    capabilities: {
      methods: ['wallet_push', 'provider_pesa', 'qr'],
      whole_shillings: false,
      payout_methods: ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'],
      // An open circuit of one test must not block the next test.
      circuit_breaker: false,
    },
    push: async () => accepted,
    qr: async () => accepted,
    status: async (requests) => requests.map(() => accepted),
    payout: async (request) => {
      script.sent.push(request.reference)
      return script.payout(request)
    },
    payoutStatus: (requests) =>
      Promise.all(
        requests.map((request) => {
          script.asked.push(request.reference)
          return script.status(request)
        }),
      ),
    verifyCallback: (_headers, body) => ({ verified: true, reference: body.toString('utf8') }),
  }
}

/** The fields of a withdrawal to store. Charges are in cents. */
export type WithdrawalFields = {
  merchant?: Merchant
  environment?: Environment
  amount_minor?: bigint
  percentage_fee_minor?: bigint
  flat_fee_minor?: bigint
  processor_charge_minor?: bigint
  processor_fee_pass_through?: boolean
}

/** Stores a withdrawal as a submission does, but without a check of the balance. */
export async function insertWithdrawal(world: World, fields: WithdrawalFields = {}): Promise<WithdrawalKey> {
  const { merchant = world.merchant, environment = 'live', amount_minor = 100_000n } = fields
  const { percentage_fee_minor = 0n, flat_fee_minor = 0n, processor_charge_minor = 0n } = fields
  const { processor_fee_pass_through = false } = fields
  const charges = percentage_fee_minor + flat_fee_minor + (processor_fee_pass_through ? processor_charge_minor : 0n)
  const id = newId(world.deps, merchant.routing_code)
  await world.rows(
    `insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
       destination_code, destination_identifier, destination_name, percentage_fee_minor, flat_fee_minor,
       processor_charge_minor, processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind,
       requested_by_name, created_at, updated_at)
     values ($1, $2, $3, 'PENDING_ADMIN_APPROVAL', 0, 'none', 'MOBILE_MONEY', $4, 'TZS', 'MPESA', '255754123456', 'Asha',
       $5, $6, $7, $8, $9, $10, 'user', 'asha@example.com', $11, $11)`,
    [
      merchant.id,
      id,
      environment,
      amount_minor,
      percentage_fee_minor,
      flat_fee_minor,
      processor_charge_minor,
      processor_fee_pass_through,
      charges,
      amount_minor + charges,
      world.deps.clock.now(),
    ],
  )
  return { merchant_id: merchant.id, id }
}

const keys = new WeakMap<World, Map<string, string>>()

/** Gives a merchant money by a settled payment. Returns the id of the collection. */
export async function fund(
  world: World,
  amount_minor: bigint,
  of: { merchant?: Merchant; environment?: Environment } = {},
): Promise<string> {
  const { merchant = world.merchant, environment = 'live' } = of
  const known = keys.get(world) ?? new Map<string, string>()
  keys.set(world, known)
  const name = `${merchant.id} ${environment}`
  const key = known.get(name) ?? (await world.newKey({ merchant, environment }))
  known.set(name, key)
  const amount = `${amount_minor / 100n}.${String(amount_minor % 100n).padStart(2, '0')}`
  const reply = await world.post('/v1/collections/wallet-push', { amount, phone: '0754123001' }, { key })
  assert.equal(reply.status, 202, reply.text)
  const { collection_id } = reply.body.data
  await world.system.driver.task.idle()
  const answer = { kind: 'succeeded', amount_minor, currency: 'TZS', provider_status: 'COMPLETED' } as const
  await world.system.driver.settle({ merchant_id: merchant.id, collection_id, number: 1, answer })
  return collection_id
}

/** Settles a reversal of a settled payment by the provider. */
export async function reverseCollection(world: World, collection_id: string, merchant = world.merchant): Promise<void> {
  const [row] = await world.rows<{ amount_minor: bigint }>('select amount_minor from collections where id = $1', [
    collection_id,
  ])
  const amount_minor = row?.amount_minor ?? 0n
  const answer = { kind: 'reversed', amount_minor, currency: 'TZS', provider_status: 'REVERSED' } as const
  const outcome = { merchant_id: merchant.id, collection_id, number: 1, answer }
  await inTransaction(world.deps.db, (tx) => applyOutcomes(world.deps, tx, linkSettlement, [outcome], () => false))
}

/** The calls of an operator and a merchant, each in a separate transaction. The process sends the payout after the commit. */
export type PayoutCalls = {
  service: ApprovalService
  act: Act
  approve(key: WithdrawalKey): Promise<unknown>
  reject(key: WithdrawalKey, reason?: string): Promise<unknown>
  requestInfo(key: WithdrawalKey, message?: string): Promise<unknown>
  respond(key: WithdrawalKey, message?: string): Promise<unknown>
  cancel(key: WithdrawalKey): Promise<unknown>
  resolve(key: WithdrawalKey, outcome: 'SUCCESS' | 'FAILED', provider_reference?: string | null): Promise<unknown>
  retry(key: WithdrawalKey): Promise<unknown>
  recall(key: WithdrawalKey, reason?: string): Promise<unknown>
}

/** Makes the calls in this world. `sends: false` makes the calls of a process that only serves HTTP. */
export function payoutCallsOf(world: World, provider: Provider, options: { sends?: boolean } = {}): PayoutCalls {
  const { deps } = world
  const service = createApprovalService(deps, {
    driver: world.system.payouts,
    // Sandbox payouts never go to the live provider, even in a test.
    find: createRouting({
      providers: new Map([[provider.name, provider]]),
      default_name: provider.name,
      routes: new Map(),
      sandbox: { ...provider, name: 'sandbox' },
    }).find,
    webhooks: { canDispatch: () => false, dispatch: () => {} },
    canDispatch: options.sends ?? true,
    readEvidence: async () => new Map(),
  })
  const act: Act = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } }
  const merchant: Act = { actor: { kind: 'user', id: randomUUID(), name: 'asha@example.com' } }
  return {
    service,
    act,
    approve: (key) => service.approve({ ...key, act }),
    reject: (key, reason = 'Not this one') =>
      inTransaction(deps.db, (tx) => rejectWithdrawal(deps, tx, act, { ...key, reason })),
    requestInfo: (key, message = 'Who is this?') =>
      inTransaction(deps.db, (tx) => requestInfo(deps, tx, act, { ...key, message })),
    async respond(key, message = 'A supplier') {
      const { environment } = await recordOf(world, key)
      return inTransaction(deps.db, (tx) => respond(deps, tx, merchant, { ...key, environment, message }))
    },
    async cancel(key) {
      const { environment } = await recordOf(world, key)
      return inTransaction(deps.db, (tx) => cancelWithdrawal(deps, tx, merchant, { ...key, environment }))
    },
    async resolve(key, outcome, provider_reference = null) {
      const input = { ...key, outcome, reason: 'The bank told us', provider_reference }
      service.sendNow(await inTransaction(deps.db, (tx) => resolveWithdrawal(deps, tx, act, input, service.canDeliver)))
    },
    recall: (key, reason = 'The recipient is unknown') =>
      inTransaction(deps.db, (tx) => recallWithdrawal(deps, tx, act, { ...key, reason })),
    async retry(key) {
      service.sendNow(await inTransaction(deps.db, (tx) => retryWithdrawal(deps, tx, act, key, service.providers)))
    },
  }
}

/**
 * The databases whose sums of the day a test deleted, so that the sums no longer equal the payouts and corrections of that day.
 */
const sums_forgotten = new Set<string>()

/** Deletes the sums of the day, so that the next test begins with empty sums. */
export async function forgetSums(world: World): Promise<void> {
  sums_forgotten.add(world.url)
  await world.rows('delete from four_eyes_sums')
}

/**
 * If a check of `verify` fails, throws an error. After `forgetSums`, the function does not compare the sums of the day.
 */
export async function booksHold(world: World): Promise<void> {
  const { checks } = await verify(world.url)
  const compared = checks.filter(({ name }) => name !== SUMS_HOLD || !sums_forgotten.has(world.url))
  assert.deepEqual(
    compared.filter((check) => !check.ok),
    [],
    'the books hold',
  )
}

/** Reads the record of a withdrawal. If the database has no such record, the test fails. */
export async function recordOf(world: World, key: WithdrawalKey): Promise<Withdrawal> {
  const row = await findWithdrawal(world.deps.db, key)
  assert.ok(row, `the database has the withdrawal ${key.id}`)
  return row
}

/** The fields of a row of `payouts` that tests compare. */
export type StoredPayout = {
  state: string
  send_token: string | null
  asks: number
  due_at: Date | null
  lease_owner: string | null
  sent_at: Date | null
  provider_reference: string
  provider_status: string | null
  provider_id: string | null
}

/** Reads the payout of a withdrawal. Undefined means that the withdrawal has no payout. */
export async function payoutOf(world: World, { merchant_id, id }: WithdrawalKey): Promise<StoredPayout | undefined> {
  const rows = await world.rows<StoredPayout>(
    `select state, send_token, asks, due_at, lease_owner, sent_at, provider_reference, provider_status, provider_id
     from payouts where merchant_id = $1 and withdrawal_id = $2`,
    [merchant_id, id],
  )
  return rows[0]
}

/**
 * A withdrawal with its history: the status, the account of its money, the balances in cents, the status changes with their
 * reasons, the postings and the webhook events.
 */
export type WithdrawalTrace = {
  status: string
  funds: string
  available: bigint
  reserved: bigint
  moves: string[]
  facts: string[]
  events: string[]
}

/** The postings of a withdrawal, in the order in which they can happen. */
const FACTS = ['reserved', 'paid', 'released', 'paid_late', 'reversed'].map((fact) => `withdrawal_${fact}`)

/** Reads the history of a withdrawal. */
export async function traceOf(world: World, key: WithdrawalKey): Promise<WithdrawalTrace> {
  const { status, funds, environment } = await recordOf(world, key)
  const values = [key.merchant_id, key.id]
  const moves = await world.rows<{ from_status: string; to_status: string; reason: string | null }>(
    'select from_status, to_status, reason from withdrawal_history where merchant_id = $1 and withdrawal_id = $2 order by seq',
    values,
  )
  const facts = await world.rows<{ posting: string; total: bigint }>(
    `select posting, sum(amount_minor)::bigint as total from ledger_transfers
     where merchant_id = $1 and source_id = $2 group by posting order by array_position($3::text[], posting)`,
    [...values, FACTS],
  )
  const events = await world.rows<{ event: string }>(
    'select event from webhook_deliveries where merchant_id = $1 and source_id = $2 order by source_seq',
    values,
  )
  const balances = await world.rows<{ code: 'available' | 'reserved'; balance_minor: bigint }>(
    `select code, balance_minor from ledger_accounts
     where merchant_id = $1 and environment = $2 and code in ('available', 'reserved')`,
    [key.merchant_id, environment],
  )
  const { available = 0n, reserved = 0n } = Object.fromEntries(balances.map((row) => [row.code, row.balance_minor]))
  return {
    status,
    funds,
    available,
    reserved,
    moves: moves.map(({ from_status, to_status, reason }) => {
      const what = from_status === to_status ? `still ${to_status}` : to_status
      return reason === null ? what : `${what}: ${reason}`
    }),
    facts: facts.map(({ posting, total }) => `${posting.replace('withdrawal_', '')} ${total}`),
    events: events.map(({ event }) => event),
  }
}
