// Runs a request once for each Idempotency-Key: reads the header, compares requests, and replays stored answers.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Deps, inputRows, inTransaction, oneStatement, type Reader, sql, type Tx } from '../db/index.ts'
import { formatAmount, parseAmount, Refusal, refuse } from '../lib/index.ts'
import { caller, session } from './access.ts'
import { failure } from './envelope.ts'
import { writtenAmount } from './json.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The scope of Idempotency-Keys in calls for a merchant. A payment link uses the id of the link as scope. */
export const API_SCOPE = 'api'

/** The time in milliseconds after which the lock of a key ends, even if the first request has not finished. */
export const LOCK_MS = 20_000
/**
 * The longest time in milliseconds from the time of a request to the end of its lock. The value adds 12 seconds for a statement
 * that waited for locks, and 5 seconds for two clocks that differ. If a lock ends later, its clock was wrong, so the key is
 * free.
 */
export const LOCK_LEFT_MAX_MS = LOCK_MS + 12_000 + 5_000

/** The stored answer to the first request. */
export type StoredAnswer = {
  status_code: number
  response_body: string
  /** The id of the record that the request made. */
  resource_id?: string
}

/** One Idempotency-Key with its scope and the fingerprint of its request. */
export type IdempotencyClaim = {
  merchant_id: string
  environment: string
  scope: string
  key: string
  fingerprint: Buffer
}

/**
 * Reads the claim of a request whose key is optional. Null means that the request has no key. If the key is malformed,
 * refuses.
 */
export function readClaim(request: FastifyRequest): IdempotencyClaim | null {
  return request.headers['idempotency-key'] === undefined ? null : requireClaim(request)
}

/** Reads the claim of a request that must have a key. If the key is missing or malformed, refuses. */
export function requireClaim(request: FastifyRequest): IdempotencyClaim {
  return claimIn(request, scopeOf(request))
}

/** Reads the claim of a request in a given scope, as `requireClaim` does. The key is unique within `scope`. */
export function claimIn(request: FastifyRequest, scope: ClaimScope): IdempotencyClaim {
  return { ...scope, key: requireKey(request), fingerprint: fingerprint(request.method, request.url, request.body) }
}

/** Returns the key of a request that must have a key. If the key is missing or malformed, refuses. */
export function requireKey(request: FastifyRequest): string {
  const header = request.headers['idempotency-key']
  return typeof header === 'string' && isIdempotencyKey(header) ? header : refuse('idempotency_key_required')
}

/** Returns true for a text that has the form of an Idempotency-Key. */
export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text)
}

/** The scope in which a key is unique. */
export type ClaimScope = Pick<IdempotencyClaim, 'merchant_id' | 'environment' | 'scope'>

const NO_MERCHANT = '00000000-0000-0000-0000-000000000000'

/**
 * Returns the scope of a request: the merchant and environment. If the user acts for no merchant, returns the scope of the
 * user.
 */
function scopeOf(request: FastifyRequest): ClaimScope {
  if (request.caller === null) {
    return { merchant_id: NO_MERCHANT, environment: 'live', scope: `user:${session(request).user_id}` }
  }
  const { merchant, environment } = caller(request)
  return { merchant_id: merchant.id, environment, scope: API_SCOPE }
}

/**
 * Returns the SHA-256 of method, path, query and body. The order of fields, spaces, and the written form of an amount do not
 * change the hash.
 */
export function fingerprint(method: string, url: string, body: unknown): Buffer {
  return hash('sha256', `${method} ${url}\n${canonical(body, '')}`, 'buffer')
}

function canonical(value: unknown, name: string): string {
  if (name === 'amount' && typeof value === 'string') {
    const minor = parseAmount(value)
    if (typeof minor === 'bigint') return `"${formatAmount(minor)}"`
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, '')).join()}]`
  if (typeof value === 'object' && value !== null) {
    const record = withWrittenAmount(value as Record<string, unknown>)
    const fields = Object.keys(record).sort()
    // A pair of metadata may have the name of an amount, but its value is a text.
    const nameOf = (field: string) => (name === 'metadata' ? '' : field)
    return `{${fields.map((field) => `${JSON.stringify(field)}:${canonical(record[field], nameOf(field))}`).join()}}`
  }
  return JSON.stringify(value) ?? 'null'
}

function withWrittenAmount(record: Record<string, unknown>): Record<string, unknown> {
  if (typeof record.amount !== 'number') return record
  return { ...record, amount: writtenAmount(record as { amount: number }) }
}

type ClaimKey = Pick<IdempotencyClaim, 'merchant_id' | 'environment' | 'scope' | 'key'>
type KeyRow = ClaimKey & { fingerprint: Buffer; created_at: Date; locked_until: Date | null } & (
    | StoredAnswer
    | { status_code: null; response_body: null }
  )

const KEY_COLUMNS = 'merchant_id uuid, environment text, scope text, key text'

/** Returns the primary key of a claim as a text. */
function claimName({ merchant_id, environment, scope, key }: ClaimKey): string {
  return `${merchant_id} ${environment} ${scope} ${key}`
}

/** Returns the keys of a batch as a JSON parameter. */
function keysInput(claims: readonly IdempotencyClaim[]): string {
  return JSON.stringify(
    claims.map(({ merchant_id, environment, scope, key, fingerprint: bytes }) => ({
      ...{ merchant_id, environment, scope, key },
      fingerprint: bytes.toString('hex'),
    })),
  )
}

const FIND = sql(
  'idempotency_find',
  `select k.merchant_id, k.environment, k.scope, k.key, k.fingerprint, k.created_at, k.locked_until, k.status_code,
     k.response_body
   from ${inputRows('$1', 'merchant_id', KEY_COLUMNS)} i
   join idempotency_keys k
     on k.merchant_id = i.merchant_id and k.environment = i.environment and k.scope = i.scope and k.key = i.key`,
)

/**
 * Returns the stored answer of a key. Null means that the key is free. If another request used the key, the answer is too old
 * to replay, or the first request still runs, refuses.
 */
export async function findAnswer(deps: Deps, reader: Reader, claim: IdempotencyClaim): Promise<StoredAnswer | null> {
  const [found = null] = await findAnswers(deps, reader, [claim])
  if (found instanceof Refusal) throw found
  return found
}

/**
 * Finds the answers of a batch, as `findAnswer` does for one key. If the server refuses a key, the result of the key is its
 * refusal.
 */
async function findAnswers(
  deps: Deps,
  reader: Reader,
  claims: readonly IdempotencyClaim[],
): Promise<(StoredAnswer | Refusal | null)[]> {
  if (claims.length === 0) return []
  const rows = await reader.query<KeyRow>(FIND, [keysInput(claims)])
  const rowsByName = new Map(rows.map((row) => [claimName(row), row]))
  return claims.map((claim) => answerIn(deps, claim, rowsByName.get(claimName(claim))))
}

function answerIn(deps: Deps, claim: IdempotencyClaim, row: KeyRow | undefined): StoredAnswer | Refusal | null {
  if (!row) return null
  const now = deps.clock.now().getTime()
  const same = row.fingerprint.equals(claim.fingerprint)
  const replay_until = row.created_at.getTime() + deps.config.idempotency_replay_days * 86_400_000
  // An empty answer means that the worker has erased it (RETENTION_IDEMPOTENCY_DAYS). An operator may have made
  // IDEMPOTENCY_REPLAY_DAYS longer since then.
  if (!same || now > replay_until || row.response_body === '') return new Refusal('idempotency_key_reused')
  if (row.status_code !== null) return { status_code: row.status_code, response_body: row.response_body }
  const left_ms = (row.locked_until?.getTime() ?? 0) - now
  return left_ms > 0 && left_ms <= LOCK_LEFT_MAX_MS ? inProgress() : null
}

function inProgress(): Refusal {
  return new Refusal('idempotency_in_progress', { retry_after_s: 1 })
}

/** Sends a stored answer again, byte by byte, with a header that marks the replay. */
export function replay(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  return sendStored(reply.header('idempotency-replayed', 'true'), answer)
}

/** Sends an answer whose body is already JSON text. */
export function sendStored(reply: FastifyReply, answer: StoredAnswer): FastifyReply {
  return reply
    .code(answer.status_code)
    .header('content-type', 'application/json; charset=utf-8')
    .serializer((text: unknown) => text as string)
    .send(answer.response_body)
}

// The statement inserts the rows in one order, so that two batches never deadlock.
const CLAIM = sql(
  'idempotency_claim',
  `insert into idempotency_keys (merchant_id, environment, scope, key, fingerprint, locked_until, created_at)
   select merchant_id, environment, scope, key, decode(fingerprint, 'hex'), $2::timestamptz, $3::timestamptz
   from ${inputRows('$1', 'merchant_id', `${KEY_COLUMNS}, fingerprint text`)} i
   order by merchant_id, environment, scope, key
   on conflict (merchant_id, environment, scope, key) do update set locked_until = excluded.locked_until
     where idempotency_keys.status_code is null
       and (idempotency_keys.locked_until <= excluded.created_at or idempotency_keys.locked_until > $4)
       and idempotency_keys.fingerprint = excluded.fingerprint
   returning merchant_id, environment, scope, key`,
)

const FINISH = sql(
  'idempotency_finish',
  `update idempotency_keys k
   set status_code = i.status_code, response_body = i.response_body, resource_id = coalesce(i.resource_id, k.resource_id),
     locked_until = null
   from ${inputRows('$1', 'merchant_id', `${KEY_COLUMNS}, status_code smallint, response_body text, resource_id uuid`)} i
   where k.merchant_id = i.merchant_id and k.environment = i.environment and k.scope = i.scope and k.key = i.key
     and k.status_code is null`,
)

const RELEASE = sql(
  'idempotency_release',
  `update idempotency_keys set locked_until = $5
   where merchant_id = $1 and environment = $2 and scope = $3 and key = $4 and status_code is null`,
)

/** Stores the answer of a claimed key, in the transaction of the work that the answer describes. */
export function storeAnswer(tx: Tx, claim: IdempotencyClaim, answer: StoredAnswer): Promise<void> {
  return storeAnswers(tx, [{ claim, answer }])
}

/** Stores the answers of a batch, as `storeAnswer` does for one answer. */
export async function storeAnswers(
  tx: Tx,
  answers: readonly { claim: IdempotencyClaim; answer: StoredAnswer }[],
): Promise<void> {
  if (answers.length === 0) return
  const input = answers.map(({ claim: { merchant_id, environment, scope, key }, answer }) => ({
    ...{ merchant_id, environment, scope, key },
    ...answer,
  }))
  await tx.query(FINISH, [JSON.stringify(input)])
}

const SAVE = sql('idempotency_savepoint', 'savepoint idempotency_work')
const UNDO = sql('idempotency_undo', 'rollback to savepoint idempotency_work')

/**
 * The codes of refusals that end without an action of the merchant. The merchant may send the same request again later.
 */
const TEMPORARY_REFUSALS: readonly string[] = ['idempotency_in_progress', 'payment_in_progress']

/**
 * Returns true for a final refusal: one with status 409 that is not temporary. A repeated request must get the same refusal.
 */
export function isDecision(error: unknown): error is Refusal {
  return error instanceof Refusal && error.status === 409 && !TEMPORARY_REFUSALS.includes(error.code)
}

/**
 * Runs the work. If the work throws a final refusal, undoes the work and stores the refusal. If the work throws any other
 * error, the key stays free.
 */
async function workOrRefusal<Answer extends StoredAnswer>(
  tx: Tx,
  claim: IdempotencyClaim,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer | Refusal> {
  await tx.query(SAVE)
  try {
    const answer = await work(tx)
    await storeAnswer(tx, claim, answer)
    return answer
  } catch (error) {
    if (!isDecision(error)) throw error
    await tx.query(UNDO)
    await storeRefusal(tx, claim, error)
    return error
  }
}

function storeRefusal(tx: Tx, claim: IdempotencyClaim, refusal: Refusal): Promise<void> {
  return storeAnswer(tx, claim, refusalAnswer(refusal))
}

/** Returns the answer that a key stores for a final refusal. */
export function refusalAnswer({ code, message, details, status }: Refusal): StoredAnswer {
  return { status_code: status, response_body: JSON.stringify(failure(code, message, details)) }
}

/**
 * Runs a write at most once for each key: claim, work and stored answer are one transaction. If the process dies before the
 * commit, the key stays free. Stores and throws a final refusal (409), and undoes its work. After any other refusal, the key
 * stays free.
 */
export async function onceInTransaction(
  deps: Deps,
  claim: IdempotencyClaim | null,
  work: (tx: Tx) => Promise<StoredAnswer>,
): Promise<StoredAnswer & { replayed: boolean }> {
  const done = await inTransaction(deps.db, async (tx) => {
    if (claim === null) return { ...(await work(tx)), replayed: false }
    const known = await claimOrAnswer(deps, tx, claim)
    if (known) return { ...known, replayed: true }
    const answer = await workOrRefusal(tx, claim, work)
    return answer instanceof Refusal ? answer : { ...answer, replayed: false }
  })
  // The transaction must commit the refusal, so the function throws the refusal after the commit.
  if (done instanceof Refusal) throw done
  return done
}

/**
 * Throws the error of a request whose key is still free. First stores a final refusal, so that a repeated request gets the same
 * refusal. If another request has stored an answer for the key, returns that answer.
 */
export function refuseOnce(
  deps: Deps,
  claim: IdempotencyClaim,
  error: unknown,
): Promise<StoredAnswer & { replayed: boolean }> {
  if (!isDecision(error)) throw error
  return onceInTransaction(deps, claim, () => Promise.reject(error))
}

/**
 * Begins work that continues after the commit. Until the work stores its answer, the key stays claimed, for at most LOCK_MS.
 * Returns the result of `work`, or the stored answer. Like `onceInTransaction`, stores and throws a final refusal (409).
 */
export async function beginOnce<Begun>(
  deps: Deps,
  claim: IdempotencyClaim,
  work: (tx: Tx) => Promise<Begun>,
): Promise<{ begun: Begun } | { known: StoredAnswer }> {
  const done = await inTransaction(deps.db, async (tx) => {
    const known = await claimOrAnswer(deps, tx, claim)
    if (known) return { known }
    await tx.query(SAVE)
    try {
      return { begun: await work(tx) }
    } catch (error) {
      if (!isDecision(error)) throw error
      await tx.query(UNDO)
      await storeRefusal(tx, claim, error)
      return error
    }
  })
  if (done instanceof Refusal) throw done
  return done
}

/**
 * Runs the write of a route at most once for each Idempotency-Key and sends `{success: true, data}`. `work` returns the data
 * in the form of the route's schema. For a secret that the server shows only once, use `answerShowingOnce`.
 */
export async function answerOnce(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  status_code: number,
  work: (tx: Tx) => Promise<object>,
): Promise<FastifyReply> {
  let data: object = {}
  const answer = await onceInTransaction(deps, readClaim(request), async (tx) => {
    data = await work(tx)
    return { status_code, response_body: JSON.stringify({ success: true, data }) }
  })
  return answer.replayed ? replay(reply, answer) : reply.code(status_code).send({ success: true, data })
}

/** Claims a key and returns null. If the key has a stored answer, returns that answer. Refuses as `findAnswer` does. */
async function claimOrAnswer(deps: Deps, tx: Tx, claim: IdempotencyClaim): Promise<StoredAnswer | null> {
  const [found] = await claimOrFind(deps, tx, [claim])
  if (found instanceof Refusal) throw found
  return typeof found === 'object' ? found : null
}

/** The result for one key of a batch. 'repeat' means that an earlier request of the batch has the same key. */
export type ClaimResult = 'claimed' | 'repeat' | StoredAnswer | Refusal

/**
 * Claims the keys of a batch that are free or whose lock has ended. For each other key, returns its stored answer or a
 * refusal.
 */
export async function claimOrFind(deps: Deps, tx: Tx, claims: readonly IdempotencyClaim[]): Promise<ClaimResult[]> {
  const known = await findAnswers(deps, tx, claims)
  const free = new Map<string, IdempotencyClaim>()
  for (const [i, claim] of claims.entries()) {
    if (known[i] === null && !free.has(claimName(claim))) free.set(claimName(claim), claim)
  }
  const claimed = await claimKeys(deps, tx, [...free.values()])
  // If another request with the key was in progress, the claim waited for the transaction of that request. In most cases, that
  // request has stored its answer since then.
  const lost = [...free.values()].filter((claim) => !claimed.has(claimName(claim)))
  const answers = await findAnswers(deps, tx, lost)
  const answersByClaim = new Map(lost.map((claim, i) => [claim, answers[i] ?? inProgress()]))
  return claims.map((claim, i) => {
    if (known[i]) return known[i]
    if (free.get(claimName(claim)) !== claim) return 'repeat'
    return answersByClaim.get(claim) ?? 'claimed'
  })
}

/** Claims distinct keys. Returns the names of the keys that this call has claimed. */
async function claimKeys(deps: Deps, tx: Tx, claims: readonly IdempotencyClaim[]): Promise<Set<string>> {
  if (claims.length === 0) return new Set()
  const now = deps.clock.now()
  const rows = await tx.query<ClaimKey>(CLAIM, [
    keysInput(claims),
    new Date(now.getTime() + LOCK_MS),
    now,
    new Date(now.getTime() + LOCK_LEFT_MAX_MS),
  ])
  return new Set(rows.map(claimName))
}

/** The end of the lock of a free key. The current time would still lock the key for a process whose clock is behind. */
const FREE_SINCE = new Date(0)

/** Frees a claimed key after the server has refused its request without an effect. */
export async function releaseKey(deps: Deps, claim: IdempotencyClaim): Promise<void> {
  const { merchant_id, environment, scope, key } = claim
  await oneStatement(deps.db).query(RELEASE, [merchant_id, environment, scope, key, FREE_SINCE])
}
