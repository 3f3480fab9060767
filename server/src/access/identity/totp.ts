// Checks the second step: codes of an authenticator app (TOTP, RFC 6238), and recovery codes for a user without the phone.

import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { type Deps, opens, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { clearPasskeys } from './passkey-store.ts'

const STEP_S = 30
const DIGITS = 6
/** The number of earlier and later codes that the server also accepts, because the clock of a phone may be wrong. */
const WINDOW = 1
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** Generates a secret in base32, which the user can type into the authenticator app. */
export function newTotpSecret(deps: Deps): string {
  const bytes = deps.random.bytes(SECRET_BYTES)
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32
}

function totpOf(secret: string, label = '', issuer = ''): TOTP {
  const of = { secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: DIGITS, period: STEP_S }
  return new TOTP({ ...of, ...(label ? { label } : {}), ...(issuer ? { issuer } : {}) })
}

/** Returns the otpauth URL of a secret, which an authenticator app can open. */
export function otpauthUrl(secret: string, account: string, issuer: string): string {
  return totpOf(secret, account, issuer).toString()
}

/**
 * Returns the counter of a code: the number of 30-second steps since 1970. Null means that the code is not valid now.
 */
export function counterOf(deps: Deps, secret: string, code: string): number | null {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const timestamp = deps.clock.now().getTime()
  const delta = totpOf(secret).validate({ token, timestamp, window: WINDOW })
  return delta === null ? null : Math.floor(timestamp / 1000 / STEP_S) + delta
}

const HAS = sql('second_steps_has', 'select 1 from second_steps where user_id = $1')
const FIND = sql('second_steps_find', 'select secret from second_steps where user_id = $1')
// If the code is already used, the statement updates no row. So if two requests use the same code at the same time, only one
// succeeds.
const USE = sql(
  'second_steps_use',
  'update second_steps set last_counter = $2 where user_id = $1 and last_counter < $2 returning user_id',
)
const USE_RECOVERY = sql(
  'recovery_codes_use',
  'delete from recovery_codes where user_id = $1 and code_hash = $2 returning user_id',
)

/** Returns true if the user has an authenticator app as the second step. */
export async function hasSecondStep(reader: Reader, user_id: string): Promise<boolean> {
  return (await reader.query(HAS, [user_id])).length > 0
}

/** Uses up a code and returns its kind. Null means that the code is wrong or already used. */
export async function useCode(deps: Deps, tx: Tx, user_id: string, code: string): Promise<'app' | 'recovery' | null> {
  const [row] = await tx.query<{ secret: string }>(FIND, [user_id])
  if (!row) return null
  // If the secret is unreadable because SECRET_KEY is lost, recovery codes still work.
  const counter = opens(deps.vault, row.secret) ? counterOf(deps, deps.vault.open(row.secret), code) : null
  if (counter !== null) return (await tx.query(USE, [user_id, counter])).length === 1 ? 'app' : null
  return (await tx.query(USE_RECOVERY, [user_id, recoveryHash(code)])).length === 1 ? 'recovery' : null
}

const SET = sql(
  'second_steps_set',
  `insert into second_steps (user_id, secret, last_counter, created_at) values ($1, $2, $3, $4)
   on conflict (user_id) do update set secret = excluded.secret, last_counter = excluded.last_counter, created_at = excluded.created_at`,
)
const CLEAR_RECOVERY = sql('recovery_codes_clear', 'delete from recovery_codes where user_id = $1')
const ADD_RECOVERY = sql(
  'recovery_codes_add',
  'insert into recovery_codes (user_id, code_hash, created_at) select $1, h, $3 from unnest($2::bytea[]) as h',
)
const CLEAR = sql('second_steps_clear', 'delete from second_steps where user_id = $1')

/**
 * Stores a second step in place of an earlier one, and uses up the code `counter` that confirmed the app. Returns new recovery
 * codes, which the page shows once.
 */
export async function setSecondStep(
  deps: Deps,
  tx: Tx,
  user_id: string,
  secret: string,
  counter: number,
): Promise<string[]> {
  const now = deps.clock.now()
  const codes = Array.from({ length: RECOVERY_CODES }, () => recoveryCode(deps))
  await tx.query(SET, [user_id, deps.vault.seal(secret), counter, now])
  await tx.query(CLEAR_RECOVERY, [user_id])
  await tx.query(ADD_RECOVERY, [user_id, codes.map(recoveryHash), now])
  return codes
}

/** Deletes the second step, the recovery codes and the passkeys of a user. */
export async function dropSecondStep(tx: Tx, user_id: string): Promise<void> {
  await clearPasskeys(tx, user_id)
  await tx.query(CLEAR_RECOVERY, [user_id])
  await tx.query(CLEAR, [user_id])
}

/**
 * Generates a recovery code of sixteen letters and digits in groups of four. A plain hash protects the code, because it has 80
 * random bits.
 */
function recoveryCode(deps: Deps): string {
  const { base32 } = new Secret({ buffer: Uint8Array.from(deps.random.bytes(RECOVERY_BYTES)).buffer })
  return (base32.toLowerCase().match(/.{4}/g) as string[]).join('-')
}

function recoveryHash(code: string): Buffer {
  const plain = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return createHash('sha256').update(plain).digest()
}
