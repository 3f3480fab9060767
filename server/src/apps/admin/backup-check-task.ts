// Makes the worker's task that checks the newest backup once a day. The check runs in a separate process, `admin backup check`,
// so that it neither blocks nor ends the worker.

import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { resolve } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Deps } from '../../kernel/db/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { type BackupCheckResult, claimBackupCheck, finishBackupCheck, releaseBackupCheck } from '../operators/index.ts'

const HOUR_MS = 3_600_000
const EVERY_MS = 60_000
/** The task waits for this time after the start of the process, because the start needs the CPU and the disk. */
const AFTER_START_MS = 600_000
/** If a check fails, the task checks again in the next period. */
const PERIOD_MS = 4 * HOUR_MS
/**
 * For this time after a good check began, no worker checks again. With this value and the period, one good check runs each day.
 */
const GOOD_FOR_MS = 22 * HOUR_MS
const RUN_MS_MAX = 6 * HOUR_MS
const ERROR_CHARS_MAX = 2_000
const ADMIN = fileURLToPath(new URL('../../admin.ts', import.meta.url))

/**
 * A running check. `result` never rejects. `stop` ends the process of the check. The next check deletes the folder that a
 * stopped check leaves.
 */
export type RunningCheck = { result: Promise<BackupCheckResult>; stop(): void }

/** Makes the task. `start` starts the process of a check. */
export function backupCheckTask(deps: Deps, start: () => RunningCheck = () => startBackupCheck(deps)): Task {
  const { clock, log } = deps
  const begin = clock.now().getTime() + AFTER_START_MS
  let tried = Number.NaN
  let running: RunningCheck | null = null
  let is_stopping = false
  return {
    name: 'backup_check',
    every_ms: EVERY_MS,
    async runOnce() {
      const now = clock.now()
      const period = Math.floor(now.getTime() / PERIOD_MS)
      if (now.getTime() < begin || period === tried || is_stopping) return 0
      const period_start = new Date(period * PERIOD_MS)
      const good_after = new Date(now.getTime() - GOOD_FOR_MS)
      tried = period
      if (!(await claimBackupCheck(deps, period_start, { lease_ms: RUN_MS_MAX + HOUR_MS, good_after }))) return 0
      running = start()
      const result = await running.result
      running = null
      if (is_stopping) await releaseBackupCheck(deps, period_start)
      else await finishBackupCheck(deps, period_start, now, result)
      if (!result.ok && !is_stopping)
        log.error(
          { component: 'admin', problem: result.error },
          'the newest backup failed its check: see docs/operate/runbooks.md#backup-check-old',
        )
      return 0
    },
    stop() {
      is_stopping = true
      running?.stop()
    },
    async idle() {},
  }
}

/**
 * Starts `admin backup check` for BACKUP_DIR with low priority. If `env` is missing, the new process has the environment of
 * this process.
 */
export function startBackupCheck(
  { config, clock }: { config: Pick<Deps['config'], 'backup_dir'>; clock: Deps['clock'] },
  env?: NodeJS.ProcessEnv,
): RunningCheck {
  const args = [ADMIN, 'backup', 'check', '--from', resolve(config.backup_dir), '--json']
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(env === undefined ? {} : { env }),
  })
  const cancel = clock.after(RUN_MS_MAX, () => void child.kill('SIGTERM'))
  const ended = new Promise<string | null>((done) => {
    child.on('error', (error) => done(error.message))
    child.on('close', () => done(null))
  })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
  const result = Promise.all([readText(child.stdout), readText(child.stderr), ended]).then(
    ([output, errors, problem]) => readResult(output, problem ?? errors),
    (error: Error) => failedCheck(error.message),
  )
  void result.finally(cancel)
  return { result, stop: () => void child.kill('SIGTERM') }
}

const failedCheck = (error: string): BackupCheckResult => ({
  ok: false,
  backup: null,
  ended_at: null,
  last_change: null,
  error: error.trim().slice(0, ERROR_CHARS_MAX) || 'the check ended without a result',
})

type CheckOutput = {
  ok: boolean
  backup: string
  ended_at: string
  last_change: string
  broken?: { name: string; detail: string }[]
}

function readResult(output: string, errors: string): BackupCheckResult {
  let result: CheckOutput
  try {
    result = JSON.parse(output) as CheckOutput
  } catch {
    return failedCheck(errors)
  }
  const { ok, backup, ended_at, last_change, broken = [] } = result
  const found = broken.map(({ name, detail }) => `${name}: ${detail}`).join('; ')
  const error = ok ? null : failedCheck(found).error
  return { ok, backup, ended_at: new Date(ended_at), last_change: new Date(last_change), error }
}
