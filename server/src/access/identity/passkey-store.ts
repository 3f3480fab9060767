// Stores passkeys, and the challenges that passkeys sign.

import { type Deps, oneStatement, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'

/** The greatest number of passkeys of a user. */
export const PASSKEYS_MAX = 10
/** The lifetime of a challenge in seconds, in which the user must answer the dialog of the browser. */
export const CHALLENGE_S = 300
const CHALLENGE_BYTES = 32

/** A passkey in the list of a user's passkeys. Null as `used_at` means that the user has not used it. */
export type ListedPasskey = { id: string; name: string; created_at: Date; used_at: Date | null }

/** The data that verifies the answers of a passkey. `domain` is the relying party id. */
export type PasskeyKey = {
  domain: string
  credential_id: Buffer
  public_key: Buffer
  sign_count: number
  transports: string[]
}

const LIST = sql(
  'passkeys_list',
  'select id, name, created_at, used_at from passkeys where user_id = $1 order by created_at, id',
)
const USABLE = sql(
  'passkeys_usable',
  'select credential_id, transports from passkeys where user_id = $1 and domain = $2 order by created_at, id',
)
const FIND = sql(
  'passkeys_find',
  `select id, domain, credential_id, public_key, sign_count::float8 as sign_count, transports from passkeys
   where user_id = $1 and domain = $2 and credential_id = $3`,
)
const USE = sql(
  'passkeys_use',
  `update passkeys set sign_count = $2, used_at = $3
   where id = $1 and (sign_count < $2 or (sign_count = 0 and $2 = 0)) returning id`,
)
const LOCK_OWNER = sql('passkeys_lock_owner', 'select user_id from second_steps where user_id = $1 for update')
const COUNT = sql('passkeys_count', 'select count(*)::int as n from passkeys where user_id = $1')
const ADD = sql(
  'passkeys_add',
  `insert into passkeys (id, user_id, domain, credential_id, public_key, sign_count, transports, name, created_at, used_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, null) on conflict (credential_id) do nothing returning id`,
)
const REMOVE = sql(
  'passkeys_remove',
  'delete from passkeys where id = $1 and user_id = $2 returning id, name, created_at, used_at',
)
const CLEAR = sql('passkeys_clear', 'delete from passkeys where user_id = $1')

/** Returns the passkeys of a user, oldest first. */
export function listPasskeys(reader: Reader, user_id: string): Promise<ListedPasskey[]> {
  return reader.query<ListedPasskey>(LIST, [user_id])
}

/** Returns the passkeys of a user that are valid for a domain. */
export function usablePasskeys(
  reader: Reader,
  user_id: string,
  domain: string,
): Promise<Pick<PasskeyKey, 'credential_id' | 'transports'>[]> {
  return reader.query(USABLE, [user_id, domain])
}

/** Returns a passkey of a user by its credential id. Null means that the user has no such passkey. */
export async function findPasskey(
  reader: Reader,
  user_id: string,
  domain: string,
  credential_id: Buffer,
): Promise<(PasskeyKey & { id: string }) | null> {
  const [row] = await reader.query<PasskeyKey & { id: string }>(FIND, [user_id, domain, credential_id])
  return row ?? null
}

/**
 * Records the use of a passkey. If the counter is not greater than the stored counter, or the passkey does not exist, returns
 * false. Both counters may be zero.
 */
export async function recordUse(deps: Deps, id: string, sign_count: number): Promise<boolean> {
  return (await oneStatement(deps.db).query(USE, [id, sign_count, deps.clock.now()])).length === 1
}

/**
 * Stores a new passkey. If the user has no second step or has PASSKEYS_MAX passkeys, or if the passkey is already stored,
 * stores nothing and returns the reason.
 */
export async function addPasskey(
  deps: Deps,
  tx: Tx,
  user_id: string,
  passkey: PasskeyKey & { name: string },
): Promise<'added' | 'no_second_step' | 'full' | 'known'> {
  // With this lock, concurrent additions of one user wait for each other, so that the limit holds.
  if ((await tx.query(LOCK_OWNER, [user_id])).length === 0) return 'no_second_step'
  const [count] = await tx.query<{ n: number }>(COUNT, [user_id])
  if ((count?.n ?? 0) >= PASSKEYS_MAX) return 'full'
  const { domain, credential_id, public_key, sign_count, transports, name } = passkey
  const now = deps.clock.now()
  const values = [newId(deps, 0), user_id, domain, credential_id, public_key, sign_count, transports, name, now]
  return (await tx.query(ADD, values)).length === 1 ? 'added' : 'known'
}

/** Deletes a passkey of a user and returns it. Null means that the user has no such passkey. */
export async function removePasskey(tx: Tx, user_id: string, id: string): Promise<ListedPasskey | null> {
  const [removed] = await tx.query<ListedPasskey>(REMOVE, [id, user_id])
  return removed ?? null
}

/** Deletes all passkeys of a user. */
export async function clearPasskeys(tx: Tx, user_id: string): Promise<void> {
  await tx.query(CLEAR, [user_id])
}

/**
 * The purpose of a passkey answer, and its user. `binding` is the id of the open sign-in, or of the session to confirm.
 */
export type Ceremony = { purpose: 'add' | 'sign_in' | 'confirm'; binding: string; user_id: string }

const OPEN = sql(
  'passkey_challenges_open',
  `insert into passkey_challenges (purpose, binding, user_id, challenge, expires_at) values ($1, $2, $3, $4, $5)
   on conflict (purpose, binding) do update set user_id = excluded.user_id, challenge = excluded.challenge,
     expires_at = excluded.expires_at`,
)
const TAKE = sql(
  'passkey_challenges_take',
  `delete from passkey_challenges where purpose = $1 and binding = $2 and user_id = $3 returning challenge, expires_at`,
)
const SWEEP = sql(
  'passkey_challenges_sweep',
  `delete from passkey_challenges where (purpose, binding) in (
     select c.purpose, c.binding from passkey_challenges c where c.expires_at <= $1 limit 1000) returning purpose`,
)

/** Makes and returns a new challenge, which replaces an open challenge of the same ceremony. */
export async function openChallenge(deps: Deps, { purpose, binding, user_id }: Ceremony): Promise<Uint8Array> {
  const challenge = deps.random.bytes(CHALLENGE_BYTES)
  const expires_at = new Date(deps.clock.now().getTime() + CHALLENGE_S * 1000)
  await oneStatement(deps.db).query(OPEN, [purpose, binding, user_id, Buffer.from(challenge), expires_at])
  return challenge
}

/** Deletes the challenge of a ceremony and returns it. Null means that no challenge is open, or that it has expired. */
export async function takeChallenge(deps: Deps, { purpose, binding, user_id }: Ceremony): Promise<Buffer | null> {
  type ChallengeRow = { challenge: Buffer; expires_at: Date }
  const [row] = await oneStatement(deps.db).query<ChallengeRow>(TAKE, [purpose, binding, user_id])
  return row && row.expires_at > deps.clock.now() ? row.challenge : null
}

/** Deletes expired challenges, at most 1,000. Returns the number of deleted challenges. */
export async function sweepChallenges(deps: Deps, now: Date): Promise<number> {
  return (await oneStatement(deps.db).query(SWEEP, [now])).length
}
