/**
 * Runs an external OpenID Connect issuer on loopback, with discovery, rotating keys, userinfo, and a record of the requests.
 */
import { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A key pair of an issuer, with its id and its algorithm. */
export type TestKey = { kid: string; alg: 'RS256' | 'ES256'; private_key: KeyObject; public_key: KeyObject }

/** An external OpenID Connect issuer that a test controls. */
export type TestIssuer = {
  url: string
  /** The published keys. The issuer signs with the first key. */
  keys: TestKey[]
  /** The requested paths, in order. */
  requested_paths: string[]
  /** Changes to the discovery document. */
  description: Record<string, unknown>
  /** The answers of the userinfo endpoint, by access token. */
  people: Map<string, Record<string, unknown>>
  /**
   * The fault of every response: a status, a closed connection, an endless response or no response. Null means normal
   * responses.
   */
  broken: number | 'hang up' | 'endless' | 'silent' | null
  /** Signs claims with the first key or with another key. The header names the algorithm of that key. */
  token(claims: Record<string, unknown>, header?: Record<string, unknown>, key?: TestKey): string
  close(): Promise<void>
}

/** Makes a new key pair with this id. */
export function newTestKey(kid: string, alg: TestKey['alg'] = 'RS256'): TestKey {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, alg, private_key: privateKey, public_key: publicKey }
}

/** Encodes a text, bytes, or a value as JSON, in base64url. */
export function part(value: unknown): string {
  const bytes = typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value)
  return Buffer.from(bytes as string).toString('base64url')
}

/** Makes a compact JWS from any key and any header, including combinations that no library would produce. */
export function compact(header: unknown, payload: unknown, key: Pick<TestKey, 'alg' | 'private_key'>): string {
  const input = `${part(header)}.${part(payload)}`
  const signature =
    key.alg === 'RS256'
      ? createSign('RSA-SHA256').update(input).sign(key.private_key)
      : sign('sha256', Buffer.from(input), { key: key.private_key, dsaEncoding: 'ieee-p1363' })
  return `${input}.${part(signature)}`
}

/** Starts an OpenID Connect issuer on a free port of loopback. */
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
    issuer.requested_paths.push(path)
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
    requested_paths: [],
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
