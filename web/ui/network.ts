// Guesses the mobile network of a phone from its prefix. Payers can move a number to another network, so the name only helps to
// recognise a payer.

/**
 * The two digits after 255 that each network issues. A test compares this table with server/src/kernel/lib/phone.ts.
 */
export const NETWORKS: Readonly<Record<string, { name: string; prefixes: readonly number[] }>> = {
  HALOPESA: { name: 'HaloPesa', prefixes: [61, 62, 63] },
  MIXX: { name: 'Mixx by Yas', prefixes: [65, 67, 70, 71] },
  AIRTEL: { name: 'Airtel Money', prefixes: [66, 68, 69, 78] },
  MPESA: { name: 'M-Pesa', prefixes: [72, 74, 75, 76, 79] },
  TTCL: { name: 'T-Pesa', prefixes: [73] },
  EZYPESA: { name: 'Ezypesa', prefixes: [77] },
}

/** Returns the name of the network that issued a canonical phone number. Null means that the prefix is unknown. */
export function networkOfPhone(phone: string): string | null {
  const prefix = Number(phone.slice(3, 5))
  return Object.values(NETWORKS).find(({ prefixes }) => prefixes.includes(prefix))?.name ?? null
}
