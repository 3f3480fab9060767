// Sends payouts. A process takes the send token and commits before the first byte leaves. If this process dies, a worker first
// queries the provider. If the provider has no such payout, the worker sends again with the same reference. If the outcome
// stays unknown, an operator decides.

import type { Breaker } from '../../adapters/providers/breaker.ts'
import { CALL_MS_MAX, type PayoutAnswer, type Provider } from '../../adapters/providers/port.ts'
import type { CanDeliver, Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { batchSizes, gather, traceIdOf } from '../../kernel/lib/index.ts'
import { type ConcurrencyLimits, createClaimer, createConcurrencyLimits, type Task } from '../../kernel/work/index.ts'
import { createPayoutCalls, type PayoutCalls } from './call.ts'
import { type HeldPayout, HOLD, HOLD_CHECK_MS, HOLD_COLUMNS, type PayoutHold, recordHolds } from './hold.ts'
import { LONGEST_PAUSE_MS, type PayoutOutcome, settlePayouts } from './settle.ts'
import { PAYOUT_COLUMNS, PAYOUT_LEASE_MS, type Payout, payoutTraceFields } from './store.ts'

/** The functions by which approvals, callbacks and the worker send and query payouts. */
export type PayoutDriver = {
  /** Returns true if this process has free capacity for another payout at a provider. */
  hasCapacity(provider: string): boolean
  /** Sends the payouts whose lease this process holds. Never throws. If a step fails, its payout becomes due again. */
  dispatch(payouts: readonly Payout[]): void
  /**
   * Queries the provider about a payout without its lease, for example after a callback, and settles the answer. The promise
   * resolves after the commit.
   */
  ask(payout: Payout): Promise<void>
  /** The background task that claims due payouts. */
  task: Task
}

/** The concurrency limit of a provider that declares no limit. Further payouts wait in the database. */
const CONCURRENCY_LIMIT = 500
const POLL_EVERY_MS = 250
const CLAIM_MAX = 250
/**
 * The milliseconds of a lease that must remain before a request: for the longest call and for the write of its answer.
 */
const SEND_LEASE_MS = CALL_MS_MAX + 2_000

// The query compares the token, so that only one of several processes takes the token. If the payout must wait, the same query
// leaves the token and ends the lease.
const TAKE = sql(
  'payouts_take_token',
  `update payouts p set
     state = case when h.hold is null then 'sending' else p.state end,
     send_token = case when h.hold is null then null else p.send_token end,
     due_at = case when h.hold is null then $2::timestamptz else $5::timestamptz end,
     lease_owner = case when h.hold is null then $3::uuid end,
     held_by = case when h.hold is null then null else p.held_by end,
     updated_at = $4
   from ${inputRows('$1', 'withdrawal_id', `withdrawal_id uuid, token uuid, ${HOLD_COLUMNS}`)} i cross join lateral ${HOLD} h
   where p.merchant_id = i.merchant_id and p.withdrawal_id = i.withdrawal_id and p.state = 'to_send'
     and p.send_token = i.token and p.lease_owner = $3
   returning p.withdrawal_id, h.hold, p.held_by`,
)

// If a process took the token long ago, the process that sends renews the lease first. A pause or a suspension may have begun
// since then, so this query also checks for a hold.
const RENEW = sql(
  'payouts_renew',
  `update payouts p set due_at = $2, updated_at = $4
   from ${inputRows('$1', 'withdrawal_id', `withdrawal_id uuid, ${HOLD_COLUMNS}`)} i cross join lateral ${HOLD} h
   where p.merchant_id = i.merchant_id and p.withdrawal_id = i.withdrawal_id and p.lease_owner = $3 and p.state = 'sending'
     and p.sent_at is null and h.hold is null
   returning 1 as held`,
)

/** Settles one answer about a payout. The promise resolves after the commit. */
type SettleAnswer = (payout: Payout, answer: PayoutAnswer, holds_lease: boolean) => Promise<void>

/**
 * The result of an attempt to take a send token. `taken`: this process must send now. `lost`: another process has the token or
 * the lease. `waits`: the history already has the reason to wait. A `hold` is a reason that the history does not have yet.
 */
type TokenResult = 'taken' | 'lost' | 'waits' | { hold: PayoutHold }

/** The functions that the steps of a payout call. */
type PayoutSteps = {
  deps: Deps
  call: PayoutCalls
  settleAnswer: SettleAnswer
  /** Takes the send token of a payout, in a batch with concurrent payouts. */
  takeToken(payout: Payout): Promise<TokenResult>
  /** Writes the reason for which a payout waits into its history. */
  recordHold(held: HeldPayout): Promise<void>
}

/** The functions of the webhook sender that a settlement calls. */
type WebhookDispatch = { canDispatch: CanDeliver; dispatch(deliveries: Delivery[]): void }

/**
 * Makes the functions that send and query payouts. `webhooks` sends the deliveries that a settlement leases to this process.
 */
export function createPayoutDriver(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  webhooks: WebhookDispatch,
  breaker: Breaker,
): PayoutDriver {
  const call = createPayoutCalls(deps, providers, breaker)
  const settleAnswer = createSettleAnswer(deps, webhooks)
  const recordHold = gather<HeldPayout, void>(
    async (held) => {
      await recordHolds(deps, held)
      return held.map(() => undefined)
    },
    { max_items: 250, max_running: 1 },
  )
  const steps: PayoutSteps = { deps, call, settleAnswer, takeToken: createTakeToken(deps), recordHold }
  const limits = [...providers.values()].map(
    ({ name, capabilities }) => [name, capabilities.concurrency_limits?.payouts] as const,
  )
  const concurrency = createConcurrencyLimits(limits, CLAIM_MAX, CONCURRENCY_LIMIT)
  const { run, idle } = createRunner(steps, concurrency)
  const claim = createClaimer<Payout>(deps, {
    name: 'payouts',
    key: ['withdrawal_id'],
    returning: PAYOUT_COLUMNS,
    lane: 'provider',
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'updated_at',
  })
  return {
    hasCapacity: concurrency.hasCapacity,
    dispatch: (payouts) => {
      for (const payout of payouts) if (payout.due_at !== null && payout.due_at > deps.clock.now()) run(payout)
    },
    ask: async (payout) => settleAnswer(payout, await call.status(payout), false),
    task: {
      name: 'payouts',
      every_ms: POLL_EVERY_MS,
      async runOnce() {
        const { max, closed } = concurrency.claimable()
        const payouts = await claim(max, PAYOUT_LEASE_MS, () => max, closed)
        return payouts.filter(run).length
      },
      idle,
      giveBack: claim.giveBack,
    },
  }
}

/** Returns the function that settles concurrent answers in batches. */
function createSettleAnswer(deps: Deps, webhooks: WebhookDispatch): SettleAnswer {
  const settle = gather<PayoutOutcome, void>(
    async (outcomes) => {
      webhooks.dispatch(await settlePayouts(deps, outcomes, webhooks.canDispatch))
      return outcomes.map(() => undefined)
    },
    { max_items: 250, max_running: 2, measure: batchSizes(deps.metrics, 'settle_payouts') },
  )
  return (payout, answer, holds_lease) => {
    const span = deps.tracer.child(payout.trace, 'payout settle', 'internal', payoutTraceFields(payout))
    const outcome = { merchant_id: payout.merchant_id, id: payout.withdrawal_id, answer, holds_lease }
    return settle(outcome).finally(() => span?.end())
  }
}

/** Returns the function that takes the tokens of concurrent payouts in batches. */
function createTakeToken(deps: Deps): PayoutSteps['takeToken'] {
  return gather<Payout, TokenResult>(
    async (payouts) => {
      const now = deps.clock.now()
      const rows = inLockOrder(
        payouts.map((payout) => ({ ...holdFacts(payout), token: payout.send_token })),
        (row) => row.withdrawal_id,
      )
      const until = new Date(now.getTime() + PAYOUT_LEASE_MS)
      const check_at = new Date(now.getTime() + HOLD_CHECK_MS)
      const values = [JSON.stringify(rows), until, deps.process_id, now, check_at]
      const found = await oneStatement(deps.db).query<TokenRow>(TAKE, values)
      const results = new Map(found.map((row) => [row.withdrawal_id, tokenResult(row)]))
      return payouts.map(({ withdrawal_id }) => results.get(withdrawal_id) ?? 'lost')
    },
    { max_items: 250, max_running: 2 },
  )
}

type TokenRow = { withdrawal_id: string; hold: PayoutHold | null; held_by: string | null }

function tokenResult({ hold, held_by }: TokenRow): TokenResult {
  if (hold === null) return 'taken'
  return hold === held_by ? 'waits' : { hold }
}

/** Returns the fields of a payout that decide whether it must wait. */
function holdFacts({ merchant_id, withdrawal_id, environment, provider, destination_code }: Payout) {
  return { merchant_id, withdrawal_id, environment, provider, destination_code }
}

/**
 * Makes the function that runs the next step of a payout. If this process already works on the payout, `run` returns false.
 */
function createRunner(
  steps: PayoutSteps,
  concurrency: ConcurrencyLimits,
): { run(payout: Payout): boolean; idle(): Promise<void> } {
  const in_hand = new Set<string>()
  const under_way = new Set<Promise<unknown>>()
  const run = (payout: Payout): boolean => {
    // If a step outlasts its lease, this process may claim the row again. The claim extends the lease, and the first step
    // continues.
    if (in_hand.has(payout.withdrawal_id)) return false
    in_hand.add(payout.withdrawal_id)
    concurrency.acquire(payout.provider)
    const done = runStep(steps, payout)
      .catch((error) => {
        const { withdrawal_id, trace } = payout
        steps.deps.log.warn(
          { component: 'withdrawals', err: error, withdrawal_id, trace_id: traceIdOf(trace) },
          'the step of a payout failed; the payout becomes due again',
        )
      })
      .finally(() => {
        in_hand.delete(payout.withdrawal_id)
        concurrency.release(payout.provider)
        under_way.delete(done)
      })
    under_way.add(done)
    return true
  }
  const idle = async () => {
    while (under_way.size > 0) await Promise.allSettled([...under_way])
  }
  return { run, idle }
}

/** Makes the next step of a payout under its lease: sends the payout, or queries the provider about it. */
async function runStep(steps: PayoutSteps, payout: Payout): Promise<void> {
  const { deps, call, settleAnswer, takeToken, recordHold } = steps
  const expired = deps.clock.now() >= payout.deadline_at
  // After the deadline, no process sends the payout.
  if (expired && payout.state === 'to_send')
    return settleAnswer(payout, { kind: 'not_sent', provider_status: null }, true)
  if (payout.state === 'to_send') {
    const lease_ends = deps.clock.now().getTime() + PAYOUT_LEASE_MS
    const token = await takeToken(payout)
    if (token === 'taken') return sendPayout(steps, payout, lease_ends)
    if (typeof token === 'object') await recordHold({ ...holdFacts(payout), ...token })
    return
  }
  const answer = await call.status(payout)
  const unanswered = payout.state === 'sending' && payout.sent_at === null
  // The process that took the token may be about to send, so this process renews the lease before it sends.
  if (unanswered && answer.kind === 'not_found' && !expired) return sendPayout(steps, payout, 0)
  await settleAnswer(payout, answer, true)
}

/** Sends a payout with a token that this process took, or that another process took and did not use. */
async function sendPayout(
  { deps, call, settleAnswer }: PayoutSteps,
  payout: Payout,
  lease_ends: number,
): Promise<void> {
  // If the lease is about to end, another process may take the lease soon, so this process first renews the lease.
  if (lease_ends - deps.clock.now().getTime() < SEND_LEASE_MS && !(await renewLease(deps, payout))) return
  deps.point('payout.before_send')
  const answer = await call.payout(payout)
  deps.point('payout.after_send')
  await settleAnswer(payout, answer, true)
}

/**
 * Renews the lease of a payout that waits for its first answer. If another process has taken the lease, or the payout must wait,
 * returns false.
 */
async function renewLease(deps: Deps, payout: Payout): Promise<boolean> {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + PAYOUT_LEASE_MS)
  const values = [JSON.stringify([holdFacts(payout)]), until, deps.process_id, now]
  return (await oneStatement(deps.db).query(RENEW, values)).length === 1
}
