// Runs several test files in this process, one after the other.

import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { after, before, describe } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import './closing.ts'
import { holdExit } from './safe-hooks.ts'

const ROOT = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
const load = createRequire(import.meta.url)

/**
 * Describes each of several files as a suite with the path of the file. The hooks of the file thus become hooks of its suite. Only a file
 * that is alone may await at its top level. If an error occurs that no test awaits, or if the process ends too early, standard error
 * names the file that ran.
 */
export async function runFiles(files: readonly string[]): Promise<void> {
  const [only = ''] = files
  const is_alone = files.length === 1
  let current: string | null = is_alone ? only : null
  const release = is_alone ? () => {} : holdExit()
  for (const file of is_alone ? [] : files) {
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
  if (is_alone) await import(pathToFileURL(resolve(ROOT, only)).href)
}

function whileOf(current: string | null, files: readonly string[]): string {
  return current === null ? `before or after the tests of ${files.join(', ')}` : `while ${current} ran`
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
