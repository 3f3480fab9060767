// Opens the port of the server with several sockets, because Node accepts one connection per socket in one turn of its event
// loop. With one socket, an overloaded process accepts few connections a second. The queue of new connections grows, and
// clients disconnect before the process accepts them.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { App } from './app-types.ts'

/** The number of listening sockets, and so the number of connections that the process accepts in one turn of its event loop. */
const SOCKETS = 16

/** A port on which the server listens. */
export type OpenPort = {
  port: number
  /** Closes all sockets except the socket of the app. Resolves when their open connections have ended. */
  close(): Promise<void>
}

/**
 * Starts to listen for requests. Port 0 means that the system chooses a free port. If another process listens on the port,
 * throws EADDRINUSE. On other systems than Linux, and on the host localhost, the function adds no sockets to the socket of the
 * app.
 */
export async function openPort(app: App, { host, port }: { host: string; port: number }): Promise<OpenPort> {
  // Sockets that share a port would also share it with another process of this program. So the function first opens the port
  // with a socket that shares nothing.
  const probe = await listenOn(createServer(), { host, port })
  await closeServer(probe)
  const others: Server[] = []
  const is_shared = process.platform === 'linux' && host !== 'localhost'
  await app.listen({ host, port, ...(is_shared ? { reusePort: true } : {}) })
  const { port: opened } = app.server.address() as AddressInfo
  const close = async () => {
    await Promise.all(others.map(closeServer))
  }
  try {
    for (let i = 1; is_shared && i < SOCKETS; i++) {
      // node:http makes its own server with these options.
      const other = createServer({ allowHalfOpen: true, noDelay: true })
      other.on('connection', (socket) => app.server.emit('connection', socket))
      others.push(await listenOn(other, { host, port: opened, reusePort: true }))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { port: opened, close }
}

async function listenOn(server: Server, options: { host: string; port: number; reusePort?: boolean }): Promise<Server> {
  server.listen(options)
  await once(server, 'listening')
  return server
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
