// `npm run -s strings` lists each text of the product in Swahili and English, for a native reader. The program parses the
// sources, so that the list has every text of the screens, e-mails, SMS and PDFs, and every translated API message.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FOLDERS = ['web/dashboard', 'web/operator', 'web/ui', 'server/src']
/** The file whose object has an English message as each key and its Swahili translation as the value. */
const API_MESSAGES = 'web/ui/api-messages.ts'
/** In this file, an English name that is missing is the key of its Swahili name. */
const DOCS_WORDS = 'server/src/apps/docs/words.ts'
const USAGE = `Usage: npm run -s strings

Prints each text of the screens, e-mails, SMS, PDFs and API messages as a line of tab-separated values:
file, key, Swahili, English.
A value in braces, such as {amount}, is filled in by the program. web/ui/GLOSSARY.md has the terms.
`

/** A node of the syntax tree. */
type SyntaxNode = { type: string; start: number; end: number; [field: string]: unknown }
/** A text in both languages. Null means that one language has no such text. */
export type ScreenText = { file: string; key: string; sw: string | null; en: string | null }

/** Returns every text of the product, in the order of the files. */
export function screenTexts(root = ROOT): ScreenText[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|api-types/.test(name))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
  return files.flatMap((file) => textsOfFile(root, file))
}

function textsOfFile(root: string, file: string): ScreenText[] {
  // If a room has one file for each language, the branch for -sw.ts also reads the English file.
  if (file.endsWith('-en.ts')) return []
  if (file.endsWith('-sw.ts')) {
    const english = file.replace('-sw.ts', '-en.ts')
    return pairTexts(file, exportedObject(root, file), exportedObject(root, english))
  }
  if (file === API_MESSAGES) {
    return [...exportedObject(root, file)].map(([en, sw]) => ({ file, key: en, sw, en }))
  }
  const { source, program } = parseFile(root, file)
  const found: ScreenText[] = []
  // A file may declare the object of each language apart, and then join both.
  const objects = new Map<string, SyntaxNode>()
  walk(program, (node) => {
    const { name } = (node.type === 'VariableDeclarator' ? node.id : {}) as { name?: string }
    const value = name === undefined ? null : bare(node.init as SyntaxNode | null)
    if (name !== undefined && value?.type === 'ObjectExpression') objects.set(name, value)
  })
  walk(program, (node, path) => {
    if (node.type === 'ObjectExpression') {
      const [sw, en] = ['sw', 'en'].map((language) => {
        const value = propertyOf(node, language)
        return value?.type === 'Identifier' ? (objects.get(value.name as string) ?? value) : value
      })
      if (sw?.type === 'ObjectExpression' && en?.type === 'ObjectExpression')
        found.push(...pairTexts(file, flatten(sw, source), flatten(en, source)))
      else if (sw && en) found.push(...pairOf(file, path, textOf(sw, source), textOf(en, source)))
    }
    if (node.type === 'ConditionalExpression') found.push(...choiceOf(file, path, node, source))
  })
  return found
}

function parseFile(root: string, file: string) {
  const source = readFileSync(join(root, file), 'utf8')
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return { source, program: program as unknown as SyntaxNode }
}

/** Returns the texts of the largest object of a file. */
function exportedObject(root: string, file: string): Map<string, string> {
  const { source, program } = parseFile(root, file)
  let most = new Map<string, string>()
  walk(program, (node) => {
    if (node.type !== 'VariableDeclarator') return
    const value = bare(node.init as SyntaxNode | null)
    if (value?.type !== 'ObjectExpression') return
    const texts = flatten(value, source)
    if (texts.size > most.size) most = texts
  })
  return most
}

function pairTexts(file: string, sw: ReadonlyMap<string, string>, en: ReadonlyMap<string, string>): ScreenText[] {
  const keys = [...new Set([...sw.keys(), ...en.keys()])]
  const unnamed = (key: string) => (file === DOCS_WORDS ? (key.split('.').at(-1) ?? null) : null)
  return keys.map((key) => ({ file, key, sw: sw.get(key) ?? null, en: en.get(key) ?? unnamed(key) }))
}

/** Returns the pair of two texts. If one of them is no text or has no word, returns none. */
function pairOf(file: string, key: string, sw: string | null, en: string | null): ScreenText[] {
  const has_word = sw !== null && /[a-z]{3}/i.test(sw.replaceAll(/\{[^}]*\}/g, ''))
  return has_word && en !== null ? [{ file, key, sw, en }] : []
}

/** Returns the texts of an expression such as `language === 'sw' ? 'Ankara' : 'Invoice'`. */
function choiceOf(file: string, key: string, node: SyntaxNode, source: string): ScreenText[] {
  const { test, consequent, alternate } = node as unknown as Record<'test' | 'consequent' | 'alternate', SyntaxNode>
  const [, language] = /\blanguage === '(sw|en)'$/.exec(source.slice(test.start, test.end)) ?? []
  if (language === undefined) return []
  const texts = [consequent, alternate].map((one) => textOf(bare(one) ?? one, source))
  const [sw = null, en = null] = language === 'sw' ? texts : texts.reverse()
  return pairOf(file, key, sw, en)
}

/** The name of a declaration, a function or a property. Undefined means that the node has no name. */
function nameOf(node: SyntaxNode): string | undefined {
  const { id, key } = node as { id?: { name?: string } | null; key?: { name?: string; value?: unknown } }
  if (node.type === 'Property') return key?.name ?? String(key?.value)
  return /^(VariableDeclarator|FunctionDeclaration)$/.test(node.type) ? id?.name : undefined
}

/** Calls `visit` for the node and each node below it, with the names of the declarations and properties around it. */
function walk(node: unknown, visit: (node: SyntaxNode, path: string) => void, path = ''): void {
  if (Array.isArray(node)) for (const one of node) walk(one, visit, path)
  else if (typeof node === 'object' && node !== null) {
    const is_node = typeof (node as SyntaxNode).type === 'string'
    if (is_node) visit(node as SyntaxNode, path)
    const name = is_node ? nameOf(node as SyntaxNode) : undefined
    const inside = [path, name].filter(Boolean).join('.')
    for (const value of Object.values(node)) if (typeof value === 'object') walk(value, visit, inside)
  }
}

/** Returns the expression inside type assertions and parentheses. Null means that there is no expression. */
function bare(node: SyntaxNode | null | undefined): SyntaxNode | null {
  let value = node ?? null
  while (value !== null && /^TS(As|Satisfies|NonNull)Expression$|^ParenthesizedExpression$/.test(value.type)) {
    value = value.expression as SyntaxNode
  }
  return value
}

function propertyOf(node: SyntaxNode, name: string): SyntaxNode | null {
  const property = (node.properties as SyntaxNode[]).find(
    (one) => one.type === 'Property' && (one.key as { name?: string }).name === name,
  )
  return bare(property?.value as SyntaxNode | undefined)
}

/** Returns the texts of an object, by the path of their keys. */
function flatten(node: SyntaxNode, source: string, path = ''): Map<string, string> {
  const texts = new Map<string, string>()
  const add = (key: string, value: SyntaxNode | null) => {
    const place = path === '' ? key : `${path}.${key}`
    if (value === null) return
    if (value.type === 'ObjectExpression' || value.type === 'ArrayExpression') {
      for (const [name, text] of flatten(value, source, place)) texts.set(name, text)
    } else {
      const text = textOf(value, source)
      if (text !== null) texts.set(place, text)
    }
  }
  if (node.type === 'ArrayExpression') {
    for (const [i, one] of (node.elements as SyntaxNode[]).entries()) add(String(i + 1), bare(one))
  } else {
    for (const property of node.properties as SyntaxNode[]) {
      if (property.type !== 'Property') continue
      const { name, value } = property.key as { name?: string; value?: unknown }
      add(name ?? String(value), bare(property.value as SyntaxNode))
    }
  }
  return texts
}

/**
 * Returns the text of a literal or a template, and the joined texts of an array. For a condition, a named function or a function
 * with another result, returns source text. Null means that the value is no text.
 */
function textOf(node: SyntaxNode, source: string): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null
  if (node.type === 'TemplateLiteral') {
    const between = node.expressions as SyntaxNode[]
    return (node.quasis as { value: { cooked: string } }[])
      .map(({ value }, i) => value.cooked + (between[i] ? `{${source.slice(between[i].start, between[i].end)}}` : ''))
      .join('')
  }
  if (node.type === 'ArrayExpression') {
    const texts = (node.elements as SyntaxNode[]).map((one) => textOf(one, source))
    return texts.length > 0 && texts.every((text) => text !== null) ? texts.join(' | ') : null
  }
  if (node.type === 'Identifier') return `{${node.name}}`
  if (node.type === 'ArrowFunctionExpression') {
    const body = bare(node.body as SyntaxNode)
    if (body === null || body.type === 'BlockStatement') return source.slice(node.start, node.end)
    return textOf(body, source) ?? source.slice(body.start, body.end)
  }
  if (node.type === 'ConditionalExpression') return source.slice(node.start, node.end)
  return null
}

if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    const asks_help = argument === '--help' || argument === '-h'
    process[asks_help ? 'stdout' : 'stderr'].write(asks_help ? USAGE : `unknown argument ${argument}\n${USAGE}`)
    process.exit(asks_help ? 0 : 2)
  }
  const cell = (text: string | null) => (text ?? '(missing)').replaceAll(/\s+/g, ' ')
  const lines = screenTexts().map(({ file, key, sw, en }) => [file, key, cell(sw), cell(en)].join('\t'))
  process.stdout.write(`file\tkey\tKiswahili\tEnglish\n${lines.join('\n')}\n`)
}
