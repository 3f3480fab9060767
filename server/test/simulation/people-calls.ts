// Makes the calls of the steps of the model: the caller, the subject of the call, and the record of the answer in the model.

import type { Answer, Caller } from './people-rig.ts'
import type { Approval, Paper, Person, Shop } from './people-rules.ts'
import type { PeopleLife } from './people-steps.ts'

/** The reason that operators give for a decision. */
export const REASON = 'The model decided so'

/**
 * One action of a step, with the approvals that it makes. `run` returns the answers, and `apply` records them in the model.
 */
export type Act = {
  intents?: Omit<Approval, 'answer'>[]
  /** The pause or suspension that the call may end. */
  ending?: string
  run(): Promise<string[]>
  apply?(): void
}

/** The method and path of a call, and its body. */
export type Call = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object]

/** Makes an action of one call. `apply` gets the answer. */
export function callAct(
  life: PeopleLife,
  caller: Caller,
  [method, url, body]: Call,
  apply: (answer: Answer) => void = () => {},
): Act {
  let answer: Answer = { code: 'lost', data: null }
  return {
    async run() {
      answer = await life.rig.call(caller, life.dice.below(2), method, url, body)
      return [answer.code]
    },
    apply: () => apply(answer),
  }
}

/** Returns a random operator. */
export const operatorOf = (life: PeopleLife) => life.dice.pick(life.operators)
/** Converts an amount in cents to a text in shillings. */
export const decimal = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`

/** Returns mostly an operator without ties to the merchant, so that the server accepts most decisions. */
export function deciderOf(life: PeopleLife, shop: Shop): Person {
  const free = life.operators.filter((person) => life.rules.counts(person, shop))
  return free.length > 0 && life.dice.chance(85) ? life.dice.pick(free) : operatorOf(life)
}

/**
 * Returns mostly a withdrawal of the merchant for which `wanted` is true. Null means that the draw found no withdrawal.
 */
export function paperOf(life: PeopleLife, shop: Shop, wanted: (paper: Paper) => boolean): Paper | null {
  const recent = shop.papers.slice(-60)
  const fit = recent.filter(wanted)
  if (fit.length > 0 && life.dice.chance(90)) return life.dice.pick(fit)
  return recent.length > 0 && life.dice.chance(25) ? life.dice.pick(recent) : null
}

/** Returns true if operators can still decide about the withdrawal. */
export const isOpen = ({ state }: Paper) => state === 'waiting' || state === 'info'

/** Returns a random enabled member with one of the roles. If no member has such a role, returns the founder. */
export function memberOf(life: PeopleLife, shop: Shop, roles: readonly string[]): Person {
  const fit = [...shop.members].filter(([{ disabled }, { role }]) => roles.includes(role) && !disabled)
  return fit.length > 0 ? (life.dice.pick(fit)[0] as Person) : shop.founder
}
