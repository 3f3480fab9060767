// Tests /readyz and the payments of one merchant during an attack: wrong sign-ins, posters, and hostile text wherever the
// server logs or stores text. `npm run stall` runs the long form, prints the figures and asserts the goals.
// Own process: this process sends the attack, which would delay other tests in the process.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createKey } from '../src/access/api-keys/index.ts'
import { SCOPES } from '../src/kernel/http/index.ts'
import { type Child, startChild, until } from './crash/processes.ts'
import { createRig, type Rig } from './crash/rig.ts'
import { authorizeUrl, openBrowser } from './sign-in.ts'
import type { StallSamples, StallTarget } from './stall-meter.ts'

const IS_FULL = process.env.STALL === 'full'
/** The number of requests of one wave, and the milliseconds of the attack and of the measurement before the attack. */
const SIZE = IS_FULL
  ? { sign_ins: 400, posters: 180, attack_ms: 30_000, quiet_ms: 10_000 }
  : { sign_ins: 60, posters: 40, attack_ms: 0, quiet_ms: 1_000 }
/** The goals of the long form on two free processors: the 99th percentile in milliseconds. */
const GOALS = { readyz: 50, payments: 250 }
const METER = fileURLToPath(new URL('./stall-meter.ts', import.meta.url))
const BODY_BYTES = 60_000
const HEADER_BYTES = 12_000
/**
 * Texts that are slow for a careless parser or pattern, or dangerous without quotes. The test repeats each text up to the
 * greatest accepted length.
 */
const HOSTILE = [
  '\\',
  '"',
  ' ',
  '0',
  '<',
  '{"pin":',
  '[',
  'password=',
  'Bearer ',
  'a@a.',
  '%5C',
  '=1+',
  "'",
  'é',
  '0754123001 ',
]

let rig: Rig
let server: Child
let meter: ChildProcess
let sandbox_key: string
before(async () => {
  rig = await createRig({ shops: 2, delay_ms: 0 })
  server = startChild(rig.env({ TRUST_PROXY: '127.0.0.1', LOG_LEVEL: 'info' }))
  await server.ready()
  await until('the server has started', () => server.output().includes('is ready.'))
  const [honest, attacker] = rig.shops as [Rig['shops'][number], Rig['shops'][number]]
  const owner = { merchant_id: attacker.merchant.id, environment: 'sandbox', name: 'Attack' } as const
  sandbox_key = (await createKey(rig.deps, { ...owner, scopes: Object.keys(SCOPES) })).plaintext_key
  const target: StallTarget = { url: server.url, live_key: honest.key }
  meter = fork(METER, [JSON.stringify(target)])
})
after(async () => {
  meter?.kill('SIGKILL')
  await server?.kill()
  await rig?.close()
})

/** Returns the samples since the previous call. */
async function takeSamples(): Promise<StallSamples> {
  meter.send('take')
  const [samples] = (await once(meter, 'message')) as [StallSamples]
  return samples
}

/** Sends a request with the attacker's sandbox key. Returns the status, or 0 if the server closed the connection. */
async function send(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { authorization: `Bearer ${sandbox_key}`, ...(init.headers as Record<string, string>) }
  try {
    const reply = await fetch(`${server.url}${path}`, { redirect: 'manual', ...init, headers })
    await reply.arrayBuffer()
    return reply.status
  } catch {
    return 0
  }
}

/** Repeats a text up to `bytes` bytes of its JSON form. */
const filled = (text: string, bytes: number) =>
  text.repeat(Math.floor(bytes / (Buffer.byteLength(JSON.stringify(text)) - 2)))

/** Sends one hostile text in the body, header, path and query fields that the server logs or stores. */
function sendHostile(text: string): Promise<number>[] {
  const [long, short] = [filled(text, BODY_BYTES), filled(text, HEADER_BYTES)]
  const header = encodeURIComponent(short).slice(0, HEADER_BYTES)
  const json = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID(), ...headers },
    })
  const payment = { amount: '1000', phone: '0754123001' }
  return [
    json('/v1/collections/wallet-push', { ...payment, reference: long }),
    json('/v1/collections/wallet-push', { ...payment, [long]: 1 }),
    json('/v1/collections/wallet-push', { ...payment, phone: long }),
    json('/v1/collections/wallet-push', payment, { 'user-agent': header }),
    json('/v1/collections/wallet-push', payment, { 'x-request-id': header }),
    json('/v1/collections/wallet-push', payment, { 'idempotency-key': header }),
    json('/v1/payment-links', { amount: 1_000, description: long }),
    json('/v1/payment-links', { amount: 1_000, redirect_url: `https://shop.example/${long}` }),
    json('/v1/invoices', { customer_name: long, items: [{ description: long }] }),
    send('/callbacks/mock', { method: 'POST', body: long }),
    send(`/v1/${header}`),
    send(`/v1/collections?reference=${header}`),
    send(`/pay/${header}`),
    send('/identity/forgot', {
      method: 'POST',
      body: new URLSearchParams({ email: short.slice(0, 2_000) }),
      headers: { origin: server.url },
    }),
  ]
}

type StallStatuses = { sign_ins: number[]; posters: number[]; hostile: number[] }

/** Starts one wave of all attacks at the same time, and waits for the answers. */
async function sendWave(form: string, browser: ReturnType<typeof openBrowser>, poster: string): Promise<StallStatuses> {
  const signIn = (at: number) => {
    const headers = { origin: server.url, 'x-forwarded-for': `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` }
    return browser.post(form, { email: `a${at}@example.com`, password: 'si nywila yangu' }, headers).then(
      ({ status }) => status,
      () => 0,
    )
  }
  const sign_ins = Array.from({ length: SIZE.sign_ins }, (_, at) => signIn(at))
  const posters = Array.from({ length: SIZE.posters }, () => send(poster))
  const hostile = HOSTILE.flatMap(sendHostile)
  return {
    sign_ins: await Promise.all(sign_ins),
    posters: await Promise.all(posters),
    hostile: await Promise.all(hostile),
  }
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return Math.round((sorted[Math.ceil(sorted.length * part) - 1] ?? 0) * 10) / 10
}

function describeTimes(t: TestContext, name: string, times: readonly number[]): void {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => percentile(times, part))
  t.diagnostic(`${name}: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms (${times.length} requests)`)
}

/** Returns the number of answers of each status as a text. 0 means that the server closed the connection. */
const countsOf = (statuses: readonly number[]) =>
  Object.entries(Object.groupBy(statuses, String))
    .map(([status, group]) => `${group?.length} times ${status}`)
    .join(', ')

test('/readyz and the payments of another merchant answer within their bounds during wrong sign-ins, posters and hostile text', async (t) => {
  const browser = openBrowser(server.url)
  const form = (await browser.follow(await browser.get(authorizeUrl(server.url).url))).url
  const link = await fetch(`${server.url}/v1/payment-links`, {
    method: 'POST',
    body: JSON.stringify({ amount: 1_000 }),
    headers: {
      authorization: `Bearer ${sandbox_key}`,
      'content-type': 'application/json',
      'idempotency-key': 'link-of-the-posters',
    },
  })
  assert.equal(link.status, 201)
  const { data } = (await link.json()) as { data: { id: string } }
  const poster = `/v1/payment-links/${data.id}/poster.pdf`

  // The first requests of a process are slow, so the measurement omits them.
  await sleep(500)
  await takeSamples()
  await sleep(SIZE.quiet_ms)
  const quiet = await takeSamples()
  const statuses: StallStatuses = { sign_ins: [], posters: [], hostile: [] }
  const began = performance.now()
  do {
    const wave = await sendWave(form, browser, poster)
    for (const kind of ['sign_ins', 'posters', 'hostile'] as const) statuses[kind].push(...wave[kind])
  } while (performance.now() - began < SIZE.attack_ms)
  const busy = await takeSamples()

  for (const [kind, answers] of Object.entries(statuses)) t.diagnostic(`${kind}: answers ${countsOf(answers)}`)
  for (const kind of ['readyz', 'payments'] as const) {
    describeTimes(t, `${kind} without the attack`, quiet[kind])
    describeTimes(t, `${kind} during the attack`, busy[kind])
  }
  assert.deepEqual([...quiet.unexpected, ...busy.unexpected], [], 'the server refuses no request of another merchant')
  assert.ok(server.alive())
  assertStatuses(statuses)
  for (const kind of ['readyz', 'payments'] as const) {
    // The short form runs beside other tests, so its bound detects only a blocked process.
    const [during, limit] = IS_FULL
      ? [percentile(busy[kind], 0.99), GOALS[kind]]
      : [percentile(busy[kind], 0.95), Math.max(1_500, percentile(quiet[kind], 0.95) * 20)]
    assert.ok(during < limit, `${kind} took ${during} ms during the attack; the limit is ${limit} ms`)
  }
})

/**
 * Asserts that the server answers each request of the attack with a page, a file or a refusal. Status 500 and a closed
 * connection fail the test.
 */
function assertStatuses({ sign_ins, posters, hostile }: StallStatuses): void {
  const others = (statuses: readonly number[], expected: readonly number[]) =>
    statuses.filter((status) => !expected.includes(status))
  assert.deepEqual(others(sign_ins, [401, 429, 503]), [], 'answers of wrong sign-ins')
  assert.deepEqual(others(posters, [200, 503]), [], 'answers of posters')
  assert.deepEqual(
    hostile.filter((status) => status === 0 || status === 500),
    [],
    'answers to hostile text',
  )
}
