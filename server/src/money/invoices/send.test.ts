// Sending invoices, their payment links, and how they end: paid, overdue or cancelled.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { INVOICE, invoicesOf, type Shown } from '../../../test/invoices.ts'
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
    'after all this the books are sound',
  )
  await world.close()
})

const held = async () => (await world.get('/v1/balance')).body.data.held
const settle = (collection_id: string) =>
  world.system.driver.settle({ merchant_id: world.merchant.id, collection_id, number: 1, answer: SUCCESS })
const statusOf = async (id: string) => (await invoices.show(id)).status
const audited = (id: string) =>
  world.rows<{ action: string; actor_kind: string; before: Shown; after: Shown }>(
    'select action, actor_kind, before, after from audit_log where target_id = $1 order by seq',
    [id],
  )

describe('sending', () => {
  test('makes the payment link, marks it SENT, and tells the customer by SMS and e-mail', async () => {
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
    const [sms, email, ...more] = await invoices.told(sent.id)
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
      'what the sandbox tells is marked as such',
    )
  })

  test('speaks English to whom the merchant says so, and links to English pages', async () => {
    const sent = await invoices.sent({ language: 'en', due_date: '2026-01-05' })
    const [sms, email] = await invoices.told(sent.id)
    assert.equal(sms?.text, `Duka la Asha: invoice ${sent.number}, TZS 25,000, pay today: ${sent.payment_url}?lang=en`)
    assert.ok(email?.text.startsWith('Hello Juma Ali,'))
    assert.ok(email?.text.includes(`${sent.invoice_url}?lang=en`))
  })

  test('goes by the ways that are known, and is refused where there is none', async () => {
    for (const [missing, channels] of [
      [{ customer_email: null }, ['sms']],
      [{ customer_phone: null }, ['email']],
    ] as const) {
      const sent = await invoices.sent(missing)
      assert.deepEqual(
        (await invoices.told(sent.id)).map(({ channel }) => channel),
        channels,
      )
    }
    const neither = await invoices.draft({ customer_email: null, customer_phone: '' })
    const refused = await invoices.act(neither.id, 'send')
    assert.deepEqual(codeOf(refused), [409, 'invalid_state'])
    assert.match(refused.body.error.message, /neither a phone nor an e-mail/)
    assert.deepEqual(await invoices.show(neither.id), neither)
  })

  test(`can be repeated with the same link, ${SENDS_MAX} times a day; the next day again`, async () => {
    const other = await createWorld()
    try {
      const { act, draft, told } = invoicesOf(other)
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
      assert.equal((await told(id)).length, SENDS_MAX)
      other.deps.clock.advance(12 * 3_600_000)
      assert.equal((await act(id, 'send')).status, 200)
      assert.equal((await told(id)).length, SENDS_MAX + 1)
    } finally {
      await other.close()
    }
  })

  test('at once from two hands is two sendings over one link; under one key it is one', async () => {
    const { id } = await invoices.draft()
    const both = await Promise.all([invoices.act(id, 'send'), invoices.act(id, 'send')])
    assert.deepEqual(
      both.map(({ status }) => status),
      [200, 200],
    )
    assert.equal((await world.rows('select 1 from payment_links where invoice_id = $1', [id])).length, 1)
    const key = randomUUID()
    const again = { method: 'POST', url: `/v1/invoices/${id}/send`, idempotency_key: key } as const
    const [first, second] = [await world.call(again), await world.call(again)]
    assert.equal(second.text, first.text)
    assert.equal((await invoices.told(id)).length, 6)
  })

  test('takes real money only for a merchant that is approved, verified and priced', async () => {
    const merchant = await world.newMerchant({ approved: false })
    const { token } = await world.newSession([{ role: 'FINANCE', merchant }])
    const made = await world.post('/v1/invoices', INVOICE, { key: token })
    assert.deepEqual([made.status, made.body.data.environment], [201, 'live'], 'a draft asks nobody for anything')
    for (const verb of ['send', 'payment-link'])
      assert.deepEqual(codeOf(await invoices.act(made.body.data.id, verb, token)), [
        403,
        'production_access_restricted',
      ])
    assert.deepEqual(await invoices.told(made.body.data.id), [])
    const live = await invoices.sent({}, world.live_key)
    assert.deepEqual(
      (await invoices.told(live.id)).map(({ environment }) => environment),
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

  test('is in the audit log with who did it', async () => {
    const { token } = await world.newSession('FINANCE')
    const { id } = await invoices.draft({}, token)
    await invoices.act(id, 'send', token)
    await invoices.act(id, 'cancel', token)
    await invoices.act(id, 'cancel', token)
    const entries = await audited(id)
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

  test('keeps an SMS to one part where the names allow it, and attacks in names stay text', async () => {
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
        const [sms, email] = await invoices.told(sent.id)
        assert.ok(sms?.text.endsWith(sent.payment_url), 'the link is whole')
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

describe('the payment link of an invoice', () => {
  test('is made once, 201 and then 200 with the same; a cancelled one is replaced', async () => {
    const { id } = await invoices.draft()
    const first = await invoices.act(id, 'payment-link')
    assert.deepEqual([first.status, first.body.data.status, first.body.data.invoice_id], [201, 'ACTIVE', id])
    const again = await invoices.act(id, 'payment-link')
    assert.deepEqual([again.status, again.body.data], [200, first.body.data])
    assert.equal(await statusOf(id), 'DRAFT', 'whoever hands it out has not sent it through us')
    await world.call({ method: 'POST', url: `/v1/payment-links/${first.body.data.id}/cancel` })
    assert.equal((await invoices.show(id)).payment_link_status, 'CANCELLED')
    const next = await invoices.act(id, 'payment-link')
    assert.equal(next.status, 201)
    assert.notEqual(next.body.data.id, first.body.data.id)
    assert.equal((await invoices.show(id)).payment_link_id, next.body.data.id)
  })

  test('asked for ten times at once is one link', async () => {
    const { id } = await invoices.draft()
    const made = await Promise.all(Array.from({ length: 10 }, () => invoices.act(id, 'payment-link')))
    assert.deepEqual(made.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 200, 200, 201])
    assert.equal(new Set(made.map(({ body }) => body.data.id)).size, 1)
  })

  test('asked for while it is being made is waited for, and is the same', async () => {
    let asked: Promise<Reply> | null = null
    let asking = 0
    const other = await createWorld({
      async before(name) {
        if (name !== 'payment_links_insert') return
        asking++
        asked ??= act(id, 'payment-link')
        // Until the second one waits for the first, or makes a link of its own.
        const waiting = async () =>
          (
            await world.rows("select 1 from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'", [
              name_of,
            ])
          ).length > 0
        while (asking === 1 && !(await waiting())) await new Promise(setImmediate)
      },
    })
    const name_of = new URL(other.url).pathname.slice(1)
    const { act, draft } = invoicesOf(other)
    const { id } = await draft()
    try {
      const first = await act(id, 'payment-link')
      const second = await (asked as unknown as Promise<Reply>)
      assert.deepEqual([first.status, second.status], [201, 200])
      assert.equal(second.body.data.id, first.body.data.id)
    } finally {
      await other.close()
    }
  })

  test('is not made for what is paid or cancelled', async () => {
    const paid = await invoices.sent()
    await invoices.pay(paid)
    const cancelled = await invoices.draft()
    await invoices.act(cancelled.id, 'cancel')
    for (const { id } of [paid, cancelled])
      assert.deepEqual(codeOf(await invoices.act(id, 'payment-link')), [409, 'invalid_state'])
  })
})

describe('paying', () => {
  test('the link marks the invoice PAID, tells which payment did, and carries its number to the merchant', async () => {
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

  test('a draft whose link was handed out is PAID as well, and no draft any more', async () => {
    const { id } = await invoices.draft()
    const link = (await invoices.act(id, 'payment-link')).body.data
    await invoices.pay({ payment_url: link.public_url })
    assert.equal(await statusOf(id), 'PAID')
    assert.deepEqual(codeOf(await invoices.patch(id, { note: 'x' })), [409, 'invalid_state'])
  })

  test('a try that failed leaves it as it was', async () => {
    const sent = await invoices.sent()
    await invoices.pay(sent, '0754123003')
    assert.equal(await statusOf(sent.id), 'SENT')
    await invoices.pay(sent)
    assert.equal(await statusOf(sent.id), 'PAID')
  })

  test('an overdue invoice is still paid, and can be sent again', async () => {
    const other = await createWorld()
    try {
      const { act, pay, sent, show, told } = invoicesOf(other)
      const late = await sent({ due_date: '2026-01-06' })
      other.deps.clock.advance(2 * DAY_MS)
      assert.equal((await show(late.id)).status, 'OVERDUE')
      const again = await act(late.id, 'send')
      assert.deepEqual([again.status, again.body.data.status], [200, 'OVERDUE'])
      assert.match((await told(late.id)).at(-2)?.text ?? '', /ilipaswa kulipwa 6 Jan 2026/)
      await pay(late)
      assert.equal((await show(late.id)).status, 'PAID')
    } finally {
      await other.close()
    }
  })
})

describe('cancelling', () => {
  test('takes the payment link with it, and can be repeated', async () => {
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

  test('what the payer approves too late is held, and never marks the invoice paid', async () => {
    const sent = await invoices.sent()
    const waiting = await invoices.pay(sent, '0754123007')
    assert.equal(waiting.status, 202)
    await invoices.act(sent.id, 'cancel')
    const held_before = Number(await held())
    for (let twice = 0; twice < 2; twice++) await settle(waiting.body.data.collection_id)
    assert.equal(Number(await held()) - held_before, 25_000)
    assert.equal(await statusOf(sent.id), 'CANCELLED')
  })

  test('at the very moment of paying: it is paid, or cancelled with the money held or not taken', async () => {
    for (let round = 0; round < 12; round++) {
      const sent = await invoices.sent()
      const held_before = Number(await held())
      const [paid, cancelled] = await Promise.all([
        invoices.pay(sent),
        // Each round a little later.
        (async () => {
          for (let turn = 0; turn < round * 3; turn++) await new Promise(setImmediate)
          return invoices.act(sent.id, 'cancel')
        })(),
      ])
      const held_now = Number(await held()) - held_before
      const what = [await statusOf(sent.id), codeOf(paid).join(' '), codeOf(cancelled).join(' '), held_now].join(', ')
      assert.ok(
        [
          'PAID, 202 ok, 409 invalid_state, 0',
          'CANCELLED, 202 ok, 200 ok, 25000',
          'CANCELLED, 409 payment_link_not_active, 200 ok, 0',
        ].includes(what),
        what,
      )
    }
  })

  for (const [first, stops_at, second, goes_on_at, expected] of [
    ['pay', 'links_pay', 'cancel', 'invoices_lock_links', ['PAID', 202, 409]],
    ['cancel', 'invoices_cancel', 'pay', 'payment_links_lock', ['CANCELLED', 409, 200]],
  ] as const) {
    test(`whoever comes first has it: ${first} before ${second}`, async () => {
      let stopped = false
      let arrived = () => {}
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      let begin = () => {}
      const other = await createWorld({
        async before(name) {
          if (name === goes_on_at && stopped) arrived()
          if (name !== stops_at || stopped) return
          stopped = true
          begin()
          await arrival
        },
      })
      try {
        const { act, pay, sent, show } = invoicesOf(other)
        const invoice = await sent()
        const does = { pay: () => pay(invoice), cancel: () => act(invoice.id, 'cancel') }
        const later = new Promise<void>((resolve) => {
          begin = resolve
        }).then(() => does[second]())
        const replies = { [first]: await does[first](), [second]: await later }
        const { status } = await show(invoice.id)
        assert.deepEqual([status, replies.pay?.status, replies.cancel?.status], expected)
      } finally {
        await other.close()
      }
    })
  }
})
