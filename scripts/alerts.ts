// Checks the alert rules of deploy/monitoring and runs their tests with promtool, which comes with Prometheus.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = 'promtool'
const FOLDER = fileURLToPath(new URL('../deploy/monitoring/', import.meta.url))

for (const parameters of [
  ['check', 'rules', 'alerts.yaml'],
  ['test', 'rules', 'alerts.test.yaml'],
]) {
  const { status, error } = spawnSync(PROGRAM, parameters, { cwd: FOLDER, stdio: 'inherit' })
  if (error !== undefined) {
    process.stderr.write(
      `${PROGRAM} is missing: install the package prometheus (Debian) or put ${PROGRAM} on the PATH.\n`,
    )
    process.exit(2)
  }
  if (status !== 0) process.exit(1)
}
