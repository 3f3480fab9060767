// Decides which requests can reach the console of operators: those to the host of OPERATOR_URL, from the addresses of
// OPERATOR_ALLOWED_IPS.

import { type Config, isAddressIn } from '../lib/index.ts'
import type { Access } from './access.ts'

/** The origin of a request after TRUST_PROXY: the host that the client named, and the address of the client. */
type Origin = { host: string; ip: string }

/**
 * Returns true if the path exists for the request. `access` is the access of the route. Undefined means that no route has the
 * path and method.
 */
export type OperatorGate = (request: Origin, path: string, access: Access | undefined) => boolean

const OPERATOR_PATH = /^\/(?:v1\/)?operator(?:$|[/?])/
/** The paths that exist on the host of operators for every address, because supervisors of processes call them. */
const HEALTH = ['/healthz', '/readyz']
/** The public call of the API that the console of operators needs. The console also needs the calls of every session. */
const NETWORKS = '/v1/destinations'
/** The calls of every session that only the dashboard of merchants needs. */
const OF_MERCHANTS = ['/v1/me/attention', '/v1/me/recent-merchant']

/**
 * Creates the gate. If both settings are empty, every path exists for every request. A reload can change OPERATOR_ALLOWED_IPS.
 */
export function createOperatorGate(config: Pick<Config, 'operator_url' | 'operator_allowed_ips'>): OperatorGate {
  const operators = config.operator_url === '' ? null : new URL(config.operator_url)
  return (request, path, access) => {
    const { operator_allowed_ips } = config
    if (operators === null && operator_allowed_ips.length === 0) return true
    const { host, ip } = request
    const is_allowed = operator_allowed_ips.length === 0 || isAddressIn(operator_allowed_ips, ip)
    const is_their_host = operators !== null && isHost(operators, host)
    if (OPERATOR_PATH.test(path)) return is_allowed && (operators === null || is_their_host)
    if (!is_their_host || HEALTH.includes(path)) return true
    if (OF_MERCHANTS.includes(path)) return false
    return is_allowed && (access === 'session' || access === 'authenticated' || path === NETWORKS)
  }
}

/** Returns true if a Host header names the host of a URL. The header may contain the default port. */
function isHost({ protocol, host, port }: URL, given: string): boolean {
  const named = given.toLowerCase()
  return named === host || (port === '' && named === `${host}:${protocol === 'https:' ? 443 : 80}`)
}
