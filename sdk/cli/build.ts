// Builds the command-line tool for developers: one JavaScript file without dependencies.

import { chmod } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/** Writes the tool to `file`. Node 18 and later can run it. */
export async function buildCli(file: string): Promise<void> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('src/main.ts', import.meta.url)),
    platform: 'node',
    transform: { target: 'node18' },
  })
  await bundle.write({ file, format: 'esm', banner: '#!/usr/bin/env node', codeSplitting: false })
  await bundle.close()
  await chmod(file, 0o755)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildCli(fileURLToPath(new URL('dist/malipo.mjs', import.meta.url)))
}
