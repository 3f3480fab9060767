// TRUST_PROXY: whose X-Forwarded-For is believed.

import ipaddr from 'ipaddr.js'

/** Ranges that have a name. */
const NAMED = ['loopback', 'linklocal', 'uniquelocal']

/**
 * Reads a list of addresses, CIDRs and named ranges, separated by commas. Throws what is wrong with the first that is
 * none: believing a stranger's header would let anybody pretend to call from an approved address.
 */
export function proxyList(text: string): string[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => proxy(part.trim()))
}

function proxy(part: string): string {
  if (NAMED.includes(part)) return part
  const [address = '', bits, ...rest] = part.split('/')
  const kind = ipaddr.IPv4.isValidFourPartDecimal(address) ? 32 : ipaddr.IPv6.isValid(address) ? 128 : null
  const written = /^[0-9a-fA-F:.]+$/.test(address)
  if (kind === null || !written || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) {
    throw new Error(`must hold addresses, CIDRs or ${NAMED.join(', ')}, separated by commas; "${part}" is none`)
  }
  if (bits !== undefined && Number(bits) > kind) throw new Error(`holds "${part}", whose prefix is longer than ${kind}`)
  if (bits !== undefined && Number(bits) === 0) throw new Error(`holds "${part}", which would trust everybody`)
  return part
}
