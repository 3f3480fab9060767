// The decisions about an address of the allowlist, and from which state each may be made.

import type { IpAddress } from './ip-addresses.ts'

type Status = IpAddress['status']
type Decision = { from: readonly Status[]; to: Status; message: string }

/** Every decision an operator can make, and what is said of an address in another state. */
export const addressDecisions = {
  approve: { from: ['PENDING'], to: 'APPROVED', message: 'Only a PENDING address can be approved.' },
  reject: {
    from: ['PENDING', 'APPROVED'],
    to: 'REJECTED',
    message: 'Only a PENDING or APPROVED address can be rejected.',
  },
} as const satisfies Record<string, Decision>

/** The name of a decision. */
export type AddressDecision = keyof typeof addressDecisions
