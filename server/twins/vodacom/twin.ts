// What makes up a running twin.

import type { Clock } from '../../src/kernel/lib/index.ts'
import type { Book } from './book.ts'
import type { Callbacks } from './callbacks.ts'
import type { Chances } from './fates.ts'
import type { MarketKey } from './keys.ts'
import type { Sessions } from './sessions.ts'
import type { Settings } from './settings.ts'

/** The one application that may call, with its short code. */
export type Account = { api_key: string; service_provider_code: string }

/** A running twin, for its own parts. */
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

/** An answer: HTTP status and what it says. */
export type Reply = { http: number; content: Record<string, string> }

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'INS-0': 'Request processed successfully',
  'INS-1': 'Internal Error',
  'INS-6': 'Transaction Failed',
  'INS-9': 'Request timeout',
  'INS-10': 'Duplicate Transaction',
  'INS-23': 'Transaction Not Found',
  'INS-989': 'Session Creation Failed',
  'INS-2006': 'Insufficient balance',
}

/** An answer with a code. */
export function said(http: number, code: string, more: Record<string, string> = {}): Reply {
  const output_ResponseDesc = DESCRIPTIONS[code] ?? 'Not processed'
  return { http, content: { output_ResponseCode: code, output_ResponseDesc, ...more } }
}
