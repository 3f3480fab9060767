// The public name of a page: the routing code of its merchant, which leads to it without a search, and 128 random bits.

import type { Random } from '../../kernel/lib/index.ts'

const SECRET_BYTES = 16
const SLUG = /^[A-Za-z0-9_-]{28}$/

/** A new slug: 28 characters that may stand in an address. */
export function newSlug(random: Random, routing_code: number): string {
  const bytes = Buffer.alloc(5 + SECRET_BYTES)
  bytes.writeUInt32BE(routing_code, 0)
  bytes.set(random.bytes(1 + SECRET_BYTES), 4)
  return bytes.toString('base64url')
}

/** The routing code in a slug, or null for what cannot be one. */
export function routingCodeOfSlug(slug: string): number | null {
  return SLUG.test(slug) ? Buffer.from(slug, 'base64url').readUInt32BE(0) : null
}
