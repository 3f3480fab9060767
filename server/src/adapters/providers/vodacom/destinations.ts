// The destinations of Vodacom's payouts.

/** The only reachable network. */
export const VODACOM_DESTINATIONS = ['MPESA'] as const
