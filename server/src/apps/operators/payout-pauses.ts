// Defines the endpoints with which operators pause payouts: all of them, or those of a merchant, a provider or a destination.

import { getMerchant } from '../../access/merchants/index.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps, Reader } from '../../kernel/db/index.ts'
import { type App, answerOnce, type Routes } from '../../kernel/http/index.ts'
import { findDestination, refuseField } from '../../kernel/lib/index.ts'
import { endPause, listPauses, type PayoutPause, startPause } from '../../money/withdrawals/index.ts'
import {
  EndPauseBody,
  PauseAnswer,
  PauseParams,
  type PauseRecord,
  PausesAnswer,
  PausesQuery,
  StartedPauseAnswer,
  StartPauseBody,
} from './payout-pauses-schema.ts'

const tags = ['Operator']
const PATH = '/v1/operator/payout-pauses'
const WRITE = { access: 'operator:pause', idempotency: 'honoured', refusals: ['invalid_state'] } as const

/**
 * Adds the routes that list, start and end pauses of payouts. `provider_names` lists the providers of this installation.
 */
export function payoutPauseRoutes(deps: Deps, provider_names: readonly string[]): Routes {
  return (app) => {
    listRoute(deps, app)
    startRoute(deps, app, provider_names)
    endRoute(deps, app)
  }
}

function listRoute(deps: Deps, app: App): void {
  app.get(
    PATH,
    {
      config: { access: 'operator:read' },
      schema: {
        tags,
        operationId: 'listPayoutPauses',
        summary: 'List the pauses of payouts, those in force first',
        description: '`total_items` counts up to 10,000.',
        querystring: PausesQuery,
        response: { 200: PausesAnswer },
      },
    },
    async (request) => {
      const { state, ...choice } = request.query
      const active = state === undefined ? null : state === 'active'
      const { items, pagination } = await listPauses(deps.db, { ...choice, active })
      return { success: true as const, data: { items: items.map(presentPause), pagination } }
    },
  )
}

function startRoute(deps: Deps, app: App, provider_names: readonly string[]): void {
  app.post(
    PATH,
    {
      config: { ...WRITE, refusals: ['invalid_state', 'not_found'] },
      schema: {
        tags,
        operationId: 'createPayoutPause',
        summary: 'Pause payouts',
        description:
          'After the answer of the call, no process takes the send token of a live payout in the scope. Approved payouts keep their reservation and wait; operators can still approve. The server queries and settles payouts that a process sent before, as usual. Sandbox payouts continue. If a pause with this scope and target is in force, the server refuses the call with `invalid_state` and names that pause.',
        body: StartPauseBody,
        response: { 201: StartedPauseAnswer },
      },
    },
    async (request, reply) => {
      const { scope, reason } = request.body
      return answerOnce(deps, request, reply, 201, async (tx) => {
        const target = await readTarget(tx, provider_names, request.body)
        const { sending, ...pause } = await startPause(deps, tx, actOf(request), {
          scope,
          target,
          reason: reason.trim(),
        })
        return { ...presentPause(pause), sending }
      })
    },
  )
}

function endRoute(deps: Deps, app: App): void {
  app.post(
    `${PATH}/:pause_id/end`,
    {
      config: {
        ...WRITE,
        access: 'operator:merchants',
        step_up: 'always',
        refusals: ['conflict_of_interest', 'invalid_state'],
      },
      schema: {
        tags,
        operationId: 'endPayoutPause',
        summary: 'End a pause of payouts',
        description:
          'The server sends the payouts that waited within half a minute, unless another pause applies to them.',
        params: PauseParams,
        body: EndPauseBody,
        response: { 200: PauseAnswer },
      },
    },
    async (request, reply) => {
      const input = { pause_id: request.params.pause_id.toLowerCase(), reason: request.body.reason.trim() }
      return answerOnce(deps, request, reply, 200, async (tx) =>
        presentPause(await endPause(deps, tx, actOf(request), input)),
      )
    },
  )
}

/**
 * Returns the target in its stored form. If a merchant does not exist, refuses with not_found. If another target is unknown, or
 * the target is missing or superfluous, refuses the field.
 */
async function readTarget(
  reader: Reader,
  provider_names: readonly string[],
  { scope, target = '' }: StartPauseBody,
): Promise<string> {
  if (scope === 'platform') return target === '' ? '' : refuseField('target', 'must be left out for the scope platform')
  if (target === '') refuseField('target', `is required for the scope ${scope}`)
  if (scope === 'merchant') return (await getMerchant(reader, target.toLowerCase())).id
  if (scope === 'destination') {
    const destination = findDestination(target)
    return destination === null
      ? refuseField('target', `"${target}" is not a code of GET /v1/destinations`)
      : destination.code
  }
  if (provider_names.includes(target)) return target
  return refuseField('target', `"${target}" is not a provider: must be one of ${provider_names.join(', ')}`)
}

function presentPause(pause: PayoutPause): PauseRecord {
  const { id, scope, target, reason, started_by_name, started_at, ended_by_name, ended_reason, ended_at } = pause
  return {
    id,
    scope,
    target: target === '' ? null : target,
    target_name: scope === 'destination' ? (findDestination(target)?.name ?? null) : pause.merchant_name,
    reason,
    started_by: started_by_name,
    started_at: started_at.toISOString(),
    ended_by: ended_by_name,
    ended_reason,
    ended_at: ended_at?.toISOString() ?? null,
  }
}
