// Asks the provider for the name on the receiving account. The call precedes the transaction that records the answer. If the
// process dies between them, the server stores no answer, and the operator repeats the check.

import { lookupAccountName, type NameLookupOptions, sameName } from '../../adapters/providers/name-lookup.ts'
import type { Routing } from '../../adapters/providers/routing.ts'
import { type AuditView, actOf, listTargetAudit, newestTargetAudit, recordAudit } from '../../books/audit/index.ts'
import type { Deps, Reader } from '../../kernel/db/index.ts'
import { answerOnce, EmptyBody, findAnswer, type Routes, readClaim, replay, success } from '../../kernel/http/index.ts'
import { isErasedPhone } from '../../kernel/lib/index.ts'
import { withdrawalName } from '../../money/withdrawals/index.ts'
import { getWithdrawalForOperator } from './withdrawals-list.ts'
import { NameCheck, type OperatorWithdrawalDetail, WithdrawalParams } from './withdrawals-schema.ts'

/** The dependencies of the name check: the name lookups of the providers, and the routing of destinations. */
export type NameCheckOptions = NameLookupOptions & { routing: Routing }

const ACTION = 'withdrawal.name_check'
/** The highest number of name checks that a case shows. */
export const NAME_CHECKS_MAX = 5

/**
 * Returns the newest name checks of a withdrawal from the audit log, without a call of the provider. After `erase payer`, the
 * names are null.
 */
export async function listNameChecks(
  reader: Reader,
  { merchant_id, id, destination_identifier }: OperatorWithdrawalDetail,
): Promise<NameCheck[]> {
  const entries = await listTargetAudit(reader, { merchant_id, target_id: id, actions: [ACTION] }, NAME_CHECKS_MAX)
  return entries.map((entry) => presentCheck(entry, destination_identifier))
}

/**
 * Returns the newest name check of each withdrawal by `withdrawalName`, with one query and without a call of the provider. The
 * result omits withdrawals for which no operator has asked the provider.
 */
export async function newestNameChecks(
  reader: Reader,
  rows: readonly Pick<OperatorWithdrawalDetail, 'merchant_id' | 'id' | 'destination_identifier'>[],
): Promise<Map<string, NameCheck>> {
  const keys = rows.map(({ merchant_id, id: target_id }) => ({ merchant_id, target_id }))
  const found = await newestTargetAudit(reader, keys, ACTION)
  const checks = new Map<string, NameCheck>()
  for (const row of rows) {
    const entry = found.get(row.id)
    if (entry !== undefined) checks.set(withdrawalName(row), presentCheck(entry, row.destination_identifier))
  }
  return checks
}

function presentCheck({ actor, at, after }: AuditView, destination_identifier: string): NameCheck {
  const { name, matches, message = null } = after as Pick<NameCheck, 'name' | 'matches'> & Partial<NameCheck>
  return {
    name: isErasedPhone(destination_identifier) ? null : name,
    matches,
    checked_at: at,
    checked_by: actor.name,
    message,
  }
}

/** Adds the route that asks the provider for the name on the receiving account of a withdrawal. */
export function nameCheckRoutes(deps: Deps, options: NameCheckOptions): Routes {
  return (app) => {
    app.post(
      '/v1/operator/withdrawals/:withdrawal_id/name-check',
      {
        config: { access: 'operator:money', idempotency: 'honoured' },
        schema: {
          tags: ['Operator'],
          operationId: 'checkWithdrawalName',
          summary: 'Ask the provider for the name on the receiving account',
          description:
            'The server queries the provider that has the payout, or that would get the payout now. The call decides nothing and moves no money. The audit log keeps the answer, and the case of the withdrawal shows it.',
          params: WithdrawalParams,
          body: EmptyBody,
          response: { 200: success(NameCheck) },
        },
      },
      async (request, reply) => {
        const claim = readClaim(request)
        const known = claim && (await findAnswer(deps, deps.db, claim))
        if (known) return replay(reply, known)
        const withdrawal = await getWithdrawalForOperator(deps, request.params.withdrawal_id)
        const { provider, checked_at, name, matches, message } = await checkName(deps, options, withdrawal)
        return answerOnce(deps, request, reply, 200, async (tx) => {
          const act = actOf(request)
          await recordAudit(deps, tx, {
            ...act,
            merchant_id: withdrawal.merchant_id,
            action: ACTION,
            target_type: 'withdrawal',
            target_id: withdrawal.id,
            after: { provider, name, matches, message },
          })
          return { name, matches, checked_at, checked_by: act.actor.name, message }
        })
      },
    )
  }
}

async function checkName(
  deps: Deps,
  options: NameCheckOptions,
  withdrawal: OperatorWithdrawalDetail,
): Promise<Omit<NameCheck, 'checked_by'> & { provider: string | null }> {
  const { environment, method, destination_code, destination_identifier, destination_name, payout } = withdrawal
  const provider = payout?.provider ?? options.routing.find(environment, { method, destination_code })?.name ?? null
  const recipient = { method, destination_code, destination_identifier }
  const { name, message } = await lookupAccountName(deps, options, provider, recipient)
  const matches = name === null || destination_name === null ? null : sameName(name, destination_name)
  return { provider, name, matches, checked_at: deps.clock.now().toISOString(), message }
}
