// Reading and acting: queries that stay fresh while a page is open, and acts that are sent once whatever the network does.

import { QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useContext } from 'react'
import { type CallName, call, type Input, Lost, Refused } from './api.ts'
import type { Calls } from './api-types.ts'

/** What every call of a part of the console carries in its query: the environment and the merchant. */
export const ScopeContext = createContext<Record<string, string>>({})

/** Live pages ask again this often while they can be seen. */
export const LIVE_MS = 5_000

/** What is read, kept for the tab. A refusal is an answer: only what got none is asked for again. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) =>
          (error instanceof Lost || (error instanceof Refused && error.status >= 500)) && count < 2,
        staleTime: 2_000,
        refetchOnWindowFocus: true,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      // Without a network an act fails at once: none waits unseen, to be sent when nobody expects it any more.
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}

/** Calls the API for the merchant and environment of the page. */
export function useCall(): typeof call {
  const scope = useContext(ScopeContext)
  return useCallback((name, input = {}) => call(name, scoped(name, scope, input)), [scope])
}

/** An input for the merchant and environment of the page. */
export function withScope<Name extends CallName>(scope: Record<string, string>, input: Input<Name>): Input<Name> {
  return { ...input, query: { ...scope, ...input.query } as Input<Name>['query'] }
}

/** Calls that act for no merchant: they refuse a query that names one. */
const UNSCOPED: ReadonlySet<CallName> = new Set<CallName>(['GET /v1/me', 'GET /v1/destinations'])

function scoped<Name extends CallName>(name: Name, scope: Record<string, string>, input: Input<Name>): Input<Name> {
  return UNSCOPED.has(name) ? input : withScope(scope, input)
}

/** The scope of the page: for downloads. */
export function useScope(): Record<string, string> {
  return useContext(ScopeContext)
}

/** Reads, and reads again while the page is open. `live`: every few seconds; `enabled: false` waits. */
export function useRead<Name extends CallName>(
  name: Name,
  input: Input<Name> = {},
  { live = false, enabled = true, keep = false }: { live?: boolean; enabled?: boolean; keep?: boolean } = {},
) {
  const scope = useContext(ScopeContext)
  return useQuery<Calls[Name]['data']>({
    queryKey: [name, scope, input.params, input.query],
    queryFn: ({ signal }) => call(name, { ...scoped(name, scope, input), signal }),
    refetchInterval: live ? LIVE_MS : false,
    enabled,
    ...(keep ? { placeholderData: (previous) => previous } : {}),
  })
}

/** The person of a session. A console never holds a key. */
export type Person = Extract<Calls['GET /v1/me']['data'], { memberships: unknown }>

/** Reads who is signed in. */
export function usePerson(): { data: Person | undefined; error: Error | null; refetch: () => unknown } {
  const { data, error, refetch } = useRead('GET /v1/me')
  return { data: data !== undefined && 'memberships' in data ? data : undefined, error, refetch }
}

/** Acts: what it changed is read anew everywhere. Nothing is shown as done before the API said so. */
export function useAct<Name extends CallName>(name: Name) {
  const scope = useContext(ScopeContext)
  const queries = useQueryClient()
  return useMutation<Calls[Name]['data'], Error, Input<Name>>({
    mutationFn: (input) => call(name, scoped(name, scope, input)),
    onSettled: () => queries.invalidateQueries(),
  })
}
