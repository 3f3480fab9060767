// Reads data and sends actions for the pages. An open page reads its live data again every few seconds. After a failed action,
// the console repeats the request by itself only if the API required a new token or a confirmed session.

import { QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext } from 'react'
import { type CallName, call, type Input, NoAnswer, Refused } from './api.ts'
import type { Calls } from './api-types.ts'

/** The environment: real money or sandbox money. */
export type Environment = 'live' | 'sandbox'
/**
 * The query parameters that the dashboard adds to its calls: the environment and the merchant. The operators' console adds no
 * parameters.
 */
export const ScopeContext = createContext<Record<string, string>>({})

/** The pause between two reads of a visible page with live data, in milliseconds. */
export const LIVE_MS = 5_000

/**
 * Creates the cache of this tab. If a read gets no response or a 5xx response, the cache retries the read at most twice. Any
 * other refusal is final.
 */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) =>
          (error instanceof NoAnswer || (error instanceof Refused && error.status >= 500)) && count < 2,
        staleTime: 2_000,
        refetchOnWindowFocus: true,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      // Without a network, an action fails immediately. Otherwise the action could reach the server when the user no longer
      // expects it.
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/**
 * Returns `call`, which then adds the merchant and environment of the page to each request that concerns a merchant.
 */
export function useCall(): typeof call {
  const scope = useContext(ScopeContext)
  return useCallback((name, input = {}) => call(name, scoped(name, scope, input)), [scope])
}

/** Adds the merchant and environment of a page to an input. A value in the input replaces the value of the page. */
export function withScope<Name extends CallName>(scope: Record<string, string>, input: Input<Name>): Input<Name> {
  return { ...input, query: { ...scope, ...input.query } as Input<Name>['query'] }
}

/** The calls that concern no merchant. If such a call names a merchant, the API refuses the call. */
const UNSCOPED: ReadonlySet<CallName> = new Set<CallName>([
  'GET /v1/me',
  'POST /v1/session/password',
  'PATCH /v1/session/name',
  'PATCH /v1/session/language',
  'POST /v1/session/email',
  'GET /v1/me/attention',
  'GET /v1/me/recent-merchant',
  'GET /v1/session',
  'GET /v1/sessions',
  'DELETE /v1/sessions/{session_id}',
  'GET /v1/passkeys',
  'DELETE /v1/passkeys/{passkey_id}',
  'GET /v1/destinations',
])

function scoped<Name extends CallName>(name: Name, scope: Record<string, string>, input: Input<Name>): Input<Name> {
  return UNSCOPED.has(name) ? input : withScope(scope, input)
}

/** Returns the merchant and environment of the page as query parameters, for downloads. */
export function useScope(): Record<string, string> {
  return useContext(ScopeContext)
}

type ReadOptions<Data> = {
  live?: boolean | number | ((data: Data | undefined) => number)
  enabled?: boolean
  keep?: boolean
}

/**
 * Reads data. `live` repeats the read every few seconds, or after this number of milliseconds, which may depend on the data.
 * A hidden tab repeats no read. If the API refuses the input with 400, no repetition follows until the input changes. `enabled: false` delays the read. `keep` shows the old data until the new data arrives.
 */
export function useRead<Name extends CallName>(
  name: Name,
  input: Input<Name> = {},
  { live = false, enabled = true, keep = false }: ReadOptions<Calls[Name]['data']> = {},
) {
  const scope = useContext(ScopeContext)
  return useQuery<Calls[Name]['data']>({
    queryKey: [name, scope, input.params, input.query],
    queryFn: ({ signal }) => call(name, { ...scoped(name, scope, input), signal }),
    refetchInterval: ({ state: { data, error } }) => {
      // The API would refuse the same input again.
      if (error instanceof Refused && error.status === 400) return false
      if (typeof live === 'function') return live(data)
      return live === true ? LIVE_MS : live
    },
    enabled,
    ...(keep ? { placeholderData: (previous) => previous } : {}),
  })
}

/** The user of a session. A console never uses an API key, so the caller of GET /v1/me always is a user. */
export type SignedInUser = Extract<Calls['GET /v1/me']['data'], { memberships: unknown }>

/** Reads the user who is signed in. Undefined as `data` means that no read has succeeded yet. */
export function useSignedInUser(): { data: SignedInUser | undefined; error: Error | null; refetch: () => unknown } {
  const { data, error, refetch } = useRead('GET /v1/me')
  return { data: data !== undefined && 'memberships' in data ? data : undefined, error, refetch }
}

/** The longest time in milliseconds that an action waits for the page to read its data again. */
const READ_AGAIN_MS_MAX = 20_000

/**
 * Reads the data of the page again: all data, or the reads whose key begins with `queryKey`. Returns after the last response,
 * or after 20 seconds: on a bad network a read may get no response, and the action that came before it is finished.
 */
export async function readAgain(queries: QueryClient, queryKey: readonly string[] = []): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, READ_AGAIN_MS_MAX))
  await Promise.race([queries.invalidateQueries({ queryKey }), late])
}

/** Returns a mutation that sends an action. After the response or an error, the page reads all data again. */
export function useAction<Name extends CallName>(name: Name) {
  const scope = useContext(ScopeContext)
  const queries = useQueryClient()
  return useMutation<Calls[Name]['data'], Error, Input<Name>>({
    mutationFn: (input) => call(name, scoped(name, scope, input)),
    onSettled: () => readAgain(queries),
  })
}
