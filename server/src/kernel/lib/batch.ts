// Gathering: calls that arrive while a statement is running become one set for the next statement.

import DataLoader from 'dataloader'

/** Options of `gather`. */
export type GatherOptions = {
  /** Most items in one set. */
  max_items: number
  /** Most sets that run at once. */
  max_running: number
}

/**
 * While a set runs, others collect: large sets cost far less per item than small ones. Only when the newest running
 * set takes longer than this does another start beside it, so that one slow statement does not hold up everybody.
 */
const PATIENCE_MS = 4

/**
 * Turns a function over sets into a function over one item. An idle gatherer runs at once, with whatever arrived in
 * the same turn of the event loop; a busy one collects, unless its sets are of one item. `run` answers in the order of its
 * items; an Error in its answer rejects that one caller. When `run` itself throws because of what the set holds, the set is
 * split until the bad item stands alone, so one poisoned item cannot refuse its neighbours: `run` must therefore undo what
 * it did before it throws.
 */
export function gather<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
  options: GatherOptions,
): (item: Item) => Promise<Answer> {
  let running = 0
  let patience: NodeJS.Timeout | null = null
  const waiting: (() => void)[] = []

  const start = (dispatch: () => void) => {
    running++
    setImmediate(dispatch)
    if (patience) clearTimeout(patience)
    patience = null
    if (waiting.length > 0) watch()
  }
  const startNext = () => {
    const next = running < options.max_running ? waiting.shift() : undefined
    if (next) start(next)
  }
  const watch = () => {
    patience ??= setTimeout(() => {
      patience = null
      startNext()
    }, PATIENCE_MS)
  }
  const loader = new DataLoader<Item, Answer>(
    async (items) => {
      try {
        return await runSplitting(items, run)
      } finally {
        running--
        startNext()
      }
    },
    {
      cache: false,
      maxBatchSize: options.max_items,
      batchScheduleFn: (dispatch) => {
        // Where nothing is gained by collecting, nobody waits while there is room.
        const alone = options.max_items === 1 && running < options.max_running
        if (running === 0 || alone) return start(dispatch)
        waiting.push(dispatch)
        if (running < options.max_running) watch()
      },
    },
  )
  return (item) => loader.load(item)
}

/**
 * Makes a wait that all who come within `wait_ms` share: what they do next happens in one turn of the event loop, so that
 * gatherers take it as one set. For callers who come often and are in no hurry.
 */
export function createTogether(wait_ms: number): () => Promise<void> {
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
 * Runs a set; when it throws because of what the set holds, runs each half by itself, down to the item that fails.
 * Any other failure (the database is away, say) is everybody's. Never throws.
 */
export async function runSplitting<Item, Answer>(
  items: readonly Item[],
  run: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
): Promise<(Answer | Error)[]> {
  try {
    return [...(await run(items))]
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error))
    if (items.length === 1 || !isAboutData(failure)) return items.map(() => failure)
    const middle = items.length >> 1
    const first = await runSplitting(items.slice(0, middle), run)
    const second = await runSplitting(items.slice(middle), run)
    return [...first, ...second]
  }
}

/** SQLSTATE classes 22 (data) and 23 (constraint), and broken invariants, can be one item's fault. */
function isAboutData(error: Error & { code?: unknown }): boolean {
  return (typeof error.code === 'string' && /^2[23]/.test(error.code)) || error.message.startsWith('broken invariant')
}
