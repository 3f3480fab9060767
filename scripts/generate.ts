// `npm run generate` writes every generated file. For db/schema.md, the program reads a temporary database.

import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeSchema } from '../server/src/kernel/db/describe.ts'
import { startEmbedded } from '../server/src/kernel/db/embedded.ts'
import { migrate } from '../server/src/kernel/db/migrate.ts'
import { generatedFiles, ROOT, SCHEMA_FILE } from './generated.ts'

const QUIET = { info: () => {}, warn: (message: string) => process.stderr.write(`${message}\n`) }
/** The settings of a temporary database. A crash may lose its data. */
const FAST_SETTINGS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

const files = await generatedFiles()
files.set(SCHEMA_FILE, await schemaText())
for (const [path, text] of files) {
  const place = new URL(path, ROOT)
  const changed = (await readFile(place, 'utf8').catch(() => null)) !== text
  if (changed) {
    await mkdir(dirname(fileURLToPath(place)), { recursive: true })
    await writeFile(place, text)
  }
  process.stdout.write(`${changed ? 'written  ' : 'unchanged'} ${path}\n`)
}

/** Starts a temporary PostgreSQL server, migrates a new database, and returns the schema of the database. */
async function schemaText(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-generate-'))
  // PostgreSQL may run as another user, and that user needs access to this folder.
  await chmod(folder, 0o711)
  try {
    const server = await startEmbedded({ dataDir: folder, log: QUIET, settings: FAST_SETTINGS })
    try {
      await migrate(server.url)
      return await describeSchema(server.url)
    } finally {
      await server.stop()
    }
  } finally {
    const pointer = await readFile(join(folder, 'postgres.json'), 'utf8').catch(() => null)
    if (pointer !== null)
      await rm(resolve(folder, (JSON.parse(pointer) as { place: string }).place), { recursive: true, force: true })
    await rm(folder, { recursive: true, force: true })
  }
}
