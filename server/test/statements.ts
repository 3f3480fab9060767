// Helpers for tests of reconciliation: settled payments and payouts in large numbers, and provider statements about them.

import assert from 'node:assert/strict'
import type { Merchant } from '../src/access/merchants/index.ts'
import { formatAmount, idToBase32, newId } from '../src/kernel/lib/index.ts'
import type { Reply, World } from './harness.ts'
import { createTestOperator } from './operator.ts'

/** A payment or payout to plant: its final state and the time of its booking. */
export type PlannedRecord = {
  flow: 'payment' | 'payout'
  state: 'paid' | 'failed' | 'processing' | 'reversed'
  amount_minor: bigint
  at: Date
  merchant?: Merchant
}

/** A planted record, with the values that the provider's statement contains. */
export type PlantedRecord = PlannedRecord & { merchant_id: string; id: string; reference: string; provider_id: string }

/** One line of a provider statement. Undefined as `currency` means TZS. */
export type StatedRow = {
  reference: string | null
  provider_id: string | null
  kind: 'payment' | 'payout' | 'reversal' | 'charge'
  amount_minor: bigint
  currency?: string
  at: Date
}

const STATUS = {
  payment: { paid: 'successful', failed: 'failed', processing: 'processing', reversed: 'reversed' },
  payout: { paid: 'SUCCESS', failed: 'FAILED', processing: 'PROCESSING', reversed: 'REVERSED' },
} as const
const FUNDS = { paid: 'paid', failed: 'released', processing: 'reserved', reversed: 'returned' } as const
const FACTS = {
  payment: {
    paid: ['collection_settled'],
    failed: [],
    processing: [],
    reversed: ['collection_settled', 'collection_reversed'],
  },
  payout: {
    paid: ['withdrawal_paid'],
    failed: [],
    processing: [],
    reversed: ['withdrawal_paid', 'withdrawal_reversed'],
  },
} as const

const PLANT_PAYMENTS = `with i as (select * from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, status text,
    amount_minor bigint, received bigint, failure text, state text, reference text, provider_id text, at timestamptz)),
  c as (insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
    currency, fee_minor, amount_received_minor, failure_reason_code, created_at, updated_at)
    select merchant_id, id, 'live', 'live', status, 0, 'wallet_push', amount_minor, 'TZS', 0, received, failure, at, at from i)
  insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference, method,
    phone, amount_minor, currency, state, asks, deadline_at, sent_at, provider_id, created_at, updated_at)
  select merchant_id, id, 1, 'live', $2, reference, 'wallet_push', '255754123001', amount_minor, 'TZS', state, 0, at, at,
    provider_id, at, at from i`
const PLANT_PAYOUTS = `with i as (select * from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, status text,
    funds text, amount_minor bigint, failure text, state text, reference text, provider_id text, at timestamptz)),
  w as (insert into withdrawals (merchant_id, id, environment, status, version, funds, method, amount_minor, currency,
    destination_code, destination_identifier, percentage_fee_minor, flat_fee_minor, processor_charge_minor,
    processor_fee_pass_through, total_charges_minor, total_reserved_minor, requested_by_kind, requested_by_name,
    failure_reason_code, provider_reference, transfer_id, created_at, updated_at)
    select merchant_id, id, 'live', status, 0, funds, 'MOBILE_MONEY', amount_minor, 'TZS', 'MPESA', '255754123456', 0, 0,
      20000, false, 0, amount_minor, 'user', 'asha@example.com', failure, reference, id, at, at from i)
  insert into payouts (merchant_id, withdrawal_id, environment, provider, provider_reference, method, destination_code,
    destination_identifier, amount_minor, currency, state, asks, deadline_at, sent_at, provider_id, created_at, updated_at)
  select merchant_id, id, 'live', $2, reference, 'MOBILE_MONEY', 'MPESA', '255754123456', amount_minor, 'TZS', state, 0, at, at,
    provider_id, at, at from i`
const PLANT_FACTS = `insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code,
    amount_minor, posting, leg, source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor,
    credit_version, created_at)
  select merchant_id, id, 'live', 'TZS', 'provider_float', 'held', amount_minor, posting, 0, source_type, source_id, 0, 0,
    0, 0, at
  from json_to_recordset($1::json) as x(merchant_id uuid, id uuid, amount_minor bigint, posting text, source_type text,
    source_id uuid, at timestamptz)`

const CHUNK = 5_000

/** Writes payments and payouts in their planned state, with their ledger transfers. */
export async function plant(
  world: World,
  wishes: readonly PlannedRecord[],
  provider = 'mock',
): Promise<PlantedRecord[]> {
  const { random } = world.deps
  const all: PlantedRecord[] = []
  for (let i = 0; i < wishes.length; i += CHUNK) {
    const planted = wishes.slice(i, i + CHUNK).map((wish): PlantedRecord => {
      const merchant = wish.merchant ?? world.merchant
      const id = newId({ clock: { now: () => wish.at, after: () => () => {} }, random }, merchant.routing_code)
      const code = idToBase32(id)
      const reference = wish.flow === 'payment' ? `${code}01` : `W${code}`
      return { ...wish, merchant_id: merchant.id, id, reference, provider_id: `P${code.slice(-20)}` }
    })
    const rows = planted.map((one) => ({
      ...one,
      merchant: undefined,
      status: STATUS[one.flow][one.state],
      funds: FUNDS[one.state],
      failure: one.state === 'failed' ? 'provider_declined' : null,
      received: ['paid', 'reversed'].includes(one.state) ? one.amount_minor.toString() : null,
      amount_minor: one.amount_minor.toString(),
      state: one.state === 'processing' ? 'asked' : 'final',
    }))
    const facts = planted.flatMap((one) =>
      FACTS[one.flow][one.state].map((posting) => ({
        merchant_id: one.merchant_id,
        id: newId(
          { clock: { now: () => one.at, after: () => () => {} }, random },
          Number.parseInt(one.id.slice(0, 6), 16),
        ),
        amount_minor: one.amount_minor.toString(),
        posting,
        source_type: one.flow === 'payment' ? 'collection' : 'withdrawal',
        source_id: one.id,
        at: one.at,
      })),
    )
    await world.rows(PLANT_PAYMENTS, [JSON.stringify(rows.filter(({ flow }) => flow === 'payment')), provider])
    await world.rows(PLANT_PAYOUTS, [JSON.stringify(rows.filter(({ flow }) => flow === 'payout')), provider])
    await world.rows(PLANT_FACTS, [JSON.stringify(facts)])
    all.push(...planted)
  }
  return all
}

/**
 * A further attempt of a planted payment. `provider` is the provider of that attempt. `settled` means that the ledger contains
 * the money of the payment.
 */
export type Retry = { provider?: string; settled?: boolean; duplicate_payment?: PlantedRecord }

const RETRY = `insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference,
    method, phone, amount_minor, currency, state, asks, deadline_at, sent_at, provider_id, created_at, updated_at)
  select merchant_id, collection_id, 2, environment, coalesce($3, provider), $4, method, phone, amount_minor, currency, 'final',
    asks, deadline_at, sent_at, $5, created_at, updated_at
  from collection_attempts where merchant_id = $1 and collection_id = $2 and number = 1`
// A duplicate payment has no separate attempt.
const RETRY_WITH_DUPLICATE = `with x as (update collections set attempts = 0 where merchant_id = $1 and id = $6)
  update collection_attempts set collection_id = $2, number = 2, provider = coalesce($3, provider), provider_reference = $4,
    provider_id = $5, extra_collection_id = $6
  where merchant_id = $1 and collection_id = $6`

/**
 * Writes the second attempt of a payment. `duplicate_payment` is the planted payment that becomes the duplicate payment of the
 * first payment.
 */
export async function plantRetry(world: World, first: PlantedRecord, retry: Retry = {}): Promise<PlantedRecord> {
  const { provider = null, settled = false, duplicate_payment } = retry
  const key = [first.merchant_id, first.id]
  const reference = `${first.reference.slice(0, -2)}02`
  const provider_id = `Q${first.provider_id.slice(1)}`
  await world.rows('update collections set attempts = 2, settled_attempt = $3 where merchant_id = $1 and id = $2', [
    ...key,
    settled ? 2 : null,
  ])
  const values = [...key, provider, reference, provider_id]
  await (duplicate_payment === undefined
    ? world.rows(RETRY, values)
    : world.rows(RETRY_WITH_DUPLICATE, [...values, duplicate_payment.id]))
  return { ...(duplicate_payment ?? first), reference, provider_id }
}

/** Returns the statement line of a planted record, as the provider writes the line. `more` changes fields. */
export function lineOf(planted: PlantedRecord, more: Partial<StatedRow> = {}): StatedRow {
  const { reference, provider_id, flow: kind, amount_minor, at } = planted
  return { reference, provider_id, kind, amount_minor, at, ...more }
}

/** Returns a statement file with these lines. */
export function csvOf(rows: readonly StatedRow[]): string {
  const lines = rows.map(({ reference, provider_id, kind, amount_minor, currency = 'TZS', at }) =>
    [reference ?? '', provider_id ?? '', kind, formatAmount(amount_minor), currency, at.toISOString()].join(','),
  )
  return `${['reference,provider_id,kind,amount,currency,at', ...lines].join('\r\n')}\r\n`
}

/** A case as the API returns the case. */
export type CaseView = {
  id: string
  kind: string
  line_kind: string
  state: string
  reference: string | null
  provider_id: string | null
  amount_theirs: string | null
  amount_ours: string | null
  status_ours: string | null
  difference: string
  resolution: string | null
  explained_by: string | null
  merchant_id: string | null
  statement_id: string
  line: number | null
}

/** An operator who reconciles the books with provider statements. */
export type Reconciler = {
  /** Uploads a file. Without `from` and `to`, the file is of the day from `DAY` to `NOW`. */
  upload(
    csv: string | Buffer,
    options?: { query?: string; idempotency_key?: string; from?: string; to?: string; provider?: string },
  ): Promise<Reply>
  /** Uploads lines that the server must accept. Returns the statement. */
  importRows(
    rows: readonly StatedRow[],
    options?: { from?: string; to?: string; provider?: string },
  ): Promise<Record<string, never> & { id: string; lines: number; matched: number; opened: number; explained: number }>
  /** Reads all open cases or all resolved cases. */
  cases(state?: 'open' | 'resolved'): Promise<CaseView[]>
  // biome-ignore lint/suspicious/noExplicitAny: tests read every field of the answer
  summary(): Promise<any>
  act(id: string, verb: 'ask' | 'resolve', body?: object, idempotency_key?: string): Promise<Reply>
  session(): Promise<string>
}

/** Creates an operator for the statements of a world. The period is 5 January 2026, until the start of the tests. */
export async function openReconciler(world: World): Promise<Reconciler> {
  const { session } = await createTestOperator(world)
  let taken = 0
  const upload: Reconciler['upload'] = async (
    csv,
    { query = '', idempotency_key, from = DAY, to = NOW, provider = 'mock' } = {},
  ) =>
    world.call({
      method: 'POST',
      url: `/v1/operator/statements?provider=${provider}&from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}${query}`,
      key: await session(),
      idempotency_key: idempotency_key ?? null,
      headers: { 'content-type': 'text/csv' },
      payload: csv,
    })
  return {
    session,
    upload,
    async importRows(rows, options) {
      // Empty lines have no meaning, but they give each file another content.
      taken += 1
      const reply = await upload(csvOf(rows) + '\r\n'.repeat(taken), options)
      assert.equal(reply.status, 201, reply.text)
      return reply.body.data
    },
    async cases(state = 'open') {
      const found: CaseView[] = []
      for (let page = 1; ; page++) {
        const url = `/v1/operator/reconciliation/exceptions?state=${state}&page=${page}&page_size=100`
        const reply = await world.get(url, await session())
        assert.equal(reply.status, 200, reply.text)
        found.push(...reply.body.data.items)
        if (page >= reply.body.data.pagination.total_pages) return found
      }
    },
    async summary() {
      const reply = await world.get('/v1/operator/reconciliation', await session())
      assert.equal(reply.status, 200, reply.text)
      return reply.body.data
    },
    act: async (id, verb, body = {}, idempotency_key) =>
      world.post(`/v1/operator/reconciliation/exceptions/${id}/${verb}`, body, {
        key: await session(),
        idempotency_key: idempotency_key ?? null,
      }),
  }
}

/** The start of the tests' day in Tanzania. */
export const DAY = '2026-01-05'
/** The time at which the tests start. */
export const NOW = '2026-01-05T09:00:00Z'
