// Who is at the desk, and what every page of this console reads.

import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Person, useRead } from '../ui/data.ts'

/** Who is signed in. */
export type Me = Person
/** Real money, or none. */
export type Environment = 'live' | 'sandbox'
/** What waits, of one kind. */
export type Waiting = Calls['GET /v1/operator/queue']['data']['items'][number]

/** Set by the frame; pages are only shown inside of it. */
export const MeContext = createContext<Me | null>(null)

/** Who is signed in. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('a page of this console stands in its frame')
  return me
}

/** What waits for operators, read anew every few seconds. */
export function useQueue(environment: Environment) {
  return useRead('GET /v1/operator/queue', { query: { environment } }, { live: true, keep: true })
}

/** What a network or bank is called, by its code; the code itself while that is not known. */
export function useDestinationName(): (code: string) => string {
  const { data } = useRead('GET /v1/destinations')
  return (code) => data?.items.find((one) => one.code === code)?.name ?? code
}

/** How long ago this person gave their credentials, and whether that is too long to move money. Null: no limit, or not known. */
export function signInAge(me: Me, step_up_s: number, now: number): { since: string; old: boolean } | null {
  if (step_up_s === 0 || me.auth_time === null) return null
  return { since: me.auth_time, old: now - Date.parse(me.auth_time) >= step_up_s * 1_000 }
}
