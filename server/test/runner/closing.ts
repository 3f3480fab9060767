// Closes the servers of each test. Test files that share a process load this file once, before their suites, so that the hook
// applies to the tests of all files.

import { afterEach } from 'node:test'

/** When a test ends, the runner calls these functions, the last added function first. */
export const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
