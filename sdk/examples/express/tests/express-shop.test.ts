// Tests the example shop in Express with the installed package of the SDK, against the real server.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../../server/test/free-port.ts'
import { type SdkWorld, startSdkWorld } from '../../../../server/test/sdk-world.ts'
import { Malipo } from '../../../typescript/src/index.ts'
import { installIntoScratch, type ScratchProject } from '../../../typescript/tests/scratch.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../', import.meta.url))
const WAIT_MS_MAX = 20_000

let world: SdkWorld
let project: ScratchProject
let malipo: Malipo
let shop: ChildProcess
let shop_url: string
let orders: DatabaseSync
let output = ''

before(async () => {
  ;[world, project] = await Promise.all([startSdkWorld(), installIntoScratch()])
  world.runInPresent()
  malipo = new Malipo({ apiKey: world.api_key, baseUrl: world.base_url })
  const port = await freePort()
  shop_url = `http://127.0.0.1:${port}`
  const { secret = '' } = await malipo.webhookConfig.update({ webhook_url: `${shop_url}/webhooks/malipo` })
  for (const name of ['shop.js', 'package.json']) await copyFile(join(EXAMPLE, name), join(project.folder, name))
  await symlink(join(ROOT, 'node_modules/express'), join(project.folder, 'node_modules/express'))
  shop = spawn(process.execPath, ['--no-warnings', 'shop.js'], {
    cwd: project.folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      MALIPO_URL: world.base_url,
      MALIPO_API_KEY: world.api_key,
      MALIPO_WEBHOOK_SECRET: secret,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  shop.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await until(async () => output.includes('The shop is open'))
  orders = new DatabaseSync(join(project.folder, 'shop.db'), { readOnly: true })
})
after(async () => {
  orders?.close()
  shop?.kill()
  await project?.close()
  await world?.close()
})

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX
  while (!(await isDone())) {
    assert.ok(performance.now() < end, `the shop did not get there; it printed: ${output}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Places an order as a customer does. Returns the number of the order and the slug of the hosted page. */
async function placeOrder(): Promise<{ id: string; slug: string }> {
  const answer = await fetch(`${shop_url}/orders`, { method: 'POST', redirect: 'manual' })
  assert.equal(answer.status, 303, await answer.text())
  const page = new URL(answer.headers.get('location') ?? '')
  const newest = orders.prepare('select id from orders order by rowid desc limit 1').get()
  return { id: String(newest?.id), slug: page.pathname.split('/').at(-1) ?? '' }
}

const statusOf = async (id: string) => (await fetch(`${shop_url}/orders/${id}`)).text()
const shipments = (id: string) => output.split(`Ship order ${id}\n`).length - 1

async function pay(slug: string, customer_phone: string): Promise<void> {
  const answer = await fetch(`${world.base_url}/public/payment-links/${slug}/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': slug },
    body: JSON.stringify({ method: 'WALLET_PUSH', customer_phone }),
  })
  assert.equal(answer.status, 202, await answer.text())
}

test('a customer orders and pays on the hosted page, and the shop ships the order once although the webhook comes twice', async () => {
  assert.match(await (await fetch(shop_url)).text(), /Kanga: TZS 25000\.00/)
  const { id, slug } = await placeOrder()
  assert.equal(await statusOf(id), 'Order pending')
  await pay(slug, '0754123001')
  await until(async () => (await statusOf(id)) === 'Order paid')
  const deliveries = () => malipo.webhookDeliveries.list({ event: 'collection.success' })
  await until(async () => (await deliveries()).items[0]?.status === 'delivered')
  const [delivery] = (await deliveries()).items
  await malipo.webhookDeliveries.replay(delivery?.id ?? '')
  await until(async () => (await malipo.webhookDeliveries.get(delivery?.id ?? '')).attempts.length === 2)
  assert.equal(shipments(id), 1)
})

test('the shop keeps the order pending after a failed payment, and logs that it does nothing', async () => {
  const { id, slug } = await placeOrder()
  await pay(slug, '0754123002')
  await until(async () => output.includes('Nothing to do for collection.failed'))
  assert.equal(await statusOf(id), 'Order pending')
})

test('the shop puts the order on hold after a reversal', async () => {
  const { id, slug } = await placeOrder()
  await pay(slug, '0754123012')
  await until(async () => (await statusOf(id)) === 'Order on hold')
})

test('the shop answers a forged webhook with 401, and a test delivery changes no order', async () => {
  const { id } = await placeOrder()
  const body = JSON.stringify({ event: 'collection.success', reference: id, amount: '25000.00' })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'x',
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,AAAA',
  }
  const forged = await fetch(`${shop_url}/webhooks/malipo`, { method: 'POST', body, headers })
  assert.equal(forged.status, 401)
  assert.match(await forged.text(), /signature does not match/)
  const { id: delivery_id } = await malipo.webhookConfig.test()
  await until(async () => (await malipo.webhookDeliveries.get(delivery_id)).status === 'delivered')
  assert.equal(await statusOf(id), 'Order pending')
  assert.equal((await fetch(`${shop_url}/orders/none`)).status, 404)
})
