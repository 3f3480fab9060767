// Tests the values, types and objects of JavaScript that the conformance suite of all SDKs cannot express.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthenticationError, Malipo, MalipoError, type MalipoOptions, NoAnswerError } from './index.ts'

const apiKey = 'service_sandbox_conformanceConformanceConforma1234'
const baseUrl = 'https://api.example.com'

type Sent = { url: string; init: RequestInit }

/** Makes a client and the list of its requests. `answer` gets the number of the request and returns its answer. */
function clientWith(answer: (count: number) => Response | Promise<Response>, options: Partial<MalipoOptions> = {}) {
  const sent: Sent[] = []
  const fetch = async (url: unknown, init: unknown) => {
    sent.push({ url: String(url), init: init as RequestInit })
    ;(init as RequestInit).signal?.throwIfAborted()
    return answer(sent.length)
  }
  return { sent, malipo: new Malipo({ apiKey, baseUrl, fetch: fetch as typeof globalThis.fetch, ...options }) }
}

const success = (data: unknown) => Response.json({ success: true, data })
const page = (ids: string[], number: number, total_pages: number) =>
  success({
    items: ids.map((collection_id) => ({ collection_id })),
    pagination: { page: number, page_size: 2, total_items: 3, total_pages },
  })

const failureOf = (call: PromiseLike<unknown>): Promise<MalipoError> =>
  Promise.resolve(call).then(
    () => assert.fail('the call went through'),
    (error: unknown) => {
      assert.ok(error instanceof MalipoError, String(error))
      return error
    },
  )

test('the client throws a TypeError with the remedy, and sends nothing, for an amount that JSON cannot represent', async () => {
  const { sent, malipo } = clientWith(() => success({}))
  const phone = '0754123001'
  for (const amount of [25_000n, Number.NaN, Number.POSITIVE_INFINITY] as unknown as string[]) {
    await assert.rejects(malipo.collections.createWalletPush({ amount, phone }), (error: Error) => {
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^amount is .*: pass .*'25000\.00'/)
      return true
    })
  }
  await assert.rejects(malipo.collections.create([] as never), /Pass an object/)
  await assert.rejects(malipo.collections.create('25000.00' as never), /Pass an object/)
  assert.equal(sent.length, 0)
})

test('a client in a browser throws a TypeError that names payment_url, the address of the hosted page', () => {
  const globals = globalThis as { window?: unknown; document?: unknown }
  globals.window = globals
  globals.document = {}
  try {
    assert.throws(() => new Malipo({ apiKey, baseUrl }), /browser .*payment_url/)
  } finally {
    delete globals.window
    delete globals.document
  }
  assert.ok(new Malipo({ apiKey, baseUrl }))
})

test('an aborted signal ends the call, and the error states whether the payment may exist', async () => {
  const reason = new Error('the payer left')
  const input = { amount: 1, phone: '0754123001' }
  const early = clientWith(() => success({}))
  const before = await failureOf(
    early.malipo.collections.createWalletPush(input, { signal: AbortSignal.abort(reason) }),
  )
  assert.deepEqual([before.code, before.outcomeUnknown, before.cause], ['aborted', false, reason])
  assert.equal(early.sent.length, 0)

  const stopping = new AbortController()
  const during = clientWith(() => {
    stopping.abort(reason)
    throw new DOMException('aborted', 'AbortError')
  })
  const options = { signal: stopping.signal, idempotencyKey: 'order-1' }
  const sent = await failureOf(during.malipo.collections.createWalletPush(input, options))
  assert.ok(sent instanceof NoAnswerError)
  assert.deepEqual([sent.code, sent.outcomeUnknown, sent.idempotencyKey], ['aborted', true, 'order-1'])
  assert.match(sent.message, /repeat the call with the idempotencyKey order-1/)
  assert.equal(during.sent.length, 1)

  const waiting = new AbortController()
  const refused = clientWith(() => {
    setTimeout(() => waiting.abort(reason), 10)
    const error = { code: 'rate_limited', message: 'Wait.', details: null }
    return Response.json({ success: false, error }, { status: 429, headers: { 'retry-after': '15' } })
  })
  const begin = performance.now()
  assert.equal((await failureOf(refused.malipo.balance.get({ signal: waiting.signal }))).code, 'aborted')
  assert.ok(performance.now() - begin < 10_000, 'the abort ended the pause of 15 seconds')
})

test('await returns one page of a list, and for await goes through all pages', async () => {
  const { sent, malipo } = clientWith((count) => (count % 2 === 1 ? page(['a', 'b'], 1, 2) : page(['c'], 2, 2)))
  const { items, pagination } = await malipo.collections.list({ page_size: 2 })
  assert.deepEqual([items.map((one) => one.collection_id), pagination.total_pages], [['a', 'b'], 2])
  assert.equal(sent[0]?.url, `${baseUrl}/v1/collections?page_size=2`)
  sent.push(sent[0] as Sent) // This entry makes the number of the next request odd.
  const ids: string[] = []
  for await (const { collection_id } of malipo.collections.list({ page_size: 2 })) ids.push(collection_id)
  assert.deepEqual(ids, ['a', 'b', 'c'])
  assert.equal(
    await malipo.collections
      .list()
      .finally(() => {})
      .catch(() => 'failed')
      .then(() => 'done'),
    'done',
  )
})

test('the client accepts a Date and pairs of metadata as filters', async () => {
  const { sent, malipo } = clientWith(() => page([], 1, 0))
  const filters = { from: new Date(0), metadata: { order: 'A & B' } } as unknown as { from: string }
  await malipo.collections.list(filters)
  const query = new URL(sent[0]?.url ?? '').searchParams
  assert.deepEqual(
    [...query],
    [
      ['from', '1970-01-01T00:00:00.000Z'],
      ['metadata[order]', 'A & B'],
    ],
  )
})

test('the client reads the date in Retry-After, and fails immediately if the date is far in the future', async () => {
  const at = new Date(Date.now() + 3_600_000).toUTCString()
  const error = { code: 'service_unavailable', message: 'Later.', details: null }
  const headers = { 'retry-after': at }
  const { sent, malipo } = clientWith(() => Response.json({ success: false, error }, { status: 503, headers }))
  const failure = await failureOf(malipo.balance.get())
  assert.ok(failure.retryAfter !== null && failure.retryAfter > 3_500 && failure.retryAfter <= 3_600)
  assert.equal(sent.length, 1)
})

test('a program reads the body of an export as text', async () => {
  const { malipo } = clientWith(() => new Response('reference,amount\r\n', { headers: { 'content-type': 'text/csv' } }))
  const answer = await malipo.transactions.export()
  assert.equal(answer.headers.get('content-type'), 'text/csv')
  assert.equal(await answer.text(), 'reference,amount\r\n')
})

test('the error for an invalid key has its class and name, and does not contain the whole key', async () => {
  const error = { code: 'invalid_api_key', message: 'This API key is not valid.', details: null }
  const { malipo } = clientWith(() => Response.json({ success: false, error }, { status: 401 }))
  const failure = await failureOf(malipo.me.get())
  assert.ok(failure instanceof AuthenticationError && failure instanceof Error)
  assert.equal(failure.name, 'AuthenticationError')
  assert.doesNotMatch(`${failure.stack} ${JSON.stringify(failure)} ${JSON.stringify(malipo)}`, new RegExp(apiKey))
})

test('the client derives its environment from the key', () => {
  assert.equal(new Malipo({ apiKey, baseUrl }).environment, 'sandbox')
  assert.equal(new Malipo({ apiKey: 'sk_test_0123456789', baseUrl }).environment, 'sandbox')
  assert.equal(new Malipo({ apiKey: 'duka_live_0123456789', baseUrl, environment: 'live' }).environment, 'live')
})

test('a call that makes a webhook secret throws and names rotateSecret when the answer to a retry has no secret', async () => {
  const endpoint = { id: 'one', secret_last4: '1234' }
  const webhook_url = 'https://shop.example.com/hook'
  const shown = clientWith(() => success({ ...endpoint, secret: 'whsec_1234' })).malipo.webhookEndpoints
  const secrets: string[] = [(await shown.create({ webhook_url })).secret, (await shown.rotateSecret('one')).secret]
  assert.deepEqual(secrets, ['whsec_1234', 'whsec_1234'])
  const replayed = clientWith(() => success(endpoint)).malipo.webhookEndpoints
  for (const call of [replayed.create({ webhook_url }, { idempotencyKey: 'key-1' }), replayed.rotateSecret('one')]) {
    const error = await failureOf(call)
    assert.ok(error instanceof NoAnswerError)
    assert.match(error.message, /secret did not arrive.*rotateSecret\(\)/)
  }
})
