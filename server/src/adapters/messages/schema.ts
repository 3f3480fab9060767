// Messages as the API shows them.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { nullable, oneOf } from '../../kernel/lib/index.ts'
import { CHANNELS } from './gateway.ts'

const STATUSES = ['kept', 'waiting', 'sent', 'failed'] as const
/** Where a message stands. */
export type Status = (typeof STATUSES)[number]

const STATUS_WORDS =
  'kept: read here, nobody sends it (no gateway is configured, or it is about the sandbox). waiting: it will be tried at next_try_at. sent: the gateway took it. failed: given up; error says why.'
const ERROR_WORDS =
  'Why the last try failed: invalid_recipient, recipient_refused, message_refused, gateway_refused, gateway_unreachable, attachment_failed, or unknown_outcome (an SMS that may have arrived: it is not sent again).'

const Time = Type.String({ format: 'date-time' })
const COMMON = {
  id: Type.String({ format: 'uuid' }),
  environment: oneOf(ENVIRONMENTS),
  channel: oneOf(CHANNELS),
  status: oneOf(STATUSES, STATUS_WORDS),
  kind: Type.String({ description: 'What it is about.', examples: ['invoice.send', 'invoice.remind'] }),
  to: Type.String({ description: 'An e-mail address, or a phone number.' }),
  subject: nullable(Type.String({ description: 'Null for an SMS.' })),
  invoice_id: nullable(Type.String({ format: 'uuid', description: 'The invoice that it is about.' })),
  tries: Type.Integer({ description: 'How often it was tried.' }),
  next_try_at: nullable(Time),
  sent_at: nullable(Time),
  created_at: Time,
}

/** A message that was sent in a merchant's name. */
export const MerchantMessage = Type.Object({
  ...COMMON,
  text: nullable(Type.String({ description: 'Null when it can be read no more.' })),
  error: nullable(Type.String({ description: ERROR_WORDS })),
})
export type MerchantMessage = Static<typeof MerchantMessage>

/** A message as operators see it. */
export const OperatorMessage = Type.Object({
  ...COMMON,
  merchant_id: nullable(Type.String({ format: 'uuid', description: 'Null when it concerns no merchant.' })),
  text: nullable(Type.String({ description: 'Null in production for kinds whose text could open an account.' })),
  error: nullable(Type.String({ description: `${ERROR_WORDS} Then what the gateway said.` })),
  gateway_id: nullable(Type.String({ description: 'What the gateway said when it took it; of an SMS, its id there.' })),
})
export type OperatorMessage = Static<typeof OperatorMessage>

const Narrowed = {
  ...PageQuery,
  channel: Type.Optional(oneOf(CHANNELS)),
  status: Type.Optional(oneOf(STATUSES)),
}
/** Which of a merchant's messages. */
export const MerchantMessagesQuery = Type.Object({
  ...Narrowed,
  invoice_id: Type.Optional(Type.String({ format: 'uuid' })),
})
/** Which of all messages. */
export const OperatorMessagesQuery = Type.Object({
  ...Narrowed,
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
})
/** A page of a merchant's messages. */
export const MerchantMessagesAnswer = success(page(MerchantMessage))
/** A page of all messages. */
export const OperatorMessagesAnswer = success(page(OperatorMessage))
