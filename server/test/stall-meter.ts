// Measures the response times of a server in a separate process, because the load of the test process would delay the
// measurement.

import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

/** The server to measure, and the live key of a merchant that makes payments. */
export type StallTarget = { url: string; live_key: string }

/** Response times in milliseconds, and the statuses that were not the expected status. */
export type StallSamples = { readyz: number[]; payments: number[]; unexpected: string[] }

/**
 * The priority of this process. Without it, the attackers on the same machine would delay the measuring client, and the delay
 * would not be that of the server. Only root can raise a priority.
 */
const PRIORITY = -10
/** The pause in milliseconds between two requests of one kind. */
const PAUSE_MS = 10

const newSamples = (): StallSamples => ({ readyz: [], payments: [], unexpected: [] })

/** Sends one request. Returns the status, or 0 if the server closed the connection. */
function ask(agent: Agent, url: string, method: string, headers: Record<string, string>, body = ''): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, { agent, method, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

function raisePriority(): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // If the user may not raise the priority, the process measures at the normal priority.
  }
}

if (process.send !== undefined) {
  raisePriority()
  const { url, live_key } = JSON.parse(process.argv[2] ?? '') as StallTarget
  const agent = new Agent({ keepAlive: true })
  let samples = newSamples()
  const measure = async (times: 'readyz' | 'payments', expected: number, send: () => Promise<number>) => {
    for (;;) {
      const began = performance.now()
      const status = await send()
      samples[times].push(performance.now() - began)
      if (status !== expected) samples.unexpected.push(`${times}: ${status}`)
      await sleep(PAUSE_MS)
    }
  }
  const pay = () => {
    const phone = `0754${200_000 + Math.floor(Math.random() * 700_000)}`
    return ask(
      agent,
      `${url}/v1/collections/wallet-push`,
      'POST',
      {
        authorization: `Bearer ${live_key}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      JSON.stringify({ amount: '1000', phone }),
    )
  }
  void measure('readyz', 200, () => ask(agent, `${url}/readyz`, 'GET', {}))
  void measure('payments', 202, pay)
  process.on('disconnect', () => process.exit())
  // For each message of the test, the process sends the samples since the previous message.
  process.on('message', () => {
    process.send?.(samples)
    samples = newSamples()
  })
}
