// Writing a set of requests: one statement for all of them, their bodies in packs by merchant.

import { type Deps, oneStatement, sql } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { pack, packsOf, type RequestRow, rowOf } from './pack.ts'
import type { Lost, Seen } from './seen.ts'

// All packs travel as one value, of which each row is a part. Writing a set twice changes nothing: the first may have been
// committed by a connection that broke before it said so.
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

/** What writing needs. */
export type WriteDeps = Pick<Deps, 'db' | 'log' | 'clock' | 'random'>

/** Writes a set of requests. Throws when the database is away, or refuses what one of them holds: then nothing is written. */
export async function writeRequests(deps: WriteDeps, entries: readonly Seen[]): Promise<void> {
  if (entries.length === 0) return
  const rows: (RequestRow & { pack_id: string; pack_place: number })[] = []
  const sets = [...Map.groupBy(entries, ({ merchant_id }) => merchant_id)].flatMap(([merchant_id, of_merchant]) =>
    packsOf(of_merchant).map((set) => ({ merchant_id, set })),
  )
  const packed = await Promise.all(sets.map(({ set }) => pack(set)))
  const idAt = (routing_code: number, came_at: number) => idOf(deps, routing_code, came_at)
  const ids = sets.map(({ set }) => newId(deps, (set[0] as Seen).routing_code))
  for (const [number, { set }] of sets.entries()) {
    const pack_id = ids[number] as string
    for (const [pack_place, seen] of set.entries()) rows.push({ ...rowOf(seen, idAt), pack_id, pack_place })
  }
  let begins = 1
  const places = packed.map(({ length }) => {
    begins += length
    return begins - length
  })
  await oneStatement(deps.db).query(WRITE, [
    Buffer.concat(packed),
    sets.map(({ merchant_id }) => merchant_id),
    ids,
    places,
    packed.map(({ length }) => length),
    ...COLUMNS.map((column) => listOf(rows.map((row) => row[column]))),
    listOf(rows.map(({ pack_id }) => pack_id)),
    listOf(rows.map(({ pack_place }) => pack_place)),
  ])
}

/** Writes how many requests were not kept. */
export async function writeLost(deps: WriteDeps, lost: readonly Lost[]): Promise<void> {
  await oneStatement(deps.db).query(WRITE_LOST, [
    lost.map(({ merchant_id }) => merchant_id),
    lost.map(({ environment }) => environment),
    lost.map(({ routing_code, from, until }) => idOf(deps, routing_code, Math.min(from, until))),
    lost.map(({ count }) => count),
    lost.map(({ until }) => new Date(until)),
  ])
}

function idOf(deps: WriteDeps, routing_code: number, at: number): string {
  return newId({ random: deps.random, clock: { ...deps.clock, now: () => new Date(at) } }, routing_code)
}

/** A list as PostgreSQL writes one: several times quicker than to have each value looked at. */
function listOf(values: readonly (string | number | null)[]): string {
  return `{${values.map(elementOf).join()}}`
}

function elementOf(value: string | number | null): string | number {
  if (typeof value === 'string') return `"${value.replace(ESCAPED, '\\$&')}"`
  return value ?? 'null'
}

const ESCAPED = /["\\]/g
