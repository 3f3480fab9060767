// Runs the server with a crash point, for crash tests that start this file as a child process. The product has no such switch.
// CRASH_AT names the point at which the process dies on the first pass. If CRASH_AT is empty, the process sends each point that
// it passes to its parent.

import { crashAt, createLog, type Point } from '../../src/kernel/lib/index.ts'
import { createWorker } from '../../src/kernel/work/index.ts'
import { configFromEnvironment, realDeps } from '../../src/process.ts'
import { compose } from '../../src/system.ts'

const { CRASH_AT = '' } = process.env
const reportPoint: Point = (name) => void process.send?.(name)

const config = configFromEnvironment()
const deps = {
  ...(await realDeps(config, createLog(config.log_level), config.database_url)),
  point: CRASH_AT === '' ? reportPoint : crashAt(CRASH_AT),
}
const system = await compose(deps)
await system.app.listen({ host: '127.0.0.1', port: config.port })
createWorker(deps, system.tasks).start()
// If the parent ends, no other process stops this child. The child therefore ends itself.
process.on('disconnect', () => process.exit(0))
