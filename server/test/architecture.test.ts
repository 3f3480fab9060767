/**
 * The rules that keep this code easy to change, checked by reading it. Needs no database. Each message says how to
 * repair what it found; each rule is also shown a text that breaks it, so that no rule is asleep.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../src/lib/index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SRC = join(ROOT, 'server/src')

/** Each imports only from those before it. */
const ORDER = [
  'lib',
  'db',
  'http',
  'work',
  'ledger',
  'providers',
  'audit',
  'messages',
  'documents',
  'merchants',
  'identity',
  'api-keys',
  'webhooks',
  'request-log',
  'collections',
  'payment-links',
  'invoices',
  'withdrawals',
  'callbacks',
  'transactions',
  'reconciliation',
  'operators',
  'pay-page',
  'portal',
  'admin',
  'main.ts',
  'admin.ts',
]

/** Doors beside index.ts, and who may use them. No list: everybody below. */
const DOORS: Record<string, readonly string[] | null> = {
  'providers/port.ts': null, // what providers are, without any of them
  'providers/answer.ts': null, // what they may say
  'providers/extras.ts': null, // what some can do beyond it
  'providers/breaker.ts': null, // leaving alone those that do not answer
  'providers/questions.ts': null, // asking them, in sets or one by one
  'providers/routing.ts': null, // which of them serves what
  'providers/configured.ts': ['main.ts'], // only main picks adapters
  'providers/announce.ts': ['main.ts'], // what a process says of them when it starts
  'providers/mock/index.ts': ['main.ts'],
  'db/embedded.ts': ['main.ts', 'admin.ts', 'admin'], // starts a server: nothing for a capability
  'db/migrate.ts': ['main.ts', 'admin.ts', 'admin'],
  'db/describe.ts': ['main.ts', 'admin.ts', 'admin'],
  'admin/demo.ts': ['main.ts', 'admin.ts'],
  'admin/production.ts': ['main.ts'],
  'admin/commands.ts': ['admin.ts'],
  'admin/help.ts': ['admin.ts'],
  'admin/options.ts': ['admin.ts'],
}

/** `code` is the text with its comments blanked out, line for line. */
type Source = { path: string; text: string; code: string }

const IS_TEST = /\.test\.ts$|^(?:webhooks|identity)\/testing\.ts$/

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
const tests = [
  ...all.filter(({ path }) => IS_TEST.test(path)),
  ...filesBelow(join(ROOT, 'server/test'), '.test.ts').filter(({ path }) => path !== 'architecture.test.ts'),
  ...filesBelow(join(ROOT, 'sdk'), '.test.ts'),
]

/** What tests stand on, and the rest of the project. */
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

/** Shows a rule that finds something in each of these texts, and nothing in those. */
function isAwake(rule: Rule, cases: { breaks: [string, string][]; keeps?: [string, string][] }): void {
  for (const [path, text] of cases.breaks)
    assert.ok(rule([source(path, text)]).length > 0, `not found: ${path}: ${text}`)
  for (const [path, text] of cases.keeps ?? []) assert.deepEqual(rule([source(path, text)]), [], text)
}

// Imports -------------------------------------------------------------------------------------------------------------

const IMPORT = /(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

function roomOf(path: string): string {
  return path.split('/')[0] as string
}

const importOrder: Rule = (files) =>
  files.flatMap(({ path, code }) =>
    [...code.matchAll(IMPORT)].flatMap(([, specifier]) => {
      const problem = importProblem(path, normalize(join(dirname(path), specifier as string)))
      return problem === null ? [] : [`server/src/${path} imports ${specifier}: ${problem}`]
    }),
  )

function importProblem(from: string, to: string): string | null {
  if (to.startsWith('..')) return 'the server imports nothing from outside server/src; hand it in from main.ts'
  const [here, there] = [roomOf(from), roomOf(to)]
  for (const room of [here, there]) {
    if (!ORDER.includes(room))
      return `${room} has no place yet: add it to ORDER here and to the list in ARCHITECTURE.md`
  }
  if (here === there) return null
  if (ORDER.indexOf(there) > ORDER.indexOf(here)) {
    return `${there} comes after ${here}. Move what is shared up into an earlier folder, or hand it in as an argument`
  }
  if (there.endsWith('.ts')) return null
  if (to === `${there}/index.ts`) return null
  const guests = DOORS[to]
  if (guests === undefined) return `import from ${there}/index.ts, and export what you need there`
  return guests === null || guests.includes(here)
    ? null
    : `only ${guests.join(', ')} may import ${to}; take it through deps`
}

test('a folder imports only from folders before it, and only through their doors', () => holds(importOrder, sources))

test('the import rule finds a wrong order, a side door, an adapter and a strange folder', () => {
  isAwake(importOrder, {
    breaks: [
      ['lib/a.ts', "import { sql } from '../db/index.ts'"],
      ['http/a.ts', "export * from '../collections/index.ts'"],
      ['collections/a.ts', "import { postTransfers } from '../ledger/post.ts'"],
      ['collections/a.ts', "import { createMockProvider } from '../providers/mock/index.ts'"],
      ['collections/a.ts', "import { createProviders } from '../providers/configured.ts'"],
      ['collections/a.ts', "import { createSelcomProvider } from '../providers/selcom/index.ts'"],
      ['collections/a.ts', "const { migrate } = await import('../db/migrate.ts')"],
      ['collections/a.ts', "import { createWorld } from '../../test/harness.ts'"],
      ['misc/a.ts', "import { x } from '../lib/index.ts'"],
    ],
    keeps: [
      ['collections/a.ts', "import type { Provider } from '../providers/port.ts'"],
      ['collections/a.ts', "// import { x } from '../main.ts'\nimport { y } from './b.ts'"],
      ['main.ts', "import { createMockProvider } from './providers/mock/index.ts'"],
    ],
  })
})

// Words ---------------------------------------------------------------------------------------------------------------

/** A pattern, what to do instead, and the files that may use it, each with its reason. */
type Ban = { what: string; pattern: RegExp; instead: string; but?: Record<string, string> }

const BANS: Ban[] = [
  {
    what: 'the time of this machine',
    pattern: /\bDate\.now\b|new Date\(\)|new Date\b(?!\s*\()/,
    instead: 'use deps.clock.now()',
    but: {
      'lib/clock.ts': 'it is the clock',
      'lib/log.ts': 'log lines tell when they were written, whatever a test plays',
    },
  },
  {
    what: 'a timer of this machine',
    pattern: /\bset(?:Timeout|Interval)\(|'node:timers/,
    instead: 'use deps.clock.after()',
    but: {
      'lib/clock.ts': 'it is the clock',
      'lib/batch.ts': 'waits a moment for company inside one process; no outcome depends on it',
      'main.ts': 'a process that is asked to stop must end, even when its own clock is stuck',
      'db/embedded.ts': 'waits for another process to start',
      'documents/draw.ts': 'bounds a real thread',
      'db/watch.ts': 'bounds real connections',
      'http/outgoing.ts': 'bounds real sockets',
      'http/address-guard.ts': 'bounds a real name look-up',
      'providers/mock/post.ts': 'bounds real sockets of the mock provider process',
      'providers/mock/server-app.ts': 'closes real sockets of the mock provider process',
    },
  },
  {
    what: 'chance',
    pattern: /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/,
    instead: 'use deps.random, or newId',
    but: {
      'lib/random.ts': 'it is the source',
      'main.ts': 'the name of the process and the first secret key, before deps exist',
      'db/embedded.ts': 'passwords of the embedded server, before deps exist',
      'db/embedded-files.ts': 'names of files that are not written yet, before deps exist',
      'db/embedded-place.ts': 'the id of a place, before deps exist',
      'db/embedded-users.ts': 'names of registered programs, before deps exist',
    },
  },
  {
    what: 'the environment',
    pattern: /\bprocess\.env\b/,
    instead: 'add a setting to lib/config.ts and read deps.config',
    but: {
      'main.ts': 'reads the configuration',
      'providers/mock/server.ts': 'a program of its own: reads its configuration',
      'providers/simulator/main.ts': 'a program of its own: reads its configuration',
      'providers/vodacom/twin/main.ts': 'a program of its own: reads its configuration',
    },
  },
  { what: 'a request of its own', pattern: /\bfetch\(/, instead: 'go through an adapter, or http/outgoing.ts' },
  {
    what: 'a transaction of its own',
    pattern: /['"`]\s*(?:begin|commit|rollback|start transaction)\b\s*[;'"`]|\.transaction\(/i,
    instead: 'use inTransaction(deps.db, ...)',
    but: { 'db/pool.ts': 'makes transactions', 'db/migrate.ts': 'runs before there is a pool' },
  },
  { what: 'console', pattern: /\bconsole\./, instead: 'use deps.log' },
  { what: 'floating point for amounts', pattern: /\bparseFloat\b|\.toFixed\(/, instead: 'use lib/money.ts' },
  { what: 'a default export', pattern: /\bexport default\b/, instead: 'export it by its name' },
  {
    what: 'a clock or chance of the database',
    pattern:
      /(?<![.\w])(?:now|random|clock_timestamp|statement_timestamp|transaction_timestamp|gen_random_uuid)\(\)(?!\s*[:{])|\bcurrent_(?:timestamp|date)\b/i,
    instead: 'pass the time or the id as a parameter',
    but: { 'db/migrate.ts': 'notes for an operator when a migration ran' },
  },
]

/** Lines of `files` that match, outside the files which may. */
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
  test(`nowhere in the server: ${ban.what}`, () => {
    holds((files) => breaches(ban, files), sources)
    for (const path of Object.keys(ban.but ?? {})) {
      const file = sources.find((one) => one.path === path)
      assert.ok(
        file && ban.pattern.test(file.code),
        `${path} needs no exception for ${ban.what} any more: remove it here`,
      )
    }
  })
}

test('each ban finds what it forbids', () => {
  const forbidden: Record<string, string[]> = {
    'the time of this machine': ['const a = Date.now()', 'const a = new Date()', 'const a = new Date'],
    'a timer of this machine': ['setTimeout(run, 5)', "import { setTimeout } from 'node:timers/promises'"],
    chance: ['Math.random()', 'randomBytes(8)', 'crypto.randomUUID()'],
    'the environment': ['process.env.PORT'],
    'a request of its own': ['await fetch(url)'],
    'a transaction of its own': [
      'db.transaction(run)',
      "client.query('BEGIN')",
      "sql('x', 'commit')",
      'client.query(`begin;`)',
    ],
    console: ['console.log(1)'],
    'floating point for amounts': ['parseFloat(amount)', 'amount.toFixed(2)'],
    'a default export': ['export default {}'],
    'a clock or chance of the database': [
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
    isAwake((files) => breaches(ban, files), { breaks: texts.map((text) => ['a.ts', text]), keeps })
  }
})

const unfinished: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        /\b(?:TODO|FIXME|XXX|HACK)\b/.test(line) ? [`${path}:${i + 1}: do it, or open an issue`] : [],
      ),
  )

test('nothing is left to do in the code', () => {
  holds(unfinished, [...all, ...tests])
  isAwake(unfinished, { breaks: [['a.ts', `// ${'TO'}DO: later`]] })
})

// Comments must stand on their own: whoever reads them has this repository and nothing else.
const elsewhere: Rule = (files) =>
  files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        /\bcontract,? (?:section )?\d/.test(line)
          ? [`${path}:${i + 1} cites a page that is not in the repository: say what it says`]
          : [],
      ),
  )

test('no comment cites a page that is not in the repository', () => {
  holds(elsewhere, [...all, ...tests, ...helpers])
  isAwake(elsewhere, {
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
      // The type of a schema has the schema's name, and its words.
      if (line.startsWith('export type') && lines.some((other) => other.startsWith(`export const ${name} =`))) return []
      return [`${path}:${i + 1} exports ${name} without a comment: say in a sentence what it promises`]
    })
  })

test('every export says what it promises', () => {
  holds(undocumented, [...sources, ...helpers])
  isAwake(undocumented, {
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

test('every test runs', () => {
  holds(notRun, tests)
  isAwake(notRun, {
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

test('no two statements share a name', () => {
  holds(statementNames, sources)
  isAwake(statementNames, { breaks: [['a.ts', "sql('find', 'select 1')\nsql(\n'find', 'select 2')"]] })
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
    if (!text.startsWith('--'))
      problems.push(`db/migrations/${path} must begin with a comment that says why it is there`)
    return problems
  })

test('migrations use no clock, chance, trigger, function or sequence of the database', () => {
  holds(migrationRules, filesBelow(join(ROOT, 'db/migrations'), '.sql'))
  isAwake(migrationRules, {
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
      .map((code) => `no test names the error code ${code}: write one that gets it, as a caller would`)

test('every error code is met in a test', () => {
  holds(untestedCodes(Object.keys(catalogue)), tests)
  isAwake(untestedCodes(['not_found']), {
    breaks: [['a.test.ts', 'not a word']],
    keeps: [['a.test.ts', "code === 'not_found'"]],
  })
})

// This page -----------------------------------------------------------------------------------------------------------

test('ARCHITECTURE.md lists the folders that exist, in the order that is checked here', () => {
  const listed = [...readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').matchAll(/^ {4}([a-z-]+\/|[a-z]+\.ts) {2,}/gm)]
  const names = listed.map(([, name]) => (name as string).replace(/\/$/, ''))
  const existing = ORDER.filter((name) => existsSync(join(SRC, name)))
  assert.deepEqual(names, existing, 'correct the list in ARCHITECTURE.md')
})

test('ARCHITECTURE.md lists the crash points that exist', () => {
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const listed = [...text.matchAll(/`([a-z]+\.(?:before|after)_[a-z]+)`/g)].map(([, name]) => name)
  const existing = sources.flatMap(({ code }) => [...code.matchAll(/\.point\('([^']+)'\)/g)].map(([, name]) => name))
  assert.deepEqual(listed.sort(), existing.sort(), 'correct the table of points in ARCHITECTURE.md')
})
