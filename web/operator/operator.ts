// Provides the operator who is signed in, and the data that every page of this console reads.

import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Environment, type SignedInUser, useRead } from '../ui/data.ts'

/** The operator who is signed in. */
export type Me = SignedInUser
/** The waiting records of one kind, such as held payments. */
export type QueueItem = Calls['GET /v1/operator/queue']['data']['items'][number]

/** The frame provides this value, and pages exist only inside the frame. */
export const MeContext = createContext<Me | null>(null)

/** Returns the operator who is signed in. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('useMe works only in a page inside the frame of the operator console')
  return me
}

/** A kind of acts that the role of an operator allows. */
export type Duty = Me['operator_duties'][number]

/** Returns true if the role of the operator allows this kind of acts. */
export function useMay(duty: Duty): boolean {
  return useMe().operator_duties.includes(duty)
}

/** Reads the work queue every few seconds. */
export function useQueue(environment: Environment) {
  return useRead('GET /v1/operator/queue', { query: { environment } }, { live: true, keep: true })
}

/** Returns the name of a network or bank from its code. Until the page has loaded the names, returns the code. */
export function useDestinationName(): (code: string) => string {
  const { data } = useRead('GET /v1/destinations')
  return (code) => data?.items.find((one) => one.code === code)?.name ?? code
}

/**
 * Returns the time of the sign-in, and whether the sign-in is too old to move money. Null means that the platform has no limit,
 * or that the time is unknown.
 */
export function signInAge(me: Me, step_up_s: number, now: number): { since: string; old: boolean } | null {
  if (step_up_s === 0 || me.auth_time === null) return null
  return { since: me.auth_time, old: now - Date.parse(me.auth_time) >= step_up_s * 1_000 }
}
