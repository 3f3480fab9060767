// A shop with one product: the customer pays on the hosted page, and only a verified webhook marks the order as paid.

import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { Malipo, unknownEventNotice, verifyWebhook, WebhookSignatureError } from '@malipo/sdk'
import express from 'express'

const { PORT = '3000', SHOP_URL = `http://127.0.0.1:${PORT}`, DATABASE = 'shop.db' } = process.env
const { MALIPO_URL, MALIPO_API_KEY, MALIPO_WEBHOOK_SECRET } = process.env
const PRICE = '25000.00'
const malipo = new Malipo({ apiKey: MALIPO_API_KEY, baseUrl: MALIPO_URL })
const db = new DatabaseSync(DATABASE)
db.exec('create table if not exists orders (id text primary key, amount text, status text, collection_id text)')

const app = express()

app.get('/', (_request, response) => {
  response.send(`<form method="post" action="/orders">Kanga: TZS ${PRICE} <button>Lipa / Pay</button></form>`)
})

app.post('/orders', async (_request, response) => {
  // The order exists before the payment, so that a webhook always finds the order.
  const id = randomUUID()
  db.prepare("insert into orders (id, amount, status) values (?, ?, 'pending')").run(id, PRICE)
  const payment = await malipo.collections.create(
    { amount: PRICE, reference: id, redirect_url: `${SHOP_URL}/orders/${id}`, cancel_url: SHOP_URL },
    { idempotencyKey: id },
  )
  db.prepare('update orders set collection_id = ? where id = ?').run(payment.collection_id, id)
  response.redirect(303, payment.payment_url)
})

// The return of the customer is no proof of a payment, so this page shows the status that the webhooks have set.
app.get('/orders/:id', (request, response) => {
  const order = db.prepare('select status from orders where id = ?').get(request.params.id)
  response.status(order ? 200 : 404).send(order ? `Order ${order.status}` : 'No such order')
})

// The signature covers the raw body, so no JSON parser may run before express.raw.
app.post('/webhooks/malipo', express.raw({ type: '*/*' }), async (request, response) => {
  try {
    const secret = MALIPO_WEBHOOK_SECRET
    const event = await verifyWebhook({ body: request.body, headers: request.headers, secret })
    const is_rehearsal = event.test || Boolean(event.sandbox) !== (malipo.environment === 'sandbox')
    if (!is_rehearsal) applyEvent(event)
    response.send('ok')
  } catch (error) {
    if (!(error instanceof WebhookSignatureError)) throw error
    response.status(401).send(error.message)
  }
})

function applyEvent(event) {
  const change = (from, to) => {
    const ours = 'id = ? and amount = ? and (collection_id is null or collection_id = ?) and status in'
    const statement = db.prepare(`update orders set status = '${to}' where ${ours} ${from}`)
    return statement.run(event.reference, event.amount, event.collection_id).changes === 1
  }
  // Only one delivery can change the status, so a repeated delivery ships nothing.
  if (event.event === 'collection.success') {
    if (change("('pending')", 'paid')) console.log(`Ship order ${event.reference}`)
  } else if (event.event === 'collection.reversed') change("('pending', 'paid')", 'on hold')
  else console.log(unknownEventNotice(event) ?? `Nothing to do for ${event.event}`)
}

app.listen(Number(PORT), '127.0.0.1', () => console.log(`The shop is open: ${SHOP_URL}`))
