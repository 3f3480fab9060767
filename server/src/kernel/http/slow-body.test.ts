// Tests the rights of clients that send a body slowly, the limits of clients with many IP addresses or connections, and
// forbidden names in bodies.

import assert from 'node:assert/strict'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createWorld, type World } from '../../../test/harness.ts'
import { isAddressIn } from '../lib/index.ts'

let world: World
before(async () => {
  world = await createWorld({
    env: {
      RATE_LIMIT_PER_ADDRESS: '5',
      TRUST_PROXY: '127.0.0.1',
      CONNECTIONS_PER_ADDRESS: '2',
      CONNECTIONS_MAX: '10',
    },
  })
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => world.close())

test('the server refuses a member whom an administrator removes while the member sends the body', async () => {
  const { token, user_id } = await world.newSession('MERCHANT_ADMIN')
  const body = JSON.stringify({ name: 'Late', environment: 'live', scopes: ['collections:read'] })
  const { port } = world.system.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString()
  })
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.write(
    `POST /v1/merchant/api-keys HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body.slice(0, 1)}`,
  )
  // When the body arrives, the rights that the server has read are too old.
  await wait(600)
  await world.rows('delete from members where user_id = $1', [user_id])
  socket.write(body.slice(1))
  await closed
  assert.match(answer, /^HTTP\/1\.1 403 .*insufficient_role/s)
  assert.deepEqual(await world.rows("select 1 from api_keys where name = 'Late'"), [])
})

test('all IP addresses of one IPv6 network share one rate limit', async () => {
  const statuses: number[] = []
  for (let i = 1; i <= 8; i++) {
    const headers = { 'x-forwarded-for': `2001:db8:1:2::${i}`, authorization: 'Bearer nothing' }
    statuses.push((await world.call({ method: 'GET', url: '/v1/balance', key: null, headers })).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
  const elsewhere = { 'x-forwarded-for': '2001:db8:1:3::1', authorization: 'Bearer nothing' }
  assert.equal((await world.call({ method: 'GET', url: '/v1/balance', key: null, headers: elsewhere })).status, 401)
})

test('the server refuses a forbidden field name in a body, even with escaped letters', async () => {
  for (const name of ['__proto__', '__pr\\u006fto__', 'c\\u006fnstructor']) {
    const payload = `{"amount":"10","phone":"0754123001","${name}":{"admin":true}}`
    const headers = { 'content-type': 'application/json' }
    const reply = await world.call({
      method: 'POST',
      url: '/v1/collections/wallet-push',
      payload,
      headers,
      idempotency_key: name.slice(0, 9) + name.length,
    })
    assert.equal(reply.body.error.code, 'invalid_json', name)
  }
})

describe('limits of connections', () => {
  const sockets: Socket[] = []
  const open = (localAddress: string) => {
    const { port } = world.system.app.server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => {})
    sockets.push(socket)
    return socket
  }
  /** Sends a request over a connection. Returns the answer; an empty text means that the server closed the connection. */
  const ask = (socket: Socket) =>
    new Promise<string>((resolve) => {
      if (socket.destroyed) return resolve('')
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk.toString()
        if (answer.includes('\r\n\r\n')) resolve(answer)
      })
      socket.on('close', () => resolve(answer))
      socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    })
  const isClosed = (socket: Socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve))
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await Promise.all(sockets.map(isClosed))
  })

  test('the server immediately closes a third connection of one address, but not the connections of a trusted proxy', async () => {
    const [first, second, third] = ['127.0.0.2', '127.0.0.2', '127.0.0.2'].map(open) as [Socket, Socket, Socket]
    for (const socket of [first, second]) assert.match(await ask(socket), /^HTTP\/1\.1 200/)
    assert.equal(await ask(third), '')
    const warned = world.deps.logged.filter((line) => line.includes('the server closed new connections'))
    assert.equal(warned.length, 1)
    assert.equal((JSON.parse(warned[0] as string) as { address: string }).address, '127.0.0.2')
    for (let i = 0; i < 4; i++) {
      const answer = await ask(open('127.0.0.1'))
      assert.match(answer, /^HTTP\/1\.1 200/)
      assert.doesNotMatch(answer, /connection: close/i)
    }
    first.destroy()
    await isClosed(first)
    // The server detects the closed connection a moment later.
    let again = ''
    for (let i = 0; i < 100 && again === ''; i++) again = await ask(open('127.0.0.2'))
    assert.match(again, /^HTTP\/1\.1 200/)
  })

  test('the server closes each connection after its answer when few are free, and a new connection when none is free', async () => {
    await fillTo(9)
    const crowded = await ask(open('127.0.0.3'))
    assert.match(crowded, /^HTTP\/1\.1 200/)
    assert.match(crowded, /connection: close/i)
    await fillTo(10)
    assert.equal(await ask(open('127.0.0.4')), '')
  })
  const count = () =>
    new Promise<number>((resolve) => world.system.app.server.getConnections((_error, open_now) => resolve(open_now)))
  /** Opens connections without a request until the server has `wanted` connections. */
  async function fillTo(wanted: number): Promise<void> {
    for (let i = 0; i < 100 && (await count()) < wanted; i++) {
      open('127.0.0.1')
      await wait(20)
    }
    assert.equal(await count(), wanted)
  }
})

test('a trusted proxy is an address, a network or a named range of TRUST_PROXY', () => {
  const list = ['203.0.113.7', '198.51.100.0/24', 'loopback', 'uniquelocal', '2001:db8::/48']
  for (const [address, trusted] of [
    ['203.0.113.7', true],
    ['::ffff:203.0.113.7', true],
    ['203.0.113.8', false],
    ['198.51.100.255', true],
    ['198.51.101.0', false],
    ['127.9.9.9', true],
    ['::1', true],
    ['10.1.2.3', true],
    ['fd00::1', true],
    ['169.254.1.1', false],
    ['2001:db8:0:9::1', true],
    ['2001:db8:1::1', false],
    ['', false],
  ] as const) {
    assert.equal(isAddressIn(list, address), trusted, address)
  }
  assert.equal(isAddressIn([], '127.0.0.1'), false)
})
