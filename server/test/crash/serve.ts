// Runs the server and the worker over the database of a crash test in the test process, which survives the killed processes.

import { PROVIDERS } from '../../src/adapters/providers/registry.ts'
import { createLog, readConfig, systemClock } from '../../src/kernel/lib/index.ts'
import { createWorker } from '../../src/kernel/work/index.ts'
import { realDeps } from '../../src/process.ts'
import { compose } from '../../src/system.ts'
import type { Rig } from './rig.ts'

/** All systems share one log, because each log listens for the exit of the process. */
const log = createLog('warn')

/** The server and the worker in the process of the test. */
export type Survivor = { url: string; close(): Promise<void> }

/** Starts the server and the worker as `npm start` composes them, on the port of the rig. Their clock is `ahead_ms` ahead. */
export async function serveHere(rig: Rig, ahead_ms: number): Promise<Survivor> {
  const config = readConfig(rig.env(), PROVIDERS)
  const deps = {
    ...(await realDeps(config, log, rig.url)),
    clock: { ...systemClock, now: () => new Date(Date.now() + ahead_ms) },
  }
  const system = await compose(deps)
  await system.app.listen({ host: '127.0.0.1', port: config.port })
  const worker = createWorker(deps, system.tasks)
  worker.start()
  return {
    url: `http://127.0.0.1:${config.port}`,
    async close() {
      await worker.stop()
      await system.app.close()
      await system.close()
      await deps.db.close()
    },
  }
}
