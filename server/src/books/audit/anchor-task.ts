// Makes an anchor of the audit log each hour, writes the anchor to the file, and sends it. The database stores each anchor
// first. So if a process dies, the next run writes and sends the anchor.

import { join, resolve } from 'node:path'
import type { Deps } from '../../kernel/db/index.ts'
import type { Outgoing } from '../../kernel/http/index.ts'
import type { Config } from '../../kernel/lib/index.ts'
import type { Task } from '../../kernel/work/index.ts'
import { AnchorFileError, appendAnchors } from './anchor-file.ts'
import {
  ANCHOR_CLOCKS_DIFFER_MS,
  type AnchorState,
  leaseAnchors,
  lineOfAnchor,
  linesAfterAnchor,
  makeAnchors,
  markNotSent,
  markNotWritten,
  markSent,
  markWritten,
  releaseAnchors,
} from './anchor-store.ts'

const EVERY_MS = 60_000
const HOUR_MS = 3_600_000
const PAUSE_MS = 60_000
const TIMEOUT_MS = 8_000
/** The greatest number of requests in one run, so that the run ends before its lease. */
const SENDS_MAX = 5

/** Returns the path of the file of anchors. Null means that the operator has turned the file off. */
export function anchorFileOf({ audit_anchor_file, data_dir }: Config): string | null {
  if (audit_anchor_file === 'off') return null
  return audit_anchor_file === '' ? join(resolve(data_dir), 'audit-anchors.jsonl') : resolve(audit_anchor_file)
}

/**
 * Makes the task that makes, writes and sends anchors. `outgoing` sends the requests, and checks addresses as for webhooks.
 */
export function anchorTask(deps: Deps, outgoing: Outgoing): Task {
  const file = anchorFileOf(deps.config)
  /** The hour in which this process has already written and sent all anchors. NaN means none. */
  let settled_hour = Number.NaN
  const publish = async (): Promise<boolean> => {
    if (file === null && deps.config.audit_anchor_url === '') return true
    const state = await leaseAnchors(deps)
    if (state === null) return false
    try {
      const is_written = file === null || (await writeFile(deps, file, state))
      const is_sent = deps.config.audit_anchor_url === '' || (await send(deps, outgoing, state))
      return is_written && is_sent
    } finally {
      await releaseAnchors(deps)
    }
  }
  return {
    name: 'audit_anchors',
    every_ms: EVERY_MS,
    async runOnce() {
      const hour = Math.floor(deps.clock.now().getTime() / HOUR_MS)
      if (hour === settled_hour) return 0
      const made = await makeAnchors(deps)
      if (await publish()) settled_hour = hour
      return made
    },
    async idle() {},
  }
}

/** Appends the missing anchors to the file. If the write fails, returns false, and the next run repeats the write. */
async function writeFile(deps: Deps, file: string, state: AnchorState): Promise<boolean> {
  const { db, log } = deps
  try {
    const written = await appendAnchors(file, state.written_number, {
      lineOf: (number) => lineOfAnchor(db, number),
      linesAfter: (number) => linesAfterAnchor(db, number),
    })
    if (written !== state.written_number || state.file_error !== null) await markWritten(deps, written)
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!(error instanceof AnchorFileError) && code === undefined) throw error
    // The process logs each new problem once. "admin audit anchors" and "admin verify" read the stored problem.
    if (message !== state.file_error) {
      log.error(
        { component: 'audit', problem: message },
        'the server cannot write the anchors of the audit log: see AUDIT_ANCHOR_FILE',
      )
      await markNotWritten(deps, message)
    }
    return false
  }
}

/** Sends the anchors that the receiver lacks, in order. Returns true if the receiver has all anchors. */
async function send(deps: Deps, outgoing: Outgoing, state: AnchorState): Promise<boolean> {
  const { clock, config, db, log } = deps
  const wait_ms = (state.send_due_at?.getTime() ?? 0) - clock.now().getTime()
  if (wait_ms > 0 && wait_ms <= HOUR_MS + ANCHOR_CLOCKS_DIFFER_MS) return false
  const rows = await linesAfterAnchor(db, state.sent_number)
  for (const { number, line } of rows.slice(0, SENDS_MAX)) {
    const headers = ['content-type', 'application/json']
    const { status_code, error } = await outgoing.post(config.audit_anchor_url, headers, `${line}\n`, TIMEOUT_MS)
    if (error === null && status_code !== null && status_code >= 200 && status_code < 300) {
      await markSent(deps, number)
      continue
    }
    const problem = error ?? `status ${status_code}`
    const pause_ms = Math.min(PAUSE_MS * 2 ** Math.min(state.send_failures, 10), HOUR_MS)
    const due_at = new Date(clock.now().getTime() + pause_ms)
    await markNotSent(deps, due_at, problem)
    log.error(
      {
        component: 'audit',
        anchor: number,
        problem,
        failures: state.send_failures + 1,
        next_attempt_at: due_at.toISOString(),
      },
      'AUDIT_ANCHOR_URL did not accept an anchor of the audit log; the worker sends it again',
    )
    return false
  }
  return rows.length <= SENDS_MAX
}
