// verify: it holds on sound books, and finds whatever is planted.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createWorld } from '../../test/harness.ts'
import { startReceiver } from '../../test/receiver.ts'
import { type Verification, verify } from './verify.ts'

/** A database with every kind of payment in it, copied for each plant. */
let base: TestDatabase
let sound: Verification
before(async () => {
  base = await createTestDatabase()
  const receiver = await startReceiver()
  const world = await createWorld({ url: base.url })
  for (const key of [world.sandbox_key, world.live_key]) {
    await world.call({
      method: 'PATCH',
      url: '/v1/merchant/webhook-config',
      payload: { webhook_url: receiver.url },
      key,
    })
    for (let ending = 1; ending <= 14; ending++) {
      await world.post(
        '/v1/collections/wallet-push',
        { amount: 1000, phone: `07541230${String(ending).padStart(2, '0')}` },
        { key },
      )
    }
    await world.post('/v1/collections/qr', { amount: 50, customer_phone: '0754123001' }, { key })
  }
  // Once before time moves: what the provider says first must be seen.
  await world.work()
  await world.pass(20_000)
  await world.close()
  await receiver.close()
  sound = await verify(base.url)
})
after(() => base.drop())

test('every invariant holds on a database with every kind of payment', () => {
  assert.deepEqual(
    sound.checks.filter((check) => !check.ok),
    [],
  )
  assert.equal(sound.ok, true)
  for (const check of sound.checks) assert.equal(check.detail, 'holds')
})

/** One row of a query, as a condition. */
const one = (table: string, condition: string) => `ctid = (select ctid from ${table} where ${condition} limit 1)`
const SETTLED = "posting = 'collection_settled' and leg = 0"

/** A check's name, and the ways to break what it promises. */
const PLANTS: Record<string, string[]> = {
  'Every book sums to zero': [
    `update ledger_accounts set balance_minor = balance_minor + 1 where ${one('ledger_accounts', "code = 'fee_income'")}`,
  ],
  'Every merchant has two complete books': [
    `delete from ledger_accounts where ${one('ledger_accounts', "code = 'processor_cost'")}`,
  ],
  'Every balance is the sum of its movements, and its version their number': [
    "update ledger_accounts set balance_minor = balance_minor + case code when 'available' then 1 else -1 end where code in ('available', 'provider_float')",
    `update ledger_accounts set version = version + 1 where ${one('ledger_accounts', "code = 'available'")}`,
    `delete from ledger_transfers where ${one('ledger_transfers', SETTLED)}`,
  ],
  'The running balance of every account has no gap and no fork': [
    `update ledger_transfers set credit_balance_minor = credit_balance_minor + 1 where ${one('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set credit_version = credit_version + 1 where ${one('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set amount_minor = amount_minor + 1 where ${one('ledger_transfers', SETTLED)}`,
  ],
  'Held and reserved were never below zero': [
    `alter table ledger_accounts drop constraint ledger_accounts_no_overdraft; update ledger_accounts set balance_minor = -1 where ${one('ledger_accounts', "code = 'reserved'")}`,
    `update ledger_transfers set debit_code = 'held', debit_balance_minor = -1 where ${one('ledger_transfers', SETTLED)}`,
  ],
  'Available goes below zero only by a reversal': [
    `update ledger_transfers set debit_code = 'available', credit_code = 'provider_float', debit_balance_minor = -1 where ${one('ledger_transfers', SETTLED)}`,
  ],
  'A collection is credited exactly once, when and only when its money was settled': [
    `alter table ledger_transfers drop constraint ledger_transfers_once_key;
     insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid()))).* from ledger_transfers t where ${one('ledger_transfers', SETTLED)}`,
    `delete from ledger_transfers where ${one('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set amount_minor = amount_minor + 1 where ${one('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set environment = 'live' where ${one('ledger_transfers', `${SETTLED} and environment = 'sandbox'`)}`,
    `update collections set status = 'successful' where ${one('collections', "status = 'processing'")}`,
    "delete from collection_history where to_status = 'successful'",
  ],
  'A collection is debited once for its reversal, and only then': [
    `delete from ledger_transfers where ${one('ledger_transfers', "posting = 'collection_reversed'")}`,
    `update collections set status = 'successful' where ${one('collections', "status = 'reversed'")}`,
    `update ledger_transfers set amount_minor = amount_minor - 1 where ${one('ledger_transfers', "posting = 'collection_reversed'")}`,
  ],
  'Our fee is taken exactly as it was frozen': [
    `update collections set fee_minor = 1 where ${one('collections', "status = 'successful'")}`,
  ],
  'Held is the sum of what waits for clearance': [
    `update collections set amount_received_minor = amount_received_minor + 1 where ${one('collections', "status = 'pending_clearance'")}`,
    `update collections set status = 'reversed' where ${one('collections', "status = 'pending_clearance'")}`,
  ],
  'Every movement belongs to a collection of the same merchant and environment': [
    `update ledger_transfers set source_id = gen_random_uuid() where ${one('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set merchant_id = gen_random_uuid() where ${one('ledger_transfers', SETTLED)}`,
  ],
  'No attempt, history row or webhook attempt is an orphan': [
    'collection_attempts',
    'collection_history',
    'webhook_attempts',
    'collections',
  ].map((table) => `update ${table} set merchant_id = gen_random_uuid() where ${one(table, 'true')}`),
  'Every status move is allowed, and the chain ends at the status': [
    `update collection_history set to_status = 'created' where ${one('collection_history', "to_status = 'failed'")}`,
    `update collection_history set seq = seq + 1 where ${one('collection_history', 'seq = 1 and collection_id not in (select collection_id from collection_history where seq = 2)')}`,
    `update collections set status = 'pending_clearance' where ${one('collections', "status = 'successful'")}`,
    `update collections set version = version + 1 where ${one('collections', "status = 'successful'")}`,
    `delete from collection_history where ${one('collection_history', "from_status = 'failed'")}`,
    `with staying as (
       insert into collection_history select merchant_id, collection_id, seq + 1, to_status, to_status, 'provider', null, null, at
       from collection_history where ${one('collection_history', "to_status = 'reversed'")} returning collection_id)
     update collections set version = version + 1 where id in (select collection_id from staying)`,
  ],
  'No collection waits without anything that will move it': [
    "update collection_attempts a set due_at = null from collections c where c.id = a.collection_id and c.status = 'processing'",
  ],
  'A provider reference belongs to one attempt': ["update collection_attempts set provider_reference = 'the same'"],
  'Attempts belong to the environment and the amount of their collection': [
    `update collection_attempts set amount_minor = amount_minor + 1 where ${one('collection_attempts', 'true')}`,
    `update collection_attempts set environment = 'live' where ${one('collection_attempts', "environment = 'sandbox'")}`,
    `update collection_attempts set currency = 'USD' where ${one('collection_attempts', 'true')}`,
  ],
  'A sandbox payment never went to the live provider': [
    `update collection_attempts set provider = 'mock' where ${one('collection_attempts', "environment = 'sandbox'")}`,
  ],
  'Every promised event has its delivery, and no delivery is without its fact': [
    `delete from webhook_deliveries where ${one('webhook_deliveries', "source_type = 'collection'")}`,
    `update collection_history set event = null where ${one('collection_history', 'event is not null')}`,
    `update webhook_deliveries set event = 'collection.reversed' where ${one('webhook_deliveries', "event = 'collection.success'")}`,
  ],
  'Delivered means a 2xx was seen, failed means it was not': [
    'update webhook_attempts set status_code = 500',
    'delete from webhook_attempts',
    `update webhook_deliveries set status = 'failed' where ${one('webhook_deliveries', "status = 'delivered'")}`,
  ],
  'Live events carry neither mark, sandbox events always carry theirs': [
    `update webhook_deliveries set body = (body::jsonb - 'sandbox')::text where ${one('webhook_deliveries', "environment = 'sandbox'")}`,
    `update webhook_deliveries set body = (body::jsonb || '{"sandbox": true}')::text where ${one('webhook_deliveries', "environment = 'live'")}`,
    `update webhook_deliveries set body = (body::jsonb || '{"test": true}')::text where ${one('webhook_deliveries', "environment = 'live'")}`,
  ],
  'An Idempotency-Key that was answered points to what it made, once': [
    `update idempotency_keys set resource_id = gen_random_uuid() where ${one('idempotency_keys', 'status_code = 202')}`,
    'update idempotency_keys set resource_id = (select resource_id from idempotency_keys where resource_id is not null limit 1)',
    `update idempotency_keys set status_code = 503 where ${one('idempotency_keys', 'status_code = 202')}`,
  ],
}

describe('what is planted is found', () => {
  for (const [name, plants] of Object.entries(PLANTS)) {
    for (const [i, plant] of plants.entries()) {
      test(`${name} (${i + 1} of ${plants.length})`, async () => {
        const copy = await createTestDatabase(new URL(base.url).pathname.slice(1))
        const client = new pg.Client({ connectionString: copy.url })
        try {
          await client.connect()
          // The owner may give itself back what it took from itself; the application never does.
          await client.query('grant update, delete on all tables in schema public to current_user')
          const results = await client.query(plant)
          const last = Array.isArray(results) ? results.at(-1) : results
          assert.ok(last.rowCount > 0, 'the plant changed something')
          const { ok, checks } = await verify(copy.url)
          const check = checks.find((entry) => entry.name === name)
          assert.equal(
            check?.ok,
            false,
            `broken elsewhere: ${checks.filter((entry) => !entry.ok).map((entry) => entry.name)}`,
          )
          assert.match(check?.detail ?? '', /^\d+ broken: \S/)
          assert.equal(ok, false)
        } finally {
          await client.end()
          await copy.drop()
        }
      })
    }
  }

  test('every check of verify has its plant here', () => {
    assert.deepEqual(
      sound.checks.map((check) => check.name).filter((name) => !(name in PLANTS)),
      [],
    )
  })
})
