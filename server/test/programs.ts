// Runs programs of other languages, such as the PHP and Python SDKs, beside the real server of a test.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readdir } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { settableClock } from '../src/kernel/lib/index.ts'
import { createWorld, type World } from './harness.ts'

/** The output of a program, and its exit code. A null code means that a signal ended the program. */
export type ProgramEnd = { code: number | null; output: string; errors: string }

const PYTHON_PACKAGES = 'python3 python3-venv python3-pip python3-setuptools python3-wheel'
/**
 * The packages that contain a program of a test. If the machine lacks the program, the error message names the packages.
 */
const PACKAGES: Readonly<Record<string, string>> = {
  php: 'php-cli php-curl php-mbstring',
  composer: 'composer',
  python3: PYTHON_PACKAGES,
}
/** The Python of Debian has the tools that Debian's packages install. Another Python of the machine may lack them. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** If PHP or one of the extensions is missing, fails with the packages to install. */
export async function requirePhp(extensions: readonly string[]): Promise<void> {
  const loaded = (await outputOf('php', ['-m'])).toLowerCase().split('\n')
  const missing = extensions.filter((name) => !loaded.includes(name))
  const packages = missing.map((name) => `php-${name.replace('pdo_sqlite', 'sqlite3')}`).join(' ')
  assert.equal(missing.length, 0, `install extensions of PHP: apt-get install ${packages}`)
}

/**
 * Builds the wheel of a Python package and installs it into a new virtual environment in `folder`, without a package registry.
 * Returns the Python of that environment. `packages` maps the further Python modules that the environment needs to their Debian
 * packages.
 */
export async function makePythonHome(
  source: string,
  folder: string,
  packages: Record<string, string> = {},
): Promise<string> {
  const needed = { pip: '', ensurepip: '', setuptools: '', wheel: '', ...packages }
  const check = `import importlib.util as u; print(*[m for m in ${JSON.stringify(Object.keys(needed))} if u.find_spec(m) is None])`
  const missing = (await outputOf(PYTHON, ['-c', check])).trim()
  assert.equal(
    missing,
    '',
    `install modules of Python: apt-get install ${PYTHON_PACKAGES} ${Object.values(packages).join(' ')}`,
  )
  // A build writes into its source folder, so the function builds a copy.
  const copy = join(folder, 'source')
  await cp(source, copy, { recursive: true, filter: (path) => !path.endsWith('__pycache__') })
  const offline = ['--quiet', '--no-index', '--disable-pip-version-check', '--no-deps']
  const env = { PIP_ROOT_USER_ACTION: 'ignore' }
  await outputOf(
    PYTHON,
    ['-m', 'pip', 'wheel', ...offline, '--no-build-isolation', '-w', join(folder, 'wheels'), copy],
    { env },
  )
  const home = join(folder, 'home')
  const sees_debian = Object.keys(packages).length > 0 ? ['--system-site-packages'] : []
  await outputOf(PYTHON, ['-m', 'venv', ...sees_debian, home])
  const [wheel = ''] = await readdir(join(folder, 'wheels'))
  await outputOf(join(home, 'bin/pip'), ['install', ...offline, join(folder, 'wheels', wheel)], { env })
  return join(home, 'bin/python')
}

/** Runs a program to its end. If the machine lacks the program, fails with the packages to install. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string; timeout_ms?: number } = {},
): Promise<ProgramEnd> {
  const { env = {}, cwd, input = '', timeout_ms = 120_000 } = options
  const child = spawn(file, args, {
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
    signal: AbortSignal.timeout(timeout_ms),
  })
  const chunks: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => chunks[name].push(chunk))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ENOENT' ? new Error(`install ${file}: apt-get install ${PACKAGES[file] ?? file}`) : error),
    )
    child.on('close', done)
  })
  return {
    code,
    output: Buffer.concat(chunks.stdout).toString(),
    errors: Buffer.concat(chunks.stderr).toString(),
  }
}

/** Runs a program, asserts that it ends with 0, and returns its output. */
export async function outputOf(...call: Parameters<typeof runProgram>): Promise<string> {
  const { code, output, errors } = await runProgram(...call)
  assert.equal(code, 0, `${call[0]} ${call[1].join(' ')} ended with ${code}:\n${errors}${output}`)
  return output
}

/** Starts a program that runs until `stop`, and waits until its output matches `ready`. */
export async function startProgram(
  file: string,
  args: readonly string[],
  ready: RegExp,
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ printed: () => string; stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(file, args, { ...options, env: { ...process.env, ...options.env }, stdio: 'pipe' })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  }
  const ended = new Promise<void>((done) => child.on('close', () => done()))
  await new Promise<void>((done, fail) => {
    const look = (): void => void (ready.test(printed) && done())
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.on('error', (error: NodeJS.ErrnoException) =>
      fail(error.code === 'ENOENT' ? new Error(`install ${file}: apt-get install ${PACKAGES[file] ?? file}`) : error),
    )
    void ended.then(() => fail(new Error(`${file} ended before it was ready:\n${printed}`)))
  })
  return {
    printed: () => printed,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** Returns a port on which no program listens. */
export async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Waits until the condition holds. After `timeout_ms`, throws an error. */
export async function until(holds: () => Promise<boolean> | boolean, timeout_ms = 20_000): Promise<void> {
  const end = Date.now() + timeout_ms
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('the condition did not become true in time')
    await sleep(20)
  }
}

/**
 * A world that listens on a port and does its due work all the time. At its start, its clock has the time of the machine.
 */
export type LiveWorld = World & { base_url: string }

/** Returns the scopes that the sentence "These programs need at least the scopes ..." of a README names. */
export function leastScopes(readme: string): string[] {
  const [sentence = ''] =
    /These\s+programs\s+need\s+at\s+least\s+the\s+scopes[^.]*\./.exec(readme.replaceAll(/(\w):(\w)/g, '$1§$2')) ?? []
  const scopes = [...sentence.matchAll(/`([a-z_]+)§([a-z]+)`/g)].map(([, area, act]) => `${area}:${act}`)
  assert.ok(scopes.length > 2, 'the README names the least scopes that its programs need')
  return scopes
}

/** Starts a world for programs outside this process. Those programs use the clock of the machine. */
export async function startLiveWorld(env: Record<string, string> = {}): Promise<LiveWorld> {
  const world = await createWorld({ clock: settableClock(new Date()), env })
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  const base_url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  const running = new AbortController()
  const work = (async () => {
    while (!running.signal.aborted) {
      world.deps.clock.advance(Math.max(0, Date.now() - world.deps.clock.now().getTime()))
      await world.work()
      await sleep(20)
    }
  })()
  return {
    ...world,
    base_url,
    async close() {
      running.abort()
      await work
      await world.close()
    },
  }
}
