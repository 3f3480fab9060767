// Tests how merchants send and cancel invoices, how customers pay invoices, and the payment links of invoices.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { INVOICE, invoicesOf, type ShownInvoice } from '../../../test/invoices.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import type { Answer } from '../../adapters/providers/port.ts'
import { verify } from '../../apps/admin/verify.ts'
import { SENDS_MAX } from './send.ts'

const DAY_MS = 86_400_000
const SUCCESS: Answer = { kind: 'succeeded', amount_minor: 2_500_000n, currency: 'TZS', provider_status: 'COMPLETED' }

let world: World
let invoices: ReturnType<typeof invoicesOf>
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', PAY_URL: 'https://lipa.example.co.tz' } })
  invoices = invoicesOf(world)
})
after(async () => {
  const { checks } = await verify(world.url)
  assert.deepEqual(
    checks.filter(({ ok }) => !ok),
    [],
    'verify finds no problem after all tests',
  )
  await world.close()
})

const held = async () => (await world.get('/v1/balance')).body.data.held
const settle = (collection_id: string) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number: 1, answer: SUCCESS })
const statusOf = async (id: string) => (await invoices.show(id)).status
const auditEntries = (id: string) =>
  world.rows<{ action: string; actor_kind: string; before: ShownInvoice; after: ShownInvoice }>(
    'select action, actor_kind, before, after from audit_log where target_id = $1 order by seq',
    [id],
  )

describe('sent invoices', () => {
  test('the server creates the payment link, sets SENT, and queues an SMS and an e-mail when a merchant sends an invoice', async () => {
    const sent = await invoices.sent()
    assert.equal(sent.status, 'SENT')
    assert.equal(sent.sent_at, world.deps.clock.now().toISOString())
    assert.match(sent.payment_url, /^https:\/\/lipa\.example\.co\.tz\/pay\/[\w-]{28}$/)
    assert.equal(sent.invoice_url, `${sent.payment_url}/invoice`)
    const link = (await world.get(`/v1/payment-links/${sent.payment_link_id}`)).body.data
    assert.deepEqual(
      [link.status, link.amount, link.reference, link.description, link.invoice_id, link.customer_phone],
      ['ACTIVE', '25000.00', sent.number, `Ankara ${sent.number}`, sent.id, '255754123456'],
    )
    const [sms, email, ...more] = await invoices.messages(sent.id)
    assert.deepEqual(more, [])
    assert.deepEqual([sms?.channel, sms?.recipient, sms?.kind], ['sms', '255754123456', 'invoice.send'])
    assert.equal(
      sms?.text,
      `Duka la Asha: ankara ${sent.number}, TZS 25,000, lipa hadi 20 Jan 2026: ${sent.payment_url}`,
    )
    assert.deepEqual([email?.channel, email?.recipient], ['email', 'juma@example.com'])
    assert.match(email?.subject ?? '', /^Duka la Asha: ankara INV-\d{6}, TZS\s25,000$/)
    for (const part of ['Habari Juma Ali,', sent.payment_url, sent.invoice_url, '20 Jan 2026', sent.number])
      assert.ok(email?.text.includes(part), part)
    assert.deepEqual(
      [sms, email].map((message) => message?.environment),
      ['sandbox', 'sandbox'],
      'messages about a sandbox invoice have the environment sandbox',
    )
  })

  test('the server queues English messages with links to English pages when the language of the sent invoice is English', async () => {
    const sent = await invoices.sent({ language: 'en', due_date: '2026-01-05' })
    const [sms, email] = await invoices.messages(sent.id)
    assert.equal(sms?.text, `Duka la Asha: invoice ${sent.number}, TZS 25,000, pay today: ${sent.payment_url}?lang=en`)
    assert.ok(email?.text.startsWith('Hello Juma Ali,'))
    assert.ok(email?.text.includes(`${sent.invoice_url}?lang=en`))
    const mails = await listEmails(world.deps, { to: 'juma@example.com' })
    const mail = mails.find(({ text }) => text?.includes(sent.payment_url))
    assert.deepEqual(await buttonOf(world, mail), ['Pay TZS\u00a025,000', `${sent.payment_url}?lang=en`])
  })

  test('the e-mail of an invoice has the contact of the business as the pay page does, without links from the address', async () => {
    const set = (phone: string | null, email: string | null, address: string | null) =>
      world.rows('update merchants set support_phone = $2, support_email = $3, support_address = $4 where id = $1', [
        world.merchant.id,
        phone,
        email,
        address,
      ])
    const contactOfMail = async (language: string) => {
      const [, email] = await invoices.messages((await invoices.sent({ language })).id)
      return email?.text.split('\n\n').find((part) => /^Una swali|^Questions/.test(part))
    }
    await set('0754 123 456', 'duka@example.com', 'Kariakoo \u202e https://evil.example/x')
    try {
      const lines = '\n0754 123 456\nduka@example.com\nKariakoo'
      assert.equal(await contactOfMail('sw'), `Una swali? Wasiliana na Duka la Asha:${lines}`)
      assert.equal(await contactOfMail('en'), `Questions? Contact Duka la Asha:${lines}`)
    } finally {
      await set(null, null, null)
    }
    assert.equal(await contactOfMail('en'), undefined)
  })

  test('the server sends an invoice to the only address of its customer, the phone or the e-mail address, and refuses to send without an address', async () => {
    for (const [missing, channels] of [
      [{ customer_email: null }, ['sms']],
      [{ customer_phone: null }, ['email']],
    ] as const) {
      const sent = await invoices.sent(missing)
      assert.deepEqual(
        (await invoices.messages(sent.id)).map(({ channel }) => channel),
        channels,
      )
    }
    const neither = await invoices.draft({ customer_email: null, customer_phone: '' })
    const refused = await invoices.act(neither.id, 'send')
    assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
    assert.match(refused.body.error.message, /neither a phone nor an e-mail/)
    assert.deepEqual(await invoices.show(neither.id), neither)
  })

  test(`the server sends an invoice with the same link at most ${SENDS_MAX} times a day, and sends again the next day`, async () => {
    const other = await createWorld()
    try {
      const { act, draft, messages } = invoicesOf(other)
      const { id } = await draft({ customer_email: null })
      const links = new Set<string>()
      for (let time = 0; time < SENDS_MAX; time++) {
        const sent = await act(id, 'send')
        assert.equal(sent.status, 200, sent.text)
        links.add(sent.body.data.payment_link_id)
      }
      assert.equal(links.size, 1)
      const refused = await act(id, 'send')
      assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
      assert.equal(Number(refused.headers['retry-after']), 12 * 3_600, 'until midnight in Tanzania')
      assert.equal((await messages(id)).length, SENDS_MAX)
      other.deps.clock.advance(12 * 3_600_000)
      assert.equal((await act(id, 'send')).status, 200)
      assert.equal((await messages(id)).length, SENDS_MAX + 1)
    } finally {
      await other.close()
    }
  })

  test('the count of sends continues after midnight when the clock of another process is behind', async () => {
    const other = await createWorld()
    try {
      const { act, draft, messages } = invoicesOf(other)
      const { id } = await draft({ customer_email: null })
      other.deps.clock.advance(12 * 3_600_000)
      for (let time = 0; time < SENDS_MAX; time++) {
        assert.equal((await act(id, 'send')).status, 200)
        other.deps.clock.step(time % 2 === 0 ? -1_000 : 1_000)
      }
      const refused = await act(id, 'send')
      assert.deepEqual(codeOf(refused), [429, 'rate_limited'])
      assert.equal(Number(refused.headers['retry-after']), 24 * 3_600, 'until the next midnight in Tanzania')
      assert.equal((await messages(id)).length, SENDS_MAX)
    } finally {
      await other.close()
    }
  })

  test('two simultaneous sends of an invoice queue its messages twice with one link, and two sends with one Idempotency-Key queue its messages once', async () => {
    const { id } = await invoices.draft()
    const both = await Promise.all([invoices.act(id, 'send'), invoices.act(id, 'send')])
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await world.rows('select 1 from payment_links where invoice_id = $1', [id])).length, 1)
    const key = randomUUID()
    const repeated = { method: 'POST', url: `/v1/invoices/${id}/send`, idempotency_key: key } as const
    const [first, second] = [await world.call(repeated), await world.call(repeated)]
    assert.equal(second.text, first.text)
    assert.equal((await invoices.messages(id)).length, 6)
  })

  test('the server refuses to send a live invoice when the merchant is not approved or is suspended', async () => {
    const merchant = await world.newMerchant({ approved: false })
    const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
    const made = await world.post('/v1/invoices', INVOICE, { key: token })
    assert.deepEqual([made.status, made.body.data.environment], [201, 'live'], 'a draft asks no customer for money')
    for (const verb of ['send', 'payment-link'])
      assert.deepEqual(codeOf(await invoices.act(made.body.data.id, verb, token)), [
        403,
        'production_access_restricted',
      ])
    assert.deepEqual(await invoices.messages(made.body.data.id), [])
    const live = await invoices.sent({}, world.live_key)
    assert.deepEqual(
      (await invoices.messages(live.id)).map(({ environment }) => environment),
      ['live', 'live'],
    )
    await world.rows("update merchants set status = 'SUSPENDED' where id = $1", [world.merchant.id])
    try {
      const member = await world.newSession('FINANCE')
      assert.deepEqual(codeOf(await invoices.act(live.id, 'send', member.token)), [403, 'production_access_restricted'])
    } finally {
      await world.rows("update merchants set status = 'ACTIVE' where id = $1", [world.merchant.id])
    }
  })

  test('the audit log has one entry with the user when a user sends an invoice, and one when the user cancels the invoice twice', async () => {
    const { token } = await world.newSession('FINANCE')
    const { id } = await invoices.draft({}, token)
    await invoices.act(id, 'send', token)
    await invoices.act(id, 'cancel', token)
    await invoices.act(id, 'cancel', token)
    const entries = await auditEntries(id)
    assert.deepEqual(
      entries.map(({ action, actor_kind }) => [action, actor_kind]),
      [
        ['invoice.send', 'user'],
        ['invoice.cancel', 'user'],
      ],
    )
    assert.deepEqual([entries[0]?.before.status, entries[0]?.after.status], ['DRAFT', 'SENT'])
    assert.deepEqual(entries[0]?.after.channels, ['sms', 'email'])
    assert.equal(entries[1]?.after.payment_link_cancelled, true)
  })

  test('the SMS of an invoice has one part for each tested name, and the messages make no link or header from a name', async () => {
    for (const name of [
      'Kampuni ya Usambazaji wa Vifaa vya Ujenzi na Huduma za Jumla Tanzania Limited',
      '\u202eelddaD\u202c <script>alert(1)</script> https://evil.example/pay?x=1',
      'Duka\r\nBcc: everybody@example.com',
      '😀 Duka',
      'محل علي',
      'x'.repeat(10_000),
    ]) {
      await world.rows('update merchants set name = $2 where id = $1', [world.merchant.id, name])
      try {
        const sent = await invoices.sent({ customer_name: name.slice(0, 190).replaceAll(/[\r\n]/g, ' ') })
        const [sms, email] = await invoices.messages(sent.id)
        assert.ok(sms?.text.endsWith(sent.payment_url), 'the link is complete')
        assert.ok((sms?.text.length ?? 0) <= 160, sms?.text)
        for (const text of [sms?.text, email?.subject]) {
          assert.doesNotMatch(text ?? '', /[\r\n\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|evil\.example/)
        }
        assert.doesNotMatch(email?.text ?? '', /evil\.example|\u202e|\r|^Bcc/m)
        assert.ok((email?.subject.length ?? 0) <= 160 && (email?.text.length ?? 0) < 1_500)
      } finally {
        await world.rows('update merchants set name = $2 where id = $1', [world.merchant.id, 'Duka la Asha'])
      }
    }
  })
})

describe('payment links of invoices', () => {
  test('the server creates one active payment link for an invoice, and replaces a cancelled link on request', async () => {
    const { id } = await invoices.draft()
    const first = await invoices.act(id, 'payment-link')
    assert.deepEqual([first.status, first.body.data.status, first.body.data.invoice_id], [201, 'ACTIVE', id])
    const again = await invoices.act(id, 'payment-link')
    assert.deepEqual([again.status, again.body.data], [200, first.body.data])
    assert.equal(await statusOf(id), 'DRAFT', 'creating the link does not send the invoice')
    await world.call({ method: 'POST', url: `/v1/payment-links/${first.body.data.id}/cancel` })
    assert.equal((await invoices.show(id)).payment_link_status, 'CANCELLED')
    const next = await invoices.act(id, 'payment-link')
    assert.equal(next.status, 201)
    assert.notEqual(next.body.data.id, first.body.data.id)
    assert.equal((await invoices.show(id)).payment_link_id, next.body.data.id)
  })

  test('ten simultaneous requests for the payment link of an invoice get one link', async () => {
    const { id } = await invoices.draft()
    const made = await Promise.all(Array.from({ length: 10 }, () => invoices.act(id, 'payment-link')))
    assert.deepEqual(made.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 200, 200, 201])
    assert.equal(new Set(made.map(({ body }) => body.data.id)).size, 1)
  })

  test('a request for a payment link waits while another request creates the link, and then gets that link', async () => {
    let second_request: Promise<Reply> | null = null
    let inserts = 0
    const other = await createWorld({
      async before(name) {
        if (name !== 'payment_links_insert') return
        inserts++
        second_request ??= act(id, 'payment-link')
        // The loop ends when the second request waits for the first request, or has created a second link.
        const waiting = async () =>
          (
            await world.rows("select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'", [
              database,
            ])
          ).length > 0
        while (inserts === 1 && !(await waiting())) await new Promise(setImmediate)
      },
    })
    const database = new URL(other.url).pathname.slice(1)
    const { act, draft } = invoicesOf(other)
    const { id } = await draft()
    try {
      const first = await act(id, 'payment-link')
      const second = await (second_request as unknown as Promise<Reply>)
      assert.deepEqual([first.status, second.status], [201, 200])
      assert.equal(second.body.data.id, first.body.data.id)
    } finally {
      await other.close()
    }
  })

  test('the server refuses to create a payment link for a paid or cancelled invoice', async () => {
    const paid = await invoices.sent()
    await invoices.pay(paid)
    const cancelled = await invoices.draft()
    await invoices.act(cancelled.id, 'cancel')
    for (const { id } of [paid, cancelled])
      assert.deepEqual(codeOf(await invoices.act(id, 'payment-link')), [409, 'invalid_state'])
  })
})

describe('paid invoices', () => {
  test('a payment sets its invoice to PAID and has the number of the invoice as its reference', async () => {
    const sent = await invoices.sent()
    const paid = await invoices.pay(sent)
    assert.equal(paid.status, 202, paid.text)
    const { collection_id } = paid.body.data
    const shown = await invoices.show(sent.id)
    assert.deepEqual([shown.status, shown.paid_collection_id], ['PAID', collection_id])
    assert.equal(shown.paid_at, world.deps.clock.now().toISOString())
    const collection = (await world.get(`/v1/collections/${collection_id}`)).body.data
    assert.equal(collection.reference, sent.number)
    assert.deepEqual(codeOf(await invoices.pay(sent)), [409, 'payment_link_not_active'])
    for (const verb of ['send', 'cancel']) {
      const refused = await invoices.act(sent.id, verb)
      assert.deepEqual([...codeOf(refused), refused.body.error.details.status], [409, 'invalid_state', 'PAID'])
    }
    assert.deepEqual(codeOf(await invoices.patch(sent.id, { note: 'x' })), [409, 'invalid_state'])
  })

  test('a payment by the link of a draft sets the invoice to PAID, and the server refuses a later edit', async () => {
    const { id } = await invoices.draft()
    const link = (await invoices.act(id, 'payment-link')).body.data
    await invoices.pay({ payment_url: link.public_url })
    assert.equal(await statusOf(id), 'PAID')
    assert.deepEqual(codeOf(await invoices.patch(id, { note: 'x' })), [409, 'invalid_state'])
  })

  test('a failed payment does not change the status of the invoice', async () => {
    const sent = await invoices.sent()
    await invoices.pay(sent, '0754123003')
    assert.equal(await statusOf(sent.id), 'SENT')
    await invoices.pay(sent)
    assert.equal(await statusOf(sent.id), 'PAID')
  })

  test('a customer can pay an overdue invoice, and a merchant can send an overdue invoice again', async () => {
    const other = await createWorld()
    try {
      const { act, pay, sent, show, messages } = invoicesOf(other)
      const late = await sent({ due_date: '2026-01-06' })
      other.deps.clock.advance(2 * DAY_MS)
      assert.equal((await show(late.id)).status, 'OVERDUE')
      const again = await act(late.id, 'send')
      assert.deepEqual([again.status, again.body.data.status], [200, 'OVERDUE'])
      assert.match((await messages(late.id)).at(-2)?.text ?? '', /ilipaswa kulipwa 6 Jan 2026/)
      await pay(late)
      assert.equal((await show(late.id)).status, 'PAID')
    } finally {
      await other.close()
    }
  })
})

describe('cancelled invoices', () => {
  test('the server cancels the payment link with its invoice, and answers a repeated cancellation in the same way', async () => {
    const sent = await invoices.sent()
    for (let twice = 0; twice < 2; twice++) {
      const cancelled = await invoices.act(sent.id, 'cancel')
      assert.deepEqual([cancelled.status, cancelled.body.data.status], [200, 'CANCELLED'])
      assert.equal(cancelled.body.data.payment_link_status, 'CANCELLED')
      assert.equal(cancelled.body.data.cancelled_at, world.deps.clock.now().toISOString())
    }
    assert.deepEqual(codeOf(await invoices.pay(sent)), [409, 'payment_link_not_active'])
    assert.deepEqual(codeOf(await invoices.act(sent.id, 'send')), [409, 'invalid_state'])
  })

  test('the server holds the money when the payer approves after the cancellation, and the invoice stays cancelled', async () => {
    const sent = await invoices.sent()
    const waiting = await invoices.pay(sent, '0754123007')
    assert.equal(waiting.status, 202)
    await invoices.act(sent.id, 'cancel')
    const held_before = Number(await held())
    for (let twice = 0; twice < 2; twice++) await settle(waiting.body.data.collection_id)
    assert.equal(Number(await held()) - held_before, 25_000)
    assert.equal(await statusOf(sent.id), 'CANCELLED')
  })

  test('at the moment of a payment, the server refuses the cancellation, holds the money or refuses the payment', async () => {
    for (let round = 0; round < 12; round++) {
      const sent = await invoices.sent()
      const held_before = Number(await held())
      const [paid, cancelled] = await Promise.all([
        invoices.pay(sent),
        // Each round starts the cancellation three turns of the event loop later than the round before.
        (async () => {
          for (let turn = 0; turn < round * 3; turn++) await new Promise(setImmediate)
          return invoices.act(sent.id, 'cancel')
        })(),
      ])
      const held_now = Number(await held()) - held_before
      const outcome = [await statusOf(sent.id), codeOf(paid).join(' '), codeOf(cancelled).join(' '), held_now].join(
        ', ',
      )
      assert.ok(
        [
          'PAID, 202 ok, 409 invalid_state, 0',
          'CANCELLED, 202 ok, 200 ok, 25000',
          'CANCELLED, 409 payment_link_not_active, 200 ok, 0',
        ].includes(outcome),
        outcome,
      )
    }
  })

  for (const [first, paused_at, second, resumed_at, expected] of [
    ['pay', 'links_pay', 'cancel', 'invoices_lock_links', ['PAID', 202, 409]],
    ['cancel', 'invoices_cancel', 'pay', 'payment_links_lock', ['CANCELLED', 409, 200]],
  ] as const) {
    test(`the server accepts the request ${first} and refuses a simultaneous request ${second} when ${first} locks the payment link first`, async () => {
      let stopped = false
      let arrived = () => {}
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      let begin = () => {}
      const other = await createWorld({
        async before(name) {
          if (name === resumed_at && stopped) arrived()
          if (name !== paused_at || stopped) return
          stopped = true
          begin()
          await arrival
        },
      })
      try {
        const { act, pay, sent, show } = invoicesOf(other)
        const invoice = await sent()
        const requests = { pay: () => pay(invoice), cancel: () => act(invoice.id, 'cancel') }
        const later = new Promise<void>((resolve) => {
          begin = resolve
        }).then(() => requests[second]())
        const replies = { [first]: await requests[first](), [second]: await later }
        const { status } = await show(invoice.id)
        assert.deepEqual([status, replies.pay?.status, replies.cancel?.status], expected)
      } finally {
        await other.close()
      }
    })
  }
})
