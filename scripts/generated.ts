// Makes the files that `npm run generate` writes from the code. A test checks that these files match the code.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MAGIC_NUMBERS, NAME_MAGIC_NUMBERS, PAYOUT_MAGIC_NUMBERS } from '../server/src/adapters/providers/mock/index.ts'
import { PROVIDERS } from '../server/src/adapters/providers/registry.ts'
import { helpOf, PAGES } from '../server/src/apps/admin/help.ts'
import { createDb, type Deps } from '../server/src/kernel/db/index.ts'
import { SCOPES } from '../server/src/kernel/http/index.ts'
import {
  catalogue,
  createLog,
  createVault,
  fileSettings,
  listSettings,
  noPoint,
  noTracer,
  readConfig,
  systemClock,
  systemRandom,
} from '../server/src/kernel/lib/index.ts'
import { createMetrics } from '../server/src/kernel/lib/metrics-registry.ts'
import { compose } from '../server/src/system.ts'
import { type ApiDocument, apiTypes } from './api-types.ts'
import { collectionFiles, type MerchantDocument } from './collections.ts'
import { documentText } from './document-text.ts'
import { type PyDocument, pythonAsyncResources, pythonTypes } from './python-sdk.ts'
import { type SdkDocument, sdkTypes } from './sdk-types.ts'

/** The URL of the repository's root folder. */
export const ROOT = new URL('../', import.meta.url)

/** The generated file that needs a database. `describeSchema` makes its content. */
export const SCHEMA_FILE = 'db/schema.md'

/** Returns every generated file that needs no database, by its path from the root. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const { whole, of_merchants } = await openApiDocuments()
  return new Map([
    ['openapi.json', documentText(whole)],
    ['openapi.merchant.json', documentText(of_merchants)],
    ...collectionFiles(of_merchants as MerchantDocument),
    ['web/ui/api-types.ts', apiTypes(whole as ApiDocument)],
    ['sdk/typescript/src/api-types.ts', sdkTypes(whole as SdkDocument, Object.keys(catalogue))],
    ['sdk/typescript/src/version.ts', await sdkVersion()],
    ['sdk/python/src/malipo/types.py', pythonTypes(whole as PyDocument)],
    ['sdk/python/src/malipo/_async_resources.py', pythonAsyncResources(await pythonResources())],
    ['.env.example', envExample()],
    ['docs/guides/errors.md', errorsPage()],
    ['docs/guides/sandbox.md', await guideWithTables('docs/guides/sandbox.md', SANDBOX_TABLES)],
    ['docs/guides/authentication.md', await guideWithTables('docs/guides/authentication.md', SCOPE_TABLES)],
    ['docs/commands.md', await commandsPage()],
  ])
}

/** Returns the OpenAPI documents of a default configuration. The app neither listens nor connects to a database. */
async function openApiDocuments(): Promise<{ whole: object; of_merchants: object }> {
  const config = readConfig({}, PROVIDERS)
  const random = systemRandom()
  const deps: Deps = {
    config,
    random,
    clock: systemClock,
    log: createLog('silent'),
    tracer: noTracer,
    db: createDb({ url: 'postgresql://unused@127.0.0.1:1/none', max_connections: 2 }),
    vault: createVault(Buffer.alloc(32), random),
    point: noPoint,
    process_id: randomUUID(),
    clock_ahead_ms: () => 0,
    metrics: createMetrics(),
  }
  const system = await compose(deps)
  try {
    await system.app.ready()
    return { whole: system.app.swagger(), of_merchants: system.app.merchantApi() }
  } finally {
    await system.app.close()
    await system.close()
    await deps.db.close()
  }
}

async function pythonResources(): Promise<string> {
  return await readFile(new URL('sdk/python/src/malipo/_resources.py', ROOT), 'utf8')
}

/** Returns the module with the version of the SDK, because the SDK cannot read package.json in every runtime. */
async function sdkVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('sdk/typescript/package.json', ROOT), 'utf8'))
  return `// Generated from package.json by \`npm run generate\`; do not edit.

/** The SDK version in package.json. Each request has it in the User-Agent header. */
export const VERSION = '${version}'
`
}

function envExample(): string {
  const lines = [
    '# Every setting of the server, with its default. Generated from server/src/kernel/lib/config.ts by `npm run generate`.',
    '# Copy this file to malipo.env, which the server and the commands read. The environment overrides the file. Secrets can also come',
    `# from a file, whose path NAME_FILE holds: ${fileSettings(PROVIDERS).join(', ')}.`,
  ]
  for (const { env, default: preset, help } of listSettings(PROVIDERS)) lines.push('', `# ${help}`, `#${env}=${preset}`)
  return `${lines.join('\n')}\n`
}

function errorsPage(): string {
  const rows = Object.entries(catalogue).map(
    ([code, { status, message, to_do }]) => `| \`${code}\` | ${status} | ${cell(message)} | ${cell(to_do)} |`,
  )
  return `# Errors

<!-- Generated from server/src/kernel/lib/errors.ts by npm run generate; do not edit. -->

Each error has a code, and each code has a next step. The body of a refusal is \`{"success": false, "error": {"code", "message", "details"}}\`. Use the code in programs: messages are for people and
may change. \`details\` is null or an object. For \`validation_failed\`, \`details.fields\` lists \`{field, message}\`. If a key lacks a scope,
\`details.required_scope\` names it. New codes may follow: treat an unknown code by its status.

| Code | Status | Message | What to do |
|---|---|---|---|
${rows.join('\n')}

## Mistyped parameters and fields

The server refuses an unknown query parameter with 400 \`validation_failed\`: \`details.fields\` names the parameter and a similar one, if
there is one. The server ignores an unknown field of the body, and names it in the header \`X-Service-Ignored-Fields\` of the answer.

## Codes of payment links

| Code | Request | The server refuses if |
|---|---|---|
| \`payment_link_not_active\` | \`POST /public/payment-links/{public_slug}/collect\` and its alias \`/pay\` | the link is \`PAID\`, \`EXPIRED\` or \`CANCELLED\` (see \`details.status\`); the link is live and its merchant is suspended; the payment of a hosted page accepts no more attempts; or the page is from the sandbox, and the server now has a real provider |
| \`payment_link_not_active\` | \`GET /v1/payment-links/{link_id}/poster.pdf\` | the link is \`PAID\`, \`EXPIRED\` or \`CANCELLED\` |
| \`payment_link_already_paid\` | \`POST /v1/payment-links/{link_id}/cancel\` | the link is \`PAID\` |
| \`payment_in_progress\` | \`POST /public/payment-links/{public_slug}/collect\` and its alias \`/pay\` | a prompt of another attempt is still on a phone, or a payment of the page is under review |

So an attempt to pay a paid link gets \`payment_link_not_active\` with \`details.status\` \`PAID\`. Only an attempt to cancel a paid link gets
\`payment_link_already_paid\`.
`
}

type GeneratedTable = { head: string; rows: readonly (readonly string[])[] }

function magicTable(numbers: readonly { ending: string; happens: string; ends_as: string }[]): GeneratedTable {
  return {
    head: '| Ends in | What happens | Ends as |\n|---|---|---|',
    rows: numbers.map(({ ending, happens, ends_as }) => [ending, happens, ends_as]),
  }
}

/** The tables of the sandbox guide, by the name that the marks contain. */
const SANDBOX_TABLES = {
  'magic numbers': magicTable(MAGIC_NUMBERS),
  'magic numbers of payouts': magicTable(PAYOUT_MAGIC_NUMBERS),
  'magic numbers of names': {
    head: '| Ends in | Name on the account |\n|---|---|',
    rows: NAME_MAGIC_NUMBERS.map(({ ending, name }) => [ending, name]),
  },
}

/** The table of the authentication guide. */
const SCOPE_TABLES = {
  scopes: {
    head: '| Scope | Allows |\n|---|---|',
    rows: Object.entries(SCOPES).map(([scope, grants]) => [`\`${scope}\``, grants]),
  },
}

/** Returns a guide with a new table between each pair of marks. */
async function guideWithTables(path: string, tables: Readonly<Record<string, GeneratedTable>>): Promise<string> {
  let text = await readFile(new URL(path, ROOT), 'utf8')
  for (const [name, { head, rows }] of Object.entries(tables)) {
    const begin_mark = `<!-- ${name}: generated by npm run generate -->`
    const end_mark = `<!-- end of ${name} -->`
    const begin = text.indexOf(begin_mark)
    const end = text.indexOf(end_mark)
    if (begin < 0 || end < begin) throw new Error(`${path} must contain the lines "${begin_mark}" and "${end_mark}"`)
    const lines = rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    text = `${text.slice(0, begin)}${begin_mark}\n\n${[head, ...lines].join('\n')}\n\n${text.slice(end)}`
  }
  return text
}

/** The npm commands, each with its purpose. */
const NPM_COMMANDS: Readonly<Record<string, string>> = {
  start: 'Runs the API, the worker and, without `DATABASE_URL`, the embedded database.',
  build: 'Builds the consoles if their sources have changed. `npm start` and `npm test` also do this.',
  admin: 'Runs one [command of administration](#administration), also while the server runs.',
  test: 'Runs all tests on a temporary PostgreSQL. `npm test -- FILE` runs one file, `npm test -- FOLDER` the tests of a folder.',
  check:
    'Checks format, types and architecture, without running the server. `npm test` also checks OpenAPI documents, unused code, licences and generated files.',
  supply:
    'Checks the licences of the packages and, if the registry of npm answers, their known vulnerabilities: see [Supply chain](operate/supply-chain.md).',
  sbom: 'Prints a bill of materials (CycloneDX): `npm run -s sbom > sbom.cdx.json`.',
  package: 'Builds the Debian package `dist/malipo_VERSION_ARCHITECTURE.deb`: see [Installation](operate/install.md).',
  cli: 'Builds the command-line tool of developers into `sdk/cli/dist/malipo.mjs`: see [its page](../sdk/cli/README.md).',
  'cli:node18': 'Runs the tests of the command-line tool with Node 18. Installs Node 18 into a temporary folder.',
  'package:check':
    'Installs the Debian package in a clean Debian system. Runs the steps of [Installation](operate/install.md), and upgrades, removes and purges the package. Needs root, mmdebstrap and systemd-nspawn.',
  generate: 'Writes the generated files, such as this page.',
  format: 'Formats the code.',
  bench: 'Measures this machine: payments accepted, settled and delivered, and payouts approved, per second.',
  lighthouse: 'Measures the public pages on the simulated network and processor of a phone.',
  alerts:
    'Checks the alert rules of `deploy/monitoring` and runs their tests: see [Monitoring](operate/monitoring.md). Needs promtool (package prometheus of Debian).',
  chart:
    'Renders the Helm chart of `deploy/helm` with Helm, and compares the result with that of the tests: see [Kubernetes](operate/kubernetes.md). Needs helm.',
  crash: 'Kills a server under load twenty times and at each crash point, and checks that no payment is lost.',
  release:
    'Checks that the sources are ready for a release, and makes its artefacts in `dist/` with checksums, and its tag. `-- --dry-run` makes no tag and keeps no artefact. Pushes nothing.',
  'upgrade-test':
    'Upgrades from the version at a git reference and rolls back, under 200 requests a second, on two versions of PostgreSQL. Usage: `npm run upgrade-test -- REF` ([how](operate/upgrade.md#how-an-upgrade-is-tested)). Options: `PER_SECOND`, `PG_BIN`.',
  'restore-drill':
    'Restores an embedded database with a million payments to a second under load, and compares its books with those of the provider. Prints the time of each step. Takes 7 minutes, and needs about 8 GB in the folder of `TMPDIR`. Options: `PAYMENTS`.',
  pgbackrest:
    'Backs up a PostgreSQL with pgBackRest and `deploy/pgbackrest`, destroys the database under load, and restores it to a second. Checks that the server sends nothing twice. Needs root, and the packages postgresql-15 and pgbackrest of Debian. `REPOSITORY=s3` keeps the backups in an S3-compatible server of npm.',
  servers:
    'Runs four servers behind HAProxy (package haproxy of Debian) under load, ten times. One dies, one hangs for 17 seconds, and one has a clock ten minutes ahead. Checks that no payment is lost and no payout is sent twice. Options: `SEED`.',
  rolling:
    'Restarts each process three times under 200 requests a second behind HAProxy (package haproxy of Debian), and checks that no request fails.',
  restarts:
    'Restarts PostgreSQL and kills its backends a hundred times each under load, over the Unix socket and over TCP. Checks that no payment is lost. Options: `LOSSES`, `SEED`.',
  endurance:
    'Fills the disk of the embedded database twenty times under load, and steps the clock of the processes a day ahead and back. Checks that no payment is lost or stuck. Needs root, to mount a small disk, and libfaketime (Debian). Options: `FULL_DISKS`, `CLOCK_STEPS`, `SEED`.',
  ha: 'Starts three database nodes with Patroni and etcd, and makes each fault of a node under load. Checks that no payment is lost: see [High availability](operate/high-availability.md#how-this-is-tested). Needs root. Options: `ROUNDS`, `FAULTS`, `PER_SECOND`, `SEED`.',
  replica:
    'Tests the read replica with PostgreSQL 15 of Debian: kills the primary under requests, and stops, replaces and promotes the replica. No list lacks a payment. `npm test` runs the same with the packaged PostgreSQL. Option: `TEST_PG_BIN`.',
  pgbouncer:
    'Runs the product through PgBouncer in transaction mode under load, and kills PgBouncer. Checks that no payment is lost, and that the server refuses a wrong configuration. Needs PgBouncer (Debian). Option: `LOAD_S`.',
  storm:
    'Runs 20,000 payments and 2,000 payouts while the provider fails and processes die, then compares both books. Takes 6 minutes. Options: `SEED`, `PAYMENTS`, `PAYOUTS`, `KILLS`.',
  journeys:
    'Opens every screen and journey of the pay page with and without scripts, and every journey of the consoles, in each language.',
  simulate:
    'Simulates thousands of withdrawals, with crashes and a contradicting provider, against a model. `SEED=n` repeats a run.',
  model:
    'Runs 100,000 random steps of operators, members, API keys, limits and pauses, and checks each payout against the rules. Options: `STEPS`, `SEED`.',
  clients:
    'Generates clients from `openapi.merchant.json` with two generators from npm, and compiles them. Checks both documents with Spectral, and the collections with the parsers of Bruno and Postman. Needs npm.',
  fuzz: 'Sends 50,000 generated requests to every documented call, with credentials of each kind, and checks each answer against the OpenAPI document. Options: `REQUESTS`, `SEED`.',
  stall:
    'Sends 400 wrong sign-ins, 180 posters and hostile text to a server at once, and prints the response times of /readyz and of payments.',
  receiver:
    'Runs an example receiver of webhooks at http://127.0.0.1:9090/hook. `WEBHOOK_SECRET` has the signing secret.',
  sdk: 'Builds the SDK for TypeScript and JavaScript, and packs the SDK into `dist/malipo-sdk-VERSION.tgz`: see its [README](../sdk/typescript/README.md).',
  'sdk-matrix':
    'Installs the packed SDK into a scratch project, and runs the conformance suite on Node 18 to 24, Deno, Bun, workerd and edge-runtime. Takes these from the registry of npm. Takes 3 minutes.',
  conformance:
    'Runs the [conformance suite](../sdk/conformance/README.md) of the SDKs against one of them: `npm run conformance -- COMMAND OF THE DRIVER`.',
  woocommerce:
    'Buys in a real WordPress with a browser, through the [plugin for WooCommerce](../sdk/woocommerce/README.md) and a simulated WooCommerce. Needs wordpress, mariadb-server and php-mysql (Debian). `SCREENSHOTS=FOLDER` keeps pictures.',
  'woocommerce-plugin': 'Makes the installable folder `dist/malipo-for-woocommerce`.',
  gallery:
    'Takes pictures of every shared component of the consoles in every state, into `screenshots/`. `-- --serve` keeps the page open for a browser.',
  'contact-sheets':
    'Takes pictures of every screen of the product in both languages, light and dark, on a phone, on a desktop and at 200 % zoom. Includes empty, loading and failed screens. Puts the pictures on sheets in FOLDER.',
  screenshots:
    'Takes the pictures and the animation of the README from the product with the demo history. Needs ffmpeg (Debian).',
  strings:
    'Prints each text of the screens in Swahili and English, one per line: see [the glossary](../web/ui/GLOSSARY.md).',
  'mock-provider': 'Runs the mock provider as a separate process.',
  simulator: "Runs a simulator of Selcom's gateway.",
  'vodacom-twin': "Runs a simulator of Vodacom's M-Pesa OpenAPI.",
}

/** The npm commands whose help texts the page shows. */
const WITH_HELP = ['bench', 'ha', 'mock-provider', 'simulator', 'vodacom-twin']

async function commandsPage(): Promise<string> {
  const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8')) as {
    scripts: Record<string, string>
  }
  const rows = Object.keys(scripts).map((name) => {
    const purpose = NPM_COMMANDS[name]
    if (purpose === undefined) throw new Error(`add the command ${name} to NPM_COMMANDS in scripts/generated.ts`)
    return `| \`${name === 'start' || name === 'test' ? 'npm' : 'npm run'} ${name}\` | ${purpose} |`
  })
  const helps = await Promise.all(WITH_HELP.map(async (name) => [name, await helpText(scripts[name] ?? '')] as const))
  const fenced = (title: string, text: string) => `## ${title}\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`
  return `# Commands

Generated from \`package.json\` and the \`--help\` of each command by \`npm run generate\`; do not edit.

| Command | Purpose |
|---|---|
${rows.join('\n')}

${fenced('Administration', helpOf([]) ?? '')}
${Object.keys(PAGES)
  .map((name) => `#${fenced(`admin ${name}`, helpOf(name.split(' ')) ?? '')}`)
  .join('\n')}
${helps.map(([name, text]) => fenced(`npm run ${name}`, text)).join('\n')}`
}

/** Returns the output of an npm script with --help. The environment contains no settings, only the compile cache of Node. */
async function helpText(script: string): Promise<string> {
  const program = script.split(' ').at(-1) as string
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const options = { cwd: fileURLToPath(ROOT), env: { PATH, NODE_COMPILE_CACHE } }
  return (await promisify(execFile)(process.execPath, [program, '--help'], options)).stdout
}

/** Escapes a text for a cell of a Markdown table. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

/** Returns the generated files, except db/schema.md, that differ from the files on disk. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = []
  for (const [path, text] of await generatedFiles()) {
    const written = await readFile(new URL(path, ROOT), 'utf8').catch(() => null)
    if (written !== text) stale.push(path)
  }
  return stale
}
