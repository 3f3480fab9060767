// Builds and parses anchors. An anchor is a signed JSON line with the ends of the chains that have new entries, and the hash of
// the previous line. The signature is the last field and covers the rest of the line, so common tools can check it.

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { isId, type Vault } from '../../kernel/lib/index.ts'

/** The end of a chain: the number and the hash (64 hexadecimal digits) of its last entry. */
export type AnchoredHead = { merchant_id: string; seq: number; hash: string }

/** One signed line with the ends of the audit chains at one time. */
export type Anchor = {
  /** The number of the anchor, from 1 without a gap. */
  number: number
  /** The time of the anchor, as ISO 8601 in UTC. */
  at: string
  /** The SHA-256 of the previous line in hexadecimal. In the first anchor, all 64 digits are zero. */
  previous: string
  /** The number of entries of all chains together, up to this anchor. */
  entries: number
  /** The ends of the chains with new entries since the previous anchor. */
  heads: AnchoredHead[]
  /** The public key of the signature: Ed25519 as SPKI in base64, as in a PEM file. */
  key: string
}

/** The value of `previous` in the first anchor. */
export const NO_ANCHOR_BEFORE = '0'.repeat(64)

/** The private key that signs anchors, and its public key in the form of `Anchor.key`. */
export type AnchorKey = { private_key: KeyObject; public_key: string }

/** The first bytes of an Ed25519 private key in PKCS #8. The 32 bytes of the key follow. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

/**
 * Derives the key that signs the anchors of a database from the vault. The rotation of SECRET_KEY does not change this key.
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

/**
 * Parses a line. Null means that the line is not an anchor, for example because a process died while it wrote the line.
 */
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

/** Returns true if the line has a valid signature of `key`, a public key in the form of `Anchor.key`. */
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

/** Returns true if the text is a public key in the form of `Anchor.key`. */
export function isAnchorKey(text: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
    return key.asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}
