// `npm run supply` checks the packages of package-lock.json: their licences, and their known vulnerabilities, which the registry
// of npm lists.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { licenceProblems } from './licences.ts'
import { type LockedPackage, lockedPackages, readLock } from './locked-packages.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const USAGE = `Usage: npm run supply

Checks every package of package-lock.json:
  licences         without the network, also as a step of npm run check
  vulnerabilities  npm audit sends the names and versions to the registry of npm

Exit code 1 if a licence is not accepted, if a package that reaches a server or a browser has a vulnerability of the
severity high or critical, or if a tool of development has one of the severity critical. Others are only printed. If the
registry does not answer, the output states that the vulnerabilities are unchecked, and the exit code is 0.
`

const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical']
/** The lowest severity that fails the check. A tool runs only on the sources of this repository. */
const FAILS_FROM = { shipped: 'high', tool: 'critical' } as const
/** npm makes one request and no retry, so that a machine without a network waits for a short time. */
const FETCH_MS_MAX = 15_000
const AUDIT_MS_MAX = 60_000

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

/** Decides whether the vulnerabilities of a report fail the check. A report without an answer of the registry passes. */
export function judgeAudit(report: AuditReport | string, packages: readonly LockedPackage[]): SupplyResult {
  if (typeof report === 'string' || report.auditReportVersion === undefined) {
    const why = typeof report === 'string' ? report : (report.message ?? report.error?.summary ?? 'no reason')
    return { failed: false, lines: [`NOT CHECKED  vulnerabilities: the registry did not answer: ${firstLine(why)}`] }
  }
  const shipped = new Set(packages.filter((one) => one.shipped).flatMap(({ paths }) => paths))
  const found = Object.entries(report.vulnerabilities ?? {}).flatMap(([name, { nodes = [], via = [] }]) => {
    // A package without known paths counts as shipped.
    const use = nodes.length === 0 || nodes.some((path) => shipped.has(path)) ? 'shipped' : 'tool'
    return via.flatMap((advisory) => {
      if (typeof advisory === 'string') return [] // The entry of the package that this name leads to has the advisory.
      const { severity = 'critical', title = 'no title', url = 'no address', range = '*' } = advisory
      const fails = rank(severity) >= rank(FAILS_FROM[use])
      return [
        { fails, line: `${fails ? 'FAILED ' : 'listed '} ${severity}: ${name} ${range} (${use}): ${title}, ${url}` },
      ]
    })
  })
  const failed = found.some(({ fails }) => fails)
  const summary = failed
    ? 'FAILED  vulnerabilities: install a version without each failed one, or remove the package'
    : `ok      vulnerabilities: ${packages.length} packages, ${found.length} below the severity that fails`
  return { failed, lines: [...found.map(({ line }) => line), summary] }
}

/** An unknown severity counts as the highest. */
const rank = (severity: string): number =>
  SEVERITIES.includes(severity) ? SEVERITIES.indexOf(severity) : SEVERITIES.length
const firstLine = (text: string): string => text.trim().split('\n')[0]?.slice(0, 200) ?? ''

/** Runs `npm audit` in a folder with a lock file. Returns its report, or its messages if it printed no report. */
export function audit(folder: string, env = process.env): Promise<AuditReport | string> {
  const script = process.env.npm_execpath
  const npm = script?.endsWith('.js') ? [process.execPath, script] : ['npm']
  const flags = ['--json', '--package-lock-only', '--fetch-retries=0', `--fetch-timeout=${FETCH_MS_MAX}`]
  return new Promise((resolve) => {
    const child = spawn(npm[0] as string, [...npm.slice(1), 'audit', ...flags], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: AUDIT_MS_MAX,
    })
    let output = ''
    let errors = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', () => {
      try {
        resolve(JSON.parse(output) as AuditReport)
      } catch {
        resolve(errors || output || `npm audit printed nothing within ${AUDIT_MS_MAX / 1_000} s`)
      }
    })
  })
}

async function main(): Promise<number> {
  const packages = lockedPackages(await readLock())
  const licences = licenceProblems(packages)
  for (const problem of licences) process.stdout.write(`${problem}\n`)
  const summary = licences.length === 0 ? `ok      licences: ${packages.length} packages` : 'FAILED  licences'
  process.stdout.write(`${summary}\n`)
  const { failed, lines } = judgeAudit(await audit(ROOT), packages)
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
