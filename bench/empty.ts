// The empty route: a bare Fastify app that answers an empty object. No faster answer can be had from this framework.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { serve } from './rpc.ts'

/** What the process of the empty route offers. */
export type EmptyApi = { listen(): Promise<number> }

serve({
  async listen() {
    const app = Fastify()
    app.get('/empty', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    return (app.server.address() as AddressInfo).port
  },
} satisfies EmptyApi)
