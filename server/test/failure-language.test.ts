// Tests the language of the sentence about a failure, in status answers and events.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import {
  FAILURE_REASONS,
  FAILURE_REASONS_SW,
  PAYOUT_FAILURES,
  PAYOUT_FAILURES_SW,
} from '../src/adapters/providers/port.ts'
import { createWorld, type World } from './harness.ts'
import { fund } from './withdrawals.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' } })
})
after(() => world.close())

const ENGLISH: (string | undefined)[] = [undefined, 'en', 'fr', 'en-TZ, sw;q=0.5', 'sw;q=0', '*', ';;q=x,']
const SWAHILI = ['sw', 'sw-TZ', 'fr, sw;q=0.8, en;q=0.7', 'en;q=0.1,sw;q=0.2', 'SW']

async function assertLanguages(
  url: string,
  sentences: { en: string; sw: string },
  read: (data: never) => { failure_reason_message: string; failure_reason_message_sw: string },
  key: string | null = world.sandbox_key,
) {
  for (const [accepts, language] of [
    [ENGLISH, 'en'],
    [SWAHILI, 'sw'],
  ] as const) {
    for (const accept of accepts) {
      const headers = accept === undefined ? {} : { 'accept-language': accept }
      const reply = await world.call({ method: 'GET', url, key, headers })
      assert.equal(reply.status, 200, reply.text)
      const shown = read(reply.body.data as never)
      assert.equal(shown.failure_reason_message, sentences[language], `${url} ${accept}`)
      assert.equal(shown.failure_reason_message_sw, sentences.sw)
    }
  }
}
const same = (data: never) => data
const first = ({ items }: { items: never[] }) => items[0] as never

test('the record of a failed payment explains the failure in the requested language, and the event explains the failure in both languages', async () => {
  await world.call({
    method: 'PATCH',
    url: '/v1/merchant/webhook-config',
    payload: { webhook_url: 'http://127.0.0.1:9/hook' },
  })
  const body = { amount: '500', phone: '0754123001', simulate_status: 'failed' }
  const { collection_id } = (await world.post('/v1/collections/wallet-push', body)).body.data
  await world.work()
  const [code] = (await world.rows<{ code: keyof typeof FAILURE_REASONS }>(
    'select failure_reason_code as code from collections where id = $1',
    [collection_id],
  )) as [{ code: keyof typeof FAILURE_REASONS }]
  const sentences = { en: FAILURE_REASONS[code.code], sw: FAILURE_REASONS_SW[code.code] }
  await assertLanguages(`/v1/collections/${collection_id}`, sentences, same)
  await assertLanguages('/v1/collections?status=failed', sentences, first)
  const refreshed = await world.call({
    method: 'POST',
    url: `/v1/collections/${collection_id}/refresh-status`,
    headers: { 'accept-language': 'sw' },
  })
  assert.equal(refreshed.body.data.failure_reason_message, sentences.sw)
  const [event] = await world.rows<{ body: string }>('select body from webhook_deliveries where source_id = $1', [
    collection_id,
  ])
  const { failure_reason_message, failure_reason_message_sw } = JSON.parse(String(event?.body))
  assert.deepEqual([failure_reason_message, failure_reason_message_sw], [sentences.en, sentences.sw])
})

test('a payer reads why the payment of a link failed, in the language that the browser requests', async () => {
  const link = (await world.post('/v1/payment-links', { amount: '500' })).body.data
  const paid = await world.call({
    method: 'POST',
    url: `/public/payment-links/${link.public_slug}/collect`,
    key: null,
    idempotency_key: randomUUID(),
    payload: { method: 'WALLET_PUSH', customer_phone: '0754123003' },
  })
  await world.work()
  const { collection_id } = paid.body.data
  const { failure_reason_code } = (await world.get(`/v1/collections/${collection_id}`)).body.data
  const code = failure_reason_code as keyof typeof FAILURE_REASONS
  const sentences = { en: FAILURE_REASONS[code], sw: FAILURE_REASONS_SW[code] }
  const status = `/public/payment-links/${link.public_slug}/collections/${collection_id}/status`
  await assertLanguages(status, sentences, same, null)
  await assertLanguages(`/v1/payment-links/${link.id}/collections`, sentences, first)
})

test('the record of a failed payout explains the failure in the requested language', async () => {
  await fund(world, { amount: '100000' })
  const body = { amount: '1000', destination_identifier: '0754123001', destination_code: 'MPESA' }
  const { id } = (await world.post('/v1/disbursements/mobile-money', body)).body.data
  await world.post(`/v1/sandbox/disbursements/${id}/simulate`, { outcome: 'FAILED' })
  await world.work()
  const { failure_reason_code } = (await world.get(`/v1/disbursements/${id}`)).body.data
  const code = failure_reason_code as keyof typeof PAYOUT_FAILURES
  const sentences = { en: PAYOUT_FAILURES[code], sw: PAYOUT_FAILURES_SW[code] }
  await assertLanguages(`/v1/disbursements/${id}`, sentences, same)
  await assertLanguages('/v1/disbursements?status=FAILED', sentences, first)
})

test('each failure reason has its own Swahili sentence', () => {
  for (const [english, swahili] of [
    [FAILURE_REASONS, FAILURE_REASONS_SW],
    [PAYOUT_FAILURES, PAYOUT_FAILURES_SW],
  ] as const) {
    assert.deepEqual(Object.keys(swahili), Object.keys(english))
    const sentences = Object.values(swahili)
    assert.equal(new Set(sentences).size, sentences.length)
    for (const sentence of sentences) assert.ok(!Object.values(english).includes(sentence as never), sentence)
  }
})
