// Tests that a search finds each record by its ids, references, phone numbers, amounts, names and descriptions, and no record
// of another merchant.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf } from '../../../test/invoices.ts'
import { rowsRead } from '../../../test/rows-read.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import { searchMerchant } from './of-merchant.ts'
import { NEWEST_PAYMENTS, type RecordKind, SEARCHED } from './statements.ts'
import { parseSearch } from './terms.ts'

type Hit = Record<string, string | null> & { kind: string; id: string }

let world: World
let viewer: string
let support: string
let admin: string
let other: Merchant
let other_viewer: string
const made: Record<string, string> = {}

const hitsOf = (groups: { items: Hit[] }[]) => groups.flatMap(({ items }) => items)

async function search(q: string, token = viewer, rest = '&environment=sandbox'): Promise<Hit[]> {
  const reply = await world.get(`/v1/search?q=${encodeURIComponent(q)}${rest}`, token)
  assert.equal(reply.status, 200, reply.text)
  return hitsOf(reply.body.data.groups)
}

async function searchAll(q: string, token = support, rest = ''): Promise<Hit[]> {
  const reply = await world.get(`/v1/operator/search?q=${encodeURIComponent(q)}${rest}`, token)
  assert.equal(reply.status, 200, reply.text)
  return hitsOf(reply.body.data.groups)
}

const ids = (hits: readonly Hit[], kind: string) => hits.filter((hit) => hit.kind === kind).map(({ id }) => id)

before(async () => {
  world = await createWorld()
  viewer = (await world.newSession('VIEWER')).token
  support = (await world.newSession('SUPPORT')).token
  admin = (await world.newSession('SUPER_ADMIN')).token
  other = await world.newMerchant()
  other_viewer = (await world.newSession([{ role: 'VIEWER', merchant: other }])).token
  const payment = {
    amount: '43750.50',
    phone: '0754 987 001',
    reference: 'Order-Alpha-7',
    customer_name: 'Neema Mushi',
  }
  made.payment = (await world.post('/v1/collections/wallet-push', payment)).body.data.collection_id
  world.deps.clock.advance(1_000)
  await world.work()
  const { items } = (await world.get('/v1/merchants/me/transactions')).body.data
  made.transaction = items[0].reference
  const link = {
    amount: '8100',
    reference: 'LINK-5',
    customer_name: 'Baraka Jòhn Mrema',
    customer_phone: '0713555888',
    description: 'Keki ya harusi',
  }
  const linked = (await world.post('/v1/payment-links', link)).body.data
  made.link = linked.id
  made.slug = linked.public_slug
  made.invoice = (await invoicesOf(world).draft({ customer_name: 'Rehema Ally' })).id
  const payout = {
    amount: '9000',
    destination_code: 'MPESA',
    destination_identifier: '0765111333',
    destination_name: 'Yusuf Kweka',
    reference: 'PAYOUT-3',
  }
  const paid_out = await world.post('/v1/disbursements/mobile-money', payout)
  made.withdrawal = paid_out.body.data.id
})
after(() => world.close())

describe('a member of a merchant', () => {
  test('a member finds a payment by each of its ids, references, phones, amounts and names', async () => {
    const id = made.payment as string
    const [attempt] = await world.rows<{ provider_reference: string }>(
      'select provider_reference from collection_attempts',
    )
    for (const q of [
      id,
      id.toUpperCase(),
      id.slice(0, 8),
      id.slice(0, 20),
      attempt?.provider_reference as string,
      'order-ALPHA-7',
      'ord',
      '0754987001',
      '(0754) 987.001',
      '+255 754 987 001',
      '754987001',
      '7001',
      '987001',
      '43750.50',
      'TZS 43,750.50',
      'neema',
      'MUSHI',
    ])
      assert.deepEqual(ids(await search(q), 'payment'), [id], q)
    for (const q of ['7002', '43750', 'eema', 'order-beta', id.replace(/^./, 'f'), '0754987002'])
      assert.deepEqual(ids(await search(q), 'payment'), [], q)
  })

  test('a member sees the list fields of each hit, and the path of its page', async () => {
    const [hit] = await search('7001')
    const { id: _, created_at, ...rest } = hit as Hit
    assert.equal(created_at, '2026-01-05T09:00:00.000Z')
    assert.deepEqual(rest, {
      kind: 'payment',
      title: '43750.50',
      currency: 'TZS',
      name: 'Neema Mushi',
      phone: '255754987001',
      reference: 'Order-Alpha-7',
      description: null,
      status: 'successful',
      environment: 'sandbox',
      merchant_id: null,
      merchant_name: null,
      target: `collections/${made.payment}`,
    })
  })

  test('a member finds links, invoices and withdrawals by their references, phones, amounts and names, links by their descriptions, and transactions by their references', async () => {
    const cases: [kind: string, id: string, texts: string[]][] = [
      [
        'payment_link',
        made.link as string,
        [
          made.link as string,
          made.slug as string,
          'link-5',
          '8100',
          '8.100',
          '5',
          '0713 555 888',
          '5888',
          'baraka',
          'HARUSI',
        ],
      ],
      [
        'invoice',
        made.invoice as string,
        [made.invoice as string, 'INV-000001', 'inv-1', '000001', '1', '25,000', 'Tsh 25.000', 'ally', '3456'],
      ],
      [
        'withdrawal',
        made.withdrawal as string,
        [made.withdrawal as string, 'payout', '3', '9000', '0765111333', '1333', 'kweka'],
      ],
      [
        'transaction',
        made.transaction as string,
        [made.transaction as string, (made.transaction as string).slice(0, 12).toLowerCase()],
      ],
    ]
    for (const [kind, id, texts] of cases)
      for (const q of texts) assert.deepEqual(ids(await search(q), kind), [id], `${kind} ${q}`)
    assert.deepEqual(ids(await search('008.100'), 'payment_link'), [], 'a point after a zero separates no thousands')
    const [hit] = await search('keki ya')
    assert.deepEqual([hit?.id, hit?.description], [made.link, 'Keki ya harusi'])
    assert.deepEqual(await search('arusi'), [], 'a word is found by its beginning')
  })

  test('a member finds a name by its words in any order, with and without accents', async () => {
    for (const q of ['Bàraka', 'john baraka', 'mrema BAR', 'JÒHN', 'Jo\u0300hn mrema', 'harusi keki'])
      assert.deepEqual(ids(await search(q), 'payment_link'), [made.link], q)
    for (const q of ['baraka neema', 'ohn baraka', 'b%', 'bar_ka', 'Jöhm'])
      assert.deepEqual(ids(await search(q), 'payment_link'), [], q)
  })

  test('a member finds the page of an invoice by the words of its description', async () => {
    const sent = await world.call({ method: 'POST', url: `/v1/invoices/${made.invoice}/send` })
    assert.equal(sent.status, 200, sent.text)
    const { items } = (await world.get('/v1/payment-links')).body.data
    const page = items.find(({ invoice_id }: { invoice_id: string | null }) => invoice_id === made.invoice)
    for (const q of ['ankara', 'inv-000001 ankara']) {
      const [hit] = (await search(q)).filter(({ kind }) => kind === 'payment_link')
      assert.deepEqual([hit?.id, hit?.description], [page.id, 'Ankara INV-000001'], q)
    }
  })

  test('a member finds nothing of another merchant or environment', async () => {
    for (const q of [
      made.payment as string,
      'order',
      '7001',
      '43750.50',
      'neema',
      made.transaction as string,
      'INV-1',
      'payout',
    ]) {
      assert.deepEqual(await search(q, other_viewer), [], q)
      assert.deepEqual(await search(q, viewer, ''), [], `${q} in live`)
    }
  })

  test('a member sees the newest payments of a phone first, at most six', async () => {
    const newest: string[] = []
    for (let i = 0; i < 8; i++) {
      world.deps.clock.advance(1_000)
      const reply = await world.post('/v1/collections/wallet-push', {
        amount: 700 + i,
        phone: '0754222001',
        reference: `Many-${i}`,
      })
      newest.unshift(reply.body.data.collection_id)
    }
    for (const q of ['0754222001', '2001', 'many-'])
      assert.deepEqual(ids(await search(q), 'payment'), newest.slice(0, 6), q)
    const moreOf = async (q: string) => {
      const { groups } = (await world.get(`/v1/search?q=${q}&environment=sandbox`, viewer)).body.data
      return groups.find(({ kind }: { kind: string }) => kind === 'payment').more
    }
    assert.deepEqual(await Promise.all(['2001', 'many-', 'many-1', '7001'].map(moreOf)), [true, true, false, false])
  })

  test('the server answers 400 and names the field when a text is too short or too long, and answers 200 to hostile texts', async () => {
    for (const q of ['', ' ', 'a', ' a ', '0', 'x'.repeat(101)]) {
      const reply = await world.get(`/v1/search?q=${encodeURIComponent(q)}`, viewer)
      assert.deepEqual([reply.status, reply.body.error.details.fields[0].field], [400, 'q'], q)
    }
    const hostile = [
      "' or 1=1 --",
      '%%',
      '__',
      '\\\\',
      '255'.repeat(30),
      '9'.repeat(100),
      '🙂🙂',
      'TXN-ZZZZZZZZ',
      '(.*)+$',
      '\u202Eabc',
    ]
    for (const q of hostile) assert.deepEqual(await search(q), [], q)
  })

  test('the search of a member refuses an API key and an operator, and the search of operators refuses a member', async () => {
    assert.equal((await world.get('/v1/search?q=abc')).status, 403)
    assert.equal((await world.get('/v1/search?q=abc', support)).status, 403)
    assert.equal((await world.get('/v1/operator/search?q=abc', viewer)).status, 403)
  })
})

describe('an operator', () => {
  test('an operator finds payments, withdrawals, links, invoices and transactions, and sees the merchant of a payment', async () => {
    const [hit] = await searchAll('7001')
    assert.deepEqual(
      [hit?.id, hit?.merchant_id, hit?.merchant_name, hit?.target],
      [made.payment, world.merchant.id, 'Duka la Asha', `payments/${made.payment}`],
    )
    for (const [kind, texts] of [
      ['payment', [made.payment, 'order-alpha', '0754987001', '43,750.50', 'neema']],
      ['withdrawal', [made.withdrawal, 'payout-3', '0765111333', 'kweka']],
      ['payment_link', [made.link, 'link-5', 'baraka', 'harusi']],
      ['invoice', [made.invoice, 'INV-000001', 'rehema']],
      ['transaction', [made.transaction]],
    ] as const)
      for (const q of texts) assert.equal(ids(await searchAll(q as string), kind).length, 1, `${kind} ${q}`)
  })

  test('an operator limits a search to one merchant or environment', async () => {
    assert.deepEqual(await searchAll('7001', support, `&merchant_id=${other.id}`), [])
    assert.deepEqual(await searchAll('7001', support, '&environment=live'), [])
    assert.equal((await searchAll('7001', support, `&merchant_id=${world.merchant.id}&environment=sandbox`)).length, 1)
    assert.equal((await world.get('/v1/operator/search?q=7001&merchant_id=x', support)).status, 400)
  })

  test('an operator finds merchants by name, code and id', async () => {
    for (const q of [
      'duka la asha',
      'ASHA',
      'Ásha duka',
      world.merchant.merchant_code,
      world.merchant.merchant_code.slice(0, 5),
      world.merchant.id,
    ])
      assert.ok(ids(await searchAll(q), 'merchant').includes(world.merchant.id), q)
  })

  test('an operator finds members by e-mail address, and finds operators only with the right to read operators', async () => {
    const { email } = await world.newSession('FINANCE')
    const [hit] = (await searchAll(email.slice(0, 10))).filter(({ kind }) => kind === 'person')
    assert.deepEqual([hit?.title, hit?.target], [email, `merchants/${world.merchant.id}`])
    const operator = await world.newSession('COMPLIANCE')
    assert.deepEqual(ids(await searchAll(operator.email), 'person'), [])
    assert.deepEqual(ids(await searchAll(operator.email, admin), 'person'), [operator.user_id])
  })

  test('an operator finds deliveries by id, and lines of statements by our reference and by the id of the provider', async () => {
    const delivery = newId(world.deps, world.merchant.routing_code)
    await world.rows(
      `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status, attempts,
         created_at, updated_at) values ($1, $2, 'sandbox', 'collection.success', 'collection', $3, 9, '{}', 'delivered', 1, $4, $4)`,
      [world.merchant.id, delivery, made.payment, world.deps.clock.now()],
    )
    const [hit] = await searchAll(delivery)
    assert.deepEqual(
      [hit?.kind, hit?.title, hit?.target],
      ['delivery', 'collection.success', `payments/${made.payment}`],
    )
    const [attempt] = await world.rows<{ provider_reference: string }>(
      'select provider_reference from collection_attempts where collection_id = $1',
      [made.payment],
    )
    const reference = attempt?.provider_reference as string
    await world.rows(
      `insert into statement_lines (provider, subject, kind, statement_id, line_number, reference, provider_id, amount_minor, currency,
         at, placed)
       values ('mock', $1, 'payment', $2, 1, $1, 'MP-1', 4375050, 'TZS', $3, true),
         ('mock', 'id:MP-77', 'payment', $2, 2, null, 'MP-77', 100, 'TZS', $3, false)`,
      [reference, randomUUID(), world.deps.clock.now()],
    )
    const lines = async (q: string) =>
      (await searchAll(q)).filter(({ kind }) => kind === 'statement_line').map(({ title, target }) => [title, target])
    assert.deepEqual(await lines(reference), [['43750.50', `payments/${made.payment}`]])
    assert.deepEqual(await lines('MP-77'), [['1.00', 'reconciliation']])
  })
})

test('a search for a merchant with more than 30,000 payments reads a bounded number of rows', async () => {
  const merchant = await world.newMerchant()
  const id = newId(world.deps, merchant.routing_code)
  const count = NEWEST_PAYMENTS + 30_000
  await world.rows(
    `insert into collections (merchant_id, id, environment, origin_environment, status, version, method, amount_minor, currency,
       fee_minor, customer_name, customer_phone, reference, created_at, updated_at)
     select $1, ($2 || lpad(to_hex(i), 7, '0'))::uuid, 'live', 'live', 'processing', 0, 'wallet_push', 100000, 'TZS', 0, 'Juma',
       '25575' || lpad((i % 5000)::text, 7, '0'), 'ORDER-' || i, $3, $3 from generate_series(1, ${count}) i`,
    [merchant.id, id.slice(0, 29), world.deps.clock.now()],
  )
  await world.rows('analyze collections')
  const kinds = Object.keys(SEARCHED) as RecordKind[]
  for (const q of ['0012', '0750000012', 'ORDER-', 'order-77', '29502', 'asiyepo', '1.23', id.slice(0, 8)]) {
    const owner = { merchant_id: merchant.id, environment: 'live' } as const
    const { read } = await rowsRead(world, (deps) => searchMerchant(deps, owner, parseSearch(q), kinds))
    assert.ok(read < NEWEST_PAYMENTS + 5_000, `${q} read ${read} rows`)
  }
  for (const [q, references] of [
    ['29502', ['ORDER-29502']],
    ['9502', ['ORDER-9502']],
    ['999999', []],
  ] as const) {
    const owner = { merchant_id: merchant.id, environment: 'live' } as const
    const { result, read } = await rowsRead(world, (deps) => searchMerchant(deps, owner, parseSearch(q), ['payment']))
    assert.deepEqual(
      result[0]?.map(({ reference }) => reference),
      references,
      q,
    )
    assert.ok(read < NEWEST_PAYMENTS + 2_000, `${q} read ${read} rows`)
  }
})
