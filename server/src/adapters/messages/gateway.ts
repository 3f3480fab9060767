// The port of message gateways. A gateway sends one message at a time, never throws and always answers in time.

/** The channels of messages. */
export const CHANNELS = ['email', 'sms'] as const
/** A channel of messages. */
export type Channel = (typeof CHANNELS)[number]

/**
 * The outcome of a send. `taken`: the gateway accepted the message. `refused`: a retry cannot succeed. `again`: the gateway
 * did not get it, and a retry may succeed. `unknown`: the gateway may have it. `why` begins with a stable word and a colon.
 */
export type SendOutcome =
  | { kind: 'taken'; gateway_id: string | null }
  | { kind: 'refused' | 'again' | 'unknown'; why: string }

/** A file attached to an e-mail: bytes, never a path or an address. */
export type Attachment = { filename: string; content: Buffer; content_type: string }

/** An e-mail for a gateway. `id` is the same at each try. */
export type OutgoingEmail = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date
  attachments: readonly Attachment[]
}

/** An SMS for a gateway. `to` is a canonical phone number. */
export type OutgoingSms = { to: string; text: string }

/** A gateway for one channel. */
export type MessageGateway<Message> = { send(message: Message): Promise<SendOutcome>; close(): Promise<void> }

/** The configured gateways. If a channel has none (null), its messages are kept. */
export type Gateways = { email: MessageGateway<OutgoingEmail> | null; sms: MessageGateway<OutgoingSms> | null }
