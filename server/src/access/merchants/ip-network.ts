// Parses IP addresses and networks into a canonical form, so that the server can compare them as texts.

import ipaddr from 'ipaddr.js'

/** The shortest allowed prefixes in bits, because a wider network contains addresses of other businesses. */
const WIDEST = { ipv4: 16, ipv6: 32 } as const
const BITS = { ipv4: 32, ipv6: 128 } as const
/** Kinds of addresses from which no client can send a request. */
const NON_CLIENT_RANGES = ['unspecified', 'multicast', 'broadcast']

type IpNetwork = { address: ipaddr.IPv4 | ipaddr.IPv6; prefix: number }

/**
 * Returns the canonical CIDR of an address or network: 203.0.113.7 becomes 203.0.113.7/32. An IPv4 address within IPv6 becomes
 * the IPv4 address. If the text is invalid, returns `problem`, a text for the user.
 */
export function canonicalNetwork(text: string): { network: string } | { problem: string } {
  const found = parseNetwork(text.trim())
  if (found === null) return { problem: 'must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24' }
  const { address, prefix } = found
  const kind = address.kind()
  if (prefix < WIDEST[kind]) return { problem: `is too wide: the widest network is /${WIDEST[kind]}` }
  if (NON_CLIENT_RANGES.includes(address.range()))
    return { problem: 'is not an address from which a server can send requests' }
  const network = networkOf(address, prefix)
  if (network.toString() !== address.toString()) {
    return { problem: `names one address of a network: send ${network}/${prefix} or ${address}` }
  }
  return { network: `${address}/${prefix}` }
}

/** Returns the canonical form of a client's IP address. Null means that the text is not an address. */
export function canonicalAddress(text: string): string | null {
  return text.includes('/') ? null : (parseNetwork(text.split('%', 1)[0] as string)?.address.toString() ?? null)
}

/** Returns a canonical CIDR in the form for users: a single address has no prefix. */
export function shownNetwork(network: string): string {
  return network.replace(network.includes(':') ? /\/128$/ : /\/32$/, '')
}

function parseNetwork(text: string): IpNetwork | null {
  const match = /^([0-9a-fA-F:.]{2,45})(?:\/(\d{1,3}))?$/.exec(text)
  const host = match?.[1] ?? ''
  // The parser accepts IPv4 only as four decimal numbers, because programs read octal, hexadecimal and short forms differently.
  if (!ipaddr.IPv4.isValidFourPartDecimal(host) && !(host.includes(':') && ipaddr.IPv6.isValid(host))) return null
  const address = ipaddr.parse(host)
  const bits = BITS[address.kind()]
  const prefix = match?.[2] === undefined ? bits : Number(match[2])
  if (prefix > bits) return null
  const mapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= 96
  return mapped ? { address: address.toIPv4Address(), prefix: prefix - 96 } : { address, prefix }
}

function networkOf(address: IpNetwork['address'], prefix: number): IpNetwork['address'] {
  const bytes = address.toByteArray().map((byte, i) => byte & (0xff00 >> Math.min(8, Math.max(0, prefix - i * 8))))
  return ipaddr.fromByteArray(bytes)
}
