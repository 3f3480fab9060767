// Provides the business and the environment of a page. Every call of the dashboard sends both.

import { createContext, useContext } from 'react'
import type { Environment, SignedInUser } from '../ui/data.ts'

/** The environments: test money and real money. */
export const ENVIRONMENTS = ['sandbox', 'live'] as const satisfies readonly Environment[]
/** A membership of the user who is signed in. */
export type Membership = SignedInUser['memberships'][number]
/** The role of a member. */
export type Role = Membership['role']

/** The storage key of the business that this tab shows. */
export const CHOSEN = 'malipo.dashboard.merchant'

/** Selects the business that the address of an e-mail link names, and removes the business from the address. */
export function chooseNamedMerchant(): void {
  const address = new URL(location.href)
  const named = address.searchParams.get('merchant')
  if (named === null) return
  sessionStorage.setItem(CHOSEN, named)
  address.searchParams.delete('merchant')
  history.replaceState(history.state, '', address)
}

/** The environment of a page, and the user's membership in its business. */
export type MerchantAccess = { environment: Environment; membership: Membership }

/** The frame provides this value, and pages exist only inside the frame. */
export const MerchantContext = createContext<MerchantAccess | null>(null)

/** Returns the business and the environment of this page. */
export function useMerchantAccess(): MerchantAccess {
  const acting = useContext(MerchantContext)
  if (acting === null) throw new Error('useMerchantAccess works only in a page inside the frame of the dashboard')
  return acting
}

/** Returns a function that makes the path of a page in this environment: 'collections' becomes "sandbox/collections". */
export function useEnvironmentPath(): (path: string) => string {
  const { environment } = useMerchantAccess()
  return (path) => (path === '' ? environment : `${environment}/${path}`)
}

/** Returns true if the reader has one of these roles. A page offers no action that the reader's role forbids. */
export function useHasRole(...roles: Role[]): boolean {
  return roles.includes(useMerchantAccess().membership.role)
}
