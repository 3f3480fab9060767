// Sends requests at a fixed rate and repeats no request, over a balancer that follows /readyz, or over HAProxy.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer as readBuffer, text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, Pool } from 'undici'
import { type Ack, orderOf } from './load.ts'
import { until } from './processes.ts'
import { type Shop, seededRandom } from './rig.ts'

type SentRequest = {
  method: Dispatcher.HttpMethod
  path: string
  headers: Record<string, string> | IncomingHttpHeaders
  body?: string | Buffer
}
type SentAnswer = { status: number; headers: IncomingHttpHeaders; text: string }

/** Sends each request once, to one server. If the connection breaks, throws an error. */
type Sender = { send(request: SentRequest): Promise<SentAnswer>; close(): Promise<void> }

/** A sender over a load balancer. `usesAll` resolves with true if the balancer sends requests to every server. */
export type Balancer = Sender & { usesAll(): Promise<boolean> }

const CHECK_EVERY_MS = 50
/**
 * The longest time of a check. A server whose check takes longer gets no requests while another server is ready, as behind a
 * real balancer.
 */
const CHECK_MS_MAX = 300
const CONNECTIONS = 64

/** Sends every request to one address. */
function createSender(url: string): Sender {
  const pool = new Pool(url, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: 10_000 },
    headersTimeout: 30_000,
  })
  return {
    async send(request) {
      const answer = await pool.request(request)
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
    },
    close: () => pool.destroy(),
  }
}

/** Sends each request to one of the servers that last answered 200 on /readyz, in turn. */
export function createBalancer(urls: readonly string[]): Balancer {
  const servers = urls.map((url) => ({
    url,
    sender: createSender(url),
    ready: true,
    asked_at: Number.POSITIVE_INFINITY,
  }))
  let running = true
  let next = 0
  const watch = async (server: (typeof servers)[number]) => {
    while (running) {
      server.asked_at = performance.now()
      server.ready = await fetch(`${server.url}/readyz`).then(
        (answer) => answer.status === 200,
        () => false,
      )
      server.asked_at = Number.POSITIVE_INFINITY
      await sleep(CHECK_EVERY_MS)
    }
  }
  const watches = servers.map(watch)
  return {
    async send(request) {
      const ready = servers.filter((server) => server.ready)
      const quick = ready.filter((server) => performance.now() - server.asked_at < CHECK_MS_MAX)
      const chosen = (quick.length > 0 ? quick : ready)[next++ % (quick.length || ready.length)]
      if (chosen === undefined) throw new Error('no server is ready')
      return chosen.sender.send(request)
    },
    usesAll: async () => servers.every((server) => server.ready),
    async close() {
      running = false
      await Promise.all(watches)
      await Promise.all(servers.map(({ sender }) => sender.close()))
    },
  }
}

/** Headers of one connection, which the balancer makes anew for the connection to the server. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect']

/** Listens on `port` and sends each request to a balancer. A request whose connection breaks gets 502, as behind a real balancer. */
export async function serveBalancer(port: number, balancer: Balancer): Promise<Pick<Balancer, 'usesAll' | 'close'>> {
  const without = (headers: IncomingHttpHeaders) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)))
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    try {
      const body = await readBuffer(request)
      const sent = { method: method as Dispatcher.HttpMethod, path, headers: without(headers) }
      const answer = await balancer.send(body.length > 0 ? { ...sent, body } : sent)
      response.writeHead(answer.status, without(answer.headers)).end(answer.text)
    } catch {
      response.writeHead(502).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    usesAll: balancer.usesAll,
    async close() {
      server.close()
      server.closeAllConnections()
      await balancer.close()
    },
  }
}

/**
 * Starts HAProxy on `port` in front of the servers, and sends each request to HAProxy. HAProxy follows /readyz and repeats no
 * request.
 */
export async function startHaproxy(port: number, urls: readonly string[]): Promise<Balancer> {
  const folder = mkdtempSync(join(tmpdir(), 'haproxy-'))
  const servers = urls.map((url, i) => `  server api${i} ${new URL(url).host} check inter 500ms fall 2 rise 1`)
  const control = join(folder, 'control.sock')
  const config = `
global
  maxconn 2000
  stats socket ${control} mode 600 level user
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 0
  option forwardfor
frontend public
  bind 127.0.0.1:${port}
  default_backend malipo
backend malipo
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
${servers.join('\n')}
`
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, config)
  const child: ChildProcess = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  const failed = new Promise<never>((_, reject) => {
    child.on('error', () =>
      reject(new Error('HAProxy did not start: install the package haproxy of Debian, or put haproxy into PATH')),
    )
    child.on('exit', (code) => reject(new Error(`HAProxy ended with code ${code}`)))
  })
  failed.catch(() => {})
  process.once('exit', () => child.kill('SIGKILL'))
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.status === 200,
      () => false,
    )
  await Promise.race([until('HAProxy forwards requests', answers), failed])
  const sender = createSender(`http://127.0.0.1:${port}`)
  return {
    send: sender.send,
    usesAll: async () => {
      const socket = connect(control)
      socket.end('show stat\n')
      const states = (await readText(socket)).split('\n').filter((line) => line.startsWith('malipo,api'))
      return states.length === urls.length && states.every((line) => line.split(',')[STATUS_FIELD]?.startsWith('UP'))
    },
    async close() {
      await sender.close()
      child.kill('SIGTERM')
    },
  }
}

/** The index of the field with the state of a server, such as UP or DOWN, in a line of `show stat` of HAProxy. */
const STATUS_FIELD = 17

/** Requests at a fixed rate. Every other request requests a payment, and the rest read a payment. */
export type SteadyLoad = {
  acks: Ack[]
  /** Describes each request without a 2xx answer. */
  failures: string[]
  sent(): number
  /** Returns the longest time of a request so far. */
  slowest_ms(): number
  /** Starts no further request. Resolves when each request has its answer. */
  stop(): Promise<void>
}

const ENDINGS = ['001', '002', '004', '009', '555']

/** The seconds in which the rate grows to its value, so that new processes open their connections before the whole load arrives. */
const RAMP_S = 5

/** Starts to send `per_second` requests a second, after a ramp of RAMP_S seconds, whatever time the answers take. */
export function startSteadyLoad(sender: Sender, shops: readonly Shop[], per_second: number, seed: number): SteadyLoad {
  const random = seededRandom(seed)
  const acks: Ack[] = []
  const failures: string[] = []
  const open = new Set<Promise<void>>()
  let sent = 0
  let slowest_ms = 0
  const draw = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

  const pay = async (number: number) => {
    const order = orderOf(
      draw(shops),
      `steady-${seed}-${number}`,
      100 + Math.floor(random() * 5_000_000),
      draw(ENDINGS),
    )
    const { status, text } = await sender.send({
      method: 'POST',
      path: order.path,
      headers: {
        authorization: `Bearer ${order.shop.key}`,
        'content-type': 'application/json',
        'idempotency-key': order.key,
      },
      body: order.body,
    })
    if (status !== 202) throw new Error(`${status}: ${text}`)
    const { data } = JSON.parse(text) as { data: { collection_id: string } }
    const { key, amount_minor, shop } = order
    acks.push({ key, amount_minor, merchant_id: shop.merchant.id, collection_id: data.collection_id, text })
  }
  const read = async () => {
    const { merchant_id, collection_id } = draw(acks)
    const shop = shops.find(({ merchant }) => merchant.id === merchant_id) as Shop
    const { status, text } = await sender.send({
      method: 'GET',
      path: `/v1/collections/${collection_id}`,
      headers: { authorization: `Bearer ${shop.key}` },
    })
    if (status !== 200) throw new Error(`${status}: ${text}`)
  }
  const request = async (number: number) => {
    const begin = performance.now()
    const what = number % 2 === 0 || acks.length === 0 ? 'payment' : 'read'
    await (what === 'payment' ? pay(number) : read()).catch((error: Error & { cause?: Error }) => {
      failures.push(
        `${new Date().toISOString()} ${(performance.now() - begin).toFixed(0)} ms ${what} ${number}: ${error.message} ${error.cause?.message ?? ''}`.trim(),
      )
    })
    slowest_ms = Math.max(slowest_ms, performance.now() - begin)
  }
  const began = performance.now()
  const timer = setInterval(() => {
    const seconds = (performance.now() - began) / 1_000
    const due = per_second * (seconds < RAMP_S ? seconds ** 2 / (2 * RAMP_S) : seconds - RAMP_S / 2)
    while (sent < due) {
      const work = request(sent++)
      open.add(work)
      void work.finally(() => open.delete(work))
    }
  }, 5)
  return {
    acks,
    failures,
    sent: () => sent,
    slowest_ms: () => Math.round(slowest_ms),
    async stop() {
      clearInterval(timer)
      while (open.size > 0) await Promise.all(open)
    },
  }
}
