// Makes the gateway's answers: an HTTP status, and an envelope with reference, result code, result, message and data.

import { digits, share } from './chance.ts'
import type { ReplyKind } from './fates.ts'
import type { Settings } from './settings.ts'

/**
 * The JSON of an answer. Calls of the checkout have no transid. Answers to queries of payouts have the transid as messageId.
 */
export type Envelope = {
  transid?: string
  messageId?: string
  reference: string
  resultcode: string
  result: string
  message: string
  data: Record<string, string | null>[]
}

/** An answer. If a check refused the request, `refused` has the name of the check. */
export type Reply = { http: number; envelope: Envelope; refused?: string }

/** The message about a silent upstream, with the misspelling of the gateway. */
const NO_RESPONSE = 'No reponse from upstream system'

/**
 * Returns the reference that the gateway gives to an order, a payment or a payout. The same parts always give the same
 * reference.
 */
export function referenceOf(...parts: readonly string[]): string {
  return `S${digits(11, 'reference', ...parts)}`
}

/** Makes the answer of a successful call. A successful query does not mean that the queried payment succeeded. */
export function success(reference: string, message: string, data: Envelope['data'] = []): Reply {
  return { http: 200, envelope: { reference, resultcode: '000', result: 'SUCCESS', message, data } }
}

/** Makes the refusal of a request that failed a check. */
export function refusal(check: string, http: number, resultcode: string, message: string): Reply {
  const reference = referenceOf('refusal', check, message)
  return { http, envelope: { reference, resultcode, result: 'FAIL', message, data: [] }, refused: check }
}

/** Returns true if this answer uses the second of the gateway's two spellings. */
export function spellsSecond(settings: Settings, reference: string, what: string): boolean {
  if (settings.texts === 'mixed') return share('texts', what, reference) < 0.5
  return settings.texts === 'second'
}

/** Makes an answer of a kind with the gateway's texts. Answers with different `what` may have different spellings. */
export function replyOfKind(settings: Settings, kind: ReplyKind, id: string, what: string): Reply {
  const second = spellsSecond(settings, id, what)
  const [resultcode, result, message] = ((): [string, string, string] => {
    switch (kind) {
      case 'success':
        return ['000', 'SUCCESS', 'Transaction successful']
      case 'pending':
        return second
          ? ['927', 'INPROGRESS', 'Transaction in progress']
          : ['111', 'PENDING', 'Request in progress. You will receive a callback shortly.']
      case 'ambiguous':
        return ['999', second ? 'AMBIGUOUS' : 'AMBIGOUS', NO_RESPONSE]
      case 'fail':
        return ['400', 'FAIL', 'Transaction failed']
      case 'recipient':
        return ['010', 'FAIL', 'Invalid mobile number or operator not supported']
      case 'limit':
        return ['013', 'FAIL', 'Amount higher than allowed limit']
      case 'upstream':
        return ['403', 'FAIL', NO_RESPONSE]
      case 'contradiction':
        return ['000', 'FAIL', 'Transaction failed']
      case 'unseen':
        return ['777', 'QUEUED', 'Transaction queued']
    }
  })()
  return { http: 200, envelope: { reference: referenceOf(what, id), resultcode, result, message, data: [] } }
}
