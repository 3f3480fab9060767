// The empty route: a Fastify app that returns an empty object and does nothing else. No route of this framework answers faster.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { serve } from './rpc.ts'

/** The functions of the process that serves the empty route. */
export type EmptyApi = { listen(): Promise<number> }

serve({
  async listen() {
    const app = Fastify()
    app.get('/empty', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
} satisfies EmptyApi)
