// Sends requests to receivers outside of the platform, such as the webhooks of merchants. The client limits time and size.
// Unless the configuration allows private addresses, the client blocks these addresses.

import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { bareHost, isLocalName, isPublicAddress, type Lookup, publicLookup, systemLookup } from './address-guard.ts'

/**
 * The result of a request. `error` is a stable code. Null as `error` means that the answer arrived, with any status; the client
 * reads at most 64 KiB of its body. An error with a `status_code` means that the answer began but did not end.
 */
export type OutgoingResult = {
  status_code: number | null
  /** The first 16 KiB of the answer as text. Null means that no answer arrived. */
  response_body: string | null
  error: OutgoingError | null
}

/** The reason why no complete answer arrived. The reason reveals nothing about the private network. */
export type OutgoingError =
  | 'blocked_destination'
  | 'connection_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_not_found'
  | 'invalid_response'
  | 'invalid_url'
  | 'timeout'
  | 'tls_error'
  | 'unreachable'

/** The client that sends requests to receivers outside of the platform. */
export type Outgoing = {
  /**
   * Posts `body` and never throws. `headers` are alternating names and values. `timeout_ms` covers everything from the DNS
   * look-up to the last byte of the answer. The client follows no redirect.
   */
  post(url: string, headers: string[], body: string, timeout_ms: number): Promise<OutgoingResult>
  close(): Promise<void>
}

/**
 * The greatest number of connections per origin. It equals the greatest number of concurrent deliveries, so that merchants on
 * one host never wait for each other.
 */
const CONNECTIONS_MAX = 512
const CONNECT_TIMEOUT_MS = 8_000
const READ_BYTES_MAX = 64 * 1024
const KEPT_BYTES_MAX = 16 * 1024
/**
 * The keep-alive time in milliseconds. Most servers have a longer time, so the client rarely uses a connection that the server
 * closes.
 */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_MAX_MS = 60_000

const BLOCKED = 'BLOCKED_DESTINATION'
const ABORTED = new Error('aborted')

/**
 * Makes the client. `allow_private` disables the address guard, for development, closed networks and receivers that the
 * operator chooses.
 */
export function createOutgoing(options: { allow_private: boolean; lookup?: Lookup | undefined }): Outgoing {
  const agent = new Agent({
    connect: guardedConnector(
      options.allow_private,
      options.lookup ?? (options.allow_private ? systemLookup : publicLookup),
    ),
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    // `post` has one timer for each request, and this timer limits all phases.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    post: (url, headers, body, timeout_ms) => postTo(agent, url, headers, body, timeout_ms),
    close: () => agent.destroy(),
  }
}

function postTo(
  agent: Agent,
  url: string,
  headers: string[],
  body: string,
  timeout_ms: number,
): Promise<OutgoingResult> {
  const target = URL.parse(url)
  if (target === null) return Promise.resolve({ status_code: null, response_body: null, error: 'invalid_url' })
  return new Promise((resolve) => {
    let settled = false
    let status_code: number | null = null
    let controller: Dispatcher.DispatchController | null = null
    const chunks: Buffer[] = []
    let bytes = 0

    const settle = (error: OutgoingError | null) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      resolve({ status_code, response_body: status_code === null ? null : storedText(chunks), error })
    }
    const timer = setTimeout(() => {
      settle('timeout')
      controller?.abort(ABORTED)
    }, timeout_ms)

    agent.dispatch(
      { origin: target.origin, path: target.pathname + target.search, method: 'POST', headers, body },
      {
        onRequestStart(started) {
          // If the timeout ends before the connection exists, the client sends no byte.
          if (settled) started.abort(ABORTED)
          else controller = started
        },
        onResponseStart(_controller, code) {
          if (code >= 200) status_code = code
        },
        onResponseData(reading, chunk) {
          if (bytes < KEPT_BYTES_MAX) chunks.push(chunk)
          bytes += chunk.length
          if (bytes <= READ_BYTES_MAX) return
          // The client has the status and the part of the body that it stores. So it does not read the rest of a very long
          // body.
          settle(null)
          reading.abort(ABORTED)
        },
        onResponseEnd() {
          settle(null)
        },
        onResponseError(_controller, error) {
          settle(errorCodeOf(error))
        },
      },
    )
  })
}

/** Returns the text of an answer in a form that the database accepts. PostgreSQL cannot store NUL in a text. */
function storedText(chunks: readonly Buffer[]): string {
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  return bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\ufffd')
}

/**
 * The guard checks three times, because a merchant can bypass each single check. An address in the URL needs no look-up. A
 * name may resolve to public and private addresses, or to another address each time. The remote address of the socket is the
 * final check.
 */
function guardedConnector(allow_private: boolean, lookup: Lookup): buildConnector.connector {
  const resolve: LookupFunction = (hostname, options, done) => {
    lookup(hostname).then(
      (found) => {
        const [first] = found
        if (!first) return done(coded('ENOTFOUND'), '')
        if (!allow_private && !found.every((entry) => isPublicAddress(entry.address))) return done(coded(BLOCKED), '')
        if (options.all) done(null, found)
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, lookup: resolve })
  if (allow_private) return connect
  return (options, done) => {
    const host = bareHost(options.hostname)
    const refused = isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host)
    if (refused) return done(coded(BLOCKED), null)
    connect(options, (error, socket) => {
      if (error) return done(error, null)
      if (isPublicAddress(socket.remoteAddress ?? '')) return done(null, socket)
      socket.destroy()
      done(coded(BLOCKED), null)
    })
  }
}

function coded(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

const ERROR_CODES: Record<string, OutgoingError> = {
  [BLOCKED]: 'blocked_destination',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  ENOTFOUND: 'dns_not_found',
  EAI_AGAIN: 'dns_not_found',
  EAI_FAIL: 'dns_not_found',
  ENODATA: 'dns_not_found',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EPROTO: 'tls_error',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
  UND_ERR_INVALID_ARG: 'invalid_url',
}
const TLS_CODE = /^ERR_(?:TLS|SSL)|CERT|^(?:UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|CRL_)/

function errorCodeOf(error: Error): OutgoingError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const known = ERROR_CODES[code]
  if (known) return known
  if (TLS_CODE.test(code)) return 'tls_error'
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed'
}
