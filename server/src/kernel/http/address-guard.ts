// Which addresses a merchant may make us call: those of the public internet, and nothing inside our own network.

import { lookup as dnsLookup, Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** Finds all addresses of a name; throws when it has none. Replaced by a table in tests. */
export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

/** The system's resolver: knows the names of this machine and of a closed network too. Few can be asked at once. */
export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true })

/**
 * Makes a resolver of public names: it asks DNS itself, any number at once. The system's has four threads for all, which
 * one merchant's silent name server would take from everybody's webhooks. `servers` replaces the system's name servers.
 */
export function createPublicLookup(servers?: readonly string[]): Lookup {
  return async (hostname) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 2 })
    if (servers) resolver.setServers(servers)
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    // Whatever a name server said, or that it said nothing: the merchant is told that the name has no address.
    if (found.length === 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return found
  }
}

/** The resolver of public names that asks the name servers of this system. */
export const publicLookup: Lookup = createPublicLookup()

const URL_CHARS_MAX = 2048
/** A resolver that hangs must not hang the request: the attempt checks again anyway. */
const LOOKUP_TIMEOUT_MS = 2_000
const DNS_TIMEOUT_MS = 1_500
const NOT_PUBLIC = 'must lead to an address on the public internet, not to a private or reserved one'

/**
 * True for an address of the public internet. An allowlist: whatever is not plain global unicast (loopback, private,
 * link-local, shared, multicast, mapped, tunnelled, reserved) is refused, and so is what cannot be read.
 */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.parse(bareHost(address).split('%', 1)[0] as string)
    // Of IPv6 only 2000::/3 is in use as public address space; the library calls unassigned blocks unicast too.
    if (parsed instanceof ipaddr.IPv6 && (parsed.toByteArray()[0] as number) >> 5 !== 1) return false
    return parsed.range() === 'unicast'
  } catch {
    return false
  }
}

/** The host of a URL without the brackets around an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/**
 * Checks a destination when it is configured. Answers what is wrong with it in words for the merchant, or null when
 * it will do. A name that does not resolve yet is accepted: every attempt checks again, at the socket itself.
 */
export async function checkDestination(
  url: string,
  options: { allow_private: boolean; https_only: boolean; lookup?: Lookup | undefined },
): Promise<string | null> {
  if (url.length > URL_CHARS_MAX) return `must have at most ${URL_CHARS_MAX} characters`
  if (!URL.canParse(url)) return 'must be a complete URL, such as https://example.com/webhooks'
  const { protocol, username, password, hostname } = new URL(url)
  if (protocol !== 'https:' && (options.https_only || protocol !== 'http:')) {
    return options.https_only ? 'must begin with https://' : 'must begin with https:// or http://'
  }
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (options.allow_private) return null
  const host = bareHost(hostname)
  // The URL parser has turned every spelling of an IPv4 address (octal, hex, short, full-width) into the plain one.
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? null : NOT_PUBLIC
  if (isLocalName(host)) return NOT_PUBLIC
  const addresses = await addressesOf(host, options.lookup ?? publicLookup)
  return addresses.every(isPublicAddress) ? null : NOT_PUBLIC
}

/** A name that only this machine or its network can know. */
export function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '').toLowerCase()
  return !name.includes('.') || /\.(?:localhost|local|internal|lan|home|corp|localdomain)$/.test(name)
}

async function addressesOf(host: string, lookup: Lookup): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<[]>((resolve) => {
    timer = setTimeout(resolve, LOOKUP_TIMEOUT_MS, [])
  })
  const found = await Promise.race([lookup(host).catch(() => []), late])
  clearTimeout(timer)
  return found.map((entry) => entry.address)
}
