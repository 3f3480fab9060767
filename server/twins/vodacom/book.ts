// Keeps the books of the twin: its transactions and requests, and the money that moved. Amounts are whole shillings.

import type { FateName } from './fates.ts'

/** A payment or payout. `executions` counts the movements of its money. */
export type Transaction = {
  kind: 'c2b' | 'b2c'
  /** The id that the caller chose, which the gateway calls ThirdPartyConversationID. */
  conversation: string
  /** The conversation id that the twin chose. */
  own_conversation: string
  receipt: string
  reference: string
  msisdn: string
  amount: bigint
  text: string
  fate: FateName
  state: 'pending' | 'paid' | 'failed' | 'reversed'
  executions: number
  reversals: number
  /** The number of requests with this id, including repeated requests. */
  requests: number
  /** The number of prompts that the payer got. */
  prompts: number
  at: Date
}

/** Counts and amounts over all entries of the books. */
export type Totals = {
  transactions: number
  by_state: Record<Transaction['state'], number>
  executions: number
  executed_more_than_once: number
  prompts: number
  /** The money that the twin took from payers, without reversed payments. */
  collected: bigint
  /** The money that the twin sent to receivers of payouts, without reversed payouts. */
  paid_out: bigint
  /** The money for payouts. Payments do not add to this float. */
  float: bigint
  sessions: number
  requests: Record<string, number>
  /** The number of requests that each check refused. */
  refusals: Record<string, number>
  struck: Record<string, number>
}

/** The entries of the books, in memory. */
export type Book = {
  by_conversation: Map<string, Transaction>
  /** The transactions by receipt, and by the conversation id that the twin chose. */
  by_own_id: Map<string, Transaction>
  /** The conversation ids of queries and reversals. A caller can use each id once only. */
  used: Set<string>
  float: bigint
  sessions: number
  requests: Record<string, number>
  refusals: Record<string, number>
}

/** Makes empty books. `float` is the money for payouts at the start, in whole shillings. */
export function createBook(float: bigint): Book {
  return {
    by_conversation: new Map(),
    by_own_id: new Map(),
    used: new Set(),
    float,
    sessions: 0,
    requests: {},
    refusals: {},
  }
}

/** Adds up the entries of the books. `struck` has the counts of faults. */
export function totalsOf(book: Book, struck: Record<string, number>): Totals {
  const totals: Totals = {
    transactions: book.by_conversation.size,
    by_state: { pending: 0, paid: 0, failed: 0, reversed: 0 },
    executions: 0,
    executed_more_than_once: 0,
    prompts: 0,
    collected: 0n,
    paid_out: 0n,
    float: book.float,
    sessions: book.sessions,
    requests: { ...book.requests },
    refusals: { ...book.refusals },
    struck: { ...struck },
  }
  for (const { kind, state, executions, reversals, prompts, amount } of book.by_conversation.values()) {
    totals.by_state[state]++
    totals.executions += executions
    totals.prompts += prompts
    if (executions > 1) totals.executed_more_than_once++
    const moved = amount * BigInt(executions - reversals)
    if (kind === 'c2b') totals.collected += moved
    else totals.paid_out += moved
  }
  return totals
}

/** Moves the money of a transaction. If the float is too low for the payout, moves nothing and returns false. */
export function execute(book: Book, transaction: Transaction): boolean {
  if (transaction.kind === 'b2c' && book.float < transaction.amount) return false
  if (transaction.kind === 'b2c') book.float -= transaction.amount
  transaction.executions++
  transaction.state = 'paid'
  return true
}

/** Reverses a transaction. The money of a payout returns to the float. */
export function reverse(book: Book, transaction: Transaction): void {
  if (transaction.kind === 'b2c') book.float += transaction.amount
  transaction.reversals++
  transaction.state = 'reversed'
}

/** Adds one to the count of `name`. A missing count is zero. */
export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
