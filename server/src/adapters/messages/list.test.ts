// Tests the lists of messages. A merchant reads the messages about its own invoices, and operators read all messages.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, testDeps, type World } from '../../../test/harness.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { listMessages, queueEmail, queueSms } from './index.ts'

type Item = Record<string, unknown> & { id: string }

let world: World
let other: Merchant
let operator: string
const invoices = [randomUUID(), randomUUID()] as const
/** The messages that the test queued, oldest first. */
const made: {
  id: string
  merchant_id: string | null
  channel: string
  status: string
  mine: boolean
  invoice: string | null
}[] = []

before(async () => {
  world = await createWorld()
  other = await world.newMerchant()
  operator = (await world.newSession('SUPER_ADMIN')).token
  const { deps, merchant } = world
  for (let i = 0; i < 60; i++) {
    deps.clock.advance(3)
    const owner = [merchant, other, null][i % 3] ?? null
    const invoice = owner !== null && i % 4 !== 0 ? (invoices[i % 2] as string) : null
    const environment = i % 5 === 0 ? 'sandbox' : 'live'
    const about = { ...(owner ? { merchant_id: owner.id } : {}), ...(invoice ? { invoice_id: invoice } : {}) }
    const message = {
      ...about,
      environment,
      text: `Lipa ${i}`,
      kind: owner ? 'invoice.sent' : 'identity.reset',
    } as const
    const is_sms = owner !== null && i % 7 === 0
    const { id } = await inTransaction(deps.db, (tx) =>
      is_sms
        ? queueSms(deps, tx, { ...message, to: '255754123456' })
        : queueEmail(deps, tx, { ...message, to: 'a@example.com', subject: `Ankara ${i}` }),
    )
    const status = (['kept', 'waiting', 'failed', 'sent'] as const)[i % 4] as string
    await world.rows('update outbox_messages set status = $2, error = $3 where id = $1', [
      id,
      status,
      status === 'failed' ? 'recipient_refused: 550 mx7.internal says no' : null,
    ])
    const mine = owner === merchant && invoice !== null && environment === 'live'
    made.push({ id, merchant_id: owner?.id ?? null, channel: is_sms ? 'sms' : 'email', status, mine, invoice })
  }
})
after(() => world.close())

async function list(path: string, token: string): Promise<{ items: Item[]; pagination: { total_items: number } }> {
  const reply = await world.get(path, token)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const newestFirst = (keep: (one: (typeof made)[number]) => boolean) => idsOf(made.filter(keep).reverse())

describe('a merchant', () => {
  for (const role of MERCHANT_ROLES) {
    test(`a member with the role ${role} reads only the messages about invoices of the member's merchant`, async () => {
      const { token } = await world.newSession(role)
      const { items, pagination } = await list('/v1/merchant/messages?page_size=100', token)
      assert.deepEqual(
        idsOf(items),
        newestFirst(({ mine }) => mine),
      )
      assert.equal(pagination.total_items, items.length)
      assert.ok(items.length > 5)
    })
  }

  test('a merchant reads the recipient, text and status of a message, but not the answer of the gateway', async () => {
    const { token } = await world.newSession('VIEWER')
    const { items } = await list('/v1/merchant/messages?status=failed&channel=email', token)
    const [first] = items
    const place = made.findIndex(({ id }) => id === first?.id)
    assert.deepEqual(first, {
      id: first?.id,
      environment: 'live',
      channel: 'email',
      status: 'failed',
      kind: 'invoice.sent',
      to: 'a@example.com',
      subject: `Ankara ${place}`,
      text: `Lipa ${place}`,
      invoice_id: made[place]?.invoice,
      tries: 0,
      error: 'recipient_refused',
      next_try_at: null,
      sent_at: null,
      created_at: first?.created_at,
    })
  })

  test('a merchant filters the message list by channel, status and invoice, and pages through the list', async () => {
    const { token } = await world.newSession('VIEWER')
    const cases: [string, (one: (typeof made)[number]) => boolean][] = [
      ['channel=sms', ({ channel }) => channel === 'sms'],
      ['channel=email', ({ channel }) => channel === 'email'],
      ['status=sent', ({ status }) => status === 'sent'],
      ['status=waiting', ({ status }) => status === 'waiting'],
      [`invoice_id=${invoices[0]}`, ({ invoice }) => invoice === invoices[0]],
      [
        `invoice_id=${invoices[1]}&status=failed`,
        ({ invoice, status }) => invoice === invoices[1] && status === 'failed',
      ],
      [`invoice_id=${randomUUID()}`, () => false],
    ]
    for (const [query, keep] of cases) {
      const { items } = await list(`/v1/merchant/messages?page_size=100&${query}`, token)
      assert.deepEqual(
        idsOf(items),
        newestFirst((one) => one.mine && keep(one)),
        query,
      )
    }
    const paged: string[] = []
    for (let page = 1; page < 30; page++) {
      paged.push(...idsOf((await list(`/v1/merchant/messages?page_size=3&page=${page}`, token)).items))
    }
    assert.deepEqual(
      paged,
      newestFirst(({ mine }) => mine),
    )
  })

  test('a merchant reads sandbox messages when the request names the sandbox', async () => {
    const { token } = await world.newSession('VIEWER')
    const { items } = await list('/v1/merchant/messages?environment=sandbox', token)
    assert.ok(items.length > 0 && items.every(({ environment }) => environment === 'sandbox'))
  })

  test('the server answers an invalid query of a merchant with 400, and refuses an API key with 403', async () => {
    const { token } = await world.newSession('VIEWER')
    for (const query of ['channel=fax', 'status=lost', 'invoice_id=1', 'page=0']) {
      assert.deepEqual(
        codeOf(await world.get(`/v1/merchant/messages?${query}`, token)),
        [400, 'validation_failed'],
        query,
      )
    }
    assert.deepEqual(codeOf(await world.get('/v1/merchant/messages', world.live_key)), [403, 'insufficient_role'])
    assert.deepEqual(codeOf(await world.get('/v1/operator/messages', token)), [403, 'insufficient_role'])
  })
})

describe('an operator', () => {
  test('an operator pages without gaps through all messages, with or without a merchant, newest first', async () => {
    const { items, pagination } = await list('/v1/operator/messages?page_size=100', operator)
    assert.deepEqual(
      idsOf(items),
      newestFirst(() => true),
    )
    assert.equal(pagination.total_items, made.length)
    assert.deepEqual(
      items.map(({ merchant_id }) => merchant_id),
      made.map(({ merchant_id }) => merchant_id).reverse(),
    )
    const paged: string[] = []
    for (let page = 1; page <= 9; page++) {
      paged.push(...idsOf((await list(`/v1/operator/messages?page_size=7&page=${page}`, operator)).items))
    }
    assert.deepEqual(
      paged,
      newestFirst(() => true),
    )
  })

  test('an operator filters messages by merchant, by channel, by status, and by all three', async () => {
    const cases: [string, (one: (typeof made)[number]) => boolean][] = [
      [`merchant_id=${other.id}`, ({ merchant_id }) => merchant_id === other.id],
      ['channel=sms', ({ channel }) => channel === 'sms'],
      ...(['kept', 'waiting', 'failed', 'sent'] as const).map(
        (name): [string, (one: (typeof made)[number]) => boolean] => [
          `status=${name}`,
          ({ status }) => status === name,
        ],
      ),
      [
        `merchant_id=${other.id}&status=failed&channel=email`,
        (one) => one.merchant_id === other.id && one.status === 'failed' && one.channel === 'email',
      ],
    ]
    for (const [query, keep] of cases) {
      const { items, pagination } = await list(`/v1/operator/messages?page_size=100&${query}`, operator)
      assert.deepEqual(idsOf(items), newestFirst(keep), query)
      assert.equal(pagination.total_items, items.length, query)
    }
  })

  test("an operator reads the gateway's answer to a failed message", async () => {
    const { items } = await list('/v1/operator/messages?status=failed&page_size=1', operator)
    assert.equal(items[0]?.error, 'recipient_refused: 550 mx7.internal says no')
  })

  test('an operator in production never reads a text that contains a link for signing in', async () => {
    const production = testDeps(world.url)
    production.config = { ...production.config, node_env: 'production' }
    try {
      const { items } = await listMessages(production, { page_size: 100 })
      assert.ok(items.length === made.length)
      for (const { kind, text } of items) assert.equal(text === null, kind !== 'invoice.sent', kind)
    } finally {
      await production.close()
    }
  })

  test('the server answers 400 for a page beyond the depth limit of the list when an operator names no merchant', async () => {
    const reply = await world.get('/v1/operator/messages?page=101&page_size=100', operator)
    assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
  })
})
