// Tests a provider that does not answer the status query about one payment or payout. The platform processes the callbacks
// about the other payments and payouts without delay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Provider } from '../src/adapters/providers/port.ts'
import { payoutReference } from '../src/money/withdrawals/index.ts'
import { createWorld } from './harness.ts'
import { A, gate, hint, statusOf, waitUntil, withPayoutWorld } from './payout-processes.ts'
import { newPayoutScript, payoutAnswers, scriptedProvider } from './payouts.ts'

const OTHERS = 20

/** Returns a provider that sends one status query per payment. */
function singly(provider: Provider): Provider {
  return { ...provider, capabilities: { ...provider.capabilities, asks_singly: 4 } }
}

test('the platform processes the callbacks of other payments while the provider does not answer the query about one payment', async () => {
  const hanging = Promise.withResolvers<Answer>()
  const queried: string[] = []
  let first = ''
  const provider: Provider = {
    ...singly(scriptedProvider(newPayoutScript())),
    status: (requests) =>
      Promise.all(
        requests.map(({ reference, amount_minor, currency }): Answer | Promise<Answer> => {
          queried.push(reference)
          if (reference === first) return hanging.promise
          return { kind: 'succeeded', amount_minor, currency, provider_status: 'COMPLETED' }
        }),
      ),
  }
  const world = await createWorld({ compose: { providers: [provider] } })
  try {
    const references: string[] = []
    for (let i = 0; i <= OTHERS; i++) {
      const reply = await world.post(
        '/v1/collections/wallet-push',
        { amount: '10', phone: '0754123456' },
        { key: world.live_key },
      )
      assert.equal(reply.status, 202, reply.text)
    }
    await world.system.driver.task.idle()
    for (const { reference } of await world.rows<{ reference: string }>(
      'select provider_reference as reference from collection_attempts order by collection_id',
    ))
      references.push(reference)
    first = references[0] as string
    const callback = (reference: string) => world.system.receive('mock', {}, Buffer.from(reference))
    const all = references.map(callback)
    const paid = async () => (await world.rows("select 1 from collections where status = 'successful'")).length
    await waitUntil(async () => (await paid()) === OTHERS)
    assert.equal(queried.filter((reference) => reference === first).length, 1)
    hanging.resolve({ kind: 'succeeded', amount_minor: 1_000n, currency: 'TZS', provider_status: 'COMPLETED' })
    await Promise.all(all)
    await waitUntil(async () => (await paid()) === OTHERS + 1)
  } finally {
    hanging.resolve({ kind: 'accepted', provider_status: null })
    await world.close()
  }
})

test('the platform processes the callbacks of other payouts while the provider does not answer the query about one payout', () =>
  withPayoutWorld(
    async (stage) => {
      const { hands, script, submitted, questions } = stage
      const keys = []
      for (let i = 0; i <= OTHERS; i++) {
        const key = await submitted()
        await hands.approve(key)
        keys.push(key)
      }
      await stage.world.system.payouts.task.idle()
      const [first, ...others] = keys as [(typeof keys)[0], ...typeof keys]
      const hanging = gate()
      script.status = ({ reference }) =>
        reference === payoutReference(first.id) ? hanging.answer : payoutAnswers.paid(A)
      const slow = hint(stage, first)
      const rest = others.map((key) => hint(stage, key))
      for (const key of others) await waitUntil(async () => (await statusOf(stage, key)) === 'SUCCESS')
      assert.equal(questions(first), 1)
      assert.equal(await statusOf(stage, first), 'PROCESSING')
      hanging.open(payoutAnswers.paid(A))
      await Promise.all([slow, ...rest])
      await waitUntil(async () => (await statusOf(stage, first)) === 'SUCCESS')
    },
    { adapt: singly },
  ))
