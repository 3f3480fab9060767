// Helpers for tests of withdrawals: they fund a merchant, and assert that a refusal changed nothing.

import assert from 'node:assert/strict'
import type { Merchant } from '../src/access/merchants/index.ts'
import type { Environment } from '../src/kernel/http/index.ts'
import type { World } from './harness.ts'

/** Lets a payer pay the merchant (by default the world's merchant), so that its balance grows by this amount. */
export async function fund(
  world: World,
  options: { amount: string; environment?: Environment; merchant?: Merchant },
): Promise<void> {
  const { amount, environment = 'sandbox', merchant = world.merchant } = options
  const key = await world.newKey({ merchant, environment })
  const reply = await world.post('/v1/collections/wallet-push', { amount, phone: '0754123001' }, { key })
  assert.equal(reply.status, 202, reply.text)
  await world.work()
}

/**
 * The tables that a refused request must not change. The list omits the idempotency keys, because the server stores a refusal
 * with its key.
 */
const TABLES = [
  'withdrawals',
  'withdrawal_approvals',
  'withdrawal_history',
  'payouts',
  'ledger_transfers',
  'ledger_accounts',
  'audit_log',
  // The comparison omits the progress of webhook deliveries, because an earlier delivery may still run.
  '(select merchant_id, id, event, source_id, source_seq, body from webhook_deliveries)',
  'outbox_messages',
]

/** Returns the number of rows and a hash of each table, by default of the tables about withdrawals. */
export async function contentOf(world: World, tables: readonly string[] = TABLES): Promise<Record<string, string>> {
  const parts = tables.map(
    (table) =>
      `select '${table}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as content
       from ${table} t`,
  )
  const rows = await world.rows<{ name: string; content: string }>(parts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

/** Runs `work`, asserts that `work` changes no table about withdrawals, and returns the result of `work`. */
export async function unchanged<Result>(world: World, work: () => Promise<Result>, what = ''): Promise<Result> {
  const before = await contentOf(world)
  const result = await work()
  assert.deepEqual(await contentOf(world), before, `${what} changed a table`)
  return result
}

/** Returns the available and the reserved balance, as the API shows the balances. */
export async function balanceOf(world: World, key = world.sandbox_key): Promise<[string, string]> {
  const { available, reserved } = (await world.get('/v1/balance', key)).body.data
  return [available, reserved]
}
