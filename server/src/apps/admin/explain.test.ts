// Tests the output of `admin explain` for each state of a payment, a payout and a webhook delivery.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/harness.ts'
import { insertWithdrawal } from '../../../test/payouts.ts'
import { idToBase32, newId, Refusal } from '../../kernel/lib/index.ts'
import { explain, parseExplained } from './explain.ts'
import {
  type ExplainedDelivery,
  type ExplainedPayment,
  type ExplainedPayout,
  explainDelivery,
  explainPayment,
  explainPayout,
  type OpenStep,
} from './explain-texts.ts'

/** The time is 10:45 in Tanzania. */
const NOW = new Date('2026-11-22T07:45:00Z')
const time = (text: string) => new Date(`2026-11-${text}:00Z`)
const OPEN: OpenStep = {
  provider: 'selcom',
  state: 'asked',
  asks: 3,
  due_at: time('22T07:51'),
  deadline_at: time('25T07:42'),
  lease_owner: null,
  sent_at: time('22T07:42'),
  created_at: time('22T07:41'),
}
const PAYMENT: ExplainedPayment = {
  status: 'processing',
  created_at: time('22T07:41'),
  since: null,
  failure_reason_code: null,
  open: OPEN,
}
const PAYOUT: ExplainedPayout = {
  ...PAYMENT,
  status: 'PROCESSING',
  status_reason: null,
  approvals_required: null,
  hold: null,
}
const DELIVERY: ExplainedDelivery = {
  status: 'pending',
  event: 'collection.success',
  attempts: 0,
  due_at: time('22T07:50'),
  lease_owner: null,
  created_at: time('22T07:40'),
  updated_at: time('22T07:44'),
  last_at: null,
  last_status_code: null,
  last_error: null,
}

const PAYMENTS: [string, Partial<ExplainedPayment>, string | null, string | null, RegExp][] = [
  [
    'asked',
    {},
    'selcom',
    '2026-11-22T07:51:00.000Z',
    /^The server has waited for Selcom since 10:42, and has queried 3 times\. The next query is at 10:51\. Without an answer the payment fails at the deadline, 25 Nov 2026, 10:42\. Times: Africa\/Dar_es_Salaam\.$/,
  ],
  [
    'to send',
    { open: { ...OPEN, state: 'to_send', sent_at: null } },
    'worker',
    '2026-11-22T07:51:00.000Z',
    /does not know whether Selcom has the request.*next step is at 10:51/,
  ],
  [
    'leased',
    { open: { ...OPEN, lease_owner: 'p-1' } },
    'selcom',
    '2026-11-22T07:51:00.000Z',
    /Process p-1 calls Selcom now\. .* another process takes over at 10:51/,
  ],
  [
    'overdue',
    { open: { ...OPEN, due_at: time('22T07:30') } },
    'worker',
    '2026-11-22T07:30:00.000Z',
    /overdue since 10:30, and no worker has taken it.*doctor/,
  ],
  ['created', { status: 'created', open: null }, 'payer', null, /^Since 10:41, the payer has not chosen a method\./],
  ['without a step', { open: null }, 'operator', null, /no step is due\. Run "npm run -s admin -- verify"/],
  [
    'held',
    { status: 'pending_clearance', open: null, since: time('21T07:00') },
    'operator',
    null,
    /under review since 21 Nov 2026, 10:00/,
  ],
  [
    'successful',
    { status: 'successful', open: null, since: NOW },
    null,
    null,
    /has had the status successful since 10:45\. Nothing more happens/,
  ],
  [
    'failed',
    { status: 'failed', open: null, failure_reason_code: 'timeout' },
    null,
    null,
    /has had the status failed since 10:41\. The reason is timeout/,
  ],
  ['reversed', { status: 'reversed', open: null }, null, null, /has had the status reversed/],
  [
    'failed with an open attempt',
    { status: 'failed' },
    'selcom',
    '2026-11-22T07:51:00.000Z',
    /has had the status failed since 10:41, but another attempt is open\. The server has waited for Selcom/,
  ],
]
for (const [state, change, waiting_for, next, explanation] of PAYMENTS) {
  test(`the explanation of a payment that is ${state} states its next step or its end`, () => {
    const found = explainPayment({ ...PAYMENT, ...change }, NOW)
    assert.deepEqual([found.kind, found.waiting_for, found.next], ['payment', waiting_for, next])
    assert.match(found.story, explanation)
    assert.deepEqual(Object.keys(found), ['kind', 'status', 'waiting_for', 'since', 'next', 'story'])
  })
}

const PAYOUTS: [string, Partial<ExplainedPayout>, string | null, RegExp][] = [
  [
    'asked',
    {},
    'selcom',
    /^The server has waited for Selcom since 10:42, .* At the deadline, 25 Nov 2026, 10:42, .*NEEDS_RECONCILIATION/,
  ],
  ['unsent', { open: { ...OPEN, state: 'to_send' } }, 'worker', /does not know whether Selcom has the request/],
  ['being sent', { open: { ...OPEN, state: 'sending', lease_owner: 'p-2' } }, 'selcom', /Process p-2 calls Selcom now/],
  ['paused', { hold: 'Payouts are paused.' }, 'operator', /^Payouts are paused\. The server checks again at 10:51/],
  ['without a step', { open: null }, 'operator', /no step is due/],
  ['PENDING_ADMIN_APPROVAL', { status: 'PENDING_ADMIN_APPROVAL', open: null }, 'operator', /must approve or reject/],
  [
    'half approved',
    { status: 'PENDING_ADMIN_APPROVAL', open: null, approvals_required: 2 },
    'operator',
    /another operator must approve it too/,
  ],
  ['INFO_REQUESTED', { status: 'INFO_REQUESTED', open: null }, 'merchant', /merchant must answer/],
  [
    'NEEDS_RECONCILIATION',
    { status: 'NEEDS_RECONCILIATION' },
    'operator',
    /statement of the provider and resolve it\. The server queries Selcom again at 10:51/,
  ],
  [
    'BLOCKED_IP_WHITELIST',
    { status: 'BLOCKED_IP_WHITELIST', open: null },
    'operator',
    /address, credentials or float\. After the correction/,
  ],
  [
    'NEEDS_ADMIN_ATTENTION',
    { status: 'NEEDS_ADMIN_ATTENTION', open: null, status_reason: 'Float is low.' },
    'operator',
    /statement of the provider and resolve it\. Note: Float is low\./,
  ],
  ...['SUCCESS', 'FAILED', 'REJECTED', 'CANCELLED', 'REVERSED'].map(
    (status): [string, Partial<ExplainedPayout>, null, RegExp] => [
      status,
      { status, open: null },
      null,
      new RegExp(`has had the status ${status} since 10:41\\. Nothing more happens`),
    ],
  ),
]
for (const [state, change, waiting_for, explanation] of PAYOUTS) {
  test(`the explanation of a payout that is ${state} states its next step or its end`, () => {
    const found = explainPayout({ ...PAYOUT, ...change }, NOW)
    assert.deepEqual([found.kind, found.waiting_for], ['payout', waiting_for])
    assert.match(found.story, explanation)
  })
}

const FAILED_ONCE = { attempts: 1, last_at: time('22T07:41'), last_status_code: 500 }
const DELIVERIES: [string, Partial<ExplainedDelivery>, string | null, RegExp][] = [
  ['pending', {}, 'receiver', /^The server sends the event collection\.success at 10:50/],
  [
    'retried',
    FAILED_ONCE,
    'receiver',
    /^1 failed attempt\. The last attempt at 10:41 got the status 500\. The server sends .* at 10:50/,
  ],
  [
    'retried after a timeout',
    { ...FAILED_ONCE, last_status_code: null, last_error: 'timeout' },
    'receiver',
    /at 10:41 failed \(timeout\)\. The server sends .* at 10:50/,
  ],
  ['being sent', { lease_owner: 'p-3' }, 'receiver', /Process p-3 sends the event collection\.success now/],
  ['overdue', { due_at: time('22T07:00') }, 'worker', /has been due since 10:00, and no worker has taken it/],
  [
    'delivered',
    { status: 'delivered', due_at: null, last_at: NOW, last_status_code: 200 },
    null,
    /has had the status delivered since 10:44.*got the status 200/,
  ],
  [
    'failed',
    { status: 'failed', due_at: null, ...FAILED_ONCE },
    null,
    /has had the status failed since 10:44.*The merchant can replay the delivery/,
  ],
  ['cancelled', { status: 'cancelled', due_at: null }, null, /has had the status cancelled since 10:44/],
]
for (const [state, change, waiting_for, explanation] of DELIVERIES) {
  test(`the explanation of a webhook delivery that is ${state} states its next step or its end`, () => {
    const found = explainDelivery({ ...DELIVERY, ...change }, NOW)
    assert.deepEqual([found.kind, found.waiting_for], ['webhook_delivery', waiting_for])
    assert.match(found.story, explanation)
  })
}

test('explain finds a payment, payout and delivery by id, reference or transaction, and refuses any other id', async (t) => {
  const world = await createWorld()
  t.after(() => world.close())
  const { merchant, deps } = world
  const at = (text: string) => {
    const given = parseExplained(text)
    assert.ok(given !== null, text)
    return explain(deps, given)
  }
  const made = await world.post('/v1/collections/wallet-push', { amount: '1000.00', phone: '0754123001' })
  const id: string = made.body.data.collection_id
  const open = await at(id)
  assert.deepEqual([open.kind, open.status, open.waiting_for], ['payment', 'processing', 'sandbox'])
  assert.match(open.story, /^Process [-0-9a-f]{36} calls Sandbox now\. .* Africa\/Dar_es_Salaam\.$/)
  await world.pass(5_000)
  const [transfer] = await world.rows<{ id: string }>('select id from ledger_transfers where sequence is not null')
  for (const text of [id.toUpperCase(), `${idToBase32(id)}01`, `TXN-${idToBase32(transfer?.id ?? '')}`]) {
    const { kind, status, waiting_for, next } = await at(text)
    assert.deepEqual([kind, status, waiting_for, next], ['payment', 'successful', null, null], text)
  }
  const withdrawal = await insertWithdrawal(world)
  assert.deepEqual(await at(`W${idToBase32(withdrawal.id)}`), await at(withdrawal.id))
  assert.equal((await at(withdrawal.id)).kind, 'payout')

  const delivery = newId(deps, merchant.routing_code)
  await world.rows(
    `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
       attempts, due_at, created_at, updated_at)
     values ($1, $2, 'live', 'collection.success', 'collection', $3, 7, '{}', 'pending', 0, $4, $4, $4)`,
    [merchant.id, delivery, id, deps.clock.now()],
  )
  assert.deepEqual([(await at(delivery)).kind, (await at(delivery)).waiting_for], ['webhook_delivery', 'worker'])

  const unknown = newId(deps, merchant.routing_code)
  for (const text of [unknown, `TXN-${idToBase32(unknown)}`, newId(deps, 1)]) {
    await assert.rejects(at(text), (error: unknown) => error instanceof Refusal && error.code === 'not_found', text)
  }
  for (const text of ['', 'TXN-', 'TXN-0', `${id}0`, "' or 1=1", 'W123']) assert.equal(parseExplained(text), null, text)
})
