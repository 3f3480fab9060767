// Closes the servers of each test, and at the end the resources that the test files of a process share. Such files load this
// file once before their suites, so that the hooks apply to the tests of all files.

import { after, afterEach } from 'node:test'

/** When a test ends, the runner calls these functions, the last added function first. */
export const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** When the last file of this process has ended, the runner calls these functions. */
export const closing_at_end: (() => Promise<unknown>)[] = []

after(async () => {
  for (const close of closing_at_end.splice(0)) await close()
})
