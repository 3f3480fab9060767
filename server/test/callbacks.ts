// Helpers for tests of callbacks: they send a callback as the mock provider does, and read the stored callbacks.

import { createHmac } from 'node:crypto'
import { settings } from '../src/adapters/providers/mock/index.ts'
import type { Reply, World } from './harness.ts'

const MOCK_SECRET = settings.secret.default

/**
 * Sends a callback as the mock provider does. With another `secret` or `signature`, the callback is forged. Null as `signature`
 * sends no signature.
 */
export function callBack(
  world: World,
  body: string | Buffer,
  options: { provider?: string; signature?: string | null; secret?: string } = {},
): Promise<Reply> {
  const { provider = 'mock', secret = MOCK_SECRET } = options
  const signature =
    options.signature === undefined ? createHmac('sha256', secret).update(body).digest('hex') : options.signature
  return world.call({
    method: 'POST',
    url: `/callbacks/${provider}`,
    payload: body,
    key: null,
    headers: { 'content-type': 'application/json', ...(signature === null ? {} : { 'x-mock-signature': signature }) },
  })
}

/**
 * A stored callback. `times` is the number of times that the callback arrived. A null reference means that the callback names
 * no reference.
 */
export type Kept = { verdict: string; times: number; provider: string; provider_reference: string | null; body: string }

/** Reads the stored callbacks with exactly this body. */
export function keptOf(world: World, body: string): Promise<Kept[]> {
  return world.rows<Kept>(
    'select verdict, times, provider, provider_reference, body from provider_callbacks where body = $1',
    [body],
  )
}
