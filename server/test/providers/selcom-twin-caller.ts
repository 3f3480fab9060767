// Helpers for the tests of Selcom's twin: a client that signs its requests, and a receiver of callbacks.

import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SettableClock, settableClock } from '../../src/kernel/lib/index.ts'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../twins/selcom/index.ts'

const WAIT_MS = 30_000

/** The start time of a test. */
export const START = new Date('2026-03-01T09:00:00Z')
/** The Timestamp header for the start time. */
export const START_TEXT = '2026-03-01T12:00:00+03:00'

/** The fields of a request, in the order in which the client signs them. */
export type Fields = Record<string, string | number>

/** A response. If the body is not JSON, `json` is null. */
export type TwinResponse = {
  status: number
  text: string
  headers: IncomingHttpHeaders
  json: Record<string, unknown> | null
}

/** Returns the text that a client signs. This helper shares no code with the twin. */
export function textToSign(timestamp: string, fields: Fields): string {
  let text = `timestamp=${timestamp}`
  for (const name of Object.keys(fields)) text += `&${name}=${fields[name]}`
  return text
}

/** Returns the digest of a text. This helper shares no code with the twin. */
export function sign(key: string | Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64')
}

/** Returns the headers of a request, by default with a valid signature. */
export function headersFor(account: Simulator['account'], timestamp: string, fields: Fields): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    Authorization: `SELCOM ${Buffer.from(account.api_key).toString('base64')}`,
    'Digest-Method': 'HS256',
    Digest: sign(account.api_secret, textToSign(timestamp, fields)),
    Timestamp: timestamp,
    'Signed-Fields': Object.keys(fields).join(','),
  }
}

/** Sends a request. If no complete response arrives, the promise rejects. */
export function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | null,
  signal?: AbortSignal,
): Promise<TwinResponse> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, ...(signal ? { signal } : {}) }
    const outgoing = request(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers, json: jsonOf(text) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body ?? undefined)
  })
}

/** A twin with a separate clock, and functions that send requests to the twin. */
export type TwinRig = {
  simulator: Simulator
  clock: SettableClock
  /** Sends a signed request. `changes` replaces headers. An empty value removes the header. */
  call(method: string, path: string, fields: Fields, changes?: Record<string, string>): Promise<TwinResponse>
  /** Sends a signed request. The test can abort the request. */
  callUntil(signal: AbortSignal, method: string, path: string, fields: Fields): Promise<TwinResponse>
  control(method: string, path: string, content?: unknown, token?: string): Promise<TwinResponse>
  close(): Promise<void>
}

/** Starts a twin for a test. */
export async function startRig(options: SimulatorOptions = {}): Promise<TwinRig> {
  const clock = settableClock(START)
  const simulator = await startSimulator({ clock, ...options })
  const go = (
    method: string,
    path: string,
    fields: Fields,
    changes: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<TwinResponse> => {
    const timestamp = `${new Date(clock.now().getTime() + 3 * 3_600_000).toISOString().slice(0, 19)}+03:00`
    const headers = { ...headersFor(simulator.account, timestamp, fields), ...changes }
    for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name]
    const query = new URLSearchParams(textsOf(fields))
    const url = `${simulator.url}${path}${method === 'POST' ? '' : `?${query}`}`
    return send(url, method, headers, method === 'POST' ? JSON.stringify(fields) : null, signal)
  }
  return {
    simulator,
    clock,
    call: (method, path, fields, changes = {}) => go(method, path, fields, changes),
    callUntil: (signal, method, path, fields) => go(method, path, fields, {}, signal),
    control: (method, path, content, token = simulator.control_token) => {
      const body = content === undefined ? null : JSON.stringify(content)
      return send(simulator.control_url + path, method, { authorization: `Bearer ${token}` }, body)
    },
    close: () => simulator.close(),
  }
}

/** A callback that the receiver recorded. */
export type ReceivedCallback = { path: string; headers: Record<string, string>; body: Record<string, string> }

/** Starts a receiver that answers with the statuses of `answers` in turn, and with 200 after the last status. */
export async function startReceiver(answers: number[] = []) {
  const received: ReceivedCallback[] = []
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.on('data', (chunk) => {
      text += chunk
    })
    incoming.on('end', () => {
      const headers = incoming.headers as Record<string, string>
      received.push({ path: incoming.url ?? '', headers, body: JSON.parse(text) as Record<string, string> })
      response.writeHead(answers.shift() ?? 200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    /** Returns the address of the receiver in base64, the form that an order contains. */
    webhook: (path = '/callback') => Buffer.from(`http://127.0.0.1:${port}${path}`).toString('base64'),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Repeats the assertion until it succeeds. After the time limit, throws the last error. */
export async function eventually(holds: () => void): Promise<void> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    try {
      holds()
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

/** Returns the fields of a valid order. */
export function orderOf(order_id: string, changes: Fields = {}): Fields {
  return {
    vendor: 'SIMTILL',
    order_id,
    buyer_email: 'payer@example.com',
    buyer_name: 'Asha Juma',
    buyer_phone: '255740000999',
    amount: 5000,
    currency: 'TZS',
    no_of_items: 1,
    ...changes,
  }
}

/** Returns the fields of a payout to a wallet. */
export function walletOf(transid: string, changes: Fields = {}): Fields {
  const rest = { amount: 15000, vendor: 'SIMFLOAT', pin: '0000' }
  return { transid, utilitycode: 'CASHIN', utilityref: '255680000999', ...rest, ...changes }
}

/** Returns the fields of a payout to a bank account. */
export function bankOf(transid: string, changes: Fields = {}): Fields {
  return {
    transid,
    recipientFiCode: 'CRDBBANK',
    recipientAccount: '0150000000999',
    recipientName: 'ASHA JUMA',
    senderAccount: 'M0001',
    senderName: 'DUKA LTD',
    amount: 250000,
    vendor: 'SIMFLOAT',
    pin: '0000',
    msisdn: '255740000002',
    purpose: 'BUSINESS',
    ...changes,
  }
}

/** Returns the only entry of a response's data. If the number of entries is not one, throws an error. */
export function dataOf({ json }: TwinResponse): Record<string, string | null> {
  const data = json?.data
  if (!Array.isArray(data) || data.length !== 1)
    throw new Error(`expected one entry of data, got ${JSON.stringify(json)}`)
  return data[0] as Record<string, string | null>
}

/** Returns the code and the result of a response, as `000 SUCCESS`. */
export function resultOf({ json }: TwinResponse): string {
  return `${json?.resultcode} ${json?.result}`
}

function textsOf(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

function jsonOf(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
