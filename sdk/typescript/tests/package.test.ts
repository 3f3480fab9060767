/**
 * Tests the packed SDK in a scratch project, as ESM, as CommonJS and from TypeScript, with the Node of this repository. `npm
 * run sdk-matrix` does the same with the other runtimes.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { readCases, runCases, startDriver } from '../../conformance/run.ts'
import { installIntoScratch, type ScratchProject } from './scratch.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const HERE = fileURLToPath(new URL('./', import.meta.url))
const COMPRESSED_BYTES_MAX = 15_000
const run = promisify(execFile)

let project: ScratchProject

before(async () => {
  project = await installIntoScratch()
})
after(() => project.close())

const installed = (path: string) => join(project.folder, 'node_modules/@malipo/sdk', path)

test('the package has code for both module systems, types, README and licence, and needs no other package', async () => {
  const files = await readdir(installed('.'), { recursive: true, withFileTypes: true })
  assert.deepEqual(
    files
      .filter((one) => one.isFile())
      .map((one) => relative(installed('.'), join(one.parentPath, one.name)))
      .sort(),
    ['LICENSE', 'README.md', 'dist/index.cjs', 'dist/index.d.cts', 'dist/index.d.ts', 'dist/index.js', 'package.json'],
  )
  const manifest = JSON.parse(await readFile(installed('package.json'), 'utf8'))
  assert.deepEqual(
    [manifest.dependencies, manifest.private, manifest.engines],
    [undefined, undefined, { node: '>=18' }],
  )
  assert.equal(await readFile(installed('LICENSE'), 'utf8'), await readFile(join(ROOT, 'LICENSE'), 'utf8'))
})

test('the shipped code has no static import of a module, and is smaller than 15 KB compressed', async () => {
  for (const name of ['dist/index.js', 'dist/index.cjs']) {
    const code = await readFile(installed(name), 'utf8')
    const imports = code.match(/\bnode:[a-z]|\brequire\(|^import .*|^export .* from/gm) ?? []
    assert.deepEqual(imports, [], name)
    const { length } = gzipSync(code, { level: 9 })
    assert.ok(length < COMPRESSED_BYTES_MAX, `${name} has ${length} bytes compressed`)
  }
})

test('the installed package conforms to the suite without its retries, as ESM and as CommonJS', async () => {
  for (const name of ['conformance-driver.mjs', 'conformance-perform.mjs']) {
    await copyFile(join(HERE, name), join(project.folder, name))
  }
  const files = readCases().filter(({ file }) => file !== 'retries.json')
  for (const given of [[], ['require']]) {
    const driver = startDriver(process.execPath, ['conformance-driver.mjs', ...given], { cwd: project.folder })
    const results = await runCases(driver.call, files).finally(() => driver.close())
    assert.deepEqual(
      results.filter(({ problems }) => problems.length > 0),
      [],
      String(given),
    )
  }
})

test('import and require give the same names', async () => {
  const list = 'console.log(Object.keys(sdk).filter((name) => name !== "default").sort().join())'
  await writeFile(join(project.folder, 'esm.mjs'), `import * as sdk from '@malipo/sdk'\n${list}\n`)
  await writeFile(join(project.folder, 'cjs.cjs'), `const sdk = require('@malipo/sdk')\n${list}\n`)
  const [esm, cjs] = await Promise.all(
    ['esm.mjs', 'cjs.cjs'].map((name) => run(process.execPath, [name], { cwd: project.folder })),
  )
  assert.match(esm?.stdout ?? '', /Malipo,MalipoError.*verifyWebhook/)
  assert.equal(esm?.stdout, cjs?.stdout)
})

const CONSUMER = `import { type Collection, Malipo, MalipoError, type WebhookEvent, verifyWebhook } from '@malipo/sdk'

export async function use(malipo: Malipo, signal: AbortSignal): Promise<string | null> {
  const options = { idempotencyKey: 'a', signal, timeout: 5 }
  const made = await malipo.collections.createWalletPush({ amount: '1.00', phone: '0754123001' }, options)
  const found: Collection = await malipo.collections.get(made.collection_id)
  if (found.status === 'successful') return found.reference
  for await (const { collection_id } of malipo.collections.list({ status: 'failed' })) return collection_id
  const { pagination } = await malipo.paymentLinks.list()
  const csv: string = await (await malipo.transactions.export()).text()
  // @ts-expect-error An amount is a text or a number.
  await malipo.collections.createWalletPush({ amount: true, phone: '0754123001' })
  // @ts-expect-error A push needs a phone.
  await malipo.collections.createWalletPush({ amount: '1.00' })
  // @ts-expect-error The key decides the environment.
  await malipo.collections.list({ environment: 'live' })
  // @ts-expect-error A read has no idempotency key.
  await malipo.balance.get({ idempotencyKey: 'a' })
  // @ts-expect-error A list has no such status.
  await malipo.collections.list({ status: 'paid' })
  return csv + pagination.total_pages
}

export function tell(event: WebhookEvent, error: unknown): string {
  if (error instanceof MalipoError && error.code === 'insufficient_balance') return error.requestId ?? ''
  switch (event.event) {
    case 'collection.failed':
      return event.failure_reason_code ?? event.collection_id
    case 'disbursement.success':
      // @ts-expect-error A payout has no collection_id.
      return event.collection_id
    default:
      return event.event
  }
}

/** The secrets that the API shows once are strings, so that verifyWebhook takes them. */
export async function secretsOf(malipo: Malipo, body: string, headers: Record<string, string>): Promise<void> {
  const made = await malipo.webhookEndpoints.create({ webhook_url: 'https://shop.example.com/hook' })
  const rotated = await malipo.webhookEndpoints.rotateSecret(made.id)
  const { secret } = await malipo.webhookConfig.rotateSecret()
  await verifyWebhook({ body, headers, secret: [made.secret, rotated.secret, secret] })
}

export const malipo = new Malipo({ apiKey: 'service_live_x', baseUrl: 'https://api.example.com' })
export const verified: Promise<WebhookEvent> = verifyWebhook({ body: new Uint8Array(), headers: {}, secret: ['a', 'b'] })
`

test('TypeScript accepts correct calls and refuses wrong calls with the module resolutions nodenext and bundler', async () => {
  const tsc = await realpath(join(ROOT, 'node_modules/.bin/tsc'))
  const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
  const ways = [
    { name: 'nodenext-esm', file: 'use.mts', options: { module: 'nodenext', ...types } },
    { name: 'nodenext-cjs', file: 'use.cts', options: { module: 'nodenext', ...types } },
    { name: 'bundler', file: 'use.ts', options: { module: 'esnext', moduleResolution: 'bundler', ...types } },
    { name: 'browser-types', file: 'use.ts', options: { module: 'esnext', moduleResolution: 'bundler', types: [] } },
  ]
  for (const { name, file, options } of ways) {
    const folder = join(project.folder, name)
    await mkdir(folder)
    await writeFile(join(folder, file), CONSUMER)
    const lib = ['es2022', ...(options.types.length === 0 ? ['dom', 'dom.asynciterable'] : [])]
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', lib }
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }),
    )
    const { stdout = '' } = await run(process.execPath, [tsc, '-p', folder]).then(
      () => ({ stdout: '' }),
      (error: { stdout: string }) => error,
    )
    assert.equal(stdout, '', name)
  }
})
