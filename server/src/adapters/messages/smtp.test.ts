// Tests that the e-mail gateway sends over real connections to a mail server.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { START } from '../../../test/harness.ts'
import { sampleLogo } from '../../../test/sample-logo.ts'
import { headerOf, headersOf, type MailServer, startMailServer, textOf } from '../../../test/smtp.ts'
import type { OutgoingEmail } from './gateway.ts'
import { createSmtpGateway, type SmtpOptions } from './smtp.ts'

const ID = '0199f3a0-0000-8000-8000-000000000001'
const EMAIL: OutgoingEmail = {
  id: ID,
  to: 'juma@example.com',
  subject: 'Ankara INV-000123',
  text: 'Habari Juma.\n\nLipa hapa: https://pay.example.tz/pay/x',
  created_at: START,
  attachments: [],
  unsubscribe_url: null,
  button: null,
  accent_color: null,
}
const FROM = { name: 'Malipo', address: 'pay@example.tz' }

let server: MailServer
const opened: { close(): Promise<void> }[] = []
beforeEach(async () => {
  server = await startMailServer()
})
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close()
  await server.close()
})

function open(options: Partial<SmtpOptions> = {}) {
  const url = `smtp://127.0.0.1:${server.port}`
  const gateway = createSmtpGateway({ url, from: FROM, brand_name: 'Malipo', demand_tls: true, ...options })
  opened.push(gateway)
  return gateway
}
const send = (email: Partial<OutgoingEmail> = {}, options: Partial<SmtpOptions> = {}) =>
  open(options).send({ ...EMAIL, ...email })
const onlyMail = () => {
  const [mail, ...others] = server.mails
  assert.ok(mail && others.length === 0, `${server.mails.length} e-mails came`)
  return mail
}

test('the gateway sends an e-mail unchanged, with the id of the message as its Message-ID', async () => {
  assert.deepEqual(await send(), { kind: 'taken', gateway_id: '250 2.0.0 taken as 4711' })
  const mail = onlyMail()
  assert.deepEqual([mail.from, mail.to], ['pay@example.tz', ['juma@example.com']])
  assert.equal(textOf(mail), EMAIL.text)
  const shown = ['subject', 'from', 'to', 'message-id', 'date', 'auto-submitted'].map((name) => headerOf(mail, name))
  assert.deepEqual(shown, [
    EMAIL.subject,
    'Malipo <pay@example.tz>',
    'juma@example.com',
    `<${ID}@example.tz>`,
    'Mon, 05 Jan 2026 09:00:00 +0000',
    'auto-generated',
  ])
})

test('the gateway adds no header, recipient or second e-mail because of a hostile subject or name', async () => {
  const evil = 'Duka\r\nBcc: spy@example.com\r\n\r\n<script>\n.\r\nMAIL FROM:<x@example.com>\u2028X-Evil: 1\0'
  const attachments = [
    { filename: `a"\r\nX-Evil: 1\r\n.pdf`, content: Buffer.from('x'), content_type: 'application/pdf' },
  ]
  const from = { name: '', address: FROM.address }
  assert.equal((await send({ subject: evil, attachments }, { from, brand_name: evil })).kind, 'taken')
  const mail = onlyMail()
  assert.deepEqual(mail.to, ['juma@example.com'])
  const names = headersOf(mail).map(([name]) => name)
  const allowed = ['auto-submitted', 'from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type']
  assert.deepEqual(
    names.filter((name) => !allowed.includes(name)),
    [],
  )
  assert.ok(headerOf(mail, 'subject').startsWith('Duka Bcc: spy@example.com <script> . MAIL FROM:'))
  assert.ok(!/^x-evil/im.test(mail.raw))
  assert.equal(server.commands.filter((line) => /^(?:MAIL|RCPT)/i.test(line)).length, 2)
})

for (const to of [
  'a@example.com, spy@example.com',
  'a@example.com\r\nRCPT TO:<spy@example.com>',
  '<a@example.com>',
  '"a b"@example.com',
  'Juma <a@example.com>',
  'a',
  '',
  `${'x'.repeat(250)}@example.com`,
]) {
  test(`the gateway sends no e-mail to the invalid recipient ${JSON.stringify(to.slice(0, 60))}`, async () => {
    assert.deepEqual(await send({ to }), { kind: 'refused', why: 'invalid_recipient: not an e-mail address' })
    assert.equal(server.connections, 0)
  })
}

test('the gateway sends a long text in several scripts completely, without direction marks or control characters', async () => {
  const kept = `${'Habari 😀 مرحبا שלום — “Asha”. '.repeat(300)}\n.\n..\nFrom x\n${'neno'.repeat(3_000)}`
  assert.equal((await send({ text: `\u202e${kept}\0\u2066\r\n.\r\nQUIT` })).kind, 'taken')
  assert.equal(textOf(onlyMail()), `${kept}\n.\nQUIT`)
})

test('the gateway shortens a subject of 10,000 characters to 200 characters', async () => {
  await send({ subject: '😀'.repeat(10_000) })
  assert.equal([...headerOf(onlyMail(), 'subject')].length, 200)
})

test('the gateway sends each byte of an attachment unchanged', async () => {
  const content = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256))
  await send({ attachments: [{ filename: 'INV-000123.pdf', content, content_type: 'application/pdf' }] })
  const { raw } = onlyMail()
  assert.match(raw, /Content-Type: application\/pdf; name=INV-000123\.pdf/)
  assert.ok(raw.replaceAll('\r\n', '').includes(content.toString('base64')))
})

test('an e-mail with a logo contains the logo and the whole text, and links only lines that are web addresses', async () => {
  const content = sampleLogo()
  const text =
    'Habari <b>Juma</b> & Asha,\n\nLipa hapa:\nhttps://pay.example.tz/pay/x?a=1&b=2\n\nKwa evil.example au https://evil.example x'
  await send({ text, attachments: [{ filename: 'logo.png', content, content_type: 'image/png', is_logo: true }] })
  const [{ raw } = { raw: '' }] = server.mails
  const parts = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  assert.match(parts, /Content-Type: multipart\/related/)
  assert.match(parts, /Content-Type: text\/plain; charset=utf-8/)
  assert.match(parts, /Content-Id: <logo>/i)
  assert.match(parts, /<img src="cid:logo" alt=""/)
  assert.match(parts, /Habari &lt;b&gt;Juma&lt;\/b&gt; &amp; Asha,/)
  assert.match(parts, /<a href="https:\/\/pay\.example\.tz\/pay\/x\?a=1&amp;b=2" style="color:#087348">Lipa hapa<\/a>/)
  assert.equal(parts.match(/<a /g)?.length, 1)
  assert.doesNotMatch(parts, /src="http/)
  assert.ok(raw.replaceAll('\r\n', '').includes(content.toString('base64')))
})

/** Returns the HTML part of an e-mail without its transfer encoding. */
const htmlOf = (raw: string) => {
  const decoded = raw.replaceAll('=\r\n', '').replace(/=([0-9A-F]{2})/g, (_, code) => `%${code}`)
  return decodeURIComponent(decoded.replace(/%(?![0-9A-F]{2})/g, '%25')).split('<!doctype html>')[1] ?? ''
}

test("an e-mail with a button has the same text, and HTML with one button in the merchant's colour and other addresses as links", async () => {
  const text = [
    'Habari,',
    'Lipa hapa:\nhttps://pay.example.tz/pay/x?a=1&b=2',
    'Soma ankara hapa:\nhttps://pay.example.tz/pay/x/invoice',
    '- Webhook: 3\n  https://pay.example.tz/dashboard/webhooks',
    'https://pay.example.tz/only',
  ].join('\n\n')
  const button = { label: 'Lipa TZS 2,500,000 <b>', line: 3 }
  await send({ text, button, accent_color: '#7a1f5c' })
  const { raw } = onlyMail()
  assert.match(raw, /Content-Type: text\/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n\r\nHabari,/)
  for (const line of text.split('\n')) assert.ok(raw.includes(line), line)
  const links = [...htmlOf(raw).matchAll(/<a href="([^"]*)" style="([^"]*)">([^<]*)<\/a>/g)].map(
    ([, href, style = '', label]) => [href, style.includes('background:#7a1f5c;color:#ffffff'), label],
  )
  assert.deepEqual(links, [
    ['https://pay.example.tz/pay/x?a=1&amp;b=2', true, 'Lipa TZS 2,500,000 &lt;b&gt;'],
    ['https://pay.example.tz/pay/x/invoice', false, 'Soma ankara hapa'],
    ['https://pay.example.tz/dashboard/webhooks', false, 'Webhook: 3'],
    ['https://pay.example.tz/only', false, 'https://pay.example.tz/only'],
  ])
  assert.doesNotMatch(htmlOf(raw), /src=|url\(|<script/)
})

test('an e-mail has a button in the colour of the installation when the merchant has no colour or the colour is not one', async () => {
  for (const accent_color of [null, 'red;background:url(https://evil.example)']) {
    await send({ text: 'https://pay.example.tz/x', button: { label: 'Lipa', line: 0 }, accent_color })
  }
  assert.equal(server.mails.length, 2)
  for (const { raw } of server.mails) {
    assert.match(htmlOf(raw), /background:#087348;color:#ffffff/)
    assert.doesNotMatch(raw, /evil/)
  }
})

test('an e-mail has no button when the line of its button is not a web address', async () => {
  for (const line of [0, 7]) await send({ text: 'javascript:alert(1)', button: { label: 'Lipa', line } })
  assert.equal(server.mails.length, 2)
  for (const { raw } of server.mails) assert.doesNotMatch(htmlOf(raw), /<a /)
})

test('the gateway sends no e-mail when an attachment names a file by its path', async () => {
  const sneaky = { filename: 'x', content: { path: '/etc/hostname' } as never, content_type: 'text/plain' }
  const outcome = await send({ attachments: [sneaky] })
  assert.equal(outcome.kind, 'again')
  assert.equal(server.mails.length, 0)
})

test('the gateway sends many e-mails over one SMTP connection', async () => {
  const gateway = open()
  for (let i = 0; i < 20; i++) assert.equal((await gateway.send(EMAIL)).kind, 'taken')
  assert.deepEqual([server.mails.length, server.connections], [20, 1])
})

const ANSWERS: [MailServer['answers'], string, string][] = [
  [{ RCPT: '550 5.1.1 no such mailbox' }, 'refused', 'recipient_refused'],
  [{ RCPT: '451 4.7.1 greylisted' }, 'again', 'gateway_refused'],
  [{ RCPT: '452 mailbox full' }, 'again', 'gateway_refused'],
  [{ DATA: '554 5.7.1 looks like spam' }, 'refused', 'message_refused'],
  [{ END: '554 5.7.1 looks like spam' }, 'refused', 'message_refused'],
  [{ END: '451 come back' }, 'again', 'gateway_refused'],
  [{ MAIL: '550 sender unknown' }, 'again', 'gateway_refused'],
  [{ MAIL: '421 closing' }, 'again', 'gateway_refused'],
  [{ greeting: '554 no service' }, 'again', 'gateway_'],
  [{ greeting: 'drop' }, 'again', 'gateway_unreachable'],
  [{ MAIL: 'drop' }, 'again', 'gateway_unreachable'],
  [{ END: 'drop' }, 'again', 'gateway_unreachable'],
]
describe("a mail server's answer", () => {
  for (const [answers, kind, word] of ANSWERS) {
    test(`the gateway reports the outcome ${kind} after the mail server's answer ${JSON.stringify(answers)}`, async () => {
      server.answers = answers
      const outcome = await send()
      assert.equal(outcome.kind, kind)
      assert.ok('why' in outcome && outcome.why.startsWith(word), JSON.stringify(outcome))
      assert.ok(server.connections === 1 && server.mails.length <= 1, 'the gateway tries once')
    })
  }

  for (const step of ['greeting', 'MAIL', 'END'] as const) {
    test(`the worker may retry an e-mail when the mail server does not answer at ${step} before the timeout`, async () => {
      server.answers = { [step]: 'hang' }
      const gateway = open({ timeout_ms: 2_000 })
      const outcome = await gateway.send(EMAIL)
      assert.ok(outcome.kind === 'again' && outcome.why.startsWith('gateway_unreachable'), JSON.stringify(outcome))
      server.answers = {}
      assert.equal((await gateway.send(EMAIL)).kind, 'taken', 'the next e-mail is sent')
    })
  }

  test('the worker may retry an e-mail when the mail server is unreachable', async () => {
    const { port } = server
    await server.close()
    const outcome = await send({}, { url: `smtp://127.0.0.1:${port}` })
    assert.ok(outcome.kind === 'again' && outcome.why.startsWith('gateway_unreachable'))
    server = await startMailServer()
  })
})

test('the gateway signs in at the mail server, and the worker may retry an e-mail after a wrong password', async () => {
  await server.close()
  server = await startMailServer({ password: 'siri@1:/' })
  const url = (password: string) => `smtp://pay%40example.tz:${encodeURIComponent(password)}@127.0.0.1:${server.port}`
  assert.equal((await send({}, { url: url('siri@1:/') })).kind, 'taken')
  const wrong = await send({}, { url: url('not this one') })
  assert.ok(wrong.kind === 'again' && wrong.why.startsWith('gateway_refused: EAUTH'), JSON.stringify(wrong))
  assert.ok(!JSON.stringify(wrong).includes('not this one'))
})

test('the gateway sends neither e-mail nor password to a remote mail server without TLS when the options demand TLS', async () => {
  await server.close()
  // The gateway treats 127.0.0.2 as another machine, although it is an address of this machine.
  server = await startMailServer({ password: 'siri', host: '127.0.0.2' })
  const at = `smtp://pay:siri@127.0.0.2:${server.port}`
  const outcome = await send({}, { url: at, demand_tls: true })
  assert.ok(outcome.kind === 'again', JSON.stringify(outcome))
  assert.deepEqual(
    server.commands.filter((line) => /^(?:AUTH|MAIL|DATA)/i.test(line)),
    [],
  )
  assert.equal((await send({}, { url: at, demand_tls: false })).kind, 'taken')
})
