// Calls of the gateway under a session that is renewed on the way. What matters is told apart here: a call that was kept out at
// the door did nothing and may be made again; any other call is made once.

import type { KeyObject } from 'node:crypto'
import { type Clock, type Log, type Random, randomBase62, systemClock } from '../../../kernel/lib/index.ts'
import { type Countdown, countdown } from '../countdown.ts'
import { createLine, createWaiting, exchange, type Late, type Line, type Outgoing } from '../exchange.ts'
import { createNotes } from '../notes.ts'
import { bearerOf } from './bearer.ts'
import { type Verdict, type Wording, weigh } from './envelope.ts'
import { createRedaction } from './redact.ts'
import { createSessions, type Session, within } from './session.ts'

/** What the client is made of. */
export type ClientOptions = {
  /** The name that log lines carry. */
  name: string
  /** Base address, with environment and market. */
  url: string
  origin: string
  api_key: string
  public_key: KeyObject
  country: string
  service_provider_code: string
  session_life_ms: number
  session_settle_ms: number
  /** Most connections for prompts, as many for payouts; and those for questions. */
  act_connections: number
  ask_connections: number
  /** How long the answer to a request that moves money is waited for after its caller was answered. */
  late_ms: number
  /** Time for a whole call, its session included. */
  timeout_ms: number
  wording: Wording
  clock: Clock
  random: Random
  log: Log
}

/** Fields of a request; the gateway takes texts only. */
export type WireFields = Readonly<Record<string, string>>
/** A request that moves money. `hear` gets the answer that comes too late. */
export type Act = {
  method: 'POST' | 'PUT'
  path: string
  fields: WireFields
  reference: string
  hear?: (verdict: Verdict) => void
}

/** What moves money; each over connections of its own. */
export type Acts = 'prompts' | 'payouts'

/** The gateway, as the rest of the adapter uses it. Nothing throws, and every call ends in time. */
export type Client = {
  act(what: Acts, act: Act): Promise<Verdict>
  /** Asks what became of the request with this conversation id. */
  ask(reference: string): Promise<Verdict>
  /** Asks for the name behind a number. */
  askName(msisdn: string): Promise<Verdict>
  /** Opens a session ahead of its first use. */
  warm(): Promise<void>
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 64 * 1024
/** A young session that is refused is tried again after this. */
const SETTLE_PAUSE_MS = 300
/** A request is not begun with less time than this. */
const LEFT_MIN_MS = 50
const NOT_SENT: Verdict = { is: 'not_sent', envelope: null }

/** How many requests of a kind may be under way, so that each has a connection even while late answers are waited for. */
export function placesOf(act_connections: number): number {
  return act_connections - lateOf(act_connections)
}

/** Connections on which an answer that comes too late is waited for. */
function lateOf(act_connections: number): number {
  return Math.floor(act_connections / 2)
}

/** Makes a client. Each kind has connections of its own, so that prompts which wait for payers hold up nothing else. */
export function createClient(options: ClientOptions): Client {
  const { public_key, timeout_ms, clock, wording } = options
  const { origin, pathname } = new URL(options.url)
  const base = pathname.replace(/\/$/, '')
  const newLine = (connections: number) => createLine(origin, connections, ANSWER_MAX_BYTES)
  const newActs = () => ({
    line: newLine(options.act_connections),
    waiting: createWaiting(lateOf(options.act_connections)),
  })
  const acts = { prompts: newActs(), payouts: newActs() }
  const asks = newLine(options.ask_connections)
  const redaction = createRedaction(options.api_key)
  const note = createTroubles(options)

  const send = async (line: Line, bearer: string, request: Request, left_ms: number, late?: Late): Promise<Verdict> => {
    const { method, path, fields } = request
    const headers = { authorization: `Bearer ${bearer}`, origin: options.origin, 'content-type': 'application/json' }
    const query = method === 'GET' && Object.keys(fields).length > 0 ? `?${new URLSearchParams(fields)}` : ''
    const body = method === 'GET' ? null : JSON.stringify(fields)
    const outgoing: Outgoing = { method, path: base + path + query, headers, body }
    return redaction.words(weigh(await exchange(line, outgoing, left_ms, late), wording))
  }

  const sessions = createSessions({
    life_ms: options.session_life_ms,
    settle_ms: options.session_settle_ms,
    clock,
    async open() {
      const bearer = bearerOf(public_key, options.api_key)
      if (bearer === null) return null
      redaction.add(bearer)
      const verdict = await send(asks, bearer, { method: 'GET', path: '/getSession/', fields: {} }, timeout_ms)
      note('/getSession/', '', verdict)
      const id = verdict.is === 'done' ? verdict.envelope.session : null
      const opened = id === null ? null : bearerOf(public_key, id)
      if (id === null || opened === null) return null
      redaction.add(id)
      redaction.add(opened)
      return { bearer: opened }
    },
  })

  /** Calls under a session; one that has ended is renewed once, one that is young is given its time. */
  const underSession = async (left: Countdown, call: (session: Session) => Promise<Verdict>): Promise<Verdict> => {
    let verdict = NOT_SENT
    for (let renewals = 0; renewals < 2 && left() > LEFT_MIN_MS; ) {
      const session = await sessions.take(left() - LEFT_MIN_MS)
      if (session === null) return verdict
      verdict = await call(session)
      if (verdict.is !== 'no_session' || !verdict.certain) {
        if (verdict.is === 'done' || verdict.is === 'failed') session.proven = true
        return verdict
      }
      if (sessions.refused(session)) renewals++
      else await pause(Math.min(SETTLE_PAUSE_MS, left()))
    }
    return verdict
  }

  const askWith = (left: Countdown, request: Request) =>
    underSession(left, (session) => send(asks, session.bearer, request, left()))
  const question = (reference: string): Request => ({
    method: 'GET',
    path: '/queryTransactionStatus/',
    fields: {
      input_QueryReference: reference,
      input_ServiceProviderCode: options.service_provider_code,
      input_ThirdPartyConversationID: questionId(),
      input_Country: options.country,
    },
  })
  const questionId = () => `Q${randomBase62(options.random, 24).toUpperCase()}`

  /** False when calls under this session are kept out. Found out by a question, so that nothing is tried out with money. */
  const prove = (session: Session, reference: string, left: Countdown): Promise<boolean> => {
    if (session.proven) return Promise.resolve(true)
    session.proving ??= send(asks, session.bearer, question(reference), left()).then((verdict) => {
      session.proving = null
      const is_kept_out = verdict.is === 'no_session' && verdict.certain
      // Any code but that of a refusal was said by somebody who had let it in.
      if (!is_kept_out && verdict.envelope?.code != null) session.proven = true
      return !is_kept_out
    })
    return session.proving
  }

  return {
    async act(what, { method, path, fields, reference, hear }) {
      const { line, waiting } = acts[what]
      const left = countdown(timeout_ms)
      const late: Late | undefined = hear && {
        ms: options.late_ms,
        waiting,
        hear: (sent) => hear(redaction.words(weigh(sent, wording))),
      }
      let was_refused = false
      const verdict = await underSession(left, async (session) => {
        const is_let_in = await within(prove(session, reference, left), left() - LEFT_MIN_MS)
        if (is_let_in === null) return NOT_SENT
        if (!is_let_in) return { is: 'no_session', certain: true, envelope: null }
        const answered = await send(line, session.bearer, { method, path, fields }, left(), late)
        was_refused ||= answered.is === 'no_session'
        return answered
      })
      note(path, reference, verdict)
      // Only questions were refused: of the request itself no byte was sent.
      return verdict.is === 'no_session' && verdict.certain && !was_refused ? NOT_SENT : verdict
    },
    async ask(reference) {
      const verdict = await askWith(countdown(timeout_ms), question(reference))
      note('/queryTransactionStatus/', reference, verdict)
      return verdict
    },
    askName: (msisdn) =>
      askWith(countdown(timeout_ms), {
        method: 'GET',
        path: '/queryBeneficiaryName/',
        fields: {
          input_CustomerMSISDN: msisdn,
          input_KycQueryType: 'Name',
          input_ServiceProviderCode: options.service_provider_code,
          input_ThirdPartyConversationID: questionId(),
          input_Country: options.country,
        },
      }),
    warm: async () => void (await sessions.take(timeout_ms)),
    async close() {
      await Promise.all([acts.prompts.line, acts.payouts.line, asks].map((line) => line.destroy()))
    },
  }
}

type Request = { method: 'GET' | 'POST' | 'PUT'; path: string; fields: WireFields }
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve))
}

/** Codes by which it refuses a request as such: an operator has to look at what we send, or at an empty account. */
const OURS_TO_MEND = /^INS-(?:13|15|17|18|20|21|26|28|30|31|35|989|993|994|997|998|2006)$/

/** Tells an operator what only an operator can mend. */
function createTroubles(options: ClientOptions) {
  const note = createNotes(options)
  return (path: string, reference: string, { is, envelope }: Verdict): void => {
    const code = envelope?.code ?? null
    const is_payer = code === 'INS-2006' && path.startsWith('/c2b')
    if (is !== 'refused' && is !== 'no_session' && (code === null || !OURS_TO_MEND.test(code) || is_payer)) return
    note(`${path} ${is} ${code}`, { path, reference, code, description: envelope?.description ?? null })
  }
}
