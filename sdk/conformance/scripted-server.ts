// Runs a server for the conformance suite. It answers each case from the script of the case, and records the requests of the
// SDK.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the script. `reset` closes the connection without an answer. `silence` never answers. */
export type ScriptedAnswer =
  | 'reset'
  | 'silence'
  | {
      status: number
      headers?: Record<string, string>
      /** The data of a success envelope. */
      data?: unknown
      /** The error of a failure envelope. Without `message` and `details`, the server uses default values. */
      error?: { code: string; message?: string; details?: unknown }
      /** The body as text. `headers` has its content type. Without this header, the content type is text/html. */
      text?: string
    }

/**
 * A request that the server received. `since_ms` is the time since the end of the previous answer. Null means that this is the
 * first request.
 */
export type RecordedRequest = {
  method: string
  path: string
  query: [string, string][]
  headers: IncomingHttpHeaders
  body: string
  since_ms: number | null
}

/** A running scripted server, which listens on the loopback address. */
export type ScriptedServer = {
  /** Takes the answers of a case. Returns the address of the case, and the list of the requests that arrive there. */
  script(answers: readonly ScriptedAnswer[]): { base_url: string; requests: RecordedRequest[] }
  close(): Promise<void>
}

type Script = { answers: readonly ScriptedAnswer[]; requests: RecordedRequest[]; answered_at: number | null }

/**
 * Starts a scripted server on the loopback address. Each case has a separate path before /v1, so an SDK must keep the path of
 * its base URL.
 */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const scripts: Script[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answerRequest(scripts, request, Buffer.concat(chunks).toString('utf8'), response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    script(answers) {
      const script: Script = { answers, requests: [], answered_at: null }
      const number = scripts.push(script) - 1
      return { base_url: `${origin}/case-${number}`, requests: script.requests }
    },
    async close() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

function answerRequest(scripts: readonly Script[], request: IncomingMessage, body: string, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://scripted')
  const [, number = '', path = ''] = /^\/case-(\d+)(\/.*)$/.exec(url.pathname) ?? []
  const script = scripts[Number(number)]
  if (number === '' || script === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('No case has this path.')
    return
  }
  const answer = script.answers[script.requests.length] ?? { status: 500, text: 'The case has no further answer.' }
  script.requests.push({
    method: request.method ?? '',
    path,
    query: [...url.searchParams],
    headers: request.headers,
    body,
    since_ms: script.answered_at === null ? null : performance.now() - script.answered_at,
  })
  // Some runtimes repeat a request by themselves on a connection that they reuse. This would hide the retries of the SDK, so
  // the server closes each connection.
  response.setHeader('connection', 'close')
  response.once('close', () => {
    script.answered_at = performance.now()
  })
  if (answer === 'silence') return
  if (answer === 'reset') request.socket.destroy()
  else sendAnswer(answer, script.requests.length, response)
}

function sendAnswer(answer: Exclude<ScriptedAnswer, string>, count: number, response: ServerResponse) {
  const request_id = { 'x-request-id': `request-${count}` }
  if (answer.text !== undefined) {
    response.writeHead(answer.status, { 'content-type': 'text/html', ...answer.headers }).end(answer.text)
    return
  }
  const failure = { message: 'The scripted server refuses.', details: null, ...answer.error }
  const envelope =
    answer.error === undefined ? { success: true, data: answer.data } : { success: false, error: failure }
  const headers = { 'content-type': 'application/json', ...request_id, ...answer.headers }
  response.writeHead(answer.status, headers).end(JSON.stringify(envelope))
}
