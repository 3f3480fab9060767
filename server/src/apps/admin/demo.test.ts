// Tests the demo users. server/test/crash/production.test.ts tests that production refuses a database whose demo users can sign
// in.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../../../test/database.ts'
import { createWorld } from '../../../test/harness.ts'
import { hasPassword } from '../../access/identity/index.ts'
import { inTransaction, sql } from '../../kernel/db/index.ts'
import { demo, demoUsers, ensureDemoMerchant } from './demo.ts'

test('two processes that start at the same time print the same valid passwords', async () => {
  const { url, drop } = await createTestDatabase()
  const data_dir = await mkdtemp(join(tmpdir(), 'malipo-demo-'))
  const worlds = await Promise.all([1, 2].map(() => createWorld({ url, env: { DATA_DIR: data_dir } })))
  try {
    const printed = await Promise.all(worlds.map(async ({ deps }) => demoUsers(deps, await ensureDemoMerchant(deps))))
    assert.deepEqual(printed[0], printed[1])
    const [world] = worlds as [(typeof worlds)[number]]
    for (const { email, password } of printed[0] ?? []) {
      const [user] = await world.rows<{ id: string }>('select id from users where email = $1', [email])
      assert.ok(await hasPassword(world.deps.db, user?.id ?? '', password), email)
    }
  } finally {
    for (const world of worlds) await world.close()
    await drop()
    await rm(data_dir, { recursive: true, force: true })
  }
})

test('the newest 10 keys of the demo command stay valid, and a key of a person with the same name too', async () => {
  const world = await createWorld({ env: { KEYS_PER_MERCHANT: '12' } })
  try {
    const keys: string[] = []
    for (let i = 0; i < 14; i += 1) {
      keys.push((await demo(world.deps)).sandbox_key)
      world.deps.clock.advance(1_000)
      if (i > 0) continue
      await world.rows(`update api_keys set created_by_id = $1 where name = 'Demo sandbox'`, [world.merchant.id])
    }
    const statuses = await Promise.all(keys.map(async (key) => (await world.get('/v1/me', key)).status))
    assert.deepEqual(statuses, [200, 401, 401, 401, ...Array(10).fill(200)])
    const [{ count } = { count: 0 }] = await world.rows<{ count: number }>(
      `select count(*)::int as count from audit_log where action = 'api_key.revoke'`,
    )
    assert.equal(count, 3 + 4, 'each revocation is in the audit log')
  } finally {
    await world.close()
  }
})

test('a new key of the demo command is valid although the clock was ahead when the command made earlier keys', async () => {
  const world = await createWorld()
  try {
    for (let i = 0; i < 12; i += 1) {
      const { sandbox_key } = await demo(world.deps)
      assert.equal((await world.get('/v1/me', sandbox_key)).status, 200, `key ${i + 1}`)
      world.deps.clock.step(-1_000)
    }
  } finally {
    await world.close()
  }
})

test('a process that starts waits longer than the lock timeout while another process creates the demo users', async () => {
  const world = await createWorld()
  try {
    const merchant = await ensureDemoMerchant(world.deps)
    const held = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const other = inTransaction(world.deps.db, async (tx) => {
      await tx.query(sql('demo_test_lock', 'select pg_advisory_xact_lock(7165243380915628)'))
      held.resolve()
      await released.promise
    })
    await held.promise
    const users = demoUsers(world.deps, merchant)
    const free = setTimeout(released.resolve, 6_000) // The transaction holds its lock for longer than the lock timeout of 5 seconds.
    assert.equal((await users).length, 5)
    clearTimeout(free)
    await other
  } finally {
    await world.close()
  }
})
