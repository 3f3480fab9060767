// Runs the twin as an HTTP server. The tested server runs on the same machine, so the twin uses plain node:http, which needs
// little CPU time.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, sameSecret } from '../../src/kernel/lib/index.ts'
import { fieldsOf, fieldsOfQuery } from './check.ts'
import { control } from './control.ts'
import { handle, type Outcome } from './gateway.ts'
import type { Twin } from './twin.ts'

const BODY_MAX_BYTES = 64 * 1024
const KEEP_ALIVE_MS = 60_000
const GATEWAY = '/v1'
const CONTROL = '/control'
const BAD_GATEWAY = '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n'
const FORBIDDEN =
  '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected.</body></html>\n'

/** The address of the twin, and the token of its control API. */
export type Listening = { port: number; host: string; control_token: string }

/**
 * Starts the HTTP server of a twin. Resolves with its URL and the function that closes it when the server accepts connections.
 */
export async function listen(twin: Twin, options: Listening): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.sendDate = false
    readBody(request, (body) => answer(twin, options.control_token, request, response, body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Without this call, connections of unanswered requests would keep the server open.
      server.closeAllConnections()
      await closed
    },
  }
}

function answer(twin: Twin, token: string, request: IncomingMessage, response: ServerResponse, body: string): void {
  const { method = 'GET', url = '/', headers } = request
  const at = url.indexOf('?')
  const path = (at < 0 ? url : url.slice(0, at)).replace(/\/$/, '')
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at))
  if (path.startsWith(`${CONTROL}/`)) {
    const is_allowed = sameSecret(headers.authorization ?? '', `Bearer ${token}`)
    const [status, content] = is_allowed
      ? control(twin, method, path.slice(CONTROL.length), query, jsonOf(body))
      : [401, { error: 'the control API requires its own token as Authorization: Bearer TOKEN' }]
    sendText(response, [status, 'application/json', JSON.stringify(content, plain)])
  } else if (path.startsWith(`${GATEWAY}/`)) {
    const outcome = handle(twin, {
      method,
      path: path.slice(GATEWAY.length),
      address: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
      headers: headers as Record<string, string | undefined>,
      fields: method === 'POST' ? fieldsOf(jsonOf(body)) : fieldsOfQuery(query),
    })
    deliver(twin.clock, twin.settings.fault_delay_ms, response, outcome)
  } else sendText(response, [404, 'text/plain', 'not found\n'])
}

/** Sends the answer, or the result of the fault. */
function deliver(clock: Clock, delay_ms: number, response: ServerResponse, { reply, fault }: Outcome): void {
  const json = reply === null ? '' : JSON.stringify(reply.envelope)
  if (fault === 'hang_before' || fault === 'hang_after') return
  if (fault === 'reset_before') {
    response.socket?.resetAndDestroy()
  } else if (fault === 'reset_after') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) })
    response.write(halfOf(json), () => response.socket?.resetAndDestroy())
  } else if (fault === 'delay') {
    clock.after(delay_ms, () => sendText(response, [reply?.http ?? 500, 'application/json', json]))
  } else {
    sendText(response, spoilt(fault, json) ?? [reply?.http ?? 500, 'application/json', json])
  }
}

type Text = [status: number, type: string, text: string]

/** Returns the text that the caller gets because of the fault. Null means that the caller gets the normal answer. */
function spoilt(fault: Outcome['fault'], json: string): Text | null {
  switch (fault) {
    case 'html_before':
    case 'html_after':
      return [502, 'text/html', BAD_GATEWAY]
    case 'wall':
      return [403, 'text/html', FORBIDDEN]
    case 'limited':
      return [429, 'text/plain', 'Too Many Requests\n']
    case 'empty':
      return [200, 'application/json', '']
    case 'truncated':
      return [200, 'application/json', halfOf(json)]
    default:
      return null
  }
}

function halfOf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2))
}

/** Reads a body to its end. If the body is too long, closes the connection. */
function readBody(request: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > BODY_MAX_BYTES) request.socket.destroy()
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const [only] = chunks
    done((chunks.length === 1 && only ? only : Buffer.concat(chunks)).toString('utf8'))
  })
}

/** Parses a JSON text. If the text is no JSON, returns null. */
function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function sendText(response: ServerResponse, [status, type, text]: Text): void {
  // If the body is one string, node:http writes head and body together.
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
