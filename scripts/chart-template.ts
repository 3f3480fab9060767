// Renders the Helm chart without Helm, for tests: the part of the template language that the chart uses. An unknown function or
// statement is an error, so the chart stays within this part. `npm run chart` compares the result with that of Helm.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import { parse, parseAllDocuments, stringify } from 'yaml'

/** The absolute path of the folder of the chart. */
export const CHART = fileURLToPath(new URL('../deploy/helm/malipo/', import.meta.url))

/** The values of a chart, or a part of them. */
export type ChartValues = { [name: string]: unknown }

/** A rendered Kubernetes object. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> }
  [field: string]: unknown
}

/**
 * The error for values that the schema or a template of the chart refuses. The message is the text of the schema or template.
 */
export class ChartError extends Error {}

type TemplateNode =
  | { kind: 'text'; text: string }
  | { kind: 'print'; code: string }
  | { kind: 'set'; name: string; code: string }
  | { kind: 'range'; key: string | null; item: string; code: string; body: TemplateNode[] }
  | { kind: 'if'; branches: { code: string | null; body: TemplateNode[] }[] }

type Scope = { dot: unknown; variables: Map<string, unknown> }
type Templates = Map<string, TemplateNode[]>

const read = (name: string) => readFileSync(join(CHART, name), 'utf8')

let validate: ValidateFunction | null = null

/**
 * Renders the chart as Helm installs it under the name `release`. `given` overrides values.yaml. If the schema or a template
 * refuses the values, throws a ChartError with the reason.
 */
export function renderChart(given: ChartValues, release: string): Manifest[] {
  const values = merge(parse(read('values.yaml')), given)
  validate ??= new Ajv({ allErrors: true }).compile(JSON.parse(read('values.schema.json')))
  if (!validate(values)) {
    const problems = validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`)
    throw new ChartError(`the schema refuses the values: ${problems?.join('; ')}`)
  }
  const chart = parse(read('Chart.yaml'))
  const root = {
    Values: values,
    Release: { Name: release, Service: 'Helm' },
    Chart: { Name: chart.name, Version: chart.version },
  }
  const templates: Templates = new Map()
  const files = readdirSync(join(CHART, 'templates')).sort()
  const bodies = files.map((name) => readTemplate(read(`templates/${name}`), templates))
  return bodies.flatMap((body) => {
    const text = renderNodes(body, { dot: root, variables: new Map([['$', root]]) }, templates)
    return parseAllDocuments(text).flatMap((document) => {
      if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`)
      const manifest = document.toJS() as Manifest | null
      return manifest === null ? [] : [manifest]
    })
  })
}

/** Returns `base` with the values of `over`, as Helm merges them: null removes a value. */
function merge(base: ChartValues, over: ChartValues): ChartValues {
  const merged = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const old = merged[name]
    if (value === null) delete merged[name]
    else merged[name] = isMap(old) && isMap(value) ? merge(old, value) : value
  }
  return merged
}

const isMap = (value: unknown): value is ChartValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses a file. Adds the templates that it defines to `templates`, and returns the rest. */
function readTemplate(text: string, templates: Templates): TemplateNode[] {
  const open: { body: TemplateNode[]; node: TemplateNode | null; name: string | null }[] = [
    { body: [], node: null, name: null },
  ]
  const top = () => open.at(-1) as (typeof open)[number]
  const begin = (node: TemplateNode, body: TemplateNode[]) => {
    top().body.push(node)
    open.push({ body, node, name: null })
  }
  for (const part of splitActions(text)) {
    if (part.kind === 'text') {
      top().body.push(part)
      continue
    }
    const { code } = part
    const word = /^\S+/.exec(code)?.[0] ?? ''
    const rest = code.slice(word.length).trim()
    const set = /^(\$\w+) := (.*)$/s.exec(code)
    if (code.startsWith('/*')) continue
    if (set) top().body.push({ kind: 'set', name: set[1] as string, code: set[2] as string })
    else if (word === 'define') open.push({ body: [], node: null, name: JSON.parse(rest) })
    else if (word === 'if') {
      const branch = { code: rest, body: [] }
      begin({ kind: 'if', branches: [branch] }, branch.body)
    } else if (word === 'else') {
      const { node } = top()
      if (node?.kind !== 'if' || rest !== '') throw new Error(`this else has no if: ${code}`)
      const branch = { code: null, body: [] }
      node.branches.push(branch)
      top().body = branch.body
    } else if (word === 'range') {
      const named = /^(?:(\$\w+), )?(\$\w+) := (.*)$/s.exec(rest)
      if (!named) throw new Error(`a range needs a variable: ${code}`)
      const body: TemplateNode[] = []
      begin({ kind: 'range', key: named[1] ?? null, item: named[2] as string, code: named[3] as string, body }, body)
    } else if (word === 'end') {
      const closed = open.pop()
      if (closed === undefined || open.length === 0) throw new Error('an end has no beginning')
      if (closed.name !== null) templates.set(closed.name, closed.body)
    } else top().body.push({ kind: 'print', code })
  }
  if (open.length !== 1) throw new Error('an if, range or define has no end')
  return top().body
}

/** Splits a file into texts and actions. With a hyphen, an action removes the blanks and line breaks beside it. */
function splitActions(text: string): ({ kind: 'text'; text: string } | { kind: 'action'; code: string })[] {
  const parts: ReturnType<typeof splitActions> = []
  let at = 0
  let trim = false
  for (const found of text.matchAll(/\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}/g)) {
    let before = text.slice(at, found.index)
    if (trim) before = before.trimStart()
    if (found[1] === '-') before = before.trimEnd()
    parts.push({ kind: 'text', text: before }, { kind: 'action', code: found[2] as string })
    at = found.index + found[0].length
    trim = found[3] === '-'
  }
  const last = text.slice(at)
  parts.push({ kind: 'text', text: trim ? last.trimStart() : last })
  return parts
}

function renderNodes(nodes: readonly TemplateNode[], scope: Scope, templates: Templates): string {
  const inner: Scope = { dot: scope.dot, variables: new Map(scope.variables) }
  const valueIn = (code: string) => evaluate(code, inner, templates)
  return nodes
    .map((node): string => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'print') return toText(valueIn(node.code))
      if (node.kind === 'set') {
        inner.variables.set(node.name, valueIn(node.code))
        return ''
      }
      if (node.kind === 'if') {
        const chosen = node.branches.find(({ code }) => code === null || isTrue(valueIn(code)))
        return chosen === undefined ? '' : renderNodes(chosen.body, inner, templates)
      }
      // Helm visits the names of a map in alphabetical order.
      return Object.entries((valueIn(node.code) as object | null) ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => {
          const each: Scope = { dot: item, variables: new Map(inner.variables).set(node.item, item) }
          if (node.key !== null) each.variables.set(node.key, key)
          return renderNodes(node.body, each, templates)
        })
        .join('')
    })
    .join('')
}

const isTrue = (value: unknown): boolean =>
  isMap(value) ? Object.keys(value).length > 0 : Array.isArray(value) ? value.length > 0 : Boolean(value)

function toText(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'object') {
    throw new Error(`a template prints ${JSON.stringify(value)}, which is no text`)
  }
  return String(value)
}

const FUNCTIONS: Record<string, (...given: never[]) => unknown> = {
  add: (a: number, b: number) => a + b,
  default: (otherwise: unknown, value: unknown) => (isTrue(value) ? value : otherwise),
  dict: (...pairs: unknown[]) =>
    Object.fromEntries(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name as string, pairs[at + 1]]] : []))),
  eq: (a: unknown, b: unknown) => a === b,
  ne: (a: unknown, b: unknown) => a !== b,
  nindent: (spaces: number, text: string) => `\n${text.replace(/^/gm, ' '.repeat(spaces))}`,
  printf: (form: string, ...texts: string[]) => form.replaceAll('%s', () => String(texts.shift())),
  quote: (value: unknown) => JSON.stringify(toText(value)),
  required: (message: string, value: unknown) => {
    if (value === undefined || value === null || value === '') throw new ChartError(message)
    return value
  },
  toYaml: (value: unknown) => stringify(value).trimEnd(),
}

/** Evaluates a pipeline: commands between `|`, each with the value of the command before it as its last argument. */
function evaluate(code: string, scope: Scope, templates: Templates): unknown {
  const tokens = code.match(/"(?:[^"\\]|\\.)*"|[()|]|[^\s()|]+/g) ?? []
  let at = 0
  const pipeline = (): unknown => {
    let piped: unknown[] = []
    for (;;) {
      piped = [command(piped)]
      if (tokens[at] !== '|') return piped[0]
      at += 1
    }
  }
  const operand = (): unknown => {
    const token = tokens[at++] as string
    if (token === '(') {
      const value = pipeline()
      if (tokens[at++] !== ')') throw new Error(`a parenthesis does not close: ${code}`)
      return value
    }
    if (token.startsWith('"')) return JSON.parse(token)
    if (/^\d+$/.test(token)) return Number(token)
    return lookUp(token, scope)
  }
  const command = (piped: unknown[]): unknown => {
    const name = tokens[at] as string
    if (!/^[A-Za-z]/.test(name)) return operand()
    at += 1
    const given: unknown[] = []
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')') given.push(operand())
    given.push(...piped)
    if (name === 'include') {
      const body = templates.get(given[0] as string)
      if (body === undefined) throw new Error(`there is no template ${given[0]}`)
      return renderNodes(body, { dot: given[1], variables: new Map([['$', given[1]]]) }, templates)
    }
    const called = FUNCTIONS[name]
    if (called === undefined) throw new Error(`the renderer has no function ${name}: ${code}`)
    return called(...(given as never[]))
  }
  return pipeline()
}

/**
 * Returns the value of a path such as .Values.image.tag or $value. If a name before the last one has no value, throws an error.
 */
function lookUp(path: string, { dot, variables }: Scope): unknown {
  const [first = '', ...names] = path.split('.')
  if (first !== '' && !variables.has(first)) throw new Error(`the template has no value ${path}`)
  const start = first === '' ? dot : variables.get(first)
  return names
    .filter((name) => name !== '')
    .reduce<unknown>((value, name) => {
      if (!isMap(value)) throw new Error(`${path} has no ${name}`)
      return value[name]
    }, start)
}
