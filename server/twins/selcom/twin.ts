// Defines the types that several files of the twin use.

import type { Clock } from '../../src/kernel/lib/index.ts'
import type { Book, Order } from './book.ts'
import type { CallbackKind } from './fates.ts'
import type { Faults } from './faults.ts'
import type { Reply } from './reply.ts'
import type { Settings } from './settings.ts'
import type { Account } from './signature.ts'

/** Sends the callbacks of an order, in the way that `kind` names. */
export type Callbacks = {
  /** Sends the callbacks that follow a prompt to the payer or the start of a payment by a scan. */
  started(order: Order, kind: CallbackKind): void
  /** Sends the callbacks that follow a change of the order's status. */
  changed(order: Order, kind: CallbackKind): void
  close(): Promise<void>
}

/**
 * The state and the dependencies of a twin. Each file reads the settings at each use, because a test can change the settings.
 */
export type Twin = {
  clock: Clock
  account: Account
  settings: Settings
  faults: Faults
  book: Book
  callbacks: Callbacks
}

/** The work of a call, for a request that passed every check. */
export type Run = (twin: Twin, fields: Record<string, string>) => Reply
