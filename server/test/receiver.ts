/**
 * Runs a merchant's webhook receiver on loopback. The receiver records requests, and the test chooses the responses.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A response. `until` delays a status. `drip` sends a byte every 50 ms. `endless` never stops. `reset` closes the connection.
 */
export type ReceiverReply =
  | { kind: 'status'; status: number; body?: string; headers?: Record<string, string>; until?: Promise<void> }
  | { kind: 'hang' | 'drip' | 'endless' | 'reset' }

/** A webhook request that the receiver recorded. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/** A server that records webhook requests and sends the response that the test chooses. */
export type Receiver = {
  url: string
  received: ReceivedRequest[]
  /** The response to all later requests. */
  reply: ReceiverReply
  /** The number of open requests, and the highest number so far. */
  open: number
  most_open: number
  /** Resolves when `count` requests have arrived in total. After WAIT_MS_MAX, throws an error. */
  waitFor(count: number): Promise<void>
  /** Resolves when no request is open. After WAIT_MS_MAX, throws an error. */
  waitClosed(): Promise<void>
  close(): Promise<void>
}

/** This time in milliseconds only ends a test that hangs, because the machine may be busy. */
const WAIT_MS_MAX = 30_000

/** Starts a receiver that answers 200 unless the test chooses another response. */
export async function startReceiver(): Promise<Receiver> {
  const timers = new Set<NodeJS.Timeout>()
  const server = createServer((request, response) => {
    receiver.open++
    receiver.most_open = Math.max(receiver.most_open, receiver.open)
    response.once('close', () => receiver.open--)
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      receiver.received.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      })
      answer(response, receiver.reply, timers)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received: [],
    reply: { kind: 'status', status: 200, body: 'ok' },
    open: 0,
    most_open: 0,
    async waitFor(count) {
      const end = Date.now() + WAIT_MS_MAX
      while (receiver.received.length < count) {
        if (Date.now() > end) throw new Error(`${receiver.received.length} of ${count} requests arrived`)
        await new Promise((done) => setTimeout(done, 5))
      }
    },
    async waitClosed() {
      const end = Date.now() + WAIT_MS_MAX
      while (receiver.open > 0) {
        if (Date.now() > end) throw new Error(`${receiver.open} requests are still open`)
        await new Promise((done) => setTimeout(done, 5))
      }
    },
    async close() {
      for (const timer of timers) clearInterval(timer)
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
  return receiver
}

function answer(response: ServerResponse, reply: ReceiverReply, timers: Set<NodeJS.Timeout>): void {
  switch (reply.kind) {
    case 'status':
      void Promise.resolve(reply.until).then(() => {
        response.writeHead(reply.status, reply.headers ?? {}).end(reply.body ?? '')
      })
      return
    case 'hang':
      return
    case 'reset':
      response.destroy()
      return
    case 'drip':
      response.writeHead(200)
      every(50, response, timers, () => response.write('.'))
      return
    case 'endless':
      response.writeHead(200)
      every(1, response, timers, () => response.write('x'.repeat(16_384)))
  }
}

function every(ms: number, response: ServerResponse, timers: Set<NodeJS.Timeout>, run: () => void): void {
  const timer = setInterval(run, ms)
  timers.add(timer)
  response.once('close', () => {
    clearInterval(timer)
    timers.delete(timer)
  })
}
