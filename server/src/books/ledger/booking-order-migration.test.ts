// Tests the migration that numbers the bookings of old books, and that new bookings continue these numbers.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createWorld, type World } from '../../../test/harness.ts'
import { postFacts } from '../../../test/ledger-facts.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { verify } from '../../apps/admin/verify.ts'
import { BOOKINGS } from '../../apps/admin/verify-bookings.ts'
import { MIGRATIONS_DIR, migrate } from '../../kernel/db/migrate.ts'
import { merchantCode, newId, settableClock, systemRandom } from '../../kernel/lib/index.ts'
import { BOOK_CODES } from './book.ts'

const START = Date.parse('2026-01-04T20:59:59Z')
const SELLERS = [1_000_001, 2_000_002, 3_000_003].map((routing_code) => ({ id: randomUUID(), routing_code }))
/** The net amounts of each inserted book in cents, in the order of insertion. */
const expected = new Map<string, bigint[]>()

let database: TestDatabase
let world: World
before(async () => {
  database = await createTestDatabase(null)
  await migrateUntil(database.url, '0013')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const { id, routing_code } of SELLERS) {
    await client.query(
      `insert into merchants (id, routing_code, merchant_code, name, email, status, verified, created_at, updated_at)
       values ($1, $2, $3, 'Duka', 'duka@example.com', 'ACTIVE', true, $4, $4)`,
      [id, routing_code, merchantCode(routing_code), new Date(START)],
    )
    for (const environment of ['live', 'sandbox']) {
      // The last merchant has no payment in the sandbox.
      const count = id === SELLERS[2]?.id && environment === 'sandbox' ? 0 : 60
      await writeOldBook(client, { id, routing_code, environment }, count)
    }
  }
  await client.query(
    "insert into list_counts (merchant_id, environment, list, before_id, items) values ($1, 'live', 'transactions', $1, 12)",
    [SELLERS[0]?.id],
  )
  await client.end()
  await migrate(database.url)
  world = await createWorld({ url: database.url })
})
after(async () => {
  await world?.close()
  await database?.drop()
})

/** Applies all migrations with a lower number than the given one. */
async function migrateUntil(url: string, number: string): Promise<void> {
  const earlier = await mkdtemp(join(tmpdir(), 'migrations-'))
  try {
    for (const name of await readdir(MIGRATIONS_DIR))
      if (name < number) await cp(join(MIGRATIONS_DIR, name), join(earlier, name))
    await migrate(url, undefined, earlier)
  } finally {
    await rm(earlier, { recursive: true })
  }
}

type Book = { id: string; routing_code: number; environment: string }

/**
 * Writes a book in the way of the old program. That program chose ids and times before it locked the book, so neither follows
 * the order of insertion.
 */
async function writeOldBook(client: pg.Client, { id: merchant_id, routing_code, environment }: Book, count: number) {
  const accounts = new Map(BOOK_CODES.map((code) => [code as string, { balance: 0n, version: 0n }]))
  const move = (code: string, amount: bigint) => {
    const account = accounts.get(code) ?? assert.fail(code)
    account.balance += amount
    account.version += 1n
    return [account.balance, account.version]
  }
  const net_amounts: bigint[] = []
  expected.set(`${merchant_id} ${environment}`, net_amounts)
  const transfer = async (
    at: Date,
    posting: string,
    leg: number,
    source: string,
    debit: string,
    credit: string,
    amount: bigint,
  ) => {
    const id = newId({ clock: settableClock(at), random: systemRandom() }, routing_code)
    await client.query(
      `insert into ledger_transfers (merchant_id, id, environment, currency, debit_code, credit_code, amount_minor, posting,
         leg, source_type, source_id, debit_balance_minor, debit_version, credit_balance_minor, credit_version, created_at)
       values ($1, $2, $3, 'TZS', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [
        merchant_id,
        id,
        environment,
        debit,
        credit,
        amount,
        posting,
        leg,
        posting.split('_')[0],
        source,
        ...move(debit, -amount),
        ...move(credit, amount),
        at,
      ],
    )
  }
  for (let i = 0; i < count; i++) {
    // Some times are earlier than the previous time, even around midnight.
    const at = new Date(START + i * 40 - (i % 7) * 55)
    const amount = BigInt(1_000 + i * 3)
    const source = randomUUID()
    if (i % 5 === 3) {
      await transfer(at, 'collection_held', 0, source, 'provider_float', 'held', amount)
    } else if (i % 5 === 4) {
      await transfer(at, 'withdrawal_paid_late', 0, source, 'available', 'provider_float', 500n)
      await transfer(at, 'withdrawal_paid_late', 1, source, 'available', 'fee_income', 20n)
      // If the platform bears a charge, the charge changes no account that the merchant reads.
      await transfer(at, 'withdrawal_paid_late', 2, source, 'processor_cost', 'provider_float', 7n)
      net_amounts.push(-520n)
    } else {
      await transfer(at, 'collection_settled', 0, source, 'provider_float', 'available', amount)
      if (i % 2 === 0) await transfer(at, 'collection_settled', 1, source, 'available', 'fee_income', 11n)
      net_amounts.push(amount - (i % 2 === 0 ? 11n : 0n))
    }
  }
  for (const [code, { balance, version }] of accounts) {
    await client.query(
      `insert into ledger_accounts (merchant_id, environment, currency, code, balance_minor, version)
       values ($1, $2, 'TZS', $3, $4, $5)`,
      [merchant_id, environment, code, balance, version],
    )
  }
}

type Line = { sequence: number; direction: string; net_amount: string; balance_after: string; created_at: string }
const cents = (text: string) => BigInt(text.replace('.', ''))

/** Returns the transactions of a book as the merchant reads them, oldest first. */
async function linesOf(merchant_id: string, environment: 'live' | 'sandbox'): Promise<Line[]> {
  const { token } = await world.newSession([{ role: 'VIEWER', merchant: { id: merchant_id } as Merchant }])
  const reply = await world.get(
    `/v1/merchants/${merchant_id}/transactions?page_size=100&environment=${environment}`,
    token,
  )
  assert.equal(reply.status, 200, reply.text)
  assert.equal(reply.body.data.pagination.total_items, reply.body.data.items.length)
  return reply.body.data.items.toReversed()
}

function assertChain(lines: readonly Line[], net_amounts: readonly bigint[]): void {
  assert.deepEqual(
    lines.map(({ direction, net_amount }) => (direction === 'credit' ? 1n : -1n) * cents(net_amount)),
    net_amounts,
  )
  let balance = 0n
  let time = ''
  for (const [i, line] of lines.entries()) {
    balance += net_amounts[i] as bigint
    assert.deepEqual([line.sequence, cents(line.balance_after)], [i + 1, balance])
    assert.ok(line.created_at >= time, `number ${i + 1} has a date before its predecessor`)
    time = line.created_at
  }
}

test('a merchant reads old bookings in the order of writing after the upgrade', async () => {
  for (const { id } of SELLERS) {
    for (const environment of ['live', 'sandbox'] as const)
      assertChain(await linesOf(id, environment), expected.get(`${id} ${environment}`) ?? [])
  }
})

test('all legs of a booking have the same date after the upgrade', async () => {
  const apart = await world.rows(
    `select source_id from ledger_transfers group by merchant_id, source_id, posting having count(distinct created_at) > 1`,
  )
  assert.deepEqual(apart, [])
})

test('verify finds no wrong order of bookings in upgraded books', async () => {
  const { checks } = await verify(database.url)
  const own = checks.filter(({ name }) => BOOKINGS.some((invariant) => invariant.name === name))
  assert.equal(own.length, BOOKINGS.length)
  assert.deepEqual(
    own.filter(({ ok }) => !ok),
    [],
  )
})

test('a payment after the upgrade gets the next sequence number, even in an empty book', async () => {
  for (const { id, routing_code } of SELLERS) {
    for (const environment of ['live', 'sandbox'] as const) {
      const net_amounts = expected.get(`${id} ${environment}`) ?? []
      const credit = { fact: 'collection_settled', environment, amount_minor: 900n, fee_minor: 9n } as const
      await postFacts(world.deps, { id, routing_code } as Merchant, [credit, credit])
      net_amounts.push(891n, 891n)
      assertChain(await linesOf(id, environment), net_amounts)
    }
  }
})

test('the database refuses a booking that an older program writes without a sequence number', async () => {
  const [row] = await world.rows<{ id: string }>(
    "select id from ledger_transfers where posting = 'collection_settled' and leg = 0 limit 1",
  )
  await assert.rejects(
    world.rows(
      `insert into ledger_transfers select (json_populate_record(t, json_build_object('id', gen_random_uuid(),
         'source_id', gen_random_uuid(), 'sequence', null))).* from ledger_transfers t where id = $1`,
      [row?.id],
    ),
    { code: '23514' },
  )
  await assert.rejects(world.rows('update ledger_transfers set sequence = sequence'), { code: '42501' })
  assert.deepEqual(await world.rows("select 1 from list_counts where list = 'transactions'"), [])
})
