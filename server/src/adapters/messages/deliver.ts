// Sends the due messages of the outbox. If a process dies while it sends an e-mail, another process sends the e-mail again with
// the same Message-ID. If a process dies while it sends an SMS, no process sends the SMS again.

import type { Deps } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { canonicalPhone } from '../../kernel/lib/index.ts'
import { type Claimed, createClaimer, type Task } from '../../kernel/work/index.ts'
import { SMS_CONNECTIONS } from './africastalking.ts'
import { type Attachment, CHANNELS, type Channel, type Gateways } from './gateway.ts'
import { createMessageRecorder, LONGEST_PAUSE_MS, type MessageResult } from './record.ts'
import { SMTP_CONNECTIONS } from './smtp.ts'

/** The fields of a message that the server needs to make its attachments. */
export type AttachmentRequest = {
  kind: string
  merchant_id: string
  id: string
  environment: Environment
  invoice_id: string | null
}

/** The attachments of an e-mail, and the colour of its button. Null means the colour of the installation. */
export type MailParts = { attachments: readonly Attachment[]; accent_color: string | null }

/**
 * Makes the attachments of an e-mail just before the worker sends it, so that the outbox stores no files. If this function
 * throws, the worker retries the e-mail later.
 */
export type Attach = (message: AttachmentRequest) => Promise<MailParts>

type DueMessage = AttachmentRequest & {
  channel: Channel
  recipient: string
  subject: string
  body: string
  tries: number
  unsubscribe_url: string | null
  button_label: string | null
  button_line: number | null
  created_at: Date
  due_at: Date
}

/**
 * The greatest number of messages in progress for each channel in this process. Each message has its own connection to the
 * gateway.
 */
const SENDING_MAX: Record<Channel, number> = { email: SMTP_CONNECTIONS, sms: SMS_CONNECTIONS }
const EVERY_MS = 1_000
const LEASE_MS = 120_000
/** The longest duration of one attempt with its attachments, in milliseconds. */
const TRY_MS_MAX = 60_000

/** Makes the worker task that sends due messages. `attach` makes the attachments of e-mails. */
export function createMessageTask(deps: Deps, gateways: Gateways, attach: Attach): Task {
  const record = createMessageRecorder(deps)
  const send = createSend(deps, gateways, attach)
  const claim = createClaimer<DueMessage>(deps, {
    name: 'outbox_messages',
    key: ['id'],
    lane: 'channel',
    returning: [
      ...['merchant_id', 'id', 'environment', 'channel', 'kind', 'recipient', 'subject', 'body', 'tries', 'invoice_id'],
      ...['created_at', 'due_at', 'unsubscribe_url', 'button_label', 'button_line'],
    ],
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'created_at',
  })
  const sending: Record<Channel, Set<Promise<void>>> = { email: new Set(), sms: new Set() }

  const deliver = async (message: Claimed<DueMessage>): Promise<void> => {
    const { merchant_id, id, tries } = message
    try {
      const outcome = await send(message)
      await record({ merchant_id, id, tries, outcome, ended_at: deps.clock.now() })
    } catch (error) {
      deps.log.warn(
        { component: 'messages', err: error, merchant_id, message_id: id },
        'the server did not record the outcome of a message',
      )
    }
  }
  const start = (message: Claimed<DueMessage>) => {
    const set = sending[message.channel]
    const run: Promise<void> = deliver(message).finally(() => set.delete(run))
    set.add(run)
  }
  return {
    name: 'messages',
    every_ms: EVERY_MS,
    async runOnce() {
      const free = CHANNELS.map((channel) => SENDING_MAX[channel] - sending[channel].size)
      // Each channel has its own limit, so that a slow gateway does not delay messages of the other channel.
      const full = CHANNELS.filter((_, index) => (free[index] as number) <= 0)
      const limits = free.filter((left) => left > 0)
      if (limits.length === 0) return 0
      const rows = await claim(Math.min(...limits), LEASE_MS, () => Number.MAX_SAFE_INTEGER, full)
      for (const row of rows) start(row)
      return rows.length
    },
    async idle() {
      await Promise.all([...sending.email, ...sending.sms])
    },
    giveBack: claim.giveBack,
  }
}

/** Makes the function that sends a claimed message once. The function never throws. */
function createSend(deps: Deps, gateways: Gateways, attach: Attach) {
  const { clock, vault, log } = deps

  const sendEmail = async (email: DueMessage, text: string): Promise<MessageResult['outcome']> => {
    if (gateways.email === null) return { kind: 'kept' }
    const { kind, merchant_id, id, environment, invoice_id, recipient: to, subject, created_at } = email
    const { unsubscribe_url, button_label: label, button_line: line } = email
    const button = label === null || line === null ? null : { label, line }
    try {
      const parts = await attach({ kind, merchant_id, id, environment, invoice_id })
      return await gateways.email.send({ id, to, subject, text, created_at, unsubscribe_url, button, ...parts })
    } catch (error) {
      log.error(
        { component: 'messages', err: error, merchant_id, message_id: id },
        'the server could not make the attachments of an e-mail or send the e-mail',
      )
      return { kind: 'again', why: 'attachment_failed: see the log of the server' }
    }
  }
  const sendSms = async (sms: DueMessage, text: string): Promise<MessageResult['outcome']> => {
    if (gateways.sms === null) return { kind: 'kept' }
    const to = canonicalPhone(sms.recipient)
    if (to === null) return { kind: 'refused', why: 'invalid_recipient: not a Tanzanian mobile number' }
    return gateways.sms.send({ to, text })
  }
  return async (message: Claimed<DueMessage>): Promise<MessageResult['outcome']> => {
    if (message.environment !== 'live') return { kind: 'kept' }
    if (message.channel === 'sms' && message.previous_owner !== null) {
      return { kind: 'unknown', why: 'unknown_outcome: a process ended while it sent the SMS' }
    }
    // If the lease ends before an attempt can end, another process could send the message at the same time.
    if (message.due_at.getTime() - clock.now().getTime() < TRY_MS_MAX)
      return { kind: 'again', why: 'late: the server made no attempt' }
    let text: string
    try {
      text = vault.open(message.body)
    } catch {
      return { kind: 'again', why: 'unreadable: SECRET_KEY is not the key that encrypted the message' }
    }
    return message.channel === 'email' ? sendEmail(message, text) : sendSms(message, text)
  }
}
