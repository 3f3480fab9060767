// The admin command: administration from the command line, while the server runs.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareCommand } from './admin/commands.ts'
import { OPTIONS, UsageError } from './admin/options.ts'
import { startEmbedded } from './db/embedded.ts'
import { isUnavailable } from './db/index.ts'
import { migrate } from './db/migrate.ts'
import { MERCHANT_ROLES, SCOPES } from './http/index.ts'
import { ConfigError, createLog, Refusal } from './lib/index.ts'
import { configFromEnvironment, realDeps, unreachable } from './main.ts'

const HELP = `Usage: npm run -s admin -- COMMAND [options] [--json]

Commands
  demo                                  The demo merchant with fresh keys and passwords (not in production)
  merchant create --name N [--email E] [--approve]
                                        A new merchant; --approve makes it active, verified and priced
  key create --merchant ID --environment live|sandbox --scopes a,b [--name N]
                                        A new API key. It is shown once
  key revoke --merchant ID --key ID     Stops a key at once
  user create --email E --role R [--merchant ID] [--name N] [--language sw|en] [--subject S]
                                        A person with a role. The password is shown once. SUPER_ADMIN is an operator and
                                        has no merchant. --subject: who it is at a foreign OIDC_ISSUER
  user disable --email E                Keeps a person out, from the next request on. Ends their sessions
  user enable --email E                 Lets a disabled person sign in again
  user revoke-operator --email E        Takes SUPER_ADMIN away. Ends their sessions
  user drop-second-step --email E       Takes a lost second step away. Ends their sessions
  emails [--email E] [--merchant ID]    The newest e-mails of the outbox, to hand on by other means
  token --email E                       An access token for a person of the built-in identity provider
  statement import --provider P --file F --from T --to T [--columns reference=NAME,at=NAME]
                                        A statement of a provider (CSV): what differs from the books becomes a case.
                                        Times as 2026-01-05T00:00:00Z, or a day of Tanzania; --to is not included.
                                        kind= with nothing behind it: no column holds it
  migrate                               Brings the database up to date
  verify                                Checks every invariant of the books and states; exit 1 when one fails

Options
  --json     One JSON object on standard output and nothing else
  --help     This text

Roles: ${MERCHANT_ROLES.join(', ')}, SUPER_ADMIN
Scopes: ${Object.keys(SCOPES).join(', ')}
The database is DATABASE_URL, or the embedded one in DATA_DIR.
`

async function run(): Promise<number> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
  if (values.help || positionals.length === 0) {
    process.stdout.write(HELP)
    return positionals.length === 0 && !values.help ? 2 : 0
  }
  // No command calls a provider: none of them waits for its keys.
  const config = configFromEnvironment({ calls_providers: false })
  const work = prepareCommand(positionals, values, config)
  const log = createLog('silent')
  const place = { dataDir: resolve(config.data_dir), log, outside: config.embedded_dir }
  const embedded = config.database_url === '' ? await startEmbedded(place) : null
  const url = embedded?.url ?? config.database_url
  const deps = await realDeps(config, log, url)
  try {
    if (positionals[0] !== 'migrate') await migrate(url)
    const result = await work(deps, url)
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
