// Tests the PHP SDK against the real server. The PHP programs of this folder print their results.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type LiveWorld, outputOf, requirePhp, startLiveWorld } from '../../../server/test/programs.ts'
import { type Receiver, startReceiver } from '../../../server/test/receiver.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const AUTOLOAD = fileURLToPath(new URL('../src/autoload.php', import.meta.url))

/** The results that journey.php prints on every run. */
const SEEN = {
  same: true,
  pesa: 'processing',
  qr: true,
  page: { page: 1, page_size: 3, total_items: 4, total_pages: 2 },
  since: 0,
  timeline: true,
  csv: true,
  link: ['ACTIVE', true],
  link_list: true,
  link_payments: 0,
  poster: '%PDF-',
  link_csv: true,
  cancelled: 'CANCELLED',
  invoice: ['DRAFT', 'Asante'],
  invoice_link: true,
  sent: 'SENT',
  invoices: [1, 'INV-000001'],
  invoice_csv: true,
  invoice_cancelled: 'CANCELLED',
  payout: ['PENDING_ADMIN_APPROVAL', 'SUCCESS'],
  payout_history: true,
  payout_cancelled: 'CANCELLED',
  bank: 'BANK_ACCOUNT',
  pesa_payout: 'PROVIDER_PESA',
  payouts: 4,
  limits: ['daily_limit', 'approved_today', 'daily_limit_per_destination'],
  destinations: true,
  balance: { available: '23300.00', reserved: '0.00', held: '0.00', currency: 'TZS' },
  transactions: ['COLLECTION', 'COLLECTION', 'COLLECTION', 'WITHDRAWAL'],
  transaction: true,
  statement: 'TZS',
  statement_csv: 'period,environment,currency,final,line,direction,count,amount,fee,net,balance',
  transactions_csv: true,
  config: ['whsec_', true],
  config_rotated: true,
  config_test: 'collection.success',
  endpoint: ['Duka', ['collection.failed'], 2, true, true, true],
  delivery: 'delivered',
  replay: true,
  replay_all: ['queued', 'more', 'next_since'],
  events: [['disbursement.success', true]],
  event_page: 1,
  hidden: false,
}

let world: LiveWorld
let receiver: Receiver

before(async () => {
  await requirePhp(['curl'])
  world = await startLiveWorld()
  receiver = await startReceiver()
})
after(async () => {
  await world.close()
  await receiver.close()
})

test('the PHP SDK calls the resources of the real server, and names each failure', async () => {
  const env = { MALIPO_URL: world.base_url, MALIPO_API_KEY: world.sandbox_key, RECEIVER_URL: receiver.url }
  const seen = JSON.parse(await outputOf('php', [`${FOLDER}journey.php`, AUTOLOAD], { env }))
  assert.deepEqual([seen.me.merchant_id, seen.me.environment], [world.merchant.id, 'sandbox'])
  const { paid, pages, payment_url, failures, mistakes, ...rest } = seen
  assert.deepEqual([paid.status, paid.amount, paid.currency, paid.reference], ['successful', 25000, 'TZS', 'ORDER-É1'])
  assert.match(payment_url, /\/pay\//)
  assert.deepEqual(pages.toSorted(), [100, 101, 102, 103])
  assert.deepEqual(rest, { ...rest, ...SEEN })
  assert.deepEqual(failures, [
    ['ValidationException', 'validation_failed', 400, false, true, ['amount', 'phone']],
    ['ValidationException', 'idempotency_key_reused', 422, false, true, []],
    ['NotFoundException', 'not_found', 404, false, true, []],
    ['AuthenticationException', 'invalid_api_key', 401, false, true, []],
    ['ConflictException', 'invalid_state', 409, false, true, []],
    ['ValidationException', 'validation_failed', 400, false, true, ['stauts']],
    ['NoAnswerException', 'no_answer', 0, false, false, []],
  ])
  const expected = [
    /^baseUrl must be the address/,
    /must not contain \/v1: use 'https:\/\/api\.example\.com'/,
    /^apiKey is missing: create a key in the dashboard/,
    /^apiKey contains a space, a line break/,
    /public identifier: pass a secret/,
    /^collectionId is missing/,
    /^collectionId is missing/,
    /^The input is no JSON/,
    /^Pass an array with names/,
    /^idempotencyKey must have 1 to 255/,
    /^timeout must be/,
  ]
  assert.equal(mistakes.length, expected.length)
  for (const [i, message] of expected.entries()) assert.match(mistakes[i], message)
})

test('the PHP SDK ends a call without another retry when Retry-After or its own pause would be longer than 20 seconds', async () => {
  const output = await outputOf('php', [`${FOLDER}waits.php`, AUTOLOAD, JSON.stringify(['20', '21', null])])
  // The seventh pause would be 20.48 seconds.
  assert.deepEqual(JSON.parse(output), [[20.07], [], [0.32, 0.64, 1.28, 2.56, 5.12, 10.24]])
})
