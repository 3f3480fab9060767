// Tests the pages of payments that a provider took in another currency and then returned.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorld } from '../../../test/harness.ts'
import { readPdf } from '../../../test/read-pdf.ts'
import type { Answer } from '../../adapters/providers/port.ts'
import { LANGUAGES, showAmount, showTime } from '../../kernel/lib/index.ts'

const REQUESTED = showAmount(2_500_000n)
const TAKEN = showAmount(1_050n, 'USD')

for (const kind of ['hosted page', 'payment link'] as const) {
  test(`the page of a ${kind} shows the amount and the time of money that the provider returned in another currency`, async () => {
    const world = await createWorld()
    const look = (url: string) => world.call({ method: 'GET', url, key: null })
    try {
      const path = kind === 'hosted page' ? '/v1/collections' : '/v1/payment-links'
      const made = await world.post(path, { amount: '25000.00', reference: 'ORDER-8' }, { key: world.live_key })
      assert.ok(made.status < 300, made.text)
      const { payment_url, public_slug } = made.body.data
      const slug = public_slug ?? String(payment_url).split('/pay/')[1]
      const body = { method: 'WALLET_PUSH', customer_phone: '0754123007' }
      const started = await world.post(`/public/payment-links/${slug}/collect`, body, { key: null })
      const { collection_id } = started.body.data
      await world.work()
      const taken_at = world.deps.clock.now()
      const say = async (kind: 'succeeded' | 'reversed', status: string) => {
        const answer: Answer = { kind, amount_minor: 1_050n, currency: 'USD', provider_status: kind }
        await world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number: 1, answer })
        const { body } = await world.get(`/v1/collections/${collection_id}`, world.live_key)
        assert.equal(body.data.status, status)
      }
      await say('succeeded', 'pending_clearance')
      world.deps.clock.advance(3 * 3_600_000)
      await say('reversed', 'reversed')

      for (const language of LANGUAGES) {
        const addresses = [`/pay/${slug}/c/${collection_id}`, `/pay/${slug}/c/${collection_id}/receipt`]
        if (kind === 'hosted page') addresses.push(`/pay/${slug}`)
        for (const address of addresses) {
          const page = await look(`${address}?lang=${language}`)
          assert.equal(page.status, 200, page.text)
          assert.ok(page.text.includes(TAKEN), `${address} says ${TAKEN}`)
          assert.ok(!page.text.includes(REQUESTED), `${address} does not say that ${REQUESTED} was paid`)
          assert.ok(page.text.includes(showTime(taken_at, language)), `${address} says when`)
        }
      }
      const pdf = await look(`/pay/${slug}/c/${collection_id}/receipt.pdf?lang=en`)
      assert.equal(pdf.status, 200)
      const text = readPdf(pdf.bytes)
        .pages.flatMap(({ texts }) => texts.map((of) => of.text))
        .join(' ')
      assert.match(text, /USD\s10\.50/)
      assert.doesNotMatch(text, /25,000/)
    } finally {
      await world.close()
    }
  })
}
