// What a gateway is: something outside that takes one message at a time. A gateway never throws, and always answers in time.

/** The two ways of reaching people. */
export const CHANNELS = ['email', 'sms'] as const
/** One of them. */
export type Channel = (typeof CHANNELS)[number]

/**
 * What became of a message. `taken`: the gateway has it. `refused`: it never will. `again`: it certainly does not have it,
 * and may take it later. `unknown`: it may have it or not. `why` begins with a stable word and a colon.
 */
export type Outcome =
  | { kind: 'taken'; gateway_id: string | null }
  | { kind: 'refused' | 'again' | 'unknown'; why: string }

/** A file that goes with an e-mail: bytes, never a path or an address. */
export type Attachment = { filename: string; content: Buffer; content_type: string }

/** An e-mail as a gateway gets it. `id` is the same at each try. */
export type OutgoingEmail = {
  id: string
  to: string
  subject: string
  text: string
  created_at: Date
  attachments: readonly Attachment[]
}

/** An SMS as a gateway gets it. `to` is a canonical phone. */
export type OutgoingSms = { to: string; text: string }

/** Sends one kind of message. */
export type Gateway<Message> = { send(message: Message): Promise<Outcome>; close(): Promise<void> }

/** The gateways that are configured. Null: none, and messages of that channel are kept. */
export type Gateways = { email: Gateway<OutgoingEmail> | null; sms: Gateway<OutgoingSms> | null }
