// Chooses the fault of each call and the course of each payment: by magic number first, then by chance. A chance depends only
// on the seed, the reference, the call and its count, so a run is repeatable.

import { pick, share } from './chance.ts'
import {
  CALLBACK_KINDS,
  CALLS,
  type Call,
  type CallbackKind,
  PAYEE_FATES,
  PAYER_FATES,
  type PayeeFateName,
  type PayerFateName,
  WIRE_FAULTS,
  type WireFault,
} from './fates.ts'
import { type MagicNumber, magicPayee, magicPayer } from './magic.ts'

const GROUPS: Record<string, object> = {
  ...Object.fromEntries(CALLS.map((call) => [call, WIRE_FAULTS])),
  callback: CALLBACK_KINDS,
  payer: PAYER_FATES,
  payee: PAYEE_FATES,
}
/** The names of all faults and courses that can have a rate, for help texts. */
export const RATES_HELP: string = Object.entries({
  [CALLS.join(', ')]: WIRE_FAULTS,
  callback: CALLBACK_KINDS,
  payer: PAYER_FATES,
  payee: PAYEE_FATES,
})
  .map(([groups, kinds]) => `  ${groups}:\n      ${Object.keys(kinds).join(', ')}`)
  .join('\n')
/** The greatest allowed sum of the rates of a group. Rounding can make a sum of fractions slightly greater than 1. */
const SUM_MAX = 1 + 1e-9

/**
 * The seed, and the share of each fault in each group: a call, `callback`, `payer` or `payee`. The remaining calls have no
 * fault.
 */
export type Rates = { seed: string; rates: Record<string, Record<string, number>> }

/** Chooses the faults of calls, and the courses of payments and payouts. */
export type Faults = ReturnType<typeof createFaults>

/** Makes the chooser of faults. At the start, every rate is zero, so only magic numbers have faults. */
export function createFaults() {
  const current: Rates = { seed: 'malipo', rates: {} }
  const counts = new Map<string, number>()
  const struck: Record<string, number> = {}

  const count = (what: string): number => {
    const number = (counts.get(what) ?? 0) + 1
    counts.set(what, number)
    return number
  }
  const chance = (group: string, reference: string, number: number): string | null =>
    current.rates[group] ? pick(current.rates[group], share(current.seed, group, reference, number)) : null
  const strike = (kind: string, group: string): void => {
    struck[`${group}.${kind}`] = (struck[`${group}.${kind}`] ?? 0) + 1
  }

  return {
    current,
    /** Counts how often each fault and each course occurred, by chance or by magic number, as `group.kind`. */
    struck,
    set(changes: Partial<Rates>): Rates {
      return Object.assign(current, changes)
    },

    /**
     * Returns the fault of this call. If the call has no fault, returns null. `reference` is the reference of the order or
     * payout.
     */
    onWire(call: Call, reference: string, row: MagicNumber | null): WireFault | null {
      const number = count(`${call} ${reference}`)
      const magic = row?.fault?.call === call && number === 1 ? row.fault.kind : null
      const kind = row ? magic : (chance(call, reference, number) as WireFault | null)
      if (kind !== null) strike(kind, call)
      return kind
    },

    /** Returns the course of an order's payment after a prompt or a scan, and the way to send its callbacks. */
    payer(order_id: string, phone: string): { fate: PayerFateName; callbacks: CallbackKind } {
      const number = count(`payer ${order_id}`)
      const row = magicPayer(phone)
      const fate = row ? row.payer : (chance('payer', order_id, number) as PayerFateName | null)
      const callbacks = row ? row.callbacks : (chance('callback', order_id, number) as CallbackKind | null)
      const chosen = { fate: fate ?? 'pays', callbacks: callbacks ?? 'plain' } as const
      strike(chosen.fate, 'payer')
      strike(chosen.callbacks, 'callback')
      return chosen
    },

    /**
     * Returns the course of a payout. If no magic number or chance chooses another course, the receiver gets the money.
     */
    payee(reference: string, account: string): PayeeFateName {
      const number = count(`payee ${reference}`)
      const row = magicPayee(account)
      const by_row = row?.fault?.call === 'query' ? 'pending_pays' : row?.payee
      const fate = (row ? by_row : (chance('payee', reference, number) as PayeeFateName | null)) ?? 'pays'
      strike(fate, 'payee')
      return fate
    },
  }
}

/**
 * Reads rates from parsed JSON. If the rates are invalid, returns the name of the first invalid part as the problem.
 */
export function ratesOf(content: unknown): { read: Partial<Rates> } | { problem: string } {
  if (!isFields(content)) return { problem: 'the body' }
  const read: Partial<Rates> = {}
  for (const [name, value] of Object.entries(content)) {
    if (name === 'seed' && typeof value === 'string') read.seed = value
    else if (name === 'rates' && isFields(value)) {
      const problem = problemOfRates(value)
      if (problem !== null) return { problem }
      read.rates = inOrder(value as Rates['rates'])
    } else return { problem: name }
  }
  return { read }
}

function problemOfRates(groups: Record<string, unknown>): string | null {
  for (const [group, kinds] of Object.entries(groups)) {
    const known = Object.hasOwn(GROUPS, group) ? GROUPS[group] : undefined
    if (known === undefined || !isFields(kinds)) return group
    let sum = 0
    for (const [kind, rate] of Object.entries(kinds)) {
      if (!Object.hasOwn(known, kind) || typeof rate !== 'number' || !(rate >= 0)) return `${group}.${kind}`
      sum += rate
    }
    if (sum > SUM_MAX) return `${group}: the rates add up to more than 1`
  }
  return null
}

/** Sorts the rates by their names, so that the same rates in another order give the same chances. */
function inOrder(rates: Rates['rates']): Rates['rates'] {
  const sorted = Object.entries(rates).map(([group, kinds]) => [
    group,
    Object.fromEntries(Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1))),
  ])
  return Object.fromEntries(sorted)
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
