// The demo's people: they are for trying things out, and production says when they are still there.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../test/database.ts'
import { createWorld } from '../../test/harness.ts'
import { hasPassword } from '../identity/index.ts'
import { demoUsers, ensureDemoMerchant } from './demo.ts'

const PRODUCTION = {
  NODE_ENV: 'production',
  SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  MOCK_SECRET: 'a secret of this test that is long enough',
  BASE_URL: 'https://api.example.tz',
  ALLOW_MOCK_IN_PRODUCTION: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'false',
}

test('production warns of people of the demo who can still sign in, and of nobody once they are kept out', async () => {
  const { url, drop } = await createTestDatabase()
  const data_dir = await mkdtemp(join(tmpdir(), 'malipo-demo-'))
  const tried = await createWorld({ url, env: { DATA_DIR: data_dir } })
  await demoUsers(tried.deps, await ensureDemoMerchant(tried.deps))
  const real = await createWorld({ url, env: PRODUCTION })
  try {
    await tried.system.warn()
    assert.doesNotMatch(tried.deps.logged.join('\n'), /people of the demo/)
    await real.system.warn()
    assert.match(real.deps.logged.join('\n'), /super-admin@demo\.malipo\.example.*people of the demo can sign in/)
    real.deps.logged.length = 0
    await real.rows("update users set disabled_at = $1 where email like '%@demo.malipo.example'", [
      real.deps.clock.now(),
    ])
    await real.system.warn()
    assert.doesNotMatch(real.deps.logged.join('\n'), /people of the demo/)
  } finally {
    await tried.close()
    await real.close()
    await drop()
    await rm(data_dir, { recursive: true, force: true })
  }
})

test('two processes that start at once tell the same passwords, and they work', async () => {
  const { url, drop } = await createTestDatabase()
  const data_dir = await mkdtemp(join(tmpdir(), 'malipo-demo-'))
  const worlds = await Promise.all([1, 2].map(() => createWorld({ url, env: { DATA_DIR: data_dir } })))
  try {
    const told = await Promise.all(worlds.map(async ({ deps }) => demoUsers(deps, await ensureDemoMerchant(deps))))
    assert.deepEqual(told[0], told[1])
    const [world] = worlds as [(typeof worlds)[number]]
    for (const { email, password } of told[0] ?? []) {
      const [user] = await world.rows<{ id: string }>('select id from users where email = $1', [email])
      assert.ok(await hasPassword(world.deps.db, user?.id ?? '', password), email)
    }
  } finally {
    for (const world of worlds) await world.close()
    await drop()
    await rm(data_dir, { recursive: true, force: true })
  }
})
