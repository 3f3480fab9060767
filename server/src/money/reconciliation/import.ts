// Imports a statement: first its lines in batches, then the lines without one of our references, then a sweep of our books.
// Each batch is a transaction, and a repeated batch changes nothing. If the process dies, the import fails at the end of its
// lease.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, type Tx } from '../../kernel/db/index.ts'
import { refuseField } from '../../kernel/lib/index.ts'
import type { CaseOrigin } from './cases.ts'
import { checkFile, readLines, type StatementFile, type StatementFormat } from './file.ts'
import type { ImportedLine } from './line.ts'
import { BATCH_LINES, matchBatch } from './match.ts'
import { openUnplacedCases, placeLines } from './place.ts'
import {
  beginStatement,
  createLeaseRenewal,
  failStatement,
  finishStatement,
  type ImportTotals,
  type NewStatement,
  type ProviderStatement,
  presentStatement,
} from './statements.ts'
import { sweepBooks } from './sweep.ts'

const PERIOD_MS_MAX = 62 * 86_400_000

/** The file of a statement, with its provider, period and columns. */
export type FileImport = { file: StatementFile } & StatementFormat

/** Checks the whole file, then imports its lines. The caller completes the import with `finishImport`. */
export async function importFile(deps: Deps, act: Act, input: FileImport): Promise<UnfinishedImport> {
  const { provider, file, period } = input
  checkPeriod(deps, period)
  // Files without lines are equal on several days, so their statements have no hash.
  const is_empty = (await checkFile(file, input)) === 0
  const { name: file_name } = file
  const sha256 = is_empty ? null : file.sha256
  const statement = { provider, source: 'file', file_name, sha256, period, actor: act.actor } as const
  return importLines(deps, statement, () => readLines(file, input, BATCH_LINES))
}

/** Imports a file, finishes the import and writes the audit log. */
export async function importAndFinish(deps: Deps, act: Act, input: FileImport): Promise<ProviderStatement> {
  const imported = await importFile(deps, act, input)
  return inTransaction(deps.db, (tx) => finishImport(deps, tx, act, imported))
}

function checkPeriod(deps: Deps, { from, to }: { from: Date; to: Date }): void {
  if (from >= to) refuseField('to', 'must be after from')
  if (to.getTime() - from.getTime() > PERIOD_MS_MAX) refuseField('to', 'must not be more than 62 days after from')
  // If a statement ended in the future, its sweep would miss the later bookings of its period.
  if (to > deps.clock.now()) refuseField('to', 'must not be in the future')
}

/** An import whose lines are stored and compared. `finishImport` completes the import. */
export type UnfinishedImport = { id: string; totals: ImportTotals }

/**
 * Imports the lines of a statement, compares each line with our books, and then finds bookings without a line. If the import throws
 * an error, this function marks the import as failed.
 */
export async function importLines(
  deps: Deps,
  statement: NewStatement,
  lines: () => AsyncIterable<readonly ImportedLine[]>,
): Promise<UnfinishedImport> {
  const { id, provider } = await beginStatement(deps, statement)
  const origin: CaseOrigin = { provider, statement_id: id, explained_by: id, closed_by: null, missingKinds: () => [] }
  try {
    return { id, totals: await compareAll(deps, origin, statement.period, lines()) }
  } catch (error) {
    // If the database does not store the failure, the end of the lease makes the import fail.
    await failStatement(deps, id).catch((failure) =>
      deps.log.warn(
        { component: 'reconciliation', err: failure, statement_id: id },
        'the server could not mark the import of a statement as failed',
      ),
    )
    throw error
  }
}

async function compareAll(
  deps: Deps,
  origin: CaseOrigin,
  period: { from: Date; to: Date },
  batches: AsyncIterable<readonly ImportedLine[]>,
): Promise<ImportTotals> {
  const renewLease = createLeaseRenewal(deps, origin.statement_id)
  const totals: ImportTotals = { lines: 0, matched: 0, opened: 0, explained: 0 }
  const add = (counts: { opened: number; explained: number; matched?: number }) => {
    totals.matched += counts.matched ?? 0
    totals.opened += counts.opened
    totals.explained += counts.explained
  }
  let unplaced = 0
  // While the database stores one batch, this process reads the next batch.
  let running: Promise<void> = Promise.resolve()
  for await (const lines of batches) {
    await running
    await renewLease()
    totals.lines += lines.length
    running = matchBatch(deps, origin, period, lines).then((result) => {
      unplaced += result.unplaced
      add(result)
    })
    // The function awaits this promise later. This handler prevents an unhandled rejection before that.
    running.catch(() => {})
  }
  await running
  if (unplaced > 0) {
    add(await placeLines(deps, origin, period, renewLease))
    add(await openUnplacedCases(deps, origin, renewLease))
  }
  add(await sweepBooks(deps, origin, period, renewLease))
  return totals
}

/** Completes an import in the given transaction: stores its counts and writes the audit log. */
export async function finishImport(
  deps: Deps,
  tx: Tx,
  act: Act,
  { id, totals }: UnfinishedImport,
): Promise<ProviderStatement> {
  const statement = await finishStatement(deps, tx, id, totals)
  const { provider, from, to, sha256, file_name, lines, matched, opened, explained } = presentStatement(statement)
  await recordAudit(deps, tx, {
    ...act,
    merchant_id: PLATFORM,
    action: 'statement.import',
    target_type: 'statement',
    target_id: id,
    after: { provider, from, to, sha256, file_name, lines, matched, opened, explained },
  })
  return statement
}
