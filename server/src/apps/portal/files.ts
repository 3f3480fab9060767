// The built files of the two consoles in the browser: read once, in every encoding that the build made.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The two consoles: what merchants use, and what operators of the platform use. Each has its own build, path and sign-in. */
export const CONSOLES = ['dashboard', 'operator'] as const
/** One of them. */
export type Console = (typeof CONSOLES)[number]

/** Where `npm run build` puts them. */
const BUILT = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** One file as it is sent. */
export type BuiltFile = { type: string; plain: Buffer; br: Buffer | null; gzip: Buffer | null }
/** One console: its page, and the files that the page loads, by name. */
export type Built = { page: string; assets: ReadonlyMap<string, BuiltFile> }

/** Reads a console. Null: it has not been built. */
export function readBuilt(name: Console, folder = BUILT): Built | null {
  const page = join(folder, name, 'index.html')
  if (!existsSync(page)) return null
  const assets = join(folder, name, 'assets')
  const names = existsSync(assets) ? readdirSync(assets) : []
  const files = names.flatMap((file): [string, BuiltFile][] => {
    const type = TYPES[file.slice(file.lastIndexOf('.') + 1)]
    if (type === undefined) return []
    const packed = `${file}.br`
    const br = names.includes(packed) ? readFileSync(join(assets, packed)) : null
    const zipped = `${file}.gz`
    const gzip = names.includes(zipped) ? readFileSync(join(assets, zipped)) : null
    return [[file, { type, plain: readFileSync(join(assets, file)), br, gzip }]]
  })
  return { page: readFileSync(page, 'utf8'), assets: new Map(files) }
}
