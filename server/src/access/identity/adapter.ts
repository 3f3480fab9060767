// Stores the records of oidc-provider in PostgreSQL. The ids of sessions, codes and refresh tokens are secrets. So the server
// stores only hashes of these ids and encrypted contents, and a copy of the database gives no access.

import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'
import type { Language } from '../../kernel/lib/index.ts'

const UPSERT = sql(
  'identity_records_upsert',
  `insert into identity_records (model, id_hash, payload, grant_id, account_id, uid, consumed_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, null, $7)
   on conflict (model, id_hash) do update set payload = excluded.payload, grant_id = excluded.grant_id,
     account_id = excluded.account_id, uid = excluded.uid, expires_at = excluded.expires_at`,
)
const FIND = sql(
  'identity_records_find',
  `select payload, consumed_at from identity_records where model = $1 and id_hash = $2 and expires_at > $3`,
)
const FIND_BY_UID = sql(
  'identity_records_find_by_uid',
  `select payload, consumed_at from identity_records where uid = $2 and model = $1 and expires_at > $3`,
)
// If two requests use the same code or refresh token at the same time, the statement updates the row for only one of them.
const CONSUME = sql(
  'identity_records_consume',
  `update identity_records set consumed_at = $3 where model = $1 and id_hash = $2 and consumed_at is null returning model`,
)
const DESTROY = sql('identity_records_destroy', 'delete from identity_records where model = $1 and id_hash = $2')
const REVOKE_GRANT = sql(
  'identity_records_revoke_grant',
  'delete from identity_records where grant_id = $2 and model = $1',
)
const FORGET_ACCOUNT = sql('identity_records_forget_account', 'delete from identity_records where account_id = $1')
const FORGET_OTHERS = sql(
  'identity_records_forget_others',
  `delete from identity_records where account_id = $1 and not (model = 'Interaction' and id_hash = $2)
     and not (model = 'Session' and id_hash is not distinct from $3)`,
)
const FORGET_BROWSER = sql(
  'identity_records_forget_browser',
  `delete from identity_records where uid = $1 and model = 'Session'`,
)
const SWEEP = sql(
  'identity_records_sweep',
  `delete from identity_records where (model, id_hash) in (
     select r.model, r.id_hash from identity_records r where r.expires_at <= $1 limit 1000) returning model`,
)

/**
 * The lifetime in seconds of a record for which the provider sets no lifetime. The provider sets one for each kind of record
 * that this server uses.
 */
const LIFE_S_DEFAULT = 86_400

const idHash = (id: string) => createHash('sha256').update(id).digest()

/** The fields with times that oidc-provider reads and writes, in seconds, by the clock of its machine. */
const MACHINE_TIMES = ['exp', 'iat', 'iiat'] as const

/**
 * Adds `seconds` to these times. The database contains the times of the server's clock, because another machine may read the
 * record.
 */
function shiftTimes(payload: AdapterPayload, seconds: number): AdapterPayload {
  if (seconds === 0) return payload
  const shifted: AdapterPayload = { ...payload }
  for (const name of MACHINE_TIMES) {
    const time = payload[name]
    if (typeof time === 'number') shifted[name] = time + seconds
  }
  return shifted
}

/** Makes the function that returns the storage for a model of oidc-provider. */
export function createAdapter(deps: Deps): (model: string) => Adapter {
  type RecordRow = { payload: string; consumed_at: Date | null }
  const aheadSeconds = () => Math.trunc(deps.clock_ahead_ms() / 1000)
  const read = ([row]: RecordRow[]): AdapterPayload | undefined => {
    if (!row) return undefined
    const payload = shiftTimes(JSON.parse(deps.vault.open(row.payload)) as AdapterPayload, aheadSeconds())
    return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) }
  }
  const write = oneStatement(deps.db)
  return (model) => ({
    async upsert(id, payload, expires_in = LIFE_S_DEFAULT) {
      const expires_at = new Date(deps.clock.now().getTime() + expires_in * 1000)
      const { consumed: _, ...rest } = payload
      const sealed = deps.vault.seal(JSON.stringify(shiftTimes(rest, -aheadSeconds())))
      const { grantId = null, uid = null } = payload
      await write.query(UPSERT, [model, idHash(id), sealed, grantId, recordSubject(payload), uid, expires_at])
    },
    async find(id) {
      return read(await deps.db.query<RecordRow>(FIND, [model, idHash(id), deps.clock.now()]))
    },
    async findByUid(uid) {
      return read(await deps.db.query<RecordRow>(FIND_BY_UID, [model, uid, deps.clock.now()]))
    },
    // The device flow needs this function, but this server does not offer the device flow.
    async findByUserCode() {},
    async consume(id) {
      const consumed = await write.query(CONSUME, [model, idHash(id), deps.clock.now()])
      if (consumed.length > 0) return
      const { errors } = await import('oidc-provider')
      throw new errors.InvalidGrant(`a client has already used this ${model}`)
    },
    async destroy(id) {
      await write.query(DESTROY, [model, idHash(id)])
    },
    async revokeByGrantId(grant_id) {
      await write.query(REVOKE_GRANT, [model, grant_id])
    },
  })
}

/**
 * Returns the subject of a record. Before the sign-in is complete, the subject is that of the user who entered the right
 * password. Null means that the record has no user.
 */
function recordSubject(payload: AdapterPayload): string | null {
  const result = payload.result as SignInResult | undefined
  return result?.login?.accountId ?? result?.first_step?.subject ?? payload.accountId ?? null
}

/**
 * The state of an open sign-in. If `login` exists, the sign-in is complete. If only `first_step` exists, the user has entered
 * the right password. `language` is the language that the user chose on the page, if the console asked for another one.
 */
export type SignInResult = {
  login?: { accountId: string; amr: string[]; ts: number }
  first_step?: { subject: string; new_secret?: string; may_replace?: boolean }
  language?: Language
}

/** Deletes all records of a user: sessions, grants, codes, refresh tokens and open sign-ins. */
export async function forgetAccount(tx: Tx, subject: string): Promise<void> {
  await tx.query(FORGET_ACCOUNT, [subject])
}

/** Deletes all records of a user except one open sign-in and the session of its browser. */
export async function forgetOthers(
  tx: Tx,
  subject: string,
  kept: { interaction: string; session: string | null },
): Promise<void> {
  const session = kept.session === null ? null : idHash(kept.session)
  await tx.query(FORGET_OTHERS, [subject, idHash(kept.interaction), session])
}

/** Deletes the session of a browser. Its refresh tokens then stop working. */
export async function forgetBrowser(tx: Tx, uid: string): Promise<void> {
  await tx.query(FORGET_BROWSER, [uid])
}

/** Deletes expired records, at most 1,000. Returns the number of deleted records. */
export async function sweepRecords(deps: Deps, now: Date): Promise<number> {
  return (await oneStatement(deps.db).query(SWEEP, [now])).length
}
