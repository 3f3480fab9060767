// Tests that webhooks use the network only through the options of `compose`, and that a provider without an adapter stops the
// start.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Outgoing } from '../src/kernel/http/index.ts'
import { compose } from '../src/system.ts'
import { createWorld, type World } from './harness.ts'

const looked_up: string[] = []
const sent: string[] = []
const outgoing: Outgoing = {
  post: async (url) => {
    sent.push(url)
    return { status_code: 200, response_body: 'ok', error: null }
  },
  close: async () => {},
}

let world: World
before(async () => {
  world = await createWorld({
    env: { WEBHOOK_ALLOW_PRIVATE: 'false' },
    compose: {
      outgoing,
      lookup: async (name) => {
        looked_up.push(name)
        return [{ address: '93.184.216.34', family: 4 }]
      },
    },
  })
})
after(() => world.close())

test('the platform sends webhooks with the HTTP client and the name lookup from the options of compose', async () => {
  const webhook_url = 'https://shop.test/hook'
  const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: { webhook_url } })
  assert.equal(saved.status, 200, saved.text)
  assert.deepEqual(looked_up, ['shop.test'])
  await world.post('/v1/collections/wallet-push', { amount: 10, phone: '0754123001' })
  await world.work()
  assert.deepEqual(sent, [webhook_url])
})

test('the server does not start when a configured provider has no adapter', async () => {
  const config = { ...world.deps.config, provider: 'nobody' as 'mock' }
  await assert.rejects(compose({ ...world.deps, config }), /PROVIDER nobody has no adapter/)
})
