// The business and the environment that a page is about. Every call of the dashboard carries both.

import { createContext, useContext } from 'react'
import type { SignedInUser } from '../ui/data.ts'

/** The environments: real money, and none. */
export const ENVIRONMENTS = ['sandbox', 'live'] as const
/** One of them. */
export type Environment = (typeof ENVIRONMENTS)[number]
/** One membership of whoever is signed in. */
export type Membership = SignedInUser['memberships'][number]
/** What a member may be. */
export type Role = Membership['role']

/** Where the tab remembers the business that it shows. */
export const CHOSEN = 'malipo.dashboard.merchant'

/** Chooses the business that the address names, as a link in an e-mail does, and takes it out of the address. */
export function chooseNamedMerchant(): void {
  const address = new URL(location.href)
  const named = address.searchParams.get('merchant')
  if (named === null) return
  sessionStorage.setItem(CHOSEN, named)
  address.searchParams.delete('merchant')
  history.replaceState(history.state, '', address)
}

/** The business of a page, the role in it of whoever reads, and the environment. */
export type MerchantAccess = { environment: Environment; membership: Membership }

/** Set by the frame; pages are only shown inside of it. */
export const MerchantContext = createContext<MerchantAccess | null>(null)

/** The business and environment of this page. */
export function useMerchantAccess(): MerchantAccess {
  const acting = useContext(MerchantContext)
  if (acting === null) throw new Error('a page of the dashboard stands in its frame')
  return acting
}

/** A path in the environment of this page: `useEnvironmentPath()('collections')` is "sandbox/collections". */
export function useEnvironmentPath(): (path: string) => string {
  const { environment } = useMerchantAccess()
  return (path) => (path === '' ? environment : `${environment}/${path}`)
}

/** True when the reader has one of these roles here: what nobody may do is not offered. */
export function useHasRole(...roles: Role[]): boolean {
  return roles.includes(useMerchantAccess().membership.role)
}
