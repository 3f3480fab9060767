// Tests the TypeScript of the guides with the installed package, against the real server.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type SdkWorld, startSdkWorld } from '../../../server/test/sdk-world.ts'
import { installIntoScratch, type ScratchProject } from './scratch.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const GUIDES = ['payments', 'idempotency', 'withdrawals', 'webhooks', 'quickstart', 'kuanza']
const run = promisify(execFile)

let world: SdkWorld
let project: ScratchProject

before(async () => {
  ;[world, project] = await Promise.all([startSdkWorld(), installIntoScratch()])
  world.runInPresent()
})
after(async () => {
  await project.close()
  await world.close()
})

const PROGRAM = `import { createHmac } from 'node:crypto'
import { Malipo } from '@malipo/sdk'
import { payOut } from './idempotency.ts'
import { receive } from './quickstart.ts'
import { receive as pokea } from './kuanza.ts'
import { openPage, requestPayment } from './payments.ts'
import { eventOf } from './webhooks.ts'
import { openPayouts } from './withdrawals.ts'

const malipo = new Malipo({ apiKey: process.env.MALIPO_API_KEY ?? '', baseUrl: process.env.MALIPO_URL ?? '' })
const id = await requestPayment('ORDER-7', 1, '100000.00', '0754123001')
console.log('once', (await requestPayment('ORDER-7', 1, '100000.00', '0754123001')) === id)
for (let i = 0; (await malipo.collections.get(id)).status !== 'successful'; i++) {
  if (i > 300) throw new Error('the payment stays open')
  await new Promise((done) => setTimeout(done, 50))
}
console.log(new URL(await openPage('ORDER-8', '500.00', 'https://shop.example/orders/8')).pathname.slice(0, 5))
console.log(await payOut(malipo, 'PAYOUT-1', '100.00', '0754123400'), await payOut(malipo, 'PAYOUT-1', '100.00', '0754123400'))
console.log(await payOut(malipo, 'PAYOUT-2', '100000000.00', '0754123400'))
const unreachable = new Malipo({ apiKey: process.env.MALIPO_API_KEY ?? '', baseUrl: 'http://api.example.com', maxRetries: 0,
  fetch: () => Promise.reject(new Error('cut')) })
console.log(await payOut(unreachable, 'PAYOUT-3', '100.00', '0754123400'))
console.log(await openPayouts(malipo, new Date(Date.now() - 3_600_000).toISOString()))
const secret = 'whsec_' + Buffer.alloc(32, 5).toString('base64')
const at = String(Math.floor(Date.now() / 1000))
const delivery = (bytes: Buffer) => {
  const body = JSON.stringify({ event: 'collection.success', reference: 'ORDER-9' })
  const signature = createHmac('sha256', bytes).update('d.' + at + '.' + body).digest('base64')
  const headers = { 'webhook-id': 'd', 'webhook-timestamp': at, 'webhook-signature': 'v1,' + signature }
  return new Request('http://shop.example/hook', { method: 'POST', body, headers })
}
console.log((await eventOf(delivery(Buffer.alloc(32, 5)), secret)).event)
for (const answer of [receive, pokea])
  console.log((await answer(delivery(Buffer.alloc(32, 5)), secret)).status, (await answer(delivery(Buffer.alloc(32, 6)), secret)).status)
`

test('the TypeScript of the guides compiles, and gives the results that the guides state', async () => {
  for (const name of GUIDES) {
    const text = await readFile(join(ROOT, `docs/guides/${name}.md`), 'utf8')
    const [code = '', ...more] = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block]) => block)
    assert.ok(code !== '' && more.length === 0, `${name}.md has one block of TypeScript`)
    await writeFile(join(project.folder, `${name}.ts`), code)
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
  const env = { MALIPO_URL: world.base_url, MALIPO_API_KEY: world.api_key, PATH: process.env.PATH ?? '' }
  const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project.folder, env })
  assert.deepEqual(stdout.trim().split('\n'), [
    'once true',
    '/pay/',
    'submitted submitted',
    'refused: insufficient_balance',
    'unknown',
    "[ 'PAYOUT-1' ]",
    'collection.success',
    'deliver the order ORDER-9',
    '200 401',
    'deliver the order ORDER-9',
    '200 401',
  ])
})
