// Approves many withdrawals in one request. The server checks each withdrawal separately, in the given order. If the server
// refuses a withdrawal, the others continue.

import { actOf } from '../../books/audit/index.ts'
import { type Deps, inputRows, type Reader, sql, type Tx } from '../../kernel/db/index.ts'
import type { Routes } from '../../kernel/http/index.ts'
import { formatAmount, Refusal, refuseField, ZERO_ID } from '../../kernel/lib/index.ts'
import {
  type ApprovalBatch,
  type ApprovalResult,
  type ApprovalService,
  withdrawalName,
} from '../../money/withdrawals/index.ts'
import { evidenceOf } from './decision-evidence.ts'
import {
  findWithdrawalFacts,
  type PresentedFacts,
  presentFacts,
  type WithdrawalFacts,
  type WithdrawalKey,
} from './decision-facts.ts'
import { newestNameChecks } from './name-check.ts'
import { decideOnce } from './once.ts'
import { ApproveBatchAnswer, ApproveBatchBody, type ApproveBatchResult, type NameCheck } from './withdrawals-schema.ts'

const STATUSES = sql(
  'operator_withdrawal_statuses',
  `select w.id, w.status from ${inputRows('$1', 'id', 'merchant_id uuid, id uuid')} i
   join withdrawals w on w.merchant_id = i.merchant_id and w.id = i.id`,
)

/**
 * Adds the route that approves many withdrawals. `find` returns the merchant and the id of a withdrawal from an id in the
 * request.
 */
export function approveBatchRoute(
  deps: Deps,
  { service, find }: { service: ApprovalService; find: (id: string) => Promise<WithdrawalKey> },
): Routes {
  return (app) => {
    app.post(
      '/v1/operator/withdrawals/approve-batch',
      {
        config: { access: 'operator:money', idempotency: 'honoured', step_up: 'unless_dry_run' },
        schema: {
          tags: ['Operator'],
          operationId: 'approveWithdrawals',
          summary: 'Approve many withdrawals in one request',
          description:
            'Approves each withdrawal as `approve` does, in the given order. A refused withdrawal has its `code` in the answer and does not affect the others. `dry_run` makes the same checks, with the amounts that earlier withdrawals would take from the balance, and changes nothing.',
          body: ApproveBatchBody,
          response: { 200: ApproveBatchAnswer },
        },
      },
      async (request, reply) => {
        const { withdrawal_ids, dry_run = false, reason, confirm_new_destination = false } = request.body
        const { confirmed_new_destinations = [] } = request.body
        const named = withdrawal_ids.map((id) => id.toLowerCase())
        if (new Set(named).size < named.length) refuseField('withdrawal_ids', 'must not name one withdrawal twice')
        const confirmed = new Set(confirmed_new_destinations.map((id) => id.toLowerCase()))
        if ([...confirmed].some((id) => !named.includes(id))) {
          refuseField('confirmed_new_destinations', 'must contain only ids of withdrawal_ids')
        }
        const keys = await Promise.all(named.map(find))
        const act = actOf(request)
        const trace = request.trace?.context ?? null
        const given = { act, reason: reason?.trim() ?? null, trace }
        const work = async (tx: Tx) => {
          // The facts describe the balances before the approvals, so a dry run and the real run return the same facts.
          const known = keys.filter(({ merchant_id }) => merchant_id !== ZERO_ID)
          const found = await findWithdrawalFacts(tx, known)
          const [facts, name_checks] = await Promise.all([
            presentFacts(deps, tx, found),
            newestNameChecks(tx, [...found.values()]),
          ])
          const evidence = evidenceOf(found, facts, name_checks)
          const made = await service.approveBatch(
            tx,
            keys.map((key) => ({
              ...key,
              ...given,
              evidence: evidence.get(withdrawalName(key)),
              confirm_new_destination: confirm_new_destination || confirmed.has(key.id),
            })),
            { dry_run },
          )
          return { data: await presentBatch(tx, keys, made, { dry_run, found, facts, name_checks }), left: made }
        }
        return decideOnce(deps, request, reply, work, service.sendApproved)
      },
    )
  }
}

async function presentBatch(
  reader: Reader,
  keys: readonly WithdrawalKey[],
  { answers }: ApprovalBatch,
  {
    dry_run,
    found,
    facts,
    name_checks,
  }: {
    dry_run: boolean
    found: ReadonlyMap<string, WithdrawalFacts>
    facts: ReadonlyMap<string, PresentedFacts>
    name_checks: ReadonlyMap<string, NameCheck>
  },
): Promise<ApproveBatchResult> {
  const refused = keys.filter((key, place) => answers[place] instanceof Refusal && found.has(withdrawalName(key)))
  const rows =
    refused.length === 0
      ? []
      : await reader.query<{ id: string; status: ItemStatus }>(STATUSES, [JSON.stringify(refused)])
  const statuses = new Map(rows.map(({ id, status }) => [id, status]))
  const yes = answers.filter((answer): answer is ApprovalResult => !(answer instanceof Refusal))
  return {
    dry_run,
    approved: sumOf(yes.filter(({ status }) => status === 'PROCESSING')),
    awaiting_second: sumOf(yes.filter(({ status }) => status !== 'PROCESSING')),
    items: keys.map((key, place) => {
      const answer = answers[place] as ApprovalResult | Refusal
      const name = withdrawalName(key)
      const new_destination = found.get(name)?.new_destination ?? false
      const name_check = name_checks.get(name) ?? null
      const item = { withdrawal_id: key.id, new_destination, facts: facts.get(name)?.shown ?? null, name_check }
      if (!(answer instanceof Refusal)) return { ...item, ok: true, code: null, message: null, status: answer.status }
      const { code, message } = answer
      return { ...item, ok: false, code, message, status: statuses.get(key.id) ?? null }
    }),
  }
}

type ItemStatus = ApproveBatchResult['items'][number]['status']

function sumOf(rows: readonly ApprovalResult[]) {
  const total = (part: (row: ApprovalResult) => bigint) => formatAmount(rows.reduce((sum, row) => sum + part(row), 0n))
  return {
    count: rows.length,
    amount: total(({ amount_minor }) => amount_minor),
    total_reserved_amount: total(({ total_reserved_minor }) => total_reserved_minor),
  }
}
