// Builds the Selcom adapter from the settings.

import type { ProviderParts } from '../definition.ts'
import { createSelcomProvider, type SelcomProvider } from './adapter.ts'
import type { SelcomSettings } from './settings.ts'

/** Builds the adapter. The adapter sends nothing before its first call. */
export function create({ settings, callback_url, clock, random, log }: ProviderParts<SelcomSettings>): SelcomProvider {
  return createSelcomProvider({
    name: 'selcom',
    url: settings.url,
    api_key: settings.api_key,
    api_secret: settings.api_secret,
    vendor: settings.vendor,
    float: settings.float_vendor === '' ? null : { vendor: settings.float_vendor, pin: settings.pin },
    callback_url,
    buyer: { name: settings.buyer_name, email: settings.buyer_email, phone: settings.buyer_phone },
    sender: {
      account: settings.sender_account,
      name: settings.sender_name,
      phone: settings.sender_phone,
      purpose: settings.sender_purpose,
    },
    clock,
    random,
    log,
    push_expiry_min: settings.push_expiry_min,
    order_unknown_codes: settings.order_unknown_codes,
    failed_payout_codes: settings.failed_payout_codes,
    refusal_texts: settings.refusal_texts,
    selcom_pesa_code: settings.pesa_code,
    payout_ask_again_ms: settings.payout_ask_again_s * 1000,
    callback_window_ms: settings.callback_window_s * 1000,
    connections: settings.connections,
  })
}
