// Starts a TypeScript program of this repository with the pinned version of Node. First installs missing packages, but not for
// the server in production. This file is plain JavaScript without dependencies, because it must run on any Node >= 20 before
// the installation.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES = join(ROOT, 'node_modules')
const MARKER = join(MODULES, '.malipo-installed')
// The oldest version of Node that removes types without a flag and without a warning.
const OLDEST_NODE = [24, 12]
const INSTALL_WAIT_MS = 10 * 60_000
// The interval in milliseconds at which this process checks that the parent process still runs.
const PARENT_EVERY_MS = 500
// The time in milliseconds within which equal signals count as one, because npm and a supervisor can both send one stop signal.
const SAME_SIGNAL_MS = 1_000
// V8 allocates the young generation per thread: three times the semi-space. With 8 MB, the server spent a tenth more processor
// time on a payment, because each garbage collection copies the requests in progress. The old generation grows by 60% between
// two full garbage collections.
const MEMORY_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=60']
// The settings of malloc. With fewer arenas, the process wastes less memory, and malloc returns free memory at the end of an
// arena to the system.
const MEMORY_ENV = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '262144' }

const USAGE = `Usage: node scripts/run.mjs TARGET.ts [arguments]
       node scripts/run.mjs --web TARGET.ts [arguments]
       node scripts/run.mjs --bin NAME [arguments]

Runs TARGET.ts (a path from the repository root), or the command NAME of an installed
package, with the Node version that this project pins. If node_modules is missing or
package-lock.json has changed, run.mjs first installs packages. With --web, it also builds
the pages of web/ if they have changed. With NODE_ENV=production, it installs nothing for
programs of server/src, and builds pages only if the build tools are installed. Only the
started program writes to standard output; progress and errors of the installation go to
standard error.
`

await main(process.argv.slice(2))

async function main(args) {
  if (args.length === 0 || args[0] === '--help' || args[0] === '-h') {
    process.stdout.write(USAGE)
    process.exitCode = args.length === 0 ? 2 : 0
    return
  }
  const needs_pages = args[0] === '--web'
  if (needs_pages) args.shift()
  if (isProduction() && args[0]?.startsWith('server/src/')) {
    requirePackages()
    // Without development packages, the server uses the pages of an earlier build. If no such build exists, the server logs an
    // error.
    if (needs_pages && existsSync(join(MODULES, 'vite', 'package.json'))) await withInstallLock(buildPages)
  } else {
    if (!isInstalled()) await withInstallLock(install)
    if (needs_pages) await withInstallLock(buildPages)
  }
  run(findNode(), programOf(args))
}

/**
 * Returns true if NODE_ENV is `production` in the environment or, without such a variable, in the file .env. This function
 * reads no other file of settings.
 */
function isProduction() {
  if (process.env.NODE_ENV !== undefined) return process.env.NODE_ENV === 'production'
  return /^\s*(?:export\s+)?NODE_ENV\s*=\s*(["']?)production\1\s*(?:#.*)?$/m.test(readIfThere(join(ROOT, '.env')) ?? '')
}

/**
 * If a runtime package is missing or differs from the version in package-lock.json, exits and names the command to run.
 */
function requirePackages() {
  const lock = readIfThere(join(ROOT, 'package-lock.json'))
  if (lock === null) fail('package-lock.json is missing: run this command in a complete checkout')
  const missing = []
  for (const [path, entry] of Object.entries(JSON.parse(lock).packages)) {
    if (!path.includes('node_modules/') || entry.dev || entry.devOptional || entry.link) continue
    const found = readIfThere(join(ROOT, path, 'package.json'))
    if (found === null && (entry.optional || entry.peer)) continue
    if (found !== null && JSON.parse(found).version === entry.version) continue
    missing.push(`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${entry.version}`)
  }
  if (missing.length === 0) return
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : ''
  fail(
    `In production, this program installs no packages. These packages are missing or have another version: ` +
      `${missing.slice(0, 5).join(', ')}${more}.\nRun this in ${ROOT}, then start again:\n  npm ci --omit=dev`,
  )
}

/** Builds the pages of web/. The build skips sources that have not changed. */
async function buildPages() {
  const child = spawn(findNode(), [join(ROOT, 'web', 'build.ts')], { cwd: ROOT, stdio: ['ignore', 2, 2] })
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1))
    child.on('close', resolve)
  })
  if (code !== 0) fail('the build of the pages of web/ failed: correct the errors above')
}

/** Returns the arguments of Node: the file of the program, then the arguments of the program. */
function programOf(args) {
  if (args[0] !== '--bin') return args
  const command = join(MODULES, '.bin', args[1] ?? '')
  if (args[1] === undefined || !existsSync(command))
    fail(`no installed package has the command ${args[1] ?? '(none)'}: name a command of node_modules/.bin`)
  return [realpathSync(command), ...args.slice(2)]
}

// Installation of the packages

function isInstalled() {
  const lock = readIfThere(join(ROOT, 'package-lock.json'))
  if (lock === null) fail('package-lock.json is missing: run this command in a complete checkout')
  const expected = fingerprint(lock)
  if (readIfThere(MARKER) === expected) return true
  if (!matchesInstalledTree(JSON.parse(lock))) return false
  // The installed packages match the lock file, for example because a user ran npm directly.
  writeMarker(expected)
  return true
}

/** Compares the lock file with npm's record of node_modules. */
function matchesInstalledTree(lock) {
  const record = readIfThere(join(MODULES, '.package-lock.json'))
  if (record === null) return false
  const installed = JSON.parse(record).packages ?? {}
  return Object.entries(lock.packages).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true
    const found = installed[path]
    if (found === undefined) return entry.optional === true || entry.peer === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

async function install() {
  if (isInstalled()) return // another process installed the packages while this process waited for the lock
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8')
  const count = Object.keys(JSON.parse(lock).packages).filter((path) => path.includes('node_modules/')).length
  process.stderr.write(
    `Installing the ${count} packages of package-lock.json with npm ci: this takes about a minute. A later start installs only ` +
      'if package-lock.json has changed...\n',
  )
  const started = performance.now()
  const child = spawn(npm[0], [...npm.slice(1), 'ci', '--include=dev', '--include=optional'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  const code = await new Promise((resolve) => {
    child.on('error', (error) => {
      output += `${error.message}\n`
      resolve(1)
    })
    child.on('close', resolve)
  })
  if (code !== 0) fail(`npm ci failed:\n${output}`)
  writeMarker(fingerprint(lock))
  process.stderr.write(`Installed the packages in ${Math.round((performance.now() - started) / 1000)} s.\n`)
}

function writeMarker(value) {
  try {
    mkdirSync(MODULES, { recursive: true })
    writeFileSync(MARKER, value)
  } catch {
    // If the checkout is read-only, the next start compares the packages again.
  }
}

function fingerprint(lock) {
  return createHash('sha256').update(`${process.platform} ${process.arch}\n${lock}`).digest('hex')
}

/**
 * Runs `work` while this process holds the installation lock of this checkout, which is an abstract socket. When the holder
 * dies, the kernel frees the lock. If this machine permits no such socket, runs `work` without the lock.
 */
async function withInstallLock(work) {
  const name = `\0malipo-install-${createHash('sha256').update(ROOT).digest('hex')}`
  const giveUp = performance.now() + INSTALL_WAIT_MS
  for (;;) {
    const server = createServer()
    const outcome = await new Promise((resolve) => {
      server.once('error', (error) => resolve(error.code))
      server.listen(name, () => resolve('held'))
    })
    if (outcome !== 'EADDRINUSE') {
      try {
        return await work()
      } finally {
        if (outcome === 'held') server.close()
      }
    }
    if (performance.now() > giveUp)
      fail('another process has installed packages for ten minutes: end that process, and start again')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

// Start of the program

function findNode() {
  const pinned = join(MODULES, `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(pinned)) return pinned
  if (isRecentEnough()) return process.execPath
  fail(
    `this program needs Node ${OLDEST_NODE.join('.')} or newer; there is no packaged one for ` +
      `${process.platform}-${process.arch} and the installed one is ${process.version}: install a newer Node`,
  )
}

function isRecentEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
}

/** Runs Node with `args`. Then exits with the exit code of the child, or ends by the signal that ended the child. */
function run(node, args) {
  // Node caches compiled sources, so that the next start need not compile them.
  const env = {
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'node-compile'),
    ...MEMORY_ENV,
    ...process.env,
  }
  const child = spawn(node, [...MEMORY_FLAGS, ...args], { cwd: ROOT, stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let forwarded_at = Number.NEGATIVE_INFINITY
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well. The child interprets a later second signal as "stop without waiting".
      if (performance.now() - forwarded_at < SAME_SIGNAL_MS || (signal === 'SIGINT' && process.stdin.isTTY)) return
      forwarded_at = performance.now()
      child.kill(signal)
    })
  }
  stopWithParent(child)
  child.on('error', (error) => {
    // The packaged Node needs glibc. With another C library, it does not start.
    if (error.code === 'ENOENT' && node !== process.execPath && isRecentEnough()) run(process.execPath, args)
    else fail(`cannot start ${node}: ${error.message}`)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/**
 * If the parent of this process changes, npm has ended, and this function ends the child. The shell of npm forwards no signals,
 * so the server would otherwise continue after the end of npm.
 */
function stopWithParent(child) {
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    child.kill('SIGTERM')
  }, PARENT_EVERY_MS)
  check.unref()
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
