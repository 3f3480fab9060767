/**
 * Node loads this file before each test file. If a name pattern leaves a file without a test, Node runs `after` hooks before
 * the `before` hooks have ended, and the file fails. With this file each `after` hook waits for the `before` hooks.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'

const nodeTest = createRequire(import.meta.url)('node:test') as typeof import('node:test')
const { after, before } = nodeTest
const begun: Promise<unknown>[] = []

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
      return hook()
    }, options),
})
syncBuiltinESMExports()
