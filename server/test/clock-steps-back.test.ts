// Tests rows whose due time is too far ahead because the clock has stepped back. Such a row becomes due within the longest
// pause of its queue.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createMerchant } from '../src/access/merchants/index.ts'
import { queueEmail } from '../src/adapters/messages/index.ts'
import { LONGEST_PAUSE_MS as MESSAGE_PAUSE_MS } from '../src/adapters/messages/record.ts'
import { LONGEST_PAUSE_MS as WEBHOOK_PAUSE_MS } from '../src/adapters/webhooks/record.ts'
import { inTransaction } from '../src/kernel/db/index.ts'
import { LONGEST_PAUSE_MS as PAYOUT_PAUSE_MS } from '../src/money/withdrawals/settle.ts'
import { createWorld, type World } from './harness.ts'
import { withPayoutWorld } from './payout-processes.ts'
import { payoutAnswers } from './payouts.ts'
import { startReceiver } from './receiver.ts'
import { startMailServer } from './smtp.ts'
import { configure, queue } from './webhooks.ts'

const PAYMENTS = 300
/** The number of payouts, webhooks or messages in a queue. */
const ROWS = 20
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const checked = new Set<string>()
let world: World
before(async () => {
  world = await createWorld({
    env: { MOCK_DELAY_MS: '2000' },
    before: (name) => {
      if (name.startsWith('clock_check_')) checked.add(name.slice('clock_check_'.length))
    },
  })
})
after(() => world.close())

const STEPS = [
  ['a day', DAY_MS],
  ['an hour', HOUR_MS],
  ['five minutes', 5 * MINUTE_MS],
] as const
for (const [words, back_ms] of STEPS) {
  test(`open payments reach a final status within ten seconds after the clock steps back ${words}`, async () => {
    await collect()
    await world.pass(1_000)
    const waiting = await world.rows('select 1 from collection_attempts where due_at is not null')
    assert.equal(waiting.length, PAYMENTS)
    world.deps.clock.step(-back_ms)
    await world.pass(10_000)
    const open = await world.rows(
      "select status, count(*)::int as payments from collections where status = 'processing' group by 1",
    )
    assert.deepEqual(open, [])
  })
}

/**
 * The queues other than payments. `open` makes a world with ROWS waiting rows, and a function that lets the next step of each
 * row succeed.
 */
const QUEUES = [
  {
    words: 'open payouts',
    table: 'payouts',
    pause_ms: 2_000,
    longest_pause_ms: PAYOUT_PAUSE_MS,
    open: withPayouts,
    ended: "select count(*)::int as rows from withdrawals where status = 'SUCCESS'",
  },
  {
    words: 'webhooks that wait for their next attempt',
    table: 'webhook_deliveries',
    pause_ms: MINUTE_MS,
    longest_pause_ms: WEBHOOK_PAUSE_MS,
    open: withWebhooks,
    ended: "select count(*)::int as rows from webhook_deliveries where status = 'delivered'",
  },
  {
    words: 'messages that wait for their next attempt',
    table: 'outbox_messages',
    pause_ms: MINUTE_MS,
    longest_pause_ms: MESSAGE_PAUSE_MS,
    open: withMessages,
    ended: "select count(*)::int as rows from outbox_messages where status = 'sent'",
  },
]
for (const { words, table, pause_ms, longest_pause_ms, open, ended } of QUEUES) {
  for (const [step, back_ms] of STEPS) {
    test(`${words} reach a final status after their normal pause although the clock steps back ${step}`, () =>
      open(async (own, mend) => {
        await assertDue(own, table, pause_ms)
        own.deps.clock.step(-back_ms)
        mend()
        own.deps.clock.advance(pause_ms)
        await own.work()
        assert.deepEqual(await own.rows(ended), [{ rows: ROWS }])
      }))
  }

  test(`${words} reach a final status within their longest pause although the clock that set their due time is a day ahead`, () =>
    open(async (own, mend) => {
      await own.rows(`update ${table} set due_at = due_at + interval '1 day' where due_at is not null`)
      mend()
      await own.pass(2 * MINUTE_MS)
      await assertDue(own, table, DAY_MS + pause_ms - 2 * MINUTE_MS)
      own.deps.clock.advance(longest_pause_ms)
      await own.pass(2 * MINUTE_MS)
      assert.deepEqual(await own.rows(ended), [{ rows: ROWS }])
    }))
}

test('after the clock steps back five minutes, the worker sends each message with the longest pause within that pause', () =>
  withMessages(async (own, mend) => {
    for (const minutes of [1, 5, 30]) {
      own.deps.clock.advance(minutes * MINUTE_MS)
      await own.work()
    }
    await assertDue(own, 'outbox_messages', MESSAGE_PAUSE_MS)
    own.deps.clock.step(-5 * MINUTE_MS)
    mend()
    await own.work()
    own.deps.clock.advance(MESSAGE_PAUSE_MS)
    await own.work()
    const sent = await own.rows("select count(*)::int as rows from outbox_messages where status = 'sent'")
    assert.deepEqual(sent, [{ rows: ROWS }])
  }))

test('a lease ends within four minutes although the clock of its process is a day ahead', async () => {
  const { merchant_id } = await collect(1)
  await world.pass(1_000)
  const owner = randomUUID()
  await world.rows(
    'update collection_attempts set lease_owner = $2, due_at = $3 where merchant_id = $1 and due_at is not null',
    [merchant_id, owner, new Date(world.deps.clock.now().getTime() + DAY_MS)],
  )
  await world.pass(4 * MINUTE_MS)
  assert.deepEqual(await world.rows('select 1 from collection_attempts where due_at is not null'), [])
})

test('each table with due_at has a limit for how far ahead its rows may be due', async () => {
  const tables = await world.rows<{ name: string }>(
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'due_at' and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`,
  )
  assert.deepEqual(
    [...checked].sort(),
    tables.map(({ name }) => name),
  )
})

/** Asserts that all waiting rows of a queue become due `ms` milliseconds from now. */
async function assertDue(own: World, table: string, ms: number): Promise<void> {
  const waiting = await own.rows<{ due_at: Date }>(`select due_at from ${table} where due_at is not null`)
  const now = own.deps.clock.now().getTime()
  const pauses = waiting.map(({ due_at }) => due_at.getTime() - now)
  assert.deepEqual(pauses, Array<number>(ROWS).fill(ms))
}

type Work = (own: World, mend: () => void) => Promise<void>

/** Runs the work with payouts that the provider accepted and keeps open. */
function withPayouts(work: Work): Promise<void> {
  return withPayoutWorld(async ({ world: own, hands, script, submitted }) => {
    for (let i = 0; i < ROWS; i++) await hands.approve(await submitted())
    await own.work()
    await work(own, () => {
      script.status = ({ amount_minor }) => payoutAnswers.paid(amount_minor)
    })
  })
}

/** Runs the work with webhooks that the receiver refused once. */
async function withWebhooks(work: Work): Promise<void> {
  const receiver = await startReceiver()
  const own = await createWorld()
  try {
    receiver.reply = { kind: 'status', status: 500 }
    await configure(own.deps, own.merchant, { webhook_url: receiver.url })
    await queue(own.deps, own.merchant, { count: ROWS })
    await own.work()
    await work(own, () => {
      receiver.reply = { kind: 'status', status: 200 }
    })
  } finally {
    await own.close()
    await receiver.close()
  }
}

/** Runs the work with e-mails that the mail server deferred once. */
async function withMessages(work: Work): Promise<void> {
  const mail = await startMailServer()
  const own = await createWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'pay@example.tz' } })
  try {
    mail.answers = { RCPT: '451 4.7.1 come back' }
    const email = { to: 'juma@example.com', subject: 'Ankara', text: 'Lipa', kind: 'invoice.sent' } as const
    await inTransaction(own.deps.db, async (tx) => {
      for (let i = 0; i < ROWS; i++) await queueEmail(own.deps, tx, { ...email, merchant_id: own.merchant.id })
    })
    await own.work()
    await work(own, () => {
      mail.answers = {}
    })
  } finally {
    await own.close()
    await mail.close()
  }
}

async function collect(count = PAYMENTS): Promise<{ merchant_id: string }> {
  const merchant = await createMerchant(world.deps, { name: 'Duka la Neema', approved: true })
  const key = await world.newKey({ merchant })
  const made = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      world.post(
        '/v1/collections/wallet-push',
        { amount: '1000', phone: `075${4 + Math.floor(i / 900)}${100_008 + (i % 900) * 1_000}` },
        { key },
      ),
    ),
  )
  for (const { status } of made) assert.equal(status, 202)
  await world.system.idle()
  return { merchant_id: merchant.id }
}
