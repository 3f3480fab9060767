// Tests transactions, the merchant's view of the ledger, with a correct balance after each transaction.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { codeOf, createWorld, type Reply, type World } from '../../../test/harness.ts'
import { approve, payoutAnswer, postFacts, submitWithdrawal } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import type { Fact } from '../../books/ledger/index.ts'
import { MERCHANT_ROLES } from '../../kernel/http/index.ts'
import { idToBase32 } from '../../kernel/lib/index.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

type Line = {
  reference: string
  type: string
  direction: 'credit' | 'debit'
  amount: string
  fee: string
  net_amount: string
  status: string
  balance_after: string
  collection_id: string | null
  withdrawal_id: string | null
  merchant_reference: string | null
  created_at: string
}

const pathOf = (merchant: Merchant) => `/v1/merchants/${merchant.id}/transactions`
const linesOf = (reply: Reply): Line[] => {
  assert.equal(reply.status, 200, reply.text)
  return reply.body.data.items
}
const cents = (text: string) => BigInt(text.replace('.', ''))

/** Creates a merchant and a function that reads the merchant's list of transactions. */
async function newBook(): Promise<{ merchant: Merchant; read(query?: string): Promise<Reply> }> {
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  return { merchant, read: (query = '') => world.get(`${pathOf(merchant)}?${query}`, key) }
}

const short = ({ type, direction, amount, fee, net_amount, status, balance_after }: Line) =>
  [type, direction, amount, fee, net_amount, status, balance_after].join(' ')

describe('transactions of payments', () => {
  test('the transaction of a payment credits the amount without the fee, and has the id and the merchant reference of the payment', async () => {
    const { merchant, read } = await newBook()
    await world.rows(
      `insert into pricing_rules (merchant_id, id, flow, method, destination_code, percentage_hundredths, flat_fee_minor,
         processor_charge_minor, processor_fee_pass_through, label, valid_from)
       values ($1, $1, 'collection', null, null, 250, 0, 0, false, 'Standard', $2)`,
      [merchant.id, world.deps.clock.now()],
    )
    const key = await world.newKey({ merchant })
    const made = await world.post(
      '/v1/collections/wallet-push',
      { amount: '1000', phone: '0754123001', reference: 'ORDER-7' },
      { key },
    )
    await world.work()
    const [line, ...rest] = linesOf(await read())
    assert.deepEqual(rest, [])
    assert.ok(line)
    assert.equal(short(line), 'COLLECTION credit 1000.00 25.00 975.00 successful 975.00')
    assert.equal(line.collection_id, made.body.data.collection_id)
    assert.equal(line.withdrawal_id, null)
    assert.equal(line.merchant_reference, 'ORDER-7')
    assert.equal(line.created_at, world.deps.clock.now().toISOString())
    assert.match(line.reference, /^TXN-[0-9A-HJKMNP-TV-Z]{26}$/)
  })

  test('the transaction of a payment becomes reversed when the provider reverses the payment, and a second transaction debits the amount', async () => {
    const { merchant, read } = await newBook()
    const key = await world.newKey({ merchant })
    await world.post('/v1/collections/wallet-push', { amount: '80', phone: '0754123012' }, { key })
    await world.pass(5_000)
    const lines = linesOf(await read())
    assert.deepEqual(lines.map(short).sort(), [
      'COLLECTION credit 80.00 0.00 80.00 reversed 80.00',
      'COLLECTION_REVERSAL debit 80.00 0.00 80.00 successful 0.00',
    ])
    assert.equal(lines[0]?.collection_id, lines[1]?.collection_id)
  })

  test('a held payment has no transaction', async () => {
    const { merchant, read } = await newBook()
    const key = await world.newKey({ merchant })
    await world.post('/v1/collections/wallet-push', { amount: '80', phone: '0754123014' }, { key })
    await world.work()
    assert.deepEqual(linesOf(await read()), [])
    assert.equal((await world.get('/v1/balance', key)).body.data.held, '80.00')
  })
})

describe('transactions of withdrawals', () => {
  const MONEY = {
    amount_minor: 100_000n,
    fee_minor: 2_000n,
    charge_minor: 500n,
    pass_through: true,
    reference: 'PAY-1',
  }
  /** Credits 2,000.00 and approves a withdrawal of 1,000.00 with charges of 25.00. */
  const newApprovedWithdrawal = async () => {
    const book = await newBook()
    await postFacts(world.deps, book.merchant, [{ fact: 'collection_settled', amount_minor: 200_000n }])
    world.deps.clock.advance(1)
    const id = await submitWithdrawal(world, { ...MONEY, merchant: book.merchant })
    await approve(world.deps, book.merchant, [id])
    world.deps.clock.advance(1)
    return { ...book, id }
  }

  test('the transaction of a withdrawal debits amount and charges at the approval, and has the status of the withdrawal', async () => {
    const { merchant, read, id } = await newApprovedWithdrawal()
    const [line] = linesOf(await read())
    assert.ok(line)
    assert.equal(short(line), 'WITHDRAWAL debit 1000.00 25.00 1025.00 PROCESSING 975.00')
    assert.deepEqual([line.withdrawal_id, line.collection_id, line.merchant_reference], [id, null, 'PAY-1'])
    const [row] = await world.rows<{ transfer_id: string }>('select transfer_id from withdrawals where id = $1', [id])
    assert.equal(line.reference, `TXN-${idToBase32(row?.transfer_id ?? '')}`)
    await payoutAnswer(world.deps, merchant, id, { kind: 'succeeded' })
    const lines = linesOf(await read())
    assert.equal(lines.length, 2, 'a successful payout does not change the available balance')
    assert.equal(lines[0]?.status, 'SUCCESS')
  })

  test('a second transaction credits amount and charges when the withdrawal fails', async () => {
    const { merchant, read, id } = await newApprovedWithdrawal()
    await payoutAnswer(world.deps, merchant, id, { kind: 'declined' })
    assert.deepEqual(
      linesOf(await read())
        .map(short)
        .slice(0, 2),
      [
        'WITHDRAWAL_REVERSAL credit 1000.00 25.00 1025.00 successful 2000.00',
        'WITHDRAWAL debit 1000.00 25.00 1025.00 FAILED 975.00',
      ],
    )
  })

  for (const [charge_returned, net, fee] of [
    [true, '1025.00', '25.00'],
    [false, '1020.00', '20.00'],
  ] as const) {
    test(`a second transaction credits the amount, our fee and ${charge_returned ? 'the' : 'no'} provider's charge when the withdrawal is reversed`, async () => {
      const { merchant, read, id } = await newApprovedWithdrawal()
      await payoutAnswer(world.deps, merchant, id, { kind: 'succeeded' })
      world.deps.clock.advance(1)
      await payoutAnswer(world.deps, merchant, id, { kind: 'reversed', charge_returned })
      const balance = (await world.get(pathOf(merchant), await world.newKey({ merchant }))).body.data.items[0]
      assert.equal(
        short(balance),
        `WITHDRAWAL_REVERSAL credit 1000.00 ${fee} ${net} successful ${charge_returned ? '2000.00' : '1995.00'}`,
      )
      assert.equal(linesOf(await read())[1]?.status, 'REVERSED')
    })
  }

  test("the transactions of a late and of a reversed withdrawal include the provider's charge only when the merchant bears the charge", async () => {
    const { merchant, read } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 500_000n }])
    world.deps.clock.advance(1)
    const id = await submitWithdrawal(world, { merchant, amount_minor: 100_000n })
    const parts = { source_id: id, amount_minor: 100_000n, fee_minor: 2_000n, charge_minor: 500n } as const
    for (const charge_borne_by of ['platform', 'merchant'] as const) {
      for (const fact of ['withdrawal_paid_late', 'withdrawal_reversed'] as const) {
        const source_id =
          charge_borne_by === 'platform' ? id : await submitWithdrawal(world, { merchant, amount_minor: 1n })
        await postFacts(world.deps, merchant, [{ ...parts, source_id, fact, charge_borne_by }])
        world.deps.clock.advance(1)
      }
    }
    assert.deepEqual(
      linesOf(await read()).map(({ type, amount, fee, net_amount, balance_after }) => [
        type,
        amount,
        fee,
        net_amount,
        balance_after,
      ]),
      [
        ['WITHDRAWAL_REVERSAL', '1000.00', '25.00', '1025.00', '5000.00'],
        ['WITHDRAWAL', '1000.00', '25.00', '1025.00', '3975.00'],
        ['WITHDRAWAL_REVERSAL', '1000.00', '20.00', '1020.00', '5000.00'],
        ['WITHDRAWAL', '1000.00', '20.00', '1020.00', '3980.00'],
        ['COLLECTION', '5000.00', '0.00', '5000.00', '5000.00'],
      ],
    )
  })
})

test('each ledger fact that changes the available balance makes one transaction, and no other fact makes a transaction', async () => {
  const { merchant, read } = await newBook()
  const source = async (fact: Fact) =>
    fact.startsWith('withdrawal') ? { source_id: await submitWithdrawal(world, { merchant, amount_minor: 100n }) } : {}
  const FACTS = [
    ['collection_settled', 100_000n],
    ['collection_held', 100_000n],
    ['collection_cleared', 10_000n],
    ['collection_declined', 10_000n],
    ['collection_reversed', 10_000n],
    ['collection_held_reversed', 10_000n],
    ['withdrawal_reserved', 100n],
    ['withdrawal_paid', 50n],
    ['withdrawal_released', 50n],
    ['withdrawal_paid_late', 100n],
    ['withdrawal_reversed', 100n],
    ['adjustment_credited_float', 100n],
    ['adjustment_credited_fee', 100n],
    ['adjustment_credited_cost', 100n],
    ['adjustment_debited_float', 100n],
    ['adjustment_debited_fee', 100n],
    ['adjustment_debited_cost', 100n],
  ] as const
  for (const [fact, amount_minor] of FACTS) {
    const list_before = linesOf(await read('page_size=100'))
    const [account] = await world.rows<{ balance_minor: bigint }>(
      "select balance_minor from ledger_accounts where merchant_id = $1 and environment = 'sandbox' and code = 'available'",
      [merchant.id],
    )
    await postFacts(world.deps, merchant, [{ fact, amount_minor, ...(await source(fact)) }])
    world.deps.clock.advance(1)
    const [account_after] = await world.rows<{ balance_minor: bigint }>(
      "select balance_minor from ledger_accounts where merchant_id = $1 and environment = 'sandbox' and code = 'available'",
      [merchant.id],
    )
    const change = (account_after?.balance_minor ?? 0n) - (account?.balance_minor ?? 0n)
    const lines = linesOf(await read('page_size=100'))
    assert.equal(lines.length - list_before.length, change === 0n ? 0 : 1, fact)
    if (change === 0n) continue
    const [line] = lines
    assert.ok(line)
    assert.equal(cents(line.net_amount) * (line.direction === 'credit' ? 1n : -1n), change, fact)
    assert.equal(cents(line.balance_after), account_after?.balance_minor, fact)
  }
})

test('the balance after each transaction is the balance before plus or minus the net amount', async () => {
  const { merchant, read } = await newBook()
  for (let i = 0; i < 40; i++) {
    const amount_minor = BigInt(1_000 + i * 37)
    await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor, fee_minor: BigInt(i % 3) * 11n },
    ])
    world.deps.clock.advance(1)
    if (i % 5 !== 4) continue
    const id = await submitWithdrawal(world, {
      merchant,
      amount_minor: 900n,
      fee_minor: 30n,
      charge_minor: 7n,
      pass_through: i % 2 === 0,
    })
    await approve(world.deps, merchant, [id])
    world.deps.clock.advance(1)
    if (i % 10 === 9) await payoutAnswer(world.deps, merchant, id, { kind: 'declined' })
    world.deps.clock.advance(1)
  }
  let balance = 0n
  const lines = linesOf(await read('page_size=100')).reverse()
  assert.equal(lines.length, 52)
  for (const line of lines) {
    balance += cents(line.net_amount) * (line.direction === 'credit' ? 1n : -1n)
    assert.equal(cents(line.balance_after), balance, line.reference)
  }
  const key = await world.newKey({ merchant })
  assert.equal(cents((await world.get('/v1/balance', key)).body.data.available), balance)
})

describe('lists of transactions', () => {
  const ids: string[] = []
  let merchant: Merchant
  let read: (query?: string) => Promise<Reply>
  let start: Date
  before(async () => {
    ;({ merchant, read } = await newBook())
    start = world.deps.clock.now()
    for (let i = 0; i < 25; i++) {
      const fact = i % 5 === 4 ? ('adjustment_debited_fee' as const) : ('collection_settled' as const)
      const [id] = await postFacts(world.deps, merchant, [{ fact, amount_minor: BigInt(1_000 + i) }])
      ids.push(id as string)
      world.deps.clock.advance(1_000)
    }
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 77n, environment: 'live' }])
    await postFacts(world.deps, world.merchant, [{ fact: 'collection_settled', amount_minor: 78n }])
  })

  const amounts = (filter: (i: number) => boolean) =>
    [...ids.keys()]
      .reverse()
      .filter(filter)
      .map((i) => `${10 + Math.floor(i / 100)}.${String(i).padStart(2, '0')}`)

  test('the list of transactions shows the newest transactions first, twenty on a page, and shows each transaction once', async () => {
    const first = await read()
    assert.deepEqual(
      linesOf(first).map(({ amount }) => amount),
      amounts(() => true).slice(0, 20),
    )
    assert.deepEqual(first.body.data.pagination, { page: 1, page_size: 20, total_items: 25, total_pages: 2 })
    const all: string[] = []
    for (let page = 1; page <= 4; page++)
      all.push(...linesOf(await read(`page=${page}&page_size=7`)).map(({ amount }) => amount))
    assert.deepEqual(
      all,
      amounts(() => true),
    )
    const beyond = await read('page=1000000&page_size=100')
    assert.deepEqual(linesOf(beyond), [])
    assert.equal(beyond.body.data.pagination.total_items, 25)
  })

  const at = (seconds: number) => encodeURIComponent(new Date(start.getTime() + seconds * 1000).toISOString())
  for (const [name, query, filter] of [
    ['a type', () => 'type=ADJUSTMENT', (i) => i % 5 === 4],
    ['the common type', () => 'type=COLLECTION', (i) => i % 5 !== 4],
    ['a type without transactions', () => 'type=WITHDRAWAL', () => false],
    ['from', () => `from=${at(10)}`, (i) => i >= 10],
    ['to', () => `to=${at(10)}`, (i) => i < 10],
    ['from and to', () => `from=${at(5)}&to=${at(8)}`, (i) => i >= 5 && i < 8],
    ['a type, from and to', () => `type=ADJUSTMENT&from=${at(5)}&to=${at(20)}`, (i) => i % 5 === 4 && i >= 5 && i < 20],
  ] as [string, () => string, (i: number) => boolean][]) {
    test(`the list of transactions has and counts only matching transactions when the request filters by ${name}`, async () => {
      const reply = await read(`page_size=100&${query()}`)
      assert.deepEqual(
        linesOf(reply).map(({ amount }) => amount),
        amounts(filter),
      )
      assert.equal(reply.body.data.pagination.total_items, amounts(filter).length)
    })
  }

  for (const [query, field] of [
    ['type=collection', 'type'],
    ['type=COLLECTION&type=ADJUSTMENT', 'type'],
    ['from=2026-01-05', 'from'],
    ['to=yesterday', 'to'],
    ['page=0', 'page'],
    ['page_size=101', 'page_size'],
  ] as const) {
    test(`the server refuses the invalid filter ${query} of a list of transactions, and names the field`, async () => {
      const reply = await read(query)
      assert.deepEqual(codeOf(reply), [400, 'validation_failed'])
      const named = reply.body.error.details.fields.map((one: { field: string }) => one.field)
      assert.deepEqual([...new Set(named)], [field])
    })
  }

  test('an API key can list the transactions of its environment, and the server refuses a request for the other environment', async () => {
    assert.equal((await read('environment=sandbox')).body.data.pagination.total_items, 25)
    const other = await read('environment=live')
    assert.deepEqual([other.status, other.body.error.code], [400, 'validation_failed'])
    assert.equal(other.body.error.details.fields[0].field, 'environment')
  })

  test('a member of each role can list the transactions of the environment that the request names', async () => {
    for (const role of MERCHANT_ROLES) {
      const { token } = await world.newSession([{ role, merchant }])
      assert.equal(
        (await world.get(`${pathOf(merchant)}?environment=sandbox`, token)).body.data.pagination.total_items,
        25,
      )
      assert.equal(
        (await world.get(pathOf(merchant), token)).body.data.pagination.total_items,
        1,
        'live when none is chosen',
      )
    }
  })

  test('the server refuses a list of transactions of another merchant, even if the other merchant does not exist', async () => {
    for (const id of [merchant.id, '01a1fdef-f09c-8b9d-a92f-5bb2a0bd109f', 'x']) {
      assert.deepEqual(codeOf(await world.get(`/v1/merchants/${id}/transactions`)), [403, 'merchant_mismatch'])
    }
  })
})

describe('look-ups of a transaction by reference', () => {
  test('the server finds a transaction by its reference in upper or lower case, and returns the record of the list', async () => {
    const { merchant, read } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 500n, fee_minor: 20n }])
    const [line] = linesOf(await read())
    assert.ok(line)
    const key = await world.newKey({ merchant })
    for (const reference of [line.reference, line.reference.toLowerCase()]) {
      assert.deepEqual((await world.get(`/v1/transactions/${reference}`, key)).body.data, line)
    }
    const together = await Promise.all(
      Array.from({ length: 20 }, () => world.get(`/v1/transactions/${line.reference}`, key)),
    )
    for (const reply of together) assert.deepEqual(reply.body.data, line)
  })

  test('the server answers 404 to a reference that is unknown, malformed, or of another merchant or environment', async () => {
    const { merchant, read } = await newBook()
    await postFacts(world.deps, merchant, [{ fact: 'collection_settled', amount_minor: 500n, fee_minor: 20n }])
    const [line] = linesOf(await read())
    assert.ok(line)
    const own = await world.newKey({ merchant })
    const live = await world.newKey({ merchant, environment: 'live' })
    for (const [reference, key] of [
      [line.reference, world.sandbox_key],
      [line.reference, live],
      ['TXN-00000000000000000000000000', own],
      [line.reference.slice(0, -1), own],
      [`${line.reference}0`, own],
      [line.reference.slice(4), own],
      ['TXN-UUUUUUUUUUUUUUUUUUUUUUUUUU', own],
      ['TXN-ZZZZZZZZZZZZZZZZZZZZZZZZZZ', own],
      ["TXN-' or 1=1--", own],
    ] as const) {
      assert.deepEqual(
        codeOf(await world.get(`/v1/transactions/${encodeURIComponent(reference)}`, key)),
        [404, 'not_found'],
        reference,
      )
    }
  })

  test('a reference finds only the transfer of the amount, and no transfer of a fee or of held money', async () => {
    const { merchant } = await newBook()
    const key = await world.newKey({ merchant })
    await postFacts(world.deps, merchant, [
      { fact: 'collection_settled', amount_minor: 500n, fee_minor: 20n },
      { fact: 'collection_held', amount_minor: 500n },
    ])
    const rows = await world.rows<{ id: string; leg: number; posting: string }>(
      'select id, leg, posting from ledger_transfers where merchant_id = $1',
      [merchant.id],
    )
    assert.equal(rows.length, 3)
    for (const { id, leg, posting } of rows) {
      const reply = await world.get(`/v1/transactions/TXN-${idToBase32(id)}`, key)
      assert.equal(reply.status, leg === 0 && posting === 'collection_settled' ? 200 : 404, `${posting} ${leg}`)
    }
  })
})
