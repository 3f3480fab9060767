// What every part of the twin works with.

import type { Clock } from '../../src/kernel/lib/index.ts'
import type { Book, Order } from './book.ts'
import type { CallbackKind } from './fates.ts'
import type { Faults } from './faults.ts'
import type { Reply } from './reply.ts'
import type { Settings } from './settings.ts'
import type { Account } from './signature.ts'

/** Sends the callbacks of an order, as its kind wants it. */
export type Callbacks = {
  /** A payer was prompted, or has begun to pay. */
  started(order: Order, kind: CallbackKind): void
  /** The order has another word. */
  changed(order: Order, kind: CallbackKind): void
  close(): Promise<void>
}

/** The twin: its state, and what it needs of the outside. Settings are read at each use, because they can be changed. */
export type Twin = {
  clock: Clock
  account: Account
  settings: Settings
  faults: Faults
  book: Book
  callbacks: Callbacks
}

/** What the gateway does for a request that passed every check. */
export type Run = (twin: Twin, fields: Record<string, string>) => Reply
