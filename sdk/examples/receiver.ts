// Receives webhooks as an example for merchants: verifies each delivery and prints the event. WEBHOOK_SECRET is the signing
// secret. RECEIVER_PORT is the port of the receiver (default 9090).

import { createServer } from 'node:http'
import { verifyWebhook } from '../typescript/src/index.ts'

const secret = process.env.WEBHOOK_SECRET ?? ''
const port = Number(process.env.RECEIVER_PORT ?? '9090')
if (secret === '') {
  console.error('Set WEBHOOK_SECRET to the signing secret that PATCH /v1/merchant/webhook-config answered with.')
  process.exit(1)
}

/**
 * The ids of the deliveries that have arrived. The server can send a delivery more than once, so a real receiver stores the ids
 * in its database.
 */
const seen = new Set<string>()

createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', async () => {
    try {
      // The signature covers the raw bytes. If a program parses and serialises the JSON again, the signature no longer matches.
      const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret })
      const id = String(request.headers['webhook-id'])
      const again = seen.has(id) ? ' (again)' : ''
      seen.add(id)
      const reference = event.reference === null ? '' : ` ${event.reference}`
      console.log(`signature ok: ${event.event} ${event.amount} ${event.currency}${reference}${again}`)
      response.writeHead(200).end('ok')
    } catch (error) {
      console.log(`refused: ${(error as Error).message}`)
      response.writeHead(401).end('bad signature')
    }
  })
}).listen(port, '127.0.0.1', () => console.log(`receiver listens on http://127.0.0.1:${port}`))
