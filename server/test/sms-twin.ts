/** Runs a twin of Africa's Talking on loopback for tests. The twin records SMS, and the test chooses the responses. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An SMS that the twin received. Null in `from` means that the request had no sender. */
export type ReceivedSms = { to: string; text: string; from: string | null; username: string; content_type: string }

/** A response: a status code about one recipient, any other response, no response, or a closed connection. */
export type SmsReply =
  | { kind: 'recipient'; code: number; status: string }
  | { kind: 'raw'; http: number; body: string; headers?: Record<string, string> }
  | { kind: 'hang' }
  | { kind: 'drop' }

/** A running twin of Africa's Talking. */
export type SmsTwin = {
  url: string
  api_key: string
  /** Every request with the right API key, oldest first, whatever the response was. */
  sms: ReceivedSms[]
  reply: SmsReply
  /** Resolves when `count` SMS have arrived in total. After five seconds, throws an error. */
  waitFor(count: number): Promise<void>
  close(): Promise<void>
}

/** The default response, with which the twin accepts the SMS. */
export const TAKES: SmsReply = { kind: 'recipient', code: 101, status: 'Success' }

/** Starts a twin of Africa's Talking on a free port of loopback. */
export async function startSmsTwin(): Promise<SmsTwin> {
  const api_key = 'atsk_twin_key'
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const json = (http: number, body: string, headers = {}) =>
        response.writeHead(http, { 'content-type': 'application/json', ...headers }).end(body)
      if (request.url !== '/version1/messaging' || request.method !== 'POST') return json(404, 'no such page')
      if (request.headers.apikey !== api_key) return json(401, 'The supplied authentication is invalid')
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
      twin.sms.push({
        to: form.get('to') ?? '',
        text: form.get('message') ?? '',
        from: form.get('from'),
        username: form.get('username') ?? '',
        content_type: request.headers['content-type'] ?? '',
      })
      const { reply } = twin
      if (reply.kind === 'hang') return
      if (reply.kind === 'drop') return request.socket.destroy()
      if (reply.kind === 'raw') return json(reply.http, reply.body, reply.headers)
      json(201, recipientAnswer(reply.code, reply.status, form.get('to') ?? ''))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const twin: SmsTwin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    api_key,
    sms: [],
    reply: TAKES,
    async waitFor(count) {
      const end = Date.now() + 5_000
      while (twin.sms.length < count) {
        if (Date.now() > end) throw new Error(`${twin.sms.length} of ${count} SMS arrived`)
        await new Promise((done) => setTimeout(done, 5))
      }
    },
    async close() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
  return twin
}

function recipientAnswer(statusCode: number, status: string, number: string): string {
  const taken = statusCode < 200
  const recipient = { statusCode, number, status, cost: 'TZS 22.0000', messageId: taken ? 'ATXid_4711' : 'None' }
  const Message = `Sent to ${taken ? 1 : 0}/1 Total Cost: TZS 22.0000`
  return JSON.stringify({ SMSMessageData: { Message, Recipients: [recipient] } })
}
