// Tracks the requests in progress of a server, so that a stopping process waits for these requests and for no idle connection.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Counts the requests in progress of a server, and closes its other connections. */
export type RequestsInProgress = {
  count(): number
  /** Closes the connections without a request in progress, also those that never sent a request. */
  closeOthers(): void
}

/** Starts to track the requests of a server. Call this function before the server listens. */
export function trackRequests(server: Server): RequestsInProgress {
  const open = new Set<Socket>()
  /**
   * The number of requests in progress of each connection, because a client may send several before the first answer.
   */
  const busy = new Map<Socket, number>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      busy.delete(socket)
    })
  })
  server.on('request', ({ socket }, response) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1
      if (left === 0) busy.delete(socket)
      else busy.set(socket, left)
    })
  })
  return {
    count: () => [...busy.values()].reduce((sum, requests) => sum + requests, 0),
    closeOthers() {
      for (const socket of open) if (!busy.has(socket)) socket.destroy()
    },
  }
}
