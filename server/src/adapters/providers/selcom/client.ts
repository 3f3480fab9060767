// Sends signed requests to the gateway and classifies the answers. Bodies contain a PIN: no request is logged, and no answer
// is logged before its secrets are removed.

import type { Clock, Log } from '../../../kernel/lib/index.ts'
import { type ConnectionQueue, createConnectionQueue, exchange } from '../exchange.ts'
import { createProblemLog } from '../notes.ts'
import { type Envelope, type Verdict, weigh } from './envelope.ts'
import { createRedaction } from './redact.ts'
import { type Credentials, type SignedFields, signedHeaders } from './sign.ts'

/** Options of the client. */
export type ClientOptions = {
  /** The name of the provider in log lines. */
  name: string
  /** The base URL of the gateway with its version. */
  url: string
  credentials: Credentials
  /** The PIN of the payout account, so that it can be removed from answers. */
  pin: string | null
  /** Connections for prompts; as many each for codes, payouts and queries. */
  connections: number
  /** Additional texts by which the gateway refuses access. */
  refusal_texts: readonly string[]
  clock: Clock
  log: Log
}

/** One request. Only its `reference` may be logged. */
export type Call = { path: string; fields: SignedFields; reference: string; timeout_ms: number }

/** The kinds of requests that change something, each with its own connections. */
export type Acts = 'prompts' | 'codes' | 'payouts'

/** The client of the gateway. No function throws, and every call ends in time. */
export type Client = {
  /** Sends a request that changes something. It never waits for a request of another kind. */
  act(what: Acts, call: Call): Promise<Verdict>
  /** Sends a query, which can be repeated. */
  ask(call: Call): Promise<Verdict>
  /** Cancels an order. */
  end(call: Call): Promise<Verdict>
  /** Sends a query that the gateway takes only as POST. */
  askByPost(call: Call): Promise<Verdict>
  now(): Date
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 256 * 1024
/** Codes for the platform's account: an empty float, and an unknown vendor or PIN. */
const OPERATOR_CODES: readonly string[] = ['611', '651', '990']

/** Makes a client. Each kind has its own connections, so that many requests of one kind delay no other kind. */
export function createClient(options: ClientOptions): Client {
  const { credentials, clock } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const newLine = () => createConnectionQueue(origin, options.connections, ANSWER_MAX_BYTES)
  const acts: Record<Acts, ConnectionQueue> = { prompts: newLine(), codes: newLine(), payouts: newLine() }
  const asks = newLine()
  const note = createTroubles(options)
  const redaction = createRedaction(credentials, options.pin)

  const send = async (line: ConnectionQueue, method: 'GET' | 'POST' | 'DELETE', call: Call): Promise<Verdict> => {
    const headers = signedHeaders(credentials, call.fields, clock.now())
    const path = base + call.path
    const outgoing =
      method === 'POST'
        ? { path, method, headers, body: JSON.stringify(Object.fromEntries(call.fields)) }
        : { path: path + queryOf(call.fields), method, headers, body: null }
    const sent = await exchange(line, outgoing, call.timeout_ms)
    const clean = sent.kind === 'answered' ? { ...sent, text: redaction.raw(sent.text) } : sent
    const verdict = redaction.words(weigh(clean, options.refusal_texts))
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

/** The gateway has no code for every unknown key, PIN or vendor. */
const OURS_IN_WORDS = /\b(?:pin|vendor|api key|digest|signature)\b/i

function isOurs({ resultcode, message }: Envelope, is_payout: boolean): boolean {
  // For an order these codes have other meanings, such as an unknown order.
  return OURS_IN_WORDS.test(message) || (is_payout && OPERATOR_CODES.includes(resultcode))
}

/** Makes the log of problems that only an operator can fix: access, parameters, vendor, PIN, an empty float. */
function createTroubles(options: ClientOptions) {
  const note = createProblemLog(options)
  return ({ path, reference }: Call, verdict: Verdict): void => {
    const is_payout = !path.startsWith('/checkout/')
    const is_ours = verdict.is === 'failed' && isOurs(verdict.envelope, is_payout)
    if (verdict.is !== 'refused' && verdict.is !== 'rejected' && !is_ours) return
    const { envelope, status } = verdict
    const { resultcode, result, message } = envelope ?? {}
    note(`${path} ${status} ${resultcode}`, { path, reference, status, resultcode, result, message })
  }
}
