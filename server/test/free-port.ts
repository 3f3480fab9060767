// Finds a free port for a server of a test or benchmark.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Ports below the range from which the kernel by default assigns ports to listeners and to connections of clients. */
const PORTS = { from: 20_000, to: 32_000 }

/** Returns a port that has no listener and that the kernel by default assigns to no process. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
