// Defines the commands for the keys of SECRET_KEY: show the status, rotate, and abandon a lost key.

import { PLATFORM, recordAudit } from '../../books/audit/index.ts'
import {
  type Canary,
  countSealed,
  type Deps,
  giveUp,
  inTransaction,
  openReporting,
  opens,
  readCanaries,
  readOldSealed,
  replaceLostKey,
  reseal,
  SEALED_COLUMNS,
  type SealedCount,
  UNKNOWN_KEY,
} from '../../kernel/db/index.ts'
import { keyIdOfSealed, refuse, type Vault } from '../../kernel/lib/index.ts'
import { COMMAND_ACT } from './act.ts'

/** Prints a line of progress for the person who runs the command. */
export type Report = (line: string) => void

/**
 * The state of a key. `current` encrypts new values. `in use` only decrypts values. `removable` has no values, so the operator can
 * remove the key from SECRET_KEY. `missing` has values, but SECRET_KEY lacks the key. `unused` is neither in SECRET_KEY nor needed.
 */
type KeyState = 'current' | 'in use' | 'removable' | 'missing' | 'unused'

type KeyStatus = { key_id: string; state: KeyState; values: number }

/** The encrypted values by table, and the keys. If a value needs a key that SECRET_KEY lacks, `ok` is false. */
type SecretsStatus = {
  ok: boolean
  keys: KeyStatus[]
  tables: { table: string; column: string; key_id: string; values: number }[]
}

/** Counts the encrypted values by key and table. Reads whole tables and changes nothing. */
export async function secretsStatus({ db, vault }: Deps): Promise<SecretsStatus> {
  const reporting = openReporting(db)
  try {
    const [canaries, counts] = [await readCanaries(db), await countSealed(reporting)]
    const first_id = firstKeyId(canaries[0], vault)
    const tables = counts.map((count) => ({ ...count, key_id: count.key_id ?? first_id }))
    const in_use = canaries.filter(({ retired_at }) => retired_at === null).map(({ key_id }) => key_id ?? first_id)
    const ids = new Set([...vault.key_ids, ...in_use, ...tables.map(({ key_id }) => key_id)])
    const keys = [...ids].map((key_id) => keyStatus(key_id, vault.key_ids, tables))
    return { ok: keys.every(({ state }) => state !== 'missing'), keys, tables }
  } finally {
    await reporting.close()
  }
}

/**
 * Returns the id of the first key of the database, which encrypted the values without a key id. If the database stores no id,
 * and SECRET_KEY decrypts the value of the first key, returns the id of the last key of SECRET_KEY. Otherwise returns
 * UNKNOWN_KEY.
 */
function firstKeyId(first: Canary | undefined, vault: Vault): string {
  const given = first !== undefined && opens(vault, first.sealed) ? vault.key_ids.at(-1) : undefined
  return first?.key_id ?? given ?? UNKNOWN_KEY
}

function keyStatus(key_id: string, key_ids: readonly string[], counts: readonly SealedCount[]): KeyStatus {
  const values = counts.filter((count) => count.key_id === key_id).reduce((sum, count) => sum + count.values, 0)
  const place = key_ids.indexOf(key_id)
  if (place === 0) return { key_id, state: 'current', values }
  if (place > 0) return { key_id, state: values > 0 ? 'in use' : 'removable', values }
  return { key_id, state: values > 0 ? 'missing' : 'unused', values }
}

/**
 * The highest number of passes. During a pass, other processes may write values with an old key, and the next pass finds these
 * values.
 */
const PASSES_MAX = 5

/**
 * Encrypts the values of older keys with the first key, in batches. The server can run at the same time. If the command stops, the
 * operator can run it again. If SECRET_KEY contains only one key, refuses with invalid_state. Returns the keys that the
 * operator can remove, and the keys that values still need.
 */
export async function rotateSecrets(deps: Deps, report: Report) {
  const { vault, db } = deps
  const [current] = vault.key_ids
  if (current === undefined || !vault.writes_ids) {
    refuse('invalid_state', {
      message:
        'SECRET_KEY holds one key, which encrypts every value. To replace it, put a new key before it, separated by a comma.',
    })
  }
  let resealed = 0
  let unreadable = 0
  for (let pass = 1; pass <= PASSES_MAX; pass += 1) {
    const found = await rotateOnce(deps, current, report)
    resealed += found.resealed
    unreadable = found.unreadable
    if (found.resealed === 0) break
  }
  const { keys } = await secretsStatus(deps)
  const idsOf = (...states: KeyState[]) =>
    keys.filter(({ state }) => states.includes(state)).map(({ key_id }) => key_id)
  const needed = idsOf('in use', 'missing')
  if (resealed > 0) {
    await inTransaction(db, (tx) =>
      recordAudit(deps, tx, {
        ...COMMAND_ACT,
        merchant_id: PLATFORM,
        action: 'secrets.rotate',
        target_type: 'secret_key',
        target_id: current,
        after: { resealed, unreadable, needed },
      }),
    )
  }
  return { ok: needed.length === 0, current, resealed, unreadable, can_be_removed: idsOf('removable'), needed }
}

async function rotateOnce(
  { db, vault }: Deps,
  current: string,
  report: Report,
): Promise<{ resealed: number; unreadable: number }> {
  const total = { resealed: 0, unreadable: 0 }
  const reporting = openReporting(db)
  try {
    for (const column of SEALED_COLUMNS) {
      let done = 0
      for await (const values of readOldSealed(reporting, column, current)) {
        const step = await reseal(db, vault, column, values)
        done += step.resealed
        total.resealed += step.resealed
        total.unreadable += step.unreadable
        report(`${column.table}.${column.column}: ${done} values encrypted again`)
      }
    }
  } finally {
    await reporting.close()
  }
  return total
}

/**
 * Deletes or clears the values of a lost key and retires the key, so that the server can start without it. If SECRET_KEY
 * contains the key, or the database has no lost key with this id, refuses with invalid_state.
 */
export async function abandonKey(deps: Deps, key_id: string, report: Report) {
  const { db, vault, clock } = deps
  if (vault.key_ids.includes(key_id))
    refuse('invalid_state', {
      message: `SECRET_KEY contains the key ${key_id}, so its values are not lost: "secrets status" lists the missing keys.`,
    })
  const canaries = await readCanaries(db)
  const lost = canaries.find((canary) => (canary.key_id ?? UNKNOWN_KEY) === key_id && canary.retired_at === null)
  if (lost === undefined || opens(vault, lost.sealed)) {
    refuse('invalid_state', { message: `The key ${key_id} is not lost: "secrets status" lists the missing keys.` })
  }
  const abandoned = await giveUpValues(deps, lost, report)
  await inTransaction(db, async (tx) => {
    await replaceLostKey(tx, vault, lost, clock.now())
    await recordAudit(deps, tx, {
      ...COMMAND_ACT,
      merchant_id: PLATFORM,
      action: 'secrets.abandon',
      target_type: 'secret_key',
      target_id: key_id,
      after: Object.fromEntries(abandoned.map(({ table, column, values }) => [`${table}.${column}`, values])),
    })
  })
  return { abandoned_key: key_id, abandoned }
}

/** Deletes or clears every value of the lost key. If a key of SECRET_KEY decrypts a value, the value stays. */
async function giveUpValues({ db, vault, clock }: Deps, lost: Canary, report: Report) {
  const isLost = (sealed: string) => {
    const key_id = keyIdOfSealed(sealed)
    return (key_id === null ? lost.id === 1 : key_id === lost.key_id) && !opens(vault, sealed)
  }
  const abandoned: { table: string; column: string; values: number }[] = []
  const reporting = openReporting(db)
  try {
    for (const column of SEALED_COLUMNS) {
      let values = 0
      for await (const set of readOldSealed(reporting, column, vault.key_ids[0] ?? '')) {
        const given_up = set.filter(({ sealed }) => isLost(sealed))
        values += await giveUp(db, column, given_up, clock.now())
        report(`${column.table}.${column.column}: ${values} values given up`)
      }
      abandoned.push({ table: column.table, column: column.column, values })
    }
  } finally {
    await reporting.close()
  }
  return abandoned
}
