// `npm run supply` checks the packages of package-lock.json: their licences, and their known vulnerabilities, which the
// registry of npm lists.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { licenceProblems } from './licences.ts'
import { type LockedPackage, lockedPackages, readLock } from './locked-packages.ts'
import { findCorrectedVersion, isOverdue, REPAIR_DAYS, type VersionTimes } from './repair-times.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const USAGE = `Usage: npm run supply

Checks every package of package-lock.json:
  licences         without the network, also as a test of npm test
  vulnerabilities  npm audit sends the names and versions to the registry of npm, and npm view reads when
                   a corrected version appeared

Exit code 1 if a licence is not accepted, or if a package of a server or a browser has a vulnerability of the
severity high or critical. Also if a tool of development has a critical one, or if a corrected version for
another one is older than ${REPAIR_DAYS} days. The command only prints the rest. If the registry does not answer, the output states that the
vulnerabilities are unchecked, and the exit code is 0.
`

const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical']
/** The lowest severity that fails the check. A tool runs only on the sources of this repository. */
const FAILS_FROM = { shipped: 'high', tool: 'critical' } as const
/**
 * The timeout of npm in milliseconds. npm makes one request and no retry, so that the check waits only this time without a
 * network.
 */
const FETCH_MS_MAX = 15_000
const NPM_MS_MAX = 60_000

/** The parts of the output of `npm audit --json` that this file reads. */
export type AuditReport = {
  auditReportVersion?: number
  vulnerabilities?: Record<string, { nodes?: string[]; via?: (string | Advisory)[] }>
  message?: string
  error?: { summary?: string }
}
type Advisory = { title?: string; url?: string; severity?: string; range?: string }

/** The result of a check: its lines, and true if it fails. */
export type SupplyResult = { failed: boolean; lines: string[] }

/** A vulnerability of an installed package. */
type FoundVulnerability = Required<Advisory> & { name: string; use: 'shipped' | 'tool'; installed: string }

/** Returns the version times of a package. Null means that the registry gave no times. */
type ReadTimes = (name: string) => Promise<VersionTimes | null>

/**
 * Decides whether the vulnerabilities of a report fail the check. A severe vulnerability fails it. If the first corrected
 * version for another vulnerability is older than the repair time, that vulnerability fails it too. If the registry did not
 * answer, the check passes.
 */
export async function judgeAudit(
  report: AuditReport | string,
  packages: readonly LockedPackage[],
  timesOf: ReadTimes,
  now = new Date(),
): Promise<SupplyResult> {
  if (typeof report === 'string' || report.auditReportVersion === undefined) {
    const why = typeof report === 'string' ? report : (report.message ?? report.error?.summary ?? 'no reason')
    return { failed: false, lines: [`NOT CHECKED  vulnerabilities: the registry did not answer: ${firstLine(why)}`] }
  }
  const found: { fails: boolean; line: string }[] = []
  for (const one of vulnerabilitiesOf(report, packages)) {
    const { name, use, severity, range, title, url } = one
    const severe = rank(severity) >= rank(FAILS_FROM[use])
    const times = severe ? null : await timesOf(name)
    const corrected = times === null ? null : findCorrectedVersion(one.installed, range, times)
    const fails = severe || (corrected !== null && isOverdue(corrected, now))
    const since = corrected === null ? '' : `, corrected in ${corrected.version} of ${dayOf(corrected.at)}`
    const state = fails ? 'FAILED ' : 'listed '
    found.push({ fails, line: `${state} ${severity}: ${name} ${range} (${use}): ${title}, ${url}${since}` })
  }
  const failed = found.some(({ fails }) => fails)
  const summary = failed
    ? 'FAILED  vulnerabilities: install a version without each failed one, or remove the package'
    : `ok      vulnerabilities: ${packages.length} packages, ${found.length} below the severity that fails and within ${REPAIR_DAYS} days`
  return { failed, lines: [...found.map(({ line }) => line), summary] }
}

function vulnerabilitiesOf(report: AuditReport, packages: readonly LockedPackage[]): FoundVulnerability[] {
  const shipped = new Set(packages.filter((one) => one.shipped).flatMap(({ paths }) => paths))
  return Object.entries(report.vulnerabilities ?? {}).flatMap(([name, { nodes = [], via = [] }]) => {
    // A package without known paths counts as shipped.
    const use = nodes.length === 0 || nodes.some((path) => shipped.has(path)) ? 'shipped' : 'tool'
    const installed = packages.find(({ paths }) => paths.some((path) => nodes.includes(path)))?.version ?? '0.0.0'
    return via.flatMap((advisory) => {
      // If an advisory is a text, the text is the name of another package, whose own entry has the advisory.
      if (typeof advisory === 'string') return []
      const { severity = 'critical', title = 'no title', url = 'no address', range = '*' } = advisory
      return [{ name, use, installed, severity, title, url, range } as const]
    })
  })
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** An unknown severity counts as the highest. */
const rank = (severity: string): number =>
  SEVERITIES.includes(severity) ? SEVERITIES.indexOf(severity) : SEVERITIES.length
const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 200) ?? ''

/**
 * Runs `npm audit` in a folder with a lock file, and returns its report. If npm printed no report, returns its messages.
 */
export async function audit(folder: string, env = process.env): Promise<AuditReport | string> {
  const { output, errors } = await runNpm(['audit', '--package-lock-only'], folder, env)
  return (
    (parseJson(output) as AuditReport | null) ??
    (errors || output || `npm audit printed nothing within ${NPM_MS_MAX / 1_000} s`)
  )
}

/** Reads the times of the versions of a package from the registry. Null means that the registry gave no times. */
export async function readTimes(name: string, folder: string, env = process.env): Promise<VersionTimes | null> {
  const { output } = await runNpm(['view', name, 'time'], folder, env)
  const times = parseJson(output)
  const is_times =
    typeof times === 'object' && times !== null && Object.values(times).every((time) => typeof time === 'string')
  return is_times ? (times as VersionTimes) : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function runNpm(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ output: string; errors: string }> {
  const script = process.env.npm_execpath
  const npm = script?.endsWith('.js') ? [process.execPath, script] : ['npm']
  const flags = ['--json', '--fetch-retries=0', `--fetch-timeout=${FETCH_MS_MAX}`]
  return new Promise((resolve) => {
    const child = spawn(npm[0] as string, [...npm.slice(1), ...words, ...flags], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: NPM_MS_MAX,
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.on('error', (error) => resolve({ output: '', errors: error.message }))
    child.on('close', () => resolve({ output, errors }))
  })
}

async function main(): Promise<number> {
  const packages = lockedPackages(await readLock())
  const licences = licenceProblems(packages)
  for (const problem of licences) process.stdout.write(`${problem}\n`)
  const summary = licences.length === 0 ? `ok      licences: ${packages.length} packages` : 'FAILED  licences'
  process.stdout.write(`${summary}\n`)
  const { failed, lines } = await judgeAudit(await audit(ROOT), packages, (name) => readTimes(name, ROOT))
  for (const line of lines) process.stdout.write(`${line}\n`)
  return failed || licences.length > 0 ? 1 : 0
}

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  const is_help = argument === '--help' || argument === '-h'
  if (argument === undefined) process.exitCode = await main()
  else {
    process[is_help ? 'stdout' : 'stderr'].write(is_help ? USAGE : `the argument ${argument} is unknown\n${USAGE}`)
    process.exitCode = is_help ? 0 : 2
  }
}
