// Measures the request log for the benchmark. Rounds of payments and reads with the log alternate with rounds on a server
// without the log.

import {
  type BenchSettings,
  checkLife,
  type Life,
  type Rate,
  type RoundMeasurement,
  rateOf,
  readStatuses,
  watchLife,
} from './cases.ts'
import { type BenchWorld, type Cleanup, createCleanup, type Database, query, startWorld } from './world.ts'

/** The results of the server with the log, or of the server without it. */
type LogModeResult = { life: Rate; status: Rate; rss_mb: number; check: Awaited<ReturnType<typeof checkLife>> }
type Ratios = { median: number; rounds: number[] }

/** The result of the case, for the server with the log and the server without it. */
export type RequestLogResult = {
  with_log: LogModeResult
  without: LogModeResult
  /** For each round, the rate with the log divided by the rate without the log. */
  ratios: { life: Ratios; status: Ratios }
  /** The number of requests in the log. */
  rows: number
  /** The mean size of a logged request with its indexes, in bytes. */
  stored_bytes: number
  /** The number of requests that the server did not log. */
  not_kept: number
}

type LogStage = {
  world: BenchWorld
  life: Life
  lives: RoundMeasurement[]
  statuses: RoundMeasurement[]
  refusal: string | null
}

/**
 * Alternates rounds of two servers, each on a separate database. The order of the servers changes from round to round.
 */
export async function requestLogCase(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
): Promise<RequestLogResult> {
  const local = createCleanup()
  cleanup.add(local.run)
  const start = async (name: string, days: string): Promise<LogStage> => {
    const { url } = await database.create(name)
    const world = await startWorld(local, database, url, settings.merchants, [], { REQUEST_LOG_DAYS: days })
    const life = watchLife(database, settings, world)
    local.add(async () => life.stop())
    return { world, life, lives: [], statuses: [], refusal: null }
  }
  const kept = await start('requests_kept', '30')
  const none = await start('requests_none', '0')
  // The first round is a warm-up.
  for (let n = 0; n <= settings.rounds; n++) {
    const order = n % 2 === 0 ? [kept, none] : [none, kept]
    for (const { world, life, lives } of order) {
      const { window } = await life.run(world.merchants)
      if (n > 0) lives.push(window)
    }
    for (const stage of order) {
      const [window, refusal] = await readStatuses(database, settings, stage.world, stage.life.known)
      stage.refusal ??= refusal
      if (n > 0) stage.statuses.push(window)
    }
  }
  const [with_log, without] = [await resultOf(kept), await resultOf(none)]
  const [row] = await query<{ rows: number; bytes: number; not_kept: number }>(
    kept.world.database_url,
    `select count(*) filter (where lost is null)::int as rows, coalesce(sum(lost), 0)::int as not_kept,
       (pg_total_relation_size('requests') + pg_total_relation_size('request_packs'))::float8 as bytes from requests`,
  )
  await local.run()
  return {
    with_log,
    without,
    ratios: { life: ratios(with_log.life, without.life), status: ratios(with_log.status, without.status) },
    rows: row?.rows ?? 0,
    stored_bytes: Math.round((row?.bytes ?? 0) / Math.max(1, row?.rows ?? 0)),
    not_kept: row?.not_kept ?? 0,
  }
}

async function resultOf({ world, life, lives, statuses, refusal }: LogStage): Promise<LogModeResult> {
  return {
    life: rateOf(lives, life.first_refusal),
    status: rateOf(statuses, refusal),
    rss_mb: life.rss_mb.server ?? 0,
    check: await checkLife(world, life),
  }
}

function ratios(one: Rate, other: Rate): Ratios {
  const rounds = one.rounds.map((rate, i) => Number((rate / (other.rounds[i] as number)).toFixed(3)))
  const sorted = [...rounds].sort((a, b) => a - b)
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0]
  return { median: Number(((low + high) / 2).toFixed(3)), rounds }
}
