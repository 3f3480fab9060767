// Signed requests to the gateway. What leaves here is signed over exactly what it carries; what comes back is weighed. Bodies
// hold a PIN: nothing of a request is ever logged, and no answer is logged before our secrets are taken out of it.

import type { Clock, Log } from '../../../kernel/lib/index.ts'
import { createLine, exchange, type Line } from '../exchange.ts'
import { createNotes } from '../notes.ts'
import { type Envelope, type Verdict, weigh } from './envelope.ts'
import { createRedaction } from './redact.ts'
import { type Credentials, type SignedFields, signedHeaders } from './sign.ts'

/** What the client is made of. */
export type ClientOptions = {
  /** The name that log lines carry. */
  name: string
  /** Base address of the gateway, with its version. */
  url: string
  credentials: Credentials
  /** The PIN of the payouts' account, so that it is found in an answer that repeats it. */
  pin: string | null
  /** Most connections for prompts; as many each for codes, for payouts and for questions. */
  connections: number
  /** More texts by which the gateway says that it does not let us in. */
  refusal_texts: readonly string[]
  clock: Clock
  log: Log
}

/** One request. `reference` is what the log may say of it. */
export type Call = { path: string; fields: SignedFields; reference: string; timeout_ms: number }

/** What can be asked for; each over connections of its own. */
export type Acts = 'prompts' | 'codes' | 'payouts'

/** The gateway, as the rest of the adapter uses it. Nothing throws, and every call ends in time. */
export type Client = {
  /** Asks for something to be done. What is done waits for nothing of another kind. */
  act(what: Acts, call: Call): Promise<Verdict>
  /** Asks a question: repeating it does nothing. */
  ask(call: Call): Promise<Verdict>
  /** Takes something back. */
  end(call: Call): Promise<Verdict>
  /** A question that has to be sent like an act. */
  askByPost(call: Call): Promise<Verdict>
  now(): Date
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 256 * 1024
/** Codes that come of our own account: an empty float, and a vendor or PIN that it does not know. */
const OURS_TO_MEND: readonly string[] = ['611', '651', '990']

/** Makes a client. Each kind of request has connections of its own, so that thousands of one hold up none of another. */
export function createClient(options: ClientOptions): Client {
  const { credentials, clock } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const newLine = () => createLine(origin, options.connections, ANSWER_MAX_BYTES)
  const acts: Record<Acts, Line> = { prompts: newLine(), codes: newLine(), payouts: newLine() }
  const asks = newLine()
  const note = createTroubles(options)
  const redaction = createRedaction(credentials, options.pin)

  const send = async (line: Line, method: 'GET' | 'POST' | 'DELETE', call: Call): Promise<Verdict> => {
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

/** The gateway has no code of its own for every key, PIN or vendor that it does not know. */
const OURS_IN_WORDS = /\b(?:pin|vendor|api key|digest|signature)\b/i

function isOurs({ resultcode, message }: Envelope, is_payout: boolean): boolean {
  // Of an order these codes tell other things, an unknown one among them.
  return OURS_IN_WORDS.test(message) || (is_payout && OURS_TO_MEND.includes(resultcode))
}

/** Tells an operator what only an operator can mend: access, parameters, vendor and PIN, an empty float. */
function createTroubles(options: ClientOptions) {
  const note = createNotes(options)
  return ({ path, reference }: Call, verdict: Verdict): void => {
    const is_payout = !path.startsWith('/checkout/')
    const is_ours = verdict.is === 'failed' && isOurs(verdict.envelope, is_payout)
    if (verdict.is !== 'refused' && verdict.is !== 'rejected' && !is_ours) return
    const { envelope, status } = verdict
    const { resultcode, result, message } = envelope ?? {}
    note(`${path} ${status} ${resultcode}`, { path, reference, status, resultcode, result, message })
  }
}
