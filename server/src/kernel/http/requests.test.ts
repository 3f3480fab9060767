// Tests the checks of every request: path, request id, body, keys and limits.

import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createWorld, type Reply, testDeps, type World } from '../../../test/harness.ts'
import { newPlaintextKey } from '../../access/api-keys/index.ts'
import { compose } from '../../system.ts'

const PUSH = '/v1/collections/wallet-push'
const BODY = { amount: '10', phone: '0754123001' }

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text)
  assert.deepEqual(Object.keys(reply.body), ['success', 'error'])
  assert.equal(reply.body.success, false)
  assert.equal(reply.body.error.code, code)
  assert.deepEqual(Object.keys(reply.body.error), ['code', 'message', 'details'])
  assert.ok(reply.body.error.message.length > 0)
  assert.ok(String(reply.headers['x-request-id']).length > 0)
}

/** Sends a body by POST exactly as the test wrote the body. */
function raw(payload: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
  return world.call({
    method: 'POST',
    url: PUSH,
    payload,
    idempotency_key: crypto.randomUUID(),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** Sends bytes over a new connection and reads the whole response. */
async function overWire(bytes: string | Buffer): Promise<Reply> {
  if (!world.system.app.server.listening) await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = world.system.app.server.address() as AddressInfo
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    let read = ''
    socket.setTimeout(5_000, () => socket.destroy(new Error(`no end of the answer: ${read}`)))
    socket.on('data', (chunk: Buffer) => {
      read += chunk.toString('utf8')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(read))
  })
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = rest.join('\r\n\r\n')
  const json = body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)
  const sent = Buffer.from(body)
  return {
    status: Number(start.split(' ')[1]),
    headers,
    text: body,
    bytes: sent,
    body: json === '' ? null : JSON.parse(json),
  }
}

const fieldsOf = (reply: Reply): string[] =>
  reply.body.error.details.fields.map((entry: { field: string }) => entry.field)

describe('paths and methods', () => {
  test('the server answers a successful request with success true and data', async () => {
    const reply = await world.get('/v1/collections')
    assert.deepEqual(Object.keys(reply.body), ['success', 'data'])
    assert.equal(reply.body.success, true)
    assert.equal(reply.headers['cache-control'], 'no-store')
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
  })

  for (const path of [
    '/v1/nothing',
    '/v2/collections',
    '/V1/collections',
    '/v1/collections/x/y/z',
    '/..%2f..%2fetc/passwd',
  ]) {
    test(`the server answers 404 not_found to the unknown path ${path}, with and without an API key`, async () => {
      refused(await world.get(path), 404, 'not_found')
      refused(await world.call({ method: 'GET', url: path, key: null }), 404, 'not_found')
    })
  }

  for (const [name, path] of [
    ['cannot be decoded', '/v1/collections/%zz'],
    ['is too long', `/v1/collections/${'a'.repeat(300)}`],
  ] as const) {
    test(`the server answers 404 in the envelope to a path that ${name}, and does not repeat the path`, async () => {
      const reply = await world.get(path)
      refused(reply, 404, 'not_found')
      assert.ok(!reply.text.includes('%zz') && !reply.text.includes('aaaa'))
    })
  }

  for (const [method, path, allow] of [
    ['DELETE', '/v1/collections', 'GET'],
    ['PUT', PUSH, 'POST'],
    ['DELETE', '/v1/collections/019b8d62-7a80-8fcd-b985-e7aff1551b15', 'GET'],
    ['GET', '/v1/collections/019b8d62-7a80-8fcd-b985-e7aff1551b15/refresh-status', 'POST'],
    ['POST', '/healthz', 'GET'],
  ] as const) {
    test(`the server answers 405 to ${method} on ${path} and lists ${allow} as allowed`, async () => {
      const reply = await world.call({ method, url: path })
      refused(reply, 405, 'method_not_allowed')
      assert.ok(String(reply.headers.allow).split(', ').includes(allow), String(reply.headers.allow))
    })
  }

  test('the server answers health and OpenAPI requests without an API key', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json']) {
      assert.equal((await world.call({ method: 'GET', url: path, key: null })).status, 200, path)
    }
  })
})

describe('request ids', () => {
  for (const id of ['a', 'order-42.retry_1', 'x'.repeat(128), '019B8D62-7A80']) {
    test(`the server uses the request id ${id.slice(0, 20)} of the caller`, async () => {
      for (const path of ['/v1/collections', '/v1/nothing', '/healthz']) {
        const reply = await world.call({ method: 'GET', url: path, headers: { 'x-request-id': id } })
        assert.equal(reply.headers['x-request-id'], id)
      }
    })
  }
  for (const id of ['', 'x'.repeat(129), 'a b', 'a\tb', 'a/b', '<script>', 'é']) {
    test(`the server replaces the request id ${JSON.stringify(id.slice(0, 20))}`, async () => {
      const reply = await world.call({ method: 'GET', url: '/v1/collections', headers: { 'x-request-id': id } })
      assert.notEqual(reply.headers['x-request-id'], id)
      assert.match(String(reply.headers['x-request-id']), /^[0-9a-f-]{36}$/)
    })
  }
})

describe('bodies', () => {
  test('the server accepts a body of 64 KiB and answers 413 to a larger body', async () => {
    const filled = (bytes: number) => {
      const start = '{"amount":"10","phone":"0754123001","x":"'
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
    }
    assert.equal((await raw(filled(64 * 1024))).status, 202)
    refused(await raw(filled(64 * 1024 + 1)), 413, 'payload_too_large')
  })

  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ]) {
    test(`the server answers 415 to a body of type ${type}`, async () => {
      refused(await raw(JSON.stringify(BODY), { 'content-type': type }), 415, 'unsupported_media_type')
    })
  }

  for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8']) {
    test(`the server accepts a body of type ${type}`, async () => {
      assert.equal((await raw(JSON.stringify(BODY), { 'content-type': type })).status, 202)
    })
  }

  for (const [name, text] of [
    ['empty', ''],
    ['blank', '  '],
    ['incomplete', '{"amount":'],
    ['two values', '{}{}'],
    ['an array', '[]'],
    ['an array of one object', `[${JSON.stringify(BODY)}]`],
    ['a string', '"x"'],
    ['a number', '5'],
    ['null', 'null'],
    ['true', 'true'],
    ['an object in single quotes', "{'a':1}"],
    ['an object with a trailing comma', '{"a":1,}'],
    ['an object with a comment', '{/**/}'],
    ['an object with NaN', '{"amount":NaN}'],
    ['an object with __proto__', '{"amount":"10","phone":"0754123001","__proto__":{"x":1}}'],
    ['an object with an escaped __proto__', '{"amount":"10","phone":"0754123001","\\u005f_proto__":{"x":1}}'],
    ['an object with a nested __proto__', '{"amount":"10","phone":"0754123001","a":[{"__proto__":{}}]}'],
    ['an object with constructor', '{"amount":"10","phone":"0754123001","constructor":{"prototype":{}}}'],
    [
      'an object with 30,000 nested arrays',
      `{"amount":"10","phone":"0754123001","x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    ],
    ['an object with 9,000 nested objects', `{"amount":10,"x":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`],
  ] as const) {
    test(`the server answers 400 invalid_json to a body that is ${name}`, async () =>
      refused(await raw(text), 400, 'invalid_json'))
  }

  test('the server does not count brackets inside a text as nesting of the body', async () => {
    assert.equal((await raw(JSON.stringify({ ...BODY, description: `"${'[{'.repeat(100)}\\` }))).status, 202)
  })

  test('the server refuses a missing body with 400 validation_failed', async () => {
    const reply = await world.call({ method: 'POST', url: PUSH, idempotency_key: 'none' })
    refused(reply, 400, 'validation_failed')
  })

  test('the server names all invalid fields of a body in one refusal', async () => {
    const reply = await world.post(PUSH, { amount: true, customer_name: 'x'.repeat(201), simulate_status: 'maybe' })
    refused(reply, 400, 'validation_failed')
    assert.deepEqual(new Set(fieldsOf(reply)), new Set(['amount', 'phone', 'customer_name', 'simulate_status']))
    for (const entry of reply.body.error.details.fields) assert.ok(entry.message.length > 0)
  })

  test('the server converts no types: a number or a list is no text, and null is not an absent field', async () => {
    for (const [field, value] of [
      ['phone', 754123001],
      ['reference', 5],
      ['reference', null],
      ['currency', true],
      ['customer_name', ['a']],
      ['amount', null],
      ['amount', ['10']],
      ['amount', { value: 1 }],
    ] as const) {
      const reply = await world.post(PUSH, { ...BODY, [field]: value })
      refused(reply, 400, 'validation_failed')
      assert.deepEqual(fieldsOf(reply), [field], `${field} ${JSON.stringify(value)}`)
    }
  })

  test('the server ignores unknown fields of a body, but includes these fields in the fingerprint of the request', async () => {
    const idempotency_key = crypto.randomUUID()
    const first = await world.post(PUSH, { ...BODY, note_of_mine: { a: 1 } }, { idempotency_key })
    assert.equal(first.status, 202)
    assert.equal((await world.post(PUSH, { ...BODY, note_of_mine: { a: 1 } }, { idempotency_key })).text, first.text)
    refused(
      await world.post(PUSH, { ...BODY, note_of_mine: { a: 2 } }, { idempotency_key }),
      422,
      'idempotency_key_reused',
    )
    refused(await world.post(PUSH, BODY, { idempotency_key }), 422, 'idempotency_key_reused')
  })

  for (const [name, bad] of [
    ['NUL', 'a\0b'],
    ['a bell', 'a\u0007'],
    ['an escape character', '\u001b[31m'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
  ] as const) {
    for (const field of [
      'reference',
      'customer_name',
      'description',
      'customer_email',
      'phone',
      'currency',
      'merchant_id',
    ]) {
      test(`the server refuses ${name} in ${field} with 400`, async () => {
        const reply = await world.post(PUSH, { ...BODY, [field]: bad })
        refused(reply, 400, 'validation_failed')
        assert.ok(fieldsOf(reply).includes(field))
      })
    }
  }

  test('the server accepts tabs and newlines in the description, but not in the reference', async () => {
    assert.equal((await world.post(PUSH, { ...BODY, description: 'a\tb\nc' })).status, 202)
    for (const text of ['a\tb', 'a\nb', 'a\rb'])
      refused(await world.post(PUSH, { ...BODY, reference: text }), 400, 'validation_failed')
    refused(await world.post(PUSH, { ...BODY, description: 'a\rb' }), 400, 'validation_failed')
  })

  test('the server returns text in any script unchanged', async () => {
    const reference = 'Agizo №5 — مرحبا 🎉 e\u0301'
    const created = await world.post(PUSH, { ...BODY, reference })
    assert.equal(created.body.data.reference, reference)
    assert.equal((await world.get(`/v1/collections/${created.body.data.collection_id}`)).body.data.reference, reference)
  })

  for (const [name, bytes] of [
    ['two bytes that never occur', [0xff, 0xfe]],
    ['half a letter', [0xc3]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
  ] as const) {
    test(`the server answers 400 to a body that is not UTF-8 (${name}), in one piece or in chunks`, async () => {
      const body = Buffer.concat([
        Buffer.from('{"amount":"10","phone":"0754123001","reference":"'),
        Buffer.from(bytes),
        Buffer.from('"}'),
      ])
      refused(await raw(body), 400, 'invalid_json')
      const chunked = await overWire(
        Buffer.concat([
          Buffer.from(
            `POST ${PUSH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.sandbox_key}\r\nidempotency-key: ${crypto.randomUUID()}\r\n` +
              `content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${body.length.toString(16)}\r\n`,
          ),
          body,
          Buffer.from('\r\n0\r\n\r\n'),
        ]),
      )
      refused(chunked, 400, 'invalid_json')
    })
  }

  test('the server reads a character of a body whose bytes arrive in two chunks', async () => {
    const [start, end] = [
      Buffer.from('{"amount":"10","phone":"0754123001","reference":"\xc3', 'latin1'),
      Buffer.from('\xa9"}', 'latin1'),
    ]
    const reply = await overWire(
      Buffer.concat([
        Buffer.from(
          `POST ${PUSH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.sandbox_key}\r\nidempotency-key: ${crypto.randomUUID()}\r\n` +
            `content-type: application/json\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
        ),
        ...[start, end].flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
        Buffer.from('0\r\n\r\n'),
      ]),
    )
    assert.equal(reply.status, 202, reply.text)
    assert.equal(reply.body.data.reference, 'é')
  })

  test('the server accepts a JSON number with additional zeros as an amount, and answers 400 to a third decimal', async () => {
    for (const [number, same] of [
      ['10.000', '10'],
      ['10.500000000000000000000', '10.5'],
      ['10.5000', '10.50'],
    ]) {
      const idempotency_key = crypto.randomUUID()
      const first = await world.call({
        method: 'POST',
        url: PUSH,
        payload: `{"amount":${number},"phone":"0754123001"}`,
        idempotency_key,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(first.status, 202, number)
      const again = await world.post(PUSH, { amount: same, phone: '0754123001' }, { idempotency_key })
      assert.equal(again.text, first.text, `${number} is the same amount as ${same}`)
    }
    for (const number of ['10.0010', '10.005', '10.000000000000000000000001', '1e1', '1.0e10', '0.000', '-1.000'])
      refused(await raw(`{"amount":${number},"phone":"0754123001"}`), 400, 'validation_failed')
    refused(await raw('{"amount":"10.000","phone":"0754123001"}'), 400, 'validation_failed')
  })

  test('the server accepts a reference of 100 characters and refuses a reference of 101 characters', async () => {
    assert.equal((await world.post(PUSH, { ...BODY, reference: 'r'.repeat(100) })).status, 202)
    assert.deepEqual(fieldsOf(await world.post(PUSH, { ...BODY, reference: 'r'.repeat(101) })), ['reference'])
  })
})

describe('keys in the URL', () => {
  test('the server answers 401 to an API key that is only in the query string, and does not repeat the key', async () => {
    for (const name of ['api_key', 'key', 'access_token', 'anything']) {
      const reply = await world.call({ method: 'GET', url: `/v1/collections?${name}=${world.sandbox_key}`, key: null })
      refused(reply, 401, 'authentication_required')
      assert.ok(!reply.text.includes(world.sandbox_key))
    }
  })

  test('the server answers 400 to an API key in the query string of an authenticated request, and does not repeat the key', async () => {
    const reply = await world.get(`/v1/collections?api_key=${world.sandbox_key}`)
    refused(reply, 400, 'validation_failed')
    assert.deepEqual(fieldsOf(reply), ['api_key'])
    assert.ok(!reply.text.includes(world.sandbox_key))
    refused(
      await world.call({ method: 'POST', url: `${PUSH}?x=${world.live_key}`, payload: BODY, idempotency_key: 'q' }),
      400,
      'validation_failed',
    )
  })

  test('the server accepts a reference that only looks like an API key, and refuses a whole API key in any parameter', async () => {
    for (const reference of ['shop_live_1042', 'pk_1042', 'a_test_b', `${world.sandbox_key}x`.slice(0, -3)])
      assert.equal((await world.get(`/v1/collections?reference=${reference}`)).status, 200, reference)
    refused(await world.get(`/v1/collections?reference=${world.sandbox_key}`), 400, 'validation_failed')
    refused(await world.get(`/v1/collections?x=1&x=${world.live_key}`), 400, 'validation_failed')
  })

  test('the log never contains an API key that a request had in its path, query or body', async () => {
    await world.get(`/v1/${world.live_key}`)
    await world.get(`/v1/collections/${world.live_key}`)
    await world.post(PUSH, { ...BODY, phone: world.live_key })
    const log = world.deps.logged.join('')
    assert.ok(log.includes('/v1/collections'), 'the server logs requests')
    for (const key of [world.sandbox_key, world.live_key]) assert.ok(!log.includes(key))
  })
})

describe('malformed HTTP', () => {
  test('the server answers an unreadable request with 400, the failure envelope and a request id', async () => {
    for (const text of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nhost x\r\n\r\n',
      'GET /v1/collections HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      'GET /v1/collections HTTP/1.1\r\nconnection: close\r\n\r\n',
    ]) {
      const reply = await overWire(text)
      refused(reply, 400, 'malformed_request')
      assert.match(String(reply.headers['content-type']), /^application\/json/)
      assert.equal(Number(reply.headers['content-length']), Buffer.byteLength(reply.text))
    }
  })

  test('a page of another origin can read the refusal of a public call without a Host header', async () => {
    const reply = await overWire('GET /public/payment-links/x HTTP/1.1\r\nconnection: close\r\n\r\n')
    refused(reply, 400, 'malformed_request')
    assert.equal(reply.headers['access-control-allow-origin'], '*')
  })

  test('the server answers an incomplete request with 408, the failure envelope and a request id', async (t) => {
    await overWire('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    const { server } = world.system.app
    const { headersTimeout } = server
    t.after(() => {
      server.headersTimeout = headersTimeout
    })
    server.headersTimeout = 100
    refused(await overWire('GET /healthz HTTP/1.1\r\nhost: x\r\n'), 408, 'request_timeout')
  })

  test('the server answers too large headers with 431, the failure envelope and a request id', async () => {
    const reply = await overWire(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-much: ${'x'.repeat(20_000)}\r\n\r\n`)
    refused(reply, 431, 'headers_too_large')
  })
})

describe('limits', () => {
  test('the server answers 429 to an IP address above the limit of public pages, but answers its health checks', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '5' } })
    try {
      const ask = (url: string) => limited.call({ method: 'GET', url, key: null })
      for (let i = 0; i < 5; i++) assert.equal((await ask('/openapi.json')).status, 200)
      const reply = await ask('/openapi.json')
      refused(reply, 429, 'rate_limited')
      assert.ok(Number(reply.headers['retry-after']) > 0)
      assert.equal(reply.headers['ratelimit-limit'], '5')
      for (const path of ['/healthz', '/readyz']) assert.equal((await ask(path)).status, 200, path)
      assert.equal((await limited.get('/v1/collections')).status, 200, 'the API is no public page')
    } finally {
      await limited.close()
    }
  })

  test('the server answers 429 to an IP address above the limit of unknown paths, for unknown paths only', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '5' } })
    try {
      const ask = (url: string, key: string | null) => limited.call({ method: 'GET', url, key })
      const paths = ['/pin', '/v1/nothing', '/v1/collections/%zz', '/pin', `/v1/collections/${'a'.repeat(300)}`]
      for (const path of paths) {
        const reply = await ask(path, null)
        refused(reply, 404, 'not_found')
        assert.equal(reply.headers['ratelimit-limit'], '5')
      }
      for (const path of [...paths, `/pin${'%5C'.repeat(5_000)}`]) {
        const reply = await ask(path, limited.sandbox_key)
        refused(reply, 429, 'rate_limited')
        assert.ok(Number(reply.headers['retry-after']) > 0)
        assert.equal(reply.headers['ratelimit-remaining'], '0')
      }
      const page = await limited.call({ method: 'DELETE', url: `/pay/${'x'.repeat(5_000)}`, key: null })
      assert.equal(page.status, 429)
      assert.match(String(page.headers['content-type']), /text\/html/)
      assert.ok(Number(page.headers['retry-after']) > 0)
      assert.ok(!page.text.includes('xxxx'), 'a page repeats no long path')
      const warned = limited.deps.logged.filter((line) => (JSON.parse(line) as { level: unknown }).level !== 'info')
      assert.deepEqual(warned, [], 'the server answers each request once')
      assert.equal((await limited.get('/v1/collections')).status, 200)
      assert.equal((await ask('/openapi.json', null)).status, 200)
    } finally {
      await limited.close()
    }
  })

  test('the server answers a path of 15 KB of backslashes in less than 0.5 s of CPU time, and logs 512 of its characters', async () => {
    const logging = await createWorld({ env: { LOG_LEVEL: 'info' } })
    try {
      const before = process.cpuUsage()
      refused(await logging.call({ method: 'GET', url: `/pin${'\\'.repeat(15_000)}`, key: null }), 404, 'not_found')
      const { user } = process.cpuUsage(before)
      assert.ok(user < 500_000, `the answer took ${user} µs of CPU time`)
      const lines = logging.deps.logged.filter((line) => line.includes('/pin'))
      assert.equal(lines.length, 1)
      assert.equal((JSON.parse(lines[0] as string) as { path: string }).path.length, 512)
    } finally {
      await logging.close()
    }
  })

  test('the server limits the rate of callbacks separately from other requests', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '2', RATE_LIMIT_CALLBACKS: '4' } })
    try {
      const call = () => limited.call({ method: 'POST', url: '/callbacks/mock', payload: 'x', key: null })
      for (let i = 0; i < 4; i++) refused(await call(), 403, 'forbidden')
      refused(await call(), 429, 'rate_limited')
      assert.equal((await limited.call({ method: 'GET', url: '/openapi.json', key: null })).status, 200)
    } finally {
      await limited.close()
    }
  })

  test('the server looks up no key for an IP address with too many wrong keys, and accepts keys that were valid there before', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '5' } })
    const statements: string[] = []
    const deps = testDeps(limited.url, {
      env: { RATE_LIMIT_PER_ADDRESS: '5' },
      before: (name) => void statements.push(name),
    })
    const system = await compose(deps)
    const get = async (key: string) =>
      (await system.app.inject({ method: 'GET', url: '/v1/collections', headers: { authorization: `Bearer ${key}` } }))
        .statusCode
    try {
      assert.equal(await get(limited.sandbox_key), 200)
      const guess = () => newPlaintextKey(deps.config, deps.random, 'live')
      for (let i = 0; i < 5; i++) assert.equal(await get(guess()), 401)
      assert.equal(await get(guess()), 429)
      statements.length = 0
      for (let i = 0; i < 5; i++) assert.equal(await get(guess()), 429)
      assert.deepEqual(statements, [])
      for (let i = 0; i < 10; i++) assert.equal(await get(limited.sandbox_key), 200)
    } finally {
      for (const task of system.tasks) await task.idle()
      await system.app.close()
      await system.close()
      await deps.close()
      await limited.close()
    }
  })

  test('the server answers 429 with Retry-After and RateLimit headers to a key above its limit, and accepts another key', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_KEY: '5' } })
    try {
      for (let left = 4; left >= 0; left--) {
        const reply = await limited.get('/v1/collections')
        assert.equal(reply.status, 200)
        assert.equal(reply.headers['ratelimit-limit'], '5')
        assert.equal(reply.headers['ratelimit-remaining'], String(left))
      }
      const reply = await limited.get('/v1/collections')
      refused(reply, 429, 'rate_limited')
      assert.ok(Number(reply.headers['retry-after']) > 0 && Number(reply.headers['retry-after']) <= 60)
      assert.equal(reply.headers['ratelimit-remaining'], '0')
      assert.ok(Number(reply.headers['ratelimit-reset']) > 0)
      assert.equal((await limited.get('/v1/collections', limited.live_key)).status, 200)
      const refused_push = await limited.post(PUSH, BODY, { idempotency_key: 'limited' })
      refused(refused_push, 429, 'rate_limited')
      assert.equal((await limited.rows('select 1 from idempotency_keys')).length, 0, 'a limited request stores nothing')
    } finally {
      await limited.close()
    }
  })

  test('the server limits all keys of a merchant in one environment together, and no other merchant or environment', async () => {
    const env = {
      RATE_LIMIT_PER_KEY: '4',
      RATE_LIMIT_PER_MERCHANT_SANDBOX: '6',
      RATE_LIMIT_PER_MERCHANT_LIVE: '8',
    }
    const limited = await createWorld({ env })
    try {
      const [first, second] = [limited.sandbox_key, await limited.newKey()]
      const ask = async (key: string) => {
        const reply = await limited.get('/v1/collections', key)
        return [reply.status, reply.headers['ratelimit-limit'], reply.headers['ratelimit-remaining']]
      }
      for (const left of ['3', '2', '1', '0']) assert.deepEqual(await ask(first), [200, '4', left])
      for (let i = 0; i < 3; i++) {
        assert.deepEqual(await ask(first), [429, '4', '0'], 'a request above the limit of its key')
      }
      // The four requests of the first key count, and the three refused requests do not count.
      for (const left of ['1', '0']) assert.deepEqual(await ask(second), [200, '6', left])
      const refused_push = await limited.post(PUSH, BODY, { key: second, idempotency_key: 'limited' })
      refused(refused_push, 429, 'rate_limited')
      assert.match(refused_push.body.error.message, /sandbox API keys of this merchant may send 6 requests a minute/)
      assert.ok(Number(refused_push.headers['retry-after']) > 0 && Number(refused_push.headers['retry-after']) <= 60)
      assert.ok(Number(refused_push.headers['ratelimit-reset']) > 0)
      assert.equal((await limited.rows('select 1 from idempotency_keys')).length, 0, 'a limited request stores nothing')
      assert.deepEqual(await ask(limited.live_key), [200, '4', '3'], 'the other environment has its own limit')
      const stranger = await limited.newKey({ merchant: await limited.newMerchant() })
      assert.deepEqual(await ask(stranger), [200, '4', '3'], 'another merchant has its own limit')
    } finally {
      await limited.close()
    }
  })

  test('the server limits an IP address with wrong keys, but not the valid keys from the same IP address', async () => {
    const limited = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '5' } })
    try {
      const bad = () => limited.get('/v1/collections', `${limited.sandbox_key.slice(0, -1)}!`)
      assert.equal((await limited.get('/v1/collections')).status, 200)
      for (let i = 0; i < 5; i++) assert.equal((await bad()).status, 401)
      const reply = await bad()
      refused(reply, 429, 'rate_limited')
      assert.ok(Number(reply.headers['retry-after']) > 0)
      for (let i = 0; i < 10; i++) assert.equal((await limited.get('/v1/collections')).status, 200)
    } finally {
      await limited.close()
    }
  })
})

describe('failures of the server', () => {
  for (const [name, failure, status, code] of [
    [
      'the database is unreachable',
      Object.assign(new Error('connection refused to db-7.internal'), { code: 'ECONNREFUSED' }),
      503,
      'service_unavailable',
    ],
    [
      'the database takes too long',
      Object.assign(new Error('canceling statement on db-7.internal'), { code: '57014' }),
      503,
      'service_unavailable',
    ],
    ['the server has a bug', new TypeError('cannot read x of undefined at db-7.internal'), 500, 'internal_error'],
  ] as const) {
    test(`the server answers ${status} ${code} without internal details when ${name}, and the client can send the request again`, async () => {
      let broken = false
      const deps = testDeps(world.url, {
        before: (statement) => {
          if (broken && statement !== '') throw failure
        },
      })
      const system = await compose(deps)
      const idempotency_key = crypto.randomUUID()
      const push = () =>
        system.app.inject({
          method: 'POST',
          url: PUSH,
          payload: BODY,
          headers: { authorization: `Bearer ${world.sandbox_key}`, 'idempotency-key': idempotency_key },
        })
      try {
        broken = true
        const reply = await push()
        assert.equal(reply.statusCode, status)
        assert.deepEqual(Object.keys(reply.json()), ['success', 'error'])
        assert.equal(reply.json().error.code, code)
        assert.equal(reply.json().error.details, null)
        assert.ok(!reply.body.includes('internal.') && !reply.body.includes('db-7'))
        if (status === 503) assert.ok(Number(reply.headers['retry-after']) >= 1)
        assert.equal(
          (await system.app.inject({ method: 'GET', url: '/healthz' })).statusCode,
          200,
          'the process itself is alive',
        )
        assert.equal(
          (await system.app.inject({ method: 'GET', url: '/readyz' })).statusCode,
          503,
          'the process takes no requests',
        )
        const line = deps.logged.find((text) => text.includes('db-7.internal'))
        assert.ok(line?.includes(String(reply.headers['x-request-id'])), 'the log names the request')
        broken = false
        assert.equal((await push()).statusCode, 202)
      } finally {
        broken = false
        for (const task of system.tasks) await task.idle()
        await system.app.close()
        await system.close()
        await deps.close()
      }
    })
  }

  test('the server answers a request on a kept-alive connection while the process closes, and then closes the connection', async () => {
    const deps = testDeps(world.url)
    const system = await compose(deps)
    const held = Promise.withResolvers<void>()
    const [begun, closing, second] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    assert.ok(begun && closing && second)
    system.app.get('/held', { config: { access: 'public', limit: 'none' } }, async () => {
      begun.resolve()
      await held.promise
      return {}
    })
    system.app.addHook('preClose', async () => closing.resolve())
    system.app.server.on('request', ({ url }) => url === '/public/payment-links/x' && second.resolve())
    await system.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = system.app.server.address() as { port: number }
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const ended = new Promise((resolve) => socket.once('close', resolve))
    try {
      const first = 'GET /held HTTP/1.1\r\nhost: x\r\n\r\n'
      socket.write(first)
      await begun.promise
      const closed = system.app.close()
      await closing.promise
      // The second request on the connection reaches a process that is closing.
      socket.write('GET /public/payment-links/x HTTP/1.1\r\nhost: x\r\n\r\n')
      await second.promise
      held.resolve()
      await closed
      await ended
      const answer = text.slice(text.lastIndexOf('HTTP/1.1 '))
      assert.match(answer, /^HTTP\/1\.1 404 /)
      assert.match(answer, /^connection: close\r$/im)
      assert.match(answer, /^access-control-allow-origin: \*\r$/im, 'a page of another origin may read the answer')
      const { success, error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
      assert.deepEqual([success, error.code], [false, 'not_found'])
    } finally {
      socket.destroy()
      await system.close()
      await deps.close()
    }
  })

  test('a stopping process answers 503 to /readyz', async () => {
    const deps = testDeps(world.url)
    const system = await compose(deps, { draining: () => true })
    try {
      const reply = await system.app.inject({ method: 'GET', url: '/readyz' })
      assert.equal(reply.statusCode, 503)
      assert.equal(reply.json().error.code, 'service_unavailable')
    } finally {
      await system.app.close()
      await system.close()
      await deps.close()
    }
  })
})

test('a call that needs no body accepts an empty body with the JSON content type', async () => {
  const made = await world.post('/v1/collections/wallet-push', { amount: '5000', phone: '0754123001' })
  const refreshed = await world.call({
    method: 'POST',
    url: `/v1/collections/${made.body.data.collection_id}/refresh-status`,
    headers: { 'content-type': 'application/json' },
    payload: '',
  })
  assert.equal(refreshed.status, 200)
})
