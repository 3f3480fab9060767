// Builds and reads anchors. An anchor is one JSON line with the ends of the chains that grew since the anchor before it, and a
// signature. Each anchor contains the hash of the line before it, so that the anchors form a chain too.
//
// The signature covers the bytes of the line without the field "signature", which is the last one. So a person with the public
// key can check a file with common tools.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { isId, type Vault } from '../../kernel/lib/index.ts'

/** The end of a chain: the number and the hash (64 hexadecimal digits) of its last entry. */
export type AnchoredHead = { merchant_id: string; seq: number; hash: string }

/** The content of an anchor. */
export type Anchor = {
  /** Counts the anchors from 1 without gaps. */
  number: number
  /** ISO 8601 in UTC. */
  at: string
  /** SHA-256 of the line before, in hexadecimal digits. The first anchor has zeros. */
  previous: string
  /** The number of entries of all chains together, up to this anchor. */
  entries: number
  /** The ends of the chains that changed since the anchor before. */
  heads: AnchoredHead[]
  /** The public key of the signature: Ed25519, SPKI in base64, which is also the content of a PEM file. */
  key: string
}

/** The value of `previous` in the first anchor. */
export const NO_ANCHOR_BEFORE = '0'.repeat(64)

/** The key that signs anchors, and its public half as in `Anchor.key`. */
export type AnchorKey = { private_key: KeyObject; public_key: string }

/** The beginning of an Ed25519 private key in PKCS #8, before its 32 bytes. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Returns the key that signs the anchors of a database. The key of the vault's keyed hashes determines it, so it stays the same
 * when SECRET_KEY rotates.
 */
export function anchorKey(vault: Pick<Vault, 'mark'>): AnchorKey {
  const der = Buffer.concat([PKCS8_ED25519, vault.mark('malipo audit anchor key')])
  const private_key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const public_key = createPublicKey(private_key).export({ format: 'der', type: 'spki' }).toString('base64')
  return { private_key, public_key }
}

/** Returns the SHA-256 of a line in hexadecimal digits. */
export function lineHash(line: string): string {
  return createHash('sha256').update(line).digest('hex')
}

/** Returns the signed line of an anchor, without a line break. */
export function anchorLine(anchor: Omit<Anchor, 'key'>, { private_key, public_key }: AnchorKey): string {
  const { number, at, previous, entries } = anchor
  const heads = anchor.heads.map(({ merchant_id, seq, hash }) => [merchant_id, seq, hash])
  const signed = JSON.stringify({ number, at, previous, entries, heads, key: public_key })
  const signature = sign(null, Buffer.from(signed), private_key).toString('base64')
  return `${signed.slice(0, -1)},"signature":"${signature}"}`
}

const SIGNATURE = /,"signature":"([A-Za-z0-9+/]{86}==)"\}$/

/** Reads a line. Null means that the line is not an anchor, for example because a process died while it wrote the line. */
export function parseAnchor(line: string): Anchor | null {
  if (!SIGNATURE.test(line)) return null
  try {
    const { number, at, previous, entries, heads, key } = JSON.parse(line)
    const is_anchor =
      [number, entries].every(Number.isSafeInteger) &&
      new Date(at).toISOString() === at &&
      [previous, key].every((text) => typeof text === 'string')
    if (!is_anchor) return null
    const parsed = heads.map(([merchant_id, seq, hash]: [unknown, unknown, unknown]) => ({ merchant_id, seq, hash }))
    return parsed.every(isHead) ? { number, at, previous, entries, heads: parsed, key } : null
  } catch {
    return null
  }
}

function isHead({ merchant_id, seq, hash }: Record<string, unknown>): boolean {
  return (
    typeof merchant_id === 'string' &&
    isId(merchant_id) &&
    Number.isSafeInteger(seq) &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash)
  )
}

/** Returns true if the line has the signature of `key`, the public key as in `Anchor.key`. */
export function isSignedWith(line: string, key: string): boolean {
  const signature = SIGNATURE.exec(line)?.[1]
  if (signature === undefined) return false
  const signed = line.replace(SIGNATURE, '}')
  try {
    const public_key = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify(null, Buffer.from(signed), public_key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** Returns true for a text that has the form of a public key as in `Anchor.key`. */
export function isAnchorKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
