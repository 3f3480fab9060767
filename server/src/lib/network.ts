// Addresses as customers have them.

import ipaddr from 'ipaddr.js'

/** What of an address belongs to one customer: IPv4 whole, of IPv6 the first 64 bits. Anything else as it is. */
export function customerNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}
