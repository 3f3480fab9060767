// Types and helpers for provider-contract.ts: the provider under test, a receiver of callbacks, and requests.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  CALLBACK_PATH,
  type PaymentRequest,
  type PayoutRequest,
  type Provider,
} from '../src/adapters/providers/port.ts'
import { idToBase32, newId, seededRandom, systemClock } from '../src/kernel/lib/index.ts'

type Headers = Record<string, string | undefined>
/** A callback with its headers and its body, as the receiver got the callback. */
export type ArrivedCallback = { headers: Headers; body: Buffer }

/** A provider under test. */
export type AnySubject = {
  provider: Provider
  /**
   * A second adapter for the same provider, as another process uses it. Null means that the provider exists only in this
   * process.
   */
  another: Provider | null
  received: ArrivedCallback[]
  /** Endings of phone numbers by the outcome of the payment. */
  payers: { pays: string; declines: string }
  payees: { pays: string; declines: string }
  /**
   * Returns how often the provider's books show a prompt or a payout for a reference. Null means that the books have no record
   * of the reference, or that the provider keeps no books.
   */
  times(reference: string): number | null
  close(): Promise<void>
}

/** Starts a receiver that records callbacks and answers 200. */
export async function startReceiver() {
  const received: ArrivedCallback[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    // The adapter gets the callback as the platform passes it to the adapter: with the path of the request in a header.
    const headers = { ...(request.headers as Headers), [CALLBACK_PATH]: request.url }
    received.push({ headers, body: Buffer.concat(chunks) })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const seams = { clock: systemClock, random: seededRandom('subjects') }

/** Returns a payment request of 5,000 shillings from a phone number with this ending. The reference has the platform's form. */
export function paymentBy(ending: string, fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    reference: `${idToBase32(newId(seams, 7))}01`,
    method: 'wallet_push',
    phone: `255754000${ending}`,
    amount_minor: 500_000n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: null,
    ...fields,
  }
}

/** Returns a payout request of 15,000 shillings to a phone number with this ending. The reference has the platform's form. */
export function payoutTo(ending: string, fields: Partial<PayoutRequest> = {}): PayoutRequest {
  return {
    reference: `W${idToBase32(newId(seams, 7))}`,
    environment: 'live',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
    destination_identifier: `255754000${ending}`,
    destination_name: 'Asha Juma',
    bank_name: null,
    amount_minor: 1_500_000n,
    currency: 'TZS',
    sent_at: null,
    ...fields,
  }
}
