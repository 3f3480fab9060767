// Tests the schema of the log. Each log call of the sources names its component and only fields of `LOG_FIELDS`, and the
// handbook lists these fields with their meaning.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { LOG_FIELDS } from '../src/kernel/lib/index.ts'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))
const HANDBOOK = new URL('../../docs/operate/logs.md', import.meta.url)

type LogNode = { type: string; start: number; end: number; [field: string]: unknown }
type LogCall = { place: string; component: string | null; fields: string[]; unreadable: string[] }

/** The helpers that add fields to a log call, with the names of the fields that each helper can return. */
const HELPERS: Record<string, string[]> = {
  'principalFields(request.principal)': ['user_id', 'key_id'],
  // The type of `facts` allows only fields of the schema.
  facts: [],
}

function isNode(value: unknown): value is LogNode {
  return typeof value === 'object' && value !== null && typeof (value as LogNode).type === 'string'
}

function unwrap(node: LogNode): LogNode {
  return node.type === 'ParenthesizedExpression' ? unwrap(node.expression as LogNode) : node
}

/** Returns the log calls of a source: calls of a method of `log`, such as `deps.log.warn(...)`. */
function logCalls(path: string, text: string): LogCall[] {
  const calls: LogCall[] = []
  const source = (node: unknown) => (isNode(node) ? text.slice(node.start, node.end) : '')
  const visit = (node: LogNode) => {
    const { callee, arguments: given } = node as { callee?: LogNode; arguments?: LogNode[] }
    if (
      node.type === 'CallExpression' &&
      callee?.type === 'MemberExpression' &&
      /(^|\.)log\??$/.test(source(callee.object))
    ) {
      const fields = given?.[0]
      if (source(callee.property) !== 'isLevelEnabled') calls.push(readCall(path, text, node, fields))
    }
    for (const value of Object.values(node)) for (const child of [value].flat()) if (isNode(child)) visit(child)
  }
  visit(parseSync(path, text).program as unknown as LogNode)
  return calls
}

function readCall(path: string, text: string, call: LogNode, first: LogNode | undefined): LogCall {
  const source = (node: unknown) => (isNode(node) ? text.slice(node.start, node.end) : '')
  const found: LogCall = {
    place: `server/src/${path}:${text.slice(0, call.start).split('\n').length}`,
    component: null,
    fields: [],
    unreadable: [],
  }
  if (first?.type !== 'ObjectExpression') return { ...found, unreadable: [source(first)] }
  const read = (object: LogNode) => {
    for (const property of object.properties as LogNode[]) {
      if (property.type !== 'SpreadElement') {
        const name = source(property.key)
        found.fields.push(name)
        if (name === 'component') found.component = source(property.value).slice(1, -1)
        continue
      }
      const spread = unwrap(property.argument as LogNode)
      const { type, consequent, alternate } = spread
      const parts = type === 'ConditionalExpression' ? [consequent, alternate] : [spread]
      for (const part of parts as LogNode[]) {
        const helper = HELPERS[source(part)]
        if (part.type === 'ObjectExpression') read(part)
        else if (helper !== undefined) found.fields.push(...helper)
        else found.unreadable.push(source(part))
      }
    }
  }
  read(first)
  return found
}

/** Returns the problems of the log calls of a source. */
function problemsOf(path: string, calls: readonly LogCall[]): string[] {
  const [wing, room, file] = path.split('/')
  // A file outside of the rooms logs for the process, or for the room whose parts it connects.
  const allowed = file === undefined ? null : room
  return calls.flatMap(({ place, component, fields, unreadable }) => [
    ...unreadable.map((part) => `${place}: write the fields of the log line as literals, not as ${part}`),
    ...fields
      .filter((name) => !(name in LOG_FIELDS) && name !== 'repeats')
      .map((name) => `${place}: the field ${name} is not in LOG_FIELDS of kernel/lib/log-fields.ts`),
    ...(component === null || (allowed !== null && component !== allowed)
      ? [`${place}: component must be '${allowed ?? 'process'}', the room of ${wing}/${room}`]
      : []),
  ])
}

const calls = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  // These files take a log of texts (`textLog`), which adds the component.
  .filter((path) => !/^kernel\/(?:db\/(?:embedded|migrate|roles)|lib\/log)\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SOURCES, path), 'utf8') }))
  .filter(({ text }) => /\blog(?:\?|\.|\[)/.test(text))
  .map(({ path, text }) => ({ path, calls: logCalls(path, text) }))

test('each log call names its room as component and uses only fields of the schema', () => {
  const broken = "deps.log.warn({ component: 'work', colour: 1, ...facts2 }, 'x'); log.info('text')"
  assert.equal(problemsOf('kernel/db/broken.ts', logCalls('kernel/db/broken.ts', broken)).length, 5)
  const problems = calls.flatMap((one) => problemsOf(one.path, one.calls))
  assert.equal(problems.length, 0, `\n${problems.join('\n')}\n`)
})

/** The fields that adapters give to `createProblemLog`, and the field that the log adds itself. */
const WRITTEN_BY_HELPERS = /^(?:repeated|provider_(?:path|status|code|result|message))$/

test('the schema lists no field that no log call uses, and the handbook lists each field with its meaning', () => {
  const used = new Set(calls.flatMap((one) => one.calls.flatMap(({ fields }) => fields)))
  assert.deepEqual(
    Object.keys(LOG_FIELDS).filter((name) => !used.has(name) && !WRITTEN_BY_HELPERS.test(name)),
    [],
  )
  const rows = readFileSync(HANDBOOK, 'utf8').match(/^\| `\w+` \| .+ \|$/gm) ?? []
  const always = /^\| `(?:level|time|pid|msg)`/
  assert.deepEqual(
    rows.filter((row) => !always.test(row)),
    Object.entries(LOG_FIELDS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
  )
})
