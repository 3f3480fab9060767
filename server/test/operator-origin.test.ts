/**
 * Tests at which origins and addresses the console of operators and its calls exist, by OPERATOR_URL and OPERATOR_ALLOWED_IPS.
 * The test reads every operation from the OpenAPI document, so it includes new operations.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, type World } from './harness.ts'
import { authorizeUrl } from './sign-in.ts'

const OPERATORS = 'operators.example.tz'
const API = 'api.example.tz'
const OFFICE = '198.51.100.7'
const ELSEWHERE = '203.0.113.9'

type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  path: string
  kind: 'operators' | 'both' | 'rest'
}

let world: World
let token: string
let operations: Operation[]
before(async () => {
  world = await createWorld({
    env: {
      BASE_URL: `https://${API}`,
      OPERATOR_URL: `https://${OPERATORS}`,
      OPERATOR_ALLOWED_IPS: '198.51.100.0/24, 2001:db8::/32',
      TRUST_PROXY: '127.0.0.1',
    },
  })
  token = (await world.newSession('SUPER_ADMIN')).token
  operations = await readOperations()
})
after(() => world.close())

/**
 * The operations that both origins have: those that the console calls for every session, and the public operations that the
 * console or a probe calls.
 */
const BOTH = /^\/(healthz|readyz|v1\/(me|destinations|passkeys(\/.*)?|sessions?(\/.*)?))$/

async function readOperations(): Promise<Operation[]> {
  const document = (await at(API, OFFICE, '/openapi.json')).body
  return Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase() as Operation['method'],
      path: path.replaceAll(/\{\w+\}/g, () => randomUUID()),
      kind: path.startsWith('/v1/operator/') ? 'operators' : BOTH.test(path) ? 'both' : 'rest',
    })),
  )
}

/** Sends a request with the headers of a reverse proxy: the host and the address of the client. */
function at(host: string, address: string, url: string, method: Operation['method'] = 'GET'): Promise<Reply> {
  const headers = { host: 'localhost:3000', 'x-forwarded-host': host, 'x-forwarded-for': address }
  return world.call({ method, url, key: token, headers, idempotency_key: randomUUID() })
}

/** Returns true if the answer is that of a path without a route. */
function isUnknown({ status, body }: Reply): boolean {
  return status === 404 && body?.error.message === 'This resource does not exist. Check the path and the id.'
}

async function existing(host: string, address: string): Promise<Record<Operation['kind'], [boolean, string][]>> {
  const found: Record<Operation['kind'], [boolean, string][]> = { operators: [], both: [], rest: [] }
  for (const { method, path, kind } of operations) {
    const reply = await at(host, address, path, method)
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.text}`)
    // If an operation does not find its record, it counts as missing too, because the answer has the same text.
    found[kind].push([!isUnknown(reply), `${method} ${path}`])
  }
  return found
}

const names = (list: [boolean, string][], exists: boolean) =>
  list.filter(([is]) => is === exists).map(([, name]) => name.replaceAll(/[0-9a-f-]{36}/g, '{id}'))

test('the calls of operators exist only on the host of OPERATOR_URL, and the calls of merchants and payers do not exist there', async () => {
  const there = await existing(OPERATORS, OFFICE)
  assert.deepEqual(names(there.rest, true), [])
  assert.ok(names(there.operators, true).includes('GET /v1/operator/queue'))
  for (const name of ['GET /healthz', 'GET /readyz', 'GET /v1/me', 'GET /v1/destinations', 'GET /v1/session'])
    assert.ok(names(there.both, true).includes(name), name)
  const elsewhere = await existing(API, OFFICE)
  assert.deepEqual(names(elsewhere.operators, true), [])
  assert.ok(names(elsewhere.rest, true).length > 50)
})

test('for an address that OPERATOR_ALLOWED_IPS does not name, nothing but the probes exists on the host of operators', async () => {
  const { operators, both, rest } = await existing(OPERATORS, ELSEWHERE)
  assert.deepEqual(
    [names(operators, true), names(both, true), names(rest, true)],
    [[], ['GET /healthz', 'GET /readyz'], []],
  )
  assert.equal((await at(OPERATORS, '2001:db8::7', '/v1/operator/queue')).status, 200)
  assert.equal((await at(OPERATORS, `${OFFICE}, ${ELSEWHERE}`, '/v1/operator/queue')).status, 404)
})

test('the consoles, the documentation and the sign-in exist on one host each, and the server answers a hidden path like an unknown path', async () => {
  const status = async (host: string, path: string, address = OFFICE) => (await at(host, address, path)).status !== 404
  for (const path of ['/operator', '/operator/withdrawals']) {
    assert.deepEqual([await status(OPERATORS, path), await status(API, path)], [true, false], path)
    assert.equal(await status(OPERATORS, path, ELSEWHERE), false, path)
  }
  for (const path of ['/dashboard', '/docs', '/openapi.json', '/identity/sign-up', '/.well-known/openid-configuration'])
    assert.equal(await status(OPERATORS, path), false, path)
  for (const path of ['/dashboard', '/docs', '/identity/sign-up']) assert.equal(await status(API, path), true, path)
  const shape = ({ status, headers, body }: Reply) => [status, Object.keys(headers).sort(), body.error]
  const unknown = shape(await at(API, OFFICE, '/v1/unknown'))
  for (const path of ['/v1/operator/queue', '/operator', '/operator/assets/x.js'])
    assert.deepEqual(shape(await at(API, OFFICE, path)), unknown, path)
  assert.deepEqual(shape(await at(API, OFFICE, '/v1/operator/queue', 'DELETE')), unknown)
})

test('the server accepts the host of operators with its default port and in upper case, and ignores x-forwarded-host of untrusted clients', async () => {
  for (const host of [`${OPERATORS}:443`, OPERATORS.toUpperCase()])
    assert.equal((await at(host, OFFICE, '/v1/operator/queue')).status, 200, host)
  for (const host of [`${OPERATORS}:80`, `${OPERATORS}.`, `x@${OPERATORS}`, `www.${OPERATORS}`, ''])
    assert.equal((await at(host, OFFICE, '/v1/operator/queue')).status, 404, host)
  const headers = { host: API, 'x-forwarded-host': OPERATORS, 'x-forwarded-for': OFFICE }
  const remoteAddress = OFFICE
  assert.equal(
    (await world.call({ method: 'GET', url: '/v1/operator/queue', key: token, headers, remoteAddress })).status,
    404,
  )
})

test('the sign-in returns operators only to the host of OPERATOR_URL', async () => {
  const returns = async (origin: string) => {
    const { url } = authorizeUrl(`https://${API}`, { redirect_uri: `${origin}/operator/callback` }, 'operator')
    const { pathname, search } = new URL(url)
    return (await world.call({ method: 'GET', url: `${pathname}${search}`, key: null, headers: { host: API } })).status
  }
  assert.equal(await returns(`https://${OPERATORS}`), 303)
  assert.equal(await returns(`https://${API}`), 400)
  // The console exchanges its code from its own origin, which the token endpoint has to accept.
  const allowed = async (origin: string) => {
    const headers = { host: API, origin, 'content-type': 'application/x-www-form-urlencoded' }
    const payload = 'client_id=operator&grant_type=authorization_code'
    const reply = await world.call({ method: 'POST', url: '/identity/token', key: null, headers, payload })
    return reply.headers['access-control-allow-origin']
  }
  assert.equal(await allowed(`https://${OPERATORS}`), `https://${OPERATORS}`)
  assert.equal(await allowed('https://evil.example'), undefined)
})

test('without OPERATOR_URL, only the allowed addresses reach the calls of operators, and another address reaches /v1/me', async () => {
  const open = await createWorld({ url: world.url, env: { OPERATOR_ALLOWED_IPS: OFFICE } })
  try {
    const from = async (remoteAddress: string, url: string) =>
      (await open.call({ method: 'GET', url, key: token, remoteAddress })).status
    assert.deepEqual(
      [await from(OFFICE, '/v1/operator/queue'), await from(ELSEWHERE, '/v1/operator/queue')],
      [200, 404],
    )
    assert.deepEqual(
      [await from(`::ffff:${OFFICE}`, '/v1/operator/queue'), await from(ELSEWHERE, '/v1/me')],
      [200, 200],
    )
  } finally {
    await open.close()
  }
})
