// Tests that a customer can buy in the example shop, which runs in a real Laravel against the real server.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type LiveWorld, outputOf, requirePhp, startLiveWorld, startProgram } from '../../../../server/test/programs.ts'
import { buyInShop, registerShop } from '../../../../server/test/shop-journey.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** The autoloader of the Laravel that Debian packages. */
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

/** Makes a Laravel project in the temporary folder. Composer installs the SDK from the repository. */
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

test('a customer pays in the Laravel shop, and the shop ships the order once, and puts an order on hold after a reversal', async () => {
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

    const settings = {
      MALIPO_URL: world.base_url,
      MALIPO_API_KEY: world.sandbox_key,
      MALIPO_WEBHOOK_SECRET: await registerShop(world, url),
    }
    const dotenv = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`)
    await writeFile(join(folder, '.env'), dotenv.join(''))
    await buyInShop(world, { url, log })
  } finally {
    await shop.stop()
  }
})
