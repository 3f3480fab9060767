// A customer buys in the example shop, which runs in a real Laravel against the real server.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type LiveWorld,
  outputOf,
  requirePhp,
  startLiveWorld,
  startProgram,
  until,
} from '../../../../server/test/programs.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** The Laravel that Debian has. */
const LARAVEL = '/usr/share/php/Illuminate/autoload.php'
const SHOP = join(ROOT, 'sdk/examples/laravel')

let world: LiveWorld
let folder: string

before(async () => {
  await requirePhp(['curl', 'mbstring', 'pdo_sqlite'])
  assert.ok(existsSync(LARAVEL), 'install Laravel: apt-get install php-laravel-framework')
  world = await startLiveWorld()
  folder = await mkdtemp(join(tmpdir(), 'malipo-laravel-'))
})
after(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

/** Makes a Laravel project in the folder, with the SDK from Composer. */
async function makeProject(): Promise<void> {
  await cp(join(SHOP, 'tests/skeleton'), folder, { recursive: true })
  for (const path of ['bootstrap/cache', 'storage/framework/sessions', 'storage/framework/views', 'storage/logs'])
    await mkdir(join(folder, path), { recursive: true })
  const repositories = { sdk: { type: 'path', url: join(ROOT, 'sdk/php') }, 'packagist.org': false }
  const project = { repositories, require: { 'malipo/malipo-php': '@dev' } }
  await writeFile(join(folder, 'composer.json'), JSON.stringify(project))
  await writeFile(join(folder, 'shop.sqlite'), '')
  const env = { COMPOSER_HOME: join(folder, 'composer-home'), COMPOSER_ALLOW_SUPERUSER: '1' }
  await outputOf('composer', ['install', '--no-interaction', '--quiet'], { cwd: folder, env })
}

const PHONE_PAYS = '0754123001'
const PHONE_REVERSES = '0754123012'

/** Opens the shop, orders, pays on the hosted page by phone, and returns the path of the order. */
async function buy(shop_url: string, phone: string): Promise<string> {
  const page = await fetch(shop_url)
  const cookie = page.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const [, token = ''] = /name="_token" value="([^"]+)"/.exec(await page.text()) ?? []
  const body = new URLSearchParams({ _token: token })
  const order = await fetch(`${shop_url}/orders`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
  const payment_url = order.headers.get('location') ?? ''
  const [, slug = ''] = /\/pay\/([^/?]+)$/.exec(payment_url) ?? assert.fail(`no hosted page: ${payment_url}`)
  const paid = await fetch(`${world.base_url}/public/payment-links/${slug}/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': slug },
    body: JSON.stringify({ method: 'WALLET_PUSH', customer_phone: phone }),
  })
  assert.equal(paid.status, 202)
  // After the payment, the page leads the customer back to the shop.
  let back = ''
  await until(async () => {
    const shown = await (await fetch(payment_url)).text()
    back = new RegExp(`${shop_url}/orders/\\d+`).exec(shown)?.[0] ?? ''
    return back !== ''
  })
  return back
}

test('a customer pays in the Laravel shop, and the order is paid once and is on hold after a reversal', async () => {
  await makeProject()
  const env = { SHOP, SHOP_DATABASE: join(folder, 'shop.sqlite') }
  const shop = await startProgram('php', ['-S', '127.0.0.1:0', '-t', 'public'], /127\.0\.0\.1:\d+\) started/, {
    cwd: folder,
    env,
  })
  const log = () => readFile(join(folder, 'storage/logs/shop.log'), 'utf8').catch(() => '')
  try {
    const [, port] = /127\.0\.0\.1:(\d+)\) started/.exec(shop.printed()) ?? []
    const url = `http://127.0.0.1:${port}`
    const unset = await fetch(`${url}/webhooks/malipo`, { method: 'POST', body: '{}' })
    assert.equal(unset.status, 500)
    assert.match(await log(), /Set MALIPO_WEBHOOK_SECRET in \.env/)

    const endpoint = await world.post('/v1/merchant/webhook-endpoints', {
      webhook_url: `${url}/webhooks/malipo`,
      events: ['collection.success', 'collection.failed', 'collection.reversed'],
    })
    const settings = {
      MALIPO_URL: world.base_url,
      MALIPO_API_KEY: world.sandbox_key,
      MALIPO_WEBHOOK_SECRET: endpoint.body.data.secret,
    }
    const dotenv = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
    await writeFile(join(folder, '.env'), dotenv.join(''))

    const status = async (order_url: string) => (await fetch(order_url)).text()
    const order = await buy(url, PHONE_PAYS)
    await until(async () => (await status(order)) === 'Order paid')
    const deliveries = await world.get('/v1/merchant/webhook-deliveries?status=delivered')
    for (const { id } of deliveries.body.data.items)
      await world.post(`/v1/merchant/webhook-deliveries/${id}/replay`, {})
    await until(async () => shop.printed().split('POST /webhooks/malipo').length - 1 >= 3)
    assert.equal((await log()).split('Ship ORDER-1').length - 1, 1, 'the shop ships once')

    const reversed = await buy(url, PHONE_REVERSES)
    await until(async () => (await status(reversed)) === 'Order on hold')
    const forged = await fetch(`${url}/webhooks/malipo`, { method: 'POST', body: '{"event":"collection.success"}' })
    assert.equal(forged.status, 401)
  } finally {
    await shop.stop()
  }
})
