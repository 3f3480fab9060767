// What tests of callbacks share: the mock provider's voice, and what was kept of it.

import { createHmac } from 'node:crypto'
import type { Reply, World } from './harness.ts'

/** Sends a callback as a mock provider would; forged when `secret` or `signature` is given. A null signature sends none. */
export function callBack(
  world: World,
  body: string | Buffer,
  options: { provider?: string; signature?: string | null; secret?: string } = {},
): Promise<Reply> {
  const { provider = 'mock', secret = world.deps.config.mock_secret } = options
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

/** A callback as it was kept. */
export type Kept = { verdict: string; times: number; provider: string; provider_reference: string | null; body: string }

/** What was kept of a callback with this body. */
export function keptOf(world: World, body: string): Promise<Kept[]> {
  return world.rows<Kept>(
    'select verdict, times, provider, provider_reference, body from provider_callbacks where body = $1',
    [body],
  )
}
