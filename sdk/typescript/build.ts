/**
 * Builds the package that merchants install: JavaScript as ESM and CommonJS, and one file of types. `npm run sdk` runs this
 * file, and the tests install its result.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(HERE, 'src')
const run = promisify(execFile)

/** The fields that the manifest of the package takes from package.json. */
const KEPT = ['name', 'version', 'description', 'keywords', 'license', 'type', 'sideEffects', 'engines']
const ESM = { types: './dist/index.d.ts', default: './dist/index.js' }
const CJS = { types: './dist/index.d.cts', default: './dist/index.cjs' }
/** The entry points of the package. Every runtime runs one of the same two files. */
const ENTRIES = {
  main: './dist/index.cjs',
  module: './dist/index.js',
  types: './dist/index.d.ts',
  exports: {
    '.': { deno: ESM, bun: ESM, workerd: ESM, 'edge-light': ESM, import: ESM, require: CJS, default: ESM },
    './package.json': './package.json',
  },
  files: ['dist'],
}

/** Builds the package, and packs it into a folder as `npm pack` does. Returns the path of the packed file. */
export async function packSdk(folder: string): Promise<string> {
  const stage = await mkdtemp(join(tmpdir(), 'malipo-sdk-'))
  try {
    const dist = join(stage, 'dist')
    await mkdir(dist)
    await Promise.all([buildCode(dist), buildTypes(dist)])
    const manifest = JSON.parse(await readFile(join(HERE, 'package.json'), 'utf8')) as Record<string, unknown>
    const kept = Object.fromEntries(KEPT.map((name) => [name, manifest[name]]))
    await writeFile(join(stage, 'package.json'), `${JSON.stringify({ ...kept, ...ENTRIES }, null, 2)}\n`)
    await copyFile(join(HERE, 'README.md'), join(stage, 'README.md'))
    await copyFile(join(ROOT, 'LICENSE'), join(stage, 'LICENSE'))
    await mkdir(folder, { recursive: true })
    const { stdout } = await runNpm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], stage)
    const [packed] = JSON.parse(stdout) as { filename: string }[]
    if (packed === undefined) throw new Error(`npm pack printed no file: ${stdout}`)
    return join(folder, packed.filename.replace('@', '').replace('/', '-'))
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Runs npm in a folder. If npm runs this process, uses the same npm. */
export function runNpm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const { npm_execpath: npm } = process.env
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
  return run(command[0] as string, [...command.slice(1), ...args], { cwd, maxBuffer: 1 << 26 })
}

async function buildCode(dist: string): Promise<void> {
  const bundle = await rolldown({ input: join(SOURCE, 'index.ts'), cwd: SOURCE, platform: 'neutral', logLevel: 'warn' })
  for (const [format, name] of [
    ['esm', 'index.js'],
    ['cjs', 'index.cjs'],
  ] as const)
    await bundle.write({ file: join(dist, name), format, exports: 'named' })
  await bundle.close()
}

/** Makes one file of types from the declarations of every source, so that both module systems have the same types. */
async function buildTypes(dist: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-sdk-types-'))
  try {
    const tsc = await realpath(join(ROOT, 'node_modules/.bin/tsc'))
    await run(process.execPath, [tsc, '-p', join(HERE, 'tsconfig.build.json'), '--outDir', folder])
    const index = await readFile(join(folder, 'index.d.ts'), 'utf8')
    const text = await bundleTypes(index, (name) => readFile(join(folder, `${name}.d.ts`), 'utf8'))
    for (const name of ['index.d.ts', 'index.d.cts']) await writeFile(join(dist, name), text)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const EXPORT_ALL = /^export type \* from '\.\/([\w-]+)\.ts';$/gm
const EXPORT_NAMES = /^export (type )?\{([^}]*)\} from '\.\/[\w-]+\.ts';$/gm
const IMPORT = /^import (?:type )?(?:\* as \w+|\{[^}]*\}) from '\.\/([\w-]+)\.ts';\n/gm
const DECLARED = /^export (?:declare )?(?:type|class|function|const) (\w+)/gm

/** Joins the declarations of all files into one module, which exports only the names that the index exports. */
async function bundleTypes(index: string, read: (name: string) => Promise<string>): Promise<string> {
  const files = new Map<string, string>()
  const visit = async (text: string): Promise<void> => {
    for (const [, name = ''] of text.matchAll(/ from '\.\/([\w-]+)\.ts';$/gm)) {
      if (files.has(name)) continue
      files.set(name, await read(name))
      await visit(files.get(name) as string)
    }
  }
  await visit(index)
  const names = [...index.matchAll(EXPORT_ALL)].flatMap(([, name = '']) =>
    [...(files.get(name) ?? '').matchAll(DECLARED)].map(([, declared]) => `type ${declared}`),
  )
  for (const [, is_type, list = ''] of index.matchAll(EXPORT_NAMES)) {
    const listed = list.split(',').map((name) => name.trim())
    names.push(...listed.filter(Boolean).map((name) => (is_type && !name.startsWith('type ') ? `type ${name}` : name)))
  }
  // Removes the `export` before each declaration, so that the module exports only the names of the list at its end.
  const parts = [...files.values()].map((text) =>
    text
      .replace(IMPORT, '')
      .replace(/^export (?=declare |type \w+)/gm, '')
      .replace(/\bApi\.(?=[A-Z])/g, ''),
  )
  return `${parts.join('')}export { ${names.join(', ')} };\n`
}

// Test files load this module with `require`, so it contains no top-level await.
if (import.meta.main) {
  const [argument] = process.argv.slice(2)
  if (argument !== undefined) {
    process.stdout.write(
      'Usage: npm run sdk\n\nBuilds the SDK for TypeScript and JavaScript, and packs it into dist/.\n',
    )
    process.exit(argument === '--help' ? 0 : 2)
  }
  packSdk(join(ROOT, 'dist')).then(
    (file) => process.stdout.write(`${file}\n`),
    (error: Error) => {
      process.stderr.write(`${error.stack}\n`)
      process.exitCode = 1
    },
  )
}
