// Chooses the Chromium of tests and measurements: first CHROMIUM_PATH, then the npm package, then the browser of the machine.

import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A browser to start, with the additional environment variables that it needs. */
export type FoundBrowser = { path: string; env: Record<string, string> }

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const PACKAGE = join(MODULES, '@sparticuz', 'chromium')
const FONTS = 'malipo-fonts.conf'

/**
 * Finds the browser. The npm package has the headless shell, without windows, which needs a quarter less CPU time than the
 * browser of a desktop. The package fits only x64. The first call unpacks it, which takes seconds.
 */
export async function findBrowser(): Promise<FoundBrowser> {
  const path = process.env.CHROMIUM_PATH || (process.arch === 'x64' ? undefined : PLACES.find(isProgram))
  if (path) return { path, env: {} }
  const home = await unpacked()
  return {
    path: join(home, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(home, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(home, FONTS),
    },
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the folder of the unpacked browser. Each process unpacks into a temporary folder. The first process that finishes
 * renames its folder to the returned folder.
 */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const home = join(MODULES, '.cache', `chromium-${version}`)
  if (existsSync(home)) return home
  await mkdir(join(MODULES, '.cache'), { recursive: true })
  const fresh = await mkdtemp(`${home}.`)
  try {
    const program = fileURLToPath(new URL('unpack-browser.ts', import.meta.url))
    const env = { ...process.env, TMPDIR: fresh }
    await promisify(execFile)(process.execPath, [program, join(PACKAGE, 'bin', 'al2023.tar.br')], { env })
    await writeFile(join(fresh, FONTS), fontSettings(home))
    await rename(fresh, home).catch((error) => {
      if (!existsSync(home)) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
  return home
}

/**
 * Returns the configuration of fontconfig with the fonts of the machine and of the npm package. Without a font, a page shows no
 * text.
 */
function fontSettings(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>${join(home, 'fonts')}</dir>
  <cachedir>${join(home, 'fonts-cache')}</cachedir>
</fontconfig>
`
}
