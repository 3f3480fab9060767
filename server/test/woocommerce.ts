// Tests the plugin in a real WordPress with a real browser: settings, checkout, hosted page, webhooks. A stub replaces
// WooCommerce (sdk/woocommerce/tests/stub). `npm run woocommerce` runs this file; it needs the packages that its error messages
// name.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { closePages, launchBrowser, openPage } from './browser.ts'
import { type LiveWorld, outputOf, requirePhp, startLiveWorld, startProgram, until, unusedPort } from './programs.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const STUB = join(ROOT, 'sdk/woocommerce/tests/stub')
const WORDPRESS = '/usr/share/wordpress'
/** The folder in which the test saves pictures of the pages for a person. Undefined means no pictures. */
const PICTURES = process.env.SCREENSHOTS

let world: LiveWorld
let folder: string
let site: string
let url: string
let database: ChildProcess
let php: { stop(): Promise<void>; printed(): string }
let browser: Browser
/** The signing secret that the shop stored when it registered its webhook. */
let secret: string

before(async () => {
  await requirePhp(['curl', 'mbstring', 'mysqli'])
  const missing = [
    [WORDPRESS, 'wordpress'],
    ['/usr/sbin/mariadbd', 'mariadb-server'],
  ].flatMap(([path = '', name = '']) => (existsSync(path) ? [] : [name]))
  assert.deepEqual(missing, [], `apt-get install ${missing.join(' ')}`)
  world = await startLiveWorld()
  folder = await mkdtemp(join(tmpdir(), 'malipo-woocommerce-'))
  const socket = await startMariaDb()
  url = `http://127.0.0.1:${await unusedPort()}`
  await installWordPress(socket)
  php = await startProgram('php', ['-S', url.slice('http://'.length), '-t', site], /started/, { cwd: site })
  browser = await launchBrowser()
})

after(async () => {
  await closePages(browser)
  await php.stop()
  const ended = new Promise((done) => database.once('close', done))
  database.kill()
  await ended
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

async function startMariaDb(): Promise<string> {
  const [data, socket] = [join(folder, 'mariadb'), join(folder, 'mariadb.sock')]
  const common = ['--no-defaults', `--datadir=${data}`]
  await outputOf('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--user=root'])
  database = spawn('mariadbd', [...common, `--socket=${socket}`, '--skip-networking', '--user=root'], {
    stdio: 'ignore',
  })
  await until(() => existsSync(socket), 60_000)
  await outputOf('mariadb', ['--no-defaults', '-uroot', `--socket=${socket}`, '-e', 'create database shop'])
  return socket
}

async function installWordPress(socket: string): Promise<void> {
  site = join(folder, 'site')
  await cp(WORDPRESS, site, {
    recursive: true,
    dereference: true,
    filter: (path) => !path.includes('/wp-content/languages'),
  })
  const constants = {
    DB_NAME: 'shop',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DISABLE_WP_CRON: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    AUTOMATIC_UPDATER_DISABLED: true,
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: join(folder, 'debug.log'),
  }
  const lines = Object.entries(constants).map(([name, value]) => `define('${name}', ${JSON.stringify(value)});\n`)
  // Debian's WordPress is older than PHP 8.2, which reports its code as deprecated. Other warnings go to debug.log.
  const tail =
    "$table_prefix = 'wp_';\ndefined('ABSPATH') || define('ABSPATH', __DIR__ . '/');\nrequire_once ABSPATH . 'wp-settings.php';\n"
  await writeFile(join(site, 'wp-config.php'), `<?php\n${lines.join('')}${tail}`)
  const plugins = join(site, 'wp-content/plugins')
  await mkdir(plugins, { recursive: true })
  await cp(STUB, join(plugins, 'woocommerce'), { recursive: true })
  // The test installs the plugin from the file that the commands of the README make.
  const readme = await readFile(join(ROOT, 'sdk/woocommerce/README.md'), 'utf8')
  const [, pack = ''] = /```bash\n([^`]*)```/.exec(readme) ?? []
  await outputOf('bash', ['-ec', pack], { cwd: ROOT })
  await outputOf('python3', ['-m', 'zipfile', '-e', join(ROOT, 'dist/malipo-for-woocommerce.zip'), plugins])
  await outputOf('php', [join(STUB, 'install.php'), url], { cwd: site })
}

async function look(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

type OrderFacts = { status: string; notes: string[]; completed: number; features: Record<string, boolean> }

async function factsOf(order: number): Promise<OrderFacts> {
  return (await (await fetch(`${url}/?shop=facts&order=${order}`)).json()) as OrderFacts
}

/**
 * Places an order, and pays on the hosted page with the phone of the order. If `returns` is true, follows the link back to the
 * shop.
 */
async function buy(page: Page, phone: string, returns = true): Promise<void> {
  await page.goto(`${url}/?shop=checkout`)
  await page.getByLabel('Phone').fill(phone)
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL(/\/pay\//)
  await page.getByRole('button', { name: /^Lipa TZS 25,000/ }).click()
  const back = page.locator('a[href*="shop=received"]').first()
  await back.waitFor()
  await look(page, `hosted-${phone.slice(-3)}`)
  if (returns) await back.click()
}

test('a shop owner connects the shop, tests the connection and registers the webhook', async () => {
  const { page } = await openPage(browser)
  await page.goto(`${url}/?shop=checkout`)
  assert.equal(await page.textContent('#none'), 'No payment method')
  await page.goto(`${url}/wp-login.php`)
  await page.fill('#user_login', 'admin')
  await page.fill('#user_pass', 'shop-password-1')
  await page.click('#wp-submit')
  await page.goto(`${url}/wp-admin/admin.php?page=wc-settings`)
  const answer = page.locator('#malipo-answer')
  const press = async (name: string, expected: RegExp) => {
    await page.getByRole('button', { name }).click()
    await until(async () => expected.test((await answer.textContent()) ?? ''), 15_000).catch(async () => {
      assert.match((await answer.textContent()) ?? '', expected)
    })
  }
  const save = async (key: string) => {
    await page.getByLabel('Status').check()
    await page.getByLabel('Address of the server').fill(world.base_url)
    await page.getByLabel('API key').fill(key)
    await page.getByRole('button', { name: 'Save changes' }).click()
  }
  await save('')
  await press('Test the connection', /^apiKey is missing: create a key/)
  await save('service_sandbox_nonsense')
  await press('Test the connection', /begins with service_sandbox_ and ends with ense/)
  await save(await world.newKey({ scopes: ['collections:read'] }))
  await press('Test the connection', /lacks these scopes: collections:write/)
  await save(world.sandbox_key)
  await press('Test the connection', /goes to Duka la Asha\. The key is of the sandbox.*secret is missing/)
  await press('Register the webhook', /secret is stored/)
  await look(page, 'settings')
  secret = await page.getByLabel('Webhook secret').inputValue()
  assert.match(secret, /^whsec_/)
  // A later change of the settings keeps the new secret.
  await page.getByRole('button', { name: 'Save changes' }).click()
  await press('Test the connection', /no real money moves\.$/)
  const { body } = await world.get('/v1/merchant/webhook-endpoints')
  assert.equal(
    body.data.items.some((one: { webhook_url: string }) => one.webhook_url.includes('malipo/v1/webhook')),
    true,
  )
  await page.context().close()
})

test('a customer pays on the hosted page, and the shop marks the order paid once', async () => {
  const { page } = await openPage(browser, { viewport: { width: 360, height: 740 } })
  await buy(page, '0754123001')
  await until(async () => (await factsOf(1)).status === 'processing')
  const { completed, features } = await factsOf(1)
  assert.deepEqual([completed, features], [1, { custom_order_tables: true, cart_checkout_blocks: false }])
  const { body } = await world.get('/v1/merchant/webhook-deliveries?status=delivered')
  for (const { id } of body.data.items) await world.post(`/v1/merchant/webhook-deliveries/${id}/replay`, {})
  assert.equal(await page.textContent('#status'), 'processing')
  await until(async () => {
    const one = await world.get(`/v1/merchant/webhook-deliveries/${body.data.items[0].id}`)
    return one.body.data.attempts.length === 2
  })
  const after_replay = await factsOf(1)
  assert.deepEqual([after_replay.completed, after_replay.notes.length], [1, 1])
  await page.context().close()
})

test('the shop puts an order on hold with a note when the provider reverses its payment', async () => {
  const { page } = await openPage(browser)
  await buy(page, '0754 123-012', false)
  await until(async () => (await factsOf(2)).status === 'on-hold')
  assert.match((await factsOf(2)).notes.at(-1) ?? '', /reversed the payment/)
  await page.context().close()
})

test('the shop marks an order paid without a webhook when the customer returns, because the shop queries the server', async () => {
  const { body } = await world.get('/v1/merchant/webhook-endpoints')
  const endpoint = body.data.items.find((one: { id: string }) => one.id !== 'default')
  await world.call({ method: 'DELETE', url: `/v1/merchant/webhook-endpoints/${endpoint.id}` })
  const { page } = await openPage(browser)
  await buy(page, '+255754123001', false)
  await until(async () => {
    const [row] = await world.rows<{ status: string }>(
      'select status from collections order by created_at desc limit 1',
    )
    return row?.status === 'successful'
  })
  assert.equal((await factsOf(3)).status, 'pending')
  await page.goto(`${url}/?shop=received&order=3`)
  assert.equal(await page.textContent('#status'), 'processing')
  await page.context().close()
})

test('a customer who comes back to an unpaid order gets the same page, and a forged webhook pays nothing', async () => {
  const { page } = await openPage(browser)
  await page.goto(`${url}/?shop=checkout`)
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.waitForURL(/\/pay\//)
  const first = page.url()
  await page.goto(`${url}/?shop=pay&order=4`)
  await page.waitForURL(/\/pay\//)
  assert.equal(page.url(), first)
  const forged = await fetch(`${url}/?rest_route=/malipo/v1/webhook`, {
    method: 'POST',
    body: JSON.stringify({ event: 'collection.success', reference: '4', status: 'successful', amount: '25000.00' }),
  })
  assert.deepEqual([forged.status, (await factsOf(4)).status], [401, 'pending'])
  await page.context().close()
})

test('the same webhook, delivered many times at the same time to two servers of the shop, pays the order once', async () => {
  const second = `127.0.0.1:${await unusedPort()}`
  const other = await startProgram('php', ['-S', second, '-t', site], /started/, { cwd: site })
  try {
    // The first request to a server compiles WordPress, which takes longer than the deliveries at the same time.
    await (await fetch(`http://${second}/?rest_route=/malipo/v1/webhook`, { method: 'POST', body: '{}' })).text()
    const [payment] = await world.rows<{ collection_id: string }>(
      "select id::text as collection_id from collections where reference = '4'",
    )
    const facts = { status: 'successful', reference: '4', amount: '25000.00', currency: 'TZS', sandbox: true }
    const body = JSON.stringify({ event: 'collection.success', ...payment, ...facts })
    const time = Math.floor(Date.now() / 1000)
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`many.${time}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'many',
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${signature}`,
      'x-slow': 'yes',
    }
    const results = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => {
        const address = `${i % 2 === 0 ? url : `http://${second}`}/?rest_route=/malipo/v1/webhook`
        const answer = await fetch(address, { method: 'POST', headers, body })
        return ((await answer.json()) as { result: string }).result
      }),
    )
    assert.deepEqual(results.toSorted(), [...Array.from({ length: 5 }, () => 'known'), 'paid'])
    const { completed, status } = await factsOf(4)
    assert.deepEqual([completed, status], [1, 'processing'])
  } finally {
    await other.stop()
  }
})

test('the checkout of an English shop is in English, the settings of a Swahili shop are in Swahili, and WordPress logs no error of the plugin', async () => {
  const { page } = await openPage(browser)
  await page.goto(`${url}/?shop=checkout`)
  assert.equal(await page.textContent('h1'), 'Mobile money')
  await mkdir(join(site, 'wp-content/mu-plugins'), { recursive: true })
  const swahili =
    "<?php add_filter('locale', static fn () => 'sw'); add_filter('determine_locale', static fn () => 'sw');"
  await writeFile(join(site, 'wp-content/mu-plugins/swahili.php'), swahili)
  await page.goto(`${url}/wp-login.php`)
  await page.fill('#user_login', 'admin')
  await page.fill('#user_pass', 'shop-password-1')
  await page.click('#wp-submit')
  await page.goto(`${url}/wp-admin/admin.php?page=wc-settings`)
  await page.getByRole('button', { name: 'Jaribu muunganisho' }).click()
  await page.getByText('Muunganisho unafanya kazi. Pesa inaenda kwa Duka la Asha.').waitFor()
  await look(page, 'settings-sw')
  const log = await readFile(join(folder, 'debug.log'), 'utf8').catch(() => '')
  assert.deepEqual(
    log.split('\n').filter((line) => line.includes('/malipo-for-woocommerce/')),
    [],
  )
  await page.context().close()
})
