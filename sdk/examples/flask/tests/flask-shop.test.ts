// Tests that a customer can buy in the example shop, which runs in a real Flask against the real server.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  type LiveWorld,
  makePythonHome,
  startLiveWorld,
  startProgram,
  unusedPort,
} from '../../../../server/test/programs.ts'
import { buyInShop, registerShop } from '../../../../server/test/shop-journey.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

let world: LiveWorld
let folder: string

before(async () => {
  world = await startLiveWorld()
  folder = await mkdtemp(join(tmpdir(), 'malipo-flask-'))
})
after(async () => {
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

test('a customer pays in the Flask shop, and the shop ships the order once, and puts an order on hold after a reversal', async () => {
  const python = await makePythonHome(join(ROOT, 'sdk/python'), folder, { flask: 'python3-flask' })
  const port = await unusedPort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    SHOP_DATABASE: join(folder, 'shop.sqlite'),
    MALIPO_URL: world.base_url,
    MALIPO_API_KEY: world.sandbox_key,
    MALIPO_WEBHOOK_SECRET: await registerShop(world, url),
  }
  const args = ['-m', 'flask', '--app', join(ROOT, 'sdk/examples/flask/shop.py'), 'run', '--port', String(port)]
  const shop = await startProgram(python, args, /Running on http/, { cwd: folder, env })
  try {
    await buyInShop(world, { url, log: shop.printed })
  } finally {
    await shop.stop()
  }
})
