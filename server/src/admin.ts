// The admin command: administration from the command line, while the server runs.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { demo } from './admin/demo.ts'
import { verify } from './admin/verify.ts'
import { createKey, presentKey, revokeKey } from './api-keys/index.ts'
import { startEmbedded } from './db/embedded.ts'
import { type Deps, isUnavailable } from './db/index.ts'
import { migrate } from './db/migrate.ts'
import { ENVIRONMENTS, type Environment, SCOPES } from './http/index.ts'
import { ConfigError, createLog, isId, Refusal } from './lib/index.ts'
import { configFromEnvironment, realDeps, unreachable } from './main.ts'
import { createMerchant } from './merchants/index.ts'

const HELP = `Usage: npm run -s admin -- COMMAND [options] [--json]

Commands
  demo                                  The demo merchant with fresh keys (not in production)
  merchant create --name N [--email E] [--approve]
                                        A new merchant; --approve makes it active, verified and priced
  key create --merchant ID --environment live|sandbox --scopes a,b [--name N]
                                        A new API key. It is shown once
  key revoke --merchant ID --key ID     Stops a key at once
  migrate                               Brings the database up to date
  verify                                Checks every invariant of the books and states; exit 1 when one fails

Options
  --json     One JSON object on standard output and nothing else
  --help     This text

Scopes: ${Object.keys(SCOPES).join(', ')}
The database is DATABASE_URL, or the embedded one in DATA_DIR.
`

/** What was asked for cannot be done as it was written. */
class UsageError extends Error {}

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  name: { type: 'string' },
  email: { type: 'string' },
  approve: { type: 'boolean' },
  merchant: { type: 'string' },
  key: { type: 'string' },
  environment: { type: 'string' },
  scopes: { type: 'string' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']

function required(values: Values, name: 'name' | 'merchant' | 'key' | 'scopes' | 'environment'): string {
  const value = values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`)
  return value
}

function merchantId(values: Values): string {
  const id = required(values, 'merchant').toLowerCase()
  if (!isId(id)) throw new UsageError('--merchant must be a merchant id, as "merchant create" prints it')
  return id
}

type Command = (deps: Deps, values: Values, url: string) => Promise<Record<string, unknown>>

const COMMANDS: Record<string, Command> = {
  demo: (deps) => demo(deps),
  'merchant create': async (deps, values) => {
    const name = required(values, 'name')
    const merchant = await createMerchant(deps, {
      name,
      ...(values.email === undefined ? {} : { email: values.email }),
      approved: values.approve ?? false,
    })
    return { merchant_id: merchant.id, merchant_code: merchant.merchant_code }
  },
  'key create': async (deps, values) => {
    const environment = required(values, 'environment')
    if (!(ENVIRONMENTS as readonly string[]).includes(environment))
      throw new UsageError('--environment must be live or sandbox')
    const { record, plaintext_key } = await createKey(deps, {
      merchant_id: merchantId(values),
      environment: environment as Environment,
      scopes: required(values, 'scopes')
        .split(',')
        .map((scope) => scope.trim()),
      name: values.name ?? 'Made by admin',
    })
    return { ...presentKey(record, null), plaintext_key }
  },
  'key revoke': async (deps, values) =>
    presentKey(await revokeKey(deps, merchantId(values), required(values, 'key')), null),
  migrate: async (_deps, _values, url) => ({ applied: await migrate(url) }),
  verify: (_deps, _values, url) => verify(url),
}

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP)
    return positionals.length === 0 && !values.help ? 2 : 0
  }
  const command = COMMANDS[positionals.join(' ')]
  if (!command) throw new UsageError(`unknown command "${positionals.join(' ')}"`)

  const config = configFromEnvironment()
  const log = createLog('silent')
  const place = { dataDir: resolve(config.data_dir), log, outside: config.embedded_dir }
  const embedded = config.database_url === '' ? await startEmbedded(place) : null
  const url = embedded?.url ?? config.database_url
  const deps = await realDeps(config, log, url)
  try {
    if (positionals[0] !== 'migrate') await migrate(url)
    const result = await command(deps, values, url)
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : readable(result))
    return result.ok === false ? 1 : 0
  } finally {
    await deps.db.close()
    await embedded?.stop()
  }
}

function readable(result: Record<string, unknown>): string {
  const lines = Object.entries(result).flatMap(([name, value]) =>
    Array.isArray(value) && typeof value[0] === 'object'
      ? [`${name}:`, ...value.map((entry) => `  ${Object.values(entry as object).join('  ')}`)]
      : [`${name}: ${Array.isArray(value) ? value.join(', ') : value}`],
  )
  return `${lines.join('\n')}\n`
}

try {
  process.exitCode = await run()
} catch (error) {
  const json = process.argv.includes('--json')
  if (error instanceof Refusal) {
    const { code, message, details } = error
    if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, details } })}\n`)
    else process.stderr.write(`${message}${details ? ` ${JSON.stringify(details)}` : ''}\n`)
  } else if (
    error instanceof UsageError ||
    error instanceof ConfigError ||
    (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')
  ) {
    process.stderr.write(`${(error as Error).message}\nSee: npm run -s admin -- --help\n`)
  } else if (isUnavailable(error)) {
    process.stderr.write(unreachable(error))
  } else {
    process.stderr.write(`${(error as Error).message}\n`)
  }
  process.exitCode = error instanceof UsageError ? 2 : 1
}
