// Checks passwords and stores them as Argon2id hashes. The rules require a minimum length and refuse common passwords, but
// require no kinds of characters.

import { argon2, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { limitConcurrency, newId, type Random, randomBase62, refuseField } from '../../kernel/lib/index.ts'
import { setIdentity } from '../merchants/index.ts'
import { forgetAccount } from './adapter.ts'
import { forgetConsoleSessions } from './console-sessions.ts'
import { commonPasswords } from './credentials-common.ts'
import { endLinks } from './mailed-links.ts'
import { EMBEDDED } from './tokens.ts'

const derive = promisify(argon2)

const LENGTH_MIN = 8
const LENGTH_MAX = 128

/**
 * The cost of Argon2id that OWASP recommends: 19 MiB, two passes. Each stored hash contains its cost, so a later version may
 * raise these numbers.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const SALT_BYTES = 16

/** The reason why the server refuses a password. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'personal'

const PASSWORD_PROBLEMS: Record<PasswordProblem, string> = {
  short: `must have at least ${LENGTH_MIN} characters`,
  long: `must have at most ${LENGTH_MAX} characters`,
  common: 'must not be a common password: choose another password',
  personal: 'must not be the e-mail address or the name',
}

/** Normalizes a password, so that all Unicode forms of the same text are equal. */
const normal = (password: string) => password.toWellFormed().normalize('NFKC')

/**
 * Returns the reason why the server refuses a password for this user. Null means that the password follows the rules.
 */
export async function passwordProblem(
  password: string,
  person: { email: string; name: string },
): Promise<PasswordProblem | null> {
  const text = normal(password)
  const length = [...text].length
  if (length < LENGTH_MIN) return 'short'
  if (length > LENGTH_MAX) return 'long'
  const plain = text.toLowerCase()
  const own = [person.email, person.email.split('@')[0] ?? '', person.name, person.name.replaceAll(' ', '')]
  if (own.some((text_of_user) => text_of_user.toLowerCase() === plain)) return 'personal'
  return new Set(plain).size === 1 || (await commonPasswords()).has(plain) ? 'common' : null
}

/** Generates a random password for a user. */
export function newPassword(random: Random): string {
  return randomBase62(random, 20)
}

/**
 * Returns the Argon2id hash of a password as a PHC text. A hash takes tens of milliseconds, so code that answers requests must
 * not hash within a transaction.
 */
export async function hashPassword(deps: Deps, password: string): Promise<string> {
  const salt = Buffer.from(deps.random.bytes(SALT_BYTES))
  const { memory, passes, parallelism } = COST
  const tag = await passwordTag(password, salt, COST)
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/**
 * The concurrency limit of password hashes: 1 or 2. On a machine with two processors, one processor stays free for payments.
 */
const limitHashing = limitConcurrency(Math.min(2, Math.max(1, availableParallelism() - 1)))

function passwordTag(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  const given = { message: normal(password), nonce, tagLength: TAG_BYTES, ...cost }
  return limitHashing(() => derive('argon2id', given))
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/(?<!=)=+$/, '')

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** A dummy hash with the same cost, so that the check takes the same time for known and unknown users. */
const DUMMY_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(Buffer.alloc(SALT_BYTES))}$${base64(Buffer.alloc(TAG_BYTES))}`

/**
 * Returns true if the password matches the hash. If the hash is null, the function checks a dummy hash, so that the response
 * time does not show whether the account has a password.
 */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  const parts = PHC.exec(stored ?? DUMMY_HASH)
  if (!parts) throw new Error('a stored password hash does not have the PHC form of Argon2id')
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number]
  const [salt, tag] = parts.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer]
  // If the text is too long for a password, the server hashes an empty text instead, so that the check takes the same time.
  const text = password.length > LENGTH_MAX * 4 ? '' : password
  const found = await passwordTag(text, salt, { memory, passes, parallelism })
  return timingSafeEqual(found, tag) && stored !== null && text !== ''
}

const STORE = sql(
  'credentials_store',
  `insert into credentials (user_id, password_hash, changed_at, is_first) values ($1, $2, $3, $4)
   on conflict (user_id) do update set password_hash = excluded.password_hash, changed_at = excluded.changed_at,
     is_first = excluded.is_first`,
)
const HASH = sql('credentials_hash', 'select password_hash from credentials where user_id = $1')

const LOCK_HASH = sql('credentials_lock_hash', 'select password_hash from credentials where user_id = $1 for update')

/** Returns the hash of the user's password at the built-in provider, or null if the user has none. */
export async function findPasswordHash(reader: Reader, user_id: string): Promise<string | null> {
  const [row] = await reader.query<{ password_hash: string }>(HASH, [user_id])
  return row?.password_hash ?? null
}

/** Locks the password of a user until the end of the transaction, and returns its hash. Null means that the user has none. */
export async function lockPasswordHash(tx: Tx, user_id: string): Promise<string | null> {
  const [row] = await tx.query<{ password_hash: string }>(LOCK_HASH, [user_id])
  return row?.password_hash ?? null
}

/** Returns true if this is the password of the user at the built-in provider. */
export async function hasPassword(reader: Reader, user_id: string, password: string): Promise<boolean> {
  return checkPassword(await findPasswordHash(reader, user_id), password)
}
const SUBJECT = sql('credentials_subject', 'select issuer, subject, email, name from users where id = $1 for update')

type UserIdentityRow = { issuer: string | null; subject: string | null; email: string; name: string }

/** If a password breaks a rule for this user, refuses with 400 and the name of the field. */
export async function checkNewPassword(
  field: string,
  password: string,
  person: { email: string; name: string },
): Promise<void> {
  const problem = await passwordProblem(password, person)
  if (problem) refuseField(field, PASSWORD_PROBLEMS[problem])
}

/** Hashes a password and stores it with `storePassword`. If the password breaks a rule, refuses with 400. */
export async function setPassword(
  deps: Deps,
  tx: Tx,
  user_id: string,
  password: string,
  options: { is_first?: boolean } = {},
): Promise<void> {
  const person = await lockUser(tx, user_id)
  await checkNewPassword('password', password, person)
  await storePassword(deps, tx, user_id, await hashPassword(deps, password), options)
}

/**
 * Stores a hashed password and ends all sessions of the user. The user gets a new subject, so the server refuses earlier access
 * tokens. `is_first` means that another person knows the password, so the user must replace it at the next sign-in.
 */
export async function storePassword(
  deps: Deps,
  tx: Tx,
  user_id: string,
  password_hash: string,
  { is_first = false }: { is_first?: boolean } = {},
): Promise<void> {
  await lockUser(tx, user_id)
  await tx.query(STORE, [user_id, password_hash, deps.clock.now(), is_first])
  await endSessions(deps, tx, user_id)
}

/**
 * Ends all sessions of a user of the built-in provider, in every process, from the next request on, and an open link that changes
 * the e-mail address.
 */
export async function endSessions(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  const { subject } = await lockUser(tx, user_id)
  await endLinks(tx, 'change', user_id)
  if (subject !== null) await forgetAccount(tx, subject)
  await forgetConsoleSessions(tx, user_id)
  await setIdentity(deps, tx, user_id, { issuer: EMBEDDED, subject: newId(deps, 0) })
}

/**
 * Locks a user of the built-in provider before the user's links, password, records and sessions, until the transaction ends. If
 * the user signs in at another identity provider, refuses with 400.
 */
export async function lockUser(tx: Tx, user_id: string): Promise<UserIdentityRow> {
  const [person] = await tx.query<UserIdentityRow>(SUBJECT, [user_id])
  if (!person) throw new Error('the database has no user for this password')
  if (person.issuer !== null && person.issuer !== EMBEDDED) {
    refuseField('email', 'belongs to a user of another identity provider, so this server has no password of the user')
  }
  return person
}
