// Runs the checks of `admin doctor`, even if the server does not run or the database does not answer.

import { readFileSync } from 'node:fs'
import { describeRefusal, isUnavailable } from '../../kernel/db/index.ts'
import type { Config } from '../../kernel/lib/index.ts'
import type { SystemCheck } from '../operators/index.ts'
import { checkDatabase, DATABASE_CHECKS } from './doctor-database.ts'
import { checkMachine } from './doctor-machine.ts'
import { checkNetwork } from './doctor-network.ts'
import { type CheckResult, type CheckTable, type DoctorInput, fail, ok, warn } from './doctor-result.ts'

/** The result of `admin doctor`. If a check has the status `fail`, `ok` is false. */
export type DoctorResult = { ok: boolean; checks: SystemCheck[] }

/**
 * Runs the checks. If the configuration is invalid, the result has only the checks of the versions and of the settings. If
 * another check cannot run, its status is `warn` or `fail`. The function throws no error.
 */
export async function runDoctor(input: DoctorInput): Promise<DoctorResult> {
  const { config } = input
  const invalid = { name: 'settings', ...fail(input.config_problems.join('; ')) }
  const first = [{ name: 'versions', ...versions() }, ...(config === null ? [invalid] : [])]
  const groups =
    config === null
      ? []
      : await Promise.all([
          runCheckTable(checkMachine(config, input)),
          checkReader(input, config),
          runCheckTable(checkNetwork(config, input)),
        ])
  const checks = [...first, ...groups.flat()]
  return { ok: checks.every(({ status }) => status !== 'fail'), checks }
}

/** Runs checks one after the other. If a check throws an error, its result describes the error. */
async function runCheckTable(table: CheckTable): Promise<SystemCheck[]> {
  const found: SystemCheck[] = []
  for (const [name, check] of Object.entries(table)) {
    const result = await Promise.resolve()
      .then(check)
      .catch((error: unknown) => fail(describeError(error)))
    found.push({ name, ...result })
  }
  return found
}

/** Describes an error in one sentence without a stack trace. */
function describeError(error: unknown): string {
  const { code = '', message } = error as { code?: string; message?: string }
  const [why = ''] = (message || code).split('\n')
  const refusal = describeRefusal(error)
  if (refusal !== null) return refusal
  if (isUnavailable(error)) return `the database does not answer (${why}): check DATABASE_URL, and that PostgreSQL runs`
  return why
}

async function checkReader(input: DoctorInput, config: Config): Promise<SystemCheck[]> {
  const { reader, no_database } = input
  if (reader === null) {
    const production = config.node_env === 'production'
    return withoutDatabase(production ? fail(no_database) : warn(no_database))
  }
  const [first, ...rest] = Object.entries(checkDatabase(reader, config, input))
  const [database] = await runCheckTable(Object.fromEntries(first === undefined ? [] : [first]))
  if (database === undefined || database.status === 'fail') return withoutDatabase(database ?? fail('no check'))
  return [database, ...(await runCheckTable(Object.fromEntries(rest)))]
}

/** Returns the given result for the check `database`, and `warn` for each other check of the database. */
function withoutDatabase({ status, message }: CheckResult): SystemCheck[] {
  return DATABASE_CHECKS.map((name, i) =>
    i === 0
      ? { name, status, message }
      : { name, ...warn('not checked, because the check "database" did not succeed') },
  )
}

/** The oldest version of Node.js that can run the programs. */
const NODE_MIN = 24

function versions(): CheckResult {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const text = `Malipo ${version}, Node ${process.versions.node}`
  if (Number(process.versions.node.split('.')[0]) >= NODE_MIN) return ok(text)
  return warn(`${text}: start the programs with npm or the package, which bring Node ${NODE_MIN}`)
}

/** Returns one line for each check, with aligned columns. */
export function formatDoctor({ ok: holds, checks }: DoctorResult): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(({ name, status, message }) => `${status.padEnd(4)}  ${name.padEnd(width)}  ${message}`)
  return `${[...lines, '', holds ? 'No check failed.' : 'At least one check failed.'].join('\n')}\n`
}
