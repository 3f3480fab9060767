/** A foreign OpenID Connect issuer on loopback: discovery, keys that rotate, userinfo, and a count of who asks. */
import { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key pair as an issuer holds it. */
export type TestKey = { kid: string; alg: 'RS256' | 'ES256'; private_key: KeyObject; public_key: KeyObject }

/** A foreign OpenID Connect issuer that a test holds in its hands. */
export type TestIssuer = {
  url: string
  /** The keys that it publishes; the first one signs. */
  keys: TestKey[]
  /** Paths that were asked for, in order. */
  asked: string[]
  /** What is changed in its description. */
  description: Record<string, unknown>
  /** Who the userinfo endpoint tells about, by token. */
  people: Map<string, Record<string, unknown>>
  /** Answers every question with this status, or not at all. Null: as it should. */
  broken: number | 'hang up' | 'endless' | 'silent' | null
  /** Signs claims with the first key, or another, under a header of its kind. */
  token(claims: Record<string, unknown>, header?: Record<string, unknown>, key?: TestKey): string
  close(): Promise<void>
}

/** Makes a key pair. */
export function newTestKey(kid: string, alg: TestKey['alg'] = 'RS256'): TestKey {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, alg, private_key: privateKey, public_key: publicKey }
}

/** JSON, or bytes, in base64url. */
export function part(value: unknown): string {
  const bytes = typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)
  return Buffer.from(bytes as string).toString('base64url')
}

/** A compact JWS, signed with whatever key there is and under whatever header: also those that no library would write. */
export function compact(header: unknown, payload: unknown, key: Pick<TestKey, 'alg' | 'private_key'>): string {
  const input = `${part(header)}.${part(payload)}`
  const signature =
    key.alg === 'RS256'
      ? createSign('RSA-SHA256').update(input).sign(key.private_key)
      : sign('sha256', Buffer.from(input), { key: key.private_key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${part(signature)}`
}

/** Starts an issuer. */
export async function createTestIssuer(): Promise<TestIssuer> {
  const jwks = () => ({
    keys: issuer.keys.map(({ kid, alg, public_key }) => ({
      ...public_key.export({ format: 'jwk' }),
      kid,
      alg,
      use: 'sig',
    })),
  })
  const answer = (path: string, authorization: string, reply: ServerResponse): unknown => {
    if (path === '/realms/tz/.well-known/openid-configuration') {
      const { url } = issuer
      return { issuer: url, jwks_uri: `${url}/keys`, userinfo_endpoint: `${url}/me`, ...issuer.description }
    }
    if (path === '/realms/tz/keys') return jwks()
    const person = issuer.people.get(authorization.replace('Bearer ', ''))
    if (path === '/realms/tz/me' && person) return person
    reply.statusCode = path === '/realms/tz/me' ? 401 : 404
    return {}
  }
  const server = createServer((request, reply) => {
    const path = request.url ?? ''
    issuer.asked.push(path)
    if (issuer.broken === 'hang up') return void request.socket.destroy()
    if (issuer.broken === 'silent') return
    if (typeof issuer.broken === 'number') return void reply.writeHead(issuer.broken).end('{}')
    reply.setHeader('content-type', 'application/json')
    if (issuer.broken === 'endless') {
      const drip = () => reply.write(' '.repeat(64 * 1024)) && setImmediate(drip)
      reply.on('drain', drip)
      return void drip()
    }
    reply.end(JSON.stringify(answer(path, request.headers.authorization ?? '', reply)))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/tz`,
    keys: [newTestKey('first')],
    asked: [],
    description: {},
    people: new Map(),
    broken: null,
    token(claims, header = {}, key = issuer.keys[0] as TestKey) {
      return compact({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header }, claims, key)
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  return issuer
}
