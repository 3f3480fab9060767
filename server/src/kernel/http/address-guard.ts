// Checks the addresses to which the server sends webhooks. Unless the configuration allows private addresses, accepts only
// addresses of the public internet.

import { lookup as dnsLookup, Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/** Resolves a name to all its addresses. If the name has no address, throws. Tests replace the function by a table. */
export type Lookup = (hostname: string) => Promise<{ address: string; family: number }[]>

/** The resolver of the system. It resolves the names of this machine and of a closed network, but has only four threads. */
export const systemLookup: Lookup = (hostname) => dnsLookup(hostname, { all: true, verbatim: true })

/**
 * Makes a resolver of public names that queries DNS itself, without a concurrency limit. In the system resolver, a silent
 * name server of one merchant would block the four threads for all webhooks. `servers` replaces the name servers of the
 * system.
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
    // Every failure of DNS, including a timeout, means the same for the merchant: the name has no address.
    if (found.length === 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return found
  }
}

/** The resolver of public names with the name servers of this system. */
export const publicLookup: Lookup = createPublicLookup()

const URL_CHARS_MAX = 2048
/**
 * The longest time in milliseconds for which the check waits for a slow resolver. Each delivery checks the address again, so a
 * longer wait would gain nothing.
 */
const LOOKUP_TIMEOUT_MS = 2_000
const DNS_TIMEOUT_MS = 1_500
/**
 * Ports above 1023 of services that do not use HTTP or must not be reachable: databases, queues, caches, remote control. A
 * webhook to such a port could only scan or disturb a service of a third party.
 */
const SERVICE_PORTS: ReadonlySet<number> = new Set([
  ...[1080, 1433, 1434, 1521, 1719, 1720, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3260, 3268, 3306],
  ...[3389, 3659, 4045, 4190, 4369, 5060, 5061, 5432, 5433, 5672, 5900, 5901, 5984, 5985, 5986, 6000, 6379, 6380],
  ...[6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 8883, 9042, 9092, 9200, 9300, 10080, 10250, 11211, 15672],
  ...[26379, 27017, 27018, 27019],
])
const WRONG_PORT = 'must have port 443, port 80, or a port from 1024 on that no other service uses, such as 8443'
const NOT_PUBLIC = 'must lead to an address on the public internet, not to a private or reserved one'

/**
 * Returns true for an address of the public internet. The function accepts only global unicast and refuses every other range
 * (loopback, private, link-local, shared, multicast, mapped, tunnelled, reserved). For text that is no address, returns
 * false.
 */
export function isPublicAddress(address: string): boolean {
  try {
    const parsed = ipaddr.parse(bareHost(address).split('%', 1)[0] as string)
    // Only 2000::/3 of IPv6 is public address space. The library reports unassigned blocks as unicast too.
    if (parsed instanceof ipaddr.IPv6 && (parsed.toByteArray()[0] as number) >> 5 !== 1) return false
    return parsed.range() === 'unicast'
  } catch {
    return false
  }
}

/** Returns the host of a URL without the brackets around an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/**
 * Checks the URL of a webhook when a merchant configures it. Null means that the URL is valid. A name that does not resolve yet
 * is valid, because each delivery checks the address of its socket. `https_only` requires https. Without `allow_private`, it
 * also refuses the ports of other services.
 */
export async function checkDestination(
  url: string,
  options: { allow_private: boolean; https_only: boolean; lookup?: Lookup | undefined },
): Promise<string | null> {
  if (url.length > URL_CHARS_MAX) return `must have at most ${URL_CHARS_MAX} characters`
  if (!URL.canParse(url)) return 'must be a complete URL, such as https://example.com/webhooks'
  const { protocol, username, password, hostname, port } = new URL(url)
  if (protocol !== 'https:' && (options.https_only || protocol !== 'http:')) {
    return options.https_only ? 'must begin with https://' : 'must begin with https:// or http://'
  }
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (options.allow_private) return null
  if (options.https_only && !isWebPort(port)) return WRONG_PORT
  const host = bareHost(hostname)
  // The URL parser has already normalised every spelling of an IPv4 address (octal, hex, short, full-width).
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? null : NOT_PUBLIC
  if (isLocalName(host)) return NOT_PUBLIC
  const addresses = await addressesOf(host, options.lookup ?? publicLookup)
  return addresses.every(isPublicAddress) ? null : NOT_PUBLIC
}

/** Returns true for a port that a webhook may use. An empty text is the default port of the protocol. */
function isWebPort(port: string): boolean {
  const number = Number(port)
  return port === '' || number === 80 || number === 443 || (number >= 1024 && !SERVICE_PORTS.has(number))
}

/** Returns true for a name that only this machine or its network can resolve. */
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
