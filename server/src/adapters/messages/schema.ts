// Defines the request and response schemas of messages.

import Type, { type Static } from 'typebox'
import { ENVIRONMENTS, PageQuery, page, success } from '../../kernel/http/index.ts'
import { enumOf, nullable } from '../../kernel/lib/index.ts'
import { CHANNELS } from './gateway.ts'

const STATUSES = ['kept', 'waiting', 'sent', 'failed'] as const
/**
 * The status of a message. `waiting`: the worker sends the message when it is due. `sent`: the gateway accepted it. `kept`: the
 * server never sends it. `failed`: the server makes no further attempt.
 */
export type MessageStatus = (typeof STATUSES)[number]

const STATUS_WORDS =
  'kept: the server stores the message and never sends it. The reason is a missing gateway, the sandbox, or a recipient with too many messages (recipient_limit in error). waiting: the server makes the next attempt at next_try_at. sent: the gateway accepted the message. failed: the server makes no further attempt; see error.'
const ERROR_WORDS =
  'The reason why the last attempt failed: invalid_recipient, recipient_refused, message_refused, gateway_refused, gateway_unreachable, attachment_failed, late, unreadable, or unknown_outcome. late: the server had no time for the attempt. unreadable: SECRET_KEY is not the key that encrypted the message. unknown_outcome: the SMS may have arrived, and the server does not send it again. recipient_limit: the recipient got too many messages, so the server made no attempt.'

const Time = Type.String({ format: 'date-time' })
const COMMON = {
  id: Type.String({ format: 'uuid' }),
  environment: enumOf('Environment', ENVIRONMENTS),
  channel: enumOf('MessageChannel', CHANNELS),
  status: enumOf('MessageStatus', STATUSES, STATUS_WORDS),
  kind: Type.String({ description: 'The kind of message.', examples: ['invoice.send', 'invoice.remind'] }),
  to: Type.String({ description: 'An e-mail address, or a phone number.' }),
  subject: nullable(Type.String({ description: 'Null means that the message is an SMS.' })),
  invoice_id: nullable(Type.String({ format: 'uuid', description: 'The invoice of the message.' })),
  tries: Type.Integer({ description: 'The number of attempts.' }),
  next_try_at: nullable(Time),
  sent_at: nullable(Time),
  created_at: Time,
}

/** A message, as its merchant reads it: without the answer of the gateway. */
export const MerchantMessage = Type.Object(
  {
    ...COMMON,
    text: nullable(Type.String({ description: 'Null means that the server can no longer decrypt the text.' })),
    error: nullable(Type.String({ description: ERROR_WORDS })),
  },
  { title: 'Message' },
)
export type MerchantMessage = Static<typeof MerchantMessage>

/** A message, as operators read it: with its merchant and the answer of the gateway. */
export const OperatorMessage = Type.Object(
  {
    ...COMMON,
    merchant_id: nullable(Type.String({ format: 'uuid', description: 'Null means that the message has no merchant.' })),
    text: nullable(
      Type.String({
        description:
          'Null means that the server can no longer decrypt the text, or that the kind may have a sign-in link, which production never shows.',
      }),
    ),
    error: nullable(Type.String({ description: `${ERROR_WORDS} The answer of the gateway follows.` })),
    gateway_id: nullable(
      Type.String({ description: "The gateway's answer when it accepted the message; for an SMS, the gateway's id." }),
    ),
  },
  { title: 'OperatorMessage' },
)
export type OperatorMessage = Static<typeof OperatorMessage>

const MessageFilters = {
  ...PageQuery,
  channel: Type.Optional(enumOf('MessageChannel', CHANNELS)),
  status: Type.Optional(enumOf('MessageStatus', STATUSES)),
}
/** The query parameters of a merchant's message list. */
export const MerchantMessagesQuery = Type.Object({
  ...MessageFilters,
  invoice_id: Type.Optional(Type.String({ format: 'uuid' })),
})
/** The query parameters of the operators' list of messages. */
export const OperatorMessagesQuery = Type.Object({
  ...MessageFilters,
  merchant_id: Type.Optional(Type.String({ format: 'uuid' })),
})
/** A page of a merchant's messages in the response envelope. */
export const MerchantMessagesAnswer = success(page(MerchantMessage))
/** A page of messages for operators in the response envelope. */
export const OperatorMessagesAnswer = success(page(OperatorMessage))
