// Makes scratch projects that install the packed SDK, as a merchant's project does.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packSdk, runNpm } from '../build.ts'

/** A project with the packed SDK in its node_modules. `close` deletes the project. */
export type ScratchProject = { folder: string; close(): Promise<void> }

/** Packs the SDK, and installs the packed file into a new project outside the repository. */
export async function installIntoScratch(): Promise<ScratchProject> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-shop-'))
  const close = () => rm(folder, { recursive: true, force: true })
  try {
    const file = await packSdk(folder)
    await writeFile(join(folder, 'package.json'), '{ "name": "shop", "private": true }\n')
    await runNpm(['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', file], folder)
    return { folder, close }
  } catch (error) {
    await close()
    throw error
  }
}
