// Checks the port, the public address with its certificate, and the gateways of providers and messages, for `admin doctor`.
// Each request goes to a configured address and follows no redirect.

import type { IncomingMessage } from 'node:http'
import { get as getHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { createGateways } from '../../adapters/messages/index.ts'
import { PROVIDERS } from '../../adapters/providers/registry.ts'
import { type Config, canonicalPhone, gatewayAddress, nodeHttp, settingsOf } from '../../kernel/lib/index.ts'
import { type CheckResult, type CheckTable, type DoctorInput, fail, ok, warn } from './doctor-result.ts'

const TIMEOUT_MS = 5_000
const DAY_MS = 86_400_000
const CERTIFICATE_DAYS_MIN = 14
const BODY_CHARS_MAX = 1_000

/** Returns the checks of the port, the callbacks, the certificate, and the gateways of providers, e-mails and SMS. */
export function checkNetwork(config: Config, { clock, send_test_to }: DoctorInput): CheckTable {
  return {
    port: () => checkPort(config),
    callbacks: () => checkCallbacks(config),
    tls: () => checkCertificate(config, clock.now()),
    providers: () => checkProviders(config),
    mail: () => checkMail(config, clock.now(), send_test_to),
    sms: () => checkSms(config, send_test_to),
  }
}

/** Checks that a server of Malipo listens on the port, and that no other program does. */
async function checkPort({ process: kind, host, port }: Config): Promise<CheckResult> {
  if (kind === 'worker') return ok('a worker uses no port')
  const address = ['', '0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`
  try {
    const answer = await getHealth(url)
    if (answer.is_ours) return ok(`a server answers on port ${port}`)
    return fail(`another program uses port ${port}: stop that program, or set PORT to a free port`)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ECONNREFUSED')
      return warn(`no server listens at ${url}: start the server, or set PORT and HOST to those of the running server`)
    return fail(
      `another program uses port ${port}, or the server does not answer (${reason(error)}): stop that program, or set PORT`,
    )
  }
}

/** Checks that BASE_URL leads to a server of Malipo, because providers send callbacks to BASE_URL. */
async function checkCallbacks({ base_url, node_env }: Config): Promise<CheckResult> {
  if (base_url === '')
    return warn(
      'BASE_URL is empty, so providers on other machines cannot send callbacks: set BASE_URL to the public https address',
    )
  const bad = node_env === 'production' ? fail : warn
  const remedy = 'check the DNS name, the reverse proxy, its certificate, and that the server runs'
  try {
    const { status, is_ours } = await getHealth(base_url)
    if (is_ours) return ok(`BASE_URL ${base_url} answers. Providers need the same address from outside of your network`)
    return bad(`BASE_URL ${base_url}/healthz answers ${status}, but not as a server of Malipo: ${remedy}`)
  } catch (error) {
    return bad(`BASE_URL ${base_url} does not answer (${reason(error)}): ${remedy}`)
  }
}

async function checkCertificate({ base_url, node_env }: Config, now: Date): Promise<CheckResult> {
  if (!base_url.startsWith('https:'))
    return node_env === 'production'
      ? fail('BASE_URL has no https: set BASE_URL to the public https address')
      : warn('BASE_URL has no https: for production, set BASE_URL to the public https address')
  const { hostname, port } = new URL(base_url)
  const bad = node_env === 'production' ? fail : warn
  let socket: TLSSocket
  try {
    socket = await openTls(hostname, Number(port || 443))
  } catch (error) {
    return bad(
      `this machine cannot check the certificate of ${hostname} (${reason(error)}): renew the certificate, or correct the reverse proxy`,
    )
  }
  const { valid_to } = socket.getPeerCertificate()
  socket.destroy()
  const days = Math.floor((new Date(valid_to).getTime() - now.getTime()) / DAY_MS)
  const text = `the certificate of ${hostname} is valid for ${days} days`
  return days < CERTIFICATE_DAYS_MIN ? warn(`${text}: renew the certificate`) : ok(text)
}

/** Returns the end of a host's certificate, even if the certificate is invalid. Sends no request. */
export async function readCertificateEnd(host: string, port: number): Promise<Date> {
  // The function reads only the end of the certificate, so it also accepts expired certificates and those of a private
  // authority.
  const socket = await opened(connectTls({ host, port, servername: host, rejectUnauthorized: false }), 'secureConnect')
  const { valid_to } = socket.getPeerCertificate()
  socket.destroy()
  return new Date(valid_to)
}

/**
 * Connects to the gateway of each configured provider and sends no request. If the address has https, the connection uses TLS.
 */
async function checkProviders(config: Config): Promise<CheckResult> {
  const addresses = PROVIDERS.flatMap((provider) => {
    const address = gatewayAddress(provider, settingsOf(config, provider))
    return address ? [{ name: provider.name, address }] : []
  })
  if (addresses.length === 0) return ok('no provider has a gateway: the mock provider runs in the server')
  const found = await Promise.all(
    addresses.map(async ({ name, address }) => ({ name, error: await reachError(address) })),
  )
  const missing = found.filter(({ error }) => error !== null).map(({ name, error }) => `${name} (${error})`)
  if (missing.length === 0) return ok(`the gateways answer: ${found.map(({ name }) => name).join(', ')}`)
  return fail(
    `this machine cannot connect to ${missing.join(', ')}: check the address of the gateway, the firewall, and that the provider allows this machine's address`,
  )
}

async function reachError(address: string): Promise<string | null> {
  const { protocol, hostname, port } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  try {
    const opened =
      protocol === 'https:' || protocol === 'smtps:'
        ? await openTls(host, Number(port || (protocol === 'smtps:' ? 465 : 443)))
        : await openTcp(host, Number(port || (protocol === 'smtp:' ? 587 : 80)))
    opened.destroy()
    return null
  } catch (error) {
    return reason(error)
  }
}

async function checkMail(config: Config, now: Date, send_test_to: string | null): Promise<CheckResult> {
  if (config.smtp_url === '') return warn('e-mails stay in the outbox: set SMTP_URL and MAIL_FROM')
  if (send_test_to?.includes('@')) {
    const { email } = createGateways({ config })
    const sent = await email
      ?.send({
        id: `doctor-${now.getTime()}`,
        to: send_test_to,
        subject: `Test of ${config.brand_name}`,
        text: 'This e-mail is a test of the mail server. / Barua pepe hii ni ya kujaribu seva ya barua pepe.',
        created_at: now,
        attachments: [],
        unsubscribe_url: null,
        button: null,
        accent_color: null,
      })
      .finally(() => email.close())
    if (sent?.kind === 'taken') return ok(`the mail server accepted a test e-mail to ${send_test_to}`)
    return fail(
      `the mail server did not accept the test e-mail (${sent?.why ?? 'no gateway'}): check SMTP_URL and MAIL_FROM`,
    )
  }
  const error = await reachError(config.smtp_url)
  if (error !== null)
    return fail(`this machine cannot connect to the mail server of SMTP_URL (${error}): check its host and port`)
  return ok('the mail server answers. --send-test-to sends a test e-mail')
}

async function checkSms(config: Config, send_test_to: string | null): Promise<CheckResult> {
  if (config.sms_gateway === '') return warn('SMS stay in the outbox: set SMS_GATEWAY')
  const phone = send_test_to === null ? null : canonicalPhone(send_test_to)
  if (phone !== null) {
    const { sms } = createGateways({ config })
    const sent = await sms?.send({ to: phone, text: `${config.brand_name}: test / jaribio` }).finally(() => sms.close())
    if (sent?.kind === 'taken') return ok('the SMS gateway accepted a test SMS')
    return fail(
      `the SMS gateway did not accept the test SMS (${sent?.why ?? 'no gateway'}): check AFRICASTALKING_USERNAME and its key`,
    )
  }
  const error = await reachError(config.africastalking_url)
  if (error !== null)
    return fail(`this machine cannot connect to the SMS gateway (${error}): check AFRICASTALKING_URL and the firewall`)
  return ok('the SMS gateway answers. --send-test-to sends a test SMS')
}

/** Requests /healthz. If a server of Malipo answers, `is_ours` is true. */
function getHealth(base_url: string): Promise<{ status: number; is_ours: boolean }> {
  const url = `${base_url}/healthz`
  return new Promise((resolve, reject) => {
    const take = (response: IncomingMessage) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, BODY_CHARS_MAX)
      })
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          is_ours: response.statusCode === 200 && body.includes('"status":"ok"'),
        }),
      )
      response.on('error', reject)
    }
    const options = { signal: AbortSignal.timeout(TIMEOUT_MS), agent: false as const }
    const request = url.startsWith('https:') ? getHttps(url, options, take) : nodeHttp.get(url, options, take)
    request.on('error', reject)
  })
}

function openTcp(host: string, port: number): Promise<Socket> {
  return opened(connect({ host, port }), 'connect')
}

function openTls(host: string, port: number): Promise<TLSSocket> {
  return opened(connectTls({ host, port, servername: host }), 'secureConnect')
}

/** Waits for the event that the socket has connected. After `TIMEOUT_MS`, rejects with ETIMEDOUT. */
function opened<T extends Socket>(socket: T, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })
    AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => socket.destroy(late))
    socket.once('error', reject)
    socket.once(event, () => resolve(socket))
  })
}

/**
 * Returns the code of an error, such as ECONNREFUSED or CERT_HAS_EXPIRED. For an aborted request and for an error without a
 * code, returns a text.
 */
function reason(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time'
  return code ?? message
}
