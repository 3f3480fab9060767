// Serves the empty route for the benchmark: a Fastify app that only returns an empty object. The benchmark compares the routes
// of the server with this route.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { serve } from './rpc.ts'

/** The functions that the process with the empty route serves to the benchmark. */
export type EmptyApi = { listen(): Promise<number> }

serve({
  async listen() {
    const app = Fastify()
    app.get('/empty', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
} satisfies EmptyApi)
