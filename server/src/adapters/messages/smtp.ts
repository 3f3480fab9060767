// E-mail over SMTP. Plain text; the subject and all names pass as one line, so that nothing in them becomes a header.

import { createRequire } from 'node:module'
import type { SendMailOptions } from 'nodemailer'
import { isMailAddress, type MailSender, plainLine, plainText, systemClock } from '../../kernel/lib/index.ts'
import type { Gateway, Outcome, OutgoingEmail } from './gateway.ts'

/** What the gateway is made of. `demand_tls`: a server that is not this machine gets nothing without TLS. */
export type SmtpOptions = {
  url: string
  from: MailSender
  brand_name: string
  demand_tls: boolean
  /** Time for one e-mail, from the connection to the last answer. */
  timeout_ms?: number
}

/** E-mails at once, each over a connection that is used again. */
export const SMTP_CONNECTIONS = 8
const MESSAGES_OF_CONNECTION = 100
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000
const SEND_MS = 45_000
const SUBJECT_MAX = 200
const FILENAME_MAX = 100

/** Makes the gateway. Where no server is named there is none, and its library is never read. */
export function createSmtpGateway(options: SmtpOptions): Gateway<OutgoingEmail> {
  const { createTransport }: typeof import('nodemailer') = createRequire(import.meta.url)('nodemailer')
  const transport = createTransport(poolOf(options))
  const { from, brand_name, timeout_ms = SEND_MS } = options
  const sender = { name: plainLine(from.name === '' ? brand_name : from.name, 80), address: from.address }
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    async send(email) {
      if (!isMailAddress(email.to)) return { kind: 'refused', why: 'invalid_recipient: not an e-mail address' }
      const aborter = new AbortController()
      // Real sockets need the machine's time, whichever clock the platform lives by.
      const stopTimer = systemClock.after(timeout_ms, () => aborter.abort())
      // The signal is newer than the types of nodemailer.
      const mail: SendMailOptions & { signal: AbortSignal } = { ...mailOf(email), from: sender, signal: aborter.signal }
      mail.messageId = `<${email.id}@${domain}>`
      try {
        const { response } = await transport.sendMail(mail)
        return { kind: 'taken', gateway_id: plainLine(response) }
      } catch (error) {
        return failureOf(error as SmtpError)
      } finally {
        stopTimer()
      }
    },
    async close() {
      transport.close()
    },
  }
}

function poolOf({ url, from, demand_tls }: SmtpOptions) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const here = ['localhost', '127.0.0.1', '::1'].includes(host)
  return {
    pool: true as const,
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // Between two programs of one machine nobody listens, and certificates there are seldom made for it.
    ignoreTLS: here,
    requireTLS: demand_tls && !here && !secure,
    name: from.address.slice(from.address.lastIndexOf('@') + 1),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxConnections: SMTP_CONNECTIONS,
    maxMessages: MESSAGES_OF_CONNECTION,
    // Whether an e-mail is sent again is decided in one place, which is not here.
    maxRequeues: 0,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function mailOf({ to, subject, text, created_at, attachments }: OutgoingEmail): SendMailOptions {
  return {
    // Given in parts, an address is not read as a list of addresses.
    to: { name: '', address: to },
    subject: plainLine(subject, SUBJECT_MAX),
    text: plainText(text),
    date: created_at,
    headers: { 'Auto-Submitted': 'auto-generated' },
    attachments: attachments.map(({ filename, content, content_type }) => ({
      filename: plainLine(filename, FILENAME_MAX),
      content,
      contentType: content_type,
    })),
  }
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/** Refused for good is only what the server says of this recipient or this text; everything else may be mended. */
function failureOf({ code, command, responseCode, response, message }: SmtpError): Outcome {
  const said = plainLine(response ?? message)
  if (responseCode !== undefined && responseCode >= 500) {
    if (command === 'RCPT TO') return { kind: 'refused', why: `recipient_refused: ${said}` }
    if (command === 'DATA') return { kind: 'refused', why: `message_refused: ${said}` }
  }
  const word = responseCode === undefined ? 'gateway_unreachable' : 'gateway_refused'
  return { kind: 'again', why: `${word}: ${code ?? 'error'} ${said}` }
}
