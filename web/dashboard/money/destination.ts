// Where a withdrawal goes, in words.

import { showPhone } from '../../ui/show.ts'

/** The ways by which money leaves. */
export const METHODS = ['MOBILE_MONEY', 'BANK_ACCOUNT', 'PROVIDER_PESA'] as const
/** One of them. */
export type PayoutMethod = (typeof METHODS)[number]

/** A number as people read it: phones as they are dialled, accounts as they were written. */
export function showIdentifier(method: PayoutMethod, identifier: string): string {
  return method === 'BANK_ACCOUNT' ? identifier : showPhone(identifier)
}
