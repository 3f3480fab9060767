// The one way out for webhooks: HTTP to addresses that merchants choose, guarded, bounded in time and size.

import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { bareHost, isLocalName, isPublicAddress, type Lookup, publicLookup, systemLookup } from './address-guard.ts'

/**
 * What became of a request. `error` is a short stable word, or null when a whole answer came, whatever its status.
 * `status_code` may be there beside an error: the answer began but did not end in time.
 */
export type Answer = {
  status_code: number | null
  /** The first 16 KiB of the answer as text; null when none came. */
  response_body: string | null
  error: OutgoingError | null
}

/** Why no answer came. Says nothing about the inside of our network. */
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

/** Sends requests to the outside. */
export type Outgoing = {
  /**
   * Posts `body`. `headers` are names and values in turn. `timeout_ms` covers everything from looking up the name to
   * the last byte of the answer. Redirects are answers like any other: not followed. Never throws.
   */
  post(url: string, headers: string[], body: string, timeout_ms: number): Promise<Answer>
  close(): Promise<void>
}

/** Connections to one origin. As many as the deliverer sends at once: merchants who share a host never queue for it. */
const CONNECTIONS_MAX = 512
const CONNECT_TIMEOUT_MS = 8_000
const READ_BYTES_MAX = 64 * 1024
const KEPT_BYTES_MAX = 16 * 1024
/** Shorter than what servers usually allow, so that we seldom send on a connection which is just being closed. */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_MAX_MS = 60_000

const BLOCKED = 'BLOCKED_DESTINATION'
const CUT = new Error('cut')

/** Makes the way out. `allow_private` switches the address guard off: for development and for closed networks only. */
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
    // One timer per request bounds it all, in `post`.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    post: (url, headers, body, timeout_ms) => post(agent, url, headers, body, timeout_ms),
    close: () => agent.destroy(),
  }
}

function post(agent: Agent, url: string, headers: string[], body: string, timeout_ms: number): Promise<Answer> {
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
      resolve({ status_code, response_body: status_code === null ? null : textOf(chunks), error })
    }
    const timer = setTimeout(() => {
      settle('timeout')
      controller?.abort(CUT)
    }, timeout_ms)

    agent.dispatch(
      { origin: target.origin, path: target.pathname + target.search, method: 'POST', headers, body },
      {
        onRequestStart(started) {
          // The time may have run out while the connection was being made: then not a byte is sent any more.
          if (settled) started.abort(CUT)
          else controller = started
        },
        onResponseStart(_controller, code) {
          if (code >= 200) status_code = code
        },
        onResponseData(reading, chunk) {
          if (bytes < KEPT_BYTES_MAX) chunks.push(chunk)
          bytes += chunk.length
          if (bytes <= READ_BYTES_MAX) return
          // The answer is in its status; nobody needs the rest of a body without an end.
          settle(null)
          reading.abort(CUT)
        },
        onResponseEnd() {
          settle(null)
        },
        onResponseError(_controller, error) {
          settle(errorWord(error))
        },
      },
    )
  })
}

/** PostgreSQL keeps no NUL in a text. */
function textOf(chunks: readonly Buffer[]): string {
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  return bytes.subarray(0, KEPT_BYTES_MAX).toString('utf8').replaceAll('\0', '\ufffd')
}

/**
 * Three stages, because each alone can be passed by: an address written in the URL is never looked up; a name may
 * have one public and one private address, or another one at every question; and what counts in the end is where the
 * socket really leads.
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

const WORDS: Record<string, OutgoingError> = {
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

function errorWord(error: Error): OutgoingError {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const word = WORDS[code]
  if (word) return word
  if (TLS_CODE.test(code)) return 'tls_error'
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed'
}
