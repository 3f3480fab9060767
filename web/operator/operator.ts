// The operator who is signed in, and data that every page of this console reads.

import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Environment, type SignedInUser, useRead } from '../ui/data.ts'

/** The operator who is signed in. */
export type Me = SignedInUser
/** The open work of one kind. */
export type QueueItem = Calls['GET /v1/operator/queue']['data']['items'][number]

/** The frame sets this; pages only exist inside it. */
export const MeContext = createContext<Me | null>(null)

/** The operator who is signed in. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('a page of this console stands in its frame')
  return me
}

/** The work queue, read again every few seconds. */
export function useQueue(environment: Environment) {
  return useRead('GET /v1/operator/queue', { query: { environment } }, { live: true, keep: true })
}

/** Returns the name of a network or bank by its code; the code itself until the names are known. */
export function useDestinationName(): (code: string) => string {
  const { data } = useRead('GET /v1/destinations')
  return (code) => data?.items.find((one) => one.code === code)?.name ?? code
}

/** When the operator signed in, and whether that is too long ago to move money. Null if there is no limit or the time is unknown. */
export function signInAge(me: Me, step_up_s: number, now: number): { since: string; old: boolean } | null {
  if (step_up_s === 0 || me.auth_time === null) return null
  return { since: me.auth_time, old: now - Date.parse(me.auth_time) >= step_up_s * 1_000 }
}
