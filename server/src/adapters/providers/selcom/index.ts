// Selcom's API gateway: prompts, Selcom Pesa and QR codes in, payouts to wallets and banks out. Whole shillings only.

import type { Clock, Log, Random } from '../../../kernel/lib/index.ts'
import type { ProviderExtras, ProviderLists } from '../extras.ts'
import { CALL_MS_MAX, METHODS, PAYOUT_METHODS, type Provider } from '../port.ts'
import { verifyCallback } from './callback.ts'
import { createClient } from './client.ts'
import { createCollections } from './collections.ts'
import { SELCOM_DESTINATIONS } from './destinations.ts'
import { createPayouts } from './payouts.ts'

/** The adapter, with what it can do beyond the port and the way to close its connections. */
export type SelcomProvider = Provider &
  Required<ProviderExtras> &
  Pick<ProviderLists, 'separate_float'> & { close(): Promise<void> }

/** Options of `createSelcomProvider`. Those with a default concern what the gateway's manual leaves open. */
export type SelcomOptions = {
  name: string
  /** Base address of the gateway, with its version: https://.../v1. */
  url: string
  api_key: string
  api_secret: string
  /** The till that takes the money. */
  vendor: string
  /** The prepaid account that payouts are paid from, and its PIN. Null: nothing is paid out. */
  float: { vendor: string; pin: string } | null
  /** Where the gateway sends its callbacks. Null: it is not told. */
  callback_url: string | null
  /** Whom orders name as buyer: they must name one. The phone is used when the payer's is not known. */
  buyer: { name: string; email: string; phone: string }
  /** Who sends bank payouts. */
  sender: { account: string; name: string; phone: string; purpose?: string }
  clock: Clock
  random: Random
  log: Log
  /** Minutes after which an unpaid prompt's order ends. Null (default): shortly before the payment's deadline, as codes do. */
  push_expiry_min?: number | null
  /**
   * Result codes of the order query that are taken for "there is no such order" while nobody knows of the order; a payment
   * that was lost before it began is only ever sent with one of them. No manual names one. Default: none.
   */
  order_unknown_codes?: readonly string[]
  /** Result codes beyond the documented ones by which a payout failed for certain, and no money left. Default: none. */
  failed_payout_codes?: readonly string[]
  /** More texts by which the gateway says that our address or access is refused. */
  refusal_texts?: readonly string[]
  /** True: payouts to the provider's own wallet carry its product code. Default: false. */
  selcom_pesa_code?: boolean
  /** Pause before a payout in progress is asked about: 3 minutes, as the gateway asks. */
  payout_ask_again_ms?: number
  /** How far a callback's time may be from ours: 15 minutes. */
  callback_window_ms?: number
  /** Most connections for prompts: 128. As many each for codes, for payouts and for questions. */
  connections?: number
  /** Time for one call of the port, however many requests it takes. At most, and by default, a little below CALL_MS_MAX. */
  timeout_ms?: number
}

/** What is left of CALL_MS_MAX for everything around the requests. */
const AROUND_MS = 500
const TIMEOUT_MS_MAX = CALL_MS_MAX - AROUND_MS

/** Makes the adapter. Nothing is sent before it is asked for something. */
export function createSelcomProvider(options: SelcomOptions): SelcomProvider {
  const { name, float, clock, random, log, connections = 128 } = options
  const credentials = { api_key: options.api_key, api_secret: options.api_secret }
  const timeout_ms = Math.min(options.timeout_ms ?? TIMEOUT_MS_MAX, TIMEOUT_MS_MAX)
  const client = createClient({
    name,
    url: options.url,
    credentials,
    pin: float?.pin ?? null,
    connections,
    refusal_texts: options.refusal_texts ?? [],
    clock,
    log,
  })
  const collections = createCollections(client, {
    vendor: options.vendor,
    callback_url: options.callback_url,
    buyer: options.buyer,
    push_expiry_min: options.push_expiry_min ?? null,
    order_unknown_codes: options.order_unknown_codes ?? [],
    timeout_ms,
  })
  const payouts = createPayouts(client, {
    float,
    sender: { ...options.sender, purpose: options.sender.purpose ?? 'BUSINESS' },
    selcom_pesa_code: options.selcom_pesa_code ?? false,
    reading: {
      ask_again_ms: options.payout_ask_again_ms ?? 180_000,
      failed_codes: options.failed_payout_codes ?? [],
    },
    timeout_ms,
    random,
  })
  const callback = { credentials, window_ms: options.callback_window_ms ?? 900_000, clock }
  return {
    name,
    capabilities: {
      methods: METHODS,
      whole_shillings: true,
      payout_methods: float === null ? [] : PAYOUT_METHODS,
      destinations: float === null ? [] : SELCOM_DESTINATIONS,
      places: { payments: connections, payouts: connections },
      // A bank compares the name with its own.
      needs: { BANK_ACCOUNT: ['destination_name'] },
      // Payments and payouts share the connections for questions: one kind that hangs leaves the other its half.
      asks_singly: Math.ceil(connections / 2),
    },
    // Payouts are paid from a prepaid account; what payments bring lies with the till, which no call tells of.
    separate_float: true,
    ...collections,
    ...payouts,
    verifyCallback: (headers, body) => verifyCallback(callback, headers, body),
    close: () => client.close(),
  }
}
