// Tests how the admin command makes a restored database safe. The server sends no payout again that it may have sent before the
// loss, and first queries the provider about the payout.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createTestOperator } from '../../../test/operator.ts'
import { A, HOUR, type PayoutWorld, statusOf, withPayoutWorld } from '../../../test/payout-processes.ts'
import { payoutAnswers, type WithdrawalKey } from '../../../test/payouts.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { readConfig } from '../../kernel/lib/index.ts'
import { finishRestore, prepareRestored, requireBackups, requireOwnDatabase } from './backup.ts'

const RESTORED = {
  backup: '20260105T080000Z-abcdef',
  ended_at: '2026-01-05T08:00:00.000Z',
  to: null,
  recovered_to: null,
}

/** Approves a withdrawal in a process that sends no payouts, so that the payout is unsent in the backup. */
async function approvedUnsent(stage: PayoutWorld): Promise<WithdrawalKey> {
  const key = await stage.submitted()
  const api = await stage.another({ sends: false })
  await api.hands.approve(key)
  return key
}

const restore = ({ world }: PayoutWorld) =>
  prepareRestored(world.deps, { url: world.url, must_separate: false }, RESTORED)

async function later(stage: PayoutWorld, ms: number): Promise<void> {
  stage.world.deps.clock.advance(ms)
  await stage.work()
}

test('after a restore, a query settles a payout that the provider paid in the lost time, and the server does not send it again', () =>
  withPayoutWorld(async (stage) => {
    const key = await approvedUnsent(stage)
    const result = await restore(stage)
    assert.deepEqual([result.ok, result.payouts_in_doubt, result.payouts], [true, 1, 'paused by this restore'])
    assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
    stage.script.status = () => payoutAnswers.paid(A)
    await later(stage, 2_000)
    assert.deepEqual([stage.executions(key), stage.questions(key)], [0, 1])
    assert.equal(await statusOf(stage, key), 'SUCCESS')
  }))

test('after a restore, the server sends no payout that the provider does not have, even after the end of the pause', () =>
  withPayoutWorld(async (stage) => {
    const key = await approvedUnsent(stage)
    await restore(stage)
    const operator = await createTestOperator(stage.world)
    const shown = await operator.show(key.id)
    assert.match(
      shown.status_reason,
      /^The database was restored to 5 Jan 2026, 11:00:00 \(EAT\)\. The provider may have paid/,
    )
    const [pause] = await stage.world.rows('select id, scope, reason from payout_pauses where ended_at is null')
    assert.deepEqual(
      [pause?.scope, pause?.reason],
      ['platform', 'The database was restored to 5 Jan 2026, 11:00:00 (EAT)'],
    )
    const url = `/v1/operator/payout-pauses/${pause?.id}/end`
    const ended = await stage.world.post(
      url,
      { reason: 'checked' },
      { key: await operator.session(), idempotency_key: null },
    )
    assert.equal(ended.status, 200, ended.text)
    stage.script.status = () => payoutAnswers.not_found
    for (let hour = 0; hour < 3; hour++) await later(stage, HOUR)
    assert.equal(stage.executions(key), 0)
    assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
  }))

test('each restore writes one audit entry, and a second restore reports the pause of the first restore', () =>
  withPayoutWorld(async (stage) => {
    await restore(stage)
    const again = await restore(stage)
    assert.deepEqual([again.ok, again.payouts], [true, 'paused already in the backup'])
    const entries = await stage.world.rows(
      "select actor_kind, target_id, after from audit_log where action = 'database.restore' order by seq",
    )
    assert.equal(entries.length, 2)
    assert.deepEqual(entries[0], {
      actor_kind: 'command',
      target_id: RESTORED.backup,
      after: { backup: RESTORED.backup, restored_to: '2026-01-05T08:00:00Z', payouts_in_doubt: 0 },
    })
  }))

test('the admin command makes a database safe that other tools restored, but refuses while a process of the server runs', () =>
  withPayoutWorld(async (stage) => {
    const key = await approvedUnsent(stage)
    const { deps, url } = stage.world
    const to = new Date(deps.clock.now().getTime() - HOUR)
    const finish = (until: Date) => finishRestore(deps, { url, must_separate: false }, until)
    const running = new pg.Client({ connectionString: url, application_name: 'malipo heartbeat' })
    await running.connect()
    try {
      await assert.rejects(finish(to), /1 processes of the server use this database: stop all of them first/)
    } finally {
      await running.end()
    }
    await assert.rejects(finish(new Date(deps.clock.now().getTime() + HOUR)), /--to-time is in the future/)
    assert.equal((await stage.world.rows('select 1 from payout_pauses')).length, 0, 'a refusal changes nothing')
    const result = await finish(to)
    assert.deepEqual([result.ok, result.payouts_in_doubt, result.payouts], [true, 1, 'paused by this restore'])
    assert.equal(await statusOf(stage, key), 'NEEDS_RECONCILIATION')
  }))

test('the admin command refuses a backup without BACKUP_KEY and a backup of a DATABASE_URL database, and names the remedy', () => {
  const key = Buffer.alloc(32, 3).toString('base64')
  const config = (env: Record<string, string>) => readConfig(env, PROVIDERS)
  assert.throws(() => requireBackups(config({})), /BACKUP_KEY is not set.*openssl rand -base64 32/)
  const foreign = config({ BACKUP_KEY: key, DATABASE_URL: 'postgres://localhost/pay' })
  assert.throws(() => requireBackups(foreign), /only for the embedded database.*with its own tools/)
  assert.throws(() => requireOwnDatabase(config({})), /this command is for a PostgreSQL of your own/)
  assert.throws(() => config({ BACKUP_DIR: '/backup' }), /BACKUP_KEY must be set with BACKUP_DIR/)
  assert.throws(() => config({ BACKUP_KEY: 'abc' }), /BACKUP_KEY must be 32 bytes in base64/)
  assert.throws(() => config({ BACKUP_KEY: key, SECRET_KEY: key }), /BACKUP_KEY must not be a key of SECRET_KEY/)
  assert.throws(
    () => config({ BACKUP_DIR: '/backup', BACKUP_KEY: key, DATABASE_URL: 'postgres://localhost/pay' }),
    /BACKUP_DIR is only for the embedded database, but DATABASE_URL is set/,
  )
})
