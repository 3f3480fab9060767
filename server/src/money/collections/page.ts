// Starts and reads payments of payers on a page. A payment link gets a new collection for each payment; a hosted page has one
// collection for all its attempts. The transaction locks the collection of a hosted page first, then the page.

import type { FailureReason, Method, SimulateStatus } from '../../adapters/providers/port.ts'
import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { type Metadata, metadataPairs, newId, type TraceContext, timeOfId } from '../../kernel/lib/index.ts'
import { markDays } from './days.ts'
import { attemptReference } from './reference.ts'
import { hasReceived } from './snapshot.ts'
import { type AttemptState, START, type Status } from './state.ts'
import { ATTEMPT_LEASE_MS, type Attempt } from './store.ts'

/** A page on which a payer can pay. The amount of the page is in cents. */
export type PaymentPage = {
  merchant_id: string
  routing_code: number
  id: string
  environment: Environment
  origin_environment: Environment
  amount_minor: bigint
  currency: string
  customer_name: string | null
  customer_phone: string | null
  customer_email: string | null
  reference: string | null
  description: string | null
  /**
   * The merchant's metadata, which each payment of the page gets: pairs of a name and a text. Null means that the page has
   * none.
   */
  metadata: Metadata | null
  /** The collection of a hosted page. Null means that the page is a payment link. */
  collection_id: string | null
}

const CREATE = sql(
  'page_create_collection',
  `with pair as (insert into collection_metadata (merchant_id, pair, id) select $1, unnest($21::uuid[]), $2)
   insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor,
     currency, fee_minor, amount_received_minor, customer_name, customer_phone, customer_email, reference, description,
     failure_reason_code, attempts, payment_link_id, created_at, updated_at, busy_for, metadata)
   values ($1, $2, $3, $4, $5, 0, $6, $7, $8, $9, null, $10, $11, $12, $13, $14, null, $15, $16, $17, $18, $19, $20)`,
)

/**
 * Writes the collection of a page. If the collection is for a hosted page without an attempt, its status is `created`, otherwise
 * `processing`.
 */
async function insertPageCollection(
  deps: Deps,
  tx: Tx,
  page: PaymentPage,
  made: {
    id: string
    status: Status
    method: Method | null
    fee_minor: bigint
    phone: string | null
    attempts: number
    busy_for: Buffer | null
  },
): Promise<void> {
  await tx.query(CREATE, [
    page.merchant_id,
    made.id,
    page.environment,
    page.origin_environment,
    made.status,
    made.method,
    page.amount_minor.toString(),
    page.currency,
    made.fee_minor.toString(),
    page.customer_name,
    made.phone ?? page.customer_phone,
    page.customer_email,
    page.reference,
    page.description,
    made.attempts,
    page.id,
    timeOfId(made.id),
    deps.clock.now(),
    made.busy_for,
    page.metadata === null ? null : JSON.stringify(page.metadata),
    metadataPairs(page.environment, page.metadata),
  ])
}

/** Writes the collection of a hosted page, in the transaction of the page. */
export async function createHosted(deps: Deps, tx: Tx, page: PaymentPage & { collection_id: string }): Promise<void> {
  const nothing = { status: 'created', method: null, fee_minor: 0n, phone: null, attempts: 0, busy_for: null } as const
  await insertPageCollection(deps, tx, page, { id: page.collection_id, ...nothing })
}

/** The collection of a hosted page, after the transaction has locked it. */
export type LockedHostedCollection = {
  status: Status
  attempts: number
  version: number
  amount_received_minor: bigint | null
  foreign_currency: string | null
}

const LOCK_HOSTED = sql(
  'page_lock_hosted',
  `select status, attempts, version, amount_received_minor, foreign_currency from collections where merchant_id = $1 and id = $2 for update`,
)

/**
 * Locks the collection of a hosted page. If the collection does not exist, returns null. The caller locks the page itself
 * later.
 */
export async function lockHosted(
  tx: Tx,
  merchant_id: string,
  collection_id: string,
): Promise<LockedHostedCollection | null> {
  const [row] = await tx.query<LockedHostedCollection>(LOCK_HOSTED, [merchant_id, collection_id])
  return row ?? null
}

/** The highest number that an attempt can have, because a provider reference has two digits for the number. */
const ATTEMPTS_MAX = 99

/** Returns true if the payment allows another attempt: no money has arrived, and the limit of attempts allows one more. */
export function mayStart({
  status,
  attempts,
  amount_received_minor,
  foreign_currency,
}: Pick<LockedHostedCollection, 'status' | 'attempts' | 'amount_received_minor' | 'foreign_currency'>): boolean {
  const open = status === START.to || (START.from as readonly Status[]).includes(status)
  return open && !hasReceived({ amount_received_minor, foreign_currency }) && attempts < ATTEMPTS_MAX
}

// If the payer starts another attempt while the last attempt has no final answer, the collection stays in processing.
const RESTART = sql(
  'page_restart_hosted',
  `with moved as (
     update collections set status = $4, version = version + case when status = $4 then 0 else 1 end, method = $5,
       fee_minor = $6, attempts = attempts + 1, failure_reason_code = null, updated_at = $7, customer_phone = $9, busy_for = $10
     where merchant_id = $1 and id = $2 and attempts = $3
     returning version
   )
   insert into collection_history (merchant_id, collection_id, seq, from_status, to_status, actor, reason, event, at)
   select $1, $2, version, $8, $4, 'payer', null, null, $7 from moved where $8 <> $4`,
)

const ATTEMPT = sql(
  'page_create_attempt',
  `insert into collection_attempts (merchant_id, collection_id, number, environment, provider, provider_reference,
     method, phone, amount_minor, currency, simulate_status, on_page, state, asks, due_at, lease_owner, deadline_at,
     sent_at, provider_status, provider_id, payment_token, qr_payload, created_at, updated_at, fee_minor, trace)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, null, true, 'to_send', 0, $11, $12, $13, null, null, null, null,
     null, $14, $14, $15, $16)`,
)

/**
 * The method, the phone and the provider of a payer's attempt, with the fee in cents. `lease` means that this process sends the
 * attempt; otherwise a worker does. `busy_for` is the only payer for whom the prompt keeps the page busy; null means every payer.
 */
export type Choice = {
  provider: string
  method: Method
  phone: string | null
  fee_minor: bigint
  lease: boolean
  busy_for: Buffer | null
  /** The trace of the payer's request. Null means that the server does not trace the request. */
  trace: TraceContext | null
}

/** Starts a payment on a locked page: writes its collection as `processing`, and an attempt with its provider reference. */
export async function startOnPage(
  deps: Deps,
  tx: Tx,
  page: PaymentPage,
  hosted: LockedHostedCollection | null,
  choice: Choice,
): Promise<Attempt> {
  const { provider, method, phone, fee_minor, lease, busy_for, trace } = choice
  const now = deps.clock.now()
  const number = (hosted?.attempts ?? 0) + 1
  const collection_id = page.collection_id ?? newId(deps, page.routing_code)
  if (hosted === null) {
    await insertPageCollection(deps, tx, page, {
      id: collection_id,
      status: START.to,
      method,
      fee_minor,
      phone,
      attempts: 1,
      busy_for,
    })
  } else {
    await tx.query(RESTART, [
      page.merchant_id,
      collection_id,
      hosted.attempts,
      START.to,
      method,
      fee_minor.toString(),
      now,
      hosted.status,
      phone ?? page.customer_phone,
      busy_for,
    ])
    await markDays(deps, tx, [{ ...page, collection_id }])
  }
  const { merchant_id, environment, amount_minor, currency } = page
  const attempt: Attempt = {
    merchant_id,
    collection_id,
    number,
    environment,
    provider,
    provider_reference: attemptReference(collection_id, number),
    method,
    phone,
    amount_minor,
    currency,
    simulate_status: null,
    on_page: true,
    state: 'to_send',
    asks: 0,
    sent_at: null,
    deadline_at: new Date(now.getTime() + deps.config.collection_deadline_h * 3_600_000),
    due_at: lease ? new Date(now.getTime() + ATTEMPT_LEASE_MS) : now,
    trace,
  }
  await tx.query(ATTEMPT, [
    merchant_id,
    collection_id,
    number,
    environment,
    provider,
    attempt.provider_reference,
    method,
    phone,
    amount_minor.toString(),
    currency,
    attempt.due_at,
    lease ? deps.process_id : null,
    attempt.deadline_at,
    now,
    fee_minor.toString(),
    trace,
  ])
  return attempt
}

/**
 * A payment as its page shows it. If money has arrived, the record has the attempt that brought the money; otherwise it has the
 * newest attempt.
 */
export type PagePayment = {
  merchant_id: string
  payment_link_id: string
  collection_id: string
  status: Status
  method: Method | null
  failure_reason_code: FailureReason | null
  /**
   * The received amount in cents of a shilling; for money in another currency, the worth that an operator stated. Null means
   * that there is none.
   */
  amount_received_minor: bigint | null
  /** The received amount in another currency, in hundredths. Null means that no money in another currency has arrived. */
  foreign_amount_minor: bigint | null
  foreign_currency: string | null
  attempts: number
  updated_at: Date
  /** The only payer for whom the prompt keeps the page busy, as `pageAddressHash` returns it. Null means every payer. */
  busy_for: Buffer | null
  /** The time at which the money arrived, even if an operator declined it later. Null means that no money arrived. */
  arrived_at: Date | null
  /** The phone of the payer, from the attempt. Without an attempt, this field and the fields after it are null. */
  phone: string | null
  attempt_state: AttemptState | null
  attempt_at: Date | null
  provider: string | null
  provider_id: string | null
  payment_token: string | null
  qr_payload: string | null
  /** The outcome that a payer or a developer chose for a simulation. Null means that the simulator or the provider decides. */
  simulate_status: SimulateStatus | null
}

const PAYMENT_COLUMNS = `c.merchant_id, c.payment_link_id, c.id as collection_id, c.status, c.method, c.failure_reason_code,
     c.amount_received_minor, c.foreign_amount_minor, c.foreign_currency, c.attempts, c.updated_at, c.busy_for, a.phone, a.state as attempt_state,
     a.created_at as attempt_at, a.provider, a.provider_id, a.payment_token, a.qr_payload, a.simulate_status,
     case when c.amount_received_minor is not null or c.foreign_currency is not null then (
       select min(h.at) from collection_history h
       where h.merchant_id = c.merchant_id and h.collection_id = c.id
         and h.to_status in ('pending_clearance', 'successful', 'reversed')) end as arrived_at`
const SHOWN_ATTEMPT = `left join collection_attempts a
     on a.merchant_id = c.merchant_id and a.collection_id = c.id and a.number = coalesce(c.settled_attempt, c.attempts)`

const UNDER_WAY = sql(
  'page_under_way',
  `select ${PAYMENT_COLUMNS} from (
     select * from collections where merchant_id = $1 and payment_link_id = $2 order by id desc limit $3) c
   ${SHOWN_ATTEMPT}
   where c.status in ('processing', 'pending_clearance') order by c.id desc`,
)

/**
 * The maximum number of a page's newest payments that a query about the page reads. Older payments have normally ended.
 */
export const LINK_PAYMENTS_READ_MAX = 50

/**
 * Returns the payments of a page that are processing or under review, newest first. Reads only the newest
 * LINK_PAYMENTS_READ_MAX payments.
 */
export function paymentsUnderWay(reader: Reader, merchant_id: string, link_id: string): Promise<PagePayment[]> {
  return reader.query<PagePayment>(UNDER_WAY, [merchant_id, link_id, LINK_PAYMENTS_READ_MAX])
}

// A payment under review closes the page, even if newer payments exist. The query prefers an open prompt to an open code,
// because ids of two processes have no exact order. A duplicate payment has no attempts; if it is not under review, it comes
// last.
const LATEST = sql(
  'page_latest_payment',
  `select ${PAYMENT_COLUMNS} from ${inputRows('$1', 'link_id', 'merchant_id uuid, link_id uuid')} i
   cross join lateral (
     select * from (
       select * from collections where merchant_id = i.merchant_id and payment_link_id = i.link_id
       order by id desc limit ${LINK_PAYMENTS_READ_MAX}) newest
     order by newest.status = 'pending_clearance' desc, newest.attempts > 0 desc,
       newest.status = 'processing' and newest.method <> 'qr' desc, newest.status = 'processing' desc,
       newest.id desc limit 1) c
   ${SHOWN_ATTEMPT}`,
)

/**
 * Returns for each page the payment that determines its state: a payment under review, an open prompt, an open code, or else the
 * newest payment. A later failed payment must not hide an earlier payment that can still succeed.
 */
export function latestPayments(
  reader: Reader,
  links: readonly { merchant_id: string; link_id: string }[],
): Promise<PagePayment[]> {
  return reader.query<PagePayment>(LATEST, [JSON.stringify(links)])
}

const FIND = sql(
  'page_find_payment',
  `select ${PAYMENT_COLUMNS} from ${inputRows('$1', 'collection_id', 'merchant_id uuid, collection_id uuid')} i
   join collections c on c.merchant_id = i.merchant_id and c.id = i.collection_id
   ${SHOWN_ATTEMPT}
   where c.payment_link_id is not null`,
)

/** Finds payments by their keys. The result has no payment without a page. */
export function findPagePayments(
  reader: Reader,
  keys: readonly { merchant_id: string; collection_id: string }[],
): Promise<PagePayment[]> {
  return reader.query<PagePayment>(FIND, [JSON.stringify(keys)])
}

// Until money arrives, the status of a payment follows from its newest attempt. An earlier attempt may still be open after the
// payment failed.
const UNANSWERED = sql(
  'page_unanswered',
  `select i.link_id, a.method, a.created_at as at from ${inputRows('$1', 'link_id', 'merchant_id uuid, link_id uuid')} i
   cross join lateral (
     select id, status, attempts from collections where merchant_id = i.merchant_id and payment_link_id = i.link_id
     order by id desc limit ${LINK_PAYMENTS_READ_MAX}) c
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = c.id
   where a.state in ('to_send', 'asked') and (a.number < c.attempts or c.status = 'processing')`,
)

/** An attempt on a page that has no outcome yet, with its start time. */
export type UnansweredAttempt = { link_id: string; method: Method; at: Date }

/**
 * Finds the attempts without an outcome of the newest LINK_PAYMENTS_READ_MAX payments of each page, including earlier attempts.
 */
export function findUnansweredAttempts(
  reader: Reader,
  links: readonly { merchant_id: string; link_id: string }[],
): Promise<UnansweredAttempt[]> {
  return reader.query<UnansweredAttempt>(UNANSWERED, [JSON.stringify(links)])
}
