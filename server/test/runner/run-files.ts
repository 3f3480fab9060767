// Runs several test files in this process, one after the other.

import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { after, before, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import './closing.ts'
import { holdExit } from './safe-hooks.ts'

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const load = createRequire(import.meta.url)

/**
 * Describes each file as a suite with the path of the file. The hooks of the file thus become hooks of its suite. If an error
 * occurs that no test awaits, or if the process ends too early, standard error names the file that ran.
 */
export function runFiles(files: readonly string[]): void {
  let current: string | null = null
  const release = holdExit()
  for (const file of files) {
    describe(file, () => {
      before(() => {
        current = file
      })
      // Node finds the suite of a test by the asynchronous context, which an import() can lose.
      load(resolve(ROOT, file))
    })
  }
  after(() => {
    current = null
    release()
  })
  const report = (error: unknown): void => {
    process.stderr.write(`Error that no test awaits, ${whileOf(current, files)}: ${textOf(error)}\n`)
  }
  process.on('uncaughtExceptionMonitor', report)
  process.on('unhandledRejection', report)
  process.on('exit', (code) => {
    if (current !== null) process.stderr.write(`The process ended with code ${code}, ${whileOf(current, files)}.\n`)
  })
}

function whileOf(current: string | null, files: readonly string[]): string {
  return current === null ? `before or after the tests of ${files.join(', ')}` : `while ${current} ran`
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
