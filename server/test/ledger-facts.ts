// Makes realistic postings and withdrawals for tests of lists and statements.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Merchant } from '../src/access/merchants/index.ts'
import type { PayoutAnswer, Provider } from '../src/adapters/providers/port.ts'
import { type Fact, type Posting, postingOf, postTransfers, type SourceType } from '../src/books/ledger/index.ts'
import { type Deps, inTransaction } from '../src/kernel/db/index.ts'
import type { Environment } from '../src/kernel/http/index.ts'
import { newId, Refusal } from '../src/kernel/lib/index.ts'
import { approveWithdrawals, type PayoutProviders, settlePayouts } from '../src/money/withdrawals/index.ts'
import type { World } from './harness.ts'

/** One posting of a merchant's book. By default the posting has a new source. */
export type FactOf = Partial<Posting> & { fact: Fact; amount_minor: bigint }

/** Posts a batch of postings in one transaction, as a worker does. Returns the ids of their sources. */
export async function postFacts(deps: Deps, merchant: Merchant, facts: readonly FactOf[]): Promise<string[]> {
  const postings = facts.map((one) =>
    postingOf({
      merchant_id: merchant.id,
      routing_code: merchant.routing_code,
      environment: 'sandbox',
      source_type: one.fact.split('_')[0] as SourceType,
      source_id: randomUUID(),
      fee_minor: 0n,
      ...one,
    }),
  )
  await inTransaction(deps.db, (tx) => postTransfers(deps, tx, postings))
  return postings.map(({ source_id }) => source_id)
}

/** A withdrawal of a test. Amounts are in cents. */
export type WithdrawalOf = {
  merchant?: Merchant
  environment?: Environment
  amount_minor: bigint
  /** Our fee in cents. */
  fee_minor?: bigint
  /** The charge of the provider in cents. */
  charge_minor?: bigint
  pass_through?: boolean
  reference?: string | null
}

/** Stores a withdrawal that waits for approval. Returns its id. */
export async function submitWithdrawal(world: World, of: WithdrawalOf): Promise<string> {
  const { merchant = world.merchant, environment = 'sandbox', amount_minor, reference = null } = of
  const { fee_minor = 0n, charge_minor = 0n, pass_through = false } = of
  const charges = fee_minor + (pass_through ? charge_minor : 0n)
  const id = newId(world.deps, merchant.routing_code)
  await world.rows(
    `insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
       destination_code, destination_identifier, reference, percentage_fee_minor, flat_fee_minor,
       processor_charge_minor, processor_fee_pass_through, total_charges_minor, total_reserved_minor,
       requested_by_kind, requested_by_name, created_at, updated_at)
     values ($1, $2, $3, 'PENDING_ADMIN_APPROVAL', 0, 'none', 'MOBILE_MONEY', $4, 'TZS', 'MPESA', '255754123001', $5,
       $6, 0, $7, $8, $9, $10, 'user', 'Asha', $11, $11)`,
    [
      merchant.id,
      id,
      environment,
      amount_minor,
      reference,
      fee_minor,
      charge_minor,
      pass_through,
      charges,
      amount_minor + charges,
      world.deps.clock.now(),
    ],
  )
  return id
}

const PROVIDERS: PayoutProviders = {
  find: () => ({ name: 'sandbox', capabilities: { payout_methods: ['MOBILE_MONEY'] } }) as unknown as Provider,
  canDispatch: () => false,
}
const ACT = {
  actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' },
  request_id: null,
  address: null,
} as const

/** Approves a batch of withdrawals in this order. The test acts as the provider. Throws an error for the first refusal. */
export async function approve(deps: Deps, merchant: Merchant, ids: readonly string[]): Promise<void> {
  const approvals = ids.map((id) => ({ merchant_id: merchant.id, id, act: ACT }))
  const { answers } = await inTransaction(deps.db, (tx) =>
    approveWithdrawals(deps, tx, PROVIDERS, approvals, { send: false }),
  )
  for (const answer of answers) if (answer instanceof Refusal) throw answer
}

/** Books an answer of the provider about an approved withdrawal. */
export async function payoutAnswer(
  deps: Deps,
  merchant: Merchant,
  id: string,
  answer: { kind: 'succeeded' } | { kind: 'declined' } | { kind: 'reversed'; charge_returned: boolean },
): Promise<void> {
  const [row] = await deps.db.query<{ amount_minor: bigint }>(
    { name: '', text: 'select amount_minor from withdrawals where merchant_id = $1 and id = $2' },
    [merchant.id, id],
  )
  assert.ok(row, `the withdrawal ${id} exists`)
  const outcome =
    answer.kind === 'declined'
      ? { ...answer, reason: 'provider_declined' }
      : { ...answer, amount_minor: row.amount_minor, currency: 'TZS' }
  const full = { provider_status: null, ...outcome } as PayoutAnswer
  await settlePayouts(deps, [{ merchant_id: merchant.id, id, answer: full, holds_lease: false }], () => false)
}
