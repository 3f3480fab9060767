// Tests the refresh of a status with an Idempotency-Key.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const PUSH = '/v1/collections/wallet-push'

async function push(idempotency_key: string): Promise<string> {
  const reply = await world.post(PUSH, { amount: '10', phone: '0754123001' }, { idempotency_key })
  return `/v1/collections/${reply.body.data.collection_id}/refresh-status`
}
const refresh = (url: string, idempotency_key: string | null, key = world.sandbox_key) =>
  world.call({ method: 'POST', url, key, idempotency_key })

test('the endpoint refresh-status replays its stored answer for the same Idempotency-Key, even if the payment changed since', async () => {
  const { collection_id } = (await world.post(PUSH, { amount: '10', phone: '0754123007' })).body.data
  const url = `/v1/collections/${collection_id}/refresh-status`
  const first = await refresh(url, 'refresh-1')
  assert.equal(first.status, 200)
  assert.equal(first.body.data.status, 'processing')
  world.deps.clock.advance(73 * 3_600_000)
  await world.work()
  const again = await refresh(url, 'refresh-1')
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal((await refresh(url, 'refresh-2')).body.data.status, 'failed')
  assert.equal((await refresh(url, null)).body.data.status, 'failed')
})

test('the endpoint refresh-status refuses a malformed key and the key of another request, and does not store the key of a refused request', async () => {
  const url = await push('the-payment')
  assert.deepEqual(codeOf(await refresh(url, 'the-payment')), [422, 'idempotency_key_reused'])
  assert.deepEqual(codeOf(await refresh(url, 'not ascii é')), [400, 'idempotency_key_required'])
  const nowhere = '/v1/collections/019b8d62-7a80-8fcd-b985-e7aff1551b15/refresh-status'
  assert.deepEqual(codeOf(await refresh(nowhere, 'free')), [404, 'not_found'])
  assert.equal((await refresh(url, 'free')).status, 200)
})

test('concurrent refreshes of a payment with one Idempotency-Key get the same answer, or 409', async () => {
  const url = await push('another-payment')
  const replies = await Promise.all([1, 2, 3, 4].map(() => refresh(url, 'at-once')))
  for (const reply of replies) {
    if (reply.status === 409) assert.equal(reply.body.error.code, 'idempotency_in_progress')
    else assert.equal(reply.status, 200)
  }
  const answers = new Set(replies.filter((reply) => reply.status === 200).map((reply) => reply.text))
  assert.equal(answers.size, 1)
})
