// Tests that the worker sends the messages of the outbox to the gateways even if processes die.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import { type SmsTwin, startSmsTwin, TAKES } from '../../../test/sms-twin.ts'
import { type MailServer, startMailServer, textOf } from '../../../test/smtp.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { type Attach, type Email, queueEmail, queueSms, type Sms } from './index.ts'

let database: TestDatabase
let mail: MailServer
let twin: SmsTwin
const worlds: World[] = []
beforeEach(async () => {
  database = await createTestDatabase()
  mail = await startMailServer()
  twin = await startSmsTwin()
})
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
  await mail.close()
  await twin.close()
  await database.drop()
})

type Options = { env?: Record<string, string>; attach?: Attach; before?: (name: string) => void | Promise<void> }

/** Starts a server process on the shared database with an e-mail gateway and an SMS gateway. */
async function open({ env = {}, attach, before }: Options = {}): Promise<World> {
  const world = await createWorld({
    url: database.url,
    env: {
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MAIL_FROM: 'pay@example.tz',
      SMS_GATEWAY: 'africastalking',
      AFRICASTALKING_URL: twin.url,
      AFRICASTALKING_USERNAME: 'malipo',
      AFRICASTALKING_API_KEY: twin.api_key,
      ...env,
    },
    ...(attach ? { compose: { attach } } : {}),
    ...(before ? { before } : {}),
  })
  worlds.push(world)
  return world
}
const taskOf = (world: World) => {
  const task = world.system.tasks.find(({ name }) => name === 'messages')
  assert.ok(task)
  return task
}
/** Runs the worker until no message of the outbox is due. */
async function deliver(world: World): Promise<number> {
  const task = taskOf(world)
  let taken = 0
  for (let rows = await task.runOnce(); rows > 0; rows = await task.runOnce()) {
    taken += rows
    await task.idle()
  }
  return taken
}

const email = (world: World, more: Partial<Email> = {}) =>
  inTransaction(world.deps.db, (tx) =>
    queueEmail(world.deps, tx, {
      to: 'juma@example.com',
      subject: 'Ankara',
      text: 'Lipa',
      kind: 'invoice.sent',
      merchant_id: world.merchant.id,
      ...more,
    }),
  )
const sms = (world: World, more: Partial<Sms> = {}) =>
  inTransaction(world.deps.db, (tx) =>
    queueSms(world.deps, tx, {
      to: '255754123456',
      text: 'Lipa',
      kind: 'invoice.sent',
      merchant_id: world.merchant.id,
      ...more,
    }),
  )
type OutboxMessageState = {
  status: string
  tries: number
  error: string | null
  due_at: Date | null
  lease_owner: string | null
}
async function stateOf(world: World, { id }: { id: string }): Promise<OutboxMessageState> {
  const [row] = await world.rows<OutboxMessageState>(
    'select status, tries, error, due_at, lease_owner from outbox_messages where id = $1',
    [id],
  )
  assert.ok(row)
  return row
}
const minutes = (count: number) => count * 60_000

test('the worker sends a committed message once and records the outcome that the gateway reports', async () => {
  const world = await open()
  const [letter, text] = [await email(world), await sms(world)]
  const queued = world.deps.clock.now()
  world.deps.clock.advance(1_000)
  assert.equal(await deliver(world), 2)
  assert.equal(await deliver(world), 0)
  assert.deepEqual([mail.mails.length, twin.sms.length], [1, 1])
  const rows = await world.rows(
    'select status, tries, sent_at, gateway_id, due_at, lease_owner from outbox_messages order by channel',
  )
  const sent = {
    status: 'sent',
    tries: 1,
    sent_at: new Date(queued.getTime() + 1_000),
    due_at: null,
    lease_owner: null,
  }
  assert.deepEqual(rows, [
    { ...sent, gateway_id: '250 2.0.0 taken as 4711' },
    { ...sent, gateway_id: 'ATXid_4711' },
  ])
  assert.ok(letter.id !== text.id)
})

test('the worker sends a message without a merchant, such as a password link', async () => {
  const world = await open()
  const { id } = await inTransaction(world.deps.db, (tx) =>
    queueEmail(world.deps, tx, { to: 'a@example.com', subject: 'x', text: 'y', kind: 'identity.reset' }),
  )
  await deliver(world)
  assert.equal((await stateOf(world, { id })).status, 'sent')
})

test('the worker never sends a sandbox message or a message of a failed transaction', async () => {
  const world = await open()
  const kept = [await email(world, { environment: 'sandbox' }), await sms(world, { environment: 'sandbox' })]
  await assert.rejects(
    inTransaction(world.deps.db, async (tx) => {
      await queueSms(world.deps, tx, { to: '255754123456', text: 'x', kind: 'test' })
      throw new Error('no')
    }),
  )
  for (const message of kept) assert.equal((await stateOf(world, message)).status, 'kept')
  // The test sets the status of the sandbox message to waiting, as an operator could with SQL. The worker must not send the
  // message.
  await world.rows("update outbox_messages set status = 'waiting', due_at = created_at where id = $1", [kept[0]?.id])
  await deliver(world)
  assert.deepEqual([mail.connections, twin.sms.length], [0, 0])
  for (const message of kept) assert.deepEqual((await stateOf(world, message)).status, 'kept')
})

test('the outbox keeps messages whose channel has no gateway, even if an operator removed the gateway while they waited', async () => {
  const world = await open()
  const waiting = [await email(world), await sms(world)]
  const without = await open({ env: { SMTP_URL: '', SMS_GATEWAY: '' } })
  const kept = [await email(without), await sms(without)]
  for (const message of kept) assert.deepEqual((await stateOf(world, message)).status, 'kept')
  await deliver(without)
  for (const message of waiting) {
    const { status, tries, due_at } = await stateOf(world, message)
    assert.deepEqual([status, tries, due_at], ['kept', 0, null])
  }
  assert.deepEqual([mail.mails.length, twin.sms.length], [0, 0])
})

test('the worker retries a temporarily refused message after pauses of 1, 5, 30 and 120 minutes, then marks the message failed', async () => {
  const world = await open()
  mail.answers = { RCPT: '451 4.7.1 come back' }
  twin.reply = { kind: 'recipient', code: 405, status: 'InsufficientBalance' }
  const both = [await email(world), await sms(world)]
  for (const [tries, pause] of [1, 5, 30, 120].entries()) {
    await deliver(world)
    for (const message of both) {
      const { status, tries: made, due_at } = await stateOf(world, message)
      const next = world.deps.clock.now().getTime() + minutes(pause)
      assert.deepEqual([status, made, due_at?.getTime()], ['waiting', tries + 1, next])
    }
    world.deps.clock.advance(minutes(pause) - 1)
    assert.equal(await deliver(world), 0)
    world.deps.clock.advance(1)
  }
  assert.equal(await deliver(world), 2)
  for (const [place, why] of ['gateway_refused: EENVELOPE', 'gateway_refused: InsufficientBalance'].entries()) {
    const { status, tries, error, due_at } = await stateOf(world, both[place] as { id: string })
    assert.deepEqual([status, tries, due_at, error?.startsWith(why)], ['failed', 5, null, true], error ?? '')
  }
  world.deps.clock.advance(minutes(100_000))
  assert.equal(await deliver(world), 0)
})

test('the worker does not retry a message after a final refusal of the gateway', async () => {
  const world = await open()
  mail.answers = { RCPT: '550 no such mailbox' }
  twin.reply = { kind: 'recipient', code: 403, status: 'InvalidPhoneNumber' }
  const refused = [
    await email(world),
    await sms(world),
    await email(world, { to: 'a@example.com, b@example.com' }),
    await sms(world, { to: '12345' }),
  ]
  await deliver(world)
  const states = await Promise.all(refused.map((message) => stateOf(world, message)))
  assert.deepEqual(
    states.map(({ status, tries, error }) => [status, tries, error?.split(':')[0]]),
    [
      ['failed', 1, 'recipient_refused'],
      ['failed', 1, 'recipient_refused'],
      ['failed', 1, 'invalid_recipient'],
      ['failed', 1, 'invalid_recipient'],
    ],
  )
  assert.equal(twin.sms.length, 1)
})

test('the worker stores no error for a message that the gateway accepts after a failed attempt', async () => {
  const world = await open()
  mail.answers = { MAIL: '421 closing' }
  const letter = await email(world)
  await deliver(world)
  mail.answers = {}
  world.deps.clock.advance(minutes(1))
  await deliver(world)
  const { status, tries, error } = await stateOf(world, letter)
  assert.deepEqual([status, tries, error], ['sent', 2, null])
})

describe('a process that dies after the gateway accepted a message and before the record of the outcome', () => {
  const DIES = (name: string) => {
    if (name === 'outbox_record') throw new Error('the process is gone')
  }
  test('another process sends an e-mail again with the same id when the first process dies before it records the outcome', async () => {
    const dying = await open({ before: DIES })
    const letter = await email(dying)
    await deliver(dying)
    assert.equal(mail.mails.length, 1)
    const next = await open()
    assert.equal(await deliver(next), 0, 'no process sends it before the lease ends')
    next.deps.clock.advance(minutes(3))
    await deliver(next)
    assert.equal((await stateOf(next, letter)).status, 'sent')
    const ids = mail.mails.map(({ raw }) => /^Message-ID: (.+)$/im.exec(raw)?.[1])
    assert.equal(ids.length, 2)
    assert.deepEqual(ids, Array(2).fill(`<${letter.id}@example.tz>`))
  })

  test('no process sends an SMS again, and its outcome is unknown, when a process dies before it records the outcome', async () => {
    const dying = await open({ before: DIES })
    const text = await sms(dying)
    await deliver(dying)
    assert.equal(twin.sms.length, 1)
    const next = await open()
    next.deps.clock.advance(minutes(3))
    await deliver(next)
    const { status, error, lease_owner } = await stateOf(next, text)
    assert.deepEqual([status, lease_owner, error?.split(':')[0]], ['failed', null, 'unknown_outcome'])
    assert.equal(twin.sms.length, 1)
  })

  test('a process that could not record the outcome of an SMS does not send that SMS again after the database comes back', async () => {
    let away = true
    const world = await open({
      before: (name) => {
        if (away) DIES(name)
      },
    })
    const text = await sms(world)
    await deliver(world)
    away = false
    world.deps.clock.advance(minutes(3))
    await deliver(world)
    assert.equal((await stateOf(world, text)).error?.split(':')[0], 'unknown_outcome')
    assert.equal(twin.sms.length, 1)
  })
})

for (const [what, reply] of [
  ['closes the connection', { kind: 'drop' }],
  ['fails', { kind: 'raw', http: 502, body: '' }],
] as const) {
  test(`the worker does not repeat an SMS whose gateway ${what}, because the gateway may have sent the SMS`, async () => {
    const world = await open()
    twin.reply = reply
    const text = await sms(world)
    await deliver(world)
    twin.reply = TAKES
    world.deps.clock.advance(minutes(500))
    await deliver(world)
    const { status, tries, error } = await stateOf(world, text)
    assert.deepEqual([status, tries, error?.split(':')[0]], ['failed', 1, 'unknown_outcome'])
    assert.equal(twin.sms.length, 1)
  })
}

test('a process changes no message when it records an outcome after the end of its lease', async () => {
  const slow = await open()
  mail.answers = { END: 'hang' }
  const letter = await email(slow)
  assert.equal(await taskOf(slow).runOnce(), 1)
  await until(() => mail.mails.length === 1)
  mail.answers = {}
  const quick = await open()
  quick.deps.clock.advance(minutes(3))
  await deliver(quick)
  const after = await stateOf(quick, letter)
  assert.equal(after.status, 'sent')
  await mail.close()
  await taskOf(slow).idle()
  assert.deepEqual(await stateOf(quick, letter), after)
  mail = await startMailServer()
})

test('a process changes no message when it records an outcome while another process holds the lease', async () => {
  const slow = await open()
  mail.answers = { END: 'hang' }
  const letter = await email(slow)
  assert.equal(await taskOf(slow).runOnce(), 1)
  await until(() => mail.mails.length === 1)
  await slow.rows('update outbox_messages set lease_owner = $2 where id = $1', [letter.id, randomUUID()])
  const held = await stateOf(slow, letter)
  await mail.close()
  await taskOf(slow).idle()
  assert.deepEqual(await stateOf(slow, letter), held)
  mail = await startMailServer()
})

test('two processes that claim at the same time send each message of the outbox once', async () => {
  const [one, two] = [await open(), await open()]
  for (let i = 0; i < 30; i++) await Promise.all([sms(one), email(one)])
  await Promise.all([deliver(one), deliver(two)])
  await deliver(one)
  assert.deepEqual([mail.mails.length, twin.sms.length], [30, 30])
})

test('the worker sends all waiting SMS while the mail server hangs', async () => {
  const world = await open()
  mail.answers = { MAIL: 'hang' }
  for (let i = 0; i < 20; i++) await email(world)
  for (let i = 0; i < 20; i++) await sms(world)
  const task = taskOf(world)
  await until(async () => {
    await task.runOnce()
    return twin.sms.length === 20
  })
  const [held] = await world.rows<{ emails: number }>(
    "select count(*)::int as emails from outbox_messages where channel = 'email' and lease_owner is not null",
  )
  assert.equal(held?.emails, 8, 'the process holds as many e-mails as it can send at the same time')
  assert.equal(mail.mails.length, 0)
  await mail.close()
  await task.idle()
  mail = await startMailServer()
})

test('while one merchant has 200 messages, the worker sends a message of another merchant among the first 16', async () => {
  const world = await open()
  const [big, small] = [world.merchant, await world.newMerchant()]
  for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 20 }, () => sms(world, { merchant_id: big.id })))
  await sms(world, { merchant_id: small.id, to: '255713000001' })
  const task = taskOf(world)
  while (!twin.sms.some(({ to }) => to === '+255713000001')) {
    assert.ok((await task.runOnce()) > 0)
    await task.idle()
  }
  assert.ok(twin.sms.length <= 16, `${twin.sms.length} came first`)
  await deliver(world)
  assert.equal(twin.sms.length, 201)
})

test('the worker makes the attachment of an e-mail from the fields of the message when the worker sends the e-mail', async () => {
  const requests: unknown[] = []
  let broken = true
  const world = await open({
    attach: async (message) => {
      requests.push(message)
      if (broken) throw new Error('no fonts')
      const content = Buffer.from('%PDF-1.7')
      const attachments = [{ filename: 'INV-000001.pdf', content, content_type: 'application/pdf' }]
      return { attachments, accent_color: null }
    },
  })
  const invoice_id = randomUUID()
  const letter = await email(world, { invoice_id })
  await sms(world, { invoice_id })
  await deliver(world)
  const { status, error } = await stateOf(world, letter)
  assert.deepEqual([status, error?.split(':')[0], mail.mails.length], ['waiting', 'attachment_failed', 0])
  assert.ok(!error?.includes('fonts'))
  broken = false
  world.deps.clock.advance(minutes(1))
  await deliver(world)
  assert.match(mail.mails[0]?.raw ?? '', /INV-000001\.pdf/)
  const expected = {
    kind: 'invoice.sent',
    merchant_id: world.merchant.id,
    id: letter.id,
    environment: 'live',
    invoice_id,
  }
  assert.deepEqual(requests, [expected, expected])
})

test('the worker sends hostile names as plain text in an e-mail and an SMS', async () => {
  const world = await open()
  const hostile = '<script>alert(1)</script>\r\nBcc: spy@example.com\u202e😀 =cmd|0'
  await email(world, { subject: hostile, text: hostile })
  await sms(world, { text: hostile })
  await deliver(world)
  const [letter] = mail.mails
  assert.ok(letter)
  assert.deepEqual(letter.to, ['juma@example.com'])
  const shown = '<script>alert(1)</script>\nBcc: spy@example.com😀 =cmd|0'
  assert.equal(textOf(letter), shown)
  assert.match(letter.raw, /^Content-Type: text\/plain; charset=utf-8\r$/m)
  assert.equal(twin.sms[0]?.text, shown)
})

test('the worker sends other messages although it cannot decrypt one message', async () => {
  const world = await open()
  const [unreadable, good] = [await email(world), await email(world)]
  await world.rows("update outbox_messages set body = 'v1:AAAA:AAAA:AAAA' where id = $1", [unreadable.id])
  await deliver(world)
  assert.deepEqual(
    [(await stateOf(world, unreadable)).error?.split(':')[0], (await stateOf(world, good)).status],
    ['unreadable', 'sent'],
  )
})

async function until(fact: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5_000
  while (!(await fact())) {
    if (Date.now() > end) throw new Error('it did not happen')
    await new Promise((done) => setTimeout(done, 5))
  }
}
