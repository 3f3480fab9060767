// Runs one simulated life. Each event runs on the real server and on the model, and the test compares the results.

import assert from 'node:assert/strict'
import { type Event, HOUR, type ProviderAnswers, type Sent, TIMES } from './events.ts'
import {
  type AnswerSource,
  type CallResult,
  type Crash,
  Model,
  type ModelAnswer,
  type Modelled,
  type Price,
} from './model.ts'
import type { Rig, Shop } from './rig.ts'

/** A life: some merchants with their real records and their expected records. */
export class Life {
  readonly rig: Rig
  readonly shops: Shop[]
  model: Model
  /** The real withdrawals, in the order of the model. */
  readonly ids: string[] = []
  readonly references: string[] = []
  readonly collections: { merchant: number; id: string; amount: bigint }[] = []

  constructor(rig: Rig, shops: Shop[], given: readonly Price[]) {
    this.rig = rig
    this.shops = shops
    this.model = new Model(given, rig.world.deps.clock.now().getTime())
  }

  /** Applies one event to the server and to the model, and compares the two results. */
  async happen(event: Event): Promise<void> {
    const { rig, model } = this
    switch (event.what) {
      case 'collect':
        return this.collect(event)
      case 'take_back': {
        const [taken] = this.collections.splice(event.which % Math.max(1, this.collections.length), 1)
        if (taken === undefined) return
        await rig.reverseCollection(this.shopOf(taken.merchant), taken.id)
        return model.collect(taken.merchant, -taken.amount)
      }
      case 'submit':
        return this.submit(event)
      case 'adjust':
        return this.adjust(event)
      case 'race':
        return this.race(event)
      case 'tick':
        return this.tick(TIMES[event.time] as number, event)
      case 'pause':
        return this.pause(event.pause, true, event.process)
      case 'end_pause': {
        const [name] = model.pauses
        return name === undefined ? undefined : this.pause(name, false, event.process)
      }
      case 'suspend':
      case 'reactivate': {
        const suspends = event.what === 'suspend'
        // A reactivation prefers a suspended merchant, so that suspensions are short.
        const [suspended = event.merchant] = model.suspended
        const merchant = suspends ? event.merchant : suspended
        const path = `merchants/${this.shopOf(merchant).merchant.id}/${event.what}`
        return assert.equal(await rig.operate(event.process, path), model.suspend(merchant, suspends))
      }
      default: {
        const place = this.placeOf(event.which)
        const w = model.withdrawals[place]
        if (w !== undefined) return this.touch(event, w, place)
      }
    }
  }

  private async touch(
    event: Event & { what: 'approve' | 'retry' | 'review' | 'resolve' | 'hint' | 'cancel' | 'recall' },
    w: Modelled,
    place: number,
  ): Promise<void> {
    const { rig, model } = this
    const path = `withdrawals/${this.ids[place]}`
    switch (event.what) {
      case 'approve':
        return this.approve(event, w, place)
      case 'retry': {
        const answers = this.setAnswers(event.answers)
        const call = () => rig.operate(event.process, `${path}/retry`)
        const expected = model.retry(w, true)
        if (expected === 'ok') model.send(w, place, answers, event.crash)
        return assert.equal(await rig.dying(event.crash, event.crash ?? '', call), expected)
      }
      case 'review': {
        const body = { reject: { reason: 'No' }, 'request-info': { message: 'Who?' }, respond: {} }[event.verb]
        const done =
          event.verb === 'respond'
            ? await rig.respond(this.shopOf(w.merchant), this.ids[place] as string)
            : await rig.operate(event.process, `${path}/${event.verb}`, body)
        return assert.equal(done, model.review(w, event.verb))
      }
      case 'cancel':
        return assert.equal(
          await rig.cancel(event.process, this.shopOf(w.merchant), this.ids[place] as string),
          model.cancel(w),
        )
      case 'recall': {
        const body = { reason: 'The recipient is unknown' }
        return assert.equal(await rig.operate(event.process, `${path}/recall`, body), model.recall(w))
      }
      case 'resolve': {
        const body = { outcome: event.paid ? 'SUCCESS' : 'FAILED', reason: 'The bank told us' }
        for (const operator of event.operators) {
          const done = await rig.operate(event.process, `${path}/resolve`, body, operator)
          assert.equal(done, model.resolve(w, event.paid, operator))
        }
        return
      }
      case 'hint': {
        const answers = this.setAnswers(event.answers)
        const call = () => rig.callBack(event.process, this.references[place] as string)
        await Promise.all(Array.from({ length: event.times }, call))
        // Callbacks that arrive during a query share the next query, so the server queries once, or up to `times` times.
        const asks = (await this.records())[place]?.asks ?? null
        for (let i = 0; i < event.times && (i === 0 || w.payout?.asks !== asks); i++) model.hint(w, place, answers)
        assert.equal(w.payout?.asks ?? null, asks, 'the queries after callbacks')
      }
    }
  }

  /** Starts or ends a pause on the server and on the model. */
  private async pause(name: string, starts: boolean, process: number): Promise<void> {
    const { rig, model } = this
    const [scope = '', which] = name.split(' ')
    const target = scope === 'merchant' ? this.shopOf(Number(which)).merchant.id : (which ?? '')
    const expected = model.pause(name, starts)
    if (starts) {
      const body = { scope, reason: 'The bank is slow', ...(target === '' ? {} : { target }) }
      return assert.equal(await rig.operate(process, 'payout-pauses', body), expected)
    }
    const [row] = await rig.world.rows<{ id: string }>(
      'select id from payout_pauses where scope = $1 and target = $2 and ended_at is null',
      [scope, target],
    )
    const path = `payout-pauses/${row?.id}/end`
    assert.equal(await rig.operate(process, path, { reason: 'It is fast again' }), expected)
  }

  private async collect({ merchant, amount: minor }: Event & { what: 'collect' }): Promise<void> {
    // The live keys of a suspended merchant take no payments.
    if (this.model.suspended.has(merchant)) return
    this.collections.push({ merchant, amount: minor, id: await this.rig.collect(this.shopOf(merchant), minor) })
    this.model.collect(merchant, minor)
  }

  private async submit({ merchant, amount: minor }: Event & { what: 'submit' }): Promise<void> {
    const { code, id } = await this.rig.submit(this.shopOf(merchant), minor)
    assert.equal(code, this.model.submit(merchant, minor))
    if (code !== 'ok') return
    this.ids.push(id)
    this.references.push(`W${base32Of(id)}`)
  }

  private async adjust({ merchant, amount: minor, against, operators }: Event & { what: 'adjust' }): Promise<void> {
    const size = minor < 0n ? -minor : minor
    const body = {
      environment: 'live',
      direction: minor < 0n ? 'debit' : 'credit',
      amount: `${size / 100n}.${String(size % 100n).padStart(2, '0')}`,
      against,
      reason: 'It was wrong',
    }
    const name = { provider_float: 'float', fee_income: 'fees', processor_cost: 'costs' } as const
    for (const operator of operators) {
      const path = `merchants/${this.shopOf(merchant).merchant.id}/adjustments`
      const done = await this.rig.operate(0, path, body, operator)
      assert.equal(done, this.model.adjust(merchant, minor, name[against], operator))
    }
  }

  private async approve(event: Event & { what: 'approve' }, w: Modelled, place: number): Promise<void> {
    const { rig, model } = this
    const answers = this.setAnswers(event.answers)
    const call = () => rig.operate(event.process, `withdrawals/${this.ids[place]}/approve`, {}, event.operator)
    if (event.dies === 'no') {
      const done = await rig.dying(event.crash, event.crash ?? '', call)
      const expected = model.approve(w, true, event.operator)
      if (expected === 'ok' && w.status === 'PROCESSING') model.send(w, place, answers, event.crash)
      return assert.equal(done, expected)
    }
    // The process dies, so the operator gets no answer.
    await rig.dying('approve', `${event.dies}_commit`, call)
    if (event.dies === 'after') model.approve(w, true, event.operator)
  }

  /**
   * Lets operators act at the same moment. The result must equal the result of the same actions in at least one order.
   */
  private async race({ acts }: Event & { what: 'race' }): Promise<void> {
    if (this.ids.length === 0) return
    const placed = acts.map((act) => ({ ...act, place: this.placeOf(act.which) }))
    const done = await Promise.all(
      placed.map(({ verb: act, place, operator }, i) => {
        const id = this.ids[place] as string
        const { merchant } = this.model.withdrawals[place] as Modelled
        if (act === 'cancel') return this.rig.cancel(2 + (i % 2), this.shopOf(merchant), id)
        const [path, body] = CALLS[act] as (typeof CALLS)[string]
        return this.rig.operate(2 + (i % 2), `withdrawals/${id}/${path}`, body, operator)
      }),
    )
    const statuses = await this.statuses()
    const approvals = await this.approvals()
    for (const order of permutations(placed.map((_, i) => i))) {
      const fork = this.model.fork()
      const results = new Map(order.map((i) => [i, actOn(fork, placed[i] as (typeof placed)[number])]))
      const same = done.every((code, i) => code === results.get(i))
      // Two results are equal even if they differ in the operators whose approvals count.
      const alike = (w: Modelled, place: number) =>
        w.status === statuses[place] && w.approved_by.length === approvals[place]
      if (same && fork.withdrawals.every(alike)) {
        this.model = fork
        return
      }
    }
    assert.fail(`no order of ${placed.map((act) => act.verb)} leads to ${done} and ${statuses}`)
  }

  /** Moves the clock, and lets the processes do the due work. */
  async tick(ms: number, of: { processes: readonly number[]; answers: ProviderAnswers; crash: Crash }): Promise<void> {
    const answers = this.setAnswers(of.answers)
    this.rig.pass(ms)
    await this.rig.dying(of.crash, of.crash ?? '', () => this.rig.work(of.processes))
    this.model.tick(ms, answers, of.crash)
  }

  /** Sets the answers of the provider. About an executed payout, the provider never answers 'not found'. */
  private setAnswers({ says, sends }: ProviderAnswers): AnswerSource {
    const known = new Set(this.rig.executed.keys())
    const sayAt = (place: number): ModelAnswer => {
      const answer = says[place % says.length] as ModelAnswer
      const has = known.has(this.references[place] as string)
      return answer.kind === 'not_found' && has ? { kind: 'accepted' } : answer
    }
    const sendAt = (place: number) => sends[place % sends.length] as Sent
    this.rig.script = {
      says: (reference) => {
        const place = this.references.indexOf(reference)
        return place < 0 ? { kind: 'unknown' } : sayAt(place)
      },
      sends: (reference) => sendAt(this.references.indexOf(reference)),
      mayLeave: (reference) => {
        const w = this.model.withdrawals[this.references.indexOf(reference)]
        return w !== undefined && !this.model.isHeld(w.merchant)
      },
    }
    return { says: sayAt, sends: (place) => sendAt(place).answer }
  }

  /** Counts the valid approvals of each withdrawal. */
  private approvals(): Promise<number[]> {
    return this.rig.approvalsOf(
      this.model.withdrawals.map((w, place) => ({
        merchant_id: this.shopOf(w.merchant).merchant.id,
        id: this.ids[place] as string,
      })),
    )
  }

  /** Reads the real status of each withdrawal. */
  async statuses(): Promise<string[]> {
    return (await this.records()).map((row) => row.status)
  }

  /** Reads the real records, in the order of the model. */
  records(): Promise<
    { id: string; status: string; funds: string; failure: string | null; payout: string | null; asks: number | null }[]
  > {
    return this.rig.world.rows(
      `select w.id, w.status, w.funds, w.failure_reason_code as failure, p.state as payout, p.asks
       from unnest($1::uuid[], $2::uuid[]) with ordinality i(merchant_id, id, place)
       join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id
       left join payouts p on p.merchant_id = i.merchant_id and p.withdrawal_id = i.id order by place`,
      [this.model.withdrawals.map((w) => this.shopOf(w.merchant).merchant.id), this.ids],
    )
  }

  /**
   * If the server and the model differ, throws an error. Also throws if the provider executed a payout twice, or a payout left
   * during a pause or a suspension.
   */
  async compare(): Promise<void> {
    const { model, rig } = this
    assert.deepEqual(
      (await this.records()).map(({ status, funds, payout }) => ({ status, funds, payout })),
      model.withdrawals.map((w) => ({ status: w.status, funds: w.funds, payout: w.payout?.state ?? null })),
    )
    assert.deepEqual(
      await this.approvals(),
      model.withdrawals.map(({ approved_by }) => approved_by.length),
    )
    for (const [i, shop] of this.shops.entries()) assert.deepEqual(await rig.booksOf(shop), model.books[i])
    assert.deepEqual(rig.forbidden, [], 'no payout leaves while it is paused or its merchant is suspended')
    for (const reference of this.references) {
      const times = rig.executed.get(reference) ?? 0
      assert.ok(times <= 1, `the provider executed ${reference} ${times} times`)
    }
  }

  /**
   * Lets the provider report the true outcome of every payout, and asserts that no withdrawal stays in PROCESSING or
   * NEEDS_RECONCILIATION.
   */
  async heal(): Promise<void> {
    const { rig } = this
    await this.releaseAll()
    const truth = this.references.map<ModelAnswer>((reference) =>
      rig.executed.has(reference) ? { kind: 'paid', more: 0n } : { kind: 'declined' },
    )
    const sends: Sent[] = [{ answer: { kind: 'paid', more: 0n }, executes: true }]
    const says = truth.length > 0 ? truth : [{ kind: 'unknown' } as ModelAnswer]
    for (let i = 0; i < 2; i++) await this.tick(60 * HOUR, { processes: [0, 1], answers: { says, sends }, crash: null })
    const waiting = (await this.records()).filter(({ status }) =>
      ['PROCESSING', 'NEEDS_RECONCILIATION'].includes(status),
    )
    assert.deepEqual(waiting, [], 'when the provider reports every result, every withdrawal has ended')
  }

  /** Ends all pauses and suspensions. The next life shares the providers and destinations of this life. */
  async releaseAll(): Promise<void> {
    for (const name of [...this.model.pauses]) await this.pause(name, false, 0)
    for (const merchant of [...this.model.suspended]) await this.happen({ what: 'reactivate', merchant, process: 0 })
  }

  private placeOf(back: number): number {
    return this.ids.length === 0 ? -1 : this.ids.length - 1 - (back % this.ids.length)
  }

  private shopOf(place: number): Shop {
    return this.shops[place] as Shop
  }
}

const CALLS: Record<string, [path: string, body: object]> = {
  approve: ['approve', {}],
  reject: ['reject', { reason: 'No' }],
  'request-info': ['request-info', { message: 'Who?' }],
  'resolve-paid': ['resolve', { outcome: 'SUCCESS', reason: 'It arrived' }],
  'resolve-unpaid': ['resolve', { outcome: 'FAILED', reason: 'It did not arrive' }],
  retry: ['retry', {}],
  recall: ['recall', { reason: 'The recipient is unknown' }],
}

/**
 * Applies an operator's action to the model. The process of the action only serves HTTP, so a worker must send the payout.
 */
function actOn(
  model: Model,
  { verb: act, place, operator }: { verb: string; place: number; operator: number },
): CallResult {
  const w = model.withdrawals[place] as Modelled
  if (act === 'approve') return model.approve(w, false, operator)
  if (act === 'retry') return model.retry(w, false)
  if (act === 'cancel') return model.cancel(w)
  if (act === 'recall') return model.recall(w)
  if (act === 'reject' || act === 'request-info') return model.review(w, act)
  return model.resolve(w, act === 'resolve-paid', operator)
}

function permutations(items: number[]): number[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Computes the provider's reference of an id. The function shares no code with the product. */
export function base32Of(id: string): string {
  let value = BigInt(`0x${id.replaceAll('-', '')}`)
  let text = ''
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD[Number(value & 31n)] + text
    value >>= 5n
  }
  return text
}
