// Defines the commands for the anchors of the audit log: show their state, check a copy, and write a new file.

import { writeFile } from 'node:fs/promises'
import {
  allAnchorLines,
  anchorFileOf,
  anchorKey,
  checkAnchorFile,
  checkAnchors,
  lastAnchorNumber,
  readAnchorState,
} from '../../books/audit/index.ts'
import { type Deps, openReporting } from '../../kernel/db/index.ts'
import { UsageError } from './options.ts'

/**
 * Shows the public key of the anchors, and which anchors the worker has written and sent. If the last attempt to write or to
 * send an anchor failed, `ok` is false.
 */
export async function anchorsStatus({ db, vault, config }: Deps) {
  const state = await readAnchorState(db)
  return {
    ok: !state?.file_error && !state?.send_error,
    public_key: anchorKey(vault).public_key,
    file: anchorFileOf(config) ?? 'off',
    anchors: await lastAnchorNumber(db),
    written: state?.written_number ?? 0,
    file_problem: state?.file_error ?? null,
    url: config.audit_anchor_url === '' ? 'off' : new URL(config.audit_anchor_url).origin,
    sent: state?.sent_number ?? 0,
    send_problem: state?.send_error ?? null,
  }
}

/** Compares a copy of the file of anchors with the audit log. The copy may lack the newest anchors. */
export async function checkCopy({ db, vault, clock }: Deps, path: string) {
  const reporting = openReporting(db)
  try {
    const report = await checkAnchors(reporting, clock.now(), { path, is_copy: true }, vault)
    return { ok: report.faults.length === 0, ...report }
  } finally {
    await reporting.close()
  }
}

/** Checks a file of anchors with public keys, without a database. */
export async function checkCopyOffline(path: string, keys: readonly string[]) {
  const report = await checkAnchorFile(path, keys)
  return { ok: report.faults.length === 0, ...report }
}

/**
 * Writes the anchors of the database to a new file that replaces a lost one. If the file exists, throws a UsageError.
 */
export async function exportAnchors({ db }: Deps, path: string) {
  let lines = 0
  let text = ''
  for await (const line of allAnchorLines(db)) {
    lines += 1
    text += `${line}\n`
  }
  await writeFile(path, text, { flag: 'wx', mode: 0o640, flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new UsageError(`--file: ${path} exists. Name a new file, or move the old one away and keep it`)
  })
  return { file: path, anchors: lines }
}
