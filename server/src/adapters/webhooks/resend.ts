// Sends the newest event of several payments again in one call, and reads how far the attempts are. Only the dashboard uses these
// routes.

import { type Deps, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import { type App, answerOnce, caller, type Environment } from '../../kernel/http/index.ts'
import { isId, refuse } from '../../kernel/lib/index.ts'
import { access, auditReplays, tags } from './changes.ts'
import { queuedOf, queueReplays } from './deliveries.ts'
import type { EndpointOptions } from './endpoint-routes.ts'
import { type ResendState, ResendStatesAnswer, ResendsAnswer, ResendsBody, ResendsQuery } from './schema.ts'

/** The greatest number of payments of one call: the same as in a page of the list. */
const PAYMENTS_MAX = 100

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

/** Checks the ids of the payments, and returns each of them once. */
function chosenIds(ids: readonly string[]): string[] {
  const chosen = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (chosen.length > PAYMENTS_MAX) {
    refuse('validation_failed', {
      message: `The server sends the webhooks of at most ${PAYMENTS_MAX} payments in one call. Choose fewer payments.`,
      details: { fields: [{ field: 'collection_ids', message: `must have 1 to ${PAYMENTS_MAX} ids of payments` }] },
    })
  }
  if (chosen.length === 0 || !chosen.every(isId)) {
    const message = `must have 1 to ${PAYMENTS_MAX} ids of payments`
    refuse('validation_failed', { details: { fields: [{ field: 'collection_ids', message }] } })
  }
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
        summary: 'Send the newest event of several payments again',
        description:
          'The server attempts the deliveries of the newest event of each payment once more. If a delivery waits for a retry, the retry is due now. Due deliveries stay unchanged.',
        body: ResendsBody,
        response: { 202: ResendsAnswer },
      },
    },
    async (request, reply) => {
      const { merchant, environment } = caller(request)
      const collection_ids = chosenIds(request.body.collection_ids)
      return answerOnce(deps, request, reply, 202, async (tx) => {
        await lockMerchant(tx, request)
        const { queued, items } = await resendPayments(deps, tx, merchant.id, environment, collection_ids)
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
      const collection_ids = chosenIds(request.query.collection_ids.split(','))
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
