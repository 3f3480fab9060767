// Computes the expected behaviour of withdrawals, without database and processes; a payout only has the end time of its lease.
// The model shares no code with the product, so a mistake in either shows as a difference.

/** The refusals that the model can return, or 'ok'. */
export type CallResult =
  | 'ok'
  | 'invalid_state'
  | 'insufficient_balance'
  | 'second_operator_required'
  | 'withdrawal_restricted'
  | 'payouts_paused'
  | 'production_access_restricted'

/**
 * The parts of a provider's answer that the model needs. `more` is the difference to the requested amount, in cents.
 */
export type ModelAnswer =
  | { kind: 'accepted' | 'blocked' | 'not_sent' | 'not_found' | 'unknown' | 'declined'; again_ms?: number }
  | { kind: 'paid' | 'reversed'; more: bigint; charge_returned?: boolean; again_ms?: number }

/** The fees and charges of a merchant's price list. */
export type Price = { hundredths: bigint; flat: bigint; processor: bigint; passed_on: boolean }

/** A merchant's book, with the sums of the movements. */
export type ModelBook = { available: bigint; reserved: bigint; fees: bigint; costs: bigint; float: bigint }

type ModelPayout = {
  state: 'to_send' | 'sending' | 'asked' | 'blocked' | 'final'
  due: number
  /** From this time on, the platform no longer sends the payout. */
  deadline: number
  asks: number
  /** True means that the provider has answered about the payout. */
  taken: boolean
}

/** A withdrawal, as the model expects the platform to store it. */
export type Modelled = {
  merchant: number
  amount: bigint
  fee: bigint
  charge: bigint
  /** The part of the charge that the merchant pays. */
  borne: bigint
  status: string
  funds: string
  payout: ModelPayout | null
  /** The operators who approved the withdrawal after the last question to the merchant. */
  approved_by: number[]
  /** The number of operators that have to approve. Null means that no operator has approved. */
  required: 1 | 2 | null
  /** Counts the moves and the recorded answers. A decision of an operator is valid only for one version. */
  version: number
  /** The provider's answers that the platform has recorded. */
  recorded: Set<string>
}

const HOUR = 3_600_000
/** The FOUR_EYES_AMOUNT setting of the simulated processes, in cents. */
export const FOUR_EYES = 6_000n
/** The PAYOUT_DEADLINE_H setting of the simulated processes, in hours. */
export const DEADLINE_H = 48
const WEEK = 7 * 24 * HOUR
const LEASE_MS = 15_000
/** The time after which the platform checks again whether a held payout may leave. */
const HOLD_MS = 30_000
const PAUSES_S = [2, 5, 10, 20, 40, 60, 120, 300, 600, 1_800, 3_600]
const WAITING = ['PENDING_ADMIN_APPROVAL', 'INFO_REQUESTED']
const UNSETTLED = ['PROCESSING', 'NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST']
const STUCK = ['NEEDS_RECONCILIATION', 'BLOCKED_IP_WHITELIST', 'NEEDS_ADMIN_ATTENTION']

/** The points at which a process can die while it sends or settles a payout. */
export type Crash = 'before_send' | 'after_send' | 'before_commit' | 'after_commit' | null

/** The provider's next answers to a status query and to a payout request. */
export type AnswerSource = { says(place: number): ModelAnswer; sends(place: number): ModelAnswer }

/** The expected state of several merchants. */
export class Model {
  now = 0
  books: ModelBook[]
  withdrawals: Modelled[] = []
  /** The sums of operators' decisions in cents, by the name of the sum and the day in Tanzania. */
  sums = new Map<string, bigint>()
  /** The first decision about each correction that waits for a second operator. */
  waiting = new Map<string, { operator: number; at: number }>()
  /** The pauses in force, each as `scope target`. */
  pauses = new Set<string>()
  /** The suspended merchants. */
  suspended = new Set<number>()
  readonly prices: readonly Price[]
  /** The time of the clock at the beginning of the life. */
  readonly start: number

  constructor(prices: readonly Price[], start: number) {
    this.prices = prices
    this.start = start
    this.books = prices.map(() => ({ available: 0n, reserved: 0n, fees: 0n, costs: 0n, float: 0n }))
  }

  /** Returns a copy of the model, on which the test tries one order of events. */
  fork(): Model {
    const copy = new Model(this.prices, this.start)
    copy.now = this.now
    copy.books = structuredClone(this.books)
    copy.withdrawals = structuredClone(this.withdrawals)
    copy.sums = new Map(this.sums)
    copy.waiting = structuredClone(this.waiting)
    copy.pauses = new Set(this.pauses)
    copy.suspended = new Set(this.suspended)
    return copy
  }

  collect(merchant: number, amount: bigint): void {
    const book = this.bookOf(merchant)
    book.available += amount
    book.float -= amount
  }

  /** Starts or ends a pause. Returns the answer that the API must give. */
  pause(name: string, starts: boolean): CallResult {
    if (this.pauses.has(name) === starts) return 'invalid_state'
    if (starts) this.pauses.add(name)
    else this.pauses.delete(name)
    return 'ok'
  }

  /** Suspends or reactivates a merchant. Returns the answer that the API must give. */
  suspend(merchant: number, is_suspended: boolean): CallResult {
    if (this.suspended.has(merchant) === is_suspended) return 'invalid_state'
    if (is_suspended) this.suspended.add(merchant)
    else this.suspended.delete(merchant)
    return 'ok'
  }

  /** Returns true if no payout of the merchant may leave now. */
  isHeld(merchant: number): boolean {
    return this.suspended.has(merchant) || this.isPaused(merchant)
  }

  private isPaused(merchant: number): boolean {
    return ['platform', `merchant ${merchant}`, 'provider mock', 'destination MPESA'].some((name) =>
      this.pauses.has(name),
    )
  }

  adjust(merchant: number, amount: bigint, against: 'float' | 'fees' | 'costs', operator: number): CallResult {
    const book = this.bookOf(merchant)
    if (amount < 0n && book.available + amount < 0n) return 'insufficient_balance'
    const size = amount < 0n ? -amount : amount
    const decided = this.correct(merchant, size, `adjust ${merchant} ${amount} ${against}`, operator)
    if (decided !== 'last') return decided === 'first' ? 'ok' : decided
    book.available += amount
    book[against] -= amount
    return 'ok'
  }

  submit(merchant: number, amount: bigint): CallResult {
    if (this.suspended.has(merchant)) return 'production_access_restricted'
    const { hundredths, flat, processor, passed_on } = this.prices[merchant] as Price
    const product = amount * hundredths
    const rounded = product / 10_000n + (product % 10_000n >= 5_000n ? 1n : 0n)
    const fee = rounded + flat
    const borne = passed_on ? processor : 0n
    if (this.bookOf(merchant).available < amount + fee + borne) return 'insufficient_balance'
    const start = {
      status: 'PENDING_ADMIN_APPROVAL',
      funds: 'none',
      payout: null,
      approved_by: [],
      required: null,
      version: 0,
    }
    this.withdrawals.push({ merchant, amount, fee, charge: processor, borne, ...start, recorded: new Set() })
    return 'ok'
  }

  /** Records an operator's approval. The last required approval reserves the money for the payout. */
  approve(w: Modelled, leased: boolean, operator: number): CallResult {
    if (!WAITING.includes(w.status)) return 'invalid_state'
    const book = this.bookOf(w.merchant)
    const total = w.amount + w.fee + w.borne
    // All withdrawals of a life go to one destination, so the sum of the destination is never below the sum of a merchant.
    const required = w.required ?? ((this.sums.get(this.today('payouts')) ?? 0n) + total >= FOUR_EYES ? 2 : 1)
    if (required === 2 && w.approved_by.includes(operator)) return 'second_operator_required'
    if (this.suspended.has(w.merchant)) return 'withdrawal_restricted'
    if (book.available < total) return 'insufficient_balance'
    w.required = required
    w.approved_by.push(operator)
    if (w.approved_by.length < required) return 'ok'
    this.count('payouts', total)
    book.available -= total
    book.reserved += total
    this.move(w, 'PROCESSING', 'reserved')
    w.payout = { ...this.unsent(leased), taken: false }
    return 'ok'
  }

  review(w: Modelled, verb: 'reject' | 'request-info' | 'respond'): CallResult {
    const from = { reject: WAITING, 'request-info': ['PENDING_ADMIN_APPROVAL'], respond: ['INFO_REQUESTED'] }[verb]
    const to = { reject: 'REJECTED', 'request-info': 'INFO_REQUESTED', respond: 'PENDING_ADMIN_APPROVAL' }[verb]
    if (!from.includes(w.status)) return 'invalid_state'
    if (verb !== 'respond') w.approved_by = []
    this.move(w, to, 'none')
    return 'ok'
  }

  /** Lets the merchant cancel a withdrawal that is not approved. */
  cancel(w: Modelled): CallResult {
    if (w.status === 'CANCELLED') return 'ok'
    if (!WAITING.includes(w.status)) return 'invalid_state'
    w.approved_by = []
    this.move(w, 'CANCELLED', 'none')
    return 'ok'
  }

  /** Lets an operator recall an approved payout that no process has sent. */
  recall(w: Modelled): CallResult {
    if (w.status !== 'PROCESSING' || w.payout?.state !== 'to_send') return 'invalid_state'
    this.release(w)
    this.move(w, 'CANCELLED', w.funds)
    Object.assign(w.payout, { state: 'final', due: Number.POSITIVE_INFINITY })
    return 'ok'
  }

  resolve(w: Modelled, paid: boolean, operator: number): CallResult {
    if (!STUCK.includes(w.status)) return 'invalid_state'
    const book = this.bookOf(w.merchant)
    if (paid && w.funds === 'released' && book.available < w.amount + w.fee + w.borne) return 'insufficient_balance'
    const text = `resolve ${this.withdrawals.indexOf(w)} ${paid} ${w.version}`
    const decided = this.correct(w.merchant, w.amount + w.fee + w.borne, text, operator)
    if (decided !== 'last') return decided === 'first' ? 'ok' : decided
    if (paid && w.funds !== 'paid') this.pay(w)
    if (!paid && w.funds === 'paid') this.comeBack(w, true)
    else if (!paid && w.funds === 'reserved') this.release(w)
    this.move(w, paid ? 'SUCCESS' : 'FAILED', w.funds)
    if (w.payout) Object.assign(w.payout, { state: 'final', due: Number.POSITIVE_INFINITY })
    return 'ok'
  }

  retry(w: Modelled, leased: boolean): CallResult {
    if (w.status !== 'BLOCKED_IP_WHITELIST') return 'invalid_state'
    if (this.suspended.has(w.merchant)) return 'withdrawal_restricted'
    if (this.isPaused(w.merchant)) return 'payouts_paused'
    this.move(w, 'PROCESSING', w.funds)
    w.payout = { ...this.unsent(leased), taken: w.payout?.taken ?? false }
    return 'ok'
  }

  /** Lets an operator decide about a correction. The first of two decisions moves no money and changes no sum. */
  private correct(merchant: number, amount: bigint, text: string, operator: number): 'first' | 'last' | CallResult {
    const sum = `corrections ${merchant}`
    const first = this.waiting.get(text)
    const counts = first !== undefined && this.now - first.at < WEEK
    if (counts && first.operator === operator) return 'second_operator_required'
    if (!counts && (this.sums.get(this.today(sum)) ?? 0n) + amount >= FOUR_EYES) {
      this.waiting.set(text, { operator, at: this.now })
      return 'first'
    }
    this.waiting.delete(text)
    this.count(sum, amount)
    return 'last'
  }

  private count(sum: string, amount: bigint): void {
    this.sums.set(this.today(sum), (this.sums.get(this.today(sum)) ?? 0n) + amount)
  }

  /** Returns the name of a sum with the current day in Tanzania, which is three hours ahead of UTC. */
  private today(sum: string): string {
    return `${sum} ${Math.floor((this.start + this.now + 3 * HOUR) / (24 * HOUR))}`
  }

  private unsent(leased: boolean): Omit<ModelPayout, 'taken'> {
    const [due, deadline] = [this.now + (leased ? LEASE_MS : 0), this.now + DEADLINE_H * HOUR]
    return { state: 'to_send', due, deadline, asks: 0 }
  }

  /**
   * Lets a process take the lease of a payout and send the payout. A held payout keeps its state. If no process has begun to
   * send the payout, a worker checks the payout again after HOLD_MS. Otherwise the payout waits for the end of its lease.
   */
  send(w: Modelled, place: number, answers: AnswerSource, crash: Crash): void {
    const payout = w.payout as ModelPayout
    if (this.isHeld(w.merchant)) {
      if (payout.state === 'to_send') payout.due = this.now + HOLD_MS
      return
    }
    Object.assign(payout, { state: 'sending', due: this.now + LEASE_MS })
    if (crash === 'before_send') return
    const answer = answers.sends(place)
    if (crash !== 'after_send' && crash !== 'before_commit') this.settle(w, answer, true)
  }

  /** Moves the clock, then runs all due work. */
  tick(ms: number, answers: AnswerSource, crash: Crash): void {
    this.now += ms
    for (const [place, w] of this.withdrawals.entries()) {
      const { payout } = w
      if (payout === null || payout.due > this.now || payout.state === 'final' || payout.state === 'blocked') continue
      payout.due = this.now + LEASE_MS
      const late = this.now >= payout.deadline
      const answer = payout.state === 'to_send' ? ({ kind: 'not_sent' } as const) : asQuestion(answers.says(place))
      const unsent =
        payout.state === 'to_send' || (!payout.taken && payout.state === 'sending' && answer.kind === 'not_found')
      if (unsent && !late) this.send(w, place, answers, crash)
      else if (crash !== 'before_commit') this.settle(w, answer, true)
    }
  }

  /** Lets the provider send a callback, after which the platform queries the provider. */
  hint(w: Modelled, place: number, answers: AnswerSource): void {
    if (w.payout !== null) this.settle(w, asQuestion(answers.says(place)), false)
  }

  private settle(w: Modelled, answer: ModelAnswer, holder: boolean): void {
    const payout = w.payout as ModelPayout
    const final = answer.kind === 'paid' || answer.kind === 'reversed' || answer.kind === 'declined'
    const late = this.now >= payout.deadline
    const was_taken = payout.taken
    if (final || answer.kind === 'accepted') payout.taken = true
    if (!final && (!holder || payout.state === 'final')) return
    if (final) this.end(w, answer)
    else if (w.status === 'PROCESSING') this.leaveOpen(w, answer, was_taken, late)
    // Computes the next time at which the payout is due.
    const again = late ? undefined : answer.again_ms
    payout.asks += 1
    const pause = again ?? (PAUSES_S[Math.min(payout.asks, PAUSES_S.length) - 1] as number) * 1_000
    payout.due = this.now + pause
    payout.state = 'asked'
    if (answer.kind === 'not_sent' && w.status === 'PROCESSING' && !was_taken) payout.state = 'to_send'
    if (answer.kind === 'blocked' && w.status === 'BLOCKED_IP_WHITELIST') payout.state = 'blocked'
    if (final && again === undefined) payout.state = 'final'
    if (payout.state === 'blocked' || payout.state === 'final') payout.due = Number.POSITIVE_INFINITY
  }

  private leaveOpen(w: Modelled, answer: ModelAnswer, was_taken: boolean, late: boolean): void {
    if (answer.kind === 'blocked' && !was_taken) this.move(w, 'BLOCKED_IP_WHITELIST', w.funds)
    else if (late || (answer.kind === 'unknown' && !was_taken) || (answer.kind === 'not_found' && was_taken))
      this.move(w, 'NEEDS_RECONCILIATION', w.funds)
  }

  private end(w: Modelled, answer: ModelAnswer): void {
    const text = `${answer.kind} ${'more' in answer ? answer.more : ''}`
    const open = UNSETTLED.includes(w.status)
    const other_amount = 'more' in answer && answer.more !== 0n
    const recalled = w.status === 'CANCELLED'
    const agrees =
      { paid: 'SUCCESS', declined: 'FAILED', reversed: 'REVERSED' }[answer.kind as 'paid'] === w.status ||
      (recalled && answer.kind === 'declined')
    if (agrees && !other_amount) return
    const { version } = w
    const released = (w.status === 'FAILED' || recalled) && w.funds === 'released'
    const may_alarm = open || w.status === 'SUCCESS' || released
    const contradicts = other_amount || (!open && answer.kind !== 'reversed')
    if (contradicts && may_alarm) {
      // A repeated answer needs no second decision, because the operator already knew the answer at the first decision.
      if (!w.recorded.has(text)) this.move(w, 'NEEDS_ADMIN_ATTENTION', w.funds)
    } else if (answer.kind === 'paid' && open) {
      this.pay(w)
      this.move(w, 'SUCCESS', 'paid')
    } else if (answer.kind === 'declined' && open) {
      this.release(w)
      this.move(w, 'FAILED', 'released')
    } else if (answer.kind === 'reversed' && !other_amount && (open || w.status === 'SUCCESS')) {
      if (open) this.pay(w)
      this.comeBack(w, answer.charge_returned === true)
      this.move(w, 'REVERSED', 'returned')
    }
    // The platform also records an answer that moves nothing. A first decision about the earlier version then no longer counts.
    if (w.version === version && !w.recorded.has(text)) w.version += 1
    w.recorded.add(text)
  }

  private pay(w: Modelled): void {
    const book = this.bookOf(w.merchant)
    book[w.funds === 'released' ? 'available' : 'reserved'] -= w.amount + w.fee + w.borne
    book.fees += w.fee
    book.costs -= w.charge - w.borne
    book.float += w.amount + w.charge
    w.funds = 'paid'
  }

  private release(w: Modelled): void {
    const book = this.bookOf(w.merchant)
    book.reserved -= w.amount + w.fee + w.borne
    book.available += w.amount + w.fee + w.borne
    w.funds = 'released'
  }

  private comeBack(w: Modelled, with_charge: boolean): void {
    const book = this.bookOf(w.merchant)
    book.available += w.amount + w.fee + (with_charge ? w.borne : 0n)
    book.fees -= w.fee
    book.costs += with_charge ? w.charge - w.borne : 0n
    book.float -= w.amount + (with_charge ? w.charge : 0n)
    w.funds = 'returned'
  }

  private move(w: Modelled, status: string, funds: string): void {
    Object.assign(w, { status, funds, version: w.version + 1 })
  }

  private bookOf(merchant: number): ModelBook {
    return this.books[merchant] as ModelBook
  }
}

/** Returns the answer that a status query gives. A blocked or unsent query gives an unknown answer. */
function asQuestion(answer: ModelAnswer): ModelAnswer {
  return answer.kind === 'blocked' || answer.kind === 'not_sent' ? { kind: 'unknown' } : answer
}
