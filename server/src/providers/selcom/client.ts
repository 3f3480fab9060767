// Signed requests to the gateway. What leaves here is signed over exactly what it carries; what comes back is weighed. Bodies
// hold a PIN: nothing of a request is ever logged, and no answer is logged before our secrets are taken out of it.

import { Pool } from 'undici'
import { type Clock, CURRENCY, type Log } from '../../lib/index.ts'
import { exchange } from '../exchange.ts'
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
  /** Most connections for requests that do something, and as many for questions. */
  connections: number
  /** More texts by which the gateway says that it does not let us in. */
  refusal_texts: readonly string[]
  clock: Clock
  log: Log
}

/** One request. `reference` is what the log may say of it. */
export type Call = { path: string; fields: SignedFields; reference: string; timeout_ms: number }

/** The gateway, as the rest of the adapter uses it. Nothing throws, and every call ends in time. */
export type Client = {
  /** Asks for something to be done. */
  act(call: Call): Promise<Verdict>
  /** Asks a question: repeating it does nothing. */
  ask(call: Call): Promise<Verdict>
  /** A question that has to be sent like an act. */
  askByPost(call: Call): Promise<Verdict>
  now(): Date
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 256 * 1024
/** One line a minute for each kind of trouble: it comes with every request until somebody mends it. */
const NOTE_EVERY_MS = 60_000
const NOTES_MAX = 500

/** Makes a client. Questions have connections of their own, so that thousands of them hold up no payout. */
export function createClient(options: ClientOptions): Client {
  const { credentials, clock } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const makePool = () =>
    new Pool(origin, {
      connections: options.connections,
      pipelining: 1,
      allowH2: false,
      maxResponseSize: ANSWER_MAX_BYTES,
    })
  const acts = makePool()
  const asks = makePool()
  const note = createNotes(options)
  const redaction = createRedaction(credentials, options.pin)

  const send = async (pool: Pool, method: 'GET' | 'POST', call: Call): Promise<Verdict> => {
    const headers = signedHeaders(credentials, call.fields, clock.now())
    const path = base + call.path
    const outgoing =
      method === 'GET'
        ? { path: path + queryOf(call.fields), method, headers, body: null }
        : { path, method, headers, body: JSON.stringify(Object.fromEntries(call.fields)) }
    const sent = await exchange(pool, outgoing, call.timeout_ms)
    const clean = sent.kind === 'answered' ? { ...sent, text: redaction.raw(sent.text) } : sent
    const verdict = redaction.words(weigh(clean, options.refusal_texts))
    note(call, verdict, pool === acts)
    return verdict
  }
  return {
    act: (call) => send(acts, 'POST', call),
    ask: (call) => send(asks, 'GET', call),
    askByPost: (call) => send(asks, 'POST', call),
    now: () => clock.now(),
    async close() {
      await Promise.all([acts.destroy(), asks.destroy()])
    },
  }
}

function queryOf(fields: SignedFields): string {
  return `?${fields.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`).join('&')}`
}

/** Codes of a request that failed because of what we are or sent: parameters, vendor, PIN, an empty float. */
const OURS_TO_MEND: readonly string[] = ['400', '412', '651', '990']
/** The gateway has no code of its own for a PIN or a vendor that it does not know. */
const OURS_IN_WORDS = /\b(?:pin|vendor|api key|digest|signature)\b/i

function isOurs({ resultcode, message }: Envelope, is_act: boolean): boolean {
  // Of a question the same codes say that what it is about is not known.
  return resultcode === '990' || OURS_IN_WORDS.test(message) || (is_act && OURS_TO_MEND.includes(resultcode))
}

/** Tells an operator what only an operator can mend: access, parameters, vendor and PIN, an empty float. */
function createNotes({ name, clock, log }: ClientOptions) {
  const noted = new Map<string, number>()
  return ({ path, reference }: Call, verdict: Verdict, is_act: boolean): void => {
    const is_ours = verdict.is === 'failed' && isOurs(verdict.envelope, is_act)
    if (verdict.is !== 'refused' && verdict.is !== 'rejected' && !is_ours) return
    const { envelope, status } = verdict
    const now = clock.now().getTime()
    const kind = `${path} ${status} ${envelope?.resultcode}`
    if (now - (noted.get(kind) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return
    if (noted.size >= NOTES_MAX) noted.clear()
    noted.set(kind, now)
    log.warn(
      {
        provider: name,
        path,
        reference,
        status,
        resultcode: envelope?.resultcode,
        result: envelope?.result,
        message: envelope?.message,
      },
      'the provider refuses what we send',
    )
  }
}

/** An amount as the gateway takes it: whole shillings. Null: it cannot take it. */
export function shillingsOf(amount_minor: bigint, currency: string): number | null {
  const shillings = Number(amount_minor / 100n)
  const is_whole = amount_minor > 0n && amount_minor % 100n === 0n && Number.isSafeInteger(shillings)
  return is_whole && currency === CURRENCY ? shillings : null
}
