// Tests the code of the README with the installed package, against the real server.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from '../../../server/test/free-port.ts'
import { type SdkWorld, startSdkWorld } from '../../../server/test/sdk-world.ts'
import { VERSION } from '../src/index.ts'
import { installIntoScratch, type ScratchProject } from './scratch.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

let world: SdkWorld
let project: ScratchProject
let env: Record<string, string>
let readme: string

before(async () => {
  ;[world, project] = await Promise.all([startSdkWorld(), installIntoScratch()])
  world.runInPresent()
  env = { MALIPO_URL: world.base_url, MALIPO_API_KEY: world.api_key, PATH: process.env.PATH ?? '' }
  readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
})
after(async () => {
  await project.close()
  await world.close()
})

function blocksOf(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code)
}

test('the programs of the README make a payment, receive its verified webhook, pay out and read the statement', async () => {
  const [first_payment = '', payout = '', ...more] = blocksOf('js')
  assert.equal(more.length, 0)
  await writeFile(join(project.folder, 'first-payment.mjs'), first_payment.replaceAll('9090', String(await freePort())))
  await writeFile(join(project.folder, 'payout.mjs'), payout)
  const outputOf = async (file: string) => (await run(process.execPath, [file], { cwd: project.folder, env })).stdout
  assert.equal(await outputOf('first-payment.mjs'), 'processing\ncollection.success 25000.00 TZS ORDER-1042\n')
  const before = 'COLLECTION 25000.00 balance 25000.00\n'
  const one_payout = `WITHDRAWAL 10000.00 balance 15000.00\n${before}`
  assert.equal(await outputOf('payout.mjs'), `${one_payout}15000.00\n`)
  const two_payouts = `WITHDRAWAL 10000.00 balance 5000.00\n${one_payout}`
  assert.equal(await outputOf('payout.mjs'), `${two_payouts}5000.00\n`)
})

const PROGRAM = `import { createHmac } from 'node:crypto'
import { Malipo } from '@malipo/sdk'
import { requestPayment } from './block-0.ts'
import { sumOf } from './block-1.ts'
import { receiveWebhook } from './block-2.ts'
import { followEvents } from './block-3.ts'

const malipo = new Malipo({ apiKey: process.env.MALIPO_API_KEY ?? '', baseUrl: process.env.MALIPO_URL ?? '' })
const id = await requestPayment('ORDER-7', 'first', '700.00', '0754123001')
if ((await requestPayment('ORDER-7', 'first', '700.00', '0754123001')) !== id) throw new Error('two payments')
for (let i = 0; (await malipo.collections.get(id)).status !== 'successful'; i++) {
  if (i > 300) throw new Error('the payment stays open')
  await new Promise((done) => setTimeout(done, 50))
}
const now = new Date()
console.log('sum', (await sumOf(malipo, new Date(+now - 3_600_000).toISOString(), new Date(+now + 3_600_000).toISOString())) >= 700)
const stop = new AbortController()
const handled: string[] = []
const following = followEvents(malipo, undefined, async (id, event, reference) => {
  handled.push(id)
  console.log(event, reference)
  if (handled.length === 1) stop.abort()
}, stop.signal)
await new Promise((done) => setTimeout(done, 1_000))
await requestPayment('ORDER-10', 'first', '800.00', '0754123001')
await following
await requestPayment('ORDER-8', 'first', 'much', '0754123001').catch((error) => console.log(error.code))
const key = Buffer.alloc(32, 5)
for (const [event, secret_key] of [['collection.success', key], ['collection.failed', key], ['loan.granted', key], ['x', Buffer.alloc(32, 6)]] as const) {
  const body = JSON.stringify({ event, reference: 'ORDER-9', failure_reason_message: 'Wrong PIN.' })
  const at = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret_key).update('d.' + at + '.' + body).digest('base64')
  const headers = { 'webhook-id': 'd', 'webhook-timestamp': at, 'webhook-signature': 'v1,' + signature }
  const request = new Request('http://shop.example/hook', { method: 'POST', body, headers })
  console.log((await receiveWebhook(request, 'whsec_' + key.toString('base64'))).status)
}
`

test('the TypeScript of the README compiles, and gives the results that the README states', async () => {
  const blocks = blocksOf('ts')
  assert.equal(blocks.length, 4)
  for (const [i, code] of blocks.entries()) {
    await writeFile(join(project.folder, `block-${i}.ts`), code.replaceAll('https://api.example.com', world.base_url))
  }
  await writeFile(join(project.folder, 'program.ts'), PROGRAM)
  await writeFile(join(project.folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }\n')
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  await writeFile(join(project.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const tsc = await realpath(join(ROOT, 'node_modules/.bin/tsc'))
  const compiled = await run(process.execPath, [tsc, '-p', project.folder]).catch((error) => error)
  assert.equal(compiled.stdout, '')
  const { stdout, stderr } = await run(process.execPath, ['program.ts'], { cwd: project.folder, env })
  assert.equal(
    stdout,
    'sum true\ncollection.success ORDER-10\nvalidation_failed\ndeliver the order ORDER-9\n200\nORDER-9 is not paid: Wrong PIN.\n200\n' +
      `The event loan.granted is newer than this SDK (${VERSION}): answer 200, and update the SDK if you need the event.\n200\n401\n`,
  )
  assert.match(stderr, /amount/)
})
