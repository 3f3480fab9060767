// Sends signed requests to the gateway and classifies the answers. Because a request can contain a PIN, the client logs only
// the path and the reference of a request. The client removes secrets from an answer before it logs the answer.

import type { Clock, Log } from '../../../kernel/lib/index.ts'
import { type ConnectionQueue, createConnectionQueue, exchange } from '../exchange.ts'
import { createProblemLog } from '../notes.ts'
import { classifySelcomExchange, type SelcomEnvelope, type SelcomVerdict } from './envelope.ts'
import { createSelcomRedaction } from './redact.ts'
import { type SelcomCredentials, type SignedFields, signedHeaders } from './sign.ts'

/** The gateway's address, the credentials and the limits of a client. */
export type SelcomClientOptions = {
  /** The name of the provider in log lines. */
  name: string
  /** The base URL of the gateway with its version. */
  url: string
  credentials: SelcomCredentials
  /** The PIN of the payout account, which the client removes from answers. Null means that there is no payout account. */
  pin: string | null
  /** The number of connections for prompts. Codes, payouts and queries have the same number each. */
  connections: number
  /** The additional texts by which the gateway refuses access. */
  refusal_texts: readonly string[]
  clock: Clock
  log: Log
}

/** One request to the gateway. Of these fields, the client logs only `path` and `reference`. */
export type SelcomCall = { path: string; fields: SignedFields; reference: string; timeout_ms: number }

/** The kinds of requests that change a payment or payout. Each kind has separate connections. */
export type SelcomActKind = 'prompts' | 'codes' | 'payouts'

/** The functions that send requests to the gateway. No function throws, and every call ends within its timeout. */
export type SelcomClient = {
  /** Sends a request that changes a payment or payout. Such a request never waits for a request of another kind. */
  act(what: SelcomActKind, call: SelcomCall): Promise<SelcomVerdict>
  /** Sends a query. The adapter may repeat a query, because a query changes nothing. */
  ask(call: SelcomCall): Promise<SelcomVerdict>
  /** Cancels an order over the connections for queries. */
  end(call: SelcomCall): Promise<SelcomVerdict>
  /** Sends a query that the gateway accepts only as POST. */
  askByPost(call: SelcomCall): Promise<SelcomVerdict>
  now(): Date
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 256 * 1024
/** The codes that name a problem with the platform's account: an empty float, or an unknown vendor or PIN. */
const OPERATOR_CODES: readonly string[] = ['611', '651', '990']

/** Makes a client. Each kind of request has separate connections, so that many requests of one kind delay no other kind. */
export function createSelcomClient(options: SelcomClientOptions): SelcomClient {
  const { credentials, clock } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const newLine = () => createConnectionQueue(origin, options.connections, ANSWER_MAX_BYTES)
  const acts: Record<SelcomActKind, ConnectionQueue> = { prompts: newLine(), codes: newLine(), payouts: newLine() }
  const asks = newLine()
  const note = createTroubles(options)
  const redaction = createSelcomRedaction(credentials, options.pin)

  const send = async (
    line: ConnectionQueue,
    method: 'GET' | 'POST' | 'DELETE',
    call: SelcomCall,
  ): Promise<SelcomVerdict> => {
    const headers = signedHeaders(credentials, call.fields, clock.now())
    const path = base + call.path
    const outgoing =
      method === 'POST'
        ? { path, method, headers, body: JSON.stringify(Object.fromEntries(call.fields)) }
        : { path: path + queryOf(call.fields), method, headers, body: null }
    const sent = await exchange(line, outgoing, call.timeout_ms)
    const clean = sent.kind === 'answered' ? { ...sent, text: redaction.raw(sent.text) } : sent
    const verdict = redaction.words(classifySelcomExchange(clean, options.refusal_texts))
    note(call, verdict)
    return verdict
  }
  return {
    act: (what, call) => send(acts[what], 'POST', call),
    ask: (call) => send(asks, 'GET', call),
    end: (call) => send(asks, 'DELETE', call),
    askByPost: (call) => send(asks, 'POST', call),
    now: () => clock.now(),
    async close() {
      await Promise.all([...Object.values(acts), asks].map((line) => line.destroy()))
    },
  }
}

function queryOf(fields: SignedFields): string {
  return `?${fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join('&')}`
}

/**
 * The words by which a message reports a wrong key, PIN or vendor. The gateway does not have a code for each of these
 * problems.
 */
const OURS_IN_WORDS = /\b(?:pin|vendor|api key|digest|signature)\b/i

function isOurs({ resultcode, message }: SelcomEnvelope, is_payout: boolean): boolean {
  // For an order, OPERATOR_CODES have other meanings, such as an unknown order.
  return OURS_IN_WORDS.test(message) || (is_payout && OPERATOR_CODES.includes(resultcode))
}

/** Makes the log of problems that only an operator can fix: access, parameters, vendor, PIN, an empty float. */
function createTroubles(options: SelcomClientOptions) {
  const note = createProblemLog(options)
  return ({ path, reference }: SelcomCall, verdict: SelcomVerdict): void => {
    const is_payout = !path.startsWith('/checkout/')
    const is_ours = verdict.is === 'failed' && isOurs(verdict.envelope, is_payout)
    if (verdict.is !== 'refused' && verdict.is !== 'rejected' && !is_ours) return
    const { envelope, status } = verdict
    const { resultcode, result, message } = envelope ?? {}
    note(`${path} ${status} ${resultcode}`, {
      provider_path: path,
      provider_reference: reference,
      provider_status: status,
      provider_code: resultcode,
      provider_result: result,
      provider_message: message,
    })
  }
}
