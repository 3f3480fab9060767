// Tests the list of payments: its order, its pages and its filters.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type Reply, START, type World } from '../../../test/harness.ts'

const PUSH = '/v1/collections/wallet-push'
const LIST = '/v1/collections'

let world: World
const ids: string[] = []
before(async () => {
  world = await createWorld()
  for (let i = 0; i < 25; i++) {
    const path = i % 5 === 0 ? '/v1/collections/provider-pesa' : PUSH
    const reply = await world.post(path, {
      amount: 10 + i,
      phone: i % 2 === 0 ? '0754123001' : '0754123002',
      reference: `R-${i % 3}`,
    })
    ids.push(reply.body.data.collection_id)
    await world.work()
    world.deps.clock.advance(1000)
  }
  await world.post(PUSH, { amount: 99, phone: '0754123001' }, { key: world.live_key })
  await world.work()
})
after(() => world.close())

const idsOf = (reply: Reply): string[] =>
  reply.body.data.items.map((item: { collection_id: string }) => item.collection_id)
const newest = [...Array(25).keys()].reverse()
const expected = (filter: (i: number) => boolean) => newest.filter(filter).map((i) => ids[i])

test('the list shows the newest payments first, twenty on a page', async () => {
  const reply = await world.get(LIST)
  assert.deepEqual(idsOf(reply), expected(() => true).slice(0, 20))
  assert.deepEqual(reply.body.data.pagination, { page: 1, page_size: 20, total_items: 25, total_pages: 2 })
})

test('the pages of the list together have every payment once', async () => {
  const all: string[] = []
  for (let page = 1; page <= 4; page++) all.push(...idsOf(await world.get(`${LIST}?page=${page}&page_size=7`)))
  assert.deepEqual(
    all,
    expected(() => true),
  )
})

test('a page after the last page of the list is empty and has the total', async () => {
  const reply = await world.get(`${LIST}?page=1000000&page_size=100`)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.body.data.items, [])
  assert.equal(reply.body.data.pagination.total_items, 25)
})

for (const query of [
  'page=0',
  'page=-1',
  'page=1.5',
  'page=x',
  'page=',
  'page_size=0',
  'page_size=101',
  'page_size=-5',
  'page_size=20.5',
  'page_size=all',
  'page=1&page=2',
  'page=1e99',
]) {
  test(`the server refuses an impossible page (${query}) with 400 and names the parameter`, async () => {
    const reply = await world.get(`${LIST}?${query}`)
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error.code, 'validation_failed')
    assert.equal(reply.body.error.details.fields[0].field, query.split('=')[0])
  })
}
for (const query of ['page_size=1', 'page_size=100', 'page=1']) {
  test(`the server answers 200 to a page at the limit (${query})`, async () =>
    assert.equal((await world.get(`${LIST}?${query}`)).status, 200))
}

const at = (seconds: number) => new Date(START.getTime() + seconds * 1000).toISOString()
for (const [query, filter] of [
  ['status=successful', (i) => i % 2 === 0],
  ['status=failed', (i) => i % 2 === 1],
  ['status=reversed', () => false],
  ['method=provider_pesa', (i) => i % 5 === 0],
  ['method=qr', () => false],
  ['reference=R-1', (i) => i % 3 === 1],
  ['reference=r-1', (i) => i % 3 === 1],
  ['reference=R', () => true],
  ['reference=r-1%25', () => false],
  ['reference=R_1', () => false],
  ['reference=-1', () => false],
  ['phone=0754123001', (i) => i % 2 === 0],
  ['phone=%2B255754123002', (i) => i % 2 === 1],
  ['phone=3001', (i) => i % 2 === 0],
  ['phone=12-30%2002', (i) => i % 2 === 1],
  ['phone=54123001', (i) => i % 2 === 0],
  ['phone=754123001', (i) => i % 2 === 0],
  ['phone=93001', () => false],
  ['phone=0754', () => false],
  [`phone=23002&from=${at(5)}&to=${at(8)}`, (i) => i === 5 || i === 7],
  ['phone=3001&reference=r-1', (i) => i % 2 === 0 && i % 3 === 1],
  ['phone=3001&status=failed', () => false],
  [`from=${at(10)}`, (i) => i >= 10],
  [`to=${at(10)}`, (i) => i < 10],
  [`from=${at(5)}&to=${at(8)}`, (i) => i >= 5 && i < 8],
  [`from=${encodeURIComponent('2026-01-05T12:00:10+03:00')}`, (i) => i >= 10],
  [`from=${at(100)}`, () => false],
  ['status=successful&method=provider_pesa&reference=R-0', (i) => i % 2 === 0 && i % 5 === 0 && i % 3 === 0],
] as [string, (i: number) => boolean][]) {
  test(`the list and the export with the filter ${query} have exactly the matching payments`, async () => {
    const reply = await world.get(`${LIST}?page_size=100&${query}`)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(idsOf(reply), expected(filter))
    assert.equal(reply.body.data.pagination.total_items, expected(filter).length)
    const file = await world.get(`${LIST}/export.csv?${query}`)
    const exported = file.text.trim().split('\r\n').slice(1)
    assert.deepEqual(
      exported.map((line) => line.split(',')[0]),
      expected(filter),
    )
  })
}

for (const [query, field] of [
  ['status=paid', 'status'],
  ['status=SUCCESSFUL', 'status'],
  ['method=card', 'method'],
  ['phone=123', 'phone'],
  ['phone=0054123001', 'phone'],
  ['phone=300a', 'phone'],
  ['phone=%25001', 'phone'],
  ['from=yesterday', 'from'],
  ['from=2026-01-05', 'from'],
  ['from=2026-13-45T99:99:99Z', 'from'],
  ['to=2026-01-05T25:00:00Z', 'to'],
  ['to=0', 'to'],
  ['reference=%00', 'reference'],
  ['status=failed&status=created', 'status'],
] as const) {
  test(`the server refuses the filter ${query} with 400 and names ${field}`, async () => {
    const reply = await world.get(`${LIST}?${query}`)
    assert.equal(reply.status, 400, reply.text)
    assert.deepEqual(
      [...new Set(reply.body.error.details.fields.map((entry: { field: string }) => entry.field))],
      [field],
    )
  })
}

test('the list of an environment shows only payments of that environment', async () => {
  const live = await world.get(LIST, world.live_key)
  assert.equal(live.body.data.pagination.total_items, 1)
  assert.equal(live.body.data.items[0].environment, 'live')
  for (const item of (await world.get(`${LIST}?page_size=100`)).body.data.items)
    assert.equal(item.environment, 'sandbox')
})

test('an item of the list has the same fields as the status record', async () => {
  const [item] = (await world.get(`${LIST}?page_size=1`)).body.data.items
  assert.deepEqual(item, (await world.get(`${LIST}/${item.collection_id}`)).body.data)
})

test('the export of chosen payments has only payments of the merchant that match the filter, and the server refuses wrong ids', async () => {
  const [first = '', second = '', third = ''] = ids
  const foreign = (await world.post(PUSH, { amount: 5, phone: '0754123001' }, { key: world.live_key })).body.data
  const other = await world.newKey({ merchant: await world.newMerchant() })
  const file = async (query: string, key?: string) => {
    const reply = await world.get(`${LIST}/export.csv?${query}`, key)
    assert.equal(reply.status, 200, reply.text)
    return reply.text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0])
  }
  assert.deepEqual(await file(`ids=${first},${third.toUpperCase()},${foreign.collection_id}`), [third, first])
  assert.deepEqual(await file(`ids=${first},${second}&method=provider_pesa`), [first])
  assert.deepEqual(await file(`ids=${first}`, other), [])
  assert.deepEqual(await file(`ids=${first}&from=2100-01-01T00:00:00Z`), [])
  for (const wrong of ['', 'x', `${first},`, Array(101).fill(first).join(',')]) {
    const reply = await world.get(`${LIST}/export.csv?ids=${wrong}`)
    assert.deepEqual([reply.status, reply.body.error.details.fields[0].field], [400, 'ids'], wrong.slice(0, 50))
  }
})
