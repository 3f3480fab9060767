// Runs the twin as an HTTP server. The tested server runs on the same machine, so the twin uses plain node:http, which needs
// little CPU time.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CONTROL, control } from './control.ts'
import { PAGE } from './door.ts'
import { handle, type Outcome } from './gateway.ts'
import type { Twin } from './twin.ts'

/** The path prefix of the gateway's calls: environment and market. */
export const BASE = '/sandbox/ipg/v2/vodacomTZN'
const BODY_MAX_BYTES = 64 * 1024
const KEEP_ALIVE_MS = 60_000
const JSON_TYPE = 'application/json'

type Text = [status: number, type: string, text: string]

const page = (status: number, title: string): Text => {
  return [status, 'text/html', `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`]
}
const PAGES = {
  bad_gateway: page(502, '502 Bad Gateway'),
  forbidden: page(403, 'Request Rejected'),
  unauthorized: page(401, '401 Authorization Required'),
}

/** The address of the twin, and the token of its control API. */
export type Listening = { port: number; host: string; control_token: string }

/** Starts the HTTP server of a twin. Resolves with its URLs and the function that closes it when the server accepts connections. */
export async function listen(
  twin: Twin,
  { port, host, control_token }: Listening,
): Promise<{ url: string; control_url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    response.sendDate = false
    readBody(request, (body) => void answer(twin, control_token, request, response, body))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: chosen } = server.address() as AddressInfo
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`
  return {
    url: `${origin}${BASE}`,
    control_url: `${origin}${CONTROL}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Without this call, connections of unanswered requests would keep the server open.
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  twin: Twin,
  control_token: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = request
  const { pathname, searchParams } = new URL(url, 'http://twin')
  if (pathname.startsWith(`${CONTROL}/`)) {
    const { authorization } = headers
    const path = pathname.slice(CONTROL.length)
    const [status, content] = control(twin, control_token, { method, path, authorization })
    return send(response, [status, JSON_TYPE, JSON.stringify(content, plain)])
  }
  const outcome = await handle(twin, {
    method,
    path: pathname.startsWith(`${BASE}/`) ? pathname.slice(BASE.length) : null,
    headers: headers as Record<string, string | undefined>,
    fields: method === 'GET' ? Object.fromEntries(searchParams) : jsonOf(body),
  })
  deliver(response, outcome)
}

/** Sends the answer, or the result of the fault. */
function deliver(response: ServerResponse, { reply, fault }: Outcome): void {
  if (fault === 'hang_before' || fault === 'hang_after') return
  const is_json = reply !== null && reply !== PAGE
  const json = is_json ? JSON.stringify(reply.content) : ''
  const http = is_json ? reply.http : 500
  if (fault === 'reset_before') {
    response.socket?.resetAndDestroy()
  } else if (fault === 'reset_after') {
    response.writeHead(http, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(json) })
    response.write(halfOf(json), () => response.socket?.resetAndDestroy())
  } else {
    const text = spoilt(fault, http, json) ?? (reply === PAGE ? PAGES.unauthorized : [http, JSON_TYPE, json])
    // If the twin sends no answer, the caller waits until its timeout.
    if (fault !== null || reply !== null) send(response, text)
  }
}

/** Returns the text that the caller gets because of the fault. Null means that the caller gets the normal answer. */
function spoilt(fault: Outcome['fault'], http: number, json: string): Text | null {
  switch (fault) {
    case 'html_before':
    case 'html_after':
      return PAGES.bad_gateway
    case 'error_before':
    case 'error_after':
      return [500, JSON_TYPE, '{"output_ResponseCode":"INS-1","output_ResponseDesc":"Internal Error"}']
    case 'empty':
      return [200, JSON_TYPE, '']
    case 'truncated':
      return [http, JSON_TYPE, halfOf(json)]
    case 'limited':
      return [429, 'text/plain', 'Too Many Requests\n']
    case 'wall':
      return PAGES.forbidden
    default:
      return null
  }
}

/** Writes a bigint as text, because JSON.stringify cannot write a bigint. */
function plain(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
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
  request.on('end', () => done(Buffer.concat(chunks).toString('utf8')))
}

/** Parses a JSON object or array. For any other text, returns null. */
function jsonOf(body: string): Record<string, unknown> | null {
  try {
    const content: unknown = JSON.parse(body)
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function send(response: ServerResponse, [status, type, text]: Text): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}
