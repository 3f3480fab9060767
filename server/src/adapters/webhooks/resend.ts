// Sends the newest event of several payments, or several deliveries, again in one call, and reads how far the attempts are. Only
// the dashboard uses these routes.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type App, answerOnce, caller, type Environment } from '../../kernel/http/index.ts'
import { isId, refuse, refuseField } from '../../kernel/lib/index.ts'
import { access, auditReplays, tags } from './changes.ts'
import { queuedOf, queueReplays } from './deliveries.ts'
import type { EndpointOptions } from './endpoint-routes.ts'
import { type ResendState, ResendStatesAnswer, ResendsAnswer, ResendsBody, ResendsQuery } from './schema.ts'

/** The greatest number of payments or deliveries of one call: the same as in a page of the list. */
const CHOSEN_MAX = 100

type ResendRow = ResendState['deliveries'][number] & { collection_id: string }

// The newest event of a payment belongs to its latest change, which has the greatest source_seq.
const STATES = sql(
  'webhook_resend_states',
  `with newest as (
     select distinct on (source_id) source_id, source_seq, event from webhook_deliveries
     where merchant_id = $1 and environment = $2 and source_type = 'collection' and source_id = any($3::uuid[])
     order by source_id, source_seq desc, id desc
   )
   select d.source_id as collection_id, d.id, d.status, coalesce(a.number, 0) as attempts, a.status_code, a.error
   from newest n
   join webhook_deliveries d on d.merchant_id = $1 and d.environment = $2 and d.source_type = 'collection'
     and d.source_id = n.source_id and d.source_seq = n.source_seq and d.event = n.event
   left join lateral (
     select number, status_code, error from webhook_attempts
     where merchant_id = $1 and delivery_id = d.id order by number desc limit 1) a on true
   order by d.source_id, d.id`,
)

/** Reads the deliveries of the newest event of each payment. A payment without a delivery, or of another merchant, has none. */
async function readStates(
  reader: Reader,
  merchant_id: string,
  environment: Environment,
  collection_ids: readonly string[],
): Promise<ResendRow[]> {
  return reader.query<ResendRow>(STATES, [merchant_id, environment, collection_ids])
}

const LIMITS = {
  collection_ids: {
    field: `must have 1 to ${CHOSEN_MAX} ids of payments`,
    above: `The server sends the webhooks of at most ${CHOSEN_MAX} payments in one call. Choose fewer payments.`,
  },
  delivery_ids: {
    field: `must have 1 to ${CHOSEN_MAX} ids of deliveries`,
    above: `The server sends at most ${CHOSEN_MAX} deliveries in one call. Choose fewer deliveries.`,
  },
} as const

/** Checks the ids of the payments or deliveries, and returns each of them once. */
function chosenIds(field: keyof typeof LIMITS, ids: readonly string[]): string[] {
  const chosen = [...new Set(ids.map((id) => id.toLowerCase()))]
  const details = { fields: [{ field, message: LIMITS[field].field }] }
  if (chosen.length > CHOSEN_MAX) refuse('validation_failed', { message: LIMITS[field].above, details })
  if (chosen.length === 0 || !chosen.every(isId)) refuse('validation_failed', { details })
  return chosen
}

/**
 * Queues one more attempt of the newest event of each payment, at each endpoint. Skips deliveries that are due, in flight or
 * without an attempt, so a repeated call sends nothing twice.
 */
async function resendPayments(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environment: Environment,
  collection_ids: readonly string[],
) {
  const found = await readStates(tx, merchant_id, environment, collection_ids)
  const ids = found.map(({ id }) => id).sort()
  const chosen = await queueReplays(deps, tx, merchant_id, environment, ids)
  const refusals = new Map(chosen.map(({ id, refusal }) => [id, { refusal }]))
  const rows = Map.groupBy(found, ({ collection_id }) => collection_id)
  const items = collection_ids.map((collection_id) => ({
    collection_id,
    // A delivery that the retention removed since the read has no answer.
    deliveries: (rows.get(collection_id) ?? []).flatMap(({ id, attempts }) => {
      const answer = refusals.get(id)
      return answer === undefined ? [] : [{ id, attempts, ...answer }]
    }),
  }))
  return { queued: queuedOf(chosen), items }
}

// The last attempt of each delivery. The caller has locked the deliveries, so no process records an attempt meanwhile.
const LAST_ATTEMPTS = sql(
  'webhook_resend_attempts',
  `select delivery_id as id, max(number) as number from webhook_attempts
   where merchant_id = $1 and delivery_id = any($2::uuid[]) group by delivery_id`,
)

/**
 * Queues one more attempt of each delivery. Skips the deliveries that `resendPayments` skips. A delivery that the merchant does not
 * have in this environment has an empty answer.
 */
async function resendDeliveries(
  deps: Deps,
  tx: Tx,
  merchant_id: string,
  environment: Environment,
  delivery_ids: readonly string[],
) {
  const chosen = await queueReplays(deps, tx, merchant_id, environment, delivery_ids)
  const found = await tx.query<{ id: string; number: number }>(LAST_ATTEMPTS, [merchant_id, delivery_ids])
  const numbers = new Map(found.map(({ id, number }) => [id, number]))
  const items = delivery_ids.map((delivery_id) => ({
    collection_id: null,
    deliveries: chosen
      .filter(({ id }) => id === delivery_id)
      .map(({ id, refusal }) => ({ id, attempts: numbers.get(id) ?? 0, refusal })),
  }))
  return { queued: queuedOf(chosen), items }
}

/** Adds the routes that send the webhooks of several payments again, and that read the progress. */
export function resendRoutes(deps: Deps, app: App, { lockMerchant }: Pick<EndpointOptions, 'lockMerchant'>): void {
  const config = { access: { roles: access.roles } }
  app.post(
    '/v1/merchant/webhook-resends',
    {
      config: { ...config, idempotency: 'honoured' },
      schema: {
        tags,
        operationId: 'replayPaymentWebhooks',
        summary: 'Send the newest event of several payments, or several deliveries, again',
        description:
          'The server attempts the deliveries of the newest event of each payment, or the deliveries of `delivery_ids`, once more. If a delivery waits for a retry, the retry is due now. Due deliveries stay unchanged.',
        body: ResendsBody,
        response: { 202: ResendsAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const { collection_ids, delivery_ids } = request.body
      if (collection_ids !== undefined && delivery_ids !== undefined) {
        refuseField('delivery_ids', 'must be absent if the request has collection_ids')
      }
      const ids =
        delivery_ids === undefined
          ? chosenIds('collection_ids', collection_ids ?? [])
          : chosenIds('delivery_ids', delivery_ids)
      const resend = delivery_ids === undefined ? resendPayments : resendDeliveries
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const { queued, items } = await resend(deps, tx, merchant.id, environment, ids)
        await auditReplays(deps, tx, request, environment, queued)
        return { items }
      })
    },
  )
  app.get(
    '/v1/merchant/webhook-resends',
    {
      config,
      schema: {
        tags,
        operationId: 'listWebhookResends',
        summary: 'Show the last attempts of the newest event of several payments',
        querystring: ResendsQuery,
        response: { 200: ResendStatesAnswer },
      },
    },
    async (request) => {
      const { merchant, environment } = caller(request)
      const collection_ids = chosenIds('collection_ids', request.query.collection_ids.split(','))
      const found = await readStates(deps.db, merchant.id, environment, collection_ids)
      const rows = Map.groupBy(found, ({ collection_id }) => collection_id)
      const items = collection_ids.map((collection_id) => ({
        collection_id,
        deliveries: (rows.get(collection_id) ?? []).map(({ id, status, attempts, status_code, error }) => ({
          id,
          status,
          attempts,
          status_code,
          error,
        })),
      }))
      return { success: true as const, data: { items } }
    },
  )
}
