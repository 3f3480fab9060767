// Calls the gateway under a session and renews the session. If the gateway refused a call for its session, the gateway
// executed nothing, so the client may repeat the call. The client sends any other request once.

import type { KeyObject } from 'node:crypto'
import { type Clock, type Log, type Random, randomBase62, systemClock } from '../../../kernel/lib/index.ts'
import { type Countdown, countdown } from '../countdown.ts'
import {
  type ConnectionQueue,
  createConnectionQueue,
  createLateRequests,
  exchange,
  type LateAnswer,
  type ProviderRequest,
} from '../exchange.ts'
import { createProblemLog } from '../notes.ts'
import { bearerOf } from './bearer.ts'
import { classifyVodacomExchange, type VodacomVerdict, type VodacomWording } from './envelope.ts'
import { createVodacomRedaction, type VodacomRedaction } from './redact.ts'
import { createVodacomSessions, type VodacomSession, type VodacomSessions, within } from './session.ts'

/** The gateway's address, the credentials, the limits and the timeouts of a client. */
export type VodacomClientOptions = {
  /** The name of the provider in log lines. */
  name: string
  /** The base address, with environment and market. */
  url: string
  origin: string
  api_key: string
  public_key: KeyObject
  country: string
  service_provider_code: string
  session_life_ms: number
  session_settle_ms: number
  /** The number of connections for prompts, and the same number for payouts. */
  act_connections: number
  /** The number of connections for queries. */
  ask_connections: number
  /** The time for which the client waits for a late answer to a request that moves money. */
  late_ms: number
  /** The timeout of a whole call, including the time to open a session. */
  timeout_ms: number
  wording: VodacomWording
  clock: Clock
  random: Random
  log: Log
}

/** The fields of a request. The gateway accepts only texts as values. */
export type WireFields = Readonly<Record<string, string>>
/** A request that moves money. If the answer comes late, `receive` gets the answer. */
export type VodacomAct = {
  method: 'POST' | 'PUT'
  path: string
  fields: WireFields
  reference: string
  receive?: (verdict: VodacomVerdict) => void
}

/** The kinds of requests that move money. Each kind has separate connections. */
export type VodacomActKind = 'prompts' | 'payouts'

/** The functions that call the gateway. No function throws, and every call ends within its timeout. */
export type VodacomClient = {
  act(kind: VodacomActKind, act: VodacomAct): Promise<VodacomVerdict>
  /** Queries the status of the request with this conversation id. */
  ask(reference: string): Promise<VodacomVerdict>
  /** Queries the name of the owner of a number. */
  askName(msisdn: string): Promise<VodacomVerdict>
  /** Opens a session before the first call needs the session. */
  warm(): Promise<void>
  close(): Promise<void>
}

const ANSWER_MAX_BYTES = 64 * 1024
/** The pause in milliseconds before the client uses a young session again after a refusal. */
const SETTLE_PAUSE_MS = 300
/** The shortest remaining time of a timeout with which the client still starts a request. */
const LEFT_MIN_MS = 50
const NOT_SENT: VodacomVerdict = { is: 'not_sent', envelope: null }

/**
 * Returns the number of concurrent requests of a kind. Each request has a connection, even while other connections wait for
 * late answers.
 */
export function concurrencyLimit(act_connections: number): number {
  return act_connections - lateLimit(act_connections)
}

/** Returns the number of connections that may wait for late answers. */
function lateLimit(act_connections: number): number {
  return Math.floor(act_connections / 2)
}

/**
 * Makes a client. Each kind of request has separate connections, so that prompts that wait for payers delay no other
 * request.
 */
export function createVodacomClient(options: VodacomClientOptions): VodacomClient {
  const { timeout_ms } = options
  const redaction = createVodacomRedaction(options.api_key)
  const logProblem = createProblems(options)
  const newQueue = (connections: number) =>
    createConnectionQueue(new URL(options.url).origin, connections, ANSWER_MAX_BYTES)
  const newActs = () => ({
    queue: newQueue(options.act_connections),
    waiting: createLateRequests(lateLimit(options.act_connections)),
  })
  const acts = { prompts: newActs(), payouts: newActs() }
  const queries = newQueue(options.ask_connections)
  const send = createBearerSender(options, redaction)
  const sessions = createVodacomSessions({
    life_ms: options.session_life_ms,
    settle_ms: options.session_settle_ms,
    clock: options.clock,
    open: createSessionOpener(options, redaction, async (bearer) => {
      const request = { method: 'GET', path: '/getSession/', fields: {} } as const
      const verdict = await send(queries, bearer, request, timeout_ms)
      logProblem('/getSession/', '', verdict)
      return verdict
    }),
  })
  const queryUnder = (session: VodacomSession, request: GatewayRequest, left: Countdown) =>
    send(queries, session.bearer, request, left())
  const query = (request: GatewayRequest) => {
    const left = countdown(timeout_ms)
    return underSession(sessions, left, (session) => queryUnder(session, request, left))
  }

  return {
    async act(kind, { method, path, fields, reference, receive }) {
      const { queue, waiting } = acts[kind]
      const left = countdown(timeout_ms)
      const late: LateAnswer | undefined = receive && {
        ms: options.late_ms,
        waiting,
        receive: (result) => receive(redaction.words(classifyVodacomExchange(result, options.wording))),
      }
      let was_refused = false
      const verdict = await underSession(sessions, left, async (session) => {
        const proof = prove(session, () => queryUnder(session, statusQuery(options, reference), left))
        const is_let_in = await within(proof, left() - LEFT_MIN_MS)
        if (is_let_in === null) return NOT_SENT
        if (!is_let_in) return { is: 'no_session', certain: true, envelope: null }
        const answered = await send(queue, session.bearer, { method, path, fields }, left(), late)
        was_refused ||= answered.is === 'no_session'
        return answered
      })
      logProblem(path, reference, verdict)
      // If the gateway refused only queries, the client sent no byte of the request that moves money.
      return verdict.is === 'no_session' && verdict.certain && !was_refused ? NOT_SENT : verdict
    },
    async ask(reference) {
      const verdict = await query(statusQuery(options, reference))
      logProblem('/queryTransactionStatus/', reference, verdict)
      return verdict
    },
    askName: (msisdn) => query(nameQuery(options, msisdn)),
    warm: async () => void (await sessions.take(timeout_ms)),
    async close() {
      await Promise.all([acts.prompts.queue, acts.payouts.queue, queries].map((queue) => queue.destroy()))
    },
  }
}

type GatewayRequest = { method: 'GET' | 'POST' | 'PUT'; path: string; fields: WireFields }
type Sender = (
  queue: ConnectionQueue,
  bearer: string,
  request: GatewayRequest,
  left_ms: number,
  late?: LateAnswer,
) => Promise<VodacomVerdict>

function createBearerSender({ url, origin, wording }: VodacomClientOptions, redaction: VodacomRedaction): Sender {
  const base = new URL(url).pathname.replace(/\/$/, '')
  return async (queue, bearer, { method, path, fields }, left_ms, late) => {
    const headers = { authorization: `Bearer ${bearer}`, origin, 'content-type': 'application/json' }
    const query = method === 'GET' && Object.keys(fields).length > 0 ? `?${new URLSearchParams(fields)}` : ''
    const body = method === 'GET' ? null : JSON.stringify(fields)
    const request: ProviderRequest = { method, path: base + path + query, headers, body }
    return redaction.words(classifyVodacomExchange(await exchange(queue, request, left_ms, late), wording))
  }
}

/**
 * Makes the function that opens a session. `getSession` requests a session with the bearer of the API key. Null means that the
 * gateway opened no session.
 */
function createSessionOpener(
  { public_key, api_key }: VodacomClientOptions,
  redaction: VodacomRedaction,
  getSession: (bearer: string) => Promise<VodacomVerdict>,
): () => Promise<{ bearer: string } | null> {
  return async () => {
    const key_bearer = bearerOf(public_key, api_key)
    if (key_bearer === null) return null
    redaction.add(key_bearer)
    const verdict = await getSession(key_bearer)
    const id = verdict.is === 'done' ? verdict.envelope.session : null
    const bearer = id === null ? null : bearerOf(public_key, id)
    if (id === null || bearer === null) return null
    redaction.add(id)
    redaction.add(bearer)
    return { bearer }
  }
}

/**
 * Makes a call under a session. If the session has ended, the client renews the session once. If the gateway refused a young
 * session, the client uses that session again after a pause.
 */
async function underSession(
  sessions: VodacomSessions,
  left: Countdown,
  call: (session: VodacomSession) => Promise<VodacomVerdict>,
): Promise<VodacomVerdict> {
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
    else await sleep(Math.min(SETTLE_PAUSE_MS, left()))
  }
  return verdict
}

/**
 * If the gateway certainly refuses this session, returns false. A query tests the session, so that no request that moves money
 * tests the session.
 */
function prove(session: VodacomSession, query: () => Promise<VodacomVerdict>): Promise<boolean> {
  if (session.proven) return Promise.resolve(true)
  session.proving ??= query().then((verdict) => {
    session.proving = null
    const is_refused = verdict.is === 'no_session' && verdict.certain
    // The gateway checks the session first, so any other code shows that the gateway accepted the session.
    if (!is_refused && verdict.envelope?.code != null) session.proven = true
    return !is_refused
  })
  return session.proving
}

function statusQuery(options: VodacomClientOptions, reference: string): GatewayRequest {
  return {
    method: 'GET',
    path: '/queryTransactionStatus/',
    fields: {
      input_QueryReference: reference,
      input_ServiceProviderCode: options.service_provider_code,
      input_ThirdPartyConversationID: newQueryId(options),
      input_Country: options.country,
    },
  }
}

function nameQuery(options: VodacomClientOptions, msisdn: string): GatewayRequest {
  return {
    method: 'GET',
    path: '/queryBeneficiaryName/',
    fields: {
      input_CustomerMSISDN: msisdn,
      input_KycQueryType: 'Name',
      input_ServiceProviderCode: options.service_provider_code,
      input_ThirdPartyConversationID: newQueryId(options),
      input_Country: options.country,
    },
  }
}

function newQueryId({ random }: VodacomClientOptions): string {
  return `Q${randomBase62(random, 24).toUpperCase()}`
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void systemClock.after(ms, resolve))
}

/** The codes of problems that an operator must resolve: settings, access, limits, malformed requests, or too little money. */
const OPERATOR_CODES = /^INS-(?:13|15|17|18|20|21|26|28|30|31|35|989|993|994|997|998|2006)$/

/** Makes the log of problems that only an operator can fix. */
function createProblems(options: VodacomClientOptions) {
  const logProblem = createProblemLog(options)
  return (path: string, reference: string, { is, envelope }: VodacomVerdict): void => {
    const code = envelope?.code ?? null
    const is_payer = code === 'INS-2006' && path.startsWith('/c2b')
    if (is !== 'refused' && is !== 'no_session' && (code === null || !OPERATOR_CODES.test(code) || is_payer)) return
    logProblem(`${path} ${is} ${code}`, {
      provider_path: path,
      provider_reference: reference,
      provider_code: code,
      provider_message: envelope?.description ?? null,
    })
  }
}
