// Implements the port for Selcom's API gateway: prompts, Selcom Pesa, QR codes, and payouts to wallets and banks. The
// gateway moves whole shillings only.

import type { Clock, Log, Random } from '../../../kernel/lib/index.ts'
import type { ProviderExtras, ProviderLists } from '../extras.ts'
import { CALL_MS_MAX, type Provider } from '../port.ts'
import { verifyCallback } from './callback.ts'
import { capabilities } from './capabilities.ts'
import { createSelcomClient } from './client.ts'
import { createSelcomCollections } from './collections.ts'
import { createSelcomPayouts } from './payouts.ts'

/** The adapter with its optional functions, and with `close`, which ends its connections. */
export type SelcomProvider = Provider &
  Required<ProviderExtras> &
  Pick<ProviderLists, 'separate_float'> & { close(): Promise<void> }

/**
 * The options of `createSelcomProvider`. The optional fields have defaults. Several of them answer questions that the gateway's
 * manual leaves open.
 */
export type SelcomOptions = {
  name: string
  /** The base URL of the gateway with its version: https://.../v1. */
  url: string
  api_key: string
  api_secret: string
  /** The vendor id of the till that takes the money. */
  vendor: string
  /** The prepaid account of payouts and its PIN. Null means that the provider only takes payments. */
  float: { vendor: string; pin: string } | null
  /** The callback URL for the gateway. Null means that the gateway sends no callbacks. */
  callback_url: string | null
  /** The buyer that the gateway requires for each order. If the payer's phone is not known, the adapter uses this phone. */
  buyer: { name: string; email: string; phone: string }
  /** The sender that the gateway requires for bank payouts. */
  sender: { account: string; name: string; phone: string; purpose?: string }
  clock: Clock
  random: Random
  log: Log
  /**
   * The minutes until the order of an unpaid prompt ends. Null, the default, means that the order ends shortly before the
   * payment's deadline, as the orders of QR codes do.
   */
  push_expiry_min?: number | null
  /**
   * The result codes of the order query that mean "there is no such order" while the order is unconfirmed. After an unknown
   * outcome, only such a code lets the platform repeat a push. The manual names no such code, so the default is an empty list.
   */
  order_unknown_codes?: readonly string[]
  /** The undocumented result codes that mean a certainly failed payout. The default is an empty list. */
  failed_payout_codes?: readonly string[]
  /** The additional texts by which the gateway refuses the platform's address or access. */
  refusal_texts?: readonly string[]
  /** If true, payouts to Selcom Pesa wallets contain the product code of Selcom Pesa. The default is false. */
  selcom_pesa_code?: boolean
  /** The pause before the query of a payout in progress. The default is 3 minutes, as the gateway requires. */
  payout_ask_again_ms?: number
  /** The greatest difference between the time of a callback and the clock of the platform. The default is 15 minutes. */
  callback_window_ms?: number
  /** The number of connections for prompts. Codes, payouts and queries have the same number each. The default is 128. */
  connections?: number
  /**
   * The timeout of one call of the port with all its requests. The maximum, which is the default, is a little below
   * CALL_MS_MAX.
   */
  timeout_ms?: number
}

/** The part of CALL_MS_MAX that the adapter keeps for its work before and after the requests. */
const AROUND_MS = 500
const TIMEOUT_MS_MAX = CALL_MS_MAX - AROUND_MS

/** Makes the adapter. The adapter sends nothing before its first call. */
export function createSelcomProvider(options: SelcomOptions): SelcomProvider {
  const { name, float, clock, random, log, connections = 128 } = options
  const credentials = { api_key: options.api_key, api_secret: options.api_secret }
  const timeout_ms = Math.min(options.timeout_ms ?? TIMEOUT_MS_MAX, TIMEOUT_MS_MAX)
  const client = createSelcomClient({
    name,
    url: options.url,
    credentials,
    pin: float?.pin ?? null,
    connections,
    refusal_texts: options.refusal_texts ?? [],
    clock,
    log,
  })
  const collections = createSelcomCollections(client, {
    vendor: options.vendor,
    callback_url: options.callback_url,
    buyer: options.buyer,
    push_expiry_min: options.push_expiry_min ?? null,
    order_unknown_codes: options.order_unknown_codes ?? [],
    timeout_ms,
  })
  const payouts = createSelcomPayouts(client, {
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
    capabilities: capabilities({ float_vendor: float?.vendor ?? '', connections }),
    // A prepaid account pays the payouts. The money of payments is in the till, and the gateway has no call for the balance
    // of the till.
    separate_float: true,
    ...collections,
    ...payouts,
    verifyCallback: (headers, body) => verifyCallback(callback, headers, body),
    close: () => client.close(),
  }
}
