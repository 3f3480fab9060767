// Runs a real server for the tests of SDKs, with a merchant, a sandbox key, and a receiver of webhooks.

import type { AddressInfo } from 'node:net'
import { createWorld } from './harness.ts'
import { type ReceivedRequest, startReceiver } from './receiver.ts'

const WORK_EVERY_MS = 50

/** The server, with the address and the key that an SDK needs. */
export type SdkWorld = Awaited<ReturnType<typeof startSdkWorld>>

/** Starts the server, the receiver and a merchant with a sandbox key. */
export async function startSdkWorld() {
  const world = await createWorld()
  const receiver = await startReceiver()
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  const taken = new Set<ReceivedRequest>()
  let running: Promise<void> | null = null
  let is_closed = false
  return {
    base_url: `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`,
    api_key: world.sandbox_key,
    receiver_urls: { default: receiver.url, other: `${receiver.url}/other` },
    month: world.deps.clock.now().toISOString().slice(0, 7),
    /** Moves the clock by a second, and runs the due work. */
    async work() {
      world.deps.clock.advance(1_000) // Records of one moment have no order in a list.
      await world.work()
    },
    /**
     * Returns the next webhook of an event at the default or the other endpoint. `now` is the time in seconds for the
     * verification.
     */
    async receive(at: 'default' | 'other', event: string) {
      for (let count = 1; ; count++) {
        await receiver.waitFor(count)
        const delivery = receiver.received[count - 1] as ReceivedRequest
        const is_wanted = delivery.path.endsWith('/other') === (at === 'other')
        if (taken.has(delivery) || !is_wanted || delivery.headers['x-service-event'] !== event) continue
        taken.add(delivery)
        return { body: delivery.body, headers: delivery.headers, now: world.deps.clock.now().getTime() / 1000 }
      }
    },
    /**
     * Sets the clock to the present, and runs the worker until the server closes, because some programs use the real time.
     */
    runInPresent() {
      world.deps.clock.advance(Date.now() - world.deps.clock.now().getTime())
      running ??= (async () => {
        while (!is_closed) {
          world.deps.clock.advance(WORK_EVERY_MS)
          await world.work()
          await new Promise((done) => setTimeout(done, WORK_EVERY_MS))
        }
      })()
    },
    async close() {
      is_closed = true
      await running
      await receiver.close()
      await world.close()
    },
  }
}
