// Lets a payer choose the outcome of a simulated payment on its page. Only attempts at a provider with the capability
// `rehearses` allow this.

import type { Provider, SimulateStatus } from '../../adapters/providers/port.ts'
import { type Deps, sql } from '../../kernel/db/index.ts'
import { ATTEMPT_COLUMNS, type Attempt } from './store.ts'

/** The outcomes that a payer can choose on the page. */
export const SIMULATED_ON_PAGE = ['successful', 'failed'] as const satisfies readonly SimulateStatus[]

// The first choice of an open attempt counts. A repeated choice changes nothing.
const CHOOSE = sql(
  'attempts_simulate_on_page',
  `update collection_attempts set simulate_status = $3, updated_at = $4
   where merchant_id = $1 and collection_id = $2 and on_page and provider = any($5::text[]) and simulate_status is null
     and state in ('to_send', 'asked')
     and number = (select attempts from collections where merchant_id = $1 and id = $2 and status = 'processing')
   returning ${ATTEMPT_COLUMNS.join(', ')}`,
)

/**
 * Chooses the outcome of the open attempt of a payment, and queries the simulated provider immediately. If the process dies
 * before the query, the worker queries when the attempt is due. If the provider is real, or the payment has an outcome or an
 * earlier choice, changes nothing.
 */
export async function simulateOnPage(
  deps: Deps,
  { providers, ask }: { providers: readonly Provider[]; ask(attempt: Attempt): Promise<void> },
  payment: { merchant_id: string; collection_id: string },
  outcome: (typeof SIMULATED_ON_PAGE)[number],
): Promise<void> {
  const names = providers.filter(({ capabilities }) => capabilities.rehearses === true).map(({ name }) => name)
  const { merchant_id, collection_id } = payment
  const now = deps.clock.now()
  const [attempt] = await deps.db.query<Attempt>(CHOOSE, [merchant_id, collection_id, outcome, now, names])
  if (attempt !== undefined) await ask(attempt)
}
