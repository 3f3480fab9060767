// Shares the calls and the circuits of each process through a table, so that operators see all processes. If its rows changed,
// a process writes all of them in one statement, at most every 5 seconds. No payment waits for this statement.

import { type Deps, oneStatement, type Reader, sql } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import type { Breaker, CircuitState } from './breaker.ts'

const WRITE_EVERY_MS = 5_000
/**
 * The milliseconds after which a process without changes writes its rows again, so that operators see that the process runs.
 */
const REPEAT_MS = 30_000
/** If a row is older than this many milliseconds, the server treats its process as ended. */
const FRESH_MS = 3 * REPEAT_MS
const FORGET_MS = 3_600_000
/** The greatest number of rows of other processes that a read returns. */
const ROWS_MAX = 2_000

/**
 * The calls of one process to a provider by one method, and its circuit. Null in `circuit` means that the provider has no
 * circuit. Null in the other fields means that there is no such value, such as no fault.
 */
export type ProcessCalls = {
  process_id: string
  process: string
  provider: string
  method: string
  calls: number
  faults: number
  last_call_at: Date
  last_fault_at: Date | null
  circuit: CircuitState | null
  window_calls: number
  window_faults: number
  median_ms: number | null
  circuit_since: Date | null
  retry_at: Date | null
  written_at: Date
}

const WRITE = sql(
  'provider_calls_write',
  `with old as (delete from provider_calls where written_at < $4 and process_id <> $1)
   insert into provider_calls (process_id, process, written_at, provider, method, calls, faults, last_call_at, last_fault_at,
     circuit, window_calls, window_faults, median_ms, circuit_since, retry_at)
   select $1, $2, $3, provider, method, calls, faults, last_call_at, last_fault_at,
     circuit, window_calls, window_faults, median_ms, circuit_since, retry_at
   from json_to_recordset($5::json) as x(provider text, method text, calls bigint, faults bigint, last_call_at timestamptz,
     last_fault_at timestamptz, circuit text, window_calls integer, window_faults integer, median_ms float8,
     circuit_since timestamptz, retry_at timestamptz)
   on conflict (process_id, provider, method) do update set process = excluded.process, written_at = excluded.written_at,
     calls = excluded.calls, faults = excluded.faults, last_call_at = excluded.last_call_at,
     last_fault_at = excluded.last_fault_at, circuit = excluded.circuit, window_calls = excluded.window_calls,
     window_faults = excluded.window_faults, median_ms = excluded.median_ms, circuit_since = excluded.circuit_since,
     retry_at = excluded.retry_at`,
)

const READ = sql(
  'provider_calls_read',
  `select process_id, process, provider, method, calls::float8 as calls, faults::float8 as faults, last_call_at, last_fault_at, circuit,
     window_calls, window_faults, median_ms, circuit_since, retry_at, written_at
   from provider_calls where process_id <> $1 and written_at > $2 order by written_at desc, process_id, provider, method limit $3`,
)

function ownCalls({ clock, config, process_id }: Deps, breaker: Breaker): ProcessCalls[] {
  const circuits = breaker.health()
  const written_at = clock.now()
  return breaker.tallies().map((tally) => {
    const found = circuits.find((one) => one.provider === tally.provider && one.method === tally.method)
    return {
      process_id,
      process: config.process,
      ...tally,
      circuit: found?.state ?? null,
      window_calls: found?.calls ?? 0,
      window_faults: found?.faults ?? 0,
      median_ms: found?.median_ms ?? null,
      circuit_since: found?.since ?? null,
      retry_at: found?.retry_at ?? null,
      written_at,
    }
  })
}

/** Makes the task that writes the rows of this process. Without changes, the task writes only every half minute. */
export function shareCallsTask(deps: Deps, breaker: Breaker): Task {
  let written = { text: '', at: Number.NEGATIVE_INFINITY }
  return {
    name: 'provider_calls',
    every_ms: WRITE_EVERY_MS,
    async runOnce() {
      const rows = ownCalls(deps, breaker)
      if (rows.length === 0) return 0
      const now = deps.clock.now()
      const text = JSON.stringify(rows.map(({ written_at: _, ...row }) => row))
      if (text === written.text && now.getTime() - written.at < REPEAT_MS) return 0
      const values = [deps.process_id, deps.config.process, now, new Date(now.getTime() - FORGET_MS), text]
      await oneStatement(deps.db).query(WRITE, values)
      written = { text, at: now.getTime() }
      return 0
    },
    async idle() {},
  }
}

/**
 * Returns the calls and circuits of this process from its memory, and those of other processes from rows that are at most 90
 * seconds old.
 */
export async function readCalls(deps: Deps, reader: Reader, breaker: Breaker): Promise<ProcessCalls[]> {
  const since = new Date(deps.clock.now().getTime() - FRESH_MS)
  const others = await reader.query<ProcessCalls>(READ, [deps.process_id, since, ROWS_MAX])
  return [...ownCalls(deps, breaker), ...others]
}

/**
 * The calls and circuits of one method of a provider over all processes: the sums of the calls, the worst state and the
 * greatest median. Null means that no process has such a value.
 */
export type SharedCircuit = {
  provider: string
  method: string
  /**
   * The worst state among the processes, in the order open, half open, closed. Null means that the provider has no circuits.
   */
  state: CircuitState | null
  processes: number
  /** The number of processes whose circuit is open. */
  open_in: number
  calls: number
  faults: number
  recent_calls: number
  recent_faults: number
  median_ms: number | null
  last_call_at: Date
  last_fault_at: Date | null
  since: Date | null
  retry_at: Date | null
}

const WORST: readonly (CircuitState | null)[] = ['open', 'half_open', 'closed', null]

/** Combines the rows of all processes to one for each provider and method, sorted by provider, then by method. */
export function combineCalls(rows: readonly ProcessCalls[]): SharedCircuit[] {
  const groups = Map.groupBy(rows, ({ provider, method }) => `${provider} ${method}`)
  return [...groups.values()]
    .map(combineGroup)
    .sort((a, b) => a.provider.localeCompare(b.provider) || a.method.localeCompare(b.method))
}

function combineGroup(group: readonly ProcessCalls[]): SharedCircuit {
  const [first] = group as [ProcessCalls]
  const state = WORST.find((one) => group.some(({ circuit }) => circuit === one)) ?? null
  const sum = (key: 'calls' | 'faults' | 'window_calls' | 'window_faults') =>
    group.reduce((all, row) => all + Number(row[key]), 0)
  const times = (pick: (row: ProcessCalls) => Date | null) =>
    group.flatMap((row) => pick(row) ?? []).sort((a, b) => a.getTime() - b.getTime())
  return {
    provider: first.provider,
    method: first.method,
    state,
    processes: group.length,
    open_in: group.filter(({ circuit }) => circuit === 'open').length,
    calls: sum('calls'),
    faults: sum('faults'),
    recent_calls: sum('window_calls'),
    recent_faults: sum('window_faults'),
    median_ms: group.reduce<number | null>((most, { median_ms }) => greater(most, median_ms), null),
    last_call_at: times(({ last_call_at }) => last_call_at).at(-1) ?? first.last_call_at,
    last_fault_at: times(({ last_fault_at }) => last_fault_at).at(-1) ?? null,
    since: times(({ circuit, circuit_since }) => (circuit === state ? circuit_since : null))[0] ?? null,
    retry_at: times(({ retry_at }) => retry_at)[0] ?? null,
  }
}

function greater(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.max(one, other)
}
