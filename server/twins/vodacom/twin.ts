// Defines the types that several files of the twin use.

import type { Clock } from '../../src/kernel/lib/index.ts'
import type { Book } from './book.ts'
import type { Callbacks } from './callbacks.ts'
import type { Chances } from './fates.ts'
import type { MarketKey } from './keys.ts'
import type { Sessions } from './sessions.ts'
import type { Settings } from './settings.ts'

/** The account of the twin's only application, with its short code. */
export type Account = { api_key: string; service_provider_code: string }

/** The state and the dependencies of a running twin. */
export type Twin = {
  clock: Clock
  account: Account
  settings: Settings
  key: MarketKey
  sessions: Sessions
  chances: Chances
  book: Book
  callbacks: Callbacks
}
