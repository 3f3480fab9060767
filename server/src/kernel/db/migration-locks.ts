// Describes the locks that the statements of a migration take on existing tables. The plan of migrations and the rule of new
// migrations use the description.

/** The time for which a statement keeps its lock: none, a moment, or a time that grows with the rows of the table. */
export type LockTime = 'none' | 'moment' | 'grows'

/** The effect of one statement of a migration on an existing table. */
export type LockStep = {
  /** The table. Null means that the description applies to no single table. */
  table: string | null
  /** The statements of other transactions that must wait. */
  blocks: 'nothing' | 'writes' | 'reads and writes' | 'unknown'
  time: LockTime
  /** True if the statement removes, renames or retypes a table or column that an earlier program may use. */
  contracts: boolean
  /** A short description of the statement for the plan. */
  does: string
  /** A way to make the change without a long lock. Null means that there is none. */
  instead: string | null
}

type LockRule = { pattern: RegExp } & Omit<LockStep, 'table'>

const TABLE_NAME = String.raw`(?:only\s+)?(?:public\.)?"?([a-z_][a-z0-9_]*)"?`
const BRIEF = { blocks: 'reads and writes', time: 'moment', contracts: false, instead: null } as const

/** The effects of known actions of ALTER TABLE. The first matching rule applies. */
const ACTIONS: readonly LockRule[] = [
  {
    pattern: /^alter (?:column )?\S+ (?:set data )?type\b/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: true, does: 'changes the type of a column' },
    instead: 'add a new column, fill it in sets, and drop the old column in a later release',
  },
  {
    pattern: /^alter (?:column )?\S+ set not null\b/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: false, does: 'makes a column required' },
    instead: 'add a check (column is not null) not valid, and validate it in a later migration',
  },
  {
    pattern: /^add constraint \S+ (?:unique|primary key) using index\b/,
    ...{ ...BRIEF, does: 'makes an index a constraint' },
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:unique|primary key|exclude)\b/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: false, does: 'adds a unique constraint' },
    instead: 'create a unique index concurrently, and add the constraint with "using index"',
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:check|foreign key)\b.*\bnot valid$/,
    ...{ ...BRIEF, does: 'adds a constraint for new rows' },
  },
  {
    pattern: /^add (?:constraint \S+ )?(?:check|foreign key)\b/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: false, does: 'adds a constraint and checks all rows' },
    instead: 'add the constraint "not valid", and validate it in a later migration',
  },
  {
    pattern: /^validate constraint\b/,
    ...{ blocks: 'nothing', time: 'grows', contracts: false, does: 'checks all rows', instead: null },
  },
  { pattern: /^drop constraint\b/, ...{ ...BRIEF, does: 'drops a constraint' } },
  {
    pattern: /^drop (?:column )?/,
    ...{ ...BRIEF, contracts: true, does: 'drops a column' },
    instead:
      'drop the column in a release after the last release that uses the column, and accept the drop in the file',
  },
  {
    pattern: /^rename\b/,
    ...{ ...BRIEF, contracts: true, does: 'renames a table or column' },
    instead: 'add the new name beside the old one',
  },
  {
    pattern: /^add (?:column )?.*\bdefault\s+(?!null\b|true\b|false\b|'|[-\d(]*\d)/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: false, does: 'adds a column and rewrites all rows' },
    instead: 'add the column without a default or with a constant',
  },
  {
    pattern: /^add (?:column )?.*\bgenerated\b.*\bstored\b/,
    ...{ blocks: 'reads and writes', time: 'grows', contracts: false, does: 'adds a column and rewrites all rows' },
    instead: 'add a plain column, and let the program write it',
  },
  { pattern: /^add (?:column )?/, ...{ ...BRIEF, does: 'adds a column' } },
  {
    pattern: /^alter (?:column )?\S+ (?:set|drop) (?:default|not null|statistics|storage)\b/,
    ...{ ...BRIEF, does: 'changes a column' },
  },
  { pattern: /^(?:set|reset) \(/, ...{ ...BRIEF, blocks: 'nothing', does: 'changes storage parameters' } },
]

const UNKNOWN: Omit<LockRule, 'pattern'> = {
  ...{ blocks: 'unknown', time: 'grows', contracts: false, does: 'a statement that this program cannot judge' },
  instead: 'use a known form, or extend migration-locks.ts',
}

/**
 * The effects of known statements. If the pattern has a group, the group is the table. The first matching rule applies.
 */
const STATEMENTS: readonly LockRule[] = [
  {
    pattern: new RegExp(`^create (?:unique )?index concurrently .*?\\bon ${TABLE_NAME}`),
    ...{
      blocks: 'nothing',
      time: 'grows',
      contracts: false,
      does: 'builds an index beside running writes',
      instead: null,
    },
  },
  {
    pattern: new RegExp(`^create (?:unique )?index .*?\\bon ${TABLE_NAME}`),
    ...{ blocks: 'writes', time: 'grows', contracts: false, does: 'builds an index' },
    instead: 'create the index concurrently, in a file with the line "-- outside a transaction"',
  },
  {
    pattern: /^drop index concurrently\b/,
    ...{ blocks: 'nothing', time: 'none', contracts: false, does: 'drops an index', instead: null },
  },
  { pattern: /^drop index\b/, ...{ ...BRIEF, does: 'drops an index' } },
  {
    pattern: new RegExp(`^drop table (?:if exists )?${TABLE_NAME}`),
    ...{ ...BRIEF, contracts: true, does: 'drops a table' },
    instead: 'drop the table in a release after the last release that uses the table, and accept the drop in the file',
  },
  {
    pattern: new RegExp(`^(?:update|delete from) ${TABLE_NAME}`),
    ...{
      blocks: 'writes',
      time: 'grows',
      contracts: false,
      does: 'changes rows, and locks them until the end of the migration',
    },
    instead: 'let a task of the worker change the rows in sets',
  },
  {
    pattern: new RegExp(`^create (?:or replace )?(?:constraint )?trigger .*?\\bon ${TABLE_NAME}`),
    ...{ ...BRIEF, blocks: 'writes', does: 'adds a trigger' },
  },
  {
    pattern: new RegExp(`^insert into ${TABLE_NAME}`),
    ...{ blocks: 'nothing', time: 'none', contracts: false, does: 'adds rows', instead: null },
  },
  {
    pattern:
      /^(?:comment on|revoke|grant|select|set|create (?:or replace )?function|create type|create extension|do|drop (?:function|trigger))\b/,
    ...{ blocks: 'nothing', time: 'moment', contracts: false, does: 'changes no rows', instead: null },
  },
]

/**
 * Returns the steps of a migration on existing tables. The list omits comments, privileges and similar statements, and
 * statements about tables that the same file creates, because these block no other transaction.
 */
export function lockSteps(sql: string): LockStep[] {
  const statements = splitStatements(sql).map((text) => text.toLowerCase())
  const created = new Set<string>()
  const steps: LockStep[] = []
  const add = (table: string | null, { pattern: _, ...rule }: LockRule) => {
    if (table !== null && created.has(table)) return
    if (rule.does !== 'changes no rows') steps.push({ table, ...rule })
  }
  for (const text of statements) {
    const made = new RegExp(`^create (?:unlogged )?table (?:if not exists )?${TABLE_NAME}`).exec(text)?.[1]
    if (made !== undefined) {
      created.add(made)
      for (const [, referenced] of text.matchAll(new RegExp(`\\breferences ${TABLE_NAME}`, 'g')))
        add(referenced as string, { pattern: /./, ...BRIEF, blocks: 'writes', does: `lets ${made} refer to the table` })
      continue
    }
    const altered = new RegExp(`^alter table (?:if exists )?${TABLE_NAME} (.*)$`).exec(text)
    if (altered !== null) {
      for (const action of splitAt(altered[2] as string, ',')) {
        add(altered[1] as string, ACTIONS.find(({ pattern }) => pattern.test(action)) ?? { pattern: /./, ...UNKNOWN })
      }
      continue
    }
    const rule = STATEMENTS.find(({ pattern }) => pattern.test(text)) ?? { pattern: /./, ...UNKNOWN }
    add(rule.pattern.exec(text)?.[1] ?? null, rule)
  }
  return steps
}

/** The line in which a migration accepts a long lock or a removal on a table, with the reason. */
const ACCEPTED = /^-- accepted: ([a-z_][a-z0-9_]*), \S.*$/gm

/**
 * Returns the problems of a migration that must run while processes of the previous version serve requests. Unless the file
 * accepts them, long locks, removals and unknown statements on existing tables are problems.
 */
export function lockProblems(sql: string): string[] {
  const accepted = new Set([...sql.matchAll(ACCEPTED)].map((match) => match[1]))
  return lockSteps(sql)
    .filter((step) => step.contracts || (step.time === 'grows' && step.blocks !== 'nothing'))
    .filter(({ table }) => table === null || !accepted.has(table))
    .map(({ table, does, instead }) => `${table ?? 'the file'}: ${does}${instead === null ? '' : `; ${instead}`}`)
}

/** Returns the statements of a text without comments, each on one line. */
export function splitStatements(sql: string): string[] {
  return splitAt(sql, ';')
}

/**
 * Quoted texts, bodies of functions, comments, and any other single character. The function `splitAt` finds no separator inside
 * the first three.
 */
const WHOLE = /'(?:[^']|'')*'|\$([a-z_]*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|[\s\S]/g

/** Splits a text at a separator outside of brackets, quoted texts and comments. Removes comments and empty parts. */
function splitAt(text: string, separator: string): string[] {
  const parts: string[] = []
  let part = ''
  let depth = 0
  for (const [piece] of text.matchAll(WHOLE)) {
    if (piece.startsWith('--') || piece.startsWith('/*')) part += ' '
    else if (piece === separator && depth === 0) {
      parts.push(part)
      part = ''
    } else {
      if (piece === '(') depth += 1
      if (piece === ')') depth -= 1
      part += piece
    }
  }
  return [...parts, part].map((one) => one.replaceAll(/\s+/g, ' ').trim()).filter((one) => one !== '')
}
