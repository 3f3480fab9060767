// Reports the number of tests that ran, as a reporter of Node's test runner, and names the files of a failed process.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { filesOfEntry } from './processes.ts'

/**
 * Yields the number of tests. Node reports a file without tests, and a failed process, as a test with the name of the entry
 * file. The reporter does not count such a test. If such a test failed, the reporter writes the test files of the process to
 * standard error, because Node names only the entry file.
 */
export default async function* countTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite') continue
    if (resolve(data.name) !== data.file) tests += 1
    else if (type === 'test:fail') await nameFiles(data.file)
  }
  yield String(tests)
}

async function nameFiles(entry: string): Promise<void> {
  const files = filesOfEntry(await readFile(entry, 'utf8').catch(() => ''))
  if (files !== null) process.stderr.write(`${entry} failed. It ran these test files: ${files.join(', ')}\n`)
}
