// Checks the secret key with a canary: one known text in the database, encrypted with SECRET_KEY. At its start, a process
// with a wrong key fails to decrypt the canary.

import { ConfigError, type Vault } from '../lib/index.ts'
import type { Deps } from './deps.ts'
import { oneStatement, type Reader, sql } from './pool.ts'

const TEXT = 'This database and this SECRET_KEY belong together.'
/**
 * The number of values that the check samples per table. The keys of the sampled tables begin with a time, so the sample has
 * the oldest values.
 */
const SAMPLES_MAX = 100

const CANARY = sql('vault_canary', 'select sealed from vault_canary where id = 1')
const INSERT = sql(
  'vault_canary_insert',
  'insert into vault_canary (id, sealed, written_at) values (1, $1, $2) on conflict (id) do nothing',
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

/**
 * Returns true if the vault of this process decrypts the canary of its database. If the canary is missing, for example in a
 * restored database, returns false. If the database is unreachable, throws.
 */
export async function readCanary({ db, vault }: { db: Reader; vault: Vault }): Promise<boolean> {
  const sealed = await findCanary(db)
  return sealed !== null && opens(vault, sealed)
}

/**
 * Returns true if the database contains encrypted values. A newly made key cannot be the right key of a database with
 * encrypted values.
 */
export async function holdsSealed(db: Reader): Promise<boolean> {
  return (await findCanary(db)) !== null || (await sealedValues(db)).length > 0
}

/**
 * If the vault cannot decrypt the values of this database, throws a ConfigError. The first start on a database writes the
 * canary. If the database is older than the canary, the key must first decrypt at least half of the sampled values.
 */
export async function requireRightKey({ db, vault, clock }: Pick<Deps, 'db' | 'vault' | 'clock'>): Promise<void> {
  if ((await findCanary(db)) === null) {
    const values = await sealedValues(db)
    const read = values.filter((sealed) => opens(vault, sealed)).length
    if (read * 2 < values.length) throw new ConfigError(WRONG_KEY)
    // If two processes start at once, the first writes its canary, and the second must decrypt that canary.
    await oneStatement(db).query(INSERT, [vault.seal(TEXT), clock.now()])
  }
  if (!(await readCanary({ db, vault }))) throw new ConfigError(WRONG_KEY)
}

/** Returns the instructions for an operator who started the process without the key of the database. */
export const FIND_THE_KEY = `Set the SECRET_KEY of this database. If you never set SECRET_KEY, copy the file secret.key from the earlier DATA_DIR into
this DATA_DIR. Keep the key in every backup.
Without the key, this program cannot read webhook secrets, second steps of sign-in, the keys that sign tokens and stored
messages, and cannot use this database: search your backups for the key first.`

const WRONG_KEY = `SECRET_KEY is not the key of this database: this key cannot decrypt the values of the database.
${FIND_THE_KEY}`

async function findCanary(reader: Reader): Promise<string | null> {
  const [row] = await reader.query<{ sealed: string }>(CANARY)
  return row?.sealed ?? null
}

/**
 * Returns the oldest encrypted values of permanent tables. If the permanent tables have no encrypted value, returns values
 * of tables whose rows expire.
 */
async function sealedValues(reader: Reader): Promise<string[]> {
  for (const statement of [PERMANENT_VALUES, EXPIRING_VALUES]) {
    const rows = await reader.query<{ sealed: string }>(statement, [SAMPLES_MAX])
    if (rows.length > 0) return rows.map(({ sealed }) => sealed)
  }
  return []
}

function opens(vault: Vault, sealed: string): boolean {
  try {
    vault.open(sealed)
    return true
  } catch {
    return false
  }
}
