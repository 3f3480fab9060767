// Models the rules of payouts without SQL: the people who may cause a payout, the operators that the sums of the day require, and
// the reasons to wait. The model records the actions and answers of a step, and judges each answer and each payout request.

/** A day and the offset of Tanzania's time zone from UTC, in milliseconds. */
const DAY = 86_400_000
const OFFSET = 3 * 3_600_000
const DECISION_MS = 7 * DAY

/** A person with one account. An operator may also be a member of merchants. */
export type Person = { id: string; email: string; operator: boolean; disabled: boolean }

/** An active live API key, with the person who made it. Null means that the admin command made it. */
export type ShopKey = { id: string; text: string; maker: Person | null }

/** A merchant in the model. `ties` has each person who ever was a member or made a key. */
export type Shop = {
  id: string
  suspended: boolean
  ties: Set<Person>
  /** The founder. `members` has the membership of each present member. */
  founder: Person
  members: Map<Person, { id: string; role: string }>
  keys: ShopKey[]
  limits: { daily: bigint | null; destination: bigint | null }
  /** The destinations that the merchant has paid, as `code identifier`. */
  paid: Set<string>
  papers: Paper[]
  held: { id: string; amount: bigint; waiting: boolean }[]
}

/** A withdrawal in the model. Amounts are in cents. */
export type Paper = {
  id: string
  reference: string
  shop: Shop
  amount: bigint
  code: string
  identifier: string
  /**
   * The people who caused the submission: the submitter, or the maker of the key. The set is empty if the admin command made
   * the key.
   */
  submitters: Set<Person>
  state: 'waiting' | 'info' | 'approved' | 'ended'
  /** The operators who approved while another approval was missing. */
  firsts: Set<Person>
  needs_two: boolean
  /** The people who caused the payout. The last approval sets them. */
  causes: Set<Person>
  approved_day: number | null
  /** The recorded status and the account of the money. `funds_before` is the account before the present step. */
  status: string
  funds: string
  funds_before: string
  /** True if the provider executed the payout. */
  executed: boolean
  /**
   * True if the provider may get this payout request once more. An approval, a retry, or an answer that the payout does not
   * exist sets this to true.
   */
  may_send: boolean
}

/**
 * An operator's approval with its answer. `ok` means that money moves, and `first` that another operator must follow. Other
 * answers are error codes.
 */
export type Approval = { by: Person; paper: Paper; answer: string; confirmed: boolean }

/** An operator's correction of an amount in cents, with its answer: `ok`, `first`, or an error code. */
export type Correction = { by: Person; shop: Shop; what: string; amount: bigint; answer: string }

/**
 * The day, the FOUR_EYES_AMOUNT in cents, and the limits of a step. A null amount means that one operator is enough.
 */
export type Facts = { day: number; amount: bigint | null; limits: Map<Shop, Shop['limits']> }

/** The model of the rules. The methods that judge return problems: texts that name a broken rule. */
export class Rules {
  /** The amount in cents from which on two operators must act. Null means that one operator is enough. */
  four_eyes: bigint | null
  /** The limits of the installation in cents. Null means that there is no limit. */
  daily: bigint | null = null
  destination: bigint | null = null
  /** The pauses in force by name, such as `merchant ID`, with their ids. */
  readonly pauses = new Map<string, string>()
  /** The pauses and suspensions that a running call may end. */
  readonly ending = new Set<string>()
  readonly papers = new Map<string, Paper>()
  /** The sums in cents that decide whether a payout needs a second operator, by day and subject. */
  private readonly sums = new Map<string, bigint>()
  /** The first decisions about corrections, by the content of the correction. */
  private readonly decisions = new Map<string, { by: Person; at: number }[]>()

  constructor(four_eyes: bigint | null) {
    this.four_eyes = four_eyes
  }

  /** Returns true if this person counts as an operator without ties to the merchant. */
  counts(person: Person, shop: Shop): boolean {
    return person.operator && !person.disabled && !shop.ties.has(person)
  }

  /** Returns the reasons for which the provider must not get this payout now. */
  holdsOf(paper: Paper): string[] {
    const names = ['platform', `merchant ${paper.shop.id}`, 'provider mock', `destination ${paper.code}`]
    const paused = names.filter((name) => this.pauses.has(name) && !this.ending.has(name))
    return paper.shop.suspended && !this.ending.has(`suspended ${paper.shop.id}`) ? [...paused, 'suspended'] : paused
  }

  /**
   * Returns the codes with which the server must refuse this operator's approval of one withdrawal. The sums of the day may add
   * others.
   */
  refusalsOf({ by, paper, confirmed }: Approval): string[] {
    const { shop } = paper
    return [
      ...(by.operator && !by.disabled ? [] : ['not an operator']),
      ...(paper.submitters.has(by) ? ['forbidden'] : []),
      ...(shop.ties.has(by) ? ['conflict_of_interest'] : []),
      ...(paper.state === 'waiting' || paper.state === 'info' ? [] : ['invalid_state']),
      ...(shop.suspended ? ['withdrawal_restricted'] : []),
      ...(confirmed || shop.paid.has(`${paper.code} ${paper.identifier}`) ? [] : ['confirmation_required']),
      ...(this.othersOf(by, paper).length === 0 && paper.firsts.has(by) ? ['second_operator_required'] : []),
    ]
  }

  /** Returns the other operators whose earlier approvals count. */
  othersOf(by: Person, paper: Paper): Person[] {
    return [...paper.firsts].filter((person) => person !== by && this.counts(person, paper.shop))
  }

  /** Returns the operators whose decision about money of the merchant waits for a second operator. */
  waitingOf(shop: Shop): Set<Person> {
    const open = shop.papers.filter(({ state }) => state === 'waiting' || state === 'info')
    const made = [...this.decisions].filter(([what]) => what.includes(shop.id)).flatMap(([, all]) => all)
    return new Set([...open.flatMap(({ firsts }) => [...firsts]), ...made.map(({ by }) => by)])
  }

  /** Describes the first approvals of a withdrawal, and for each the reason for which it does not count. */
  private describe({ firsts, shop }: Paper): string {
    const why = (person: Person) => (shop.ties.has(person) ? 'has ties to the merchant' : 'is no operator now')
    return [...firsts]
      .map((person) => `${person.email} ${this.counts(person, shop) ? 'counts' : why(person)}`)
      .join(', ')
  }

  /** Returns the facts on which the sums and limits of a step depend. */
  facts(now: number, shops: readonly Shop[]): Facts {
    const limits = new Map(shops.map((shop) => [shop, this.limitsOf(shop)]))
    return { day: dayOf(now), amount: this.four_eyes, limits }
  }

  private limitsOf({ limits }: Shop): Shop['limits'] {
    return { daily: limits.daily ?? this.daily, destination: limits.destination ?? this.destination }
  }

  private sumsOf(paper: Paper, day: number): string[] {
    return [`${day} payouts ${paper.shop.id}`, `${day} destination ${paper.identifier}`]
  }

  /**
   * Judges the sums of one step's approvals, in any order. If one operator alone moves a payout, no sum may reach `amount`. If
   * a payout begins to wait for a second operator, a sum must reach `amount`. `waited` are the withdrawals that needed two
   * operators before the step.
   */
  judgeSums(approvals: readonly Approval[], { day, amount }: Facts, waited: ReadonlySet<Paper>): string[] {
    const moved = approvals.filter(({ answer }) => answer === 'ok')
    const singles = moved.filter(({ by, paper }) => this.othersOf(by, paper).length === 0)
    const added = (from: readonly Approval[], name: string) =>
      from.reduce((sum, { paper }) => sum + (this.sumsOf(paper, day).includes(name) ? paper.amount : 0n), 0n)
    const base = (name: string) => this.sums.get(name) ?? 0n
    const broken = singles.flatMap(({ paper }) => {
      if (paper.needs_two) return [`${paper.id} moved with one operator, and two were needed: ${this.describe(paper)}`]
      const over = this.sumsOf(paper, day).find(
        (name) => amount !== null && base(name) + added(singles, name) >= amount,
      )
      return over === undefined ? [] : [`${paper.id} moved with one operator, and brought "${over}" to the amount`]
    })
    const idle = approvals.flatMap(({ answer, paper }) => {
      if (answer !== 'first' || waited.has(paper)) return []
      const reaches = (name: string) => amount !== null && base(name) + added(moved, name) + paper.amount >= amount
      return this.sumsOf(paper, day).some(reaches) ? [] : [`${paper.id} waits for a second operator without need`]
    })
    return [...broken, ...idle]
  }

  /** Judges the daily limits of one step. `before` and `after` are the limits before and after the step. */
  judgeLimits(approvals: readonly Approval[], { day, limits: before }: Facts, { limits: after }: Facts): string[] {
    return approvals.flatMap((approval) => {
      const { answer, paper } = approval
      if (answer !== 'ok' && answer !== 'payout_limit_reached') return []
      const moved = approvals.filter((other) => other.answer === 'ok' && other.paper.shop === paper.shop)
      const kinds = [
        ['daily', () => true],
        ['destination', (other: Paper) => other.identifier === paper.identifier],
      ] as const
      const over = kinds.filter(([kind, matches]) => {
        const given = [before, after].map((limits) => limits.get(paper.shop)?.[kind] ?? null)
        const earlier = paper.shop.papers.filter((other) => other.approved_day === day && matches(other))
        const extra = moved.reduce((sum, other) => sum + (matches(other.paper) ? other.paper.amount : 0n), 0n)
        if (answer === 'ok') {
          const sure = sumOf(earlier.filter((other) => isOut(other.funds_before) && isOut(other.funds)))
          return given.every((limit) => limit !== null && sure + extra > limit)
        }
        const possible = sumOf(earlier.filter((other) => isOut(other.funds_before) || isOut(other.funds)))
        return given.some((limit) => limit !== null && possible + extra + paper.amount > limit)
      })
      if (answer === 'ok') return over.map(([kind]) => `${paper.id} exceeds the ${kind} limit`)
      return over.length > 0 ? [] : [`${paper.id} was refused although no limit was reached`]
    })
  }

  /** Records the approvals of a step that moved money. */
  applyApprovals(approvals: readonly Approval[], day: number): void {
    for (const { by, paper, answer } of approvals) {
      if (answer !== 'ok') continue
      paper.causes = new Set([...paper.submitters, ...this.othersOf(by, paper), by])
      Object.assign(paper, { state: 'approved', approved_day: day, may_send: true, funds: 'reserved' })
      if (this.four_eyes === null) continue
      for (const name of this.sumsOf(paper, day)) this.sums.set(name, (this.sums.get(name) ?? 0n) + paper.amount)
    }
  }

  /** Judges and records a correction. Returns the broken rules. */
  correct({ by, shop, what, amount, answer }: Correction, now: number): string[] {
    const name = `${dayOf(now)} corrections ${shop.id}`
    const sum = (this.sums.get(name) ?? 0n) + amount
    const needs = this.four_eyes !== null && sum >= this.four_eyes
    const valid = (this.decisions.get(what) ?? []).filter(
      (one) => one.at > now - DECISION_MS && this.counts(one.by, shop),
    )
    const others = valid.filter((one) => one.by !== by)
    if (answer === 'ok' || answer === 'first') {
      if (!this.counts(by, shop)) return [`${by.email} must not make the correction ${what}`]
    }
    if (answer === 'first') {
      this.decisions.set(what, [...(this.decisions.get(what) ?? []), { by, at: now }])
      return needs && others.length === 0 ? [] : [`${what} waits for a second operator without need`]
    }
    if (answer === 'second_operator_required') {
      return valid.some((one) => one.by === by) && others.length === 0 ? [] : [`${what} was refused as repeated`]
    }
    if (answer !== 'ok') return []
    if (this.four_eyes !== null) this.sums.set(name, sum)
    this.decisions.delete(what)
    return needs && others.length === 0 ? [`one operator made the correction ${what}, which needed two`] : []
  }

  /** Judges a payout request that reached the provider. `holds` are the reasons to wait at that moment. */
  judgeSent(paper: Paper, holds: readonly string[]): string[] {
    return [
      ...holds.map((hold) => `${paper.id} left although it had to wait: ${hold}`),
      ...(paper.state === 'approved' ? [] : [`${paper.id} left while it was ${paper.state}`]),
      ...(paper.causes.size >= 2 || paper.submitters.size === 0 ? [] : [`${paper.id} left, caused by one person`]),
      ...(paper.may_send ? [] : [`${paper.id} left twice`]),
    ]
  }
}

/** Returns the number of a time's day in Tanzania, counted from 1970. */
export function dayOf(now: number): number {
  return Math.floor((now + OFFSET) / DAY)
}

function isOut(funds: string): boolean {
  return funds === 'reserved' || funds === 'paid'
}

function sumOf(papers: readonly Paper[]): bigint {
  return papers.reduce((sum, { amount }) => sum + amount, 0n)
}
