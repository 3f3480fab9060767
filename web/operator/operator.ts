// Provides the operator who is signed in, and data that several pages of this console read.

import { useRouterState } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import type { Calls } from '../ui/api-types.ts'
import { type Environment, type SignedInUser, useRead } from '../ui/data.ts'

/** The operator who is signed in, with their role and duties. */
export type Me = SignedInUser
/** The waiting records of an environment, with the rules for approvals. */
export type QueueRead = Calls['GET /v1/operator/queue']['data']
/**
 * The waiting records of one kind, such as held payments, with their count, their amount and the time of the oldest.
 */
export type QueueItem = QueueRead['items'][number]

/** The operator of a page. The frame provides the value. Null means that the component is outside the frame. */
export const MeContext = createContext<Me | null>(null)

/** Returns the operator who is signed in. Outside the frame, throws an error. */
export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === null) throw new Error('useMe works only in a page inside the frame of the operator console')
  return me
}

/** A kind of actions that a role allows, such as decisions about money. */
export type Duty = Me['operator_duties'][number]

/** Returns true if the role of the operator allows this kind of actions. */
export function useMay(duty: Duty): boolean {
  return useMe().operator_duties.includes(duty)
}

/**
 * Reads the waiting records of an environment again every few seconds. While Open work shows this environment, the read also
 * counts the warnings, so that the page and the frame share one read.
 */
export function useQueue(environment: Environment) {
  const counts_warnings = useRouterState({
    select: ({ location: { pathname, search } }) => pathname === '/' && queueEnvironment(search) === environment,
  })
  const query = counts_warnings ? { environment, warnings: true } : { environment }
  return useRead('GET /v1/operator/queue', { query }, { live: true, keep: true })
}

/** Returns the environment that Open work shows, by the search part of its address. */
export function queueEnvironment(search: { environment?: string }): Environment {
  return search.environment === 'sandbox' ? 'sandbox' : 'live'
}

/**
 * Returns a function that returns the name of a network or bank for a code. Before the names are loaded, the function returns
 * the code.
 */
export function useDestinationName(): (code: string) => string {
  const { data } = useRead('GET /v1/destinations')
  return (code) => data?.items.find((one) => one.code === code)?.name ?? code
}

/**
 * Returns the time of the sign-in, and whether the sign-in is too old to move money. Null means that the platform sets no
 * limit, or that the time is unknown.
 */
export function signInAge(me: Me, step_up_s: number, now: number): { since: string; old: boolean } | null {
  if (step_up_s === 0 || me.auth_time === null) return null
  return { since: me.auth_time, old: now - Date.parse(me.auth_time) >= step_up_s * 1_000 }
}
