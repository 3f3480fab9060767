// Settings of the gateways for e-mail and SMS. A channel without a gateway keeps its messages in the outbox, to be read there.

import { oneOf, optional, setting, url, word } from './setting.ts'

/** A sender as e-mails name it. */
export type MailSender = { name: string; address: string }

// Nothing that ends an address, starts another one or could be taken for a part of the protocol.
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u
const ADDRESS_CHARACTERS_MAX = 254

/** Whether a text is one e-mail address, and nothing but that. */
export function isMailAddress(value: string): boolean {
  return value.length <= ADDRESS_CHARACTERS_MAX && ADDRESS.test(value)
}

const mailFrom = (value: string): MailSender | null => {
  if (value === '') return null
  const [, name = '', inside] = /^([^<>"\p{C}]*)<([^<>]*)>$/u.exec(value) ?? []
  const address = inside ?? value
  if (!isMailAddress(address)) throw new Error('must be an address such as pay@example.tz or Malipo <pay@example.tz>')
  return { name: name.trim(), address }
}

const smtp = (value: string): string => {
  if (value === '') return ''
  const parsed = URL.parse(value)
  if (parsed === null || !['smtp:', 'smtps:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new Error('must be smtp://user:password@host:port or smtps://user:password@host:port')
  }
  // A query could switch the check of certificates off, unseen.
  if (!['', '/'].includes(parsed.pathname) || parsed.search !== '' || parsed.hash !== '') {
    throw new Error('must have no path, query or fragment')
  }
  if ((parsed.username === '') !== (parsed.password === '')) throw new Error('must name user and password, or neither')
  if (/%(?![0-9A-Fa-f]{2})/.test(parsed.username + parsed.password)) {
    throw new Error('must write a % in user or password as %25')
  }
  return value
}

const smsGateway = (value: string): '' | 'africastalking' => (value === '' ? '' : oneOf('africastalking')(value))
const sender = (value: string): string => {
  if (!/^(?:[A-Za-z0-9 ._-]{1,11}|\+?\d{3,15})$/.test(value)) {
    throw new Error('must be at most 11 letters and digits, or a short code')
  }
  return value
}

/** The rows of the messages in the table of settings. */
export const messageSettings = {
  smtp_url: setting(
    'SMTP_URL',
    '',
    smtp,
    'Mail server: smtp://user:password@host:587 (in production with STARTTLS or not at all) or smtps://user:password@host:465. Empty: e-mails are kept in the outbox.',
  ),
  mail_from: setting('MAIL_FROM', '', mailFrom, 'Sender of e-mails: pay@example.tz or Malipo <pay@example.tz>.'),
  sms_gateway: setting(
    'SMS_GATEWAY',
    '',
    smsGateway,
    'Gateway for SMS: africastalking. Empty: SMS are kept in the outbox.',
  ),
  sms_sender: setting(
    'SMS_SENDER',
    '',
    optional(sender),
    "Sender that SMS show, as registered at the gateway. Empty: the gateway's default.",
  ),
  africastalking_url: setting(
    'AFRICASTALKING_URL',
    'https://api.africastalking.com',
    url('http:', 'https:'),
    "Africa's Talking. Their sandbox: https://api.sandbox.africastalking.com.",
  ),
  africastalking_username: setting('AFRICASTALKING_USERNAME', '', optional(word), 'Name of the application there.'),
  africastalking_api_key: setting('AFRICASTALKING_API_KEY', '', optional(word), 'Its API key.'),
} as const

/** Secrets of gateways, which may also come from a file. */
export const MESSAGE_SECRETS = ['SMTP_URL', 'AFRICASTALKING_API_KEY'] as const

type Settings = typeof messageSettings
/** The checked settings of the gateways. */
export type MessageConfig = { [K in keyof Settings]: ReturnType<Settings[K]['parse']> }

/** What is missing for the gateways that are used, each with the variable's name. */
export function messageProblems(config: MessageConfig): string[] {
  const problems: string[] = []
  if (config.smtp_url !== '' && config.mail_from === null) problems.push('MAIL_FROM must be set: SMTP_URL is set')
  if (config.sms_gateway === 'africastalking') {
    for (const name of ['africastalking_url', 'africastalking_username', 'africastalking_api_key'] as const) {
      if (config[name] === '') problems.push(`${messageSettings[name].env} must be set: SMS_GATEWAY is africastalking`)
    }
  }
  return problems
}

/** What of it must not be in production. */
export function insecureMessages(config: MessageConfig): string[] {
  const is_open = config.africastalking_url.startsWith('http:')
  return is_open ? ['AFRICASTALKING_URL must begin with https:// in production'] : []
}
