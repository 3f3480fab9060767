// Tests that the command verify accepts correct books, and finds each contradiction that this file plants.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Contradictions, oneRow, testContradictions } from '../../../test/contradictions.ts'
import { createTestDatabase, runtimeUrlOf, type TestDatabase } from '../../../test/database.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { grantRuntime } from '../../kernel/db/index.ts'
import { type Verification, verify } from './verify.ts'
import { DAYS } from './verify-days.ts'
import { EVENTS_HOLD } from './verify-events.ts'
import { INVOICES } from './verify-invoices.ts'
import { PAGES } from './verify-pages.ts'
import { PRIVILEGES_HOLD, ROLE_SEPARATED } from './verify-privileges.ts'
import { SUMS_HOLD } from './verify-sums.ts'
import { WITHDRAWALS } from './verify-withdrawals.ts'

/**
 * A database with a payment for each magic number, and with audited actions. Each planted contradiction changes a copy of the
 * database.
 */
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
  await actAsPeople(world)
  // The worker runs before the clock advances, so that the server records the first answer of the provider.
  await world.work()
  await world.pass(20_000)
  await decideAboutMoney(world)
  await world.close()
  await receiver.close()
  // The tests run the checks with the role of the server, because this role may run every check.
  await grantRuntime(base.url, runtimeUrlOf(base))
  sound = await verify(runtimeUrlOf(base), { must_separate: true, vault: world.deps.vault })
})
after(() => base.drop())

/** Makes a merchant, members and IP addresses, and performs audited actions of operators and members about them. */
async function actAsPeople(world: World): Promise<void> {
  const { token: operator } = await world.newSession('SUPER_ADMIN')
  const { token: admin } = await world.newSession('MERCHANT_ADMIN')
  const done = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, key: string, payload?: object) => {
    const answer = await world.call({ method, url, key, ...(payload ? { payload } : {}) })
    assert.ok(answer.status < 300, `${method} ${url}: ${answer.text}`)
    return answer.body.data.id as string
  }
  const made = await done('POST', '/v1/operator/merchants', operator, { name: 'Duka', email: 'duka@example.com' })
  for (const verb of ['approve', 'verify', 'suspend'])
    await done('POST', `/v1/operator/merchants/${made}/${verb}`, operator)
  const rules = [{ flow: 'withdrawal' }, { flow: 'withdrawal', method: 'MOBILE_MONEY' }]
  await done('PUT', `/v1/operator/merchants/${made}/pricing`, operator, { rules })
  const member = { email: 'member@example.com', role: 'VIEWER' }
  const id = await done('POST', '/v1/merchant/members', admin, member)
  await done('PATCH', `/v1/merchant/members/${id}`, admin, { role: 'FINANCE' })
  await done('DELETE', `/v1/merchant/members/${id}`, admin)
  await done('POST', '/v1/merchant/members', admin, member)
  const address = (last: number) => ({ label: 'Office', address: `203.0.113.${last}`, environment: 'live' })
  const ids: string[] = []
  for (let i = 1; i <= 4; i++) ids.push(await done('POST', '/v1/merchant/ip-addresses', admin, address(i)))
  await done('POST', `/v1/operator/ip-addresses/${ids[0]}/approve`, operator)
  await done('POST', `/v1/operator/ip-addresses/${ids[1]}/reject`, operator, { reason: 'No' })
  await done('DELETE', `/v1/merchant/ip-addresses/${ids[2]}`, admin)
}

/** Approves one held live payment, declines another, and makes two adjustments. The held sandbox payments stay held. */
async function decideAboutMoney(world: World): Promise<void> {
  const { token: key } = await world.newSession('SUPER_ADMIN')
  const waiting = (await world.get('/v1/operator/collections?environment=live', key)).body.data.items
  assert.equal(waiting.length, 2)
  for (const { collection_id, amount, amount_received } of waiting) {
    const decision = amount_received === amount ? 'decline' : 'approve'
    const url = `/v1/operator/collections/${collection_id}/clear`
    const cleared = await world.post(url, { decision, reason: 'Looked at' }, { key })
    assert.equal(cleared.status, 200, cleared.text)
  }
  for (const direction of ['credit', 'debit']) {
    const body = { environment: 'live', direction, against: 'fee_income', amount: '1.50', reason: 'Looked at' }
    const made = await world.post(`/v1/operator/merchants/${world.merchant.id}/adjustments`, body, { key })
    assert.equal(made.status, 201, made.text)
  }
}

test('every invariant is true for a database with the payments and the audited actions of this test', () => {
  assert.deepEqual(
    sound.checks.filter((check) => !check.ok),
    [],
  )
  assert.equal(sound.ok, true)
  for (const check of sound.checks) assert.equal(check.detail, 'holds')
})

const SETTLED = "posting = 'collection_settled' and leg = 0"

/** This SQL statement drops a constraint that would refuse the planted contradiction. */
const UNCHECKED = 'alter table ledger_transfers drop constraint ledger_transfers_sequence_check'

const MADE_BY_OPERATOR = "merchant_id = (select id from merchants where status = 'SUSPENDED')"
const LAST_ENTRY_REMOVED = `delete from audit_log where ${MADE_BY_OPERATOR} and seq = (select max(seq) from audit_log where ${MADE_BY_OPERATOR})`
const ENTRY_INSERTED = `insert into audit_log select (json_populate_record(l, json_build_object('seq', l.seq + 1))).* from audit_log l
  where ${MADE_BY_OPERATOR} and seq = (select max(seq) from audit_log where ${MADE_BY_OPERATOR})`

const PLANTS: Contradictions = {
  'Every book sums to zero': [
    `update ledger_accounts set balance_minor = balance_minor + 1 where ${oneRow('ledger_accounts', "code = 'fee_income'")}`,
  ],
  'Every merchant has two complete books': [
    `delete from ledger_accounts where ${oneRow('ledger_accounts', "code = 'processor_cost'")}`,
  ],
  'Every balance equals the sum of its movements, and its version equals their number': [
    "update ledger_accounts set balance_minor = balance_minor + case code when 'available' then 1 else -1 end where code in ('available', 'provider_float')",
    `update ledger_accounts set version = version + 1 where ${oneRow('ledger_accounts', "code = 'available'")}`,
    `delete from ledger_transfers where ${oneRow('ledger_transfers', SETTLED)}`,
  ],
  'The running balance of every account has no gap and no fork': [
    `update ledger_transfers set credit_balance_minor = credit_balance_minor + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set credit_version = credit_version + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set amount_minor = amount_minor + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
  ],
  'Every book numbers its bookings from 1 without a gap, in the order in which they were written': [
    // These SQL statements make a gap, a repeated number, two exchanged numbers, a missing number, a superfluous number, and a
    // missing booking.
    `update ledger_transfers set sequence = sequence + 1000 where ${oneRow('ledger_transfers', `${SETTLED} and sequence = 1`)}`,
    `drop index ledger_transfers_sequence_key; update ledger_transfers set sequence = 1 where ${oneRow('ledger_transfers', 'sequence = 2')}`,
    `drop index ledger_transfers_sequence_key; update ledger_transfers set sequence = 3 - sequence where sequence in (1, 2) and environment = 'live'`,
    `${UNCHECKED}; update ledger_transfers set sequence = null where ${oneRow('ledger_transfers', SETTLED)}`,
    `${UNCHECKED}; update ledger_transfers set sequence = 1000 where ${oneRow('ledger_transfers', "posting = 'collection_held'")}`,
    `delete from ledger_transfers where ${oneRow('ledger_transfers', 'sequence = 1')}`,
  ],
  'The booking count and the booking date of every book equal those of its last booking': [
    `update ledger_accounts set sequence = sequence + 1 where ${oneRow('ledger_accounts', 'sequence > 0')}`,
    `update ledger_accounts set sequence = sequence - 1 where ${oneRow('ledger_accounts', 'sequence > 1')}`,
    `update ledger_accounts set sequence = 1, booked_at = '2026-01-05' where ${oneRow('ledger_accounts', "sequence = 0 and code = 'available'")}`,
    `alter table ledger_accounts drop constraint ledger_accounts_sequence_check; update ledger_accounts set sequence = 1 where ${oneRow('ledger_accounts', "code = 'held'")}`,
    `update ledger_accounts set booked_at = booked_at - interval '1 millisecond' where ${oneRow('ledger_accounts', 'sequence > 0')}`,
    `delete from ledger_transfers where sequence = (select max(sequence) from ledger_transfers where environment = 'live') and environment = 'live'`,
  ],
  'The balance after every booking equals the balance before it plus its change': [
    `update ledger_transfers set credit_balance_minor = credit_balance_minor + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set amount_minor = amount_minor + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
    `drop index ledger_transfers_sequence_key; update ledger_transfers set sequence = 3 - sequence where sequence in (1, 2) and environment = 'live'`,
    `delete from ledger_transfers where ${oneRow('ledger_transfers', 'sequence = 2')}`,
  ],
  'No booking is dated before the previous booking': [
    `update ledger_transfers set created_at = created_at - interval '1 day' where ${oneRow('ledger_transfers', 'sequence = 2')}`,
    `update ledger_transfers set created_at = created_at + interval '1 day' where ${oneRow('ledger_transfers', 'sequence = 1')}`,
  ],
  'The held and reserved balances were never below zero': [
    `alter table ledger_accounts drop constraint ledger_accounts_no_overdraft; update ledger_accounts set balance_minor = -1 where ${oneRow('ledger_accounts', "code = 'reserved'")}`,
    `update ledger_transfers set debit_code = 'held', debit_balance_minor = -1 where ${oneRow('ledger_transfers', SETTLED)}`,
  ],
  'Only a reversal takes the available balance below zero': [
    `update ledger_transfers set debit_code = 'available', credit_code = 'provider_float', debit_balance_minor = -1 where ${oneRow('ledger_transfers', SETTLED)}`,
  ],
  'A collection is credited exactly once, if and only if its money was settled or cleared': [
    `alter table ledger_transfers drop constraint ledger_transfers_once_key;
     insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'sequence', t.sequence + 1000))).* from ledger_transfers t where ${oneRow('ledger_transfers', SETTLED)}`,
    `delete from ledger_transfers where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set amount_minor = amount_minor + 1 where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set environment = 'live', sequence = sequence + 1000 where ${oneRow('ledger_transfers', `${SETTLED} and environment = 'sandbox'`)}`,
    `update collections set status = 'successful' where ${oneRow('collections', "status = 'processing'")}`,
    "delete from collection_history where to_status = 'successful'",
    "update ledger_transfers set posting = 'collection_settled' where posting = 'collection_cleared'",
    "update ledger_transfers set amount_minor = amount_minor - 1 where posting = 'collection_cleared'",
    "delete from ledger_transfers where posting = 'collection_cleared'",
    `update collections set amount_received_minor = amount_received_minor + 1 where ${oneRow('collections', "status = 'successful' and amount_received_minor = amount_minor")}`,
    `update collections set amount_received_minor = null where ${oneRow('collections', "status = 'successful'")}`,
  ],
  'A collection is debited exactly once, if and only if it was reversed': [
    `delete from ledger_transfers where ${oneRow('ledger_transfers', "posting = 'collection_reversed'")}`,
    `update collections set status = 'successful' where ${oneRow('collections', "status = 'reversed'")}`,
    `update ledger_transfers set amount_minor = amount_minor - 1 where ${oneRow('ledger_transfers', "posting = 'collection_reversed'")}`,
  ],
  'Our fee equals the frozen fee, and a reversal returns it': [
    `update collections set fee_minor = 1 where ${oneRow('collections', "status = 'successful' and amount_received_minor = amount_minor")}`,
    `update collections set fee_minor = 1 where ${oneRow('collections', "status = 'successful' and amount_received_minor <> amount_minor")}`,
    `update collections set fee_minor = 1 where ${oneRow('collections', "status = 'reversed'")};
     update ledger_transfers set posting = 'collection_declined' where ${SETTLED} and source_id = (select id from collections where fee_minor = 1)`,
  ],
  'The held balance equals the sum of the collections that wait for clearance': [
    `update collections set amount_received_minor = amount_received_minor + 1 where ${oneRow('collections', "status = 'pending_clearance'")}`,
    `update collections set status = 'reversed' where ${oneRow('collections', "status = 'pending_clearance'")}`,
  ],
  'The queue of held collections contains exactly the collections that wait for clearance': [
    `update held_collections set decided_at = held_at where ${oneRow('held_collections', 'decided_at is null')}`,
    `update held_collections set decided_at = null where ${oneRow('held_collections', 'decided_at is not null')}`,
    `delete from held_collections where ${oneRow('held_collections', 'decided_at is null')}`,
    `delete from held_collections where ${oneRow('held_collections', 'decided_at is not null')}`,
    `update held_collections set environment = 'live' where ${oneRow('held_collections', "environment = 'sandbox'")}`,
    `update held_collections set collection_id = gen_random_uuid() where ${oneRow('held_collections', 'true')}`,
    `insert into held_collections select merchant_id, id, environment, created_at, created_at from collections where ${oneRow('collections', "status = 'successful' and amount_received_minor = amount_minor")}`,
  ],
  'Held money leaves exactly once, in full, by the posting that the decision requires': [
    "update ledger_transfers set amount_minor = amount_minor - 1 where posting = 'collection_cleared'",
    "update ledger_transfers set amount_minor = amount_minor - 1 where posting = 'collection_declined'",
    "delete from ledger_transfers where posting = 'collection_declined'",
    "update ledger_transfers set posting = 'collection_held_reversed' where posting = 'collection_declined'",
    `update ledger_transfers set posting = 'collection_settled' where ${oneRow('ledger_transfers', "posting = 'collection_held'")}`,
    `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'sequence', t.sequence + 1000, 'posting', 'collection_declined'))).* from ledger_transfers t where ${oneRow('ledger_transfers', "posting = 'collection_cleared'")}`,
    `update collections set amount_received_minor = amount_received_minor + 1 where ${oneRow('collections', "status = 'failed' and amount_received_minor is not null")}`,
  ],
  'Every decision about held money has exactly one audit entry, of the operator who decided': [
    `delete from audit_log where ${oneRow('audit_log', "action = 'collection.clear'")}`,
    `update audit_log set actor_id = gen_random_uuid()::text where ${oneRow('audit_log', "action = 'collection.clear'")}`,
    `update audit_log set after = '{"status": "reversed"}' where ${oneRow('audit_log', "action = 'collection.clear'")}`,
    `update collection_history set actor = 'provider' where ${oneRow('collection_history', "from_status = 'pending_clearance'")}`,
    `update audit_log set action = 'collection.clear' where ${oneRow('audit_log', "action = 'merchant.suspend'")}`,
  ],
  'Every adjustment has exactly one transfer, and every adjustment transfer has its record': [
    `delete from adjustments where ${oneRow('adjustments', 'true')}`,
    `update adjustments set amount_minor = amount_minor + 1 where ${oneRow('adjustments', 'true')}`,
    `update adjustments set direction = 'credit' where ${oneRow('adjustments', "direction = 'debit'")}`,
    `update adjustments set against = 'processor_cost' where ${oneRow('adjustments', 'true')}`,
    `update adjustments set environment = 'sandbox' where ${oneRow('adjustments', 'true')}`,
    `delete from ledger_transfers where ${oneRow('ledger_transfers', "source_type = 'adjustment'")}`,
    `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(), 'sequence', t.sequence + 1000, 'posting', 'adjustment_credited_float'))).* from ledger_transfers t where ${oneRow('ledger_transfers', "posting = 'adjustment_credited_fee'")}`,
  ],
  'Every adjustment has exactly one audit entry, of the operator who made it': [
    `delete from audit_log where ${oneRow('audit_log', "action = 'adjustment.create'")}`,
    `update audit_log set reason = 'Another' where ${oneRow('audit_log', "action = 'adjustment.create'")}`,
    `update audit_log set actor_id = 'another' where ${oneRow('audit_log', "action = 'adjustment.create'")}`,
    `update audit_log set target_id = gen_random_uuid()::text where ${oneRow('audit_log', "action = 'adjustment.create'")}`,
    `update adjustments set created_by_id = 'another' where ${oneRow('adjustments', 'true')}`,
  ],
  'Every movement belongs to a collection of the same merchant and environment': [
    `update ledger_transfers set source_id = gen_random_uuid() where ${oneRow('ledger_transfers', SETTLED)}`,
    `update ledger_transfers set merchant_id = gen_random_uuid() where ${oneRow('ledger_transfers', SETTLED)}`,
  ],
  'No attempt, history row or webhook attempt is an orphan': [
    'collection_attempts',
    'collection_history',
    'webhook_attempts',
    'collections',
  ].map((table) => `update ${table} set merchant_id = gen_random_uuid() where ${oneRow(table, 'true')}`),
  'Every status move of a collection is allowed, and the history ends at its status': [
    `update collection_history set to_status = 'created' where ${oneRow('collection_history', "to_status = 'failed'")}`,
    `update collection_history set seq = seq + 1 where ${oneRow('collection_history', 'seq = 1 and collection_id not in (select collection_id from collection_history where seq = 2)')}`,
    `update collections set status = 'pending_clearance' where ${oneRow('collections', "status = 'successful'")}`,
    `update collections set version = version + 1 where ${oneRow('collections', "status = 'successful'")}`,
    `delete from collection_history where ${oneRow('collection_history', "from_status = 'failed'")}`,
    `with staying as (
       insert into collection_history select merchant_id, collection_id, seq + 1, to_status, to_status, 'provider', null, null, at
       from collection_history where ${oneRow('collection_history', "to_status = 'reversed'")} returning collection_id)
     update collections set version = version + 1 where id in (select collection_id from staying)`,
  ],
  'Every processing collection has an attempt with a due time': [
    "update collection_attempts a set due_at = null from collections c where c.id = a.collection_id and c.status = 'processing'",
  ],
  'A provider reference belongs to one attempt': ["update collection_attempts set provider_reference = 'the same'"],
  'Every attempt has the environment, amount and currency of its collection': [
    `update collection_attempts set amount_minor = amount_minor + 1 where ${oneRow('collection_attempts', 'true')}`,
    `update collection_attempts set environment = 'live' where ${oneRow('collection_attempts', "environment = 'sandbox'")}`,
    `update collection_attempts set currency = 'USD' where ${oneRow('collection_attempts', 'true')}`,
  ],
  'The attempts of a collection are numbered without a gap': [
    `update collections set attempts = 2 where ${oneRow('collections', 'true')}`,
    `update collections set settled_attempt = 2 where ${oneRow('collections', "status = 'successful'")}`,
    `update collection_attempts set number = 2 where ${oneRow('collection_attempts', 'true')}`,
  ],
  'No sandbox payment was sent to a provider that moves money': [
    `update collection_attempts set on_page = true where ${oneRow('collection_attempts', "environment = 'sandbox'")}`,
    `update collection_attempts set provider = 'mock' where ${oneRow('collection_attempts', "environment = 'sandbox'")}`,
  ],
  'Every recorded event of a collection has its delivery, and every delivery has its event': [
    `delete from webhook_deliveries where ${oneRow('webhook_deliveries', "source_type = 'collection'")}`,
    `update collection_history set event = null where ${oneRow('collection_history', 'event is not null')}`,
    `update webhook_deliveries set event = 'collection.reversed' where ${oneRow('webhook_deliveries', "event = 'collection.success'")}`,
  ],
  'Every delivered webhook got a 2xx response, and the last attempt of a failed webhook did not': [
    'update webhook_attempts set status_code = 500',
    'delete from webhook_attempts',
    `update webhook_deliveries set status = 'failed' where ${oneRow('webhook_deliveries', "status = 'delivered'")}`,
  ],
  'Every sandbox webhook has the field sandbox, and no live webhook has the field sandbox or test': [
    `update webhook_deliveries set body = (body::jsonb - 'sandbox')::text where ${oneRow('webhook_deliveries', "environment = 'sandbox'")}`,
    `update webhook_deliveries set body = (body::jsonb || '{"sandbox": true}')::text where ${oneRow('webhook_deliveries', "environment = 'live'")}`,
    `update webhook_deliveries set body = (body::jsonb || '{"test": true}')::text where ${oneRow('webhook_deliveries', "environment = 'live'")}`,
  ],
  'Every answered Idempotency-Key names the record that it created, and no record has two keys': [
    `update idempotency_keys set resource_id = gen_random_uuid() where ${oneRow('idempotency_keys', 'status_code = 202')}`,
    'update idempotency_keys set resource_id = (select resource_id from idempotency_keys where resource_id is not null limit 1)',
    `update idempotency_keys set status_code = 503 where ${oneRow('idempotency_keys', 'status_code = 202')}`,
  ],
  'The state of every merchant equals the last state in its audit log': [
    `update merchants set status = 'ACTIVE' where ${oneRow('merchants', "status = 'SUSPENDED'")}`,
    `update merchants set verified = false where ${oneRow('merchants', 'verified')}`,
    "delete from audit_log where action = 'merchant.suspend'",
    "delete from audit_log where action = 'merchant.verify'",
    "delete from audit_log where merchant_id = (select id from merchants where status = 'SUSPENDED')",
  ],
  'The state of every allowlist address equals the last state in the audit log': [
    `update ip_addresses set status = 'APPROVED', decided_at = created_at where ${oneRow('ip_addresses', "status = 'PENDING'")}`,
    `update ip_addresses set status = 'APPROVED' where ${oneRow('ip_addresses', "status = 'REJECTED'")}`,
    "delete from audit_log where action = 'ip_address.approve'",
    `insert into ip_addresses select (json_populate_record(a, '{"id": "00000000-0000-8000-8000-000000000001", "address": "198.51.100.7/32"}')).* from ip_addresses a where status = 'APPROVED'`,
  ],
  'Every audit entry is about a record that exists or that an audited action removed': [
    `delete from members where ${oneRow('members', 'name is not null')}`,
    `delete from ip_addresses where ${oneRow('ip_addresses', "status = 'APPROVED'")}`,
    "delete from audit_log where action = 'member.remove'",
    `update audit_log set target_id = gen_random_uuid()::text where ${oneRow('audit_log', "target_type = 'merchant'")}`,
  ],
  'Every member, address, price and key belongs to an existing merchant': [
    `alter table members drop constraint members_user_fkey; update members set user_id = gen_random_uuid() where ${oneRow('members', 'true')}`,
    ...['members', 'ip_addresses', 'pricing_rules', 'api_keys'].map(
      (table) =>
        `alter table ${table} drop constraint ${table}_merchant_fkey; update ${table} set merchant_id = gen_random_uuid() where ${oneRow(table, 'true')}`,
    ),
  ],
  'Every price in force names a known network or bank': [
    `update pricing_rules set destination_code = 'VODKA' where ${oneRow('pricing_rules', 'valid_until is null')}`,
  ],
  'No two prices in force have the same flow, method and destination': [
    'drop index pricing_rules_in_force_idx; update pricing_rules set method = null where method is not null',
  ],
  'No entry of the audit log was changed, removed or inserted': [
    // Each SQL statement changes the action, the actor, the time, a state, the reason or the hash.
    ...[
      "action = 'merchant.reactivate'",
      "actor_name = 'another'",
      "at = at + interval '1 millisecond'",
      `after = '{"status": "ACTIVE"}'`,
      `before = '{"status":  "ACTIVE"}'`,
      "reason = ''",
      "hash = decode(repeat('00', 32), 'hex')",
    ].map((change) => `update audit_log set ${change} where ${oneRow('audit_log', "action = 'merchant.suspend'")}`),
    // These SQL statements remove an entry in the middle, at the beginning or at the end, or a whole log.
    `delete from audit_log where ${oneRow('audit_log', 'seq = 2')}`,
    `delete from audit_log where ${oneRow('audit_log', 'seq = 1')}`,
    LAST_ENTRY_REMOVED,
    `update audit_chains set seq = seq - 1 where ${MADE_BY_OPERATOR}; ${LAST_ENTRY_REMOVED}`,
    `delete from audit_log where ${MADE_BY_OPERATOR}`,
    `delete from audit_chains where ${MADE_BY_OPERATOR}`,
    // These SQL statements insert an entry after the end, also with an increased counter, or between two entries.
    ENTRY_INSERTED,
    `update audit_chains set seq = seq + 1 where ${MADE_BY_OPERATOR}; ${ENTRY_INSERTED}`,
    `alter table audit_log drop constraint audit_log_pkey; insert into audit_log select * from audit_log where ${MADE_BY_OPERATOR} and seq = 2`,
    // Two entries exchange their numbers.
    `alter table audit_log drop constraint audit_log_pkey; update audit_log set seq = 5 - seq where ${MADE_BY_OPERATOR} and seq in (2, 3)`,
    // The entries of one merchant's audit log move to unknown merchants.
    `update audit_log set merchant_id = gen_random_uuid() where ${MADE_BY_OPERATOR}`,
  ],
}

describe('planted contradictions in books and states', () => {
  testContradictions(() => base.url, PLANTS)

  test('each check of verify has a planted contradiction in this file, unless another test file tests the check', () => {
    const elsewhere = [
      PRIVILEGES_HOLD,
      ROLE_SEPARATED,
      SUMS_HOLD,
      EVENTS_HOLD,
      ...[...DAYS, ...PAGES, ...INVOICES, ...WITHDRAWALS].map(({ name }) => name),
    ]
    assert.deepEqual(
      sound.checks.map(({ name }) => name).filter((name) => !(name in PLANTS) && !elsewhere.includes(name)),
      [],
    )
  })
})
