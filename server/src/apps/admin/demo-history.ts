// Makes a second demo merchant with 30 days of sandbox data. The API and the worker's tasks make the records with a clock that
// begins 29 days before today, so the books verify. The random numbers have a fixed seed.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMerchant, HISTORY_EMAIL, setMember } from '../../access/merchants/index.ts'
import { type Deps, inTransaction, sql } from '../../kernel/db/index.ts'
import { MERCHANT_ROLES, SCOPES } from '../../kernel/http/index.ts'
import {
  assertInvariant,
  DAY_MS,
  dayNumber,
  refuse,
  type SettableClock,
  settableClock,
  startOfDay,
} from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { saveRecipient } from '../../money/withdrawals/index.ts'
import { COMMAND_ACT } from './act.ts'
import { demoUsers, ensureDemoMerchant } from './demo.ts'
import { historyMerchants } from './demo-removal.ts'
import { makeKey, stopKey } from './merchants.ts'
import { inOneTransaction } from './one-transaction.ts'

/**
 * The parts of a system that the history uses: the routes, the tasks, and the functions that wait for callbacks and close the
 * system. `compose` of system.ts makes the system.
 */
export type HistorySystem = {
  app: {
    ready(): PromiseLike<unknown>
    inject(request: object): Promise<{ statusCode: number; body: string }>
    close(): Promise<unknown>
  }
  tasks: readonly Task[]
  idle(): Promise<void>
  close(): Promise<void>
}
/** Builds a system with these dependencies. */
export type OpenSystem = (deps: Deps) => Promise<HistorySystem>

const DAYS = 30
const SEED = 20_260_101
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The mock provider has answered at the latest after this time. */
const ANSWERED_MS = 5_000
/**
 * The number of rounds in which the system repeats the failed deliveries at the end. `RETRIED_MS` passes before each round. The
 * last payment is at least an hour old, so all rounds are in the past.
 */
const LAST_ROUNDS = 3
const RETRIED_MS = 11 * MINUTE_MS
/** The receiver of README. The merchant keeps this URL after the command, so that a user can send deliveries again. */
const LASTING_RECEIVER = 'http://127.0.0.1:9090/hook'
/** The hours of a day in Tanzania at which payers pay. */
const HOURS = [8.2, 11.5, 13.4, 16.1, 19.6] as const
const NETWORKS = ['0754', '0744', '0714', '0684', '0784', '0624', '0754', '0714'] as const
/**
 * The last three digits of payers' numbers. Null means any digits from 100 on, which the sandbox always lets succeed. Some
 * payments fail for several reasons, and a few are reversed.
 */
const ENDINGS = [...Array(44).fill(null), '002', '003', '003', '004', '005', '006', '012'] as (string | null)[]
/** The last three digits with which a payment on a page always succeeds. Any others succeed only with MOCK_SUCCESS_RATE. */
const PAGE_ENDINGS = ['001', '008', '009'] as const
/** The last three digits of a phone number whose payment the server holds for a review. */
const HELD_ENDING = '014'
const GOODS = ['Kitenge', 'Mchele kilo 5', 'Sukari kilo 2', 'Viatu', 'Sabuni', 'Unga kilo 10', 'Chupa ya chai'] as const
/** The recipients of the payouts, which take turns. The merchant saves all of them but the last. */
const SUPPLIERS = [
  { label: 'Mchele wa Mbeya', destination_identifier: '0754318201', destination_name: 'Asha Juma' },
  { label: 'Vitenge vya Kariakoo', destination_identifier: '0768442913', destination_name: 'Baraka John' },
  { label: 'Usafiri wa mizigo', destination_identifier: '0745107386', destination_name: 'Hassan Omari' },
  { label: 'Sabuni na viatu', destination_identifier: '0757690254', destination_name: 'Rehema Said' },
] as const
const CUSTOMERS = ['Neema Mushi', 'Juma Ally', 'Rehema Said', 'Baraka John', 'Zawadi Peter', 'Hassan Omari'] as const
/** The tasks that the history runs. `only_merchant` limits each of them to the merchant of the history. */
const TASKS = [
  'collection_attempts',
  'payouts',
  'webhooks',
  'invoices_paid',
  'invoice_reminders',
  'invoices_overdue',
] as const

const DEMO_USER_IDS = sql('demo_history_users', 'select id, email from users where email = any($1)')

/** The merchant and the number of records that the command made. */
type MadeHistory = {
  merchant_id: string
  days: number
  payments: number
  payouts: number
  invoices: number
  links: number
}

/**
 * Creates the merchant with its history. If the history exists, refuses with invalid_state. One transaction makes the history.
 * So a running worker cannot process its records with the present time, and a stopped command leaves nothing.
 */
export async function createDemoHistory(
  deps: Deps,
  openSystem: OpenSystem,
  report: (line: string) => void,
): Promise<MadeHistory> {
  const demo_merchant = await ensureDemoMerchant(deps)
  const users = await demoUsers(deps, demo_merchant)
  if ((await historyMerchants(deps.db)).length > 0) {
    refuse('invalid_state', {
      message: 'The demo history exists already. Remove it with "demo --remove-history", then make it again.',
    })
  }
  const { base_url, port } = deps.config
  if (base_url === '')
    report(`Links in its messages begin with http://127.0.0.1:${port}. For another address, set BASE_URL or PORT.`)
  // A replica cannot see the records of an open transaction.
  const { reads: _reads, replica: _replica, ...primary } = deps
  return inOneTransaction(deps.db, (db) => makeHistory({ ...primary, db }, openSystem, report, users))
}

async function makeHistory(
  deps: Deps,
  openSystem: OpenSystem,
  report: (line: string) => void,
  users: Awaited<ReturnType<typeof demoUsers>>,
): Promise<MadeHistory> {
  const now = deps.clock.now()
  const clock = settableClock(startOfDay(dayNumber(now) - DAYS + 1))
  const unlimited: Deps = { ...deps, clock, audit_clock: deps.clock, config: { ...deps.config, ...UNLIMITED } }
  const { id } = await createMerchant(unlimited, {
    name: 'Duka la Mfano: siku 30',
    email: HISTORY_EMAIL,
    approved: true,
  })
  const past: Deps = { ...unlimited, only_merchant: id }
  const receiver = await startReceiver()
  const system = await openSystem(past)
  try {
    await system.app.ready()
    const scopes = Object.keys(SCOPES)
    const key_input = { merchant_id: id, environment: 'sandbox', scopes, name: 'Demo history' } as const
    const key = await makeKey(past, key_input, 0)
    const caller = createCaller(system, clock, key.plaintext_key)
    const shop = createShop({ ...caller, clock, now, save: (recipient) => saveSupplier(past, id, recipient) })
    await caller.call('PATCH', '/v1/merchant/webhook-config', { webhook_url: receiver.url, rotate_secret: true })
    for (let day = 0; day < DAYS; day++) {
      await shop.day(day)
      if (day % 10 === 9) report(`Made ${day + 1} of ${DAYS} days.`)
    }
    // The receiver now accepts every delivery, so that no delivery fails after the receiver has stopped.
    receiver.acceptAll()
    for (let round = 0; round < LAST_ROUNDS; round++) {
      clock.advance(RETRIED_MS)
      await caller.settle()
    }
    await caller.call('PATCH', '/v1/merchant/webhook-config', { webhook_url: LASTING_RECEIVER })
    // The server keeps the uses of a key and the request log in memory. This process ends before the usual time of their write.
    await taskOf(system, 'api_key_usage').idle()
    await taskOf(system, 'request_log').idle()
    await stopKey(deps, id, key.id)
    const roles = new Map(users.map(({ email, role }) => [email, role]))
    const people = await deps.db.query<{ id: string; email: string }>(DEMO_USER_IDS, [[...roles.keys()]])
    await inTransaction(deps.db, async (tx) => {
      for (const person of people) {
        const role = MERCHANT_ROLES.find((one) => one === roles.get(person.email))
        if (role !== undefined) await setMember(deps, tx, id, person.id, role)
      }
    })
    return { merchant_id: id, days: DAYS, ...shop.made }
  } finally {
    await system.app.close()
    await system.close()
    await receiver.close()
  }
}

function saveSupplier(deps: Deps, merchant_id: string, { label, ...destination }: Supplier): Promise<unknown> {
  const input = {
    merchant_id,
    environment: 'sandbox',
    label,
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
  } as const
  return inTransaction(deps.db, (tx) => saveRecipient(deps, tx, COMMAND_ACT, { ...input, ...destination }))
}

/**
 * The settings without limits, and with webhooks to this machine. The history sends the requests of 30 days within minutes and
 * with one key, so the limits of a server would refuse some of them.
 */
const UNLIMITED = {
  rate_limit_key: 0,
  rate_limit_merchant_sandbox: 0,
  rate_limit_address: 0,
  rate_limit_payers: 0,
  rate_limit_callbacks: 0,
  connections_per_address: 0,
  prompts_per_phone_hour: 0,
  prompts_per_phone_day: 0,
  webhook_allow_private: true,
} as const

/**
 * Starts a receiver of webhooks. Until `acceptAll`, the receiver refuses every thirteenth request, as a real server sometimes
 * does.
 */
async function startReceiver(): Promise<{ url: string; acceptAll(): void; close(): Promise<void> }> {
  let received = 0
  let accepts_all = false
  const server = createServer((request, response) => {
    request.resume()
    received += 1
    response.writeHead(received % 13 === 0 && !accepts_all ? 503 : 200).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/malipo`,
    acceptAll() {
      accepts_all = true
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** Makes a generator of numbers from 0 to 1 with a fixed seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Makes the random choices of the history. The seed is fixed, so each run uses the same sequence of random numbers. */
function createDice() {
  const part = seeded(SEED)
  const among = <Item>(items: readonly Item[]): Item => items[Math.floor(part() * items.length)] as Item
  const digits = () => String(100 + Math.floor(part() * 900))
  return {
    part,
    among,
    digits,
    phone: (ending: string | null = among(ENDINGS)) => `${among(NETWORKS)}${digits()}${ending ?? digits()}`,
    amount: () => `${(1 + Math.floor(part() ** 2 * 180)) * 500}.00`,
  }
}

function taskOf({ tasks }: HistorySystem, wanted: string): Task {
  const task = tasks.find(({ name }) => name === wanted)
  assertInvariant(task !== undefined, `the system has no task ${wanted}`)
  return task
}

/**
 * Makes the two steps of the history. `call` sends a request of the merchant. `settle` advances the clock and runs the due
 * work.
 */
function createCaller(system: HistorySystem, clock: SettableClock, key: string) {
  const tasks = TASKS.map((wanted) => taskOf(system, wanted))
  let calls = 0
  return {
    async call(method: 'POST' | 'PATCH', url: string, payload: object, expected: 'answer' | 'refusal' = 'answer') {
      calls += 1
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `history-${calls}` }
      const { statusCode, body } = await system.app.inject({ method, url, payload, headers })
      if (statusCode < 300 !== (expected === 'answer'))
        throw new Error(`${method} ${url} answered ${statusCode}: ${body}`)
      return JSON.parse(body).data
    },
    async settle(): Promise<void> {
      clock.advance(ANSWERED_MS)
      for (let quiet = 0; quiet < 2; ) {
        await system.idle()
        let taken = 0
        for (const task of tasks) {
          taken += await task.runOnce()
          await task.idle()
        }
        quiet = taken === 0 ? quiet + 1 : 0
      }
    },
  }
}

type Supplier = (typeof SUPPLIERS)[number]
/** `save` stores a saved recipient of the merchant. */
type ShopParts = ReturnType<typeof createCaller> & {
  clock: SettableClock
  now: Date
  save(recipient: Supplier): Promise<unknown>
}

/** Makes the records of the merchant, one day after the other, and counts them. */
function createShop({ call, settle, clock, now, save }: ShopParts) {
  const { part, among, digits, phone, amount } = createDice()
  const made = { payments: 0, payouts: 0, invoices: 0, links: 0 }

  async function pay(count: number, sequence: string, ending?: string): Promise<void> {
    const one = (i: number) => {
      made.payments += 1
      const reference = `ORDER-${sequence}${String(i + 1).padStart(2, '0')}`
      return call('POST', '/v1/collections/wallet-push', { amount: amount(), phone: phone(ending), reference })
    }
    await Promise.all(Array.from({ length: count }, (_, i) => one(i)))
  }

  async function payLink(slug: string): Promise<void> {
    made.payments += 1
    const body = { method: 'WALLET_PUSH', customer_phone: phone(among(PAGE_ENDINGS)) }
    await call('POST', `/public/payment-links/${slug}/collect`, body)
  }

  async function link(is_paid: boolean): Promise<void> {
    made.links += 1
    const body = { amount: amount(), description: among(GOODS), customer_name: among(CUSTOMERS) }
    const { public_slug } = await call('POST', '/v1/payment-links', body)
    if (is_paid) await payLink(public_slug)
  }

  async function invoice(is_paid: boolean): Promise<void> {
    made.invoices += 1
    const due = new Date(clock.now().getTime() + 9 * DAY_MS).toISOString().slice(0, 10)
    const items = [1, 2].map(() => ({ description: among(GOODS), quantity: '2', unit_price: amount() }))
    const customer = {
      customer_name: among(CUSTOMERS),
      customer_email: 'mteja@example.com',
      customer_phone: phone(null),
    }
    const { id } = await call('POST', '/v1/invoices', { ...customer, due_date: due, items })
    await call('POST', `/v1/invoices/${id}/send`, {})
    const { public_slug } = await call('POST', `/v1/invoices/${id}/payment-link`, {})
    if (is_paid) await payLink(public_slug)
  }

  async function payout(outcome: string | null, reference: string): Promise<void> {
    const turn = made.payouts
    made.payouts += 1
    const supplier = SUPPLIERS[turn % SUPPLIERS.length] as Supplier
    if (turn < SUPPLIERS.length - 1) await save(supplier)
    const { label: _label, ...recipient } = supplier
    const destination = { destination_code: 'MPESA', ...recipient }
    const body = { amount: `${40_000 + Math.floor(part() * 12) * 5_000}.00`, ...destination, reference }
    const { id } = await call('POST', '/v1/disbursements/mobile-money', body)
    clock.advance(20 * MINUTE_MS)
    if (outcome !== null) await call('POST', `/v1/sandbox/disbursements/${id}/simulate`, { outcome })
  }

  /** Makes the records of one day. On the last day, makes no record after the present time. */
  async function day(number: number): Promise<void> {
    const begin = startOfDay(dayNumber(now) - DAYS + 1 + number).getTime()
    const busy = (begin / DAY_MS + 4) % 7 < 2 ? 1.5 : 1
    const growth = 0.7 + number / DAYS
    for (const [slot, hour] of HOURS.entries()) {
      const at = begin + hour * HOUR_MS + Math.floor(part() * 40) * MINUTE_MS
      const count = Math.max(1, Math.round((1.5 + part() * 3) * busy * growth))
      const wait = at - clock.now().getTime()
      if (at + HOUR_MS > now.getTime() || wait <= 0) continue
      clock.advance(wait)
      await pay(count, `${String(number + 1).padStart(2, '0')}${slot + 1}`)
      // The number is too short, so the request log also has refused requests.
      const wrong = { amount: '500.00', phone: `0754${digits()}` }
      if (slot === 0 && number % 4 === 3) await call('POST', '/v1/collections/wallet-push', wrong, 'refusal')
      if (slot === 1 && number % 3 === 0) await link(number % 2 === 0)
      if (slot === 2 && number % 5 === 1) await invoice(number % 10 === 1)
      await settle()
      const outcome = PAYOUTS[number]
      if (slot === 3 && outcome !== undefined) await payout(outcome, `PAYOUT-${number + 1}`).then(settle)
    }
    if (number === DAYS - 4) await pay(2, 'REVIEW', HELD_ENDING).then(settle)
  }
  return { day, made }
}

/**
 * The outcome of the payout, for each day with a payout. The days have numbers from 0. Null means that the payout still waits
 * for its approval.
 */
const PAYOUTS: Readonly<Record<number, string | null>> = {
  4: 'SUCCESS',
  8: 'SUCCESS',
  11: 'FAILED',
  14: 'SUCCESS',
  17: 'REJECTED',
  20: 'SUCCESS',
  23: 'REVERSED',
  25: 'SUCCESS',
  27: 'INFO_REQUESTED',
  28: null,
}
