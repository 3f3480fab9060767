// Tests the PDF files of links. The process draws each PDF once and limits the requests of each IP address.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from '../../../test/harness.ts'
import { invoicesOf, slugOf } from '../../../test/invoices.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { createPdfSender } from './pdf-sender.ts'

let world: World
let paths: { invoice: string; receipt: string }
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', RATE_LIMIT_PDFS: '0' } })
  paths = await papersOf(world)
})
after(() => world.close())

/** Returns the addresses of the invoice PDF and the receipt PDF of a paid invoice. */
async function papersOf(of: World) {
  const { pay, sent } = invoicesOf(of)
  const invoice = await sent()
  const { collection_id } = (await pay(invoice)).body.data
  const path = `/pay/${slugOf(invoice.payment_url)}`
  return { invoice: `${path}/invoice.pdf`, receipt: `${path}/c/${collection_id}/receipt.pdf` }
}
const open = (url: string, headers: Record<string, string> = {}, of = world) =>
  of.call({ method: 'GET', url, key: null, headers })

test('a browser with a cached PDF gets 304 until the content of the PDF changes', async () => {
  for (const path of [paths.invoice, paths.receipt]) {
    const first = await open(path)
    assert.equal(first.status, 200)
    const etag = String(first.headers.etag)
    assert.match(etag, /^"[\w-]{32}"$/)
    assert.equal(first.headers['cache-control'], 'private, no-cache')
    const second = await open(path, { 'if-none-match': etag })
    assert.deepEqual([second.status, second.text, second.headers.etag], [304, '', etag])
    const english = await open(`${path}?lang=en`, { 'if-none-match': etag })
    assert.equal(english.status, 200)
    assert.notEqual(english.headers.etag, etag)
  }
  const { etag } = (await open(paths.invoice)).headers
  await world.rows("update merchants set name = 'Duka la Rehema' where id = $1", [world.merchant.id])
  const renamed = await open(paths.invoice, { 'if-none-match': String(etag) })
  assert.equal(renamed.status, 200, 'the PDF changes with the name of the merchant')
})

const checkFile = ({ status, headers }: Reply, type: string) => {
  assert.deepEqual([status, headers['content-type']], [200, type])
  assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'no-referrer')
}

test('no site may frame a PDF, and no browser interprets a PDF as a page', async () => {
  for (const path of [paths.invoice, paths.receipt]) checkFile(await open(path), 'application/pdf')
})

test('no site may frame the PNG of a QR code, and no browser interprets the PNG as a page', async () => {
  const accepted = { kind: 'accepted', provider_status: 'PENDING' } as const
  const provider: Provider = {
    name: 'mock',
    capabilities: { methods: ['qr'], whole_shillings: false, payout_methods: [] },
    push: async () => accepted,
    qr: async () => ({ ...accepted, payment_token: '12345678', qr_payload: '000201' }),
    status: async (requests) => requests.map(() => accepted),
    payout: async () => accepted,
    payoutStatus: async (requests) => requests.map(() => accepted),
    verifyCallback: () => ({ verified: false }),
  }
  const other = await createWorld({ compose: { providers: [provider] } })
  try {
    const made = await other.post('/v1/payment-links', { amount: 1_000 }, { key: other.live_key })
    const path = `/pay/${made.body.data.public_slug}`
    const chosen = await other.call({
      method: 'POST',
      url: path,
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ idempotency_key: 'one', method: 'TANQR' }).toString(),
    })
    checkFile(await open(`${String(chosen.headers.location).split('?')[0]}/qr.png`, {}, other), 'image/png')
  } finally {
    await other.close()
  }
})

test('an IP address that exceeds the PDF limit still gets pages', async () => {
  const careful = await createWorld({ env: { PROMPTS_PER_PHONE: '0', RATE_LIMIT_PDFS: '2' } })
  try {
    const { invoice, receipt } = await papersOf(careful)
    for (const path of [invoice, receipt]) assert.equal((await open(path, {}, careful)).status, 200)
    const refused = await open(receipt, {}, careful)
    assert.equal(refused.status, 429)
    assert.match(String(refused.headers['content-type']), /^text\/html/)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    for (const path of [invoice, receipt]) {
      assert.equal((await open(path.replace('.pdf', ''), {}, careful)).status, 200)
    }
  } finally {
    await careful.close()
  }
})

/** Makes a sender for which the test ends each drawing. Records the highest number of simultaneous drawings. */
function operator() {
  const papers = createPdfSender()
  const drawing: { facts: unknown; end(): void; fail(): void }[] = []
  let now = 0
  const seen = { most: 0, begun: 0 }
  let notify: () => void = () => {}
  const draw = (facts: unknown) => {
    now += 1
    seen.begun += 1
    seen.most = Math.max(seen.most, now)
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const over = (end: () => void) => () => {
      now -= 1
      end()
    }
    drawing.push({
      facts,
      end: over(() => resolve(Buffer.from('x'))),
      fail: over(() => reject(new Error('no ink'))),
    })
    notify()
    return promise
  }
  const begun = async (number: number) => {
    while (seen.begun < number) await new Promise<void>((resolve) => (notify = resolve))
    return drawing[number - 1] as (typeof drawing)[number]
  }
  const reply = {
    headers: () => reply,
    removeHeader: () => reply,
    code: () => reply,
    send: () => reply,
  }
  const ask = (facts: unknown) =>
    papers.send({ headers: {} } as never, reply as never, { filename: 'x.pdf', facts, draw: () => draw(facts) })
  return { ask, begun, seen }
}

test('the process draws a document once for simultaneous requests and for later requests', async () => {
  const { ask, begun, seen } = operator()
  const requests = [ask({ amount: 1n }), ask({ amount: 1n }), ask({ amount: 1n })]
  ;(await begun(1)).end()
  await Promise.all([...requests, ask({ amount: 1n })])
  assert.equal(seen.begun, 1)
})

test('the sender draws a document again for the next request after a failed drawing, and a failed drawing delays no other document', async () => {
  const { ask, begun } = operator()
  const [first, second] = [ask('a'), ask('b')]
  ;(await begun(1)).fail()
  await assert.rejects(first, /no ink/)
  ;(await begun(2)).end()
  await second
  const again = ask('a')
  ;(await begun(3)).end()
  await again
})
