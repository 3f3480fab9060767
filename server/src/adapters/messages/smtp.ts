// Sends e-mails over SMTP. The gateway removes line breaks from the subject and all names, so that no text can add a header.

import { createRequire } from 'node:module'
import type { SendMailOptions } from 'nodemailer'
import { isMailAddress, type MailSender, plainLine, plainText, systemClock } from '../../kernel/lib/index.ts'
import type { MessageGateway, OutgoingEmail, SendOutcome } from './gateway.ts'
import { LOGO_ID, mailHtml } from './mail-html.ts'

/**
 * The options of the e-mail gateway. If `demand_tls` is true and the mail server is on another machine, the gateway sends only
 * with TLS.
 */
export type SmtpOptions = {
  url: string
  from: MailSender
  brand_name: string
  demand_tls: boolean
  /** The timeout of one e-mail in milliseconds, from the connection to the last answer of the mail server. */
  timeout_ms?: number
}

/** The greatest number of concurrent e-mails. Each uses a connection of the pool. */
export const SMTP_CONNECTIONS = 8
const MESSAGES_OF_CONNECTION = 100
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000
const SEND_MS = 45_000
const SUBJECT_MAX = 200
const FILENAME_MAX = 100

/** Makes the e-mail gateway. The function loads the SMTP library, so a process without e-mail never loads it. */
export function createSmtpGateway(options: SmtpOptions): MessageGateway<OutgoingEmail> {
  const { createTransport }: typeof import('nodemailer') = createRequire(import.meta.url)('nodemailer')
  const transport = createTransport(poolOf(options))
  const { from, brand_name, timeout_ms = SEND_MS } = options
  const sender = { name: plainLine(from.name === '' ? brand_name : from.name, 80), address: from.address }
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  return {
    async send(email) {
      if (!isMailAddress(email.to)) return { kind: 'refused', why: 'invalid_recipient: not an e-mail address' }
      const aborter = new AbortController()
      // The timer uses the clock of the machine, because sockets do not follow a simulated clock.
      const stopTimer = systemClock.after(timeout_ms, () => aborter.abort())
      // The types of nodemailer do not declare `signal`.
      const mail: SendMailOptions & { signal: AbortSignal } = { ...mailOf(email), from: sender, signal: aborter.signal }
      mail.messageId = `<${email.id}@${domain}>`
      try {
        const { response } = await transport.sendMail(mail)
        return { kind: 'taken', gateway_id: plainLine(response) }
      } catch (error) {
        return smtpFailure(error as SmtpError)
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
  const is_local = ['localhost', '127.0.0.1', '::1'].includes(host)
  return {
    pool: true as const,
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A local connection needs no TLS, and local mail servers rarely have a valid certificate.
    ignoreTLS: is_local,
    requireTLS: demand_tls && !is_local && !secure,
    name: from.address.slice(from.address.lastIndexOf('@') + 1),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    maxConnections: SMTP_CONNECTIONS,
    maxMessages: MESSAGES_OF_CONNECTION,
    // The worker retries e-mails, so the library must not.
    maxRequeues: 0,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function mailOf(email: OutgoingEmail): SendMailOptions {
  const { to, subject, text, created_at, attachments, unsubscribe_url, button, accent_color } = email
  const has_logo = attachments.some(({ is_logo }) => is_logo)
  return {
    // nodemailer would parse a text as a list of addresses, so the gateway passes an object with one address.
    to: { name: '', address: to },
    subject: plainLine(subject, SUBJECT_MAX),
    text: plainText(text),
    ...(has_logo || button !== null
      ? { html: mailHtml({ text: plainText(text), button, accent_color, has_logo }) }
      : {}),
    date: created_at,
    headers: {
      'Auto-Submitted': 'auto-generated',
      // RFC 8058: the e-mail program of the recipient stops such e-mails with one POST, without a page.
      ...(unsubscribe_url === null
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe_url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    attachments: attachments.map(({ filename, content, content_type, is_logo = false }) => ({
      filename: plainLine(filename, FILENAME_MAX),
      content,
      contentType: content_type,
      ...(is_logo ? { cid: LOGO_ID, contentDisposition: 'inline' as const } : {}),
    })),
  }
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number; response?: string }

/**
 * Maps an SMTP error to an outcome. If the mail server refused the recipient or the text with a 5xx code, no retry can succeed.
 */
function smtpFailure({ code, command, responseCode, response, message }: SmtpError): SendOutcome {
  const reply = plainLine(response ?? message)
  if (responseCode !== undefined && responseCode >= 500) {
    if (command === 'RCPT TO') return { kind: 'refused', why: `recipient_refused: ${reply}` }
    if (command === 'DATA') return { kind: 'refused', why: `message_refused: ${reply}` }
  }
  const word = responseCode === undefined ? 'gateway_unreachable' : 'gateway_refused'
  return { kind: 'again', why: `${word}: ${code ?? 'error'} ${reply}` }
}
