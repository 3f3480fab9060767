// Tests outgoing requests of webhooks: the address guard, and the limits of one request.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { inSteps } from '../../../test/steps.ts'
import { checkDestination, createPublicLookup, isPublicAddress, type Lookup } from './address-guard.ts'
import { createOutgoing } from './outgoing.ts'

const PUBLIC = '93.184.216.34'

/**
 * Resolves the host names of these tests. `rebind.test` has a public address at the first look-up and a private address
 * afterwards.
 */
function tableLookup(): Lookup {
  const lookups = new Map<string, number>()
  const table: Record<string, (time: number) => string[]> = {
    localhost: () => ['127.0.0.1', '::1'],
    'localhost.': () => ['127.0.0.1'],
    'rebind.test': (time) => [time === 0 ? PUBLIC : '127.0.0.1'],
    'private.test': () => ['10.0.0.1'],
    'mixed.test': () => [PUBLIC, '192.168.1.1'],
    'mapped.test': () => ['::ffff:127.0.0.1'],
    'public.test': () => [PUBLIC],
    // A local name may resolve to any address, because the guard refuses the name itself.
    ...Object.fromEntries(LOCAL_NAMES.map((name) => [name, () => [PUBLIC]])),
  }
  return async (hostname) => {
    const time = lookups.get(hostname) ?? 0
    lookups.set(hostname, time + 1)
    const addresses = table[hostname]?.(time)
    if (!addresses) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
}

const LOCAL_NAMES = [
  'intranet',
  'db',
  'shop.localhost',
  'metadata.google.internal',
  'metadata.google.internal.',
  'printer.local',
  'nas.lan',
]

const INTERNAL_HOSTS = [
  '127.0.0.1',
  '[::ffff:127.0.0.1]',
  '[::1]',
  '0177.0.0.1',
  '2130706433',
  '0x7f.1',
  'localhost',
  'localhost.',
  '127.1',
  '127.0.0.1.',
  '0',
  '①②⑦.⓪.⓪.①',
  '[::ffff:7f00:1]',
  '[::]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:4136::1]',
  '[4000::1]',
  '[1::1]',
  '[fec0::1]',
  ...LOCAL_NAMES,
  'METADATA.GOOGLE.INTERNAL.',
  'private.test',
  'mixed.test',
  'mapped.test',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '169.254.169.254',
  '[fe80::1]',
  '[fd00::1]',
  '[ff02::1]',
  '100.64.0.1',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

describe('address guard', () => {
  let internal: Receiver
  let port: string
  before(async () => {
    internal = await startReceiver()
    port = new URL(internal.url).port
  })
  after(() => internal.close())

  test('the address guard blocks each listed spelling of an internal address before the client sends a byte', async () => {
    const outgoing = createOutgoing({ allow_private: false, lookup: tableLookup() })
    for (const host of INTERNAL_HOSTS) {
      const answer = await outgoing.post(`http://${host}:${port}/`, [], '{}', 2_000)
      assert.deepEqual(answer, { status_code: null, response_body: null, error: 'blocked_destination' }, host)
    }
    await outgoing.close()
    assert.equal(internal.received.length, 0)
  })

  test('the server refuses each listed spelling of an internal address in a configuration', async () => {
    for (const host of INTERNAL_HOSTS) {
      const options = { allow_private: false, https_only: false, lookup: tableLookup() }
      const problem = await checkDestination(`http://${host}:${port}/`, options)
      assert.match(problem ?? 'accepted', /public internet/, host)
    }
  })

  test('the address guard blocks a name that resolves to a private address after its configuration', async () => {
    const lookup = tableLookup()
    const url = `http://rebind.test:${port}/`
    assert.equal(await checkDestination(url, { allow_private: false, https_only: false, lookup }), null)
    const outgoing = createOutgoing({ allow_private: false, lookup })
    for (const _ of [1, 2]) assert.equal((await outgoing.post(url, [], '{}', 2_000)).error, 'blocked_destination')
    await outgoing.close()
    assert.equal(internal.received.length, 0)
  })

  test('checkDestination accepts http and https, and only https when the caller requires https', async () => {
    const check = (url: string, https_only = false) =>
      checkDestination(url, { allow_private: false, https_only, lookup: tableLookup() })
    assert.match((await check('ftp://public.test/')) ?? '', /https:\/\/ or http:/)
    assert.match((await check('http://public.test/', true)) ?? '', /must begin with https:/)
    assert.match((await check('https://user:pw@public.test/')) ?? '', /user name or password/)
    assert.match((await check('https://127.0.0.1%00.example.test/')) ?? '', /complete URL/)
    assert.match((await check('/hook')) ?? '', /complete URL/)
    assert.equal(await check('https://public.test/hook?a=1', true), null)
    assert.equal(await check('https://not-yet.test/'), null, 'the check accepts a name that does not resolve yet')
    assert.equal(await checkDestination('http://127.0.0.1/', { allow_private: true, https_only: false }), null)
  })

  test('production refuses webhooks to ports of other services, and accepts the usual ports of web servers', async () => {
    const check = (url: string, https_only = true) =>
      checkDestination(url, { allow_private: false, https_only, lookup: tableLookup() })
    for (const port of [1, 22, 25, 81, 1023, 3306, 5432, 6379, 9200, 11211, 27017]) {
      assert.match((await check(`https://public.test:${port}/`)) ?? 'accepted', /such as 8443/, String(port))
    }
    for (const port of ['', ':80', ':443', ':1024', ':8080', ':8443', ':65535']) {
      assert.equal(await check(`https://public.test${port}/hook`), null, port)
    }
    assert.equal(await check('http://public.test:22/', false), null, 'outside of production')
  })

  test('isPublicAddress accepts only global unicast addresses', () => {
    for (const address of ['8.8.8.8', '2606:4700::1111']) assert.equal(isPublicAddress(address), true, address)
    for (const address of ['', 'example', '::ffff:8.8.8.8', 'fe80::1%eth0', '4000::1', '1fff::1', '5f00::1', 'fec0::1'])
      assert.equal(isPublicAddress(address), false)
  })
})

/** Starts a name server that answers for `healthy.test` and for no other name. */
async function startNameServer(t: TestContext): Promise<{ address: string; queried: Set<string> }> {
  const queried = new Set<string>()
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    // The header has twelve bytes. Then come the parts of the name with their lengths, a zero, the type and the class.
    const parts: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      parts.push(query.subarray(at + 1, at + 1 + length).toString('latin1'))
      at += 1 + length
    }
    queried.add(parts.join('.'))
    if (parts.join('.') !== 'healthy.test') return
    const is_v4 = query.readUInt16BE(at + 1) === 1
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(is_v4 ? 1 : 0, 6)
    header.writeUInt16BE(0, 8)
    header.writeUInt16BE(0, 10)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...PUBLIC.split('.').map(Number)])
    server.send(
      Buffer.concat([header, query.subarray(12, at + 5), ...(is_v4 ? [answer] : [])]),
      from.port,
      from.address,
    )
  })
  await new Promise<void>((done) => server.bind(0, '127.0.0.1', done))
  t.after(() => server.close())
  return { address: `127.0.0.1:${server.address().port}`, queried }
}

test('the public look-up resolves a name within 500 ms while 100 other names get no answer', async (t) => {
  const names = await startNameServer(t)
  const lookup = createPublicLookup([names.address])
  const silent = Array.from({ length: 100 }, (_, i) => `silent-${i}.test`)
  const waiting = silent.map((name) => assert.rejects(lookup(name), { code: 'ENOTFOUND' }))
  while (names.queried.size < silent.length) await new Promise((done) => setTimeout(done, 5))
  const { result, took_ms } = await inSteps(lookup('healthy.test'))
  assert.deepEqual(result, [{ address: PUBLIC, family: 4 }])
  // Each of the other lookups waits for three seconds.
  assert.ok(took_ms < 500, `the lookup took ${took_ms} ms`)
  await Promise.all(waiting)
})

describe('outgoing requests', () => {
  const outgoing = createOutgoing({ allow_private: true })
  let receiver: Receiver
  before(async () => {
    receiver = await startReceiver()
  })
  beforeEach(() => {
    receiver.received.length = 0
  })
  after(async () => {
    await outgoing.close()
    await receiver.close()
  })

  test('an outgoing request sends the body unchanged and returns the response', async () => {
    receiver.reply = { kind: 'status', status: 201, body: 'thanks' }
    const answer = await outgoing.post(`${receiver.url}?a=1`, ['x-one', '1'], '{"a":"é"}', 2_000)
    assert.deepEqual(answer, { status_code: 201, response_body: 'thanks', error: null })
    const [request] = receiver.received
    assert.equal(request?.method, 'POST')
    assert.equal(request?.path, '/hook?a=1')
    assert.equal(request?.headers['x-one'], '1')
    assert.equal(request?.body, '{"a":"é"}')
  })

  test('an outgoing request returns a redirect and does not follow the redirect', async () => {
    receiver.reply = { kind: 'status', status: 302, headers: { location: receiver.url } }
    assert.equal((await outgoing.post(receiver.url, [], '{}', 2_000)).status_code, 302)
    assert.equal(receiver.received.length, 1)
  })

  for (const kind of ['hang', 'drip'] as const) {
    test(`an outgoing request ends after its timeout when the receiver is of kind ${kind}`, async () => {
      receiver.reply = { kind }
      const start = performance.now()
      const { result, took_ms } = await inSteps(outgoing.post(receiver.url, [], '{}', 300))
      assert.equal(result.error, 'timeout')
      assert.ok(performance.now() - start > 250, 'the request waited for its timeout')
      assert.ok(took_ms < 1_000, `${took_ms} ms`)
    })
  }

  test('an outgoing request keeps the first 16 KiB of an endless response and stops reading', async () => {
    receiver.reply = { kind: 'endless' }
    const answer = await outgoing.post(receiver.url, [], '{}', 2_000)
    assert.equal(answer.error, null)
    assert.equal(answer.response_body?.length, 16_384)
    // The receiver never stops writing, so the client must end the request.
    await receiver.waitClosed()
  })

  test('an outgoing request replaces NUL in a response so that the database can store the response', async () => {
    receiver.reply = { kind: 'status', status: 200, body: 'a\0b' }
    assert.equal((await outgoing.post(receiver.url, [], '{}', 2_000)).response_body, 'a\ufffdb')
  })

  test('an outgoing request reports a lost or refused connection, a TLS error, an unknown host and an invalid URL as short codes', async () => {
    receiver.reply = { kind: 'reset' }
    assert.equal((await outgoing.post(receiver.url, [], '{}', 2_000)).error, 'connection_reset')
    const gone = await startReceiver()
    await gone.close()
    for (const _ of [1, 2]) assert.equal((await outgoing.post(gone.url, [], '{}', 2_000)).error, 'connection_refused')
    const https = receiver.url.replace('http:', 'https:')
    assert.equal((await outgoing.post(https, [], '{}', 2_000)).error, 'tls_error')
    const nameless = createOutgoing({ allow_private: true, lookup: tableLookup() })
    assert.equal((await nameless.post('http://nowhere.test/', [], '{}', 2_000)).error, 'dns_not_found')
    assert.equal((await nameless.post('nonsense', [], '{}', 2_000)).error, 'invalid_url')
    await nameless.close()
  })
})
