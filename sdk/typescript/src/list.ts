// Reads lists of the API: one page with `await`, or all records with `for await`.

import type { Http, ReadOptions } from './request.ts'

/** A page of a list, with the number of records and pages. */
export type Page<Item> = {
  items: Item[]
  pagination: { page: number; page_size: number; total_items: number; total_pages: number }
}

/**
 * A list of the API, newest record first. `await` returns one page, and `for await` yields the records of all pages. Before
 * that, the SDK sends no request.
 */
export type List<Item> = Promise<Page<Item>> & AsyncIterable<Item>

const PAGE_SIZE_MAX = 100
/**
 * The number of record ids that an iteration keeps. If new records move a record to the next page, the iteration still yields
 * it only once.
 */
const IDS_MAX = 1_000

/** Makes a list. `id` is the field with the id of a record. */
export function createList<Item>(
  http: Http,
  path: string,
  filters: object,
  id: keyof Item & string,
  options: ReadOptions = {},
): List<Item> {
  const page = (query: object) => http.get<Page<Item>>(path, query, options)
  return {
    // biome-ignore lint/suspicious/noThenProperty: `await` returns a page, and `for await` reads every page.
    then: (resolve, reject) => page(filters).then(resolve, reject),
    catch: (reject) => page(filters).catch(reject),
    finally: (done) => page(filters).finally(done),
    [Symbol.toStringTag]: 'List',
    async *[Symbol.asyncIterator]() {
      const seen = new Set<unknown>()
      const { page: first = 1, ...rest } = filters as { page?: number }
      for (let number = first; ; number++) {
        const { items, pagination } = await page({ page_size: PAGE_SIZE_MAX, ...rest, page: number })
        for (const item of items) {
          if (seen.has(item[id])) continue
          seen.add(item[id])
          if (seen.size > IDS_MAX) seen.delete(seen.values().next().value)
          yield item
        }
        if (number >= pagination.total_pages) return
      }
    },
  }
}
