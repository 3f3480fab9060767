// Sends forged callbacks at a fixed rate over raw keep-alive sockets, one request at a time on each connection. This process
// builds its requests in advance, because it shares the machine with the server.

import { createHmac, randomBytes } from 'node:crypto'
import { createConnection, type Socket } from 'node:net'
import { serve } from './rpc.ts'

/** The settings of a flood: its target, its rate and its connections. */
export type FloodOptions = {
  port: number
  connections: number
  /**
   * The number of callbacks per second. If no connection is free, a due callback waits, and QUEUE_MAX_S limits the number that
   * wait.
   */
  rate: number
}

/** The progress of the flood: the responses by status, and the time of the monotonic clock in milliseconds. */
export type FloodProgress = { at: number; answered: number; by_status: Record<string, number> }

/** The functions that the flood process serves to the benchmark. */
export type FloodApi = {
  start(options: FloodOptions): void
  progress(): FloodProgress
  stop(): Promise<FloodProgress>
}

const TICK_MS = 1
/** The number of different bodies. With one body only, the server could cache its result. */
const TEXTS = 4_000
/**
 * The seconds of callbacks that may wait for a connection. Without this limit, a slow flood would later send a burst.
 */
const QUEUE_MAX_S = 0.05

const texts = Array.from({ length: TEXTS }, (_, n) => textOf(n))
let running: { progress(): FloodProgress; stop(): Promise<FloodProgress> } | null = null

serve({
  start(options: FloodOptions) {
    running = startFlood(options)
  },
  progress: () => (running as NonNullable<typeof running>).progress(),
  stop: () => (running as NonNullable<typeof running>).stop(),
} satisfies FloodApi)

/**
 * Makes a forged callback. In turn, the callbacks have no signature, a constant signature, and a signature by another secret.
 */
function textOf(n: number): string {
  const reference = `${randomBytes(20).toString('hex').toUpperCase().slice(0, 26)}01`
  const event_id = randomBytes(16).toString('hex')
  const body = JSON.stringify({ reference, status: 'COMPLETED', event_id, sent_at: new Date().toISOString() })
  const signatures = [null, 'f'.repeat(64), createHmac('sha256', 'a guess').update(body).digest('hex')]
  const signature = signatures[n % signatures.length]
  const header = signature === null ? '' : `X-Mock-Signature: ${signature}\r\n`
  return (
    `POST /callbacks/mock HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${header}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  )
}

function startFlood({ port, connections, rate }: FloodOptions) {
  const idle: Socket[] = []
  const all = new Set<Socket>()
  const by_status: Record<string, number> = {}
  let sent = 0
  let owed = 0
  let answered = 0
  let stopping = false
  let last = monotonicMs()

  const pump = () => {
    for (; owed >= 1 && idle.length > 0; owed--) idle.pop()?.write(texts[sent++ % TEXTS] as string, 'latin1')
  }
  const connect = () => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    let pending = ''
    all.add(socket)
    socket.on('connect', () => idle.push(socket))
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1')
      if (!isWhole(pending)) return
      const status = pending.slice(9, 12)
      pending = ''
      by_status[status] = (by_status[status] ?? 0) + 1
      answered++
      idle.push(socket)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      all.delete(socket)
      if (idle.includes(socket)) idle.splice(idle.indexOf(socket), 1)
      if (!stopping) setTimeout(() => stopping || connect(), 100)
    })
  }
  for (let i = 0; i < connections; i++) connect()
  const ticker = setInterval(() => {
    const now = monotonicMs()
    owed = Math.min(owed + ((now - last) / 1000) * rate, rate * QUEUE_MAX_S)
    last = now
    pump()
  }, TICK_MS)
  const progress = (): FloodProgress => ({ at: monotonicMs(), answered, by_status: { ...by_status } })
  return {
    progress,
    async stop() {
      stopping = true
      clearInterval(ticker)
      for (const socket of [...all]) socket.destroy()
      return progress()
    },
  }
}

/**
 * Returns true if the text contains a complete response. If the response has no Content-Length, the function assumes an empty
 * body.
 */
function isWhole(text: string): boolean {
  const head_end = text.indexOf('\r\n\r\n')
  if (head_end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head_end))?.[1]
  return text.length >= head_end + 4 + Number(length ?? 0)
}

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
