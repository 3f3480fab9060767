// Defines the port of message gateways. A gateway sends one message for each call, never throws, and answers within its
// timeout.

/** The channels of messages. */
export const CHANNELS = ['email', 'sms'] as const
/** A channel of messages. */
export type Channel = (typeof CHANNELS)[number]

/**
 * The outcome of a send. `taken`: the gateway accepted the message. `refused`: a retry cannot succeed. `again`: the gateway
 * did not get the message, so a retry may succeed. `unknown`: the gateway may have the message. `why` begins with a stable
 * word and a colon.
 */
export type SendOutcome =
  | { kind: 'taken'; gateway_id: string | null }
  | { kind: 'refused' | 'again' | 'unknown'; why: string }

/** A file attached to an e-mail. The content is bytes, so that no gateway reads a path or an address. */
export type Attachment = {
  filename: string
  content: Buffer
  content_type: string
  /** True: the e-mail shows this picture above its text, and the reader's program loads nothing from the network. */
  is_logo?: boolean
}

/** An e-mail for a gateway. Each attempt has the same `id`. */
export type OutgoingEmail = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date
  attachments: readonly Attachment[]
  /** The address that ends such e-mails with one request (RFC 8058). Null means that there is none. */
  unsubscribe_url: string | null
}

/** An SMS for a gateway. `to` is a canonical phone number. */
export type OutgoingSms = { to: string; text: string }

/** A gateway that sends the messages of one channel. */
export type MessageGateway<Message> = { send(message: Message): Promise<SendOutcome>; close(): Promise<void> }

/** The configured gateways. Null means that the channel has no gateway, so the outbox keeps the messages of that channel. */
export type Gateways = { email: MessageGateway<OutgoingEmail> | null; sms: MessageGateway<OutgoingSms> | null }
