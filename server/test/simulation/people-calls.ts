// The calls of the steps of the model: who makes a call, about what, and how the model gets the answer.

import type { Answer, Caller } from './people-rig.ts'
import type { Approval, Paper, Person, Shop } from './people-rules.ts'
import type { PeopleLife } from './people-steps.ts'

/** The reason that operators state. */
export const REASON = 'The model decided so'

/** One call of a step, with the approvals that it makes. `run` returns the answers, and `apply` records them in the model. */
export type Act = {
  intents?: Omit<Approval, 'answer'>[]
  /** The pause or suspension that the call may end. */
  ending?: string
  run(): Promise<string[]>
  apply?(): void
}

/** The method and path of a call, and its body. */
export type Call = [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', url: string, body?: object]

/** Makes an act of one call. `apply` gets the answer. */
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

/** Returns any operator. */
export const operatorOf = (life: PeopleLife) => life.dice.pick(life.operators)
/** Writes an amount in cents as shillings. */
export const decimal = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`

/** Returns an operator without ties to the merchant, mostly, so that most decisions come through. */
export function deciderOf(life: PeopleLife, shop: Shop): Person {
  const free = life.operators.filter((person) => life.rules.counts(person, shop))
  return free.length > 0 && life.dice.chance(85) ? life.dice.pick(free) : operatorOf(life)
}

/** Returns a withdrawal of the merchant, mostly one for which `wanted` is true. */
export function paperOf(life: PeopleLife, shop: Shop, wanted: (paper: Paper) => boolean): Paper | null {
  const recent = shop.papers.slice(-60)
  const fit = recent.filter(wanted)
  if (fit.length > 0 && life.dice.chance(90)) return life.dice.pick(fit)
  return recent.length > 0 && life.dice.chance(25) ? life.dice.pick(recent) : null
}

/** Returns true if operators can still decide about the withdrawal. */
export const isOpen = ({ state }: Paper) => state === 'waiting' || state === 'info'

/** Returns a member with one of the roles, or the founder. */
export function memberOf(life: PeopleLife, shop: Shop, roles: readonly string[]): Person {
  const fit = [...shop.members].filter(([{ disabled }, { role }]) => roles.includes(role) && !disabled)
  return fit.length > 0 ? (life.dice.pick(fit)[0] as Person) : shop.founder
}
