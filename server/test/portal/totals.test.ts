// Tests every figure of the consoles, page by page, against the tables and the ledger.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verify } from '../../src/apps/admin/verify.ts'
import { createTestOperator, PRICES, type ShopWithKeys } from '../operator.ts'
import { booksHold } from '../payouts.ts'
import { type Office, openOffice, type Visitor } from './office.ts'
import { fillEnvironment } from './totals-data.ts'
import { choose, compare, type Differences, figures, file, total } from './totals-pages.ts'
import { centsOf, LIST_NAMES, type ListName, ledgerOf, type Sum, sumsOfList, sumsOfOperators } from './totals-sums.ts'

const ENVIRONMENTS = ['live', 'sandbox'] as const
type Environment = (typeof ENVIRONMENTS)[number]

let office: Office
let shop: ShopWithKeys
let visitors: Record<Environment | 'operator', Visitor>
before(async () => {
  office = await openOffice({ PROMPTS_PER_PHONE: '0' })
  const operator = await createTestOperator(office.world)
  shop = await operator.shop('1000000.00', { rules: [...PRICES.rules, { flow: 'collection', percentage: '2.00' }] })
  await Promise.all(ENVIRONMENTS.map((environment) => fillEnvironment(office.world, operator, shop, environment)))
  const [boss, owner] = await Promise.all([
    office.newPerson('SUPER_ADMIN'),
    office.newPerson('MERCHANT_ADMIN', shop.merchant),
  ])
  const [live, sandbox, super_admin] = await Promise.all([
    office.comes(owner, 'dashboard'),
    office.comes(owner, 'dashboard'),
    office.comes(boss, 'operator'),
  ])
  visitors = { live, sandbox, operator: super_admin }
})
after(() => office?.close())

const PAYMENTS = ['created', 'processing', 'successful', 'failed', 'pending_clearance', 'reversed']
const WITHDRAWALS = [
  'PENDING_ADMIN_APPROVAL',
  'INFO_REQUESTED',
  'PROCESSING',
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'CANCELLED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'NEEDS_ADMIN_ATTENTION',
  'REVERSED',
]
/** The statuses of the withdrawals that the operators' queue counts. */
const WAITING = WITHDRAWALS.filter((status) => /^(PENDING|INFO|NEEDS|BLOCKED)_/.test(status))

const bookOf = (environment: Environment) => ({ merchant_id: shop.merchant.id, environment })
const NONE: Sum = { count: 0, minor: 0n }

/**
 * Each list of the dashboard: its request, its filter with the label and the values, and the column that the list sums.
 */
const LISTS: Record<
  ListName,
  { call: RegExp; filter: string; label: string; choices: readonly string[]; sum: string }
> = {
  collections: {
    call: /\/collections$/,
    filter: 'status',
    label: 'Status',
    choices: PAYMENTS,
    sum: 'amount',
  },
  links: {
    call: /\/payment-links$/,
    filter: 'status',
    label: 'Status',
    choices: ['ACTIVE', 'PAID', 'EXPIRED', 'CANCELLED'],
    sum: 'amount',
  },
  invoices: {
    call: /\/invoices$/,
    filter: 'status',
    label: 'Status',
    choices: ['DRAFT', 'SENT', 'PAID', 'OVERDUE', 'CANCELLED'],
    sum: 'total',
  },
  transactions: {
    call: /\/transactions$/,
    filter: 'type',
    label: 'Type',
    choices: ['COLLECTION', 'COLLECTION_REVERSAL', 'WITHDRAWAL', 'WITHDRAWAL_REVERSAL', 'ADJUSTMENT'],
    sum: 'net_amount',
  },
  withdrawals: {
    call: /\/withdrawals$/,
    filter: 'status',
    label: 'Status',
    choices: WITHDRAWALS,
    sum: 'amount',
  },
}

async function compareList(environment: Environment, name: ListName, differences: Differences): Promise<void> {
  const visitor = visitors[environment]
  const { call, filter, label, choices, sum } = LISTS[name]
  const sums = await sumsOfList(office.world, name, bookOf(environment))
  assert.deepEqual(Object.keys(sums).sort(), ['', ...choices].sort(), `${name} has one of every kind`)
  const where = (status: string) => `${environment} ${name} ${status || 'all'}`
  const compareFile = async (status: string) => {
    const kept = await file(visitor, sum)
    compare(differences, `${where(status)}, rows of the file`, kept.count, sums[status]?.count)
    compare(differences, `${where(status)}, ${sum} of the file`, kept.minor, sums[status]?.minor)
  }
  await visitor.opens(`/${environment}/${name}`)
  compare(differences, where(''), await total(visitor), sums['']?.count)
  await compareFile('')
  for (const status of choices) {
    await choose(visitor, label, status, call, filter)
    compare(differences, where(status), await total(visitor), sums[status]?.count)
  }
  await compareFile(choices.at(-1) as string)
}

async function compareHome(environment: Environment, differences: Differences): Promise<void> {
  const visitor = visitors[environment]
  const [books, payments, out] = await Promise.all([
    ledgerOf(office.world, bookOf(environment)),
    sumsOfList(office.world, 'collections', bookOf(environment)),
    sumsOfList(office.world, 'withdrawals', bookOf(environment)),
  ])
  await visitor.opens(`/${environment}?period=30d`)
  const shown = await figures(visitor)
  const money = (name: string, is: bigint | undefined) =>
    compare(differences, `${environment} home, ${name}`, centsOf(shown[name]?.figure ?? '0'), is)
  const whole = (name: string, is: Sum = NONE) => {
    money(name, is.minor)
    compare(
      differences,
      `${environment} home, number of ${name}`,
      Number.parseInt(shown[name]?.beside ?? '', 10),
      is.count,
    )
  }
  for (const [name, code] of [
    ['Available', 'available'],
    ['Reserved', 'reserved'],
    ['Under review', 'held'],
  ] as const)
    money(`balance-title ${name}`, books[code]?.minor)
  whole('numbers-title Received', books.received)
  whole('numbers-title Did not succeed', payments.failed)
  whole('numbers-title Processing', payments.processing)
  whole('numbers-title Under review', books['in review'])
  whole('numbers-title Reversed', books.reversed)
  money('numbers-title Our fees', books.fees?.minor)
  // The money that the ledger paid out, except for disputed payouts.
  const [paid, disputed] = [books['paid out'] ?? NONE, books.contradicted ?? NONE]
  whole('numbers-title Paid out', { count: paid.count - disputed.count, minor: paid.minor - disputed.minor })
  whole('numbers-title Paid out', out.SUCCESS)
}

/** Compares the balance above the withdrawals, and the statement of this month, with the books. */
async function compareStatement(environment: Environment, differences: Differences): Promise<void> {
  const visitor = visitors[environment]
  const { page } = visitor
  const books = await ledgerOf(office.world, bookOf(environment))
  const facts = page.getByRole('region', { name: 'Balance' }).locator('dd strong')
  await visitor.opens(`/${environment}/withdrawals`)
  await facts.filter({ hasText: 'TZS' }).nth(2).waitFor()
  const balance = (await facts.allInnerTexts()).map(centsOf)
  compare(
    differences,
    `${environment} balance`,
    balance,
    ['available', 'reserved', 'held'].map((code) => books[code]?.minor),
  )

  const kinds = await sumsOfList(office.world, 'transactions', bookOf(environment))
  await visitor.opens(`/${environment}/statements`)
  await page.getByRole('row', { name: /^Closing balance/ }).waitFor()
  const rows = await page.getByRole('table', { name: 'Money in and money out' }).getByRole('row').allInnerTexts()
  const lines = rows.slice(1).map((row) => row.split('\t').map((cell) => cell.trim()))
  assert.equal(lines.length, 6, rows.join('\n'))
  // Adjustments have one line for money in and one line for money out.
  const order = ['COLLECTION', 'COLLECTION_REVERSAL', 'WITHDRAWAL', 'WITHDRAWAL_REVERSAL', 'ADJUSTMENT', 'ADJUSTMENT']
  for (const kind of new Set(order)) {
    const mine = lines.filter((_, i) => order[i] === kind)
    const count = mine.reduce((sum, line) => sum + Number(line[1]), 0)
    const net = mine.reduce((sum, line) => sum + centsOf(line.at(-1) ?? ''), 0n)
    compare(differences, `${environment} statement, ${kind}`, [count, net], [kinds[kind]?.count, kinds[kind]?.minor])
  }
  const closing = await page.getByRole('row', { name: /^Closing balance/ }).innerText()
  compare(differences, `${environment} statement, closing balance`, centsOf(closing), books.available?.minor)
}

/** Compares the operators' queue of an environment with the waiting records. */
async function compareQueue(environment: Environment, differences: Differences): Promise<void> {
  const visitor = visitors.operator
  const { page } = visitor
  await visitor.opens(environment === 'live' ? '/' : '/?environment=sandbox')
  await page.locator('.queue').waitFor()
  const shown = await page.evaluate<
    [string, string, string][]
  >(`[...document.querySelectorAll('.queue > li')].map((one) => [
    one.querySelector('a').getAttribute('href'), one.querySelector('.queue-count').textContent,
    [...one.querySelectorAll('dd')].at(-1).textContent])`)
  const [out, held] = await Promise.all([
    sumsOfOperators(office.world, 'withdrawals', environment),
    sumsOfOperators(office.world, 'held', environment),
  ])
  const waits: [string, Sum][] = WAITING.map((status) => [`withdrawals?status=${status}&`, out[status] ?? NONE])
  for (const [place, is] of [...waits, ['/collections?', held.pending_clearance ?? NONE] as const]) {
    const [, count, amount] = shown.find(([href]) => href.includes(place)) ?? ['', '0', '0']
    compare(differences, `queue ${environment} ${place}`, [Number(count), centsOf(amount)], [is.count, is.minor])
  }
}

/** Compares the operators' lists of withdrawals and held payments with the records. */
async function compareDesk(environment: Environment, differences: Differences): Promise<void> {
  const visitor = visitors.operator
  const out = await sumsOfOperators(office.world, 'withdrawals', environment)
  await visitor.opens(`/withdrawals?environment=${environment}`)
  compare(differences, `operator ${environment} all`, await total(visitor), out['']?.count)
  for (const status of WITHDRAWALS) {
    await choose(visitor, 'Status', status, /\/operator\/withdrawals$/, 'status')
    compare(differences, `operator ${environment} ${status}`, await total(visitor), out[status]?.count)
  }
  const held = await sumsOfOperators(office.world, 'held', environment)
  await visitor.opens(`/collections?environment=${environment}`)
  compare(differences, `held ${environment}`, await total(visitor), held.pending_clearance?.count)
  for (const status of ['successful', 'failed', 'reversed']) {
    await choose(visitor, 'Status', status, /\/operator\/collections$/, 'status')
    compare(differences, `held ${environment} ${status}`, await total(visitor), held[status]?.count ?? 0)
  }
}

test('the books are correct after the test made a record in every state, in live and sandbox', () =>
  booksHold(office.world))

test('the lists, files, first page, balances and statement of the dashboard agree with tables and ledger', async () => {
  const differences: Differences = []
  const walk = async (environment: Environment) => {
    for (const name of LIST_NAMES) await compareList(environment, name, differences)
    await compareHome(environment, differences)
    await compareStatement(environment, differences)
  }
  await Promise.all(ENVIRONMENTS.map(walk))
  assert.deepEqual(differences, [])
})

test("the operators' queue and their lists of withdrawals and held payments agree with tables and ledger, for each environment", async () => {
  const differences: Differences = []
  for (const environment of ENVIRONMENTS) {
    await compareQueue(environment, differences)
    await compareDesk(environment, differences)
  }
  assert.deepEqual(differences, [])
})

/** A direct change of a row, the SQL that makes it, the SQL that undoes it, and the comparison that must find it. */
const PLANTS: [what: string, change: string, back: string, shown: (differences: Differences) => Promise<void>][] = [
  [
    'the received amount of one payment',
    `update collections set amount_received_minor = amount_received_minor + 100 where id = (
       select id from collections where merchant_id = $1 and environment = 'live' and status = 'successful' order by id limit 1)`,
    `update collections set amount_received_minor = amount_received_minor - 100 where id = (
       select id from collections where merchant_id = $1 and environment = 'live' and status = 'successful' order by id limit 1)`,
    (differences) => compareHome('live', differences),
  ],
  [
    'the available balance',
    `update ledger_accounts set balance_minor = balance_minor + 100
     where merchant_id = $1 and environment = 'sandbox' and code = 'available'`,
    `update ledger_accounts set balance_minor = balance_minor - 100
     where merchant_id = $1 and environment = 'sandbox' and code = 'available'`,
    (differences) => compareStatement('sandbox', differences),
  ],
  [
    'the waiting state of a held payment',
    `update held_collections set decided_at = held_at where collection_id = (
       select collection_id from held_collections where merchant_id = $1 and environment = 'live' and decided_at is null
       order by collection_id limit 1)`,
    `update held_collections set decided_at = null where merchant_id = $1 and decided_at = held_at`,
    (differences) => compareQueue('live', differences),
  ],
]
for (const [what, change, back, shown] of PLANTS) {
  test(`both verify and the comparison find a direct change of ${what}`, async () => {
    const { world } = office
    const [differences, again]: [Differences, Differences] = [[], []]
    await world.rows(change, [shop.merchant.id])
    const { ok } = await verify(world.url)
    await shown(differences)
    await world.rows(back, [shop.merchant.id])
    assert.equal(ok, false)
    assert.notDeepEqual(differences, [])
    await shown(again)
    assert.deepEqual(again, [])
  })
}

test('the books are correct at the end, and no browser reported an error', async () => {
  await booksHold(office.world)
  for (const visitor of Object.values(visitors)) await visitor.leave()
})
