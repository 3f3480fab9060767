// A reporter of Node's test runner that yields the number of tests that ran.

import { resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/**
 * Yields the number of tests. Node reports a file without tests as a test with the file's name. The reporter does not count
 * such a test.
 */
export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite' && resolve(data.name) !== data.file) tests += 1
  }
  yield String(tests)
}
