// The keys that sign tokens of the built-in identity provider. They live in the database, so that every process of an
// installation signs and verifies alike; the private halves are encrypted.

import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'

/** The algorithm of the built-in provider's tokens. */
export const ALGORITHM = 'ES256'

/** A key that signs now. */
export type SigningKey = { kid: string; issuer: string; private_key: CryptoKey; private_jwk: JWK }

/** A key that verifies. Tokens of `issuer` only, and signed before it was retired. */
export type VerifyingKey = { issuer: string; key: CryptoKey; retired_at: Date | null }

const CURRENT = sql(
  'signing_keys_current',
  `select kid, issuer, private_jwk from signing_keys where retired_at is null and ($1::text is null or issuer = $1)
   order by created_at desc limit 1`,
)
const BY_KID = sql('signing_keys_by_kid', 'select issuer, public_jwk, retired_at from signing_keys where kid = $1')
const INSERT = sql(
  'signing_keys_insert',
  `insert into signing_keys (kid, issuer, public_jwk, private_jwk, created_at, retired_at)
   values ($1, $2, $3::json, $4, $5, null) on conflict (issuer) where retired_at is null do nothing`,
)

/** The key that signs for whichever issuer was used last, or null when there is none yet. */
export function latestSigningKey(deps: Deps): Promise<SigningKey | null> {
  return findCurrent(deps, null)
}

/** The key that signs for `issuer`, made when there is none yet. */
export async function signingKey(deps: Deps, issuer: string): Promise<SigningKey> {
  const found = await findCurrent(deps, issuer)
  if (found) return found
  const pair = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = Buffer.from(deps.random.bytes(12)).toString('base64url')
  const common = { kid, alg: ALGORITHM, use: 'sig' }
  const public_jwk = { ...(await exportJWK(pair.publicKey)), ...common }
  const private_jwk = { ...(await exportJWK(pair.privateKey)), ...common }
  // Two processes that start at once: one key wins, and both use it.
  await oneStatement(deps.db).query(INSERT, [
    kid,
    issuer,
    JSON.stringify(public_jwk),
    deps.vault.seal(JSON.stringify(private_jwk)),
    deps.clock.now(),
  ])
  const made = await findCurrent(deps, issuer)
  if (!made) throw new Error(`no signing key for ${issuer}`)
  return made
}

async function findCurrent(deps: Deps, issuer: string | null): Promise<SigningKey | null> {
  const [row] = await deps.db.query<{ kid: string; issuer: string; private_jwk: string }>(CURRENT, [issuer])
  if (!row) return null
  const private_jwk = JSON.parse(deps.vault.open(row.private_jwk)) as JWK
  const private_key = (await importJWK(private_jwk, ALGORITHM)) as CryptoKey
  return { kid: row.kid, issuer: row.issuer, private_key, private_jwk }
}

/** A key that was retired is known to be so after this long, on every process. */
const KNOWN_MS = 60_000
const KNOWN_MAX = 100

/**
 * Makes the look-up of verifying keys: the key with an id, or null. What a token says of its key is used for nothing
 * else. Known keys are remembered for a minute; unknown ones are not.
 */
export function keyReader(deps: Deps): (kid: string) => Promise<VerifyingKey | null> {
  const known = new Map<string, VerifyingKey & { until: number }>()
  return async (kid) => {
    const now = deps.clock.now().getTime()
    const remembered = known.get(kid)
    if (remembered && now < remembered.until && remembered.until - now <= KNOWN_MS) return remembered
    known.delete(kid)
    const [row] = await deps.db.query<{ issuer: string; public_jwk: JWK; retired_at: Date | null }>(BY_KID, [kid])
    if (!row) return null
    const { issuer, public_jwk, retired_at } = row
    const key = (await importJWK(public_jwk, ALGORITHM)) as CryptoKey
    if (known.size >= KNOWN_MAX) known.clear()
    known.set(kid, { issuer, key, retired_at, until: now + KNOWN_MS })
    return { issuer, key, retired_at }
  }
}
