// Measures payments during a flood of forged callbacks: how much slower payments are, and how much CPU time a refusal takes.

import {
  type BenchSettings,
  type CpuUse,
  checkLife,
  type Percentiles,
  type Rate,
  type RoundMeasurement,
  rateOf,
  watchLife,
} from './cases.ts'
import type { FloodApi, FloodProgress } from './flood.ts'
import { startRemote } from './rpc.ts'
import { type Cleanup, createCleanup, type Database, query, startWorld } from './world.ts'

/** The results of payments that arrive at fixed times. */
type Paced = { answer_ms: Percentiles; webhook_ms: Percentiles; cpu: CpuUse; per_second: number }

/** The result of the case, without the flood and during the flood. */
export type FloodResult = {
  /** Payments at the highest rate without the flood. */
  quiet: Rate
  /** Payments at the highest rate during the flood. */
  flooded: Rate
  ratio: number
  /** Half the highest rate of payments. In the paced rounds, payments arrive at this rate at fixed times. */
  arrivals_per_second: number
  paced_quiet: Paced
  paced_flooded: Paced
  paced_ratio: number
  /**
   * `wanted_per_second` is the number of forged callbacks that the case requests, and `sent_per_second` the number that the
   * server answers. `by_status` has the number of answers for each status.
   */
  wanted_per_second: number
  sent_per_second: { saturated: number; paced: number }
  by_status: Record<string, number>
  /** The CPU microseconds of the server for each forged callback, while payments arrive at fixed times. */
  server_us_per_callback: number
  /** The number of forged callbacks that the server stored. */
  kept: number
  check: Awaited<ReturnType<typeof checkLife>>
}

/** The number of connections of the flood. Each connection sends one callback at a time. */
const CONNECTIONS = 256

/**
 * Alternates rounds without and with a flood: first payments at the highest rate, then payments at half of this rate at fixed
 * times.
 */
export async function floodCase(
  cleanup: Cleanup,
  database: Database,
  settings: BenchSettings,
  wanted_per_second: number,
): Promise<FloodResult> {
  const { url, drop } = await database.create('flood')
  const local = createCleanup()
  cleanup.add(local.run)
  const world = await startWorld(local, database, url, settings.merchants)
  const flood = startRemote<FloodApi>('flood.ts')
  local.add(() => flood.stop())
  const life = watchLife(database, settings, world, { flood: flood.pid })
  local.add(async () => life.stop())
  const flooding = async <Result>(work: () => Promise<Result>): Promise<[Result, FloodProgress, number]> => {
    await flood.call('start', { port: world.server.port, connections: CONNECTIONS, rate: wanted_per_second })
    const first = await flood.call('progress')
    const result = await work()
    const last = await flood.call('stop')
    return [result, last, ((last.answered - first.answered) / (last.at - first.at)) * 1000]
  }

  const quiet: RoundMeasurement[] = []
  const flooded: RoundMeasurement[] = []
  const saturated_sent: number[] = []
  const by_status: Record<string, number> = {}
  const note = (progress: FloodProgress) => {
    for (const [status, count] of Object.entries(progress.by_status))
      by_status[status] = (by_status[status] ?? 0) + count
  }
  // The first round is a warm-up.
  for (let n = 0; n <= settings.rounds; n++) {
    const alone = await life.run(world.merchants)
    const [under, progress, sent] = await flooding(() => life.run(world.merchants))
    note(progress)
    if (n === 0) continue
    quiet.push(alone.window)
    flooded.push(under.window)
    saturated_sent.push(sent)
  }
  const quiet_rate = rateOf(quiet, life.first_refusal)
  const flooded_rate = rateOf(flooded, life.first_refusal)

  const rate = Math.max(1, Math.round(quiet_rate.per_second / 2))
  const alone = await life.run(world.merchants, { rate })
  const [under, progress, paced_sent] = await flooding(() => life.run(world.merchants, { rate }))
  note(progress)
  const [paced_quiet, paced_flooded] = [pacedOf(alone), pacedOf(under)]
  const server_cores = (paced: Paced) => paced.cpu.server?.cores ?? 0
  const [row] = await query<{ kept: number }>(
    world.database_url,
    `select count(*)::int as kept from provider_callbacks where verdict = 'forged'`,
  )
  const check = await checkLife(world, life)
  await local.run()
  await drop()
  return {
    quiet: quiet_rate,
    flooded: flooded_rate,
    ratio: round(flooded_rate.per_second / quiet_rate.per_second, 3),
    arrivals_per_second: rate,
    paced_quiet,
    paced_flooded,
    paced_ratio: round(paced_flooded.per_second / paced_quiet.per_second, 3),
    wanted_per_second,
    sent_per_second: {
      saturated: Math.round(saturated_sent.reduce((sum, sent) => sum + sent, 0) / saturated_sent.length),
      paced: Math.round(paced_sent),
    },
    by_status,
    server_us_per_callback: round(((server_cores(paced_flooded) - server_cores(paced_quiet)) / paced_sent) * 1e6, 1),
    kept: row?.kept ?? 0,
    check,
  }
}

function pacedOf({
  window,
  answer,
  webhook,
}: {
  window: RoundMeasurement
  answer: Percentiles
  webhook: Percentiles
}): Paced {
  const { cpu, per_second } = rateOf([window], null)
  return { answer_ms: answer, webhook_ms: webhook, cpu, per_second }
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
