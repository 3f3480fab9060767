// What tests about money that leaves stand on: money that came in, and proof that a refusal changed nothing.

import assert from 'node:assert/strict'
import type { Merchant } from '../src/access/merchants/index.ts'
import type { Environment } from '../src/kernel/http/index.ts'
import type { World } from './harness.ts'

/** Has a payer pay the merchant (the world's unless named), so that it has that much more. */
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

/** What a refused request about money must leave as it was. Idempotency keys are apart: a decision is stored with its key. */
const TABLES = [
  'withdrawals',
  'withdrawal_approvals',
  'withdrawal_history',
  'payouts',
  'ledger_transfers',
  'ledger_accounts',
  'audit_log',
  // Not how far a delivery has come: an earlier one may be on its way.
  '(select merchant_id, id, event, source_id, source_seq, body from webhook_deliveries)',
  'outbox_messages',
]

/** The content of every table about money that leaves, as one value to compare. */
export async function contentOf(world: World, tables: readonly string[] = TABLES): Promise<Record<string, string>> {
  const parts = tables.map(
    (table) =>
      `select '${table}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as content
       from ${table} t`,
  )
  const rows = await world.rows<{ name: string; content: string }>(parts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, content }) => [name, content]))
}

/** Runs `work`, which must change nothing about money, and answers what it does. */
export async function unchanged<Result>(world: World, work: () => Promise<Result>, what = ''): Promise<Result> {
  const before = await contentOf(world)
  const result = await work()
  assert.deepEqual(await contentOf(world), before, `${what} changed something`)
  return result
}

/** What is available and reserved now, as the API shows it. */
export async function balanceOf(world: World, key = world.sandbox_key): Promise<[string, string]> {
  const { available, reserved } = (await world.get('/v1/balance', key)).body.data
  return [available, reserved]
}
