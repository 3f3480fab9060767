// Writes requests with one SQL statement. The bodies are in packs, and each pack has the requests of one merchant.

import { hash } from 'node:crypto'
import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { newId, timeOfId } from '../../kernel/lib/index.ts'
import type { CapturedRequest, LostRequests } from './captured.ts'
import { packRequests, type RequestRow, rowOf, splitIntoPacks } from './pack.ts'

// All packs are one parameter, and each row of `request_packs` stores a part of it. If a connection breaks after the commit,
// the recorder writes the same requests again. The packs and requests have the same ids again, so the retry changes no row.
const WRITE = sql(
  'requests_write',
  `with packs as (
     insert into request_packs (merchant_id, id, packed)
     select merchant_id, id, substring($1::bytea from begins for length)
     from unnest($2::uuid[], $3::uuid[], $4::int[], $5::int[]) as p(merchant_id, id, begins, length)
     on conflict do nothing
   )
   insert into requests (merchant_id, environment, id, key_id, method, path, status, duration_ms, address, request_id,
     reference, resource_id, error_code, pack_id, pack_place)
   select * from unnest($6::uuid[], $7::text[], $8::uuid[], $9::uuid[], $10::text[], $11::text[], $12::smallint[], $13::int[],
     $14::text[], $15::text[], $16::text[], $17::uuid[], $18::text[], $19::uuid[], $20::smallint[])
   on conflict do nothing`,
)

const WRITE_LOST = sql(
  'requests_write_lost',
  `insert into requests (merchant_id, environment, id, method, path, status, duration_ms, address, lost, lost_until)
   select merchant_id, environment, id, '', '', 0, 0, '', lost, lost_until
   from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::timestamptz[])
     as l(merchant_id, environment, id, lost, lost_until)
   on conflict do nothing`,
)

const COLUMNS = [
  'merchant_id',
  'environment',
  'id',
  'key_id',
  'method',
  'path',
  'status',
  'duration_ms',
  'address',
  'request_id',
  'reference',
  'resource_id',
  'error_code',
] as const satisfies (keyof RequestRow)[]

/** The dependencies of the functions that write the log. */
export type WriteDeps = Pick<Deps, 'db' | 'log' | 'clock' | 'random'>

/** Writes all given requests or none. If the database is unavailable or refuses a value, throws an error. */
export async function writeRequests(deps: WriteDeps, entries: readonly CapturedRequest[]): Promise<void> {
  if (entries.length === 0) return
  const rows: (RequestRow & { pack_id: string; pack_place: number })[] = []
  const packs = [...Map.groupBy(entries, ({ merchant_id }) => merchant_id)].flatMap(([merchant_id, of_merchant]) =>
    splitIntoPacks(of_merchant).map((requests) => ({ merchant_id, requests })),
  )
  const packed = await Promise.all(packs.map(({ requests }) => packRequests(requests)))
  const idAt = (routing_code: number, arrived_at: number) => newIdAt(deps, routing_code, arrived_at)
  const ids = packs.map(({ requests }) => {
    const of_pack = requests.map((request) => rowOf(request, idAt))
    const pack_id = packIdOf(deps, (requests[0] as CapturedRequest).routing_code, of_pack)
    for (const [pack_place, row] of of_pack.entries()) rows.push({ ...row, pack_id, pack_place })
    return pack_id
  })
  let begins = 1
  const offsets = packed.map(({ length }) => {
    begins += length
    return begins - length
  })
  await oneStatement(deps.db).query(WRITE, [
    Buffer.concat(packed),
    packs.map(({ merchant_id }) => merchant_id),
    ids,
    offsets,
    packed.map(({ length }) => length),
    ...COLUMNS.map((column) => arrayLiteral(rows.map((row) => row[column]))),
    arrayLiteral(rows.map(({ pack_id }) => pack_id)),
    arrayLiteral(rows.map(({ pack_place }) => pack_place)),
  ])
}

/** Writes the counts of requests that the log did not store, one row for each merchant and environment. */
export async function writeLost(deps: WriteDeps, lost: readonly LostRequests[]): Promise<void> {
  await oneStatement(deps.db).query(WRITE_LOST, [
    lost.map(({ merchant_id }) => merchant_id),
    lost.map(({ environment }) => environment),
    lost.map(({ routing_code, from, until }) => newIdAt(deps, routing_code, Math.min(from, until))),
    lost.map(({ count }) => count),
    lost.map(({ until }) => new Date(until)),
  ])
}

/**
 * Returns the id of a pack, which depends only on the ids of its requests. So a retry adds no second copy of their bodies, which
 * an erasure would not find. The id has the time of the newest request, so the sweep deletes no pack before its requests.
 */
function packIdOf(deps: WriteDeps, routing_code: number, requests: readonly RequestRow[]): string {
  const ids = requests.map(({ id }) => id)
  const random = { bytes: (length: number) => hash('sha256', ids.join(), 'buffer').subarray(0, length) }
  const newest = Math.max(...ids.map((id) => timeOfId(id).getTime()))
  return newIdAt({ ...deps, random }, routing_code, newest)
}

function newIdAt(deps: WriteDeps, routing_code: number, at: number): string {
  return newId({ random: deps.random, clock: { ...deps.clock, now: () => new Date(at) } }, routing_code)
}

/** Returns a list in the array syntax of PostgreSQL, because this function is several times faster than the driver. */
function arrayLiteral(values: readonly (string | number | null)[]): string {
  return `{${values.map(arrayElement).join()}}`
}

function arrayElement(value: string | number | null): string | number {
  if (typeof value === 'string') return `"${value.replace(ESCAPED, '\\$&')}"`
  return value ?? 'null'
}

const ESCAPED = /["\\]/g
