// Chooses the fault of a request by chance. Chooses the course of its payment by the number's last three digits, then by
// chance. A chance depends only on the seed, the request's id and its count, so a run is repeatable.

import { hash } from 'node:crypto'

/** HTTP status and code of an answer. Null means that the twin never answers the request. */
type FateReply = readonly [http: number, code: string] | null

/**
 * The course of a payment or payout: the answer, and the true state of the money. `later` is the true state after one more
 * pause.
 */
export type Fate = {
  reply: FateReply
  truth: 'paid' | 'failed' | 'pending'
  later?: 'paid' | 'reversed'
  receipt?: string
}

/** The documented answer of this market for a correct request that fails. */
const FAILED = [401, 'INS-6'] as const

/** The courses of payments and payouts, by name. */
export const FATES = {
  pays: { reply: [201, 'INS-0'], truth: 'paid' },
  fails: { reply: FAILED, truth: 'failed' },
  low_balance: { reply: [422, 'INS-2006'], truth: 'failed' },
  no_such_number: { reply: [400, 'INS-2051'], truth: 'failed' },
  over_limit: { reply: [400, 'INS-990'], truth: 'failed' },
  times_out: { reply: [408, 'INS-9'], truth: 'failed' },
  times_out_pays: { reply: [408, 'INS-9'], truth: 'pending', later: 'paid' },
  internal_fails: { reply: [400, 'INS-1'], truth: 'failed' },
  internal_pays: { reply: [400, 'INS-1'], truth: 'paid' },
  fails_then_pays: { reply: FAILED, truth: 'failed', later: 'paid' },
  returned: { reply: [201, 'INS-0'], truth: 'paid', later: 'reversed' },
  never: { reply: null, truth: 'pending' },
  strange_code_pays: { reply: [400, 'INS-7777'], truth: 'paid' },
  no_receipt: { reply: [201, 'INS-0'], truth: 'paid', receipt: 'N/A' },
} as const satisfies Record<string, Fate>
/** The name of a course, as rates and magic numbers use it. */
export type FateName = keyof typeof FATES

/** The courses by the last three digits of a phone. A chance chooses the course of any other phone. */
export const MAGIC: Readonly<Record<string, FateName>> = {
  '001': 'pays',
  '002': 'fails',
  '003': 'low_balance',
  '004': 'no_such_number',
  '005': 'over_limit',
  '006': 'times_out',
  '007': 'times_out_pays',
  '008': 'internal_fails',
  '009': 'internal_pays',
  '010': 'fails_then_pays',
  '011': 'never',
  '012': 'returned',
  '013': 'strange_code_pays',
  '014': 'no_receipt',
}

/** A description of each course, for the printed table. */
const HAPPENS: Readonly<Record<FateName, string>> = {
  pays: 'paid',
  fails: 'failed (INS-6)',
  low_balance: 'the payer, or the float of payouts, has too little money (INS-2006)',
  no_such_number: 'no such number (INS-2051)',
  over_limit: 'over a limit of the customer (INS-990)',
  times_out: 'timeout (INS-9), and not paid',
  times_out_pays: 'timeout (INS-9), then paid',
  internal_fails: 'internal error (INS-1), and not paid',
  internal_pays: 'internal error (INS-1), but paid',
  fails_then_pays: 'failed (INS-6), but later paid',
  never: 'never answered, and always pending',
  returned: 'paid, then reversed',
  strange_code_pays: 'an unknown code (INS-7777), but paid',
  no_receipt: 'paid, and the answer has no receipt',
}

/** Returns the table of magic numbers, for the control API and the terminal. */
export function magicRows(): { ending: string; happens: string }[] {
  return Object.entries(MAGIC).map(([ending, fate]) => ({ ending, happens: HAPPENS[fate] }))
}

/** The faults of a call. If `executes` is true, the twin executes the call in spite of the fault. */
export const WIRE_FAULTS = {
  hang_before: { executes: false },
  hang_after: { executes: true },
  reset_before: { executes: false },
  reset_after: { executes: true },
  html_before: { executes: false },
  html_after: { executes: true },
  error_before: { executes: false },
  error_after: { executes: true },
  empty: { executes: true },
  truncated: { executes: true },
  limited: { executes: false },
  /** The caller gets a web page, as from a firewall before the gateway. */
  wall: { executes: false },
  /** The twin ends the session of the call before it checks the session. */
  session_ends: { executes: false },
} as const
/** The name of a fault of a call, as rates use it. */
export type WireFault = keyof typeof WIRE_FAULTS

/** The kinds of calls. Rates and counts of faults use these names. */
export const CALLS = ['session', 'c2b', 'b2c', 'query', 'reversal', 'name'] as const
/** The kind of a call: `c2b` is a payment, and `b2c` is a payout. */
export type Call = (typeof CALLS)[number]

/**
 * The seed, and the share of each fault for each call. The group `fate` has the share of each course. The remaining calls have
 * no fault.
 */
export type Rates = { seed: string; rates: Partial<Record<Call | 'fate', Record<string, number>>> }

/** Chooses the faults of calls, and the courses of payments and payouts. */
export type Chances = {
  set(rates: Partial<Rates>): void
  onWire(call: Call, id: string): WireFault | null
  fate(id: string, msisdn: string): FateName
  /** The number of times that a chance chose each fault and each course, by `group.kind`. */
  struck: Record<string, number>
}

/** Makes the chooser of faults. At the start, every rate is zero. */
export function createChances(): Chances {
  let current: Rates = { seed: 'malipo', rates: {} }
  const counts = new Map<string, number>()
  const struck: Record<string, number> = {}
  const draw = (group: Call | 'fate', id: string): string | null => {
    const kinds = current.rates[group]
    if (kinds === undefined) return null
    const what = `${group}\n${id}`
    const count = (counts.get(what) ?? 0) + 1
    counts.set(what, count)
    const chance = hash('sha256', `${current.seed}\n${what}\n${count}`, 'buffer').readUIntBE(0, 6) / 2 ** 48
    let end = 0
    for (const kind in kinds) {
      end += kinds[kind] ?? 0
      if (chance >= end) continue
      struck[`${group}.${kind}`] = (struck[`${group}.${kind}`] ?? 0) + 1
      return kind
    }
    return null
  }
  return {
    struck,
    set(rates) {
      for (const [group, kinds] of Object.entries(rates.rates ?? {})) {
        const known = group === 'fate' ? FATES : WIRE_FAULTS
        if (group !== 'fate' && !(CALLS as readonly string[]).includes(group))
          throw new Error(`the rates of faults are invalid: there is no group ${group}`)
        for (const kind of Object.keys(kinds ?? {})) {
          if (!Object.hasOwn(known, kind))
            throw new Error(`the rates of faults are invalid: there is no kind ${group}.${kind}`)
        }
      }
      current = { ...current, ...rates }
    },
    onWire: (call, id) => draw(call, id) as WireFault | null,
    fate: (id, msisdn) => MAGIC[msisdn.slice(-3)] ?? (draw('fate', id) as FateName | null) ?? 'pays',
  }
}
