// Where oidc-provider keeps what it must remember: in PostgreSQL, so that every process of an installation agrees.
//
// The id of a session, a code or a refresh token is the secret itself. Rows are found by its hash and their content is
// encrypted, so that a copy of the database signs nobody in.

import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { type Deps, oneStatement, sql, type Tx } from '../../kernel/db/index.ts'

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
// Of two requests that use the same code or refresh token at the same moment, one changes the row.
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
const SWEEP = sql(
  'identity_records_sweep',
  `delete from identity_records where (model, id_hash) in (
     select r.model, r.id_hash from identity_records r where r.expires_at <= $1 limit 1000) returning model`,
)

/** For what the provider stores without a time to live. It does so for nothing that we use. */
const LIFE_S_DEFAULT = 86_400

const hashOf = (id: string) => createHash('sha256').update(id).digest()

/** Makes the storage of one kind of thing. */
export function createAdapter(deps: Deps): (model: string) => Adapter {
  type Row = { payload: string; consumed_at: Date | null }
  const read = ([row]: Row[]): AdapterPayload | undefined => {
    if (!row) return undefined
    const payload = JSON.parse(deps.vault.open(row.payload)) as AdapterPayload
    return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) }
  }
  const write = oneStatement(deps.db)
  return (model) => ({
    async upsert(id, payload, expires_in = LIFE_S_DEFAULT) {
      const expires_at = new Date(deps.clock.now().getTime() + expires_in * 1000)
      const { consumed: _, ...rest } = payload
      const sealed = deps.vault.seal(JSON.stringify(rest))
      const { grantId = null, uid = null } = payload
      await write.query(UPSERT, [model, hashOf(id), sealed, grantId, accountOf(payload), uid, expires_at])
    },
    async find(id) {
      return read(await deps.db.query<Row>(FIND, [model, hashOf(id), deps.clock.now()]))
    },
    async findByUid(uid) {
      return read(await deps.db.query<Row>(FIND_BY_UID, [model, uid, deps.clock.now()]))
    },
    // Only the device flow has user codes, and it is off.
    async findByUserCode() {},
    async consume(id) {
      const taken = await write.query(CONSUME, [model, hashOf(id), deps.clock.now()])
      if (taken.length > 0) return
      const { errors } = await import('oidc-provider')
      throw new errors.InvalidGrant(`${model} was used already`)
    },
    async destroy(id) {
      await write.query(DESTROY, [model, hashOf(id)])
    },
    async revokeByGrantId(grant_id) {
      await write.query(REVOKE_GRANT, [model, grant_id])
    },
  })
}

/** Whose thing it is. A sign-in under way belongs to the person whose password was right, before it is anybody's session. */
function accountOf(payload: AdapterPayload): string | null {
  const result = payload.result as SignInResult | undefined
  return result?.login?.accountId ?? result?.first_step?.subject ?? payload.accountId ?? null
}

/** What a sign-in under way has come to: done, or a right password that a second step must follow. */
export type SignInResult = {
  login?: { accountId: string; amr: string[]; ts: number }
  first_step?: { subject: string; new_secret?: string; may_replace?: boolean }
}

/** Ends everything the provider remembers of a person: sessions, grants, codes, refresh tokens, sign-ins under way. */
export async function forgetAccount(tx: Tx, subject: string): Promise<void> {
  await tx.query(FORGET_ACCOUNT, [subject])
}

/**
 * Ends what the provider remembers of a person but one sign-in under way, and the session of the browser that it is in.
 */
export async function forgetOthers(
  tx: Tx,
  subject: string,
  kept: { interaction: string; session: string | null },
): Promise<void> {
  const session = kept.session === null ? null : hashOf(kept.session)
  await tx.query(FORGET_OTHERS, [subject, hashOf(kept.interaction), session])
}

/** Deletes records that have expired. */
export async function sweepRecords(deps: Deps, now: Date): Promise<number> {
  return (await oneStatement(deps.db).query(SWEEP, [now])).length
}
