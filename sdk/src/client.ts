// The client: one function per call about collections.

import { randomUUID } from 'node:crypto'
import { MalipoError } from './error.ts'

/** Where a collection can stand. Only `successful` means paid. */
export type CollectionStatus = 'created' | 'processing' | 'successful' | 'failed' | 'pending_clearance' | 'reversed'

type Method = 'wallet_push' | 'provider_pesa' | 'qr'

type CommonInput = {
  /** Shillings, as a decimal text ("25000.00") or a number with at most two decimals. */
  amount: string | number
  currency?: 'TZS'
  /** Your order or invoice id. */
  reference?: string
  description?: string
  customer_name?: string
  customer_email?: string
  /** Sandbox keys only: the outcome to play. */
  simulate_status?: 'successful' | 'failed' | 'pending_clearance' | 'reversed'
}

/** What a push needs. */
export type PushInput = CommonInput & { phone: string }

/** What a QR code needs. */
export type QrInput = CommonInput & { customer_phone?: string }

/** The answer to a push: the prompt was taken over. Not a payment yet. */
export type PushAccepted = { collection_id: string; reference: string | null; status: 'processing'; message: string }

/** The answer to a QR request. Draw `qr_payload` as it is. */
export type QrAccepted = {
  collection_id: string
  reference: string | null
  status: 'processing'
  payment_token: string
  qr_payload: string
  expires_at: null
}

/** A collection and where it stands. */
export type Collection = {
  collection_id: string
  reference: string | null
  merchant_reference: string | null
  status: CollectionStatus
  amount: number
  amount_received: number | null
  currency: string
  method: Method | null
  environment: 'live' | 'sandbox'
  provider_payment_status: string | null
  /** Set when failed. New codes may come: treat an unknown one as a failure. */
  failure_reason_code: string | null
  failure_reason_message: string | null
  created_at: string
  updated_at: string
}

/** One page of a list. */
export type Page<Item> = {
  items: Item[]
  pagination: { page: number; page_size: number; total_items: number; total_pages: number }
}

/** Filters of the list. Times are ISO 8601 texts. */
export type ListOptions = {
  page?: number
  page_size?: number
  status?: CollectionStatus
  method?: Method
  reference?: string
  phone?: string
  from?: string
  to?: string
}

/** Give your own `idempotency_key` when your order already has one; else each call makes a fresh one. */
export type CreateOptions = { idempotency_key?: string }

/** Options of `createClient`. `fetch` replaces the global one. */
export type ClientOptions = { base_url: string; api_key: string; timeout_ms?: number; fetch?: typeof fetch }

/** The API as functions. Each throws a `MalipoError` when the call fails. */
export type Client = {
  /** Sends a mobile-money prompt to a phone. */
  walletPush(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Sends a prompt to a Provider Pesa wallet. */
  providerPesa(input: PushInput, options?: CreateOptions): Promise<PushAccepted>
  /** Gets a QR code to show. */
  qr(input: QrInput, options?: CreateOptions): Promise<QrAccepted>
  /** Where a collection stands. */
  getCollection(collection_id: string): Promise<Collection>
  /** Lists collections, newest first. */
  listCollections(options?: ListOptions): Promise<Page<Collection>>
  /** Has the provider asked again; then where the collection stands. */
  refreshStatus(collection_id: string): Promise<Collection>
}

const TIMEOUT_MS = 20_000

type Call = { method: 'GET' | 'POST'; path: string; body?: object; idempotency_key?: string }

/** Makes a client of the API at `base_url`, such as https://api.example.com. For servers only: keep the key secret. */
export function createClient(options: ClientOptions): Client {
  const call = <Data>(details: Call) => request<Data>(options, details)
  const create = <Data>(path: string, body: object, { idempotency_key = randomUUID() }: CreateOptions = {}) =>
    call<Data>({ method: 'POST', path, body, idempotency_key })
  const one = (collection_id: string) => `/v1/collections/${encodeURIComponent(collection_id)}`
  return {
    walletPush: (input, chosen) => create('/v1/collections/wallet-push', input, chosen),
    providerPesa: (input, chosen) => create('/v1/collections/provider-pesa', input, chosen),
    qr: (input, chosen) => create('/v1/collections/qr', input, chosen),
    getCollection: (collection_id) => call({ method: 'GET', path: one(collection_id) }),
    listCollections: (filters = {}) => call({ method: 'GET', path: `/v1/collections${queryOf(filters)}` }),
    refreshStatus: (collection_id) => call({ method: 'POST', path: `${one(collection_id)}/refresh-status` }),
  }
}

function queryOf(filters: ListOptions): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

type Envelope<Data> =
  | { success: true; data: Data }
  | { success: false; error: { code: string; message: string; details: Record<string, unknown> | null } }

async function request<Data>(options: ClientOptions, { method, path, body, idempotency_key }: Call): Promise<Data> {
  const { base_url, api_key, timeout_ms = TIMEOUT_MS } = options
  const send = options.fetch ?? fetch
  let response: Response
  let text: string
  try {
    response = await send(base_url.replace(/\/+$/, '') + path, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotency_key === undefined ? {} : { 'idempotency-key': idempotency_key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The key must not follow a redirect to another host.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout_ms),
    })
    text = await response.text()
  } catch (cause) {
    throw noAnswer(0, null, idempotency_key, cause)
  }
  const request_id = response.headers.get('x-request-id')
  const envelope = parse<Data>(text)
  if (envelope === null) throw noAnswer(response.status, request_id, idempotency_key)
  if (envelope.success) return envelope.data
  const { code, message, details } = envelope.error
  throw new MalipoError({
    code,
    message,
    details,
    request_id,
    status: response.status,
    idempotency_key: idempotency_key ?? null,
  })
}

function noAnswer(status: number, request_id: string | null, idempotency_key?: string, cause?: unknown): MalipoError {
  const message = 'No readable answer came. Repeat the call with the same idempotency_key: nothing happens twice.'
  return new MalipoError({
    code: 'no_answer',
    message,
    details: null,
    request_id,
    status,
    idempotency_key: idempotency_key ?? null,
    cause,
  })
}

/** The envelope, or null when something else answered: a proxy's error page, say. */
function parse<Data>(text: string): Envelope<Data> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { success, data, error } = value as { success?: unknown; data?: unknown; error?: { code?: unknown } | null }
  if (success === true && data !== undefined) return value as Envelope<Data>
  return success === false && typeof error?.code === 'string' ? (value as Envelope<Data>) : null
}
