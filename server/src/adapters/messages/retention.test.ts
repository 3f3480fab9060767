// Tests the deletion of messages that are older than RETENTION_OUTBOX_DAYS.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, testDeps, type World } from '../../../test/harness.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { messageRetention, queueEmail } from './index.ts'

const DAY_MS = 86_400_000

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const queue = (kind: string, merchant_id?: string) =>
  inTransaction(world.deps.db, (tx) =>
    queueEmail(world.deps, tx, {
      kind,
      to: 'asha@example.com',
      subject: kind,
      text: kind,
      ...(merchant_id === undefined ? {} : { merchant_id }),
    }),
  )
const kinds = async () =>
  (await world.rows<{ kind: string }>('select kind from outbox_messages order by id')).map(({ kind }) => kind)

test('the worker deletes messages after RETENTION_OUTBOX_DAYS, and keeps messages that wait for a gateway', async () => {
  const { id } = world.merchant
  const waiting = await queue('old.waiting', id)
  await world.rows("update outbox_messages set status = 'waiting', due_at = created_at where id = $1", [waiting.id])
  await queue('old.invoice', id)
  await queue('old.identity')
  world.deps.clock.advance(100 * DAY_MS)
  await queue('new.invoice', id)
  world.deps.clock.advance(80 * DAY_MS - 1_000)
  const task = messageRetention(world.deps)
  assert.equal(await task.runOnce(), 0)
  world.deps.clock.advance(2_000)
  const never = testDeps(world.url, { env: { RETENTION_OUTBOX_DAYS: '0' }, clock: world.deps.clock })
  try {
    assert.equal(await messageRetention(never).runOnce(), 0, '0 means that the server deletes nothing')
  } finally {
    await never.db.close()
  }
  assert.equal(await task.runOnce(), 2)
  assert.deepEqual(await kinds(), ['old.waiting', 'new.invoice'])
})
