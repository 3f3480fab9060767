// Sends SMS with the API of Africa's Talking: POST /version1/messaging with a form. The answer has a status for each recipient.
// If the outcome is unknown, the worker does not repeat the request, because the API takes no idempotency key.

import { Pool } from 'undici'
import { plainLine } from '../../kernel/lib/index.ts'
import { type FormPostResult, postForm } from './exchange.ts'
import type { MessageGateway, OutgoingSms, SendOutcome } from './gateway.ts'

/** The options of the SMS gateway. If `sender` is empty, the gateway uses the default sender of the account. */
export type AfricasTalkingOptions = {
  url: string
  username: string
  api_key: string
  sender: string
  timeout_ms?: number
}

/** The greatest number of concurrent requests to the SMS gateway. */
export const SMS_CONNECTIONS = 8
const SEND_MS = 15_000
const CONNECT_MS = 5_000
const ANSWER_BYTES_MAX = 64 * 1024

/** Makes the SMS gateway. The gateway makes its first connection for the first SMS. */
export function createAfricasTalking(options: AfricasTalkingOptions): MessageGateway<OutgoingSms> {
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
      const outcome = outcomeOfPost(await postForm(pool, { path, headers, body: form.toString() }, timeout_ms))
      // The server stores the reason. So the client removes the API key, because the gateway may repeat the key in its answer.
      return outcome.kind === 'taken' ? outcome : { ...outcome, why: outcome.why.replaceAll(api_key, '***') }
    },
    close: () => pool.destroy(),
  }
}

type SendOutcomeKind = SendOutcome['kind']

/** The documented statuses of a recipient, each with the outcome of the SMS. */
const STATUS_OUTCOMES: Record<string, SendOutcomeKind> = {
  Processed: 'taken',
  Sent: 'taken',
  Success: 'taken',
  Queued: 'taken',
  // If the status is RiskHold, the gateway may send the SMS later, so a retry could send the SMS twice.
  RiskHold: 'unknown',
  // The operator can register the sender or add balance, so a later retry can succeed.
  InvalidSenderId: 'again',
  InsufficientBalance: 'again',
  InvalidPhoneNumber: 'refused',
  UnsupportedNumberType: 'refused',
  UserInBlacklist: 'refused',
  CouldNotRoute: 'refused',
  DoNotDisturbRejection: 'refused',
  RejectedByGateway: 'refused',
  // The mobile network may already have received the SMS.
  InternalServerError: 'unknown',
  GatewayError: 'unknown',
}
const STATUS_OF_CODE: Record<number, string> = {
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
const REASONS: Record<Exclude<SendOutcomeKind, 'taken'>, string> = {
  refused: 'recipient_refused',
  again: 'gateway_refused',
  unknown: 'unknown_outcome',
}

/** Maps the result of the HTTP request to the outcome of the SMS. */
function outcomeOfPost(result: FormPostResult): SendOutcome {
  if (result.kind !== 'answered') {
    return result.kind === 'lost'
      ? unknownSend(result.why)
      : { kind: 'again', why: `gateway_unreachable: ${result.why}` }
  }
  const { status, text } = result
  if (status >= 500) return unknownSend(`${status} ${text}`)
  if (status === 400) return { kind: 'refused', why: plainLine(`message_refused: ${text}`) }
  // With any other status of 300 or higher, the gateway did not process the SMS: a wrong key or address, or a rate limit.
  if (status >= 300) return { kind: 'again', why: plainLine(`gateway_refused: ${status} ${text}`) }
  return outcomeOfAnswer(text)
}

const unknownSend = (reason: string): SendOutcome => ({ kind: 'unknown', why: plainLine(`unknown_outcome: ${reason}`) })

type GatewayAnswer = { SMSMessageData?: { Message?: unknown; Recipients?: unknown } }
type RecipientStatus = { statusCode?: unknown; status?: unknown; messageId?: unknown }

function outcomeOfAnswer(text: string): SendOutcome {
  let answer: GatewayAnswer | null = null
  try {
    answer = JSON.parse(text) as GatewayAnswer | null
  } catch {
    return unknownSend(text)
  }
  const { Message, Recipients } = answer?.SMSMessageData ?? {}
  // If the answer has no recipients, `Message` contains the status, such as InvalidSenderId.
  if (Array.isArray(Recipients) && Recipients.length === 0) return outcomeOfStatus(String(Message), null)
  if (!Array.isArray(Recipients) || Recipients.length !== 1) return unknownSend(text)
  const { statusCode, status, messageId } = (Recipients[0] ?? {}) as RecipientStatus
  return outcomeOfStatus(
    STATUS_OF_CODE[Number(statusCode)] ?? String(status),
    typeof messageId === 'string' ? messageId : null,
  )
}

function outcomeOfStatus(status: string, id: string | null): SendOutcome {
  const kind = Object.hasOwn(STATUS_OUTCOMES, status) ? (STATUS_OUTCOMES[status] as SendOutcomeKind) : 'unknown'
  // The outcome is `taken` only with a message id, because only the id proves that the gateway accepted the SMS.
  if (kind === 'taken') return id === null ? unknownSend(status) : { kind, gateway_id: plainLine(id, 100) }
  return { kind, why: plainLine(`${REASONS[kind]}: ${status}`) }
}
