// Defines the settings of the gateways for e-mail and SMS. If a channel has no gateway, its messages stay in the outbox.

import { oneWord, optional, setting, url, word } from './setting.ts'

/** The name and address from which the server sends e-mails. */
export type MailSender = { name: string; address: string }

// The expression excludes characters that end an address, begin another address, or have a meaning in SMTP.
const ADDRESS = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}]+$/u
const ADDRESS_CHARACTERS_MAX = 254

/** Returns true if a text is exactly one e-mail address. */
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
  // A query in the URL could switch off the check of certificates, so the parser refuses a URL with a query.
  if (!['', '/'].includes(parsed.pathname) || parsed.search !== '' || parsed.hash !== '') {
    throw new Error('must have no path, query or fragment')
  }
  if ((parsed.username === '') !== (parsed.password === ''))
    throw new Error('must contain both user and password, or neither')
  if (/%(?![0-9A-Fa-f]{2})/.test(parsed.username + parsed.password)) {
    throw new Error('must contain %25 instead of each % in user or password')
  }
  return value
}

const smsGateway = (value: string): '' | 'africastalking' => (value === '' ? '' : oneWord('africastalking')(value))
const sender = (value: string): string => {
  if (!/^(?:[A-Za-z0-9 ._-]{1,11}|\+?\d{3,15})$/.test(value)) {
    throw new Error(
      'must be 1 to 11 letters, digits, spaces, dots, hyphens or underscores, or a short code of 3 to 15 digits',
    )
  }
  return value
}

/** The settings of messages, for the table of all settings. */
export const messageSettings = {
  smtp_url: setting(
    'SMTP_URL',
    '',
    smtp,
    'Mail server: smtp://user:password@host:587 (in production only with STARTTLS) or smtps://user:password@host:465. Empty: e-mails stay in the outbox.',
    { secret: true },
  ),
  mail_from: setting('MAIL_FROM', '', mailFrom, 'Sender of e-mails: pay@example.tz or Malipo <pay@example.tz>.'),
  sms_gateway: setting(
    'SMS_GATEWAY',
    '',
    smsGateway,
    'Gateway for SMS: africastalking. Empty: SMS stay in the outbox.',
  ),
  sms_sender: setting(
    'SMS_SENDER',
    '',
    optional(sender),
    "Sender of SMS, as registered at the gateway. Empty: the gateway's default.",
  ),
  africastalking_url: setting(
    'AFRICASTALKING_URL',
    'https://api.africastalking.com',
    url('http:', 'https:'),
    "URL of Africa's Talking. Sandbox: https://api.sandbox.africastalking.com.",
  ),
  africastalking_username: setting(
    'AFRICASTALKING_USERNAME',
    '',
    optional(word),
    "Application name at Africa's Talking.",
  ),
  africastalking_api_key: setting('AFRICASTALKING_API_KEY', '', optional(word), "API key of Africa's Talking.", {
    secret: true,
  }),
} as const

type MessageSettings = typeof messageSettings
/** The values of the settings of the gateways after their check. */
export type MessageConfig = { [K in keyof MessageSettings]: ReturnType<MessageSettings[K]['parse']> }

/** Lists the settings that the configured gateways require and that have no value, each with the name of its variable. */
export function messageProblems(config: MessageConfig): string[] {
  const problems: string[] = []
  if (config.smtp_url !== '' && config.mail_from === null)
    problems.push('MAIL_FROM must be set, because SMTP_URL is set')
  if (config.sms_gateway === 'africastalking') {
    for (const name of ['africastalking_url', 'africastalking_username', 'africastalking_api_key'] as const) {
      if (config[name] === '')
        problems.push(`${messageSettings[name].env} must be set, because SMS_GATEWAY is africastalking`)
    }
  }
  return problems
}

/** Lists the settings of messages that production refuses, with the names of their variables. */
export function insecureMessages(config: MessageConfig): string[] {
  const is_plain_http = config.africastalking_url.startsWith('http:')
  return is_plain_http ? ['AFRICASTALKING_URL must begin with https:// in production'] : []
}
