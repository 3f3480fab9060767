// Reading addresses and networks: one canonical form each, so that equal ones are stored once and compare right.

import ipaddr from 'ipaddr.js'

/** The widest networks that may be on an allowlist, as prefix lengths: wider ones hold no single business. */
const WIDEST = { ipv4: 16, ipv6: 32 } as const
const BITS = { ipv4: 32, ipv6: 128 } as const
/** Addresses that nobody calls from. */
const NOBODY = ['unspecified', 'multicast', 'broadcast']

type Network = { address: ipaddr.IPv4 | ipaddr.IPv6; prefix: number }

/**
 * The canonical CIDR of an address or network that a person wrote: 203.0.113.7 is 203.0.113.7/32, and an IPv4 address
 * mapped into IPv6 is the IPv4 one. Answers `problem` in words for that person when it will not do.
 */
export function canonicalNetwork(text: string): { network: string } | { problem: string } {
  const found = parse(text.trim())
  if (found === null) return { problem: 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24' }
  const { address, prefix } = found
  const kind = address.kind()
  if (prefix < WIDEST[kind]) return { problem: `is too wide: at most a /${WIDEST[kind]}` }
  if (NOBODY.includes(address.range())) return { problem: 'is not an address that a server calls from' }
  const network = networkOf(address, prefix)
  if (network.toString() !== address.toString()) {
    return { problem: `names one address of a network: send ${network}/${prefix} or ${address}` }
  }
  return { network: `${address}/${prefix}` }
}

/** The plain form of the address that a request came from, or null when it is none. */
export function canonicalAddress(text: string): string | null {
  return text.includes('/') ? null : (parse(text.split('%', 1)[0] as string)?.address.toString() ?? null)
}

/** A canonical CIDR as people read it: a single address without its prefix. */
export function shownNetwork(network: string): string {
  return network.replace(network.includes(':') ? /\/128$/ : /\/32$/, '')
}

function parse(text: string): Network | null {
  const written = /^([0-9a-fA-F:.]{2,45})(?:\/(\d{1,3}))?$/.exec(text)
  const host = written?.[1] ?? ''
  // Only the plain spelling of IPv4: others (octal, hexadecimal, short) are read differently by different programs.
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !(host.includes(':') && ipaddr.IPv6.isValid(host))) return null
  const address = ipaddr.parse(host)
  const bits = BITS[address.kind()]
  const prefix = written?.[2] === undefined ? bits : Number(written[2])
  if (prefix > bits) return null
  const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= 96
  return mapped ? { address: address.toIPv4Address(), prefix: prefix - 96 } : { address, prefix }
}

function networkOf(address: Network['address'], prefix: number): Network['address'] {
  const bytes = address.toByteArray().map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - i * 8))))
  return ipaddr.fromByteArray(bytes)
}
