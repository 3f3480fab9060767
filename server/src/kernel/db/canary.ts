// Checks the secret keys with canaries: for each key that has encrypted values, the database has one known text, encrypted with
// that key. A process that lacks a key in use fails to decrypt the canary of that key.

import { type Vault, WITH_KEY_ID } from '../lib/index.ts'
import { type Reader, sql, type Tx } from './pool.ts'

/** The name of a key without an id: only programs without key ids used the key. */
export const UNKNOWN_KEY = 'unknown'
/** The text that every canary contains in encrypted form. */
export const CANARY_TEXT = 'This database and this SECRET_KEY belong together.'
/**
 * The largest number of values that the check samples per table. The statements read each table in the order of time or of ids
 * that begin with a time, so that the sample has old values.
 */
const SAMPLES_MAX = 100

/**
 * The canary of one key. If `key_id` is null, only programs without key ids have used the database. If `retired_at` is not
 * null, no process needs the key any more: no value needs the key, or the operator has lost it.
 */
export type Canary = {
  id: number
  sealed: string
  key_id: string | null
  mark_key: string | null
  retired_at: Date | null
}

const CANARIES = sql('vault_canaries', 'select id, sealed, key_id, mark_key, retired_at from vault_canary order by id')
const ADD = sql(
  'vault_canary_add',
  `insert into vault_canary (id, sealed, key_id, written_at) select max(id) + 1, $1, $2, $3 from vault_canary
   on conflict (key_id) do nothing`,
)
const GIVE_UP = sql(
  'vault_canary_give_up',
  'update vault_canary set retired_at = $2, key_id = coalesce(key_id, $3) where id = $1 and retired_at is null',
)
const PERMANENT_VALUES = sql(
  'vault_canary_lasting',
  `(select secret as sealed from webhook_configs order by merchant_id limit $1)
   union all (select secret from second_steps order by user_id limit $1)
   union all (select private_jwk from signing_keys order by created_at limit $1)`,
)
const EXPIRING_VALUES = sql(
  'vault_canary_passing',
  `(select body as sealed from outbox_messages order by merchant_id, id limit $1)
   union all (select payload from identity_records order by expires_at limit $1)`,
)

/** Reads the canaries of all keys, the first key of the database first. */
export function readCanaries(reader: Reader): Promise<Canary[]> {
  return reader.query<Canary>(CANARIES)
}

/**
 * Returns true if the vault of this process decrypts the canary of every key in use, and encrypts with a key that is not
 * retired. If the canaries are missing, for example in a restored database, returns false. If the database is unreachable,
 * throws.
 */
export async function readCanary({ db, vault }: { db: Reader; vault: Vault }): Promise<boolean> {
  const canaries = await readCanaries(db)
  const [current] = vault.key_ids
  return (
    canaries.length > 0 &&
    canaries.every(({ retired_at, key_id, sealed }) =>
      retired_at === null ? opens(vault, sealed) : key_id !== current,
    )
  )
}

/**
 * Returns true if the database contains encrypted values. A newly made key cannot decrypt values that the database already has.
 */
export async function holdsSealed(db: Reader): Promise<boolean> {
  return (await readCanaries(db)).length > 0 || (await sampleSealed(db)).length > 0
}

/** The instructions for an operator who started the process without the key of the database. */
export const FIND_THE_KEY = `Set the SECRET_KEY of this database. If you never set SECRET_KEY, copy the file secret.key from the earlier DATA_DIR into
this DATA_DIR. Keep the key in every backup.
Without the key, this program can read no webhook secrets, second steps, signing keys or messages, and cannot use
this database. First search your backups for the key. docs/operate/secret-key.md describes what to do if the key is lost.`

/**
 * Returns encrypted values of permanent tables, at most SAMPLES_MAX per table. If the permanent tables have no encrypted value,
 * returns values of tables whose rows expire.
 */
export async function sampleSealed(reader: Reader): Promise<string[]> {
  for (const statement of [PERMANENT_VALUES, EXPIRING_VALUES]) {
    const rows = await reader.query<{ sealed: string }>(statement, [SAMPLES_MAX])
    if (rows.length > 0) return rows.map(({ sealed }) => sealed)
  }
  return []
}

/** Returns true if the vault decrypts the value. */
export function opens(vault: Vault, sealed: string): boolean {
  try {
    vault.open(sealed)
    return true
  } catch {
    return false
  }
}

/** Adds the canary of the current key of the vault. If the key has a canary already, changes nothing. */
export async function addCanary(tx: Tx, vault: Vault, now: Date): Promise<void> {
  await tx.query(ADD, [vault.seal(CANARY_TEXT), vault.key_ids[0], now])
}

/** Retires a key that is lost, so that a process without the key can start, and adds the canary of the current key. */
export async function replaceLostKey(tx: Tx, vault: Vault, lost: Canary, now: Date): Promise<void> {
  await tx.query(GIVE_UP, [lost.id, now, UNKNOWN_KEY])
  await addCanary(tx, vault, now)
}

/** Returns true if at least one of the canaries contains the id of its key. */
export function carriesKeyIds(canaries: readonly Canary[]): boolean {
  return canaries.some(({ sealed }) => sealed.startsWith(`${WITH_KEY_ID}:`))
}
