// Lists the columns with encrypted values, counts their values by key, and encrypts values with the current key. This room
// writes these columns of other rooms, because a new ciphertext does not change the meaning of a value.

import { type Vault, WITH_KEY_ID, WITHOUT_KEY_ID } from '../lib/index.ts'
import { createDb, type Db, oneStatement, type Reader, sql } from './pool.ts'

type SealedColumn = {
  table: string
  column: string
  /** The columns of the primary key of the table, with their types. */
  key: Readonly<Record<string, string>>
  /**
   * If the key of the value of a row `t` is lost, this SQL sets the new values of the row. `$2` is the time. Null means that
   * the command deletes the row, which is useless without the value.
   */
  if_lost: string | null
}

/** The text in place of a value whose key is lost. No key decrypts this text. */
const LOST = "'lost'"

/** Every column whose values `Vault.seal` encrypts, except the canaries. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'vault_canary', column: 'mark_key', key: { id: 'smallint' }, if_lost: 'mark_key = null' },
  {
    table: 'signing_keys',
    column: 'private_jwk',
    key: { kid: 'text' },
    // The server makes a new key. The public part of the retired key still verifies old tokens.
    if_lost: `private_jwk = ${LOST}, retired_at = coalesce(t.retired_at, $2)`,
  },
  // The user must sign in with a recovery code, or an operator removes the second step.
  { table: 'second_steps', column: 'secret', key: { user_id: 'uuid' }, if_lost: `secret = ${LOST}` },
  // Deliveries fail with secret_unreadable until the merchant rotates the secret.
  {
    table: 'webhook_configs',
    column: 'secret',
    key: { merchant_id: 'uuid', environment: 'text', id: 'uuid' },
    if_lost: `secret = ${LOST}`,
  },
  {
    table: 'webhook_configs',
    column: 'previous_secret',
    key: { merchant_id: 'uuid', environment: 'text', id: 'uuid' },
    if_lost: 'previous_secret = null, previous_secret_until = null',
  },
  // The user must sign in again.
  { table: 'identity_records', column: 'payload', key: { model: 'text', id_hash: 'bytea' }, if_lost: null },
  {
    table: 'outbox_messages',
    column: 'body',
    key: { merchant_id: 'uuid', id: 'uuid' },
    if_lost: `body = ${LOST}, due_at = null, lease_owner = null,
      status = case t.status when 'waiting' then 'failed' else t.status end,
      error = case t.status when 'waiting' then 'text_lost: the SECRET_KEY of the text is lost' else t.error end`,
  },
]

/**
 * The number of values of a column that one key encrypted. Null as `key_id` means that the values contain no key id.
 */
export type SealedCount = { table: string; column: string; key_id: string | null; values: number }

/** Opens a connection for statements over whole tables, which have no time limit. The caller closes the connection. */
export function openReporting({ url }: Db): Db {
  return createDb({ url, max_connections: 1, application_name: 'malipo-secrets', reporting: true })
}

/** Counts the encrypted values of every column by key. Reads whole tables, so use `openReporting`. */
export async function countSealed(reporting: Reader): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, column } of SEALED_COLUMNS) {
    const text = `select case when ${column} like '${WITH_KEY_ID}:%' then split_part(${column}, ':', 2) end as key_id, count(*)::int as values
      from ${table} where ${column} like '${WITH_KEY_ID}:%' or ${column} like '${WITHOUT_KEY_ID}:%' group by 1 order by 1`
    const rows = await reporting.query<{ key_id: string | null; values: number }>(sql('', text))
    counts.push(...rows.map((row) => ({ table, column, ...row })))
  }
  return counts
}

/** A value that the current key did not encrypt: the texts of its primary key, and the encrypted text. */
type OldSealed = { key: string[]; sealed: string }

const SET_SIZE = 500

/**
 * Reads the values of a column that `current` did not encrypt, in the order of the primary key, in batches. The caller may
 * change the values of a batch before the next batch.
 */
export async function* readOldSealed(
  reporting: Reader,
  { table, column, key }: SealedColumn,
  current: string,
): AsyncGenerator<OldSealed[]> {
  const names = Object.keys(key)
  const after = Object.values(key).map((type, i) => `$${i + 3}::text::${type}`)
  const texts = names.map((name) => `${name}::text`)
  const page = (where: string) =>
    `select array[${texts.join(', ')}] as key, ${column} as sealed from ${table}
     where (${column} like '${WITHOUT_KEY_ID}:%' or ${column} like '${WITH_KEY_ID}:%' and ${column} not like $1) ${where}
     order by ${names.join(', ')} limit $2`
  const first = sql('', page(''))
  const next = sql('', page(`and (${names.join(', ')}) > (${after.join(', ')})`))
  const common = [`${WITH_KEY_ID}:${current}:%`, SET_SIZE]
  let rows = await reporting.query<OldSealed>(first, common)
  for (;;) {
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    rows = await reporting.query<OldSealed>(next, [...common, ...last.key])
  }
}

/**
 * Returns the condition that finds the rows of a JSON input `n` by key. Rows whose value is no longer the old value do not
 * match.
 */
function unchangedRows({ column, key }: SealedColumn): string {
  const same = Object.entries(key).map(([name, type], i) => `t.${name} = (n.key ->> ${i})::${type}`)
  return `${same.join(' and ')} and t.${column} = n.sealed`
}

/** The number of values that one step changed, and the number that no key of the vault decrypts. */
type ResealStep = { resealed: number; unreadable: number }

/**
 * Encrypts the values of a batch with the current key. If another process has changed a value since the read, the function
 * leaves the new value unchanged. So a repeated or concurrent call does no harm.
 */
export async function reseal(
  db: Db,
  vault: Vault,
  column: SealedColumn,
  values: readonly OldSealed[],
): Promise<ResealStep> {
  const changes = values.flatMap(({ key, sealed }) => {
    try {
      return [{ key, sealed, renewed: vault.seal(vault.open(sealed)) }]
    } catch {
      return []
    }
  })
  const unreadable = values.length - changes.length
  if (changes.length === 0) return { resealed: 0, unreadable }
  const text = `update ${column.table} t set ${column.column} = n.renewed
    from json_to_recordset($1::json) as n(key json, sealed text, renewed text) where ${unchangedRows(column)} returning 1`
  const changed = await oneStatement(db).query(sql('', text), [JSON.stringify(changes)])
  return { resealed: changed.length, unreadable }
}

/**
 * Applies `if_lost` to the values of a batch whose key is lost. Returns the number of changed or deleted rows. If another
 * process has changed a value since the read, the function leaves that row unchanged.
 */
export async function giveUp(db: Db, column: SealedColumn, values: readonly OldSealed[], now: Date): Promise<number> {
  if (values.length === 0) return 0
  const { table, if_lost } = column
  const input = 'json_to_recordset($1::json) as n(key json, sealed text)'
  const text =
    if_lost === null
      ? `delete from ${table} t using ${input} where ${unchangedRows(column)} and $2::timestamptz is not null returning 1`
      : `update ${table} t set ${if_lost} from ${input} where ${unchangedRows(column)} and $2::timestamptz is not null returning 1`
  const changed = await oneStatement(db).query(sql('', text), [JSON.stringify(values), now])
  return changed.length
}
