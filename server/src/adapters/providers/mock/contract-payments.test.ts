// Tests that the mock providers fulfil their own contract for payments: statuses, magic numbers, and faults over HTTP. The file
// contract.test.ts has the contract of all providers.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  DELAY_MS,
  eventually,
  listen,
  PROFILE,
  pause,
  SECRET,
  SETTLED_MS,
  type Subject,
  startLocal,
  startRemote,
  urlOf,
} from '../../../../test/mock-providers.ts'
import type { PaymentRequest, PushAnswer } from '../port.ts'
import { crc16 } from './qr.ts'
import { createRemoteMockProvider } from './remote.ts'
import { type MockServer, startMockServer } from './server-app.ts'

let last_reference = 0

function requestOf(ending: string, fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    reference: `CONTRACT${++last_reference}`,
    method: 'wallet_push',
    phone: `255712345${ending}`,
    amount_minor: 123_450n,
    currency: 'TZS',
    simulate_status: null,
    sent_at: null,
    ...fields,
  }
}

for (const [name, start] of [
  ['mock in this process', startLocal],
  ['mock over HTTP', startRemote],
] as const) {
  describe(`payments of the ${name}`, () => {
    let subject: Subject
    before(async () => {
      subject = await start()
    })
    after(() => subject.close())

    /** Sends a payment request. Returns the request with the time that the platform would store, and the answer. */
    const send = async (request: PaymentRequest): Promise<[PaymentRequest, PushAnswer]> => {
      const sent_at = new Date()
      return [{ ...request, sent_at }, await subject.provider.push(request)]
    }
    const statusOf = async (request: PaymentRequest): Promise<PushAnswer | undefined> =>
      (await subject.provider.status([request]))[0]
    const callbacksFor = ({ reference }: PaymentRequest) =>
      subject.received.filter(({ body }) => JSON.parse(body.toString()).reference === reference)

    it('the mock provider accepts a payment request, and a later query finds the outcome of the payment', async () => {
      const [request, answer] = await send(requestOf('001'))
      assert.equal(answer.kind, 'accepted')
      assert.equal(answer.provider_status, 'PENDING')
      assert.match(answer.provider_id ?? '', /^MOCK-[0-9A-F]{16}$/)
      await eventually(async () => assert.equal((await statusOf(request))?.kind, 'succeeded'))
      const { provider_id } = answer
      assert.deepEqual(await statusOf(request), {
        kind: 'succeeded',
        amount_minor: 123_450n,
        currency: 'TZS',
        provider_status: 'COMPLETED',
        provider_id,
      })
    })

    it('the mock provider answers many payment queries in their order, including queries for unknown references', async () => {
      const [wrong_pin] = await send(requestOf('002'))
      const [undecided] = await send(requestOf('007'))
      const [held] = await send(requestOf('014'))
      const [down, refused] = await send(requestOf('013'))
      const [other_amount] = await send(requestOf('011'))
      assert.equal(refused.kind === 'declined' && refused.reason, 'provider_unavailable')
      await pause(SETTLED_MS)
      const queries = [wrong_pin, requestOf('001'), undecided, held, down, other_amount]
      const answers = await subject.provider.status(queries)
      assert.deepEqual(
        answers.map((answer) => answer.kind),
        ['declined', 'not_found', 'accepted', 'held', 'declined', 'succeeded'],
      )
      const [first, , third, , , last] = answers
      assert.equal(first?.kind === 'declined' && first.reason, 'wrong_pin')
      assert.equal(third?.ask_again_ms, undefined)
      assert.equal(last?.kind === 'succeeded' && last.amount_minor, 133_450n)
      assert.deepEqual(await subject.provider.status([]), [])
    })

    it('the mock provider reports the pause until the status of a payment changes', async () => {
      const [request] = await send(requestOf('012'))
      const early = await statusOf(request)
      assert.ok(early?.kind === 'accepted' || early?.kind === 'succeeded')
      assert.ok(early.ask_again_ms !== undefined && early.ask_again_ms > 0 && early.ask_again_ms <= DELAY_MS)
      await eventually(async () => assert.equal((await statusOf(request))?.kind, 'reversed'))
    })

    it('the mock provider gives the same answer and sends one callback for a repeated reference', async () => {
      const request = requestOf('001')
      const answers = await Promise.all([1, 2, 3].map(() => subject.provider.push(request)))
      await pause(SETTLED_MS)
      answers.push(await subject.provider.push(request))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
      await pause(SETTLED_MS)
      assert.equal(callbacksFor(request).length, 1)
    })

    it('the mock provider returns the same QR code for a repeated request, with a valid checksum', async () => {
      const request = requestOf('001', { method: 'qr', phone: null })
      const code = await subject.provider.qr(request)
      assert.equal(code.kind, 'accepted')
      assert.deepEqual(await subject.provider.qr(request), code)
      assert.match(code.payment_token ?? '', /^\d{8}$/)
      const text = code.qr_payload ?? ''
      assert.equal(crc16(text.slice(0, -4)).toString(16).toUpperCase().padStart(4, '0'), text.slice(-4))
      const fields = fieldsOf(text)
      assert.equal(fields.get('01'), '12')
      assert.equal(fields.get('54'), '1234.50')
      assert.equal(fieldsOf(fields.get('26') ?? '').get('02'), code.payment_token)
      const other = await subject.provider.qr(requestOf('001', { method: 'qr' }))
      assert.notEqual(other.qr_payload, text)
    })

    it('the mock provider signs its callbacks, and the adapter refuses a forged callback', async () => {
      const [request] = await send(requestOf('001'))
      await eventually(async () => assert.equal(callbacksFor(request).length, 1))
      const [callback] = callbacksFor(request)
      assert.ok(callback)
      const { headers, body } = callback
      const { provider } = subject
      assert.deepEqual(provider.verifyCallback(headers, body), { verified: true, reference: request.reference })
      const forged = Buffer.from(body.toString().replace(request.reference, 'CONTRACT0'))
      assert.deepEqual(provider.verifyCallback(headers, forged), { verified: false })
      assert.deepEqual(provider.verifyCallback({}, body), { verified: false })
      assert.deepEqual(provider.verifyCallback(headers, Buffer.alloc(5000, '{')), { verified: false })
    })
  })
}

describe('payments of the mock over HTTP with faults', () => {
  let server: MockServer
  let provider: ReturnType<typeof createRemoteMockProvider>
  before(async () => {
    server = await startMockServer({
      port: 0,
      host: '127.0.0.1',
      profile: PROFILE,
      secret: SECRET,
      callback_url: null,
    })
    provider = createRemoteMockProvider({ name: 'mock', url: server.url, secret: SECRET, timeout_ms: 2_000 })
  })
  after(async () => {
    await provider.close()
    await server.close()
  })
  const why = (answer: PushAnswer | undefined) => (answer?.kind === 'unknown' ? answer.why : answer?.kind)

  it('the adapter reports an unknown outcome when the provider does not answer in time, because the provider may have accepted the payment', async () => {
    const request = requestOf('001')
    server.setFaults({ hang_rate: 1 })
    assert.equal(why(await provider.push(request)), 'timeout')
    server.setFaults({ hang_rate: 0 })
    assert.notEqual(why((await provider.status([request]))[0]), 'not_found')
    await provider.push(request)
    const entry = server.book({ full: true }).entries?.find(({ reference }) => reference === request.reference)
    assert.equal(entry?.prompts, 1)
  })

  it('the adapter reports an unknown outcome of a payment after an internal error or a dropped connection', async () => {
    server.setFaults({ error_rate: 1 })
    assert.equal(why(await provider.push(requestOf('001'))), 'unreachable')
    server.setFaults({ error_rate: 0, down: true })
    assert.equal(why(await provider.push(requestOf('001'))), 'unreachable')
    assert.deepEqual((await provider.status([requestOf('001'), requestOf('001')])).map(why), [
      'unreachable',
      'unreachable',
    ])
    assert.equal(why(await provider.qr(requestOf('001', { method: 'qr' }))), 'unreachable')
    server.setFaults({ down: false })
    assert.equal(why(await provider.push(requestOf('001'))), 'accepted')
  })

  it('the mock provider fails exactly the configured share of requests', async () => {
    server.setFaults({ error_rate: 0.25 })
    const answers = await Promise.all(Array.from({ length: 40 }, () => provider.push(requestOf('001'))))
    server.setFaults({ error_rate: 0 })
    assert.equal(answers.filter((answer) => answer.kind === 'unknown').length, 10)
  })

  it('a query for 1,203 payments finds the one existing payment and reports the others as not_found', async () => {
    const requests = Array.from({ length: 1203 }, () => requestOf('001'))
    await provider.push(requests[1200] as PaymentRequest)
    const answers = await provider.status(requests)
    assert.equal(answers.length, 1203)
    assert.notEqual(answers[1200]?.kind, 'not_found')
    assert.equal(answers.filter((answer) => answer.kind === 'not_found').length, 1202)
  })

  it('the adapter reports an unknown outcome and no secret when the provider is unreachable', async () => {
    const gone = createRemoteMockProvider({ name: 'mock', url: 'http://127.0.0.1:1', secret: SECRET })
    const answer = await gone.push(requestOf('001'))
    assert.deepEqual(answer, { kind: 'unknown', why: 'unreachable', provider_status: null })
    await gone.close()
  })

  it('the adapter reports an unknown outcome of a payment for an unreadable answer or an undocumented status', async () => {
    const replies: [number, string, string, string][] = [
      [200, 'not json', 'unreadable', 'unreadable'],
      [200, '[]', 'unreadable', 'unreadable'],
      [200, '{}', 'unreadable', 'unreadable'],
      [200, '{"kind":"unknown","why":"x"}', 'unreadable', 'unreadable'],
      [200, '{"status":"DANCING","payments":[{"reference":"R","status":"DANCING"}]}', 'unseen_status', 'unseen_status'],
      [200, '{"status":"PENDING","payments":[{"reference":"R","status":"COMPLETED"}]}', 'accepted', 'unreadable'],
      [403, '{}', 'refused_us', 'refused_us'],
      [404, '{}', 'unreadable', 'unreadable'],
      [200, `"${'x'.repeat(2_000_000)}"`, 'unreadable', 'unreadable'],
    ]
    let reply: [number, string] = [200, '']
    const strange = await listen(
      () => {},
      () => reply,
    )
    const adapter = createRemoteMockProvider({ name: 'mock', url: urlOf(strange), secret: SECRET })
    const request = requestOf('001', { reference: 'R' })
    for (const [status, text, to_push, to_status] of replies) {
      reply = [status, text]
      assert.equal(why(await adapter.push(request)), to_push, text.slice(0, 80))
      assert.equal(why((await adapter.status([request]))[0]), to_status, text.slice(0, 80))
    }
    reply = [200, '{"status":"FAILED","reason":"__proto__"}']
    const declined = await adapter.push(request)
    assert.equal(declined.kind === 'declined' && declined.reason, 'unknown_provider_error')
    await adapter.close()
    strange.close()
  })

  it('the book of the mock provider lists each payment with its status, amount and prompts', async () => {
    const request = requestOf('011')
    await provider.push(request)
    await pause(SETTLED_MS)
    const answered = await fetch(`${server.url}/book?full=1`)
    const book = (await answered.json()) as ReturnType<MockServer['book']>
    assert.equal(book.payments, book.entries?.length)
    assert.equal(book.prompts, book.payments)
    assert.deepEqual(book.entries?.at(-1), {
      reference: request.reference,
      status: 'COMPLETED',
      amount_minor: '133450',
      prompts: 1,
    })
  })

  it('the mock provider refuses a malformed request and an unknown path', async () => {
    for (const [path, body] of [
      ['/payments', '{}'],
      ['/payments', '{'],
      ['/payments', '{"reference":"R","method":"qr","phone":null,"amount_minor":"-1","currency":"TZS"}'],
      ['/payments/status', '{"references":[1]}'],
      ['/faults', '{"hang_rate":2}'],
    ] as const) {
      assert.equal((await fetch(server.url + path, { method: 'POST', body })).status, 400, body)
    }
    assert.equal((await fetch(`${server.url}/nowhere`)).status, 404)
  })
})

describe('callbacks of the mock over HTTP', () => {
  it('the mock provider repeats a callback until the receiver accepts the callback', async () => {
    let refusals = 1
    const bodies: string[] = []
    const receiver = await listen(
      (_headers, body) => bodies.push(body.toString()),
      () => (refusals-- > 0 ? [503, ''] : [200, '']),
    )
    const callback_url = `${urlOf(receiver)}/callbacks/mock`
    const server = await startMockServer({ port: 0, host: '127.0.0.1', profile: PROFILE, secret: SECRET, callback_url })
    const provider = createRemoteMockProvider({ name: 'mock', url: server.url, secret: SECRET })
    await provider.push(requestOf('001'))
    await eventually(async () => assert.equal(server.book().callbacks.delivered, 1))
    assert.equal(bodies.length, 2)
    assert.equal(bodies[0], bodies[1])
    assert.deepEqual(server.book().callbacks, { due: 1, delivered: 1, given_up: 0, requests: 2 })
    await provider.close()
    await server.close()
    receiver.close()
  })
})

/** Returns the values of an EMVCo text by their tags. */
function fieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (let at = 0; at < text.length; ) {
    const length = Number(text.slice(at + 2, at + 4))
    fields.set(text.slice(at, at + 2), text.slice(at + 4, at + 4 + length))
    at += 4 + length
  }
  return fields
}
