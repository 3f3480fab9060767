/**
 * Node loads this file before each test file, and this file changes the hooks of node:test in two ways. Each `after` hook waits
 * for the `before` hooks: without a matching test, Node runs `after` too early. If an `after` hook fails, the process ends even
 * when the hook has left a server open.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const nodeTest = createRequire(import.meta.url)('node:test') as typeof import('node:test')
const { after, before } = nodeTest
const begun: Promise<unknown>[] = []
/** The time in which the process of a failed `after` hook can report its failure and end by itself. */
const END_MS_MAX = 5_000

/** The function is async, so that its promise also holds an error that the hook throws. */
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
        setTimeout(() => process.exit(1), END_MS_MAX).unref()
        throw error
      }
    }, options),
})
syncBuiltinESMExports()
