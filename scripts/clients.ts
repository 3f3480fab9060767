// `npm run clients` generates clients from openapi.merchant.json with two generators, and checks that they compile and have
// every method. It also checks the documents with Spectral, and parses the collections. npm installs the tools in a temporary
// folder, because they have hundreds of packages.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COLLECTIONS } from './collections.ts'
import { ROOT } from './generated.ts'

/** The packages of the tools, with exact versions. Their own TypeScript compiles the clients. */
const TOOLS = [
  'swagger-typescript-api@13.13.0',
  '@hey-api/openapi-ts@0.99.0',
  'typescript@5.9.3',
  '@stoplight/spectral-cli@6.16.3',
  '@usebruno/lang@0.39.0',
  'postman-collection@5.3.1',
]
/** Each installation has a contact of its own, so the document names no contact. */
const RULES = 'extends: ["spectral:oas"]\nrules:\n  info-contact: off\n'
const COMPILER = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'] },
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: [] },
  },
  include: ['one', 'other'],
}

const root = fileURLToPath(ROOT)
const document = join(root, 'openapi.merchant.json')
const scratch = mkdtempSync(join(tmpdir(), 'malipo-clients-'))
try {
  writeFileSync(join(scratch, 'package.json'), '{"private": true}')
  writeFileSync(join(scratch, 'rules.yaml'), RULES)
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(COMPILER))
  program('npm', [
    'install',
    '--save-exact',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
    ...TOOLS,
  ])
  tool('swagger-typescript-api', ['generate', '-p', document, '-o', 'one', '-n', 'api.ts', '--silent'])
  tool('openapi-ts', ['-i', document, '-o', 'other', '--silent'])
  tool('tsc', ['-p', '.'])
  compareNames('swagger-typescript-api', names(read('one/api.ts'), /^ {4}(\w+): \(/gm))
  compareNames('@hey-api/openapi-ts', names(read('other/sdk.gen.ts'), /^export const (\w+) =/gm))
  for (const name of ['openapi.json', 'openapi.merchant.json'])
    tool('spectral', ['lint', '--ruleset', 'rules.yaml', '--fail-severity=hint', join(root, name)])
  report(`spectral:oas finds nothing in both documents`)
  parseCollections()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function read(path: string): string {
  return readFileSync(join(scratch, path), 'utf8')
}

function report(text: string): void {
  process.stdout.write(`ok  ${text}\n`)
}

function names(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, name]) => name as string))
}

/** Checks that a client has a method with the operationId of each call. */
function compareNames(generator: string, methods: ReadonlySet<string>): void {
  const { paths } = JSON.parse(readFileSync(document, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const wanted = Object.values(paths).flatMap((calls) => Object.values(calls).map(({ operationId }) => operationId))
  const missing = wanted.filter((name) => !methods.has(name))
  if (missing.length > 0) throw new Error(`the client of ${generator} has no ${missing.join(', ')}`)
  report(`${generator}: the client compiles, and has ${wanted.length} methods such as ${wanted.slice(0, 3).join(', ')}`)
}

/** Reads each request of the Bruno collection, and the whole Postman collection, with their parsers. */
function parseCollections(): void {
  const require = createRequire(join(scratch, 'package.json'))
  const { bruToJsonV2 } = require('@usebruno/lang') as { bruToJsonV2(text: string): { http?: { url?: string } } }
  const folder = join(root, COLLECTIONS, 'bruno')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.bru') && !/(folder|collection|Sandbox)\.bru$/.test(path),
  )
  for (const path of files) {
    const { http } = bruToJsonV2(readFileSync(join(folder, path), 'utf8'))
    if (!http?.url?.startsWith('{{base_url}}/')) throw new Error(`Bruno reads no address in ${path}`)
  }
  report(`Bruno reads ${files.length} requests`)
  const { Collection } = require('postman-collection') as {
    Collection: new (text: object) => { forEachItem(visit: () => void): void }
  }
  let items = 0
  new Collection(
    JSON.parse(readFileSync(join(root, COLLECTIONS, 'malipo.postman_collection.json'), 'utf8')),
  ).forEachItem(() => {
    items += 1
  })
  report(`Postman reads ${items} requests`)
}

function tool(name: string, args: readonly string[]): void {
  program(process.execPath, [join(scratch, 'node_modules/.bin', name), ...args])
}

/** Runs a program in the temporary folder. If it fails, throws its output. */
function program(file: string, args: readonly string[]): void {
  const env = { ...process.env, SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1' }
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd: scratch, env, encoding: 'utf8' })
  if (error) throw error
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}
