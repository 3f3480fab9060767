// Reads the packages of package-lock.json, and finds those that reach a server or the browser of a user.

import { readFile } from 'node:fs/promises'

const LOCK_FILE = new URL('../package-lock.json', import.meta.url)

/** One entry of `packages` in package-lock.json. */
export type LockEntry = {
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  optional?: boolean
  peer?: boolean
  dev?: boolean
  devOptional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/** The parts of package-lock.json that this file reads. The path of the root package is empty. */
export type Lock = { name: string; version: string; packages: Record<string, LockEntry> }

/**
 * One package in one version, whose copies may have several paths. If the server, the SDK or a page of web/ needs the package,
 * `shipped` is true. If only development needs the package, `shipped` is false. `needs` has the keys of the packages that it
 * uses.
 */
export type LockedPackage = {
  key: string
  name: string
  version: string
  /** The licence that the package declares. Null means that it declares none. */
  license: string | null
  /** The hash of the archive in the form `sha512-<base64>`. Null means that the package is part of this repository. */
  integrity: string | null
  paths: string[]
  shipped: boolean
  optional: boolean
  needs: string[]
}

/** Packages of web/ that build its pages and are not part of the pages. */
const PAGE_TOOLS = /^(?:vite$|@vitejs\/|@types\/)/

/** Reads package-lock.json of this repository. */
export async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(LOCK_FILE, 'utf8'))
}

/** Returns every package of the lock file once, sorted by key. */
export function lockedPackages(lock: Lock): LockedPackage[] {
  const shipped = shippedPaths(lock)
  const found = new Map<string, LockedPackage>()
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.link) continue
    const key = keyOf(lock, path)
    const one = found.get(key) ?? {
      key,
      name: nameOf(lock, path),
      version: entry.version ?? '',
      license: entry.license ?? null,
      integrity: entry.integrity ?? null,
      paths: [],
      shipped: false,
      optional: true,
      needs: [],
    }
    one.paths.push(path)
    one.shipped ||= shipped.has(path)
    one.optional &&= entry.optional === true
    one.needs = [...new Set([...one.needs, ...needsOf(lock, path).map((need) => keyOf(lock, need))])].sort()
    found.set(key, one)
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Returns the keys of the packages that the root package uses: its workspaces and its own dependencies. */
export function rootNeeds(lock: Lock): string[] {
  const links = Object.values(lock.packages).flatMap(({ link, resolved }) => (link && resolved ? [resolved] : []))
  const own = namesOf(lock.packages[''], true).map((name) => pathOf(lock, '', name))
  return [...new Set([...links, ...own.filter((path) => path !== null)].map((path) => keyOf(lock, path)))].sort()
}

/** Returns the paths of the packages that the server, the SDK or the pages need at run time. */
function shippedPaths(lock: Lock): Set<string> {
  const page_parts = Object.keys(lock.packages.web?.devDependencies ?? {}).filter((name) => !PAGE_TOOLS.test(name))
  const open = [
    ...needsOf(lock, ''),
    ...['server', 'sdk/typescript', 'web'].filter((path) => path in lock.packages),
    ...page_parts.map((name) => pathOf(lock, 'web', name)),
  ]
  const found = new Set<string>()
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === null || found.has(path)) continue
    found.add(path)
    open.push(...needsOf(lock, path))
  }
  return found
}

/** Returns the paths of the packages that a package uses at run time. Packages for other machines may be missing. */
function needsOf(lock: Lock, path: string): string[] {
  return namesOf(lock.packages[path], false).flatMap((name) => pathOf(lock, path, name) ?? [])
}

function namesOf(entry: LockEntry | undefined, development: boolean): string[] {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = entry ?? {}
  const used = { ...dependencies, ...optionalDependencies, ...peerDependencies }
  return Object.keys(development ? { ...used, ...devDependencies } : used)
}

/** Finds a package as Node does: in the folder of the package that uses it, then in each folder above. */
function pathOf(lock: Lock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const entry = lock.packages[path]
    if (entry !== undefined) return entry.link ? (entry.resolved ?? null) : path
    if (folder === '') return null
  }
}

function nameOf(lock: Lock, path: string): string {
  const place = path.includes('node_modules/') ? path : linkTo(lock, path)
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

/** Returns the path of the link that leads to a workspace. */
function linkTo(lock: Lock, path: string): string {
  return Object.entries(lock.packages).find(([, { link, resolved }]) => link && resolved === path)?.[0] ?? path
}

function keyOf(lock: Lock, path: string): string {
  return `${nameOf(lock, path)}@${lock.packages[path]?.version ?? ''}`
}
