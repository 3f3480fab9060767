// Driving payouts: sending what was approved, asking what became of it, and settling what comes back.
//
// What happens if the process dies, step by step of one payout:
//   approved, token not taken    nothing was sent; a worker claims the row, takes the token and sends
//   token taken, not yet sent    a worker claims the row as 'sending' and asks first: only when the provider has no such
//   sent, answer not written     payout and never will is it sent again, with the same reference; any doubt is left to people
//   answer written               final, or asked about again when it is due
// A token is taken by one statement that commits before the first byte is sent, so button and worker never both send.

import type { Breaker } from '../../adapters/providers/breaker.ts'
import { CALL_MS_MAX, type PayoutAnswer, type Provider } from '../../adapters/providers/port.ts'
import type { Delivery } from '../../adapters/webhooks/index.ts'
import { type Deps, inLockOrder, inputRows, oneStatement, sql } from '../../kernel/db/index.ts'
import { gather } from '../../kernel/lib/index.ts'
import { createClaimer, createPlaces, type Task } from '../../kernel/work/index.ts'
import { createPayoutCalls } from './call.ts'
import { LONGEST_PAUSE_MS } from './pauses.ts'
import { type PayoutOutcome, settlePayouts } from './settle.ts'
import { PAYOUT_COLUMNS, PAYOUT_LEASE_MS, type Payout } from './store.ts'

/** What drives payouts on, for approvals, callbacks and the worker. */
export type PayoutDriver = {
  /** True while this process can take another payout at a provider at once. */
  room(provider: string): boolean
  /** Sends payouts that this process holds the lease of. Never throws: what fails is left to the worker. */
  dispatch(payouts: readonly Payout[]): void
  /** Follows a hint: asks the provider what became of a payout and settles it. Resolves when that is committed. */
  ask(payout: Payout): Promise<void>
  /** The background work: payouts that are due. */
  task: Task
}

/** Payouts at one provider that this process works on at once, where it says nothing; more wait in the database. */
const PLACES = 500
const POLL_EVERY_MS = 250
const CLAIM_MAX = 250
/** What must be left of a lease before anything is sent under it: the longest call, and writing down what came of it. */
const SEND_LEASE_MS = CALL_MS_MAX + 2_000

// Compare-and-set on the token: of button, worker and a process that was thought dead, one takes it.
const TAKE = sql(
  'payouts_take_token',
  `update payouts p set state = 'sending', send_token = null, due_at = $2, lease_owner = $3, updated_at = $4
   from ${inputRows('$1', 'withdrawal_id', 'merchant_id uuid, withdrawal_id uuid, token uuid')} i
   where p.merchant_id = i.merchant_id and p.withdrawal_id = i.withdrawal_id and p.state = 'to_send'
     and p.send_token = i.token and p.lease_owner = $3
   returning p.withdrawal_id`,
)

const RENEW = sql(
  'payouts_renew',
  `update payouts set due_at = $4, updated_at = $5
   where merchant_id = $1 and withdrawal_id = $2 and lease_owner = $3 and state = 'sending' and sent_at is null
   returning 1 as held`,
)

/** Makes the driver. `webhooks` takes the deliveries that settling leaves in this process's hands. */
export function createPayoutDriver(
  deps: Deps,
  providers: ReadonlyMap<string, Provider>,
  webhooks: { canDispatch(merchant_id: string): boolean; dispatch(deliveries: Delivery[]): void },
  breaker: Breaker,
): PayoutDriver {
  const call = createPayoutCalls(deps, providers, breaker)
  const in_hand = new Set<string>()
  const few = [...providers.values()].map(({ name, capabilities }) => [name, capabilities.places?.payouts] as const)
  const places = createPlaces(few, CLAIM_MAX, PLACES)
  const under_way = new Set<Promise<unknown>>()

  const settle = gather<PayoutOutcome, void>(
    async (outcomes) => {
      webhooks.dispatch(await settlePayouts(deps, outcomes, webhooks.canDispatch))
      return outcomes.map(() => undefined)
    },
    { max_items: 250, max_running: 2 },
  )
  const learn = (payout: Payout, answer: PayoutAnswer, holds_lease: boolean) =>
    settle({ merchant_id: payout.merchant_id, id: payout.withdrawal_id, answer, holds_lease })

  const takeToken = gather<Payout, boolean>(
    async (payouts) => {
      const now = deps.clock.now()
      const rows = inLockOrder(
        payouts.map(({ merchant_id, withdrawal_id, send_token }) => ({
          merchant_id,
          withdrawal_id,
          token: send_token,
        })),
        (row) => row.withdrawal_id,
      )
      const until = new Date(now.getTime() + PAYOUT_LEASE_MS)
      const values = [JSON.stringify(rows), until, deps.process_id, now]
      const taken = await oneStatement(deps.db).query<{ withdrawal_id: string }>(TAKE, values)
      const ids = new Set(taken.map((row) => row.withdrawal_id))
      return payouts.map((payout) => ids.has(payout.withdrawal_id))
    },
    { max_items: 250, max_running: 2 },
  )

  /** Sends under a token that this process took, or took over. */
  const send = async (payout: Payout, lease_ends: number): Promise<void> => {
    // Nothing is sent under a lease that another process may have taken over meanwhile.
    if (lease_ends - deps.clock.now().getTime() < SEND_LEASE_MS && !(await renew(payout))) return
    deps.point('payout.before_send')
    const answer = await call.payout(payout)
    deps.point('payout.after_send')
    await learn(payout, answer, true)
  }
  const renew = async ({ merchant_id, withdrawal_id }: Payout): Promise<boolean> => {
    const now = deps.clock.now()
    const values = [merchant_id, withdrawal_id, deps.process_id, new Date(now.getTime() + PAYOUT_LEASE_MS), now]
    return (await oneStatement(deps.db).query(RENEW, values)).length === 1
  }
  const step = async (payout: Payout): Promise<void> => {
    const expired = deps.clock.now() >= payout.deadline_at
    // Money that nobody expects any more does not leave by itself.
    if (expired && payout.state === 'to_send') return learn(payout, { kind: 'not_sent', provider_status: null }, true)
    if (payout.state === 'to_send') {
      const lease_ends = deps.clock.now().getTime() + PAYOUT_LEASE_MS
      if (await takeToken(payout)) await send(payout, lease_ends)
      return
    }
    const answer = await call.status(payout)
    const unanswered = payout.state === 'sending' && payout.sent_at === null
    // Whoever took the token may still be about to send: the lease is taken anew, or nothing is sent.
    if (unanswered && answer.kind === 'not_found' && !expired) return send(payout, 0)
    await learn(payout, answer, true)
  }
  const run = (payout: Payout): boolean => {
    // A step that outlasts its lease: claiming the row again made the lease longer, and the step goes on.
    if (in_hand.has(payout.withdrawal_id)) return false
    in_hand.add(payout.withdrawal_id)
    places.take(payout.provider)
    const done = step(payout)
      .catch((error) => {
        const { withdrawal_id } = payout
        deps.log.warn({ err: error, withdrawal_id }, 'payout not finished; it falls due again')
      })
      .finally(() => {
        in_hand.delete(payout.withdrawal_id)
        places.give(payout.provider)
        under_way.delete(done)
      })
    under_way.add(done)
    return true
  }

  const claim = createClaimer<Payout>(deps, {
    name: 'payouts',
    key: ['withdrawal_id'],
    returning: PAYOUT_COLUMNS,
    lane: 'provider',
    longest_pause_ms: LONGEST_PAUSE_MS,
    written: 'updated_at',
  })
  return {
    room: places.room,
    dispatch: (payouts) => {
      for (const payout of payouts) if (payout.due_at !== null && payout.due_at > deps.clock.now()) run(payout)
    },
    ask: async (payout) => learn(payout, await call.status(payout), false),
    task: {
      name: 'payouts',
      every_ms: POLL_EVERY_MS,
      async runOnce() {
        const { max, closed } = places.claimable()
        const payouts = await claim(max, PAYOUT_LEASE_MS, () => max, closed)
        return payouts.filter(run).length
      },
      async idle() {
        while (under_way.size > 0) await Promise.allSettled([...under_way])
      },
    },
  }
}
