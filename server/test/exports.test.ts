// Tests exported lists. A file contains the same records as the list with the same filters. No cell is a formula for a
// spreadsheet.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CSV_BATCH } from '../src/kernel/http/index.ts'
import { DAY_MS, newId } from '../src/kernel/lib/index.ts'
import { createWorld, START, type World } from './harness.ts'
import { INVOICE } from './invoices.ts'
import { submitWithdrawal } from './ledger-facts.ts'

let world: World
let token: string
before(async () => {
  world = await createWorld()
  for (let i = 0; i < 6; i++) {
    const reference = ['=1+1', '+255', 'A, "quoted"', 'plain', '@x', '-2'][i]
    await world.post('/v1/collections/wallet-push', { amount: 100 + i, phone: `075412300${(i % 3) + 1}`, reference })
    await world.post('/v1/payment-links', {
      amount: '250.50',
      reference,
      ...(i % 2 === 0 ? { expires_at: at(i + 2) } : {}),
    })
    await submitWithdrawal(world, { amount_minor: 10_000n + BigInt(i), reference: reference ?? null })
    await world.work()
    world.deps.clock.advance(1_000)
  }
  token = (await world.newSession('FINANCE')).token
})
after(() => world.close())

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000).toISOString()

const LISTS = [
  { list: '/v1/collections', file: '/v1/collections/export.csv', name: 'collections', id: 'collection_id' },
  { list: '/v1/payment-links', file: '/v1/payment-links/export.csv', name: 'payment-links', id: 'id' },
  { list: '/v1/merchant/withdrawals', file: '/v1/merchant/withdrawals/export.csv', name: 'withdrawals', id: 'id' },
]

const rowsOf = (text: string) => text.split('\r\n').slice(1, -1)

/** The filters of each list, each with the number of its records at any time. */
const QUERIES: Record<string, [query: string, total: number][]> = {
  collections: [
    ['', 6],
    ['&status=failed', 4],
    ['&status=successful', 2],
    ['&method=qr', 0],
    ['&reference=plain', 1],
    ['&phone=0754123001', 2],
  ],
  'payment-links': [
    ['', 6],
    ['&status=ACTIVE', 3],
    ['&status=EXPIRED', 3],
    ['&status=PAID', 0],
  ],
  withdrawals: [
    ['', 6],
    ['&status=PENDING_ADMIN_APPROVAL', 6],
    ['&status=SUCCESS', 0],
    ['&method=MOBILE_MONEY', 6],
    ['&method=BANK_ACCOUNT', 0],
  ],
}
const TIMES = ['', `&from=${at(2)}`, `&to=${at(4)}`, `&from=${at(1)}&to=${at(3)}`]

for (const { list, file, name, id } of LISTS) {
  test(`the file of ${name} contains the records of the list in the same order, with and without filters`, async () => {
    for (const [query, total] of QUERIES[name] ?? []) {
      for (const time of TIMES) {
        const filter = `environment=sandbox${query}${time}`
        const { items, pagination } = (await world.get(`${list}?page_size=100&${filter}`, token)).body.data
        const reply = await world.get(`${file}?${filter}`, token)
        assert.equal(reply.status, 200, reply.text)
        const ids = rowsOf(reply.text)
        assert.equal(ids.length, pagination.total_items, filter)
        if (time === '') assert.equal(ids.length, total, filter)
        for (const [i, item] of items.entries()) assert.ok(ids[i]?.includes(item[id]), filter)
      }
    }
  })

  test(`the file of ${name} states its content type and file name, and a spreadsheet runs none of its cells as a formula`, async () => {
    const reply = await world.get(`${file}?environment=sandbox`, token)
    assert.equal(reply.headers['content-type'], 'text/csv; charset=utf-8')
    const file_name = `${name}-${world.merchant.merchant_code}-sandbox.csv`
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${file_name}"`)
    for (const row of rowsOf(reply.text)) assert.doesNotMatch(row, /(^|,)"?[=+@-]/)
    for (const text of ["'=1+1", "'+255", "'@x", "'-2"]) assert.ok(reply.text.includes(text), text)
    const empty = await world.get(`${file}?environment=live`, token)
    assert.deepEqual(rowsOf(empty.text), [])
    assert.equal((await world.get(`${file}?environment=sandbox&from=today`, token)).status, 400)
  })
}

test('the Tanzanian times of a file follow the ids at the beginning of its lines', async () => {
  await world.post('/v1/invoices', INVOICE)
  const transactions = `/v1/merchants/${world.merchant.id}/transactions`
  for (const [list, file, first] of [
    ['/v1/collections', '/v1/collections/export.csv', 'collection_id,reference,created_at_eat'],
    ['/v1/payment-links', '/v1/payment-links/export.csv', 'id,created_at_eat'],
    ['/v1/merchant/withdrawals', '/v1/merchant/withdrawals/export.csv', 'id,created_at_eat,completed_at_eat'],
    ['/v1/invoices', '/v1/invoices/export.csv', 'number,created_at_eat'],
    [transactions, `${transactions}/export`, 'reference,created_at_eat'],
  ] as const) {
    const { items } = (await world.get(`${list}?environment=sandbox&page_size=100`, token)).body.data
    const [header = '', ...rows] = (await world.get(`${file}?environment=sandbox`, token)).text.trimEnd().split('\r\n')
    assert.ok(header.startsWith(`${first},`), header)
    assert.ok(!header.slice(first.length).includes('_eat'), header)
    assert.ok(rows.length > 0, file)
    for (const [i, row] of rows.entries()) {
      const eat = new Date(Date.parse(items[i].created_at) + 3 * 3_600_000).toISOString()
      const times = first.endsWith('completed_at_eat') ? [eat, ''] : [eat]
      assert.ok(row.includes(`,${times.map((time) => time.slice(0, 19).replace('T', ' ')).join(',')},`), row)
    }
  }
})

test('the file of payments names the network that issued the phone of the payer, and none for a QR payment', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const phones = ['0754123001', '0784123001', '0714123001', '0624123001', '0734123001', '0774123001', '0604123001']
  for (const phone of phones) {
    await world.post('/v1/collections/wallet-push', { amount: 100, phone }, { key })
    world.deps.clock.advance(1_000)
  }
  await world.post('/v1/collections/qr', { amount: 100, customer_phone: '0754123001' }, { key })
  const [header = '', ...rows] = (await world.get('/v1/collections/export.csv', key)).text.trimEnd().split('\r\n')
  const names = header.split(',')
  const cells = rows.map((row) => {
    const line = row.split(',')
    return ['method', 'customer_phone', 'network'].map((name) => line[names.indexOf(name)])
  })
  assert.deepEqual(cells, [
    ['qr', '255754123001', ''],
    ['wallet_push', '255604123001', ''],
    ['wallet_push', '255774123001', 'EZYPESA'],
    ['wallet_push', '255734123001', 'TTCL'],
    ['wallet_push', '255624123001', 'HALOPESA'],
    ['wallet_push', '255714123001', 'MIXX'],
    ['wallet_push', '255784123001', 'AIRTEL'],
    ['wallet_push', '255754123001', 'MPESA'],
  ])
})

test('the time filter limits each list to the records of the chosen period', async () => {
  for (const { list } of LISTS) {
    for (const [query, expected] of [
      [`from=${at(2)}`, 4],
      [`to=${at(2)}`, 2],
      [`from=${at(2)}&to=${at(4)}`, 2],
      [`from=${at(4)}&to=${at(2)}`, 0],
    ] as const) {
      const { data } = (await world.get(`${list}?environment=sandbox&${query}`, token)).body
      assert.deepEqual([data.items.length, data.pagination.total_items], [expected, expected], `${list} ${query}`)
    }
  }
})

test('a file that is longer than one batch contains each payment once, newest first, with and without a status filter', async () => {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  const count = 2 * CSV_BATCH + 7
  const rows = Array.from({ length: count }, (_, i) => {
    if (i % 100 === 0) world.deps.clock.advance(DAY_MS / 3)
    return {
      id: newId(world.deps, merchant.routing_code),
      status: i % 90 === 0 ? 'created' : 'processing',
      at: world.deps.clock.now(),
    }
  })
  await world.rows(
    `insert into collections (merchant_id, id, environment, origin_environment, status, version, amount_minor, currency,
       fee_minor, attempts, created_at, updated_at)
     select $1, id, 'sandbox', 'sandbox', status, 0, 100, 'TZS', 0, 0, at, at
     from json_to_recordset($2::json) as x(id uuid, status text, at timestamptz)`,
    [merchant.id, JSON.stringify(rows)],
  )
  for (const over of [false, true]) {
    if (over) await world.work()
    for (const status of ['', 'created', 'processing', 'failed']) {
      const reply = await world.get(`/v1/collections/export.csv?${status && `status=${status}`}`, key)
      const expected = rows.filter((row) => status === '' || row.status === status).map(({ id }) => id)
      assert.deepEqual(
        rowsOf(reply.text).map((row) => row.slice(0, 36)),
        expected.sort().reverse(),
        status,
      )
    }
  }
})

test('the server filters webhook deliveries by status, by event and by time', async () => {
  const { token: developer } = await world.newSession('DEVELOPER')
  const [found] = await world.rows<{ merchant_id: string; id: string }>(
    'select merchant_id, id from collections where merchant_id = $1 limit 1',
    [world.merchant.id],
  )
  const states = ['delivered', 'failed', 'pending', 'delivered']
  for (const [i, status] of states.entries()) {
    await world.rows(
      `insert into webhook_deliveries (merchant_id, id, environment, event, source_type, source_id, source_seq, body, status,
         attempts, due_at, created_at, updated_at)
       values ($1, $2, 'sandbox', $3, 'test', $4, $5, '{}', $6, 1, $7, $8, $8)`,
      [
        world.merchant.id,
        newId(world.deps, world.merchant.routing_code),
        i === 3 ? 'collection.failed' : 'collection.success',
        found?.id,
        100 + i,
        status,
        status === 'pending' ? new Date('2030-01-01') : null,
        world.deps.clock.now(),
      ],
    )
    world.deps.clock.advance(1_000)
  }
  const now = world.deps.clock.now().getTime()
  const path = '/v1/merchant/webhook-deliveries?environment=sandbox'
  const ago = (ms: number) => new Date(now - ms).toISOString()
  for (const [query, expected] of [
    ['', 4],
    ['&status=failed', 1],
    ['&status=pending', 1],
    ['&status=delivered', 2],
    ['&event=collection.failed', 1],
    ['&event=collection.success&status=delivered', 1],
    [`&from=${ago(2_000)}`, 2],
    [`&to=${ago(3_000)}`, 1],
    [`&status=failed&to=${ago(3_000)}`, 0],
  ] as const) {
    const { data } = (await world.get(path + query, developer)).body
    assert.deepEqual([data.items.length, data.pagination.total_items], [expected, expected], query)
  }
})
