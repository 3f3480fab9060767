// Defines the interface of message gateways. A gateway sends one message per call, never throws, and returns within its
// timeout.

/** The channels of messages. Each channel has at most one gateway. */
export const CHANNELS = ['email', 'sms'] as const
/** The channel of one message: `email` or `sms`. */
export type Channel = (typeof CHANNELS)[number]

/**
 * The outcome of a send. `taken`: the gateway accepted the message. `refused`: no retry can succeed. `again`: the worker may
 * retry, and a repeated e-mail has the same id. `unknown`: the gateway may have the SMS. `why` begins with a stable word and a
 * colon.
 */
export type SendOutcome =
  | { kind: 'taken'; gateway_id: string | null }
  | { kind: 'refused' | 'again' | 'unknown'; why: string }

/** A file that the gateway attaches to an e-mail. The content is always bytes, so no gateway reads a file or a URL. */
export type Attachment = {
  filename: string
  content: Buffer
  content_type: string
  /**
   * True means that the e-mail shows this picture above its text. The e-mail contains the picture, so the e-mail program loads
   * nothing.
   */
  is_logo?: boolean
}

/** An e-mail to send. All attempts have the same `id`. */
export type OutgoingEmail = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date
  attachments: readonly Attachment[]
  /**
   * The URL where the recipient stops such e-mails with one request (RFC 8058). Null means that the e-mail has none.
   */
  unsubscribe_url: string | null
  /** The button, and the line of `text` with its address, from 0. Null means that the e-mail has no button. */
  button: { label: string; line: number } | null
  /** The colour of the button, as #rrggbb. Null means the colour of the installation. */
  accent_color: string | null
}

/** An SMS to send. `to` is a canonical phone number. */
export type OutgoingSms = { to: string; text: string }

/** Sends the messages of one channel to a gateway. `send` never throws. */
export type MessageGateway<Message> = { send(message: Message): Promise<SendOutcome>; close(): Promise<void> }

/** The configured gateways. Null means that the channel has no gateway, so its messages stay in the outbox. */
export type Gateways = { email: MessageGateway<OutgoingEmail> | null; sms: MessageGateway<OutgoingSms> | null }
