// Runs a gateway that reveals secrets. In one mode, the gateway adds a PIN to the twin's JSON responses. In the other mode, the
// gateway answers itself, and its text fields contain the request or the PIN.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The mode of the gateway. Either the gateway forwards the request, or it repeats the request under this HTTP status, as an
 * envelope or as a page.
 */
export type GatewayMode = { kind: 'passes' } | { kind: 'tells'; status: number; as: 'envelope' | 'page' }

/** A running gateway. Requests that open a session ignore the mode. */
export type RevealingGateway = {
  url: string
  mood: GatewayMode
  /** The credentials in use: authorization headers, and sessions that the twin issued. */
  credentials: Set<string>
  revealed: number
  close(): Promise<void>
}

/** Starts the gateway in front of `target`. `pin` is the PIN that the gateway reveals. */
export async function startRevealingGateway(target: string, pin: string): Promise<RevealingGateway> {
  const { origin, pathname } = new URL(target)
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method = 'GET', url = '/', headers } = request
    if (headers.authorization) gateway.credentials.add(headers.authorization.replace(/^\w+ /, ''))
    const opens = url.includes('getSession')
    if (gateway.mood.kind === 'tells' && !opens) {
      gateway.revealed++
      const sent = JSON.stringify({ pin, url, headers, body: body.toString() })
      const text = gateway.mood.as === 'page' ? `<html>${sent}</html>` : envelope(sent, pin)
      response.writeHead(gateway.mood.status, { 'content-type': 'application/json' }).end(text)
      return
    }
    const { host: _, connection: __, 'content-length': ___, ...passed } = headers as Record<string, string>
    const answer = await fetch(origin + url, { method, headers: passed, ...(method === 'GET' ? {} : { body }) })
    const text = await answer.text()
    const session = opens ? /"output_SessionID":"([^"]+)"/.exec(text)?.[1] : undefined
    if (session !== undefined) gateway.credentials.add(session)
    const json = answer.headers.get('content-type')?.includes('json')
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(json ? withPin(text, pin) : text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const gateway: RevealingGateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    mood: { kind: 'passes' },
    credentials: new Set(),
    revealed: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return gateway
}

/** Returns a failure in the envelopes of both gateways. Nearly every text contains the request, the PIN or both. */
function envelope(sent: string, pin: string): string {
  const word = `FAIL {"pin":"${pin}"} pin=${pin}`
  return JSON.stringify({
    transid: sent,
    reference: `{"pin":"${pin}"}`,
    resultcode: '400',
    result: word,
    message: sent,
    data: [{ pin, sent, payment_status: word }],
    output_ResponseCode: 'INS-6',
    output_ResponseDesc: `{"pin":"${pin}"} ${sent}`,
    output_TransactionID: `{"pin":"${pin}"}`,
    output_ConversationID: sent,
    output_ThirdPartyConversationID: sent,
    output_ResponseTransactionStatus: word,
    pin,
  })
}

function withPin(text: string, pin: string): string {
  const content = JSON.parse(text) as Record<string, unknown>
  const data = Array.isArray(content.data) ? { data: content.data.map((row) => ({ ...row, pin })) } : {}
  return JSON.stringify({ ...content, ...data, pin, customer: { mpin: pin, otp: pin } })
}
