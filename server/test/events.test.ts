// Tests the list and the stream of events, and the events that the platform sends only to an endpoint that names them.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, test } from 'node:test'
import { enqueueEvents } from '../src/adapters/webhooks/enqueue.ts'
import { inTransaction } from '../src/kernel/db/index.ts'
import { newId } from '../src/kernel/lib/index.ts'
import { codeOf, createWorld, type World } from './harness.ts'
import { invoicesOf } from './invoices.ts'
import { fund } from './withdrawals.ts'

const DAY_MS = 86_400_000
let world: World
let port: number
let draining = false
/** Runs before each statement of the server. */
let onStatement: (name: string) => void | Promise<void> = () => {}
const timers: NodeJS.Timeout[] = []
before(async () => {
  world = await createWorld({
    env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' },
    compose: { draining: () => draining },
    before: (name) => onStatement(name),
  })
  await world.system.app.listen({ port: 0, host: '127.0.0.1' })
  port = (world.system.app.server.address() as AddressInfo).port
})
afterEach(() => {
  onStatement = () => {}
})
after(async () => {
  for (const timer of timers) clearInterval(timer)
  await world.close()
})

type ShownEvent = { id: string; event: string; environment: string; created_at: string; data: Record<string, unknown> }
const list = async (query = '', key?: string): Promise<ShownEvent[]> => {
  const reply = await world.get(`/v1/events?${query}`, key)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items
}
const shopKey = async () => world.newKey({ merchant: await world.newMerchant() })
const push = async (key: string, body: object = {}) => {
  const made = await world.post('/v1/collections/wallet-push', { amount: '500', phone: '0754123001', ...body }, { key })
  assert.equal(made.status, 202, made.text)
  await world.work()
  // Ids of one millisecond have no order, so the next payment gets a later millisecond.
  world.deps.clock.advance(1)
  return made.body.data.collection_id as string
}
const subscribe = (key: string, events?: string[]) =>
  world.call({
    method: 'PATCH',
    url: '/v1/merchant/webhook-config',
    payload: { webhook_url: 'http://127.0.0.1:9/hook', ...(events ? { events } : {}) },
    key,
  })
const deliveries = async (key: string) =>
  (await world.get('/v1/merchant/webhook-deliveries', key)).body.data.items as { id: string; event: string }[]

describe('the list of events', () => {
  test('the list of events has the events of a merchant without a webhook, and the list of deliveries stays empty', async () => {
    const key = await shopKey()
    const paid = await push(key, { metadata: { order: '7' } })
    const failed = await push(key, { simulate_status: 'failed' })
    const events = await list('', key)
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.collection_id]),
      [
        ['collection.failed', failed],
        ['collection.success', paid],
      ],
    )
    const [, success] = events
    assert.equal(success?.environment, 'sandbox')
    assert.deepEqual([success?.data.event, success?.data.metadata], ['collection.success', { order: '7' }])
    assert.deepEqual(await deliveries(key), [])
  })

  test('the list has each event once with the id of one of its deliveries, whichever endpoints receive the event', async () => {
    const key = await shopKey()
    const add = (events: string[]) =>
      world.post('/v1/merchant/webhook-endpoints', { webhook_url: 'http://127.0.0.1:9/two', events }, { key })
    assert.equal((await add(['collection.success'])).status, 201)
    assert.equal((await add(['collection.success'])).status, 201)
    await push(key)
    const [only] = await list('', key)
    const sent = await deliveries(key)
    assert.equal(sent.length, 2)
    assert.ok(sent.some(({ id }) => id === only?.id))
    await subscribe(key)
    await push(key)
    await push(key, { simulate_status: 'failed' })
    const all = await list('', key)
    assert.equal(all.length, 3)
    const defaults = (await world.get('/v1/merchant/webhook-deliveries?endpoint_id=default', key)).body.data.items
    assert.deepEqual(
      all.slice(0, 2).map(({ id }) => id),
      defaults.map(({ id }: { id: string }) => id),
    )
    assert.deepEqual(all[0]?.data, defaults[0].payload)
  })

  test('the list filters by event, time and id, and the server refuses unknown and malformed filters', async () => {
    const key = await shopKey()
    for (const simulate_status of ['successful', 'failed', 'reversed', 'successful']) {
      world.deps.clock.advance(10)
      await push(key, { simulate_status })
    }
    await world.pass(1_000)
    const all = await list('', key)
    assert.equal(all.length, 5)
    assert.deepEqual(
      (await list('event=collection.reversed', key)).map(({ event }) => event),
      ['collection.reversed'],
    )
    assert.deepEqual(await list('event=collection.successful', key), await list('event=collection.success', key))
    assert.deepEqual(await list(`after=${all[2]?.id}`, key), all.slice(0, 2))
    assert.deepEqual(await list(`after=${all[0]?.id.toUpperCase()}`, key), [])
    assert.deepEqual(await list(`from=${all[1]?.created_at}`, key), all.slice(0, 2))
    const pages = await Promise.all([1, 2, 3].map((page) => list(`page=${page}&page_size=2`, key)))
    assert.deepEqual(pages.flat(), all)
    assert.equal((await world.get('/v1/events?page_size=2', key)).body.data.pagination.total_items, 5)
    for (const query of ['after=x', 'event=collection.lost', 'evnt=collection.success', 'page_size=101']) {
      assert.deepEqual(codeOf(await world.get(`/v1/events?${query}`, key)), [400, 'validation_failed'], query)
    }
    const without = await world.newKey({ scopes: ['collections:read'] })
    assert.deepEqual(codeOf(await world.get('/v1/events', without)), [403, 'insufficient_scope'])
    assert.deepEqual(await list('', await shopKey()), [])
  })

  test('the list shows events of 30 days, and the worker deletes older events that no endpoint received', async () => {
    const key = await shopKey()
    await push(key)
    await subscribe(key)
    await push(key)
    world.deps.clock.advance(29 * DAY_MS)
    assert.equal((await list('', key)).length, 2)
    world.deps.clock.advance(DAY_MS + 1)
    assert.deepEqual(await list('', key), [])
    const kept = async () => Number((await world.rows<{ n: bigint }>('select count(*) as n from unsent_events'))[0]?.n)
    assert.ok((await kept()) > 1)
    // This payment makes the worker run.
    await push(await shopKey())
    assert.equal(await kept(), 1)
    assert.equal((await deliveries(key)).length, 1)
  })
})

describe('events that the platform sends only to an endpoint that names the event', () => {
  const pay = async (slug: string, key: string) => {
    const paid = await world.call({
      method: 'POST',
      url: `/public/payment-links/${slug}/collect`,
      key: null,
      idempotency_key: randomUUID(),
      payload: { method: 'WALLET_PUSH', customer_phone: '0754123001' },
    })
    assert.equal(paid.status, 202, `${paid.text} ${key}`)
    await world.work()
    return paid.body.data.collection_id as string
  }

  test('a paid link makes payment_link.paid, and each event of its payment names the link', async () => {
    for (const named of [true, false]) {
      const key = await shopKey()
      await subscribe(key, named ? ['payment_link.paid', 'collection.success'] : undefined)
      const body = { amount: '700', reference: 'A-1', metadata: { a: 'b' } }
      const link = (await world.post('/v1/payment-links', body, { key })).body.data
      const collection_id = await pay(link.public_slug, key)
      const events = await list('', key)
      assert.deepEqual(events.map(({ event }) => event).sort(), ['collection.success', 'payment_link.paid'])
      const sent = (await deliveries(key)).map(({ event }) => event).sort()
      assert.deepEqual(sent, named ? ['collection.success', 'payment_link.paid'] : ['collection.success'])
      for (const { data } of events) {
        assert.deepEqual(
          [data.payment_link_id, data.invoice_id, data.collection_id, data.metadata],
          [link.id, undefined, collection_id, { a: 'b' }],
        )
      }
      const { data } = events.find(({ event }) => event === 'payment_link.paid') as ShownEvent
      assert.deepEqual([data.status, data.amount, data.reference, data.sandbox], ['PAID', '700.00', 'A-1', true])
      assert.equal(typeof data.paid_at, 'string')
    }
  })

  test('a paid invoice makes invoice.paid, and each event of its payment names the invoice and the link', async () => {
    const { draft, act } = invoicesOf(world)
    const key = await shopKey()
    const due_date = new Date(world.deps.clock.now().getTime() + 9 * DAY_MS).toISOString().slice(0, 10)
    const { id } = await draft({ due_date }, key)
    const link = (await act(id, 'payment-link', key)).body.data
    await pay(link.public_slug, key)
    const events = await list('', key)
    const names = ['collection.success', 'invoice.paid', 'payment_link.paid']
    assert.deepEqual(events.map(({ event }) => event).sort(), names)
    for (const { data } of events) assert.deepEqual([data.payment_link_id, data.invoice_id], [link.id, id])
  })

  test('the event of a payment on a hosted page names no payment link, because the merchant made no link', async () => {
    const key = await shopKey()
    const hosted = (await world.post('/v1/collections', { amount: '700' }, { key })).body.data
    await pay(hosted.payment_url.split('/').at(-1), key)
    const events = await list('', key)
    assert.deepEqual(
      events.map(({ event, data }) => [event, data.payment_link_id]),
      [['collection.success', undefined]],
    )
  })

  test('a sent, unpaid invoice makes invoice.overdue once after its due date; a paid, unsent or long overdue invoice makes no event', async () => {
    const { draft, act } = invoicesOf(world)
    const key = await shopKey()
    const due_date = new Date(world.deps.clock.now().getTime() + DAY_MS).toISOString().slice(0, 10)
    const late = (await draft({ due_date, metadata: { a: 'b' } }, key)).id
    const paid = (await draft({ due_date }, key)).id
    await draft({ due_date }, key)
    const old = (await draft({ due_date }, key)).id
    for (const id of [late, paid, old]) assert.equal((await act(id, 'send', key)).status, 200)
    await world.rows('update invoices set due_date = due_date - 30 where id = $1', [old])
    const link = (await world.get(`/v1/invoices/${paid}`, key)).body.data
    await pay(link.payment_url.split('/').at(-1), key)
    const overdue = () => list('event=invoice.overdue', key)
    assert.deepEqual(await overdue(), [])
    world.deps.clock.advance(2 * DAY_MS)
    await world.work()
    await world.work()
    const events = await overdue()
    assert.deepEqual(
      events.map(({ data }) => [data.invoice_id, data.status, data.due_date, data.metadata]),
      [[late, 'OVERDUE', due_date, { a: 'b' }]],
    )
    world.deps.clock.advance(DAY_MS)
    await world.work()
    assert.equal((await overdue()).length, 1)
  })

  test('an approved payout makes disbursement.approved, and a question of the operator makes disbursement.info_requested', async () => {
    await fund(world, { amount: '100000' })
    const names = ['disbursement.approved', 'disbursement.info_requested', 'disbursement.success']
    await subscribe(world.sandbox_key, names)
    const submit = async () => {
      const body = { amount: '1000', destination_identifier: '0754123001', destination_code: 'MPESA' }
      return (await world.post('/v1/disbursements/mobile-money', body)).body.data.id as string
    }
    const asked = await submit()
    const simulate = (id: string, outcome: string) =>
      world.post(`/v1/sandbox/disbursements/${id}/simulate`, { outcome })
    assert.equal((await simulate(asked, 'INFO_REQUESTED')).status, 200)
    const approved = await submit()
    assert.equal((await simulate(approved, 'SUCCESS')).status, 200)
    await world.work()
    const of = async (id: string) => (await list('page_size=100')).filter(({ data }) => data.disbursement_id === id)
    const questions = await of(asked)
    const [stored] = await world.rows<{ reason: string }>(
      'select status_reason as reason from withdrawals where id = $1',
      [asked],
    )
    assert.ok(stored?.reason)
    assert.deepEqual(
      questions.map(({ event, data }) => [event, data.status, data.message]),
      [['disbursement.info_requested', 'INFO_REQUESTED', stored.reason]],
    )
    const moves = await of(approved)
    assert.deepEqual(moves.map(({ event }) => event).sort(), ['disbursement.approved', 'disbursement.success'])
    const sent = (await deliveries(world.sandbox_key)).map(({ event }) => event)
    for (const name of names) assert.ok(sent.includes(name), name)
  })
})

describe('the stream of events', () => {
  type OpenStream = { reply: IncomingMessage; events: ShownEvent[]; text: () => string; ended: Promise<unknown> }
  const openStream = async (key: string, after?: string, query = ''): Promise<OpenStream> => {
    const request = get({
      port,
      host: '127.0.0.1',
      // Each stream has a connection of its own, because the server may close an idle connection while the next request begins.
      agent: false,
      path: `/v1/events/stream${query}`,
      headers: { authorization: `Bearer ${key}`, ...(after === undefined ? {} : { 'last-event-id': after }) },
    })
    const [reply] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    const events: ShownEvent[] = []
    reply.setEncoding('utf8')
    reply.on('data', (chunk: string) => {
      text += chunk
      const parts = text.split('\n\n').slice(0, -1)
      const sent = parts.flatMap((part) => /^data: (.*)$/m.exec(part)?.[1] ?? [])
      events.splice(0, events.length, ...sent.map((data) => JSON.parse(data) as ShownEvent))
    })
    reply.on('error', () => {})
    request.on('error', () => {})
    return { reply, events, text: () => text, ended: once(reply, 'close') }
  }
  const until = async (holds: () => boolean, what: string) => {
    for (let i = 0; i < 1_000; i++) {
      if (holds()) return
      world.deps.clock.advance(50)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.fail(what)
  }
  const started = (stream: OpenStream) => until(() => stream.text().includes(': heartbeat'), 'the stream starts')

  test('the stream sends each event as the list shows it, with the exact bytes of the body, to its merchant only', async () => {
    const key = await shopKey()
    const old = await push(key)
    const stream = await openStream(key)
    const other_key = await shopKey()
    const stranger = await openStream(other_key)
    assert.equal(stream.reply.statusCode, 200)
    assert.match(String(stream.reply.headers['content-type']), /^text\/event-stream/)
    await started(stream)
    await started(stranger)
    await subscribe(key)
    const id = await push(key, { metadata: { '10': 'a', '9': 'b', z: '✓' } })
    await until(() => stream.events.length === 1, 'the event arrives')
    assert.deepEqual(stream.events, (await list('', key)).slice(0, 1))
    assert.deepEqual([stream.events[0]?.data.collection_id, old === id], [id, false])
    const [row] = await world.rows<{ body: string }>('select body from webhook_deliveries where source_id = $1', [id])
    assert.ok(stream.text().includes(`,"data":${row?.body}}\n\n`), stream.text())
    assert.ok(stream.text().includes(`id: ${stream.events[0]?.id}\nevent: collection.success\n`))
    const own = await push(other_key)
    await until(() => stranger.events.length > 0, 'the event of the other merchant arrives')
    assert.deepEqual(
      stranger.events.map(({ data }) => data.collection_id),
      [own],
    )
    for (const { reply } of [stream, stranger]) reply.destroy()
  })

  test('a resumed stream repeats the last event of the client, then sends all later events, in order for each payment', async () => {
    const key = await shopKey()
    await push(key)
    const [first] = await list('', key)
    world.deps.clock.advance(60_000)
    const ids: string[] = []
    for (let i = 0; i < 30; i++) ids.push(await push(key, { simulate_status: i % 2 === 0 ? 'reversed' : 'successful' }))
    const stream = await openStream(key, first?.id)
    await until(() => stream.events.length >= 46, 'all events arrive')
    const names = (id: string) =>
      stream.events.filter(({ data }) => data.collection_id === id).map(({ event }) => event)
    for (const [i, id] of ids.entries())
      assert.deepEqual(names(id), ['collection.success', ...(i % 2 === 0 ? ['collection.reversed'] : [])])
    assert.equal(stream.events[0]?.id, first?.id)
    stream.reply.destroy()
  })

  test('open and resumed streams send an event whose transaction commits after a newer event', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const make = (name: string, hold: Promise<unknown>) =>
      inTransaction(world.deps.db, async (tx) => {
        const source_id = newId(world.deps, merchant.routing_code)
        const source = { source_type: 'collection', source_id, source_seq: 1 } as const
        const of = { merchant_id: merchant.id, routing_code: merchant.routing_code, environment: 'sandbox' }
        const event = { ...of, event: 'collection.success', endpoint_ids: [], ...source, body: { name } } as const
        await enqueueEvents(world.deps, tx, [event], () => false)
        await hold
      })
    const stream = await openStream(key)
    await started(stream)
    let commit = () => {}
    const slow = make(
      'slow',
      new Promise<void>((resolve) => {
        commit = resolve
      }),
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    world.deps.clock.advance(5_000)
    await make('quick', Promise.resolve())
    const seen = ({ events }: OpenStream) => events.map(({ data }) => data.name)
    await until(() => stream.events.length === 1, 'the quick event arrives')
    assert.deepEqual(seen(stream), ['quick'])
    const resumed = await openStream(key, stream.events[0]?.id)
    await until(() => resumed.events.length === 1, 'the quick event is repeated')
    commit()
    await slow
    await until(() => stream.events.length === 2 && resumed.events.length === 2, 'the slow event arrives')
    assert.deepEqual(
      [seen(stream), seen(resumed)],
      [
        ['quick', 'slow'],
        ['quick', 'slow'],
      ],
    )
    const later = await openStream(key, stream.events[0]?.id)
    await until(() => later.events.length === 2, 'both arrive')
    assert.deepEqual(seen(later), ['slow', 'quick'])
    for (const { reply } of [stream, resumed, later]) reply.destroy()
  })

  test('the stream filters by event, and the server refuses a malformed id before the stream begins', async () => {
    const key = await shopKey()
    const stream = await openStream(key, undefined, '?event=collection.failed')
    await started(stream)
    await push(key)
    await push(key, { simulate_status: 'failed' })
    await until(() => stream.events.length === 1, 'the event arrives')
    assert.equal(stream.events[0]?.event, 'collection.failed')
    stream.reply.destroy()
    for (const [query, id] of [
      ['', 'x'],
      ['?after=x', undefined],
      ['?since=1', undefined],
    ] as const) {
      const refused = await openStream(key, id, query)
      assert.equal(refused.reply.statusCode, 400)
    }
    const read = await world.newKey({ scopes: ['collections:read'] })
    assert.equal((await openStream(read)).reply.statusCode, 403)
  })

  test('the server accepts at most five streams of a key, and ends the streams of a revoked key', async () => {
    const { token } = await world.newSession('MERCHANT_ADMIN')
    const key = await world.newKey()
    const open = await Promise.all([1, 2, 3, 4, 5].map(() => openStream(key)))
    assert.deepEqual(new Set(open.map(({ reply }) => reply.statusCode)), new Set([200]))
    const sixth = await openStream(key)
    assert.equal(sixth.reply.statusCode, 429)
    assert.ok(Number(sixth.reply.headers['retry-after']) > 0)
    open[0]?.reply.destroy()
    await open[0]?.ended
    await new Promise((resolve) => setTimeout(resolve, 50))
    const again = await openStream(key)
    assert.equal(again.reply.statusCode, 200)
    const keys = (await world.get('/v1/merchant/api-keys', token)).body.data.items as {
      id: string
      key_last4: string
    }[]
    const { id } = keys.find(({ key_last4 }) => key.endsWith(key_last4)) as { id: string }
    const revoked = await world.call({ method: 'PATCH', url: `/v1/merchant/api-keys/${id}/revoke`, key: token })
    assert.equal(revoked.status, 200, revoked.text)
    let ended = 0
    for (const stream of [...open.slice(1), again]) void stream.ended.then(() => ended++)
    await until(() => ended === 5, 'the streams of the revoked key end')
    assert.equal((await openStream(key)).reply.statusCode, 401)
  })

  test('the stream loses no event if the reads of ids or bodies fail', async () => {
    const key = await shopKey()
    const stream = await openStream(key)
    await started(stream)
    for (const statement of ['event_stream_bodies', 'event_stream_ids']) {
      let faults = 0
      onStatement = (name) => {
        if (name === statement && faults++ < 2) throw new Error('the connection broke')
      }
      const id = await push(key)
      await until(() => stream.events.some(({ data }) => data.collection_id === id), `the event after ${statement}`)
      assert.ok(faults > 2, statement)
    }
    assert.equal(stream.events.length, 2)
    stream.reply.destroy()
  })

  test('the stream sends an event that commits just after the server sends the headers', async () => {
    const key = await shopKey()
    await push(key)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let reads = 0
    // The first read of ids comes before the headers, and the second read after them.
    onStatement = async (name) => {
      if (name === 'event_stream_ids' && ++reads === 2) await held
    }
    const stream = await openStream(key)
    await until(() => reads === 2, 'the read after the headers begins')
    const id = await push(key)
    release()
    await until(() => stream.events.length > 0, 'the event arrives')
    assert.deepEqual(
      stream.events.map(({ data }) => data.collection_id),
      [id],
    )
    stream.reply.destroy()
  })

  test('a stream that resumes after nine days finds its rare event among thousands of others, also after a failed read', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    await push(key)
    const [first] = await list('', key)
    // The stream must skip these 2,500 other events, which take more than two scans.
    await world.rows(
      `insert into unsent_events (merchant_id, environment, id, event, source_type, source_id, source_seq, body, created_at)
       select merchant_id, environment, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, event, source_type, source_id, 1, body, created_at
       from unsent_events, generate_series(1, 2500) n where id = $1`,
      [first?.id],
    )
    const rare = await push(key, { simulate_status: 'failed' })
    world.deps.clock.advance(9 * DAY_MS)
    const live = await openStream(key)
    await started(live)
    let faults = 0
    onStatement = (name) => {
      if (name === 'event_stream_ids' && faults++ < 1) throw new Error('statement timeout')
    }
    const stream = await openStream(key, first?.id, '?event=collection.failed')
    const fresh = await push(key)
    await until(() => live.events.length === 1 && stream.events.length === 1, 'both arrive')
    assert.ok(faults > 1, 'no read failed')
    assert.deepEqual([live.events[0]?.data.collection_id, stream.events[0]?.data.collection_id], [fresh, rare])
    for (const { reply } of [live, stream]) reply.destroy()
  })

  test('a stream whose own reads fail again and again ends, and the streams that are up to date continue', async () => {
    const key = await shopKey()
    const other = await shopKey()
    await push(key)
    const [first] = await list('', key)
    world.deps.clock.advance(DAY_MS)
    const live = await openStream(other)
    await started(live)
    let is_live = 0
    // The stream that catches up reads the bodies of its old events. The stream that is up to date has no event yet.
    onStatement = (name) => {
      if (name === 'event_stream_bodies') throw new Error('statement timeout')
      if (name === 'event_stream_ids') is_live++
    }
    const stream = await openStream(key, first?.id)
    let has_ended = false
    void stream.ended.then(() => {
      has_ended = true
    })
    await until(() => has_ended, 'the stream ends')
    onStatement = () => {}
    assert.ok(is_live > 3)
    const id = await push(other)
    await until(() => live.events.length === 1, 'the other stream goes on')
    assert.equal(live.events[0]?.data.collection_id, id)
    live.reply.destroy()
  })

  test('the server accepts at most ten streams of all keys of a merchant together', async () => {
    const merchant = await world.newMerchant()
    const keys = [await world.newKey({ merchant }), await world.newKey({ merchant }), await world.newKey({ merchant })]
    const open = await Promise.all([...Array(12).keys()].map((i) => openStream(keys[i % 3] as string)))
    const statuses = open.map(({ reply }) => reply.statusCode)
    assert.deepEqual([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 429).length], [10, 2])
    assert.equal((await openStream(await shopKey())).reply.statusCode, 200)
    for (const { reply } of open) reply.destroy()
  })

  test('the server destroys the connection of a client that reads nothing', async () => {
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const stream = await openStream(key)
    await started(stream)
    await push(key)
    await until(() => stream.events.length === 1, 'the event arrives')
    stream.reply.pause()
    // The bodies are larger than the buffers of the connection.
    await world.rows(
      `insert into unsent_events (merchant_id, environment, id, event, source_type, source_id, source_seq, body, created_at)
       select merchant_id, environment, (left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, event, source_type, source_id, 1,
         '{"a":"' || repeat('x', 200000) || '"}', created_at
       from unsent_events, generate_series(1, 100) n where merchant_id = $1`,
      [merchant.id],
    )
    const sockets = () =>
      new Promise<number>((resolve) => world.system.app.server.getConnections((_, count) => resolve(count)))
    let count = await sockets()
    const before_pause = count
    for (let i = 0; i < 400 && count >= before_pause; i++) {
      world.deps.clock.advance(500)
      await new Promise((resolve) => setTimeout(resolve, 5))
      count = await sockets()
    }
    assert.equal(count, before_pause - 1)
    stream.reply.destroy()
  })

  test('the server ends a stream when the process drains, and refuses new streams', async () => {
    const key = await shopKey()
    const stream = await openStream(key)
    await started(stream)
    draining = true
    let has_ended = false
    void stream.ended.then(() => {
      has_ended = true
    })
    await until(() => has_ended, 'the stream ends')
    assert.equal((await openStream(key)).reply.statusCode, 503)
  })
})
