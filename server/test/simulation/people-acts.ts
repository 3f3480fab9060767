// Defines the actions of people in one step of the model: each entry of STEPS draws the calls of a step.

import {
  type Act,
  type Call,
  callAct,
  deciderOf,
  decimal,
  isOpen,
  memberOf,
  operatorOf,
  REASON,
} from './people-calls.ts'
import {
  approve,
  approveAct,
  approveBatch,
  approverOf,
  correct,
  recall,
  retry,
  review,
  submit,
} from './people-money.ts'
import type { Person, Shop, ShopKey } from './people-rules.ts'
import { FOUR_EYES, type PeopleLife } from './people-steps.ts'

const MINUTE = 60_000
const TIMES = [5_000, 40_000, 40_000, 10 * MINUTE, 300 * MINUTE, 1_560 * MINUTE]
const ROLES = ['MERCHANT_ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER']
/** The roles that may make API keys. */
const KEY_ROLES = ['MERCHANT_ADMIN', 'DEVELOPER']
const SCOPES = ['disbursements:write', 'disbursements:read']

/**
 * Draws several approvals at the same time, mostly together with a pause, a suspension, a new member, new limits or the
 * worker.
 */
async function race(life: PeopleLife, shop: Shop): Promise<Act[]> {
  const { dice } = life
  const papers = shop.papers.slice(-20).filter(isOpen)
  if (papers.length === 0) return []
  const one = dice.pick(papers)
  const same = dice.chance(40)
  const approvals = Array.from({ length: 2 + dice.below(3) }, () => {
    const paper = same ? one : dice.pick(papers)
    return approveAct(life, approverOf(life, paper), paper)
  })
  const other = dice.pick([startPause, startPause, suspend, invite, setLimits, work, () => []])
  return [...approvals, ...(await other(life, shop))]
}

function startPause(life: PeopleLife, shop: Shop): Act[] {
  const { rules, dice } = life
  const [scope, target] = dice.pick<[string, string?]>([
    ...([['platform'], ['merchant', shop.id], ['merchant', shop.id]] as [string, string?][]),
    ...([
      ['provider', 'mock'],
      ['destination', 'MPESA'],
      ['destination', 'AIRTEL'],
    ] as [string, string?][]),
  ])
  const name = target === undefined ? scope : `${scope} ${target}`
  const body = { scope, reason: REASON, ...(target === undefined ? {} : { target }) }
  return [
    callAct(life, operatorOf(life), ['POST', '/v1/operator/payout-pauses', body], ({ code, data }) => {
      if (code !== 'ok') return
      rules.pauses.set(name, data.id)
      life.count(`paused ${scope}`)
    }),
  ]
}

function endPauseNamed(life: PeopleLife, name: string, by: Person): Act[] {
  const { rules } = life
  const url = `/v1/operator/payout-pauses/${rules.pauses.get(name)}/end`
  const merchant = name.startsWith('merchant ') ? name.slice('merchant '.length) : null
  const shop = life.shops.find(({ id }) => id === merchant)
  const act = callAct(life, by, ['POST', url, { reason: REASON }], ({ code }) => {
    if (code !== 'ok') return
    rules.pauses.delete(name)
    if (shop?.ties.has(by)) life.problems.push(`${by.email} ended the pause of an own merchant`)
  })
  return [{ ...act, ending: name }]
}

function endPause(life: PeopleLife): Act[] {
  const names = [...life.rules.pauses.keys()]
  return names.length === 0 ? [] : endPauseNamed(life, life.dice.pick(names), operatorOf(life))
}

/** Ends each pause. If an operator has no ties to the paused merchant, this operator ends the pause. */
export function endPauses(life: PeopleLife): Act[][] {
  const by = (name: string) =>
    life.operators.find((person) =>
      life.shops.every((shop) => !name.includes(shop.id) || life.rules.counts(person, shop)),
    )
  return [...life.rules.pauses.keys()].map((name) => endPauseNamed(life, name, by(name) ?? operatorOf(life)))
}

function suspend(life: PeopleLife, shop: Shop): Act[] {
  return [
    callAct(life, operatorOf(life), ['POST', `/v1/operator/merchants/${shop.id}/suspend`, {}], ({ code }) => {
      if (code === 'ok') shop.suspended = true
    }),
  ]
}

/** Reactivates the drawn merchant. If the drawn merchant is not suspended, reactivates a suspended merchant instead. */
export function reactivate(life: PeopleLife, drawn: Shop): Act[] {
  const shop = drawn.suspended ? drawn : (life.shops.find(({ suspended }) => suspended) ?? drawn)
  const by = deciderOf(life, shop)
  const act = callAct(life, by, ['POST', `/v1/operator/merchants/${shop.id}/reactivate`, {}], ({ code }) => {
    if (code !== 'ok') return
    shop.suspended = false
    if (!life.rules.counts(by, shop)) life.problems.push(`${by.email} reactivated an own merchant`)
  })
  return [{ ...act, ending: `suspended ${shop.id}` }]
}

function setLimits(life: PeopleLife, shop: Shop): Act[] {
  const { dice } = life
  const daily = dice.pick([null, null, 1_500_000n, 3_000_000n])
  const destination = dice.pick([null, null, 600_000n, 1_500_000n])
  const shown = (minor: bigint | null) => (minor === null ? null : decimal(minor))
  const body = { daily_limit: shown(daily), daily_limit_per_destination: shown(destination), reason: REASON }
  const by = operatorOf(life)
  return [
    callAct(life, by, ['PUT', `/v1/operator/merchants/${shop.id}/payout-limits`, body], ({ code }) => {
      if (code !== 'ok') return
      if (shop.ties.has(by)) life.problems.push(`${by.email} changed the limits of an own merchant`)
      shop.limits = { daily, destination }
    }),
  ]
}

/** Draws an operator or a new person, whom the founder invites. */
async function invite(life: PeopleLife, shop: Shop): Promise<Act[]> {
  const { dice } = life
  // In some draws, the operator has already made a decision that waits for a second operator.
  const waiting = [...life.rules.waitingOf(shop)]
  const drawn = waiting.length > 0 && dice.chance(40) ? dice.pick(waiting) : operatorOf(life)
  const person = dice.chance(60) ? drawn : await life.rig.newPerson()
  const role = dice.pick(ROLES)
  const body = { email: person.email, role, merchant_id: shop.id }
  return [
    callAct(life, shop.founder, ['POST', '/v1/merchant/members', body], ({ code, data }) => {
      if (code !== 'ok') return
      shop.ties.add(person)
      shop.members.set(person, { id: data.id, role })
      life.count(person.operator ? 'an operator became a member' : 'another person became a member')
    }),
  ]
}

/** Draws a member who leaves, or whom the founder removes. The founder may keep keys of the member. */
function leave(life: PeopleLife, shop: Shop): Act[] {
  const { dice } = life
  const others = [...shop.members].filter(([person]) => person !== shop.founder && !person.disabled)
  if (others.length === 0) return []
  const [person, { id }] = dice.pick(others)
  const own = shop.keys.filter(({ maker }) => maker === person)
  const kept = dice.chance(50) ? own.slice(0, 1) : []
  const removes = kept.length > 0 || dice.chance(50)
  const keep = kept.length > 0 ? `&keep_keys=${kept.map((key) => key.id).join(',')}` : ''
  const url = `/v1/merchant/members/${id}?merchant_id=${shop.id}${keep}`
  return [
    callAct(life, removes ? shop.founder : person, ['DELETE', url], ({ code }) => {
      if (code !== 'ok') return
      shop.members.delete(person)
      shop.keys = shop.keys.filter((key) => key.maker !== person || kept.includes(key))
      life.count(person.operator ? 'an operator left a merchant' : 'another member left')
      if (kept.length > 0) life.count('a key outlived the membership of its maker')
    }),
  ]
}

function makeKey(life: PeopleLife, shop: Shop): Act[] {
  const maker = memberOf(life, shop, KEY_ROLES)
  const old = life.dice.chance(30) ? shop.keys.find(({ id }) => id !== '') : undefined
  const body = { merchant_id: shop.id, name: 'Payouts', environment: 'live', scopes: SCOPES }
  const call: Call =
    old === undefined
      ? ['POST', '/v1/merchant/api-keys', body]
      : ['POST', `/v1/merchant/api-keys/${old.id}/rotate`, { merchant_id: shop.id }]
  return [
    callAct(life, maker, call, ({ code, data }) => {
      if (code !== 'ok') return
      const key: ShopKey = { id: data.id, text: data.plaintext_key, maker }
      shop.keys = [...shop.keys.filter((one) => one !== old), key].slice(-6)
      shop.ties.add(maker)
      if (old !== undefined) life.count('a key was rotated')
    }),
  ]
}

function revokeKey(life: PeopleLife, shop: Shop): Act[] {
  const key = shop.keys.find(({ id }) => id !== '')
  if (key === undefined) return []
  const url = `/v1/merchant/api-keys/${key.id}/revoke?merchant_id=${shop.id}`
  return [
    callAct(life, shop.founder, ['PATCH', url], ({ code }) => {
      if (code === 'ok') shop.keys = shop.keys.filter((one) => one !== key)
    }),
  ]
}

/** Makes an action that changes the server's data without a call of the API. */
const commandAct = (work: () => Promise<void>): Act => ({ run: () => work().then(() => ['ok']) })

function reclaim(life: PeopleLife, shop: Shop): Act[] {
  return [
    commandAct(async () => {
      await life.rig.reclaim(shop)
      for (const person of [...shop.members.keys()]) if (person !== shop.founder) shop.members.delete(person)
      shop.keys = []
    }),
  ]
}

/** Disables an operator, or enables a disabled operator. */
function disable(life: PeopleLife): Act[] {
  const off = life.operators.filter(({ disabled }) => disabled)
  const person = off.length > 1 || (off.length > 0 && life.dice.chance(60)) ? life.dice.pick(off) : operatorOf(life)
  return [
    commandAct(async () => {
      await life.rig.setDisabled(person, !person.disabled)
      person.disabled = !person.disabled
    }),
  ]
}

/**
 * Replaces the operator who has ties to the most merchants by a new operator. If no operator has ties, changes nothing.
 */
function hire(life: PeopleLife): Act[] {
  const { rig, operators, shops } = life
  return [
    commandAct(async () => {
      const ties = (person: Person) => shops.filter((shop) => shop.ties.has(person)).length
      const old = operators.toSorted((a, b) => ties(b) - ties(a))[0] as Person
      if (ties(old) === 0) return
      await rig.takeOperatorRole(old)
      old.operator = false
      operators.splice(operators.indexOf(old), 1, await rig.newOperator())
      life.count('a new operator')
    }),
  ]
}

/** Replaces the oldest merchant by a new merchant. */
function openShop(life: PeopleLife): Act[] {
  return [
    commandAct(async () => {
      const [old] = life.shops.splice(0, 1)
      for (const paper of old?.papers ?? []) life.open.delete(paper)
      life.shops.push(await life.rig.newShop())
    }),
  ]
}

/** Restarts the processes with another FOUR_EYES_AMOUNT and other limits. */
function restart(life: PeopleLife): Act[] {
  const { dice, rules, rig } = life
  return [
    commandAct(async () => {
      const four_eyes = dice.pick([FOUR_EYES, FOUR_EYES, 400_000n, 2_500_000n, null])
      const [daily, destination] = [dice.pick([null, null, 4_000_000n]), dice.pick([null, null, 2_000_000n])]
      rig.restart({ four_eyes, daily, destination })
      Object.assign(rules, { four_eyes, daily, destination })
    }),
  ]
}

function work(life: PeopleLife): Act[] {
  const { rig, dice } = life
  return [commandAct(() => rig.work(dice.pick([[0], [1], [0, 1]])))]
}

/** Moves the clock, and lets the worker do the due work. */
export function settle({ rig }: PeopleLife, ms: number): Act[] {
  return [
    commandAct(async () => {
      rig.pass(ms)
      await rig.work([0, 1])
    }),
  ]
}

/** The steps. A step with a higher weight is more likely. */
export const STEPS: Record<string, { weight: number; draw(life: PeopleLife, shop: Shop): Act[] | Promise<Act[]> }> = {
  submit: { weight: 32, draw: submit },
  approve: { weight: 34, draw: approve },
  batch: { weight: 5, draw: approveBatch },
  race: { weight: 5, draw: race },
  review: { weight: 6, draw: review },
  recall: { weight: 3, draw: recall },
  retry: { weight: 4, draw: retry },
  correct: { weight: 6, draw: correct },
  pause: { weight: 3, draw: startPause },
  'end of a pause': { weight: 9, draw: endPause },
  suspend: { weight: 1, draw: suspend },
  reactivate: { weight: 3, draw: reactivate },
  limits: { weight: 3, draw: setLimits },
  invite: { weight: 3, draw: invite },
  leave: { weight: 3, draw: leave },
  key: { weight: 2, draw: makeKey },
  'revoked key': { weight: 1, draw: revokeKey },
  reclaim: { weight: 0.3, draw: reclaim },
  disable: { weight: 1, draw: disable },
  hire: { weight: 0.8, draw: hire },
  'new merchant': { weight: 0.5, draw: openShop },
  restart: { weight: 0.5, draw: restart },
  work: { weight: 5, draw: work },
  time: { weight: 12, draw: (life) => settle(life, life.dice.pick(TIMES)) },
}

/** The names of the steps, from which a life draws. The number of copies of a name is ten times its weight. */
export const DRAWN = Object.entries(STEPS).flatMap(([name, { weight }]) => Array<string>(weight * 10).fill(name))
