// Measures reconciliation for the benchmark: the import of a provider statement, from the first byte to the decision about the
// last case.

import { createHash, randomUUID } from 'node:crypto'
import { COMMAND_ACT } from '../server/src/apps/admin/act.ts'
import { importAndFinish } from '../server/src/money/reconciliation/index.ts'
import { createWorld, type World } from '../server/test/harness.ts'
import { csvOf, lineOf, type PlannedRecord, plant } from '../server/test/statements.ts'
import { type Cleanup, createCleanup, type Database, query, readCpu } from './world.ts'

/** The duration and the CPU time of an import, for the server and for PostgreSQL. */
type ImportCost = { seconds: number; lines_per_second: number; node_cpu_s: number; postgres_cpu_s: number | null }

/** The result of the case, for the first import and for a second import of the same statement. */
export type Reconciled = {
  lines: number
  /** The seconds in which the case created the payments, the payouts and the file. */
  making_s: number
  /** The import of a new statement, and the second import of the same statement. */
  first: ImportCost
  again: ImportCost
  /** The number of lines that match the ledger, in both imports together. */
  matched: number
  /** The number of cases that both imports opened. */
  opened: number
  more_memory_mb: number
}

const MERCHANTS = 100
const CHUNK = 50_000
const READ_BYTES = 262_144
const PERIOD = { from: new Date('2026-01-04T21:00:00Z'), to: new Date('2026-01-05T09:00:00Z') }
const WATCH_EVERY_MS = 100

/** Creates payments and payouts (one payout in ten records), and imports a statement about all records twice. */
export async function reconcileCase(cleanup: Cleanup, database: Database, lines: number): Promise<Reconciled> {
  const { url, drop } = await database.create('reconcile')
  const local = createCleanup()
  cleanup.add(local.run)
  const world = await createWorld({ url })
  local.add(() => world.close())
  const began = performance.now()
  const chunks = await makeStatement(world, lines)
  await query(url, 'vacuum analyze')
  const making_s = Math.round((performance.now() - began) / 1_000)
  const memory_before = process.memoryUsage().rss
  let most = memory_before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, WATCH_EVERY_MS)
  local.add(async () => clearInterval(watch))
  const first = await importOnce(world, database, chunks, lines)
  const again = await importOnce(world, database, chunks, lines)
  await local.run()
  await drop()
  return {
    lines,
    making_s,
    first: first.took,
    again: again.took,
    matched: first.matched + again.matched,
    opened: first.opened + again.opened,
    more_memory_mb: Math.round((most - memory_before) / 1e6),
  }
}

async function makeStatement(world: World, lines: number): Promise<Buffer[]> {
  const merchants = await Promise.all(Array.from({ length: MERCHANTS }, () => world.newMerchant()))
  const span = PERIOD.to.getTime() - PERIOD.from.getTime()
  const chunks: Buffer[] = []
  for (let begun = 0; begun < lines; begun += CHUNK) {
    const wishes = Array.from(
      { length: Math.min(CHUNK, lines - begun) },
      (_, i): PlannedRecord => ({
        flow: i % 10 === 0 ? 'payout' : 'payment',
        state: 'paid',
        amount_minor: BigInt(100_000 + i),
        at: new Date(PERIOD.from.getTime() + Math.floor(((begun + i) / lines) * span)),
        merchant: merchants[i % MERCHANTS] as (typeof merchants)[0],
      }),
    )
    const text = csvOf((await plant(world, wishes)).map((one) => lineOf(one)))
    chunks.push(Buffer.from(begun === 0 ? text : text.slice(text.indexOf('\n') + 1)))
  }
  return chunks
}

async function importOnce(world: World, database: Database, chunks: readonly Buffer[], lines: number) {
  const open = async function* () {
    for (const chunk of chunks)
      for (let i = 0; i < chunk.length; i += READ_BYTES) yield chunk.subarray(i, i + READ_BYTES)
  }
  const file = { name: null, sha256: createHash('sha256').update(randomUUID()).digest(), open }
  const cpu_before = readCpu(database, { node: process.pid })
  const began = performance.now()
  const input = { provider: 'mock', file, columns: new Map(), period: PERIOD }
  const { matched, opened } = await importAndFinish(world.deps, COMMAND_ACT, input)
  const seconds = (performance.now() - began) / 1_000
  const cpu = readCpu(database, { node: process.pid })
  const used = (name: 'node' | 'postgres') =>
    cpu[name] === undefined ? null : Number((cpu[name] - (cpu_before[name] ?? 0)).toFixed(1))
  const took: ImportCost = {
    seconds: Number(seconds.toFixed(1)),
    lines_per_second: Math.round(lines / seconds),
    node_cpu_s: used('node') ?? 0,
    postgres_cpu_s: used('postgres'),
  }
  return { took, matched: Number(matched), opened: Number(opened) }
}
