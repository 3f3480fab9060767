// Makes payouts during the faults of `npm run ha`. An operator approves withdrawals. If the connection breaks or the server
// answers 503, the operator repeats the approval. The provider's book shows whether the platform executed a payout twice.

import { setTimeout as sleep } from 'node:timers/promises'
import {
  askAgain,
  type Cashier,
  findPayoutProblems,
  gatherPayoutFacts,
  totalOf,
  waitPayoutsQuiet,
} from '../crash/payouts.ts'
import { openShop, type Rig } from '../crash/rig.ts'

/** The payouts of a fault, while an operator approves them. */
export type PayoutLoad = {
  /** Approves the remaining withdrawals. Resolves when the server has answered each approval. */
  stop(): Promise<void>
  /** Describes each approval that the server answered with another status than 200, 409 or 503. */
  problems: string[]
}

/** The merchants of payouts with the money that the test gave them, and the operator. */
export type Payouts = { cashier: Cashier; funded: Map<string, bigint> }

/** Phone endings by the outcome of the payout: paid, declined, reversed, and known only after a query. */
const ENDINGS = ['001', '001', '102', '105', '106']
const EVERY_MS = 1_000
const RETRY_MS = 200
const REST_AT_ONCE = 4
const QUIET_MS_MAX = 120_000
/**
 * The number of queries that the platform may send about a payout in doubt. If the payout is then still in doubt, it counts as
 * a problem.
 */
const ROUNDS_OF_DOUBT = 5

/**
 * Configures the webhooks of all shops, and gives a new merchant money and `count` withdrawals. Then begins to approve one
 * withdrawal each second.
 */
export async function startPayouts(
  { cashier, funded }: Payouts,
  rig: Rig,
  server_url: string,
  options: { name: string; count: number; random: () => number },
): Promise<PayoutLoad> {
  const { name, count, random } = options
  const shop = await openShop(rig.deps, `${name} payouts`)
  rig.shops.push(shop)
  // If a payout settles before its merchant has a webhook, the merchant gets no webhook about this payout.
  await rig.configureWebhooks(server_url)
  const amounts = Array.from({ length: count }, () => 1_000n + BigInt(Math.floor(random() * 1_000_000)))
  const total = amounts.reduce((sum, amount) => sum + totalOf(amount), 0n)
  funded.set(shop.merchant.id, total)
  if (count > 0) await cashier.fund(shop, total)
  const waiting: string[] = []
  for (const amount of amounts)
    waiting.push(await cashier.submit(shop, amount, ENDINGS[Math.floor(random() * ENDINGS.length)] as string))

  const problems: string[] = []
  const approve = async (id: string) => {
    for (;;) {
      const status = await cashier.approve(server_url, id)
      // Status 409 means that an earlier request, whose answer was lost, has approved the withdrawal.
      if (status === 200 || status === 409) return
      if (status !== null && status !== 503) return void problems.push(`the approval of ${id} was answered ${status}`)
      await sleep(RETRY_MS)
    }
  }
  let running = true
  const approveOne = async (pause_ms: () => number) => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      await approve(id)
      if (pause_ms() > 0) await sleep(pause_ms())
    }
  }
  const steady = approveOne(() => (running ? EVERY_MS : 0))
  return {
    problems,
    async stop() {
      running = false
      await Promise.all([steady, ...Array.from({ length: REST_AT_ONCE }, () => approveOne(() => 0))])
    },
  }
}

/** Waits until the platform has settled the payouts, and describes each contradiction with the books of the provider. */
export async function payoutProblems({ funded }: Payouts, rig: Rig): Promise<string[]> {
  let left = await waitPayoutsQuiet(rig, QUIET_MS_MAX)
  let problems = findPayoutProblems(await gatherPayoutFacts(rig), funded)
  for (let round = 0; round < ROUNDS_OF_DOUBT && problems.length > 0; round++) {
    await askAgain(rig)
    left = await waitPayoutsQuiet(rig, QUIET_MS_MAX)
    problems = findPayoutProblems(await gatherPayoutFacts(rig), funded)
  }
  return left.open + left.unsent + left.due + left.pending === 0
    ? problems
    : [...problems, `payouts still open after the load: ${JSON.stringify(left)}`]
}
