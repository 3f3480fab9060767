/**
 * Runs the conformance cases against an SDK through its driver. The driver is a program that reads commands from standard input
 * and writes reports to standard output, one JSON object a line. README.md describes both.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { type ConformanceCase, type DriverReport, differences, type JsonObject } from './cases.ts'
import { startScriptedServer } from './scripted-server.ts'

/** Sends a command to a driver, and resolves with its report. */
export type DriverCall = (command: JsonObject) => Promise<DriverReport>

/** The result of a case. If `problems` is empty, the SDK conforms. */
export type CaseResult = { file: string; name: string; problems: string[] }

const CASES = new URL('cases/', import.meta.url)
/** The longest time for the report about one command, in milliseconds. No case needs more than 10 seconds. */
const ANSWER_MS_MAX = 60_000
/** The API key of each case that names no other key. No real server has this key. */
const API_KEY = 'service_sandbox_conformanceConformanceConforma1234'

/** Reads the cases of every file in `cases/`, in the order of the file names. */
export function readCases(): { file: string; cases: ConformanceCase[] }[] {
  return readdirSync(CASES)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ file: name, cases: JSON.parse(readFileSync(new URL(name, CASES), 'utf8')) }))
}

/** Runs the cases against a driver, one after another, and returns the result of each. */
export async function runCases(driver: DriverCall, files = readCases()): Promise<CaseResult[]> {
  const server = await startScriptedServer()
  const unreachable = await unusedAddress()
  const results: CaseResult[] = []
  try {
    for (const { file, cases } of files) {
      for (const one of cases) {
        const { base_url, requests } = server.script((one.exchange ?? []).map(({ answer }) => answer))
        const report = await driver(commandOf(one, base_url, unreachable)).catch((error: Error) => ({
          error: { kind: error.message },
        }))
        results.push({ file, name: one.name, problems: differences(one, requests, report) })
      }
    }
  } finally {
    await server.close()
  }
  return results
}

/**
 * Returns the command of a case. In `client.base_url`, the address of an unused port replaces `$unreachable`. By default, the
 * client uses the address of the case.
 */
function commandOf(one: ConformanceCase, base_url: string, unreachable: string): JsonObject {
  if (one.do === 'verify') return { do: 'verify', ...one.webhook }
  const { base_url_suffix = '', ...options } = one.client ?? {}
  const client: JsonObject = { base_url: `${base_url}${base_url_suffix}`, api_key: API_KEY, ...options }
  if (client.base_url === '$unreachable') client.base_url = unreachable
  return { do: 'call', client, call: one.call, args: one.args ?? {} }
}

/** Returns an address at which no server listens, for the cases about an unreachable server. */
async function unusedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

/** A running driver process. `close` ends the process. */
export type DriverProcess = { call: DriverCall; close(): Promise<void> }

/** Starts the driver of an SDK, such as `php sdk/php/tests/driver.php`. */
export function startDriver(command: string, args: readonly string[], options: { cwd?: string } = {}): DriverProcess {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, { resolve(report: DriverReport): void; reject(error: Error): void }>()
  const failAll = (error: Error) => {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }
  child.on('error', failAll)
  child.on('close', (code) => failAll(new Error(`the driver ended with code ${code}`)))
  child.stdin.on('error', failAll)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...report } = JSON.parse(line) as DriverReport & { id: number }
    waiting.get(id)?.resolve(report)
    waiting.delete(id)
  })
  let count = 0
  return {
    call(command) {
      const id = ++count
      let timer: NodeJS.Timeout | undefined
      const report = new Promise<DriverReport>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('the driver does not answer')), ANSWER_MS_MAX)
        waiting.set(id, { resolve, reject })
        child.stdin.write(`${JSON.stringify({ id, ...command })}\n`, () => {})
      })
      return report.finally(() => clearTimeout(timer))
    },
    close: () => endOf(child),
  }
}

function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  const ended = new Promise<void>((done) => child.once('close', () => done()))
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), 2_000)
  return ended.finally(() => clearTimeout(timer))
}

/** Runs the suite from the command line. Returns the exit code: 0 if every case conforms. */
async function main([command, ...args]: readonly string[]): Promise<number> {
  if (command === undefined || command === '--help') {
    process.stdout.write(
      'Usage: npm run conformance -- COMMAND [arguments]\nExample: npm run conformance -- php sdk/php/tests/driver.php\n',
    )
    return command === undefined ? 2 : 0
  }
  const driver = startDriver(command, args)
  const results = await runCases(driver.call).finally(() => driver.close())
  const failed = results.filter(({ problems }) => problems.length > 0)
  for (const { file, name, problems } of failed)
    process.stdout.write(`FAILED ${file}: ${name}\n  ${problems.join('\n  ')}\n`)
  process.stdout.write(`${results.length - failed.length} of ${results.length} cases conform.\n`)
  return failed.length === 0 ? 0 : 1
}

// Test files load this module with `require`, so it contains no top-level await.
if (import.meta.main) {
  main(process.argv.slice(2)).then((code) => {
    process.exitCode = code
  }, failMain)
}

function failMain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 1
}
