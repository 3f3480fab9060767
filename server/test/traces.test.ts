// Tests traces over real processes: a receiver of OpenTelemetry on this machine, an API process, a worker, a provider and a
// webhook receiver.

import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { openCashier } from './crash/payouts.ts'
import { type Child, endOf, startChild, until } from './crash/processes.ts'
import { createRig, type Rig, type Shop } from './crash/rig.ts'

type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
}
type Export = {
  resourceSpans: { resource: { attributes: ReceivedSpan['attributes'] }; scopeSpans: { spans: ReceivedSpan[] }[] }[]
}

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const PHONE = '0754123001'
const NAME = 'Neema Mushi'
const SECRET_HEADER = 'Bearer receiver-secret'

const exported: { headers: IncomingHttpHeaders; path: string; text: string }[] = []
const hooks: IncomingHttpHeaders[] = []
let rig: Rig
let receiver: Server
let hook: Server
let api: Child
let worker: Child

async function listen(take: (path: string, headers: IncomingHttpHeaders, text: string) => void): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      take(request.url ?? '', request.headers, Buffer.concat(chunks).toString('utf8'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

function spans(): (ReceivedSpan & { process: string | undefined })[] {
  return exported
    .flatMap(({ text }) => (JSON.parse(text) as Export).resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const process = resource.attributes.find(({ key }) => key === 'malipo.process')?.value.stringValue
      return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, process })))
    })
}

before(async () => {
  receiver = await listen((path, headers, text) => void exported.push({ path, headers, text }))
  hook = await listen((_path, headers) => void hooks.push(headers))
  rig = await createRig({ shops: 1, delay_ms: 300 })
  const traced = {
    LOG_LEVEL: 'info',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${urlOf(receiver)}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(SECRET_HEADER)}`,
    OTEL_TRACES_SAMPLER_ARG: '1',
  }
  api = startChild(rig.env({ ...traced, PROCESS: 'api' }))
  await api.ready()
  worker = startChild(rig.env({ ...traced, PROCESS: 'worker' }))
  await until('the worker has started', () => worker.output().includes('the worker started'))
})

after(async () => {
  await Promise.all([api?.kill(), worker?.kill()])
  await rig?.close()
  for (const server of [receiver, hook]) server?.close().closeAllConnections()
})

async function call(method: string, path: string, body: object, headers: Record<string, string> = {}) {
  const { key } = rig.shops[0] as Rig['shops'][number]
  const answer = await fetch(`${api.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as { data: { collection_id: string } } }
}

test('one trace contains request, push, callback, settlement and webhook of a payment, over both processes', async () => {
  await call('PATCH', '/v1/merchant/webhook-config', { webhook_url: `${urlOf(hook)}/hook` })
  const { status } = await call(
    'POST',
    '/v1/collections/wallet-push',
    { amount: '12345.00', phone: PHONE, customer_name: NAME, reference: 'ORDER-77', description: 'Mchele kilo mbili' },
    { 'idempotency-key': 'trace-1', traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`, tracestate: 'vendor=private' },
  )
  assert.equal(status, 202)
  const ofPayment = () => spans().filter(({ traceId }) => traceId === TRACE_ID)
  await until('the webhook arrived', () => hooks.length > 0)
  await until('all spans arrived', () => ofPayment().some(({ name }) => name === 'webhook collection.success'))
  const names = (process: string) =>
    new Set(ofPayment().flatMap((span) => (span.process === process ? [span.name] : [])))
  await until('the push arrived', () => names('worker').has('payment push'))
  const seen = new Set([...names('api'), ...names('worker')])
  for (const name of ['POST /v1/collections/wallet-push', 'payment callback', 'payment query', 'payment settle']) {
    assert.ok(seen.has(name), `${name} is in ${[...seen]}`)
  }
  assert.ok(names('api').has('payment callback'))
  const trace = ofPayment()
  const root = trace.find(({ name }) => name.startsWith('POST'))
  assert.equal(root?.parentSpanId, SPAN_ID)
  for (const span of trace) {
    if (span !== root) assert.equal(span.parentSpanId, root?.spanId, span.name)
    assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))
  }
  const webhook = trace.find(({ name }) => name.startsWith('webhook'))
  assert.equal(hooks[0]?.traceparent, `00-${TRACE_ID}-${webhook?.spanId}-01`)
  assert.equal(hooks[0]?.tracestate, undefined)
  assert.ok(api.output().includes(`"trace_id":"${TRACE_ID}"`), 'the log line of the request has the trace')
})

test('one trace contains approval, provider calls, callback, settlement and webhook of a payout, over both processes', async () => {
  const shop = rig.shops[0] as Shop
  const cashier = await openCashier(rig)
  try {
    await cashier.fund(shop, 9_000_000n)
    const id = await cashier.submit(shop, 1_234_500n, '001')
    assert.equal(await cashier.approve(api.url, id), 200)
  } finally {
    await cashier.close()
  }
  const approval = () => spans().find(({ name }) => name === 'POST /v1/operator/withdrawals/:withdrawal_id/approve')
  const ofPayout = () => spans().filter(({ traceId }) => traceId === approval()?.traceId)
  await until('the webhook has its span', () => ofPayout().some(({ name }) => name === 'webhook disbursement.success'))
  const processesOf = (name: string) => ofPayout().flatMap((span) => (span.name === name ? [span.process] : []))
  await until('the request to the provider has its span', () => processesOf('payout send').length > 0)
  assert.deepEqual(processesOf('payout send'), ['worker'])
  assert.ok(processesOf('payout callback').includes('api'))
  assert.ok(processesOf('payout query').includes('api'))
  assert.ok(processesOf('payout settle').includes('api'))
  for (const { name, parentSpanId, spanId } of ofPayout()) {
    assert.equal(parentSpanId, spanId === approval()?.spanId ? undefined : approval()?.spanId, name)
  }
  const webhook = ofPayout().find(({ name }) => name === 'webhook disbursement.success')
  const sent = `00-${approval()?.traceId}-${webhook?.spanId}-01`
  assert.ok(hooks.some(({ traceparent }) => traceparent === sent))
})

test('no span contains a phone, a name, an amount, a text of the merchant, a path, a query or a secret', async () => {
  const { key } = rig.shops[0] as Rig['shops'][number]
  await fetch(`${api.url}/v1/collections?search=${PHONE}&page_size=1`, { headers: { authorization: `Bearer ${key}` } })
  await fetch(`${api.url}/pay/${PHONE}?name=Neema`)
  await fetch(`${api.url}/healthz`)
  await until('the page has its span', () => spans().some(({ name }) => name.startsWith('GET /pay/')))
  const secrets = [
    PHONE,
    '754123001',
    NAME,
    'Neema',
    '12345',
    '1234500',
    'ORDER-77',
    'Mchele',
    'trace-1',
    'search=',
    key,
  ]
  // Times in nanoseconds, span ids and UUIDs contain the digits of an amount by chance, so the search leaves them out.
  const chance = /"\d{19}"|"[\da-f]{16}"|"[\da-f]{32}"|"[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"/g
  for (const { text, path, headers } of exported) {
    assert.equal(path, '/v1/traces')
    assert.equal(headers.authorization, SECRET_HEADER)
    const searched = text.replaceAll(chance, '""')
    for (const secret of secrets) assert.ok(!searched.includes(secret), `${secret} is in ${searched}`)
  }
  const attributes = new Set(spans().flatMap((span) => span.attributes.map(({ key: name }) => name)))
  assert.deepEqual([...attributes].sort(), [
    'http.request.method',
    'http.response.status_code',
    'http.route',
    'malipo.answer',
    'malipo.attempt',
    'malipo.collection_id',
    'malipo.delivery_id',
    'malipo.environment',
    'malipo.merchant_id',
    'malipo.method',
    'malipo.provider',
    'malipo.withdrawal_id',
  ])
  assert.ok(!spans().some(({ name }) => name.includes('healthz')), 'probes make no spans')
  assert.ok(!`${api.output()}${worker.output()}`.includes('receiver-secret'))
})

test('while the receiver is down, requests succeed, the log has one line about the receiver, and a stopping process counts the dropped spans', async () => {
  receiver.close().closeAllConnections()
  for (let i = 0; i < 50; i++) {
    const { status } = await call(
      'POST',
      '/v1/collections/wallet-push',
      { amount: '1000.00', phone: PHONE },
      {
        'idempotency-key': `down-${i}`,
        traceparent: i % 2 === 0 ? 'ff-not-a-trace' : `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
      },
    )
    assert.equal(status, 202)
  }
  await until('the log has the line', () => api.output().includes('does not take spans'))
  const began = Date.now()
  api.signal('SIGTERM')
  assert.equal((await endOf(api)).code, 0)
  assert.ok(Date.now() - began < 10_000)
  assert.equal(api.output().split('does not take spans').length - 1, 1)
  const dropped = /"dropped":(\d+)/.exec(api.output())?.[1]
  assert.ok(Number(dropped) >= 50, `${dropped} dropped`)
})
