// Accepts payments: one SQL statement writes the Idempotency-Keys, collections and first attempts of all waiting requests. If the
// process dies before the commit, no row exists and each key is free. If it dies after the commit, a worker claims each attempt
// when its lease ends.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { API_SCOPE, LOCK_MS } from '../../kernel/http/index.ts'
import { gather, Refusal, timeOfId } from '../../kernel/lib/index.ts'
import type { NewCollection } from './check.ts'
import { feesOf, type PaymentToPrice } from './fee.ts'
import { attemptReference } from './reference.ts'
import { ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/**
 * The result of a request to accept a payment. `attempt` is a new attempt. `resumes` is the id of the collection that an earlier
 * request with the same key made without an answer. The text 'key_known' means that the key has an answer, or that another request
 * uses the key.
 */
export type Accepted = { attempt: Attempt } | { resumes: string } | 'key_known'

const ACCEPT = sql(
  'collections_accept',
  `with input as materialized (
     select * from json_to_recordset($1::json) as x(
       merchant_id uuid, id uuid, environment text, key text, fingerprint text, status_code smallint, response_body text,
       locked_until timestamptz, provider text, provider_reference text, method text, amount bigint, fee bigint, currency text,
       customer_name text, phone text, customer_email text, reference text, description text, simulate_status text,
       due_at timestamptz, lease_owner uuid, deadline_at timestamptz, made_at timestamptz, at timestamptz)
   ), key as (
     insert into idempotency_keys as k (merchant_id, environment, scope, key, fingerprint, resource_id, status_code,
       response_body, locked_until, created_at)
     select merchant_id, environment, $2, key, decode(fingerprint, 'hex'), id, status_code, response_body, locked_until, at
     from input order by merchant_id, environment, key
     on conflict (merchant_id, environment, scope, key) do update
       set resource_id = coalesce(k.resource_id, excluded.resource_id), locked_until = excluded.locked_until
       where k.status_code is null and (k.locked_until <= excluded.created_at
         or k.locked_until > excluded.created_at + interval '25 seconds') and k.fingerprint = excluded.fingerprint
     returning k.merchant_id, k.environment, k.key, k.resource_id
   ), fresh as materialized (
     select * from input where (id in (select resource_id from key)) is true
   ), collection as (
     insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
       currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
       failure_reason_code, created_at, updated_at)
     select merchant_id, id, environment, environment, 'processing', 0, method, amount, currency, fee, null, customer_name,
       phone, customer_email, reference, description, null, made_at, at
     from fresh
   ), attempt as (
     insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference,
       method, phone, amount_minor, currency, simulate_status, state, asks, due_at, lease_owner, deadline_at, sent_at,
       provider_status, provider_id, payment_token, qr_payload, created_at, updated_at)
     select merchant_id, id, 1, environment, provider, provider_reference, method, phone, amount, currency,
       simulate_status, 'to_send', 0, due_at, lease_owner, deadline_at, null, null, null, null, null, at, at
     from fresh
   )
   select merchant_id, environment, key, resource_id from key`,
)

/** A request to accept a payment, and the answer to the merchant. */
export type AcceptItem = PaymentToPrice & {
  collection: NewCollection
  id: string
  /** The answer that the server stores with the key. Null means that the server must first fetch a QR code. */
  answer: { status_code: number; response_body: string } | null
  /** True means that this process sends the attempt at once. False means that a worker claims the attempt. */
  lease: boolean
}

/**
 * Returns the function that accepts payments in batches, with one SQL statement for all waiting requests. If a fee is not less than
 * its payment, the function refuses only that payment with amount_not_supported, and its key stays free.
 */
export function createAccept(deps: Deps): (item: AcceptItem) => Promise<Accepted> {
  return gather<AcceptItem, Accepted>((items) => acceptAll(deps, items), { max_items: 250, max_running: 3 })
}

async function acceptAll(deps: Deps, items: readonly AcceptItem[]): Promise<(Accepted | Refusal)[]> {
  const fees = await feesOf(deps, items)
  const now = deps.clock.now()
  const first = new Map<string, { item: AcceptItem; fee: bigint }>()
  for (const [i, item] of items.entries()) {
    const fee = fees[i]
    if (typeof fee !== 'bigint') continue
    // If two requests of a batch have the same key, the second request is a replay and gets the stored answer of the first request.
    const name = idempotencyKeyName(item.collection.claim)
    if (!first.has(name)) first.set(name, { item, fee })
  }
  const attempts = new Map<string, Attempt>()
  const rows = [...first.values()].map(({ item: { id, collection, answer, lease }, fee }) => {
    const attempt = firstAttempt(deps, id, collection, now, lease)
    attempts.set(id, attempt)
    return {
      ...collection,
      claim: undefined,
      id,
      key: collection.claim.key,
      fingerprint: collection.claim.fingerprint.toString('hex'),
      status_code: answer?.status_code ?? null,
      response_body: answer?.response_body ?? null,
      locked_until: answer ? null : new Date(now.getTime() + LOCK_MS),
      provider_reference: attempt.provider_reference,
      amount_minor: undefined,
      amount: collection.amount_minor.toString(),
      fee: fee.toString(),
      due_at: attempt.due_at,
      lease_owner: lease ? deps.process_id : null,
      deadline_at: attempt.deadline_at,
      // `made_at` is the time in the id, because lists and sums order payments by id.
      made_at: timeOfId(id),
      at: now,
    }
  })
  deps.point('accept.before_commit')
  const made = await oneStatement(deps.db).query<ClaimedKey>(ACCEPT, [JSON.stringify(rows), API_SCOPE])
  deps.point('accept.after_commit')
  const claimed = new Map(made.map((row) => [idempotencyKeyName(row), row.resource_id]))
  return items.map((item, i) => {
    const fee = fees[i]
    if (fee instanceof Refusal) return fee
    const name = idempotencyKeyName(item.collection.claim)
    const id = first.get(name)?.item === item ? claimed.get(name) : undefined
    if (id === undefined) return 'key_known'
    return id === item.id ? { attempt: attempts.get(id) as Attempt } : { resumes: id }
  })
}

/** A key that the SQL statement claimed, with the id of the collection that belongs to the key. */
type ClaimedKey = { merchant_id: string; environment: string; key: string; resource_id: string }

/** Returns the merchant, the environment and the key as one text. */
function idempotencyKeyName({
  merchant_id,
  environment,
  key,
}: {
  merchant_id: string
  environment: string
  key: string
}): string {
  return `${merchant_id} ${environment} ${key}`
}

function firstAttempt(
  deps: Deps,
  collection_id: string,
  collection: NewCollection,
  now: Date,
  lease: boolean,
): Attempt {
  const { merchant_id, environment, provider, method, phone, amount_minor, currency, simulate_status } = collection
  return {
    merchant_id,
    collection_id,
    number: 1,
    environment,
    provider,
    provider_reference: attemptReference(collection_id, 1),
    method,
    phone,
    amount_minor,
    currency,
    simulate_status,
    on_page: false,
    state: 'to_send',
    asks: 0,
    sent_at: null,
    deadline_at: new Date(now.getTime() + deps.config.collection_deadline_h * 3_600_000),
    due_at: lease ? new Date(now.getTime() + ATTEMPT_LEASE_MS) : now,
  }
}
