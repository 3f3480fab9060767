// Implements the calls of the gateway: checks a request, chooses its fault and does its work.

import { count } from './book.ts'
import { checkFields, type Texts, type Wrong } from './check.ts'
import { bearerIn, checkDoor, type Incoming, type PAGE } from './door.ts'
import { type Call, WIRE_FAULTS, type WireFault } from './fates.ts'
import { replyWith, type TwinReply } from './reply.ts'
import { giveBack, lookUp, query, request } from './transactions.ts'
import type { Twin } from './twin.ts'

/** The result of a request: an answer, a web page, or null for no answer; and the fault. */
export type Outcome = { reply: TwinReply | typeof PAGE | null; fault: WireFault | null }

const OPERATIONS: Readonly<Record<string, Call>> = {
  'GET /getSession/': 'session',
  'POST /c2bPayment/singleStage/': 'c2b',
  'POST /b2cPayment/': 'b2c',
  'GET /queryTransactionStatus/': 'query',
  'PUT /reversal/': 'reversal',
  'GET /queryBeneficiaryName/': 'name',
}

/**
 * Answers one request: chooses the fault, and checks access and fields. If the fault does not prevent the work, does the work.
 */
export async function handle(twin: Twin, incoming: Incoming): Promise<Outcome> {
  const { book, chances } = twin
  const refuse = (http: number, { check, code }: Wrong): Outcome => {
    count(book.refusals, check)
    return { reply: replyWith(http, code), fault: null }
  }
  if (incoming.path === null) return refuse(400, { check: 'market', code: 'INS-998' })
  const call = OPERATIONS[`${incoming.method} ${incoming.path}`]
  if (call === undefined) return refuse(404, { check: 'path', code: 'INS-997' })
  count(book.requests, call)
  const id = subjectOf(incoming)
  const fault = chances.onWire(call, id)
  if (fault === 'session_ends') endSession(twin, incoming)
  const refused = checkDoor(twin, call, incoming)
  if (refused !== null) return { reply: refused, fault: null }
  if (call === 'session') {
    if (fault !== null && !WIRE_FAULTS[fault].executes) return { reply: null, fault }
    book.sessions++
    return { reply: replyWith(200, 'INS-0', { output_SessionID: twin.sessions.open() }), fault }
  }
  const fields = incoming.fields ?? {}
  const wrong = checkFields(call, fields)
  if (wrong !== null) return refuse(400, wrong)
  if (fields.input_ServiceProviderCode !== twin.account.service_provider_code) {
    return refuse(400, { check: 'short code', code: 'INS-13' })
  }
  if (fault !== null && !WIRE_FAULTS[fault].executes) return { reply: null, fault }
  return { reply: await work(twin, call, fields as Texts), fault }
}

function work(twin: Twin, call: Exclude<Call, 'session'>, fields: Texts): Promise<TwinReply | null> {
  switch (call) {
    case 'c2b':
    case 'b2c':
      return request(twin, call, fields)
    case 'query':
      return Promise.resolve(query(twin, fields))
    case 'reversal':
      return Promise.resolve(giveBack(twin, fields))
    case 'name':
      return Promise.resolve(lookUp(twin, fields))
  }
}

/**
 * Returns the id that chooses the fault of a request. Repeated requests have the same id, so that a run is repeatable.
 */
function subjectOf({ fields }: Incoming): string {
  return String(fields?.input_QueryReference ?? fields?.input_ThirdPartyConversationID ?? '')
}

function endSession(twin: Twin, { headers }: Incoming): void {
  const session = bearerIn(twin, headers.authorization)
  if (session !== null) twin.sessions.end(session)
}
