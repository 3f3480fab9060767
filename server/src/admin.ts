// Runs the admin command: an operator administers the installation from the command line, even while the server runs.

import { parseArgs } from 'node:util'
import { COMMANDS, prepareCommand } from './apps/admin/commands.ts'
import { commandsOf, helpOf } from './apps/admin/help.ts'
import { OPTIONS, UsageError } from './apps/admin/options.ts'
import { findStandalone } from './apps/admin/standalone.ts'
import { type Deps, describeRefusal, isUnavailable } from './kernel/db/index.ts'
import { planMigrations } from './kernel/db/migration-plan.ts'
import { adminCommand, ConfigError, createLog, Refusal, type Vault } from './kernel/lib/index.ts'
import {
  atServerPort,
  configFromEnvironment,
  databaseUnreachable,
  gatherDoctorInput,
  lockRestored,
  migrateDatabase,
  migratePatiently,
  type OpenDatabase,
  type OpenRestored,
  openDatabase,
  openRestored,
  type Releases,
  realDeps,
  reportConfig,
  requireScratch,
} from './process.ts'

const withoutKey = (): never => {
  throw new Error('this command has no secret key: it must neither encrypt nor decrypt a value')
}
/** The vault of a command that neither encrypts nor decrypts a value. */
const NO_VAULT: Vault = { key_ids: [], writes_ids: false, seal: withoutKey, open: withoutKey, mark: withoutKey }

async function runCommandLine(): Promise<number> {
  const { values, positionals } = parseCommandLine()
  const help = helpOf(positionals)
  if (help !== null && (values.help || positionals.length === 0)) {
    process.stdout.write(help)
    return values.help ? 0 : 2
  }
  // If the command line names only a group, such as "statement", the program prints the help of its commands.
  const name = positionals.join(' ')
  if (help !== null && commandsOf(name).length > 0 && !Object.hasOwn(COMMANDS, name)) {
    process.stderr.write(help)
    return 2
  }
  const standalone = findStandalone(positionals.join(' '), values)
  if (standalone !== null) {
    const { result, text } = await standalone.run(values, { reportConfig, gatherDoctorInput })
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : text)
    return result.ok ? 0 : 1
  }
  // No command calls a provider, so the program accepts a configuration without the keys of a provider.
  const own_config = await atServerPort(configFromEnvironment({ calls_providers: false }))
  const command = prepareCommand(positionals, values, own_config)
  const config = command.restore === null ? own_config : { ...own_config, data_dir: command.restore.data_dir }
  const { run: runCommand, needs_key, needs_owner, must_exist, migration } = command
  if (typeof runCommand === 'string') {
    process.stdout.write(values.json ? `${JSON.stringify({ sql: runCommand })}\n` : runCommand)
    return 0
  }
  if (runCommand instanceof Promise) return showResult(await runCommand, values.json)
  const log = createLog('silent')
  const releases: Releases = []
  let deps: Deps | undefined
  try {
    const report = (line: string) => void (values.json || process.stderr.write(`${line}\n`))
    if (command.restore !== null) await lockRestored(command.restore, releases)
    if (command.restore !== null && command.restore.check_of !== null) await requireScratch(command.restore.data_dir)
    const database: OpenDatabase & { restored?: OpenRestored['restored'] } =
      command.restore === null
        ? await openDatabase(config, log, releases, { must_exist: must_exist || migration === 'plan' })
        : await openRestored(config, command.restore, releases, report)
    if (migration === 'plan') return showResult(await planMigrations(database.owner_url), values.json)
    const patience = { lock_timeout_ms: 100, retry_for_ms: 600_000, pause_ms: 1_000, report }
    const before = migration === 'patient' ? await migratePatiently(database, patience) : []
    const applied = migration === 'never' ? [] : [...before, ...(await migrateDatabase(database))]
    const url = needs_owner ? database.owner_url : database.url
    deps =
      needs_key === 'optional'
        ? await realDeps(config, log, url).catch((error) => {
            if (error instanceof ConfigError) return realDeps(config, log, url, NO_VAULT)
            throw error
          })
        : await realDeps(config, log, url, needs_key === false ? NO_VAULT : needs_key)
    const { folders, restored = null } = database
    const must_separate = database.owner_url !== database.url
    // The import of the whole system takes about one second, so only commands that need the system import it.
    const openSystem = async (own: Deps) => (await import('./system.ts')).compose(own)
    const opened = { url, applied, must_separate, folders, restored, openSystem }
    const result = await runCommand(deps, opened, report)
    if (restored !== null && result.ok === true && command.restore?.check_of === null) restored.release()
    return showResult(result, values.json)
  } finally {
    await deps?.db.close()
    for (const release of releases.reverse()) await release()
  }
}

/**
 * Parses the command line. Throws a UsageError for an unknown option, for an option without its value, and for a value after an
 * option that takes none.
 */
function parseCommandLine() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true })
  } catch (error) {
    if (!(error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) throw error
    // After the first sentence, the message of Node gives advice about arguments that begin with a hyphen.
    throw new UsageError((error as Error).message.split('. ')[0])
  }
}

/**
 * If the wrong command line names a command or a group, returns the help of the command or group. Otherwise returns the
 * reference to the list of commands.
 */
function usageOf(args: readonly string[]): string {
  const words = args.slice(0, 2).filter((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'))
  const page = helpOf(words) ?? helpOf(words.slice(0, 1))
  return page === null || words.length === 0 ? SEE_HELP : `\n${page}`
}

const SEE_HELP = `See: ${adminCommand('--help')}\n`

/** Prints the result of a command as text or JSON. If `ok` is false, returns the exit code 1, otherwise 0. */
function showResult(result: Record<string, unknown>, is_json = false): number {
  process.stdout.write(is_json ? `${JSON.stringify(result)}\n` : formatResult(result))
  return result.ok === false ? 1 : 0
}

function formatResult(result: Record<string, unknown>): string {
  const lines = Object.entries(result).flatMap(([name, value]) =>
    Array.isArray(value) && typeof value[0] === 'object'
      ? [`${name}:`, ...value.map((entry) => `  ${Object.values(entry as object).join('  ')}`)]
      : [`${name}: ${Array.isArray(value) ? value.join(', ') : value}`],
  )
  return `${lines.join('\n')}\n`
}

try {
  process.exitCode = await runCommandLine()
} catch (error) {
  const json = process.argv.includes('--json')
  if (error instanceof Refusal) {
    const { code, message, details } = error
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, details } })}\n`)
    else process.stderr.write(`${message}${details ? ` ${JSON.stringify(details)}` : ''}\n`)
  } else if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n${usageOf(process.argv.slice(2))}`)
  } else if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n${SEE_HELP}`)
  } else if (isUnavailable(error)) {
    process.stderr.write(databaseUnreachable(error))
  } else {
    process.stderr.write(`${describeRefusal(error) ?? (error as Error).message}\n`)
  }
  process.exitCode = error instanceof UsageError ? 2 : 1
}
