/**
 * Tests rules about names, lengths, circular imports and tables. The tests read the syntax trees of the sources and need no
 * database. Each message names the remedy. Each rule also runs on a source that breaks it.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LINES_MAX = 80

type SyntaxNode = { type: string; start: number; end: number; [field: string]: unknown }
/** A parsed source: the path from the root of the repository, the text and the statements. */
type ParsedSource = { path: string; text: string; body: SyntaxNode[] }
type StructureRule = (sources: readonly ParsedSource[]) => string[]

function parse(path: string, text: string): ParsedSource {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`the parser does not accept ${path}: ${errors[0]?.message}`)
  return { path, text, body: program.body as unknown as SyntaxNode[] }
}

function parseFolder(folder: string): ParsedSource[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|node_modules|^dist\/|api-types/.test(path))
    .map((path) => parse(`${folder}/${path}`, readFileSync(join(ROOT, folder, path), 'utf8')))
}

const product = parseFolder('server/src')
/** The twins share no code, so each twin may use the names of another twin. */
const twins = readdirSync(join(ROOT, 'server/twins')).map((name) => parseFolder(`server/twins/${name}`))
const server = [...product, ...twins.flat()]
const pages = parseFolder('web')

function lineOf({ text }: ParsedSource, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/**
 * Throws an error with the problems that the rule finds in `sources`. First asserts that the rule finds the problem in
 * `broken`.
 */
function holds(rule: StructureRule, sources: readonly ParsedSource[], broken: Record<string, string>): void {
  const shown = Object.entries(broken).map(([path, text]) => parse(path, text))
  assert.ok(rule(shown).length > 0, 'the rule does not find the source that breaks it')
  const problems = rule(sources)
  assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`)
}

// Lengths -------------------------------------------------------------------------------------------------------------

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string'
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return Object.entries(node).flatMap(([field, value]) =>
    field === 'parent' ? [] : Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

/**
 * Finds functions longer than LINES_MAX and returns the first line of each. The rule also finds a function inside another
 * function.
 */
const longFunctions: StructureRule = (sources) =>
  sources.flatMap((source) => {
    const visit = (node: SyntaxNode): string[] => {
      const lines = lineOf(source, node.end) - lineOf(source, node.start) + 1
      const is_long = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
      const found =
        is_long && lines > LINES_MAX ? [`${source.path}:${lineOf(source, node.start)} has ${lines} lines`] : []
      return [...found, ...childrenOf(node).flatMap(visit)]
    }
    return source.body.flatMap(visit).map((problem) => `${problem}: split the function`)
  })

test(`no function of the server has more than ${LINES_MAX} lines`, () => {
  holds(longFunctions, server, { 'a.ts': `function long() {${'\n'.repeat(LINES_MAX)}}` })
})

// Circles -------------------------------------------------------------------------------------------------------------

function importsOf({ path, body }: ParsedSource): string[] {
  return body.flatMap((node) => {
    const from = (node.source as { value?: unknown } | null | undefined)?.value
    return typeof from === 'string' && from.startsWith('.') ? [normalize(join(dirname(path), from))] : []
  })
}

/** Finds files that import each other, directly or through other files: the strongly connected components of the imports. */
const circles: StructureRule = (sources) => {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]))
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const found: string[] = []
  const visit = (path: string): void => {
    order.set(path, order.size)
    lowest.set(path, order.size - 1)
    open.push(path)
    const reach = (index: number) => lowest.set(path, Math.min(lowest.get(path) as number, index))
    for (const next of imports.get(path) ?? []) {
      if (!imports.has(next)) continue
      if (!order.has(next)) visit(next)
      if (open.includes(next)) reach(lowest.get(next) as number)
    }
    if (lowest.get(path) !== order.get(path)) return
    const circle = open.splice(open.indexOf(path))
    if (circle.length > 1) found.push(`${circle.join(' and ')} import each other: move what both need to a third file`)
  }
  for (const path of imports.keys()) if (!order.has(path)) visit(path)
  return found
}

test('no two files of the server and the pages import each other, directly or through other files', () => {
  const broken = { 'a.ts': "import { b } from './b.ts'", 'b.ts': "import { a } from './a.ts'" }
  holds(circles, [...server, ...pages], broken)
})

// Names ---------------------------------------------------------------------------------------------------------------

/** Returns the name of a type declaration, or the names of the functions that a top-level statement declares. */
type NamesOf = (declared: SyntaxNode) => string[]

const typeNames: NamesOf = (declared) => {
  const { name } = declared.id as { name: string }
  return [name]
}

const functionNames: NamesOf = (declared) => {
  if (declared.type === 'FunctionDeclaration') return typeNames(declared)
  const variables = declared.declarations as { id: { name: string }; init: SyntaxNode | null }[]
  return variables.filter(({ init }) => init !== null && /Function/.test(init.type)).map(({ id }) => id.name)
}

/** Returns the places where files declare each name at the top level, by name. */
function declarations(sources: readonly ParsedSource[], declares: RegExp, namesOf: NamesOf): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const source of sources) {
    for (const node of source.body) {
      const declared = isNode(node.declaration) ? node.declaration : node
      if (!declares.test(declared.type)) continue
      const place = `${source.path}:${lineOf(source, declared.start)}`
      for (const name of namesOf(declared)) places.set(name, [...(places.get(name) ?? []), place])
    }
  }
  return places
}

/** Finds names that the sources declare more than once. `isSame` can permit the places of a name. */
function sharedNames(
  declares: RegExp,
  namesOf: NamesOf,
  isSame = (_places: readonly string[]) => false,
): StructureRule {
  return (sources) =>
    [...declarations(sources, declares, namesOf)]
      .filter(([, places]) => places.length > 1 && !isSame(places))
      .map(([name, places]) => `${name} has ${places.length} meanings (${places.join(', ')}): rename all but one`)
}

const PROVIDER_FOLDER = /^server\/src\/adapters\/providers\/[a-z]+\//

/**
 * Returns true if each place is in the folder of another provider. These folders share no code, so their functions may have the
 * same names.
 */
function areSameJobs(places: readonly string[]): boolean {
  const folders = new Set(places.map((place) => PROVIDER_FOLDER.exec(place)?.[0]))
  return !folders.has(undefined) && folders.size === places.length
}

test('a type name has one meaning in the server, in each twin and in the pages', () => {
  const broken = { 'a.ts': 'type NewRow = 1', 'b.ts': 'export type NewRow = 2' }
  const rule = sharedNames(/^TS(?:TypeAlias|Interface)Declaration$/, typeNames)
  for (const sources of [product, ...twins, pages]) holds(rule, sources, broken)
})

test('a function name has one meaning in the server, in each twin and in the pages', () => {
  const rule = sharedNames(/^(?:FunctionDeclaration|VariableDeclaration)$/, functionNames, areSameJobs)
  const broken = { 'a.ts': 'function read() {}', 'b.ts': 'export const read = () => 1' }
  for (const sources of [product, ...twins, pages]) holds(rule, sources, broken)
  const a_provider = { 'server/src/adapters/providers/mock/a.ts': 'function read() {}' }
  holds(rule, product, { ...a_provider, 'server/src/b.ts': 'function read() {}' })
  const two_providers = { ...a_provider, 'server/src/adapters/providers/selcom/a.ts': 'function read() {}' }
  assert.deepEqual(rule(Object.entries(two_providers).map(([path, text]) => parse(path, text))), [])
})

// Tables --------------------------------------------------------------------------------------------------------------

const COMMENTS = /^[ \t]*(?:\/\/|\*|\/\*).*$/gm

const migrations = readdirSync(join(ROOT, 'db/migrations')).map((name) =>
  readFileSync(join(ROOT, 'db/migrations', name), 'utf8'),
)
const dropped = new Set(
  migrations.flatMap((text) => [...text.matchAll(/^drop table (\w+)/gim)].map(([, name]) => name)),
)
const tables = new Set(
  migrations
    .flatMap((text) =>
      [...text.matchAll(/^create table (?:if not exists )?(\w+)/gim)].map(([, name]) => name as string),
    )
    .filter((name) => !dropped.has(name)),
)

/** The tables that each room writes. */
const OWNERS: Record<string, readonly string[]> = {
  'kernel/db': ['list_counts', 'readiness_probes', 'vault_canary', 'schema_migrations'],
  'kernel/http': ['idempotency_keys'],
  'kernel/work': ['retention_marks'],
  'books/ledger': ['ledger_accounts', 'ledger_transfers'],
  'books/audit': [
    'audit_addresses',
    'audit_anchor_state',
    'audit_anchored_chains',
    'audit_anchors',
    'audit_chains',
    'audit_log',
  ],
  'adapters/providers': ['provider_calls'],
  'adapters/webhooks': ['unsent_events', 'webhook_attempts', 'webhook_configs', 'webhook_deliveries'],
  'adapters/messages': ['outbox_messages', 'recipient_messages'],
  'access/four-eyes': ['four_eyes_sums', 'operator_decisions'],
  'access/merchants': [
    'balance_marks',
    'ip_addresses',
    'member_history',
    'member_notices',
    'members',
    'merchant_logos',
    'merchants',
    'notices_queued',
    'pricing_rules',
    'users',
  ],
  'access/identity': [
    'console_sessions',
    'credentials',
    'identity_records',
    'mailed_links',
    'recovery_codes',
    'passkey_challenges',
    'passkeys',
    'second_steps',
    'sign_in_attempts',
    'signing_keys',
  ],
  'access/api-keys': ['api_key_usage', 'api_keys'],
  'money/collections': [
    'collection_attempts',
    'collection_days',
    'collection_days_stale',
    'collection_days_until',
    'collection_history',
    'collection_metadata',
    'collections',
    'held_collections',
    'payer_tries',
    'phone_prompts',
  ],
  'money/payment-links': ['network_help', 'payment_link_metadata', 'payment_links'],
  'money/invoices': ['invoice_metadata', 'invoice_numbers', 'invoices'],
  'money/withdrawals': [
    'payout_pauses',
    'payouts',
    'recipient_name_checks',
    'saved_recipients',
    'withdrawal_approvals',
    'withdrawal_days',
    'withdrawal_days_until',
    'withdrawal_history',
    'withdrawal_metadata',
    'withdrawals',
  ],
  'money/callbacks': ['provider_callbacks'],
  'money/reconciliation': ['reconciliation_exceptions', 'reconciliation_runs', 'statement_lines', 'statements'],
  'apps/operators': ['adjustments', 'backup_checks', 'saved_reasons', 'verify_runs'],
  'apps/request-log': ['request_packs', 'requests'],
}

/** The files that write a table of another room, each with the reason. */
const FOREIGN_WRITES: Record<string, string> = {
  'money/collections/accept.ts idempotency_keys': 'one statement accepts a whole batch of requests, each with its key',
  'kernel/work/answer-retention.ts idempotency_keys': 'one statement erases a set and records how far it has come',
  ...Object.fromEntries(
    [
      'collections',
      'collection_attempts',
      'payment_links',
      'invoices',
      'withdrawals',
      'payouts',
      'saved_recipients',
      'idempotency_keys',
      'webhook_deliveries',
      'unsent_events',
      'webhook_attempts',
      'provider_callbacks',
      'outbox_messages',
      'request_packs',
      'four_eyes_sums',
    ].map((table) => [`apps/admin/erase.ts ${table}`, 'one transaction erases a person from every table']),
  ),
}

/**
 * The tables of other rooms that a room reads. The list omits the administration, which reads every table to verify the data.
 */
const READS: Record<string, readonly string[]> = {
  'access/api-keys': ['members', 'merchants'],
  'access/identity': ['members', 'merchants', 'pricing_rules', 'users'],
  'access/four-eyes': ['users'],
  'access/merchants': ['api_keys', 'ledger_accounts'],
  'adapters/messages': ['merchants'],
  'adapters/providers': ['collection_attempts', 'payouts'],
  'adapters/webhooks': ['merchants'],
  'apps/operators': [
    'collections',
    'held_collections',
    'ledger_accounts',
    'ledger_transfers',
    'merchants',
    'operator_decisions',
    'payouts',
    'users',
    'withdrawal_history',
    'withdrawals',
  ],
  'apps/portal': [
    'balance_marks',
    'api_keys',
    'audit_log',
    'collection_attempts',
    'collection_history',
    'collections',
    'held_collections',
    'ledger_accounts',
    'ledger_transfers',
    'merchants',
    'notices_queued',
    'payment_links',
    'payouts',
    'pricing_rules',
    'webhook_attempts',
    'webhook_deliveries',
    'withdrawals',
  ],
  'apps/search': [
    'collections',
    'invoices',
    'ledger_transfers',
    'members',
    'merchants',
    'payment_links',
    'statement_lines',
    'users',
  ],
  'apps/request-log': ['api_keys', 'merchants'],
  'books/audit': ['users', 'vault_canary'],
  'kernel/db': ['identity_records', 'outbox_messages', 'second_steps', 'signing_keys', 'webhook_configs'],
  'kernel/work': ['idempotency_keys', 'merchants', 'schema_migrations'],
  'money/collections': ['idempotency_keys', 'merchants', 'payment_links'],
  'money/invoices': ['collection_history', 'collections', 'merchants', 'payment_links'],
  'money/payment-links': ['invoices', 'merchants'],
  'money/reconciliation': [
    'collection_attempts',
    'collections',
    'ledger_accounts',
    'ledger_transfers',
    'merchants',
    'payouts',
    'withdrawals',
  ],
  'money/transactions': ['collections', 'ledger_transfers', 'withdrawals'],
  'money/withdrawals': ['ledger_transfers', 'merchants', 'users'],
}

const ownerOf = new Map(Object.entries(OWNERS).flatMap(([room, owned]) => owned.map((table) => [table, room] as const)))

/** The SQL that precedes a table's name in a statement that writes or reads the table. */
const WRITES = /\b(?:insert into|update|delete from)\s+(\w+)/gi
const READ = /(?<!delete )\b(?:from|join)\s+(\w+)/gi

const foreignTables: StructureRule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const file = path.replace('server/src/', '')
    const room = file.split('/').slice(0, 2).join('/')
    const code = text.replace(COMMENTS, '')
    const named = (pattern: RegExp) =>
      new Set([...code.matchAll(pattern)].map(([, table]) => table as string).filter((table) => tables.has(table)))
    const is_foreign = (table: string) => ownerOf.get(table) !== room
    const written = [...named(WRITES)].filter((table) => is_foreign(table) && !(`${file} ${table}` in FOREIGN_WRITES))
    const read = [...named(READ)].filter(
      (table) => is_foreign(table) && room !== 'apps/admin' && !READS[room]?.includes(table),
    )
    return [
      ...written.map(
        (table) => `${path} writes ${table}: call a function of ${ownerOf.get(table)}, or take one as an argument`,
      ),
      ...read.map((table) => `${path} reads ${table} of ${ownerOf.get(table)}: declare it in READS, or call that room`),
    ]
  })

test('only the room of a table and named exceptions write the table, and a room reads only tables that the room declares', () => {
  holds(foreignTables, product, { 'server/src/apps/portal/a.ts': "sql('a', 'update collections set id = $1')" })
  holds(foreignTables, product, { 'server/src/apps/portal/a.ts': "sql('a', 'select 1 from outbox_messages')" })
  assert.deepEqual(
    [...tables].filter((table) => !ownerOf.has(table)),
    [],
    'name the room that writes each new table in OWNERS',
  )
  for (const [room, declared] of Object.entries(READS)) {
    const code = product
      .filter(({ path }) => path.startsWith(`server/src/${room}/`))
      .map(({ text }) => text)
      .join('\n')
    for (const table of declared)
      assert.ok(
        new RegExp(`\\b(?:from|join)\\s+${table}\\b`, 'i').test(code),
        `${room} reads ${table} no more: remove it from READS`,
      )
  }
})
