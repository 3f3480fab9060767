// Builds the vault of a process from its secret keys and the canaries of its database.

import {
  adminCommand,
  ConfigError,
  createVault,
  keyIdOf,
  keyIdOfSealed,
  markKeyOf,
  type Random,
  type Vault,
} from '../lib/index.ts'
import {
  addCanary,
  CANARY_TEXT,
  type Canary,
  carriesKeyIds,
  FIND_THE_KEY,
  opens,
  readCanaries,
  sampleSealed,
} from './canary.ts'
import type { Deps } from './deps.ts'
import { inTransaction, oneStatement, type Reader, sql, type Tx } from './pool.ts'
import { countSealed, openReporting } from './sealed.ts'

type VaultDeps = Pick<Deps, 'db' | 'clock' | 'random' | 'log'>
type SecretKeys = readonly Uint8Array[]

const INSERT_FIRST = sql(
  'vault_canary_insert',
  `insert into vault_canary (id, sealed, key_id, written_at) values (1, $1, $2, $3) on conflict do nothing`,
)
const LOCK = sql('vault_canary_lock', 'select 1 from vault_canary where id = 1 for update')
const NAME_FIRST = sql('vault_canary_name', 'update vault_canary set key_id = $1 where id = 1 and key_id is null')
const GIVE_ID = sql('vault_canary_give_id', 'update vault_canary set sealed = $1 where id = 1')
const SET_MARK_KEY = sql('vault_canary_mark', 'update vault_canary set mark_key = $1 where id = 1')
const RETIRE = sql(
  'vault_canary_retire',
  'update vault_canary set retired_at = $2 where key_id = any($1::text[]) and retired_at is null',
)

/**
 * Returns the vault of a process with these keys; the first key encrypts. If the keys cannot decrypt the values of this
 * database, throws a ConfigError. The first start writes the canary. If the database is older than the canary, a key must first
 * decrypt at least half of the sampled values.
 */
export async function openVault(deps: VaultDeps, keys: SecretKeys): Promise<Vault> {
  const { db, random } = deps
  if ((await readCanaries(db)).length === 0) await writeFirst(deps, keys)
  const retirable = await requireKeys(deps, keys)
  if (mustUpdate(await readCanaries(db), keys, retirable))
    await inTransaction(db, (tx) => updateCanaries(deps, tx, keys, retirable))
  const canaries = await readCanaries(db)
  const trial = createVault(keys, random)
  // Since the check, another process may have begun to use another key.
  if (canaries.some(({ retired_at, sealed }) => retired_at === null && !opens(trial, sealed)))
    throw new ConfigError(WRONG_KEY)
  const vault = createVault(keys, random, {
    writes_ids: keys.length > 1 || carriesKeyIds(canaries),
    mark_key: readMarkKey(random, canaries, keys),
  })
  warnOfOrder(deps, canaries, vault)
  return vault
}

/** If a newer key than the first key of the process is in use, logs a warning. */
function warnOfOrder({ log }: VaultDeps, canaries: readonly Canary[], { key_ids }: Vault): void {
  const newest = canaries.findLast(({ retired_at }) => retired_at === null)?.key_id
  const [current] = key_ids
  if (newest === current) return
  log.warn(
    { component: 'db', current, newest },
    'SECRET_KEY does not begin with the newest key of this database: put the newest key first, unless you go back to the older key',
  )
}

const WRONG_KEY = `SECRET_KEY is not the key of this database: this key cannot decrypt the values of the database.
${FIND_THE_KEY}`

const MISSING_CANARY = 'the table vault_canary lost its rows while this program started: start the program again'

/** Returns the key that decrypts a value. Undefined means that no key decrypts it. */
function openerOf(random: Random, keys: SecretKeys, sealed: string): Uint8Array | undefined {
  return keys.find((key) => opens(createVault(key, random), sealed))
}

/**
 * Writes the first canary of a database. Uses the key that decrypts most of the sampled values. If that key decrypts less than
 * half of them, throws a ConfigError.
 */
async function writeFirst(deps: VaultDeps, keys: SecretKeys): Promise<void> {
  const values = await sampleSealed(deps.db)
  const readable = keys.map((key) => values.filter((sealed) => opens(createVault(key, deps.random), sealed)).length)
  const most = Math.max(...readable)
  if (most * 2 < values.length) throw new ConfigError(WRONG_KEY)
  const key = keys[readable.indexOf(most)] as Uint8Array
  // If two processes start at the same time, the first writes its canary. The second must decrypt that canary.
  const sealed = createVault(key, deps.random).seal(CANARY_TEXT)
  await oneStatement(deps.db).query(INSERT_FIRST, [sealed, keyIdOf(key), deps.clock.now()])
}

/**
 * Returns the ids of keys in use that `keys` lacks and that no value needs. If the keys are wrong, if a value needs a missing
 * key, or if another key replaced the first key before, throws a ConfigError.
 */
async function requireKeys(deps: VaultDeps, keys: SecretKeys): Promise<string[]> {
  const canaries = await readCanaries(deps.db)
  const current = keyIdOf(keys[0] as Uint8Array)
  if (!canaries.some(({ sealed }) => openerOf(deps.random, keys, sealed) !== undefined))
    throw new ConfigError(WRONG_KEY)
  const replaced = canaries.find(({ key_id, retired_at }) => key_id === current && retired_at !== null)
  const missing = canaries.filter(
    ({ retired_at, sealed }) => retired_at === null && openerOf(deps.random, keys, sealed) === undefined,
  )
  if (missing.length > 0) await requireUnused(deps, missing)
  if (replaced !== undefined) {
    throw new ConfigError(
      `SECRET_KEY begins with the key ${current}, which another key replaced on ${replaced.retired_at?.toISOString().slice(0, 10)}.
Put the current key first. "${adminCommand('secrets status')}" lists the keys.`,
    )
  }
  return missing.flatMap(({ key_id }) => key_id ?? [])
}

/** If a value of this database needs one of these keys, throws a ConfigError. Reads whole tables. */
async function requireUnused({ db }: VaultDeps, missing: readonly Canary[]): Promise<void> {
  const reporting = openReporting(db)
  const counts = await countSealed(reporting).finally(() => reporting.close())
  for (const { id, key_id } of missing) {
    const needing = counts.filter((count) => count.key_id === key_id || (count.key_id === null && id === 1))
    const values = needing.reduce((sum, count) => sum + count.values, 0)
    if (values === 0) continue
    throw new ConfigError(
      `SECRET_KEY lacks the key ${key_id}, which ${values} values of this database need.
Add this key at the end of SECRET_KEY, after a comma, and run "${adminCommand('secrets rotate')}". Then remove the key.
docs/operate/secret-key.md describes what to do if the key is lost.`,
    )
  }
}

/** Returns true if the canaries of these keys need a change. Most starts change nothing. */
function mustUpdate(canaries: readonly Canary[], keys: SecretKeys, retirable: readonly string[]): boolean {
  const current = keyIdOf(keys[0] as Uint8Array)
  return (
    retirable.length > 0 ||
    canaries[0]?.key_id === null ||
    !canaries.some(({ key_id }) => key_id === current) ||
    lacksMarkKey(canaries, keys)
  )
}

/**
 * Returns true if the database must store the key of keyed hashes, because it has none and uses more than its first key.
 */
function lacksMarkKey(canaries: readonly Canary[], keys: SecretKeys): boolean {
  return canaries[0]?.mark_key === null && (keys.length > 1 || carriesKeyIds(canaries))
}

/** Updates the canaries to the keys of this process, and retires keys that no value needs. */
async function updateCanaries(
  { random, clock }: VaultDeps,
  tx: Tx,
  keys: SecretKeys,
  retirable: readonly string[],
): Promise<void> {
  await tx.query(LOCK)
  const canaries = await readCanaries(tx)
  const [first] = canaries
  if (first === undefined) throw new Error(MISSING_CANARY)
  const current = keys[0] as Uint8Array
  const original = openerOf(random, keys, first.sealed)
  const withId = (key: Uint8Array) => createVault(key, random, { writes_ids: true })
  if (first.key_id === null && original !== undefined) await tx.query(NAME_FIRST, [keyIdOf(original)])
  // After this statement, a program without key ids refuses to start, because it could not read the values with a key id.
  if (keys.length > 1 && original !== undefined && !carriesKeyIds(canaries))
    await tx.query(GIVE_ID, [withId(original).seal(CANARY_TEXT)])
  if (lacksMarkKey(canaries, keys)) {
    const mark_key = markKeyOf(original ?? current).toString('base64')
    await tx.query(SET_MARK_KEY, [withId(current).seal(mark_key)])
  }
  const current_id = keyIdOf(current)
  if (original !== current && !canaries.some(({ key_id }) => key_id === current_id))
    await addCanary(tx, withId(current), clock.now())
  if (retirable.length > 0) await tx.query(RETIRE, [retirable, clock.now()])
}

/**
 * Returns a vault without a check of its keys, for a command that repairs the keys. If the keys decrypt the key of keyed
 * hashes, the vault uses it. Otherwise the vault uses the key that the database will have when the command has given up the
 * lost key.
 */
export async function uncheckedVault(db: Reader, random: Random, keys: SecretKeys): Promise<Vault> {
  const canaries = await readCanaries(db)
  try {
    return createVault(keys, random, { writes_ids: true, mark_key: readMarkKey(random, canaries, keys) })
  } catch {
    const [first] = canaries
    const original = first === undefined ? undefined : openerOf(random, keys, first.sealed)
    const mark_key = markKeyOf(original ?? (keys[0] as Uint8Array))
    return createVault(keys, random, { writes_ids: true, mark_key })
  }
}

function readMarkKey(random: Random, [first]: readonly Canary[], keys: SecretKeys): Buffer {
  if (first === undefined) throw new Error(MISSING_CANARY)
  if (first.mark_key !== null) {
    const vault = createVault(keys, random)
    if (!opens(vault, first.mark_key)) {
      throw new ConfigError(
        `SECRET_KEY lacks the key ${keyIdOfSealed(first.mark_key)}, which encrypts the key of keyed hashes. Add this key at the end of SECRET_KEY.
docs/operate/secret-key.md describes what to do if the key is lost.`,
      )
    }
    return Buffer.from(vault.open(first.mark_key), 'base64')
  }
  const original = openerOf(random, keys, first.sealed)
  if (original === undefined) throw new ConfigError(WRONG_KEY)
  return markKeyOf(original)
}
