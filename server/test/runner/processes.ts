// Divides the test files among processes. A process imports the system once for all its files, which halves the CPU time.

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'

/** The files that one process runs one after the other, as paths from the root of the repository. */
export type TestProcess = readonly string[]

/** Each file of these folders has its own process, because most of them start servers and browsers. */
const OWN_FOLDERS = ['server/test', 'bench', 'scripts']
/** A line of a file of another folder that needs its own process. The line gives the reason. */
const OWN_PROCESS = /^\/\/ Own process: /m
const FILES_MAX = 10
const CALL = 'await runFiles('
const RUN_FILES = new URL('run-files.ts', import.meta.url).href

/**
 * Divides the files. Servers and browsers mostly wait and shared processes mostly compute, so the two kinds alternate. `root` is
 * the root of the repository, and `concurrency` the number of processes that run at once.
 */
export function processesOf(files: readonly string[], root: string, concurrency: number): TestProcess[] {
  const own = files.filter((file) => needsOwnProcess(file, root)).map((file) => [file])
  const rest = files.filter((file) => !own.some(([one]) => one === file))
  const size = Math.min(FILES_MAX, Math.ceil(rest.length / concurrency))
  const shared: TestProcess[] = []
  for (let from = 0; from < rest.length; from += size) shared.push(rest.slice(from, from + size))
  const placed = [own, shared].flatMap((list) => list.map((one, index) => ({ one, at: (index + 0.5) / list.length })))
  return placed.sort((a, b) => a.at - b.at).map(({ one }) => one)
}

function needsOwnProcess(file: string, root: string): boolean {
  return (
    OWN_FOLDERS.some((folder) => file.startsWith(`${folder}/`)) ||
    OWN_PROCESS.test(readFileSync(resolve(root, file), 'utf8'))
  )
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
