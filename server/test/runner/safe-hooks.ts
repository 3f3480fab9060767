/**
 * Node loads this file before each test file. The file makes each `after` hook wait for the `before` hooks, because Node runs
 * `after` too early without a matching test. If an `after` hook fails, the process ends after its last file, even with an open
 * server. If its parent, Node's test runner, ends, the process ends too.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const nodeTest = createRequire(import.meta.url)('node:test') as typeof import('node:test')
const { after, before } = nodeTest
const begun: Promise<unknown>[] = []
/** The time in milliseconds in which the process of a failed `after` hook can report its failure and end by itself. */
const END_MS_MAX = 5_000

/** The interval in milliseconds at which the process checks that Node's test runner still runs. */
const RUNNER_EVERY_MS = 500
const runner_pid = process.ppid
// If someone stops the run, Node sends SIGTERM. A test file that handles SIGTERM would continue without a database.
setInterval(() => {
  if (process.ppid !== runner_pid) process.exit(1)
}, RUNNER_EVERY_MS).unref()

let is_failed = false
let is_held = false

/**
 * Keeps the process alive after a failed hook, because more files follow. The returned function lets the process end again.
 */
export function holdExit(): () => void {
  is_held = true
  return () => {
    is_held = false
    if (is_failed) endSoon()
  }
}

function endSoon(): void {
  setTimeout(() => process.exit(1), END_MS_MAX).unref()
}

/**
 * A hook of a test file. `before` calls the hook in an async function, so that a thrown error becomes a rejected promise.
 */
type Hook = () => Promise<unknown>

Object.assign(nodeTest, {
  before: (hook: Hook, options?: object) =>
    before(() => {
      const ended = (async () => await hook())()
      begun.push(ended)
      return ended
    }, options),
  after: (hook: Hook, options?: object) =>
    after(async () => {
      await Promise.allSettled(begun)
      try {
        return await hook()
      } catch (error) {
        is_failed = true
        if (!is_held) endSoon()
        throw error
      }
    }, options),
})
syncBuiltinESMExports()
