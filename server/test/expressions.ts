// Finds every regular expression of server/src by parsing the sources. A new expression needs no change of this file.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

/** A regular expression of the sources, with the way in which the code applies it to a text. */
export type Expression = {
  place: string
  source: string
  flags: string
  /** True if the code visits every match in a text, as `replaceAll`, `matchAll` and `split` do. */
  visits_all: boolean
}

/** The result of the search. `unread` contains the expressions that the code builds from values at run time. */
export type Found = { expressions: Expression[]; unread: { place: string; text: string }[] }

type Node = { type: string; start: number; end: number; [field: string]: unknown }
type Source = { path: string; text: string; program: Node }

/** Finds all regular expressions of server/src, without the test files. */
export function findExpressions(): Found {
  const paths = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[jt]s$/.test(path) && !/\.test\.ts$/.test(path))
    .sort()
  return expressionsIn(paths.map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') })))
}

/** Finds all regular expressions of these sources. */
export function expressionsIn(files: readonly { path: string; text: string }[]): Found {
  const sources = files.map(({ path, text }): Source => {
    const { program, errors } = parseSync(path, text)
    if (errors.length > 0) throw new Error(`the parser does not accept ${path}: ${errors[0]?.message}`)
    return { path, text, program: program as unknown as Node }
  })
  const constants = constantsOf(sources)
  const found: Found = { expressions: [], unread: [] }
  for (const source of sources) {
    const read = (node: Node) => textOf(node, source.path, constants)
    const place = (node: Node) => `${source.path}:${source.text.slice(0, node.start).split('\n').length}`
    const add = (node: Node, pattern: string | null, flags: string | null, visits_all: boolean) => {
      if (pattern === null || flags === null)
        found.unread.push({ place: place(node), text: source.text.slice(node.start, node.end) })
      else
        found.expressions.push({
          place: place(node),
          source: pattern,
          flags,
          visits_all: visits_all || /[gy]/.test(flags),
        })
    }
    walk(source.program, (node, parent) => {
      const literal = node.regex as { pattern: string; flags: string } | undefined
      if (node.type === 'Literal' && literal) add(node, literal.pattern, literal.flags, isSplit(parent, node))
      if (isCallOf(node, 'RegExp')) {
        const [pattern, flags] = node.arguments as Node[]
        // This call copies an expression. The search has already found the copied expression as a literal.
        if (pattern?.type === 'Literal' && pattern.regex) return
        add(node, pattern ? read(pattern) : '', flags ? read(flags) : '', isSplit(parent, node))
      }
      // This text is the pattern of a schema. The validator compiles the pattern with the flag u.
      if (node.type === 'Property' && keyOf(node) === 'pattern' && parent?.type === 'ObjectExpression') {
        const value = node.value as Node
        if (!value.regex && !isCallOf(value, 'RegExp') && !(node.shorthand as boolean))
          add(value, read(value), 'u', false)
      }
    })
  }
  return found
}

/** Returns the initial values of the declared variables by name, each with its file. */
function constantsOf(sources: readonly Source[]): Map<string, { path: string; init: Node }[]> {
  const constants = new Map<string, { path: string; init: Node }[]>()
  for (const { path, program } of sources) {
    walk(program, (node) => {
      if (node.type !== 'VariableDeclarator' || !node.init) return
      const name = (node.id as Node).name as string | undefined
      if (name !== undefined) constants.set(name, [...(constants.get(name) ?? []), { path, init: node.init as Node }])
    })
  }
  return constants
}

/** Returns the text of an expression that consists of constants. Null means that the expression depends on another value. */
function textOf(node: Node, path: string, constants: ReturnType<typeof constantsOf>): string | null {
  const inner = (one: unknown) => textOf(one as Node, path, constants)
  switch (node.type) {
    case 'Literal':
      return node.regex
        ? (node.regex as { pattern: string }).pattern
        : ['string', 'number'].includes(typeof node.value)
          ? String(node.value)
          : null
    case 'TSAsExpression':
    case 'ParenthesizedExpression':
      return inner(node.expression)
    case 'TaggedTemplateExpression':
      return textOfTemplate(node.quasi as Node, 'raw', inner)
    case 'TemplateLiteral':
      return textOfTemplate(node, 'cooked', inner)
    case 'BinaryExpression': {
      const [left, right] = [inner(node.left), inner(node.right)]
      return node.operator === '+' && left !== null && right !== null ? left + right : null
    }
    case 'MemberExpression':
      return (node.property as Node).name === 'source' ? inner(node.object) : null
    case 'Identifier': {
      const all = constants.get(node.name as string) ?? []
      const one = all.find((constant) => constant.path === path) ?? (all.length === 1 ? all[0] : undefined)
      return one ? textOf(one.init, one.path, constants) : null
    }
    case 'CallExpression': {
      const callee = node.callee as Node
      if (callee.type !== 'MemberExpression' || (callee.property as Node).name !== 'replace') return null
      const [text, ...given] = [callee.object, ...(node.arguments as Node[])].map(inner)
      return text != null && given[0] != null && given[1] != null ? text.replace(given[0], given[1]) : null
    }
    default:
      return null
  }
}

function textOfTemplate(node: Node, form: 'raw' | 'cooked', inner: (one: unknown) => string | null): string | null {
  const quasis = node.quasis as { value: { raw: string; cooked: string } }[]
  const values = (node.expressions as Node[]).map(inner)
  if (values.includes(null)) return null
  return quasis.map(({ value }, at) => value[form] + (values[at] ?? '')).join('')
}

function isCallOf(node: Node, name: string): boolean {
  return ['NewExpression', 'CallExpression'].includes(node.type) && (node.callee as Node).name === name
}

function isSplit(parent: Node | null, node: Node): boolean {
  if (parent?.type !== 'CallExpression' || !(parent.arguments as Node[]).includes(node)) return false
  return ((parent.callee as Node).property as Node | undefined)?.name === 'split'
}

function keyOf({ key }: Node): unknown {
  return (key as Node).name ?? (key as Node).value
}

function walk(node: Node, visit: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  visit(node, parent)
  for (const [field, value] of Object.entries(node)) {
    if (field === 'regex') continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one?.type === 'string') walk(one, visit, node)
    }
  }
}
