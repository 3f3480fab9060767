// Tests the README of the PHP SDK as a new user follows it: installs the package with Composer, and runs each program of the
// page.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type LiveWorld,
  leastScopes,
  outputOf,
  requirePhp,
  startLiveWorld,
  startProgram,
  until,
} from '../../../server/test/programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

let world: LiveWorld
let folder: string
let readme: string

before(async () => {
  await requirePhp(['curl'])
  world = await startLiveWorld()
  folder = await mkdtemp(join(tmpdir(), 'malipo-php-'))
  readme = await readFile(join(ROOT, 'sdk/php/README.md'), 'utf8')
})
after(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

test('a developer follows the README of the PHP SDK twice, from the installation to the webhook, the payout and the statement', async () => {
  const home = join(folder, 'composer-home')
  await mkdir(home)
  // The network of this test has no package registry, so Composer must not look for one.
  await writeFile(join(home, 'config.json'), '{"repositories": {"packagist.org": false}}')
  const blocks = [...readme.matchAll(/^```bash\n([^`]*)^```/gm)].map(([, block = '']) => block)
  const [in_repository = '', in_own_folder = ''] = blocks
  const shop = join(folder, 'shop')
  await mkdir(shop)
  const at = { cwd: shop, env: { COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1' } }
  await outputOf('composer', ['--version'], at)
  await outputOf('bash', ['-ec', `cd '${ROOT}'\n${in_repository}\ncd '${shop}'\n${in_own_folder}`], at)

  const programs = [...readme.matchAll(/```php\n(<\?php \/\/ (\S+)\n[^`]*)```/g)]
  assert.deepEqual(
    programs.map(([, , name]) => name),
    ['webhook.php', 'register.php', 'pay.php', 'payout.php'],
  )
  for (const [, text = '', name = ''] of programs) await writeFile(join(shop, name), text)
  const receiver = await startProgram('php', ['-S', '127.0.0.1:0', 'webhook.php'], /127\.0\.0\.1:\d+\) started/, at)
  try {
    const [, port] = /127\.0\.0\.1:(\d+)\) started/.exec(receiver.printed()) ?? []
    const env = {
      MALIPO_URL: world.base_url,
      MALIPO_API_KEY: await world.newKey({ scopes: leastScopes(readme) }),
      RECEIVER_URL: `http://127.0.0.1:${port}/webhook.php`,
    }
    const php = (...args: string[]) => outputOf('php', ['-d', 'display_errors=stderr', ...args], { cwd: shop, env })
    assert.equal(await php('register.php'), '')
    const first = await php('pay.php')
    assert.match(first, /^[0-9a-f-]{36} is processing\n$/)
    const second = await php('pay.php', 'ORDER-1042-again')
    assert.notEqual(second.slice(0, 36), first.slice(0, 36), 'each run is a new attempt')
    const repeated = await php('pay.php', 'ORDER-1042-again')
    assert.equal(repeated.slice(0, 36), second.slice(0, 36), 'a retry of the same attempt makes no other payment')
    const events = () => readFile(join(shop, 'events.log'), 'utf8').catch(() => '')
    await until(async () => /^(?:\S+ collection\.success ORDER-1042 25000\.00\n){2}$/.test(await events()))
    assert.equal(await php('payout.php'), STATEMENT)

    // On the second run of all programs, the receiver gets each event once, with the new secret.
    assert.equal(await php('register.php'), '')
    const endpoints = (await world.get('/v1/merchant/webhook-endpoints')).body.data.items
    assert.deepEqual(
      endpoints.map(({ webhook_url }: { webhook_url: string }) => webhook_url),
      [env.RECEIVER_URL],
    )
    assert.match(await php('pay.php'), /^[0-9a-f-]{36} is processing\n$/)
    await until(async () => (await events()).match(/^\S+ collection\.success ORDER-1042 25000\.00$/gm)?.length === 3)
    assert.ok((await php('payout.php')).startsWith('WITHDRAWAL 10000.00 balance 55000.00\n'))
    await until(async () => (await events()).match(/^\S+ disbursement\.success PAYOUT-7 10000\.00$/gm)?.length === 2)
    assert.equal((await events()).trim().split('\n').length, 5)

    const forged = await fetch(env.RECEIVER_URL, { method: 'POST', body: '{"event":"collection.success"}' })
    assert.deepEqual([forged.status, (await forged.text()).slice(0, 26)], [401, 'The request has no header '])
  } finally {
    await receiver.stop()
  }
})

const STATEMENT =
  'WITHDRAWAL 10000.00 balance 40000.00\nCOLLECTION 25000.00 balance 50000.00\nCOLLECTION 25000.00 balance 25000.00\n40000.00\n'
