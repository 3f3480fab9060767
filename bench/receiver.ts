// Serves the webhook endpoints of the merchants for the benchmark. This process counts deliveries by id, and verifies a sample
// of the signatures. It uses raw sockets, because it shares the machine with the server.

import { createHmac } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { serve, tellParent } from './rpc.ts'

/**
 * The deliveries since the last `take`. The webhook about record `ids[i]` arrived at `at[i]`, in milliseconds of the monotonic
 * clock.
 */
export type Taken = {
  ids: string[]
  at: Float64Array
  repeats: number
  verified: number
  forged: number
  unreadable: number
}

/** The functions that the receiver process serves to the benchmark. */
export type ReceiverApi = {
  listen(): Promise<number>
  /** Sets the signing secret of each merchant. The endpoint of merchant i is /i. */
  secrets(secrets: string[]): void
  count(): { at: number; distinct: number }
  take(): Taken
}

const TELL_EVERY_MS = 10
/** The receiver verifies every 32nd delivery, because it shares the machine with the server. */
const SAMPLE = 32
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
/** Matches the id of the payment or payout in an event. */
const ID = /"(?:collection|disbursement)_id":"([^"]{36})"/
const ENDED_WELL = /"status":"(?:successful|SUCCESS)"/

const seen = new Set<string>()
let secrets: string[] = []
let last_reported = 0
let taken = fresh()

function fresh() {
  return { ids: [] as string[], at: [] as number[], repeats: 0, verified: 0, forged: 0, unreadable: 0 }
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

serve({
  listen: () =>
    new Promise((resolve) => {
      const server = createServer({ noDelay: true }, accept)
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
      setInterval(() => {
        if (seen.size === last_reported) return
        last_reported = seen.size
        tellParent(last_reported)
      }, TELL_EVERY_MS)
    }),
  secrets(given) {
    secrets = given
  },
  count: () => ({ at: monotonicMs(), distinct: seen.size }),
  take() {
    const result = { ...taken, at: Float64Array.from(taken.at) }
    taken = fresh()
    return result
  },
} satisfies ReceiverApi)

function accept(socket: Socket): void {
  let pending = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    // The events of the benchmark contain only ASCII, so each character is one byte.
    pending += chunk.toString('latin1')
    for (;;) {
      const head_end = pending.indexOf('\r\n\r\n')
      if (head_end < 0) return
      const head = pending.slice(0, head_end)
      const body_start = head_end + 4
      const body_end = body_start + Number(headerOf(head, 'content-length') ?? 0)
      if (pending.length < body_end) return
      take(head, pending.slice(body_start, body_end))
      pending = pending.slice(body_end)
      socket.write(OK, 'latin1')
    }
  })
}

function take(head: string, body: string): void {
  const delivery_id = headerOf(head, 'webhook-id')
  const id = ID.exec(body)?.[1]
  if (delivery_id === null || id === undefined || !ENDED_WELL.test(body)) {
    taken.unreadable++
    return
  }
  if (seen.has(delivery_id)) {
    taken.repeats++
    return
  }
  seen.add(delivery_id)
  taken.ids.push(id)
  taken.at.push(monotonicMs())
  if (seen.size % SAMPLE !== 0) return
  taken.verified++
  if (!isSigned(head, body, delivery_id)) taken.forged++
}

/** Verifies the Standard Webhooks signature with the secret of the merchant in the path. */
function isSigned(head: string, body: string, delivery_id: string): boolean {
  const merchant = /^POST \/(\d+) /.exec(head)?.[1]
  const secret = secrets[Number(merchant ?? -1)]
  if (secret === undefined) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signed = `${delivery_id}.${headerOf(head, 'webhook-timestamp')}.${body}`
  return headerOf(head, 'webhook-signature') === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

function headerOf(head: string, name: string): string | null {
  const at = head.indexOf(`\r\n${name}: `)
  if (at < 0) return null
  const start = at + name.length + 4
  const end = head.indexOf('\r\n', start)
  return head.slice(start, end < 0 ? head.length : end)
}
