// Tests the rights of callers that send a body slowly, the limits of callers with many IP addresses, and forbidden names in
// bodies.

import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createWorld, type World } from '../../../test/harness.ts'

let world: World
before(async () => {
  world = await createWorld({ env: { RATE_LIMIT_PER_ADDRESS: '5', TRUST_PROXY: '127.0.0.1' } })
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
  // The body arrives after the server's copy of the rights has expired.
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
