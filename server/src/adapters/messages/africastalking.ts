// SMS over Africa's Talking: POST /version1/messaging, a form with the key in a header; the answer tells for each recipient
// what became of the message. It knows no key that would keep a repeated request from being sent twice: whoever does not know
// what became of a request must not repeat it.

import { Pool } from 'undici'
import { plainLine } from '../../kernel/lib/index.ts'
import { postForm, type Sent } from './exchange.ts'
import type { Gateway, Outcome, OutgoingSms } from './gateway.ts'

/** What the gateway is made of. `sender` empty: the default of the account. */
export type AfricasTalkingOptions = {
  url: string
  username: string
  api_key: string
  sender: string
  timeout_ms?: number
}

/** SMS at once. */
export const SMS_CONNECTIONS = 8
const SEND_MS = 15_000
const CONNECT_MS = 5_000
const ANSWER_BYTES_MAX = 64 * 1024

/** Makes the gateway. */
export function createAfricasTalking(options: AfricasTalkingOptions): Gateway<OutgoingSms> {
  const { origin, pathname } = new URL(options.url)
  const { username, api_key, sender, timeout_ms = SEND_MS } = options
  const path = `${pathname.replace(/\/$/, '')}/version1/messaging`
  const pool = new Pool(origin, {
    connections: SMS_CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: CONNECT_MS },
    maxResponseSize: ANSWER_BYTES_MAX,
  })
  return {
    async send({ to, text }) {
      const form = new URLSearchParams({ username, to: `+${to}`, message: text, bulkSMSMode: '1' })
      if (sender !== '') form.set('from', sender)
      const headers = {
        apiKey: api_key,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      }
      const outcome = weigh(await postForm(pool, { path, headers, body: form.toString() }, timeout_ms))
      // Nobody reads our key in what the gateway said.
      return outcome.kind === 'taken' ? outcome : { ...outcome, why: outcome.why.replaceAll(api_key, '***') }
    },
    close: () => pool.destroy(),
  }
}

type Kind = Outcome['kind']

/** The documented words and codes of one recipient. */
const WORDS: Record<string, Kind> = {
  Processed: 'taken',
  Sent: 'taken',
  Success: 'taken',
  Queued: 'taken',
  // It may be let through later: repeating it could send it twice.
  RiskHold: 'unknown',
  // Ours to mend: the sender's registration, and the balance.
  InvalidSenderId: 'again',
  InsufficientBalance: 'again',
  InvalidPhoneNumber: 'refused',
  UnsupportedNumberType: 'refused',
  UserInBlacklist: 'refused',
  CouldNotRoute: 'refused',
  DoNotDisturbRejection: 'refused',
  RejectedByGateway: 'refused',
  // The network behind may have it.
  InternalServerError: 'unknown',
  GatewayError: 'unknown',
}
const CODES: Record<number, string> = {
  100: 'Processed',
  101: 'Sent',
  102: 'Queued',
  401: 'RiskHold',
  402: 'InvalidSenderId',
  403: 'InvalidPhoneNumber',
  404: 'UnsupportedNumberType',
  405: 'InsufficientBalance',
  406: 'UserInBlacklist',
  407: 'CouldNotRoute',
  409: 'DoNotDisturbRejection',
  500: 'InternalServerError',
  501: 'GatewayError',
  502: 'RejectedByGateway',
}
const STABLE: Record<Exclude<Kind, 'taken'>, string> = {
  refused: 'recipient_refused',
  again: 'gateway_refused',
  unknown: 'unknown_outcome',
}

/** What an answer, or none, means. */
function weigh(sent: Sent): Outcome {
  if (sent.kind !== 'answered') {
    return sent.kind === 'lost' ? unknown(sent.why) : { kind: 'again', why: `gateway_unreachable: ${sent.why}` }
  }
  const { status, text } = sent
  if (status >= 500) return unknown(`${status} ${text}`)
  if (status === 400) return { kind: 'refused', why: plainLine(`message_refused: ${text}`) }
  // A key, an address or a limit that can be mended; the message was not looked at.
  if (status >= 300) return { kind: 'again', why: plainLine(`gateway_refused: ${status} ${text}`) }
  return read(text)
}

const unknown = (what: string): Outcome => ({ kind: 'unknown', why: plainLine(`unknown_outcome: ${what}`) })

type Answer = { SMSMessageData?: { Message?: unknown; Recipients?: unknown } }
type Recipient = { statusCode?: unknown; status?: unknown; messageId?: unknown }

function read(text: string): Outcome {
  let answer: Answer | null = null
  try {
    answer = JSON.parse(text) as Answer | null
  } catch {
    return unknown(text)
  }
  const { Message, Recipients } = answer?.SMSMessageData ?? {}
  // Without a recipient the message itself is the word: InvalidSenderId.
  if (Array.isArray(Recipients) && Recipients.length === 0) return outcomeOf(String(Message), null)
  if (!Array.isArray(Recipients) || Recipients.length !== 1) return unknown(text)
  const { statusCode, status, messageId } = (Recipients[0] ?? {}) as Recipient
  return outcomeOf(CODES[Number(statusCode)] ?? String(status), typeof messageId === 'string' ? messageId : null)
}

function outcomeOf(word: string, id: string | null): Outcome {
  const kind = Object.hasOwn(WORDS, word) ? (WORDS[word] as Kind) : 'unknown'
  // Taken needs a recipient that was told so.
  if (kind === 'taken') return id === null ? unknown(word) : { kind, gateway_id: plainLine(id, 100) }
  return { kind, why: plainLine(`${STABLE[kind]}: ${word}`) }
}
