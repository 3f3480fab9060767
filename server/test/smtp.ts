/** Runs a mail server on loopback for tests. The server records e-mails, and the test chooses the responses. */
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A recorded e-mail: sender and recipients of the envelope, and the whole text with its headers. */
export type ReceivedMail = { from: string; to: string[]; raw: string }

/** A step of SMTP at which a test can choose the response. */
export type SmtpStep = 'greeting' | 'MAIL' | 'RCPT' | 'DATA' | 'END'

/** A mail server that records e-mails and gives the responses that the test chooses. */
export type MailServer = {
  port: number
  /** The accepted e-mails, oldest first. */
  mails: ReceivedMail[]
  /**
   * The response at a step: a line such as `550 no such mailbox`, no response, or a closed connection. By default the server
   * accepts.
   */
  answers: Partial<Record<SmtpStep, string | 'hang' | 'drop'>>
  /** The number of connections so far. */
  connections: number
  /** Every line that clients sent, except the lines inside e-mails. */
  commands: string[]
  close(): Promise<void>
}

/**
 * Starts the server, on 127.0.0.1 by default. If the test sets `password`, the server requires AUTH PLAIN with the password.
 */
export async function startMailServer(options: { password?: string; host?: string } = {}): Promise<MailServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    mail.connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    talk(socket, mail, options.password)
  })
  await new Promise<void>((done) => server.listen(0, options.host ?? '127.0.0.1', done))
  const mail: MailServer = {
    port: (server.address() as AddressInfo).port,
    mails: [],
    answers: {},
    connections: 0,
    commands: [],
    async close() {
      const closed = new Promise((done) => server.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return mail
}

function talk(socket: Socket, mail: MailServer, password: string | undefined): void {
  let buffer = ''
  let body: string[] | null = null
  let current: ReceivedMail = { from: '', to: [], raw: '' }
  let signed_in = password === undefined
  const say = (line: string) => void socket.write(`${line}\r\n`)
  const answer = (step: SmtpStep, usual: string): boolean => {
    const set = mail.answers[step]
    if (set === 'hang') return false
    if (set === 'drop') socket.destroy()
    else say(set ?? usual)
    return set === undefined
  }
  const takeLine = (line: string) => {
    if (body !== null) {
      if (line !== '.') return void body.push(line.startsWith('.') ? line.slice(1) : line)
      current.raw = body.join('\r\n')
      body = null
      // The server keeps the e-mail even if it then sends no response. A real mail server can do the same.
      const set = mail.answers.END
      if (set === undefined || set === 'hang' || set === 'drop') mail.mails.push(current)
      return void answer('END', '250 2.0.0 taken as 4711')
    }
    mail.commands.push(line)
    const verb = line.slice(0, 4).toUpperCase()
    const inside = /<(.*)>/.exec(line)?.[1] ?? ''
    if (verb === 'EHLO' || verb === 'HELO')
      return say(`250-twin\r\n${password ? '250-AUTH PLAIN\r\n' : ''}250 8BITMIME`)
    if (verb === 'AUTH') {
      signed_in =
        Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')[2] === password
      return say(signed_in ? '235 welcome' : '535 wrong password')
    }
    if (verb === 'QUIT') return void socket.end('221 bye\r\n')
    if (!signed_in) return say('530 sign in first')
    if (verb === 'MAIL') {
      current = { from: inside, to: [], raw: '' }
      return void answer('MAIL', '250 ok')
    }
    if (verb === 'RCPT') {
      if (answer('RCPT', '250 ok')) current.to.push(inside)
      return
    }
    if (verb === 'DATA') {
      if (answer('DATA', '354 go on')) body = []
      return
    }
    say('250 ok')
  }
  answer('greeting', '220 twin ESMTP')
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    buffer += chunk
    for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
      const line = buffer.slice(0, end)
      buffer = buffer.slice(end + 2)
      takeLine(line)
    }
  })
}

/** Returns the headers of an e-mail, unfolded and in order. */
export function headersOf({ raw }: ReceivedMail): [string, string][] {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
  return head.split('\r\n').map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
}

/** Returns one header of an e-mail, with decoded words. */
export function headerOf(mail: ReceivedMail, name: string): string {
  const value = headersOf(mail).find(([header]) => header === name)?.[1] ?? ''
  const bytes = (kind: string, text: string) =>
    kind.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : unquote(text.replaceAll('_', ' '))
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, kind: string, text: string) => bytes(kind, text).toString('utf8'))
}

/** Returns the plain text of an e-mail. An e-mail with HTML contains its plain text as the first part. */
export function textOf(mail: ReceivedMail): string {
  const boundary = /boundary="([^"]+)"/.exec(headerOf(mail, 'content-type'))?.[1]
  const part = boundary === undefined ? mail : { ...mail, raw: mail.raw.split(`--${boundary}\r\n`)[1] ?? '' }
  if (boundary !== undefined && !headerOf(part, 'content-type').startsWith('text/plain')) return textOf(part)
  const body = part.raw.slice(part.raw.indexOf('\r\n\r\n') + 4)
  const encoding = headerOf(part, 'content-transfer-encoding')
  const text =
    encoding === 'base64'
      ? Buffer.from(body, 'base64').toString('utf8')
      : encoding === 'quoted-printable'
        ? unquote(body.replace(/=\r\n/g, '')).toString('utf8')
        : body
  return text.replaceAll('\r\n', '\n').replace(/\n$/, '')
}

function unquote(text: string): Buffer {
  return Buffer.concat(
    text
      .split(/(=[0-9A-F]{2})/i)
      .map((part) => (/^=[0-9A-F]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  )
}
