// Reads the built files of both consoles. The server reads the files once at its start and keeps them in memory.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The consoles of merchants and of operators. Each console has its own build, path and sign-in. */
export const CONSOLES = ['dashboard', 'operator'] as const
/** The name of a console, which is also its first path segment. */
export type ConsoleName = (typeof CONSOLES)[number]

/** The folder to which `npm run build` writes the consoles. */
const BUILD_FOLDER = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** A file with its compressed forms. Null means that the build has no such form. */
export type BuiltFile = { type: string; plain: Buffer; br: Buffer | null; gzip: Buffer | null }
/** The page of a console, and the files of the page by name. */
export type BuiltConsole = { page: string; assets: ReadonlyMap<string, BuiltFile> }

/**
 * Reads the page of a console and its assets of the kinds in TYPES. If the folder has no page of the console, returns null.
 */
export function readBuiltConsole(name: ConsoleName, folder = BUILD_FOLDER): BuiltConsole | null {
  const page = join(folder, name, 'index.html')
  if (!existsSync(page)) return null
  const assets = join(folder, name, 'assets')
  const names = existsSync(assets) ? readdirSync(assets) : []
  const files = names.flatMap((file): [string, BuiltFile][] => {
    const type = TYPES[file.slice(file.lastIndexOf('.') + 1)]
    if (type === undefined) return []
    const compressed = (name_of_form: string) =>
      names.includes(name_of_form) ? readFileSync(join(assets, name_of_form)) : null
    const br = compressed(`${file}.br`)
    const gzip = compressed(`${file}.gz`)
    return [[file, { type, plain: readFileSync(join(assets, file)), br, gzip }]]
  })
  return { page: readFileSync(page, 'utf8'), assets: new Map(files) }
}
