// Accepts payments: one SQL statement writes the Idempotency-Keys, collections and first attempts of a batch of requests. If
// the process dies before the commit, the batch writes nothing. If the process dies after the commit, a worker claims each
// attempt when the attempt is due.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { API_SCOPE, LOCK_LEFT_MAX_MS, LOCK_MS } from '../../kernel/http/index.ts'
import { batchSizes, gather, metadataPairs, Refusal, type TraceContext, timeOfId } from '../../kernel/lib/index.ts'
import type { NewCollection } from './check.ts'
import { feesOf, type PaymentToPrice } from './fee.ts'
import { countPromptsSql, promptCounter, promptLimits, refusePrompt } from './prompt-limits.ts'
import { attemptReference } from './reference.ts'
import { ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/**
 * The result of a request to accept a payment. `attempt` is the new attempt. If an earlier request with the same key made a
 * collection but got no answer, `resumes` is the id of that collection. The text 'key_known' means that the key has an answer
 * or another body, or that another request uses the key.
 */
export type Accepted = { attempt: Attempt } | { resumes: string } | 'key_known'

/**
 * Returns the statement that accepts payments. `limit` is the SQL of the prompt limits, and `source` is the name of the
 * subquery with the payments to accept. `refused` is SQL that adds the refused payments to the result.
 */
const acceptSql = ({ limit, source, refused }: { limit: string; source: string; refused: string }) =>
  `with input as materialized (
     select * from json_to_recordset($1::json) as x(
       subject text,
       merchant_id uuid, id uuid, environment text, key text, fingerprint text, status_code smallint, response_body text,
       locked_until timestamptz, provider text, provider_reference text, method text, amount bigint, fee bigint, currency text,
       customer_name text, phone text, customer_email text, reference text, description text, simulate_status text,
       due_at timestamptz, lease_owner uuid, deadline_at timestamptz, made_at timestamptz, at timestamptz, trace text,
       metadata jsonb, pairs uuid[])
   )${limit}, key as (
     insert into idempotency_keys as k (merchant_id, environment, scope, key, fingerprint, resource_id, status_code,
       response_body, locked_until, created_at)
     select merchant_id, environment, $2, key, decode(fingerprint, 'hex'), id, status_code, response_body, locked_until, at
     from ${source} order by merchant_id, environment, key
     on conflict (merchant_id, environment, scope, key) do update
       set resource_id = coalesce(k.resource_id, excluded.resource_id), locked_until = excluded.locked_until
       where k.status_code is null and (k.locked_until <= excluded.created_at
         or k.locked_until > excluded.created_at + interval '${LOCK_LEFT_MAX_MS / 1_000} seconds') and k.fingerprint = excluded.fingerprint
     returning k.merchant_id, k.environment, k.key, k.resource_id
   ), fresh as materialized (
     select * from ${source} where (id in (select resource_id from key)) is true
   ), collection as (
     insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
       currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
       failure_reason_code, created_at, updated_at, metadata)
     select merchant_id, id, environment, environment, 'processing', 0, method, amount, currency, fee, null, customer_name,
       phone, customer_email, reference, description, null, made_at, at, metadata
     from fresh
   ), pair as (
     insert into collection_metadata (merchant_id, pair, id) select merchant_id, unnest(pairs), id from fresh
   ), attempt as (
     insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference,
       method, phone, amount_minor, currency, simulate_status, state, asks, due_at, lease_owner, deadline_at, sent_at,
       provider_status, provider_id, payment_token, qr_payload, created_at, updated_at, trace)
     select merchant_id, id, 1, environment, provider, provider_reference, method, phone, amount, currency,
       simulate_status, 'to_send', 0, due_at, lease_owner, deadline_at, null, null, null, null, null, at, at, trace
     from fresh
   )
   select merchant_id, environment, key, resource_id, null::timestamptz as retry_at from key${refused}`

const ACCEPT = sql('collections_accept', acceptSql({ limit: '', source: 'input', refused: '' }))

// If a key is known, its request sends no prompt and does not count. The statement locks the counters before the keys.
const ACCEPT_LIMITED = sql(
  'collections_accept_limited',
  acceptSql({
    limit: `, ranked as materialized (
     select i.id, decode(i.subject, 'hex') as subject, row_number() over (partition by i.subject order by i.id) as place
     from input i
     left join idempotency_keys k on k.merchant_id = i.merchant_id and k.environment = i.environment and k.scope = $2 and k.key = i.key
     where i.subject is not null and k.key is null
   ), counter as (
     ${countPromptsSql('select subject, count(*)::int as n from ranked group by subject', ['$3', '$4', '$5'])}
   ), refused as materialized (
     select r.id, c.retry_at from ranked r join counter c using (subject) where r.place > c.granted
   ), allowed as materialized (
     select * from input where id not in (select id from refused)
   )`,
    source: 'allowed',
    refused: `
   union all
   select i.merchant_id, i.environment, i.key, null, r.retry_at from refused r join input i using (id)`,
  }),
)

/** A request to accept a payment, and the answer to the merchant. */
export type AcceptItem = PaymentToPrice & {
  collection: NewCollection
  id: string
  /** The answer that the server stores with the key. Null means that the server must first fetch a QR code. */
  answer: { status_code: number; response_body: string } | null
  /**
   * True means that this process holds the lease and calls the provider immediately. False means that a worker claims the
   * attempt.
   */
  lease: boolean
  /** The trace of the request. Null means that the server does not trace the request. */
  trace: TraceContext | null
}

/**
 * Returns the function that accepts payments in batches, with one SQL statement for each batch. If a fee is not less than its
 * payment, or a phone has reached its prompt limit, the function refuses only that payment. The key of a refused payment stays
 * free.
 */
export function createAccept(deps: Deps): (item: AcceptItem) => Promise<Accepted> {
  return gather<AcceptItem, Accepted>((items) => acceptAll(deps, items), {
    max_items: 250,
    max_running: 3,
    measure: batchSizes(deps.metrics, 'accept'),
  })
}

async function acceptAll(deps: Deps, items: readonly AcceptItem[]): Promise<(Accepted | Refusal)[]> {
  const fees = await feesOf(deps, items)
  const now = deps.clock.now()
  const first = new Map<string, { item: AcceptItem; fee: bigint }>()
  for (const [i, item] of items.entries()) {
    const fee = fees[i]
    if (typeof fee !== 'bigint') continue
    // If two requests of a batch have the same key, only the first request writes rows. The second request gets 'key_known'.
    const name = idempotencyKeyName(item.collection.claim)
    if (!first.has(name)) first.set(name, { item, fee })
  }
  const attempts = new Map<string, Attempt>()
  const rows = [...first.values()].map(({ item, fee }) => {
    const { id, collection, answer, lease, trace } = item
    const attempt = firstAttempt(deps, item, now)
    attempts.set(id, attempt)
    return {
      ...collection,
      claim: undefined,
      subject: promptCounter(deps, collection) ?? undefined,
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
      ...(trace === null ? {} : { trace }),
      pairs: collection.metadata === null ? undefined : metadataPairs(collection.environment, collection.metadata),
    }
  })
  deps.point('accept.before_commit')
  const made = await writeAccepted(deps, rows, now)
  deps.point('accept.after_commit')
  const refused = new Map(
    made.filter(({ resource_id }) => resource_id === null).map((row) => [idempotencyKeyName(row), row] as const),
  )
  const claimed = new Map(made.map((row) => [idempotencyKeyName(row), row.resource_id]))
  return items.map((item, i) => {
    const fee = fees[i]
    if (fee instanceof Refusal) return fee
    const name = idempotencyKeyName(item.collection.claim)
    const is_first = first.get(name)?.item === item
    const limited = is_first ? refused.get(name) : undefined
    if (limited !== undefined) return refusePrompt(deps, limited.retry_at)
    const id = is_first ? (claimed.get(name) ?? undefined) : undefined
    if (id === undefined) return 'key_known'
    return id === item.id ? { attempt: attempts.get(id) as Attempt } : { resumes: id }
  })
}

/** Writes the accepted payments. If no payment counts as a prompt, the statement reads no counters. */
function writeAccepted(deps: Deps, rows: readonly { subject: string | undefined }[], now: Date): Promise<ClaimedKey[]> {
  const values = [JSON.stringify(rows), API_SCOPE]
  return rows.some(({ subject }) => subject !== undefined)
    ? oneStatement(deps.db).query<ClaimedKey>(ACCEPT_LIMITED, [...values, now, ...promptLimits(deps)])
    : oneStatement(deps.db).query<ClaimedKey>(ACCEPT, values)
}

/**
 * The result of the SQL statement for one key. If the statement refuses the prompt, `resource_id` is null, and the phone can
 * get a prompt from `retry_at` on. Otherwise `resource_id` is the id of the collection.
 */
type ClaimedKey = {
  merchant_id: string
  environment: string
  key: string
  resource_id: string | null
  retry_at: Date | null
}

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

function firstAttempt(deps: Deps, { id: collection_id, collection, lease, trace }: AcceptItem, now: Date): Attempt {
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
    trace,
  }
}
