// Looks up the name on a receiving account at the provider of its destination, and compares names. No payout depends on the
// provider's answer.

import type { Deps } from '../../kernel/db/index.ts'
import { readName } from './answer.ts'
import { answerOf, type Breaker, guarded, QUESTIONS } from './breaker.ts'
import type { PayoutRecipient, ProviderExtras } from './extras.ts'
import type { Provider } from './port.ts'

/** The configured providers by name, and their circuit breaker. */
export type NameLookupOptions = {
  providers: ReadonlyMap<string, Provider & ProviderExtras>
  breaker: Breaker
}

/** The name on an account. If the name is null, `message` has the reason. A missing name never means that there is no account. */
export type AccountName = { name: string; message: null } | { name: null; message: string }

/**
 * The result of a lookup. A list has the adapter's answer, and null or undefined means that the adapter got no name. `failed`:
 * the adapter threw an error or exceeded the timeout. `stopped`: the circuit breaker prevented the call.
 */
type NameAnswer = readonly [{ name: string } | null | undefined] | 'failed' | 'stopped'

/**
 * Queries a provider for the name on the receiving account. `found` is the name of the provider. Null means that no provider
 * pays out to this destination.
 */
export async function lookupAccountName(
  deps: Deps,
  { providers, breaker }: NameLookupOptions,
  found: string | null,
  recipient: PayoutRecipient,
): Promise<AccountName> {
  const provider = found === null ? undefined : providers.get(found)
  const { method, destination_code, destination_identifier } = recipient
  const unknown = (message: string) => ({ name: null, message })
  if (provider === undefined)
    return unknown(
      `No configured provider supports ${method} payouts to ${destination_code}. Check the name in another way.`,
    )
  if (provider.lookupName === undefined)
    return unknown(`${provider.name} does not support name lookups. Check the name in another way.`)
  const asked = { method, destination_code, destination_identifier }
  const answer = await guarded<NameAnswer>({ breaker, clock: deps.clock }, provider, QUESTIONS.names, {
    work: async () =>
      (await answerOf(deps, provider.name, async (): Promise<NameAnswer> => [await provider.lookupName?.(asked)])) ??
      'failed',
    isFault: (all) => all === 'failed',
    stopped: () => 'stopped',
  })
  if (answer === 'stopped') return unknown('The provider does not answer at the moment. Try again in a minute.')
  if (answer === 'failed') return unknown('The provider did not answer. Try again.')
  const name = readName(answer[0]?.name)
  return name === null
    ? unknown(
        'The provider returned no name: the account has none, or the lookup failed. Check the account, or try again.',
      )
    : { name, message: null }
}

/** Returns true if two names have the same words, whatever their order, case and accents. */
export function sameName(one: string, other: string): boolean {
  return nameWords(one) === nameWords(other)
}

/** Returns the words of a name in upper case, sorted, without accents and punctuation. */
function nameWords(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase()
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).sort().join(' ')
}
