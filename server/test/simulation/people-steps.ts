// Draws the steps of the model of people and runs them on the real server. The rules then judge the answers, and the payouts
// that reached the provider.

import assert from 'node:assert/strict'
import { payoutAnswers } from '../payouts.ts'
import { DRAWN, endPauses, reactivate, STEPS, settle } from './people-acts.ts'
import type { Act } from './people-calls.ts'
import type { PeopleRig } from './people-rig.ts'
import { type Approval, type Facts, type Paper, type Person, Rules, type Shop } from './people-rules.ts'

/** The amount in cents from which on two operators must act at the start. */
export const FOUR_EYES = 1_000_000n
const SHOPS = 3
const OPERATORS = 7
/** The answers of the provider to payout requests. After `lost`, the provider has executed the payout without an answer. */
const ANSWERS = [
  ...([
    'paid',
    'paid',
    'paid',
    'paid',
    'accepted',
    'accepted',
    'lost',
    'unknown',
    'declined',
    'blocked',
    'not_sent',
  ] as const),
]
/** The codes with which the server refuses a person who is no operator. */
const NOT_OPERATOR = ['insufficient_role', 'invalid_session']
/**
 * The codes that the model does not judge here. `judgeLimits` judges the limits, and another model judges the balances.
 */
const FREE = ['payout_limit_reached', 'insufficient_balance']

/** Random choices from a seed. */
export type Dice = {
  below(limit: number): number
  pick<Item>(items: readonly Item[]): Item
  chance(percent: number): boolean
}

/** Makes choices from random numbers between 0 and 1. */
export function createDice(random: () => number): Dice {
  const below = (limit: number) => Math.floor(random() * limit)
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    chance: (percent) => random() * 100 < percent,
  }
}

/** A long life of an installation, which a test runs step by step. */
export class PeopleLife {
  private readonly counts: Map<string, number>
  readonly rig: PeopleRig
  readonly dice: Dice
  readonly rules = new Rules(FOUR_EYES)
  readonly shops: Shop[] = []
  readonly operators: Person[] = []
  /** The broken rules that the test found in the present step. */
  readonly problems: string[] = []
  /** The payouts whose records may still change. */
  readonly open = new Set<Paper>()
  private readonly sent: { paper: Paper; holds: string[]; may_send: boolean }[] = []
  private readonly recent: string[] = []
  private steps = 0

  /** The life adds the number of each event to `counts`. */
  constructor(rig: PeopleRig, dice: Dice, counts: Map<string, number>) {
    this.counts = counts
    this.rig = rig
    this.dice = dice
    rig.counter.pay = ({ reference, amount_minor }) => {
      const paper = this.rules.papers.get(reference) as Paper
      this.sent.push({ paper, holds: this.rules.holdsOf(paper), may_send: paper.may_send })
      const answer = dice.pick(ANSWERS)
      paper.executed ||= ['paid', 'accepted', 'lost'].includes(answer)
      paper.may_send = answer === 'not_sent'
      this.count(`provider ${answer}`)
      if (answer === 'paid') return payoutAnswers.paid(amount_minor)
      return answer === 'lost' ? payoutAnswers.unknown : payoutAnswers[answer]
    }
    rig.counter.status = ({ reference, amount_minor }) => {
      const paper = this.rules.papers.get(reference) as Paper
      if (paper.executed) return dice.chance(70) ? payoutAnswers.paid(amount_minor) : payoutAnswers.accepted
      const answer = dice.pick(['not_found', 'not_found', 'declined', 'unknown'] as const)
      if (answer === 'not_found') paper.may_send = true
      return payoutAnswers[answer]
    }
  }

  /** Makes the first merchants and operators of the life. */
  async begin(): Promise<void> {
    for (let i = 0; i < OPERATORS; i++) this.operators.push(await this.rig.newOperator())
    for (let i = 0; i < SHOPS; i++) this.shops.push(await this.rig.newShop())
  }

  /** Draws a step and runs it. If a rule is broken, throws an error that names each broken rule and the last steps. */
  async step(): Promise<void> {
    this.steps += 1
    const name = this.dice.pick(DRAWN)
    const acts = (await STEPS[name]?.draw(this, this.dice.pick(this.shops))) ?? []
    if (acts.length > 0) await this.perform(name, acts)
    if (this.problems.length > 0) {
      assert.fail(
        `step ${this.steps} broke a rule: ${this.problems.join('; ')}. Last steps:\n${this.recent.join('\n')}`,
      )
    }
  }

  /** Ends all pauses and suspensions, and lets the worker finish. */
  async finish(): Promise<void> {
    for (const acts of [...endPauses(this), ...this.shops.map((shop) => reactivate(this, shop))])
      await this.perform('release', acts)
    for (let i = 0; i < 4; i++) await this.perform('settle', settle(this, 40 * 60_000))
    assert.deepEqual(this.problems, [])
  }

  /** Counts an event. The test asserts that each interesting event happened. */
  count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  /** Makes calls at the same time, waits until all work has ended, and judges the answers and the sent payouts. */
  private async perform(name: string, acts: Act[]): Promise<void> {
    const { rules, rig } = this
    const shops = [
      ...new Set([...this.shops, ...acts.flatMap(({ intents = [] }) => intents.map(({ paper }) => paper.shop))]),
    ]
    const before = rules.facts(rig.now(), shops)
    const intents = acts.flatMap((act) => act.intents ?? [])
    const early = intents.map((intent) => rules.refusalsOf({ ...intent, answer: '' }))
    for (const { ending } of acts) if (ending !== undefined) rules.ending.add(ending)
    const answers = await Promise.all(acts.map((act) => act.run()))
    await rig.idle()
    await this.read()
    const decided = acts.flatMap((act, i) => (act.intents === undefined ? [] : (answers[i] ?? [])))
    const approvals = intents.map((intent, i) => ({ ...intent, answer: decided[i] ?? 'lost' }))
    this.note(name, acts, answers, approvals)
    this.judge(approvals, { early, before }, acts, shops)
    for (const { paper, holds, may_send } of this.sent.splice(0)) {
      this.count(paper.causes.size > 2 ? 'left, caused by three' : 'left, caused by two')
      this.problems.push(...rules.judgeSent({ ...paper, may_send }, holds))
    }
    rules.ending.clear()
  }

  private judge(
    approvals: Approval[],
    { early, before }: { early: string[][]; before: Facts },
    acts: Act[],
    shops: Shop[],
  ): void {
    const { rules, rig } = this
    const waited = new Set(approvals.filter(({ paper }) => paper.needs_two).map(({ paper }) => paper))
    for (const { answer, paper, by } of approvals) {
      if (answer === 'first') Object.assign(paper, { needs_two: true }).firsts.add(by)
    }
    const middle = approvals.map((approval) => rules.refusalsOf(approval))
    this.problems.push(...rules.judgeSums(approvals, before, waited))
    for (const act of acts) act.apply?.()
    const after = rules.facts(rig.now(), shops)
    this.problems.push(...rules.judgeLimits(approvals, before, after))
    const late = approvals.map((approval) => rules.refusalsOf(approval))
    rules.applyApprovals(approvals, before.day)
    const last = approvals.map((approval) => rules.refusalsOf(approval))
    for (const [i, { answer, paper, by }] of approvals.entries()) {
      const at = [early, middle, late, last].map((all) => all[i] ?? [])
      const must = at[0]?.filter((code) => at[2]?.includes(code)) ?? []
      const passed = answer === 'ok' || answer === 'first'
      if (passed && answer === 'ok') this.open.add(paper)
      if (passed && must.length > 0) this.problems.push(`${by.email} approved ${paper.id} although: ${must.join(', ')}`)
      const why = NOT_OPERATOR.includes(answer) ? 'not an operator' : answer
      if (!passed && !FREE.includes(answer) && !at.flat().includes(why)) {
        this.problems.push(`${by.email} was refused to approve ${paper.id} with ${answer} without cause`)
      }
    }
    const moved = approvals.filter(({ answer }) => answer === 'ok').map(({ paper }) => paper)
    if (new Set(moved).size < moved.length) this.problems.push('one withdrawal was approved twice at the same time')
  }

  private note(name: string, acts: Act[], answers: string[][], approvals: Approval[]): void {
    this.count(name)
    for (const code of answers.flat()) this.count(`${name}: ${code}`)
    if (acts.length > 1) this.count('calls at the same time')
    for (const { answer } of approvals) this.count(`approval: ${answer}`)
    const what = approvals.map(({ by, paper, answer }) => `${by.email.slice(0, 4)} ${paper.id.slice(-4)} ${answer}`)
    this.recent.push(`${this.steps} ${name} ${answers.flat().join(',')} ${what.join(', ')}`)
    if (this.recent.length > 25) this.recent.shift()
  }

  /** Reads the records of the payouts that may still change. */
  private async read(): Promise<void> {
    const papers = [...this.open]
    for (const paper of papers) paper.funds_before = paper.funds
    await this.rig.read(papers)
    for (const paper of papers) {
      if (paper.status === 'SUCCESS') paper.shop.paid.add(`${paper.code} ${paper.identifier}`)
      if (['SUCCESS', 'FAILED', 'CANCELLED', 'REVERSED'].includes(paper.status) && paper.funds === paper.funds_before) {
        this.open.delete(paper)
      }
    }
  }
}
