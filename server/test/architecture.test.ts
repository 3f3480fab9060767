/**
 * Tests rules that keep the code easy to change. The tests read the sources as text and need no database. Each message names
 * the remedy. Each rule also runs on a text that breaks it, so a rule that finds nothing fails.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../src/kernel/lib/index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SRC = join(ROOT, 'server/src')

/**
 * The wings and their rooms, in order. A room may import from the rooms of earlier wings, and from the earlier rooms of the
 * same wing.
 */
const WINGS: Record<string, readonly string[]> = {
  kernel: ['lib', 'db', 'http', 'work', 'documents', 'backup'],
  books: ['ledger', 'audit'],
  adapters: ['providers', 'webhooks', 'messages'],
  access: ['merchants', 'four-eyes', 'identity', 'api-keys'],
  money: ['collections', 'payment-links', 'invoices', 'withdrawals', 'callbacks', 'transactions', 'reconciliation'],
  apps: ['pay-page', 'operators', 'portal', 'search', 'admin', 'request-log', 'docs'],
}

/** The files outside the wings, in order. These files may import from every room. */
const PROGRAMS = ['system.ts', 'process.ts', 'main.ts', 'admin.ts']

/** Every room with its wing, in order, and after the rooms the files outside the wings. */
const ORDER = [...Object.entries(WINGS).flatMap(([wing, rooms]) => rooms.map((room) => `${wing}/${room}`)), ...PROGRAMS]

/**
 * Files besides index.ts that other rooms may import, and the rooms and programs that may import each file. Null means that
 * every later room may import the file.
 */
const DOORS: Record<string, readonly string[] | null> = {
  'adapters/providers/port.ts': null, // defines a provider
  'adapters/providers/answer.ts': null, // checks the answers of providers
  'adapters/providers/extras.ts': null, // capabilities that some providers have
  'adapters/providers/breaker.ts': null, // the circuit breaker
  'adapters/providers/name-lookup.ts': null, // the name on a receiving account
  'adapters/providers/questions.ts': null, // status queries, in batches or one by one
  'adapters/providers/routing.ts': null, // chooses a provider for a method
  'adapters/providers/shared-calls.ts': ['system.ts', 'apps/operators'], // the calls and circuits of all processes
  'adapters/providers/statement-forms.ts': null, // references in the statements of providers
  'adapters/providers/registry.ts': ['process.ts', 'system.ts', 'money/reconciliation', 'apps/admin'], // lists the providers
  'adapters/providers/measure.ts': ['system.ts'], // measures calls and circuits
  'adapters/providers/configured.ts': ['system.ts'], // builds the adapters
  'adapters/providers/announce.ts': ['system.ts', 'main.ts'], // describes the providers of live money in the log
  'adapters/providers/mock/index.ts': ['system.ts'],
  'kernel/lib/setting.ts': ['adapters/providers'], // parsers of settings
  'kernel/lib/metrics-registry.ts': ['process.ts'], // loads prom-client
  'kernel/db/embedded.ts': ['process.ts', 'admin.ts', 'kernel/backup', 'apps/admin'], // starts a database server
  'kernel/db/embedded-place.ts': ['kernel/backup'], // finds the folder of the embedded server
  'kernel/db/migrate.ts': ['process.ts'],
  'kernel/db/migration-plan.ts': ['admin.ts'],
  'kernel/db/describe.ts': ['apps/admin'],
  'apps/admin/demo.ts': ['main.ts'],
  'apps/admin/machine-gauges.ts': ['main.ts'],
  'apps/admin/production.ts': ['main.ts'],
  'apps/admin/verify-task.ts': ['system.ts'],
  'apps/admin/backup-check-task.ts': ['system.ts'],
  'apps/admin/backup.ts': ['process.ts'],
  'apps/admin/commands.ts': ['admin.ts', 'process.ts'],
  'apps/admin/help.ts': ['admin.ts'],
  'apps/admin/options.ts': ['admin.ts'],
  'apps/admin/doctor-server.ts': ['system.ts'],
  'apps/admin/doctor-result.ts': ['process.ts'],
  'apps/admin/standalone.ts': ['admin.ts', 'process.ts'],
}

/**
 * `code` is the text with spaces in place of line comments, and of block comments that begin a line. Each line keeps its
 * number.
 */
type Source = { path: string; text: string; code: string }

const IS_TEST = /\.test\.ts$/

function source(path: string, text: string): Source {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ')
  const code = text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, blank)
    .replace(/^[ \t]*\/\/.*$/gm, blank)
    .replace(/[ \t]\/\/ .*$/gm, blank)
  return { path, text, code }
}

function filesBelow(folder: string, ending: string): Source[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.includes('node_modules'))
    .sort()
    .map((path) => source(path, readFileSync(join(folder, path), 'utf8')))
}

const all = filesBelow(SRC, '.ts')
const sources = all.filter(({ path }) => !IS_TEST.test(path))
const rehearsal = filesBelow(join(ROOT, 'server/twins'), '.ts').map((file) => ({ ...file, path: `twins/${file.path}` }))
const twins = rehearsal.filter(({ path }) => !IS_TEST.test(path))
const tests = [
  ...[...all, ...rehearsal].filter(({ path }) => IS_TEST.test(path)),
  ...filesBelow(join(ROOT, 'server/test'), '.test.ts').filter(({ path }) => path !== 'architecture.test.ts'),
  ...filesBelow(join(ROOT, 'sdk'), '.test.ts'),
]

/** The TypeScript files of server/test, sdk, bench and scripts, without the test files. */
const helpers = ['server/test', 'sdk', 'bench', 'scripts'].flatMap((folder) =>
  filesBelow(join(ROOT, folder), '.ts')
    .filter(({ path }) => !IS_TEST.test(path))
    .map((file) => ({ ...file, path: `${folder}/${file.path}` })),
)

type Rule = (files: readonly Source[]) => string[]

function holds(rule: Rule, files: readonly Source[]): void {
  const problems = rule(files)
  assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`)
}

/** Asserts that a rule finds a problem in each text of `breaks` and no problem in the texts of `keeps`. */
function findsBreaches(rule: Rule, cases: { breaks: [string, string][]; keeps?: [string, string][] }): void {
  for (const [path, text] of cases.breaks)
    assert.ok(rule([source(path, text)]).length > 0, `not found: ${path}: ${text}`)
  for (const [path, text] of cases.keeps ?? []) assert.deepEqual(rule([source(path, text)]), [], text)
}

// Imports -------------------------------------------------------------------------------------------------------------

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/**
 * Returns the room of a file: `kernel/lib` for `kernel/lib/money.ts`. A file outside the wings, such as `main.ts`, is a room by
 * itself.
 */
function roomOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

const importOrder: Rule = (files) =>
  files.flatMap(({ path, code }) =>
    [...code.matchAll(IMPORT)].flatMap(([, specifier]) => {
      const problem = importProblem(path, normalize(join(dirname(path), specifier as string)))
      return problem === null ? [] : [`server/src/${path} imports ${specifier}: ${problem}`]
    }),
  )

function importProblem(from: string, to: string): string | null {
  if (to.startsWith('..')) return 'the server imports nothing from outside server/src; hand it in from system.ts'
  const [here, there] = [roomOf(from), roomOf(to)]
  for (const room of [here, there]) {
    if (!ORDER.includes(room))
      return `${room} is in no wing yet: add it to WINGS here and to the list in ARCHITECTURE.md`
  }
  if (here === there) return null
  if (ORDER.indexOf(there) > ORDER.indexOf(here)) {
    return `${there} comes after ${here}. Move what is shared up into an earlier room, or hand it in as an argument`
  }
  if (there.endsWith('.ts')) return null // A file outside the wings: only later files of this list import it.
  if (to === `${there}/index.ts`) return null
  const guests = DOORS[to]
  if (guests === undefined) return `import from ${there}/index.ts, and export what you need there`
  return guests === null || guests.includes(here)
    ? null
    : `only ${guests.join(', ')} may import ${to}; take it through deps`
}

test('a room imports only from rooms before it, and only through the files that other rooms may import', () =>
  holds(importOrder, sources))

test('the import rule finds a wrong wing, a wrong room, an import past index.ts, an adapter and an unknown room', () => {
  findsBreaches(importOrder, {
    breaks: [
      ['kernel/lib/a.ts', "import { sql } from '../db/index.ts'"],
      ['kernel/http/a.ts', "export * from '../../money/collections/index.ts'"],
      ['adapters/webhooks/a.ts', "import { findUser } from '../../access/identity/index.ts'"],
      ['money/collections/a.ts', "import { postTransfers } from '../../books/ledger/post.ts'"],
      ['money/collections/a.ts', "import { createSandbox } from '../../adapters/providers/mock/index.ts'"],
      ['money/collections/a.ts', "import { createProviders } from '../../adapters/providers/configured.ts'"],
      ['money/collections/a.ts', "import { createSelcomProvider } from '../../adapters/providers/selcom/adapter.ts'"],
      ['money/collections/a.ts', "const { migrate } = await import('../../kernel/db/migrate.ts')"],
      ['money/collections/a.ts', "import { createWorld } from '../../../test/harness.ts'"],
      ['money/misc/a.ts', "import { x } from '../../kernel/lib/index.ts'"],
      ['misc/a.ts', "import { x } from '../kernel/lib/index.ts'"],
    ],
    keeps: [
      ['money/collections/a.ts', "import type { Provider } from '../../adapters/providers/port.ts'"],
      ['money/collections/a.ts', "// import { x } from '../../system.ts'\nimport { y } from './b.ts'"],
      ['system.ts', "import { MAGIC_NUMBERS } from './adapters/providers/mock/index.ts'"],
    ],
  })
})

/** A twin simulates a gateway. A twin shares no code with an adapter, because shared code would share its mistakes. */
const twinImports: Rule = (files) =>
  files.flatMap(({ path, code }) =>
    [...code.matchAll(IMPORT)].flatMap(([, specifier]) => {
      const to = normalize(join(dirname(path), specifier as string))
      const is_own = to.startsWith(`${path.split('/').slice(0, 2).join('/')}/`)
      return is_own || to === 'src/kernel/lib/index.ts'
        ? []
        : [`server/${path} imports ${specifier}: a twin imports its own files and server/src/kernel/lib/index.ts only`]
    }),
  )

test('a twin of a gateway shares no code with an adapter', () => {
  holds(twinImports, twins)
  findsBreaches(twinImports, {
    breaks: [
      ['twins/selcom/a.ts', "import { sign } from '../../src/adapters/providers/selcom/sign.ts'"],
      ['twins/selcom/a.ts', "import { book } from '../vodacom/book.ts'"],
    ],
    keeps: [['twins/selcom/a.ts', "import { newId } from '../../src/kernel/lib/index.ts'\nimport { b } from './b.ts'"]],
  })
})

/**
 * The imports that are forbidden for each part of web/ and sdk/. Besides, no part may import from server/, which clients use
 * over HTTP, or from bench/ and scripts/, which contain programs.
 */
const FORBIDDEN_IMPORTS: Record<string, readonly string[]> = {
  'web/ui/': ['web/dashboard/', 'web/operator/', 'sdk/'],
  'web/dashboard/': ['web/operator/', 'sdk/'],
  'web/operator/': ['web/dashboard/', 'sdk/'],
  'web/': [],
  'sdk/': ['web/'],
}
const FORBIDDEN_EVERYWHERE = ['server/', 'bench/', 'scripts/']

const clientImports: Rule = (files) =>
  files.flatMap(({ path, code }) =>
    [...code.matchAll(IMPORT)].flatMap(([, specifier]) => {
      const to = normalize(join(dirname(path), specifier as string))
      const part = Object.keys(FORBIDDEN_IMPORTS).find((folder) => path.startsWith(folder)) ?? ''
      const forbidden = [...(FORBIDDEN_IMPORTS[part] ?? []), ...FORBIDDEN_EVERYWHERE].find((folder) =>
        to.startsWith(folder),
      )
      return forbidden === undefined
        ? []
        : [
            `${path} imports ${specifier}: ${part} imports nothing of ${forbidden}. Move what both consoles share to web/ui`,
          ]
    }),
  )

test('the consoles share code only through web/ui, and the consoles and the SDK import nothing of the server', () => {
  const clients = [
    ...['.ts', '.tsx']
      .flatMap((ending) => filesBelow(join(ROOT, 'web'), ending))
      .map((file) => ({ ...file, path: `web/${file.path}` })),
    ...filesBelow(join(ROOT, 'sdk'), '.ts')
      .filter(({ path }) => !IS_TEST.test(path))
      .map((file) => ({ ...file, path: `sdk/${file.path}` })),
  ].filter(({ path }) => !path.startsWith('web/dist'))
  assert.ok(clients.length > 100)
  holds(clientImports, clients)
  findsBreaches(clientImports, {
    breaks: [
      ['web/operator/a.tsx', "import { useIn } from '../dashboard/merchant.ts'"],
      ['web/dashboard/home/a.tsx', "import { Batch } from '../../operator/withdrawals/batch.tsx'"],
      ['web/ui/a.ts', "import { useIn } from '../dashboard/merchant.ts'"],
      ['web/ui/a.ts', "import { x } from '../../server/src/kernel/lib/index.ts'"],
      ['sdk/typescript/src/a.ts', "import { x } from '../../../server/src/kernel/lib/index.ts'"],
      ['sdk/typescript/src/a.ts', "import { x } from '../../../bench/load.ts'"],
      ['web/build.ts', "import { x } from '../scripts/check.ts'"],
    ],
    keeps: [['web/operator/a.tsx', "import { useWords } from '../ui/words.ts'\nimport { b } from './b.ts'"]],
  })
})

test('the server and its tests import nothing from bench and scripts, except the test of the generated files', () => {
  const programs: Rule = (files) =>
    files.flatMap(({ path, code }) =>
      [...code.matchAll(IMPORT)].flatMap(([, specifier]) => {
        const to = normalize(join(dirname(path), specifier as string))
        return /^(?:bench|scripts)\//.test(to) ? [`${path} imports ${specifier}: bench/ and scripts/ are programs`] : []
      }),
    )
  // The first file tests the generated files. This file passes wrong imports to its own rules.
  const EXEMPT = ['server/test/generated.test.ts', 'server/test/architecture.test.ts']
  const server = filesBelow(join(ROOT, 'server'), '.ts').map((file) => ({ ...file, path: `server/${file.path}` }))
  holds(
    programs,
    server.filter(({ path }) => !EXEMPT.includes(path)),
  )
  findsBreaches(programs, { breaks: [['server/src/main.ts', "import { x } from '../../bench/load.ts'"]] })
})

// Words ---------------------------------------------------------------------------------------------------------------

/** A forbidden pattern, its replacement, and the files that may contain the pattern, each with the reason. */
type Ban = { what: string; pattern: RegExp; instead: string; but?: Record<string, string> }

const BANS: Ban[] = [
  {
    what: 'the time of this machine',
    pattern: /\bDate\.now\b|new Date\(\)|new Date\b(?!\s*\()/,
    instead: 'use deps.clock.now()',
    but: {
      'apps/docs/snippets.ts': 'writes programs of merchants, whose idempotency keys contain the time',
      'kernel/lib/clock.ts': 'this file is the clock',
      'kernel/lib/log.ts': 'each log line has the real time, independent of the clock of a test',
    },
  },
  {
    what: 'a timer of this machine',
    pattern: /\bset(?:Timeout|Interval)\(|'node:timers/,
    instead: 'use deps.clock.after()',
    but: {
      'kernel/lib/clock.ts': 'this file is the clock',
      'kernel/lib/batch.ts': 'waits a moment for more requests inside one process; no outcome depends on the wait',
      'kernel/lib/log-output.ts': 'waits for the real reader of the output, before deps exist',
      'main.ts': 'a stopping process must end, even when its own clock hangs',
      'kernel/db/embedded.ts': 'waits for another process to start',
      'kernel/documents/draw.ts': 'bounds a real thread',
      'kernel/db/watch.ts': 'bounds real connections',
      'kernel/db/read-replica.ts': 'waits for a real replica, before there are deps; no outcome depends on the wait',
      'kernel/db/migrate.ts': 'waits for the locks of a real database, before there are deps',
      'kernel/db/migration-waits.ts': 'watches a real database, before there are deps',
      'kernel/http/outgoing.ts': 'bounds real sockets',
      'kernel/http/address-guard.ts': 'bounds a real name look-up',
      'adapters/providers/mock/post.ts': 'bounds real sockets of the mock provider process',
      'adapters/providers/mock/server-app.ts': 'closes real sockets of the mock provider process',
    },
  },
  {
    what: 'a random value',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/,
    instead: 'use deps.random, or newId',
    but: {
      'kernel/lib/random.ts': 'this file is the source of chance',
      'process.ts': 'the name of the process and the first secret key, before deps exist',
      'kernel/db/embedded.ts': 'passwords of the embedded server, before deps exist',
      'kernel/db/embedded-files.ts': 'names of files that are not written yet, before deps exist',
      'kernel/db/embedded-place.ts': 'the id of a place, before deps exist',
      'kernel/db/embedded-users.ts': 'names of registered programs, before deps exist',
    },
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.env\b/,
    instead: 'add a setting to lib/config.ts and read deps.config',
    but: {
      'process.ts': 'reads the configuration',
      'adapters/providers/mock/server.ts': 'a program of its own: reads its configuration',
      'apps/docs/snippets.ts': 'writes programs of merchants, which read their key',
      ...Object.fromEntries(
        twins
          .filter(({ path }) => /^twins\/\w+\/main\.ts$/.test(path))
          .map(({ path }) => [path, 'a program of its own: reads its configuration']),
      ),
    },
  },
  { what: 'a request of its own', pattern: /\bfetch\(/, instead: 'go through an adapter, or http/outgoing.ts' },
  {
    what: 'a transaction of its own',
    pattern: /['"`]\s*(?:begin|commit|rollback|start transaction)\b\s*[;'"`]|\.transaction\(/i,
    instead: 'use inTransaction(deps.db, ...)',
    but: {
      'kernel/db/pool.ts': 'makes transactions',
      'kernel/db/migrate.ts': 'runs before there is a pool',
      'kernel/db/roles.ts': 'runs before there is a pool',
    },
  },
  {
    what: 'the console',
    pattern: /\bconsole\./,
    instead: 'use deps.log',
    but: { 'apps/docs/snippets.ts': 'writes programs of merchants, which print the answer' },
  },
  { what: 'floating point for amounts', pattern: /\bparseFloat\b|\.toFixed\(/, instead: 'use lib/money.ts' },
  { what: 'a default export', pattern: /\bexport default\b/, instead: 'export it by its name' },
  {
    what: 'a clock or random value of the database',
    pattern:
      /(?<![.\w])(?:now|random|clock_timestamp|statement_timestamp|transaction_timestamp|gen_random_uuid)\(\)(?!\s*[:{])|\bcurrent_(?:timestamp|date)\b/i,
    instead: 'pass the time or the id as a parameter',
    but: {
      'kernel/db/migrate.ts': 'notes for an operator when a migration ran',
      'kernel/db/database-clock.ts': 'measures the difference between the clocks of the machine and of the database',
      'apps/admin/doctor-database.ts': 'compares the clock of the database with that of this machine',
    },
  },
]

/** Returns the lines of `files` that match the pattern, without the lines of files with an exception. */
function breaches(ban: Ban, files: readonly Source[]): string[] {
  return files
    .filter(({ path }) => !(path in (ban.but ?? {})))
    .flatMap(({ path, code }) =>
      code.split('\n').flatMap((line, i) => {
        const found = ban.pattern.exec(line)?.[0]
        return found ? [`${path}:${i + 1} has ${ban.what} (${found.trim()}): ${ban.instead}`] : []
      }),
    )
}

for (const ban of BANS) {
  test(`the server uses ${ban.what} only in files with an exception`, () => {
    holds((files) => breaches(ban, files), [...sources, ...twins])
    for (const path of Object.keys(ban.but ?? {})) {
      const file = [...sources, ...twins].find((one) => one.path === path)
      assert.ok(
        file && ban.pattern.test(file.code),
        `${path} needs no exception for ${ban.what} any more: remove it here`,
      )
    }
  })
}

test('each ban finds the text that the ban forbids', () => {
  const forbidden: Record<string, string[]> = {
    'the time of this machine': ['const a = Date.now()', 'const a = new Date()', 'const a = new Date'],
    'a timer of this machine': ['setTimeout(run, 5)', "import { setTimeout } from 'node:timers/promises'"],
    'a random value': ['Math.random()', 'randomBytes(8)', 'crypto.randomUUID()'],
    'the environment': ['process.env.PORT'],
    'a request of its own': ['await fetch(url)'],
    'a transaction of its own': [
      'db.transaction(run)',
      "client.query('BEGIN')",
      "sql('x', 'commit')",
      'client.query(`begin;`)',
    ],
    'the console': ['console.log(1)'],
    'floating point for amounts': ['parseFloat(amount)', 'amount.toFixed(2)'],
    'a default export': ['export default {}'],
    'a clock or random value of the database': [
      "'select now()'",
      '`insert into t values (gen_random_uuid())`',
      'where at < current_timestamp',
    ],
  }
  for (const ban of BANS) {
    const texts = forbidden[ban.what] ?? []
    assert.ok(texts.length > 0, `show here what "${ban.what}" forbids`)
    const keeps: [string, string][] = [
      ['a.ts', 'const now = deps.clock.now() // new Date() would be wrong\nnew Date(text)'],
    ]
    findsBreaches((files) => breaches(ban, files), { breaks: texts.map((text) => ['a.ts', text]), keeps })
  }
})

const unfinished: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        /\b(?:TODO|FIXME|XXX|HACK)\b/.test(line) ? [`${path}:${i + 1}: do the work, or open an issue`] : [],
      ),
  )

test('no source, twin or test of the server contains a note about unfinished work', () => {
  holds(unfinished, [...all, ...twins, ...tests])
  findsBreaches(unfinished, { breaks: [['a.ts', `// ${'TO'}DO: later`]] })
})

// A comment may cite only pages of this repository, because a reader may have no other pages.
const elsewhere: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        /\bcontract,? (?:section )?\d/.test(line)
          ? [`${path}:${i + 1} cites a page that is not in the repository: write the content of the page here`]
          : [],
      ),
  )

test('no source, test or helper of the server cites a section of a contract that is not in the repository', () => {
  holds(elsewhere, [...all, ...twins, ...tests, ...helpers])
  findsBreaches(elsewhere, {
    breaks: [
      ['a.ts', `/** A key (${'contract'} 2.3). */`],
      ['a.ts', `// Forms as in the ${'contract'}, section 2.2`],
    ],
    keeps: [['a.ts', '// Every adapter keeps the contract of the port.']],
  })
})

const EXPORT = /^export (?:async )?(?:function|const|let|class|type) (\w+)/

const undocumented: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const lines = text.split('\n')
    return lines.flatMap((line, i) => {
      const name = EXPORT.exec(line)?.[1]
      if (name === undefined || lines[i - 1]?.endsWith('*/')) return []
      // The type of a schema needs no comment, because the schema has the same name and a comment.
      if (line.startsWith('export type') && lines.some((other) => other.startsWith(`export const ${name} =`))) return []
      return [`${path}:${i + 1} exports ${name} without a comment: state its guarantee in a sentence`]
    })
  })

test('each export of the server, the twins and the helpers has a doc comment, except the type of a documented schema', () => {
  holds(undocumented, [...sources, ...twins, ...helpers])
  findsBreaches(undocumented, {
    breaks: [
      ['a.ts', 'export function run() {}'],
      ['a.ts', '/** A list. */\nexport const LIST = []\nexport type Item = (typeof LIST)[number]'],
      ['a.ts', '/** Far above. */\n\nexport async function run() {}'],
    ],
    keeps: [
      ['a.ts', '/** Runs. */\nexport async function run() {}\nfunction stop() {}'],
      ['a.ts', '/** A body. */\nexport const Body = Type.Object({})\nexport type Body = Static<typeof Body>'],
    ],
  })
})

const notRun: Rule = (files) =>
  files.flatMap(({ path, code }) =>
    code
      .split('\n')
      .flatMap((line, i) =>
        /\b(?:test|it|describe|suite)\.(?:skip|only|todo)\b|\b(?:skip|only|todo):\s*true/.test(line)
          ? [`${path}:${i + 1} leaves tests out: repair the test or remove it`]
          : [],
      ),
  )

test('no test file of the server or the SDK skips a test', () => {
  holds(notRun, tests)
  findsBreaches(notRun, {
    breaks: [
      ['a.test.ts', "test.skip('x')"],
      ['a.test.ts', "test('x', { only: true }, run)"],
    ],
  })
})

// SQL -----------------------------------------------------------------------------------------------------------------

const statementNames: Rule = (files) => {
  const places = new Map<string, string[]>()
  for (const { path, code } of files) {
    for (const [, name] of code.matchAll(/\bsql\(\s*'([^']+)'/g)) {
      places.set(name as string, [...(places.get(name as string) ?? []), path])
    }
  }
  return [...places]
    .filter(([, paths]) => paths.length > 1)
    .map(
      ([name, paths]) =>
        `the statement name ${name} is taken twice (${paths.join(', ')}): PostgreSQL prepares one text per name`,
    )
}

test('no two SQL statements share a name', () => {
  holds(statementNames, sources)
  findsBreaches(statementNames, { breaks: [['a.ts', "sql('find', 'select 1')\nsql(\n'find', 'select 2')"]] })
})

const migrationRules: Rule = (files) =>
  files.flatMap(({ path, text }) => {
    const code = text.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
    const found =
      /\b(?:now|random|clock_timestamp|gen_random_uuid|nextval)\s*\(|\b(?:create\s+(?:or\s+replace\s+)?(?:trigger|function|sequence)|(?:big|small)?serial|generated\s+\w+(?:\s+default)?\s+as\s+identity)\b/i.exec(
        code,
      )?.[0]
    const problems = found
      ? [`db/migrations/${path} uses ${found}: ids and times are made by the application, and moves by its code`]
      : []
    if (!text.startsWith('--')) problems.push(`db/migrations/${path} must begin with a comment that gives its reason`)
    return problems
  })

test('migrations use no clock, random value, trigger, function or sequence of the database', () => {
  holds(migrationRules, filesBelow(join(ROOT, 'db/migrations'), '.sql'))
  findsBreaches(migrationRules, {
    breaks: [
      ['1.sql', '-- why\ncreate table t (at timestamptz default now())'],
      ['1.sql', '-- why\ncreate trigger t after insert on a'],
      ['1.sql', '-- why\ncreate table t (id bigserial)'],
      ['1.sql', 'create table t (id uuid)'],
    ],
    keeps: [['1.sql', "-- now() is not used\ncomment on table t is 'made by now()';"]],
  })
})

// Errors --------------------------------------------------------------------------------------------------------------

const untestedCodes =
  (codes: readonly string[]): Rule =>
  (files) =>
    codes
      .filter((code) => !files.some(({ text }) => new RegExp(`['"\`]${code}['"\`]`).test(text)))
      .map((code) => `no test names the error code ${code}: write a test that gets the code, as a caller would`)

test('the test files contain each error code of the catalogue', () => {
  holds(untestedCodes(Object.keys(catalogue)), tests)
  findsBreaches(untestedCodes(['not_found']), {
    breaks: [['a.test.ts', 'not a word']],
    keeps: [['a.test.ts', "code === 'not_found'"]],
  })
})

// Documents -----------------------------------------------------------------------------------------------------------

test('ARCHITECTURE.md lists the wings, the rooms and the files outside the wings, in the order of these rules', () => {
  const listed = [
    ...readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').matchAll(/^ {4}(?: {2})?([a-z-]+\/|[a-z]+\.ts) {2,}/gm),
  ]
  const names = listed.map(([, name]) => (name as string).replace(/\/$/, ''))
  const expected = [...Object.entries(WINGS).flatMap(([wing, rooms]) => [wing, ...rooms]), ...PROGRAMS]
  assert.deepEqual(names, expected, 'correct the list in ARCHITECTURE.md')
  for (const room of ORDER) assert.ok(existsSync(join(SRC, room)), `${room} does not exist`)
})

test('docs/design/crash-points.md lists exactly the crash points of the sources', () => {
  const text = readFileSync(join(ROOT, 'docs/design/crash-points.md'), 'utf8')
  const listed = [...text.matchAll(/`([a-z]+\.(?:before|after)_[a-z]+)`/g)].map(([, name]) => name)
  const existing = sources.flatMap(({ code }) => [...code.matchAll(/\.point\('([^']+)'\)/g)].map(([, name]) => name))
  assert.deepEqual(listed.sort(), existing.sort(), 'correct the table in docs/design/crash-points.md')
})
