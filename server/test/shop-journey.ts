// Runs the journey of a customer through an example shop, for the tests of the shops.

import assert from 'node:assert/strict'
import { type LiveWorld, until } from './programs.ts'

/** The phone of a payer whose payment succeeds, and of a payer whose payment the provider reverses afterwards. */
const PHONE_PAYS = '0754123001'
const PHONE_REVERSES = '0754123012'

/** A running shop: its address, and a function that returns its log. */
export type ExampleShop = { url: string; log(): Promise<string> | string }

/** Registers the webhook address of a shop, and returns the signing secret. */
export async function registerShop(world: LiveWorld, shop_url: string): Promise<string> {
  const endpoint = await world.post('/v1/merchant/webhook-endpoints', {
    webhook_url: `${shop_url}/webhooks/malipo`,
    events: ['collection.success', 'collection.failed', 'collection.reversed'],
  })
  assert.equal(endpoint.status, 201)
  return endpoint.body.data.secret
}

/**
 * A customer pays, and the shop ships once. The provider reverses another payment, and the shop puts the order on hold. A
 * forged webhook changes nothing.
 */
export async function buyInShop(world: LiveWorld, { url, log }: ExampleShop): Promise<void> {
  const statusOf = async (order_url: string) => (await fetch(order_url)).text()
  const order = await buy(world, url, PHONE_PAYS)
  await until(async () => (await statusOf(order)) === 'Order paid')
  // The shop answers before the server has stored the result of the delivery.
  const delivered = async (): Promise<{ id: string }[]> =>
    (await world.get('/v1/merchant/webhook-deliveries?status=delivered')).body.data.items
  await until(async () => (await delivered()).length > 0)
  const all = await delivered()
  assert.equal(all.length, 1)
  for (const { id } of all) {
    assert.equal((await world.post(`/v1/merchant/webhook-deliveries/${id}/replay`, {})).status, 202)
    await until(async () => {
      const delivery = await world.get(`/v1/merchant/webhook-deliveries/${id}`)
      return delivery.body.data.attempts.length === 2
    })
  }
  assert.equal((await log()).split('Ship ORDER-1').length - 1, 1, 'the shop ships once')

  const reversed = await buy(world, url, PHONE_REVERSES)
  await until(async () => (await statusOf(reversed)) === 'Order on hold')
  assert.equal(await statusOf(order), 'Order paid')

  const pending = await buy(world, url, null)
  const forgery = JSON.stringify({
    event: 'collection.success',
    collection_id: 'x',
    reference: 'ORDER-3',
    amount: '25000.00',
    currency: 'TZS',
  })
  const forged = await fetch(`${url}/webhooks/malipo`, { method: 'POST', body: forgery })
  assert.equal(forged.status, 401)
  assert.equal(await statusOf(pending), 'Order pending')
}

/**
 * Places an order, and pays it on the hosted page by a phone. If `phone` is null, leaves the order unpaid. Returns the address
 * of the order.
 */
async function buy(world: LiveWorld, shop_url: string, phone: string | null): Promise<string> {
  const page = await fetch(shop_url)
  const cookie = page.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ')
  const [, token = ''] = /name="_token" value="([^"]+)"/.exec(await page.text()) ?? []
  const body = new URLSearchParams({ _token: token })
  const order = await fetch(`${shop_url}/orders`, { method: 'POST', headers: { cookie }, body, redirect: 'manual' })
  const payment_url = order.headers.get('location') ?? ''
  const [, slug = ''] = /\/pay\/([^/?]+)$/.exec(payment_url) ?? assert.fail(`no hosted page: ${payment_url}`)
  if (phone === null) return `${shop_url}/orders/3`
  const paid = await fetch(`${world.base_url}/public/payment-links/${slug}/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': slug },
    body: JSON.stringify({ method: 'WALLET_PUSH', customer_phone: phone }),
  })
  assert.equal(paid.status, 202)
  // After the payment, the hosted page contains the link back to the shop.
  let back = ''
  await until(async () => {
    const shown = await (await fetch(payment_url)).text()
    back = new RegExp(`${shop_url}/orders/\\d+`).exec(shown)?.[0] ?? ''
    return back !== ''
  })
  return back
}
