// Tests that postings balance, that no fact has two postings, and that no posting changes.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { createWorld, type TestDeps, testDeps, type World } from '../../../test/harness.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { verify } from '../../apps/admin/verify.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { newId } from '../../kernel/lib/index.ts'
import {
  BOOK_CODES,
  bookName,
  type Fact,
  lockBooks,
  type Posting,
  postingOf,
  postTransfers,
  readBalance,
  type SourceType,
} from './index.ts'

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
    source_type: fact.split('_')[0] as SourceType,
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

describe('business facts and their transfers', () => {
  /** The fact, the amount, the fee and the provider charge in cents, and the party that bears the charge. */
  type Step = [Fact, bigint, bigint, bigint?, ('merchant' | 'platform')?]
  /** The posting that gives the merchant a balance before a withdrawal. */
  const had: Step = ['adjustment_credited_float', 1000n, 0n]
  const HAD = 'provider_float>available 1000'
  const TABLE: [string, Step[], string[], Record<string, bigint>][] = [
    [
      'a settled payment',
      [['collection_settled', 1000n, 0n]],
      ['provider_float>available 1000'],
      { available: 1000n, provider_float: -1000n },
    ],
    [
      'a settled payment with a fee',
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
      'a settled payment that the provider reverses',
      [
        ['collection_settled', 1000n, 0n],
        ['collection_reversed', 1000n, 0n],
      ],
      ['provider_float>available 1000', 'available>provider_float 1000'],
      {},
    ],
    [
      'a settled payment with a fee that the provider reverses',
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
      'a held payment that the provider reverses',
      [
        ['collection_held', 1000n, 0n],
        ['collection_held_reversed', 1000n, 0n],
      ],
      ['provider_float>held 1000', 'held>provider_float 1000'],
      {},
    ],
    [
      'a held payment with a fee that an operator clears',
      [
        ['collection_held', 1000n, 0n],
        ['collection_cleared', 1000n, 25n],
      ],
      ['provider_float>held 1000', 'held>available 1000', 'available>fee_income 25'],
      { available: 975n, fee_income: 25n, provider_float: -1000n },
    ],
    [
      'a held payment that an operator declines',
      [
        ['collection_held', 1000n, 0n],
        ['collection_declined', 1000n, 0n],
      ],
      ['provider_float>held 1000', 'held>provider_float 1000'],
      {},
    ],
    [
      'an approved withdrawal',
      [had, ['withdrawal_reserved', 600n, 0n]],
      [HAD, 'available>reserved 600'],
      { available: 400n, reserved: 600n, provider_float: -1000n },
    ],
    [
      'a withdrawal that the provider pays out, with the charge on the merchant,',
      [had, ['withdrawal_reserved', 600n, 0n], ['withdrawal_paid', 500n, 70n, 30n, 'merchant']],
      [
        HAD,
        'available>reserved 600',
        'reserved>provider_float 500',
        'reserved>fee_income 70',
        'reserved>provider_float 30',
      ],
      { available: 400n, fee_income: 70n, provider_float: -470n },
    ],
    [
      'a withdrawal that the provider pays out, with the charge on the platform,',
      [had, ['withdrawal_reserved', 570n, 0n], ['withdrawal_paid', 500n, 70n, 30n, 'platform']],
      [
        HAD,
        'available>reserved 570',
        'reserved>provider_float 500',
        'reserved>fee_income 70',
        'processor_cost>provider_float 30',
      ],
      { available: 430n, fee_income: 70n, processor_cost: -30n, provider_float: -470n },
    ],
    [
      'a withdrawal that the provider does not pay out',
      [had, ['withdrawal_reserved', 600n, 0n], ['withdrawal_released', 600n, 0n]],
      [HAD, 'available>reserved 600', 'reserved>available 600'],
      { available: 1000n, provider_float: -1000n },
    ],
    [
      'a withdrawal that the provider pays out late, with the charge on the merchant,',
      [
        had,
        ['withdrawal_reserved', 600n, 0n],
        ['withdrawal_released', 600n, 0n],
        ['withdrawal_paid_late', 500n, 70n, 30n, 'merchant'],
      ],
      [
        HAD,
        'available>reserved 600',
        'reserved>available 600',
        'available>provider_float 500',
        'available>fee_income 70',
        'available>provider_float 30',
      ],
      { available: 400n, fee_income: 70n, provider_float: -470n },
    ],
    [
      'a withdrawal that the provider pays out late, with the charge on the platform,',
      [
        had,
        ['withdrawal_reserved', 570n, 0n],
        ['withdrawal_released', 570n, 0n],
        ['withdrawal_paid_late', 500n, 70n, 30n, 'platform'],
      ],
      [
        HAD,
        'available>reserved 570',
        'reserved>available 570',
        'available>provider_float 500',
        'available>fee_income 70',
        'processor_cost>provider_float 30',
      ],
      { available: 430n, fee_income: 70n, processor_cost: -30n, provider_float: -470n },
    ],
    [
      'a withdrawal that the provider returns with the charge of the merchant',
      [
        had,
        ['withdrawal_reserved', 600n, 0n],
        ['withdrawal_paid', 500n, 70n, 30n, 'merchant'],
        ['withdrawal_reversed', 500n, 70n, 30n, 'merchant'],
      ],
      [
        HAD,
        'available>reserved 600',
        'reserved>provider_float 500',
        'reserved>fee_income 70',
        'reserved>provider_float 30',
        'provider_float>available 500',
        'fee_income>available 70',
        'provider_float>available 30',
      ],
      { available: 1000n, provider_float: -1000n },
    ],
    [
      'a withdrawal that the provider returns with the charge of the platform',
      [
        had,
        ['withdrawal_reserved', 570n, 0n],
        ['withdrawal_paid', 500n, 70n, 30n, 'platform'],
        ['withdrawal_reversed', 500n, 70n, 30n, 'platform'],
      ],
      [
        HAD,
        'available>reserved 570',
        'reserved>provider_float 500',
        'reserved>fee_income 70',
        'processor_cost>provider_float 30',
        'provider_float>available 500',
        'fee_income>available 70',
        'provider_float>processor_cost 30',
      ],
      { available: 1000n, provider_float: -1000n },
    ],
    [
      'a withdrawal that the provider returns without its charge',
      [
        had,
        ['withdrawal_reserved', 600n, 0n],
        ['withdrawal_paid', 500n, 70n, 30n, 'merchant'],
        ['withdrawal_reversed', 500n, 70n],
      ],
      [
        HAD,
        'available>reserved 600',
        'reserved>provider_float 500',
        'reserved>fee_income 70',
        'reserved>provider_float 30',
        'provider_float>available 500',
        'fee_income>available 70',
      ],
      { available: 970n, provider_float: -970n },
    ],
    [
      'corrections that credit the merchant, against each account,',
      [
        ['adjustment_credited_float', 1000n, 0n],
        ['adjustment_credited_fee', 100n, 0n],
        ['adjustment_credited_cost', 10n, 0n],
      ],
      ['provider_float>available 1000', 'fee_income>available 100', 'processor_cost>available 10'],
      { available: 1110n, fee_income: -100n, processor_cost: -10n, provider_float: -1000n },
    ],
    [
      'corrections that debit the merchant, against each account,',
      [
        had,
        ['adjustment_debited_float', 500n, 0n],
        ['adjustment_debited_fee', 100n, 0n],
        ['adjustment_debited_cost', 10n, 0n],
      ],
      [HAD, 'available>provider_float 500', 'available>fee_income 100', 'available>processor_cost 10'],
      { available: 390n, fee_income: 100n, processor_cost: 10n, provider_float: -500n },
    ],
  ]
  for (const [name, facts, moves, balances] of TABLE) {
    test(`the ledger books ${name} as ${moves.join(', ')}`, async () => {
      const merchant = await world.newMerchant()
      const source_id = randomUUID()
      for (const [fact, amount, fee_minor, charge_minor = 0n, charge_borne_by = 'platform'] of facts) {
        await post([
          postingOf(posting(merchant, fact, amount, { fee_minor, charge_minor, charge_borne_by, source_id })),
        ])
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
      const { available, held, reserved } = await readBalance(world.deps.db, merchant.id, 'live')
      assert.deepEqual(
        [available, held, reserved],
        [balances.available ?? 0n, balances.held ?? 0n, balances.reserved ?? 0n],
      )
    })
  }

  test('the test table of facts names every fact of the ledger', () => {
    const facts: Record<Fact, true> = {
      collection_settled: true,
      collection_held: true,
      collection_cleared: true,
      collection_declined: true,
      collection_reversed: true,
      collection_held_reversed: true,
      withdrawal_reserved: true,
      withdrawal_paid: true,
      withdrawal_released: true,
      withdrawal_paid_late: true,
      withdrawal_reversed: true,
      adjustment_credited_float: true,
      adjustment_credited_fee: true,
      adjustment_credited_cost: true,
      adjustment_debited_float: true,
      adjustment_debited_fee: true,
      adjustment_debited_cost: true,
    }
    const covered = new Set(TABLE.flatMap(([, steps]) => steps.map(([fact]) => fact)))
    assert.deepEqual([...covered].sort(), Object.keys(facts).sort())
  })

  test('the ledger gives transfer_id to leg 0 of a posting, and other ids to the other legs', async () => {
    const merchant = await world.newMerchant()
    const transfer_id = newId(world.deps, merchant.routing_code)
    await post([posting(merchant, 'collection_settled', 1000n, { fee_minor: 5n, transfer_id })])
    const rows = await world.rows('select leg from ledger_transfers where id = $1', [transfer_id])
    assert.deepEqual(rows, [{ leg: 0 }])
    assert.equal((await transfersOf(merchant)).length, 2)
  })

  test('the ledger books a payment, a withdrawal and an adjustment with the same id as separate facts', async () => {
    const merchant = await world.newMerchant()
    const source_id = randomUUID()
    await post([
      posting(merchant, 'collection_settled', 1000n, { source_id }),
      posting(merchant, 'withdrawal_reserved', 300n, { source_id }),
      posting(merchant, 'adjustment_debited_float', 200n, { source_id }),
    ])
    assert.deepEqual(await book(merchant), { available: 500n, reserved: 300n, provider_float: -800n })
  })

  test('a new merchant has two complete books with zero balances', async () => {
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

  test('postingOf refuses an amount below 1, a fee or charge that does not fit its fact, and a fact of the wrong source', async () => {
    const merchant = await world.newMerchant()
    for (const bad of [
      posting(merchant, 'collection_settled', 0n),
      posting(merchant, 'collection_settled', -1n),
      posting(merchant, 'collection_settled', 10n, { fee_minor: 10n }),
      posting(merchant, 'collection_settled', 10n, { fee_minor: -1n }),
      posting(merchant, 'collection_held', 10n, { fee_minor: 1n }),
      posting(merchant, 'collection_settled', 10n, { charge_minor: 1n }),
      posting(merchant, 'withdrawal_reserved', 10n, { fee_minor: 1n }),
      posting(merchant, 'withdrawal_released', 10n, { charge_minor: 1n }),
      posting(merchant, 'withdrawal_paid', 10n, { charge_minor: -1n }),
      posting(merchant, 'adjustment_debited_fee', 10n, { fee_minor: 1n }),
      posting(merchant, 'withdrawal_paid', 10n, { source_type: 'collection' }),
      posting(merchant, 'collection_settled', 10n, { source_type: 'withdrawal' }),
    ])
      assert.throws(() => postingOf(bad), /broken invariant/)
  })
})

describe('a repeated posting', () => {
  test('the ledger refuses a whole batch when one of its facts already has a posting', async () => {
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

  test('the ledger refuses a batch that contains the same fact twice', async () => {
    const merchant = await world.newMerchant()
    const twice = posting(merchant, 'collection_settled', 1000n)
    await assert.rejects(post([twice, twice]), { code: '23505' })
    assert.deepEqual(await book(merchant), {})
  })

  test('50 identical postings at the same time move money once', async () => {
    const merchant = await world.newMerchant()
    const same = posting(merchant, 'collection_settled', 1000n)
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => post([same])))
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1)
    assert.deepEqual(await book(merchant), { available: 1000n, provider_float: -1000n })
  })

  for (const table of [
    'ledger_transfers',
    'collection_history',
    'webhook_attempts',
    'withdrawal_history',
    'adjustments',
  ]) {
    for (const statement of [
      `update ${table} set merchant_id = merchant_id`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]) {
      test(`the database refuses "${statement}"`, async () => {
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
    'withdrawals',
    'payouts',
    'held_collections',
  ]) {
    test(`the database refuses to delete from or truncate ${table}`, async () => {
      await assert.rejects(world.rows(`delete from ${table}`), { code: '42501' })
      await assert.rejects(world.rows(`truncate ${table} cascade`), { code: '42501' })
    })
  }
})

describe('balance limits', () => {
  test('the ledger refuses a whole batch that takes the held balance below zero', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_held', 100n)])
    await assert.rejects(
      post([posting(merchant, 'collection_settled', 5n), posting(merchant, 'collection_held_reversed', 101n)]),
      { code: '23514' },
    )
    assert.deepEqual(await book(merchant), { held: 100n, provider_float: -100n })
  })

  test('the ledger lets the reversal of a payment take the available balance below zero', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_reversed', 100n)])
    assert.deepEqual(await book(merchant), { available: -100n, provider_float: 100n })
  })

  const TAKES: Fact[] = [
    'withdrawal_reserved',
    'withdrawal_paid_late',
    'adjustment_debited_float',
    'adjustment_debited_fee',
    'adjustment_debited_cost',
  ]
  for (const fact of TAKES) {
    test(`the ledger lets ${fact} take the whole available balance, and refuses one cent more`, async () => {
      const merchant = await world.newMerchant()
      await post([posting(merchant, 'collection_settled', 100n)])
      await assert.rejects(post([posting(merchant, fact, 101n)]), /broken invariant/)
      await assert.rejects(
        post([
          posting(merchant, fact, 60n),
          posting(merchant, fact, 41n),
          posting(merchant, 'collection_settled', 500n),
        ]),
        /broken invariant/,
        'a later credit of the same batch does not help',
      )
      assert.deepEqual(await book(merchant), { available: 100n, provider_float: -100n })
      await post([posting(merchant, fact, 60n), posting(merchant, fact, 40n)])
      assert.equal((await book(merchant)).available, undefined)
      await assert.rejects(post([posting(merchant, fact, 1n)]), /broken invariant/)
    })

    test(`the ledger refuses ${fact} for a merchant whose balance is zero or less`, async () => {
      const merchant = await world.newMerchant()
      await post([posting(merchant, 'collection_reversed', 100n)])
      await assert.rejects(post([posting(merchant, fact, 1n)]), /broken invariant/)
      await post([posting(merchant, 'collection_settled', 100n)])
      await assert.rejects(post([posting(merchant, fact, 1n)]), /broken invariant/)
      assert.deepEqual(await book(merchant), {})
    })
  }

  test('the ledger takes the fee of a late payout, and a charge that the merchant bears, from the available balance', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_settled', 100n)])
    const late = { fee_minor: 7n, charge_minor: 4n, charge_borne_by: 'merchant' } as const
    await assert.rejects(post([posting(merchant, 'withdrawal_paid_late', 90n, late)]), /broken invariant/)
    await post([posting(merchant, 'withdrawal_paid_late', 90n, { ...late, charge_borne_by: 'platform' })])
    assert.deepEqual(await book(merchant), {
      available: 3n,
      fee_income: 7n,
      processor_cost: -4n,
      provider_float: -6n,
    })
  })

  test('the ledger credits a released withdrawal to a merchant whose balance is below zero, and then an adjustment and a payment', async () => {
    const merchant = await world.newMerchant()
    const source_id = randomUUID()
    await post([
      posting(merchant, 'collection_settled', 100n),
      posting(merchant, 'withdrawal_reserved', 80n, { source_id }),
    ])
    await post([posting(merchant, 'collection_reversed', 100n)])
    assert.equal((await book(merchant)).available, -80n)
    await post([posting(merchant, 'withdrawal_released', 80n, { source_id })])
    await post([
      posting(merchant, 'adjustment_credited_fee', 5n),
      posting(merchant, 'collection_settled', 3n, { fee_minor: 2n }),
    ])
    assert.equal((await book(merchant)).available, 6n)
  })

  test('the ledger refuses a batch that takes the reserved balance below zero', async () => {
    const merchant = await world.newMerchant()
    await post([posting(merchant, 'collection_settled', 100n), posting(merchant, 'withdrawal_reserved', 50n)])
    for (const fact of ['withdrawal_paid', 'withdrawal_released'] as const)
      await assert.rejects(post([posting(merchant, fact, 51n)]), { code: '23514' })
    await assert.rejects(post([posting(merchant, 'withdrawal_paid', 50n, { fee_minor: 1n })]), { code: '23514' })
    assert.deepEqual(await book(merchant), { available: 50n, reserved: 50n, provider_float: -100n })
  })

  test('concurrent transactions that lock the books first never take more than the available balance', async () => {
    const merchants = await Promise.all([1, 2, 3].map(() => world.newMerchant()))
    const other = testDeps(world.url)
    await post(merchants.map((merchant) => posting(merchant, 'collection_settled', 1000n)))
    const take = (deps: TestDeps, of: Merchant[]) =>
      inTransaction(deps.db, async (tx) => {
        const available = await lockBooks(
          tx,
          of.map(({ id }) => ({ merchant_id: id, environment: 'live' })),
        )
        const able = of.filter((merchant) => {
          const name = bookName({ merchant_id: merchant.id, environment: 'live' })
          return (available.get(name) ?? 0n) >= 70n
        })
        await postTransfers(
          deps,
          tx,
          able.map((merchant) => posting(merchant, 'withdrawal_reserved', 70n)),
        )
        return able.length
      })
    try {
      const shuffled = () => [...merchants].sort(() => Math.random() - 0.5)
      const taken = await Promise.all(
        Array.from({ length: 60 }, (_, i) => take(i % 2 ? world.deps : other, shuffled())),
      )
      assert.equal(
        taken.reduce((sum, count) => sum + count, 0),
        3 * 14,
      )
    } finally {
      await other.close()
    }
    for (const merchant of merchants)
      assert.deepEqual(await book(merchant), { available: 20n, reserved: 980n, provider_float: -1000n })
  })

  test('the ledger refuses a posting for a merchant without a book', async () => {
    const unknown_merchant = { ...(await world.newMerchant()), id: randomUUID() }
    await assert.rejects(post([posting(unknown_merchant, 'collection_settled', 100n)]))
    const merchant = await world.newMerchant()
    await assert.rejects(
      post([posting(merchant, 'collection_settled', 100n), posting(unknown_merchant, 'collection_settled', 100n)]),
    )
    assert.deepEqual(await book(merchant), {})
  })

  test('an empty batch writes nothing to the ledger', async () => {
    const count = () =>
      world.rows('select count(*) as transfers, sum(version) as moves from ledger_accounts, ledger_transfers')
    const before = await count()
    await post([])
    assert.deepEqual(await count(), before)
  })
})

/** Runs the ledger checks of `verify`. The other checks would fail, because these postings have no collections. */
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

describe('batches of postings', () => {
  test('each stored balance is the running sum of its transfers after random batches of merchants, facts and fees', async () => {
    const merchants = await Promise.all([1, 2, 3, 4].map(() => world.newMerchant()))
    // The balance of each account is so large that the ledger refuses no batch.
    const sources = merchants.flatMap((merchant) => [
      posting(merchant, 'adjustment_credited_float', 10n ** 15n),
      posting(merchant, 'collection_held', 10n ** 15n),
      posting(merchant, 'withdrawal_reserved', 10n ** 14n),
    ])
    for (const environment of ['live', 'sandbox'])
      await post(sources.map((source) => ({ ...source, source_id: randomUUID(), environment })))
    const FEES: Fact[] = ['collection_settled', 'collection_cleared', 'collection_reversed']
    const CHARGES: Fact[] = ['withdrawal_paid', 'withdrawal_paid_late', 'withdrawal_reversed']
    const one = fc.record({
      merchant: fc.integer({ min: 0, max: 3 }),
      environment: fc.constantFrom('live', 'sandbox'),
      fact: fc.constantFrom<Fact>(
        ...FEES,
        ...CHARGES,
        'collection_held',
        'collection_declined',
        'collection_held_reversed',
        'withdrawal_reserved',
        'withdrawal_released',
        'adjustment_credited_fee',
        'adjustment_debited_cost',
      ),
      amount: fc.bigInt({ min: 2n, max: 10n ** 10n }),
      fee: fc.bigInt({ min: 0n, max: 1n }),
      charge: fc.bigInt({ min: 0n, max: 1000n }),
      bearer: fc.constantFrom('merchant' as const, 'platform' as const),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 60 }), async (items) => {
        await post(
          items.map((item) =>
            postingOf(
              posting(merchants[item.merchant] as Merchant, item.fact, item.amount, {
                environment: item.environment,
                fee_minor: [...FEES, ...CHARGES].includes(item.fact) ? item.fee : 0n,
                charge_minor: CHARGES.includes(item.fact) ? item.charge : 0n,
                charge_borne_by: item.bearer,
              }),
            ),
          ),
        )
      }),
      { numRuns: 15 },
    )
    await ledgerHolds()
  })

  test('batches of two processes over the same accounts cause no deadlock and lose no transfer', async () => {
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
