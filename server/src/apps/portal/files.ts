// Reads the built files of both consoles. The server reads each file once and keeps the compressed forms.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The consoles of merchants and of operators. Each console has a separate build, path and sign-in. */
export const CONSOLES = ['dashboard', 'operator'] as const
/** The name of a console. */
export type ConsoleName = (typeof CONSOLES)[number]

/** The output folder of `npm run build`. */
const BUILD_FOLDER = fileURLToPath(new URL('../../../../web/dist/', import.meta.url))

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** A file with its compressed forms. Null means that the build made no such form of the file. */
export type BuiltFile = { type: string; plain: Buffer; br: Buffer | null; gzip: Buffer | null }
/** The page of a console and, by name, the files that the page loads. */
export type BuiltConsole = { page: string; assets: ReadonlyMap<string, BuiltFile> }

/** Reads a console. Null means that the build of the console is missing. */
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
