// Records every statement of the program, and finds the machines that each statement needs when the tables are distributed.

import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type pg from 'pg'
import { distributionColumn, PLACEMENTS } from '../src/kernel/db/placements.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))
const POOL = '/kernel/db/pool.ts'
const MADE = 'return { name, text }'

/** A statement of the program. `file` is the file that made it, from server/src. */
export type RecordedStatement = { name: string; text: string; file: string }

/**
 * Records every later call of `sql`, by a line that it adds to pool.ts when Node loads that file. Call this function in a
 * process that has not loaded pool.ts. Then loads the files of server/src with statements, except main.ts and admin.ts. Returns
 * the list of statements, to which it adds later statements.
 */
export async function recordStatements(): Promise<RecordedStatement[]> {
  const recorded: RecordedStatement[] = []
  const record = (name: string, text: string) => {
    const from = new Error().stack?.split('\n').find((line) => line.includes('/server/src/') && !line.includes(POOL))
    recorded.push({ name, text, file: /server\/src\/(.+?\.ts)/.exec(from ?? '')?.[1] ?? 'kernel/db/pool.ts' })
  }
  Object.assign(globalThis, { recordStatement: record })
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (!url.endsWith(POOL)) return loaded
      const source = String(loaded.source)
      if (!source.includes(MADE)) throw new Error(`${POOL} has no line "${MADE}": correct MADE in shard-statements.ts`)
      return { ...loaded, source: source.replace(MADE, `globalThis.recordStatement(name, text)\n  ${MADE}`) }
    },
  })
  for (const path of readdirSync(SRC, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts') || ['main.ts', 'admin.ts'].includes(path)) continue
    if (/\bsql\(/.test(readFileSync(join(SRC, path), 'utf8'))) await import(pathToFileURL(join(SRC, path)).href)
  }
  return recorded
}

/**
 * The machines of a statement. `free`: no distributed table. `one`: one machine, because each distributed table has its
 * distribution column as a value. `batch`: the machines of the rows of a parameter. `many`: every machine. `locks`: it also
 * locks rows of a distributed table (FOR UPDATE), which Citus refuses for several machines.
 */
export type Route = 'free' | 'one' | 'batch' | 'batch, locks' | 'many' | 'many, locks'

type Plan = {
  'Node Type': string
  Alias?: string
  'CTE Name'?: string
  'Subplan Name'?: string
  'Relation Name'?: string
  Operation?: string
  Output?: string[]
  Plans?: Plan[]
  [field: string]: unknown
}

/**
 * The position of the distribution column in a row of each table. A reference table with a merchant_id is not distributed.
 */
export type TableColumns = ReadonlyMap<string, { key: string; index: number; is_distributed: boolean }>

/** Reads the position of the distribution column of each table with such a column. */
export async function readTableColumns(client: pg.Client): Promise<TableColumns> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1`,
  )
  return new Map(
    rows.flatMap(({ name, columns }) => {
      const placement = PLACEMENTS.get(name)
      const key = placement && distributionColumn(placement)
      const column = key ?? 'merchant_id'
      const index = columns.indexOf(column)
      return index < 0 ? [] : [[name, { key: column, index, is_distributed: key != null }] as const]
    }),
  )
}

/** Plans a statement without values, and returns its route. Throws the error of PostgreSQL for a text without a plan. */
export async function routeOf(client: pg.Client, text: string, tables: TableColumns): Promise<Route> {
  const { rows } = await client.query(`explain (generic_plan, verbose, costs off, format json) ${text}`)
  return routeOfPlan((rows[0]['QUERY PLAN'] as { Plan: Plan }[])[0]?.Plan as Plan, tables)
}

/** Collects the column names and values that the conditions of a plan set equal. */
function createEqualities() {
  const parents = new Map<string, string>()
  const find = (name: string): string => {
    const parent = parents.get(name)
    return parent === undefined || parent === name ? name : find(parent)
  }
  return {
    find,
    join(a: string, b: string) {
      const [first, second] = [find(a), find(b)]
      if (first !== second) parents.set(first, second)
    },
  }
}

const VALUE = 'a value'
const ROWS = 'the rows of a parameter'
/** Matches a value in a plan. PostgreSQL writes a parameter as $1, and a constant as 'text'::type. */
const IS_VALUE = /^(?:\$\d+|'[^']*'::\w+)$/
/** An equality of a column with a value, another column, or a function of one column. */
const EQUALITY = /\(([\w."*]+) = (\$\d+|'[^']*'::\w+|[\w."*]+|COALESCE\([^()]*\))\)/g
const ANY = /\(([\w."*]+) = ANY \(\$\d+(?:::[\w[\]]+)?\)\)/g

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

/** True if the node reads the rows of a parameter. */
function isInput(node: Plan): boolean {
  return /^(?:Function Scan|Values Scan)$/.test(node['Node Type'])
}

/** True if every scan below the node reads the rows of a parameter. */
function isFromInput(node: Plan | undefined): boolean {
  const scans = node ? nodesOf(node).filter((one) => one['Node Type'].endsWith('Scan') && one.Plans === undefined) : []
  return scans.length > 0 && scans.every(isInput)
}

function routeOfPlan(plan: Plan, tables: TableColumns): Route {
  const nodes = nodesOf(plan)
  const isDistributed = (node: Plan) => tables.get(node['Relation Name'] ?? '')?.is_distributed === true
  const keys = new Set([...tables.values()].map(({ key }) => key))
  const { find, join: equate } = createEqualities()
  const isKey = (name: string) => keys.has(name.slice(name.lastIndexOf('.') + 1))
  const inputs = new Set(nodes.filter(isInput).map(({ Alias }) => Alias))
  const named = (expression: string) => {
    if (IS_VALUE.test(expression) || /^\w+\(\$\d+[^.]*\)$/.test(expression)) return VALUE
    const [column = expression, alias] = /([\w"*]+)\.[\w"*]+/.exec(expression) ?? []
    return inputs.has(alias) ? ROWS : column.replaceAll('"', '')
  }
  const ctes = new Map(
    nodes.flatMap((node) => (node['Subplan Name']?.startsWith('CTE ') ? [[node['Subplan Name'].slice(4), node]] : [])),
  )
  const outputOf = (node: Plan | undefined, key: string) =>
    node?.Output?.find((one) => one.endsWith(`.${key}`) || one === key)
  const places: string[] = []
  for (const node of nodes) {
    const alias = node.Alias ?? ''
    const below = node.Plans?.find((one) => /^(?:Outer|Subquery)$/.test(String(one['Parent Relationship'])))
    for (const [field, text] of Object.entries(node))
      if (/Cond|Filter/.test(field) && typeof text === 'string')
        for (const [, left = '', right = ROWS] of [...text.matchAll(EQUALITY), ...text.matchAll(ANY)])
          if (isKey(left) || isKey(right)) equate(named(left), right === ROWS ? ROWS : named(right))
    const source = node['Node Type'] === 'CTE Scan' ? ctes.get(node['CTE Name'] ?? '') : below
    for (const key of keys) {
      const output = outputOf(source, key)
      if (/^(?:CTE Scan|Subquery Scan)$/.test(node['Node Type']) && output) equate(`${alias}.${key}`, named(output))
    }
    const table = tables.get(node['Relation Name'] ?? '')
    if (table === undefined || (node.Operation !== undefined && node.Operation !== 'Insert')) continue
    const place = `${alias}.${table.key}`
    if (node.Operation === 'Insert') {
      const inserted = named(below?.Output?.[table.index] ?? 'unknown')
      equate(place, inserted !== VALUE && isFromInput(below) ? ROWS : inserted)
    }
    if (table.is_distributed) places.push(place)
  }
  const routes = places.map((place) => {
    if (find(place) === find(VALUE)) return 'one'
    return find(place) === find(ROWS) ? 'batch' : 'many'
  })
  const route = (['many', 'batch', 'one'] as const).find((one) => routes.includes(one)) ?? 'free'
  const locks = nodes.some((node) => node['Node Type'] === 'LockRows' && nodesOf(node).some(isDistributed))
  return locks && (route === 'batch' || route === 'many') ? `${route}, locks` : route
}
