// Provides the business and the environment of a page. The dashboard sends both with each call about a merchant.

import { createContext, useContext } from 'react'
import type { Environment, SignedInUser } from '../ui/data.ts'

/** The environments: sandbox money and real money. */
export const ENVIRONMENTS = ['sandbox', 'live'] as const satisfies readonly Environment[]
/** The membership of the user in one business, with its role and the state of the business. */
export type Membership = SignedInUser['memberships'][number]
/** The role of a member, as the API writes it. */
export type Role = Membership['role']

/** The storage key of the business that this tab shows. */
export const CHOSEN = 'malipo.dashboard.merchant'

/** Selects the business that the address of an e-mail link names. Then removes the business from the address. */
export function chooseNamedMerchant(): void {
  const address = new URL(location.href)
  const named = address.searchParams.get('merchant')
  if (named === null) return
  sessionStorage.setItem(CHOSEN, named)
  address.searchParams.delete('merchant')
  history.replaceState(history.state, '', address)
}

/** Returns the storage key of the business that a user used last. A sign-out keeps this entry, which contains only ids. */
const lastUsedKey = (user_id: string) => `${CHOSEN}.${user_id}`

/** Returns the id of the business that this user used last in this browser. Null means that the user used none. */
export function lastUsedMerchant(user_id: string): string | null {
  return localStorage.getItem(lastUsedKey(user_id))
}

/** Shows this business in this tab. */
export function chooseMerchant(merchant_id: string): void {
  sessionStorage.setItem(CHOSEN, merchant_id)
}

/**
 * Keeps the business that the tab shows, so that a use of another business in another tab does not change this tab. After the
 * next sign-in of this user in this browser, the dashboard shows the business that the user used last.
 */
export function keepUsedMerchant(user_id: string, merchant_id: string): void {
  if (sessionStorage.getItem(CHOSEN) === null) chooseMerchant(merchant_id)
  localStorage.setItem(lastUsedKey(user_id), merchant_id)
}

/** The environment of a page, and the user's membership in the business of the page. */
export type MerchantAccess = { environment: Environment; membership: Membership }

/**
 * The business and the environment of a page. The frame provides the value. Null means that the component is outside the frame.
 */
export const MerchantContext = createContext<MerchantAccess | null>(null)

/** Returns the business and the environment of this page. Outside the frame, throws an error. */
export function useMerchantAccess(): MerchantAccess {
  const acting = useContext(MerchantContext)
  if (acting === null) throw new Error('useMerchantAccess works only in a page inside the frame of the dashboard')
  return acting
}

/**
 * Returns a function that makes the path of a page in this environment: 'collections' becomes "sandbox/collections".
 */
export function useEnvironmentPath(): (path: string) => string {
  const { environment } = useMerchantAccess()
  return (path) => (path === '' ? environment : `${environment}/${path}`)
}

/** Returns true if the member has one of these roles. Pages use the result to hide actions that the role forbids. */
export function useHasRole(...roles: Role[]): boolean {
  return roles.includes(useMerchantAccess().membership.role)
}
