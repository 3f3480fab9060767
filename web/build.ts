// Builds the two consoles from web/ into web/dist/, and compresses their assets. `npm start` and `npm test` run this file
// first. If no source has changed, the build does nothing.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const WEB = join(ROOT, 'web')
const DIST = join(WEB, 'dist')
const MADE_FROM = join(DIST, 'made-from')
const CONSOLES = ['dashboard', 'operator']
/** The licence of the font requires that we publish its text beside the font. */
const FONT_LICENCE = join(ROOT, 'node_modules', '@fontsource-variable', 'geist', 'LICENSE')
const compress = promisify(brotliCompress)
const zip = promisify(gzip)

const USAGE = `Usage: npm run build

If a source has changed, builds the consoles of merchants and operators (web/dashboard, web/operator) into web/dist.
`

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    const asks_help = argument === '--help' || argument === '-h'
    process[asks_help ? 'stdout' : 'stderr'].write(asks_help ? USAGE : `unknown argument ${argument}\n${USAGE}`)
    process.exit(asks_help ? 0 : 2)
  }
  await buildWeb()
}

async function buildWeb(): Promise<void> {
  const sources = sourcesHash()
  if (existsSync(MADE_FROM) && readFileSync(MADE_FROM, 'utf8') === sources) return
  process.stderr.write('Building the consoles of web/, because a source has changed...\n')
  const fresh = `${DIST}.${process.pid}`
  try {
    for (const name of CONSOLES) await buildConsole(name, join(fresh, name))
    await copyFile(FONT_LICENCE, join(fresh, 'geist-font-LICENSE.txt'))
    await writeFile(join(fresh, 'made-from'), sources)
    await rm(DIST, { recursive: true, force: true })
    await rename(fresh, DIST)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function buildConsole(name: string, outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true })
  await build({
    configFile: false,
    root: join(WEB, name),
    base: `/${name}/`,
    logLevel: 'warn',
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Turns the preload polyfill off, because the content security policy of the pages permits no inline scripts.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 1_000,
    },
  })
  const assets = join(outDir, 'assets')
  await Promise.all(readdirSync(assets).map(async (file) => compressFile(join(assets, file))))
}

async function compressFile(path: string): Promise<void> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 }
  const plain = readFileSync(path)
  await writeFile(`${path}.br`, await compress(plain, { params }))
  await writeFile(`${path}.gz`, await zip(plain, { level: 9 }))
}

function sourcesHash(): string {
  const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|css|html|json|svg)$/.test(path) && !path.startsWith('dist'))
    .sort()
    .map((path) => join(WEB, path))
  const hash = createHash('sha256')
  for (const file of [...files, join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(`${file.slice(ROOT.length)}\n`).update(readFileSync(file))
  }
  return hash.digest('hex')
}
