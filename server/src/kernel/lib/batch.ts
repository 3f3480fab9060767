// Batches calls: the calls that arrive while a statement runs share the next statement.

import DataLoader from 'dataloader'
import { InvariantError } from './errors.ts'

/** The limits of `gather`, and the functions that `gather` calls. */
export type GatherOptions = {
  /** The largest number of items in one batch. */
  max_items: number
  /** The largest number of batches that run at the same time. */
  max_running: number
  /**
   * Returns true if one item can be the cause of the error, so that `gather` must split the batch. The default returns true for
   * errors about data or constraints and for broken invariants.
   */
  canSplit?: (failure: Error) => boolean
  /** Receives the number of items of each batch. `batchSizes` makes such a function. */
  measure?: (items: number) => void
}

/**
 * If a batch still runs after this time in milliseconds and `max_running` allows another batch, `gather` starts the next batch.
 * So a slow statement does not delay all callers. Until then, items wait, because large batches cost less per item.
 */
const NEXT_BATCH_DELAY_MS = 4

/**
 * Turns a function over batches into a function over one item. `run` returns results in the order of its items. An Error among
 * the results rejects the call of its item. If `run` throws and `canSplit` returns true, `gather` splits the batch, so `run`
 * must first undo its work.
 */
export function gather<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
  options: GatherOptions,
): (item: Item) => Promise<Answer> {
  let running = 0
  let next_batch_timer: NodeJS.Timeout | null = null
  const waiting: (() => void)[] = []

  const start = (dispatch: () => void) => {
    running++
    setImmediate(dispatch)
    if (next_batch_timer) clearTimeout(next_batch_timer)
    next_batch_timer = null
    if (waiting.length > 0) scheduleNext()
  }
  const startNext = () => {
    const next = running < options.max_running ? waiting.shift() : undefined
    if (next) start(next)
  }
  const scheduleNext = () => {
    next_batch_timer ??= setTimeout(() => {
      next_batch_timer = null
      startNext()
    }, NEXT_BATCH_DELAY_MS)
  }
  const loader = new DataLoader<Item, Answer>(
    async (items) => {
      options.measure?.(items.length)
      try {
        return await runSplitting(items, run, options.canSplit)
      } finally {
        running--
        startNext()
      }
    },
    {
      cache: false,
      maxBatchSize: options.max_items,
      batchScheduleFn: (dispatch) => {
        // If batches have one item and another batch may run, a wait gains nothing.
        const single = options.max_items === 1 && running < options.max_running
        if (running === 0 || single) return start(dispatch)
        waiting.push(dispatch)
        if (running < options.max_running) scheduleNext()
      },
    },
  )
  return (item) => loader.load(item)
}

/**
 * Makes a delay that all callers within `wait_ms` share. The callers continue in the same turn of the event loop, so
 * `gather` takes their next calls as one batch. Use the delay for frequent callers that can wait.
 */
export function createSharedDelay(wait_ms: number): () => Promise<void> {
  let next: Promise<void> | null = null
  return () => {
    next ??= new Promise((resolve) => {
      setTimeout(() => {
        next = null
        resolve()
      }, wait_ms)
    })
    return next
  }
}

/**
 * Runs a batch and never throws. If `canSplit` returns true for the error of `run`, runs each half by itself, down to the
 * invalid item. Any other error, such as that of an unreachable database, is the result of every item.
 */
export async function runSplitting<Item, Answer>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
  canSplit: (failure: Error) => boolean = isAboutData,
): Promise<(Answer | Error)[]> {
  try {
    return [...(await run(items))]
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    if (items.length === 1 || !canSplit(failure)) return items.map(() => failure)
    const middle = items.length >> 1
    const first = await runSplitting(items.slice(0, middle), run, canSplit)
    const second = await runSplitting(items.slice(middle), run, canSplit)
    return [...first, ...second]
  }
}

/**
 * Returns true if one item can be the cause of the error: SQLSTATE classes 22 (data) and 23 (constraint), and broken
 * invariants.
 */
function isAboutData(error: Error & { code?: unknown }): boolean {
  return (typeof error.code === 'string' && /^2[23]/.test(error.code)) || error instanceof InvariantError
}

/**
 * Limits the number of calls that run at the same time. Further calls wait in their order. The caller must limit the number of
 * waiting calls.
 */
export function limitConcurrency(max_running: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= max_running) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // The next call takes the place of the finished call, so `running` does not change.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
