// Sending what waits in the outbox. An e-mail goes at least once: a process that dies between sending and writing it down
// leaves the lease to end, and the same e-mail, with the same Message-ID, goes again. An SMS goes at most once: its claim is
// the mark that it may have been sent, so whoever claims it after somebody who never gave it back does not send it.

import type { Deps } from '../../kernel/db/index.ts'
import type { Environment } from '../../kernel/http/index.ts'
import { canonicalPhone } from '../../kernel/lib/index.ts'
import { type Claimed, createClaimer, type Task } from '../../kernel/work/index.ts'
import { SMS_CONNECTIONS } from './africastalking.ts'
import { type Attachment, CHANNELS, type Channel, type Gateways } from './gateway.ts'
import { createRecorder, type Ended, LONGEST_PAUSE_MS } from './record.ts'
import { SMTP_CONNECTIONS } from './smtp.ts'

/** The message that a file is asked for. */
export type Attaching = {
  kind: string
  merchant_id: string
  id: string
  environment: Environment
  invoice_id: string | null
}

/**
 * The files that go with an e-mail, made when it is sent so that none lies in the outbox. May throw: then the e-mail is
 * tried again later.
 */
export type Attach = (message: Attaching) => Promise<readonly Attachment[]>

type Due = Attaching & {
  channel: Channel
  recipient: string
  subject: string
  body: string
  tries: number
  created_at: Date
  due_at: Date
}

/** As many as a gateway has connections: nothing waits in memory while its lease runs. */
const SENDING_MAX: Record<Channel, number> = { email: SMTP_CONNECTIONS, sms: SMS_CONNECTIONS }
const EVERY_MS = 1_000
const LEASE_MS = 120_000
/** A try takes no longer, with its files. */
const TRY_MS_MAX = 60_000

/** Makes the worker's task. */
export function createMessageTask(deps: Deps, gateways: Gateways, attach: Attach): Task {
  const record = createRecorder(deps)
  const send = createSend(deps, gateways, attach)
  const claim = createClaimer<Due>(deps, {
    name: 'outbox_messages',
    key: ['id'],
    lane: 'channel',
    returning: [
      ...['merchant_id', 'id', 'environment', 'channel', 'kind', 'recipient', 'subject', 'body', 'tries', 'invoice_id'],
      ...['created_at', 'due_at'],
    ],
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'created_at',
  })
  const sending: Record<Channel, Set<Promise<void>>> = { email: new Set(), sms: new Set() }

  const deliver = async (message: Claimed<Due>): Promise<void> => {
    const { merchant_id, id, tries } = message
    try {
      const outcome = await send(message)
      await record({ merchant_id, id, tries, outcome, ended_at: deps.clock.now() })
    } catch (error) {
      deps.log.warn({ err: error, merchant_id, message_id: id }, 'what became of a message was not written down')
    }
  }
  const start = (message: Claimed<Due>) => {
    const set = sending[message.channel]
    const run: Promise<void> = deliver(message).finally(() => set.delete(run))
    set.add(run)
  }
  return {
    name: 'messages',
    every_ms: EVERY_MS,
    async runOnce() {
      const free = CHANNELS.map((channel) => SENDING_MAX[channel] - sending[channel].size)
      // A channel whose gateway lets us wait must not hold up the other one.
      const closed = CHANNELS.filter((_, place) => (free[place] as number) <= 0)
      const open = free.filter((places) => places > 0)
      if (open.length === 0) return 0
      const rows = await claim(Math.min(...open), LEASE_MS, () => Number.MAX_SAFE_INTEGER, closed)
      for (const row of rows) start(row)
      return rows.length
    },
    async idle() {
      await Promise.all([...sending.email, ...sending.sms])
    },
  }
}

/** Makes the function that sends a claimed message once. Never throws. */
function createSend(deps: Deps, gateways: Gateways, attach: Attach) {
  const { clock, vault, log } = deps

  const sendEmail = async (email: Due, text: string): Promise<Ended['outcome']> => {
    if (gateways.email === null) return { kind: 'kept' }
    const { kind, merchant_id, id, environment, invoice_id, recipient: to, subject, created_at } = email
    try {
      const attachments = await attach({ kind, merchant_id, id, environment, invoice_id })
      return await gateways.email.send({ id, to, subject, text, created_at, attachments })
    } catch (error) {
      log.error({ err: error, merchant_id, message_id: id }, 'an e-mail has no files yet')
      return { kind: 'again', why: 'attachment_failed: see the log of the server' }
    }
  }
  const sendSms = async (sms: Due, text: string): Promise<Ended['outcome']> => {
    if (gateways.sms === null) return { kind: 'kept' }
    const to = canonicalPhone(sms.recipient)
    if (to === null) return { kind: 'refused', why: 'invalid_recipient: not a Tanzanian mobile number' }
    return gateways.sms.send({ to, text })
  }
  return async (message: Claimed<Due>): Promise<Ended['outcome']> => {
    if (message.environment !== 'live') return { kind: 'kept' }
    if (message.channel === 'sms' && message.previous_owner !== null) {
      return { kind: 'unknown', why: 'unknown_outcome: a process ended while it was sent' }
    }
    // A process that slept through its lease does not know who sent it meanwhile.
    if (message.due_at.getTime() - clock.now().getTime() < TRY_MS_MAX) return { kind: 'again', why: 'late: not tried' }
    let text: string
    try {
      text = vault.open(message.body)
    } catch {
      return { kind: 'again', why: 'unreadable: SECRET_KEY is not the one that it was stored with' }
    }
    return message.channel === 'email' ? sendEmail(message, text) : sendSms(message, text)
  }
}
