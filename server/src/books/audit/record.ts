// Appends entries to the audit log in the transaction of the action, so that the database commits both or neither. The
// transaction locks the chain of the merchant. So actions on one merchant wait for each other.

import type { FastifyRequest } from 'fastify'
import { type Deps, sql, type Tx } from '../../kernel/db/index.ts'
import { actorOf, dutyOf } from '../../kernel/http/index.ts'
import { assertInvariant } from '../../kernel/lib/index.ts'
import { keepAddress } from './addresses.ts'
import { entryHash, GENESIS, sealOf } from './chain.ts'
import type { AuditEntry } from './list.ts'

const OPEN = sql(
  'audit_open_chains',
  `insert into audit_chains (merchant_id, seq, hash, at) select m, 0, $2, $3 from unnest($1::uuid[]) as m order by m
   on conflict (merchant_id) do nothing`,
)
const LOCK = sql(
  'audit_lock_chains',
  `select merchant_id, seq::text as seq, hash from audit_chains where merchant_id = any($1::uuid[])
   order by merchant_id for update`,
)
const APPEND = sql(
  'audit_append',
  `with entry as (
     select * from json_to_recordset($1::json) as e(merchant_id uuid, seq bigint, prior bigint, actor_kind text, actor_id text,
       actor_name text, action text, target_type text, target_id text, reason text, before text, after text,
       request_id text, address text, caller text, salt text, hash text, seal text, newest boolean)
   ), written as (
     insert into audit_log (merchant_id, seq, at, actor_kind, actor_id, actor_name, action, target_type, target_id, reason,
       before, after, request_id, address, hash, seal)
     select merchant_id, seq, $2, actor_kind, actor_id, actor_name, action, target_type, target_id, reason,
       before::json, after::json, request_id, address, decode(hash, 'hex'), decode(seal, 'hex') from entry
   ), addressed as (
     insert into audit_addresses (merchant_id, seq, at, address, salt)
     select merchant_id, seq, $2, caller, decode(salt, 'hex') from entry where caller is not null
   )
   update audit_chains c set seq = e.seq, hash = decode(e.hash, 'hex'), at = greatest(c.at, $2)
   from entry e where e.newest and c.merchant_id = e.merchant_id and c.seq = e.prior returning 1`,
)

/**
 * Appends one entry to the chain of its merchant. A transaction calls this function last, because the function locks the chain.
 */
export function recordAudit(deps: Deps, tx: Tx, entry: AuditEntry): Promise<void> {
  return recordAudits(deps, tx, [entry])
}

/**
 * Appends entries in order, each to the chain of its merchant. A transaction calls this function last, because the function
 * locks the chains.
 */
export async function recordAudits(deps: Deps, tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  const merchant_ids = [...new Set(entries.map(({ merchant_id }) => merchant_id))]
  const clock = deps.audit_clock ?? deps.clock
  await tx.query(OPEN, [merchant_ids, GENESIS, clock.now()])
  const rows = await tx.query<{ merchant_id: string; seq: string; hash: Buffer }>(LOCK, [merchant_ids])
  assertInvariant(
    rows.length === merchant_ids.length,
    'the audit log lacks a chain that this transaction has just opened',
  )
  const heads = new Map(
    rows.map((row) => [row.merchant_id, { first: Number(row.seq), seq: Number(row.seq), hash: row.hash }]),
  )
  // The function reads the clock after it has locked the chains, so a wait for the locks does not change the order of the
  // times.
  const at = clock.now()
  const links = entries.map((entry) => {
    const head = heads.get(entry.merchant_id)
    assertInvariant(head !== undefined, 'an audit entry has no chain')
    const link = linkOf(deps, entry, head, at)
    head.seq = link.seq
    head.hash = link.hash
    return link
  })
  const written = links.map((link) => {
    const head = heads.get(link.merchant_id)
    const seal = sealOf(deps.vault, link.merchant_id, link.seq, link.hash).toString('hex')
    return { ...link, hash: link.hash.toString('hex'), seal, prior: head?.first, newest: head?.seq === link.seq }
  })
  const moved = await tx.query(APPEND, [JSON.stringify(written), at])
  assertInvariant(moved.length === merchant_ids.length, 'an audit chain did not advance')
}

function linkOf(deps: Deps, entry: AuditEntry, head: { seq: number; hash: Buffer }, at: Date) {
  const seq = head.seq + 1
  const before = entry.before === undefined ? null : JSON.stringify(entry.before)
  const after = entry.after === undefined ? null : JSON.stringify(entry.after)
  const kept = typeof entry.address === 'string' ? keepAddress(deps, entry.address) : { address: null }
  const hash = entryHash(head.hash, { ...entry, address: kept.address, seq, at: at.toISOString(), before, after })
  const { merchant_id, actor, action, target_type, target_id } = entry
  return {
    merchant_id,
    seq,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    action,
    target_type,
    target_id,
    reason: entry.reason ?? null,
    before,
    after,
    request_id: entry.request_id ?? null,
    ...kept,
    hash,
  }
}

/** The context of an action: the actor, the id of the request, and the IP address of the caller. */
export type Act = Pick<AuditEntry, 'actor' | 'request_id' | 'address'>

/**
 * Returns the context of an authenticated request. On an operator route, the kind of the actor is operator. If the request has
 * no authenticated caller, throws.
 */
export function actOf(request: FastifyRequest): Act {
  if (request.principal === null) throw new Error('actOf() needs an authenticated request, but this route is public')
  const actor = actorOf(request.principal)
  const { access } = request.routeOptions.config
  const as_operator = access !== undefined && dutyOf(access) !== null
  return { actor: as_operator ? { ...actor, kind: 'operator' } : actor, request_id: request.id, address: request.ip }
}
