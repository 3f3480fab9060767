// The decisions about an allowlist entry, and the statuses that allow each decision.

import type { IpAddress } from './ip-addresses.ts'

type IpStatus = IpAddress['status']
type AddressMove = { from: readonly IpStatus[]; to: IpStatus; message: string }

/** The decisions of operators. `message` is the error for an entry whose status does not allow the decision. */
export const addressDecisions = {
  approve: { from: ['PENDING'], to: 'APPROVED', message: 'Only a PENDING address can be approved.' },
  reject: {
    from: ['PENDING', 'APPROVED'],
    to: 'REJECTED',
    message: 'Only a PENDING or APPROVED address can be rejected.',
  },
} as const satisfies Record<string, AddressMove>

/** The name of a decision about an allowlist entry. */
export type AddressDecision = keyof typeof addressDecisions
