// Passwords: Argon2id, long rather than complicated, and never one of those that everybody tries first.

import { argon2, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { limitConcurrency, newId, type Random, randomBase62, refuseField } from '../../kernel/lib/index.ts'
import { setIdentity } from '../merchants/index.ts'
import { forgetAccount } from './adapter.ts'
import { COMMON_PASSWORDS } from './credentials-common.ts'
import { EMBEDDED } from './tokens.ts'

const derive = promisify(argon2)

const LENGTH_MIN = 8
const LENGTH_MAX = 128

/** As OWASP recommends for Argon2id: 19 MiB, two passes. A stored hash names its own, so these may grow. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const SALT_BYTES = 16

/** What is wrong with a password, in the words of PASSWORD_PROBLEMS and of the pages. */
export type PasswordProblem = 'short' | 'long' | 'common' | 'personal'

const PASSWORD_PROBLEMS: Record<PasswordProblem, string> = {
  short: `must have at least ${LENGTH_MIN} characters`,
  long: `must have at most ${LENGTH_MAX} characters`,
  common: 'is one of those that everybody tries first',
  personal: 'must not be the e-mail address or the name',
}

/** Two ways to type the same letters give the same password. */
const normal = (password: string) => password.toWellFormed().normalize('NFKC')

/** What is wrong with a password for this person; null when it will do. There are no rules about kinds of characters. */
export function passwordProblem(password: string, person: { email: string; name: string }): PasswordProblem | null {
  const text = normal(password)
  const length = [...text].length
  if (length < LENGTH_MIN) return 'short'
  if (length > LENGTH_MAX) return 'long'
  const plain = text.toLowerCase()
  const own = [person.email, person.email.split('@')[0] ?? '', person.name, person.name.replaceAll(' ', '')]
  if (own.some((word) => word.toLowerCase() === plain)) return 'personal'
  return COMMON_PASSWORDS.has(plain) || new Set(plain).size === 1 ? 'common' : null
}

/** A password that nobody guesses, for a person who will change it. */
export function newPassword(random: Random): string {
  return randomBase62(random, 20)
}

/** The hash of a password, in the PHC form. Takes tens of milliseconds: call it outside of transactions. */
export async function hashPassword(deps: Deps, password: string): Promise<string> {
  const salt = Buffer.from(deps.random.bytes(SALT_BYTES))
  const { memory, passes, parallelism } = COST
  const tag = await tagOf(password, salt, COST)
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/** Passwords that are derived at once. One processor is left to payments, where there are two. */
const derivedAtOnce = limitConcurrency(Math.min(2, Math.max(1, availableParallelism() - 1)))

function tagOf(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  const given = { message: normal(password), nonce, tagLength: TAG_BYTES, ...cost }
  return derivedAtOnce(() => derive('argon2id', given))
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/(?<!=)=+$/, '')

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

/** Nobody's password, of the same cost: asking for a stranger takes as long as asking for somebody we know. */
const NOBODY = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(Buffer.alloc(SALT_BYTES))}$${base64(Buffer.alloc(TAG_BYTES))}`

/** Whether this is the password of the hash. Null, nobody's hash, is answered no in the same time. */
export async function checkPassword(stored: string | null, password: string): Promise<boolean> {
  const parts = PHC.exec(stored ?? NOBODY)
  if (!parts) throw new Error('a stored password hash cannot be read')
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number) as [number, number, number]
  const [salt, tag] = parts.slice(4).map((part) => Buffer.from(part, 'base64')) as [Buffer, Buffer]
  // Longer texts are no password of anybody's, and must not cost more than one.
  const text = password.length > LENGTH_MAX * 4 ? '' : password
  const found = await tagOf(text, salt, { memory, passes, parallelism })
  return timingSafeEqual(found, tag) && stored !== null && text !== ''
}

const STORE = sql(
  'credentials_store',
  `insert into credentials (user_id, password_hash, changed_at) values ($1, $2, $3)
   on conflict (user_id) do update set password_hash = excluded.password_hash, changed_at = excluded.changed_at`,
)
const HASH = sql('credentials_hash', 'select password_hash from credentials where user_id = $1')

/** True when this is the password of a person of the built-in provider. */
export async function hasPassword(reader: Reader, user_id: string, password: string): Promise<boolean> {
  const [row] = await reader.query<{ password_hash: string }>(HASH, [user_id])
  return checkPassword(row?.password_hash ?? null, password)
}
const SUBJECT = sql('credentials_subject', 'select issuer, subject, email, name from users where id = $1 for update')

type Person = { issuer: string | null; subject: string | null; email: string; name: string }

/**
 * Sets a person's password and signs them out everywhere, as `storePassword`. Refuses (400) a password that will not do.
 */
export async function setPassword(deps: Deps, tx: Tx, user_id: string, password: string): Promise<void> {
  const person = await findPerson(tx, user_id)
  const problem = passwordProblem(password, person)
  if (problem) refuseField('password', PASSWORD_PROBLEMS[problem])
  await storePassword(deps, tx, user_id, await hashPassword(deps, password))
}

/**
 * Stores a password that was hashed before, and ends every session of the person: what the provider remembers is
 * deleted, and the person gets a new subject, so that access tokens that are still out are refused on the next request.
 */
export async function storePassword(deps: Deps, tx: Tx, user_id: string, password_hash: string): Promise<void> {
  await tx.query(STORE, [user_id, password_hash, deps.clock.now()])
  await endSessions(deps, tx, user_id)
}

/** Signs a person of the built-in provider out everywhere, on the next request of every process. */
export async function endSessions(deps: Deps, tx: Tx, user_id: string): Promise<void> {
  const { subject } = await findPerson(tx, user_id)
  if (subject !== null) await forgetAccount(tx, subject)
  await setIdentity(deps, tx, user_id, { issuer: EMBEDDED, subject: newId(deps, 0) })
}

async function findPerson(reader: Reader, user_id: string): Promise<Person> {
  const [person] = await reader.query<Person>(SUBJECT, [user_id])
  if (!person) throw new Error('a password for nobody')
  if (person.issuer !== null && person.issuer !== EMBEDDED) {
    refuseField('email', 'belongs to a person of another identity provider, who has no password here')
  }
  return person
}
