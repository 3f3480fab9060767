// Limits the open connections of a process: per address and in total.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../db/index.ts'
import { customerNetwork, isAddressIn } from '../lib/index.ts'

/**
 * If the server has more open connections than this share of CONNECTIONS_MAX, it closes each connection after its response.
 */
const CROWDED_FROM = 0.8
/** The shortest time in milliseconds between two log lines about refused connections. */
const LOG_EVERY_MS = 10_000

/** The state of the open connections of a process. */
export type OpenConnections = {
  /**
   * Returns true if the server must close each connection after its response, so that new connections can replace idle ones.
   */
  areCrowded(): boolean
}

/**
 * Closes a new connection above CONNECTIONS_MAX or CONNECTIONS_PER_ADDRESS before the server reads a byte, so that the server
 * executes no request without an answer. The addresses of TRUST_PROXY have no limit per address, because many clients share
 * them.
 */
export function limitConnections(server: Server, { config, clock, log }: Deps): OpenConnections {
  const { connections_max, connections_per_address, trust_proxy } = config
  const of_address = new Map<string, number>()
  let open = 0
  let refused = 0
  let logged_at = Number.NEGATIVE_INFINITY

  const refuseConnection = (socket: Socket, address: string) => {
    socket.destroy()
    refused += 1
    const now = clock.now().getTime()
    if (Math.abs(now - logged_at) < LOG_EVERY_MS) return
    log.warn(
      { component: 'http', refused, open, address },
      'the server closed new connections above its limits of connections: see CONNECTIONS_MAX and CONNECTIONS_PER_ADDRESS',
    )
    logged_at = now
    refused = 0
  }
  server.on('connection', (socket: Socket) => {
    const remote = socket.remoteAddress ?? ''
    const address = customerNetwork(remote)
    const own = of_address.get(address) ?? 0
    const is_full = connections_max > 0 && open >= connections_max
    const takes_too_many =
      connections_per_address > 0 && own >= connections_per_address && !isAddressIn(trust_proxy, remote)
    if (is_full || takes_too_many) return refuseConnection(socket, address)
    open += 1
    of_address.set(address, own + 1)
    socket.once('close', () => {
      open -= 1
      const left = (of_address.get(address) ?? 1) - 1
      if (left === 0) of_address.delete(address)
      else of_address.set(address, left)
    })
  })
  return { areCrowded: () => connections_max > 0 && open > connections_max * CROWDED_FROM }
}
