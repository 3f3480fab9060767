// The ledger: every movement balances, happens once, and is never changed.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createWorld, testDeps, type World } from '../../test/harness.ts'
import { verify } from '../admin/verify.ts'
import { inTransaction } from '../db/index.ts'
import type { Merchant } from '../merchants/index.ts'
import { BOOK_CODES, balanceOf, type Fact, type Posting, postingOf, postTransfers } from './index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

const post = (postings: readonly Posting[], deps = world.deps) =>
  inTransaction(deps.db, (tx) => postTransfers(deps, tx, postings))

function posting(merchant: Merchant, fact: Fact, amount_minor: bigint, more: Partial<Posting> = {}): Posting {
  return {
    merchant_id: merchant.id,
    routing_code: merchant.routing_code,
    environment: 'live',
    fact,
    source_type: 'collection',
    source_id: randomUUID(),
    amount_minor,
    fee_minor: 0n,
    ...more,
  }
}

type Transfer = { debit_code: string; credit_code: string; amount_minor: bigint; posting: string; leg: number }
const transfersOf = (merchant: Merchant) =>
  world.rows<Transfer>(
    'select debit_code, credit_code, amount_minor, posting, leg from ledger_transfers where merchant_id = $1 order by id, leg',
    [merchant.id],
  )

async function book(merchant: Merchant, environment = 'live'): Promise<Record<string, bigint>> {
  const rows = await world.rows<{ code: string; balance_minor: bigint }>(
    'select code, balance_minor from ledger_accounts where merchant_id = $1 and environment = $2',
    [merchant.id, environment],
  )
  return Object.fromEntries(rows.filter((row) => row.balance_minor !== 0n).map((row) => [row.code, row.balance_minor]))
}

describe('facts and what they move', () => {
  const TABLE: [string, [Fact, bigint, bigint][], string[], Record<string, bigint>][] = [
    [
      'a settled payment',
      [['collection_settled', 1000n, 0n]],
      ['provider_float>available 1000'],
      { available: 1000n, provider_float: -1000n },
    ],
    [
      'a settled payment with our fee',
      [['collection_settled', 1000n, 25n]],
      ['provider_float>available 1000', 'available>fee_income 25'],
      { available: 975n, fee_income: 25n, provider_float: -1000n },
    ],
    [
      'a held payment',
      [['collection_held', 1000n, 0n]],
      ['provider_float>held 1000'],
      { held: 1000n, provider_float: -1000n },
    ],
    [
      'a settled payment that is reversed',
      [
        ['collection_settled', 1000n, 0n],
        ['collection_reversed', 1000n, 0n],
      ],
      ['provider_float>available 1000', 'available>provider_float 1000'],
      {},
    ],
    [
      'a settled payment that is reversed, with our fee',
      [
        ['collection_settled', 1000n, 25n],
        ['collection_reversed', 1000n, 25n],
      ],
      [
        'provider_float>available 1000',
        'available>fee_income 25',
        'available>provider_float 1000',
        'fee_income>available 25',
      ],
      {},
    ],
    [
      'a held payment that is reversed',
      [
        ['collection_held', 1000n, 0n],
        ['collection_held_reversed', 1000n, 0n],
      ],
      ['provider_float>held 1000', 'held>provider_float 1000'],
      {},
    ],
  ]
  for (const [name, facts, moves, balances] of TABLE) {
    test(`${name} moves ${moves.join(', ')}`, async () => {
      const merchant = await world.newMerchant()
      const source_id = randomUUID()
      for (const [fact, amount, fee_minor] of facts) {
        await post([postingOf(posting(merchant, fact, amount, { fee_minor, source_id }))])
        world.deps.clock.advance(1)
      }
      const transfers = await transfersOf(merchant)
      assert.deepEqual(
        new Set(transfers.map((row) => `${row.debit_code}>${row.credit_code} ${row.amount_minor}`)),
        new Set(moves),
      )
      assert.equal(transfers.length, moves.length)
      assert.deepEqual(await book(merchant), balances)
      assert.deepEqual(await book(merchant, 'sandbox'), {}, 'the other environment is another book')
      const { available, held, reserved } = await balanceOf(world.deps.db, merchant.id, 'live')
      assert.deepEqual([available, held, reserved], [balances.available ?? 0n, balances.held ?? 0n, 0n])
    })
  }

  test('a new merchant has two complete books with nothing in them', async () => {
    const merchant = await world.newMerchant()
    const rows = await world.rows<{ environment: string; code: string }>(
      'select environment, code from ledger_accounts where merchant_id = $1 and balance_minor = 0 and version = 0',
      [merchant.id],
    )
    assert.equal(rows.length, 12)
    for (const environment of ['live', 'sandbox']) {
      assert.deepEqual(
        new Set(rows.filter((row) => row.environment === environment).map((row) => row.code)),
        new Set(BOOK_CODES),
      )
    }
  })

  test('an amount that is not positive, a fee that eats the amount and a fee where none is taken are refused before the database', async () => {
    const merchant = await world.newMerchant()
    for (const bad of [
      posting(merchant, 'collection_settled', 0n),
      posting(merchant, 'collection_settled', -1n),
      posting(merchant, 'collection_settled', 10n, { fee_minor: 10n }),
      posting(merchant, 'collection_settled', 10n, { fee_minor: -1n }),
      posting(merchant, 'collection_held', 10n, { fee_minor: 1n }),
    ])
      assert.throws(() => postingOf(bad), /broken invariant/)
  })
})

describe('once, and for ever', () => {
  test('a fact that is posted a second time fails, and takes its whole set with it', async () => {
    const merchant = await world.newMerchant()
    const other = await world.newMerchant()
    const first = posting(merchant, 'collection_settled', 1000n)
    await post([first])
    await assert.rejects(
      post([posting(other, 'collection_settled', 5n), first, posting(merchant, 'collection_settled', 7n)]),
      { code: '23505' },
    )
    await assert.rejects(post([{ ...first, amount_minor: 1n }]), { code: '23505' })
    assert.deepEqual(await book(merchant), { available: 1000n, provider_float: -1000n })
    assert.deepEqual(await book(other), {})
    assert.equal((await transfersOf(merchant)).length, 1)
    assert.equal((await transfersOf(other)).length, 0)
  })

  test('the same fact twice in one set fails as well', async () => {
    const merchant = await world.newMerchant()
    const twice = posting(merchant, 'collection_settled', 1000n)
    await assert.rejects(post([twice, twice]), { code: '23505' })
    assert.deepEqual(await book(merchant), {})
  })

  test('fifty postings of one fact at once move its money once', async () => {
    const merchant = await world.newMerchant()
    const same = posting(merchant, 'collection_settled', 1000n)
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => post([same])))
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
    assert.deepEqual(await book(merchant), { available: 1000n, provider_float: -1000n })
  })

  for (const table of ['ledger_transfers', 'collection_history', 'webhook_attempts']) {
    for (const statement of [
      `update ${table} set merchant_id = merchant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      test(`"${statement}" is refused by the database itself`, async () => {
        await assert.rejects(world.rows(statement), { code: '42501' })
      })
    }
  }
  for (const table of [
    'ledger_accounts',
    'collections',
    'collection_attempts',
    'idempotency_keys',
    'webhook_deliveries',
  ]) {
    test(`nothing can be deleted from ${table}`, async () => {
      await assert.rejects(world.rows(`delete from ${table}`), { code: '42501' })
      await assert.rejects(world.rows(`truncate ${table} cascade`), { code: '42501' })
    })
  }
})

describe('limits', () => {
  test('held never goes below zero, and the refused set leaves nothing', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_held', 100n)])
    await assert.rejects(
      post([posting(merchant, 'collection_settled', 5n), posting(merchant, 'collection_held_reversed', 101n)]),
      { code: '23514' },
    )
    assert.deepEqual(await book(merchant), { held: 100n, provider_float: -100n })
  })

  test('a reversal may take available below zero: the money is gone', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_reversed', 100n)])
    assert.deepEqual(await book(merchant), { available: -100n, provider_float: 100n })
  })

  test('money for a merchant without a book is refused', async () => {
    const nobody = { ...(await world.newMerchant()), id: randomUUID() }
    await assert.rejects(post([posting(nobody, 'collection_settled', 100n)]))
    const merchant = await world.newMerchant()
    await assert.rejects(
      post([posting(merchant, 'collection_settled', 100n), posting(nobody, 'collection_settled', 100n)]),
    )
    assert.deepEqual(await book(merchant), {})
  })

  test('a set of nothing does nothing', async () => {
    const count = () =>
      world.rows('select count(*) as transfers, sum(version) as moves from ledger_accounts, ledger_transfers')
    const before = await count()
    await post([])
    assert.deepEqual(await count(), before)
  })
})

/** The checks of `verify` that concern the ledger alone: these postings have no collections behind them. */
async function ledgerHolds(): Promise<void> {
  const { checks } = await verify(world.url)
  const own = checks.filter((check) =>
    /sums to zero|complete books|sum of its movements|no gap and no fork|never below zero/.test(check.name),
  )
  assert.ok(own.length >= 5)
  assert.deepEqual(
    own.filter((check) => !check.ok),
    [],
  )
}

describe('sets', () => {
  test('after any set over many merchants, facts and fees, every running balance is the sum so far', async () => {
    const merchants = await Promise.all([1, 2, 3, 4].map(() => world.newMerchant()))
    const one = fc.record({
      merchant: fc.integer({ min: 0, max: 3 }),
      environment: fc.constantFrom('live', 'sandbox'),
      fact: fc.constantFrom<Fact>('collection_settled', 'collection_held', 'collection_reversed'),
      amount: fc.bigInt({ min: 2n, max: 10n ** 12n }),
      fee: fc.bigInt({ min: 0n, max: 1n }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 60 }), async (items) => {
        await post(
          items.map((item) =>
            postingOf(
              posting(merchants[item.merchant] as Merchant, item.fact, item.amount, {
                environment: item.environment,
                fee_minor: item.fact === 'collection_held' ? 0n : item.fee,
              }),
            ),
          ),
        )
      }),
      { numRuns: 15 },
    )
    await ledgerHolds()
  })

  test('sets of two processes over the same accounts, in any order, never deadlock and lose nothing', async () => {
    const merchants = await Promise.all(Array.from({ length: 6 }, () => world.newMerchant()))
    const other = testDeps(world.url)
    const started = await world.rows<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    try {
      const shuffled = () => [...merchants].sort(() => Math.random() - 0.5)
      await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          post(
            shuffled().flatMap((merchant) => [
              posting(merchant, 'collection_settled', 100n, { fee_minor: 1n }),
              posting(merchant, 'collection_held', 7n),
              posting(merchant, 'collection_settled', 3n, { environment: 'sandbox' }),
            ]),
            i % 2 === 0 ? world.deps : other,
          ),
        ),
      )
    } finally {
      await other.close()
    }
    for (const merchant of merchants) {
      assert.deepEqual(await book(merchant), { available: 5940n, fee_income: 60n, held: 420n, provider_float: -6420n })
      assert.deepEqual(await book(merchant, 'sandbox'), { available: 180n, provider_float: -180n })
      assert.equal((await transfersOf(merchant)).length, 240)
    }
    const ended = await world.rows<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    assert.deepEqual(ended, started)
    await ledgerHolds()
  })
})
