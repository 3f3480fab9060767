// Parses IP addresses, and the lists of trusted proxies and of operators' addresses.

import ipaddr from 'ipaddr.js'

/**
 * Returns the part of an IP address that identifies one customer: a whole IPv4 address, or the first 64 bits of an IPv6
 * address. Returns any other text unchanged.
 */
export function customerNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}

/** The ranges of this machine and of private networks. */
const PRIVATE_RANGES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'linkLocal']

/**
 * Returns true for a host of this machine or of its private network: a private address, or a local name such as a container's.
 * The function sends no DNS request.
 */
export function isOwnNetwork(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host)) return PRIVATE_RANGES.includes(ipaddr.process(host).range())
  return !host.includes('.') || /\.(localhost|local|internal)$/i.test(host)
}

/**
 * Returns true for a loopback address, for localhost and for a name that ends in .localhost. The function sends no DNS request.
 */
export function isThisMachine(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback'
  return /^(?:.+\.)?localhost$/i.test(host)
}

/** The ranges that TRUST_PROXY accepts by name, with the names that ipaddr.js gives to them. */
const RANGES_OF_NAMES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['loopback'],
  linklocal: ['linkLocal'],
  uniquelocal: ['private', 'uniqueLocal'],
}
const NAMED_RANGES = Object.keys(RANGES_OF_NAMES)

/**
 * Parses TRUST_PROXY: addresses, CIDRs and named ranges, separated by commas. If a part is invalid, throws for the first
 * such part, because a wrong range would let any caller choose its IP address with X-Forwarded-For.
 */
export function parseProxyList(text: string): string[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => parseProxy(part.trim()))
}

function parseProxy(part: string): string {
  if (NAMED_RANGES.includes(part)) return part
  const { bits, problem } = readNetwork(part)
  if (problem === 'form')
    throw new Error(
      `must hold addresses, CIDRs or ${NAMED_RANGES.join(', ')}, separated by commas; "${part}" is invalid`,
    )
  if (problem !== null) throw new Error(problem)
  if (bits === 0)
    throw new Error(
      `holds "${part}", which would make the server trust every address: name only the addresses of your proxies`,
    )
  return part
}

/**
 * Parses OPERATOR_ALLOWED_IPS: addresses and CIDRs, separated by commas. If a part is invalid, throws for the first such part.
 * An empty text gives an empty list.
 */
export function parseAllowedAddresses(text: string): string[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const network = part.trim()
    const { bits, problem } = readNetwork(network)
    if (problem === 'form')
      throw new Error(`must hold addresses or CIDRs, separated by commas; "${network}" is invalid`)
    if (problem !== null) throw new Error(problem)
    if (bits === 0) throw new Error(`holds "${network}", which allows every address: leave the setting empty for that`)
    return network
  })
}

/**
 * Reads an address or CIDR. Null as `bits`, the length of the prefix, means that there is no prefix. Null as `problem` means a
 * valid text, and `form` means that the text is neither. Any other `problem` is a message.
 */
function readNetwork(part: string): { bits: number | null; problem: string | null } {
  const [address = '', bits, ...rest] = part.split('/')
  const kind = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : ipaddr.IPv6.isValid(address) ? 128 : null
  const written = /^[0-9a-fA-F:.]+$/.test(address)
  if (kind === null || !written || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
    return { bits: null, problem: 'form' }
  if (bits === undefined) return { bits: null, problem: null }
  if (Number(bits) > kind)
    return {
      bits: Number(bits),
      problem: `holds "${part}", whose prefix is longer than ${kind}: write a prefix from 1 to ${kind}`,
    }
  return { bits: Number(bits), problem: hostBitsProblem(part, address) }
}

/**
 * Describes a CIDR whose address is not the first address of its network, such as 10.0.0.5/8. The operator may mean the one
 * address or the network. Null means that the CIDR is a network or ends in /0.
 */
function hostBitsProblem(part: string, address: string): string | null {
  const isV4 = ipaddr.IPv4.isValid(part.split('/')[0] as string)
  const network = (isV4 ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(part)
  if (network.toString() === ipaddr.parse(address).toString() || part.endsWith('/0')) return null
  const right = `${network.toString()}/${part.split('/')[1]}`
  return `holds "${part}", which is not a network: write ${right} for the network, or ${address} for the one address`
}

/** Returns true if an address is in a list that `parseProxyList` or `parseAllowedAddresses` returned. */
export function isAddressIn(networks: readonly string[], address: string): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some((one) => {
    const ranges = RANGES_OF_NAMES[one]
    if (ranges) return ranges.includes(parsed.range())
    const [network = '', bits] = one.split('/')
    const range = ipaddr.process(network)
    if (range.kind() !== parsed.kind()) return false
    return parsed.match(range, bits === undefined ? range.toByteArray().length * 8 : Number(bits))
  })
}
