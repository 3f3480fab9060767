// Starts the HTTP twin of M-Pesa's OpenAPI for tests and demos. The twin checks each request, moves money in its books, and
// causes faults on demand. The twin uses no code of the adapter, so that each can test the other.

import { type Clock, type Random, systemClock, systemRandom } from '../../src/kernel/lib/index.ts'
import { createBook, type Totals, type Transaction, totalsOf } from './book.ts'
import { type CallbackEntry, createCallbacks } from './callbacks.ts'
import { createChances, type Rates } from './fates.ts'
import { createMarketKey } from './keys.ts'
import { listen } from './server.ts'
import { createSessions } from './sessions.ts'
import { defaultSettings, type Settings } from './settings.ts'
import type { Account, Twin } from './twin.ts'

export type { Totals, Transaction } from './book.ts'
export type { CallbackEntry } from './callbacks.ts'
export { CONTROL_CALLS } from './control.ts'
export { CALLS, FATES, MAGIC, magicRows, type Rates, WIRE_FAULTS } from './fates.ts'
export type { Settings } from './settings.ts'
export type { Account } from './twin.ts'

/** The account of a twin without a given account. This API key is public, so it protects no data. */
export const SAMPLE_ACCOUNT: Account = { api_key: 'vodacom-twin-api-key', service_provider_code: '000000' }

/** The default token of the control API. The token is public, so it protects no data. */
export const SAMPLE_CONTROL_TOKEN = 'vodacom-twin-control'

/** The options of `startVodacomTwin`. Without options, the twin has the sample account and makes a new key. */
export type VodacomTwinOptions = {
  /** The port. 0, the default, means that the operating system chooses a free port. */
  port?: number
  host?: string
  account?: Partial<Account>
  /** The money for payouts, in whole shillings. */
  float?: bigint
  settings?: Partial<Settings>
  chances?: Partial<Rates>
  /**
   * The size of the market's key in bits: 2048 by default. The real keys have 4096 bits, but a twin needs seconds to make such
   * a key.
   */
  key_bits?: number
  /** The private key of an earlier twin, from `private_pem`. Null, the default, means that the twin makes a new key. */
  key?: string | null
  control_token?: string
  clock?: Clock
  random?: Random
}

/** A running twin, with the functions that a test needs. */
export type VodacomTwin = {
  /** The base URL of the gateway's calls, with environment and market. */
  url: string
  account: Account
  /** The market's public key in base64, as the portal shows the key. */
  public_key: string
  /** The private key as PEM. A twin that starts with this private key has the same public key. */
  private_pem: string
  /** The base URL of the control API, without a slash at its end. */
  control_url: string
  /** The token of the control API. */
  control_token: string
  totals(): Totals
  /** Returns the transaction with the id that the caller chose. Null means that the twin has no such transaction. */
  transaction(conversation: string): Transaction | null
  transactions(): readonly Transaction[]
  callbacks: readonly CallbackEntry[]
  /** Resolves when all running callbacks have ended. */
  idle(): Promise<void>
  set(settings: Partial<Settings>): void
  /** Sets the rates of faults. If a group or kind does not exist, throws. */
  setChances(rates: Partial<Rates>): void
  /** Ends every session, so that a test can check how a caller opens a new session. */
  endSessions(): void
  close(): Promise<void>
}

const FLOAT = 1_000_000_000n

/** Starts a twin. Resolves when the twin accepts connections. */
export async function startVodacomTwin(options: VodacomTwinOptions = {}): Promise<VodacomTwin> {
  const { port = 0, host = '127.0.0.1', clock = systemClock, random = systemRandom() } = options
  const account = { ...SAMPLE_ACCOUNT, ...options.account }
  const settings = { ...defaultSettings(), ...options.settings }
  const book = createBook(options.float ?? FLOAT)
  const chances = createChances()
  if (options.chances) chances.set(options.chances)
  const key = createMarketKey(options.key_bits ?? 2048, options.key)
  const { control_token = SAMPLE_CONTROL_TOKEN } = options
  const sessions = createSessions(settings, clock, random)
  const callbacks = createCallbacks(settings)
  const twin: Twin = { clock, account, settings, key, sessions, chances, book, callbacks }
  const server = await listen(twin, { port, host, control_token })
  return {
    url: server.url,
    account,
    public_key: key.public_text,
    private_pem: key.private_pem,
    control_url: server.control_url,
    control_token,
    totals: () => totalsOf(book, chances.struck),
    transaction: (conversation) => book.by_conversation.get(conversation) ?? null,
    transactions: () => [...book.by_conversation.values()],
    callbacks: callbacks.entries,
    idle: () => callbacks.idle(),
    set: (changes) => void Object.assign(settings, changes),
    setChances: (rates) => chances.set(rates),
    endSessions: () => sessions.endAll(),
    async close() {
      await server.close()
      await callbacks.idle()
    },
  }
}
