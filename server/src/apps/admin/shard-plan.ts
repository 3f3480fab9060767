// Plans the distribution of a database over several machines, for `admin shard plan`. The command changes nothing.

import { type Deps, findPlacementBreaches, PLACEMENTS, type Placement, sql } from '../../kernel/db/index.ts'

/** The size in bytes that one machine restores in about an hour, at 500 MB a second. */
const MACHINE_BYTES = 2e12
/** Each machine holds at least this number of shards, so that a new machine can take some of them. */
const SHARDS_PER_MACHINE = 4
const SHARDS_MIN = 32
const MERCHANTS_MAX = 10

const SIZES = sql(
  '',
  `select relname as name, pg_total_relation_size(oid)::float8 as bytes, greatest(reltuples, 0)::float8 as rows
   from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 2 desc, 1`,
)
// The version of an account counts its transfers, so the query reads no transfers.
const SHARES = sql(
  '',
  `select a.merchant_id, m.name, sum(a.version)::float8 as transfers, sum(sum(a.version)) over ()::float8 as total
   from ledger_accounts a join merchants m on m.id = a.merchant_id
   group by 1, 2 having sum(a.version) > 0 order by 3 desc, 1 limit $1`,
)

type TableSize = { name: string; bytes: number; rows: number }
type MerchantShare = { merchant_id: string; name: string; transfers: number; total: number }

/**
 * Returns the placement and size of each table, the merchants with the most transfers, and the machines and shards that the
 * size needs. `blocks` lists what prevents a distribution. If `blocks` is not empty, `ok` is false.
 */
export async function planShards({ db }: Pick<Deps, 'db'>): Promise<Record<string, unknown>> {
  const [sizes, shares, blocks] = [
    await db.query<TableSize>(SIZES),
    await db.query<MerchantShare>(SHARES, [MERCHANTS_MAX]),
    await findPlacementBreaches(db),
  ]
  const bytes = sizes.reduce((sum, table) => sum + table.bytes, 0)
  const machines = Math.max(1, Math.ceil(bytes / MACHINE_BYTES))
  const shards = Math.max(SHARDS_MIN, 2 ** Math.ceil(Math.log2(machines * SHARDS_PER_MACHINE)))
  return {
    ok: blocks.length === 0,
    tables: sizes.map(({ name, bytes: size, rows }) => ({
      table: name,
      placement: describePlacement(PLACEMENTS.get(name)),
      rows: Math.round(rows),
      megabytes: Math.ceil(size / 1e6),
    })),
    merchants: shares.map(({ merchant_id, name, transfers, total }) => ({
      merchant_id,
      name,
      share: percent(transfers, total),
      advice: transfers / total > 1 / machines ? 'more than one machine of the plan' : 'fits',
    })),
    megabytes: Math.ceil(bytes / 1e6),
    machines,
    shards,
    blocks,
    statements: 'docs/design/scale.md lists the statements that a distribution must change first',
  }
}

function describePlacement(placement: Placement | undefined): string {
  if (placement === undefined) return 'none'
  return placement.kind === 'own'
    ? `by ${placement.column}`
    : placement.kind === 'merchant'
      ? 'by merchant_id'
      : placement.kind
}

/** Returns a share as a percentage with one decimal, such as 75.0 %. */
function percent(part: number, total: number): string {
  const permille = Math.round((1_000 * part) / total)
  return `${Math.floor(permille / 10)}.${permille % 10} %`
}
