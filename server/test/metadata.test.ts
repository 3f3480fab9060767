// Tests the metadata of payments, payment links, invoices and withdrawals.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { metadataPairs } from '../src/kernel/lib/index.ts'
import { listCollections } from '../src/money/collections/list.ts'
import { codeOf, createWorld, type World } from './harness.ts'
import { invoicesOf } from './invoices.ts'
import { rowsRead } from './rows-read.ts'
import { fund } from './withdrawals.ts'

let world: World
let session: string
before(async () => {
  world = await createWorld({ env: { PROMPTS_PER_PHONE: '0', TRIES_PER_ADDRESS: '0' } })
  session = (await world.newSession('MERCHANT_ADMIN')).token
  await fund(world, { amount: '5000000' })
})
after(() => world.close())

const SECRET = 'siri-ya-duka'
const pairsOf = (order: string) => ({ order, note: SECRET, 'jina la duka': 'Kariakoo – Dar' })
const payout = { amount: '1000', destination_identifier: '0754123001', destination_name: 'Asha Ali' }
const withdrawal = { amount: '1000', destination_phone: '0754123001', destination_name: 'Asha Ali' }

/** Each call that makes a record with metadata: the path, the body, and the paths of the record and of its list. */
const CREATIONS: [name: string, path: string, body: object, record: string, list: string][] = [
  ['wallet-push', '/v1/collections/wallet-push', { amount: '500', phone: '0754123001' }, 'collections', 'collections'],
  ['stk-push', '/v1/collections/stk-push', { amount: '5', customer_phone: '0754123001' }, 'collections', 'collections'],
  [
    'provider-pesa',
    '/v1/collections/provider-pesa',
    { amount: '5', phone: '0754123001' },
    'collections',
    'collections',
  ],
  ['qr', '/v1/collections/qr', { amount: '500' }, 'collections', 'collections'],
  ['a hosted page', '/v1/collections', { amount: '500' }, 'collections', 'collections'],
  ['a payment link', '/v1/payment-links', { amount: '500' }, 'payment-links', 'payment-links'],
  [
    'an invoice',
    '/v1/invoices',
    {
      customer_name: 'Juma',
      due_date: '2026-01-20',
      items: [{ description: 'Viatu', quantity: '1', unit_price: '5000' }],
    },
    'invoices',
    'invoices',
  ],
  [
    'mobile-money',
    '/v1/disbursements/mobile-money',
    { ...payout, destination_code: 'MPESA' },
    'disbursements',
    'disbursements',
  ],
  ['provider-pesa payout', '/v1/disbursements/provider-pesa', payout, 'disbursements', 'disbursements'],
  [
    'bank-account',
    '/v1/disbursements/bank-account',
    { amount: '1000', destination_identifier: '0150123', destination_code: 'CRDB', bank_name: 'CRDB' },
    'disbursements',
    'disbursements',
  ],
]
const idOf = (data: { id?: string; collection_id?: string }) => String(data.collection_id ?? data.id)
const found = async (list: string, query: string, key?: string): Promise<string[]> => {
  const reply = await world.get(`/v1/${list}?${query}`, key)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.data.pagination.total_items, reply.body.data.items.length)
  return reply.body.data.items.map(idOf)
}

describe('metadata of a record', () => {
  for (const [name, path, body, record, list] of CREATIONS) {
    test(`POST ${path} stores metadata (${name}), the record returns the metadata, and a list finds the record by an exact pair`, async () => {
      const order = randomUUID()
      const made = await world.post(path, { ...body, metadata: pairsOf(order) })
      assert.ok([201, 202].includes(made.status), made.text)
      const id = idOf(made.body.data)
      const shown = (await world.get(`/v1/${record}/${id}`)).body.data
      assert.deepEqual(shown.metadata, pairsOf(order))
      assert.deepEqual(await found(list, `metadata[order]=${order}`), [id])
      const both = `metadata[order]=${order}&metadata[jina%20la%20duka]=${encodeURIComponent('Kariakoo – Dar')}`
      assert.deepEqual(await found(list, both), [id])
      assert.deepEqual(await found(list, `metadata[order]=${order}&metadata[note]=other`), [])
      assert.deepEqual(await found(list, `metadata[order]=${order.slice(0, 20)}`), [])
      assert.deepEqual(await found(list, `metadata[Order]=${order}`), [])
      const other_filter = list === 'invoices' ? 'status=PAID' : 'from=2030-01-01T00:00:00Z'
      assert.deepEqual(await found(list, `metadata[order]=${order}&${other_filter}`), [])
      assert.deepEqual(await found(list, `metadata[order]=${order}`, world.live_key), [])
      const stranger = await world.newKey({ merchant: await world.newMerchant() })
      assert.deepEqual(await found(list, `metadata[order]=${order}`, stranger), [])
    })
    test(`a record that POST ${path} makes without metadata has an empty object as metadata (${name})`, async () => {
      for (const metadata of [undefined, {}]) {
        const made = await world.post(path, { ...body, ...(metadata ? { metadata } : {}) })
        const shown = (await world.get(`/v1/${record}/${idOf(made.body.data)}`)).body.data
        assert.deepEqual(shown.metadata, {})
      }
    })
    test(`POST ${path} refuses malformed metadata and metadata beyond the limits (${name})`, async () => {
      const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, 'v']))
      const bad: [object | string | null, string][] = [
        [pairs(21), 'metadata'],
        [{ ['n'.repeat(41)]: 'v' }, 'metadata'],
        [{ '': 'v' }, 'metadata'],
        [{ order: 'v'.repeat(501) }, 'metadata'],
        [{ order: 5 }, 'metadata'],
        [{ order: null }, 'metadata'],
        [{ order: { a: 'b' } }, 'metadata'],
        [{ order: 'a\u0000b' }, 'metadata'],
        [{ order: '\ud800' }, 'metadata'],
        ['order=1', 'metadata'],
        [null, 'metadata'],
      ]
      for (const [metadata, field] of bad) {
        const reply = await world.post(path, { ...body, metadata })
        assert.deepEqual(codeOf(reply), [400, 'validation_failed'], JSON.stringify(metadata))
        assert.match(reply.body.error.details.fields[0].field, new RegExp(`^${field}`))
      }
      const good = await world.post(path, { ...body, metadata: { ...pairs(19), ['😀'.repeat(40)]: '😀'.repeat(500) } })
      assert.ok([201, 202].includes(good.status), good.text)
    })
  }

  test('the server refuses a used Idempotency-Key with other metadata, even if only an amount in the metadata differs in format', async () => {
    const key = randomUUID()
    const body = { amount: '500', phone: '0754123001' }
    const send = (metadata: object) =>
      world.post('/v1/collections/wallet-push', { ...body, metadata }, { idempotency_key: key })
    assert.equal((await send({ amount: '10' })).status, 202)
    assert.equal((await send({ amount: '10' })).headers['idempotency-replayed'], 'true')
    assert.deepEqual(codeOf(await send({ amount: '10.00' })), [422, 'idempotency_key_reused'])
    assert.deepEqual(codeOf(await send({ amount: '10', b: 'c' })), [422, 'idempotency_key_reused'])
  })

  test('the list of withdrawals finds a withdrawal of the dashboard by its metadata, and shows the metadata', async () => {
    const made = await world.post(
      '/v1/merchant/withdrawals',
      {
        ...withdrawal,
        method: 'MOBILE_MONEY',
        destination_code: 'MPESA',
        environment: 'sandbox',
        metadata: { a: 'b' },
      },
      { key: session },
    )
    assert.equal(made.status, 202, made.text)
    const list = await world.get('/v1/merchant/withdrawals?environment=sandbox&metadata[a]=b', session)
    assert.deepEqual(
      list.body.data.items.map(({ id, metadata }: { id: string; metadata: object }) => [id, metadata]),
      [[made.body.data.id, { a: 'b' }]],
    )
  })

  test('an edit replaces the metadata of a draft invoice, and a search by a replaced pair finds nothing', async () => {
    const { draft } = invoicesOf(world)
    const { id } = await draft({ metadata: { batch: 'old', kept: 'yes' } })
    const edit = (body: object) => world.call({ method: 'PATCH', url: `/v1/invoices/${id}`, payload: body })
    assert.deepEqual((await edit({ note: 'Asante' })).body.data.metadata, { batch: 'old', kept: 'yes' })
    assert.deepEqual((await edit({ metadata: { batch: 'new', kept: 'yes' } })).body.data.metadata, {
      batch: 'new',
      kept: 'yes',
    })
    assert.deepEqual(await found('invoices', 'metadata[batch]=old'), [])
    assert.deepEqual(await found('invoices', 'metadata[batch]=new'), [id])
    assert.deepEqual(await found('invoices', 'metadata[kept]=yes'), [id])
    assert.deepEqual((await edit({ metadata: {} })).body.data.metadata, {})
    assert.deepEqual(await found('invoices', 'metadata[kept]=yes'), [])
  })
})

describe('metadata of a payment link', () => {
  const pay = (slug: string) =>
    world.call({
      method: 'POST',
      url: `/public/payment-links/${slug}/collect`,
      key: null,
      idempotency_key: randomUUID(),
      payload: { method: 'WALLET_PUSH', customer_phone: '0754123001' },
    })

  test('the payments of a payment link inherit its metadata, and no page shows the metadata to a payer', async () => {
    const order = randomUUID()
    const link = (await world.post('/v1/payment-links', { amount: '700', metadata: pairsOf(order) })).body.data
    const hosted = (await world.post('/v1/collections', { amount: '700', metadata: pairsOf(order) })).body.data
    const hosted_slug = String(hosted.payment_url.split('/').at(-1))
    for (const slug of [link.public_slug, hosted_slug]) {
      const paid = await pay(slug)
      assert.equal(paid.status, 202, paid.text)
      await world.work()
      const id = paid.body.data.collection_id
      assert.deepEqual((await world.get(`/v1/collections/${id}`)).body.data.metadata, pairsOf(order))
      const publics = [
        `/public/payment-links/${slug}`,
        `/public/payment-links/${slug}/collections/${id}/status`,
        `/pay/${slug}`,
        `/pay/${slug}/receipt`,
        `/pay/${slug}/receipt.pdf`,
      ]
      for (const url of publics) {
        const page = await world.call({ method: 'GET', url, key: null })
        assert.ok(page.status < 400 || url.includes('receipt'), `${url}: ${page.status}`)
        assert.ok(!page.bytes.toString('latin1').includes(SECRET) && !page.text.includes(order), url)
      }
    }
    assert.equal((await found('collections', `metadata[order]=${order}`)).length, 2)
    assert.deepEqual(await found('payment-links', `metadata[order]=${order}`), [link.id])
  })

  test('the link and the payment of an invoice inherit its metadata', async () => {
    const { draft, act } = invoicesOf(world)
    const order = randomUUID()
    const { id } = await draft({ metadata: { order } })
    const made = await act(id, 'payment-link')
    const link = (await world.get(`/v1/invoices/${id}`)).body.data
    assert.equal(made.status, 201, made.text)
    assert.deepEqual((await world.get(`/v1/payment-links/${link.payment_link_id}`)).body.data.metadata, { order })
    const paid = await pay(link.payment_url.split('/').at(-1))
    assert.deepEqual(await found('collections', `metadata[order]=${order}`), [paid.body.data.collection_id])
  })
})

describe('a search by metadata', () => {
  test('the server refuses a malformed metadata filter and names the parameter', async () => {
    for (const query of [
      'metadata=a',
      'metadata[]=a',
      'metadata[a]=1&metadata[a]=2',
      `metadata[${'n'.repeat(41)}]=1`,
      `metadata[a]=${'v'.repeat(501)}`,
      'metadata[a]=1&metadata[b]=1&metadata[c]=1&metadata[d]=1&metadata[e]=1&metadata[f]=1',
      'metadata[a]=%00',
    ]) {
      const reply = await world.get(`/v1/collections?${query}`)
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'], query)
      assert.match(reply.body.error.details.fields[0].field, /^metadata/)
    }
    const unknown = await world.get('/v1/balance?metadata[a]=1')
    assert.deepEqual(codeOf(unknown), [400, 'validation_failed'])
    assert.equal((await world.get('/v1/collections?metadata[__proto__]=1')).status, 200)
  })

  test('a search by a common and a rare pair reads each row of the common pair at most twice', async () => {
    const COPIES = 3_000
    const order = randomUUID()
    const made = await world.post('/v1/collections/wallet-push', {
      amount: '500',
      phone: '0754123001',
      metadata: { order, shop: 'all' },
    })
    const id = made.body.data.collection_id
    await world.rows(
      `insert into collections select (jsonb_populate_record(c, jsonb_build_object('id', md5(n::text)::uuid))).*
       from collections c, generate_series(1, $2::int) n where c.id = $1`,
      [id, COPIES],
    )
    const [shop] = metadataPairs('sandbox', { shop: 'all' })
    await world.rows(
      `insert into collection_metadata select $1::uuid, $2::uuid, md5(n::text)::uuid from generate_series(1, $3::int) n`,
      [world.merchant.id, shop, COPIES],
    )
    await world.rows('analyze collection_metadata')
    await world.rows('analyze collections')
    const filters = {
      merchant_id: world.merchant.id,
      environment: 'sandbox',
      status: null,
      method: null,
      reference: null,
      phone: null,
      from: null,
      to: null,
      metadata: { order, shop: 'all' },
    } as const
    const { result, read } = await rowsRead(world, (deps) => listCollections(deps, filters, 1, 20))
    assert.deepEqual(
      result.rows.map((row) => row.id),
      [id],
    )
    // The count of the common pair may read each row from the index and from the table.
    assert.ok(read < 2 * COPIES + 50, `the search read ${read} rows`)
  })
})
