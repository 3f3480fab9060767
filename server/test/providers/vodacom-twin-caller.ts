// Helpers for the tests of Vodacom's twin: a client that shares no code with the adapter, and a twin for each test.

import { constants, createPublicKey, publicEncrypt } from 'node:crypto'
import { request } from 'node:http'
import { type SettableClock, settableClock } from '../../src/kernel/lib/index.ts'
import { startVodacomTwin, type VodacomTwin, type VodacomTwinOptions } from '../../twins/vodacom/index.ts'
import { closing } from '../runner/closing.ts'

const KEY = 'an-api-key'
/** The short code with which the tests call the twin. */
export const CODE = '654321'

/** A response. If the body is not JSON, `json` is null. */
export type VodacomTwinResponse = {
  status: number
  text: string
  code: string | undefined
  json: Record<string, string> | null
}
/** Changes of a request. An empty value removes the header. */
export type Changes = { headers?: Record<string, string>; secret?: string; base?: string; body?: string }

/** A twin with a separate clock, and functions that send requests to the twin. */
export type VodacomTwinRig = {
  twin: VodacomTwin
  clock: SettableClock
  /** Sends a request with the API key or with the given changes. If no complete response arrives, the promise rejects. */
  send(method: string, path: string, fields: object, changes?: Changes): Promise<VodacomTwinResponse>
  openSession(): Promise<string>
  sealed(secret: string): string
}

/** Starts a twin for one test. */
export async function begin(options: VodacomTwinOptions = {}): Promise<VodacomTwinRig> {
  const clock = settableClock(new Date('2026-03-01T09:00:00Z'))
  const account = { api_key: KEY, service_provider_code: CODE }
  const twin = await startVodacomTwin({ clock, account, key_bits: 1024, float: 100_000n, ...options })
  closing.push(() => twin.close())
  const key = createPublicKey({ key: Buffer.from(twin.public_key, 'base64'), format: 'der', type: 'spki' })
  const sealed = (secret: string) =>
    publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(secret)).toString('base64')
  const send: VodacomTwinRig['send'] = (method, path, fields, changes = {}) => {
    const query = method === 'GET' && Object.keys(fields).length > 0 ? `?${new URLSearchParams({ ...fields })}` : ''
    const headers: Record<string, string> = {
      authorization: `Bearer ${sealed(changes.secret ?? KEY)}`,
      origin: '*',
      'content-type': 'application/json',
      ...changes.headers,
    }
    for (const [name, value] of Object.entries(headers)) if (value === '') delete headers[name]
    const body = method === 'GET' ? null : (changes.body ?? JSON.stringify(fields))
    return exchange(`${changes.base ?? twin.url}${path}${query}`, method, headers, body)
  }
  return {
    twin,
    clock,
    send,
    openSession: async () => (await send('GET', '/getSession/', {})).json?.output_SessionID ?? '',
    sealed,
  }
}

function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | null,
): Promise<VodacomTwinResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        const json = jsonOf(text)
        resolve({ status: response.statusCode ?? 0, text, json, code: json?.output_ResponseCode })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body ?? undefined)
  })
}

function jsonOf(text: string): Record<string, string> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

let last = 0

/** Returns the fields of a valid payment. */
export const c2b = (changes: object = {}) => ({
  input_Amount: '5000',
  input_CustomerMSISDN: '255754000001',
  input_Country: 'TZN',
  input_Currency: 'TZS',
  input_ServiceProviderCode: CODE,
  input_TransactionReference: 'T1234C',
  input_ThirdPartyConversationID: `conversation${++last}`,
  input_PurchasedItemsDesc: 'Shoes',
  ...changes,
})

/** Returns the fields of a valid payout. */
export const b2c = (changes: object = {}) => {
  const { input_PurchasedItemsDesc, ...fields } = c2b()
  return { ...fields, input_PaymentItemsDesc: 'Salary', ...changes }
}

/** Returns the fields of a valid status query. */
export const question = (reference: string, changes: object = {}) => ({
  input_QueryReference: reference,
  input_ServiceProviderCode: CODE,
  input_ThirdPartyConversationID: `question${++last}`,
  input_Country: 'TZN',
  ...changes,
})

/** Returns the fields of a valid reversal. */
export const reversal = (receipt: string) => ({
  input_TransactionID: receipt,
  input_Country: 'TZN',
  input_ServiceProviderCode: CODE,
  input_ThirdPartyConversationID: `reversal${++last}`,
})

/** The path of the gateway's call for payments. */
export const C2B = '/c2bPayment/singleStage/'
/** The path of the gateway's call for status queries. */
export const QUERY = '/queryTransactionStatus/'
