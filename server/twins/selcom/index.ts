// Starts the HTTP twin of Selcom's API gateway for tests and demos. The twin checks each request, moves money in its books, and
// causes faults on demand. The twin uses no code of the adapter, so that each can test the other.

import { type Clock, systemClock } from '../../src/kernel/lib/index.ts'
import { createBook, type Order, type Payout, type Totals, totalsOf } from './book.ts'
import { createCallbacks } from './callbacks.ts'
import { addFloat, listPage, type Page } from './control.ts'
import { createFaults, type Rates, ratesOf } from './faults.ts'
import { listen } from './server.ts'
import { defaultSettings, type Settings } from './settings.ts'
import type { Account } from './signature.ts'
import type { Twin } from './twin.ts'

export type { CallbackEntry, Order, Payment, Payout, Push, Totals } from './book.ts'
export type { Page } from './control.ts'
export type { Rates } from './faults.ts'
export { MAGIC_NUMBERS, magicText } from './magic.ts'
export type { Settings } from './settings.ts'
export type { Account } from './signature.ts'

/** The keys of a twin without given keys. These keys are public, so they protect no data. */
export const SAMPLE_ACCOUNT: Account = {
  api_key: 'simulator-api-key',
  api_secret: 'simulator-api-secret',
  rsa_public_key: null,
  vendor: 'SIMTILL',
  float_vendor: 'SIMFLOAT',
  pin: '0000',
}
/** The default token of the control API. The token is public, so it protects no data. */
export const SAMPLE_CONTROL_TOKEN = 'simulator-control'

/**
 * The options of `startSimulator`. Without options, the twin has the sample account and a float of a billion shillings.
 */
export type SimulatorOptions = {
  /** The port. 0, the default, means that the operating system chooses a free port. */
  port?: number
  host?: string
  account?: Partial<Account>
  control_token?: string
  /** The money for payouts at the start, in whole shillings. */
  float?: bigint
  settings?: Partial<Settings>
  faults?: Partial<Rates>
  clock?: Clock
}

/** A running twin. The control API offers the same functions over HTTP, except `close`. */
export type Simulator = {
  /** The base URL of the gateway's calls, which ends in /v1. */
  url: string
  /** The base URL of the control API, without a slash at its end. */
  control_url: string
  account: Account
  control_token: string
  totals(): Totals
  order(order_id: string): Order | null
  payout(rail: string, transid: string): Payout | null
  /** Returns a page of orders, pushes, payments, payouts or callbacks, oldest entries first. */
  list(name: 'orders' | 'pushes' | 'payments' | 'payouts' | 'callbacks', page?: number, page_size?: number): Page
  set(settings: Partial<Settings>): void
  /** Sets the rates of faults. If the rates are invalid, throws. */
  setFaults(faults: Partial<Rates>): void
  addFloat(amount: bigint): void
  close(): Promise<void>
}

const FLOAT = 1_000_000_000n

/** Starts a twin. Resolves when the twin accepts connections. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', control_token = SAMPLE_CONTROL_TOKEN, clock = systemClock } = options
  const account = { ...SAMPLE_ACCOUNT, ...options.account }
  const settings = { ...defaultSettings(), ...options.settings }
  const book = createBook(options.float ?? FLOAT)
  const faults = createFaults()
  const callbacks = createCallbacks(account, settings, book.callbacks, clock)
  const twin: Twin = { clock, account, settings, faults, book, callbacks }
  const setFaults = (changes: Partial<Rates>) => {
    const rates = ratesOf(changes)
    if ('problem' in rates) throw new Error(`the rates of faults are invalid: the twin cannot read ${rates.problem}`)
    faults.set(rates.read)
  }
  if (options.faults) setFaults(options.faults)
  const server = await listen(twin, { port, host, control_token })
  return {
    url: `${server.url}/v1`,
    control_url: `${server.url}/control`,
    account,
    control_token,
    totals: () => totalsOf(book, faults.struck, clock.now()),
    order: (order_id) => book.orders.get(order_id) ?? null,
    payout: (rail, transid) => book.payouts.get(`${rail} ${transid}`) ?? null,
    list(name, page = 1, page_size = 1000) {
      return listPage(twin, name, page, page_size) ?? { items: [], page, page_size, total: 0 }
    },
    set: (changes) => void Object.assign(settings, changes),
    setFaults,
    addFloat: (amount) => void addFloat(twin, amount),
    async close() {
      await callbacks.close()
      await server.close()
    },
  }
}
