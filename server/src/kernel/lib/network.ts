// Addresses as customers have them.

import ipaddr from 'ipaddr.js'

/** What of an address belongs to one customer: IPv4 whole, of IPv6 the first 64 bits. Anything else as it is. */
export function customerNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}

/** Ranges that are not reached from outside. */
const OWN_RANGES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'linkLocal']

/**
 * True for a host of this machine or of the network that it is in: a private address, or a name that only that network knows,
 * such as a container's. Nothing is looked up.
 */
export function isOwnNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host)) return OWN_RANGES.includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(localhost|local|internal)$/i.test(host)
}
