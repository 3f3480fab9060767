// Looks up the name of the receiving account at the provider before a payout. The server asks the provider before the
// transaction that records the answer. If the process dies between the two, the server stores nothing, and the operator asks
// again.

import Type, { type Static } from 'typebox'
import { readName } from '../../adapters/providers/answer.ts'
import { answerOf, type Breaker, guarded, QUESTIONS } from '../../adapters/providers/breaker.ts'
import type { ProviderExtras } from '../../adapters/providers/extras.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Routing } from '../../adapters/providers/routing.ts'
import { actOf, recordAudit } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { answerOnce, EmptyBody, findAnswer, type Routes, readClaim, replay, success } from '../../kernel/http/index.ts'
import { nullable } from '../../kernel/lib/index.ts'
import { getWithdrawalForOperator } from './withdrawals-list.ts'
import { type OperatorWithdrawalDetail, WithdrawalParams } from './withdrawals-schema.ts'

/** The dependencies of the name check. */
export type NameCheckOptions = {
  providers: ReadonlyMap<string, Provider & ProviderExtras>
  routing: Routing
  breaker: Breaker
}

const NameCheck = Type.Object(
  {
    name: nullable(
      Type.String({
        description:
          'The name on the account, as the provider reports the name. Null means that `message` gives the reason.',
      }),
    ),
    matches: nullable(
      Type.Boolean({
        description:
          'True means that the name has the same words as destination_name, in any order, case or accents. False means that an operator should compare the names. Null means that one of the two names is unknown.',
      }),
    ),
    checked_at: Type.String({ format: 'date-time' }),
    message: nullable(
      Type.String({
        description: 'The reason for a missing name. A missing name never means that the account does not exist.',
      }),
    ),
  },
  { title: 'NameCheck' },
)
type NameCheck = Static<typeof NameCheck>

/** Adds the route for the name check. */
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
            'Asks the provider that has the payout, or that would get the payout now. The call decides nothing and moves no money. The audit log keeps the answer.',
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
        const { provider, ...check } = await checkName(deps, options, withdrawal)
        return answerOnce(deps, request, reply, 200, async (tx) => {
          await recordAudit(deps, tx, {
            ...actOf(request),
            merchant_id: withdrawal.merchant_id,
            action: 'withdrawal.name_check',
            target_type: 'withdrawal',
            target_id: withdrawal.id,
            after: { provider, name: check.name, matches: check.matches },
          })
          return check
        })
      },
    )
  }
}

/** The result of a lookup. If the list contains null, the provider has no name for the account. */
type NameLookup = readonly [{ name: string } | null | undefined] | 'failed' | 'stopped'

async function checkName(
  deps: Deps,
  { providers, routing, breaker }: NameCheckOptions,
  withdrawal: OperatorWithdrawalDetail,
): Promise<NameCheck & { provider: string | null }> {
  const { environment, method, destination_code, destination_identifier, destination_name, payout } = withdrawal
  const found = payout?.provider ?? routing.find(environment, { method, destination_code })?.name ?? null
  const provider = found === null ? undefined : providers.get(found)
  const result = (name: string | null, message: string | null) => ({
    provider: found,
    name,
    matches: name === null || destination_name === null ? null : wordsOf(name) === wordsOf(destination_name),
    checked_at: deps.clock.now().toISOString(),
    message,
  })
  if (provider === undefined) return result(null, `No configured provider pays out ${method} to ${destination_code}.`)
  if (provider.lookupName === undefined) return result(null, `${provider.name} has no names to look up.`)
  const recipient = { method, destination_code, destination_identifier }
  const answer = await guarded<NameLookup>({ breaker, clock: deps.clock }, provider, QUESTIONS.names, {
    work: async () =>
      (await answerOf(
        deps,
        provider.name,
        async (): Promise<NameLookup> => [await provider.lookupName?.(recipient)],
      )) ?? 'failed',
    isFault: (all) => all === 'failed',
    stopped: () => 'stopped',
  })
  if (answer === 'stopped')
    return result(null, `${provider.name} does not answer at the moment. Try again in a minute.`)
  if (answer === 'failed') return result(null, `${provider.name} did not answer. Try again.`)
  const name = readName(answer[0]?.name)
  return name === null
    ? result(null, `${provider.name} returned no name: it has none for this account, or could not look it up.`)
    : result(name, null)
}

/** Returns the words of a name in upper case, sorted, without accents and punctuation. */
function wordsOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase()
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).sort().join(' ')
}
