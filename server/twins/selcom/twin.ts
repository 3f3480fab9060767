// Defines the types that every part of the twin uses.

import type { Clock } from '../../src/kernel/lib/index.ts'
import type { Book, Order } from './book.ts'
import type { CallbackKind } from './fates.ts'
import type { Faults } from './faults.ts'
import type { Reply } from './reply.ts'
import type { Settings } from './settings.ts'
import type { Account } from './signature.ts'

/** Sends the callbacks of an order. The callback course of the order decides how the sender works. */
export type Callbacks = {
  /** Reports that a payer got a prompt, or has started to pay. */
  started(order: Order, kind: CallbackKind): void
  /** Reports that the status of the order has changed. */
  changed(order: Order, kind: CallbackKind): void
  close(): Promise<void>
}

/** The twin: its state and its dependencies. Every part reads the settings at each use, because the settings can change. */
export type Twin = {
  clock: Clock
  account: Account
  settings: Settings
  faults: Faults
  book: Book
  callbacks: Callbacks
}

/** The work of the gateway for a request that passed every check. */
export type Run = (twin: Twin, fields: Record<string, string>) => Reply
