// Stores the keys that sign tokens of the built-in provider. All processes read them from the database, which contains the
// private keys in encrypted form.

import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'

/** The algorithm with which the built-in provider signs tokens. */
export const ALGORITHM = 'ES256'

/** The private key that signs new tokens of an issuer. */
export type IssuerKey = { kid: string; issuer: string; private_key: CryptoKey; private_jwk: JWK }

/**
 * A public key that verifies tokens of an issuer. After `retired_at`, the key verifies only earlier tokens. Null means that the
 * key is not retired.
 */
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

/** Returns the newest signing key of any issuer that is not retired. Null means that none exists. */
export function latestIssuerKey(deps: Deps): Promise<IssuerKey | null> {
  return findCurrent(deps, null)
}

/** Returns the signing key of `issuer`. If none exists yet, creates one. */
export async function issuerKey(deps: Deps, issuer: string): Promise<IssuerKey> {
  const found = await findCurrent(deps, issuer)
  if (found) return found
  const pair = await generateKeyPair(ALGORITHM, { extractable: true })
  const kid = Buffer.from(deps.random.bytes(12)).toString('base64url')
  const common = { kid, alg: ALGORITHM, use: 'sig' }
  const public_jwk = { ...(await exportJWK(pair.publicKey)), ...common }
  const private_jwk = { ...(await exportJWK(pair.privateKey)), ...common }
  // If two processes create a key at the same time, the database stores only one, and both processes use it.
  await oneStatement(deps.db).query(INSERT, [
    kid,
    issuer,
    JSON.stringify(public_jwk),
    deps.vault.seal(JSON.stringify(private_jwk)),
    deps.clock.now(),
  ])
  const stored = await findCurrent(deps, issuer)
  if (!stored) throw new Error(`the database has no signing key of ${issuer}`)
  return stored
}

async function findCurrent(deps: Deps, issuer: string | null): Promise<IssuerKey | null> {
  const [row] = await deps.db.query<{ kid: string; issuer: string; private_jwk: string }>(CURRENT, [issuer])
  if (!row) return null
  const private_jwk = JSON.parse(deps.vault.open(row.private_jwk)) as JWK
  const private_key = (await importJWK(private_jwk, ALGORITHM)) as CryptoKey
  return { kid: row.kid, issuer: row.issuer, private_key, private_jwk }
}

/**
 * The time in milliseconds for which a process caches a key. Within this time, every process applies the retirement of a key.
 */
const CACHE_MS = 60_000
const CACHE_MAX = 100

/**
 * Makes the function that finds a verifying key by its id. Null means that no such key exists. The function caches known keys
 * for a minute, and no unknown keys.
 */
export function keyReader(deps: Deps): (kid: string) => Promise<VerifyingKey | null> {
  const cache = new Map<string, VerifyingKey & { until: number }>()
  return async (kid) => {
    const now = deps.clock.now().getTime()
    const cached = cache.get(kid)
    if (cached && now < cached.until && cached.until - now <= CACHE_MS) return cached
    cache.delete(kid)
    const [row] = await deps.db.query<{ issuer: string; public_jwk: JWK; retired_at: Date | null }>(BY_KID, [kid])
    if (!row) return null
    const { issuer, public_jwk, retired_at } = row
    const key = (await importJWK(public_jwk, ALGORITHM)) as CryptoKey
    if (cache.size >= CACHE_MAX) cache.clear()
    cache.set(kid, { issuer, key, retired_at, until: now + CACHE_MS })
    return { issuer, key, retired_at }
  }
}
