// Tests the operators' list of the withdrawals of all merchants: its order, pages, filters and limit.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../../../test/operator.ts'
import { booksHold } from '../../../test/payouts.ts'
import { OPEN_STATUSES, WITHDRAWAL_STATUSES } from '../../money/withdrawals/index.ts'

type Item = { id: string; status: string; merchant_id: string; environment: string; merchant_name: string }

let world: World
let operator: TestOperator
/** All withdrawals of this test, oldest first. */
const made: Item[] = []
let shops: ShopWithKeys[]
before(async () => {
  world = await createWorld()
  operator = await createTestOperator(world)
  shops = await Promise.all([1, 2, 3].map(() => operator.shop('1000000.00')))
  const endings = ['001', '102', '103', '104', '105']
  for (let i = 0; i < 36; i++) {
    world.deps.clock.advance(7)
    const shop = shops[i % 3] as ShopWithKeys
    const environment = i % 4 === 0 ? 'sandbox' : 'live'
    const id = await operator.submit(shop, { environment, ending: endings[i % endings.length] as string })
    const verb = (['approve', 'reject', 'request-info', null] as const)[Math.floor(i / 5) % 4]
    if (verb) assert.equal((await operator.act(id, verb)).status, 200)
    made.push({ id, merchant_id: shop.merchant.id, environment, status: '', merchant_name: shop.merchant.name })
  }
  await world.work()
  await world.pass(3_000)
  for (const item of made) item.status = (await operator.show(item.id)).status
})
after(async () => {
  await booksHold(world)
  await world.close()
})

const get = async (query: string) => world.get(`/v1/operator/withdrawals?${query}`, await operator.session())
const list = async (
  query: string,
): Promise<{ items: Item[]; pagination: { total_items: number; total_pages: number } }> => {
  const reply = await get(query)
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data
}
const idsOf = (items: readonly Item[]) => items.map(({ id }) => id)
const newestFirst = (keep: (item: Item) => boolean) => idsOf(made.filter(keep).reverse())

describe("the operators' list of withdrawals", () => {
  test('the list shows the withdrawals of all merchants, newest first, and names the merchant of a withdrawal', async () => {
    const { items, pagination } = await list('page_size=100')
    assert.deepEqual(
      idsOf(items),
      newestFirst(() => true),
    )
    assert.deepEqual([pagination.total_items, pagination.total_pages], [36, 1])
    const [newest] = items
    const of = shops[35 % 3]?.merchant
    assert.deepEqual([newest?.merchant_id, newest?.merchant_name], [of?.id, of?.name])
  })

  test('the pages of the list have no gaps and no duplicates', async () => {
    for (const query of ['', '&status=SUCCESS', '&environment=live', `&merchant_id=${shops[0]?.merchant.id}`]) {
      const whole = idsOf((await list(`page_size=100${query}`)).items)
      const pages: string[] = []
      for (let page = 1; pages.length < whole.length; page++) {
        const { items } = await list(`page_size=4&page=${page}${query}`)
        assert.ok(items.length > 0)
        pages.push(...idsOf(items))
      }
      assert.deepEqual(pages, whole, query)
      assert.deepEqual((await list(`page_size=100&page=2${query}`)).items, [])
    }
  })

  for (const status of WITHDRAWAL_STATUSES) {
    test(`the list of withdrawals filters by the status ${status}, alone and with each other filter`, async () => {
      for (const environment of [null, 'live', 'sandbox']) {
        for (const shop of [null, ...shops]) {
          const query = [
            `status=${status}`,
            ...(environment ? [`environment=${environment}`] : []),
            ...(shop ? [`merchant_id=${shop.merchant.id}`] : []),
          ].join('&')
          const expected = newestFirst(
            (item) =>
              item.status === status &&
              (environment === null || item.environment === environment) &&
              (shop === null || item.merchant_id === shop.merchant.id),
          )
          const { items, pagination } = await list(`${query}&page_size=100`)
          assert.deepEqual(idsOf(items), expected, query)
          const oldest = await get(`${query}&page_size=100&order=oldest`)
          if (OPEN_STATUSES.some((one) => one === status))
            assert.deepEqual(idsOf(oldest.body.data.items), expected.toReversed(), query)
          else assert.deepEqual(codeOf(oldest), [400, 'validation_failed'], query)
          assert.equal(pagination.total_items, expected.length, query)
        }
      }
    })
  }

  test('this test has withdrawals that wait, that operators rejected, and that the provider paid, declined and reversed', () => {
    const seen = new Set(made.map(({ status }) => status))
    for (const status of ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED', 'REJECTED', 'SUCCESS', 'FAILED', 'REVERSED'])
      assert.ok(seen.has(status), status)
  })

  test('the list of withdrawals refuses a wrong value of a filter or page, and names the field', async () => {
    for (const [query, field] of [
      ['status=OPEN', 'status'],
      ['environment=test', 'environment'],
      ['merchant_id=x', 'merchant_id'],
      ['page=0', 'page'],
      ['page_size=101', 'page_size'],
    ]) {
      const refused = await get(query as string)
      assert.deepEqual(codeOf(refused), [400, 'validation_failed'], query)
      assert.equal(refused.body.error.details.fields[0].field, field)
    }
  })

  test('the list of all merchants ends after the newest 10,000 withdrawals with a hint, and the list of one merchant continues', async () => {
    assert.equal((await get('page=100&page_size=100')).status, 200)
    const refused = await get('page=101&page_size=100')
    assert.deepEqual(codeOf(refused), [400, 'validation_failed'])
    const [problem] = refused.body.error.details.fields
    assert.equal(problem.field, 'page')
    assert.match(problem.message, /merchant_id/)
    assert.equal((await get(`page=101&page_size=100&merchant_id=${shops[0]?.merchant.id}`)).status, 200)
  })
})
