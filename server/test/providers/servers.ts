// Starts servers for the tests of adapters, and closes each server when its test ends.

import type { Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { closing } from '../runner/closing.ts'

export { closing } from '../runner/closing.ts'

/** Lets a server listen until the test ends, and returns its address. */
export async function listen(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns an address at which no program listens. */
export async function nowhere(): Promise<string> {
  const server = createTcpServer()
  const url = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return url
}
