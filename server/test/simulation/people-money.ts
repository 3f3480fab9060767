// Defines the actions about money in one step of the model: people submit, approve, question, recall, retry and correct.

import { base32Of } from './life.ts'
import {
  type Act,
  type Call,
  callAct,
  deciderOf,
  decimal,
  isOpen,
  memberOf,
  operatorOf,
  paperOf,
  REASON,
} from './people-calls.ts'
import type { Paper, Person, Shop } from './people-rules.ts'
import type { PeopleLife } from './people-steps.ts'

const PHONES = ['255754000001', '255754000002', '255754000003', '255754000004']
const CODES = ['MPESA', 'AIRTEL']
/** The roles that may submit and cancel withdrawals. */
const MONEY_ROLES = ['MERCHANT_ADMIN', 'FINANCE']

/** Submits a withdrawal with a session or with an API key. */
export function submit(life: PeopleLife, shop: Shop): Act[] {
  const { dice, rules } = life
  const amount = BigInt(dice.chance(12) ? dice.below(1_400_000) : dice.below(350_000)) + 100n
  const [identifier, code] = [dice.pick(PHONES), dice.pick(CODES)]
  const key = dice.chance(55) && shop.keys.length > 0 ? dice.pick(shop.keys) : null
  const person = memberOf(life, shop, MONEY_ROLES)
  const common = { merchant_id: shop.id, amount: decimal(amount), destination_code: code, destination_name: 'Asha' }
  const body =
    key === null
      ? { ...common, environment: 'live', method: 'MOBILE_MONEY', destination_phone: identifier }
      : { ...common, destination_identifier: identifier }
  const url = key === null ? '/v1/merchant/withdrawals' : '/v1/disbursements/mobile-money'
  const submitters = new Set(key === null ? [person] : key.maker === null ? [] : [key.maker])
  return [
    callAct(life, key === null ? person : key.text, ['POST', url, body], ({ code: answer, data }) => {
      if (answer !== 'ok') return
      const { id } = data
      const paper: Paper = {
        ...{ id, reference: `W${base32Of(id)}`, shop, amount, code, identifier, submitters, state: 'waiting' },
        ...{ firsts: new Set(), needs_two: false, causes: new Set(), approved_day: null, status: '', funds: 'none' },
        ...{ funds_before: 'none', executed: false, may_send: true },
      }
      shop.papers.push(paper)
      rules.papers.set(paper.reference, paper)
      life.count(key === null ? 'submitted by a session' : 'submitted by a key')
      if ([...submitters].some(({ operator }) => operator))
        life.count('submitted by an operator, or with the key of one')
    }),
  ]
}

/** Makes the action of an operator who approves a withdrawal. */
export function approveAct(life: PeopleLife, by: Person, paper: Paper): Act {
  const { rig, dice } = life
  const confirmed = dice.chance(80)
  const [process, url] = [dice.below(2), `/v1/operator/withdrawals/${paper.id}/approve`]
  return {
    intents: [{ by, paper, confirmed }],
    async run() {
      const { code, data } = await rig.call(
        by,
        process,
        'POST',
        url,
        confirmed ? { confirm_new_destination: true } : {},
      )
      return [code !== 'ok' ? code : data.status === 'PROCESSING' ? 'ok' : 'first']
    },
  }
}

/** Draws one approval. If the draw finds no withdrawal, returns no action. */
export function approve(life: PeopleLife, shop: Shop): Act[] {
  const paper = paperOf(life, shop, isOpen)
  return paper === null ? [] : [approveAct(life, approverOf(life, paper), paper)]
}

/** Returns the person who approves: in some draws the submitter, or an operator who has already approved. */
export function approverOf(life: PeopleLife, paper: Paper): Person {
  const near = [...paper.submitters, ...paper.firsts]
  return near.length > 0 && life.dice.chance(15) ? life.dice.pick(near) : deciderOf(life, paper.shop)
}

/** Draws one call that approves several withdrawals. */
export function approveBatch(life: PeopleLife): Act[] {
  const { rig, dice } = life
  const open = life.shops.flatMap(({ papers }) => papers.slice(-30).filter(isOpen))
  const papers = [...new Set(Array.from({ length: 2 + dice.below(6) }, () => dice.pick(open)))]
  if (open.length === 0) return []
  const by = deciderOf(life, dice.pick(life.shops))
  const confirmed = dice.chance(80)
  return [
    {
      intents: papers.map((paper) => ({ by, paper, confirmed })),
      async run() {
        const body = { withdrawal_ids: papers.map(({ id }) => id), confirm_new_destination: confirmed }
        const url = '/v1/operator/withdrawals/approve-batch'
        const { code, data } = await rig.call(by, dice.below(2), 'POST', url, body)
        if (code !== 'ok') return papers.map(() => code)
        return data.items.map((item: { ok: boolean; code: string; status: string }) =>
          item.ok ? (item.status === 'PROCESSING' ? 'ok' : 'first') : item.code,
        )
      },
    },
  ]
}

/** Draws one action about a waiting withdrawal: reject, question, answer or cancel. */
export function review(life: PeopleLife, shop: Shop): Act[] {
  const verb = life.dice.pick(['reject', 'request-info', 'request-info', 'respond', 'cancel'])
  const paper = paperOf(life, shop, ({ state }) => state === (verb === 'respond' ? 'info' : 'waiting'))
  if (paper === null) return []
  const merchant = verb === 'respond' || verb === 'cancel'
  const body = { reject: { reason: REASON }, 'request-info': { message: REASON }, respond: { message: REASON } }[verb]
  const base = merchant ? '/v1/merchant' : '/v1/operator'
  const own = merchant ? { merchant_id: shop.id, environment: 'live' } : {}
  const caller = merchant ? memberOf(life, shop, MONEY_ROLES) : operatorOf(life)
  const call: Call = ['POST', `${base}/withdrawals/${paper.id}/${verb}`, { ...own, ...body }]
  return [
    callAct(life, caller, call, ({ code }) => {
      if (code !== 'ok' || paper.state === 'ended') return
      paper.state = verb === 'request-info' ? 'info' : verb === 'respond' ? 'waiting' : 'ended'
      if (verb !== 'respond') paper.firsts.clear()
    }),
  ]
}

/** Draws the recall of an approved payout. */
export function recall(life: PeopleLife, shop: Shop): Act[] {
  const paper = paperOf(life, shop, ({ status, state }) => state === 'approved' && status === 'PROCESSING')
  if (paper === null) return []
  const call: Call = ['POST', `/v1/operator/withdrawals/${paper.id}/recall`, { reason: REASON }]
  return [
    callAct(life, operatorOf(life), call, ({ code }) => {
      if (code === 'ok') paper.state = 'ended'
    }),
  ]
}

/** Draws the retry of a payout that the provider refused. */
export function retry(life: PeopleLife, shop: Shop): Act[] {
  const { rules } = life
  const paper = paperOf(life, shop, ({ status }) => status === 'BLOCKED_IP_WHITELIST')
  if (paper === null) return []
  const by = deciderOf(life, shop)
  const holds = rules.holdsOf(paper)
  const before = paper.may_send
  const act = callAct(life, by, ['POST', `/v1/operator/withdrawals/${paper.id}/retry`, {}], ({ code }) => {
    if (code !== 'ok') paper.may_send = before
    else if (!rules.counts(by, shop) || holds.length > 0)
      life.problems.push(`${by.email} retried ${paper.id}: ${holds}`)
    else life.count('retried')
    if (code === 'conflict_of_interest' && rules.counts(by, shop)) life.problems.push(`${by.email} has no conflict`)
    if (code === 'payouts_paused' && holds.length === 0) life.problems.push(`${paper.id} is not paused`)
  })
  const { run } = act
  return [
    {
      ...act,
      run() {
        if (paper.status === 'BLOCKED_IP_WHITELIST') paper.may_send = true
        return run()
      },
    },
  ]
}

/** Draws a correction: an adjustment, the resolution of a payout, or the clearing of a held payment. */
export async function correct(life: PeopleLife, shop: Shop): Promise<Act[]> {
  const { dice, rig, rules } = life
  const kind = dice.pick(['adjust', 'adjust', 'resolve', 'clear', 'clear'])
  // The draw makes the correction once. A later draw may make the same correction again, by the same or another operator.
  const by = deciderOf(life, shop)
  if (kind === 'adjust') {
    const amount = dice.pick([50_000n, 200_000n, 400_000n, 1_100_000n])
    const body = {
      environment: 'live',
      direction: 'credit',
      against: 'provider_float',
      amount: decimal(amount),
      reason: REASON,
    }
    return [
      correctionAct(life, { by, shop, what: `adjust ${shop.id} ${amount}`, amount }, [
        `merchants/${shop.id}/adjustments`,
        body,
      ]),
    ]
  }
  if (kind === 'clear') {
    if (shop.held.every(({ waiting }) => !waiting) && !shop.suspended) {
      const amount = dice.pick([100_000n, 500_000n, 1_200_000n])
      shop.held.push({ id: await rig.hold(shop, amount), amount, waiting: true })
    }
    const held = shop.held.at(-1)
    if (held === undefined) return []
    const what = `clear ${held.id}`
    const path = `collections/${held.id}/clear`
    return [
      correctionAct(
        life,
        { by, shop, what, amount: held.amount },
        [path, { decision: 'approve', reason: REASON }],
        () => {
          held.waiting = false
        },
      ),
    ]
  }
  const paper = paperOf(life, shop, ({ status }) => ['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST'].includes(status))
  if (paper === null) return []
  const body = { outcome: paper.executed ? 'SUCCESS' : 'FAILED', reason: REASON }
  const what = `resolve ${paper.id} ${body.outcome}`
  return [
    correctionAct(life, { by, shop, what, amount: paper.amount }, [`withdrawals/${paper.id}/resolve`, body], () => {
      paper.state = 'ended'
    }),
  ]

  function correctionAct(
    of: PeopleLife,
    correction: { by: Person; shop: Shop; what: string; amount: bigint },
    [path, sent]: [string, object],
    done: () => void = () => {},
  ): Act {
    return callAct(of, correction.by, ['POST', `/v1/operator/${path}`, sent], ({ code, data }) => {
      const waits = code === 'ok' && data.approvals_required === 2 && data.approvals.length < 2
      const answer = waits ? 'first' : code
      of.count(`correction: ${answer}`)
      of.problems.push(...rules.correct({ ...correction, answer }, rig.now()))
      if (answer === 'ok') done()
    })
  }
}
