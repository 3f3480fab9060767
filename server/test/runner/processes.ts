// Divides the test files among processes. A process imports the code of the server once for all its files, which halves the CPU
// time.

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'

/** The files that one process runs one after the other, as paths from the root of the repository. */
export type TestProcess = readonly string[]

/** Each file of these folders has its own process, because most of them start processes. */
const OWN_FOLDERS = ['server/test/crash', 'server/test/simulation', 'server/test/runner', 'bench', 'scripts']
/** The files of these folders drive a browser, and the files of one process share the browser. */
const BROWSER_FOLDERS = ['server/test/portal', 'server/test/pay-page']
/** A line of a file of another folder that needs its own process. The line gives the reason. */
const OWN_PROCESS = /^\/\/ Own process: /m
const FILES_MAX = 10
const BROWSER_FILES_MAX = 5
const CALL = 'await runFiles('
const RUN_FILES = new URL('run-files.ts', import.meta.url).href

/**
 * Divides the files. Servers and browsers mostly wait and shared processes mostly compute, so the kinds alternate. `root` is
 * the root of the repository, and `concurrency` the number of processes that run at the same time.
 */
export function processesOf(files: readonly string[], root: string, concurrency: number): TestProcess[] {
  const own = files.filter((file) => needsOwnProcess(file, root))
  const rest = files.filter((file) => !own.includes(file))
  const browsing = rest.filter((file) => isBelow(file, BROWSER_FOLDERS))
  const computing = rest.filter((file) => !browsing.includes(file))
  const kinds = [
    divide(own, 1),
    divide(browsing, Math.min(BROWSER_FILES_MAX, Math.ceil(browsing.length / concurrency))),
    divide(computing, Math.min(FILES_MAX, Math.ceil(computing.length / concurrency))),
  ]
  const placed = kinds.flatMap((list) => list.map((one, index) => ({ one, at: (index + 0.5) / list.length })))
  return placed.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

function divide(files: readonly string[], size: number): TestProcess[] {
  const groups: TestProcess[] = []
  for (let from = 0; from < files.length; from += size) groups.push(files.slice(from, from + size))
  return groups
}

function needsOwnProcess(file: string, root: string): boolean {
  return isBelow(file, OWN_FOLDERS) || OWN_PROCESS.test(readFileSync(resolve(root, file), 'utf8'))
}

function isBelow(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => file.startsWith(`${folder}/`))
}

/**
 * Writes one entry file per process into `folder`, and returns their paths. Node sorts the entry files by name and starts them
 * in that order.
 */
export async function writeEntries(processes: readonly TestProcess[], root: string, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const width = String(processes.length).length
  return Promise.all(
    processes.map(async (files, index) => {
      const path = join(folder, `process-${String(index + 1).padStart(width, '0')}.mjs`)
      const names = files.map((file) => relative(root, resolve(root, file)))
      const text = `import { runFiles } from ${JSON.stringify(RUN_FILES)}\n${CALL}${JSON.stringify(names)})\n`
      await writeFile(path, text)
      return path
    }),
  )
}

/** Returns the test files of the text of an entry file. Of any other text, returns null. */
export function filesOfEntry(text: string): string[] | null {
  const call = text.split('\n')[1] ?? ''
  return call.startsWith(CALL) ? (JSON.parse(call.slice(CALL.length, -1)) as string[]) : null
}
