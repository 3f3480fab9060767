// Importing a statement: its lines set by set, then what bears no reference of ours, then what our books have and it has not.
//
// Each set is a transaction, and doing one again changes nothing. A process that dies in between leaves a statement that is
// given up when its lease ends; brought again, the same lines take the place of what was stored.

import { type Act, PLATFORM, recordAudit } from '../../books/audit/index.ts'
import { type Deps, inTransaction, type Tx } from '../../kernel/db/index.ts'
import { refuseField } from '../../kernel/lib/index.ts'
import type { Judge } from './cases.ts'
import { checkFile, linesOf, type Reading, type StatementFile } from './file.ts'
import type { Line } from './line.ts'
import { matchSet, SET_LINES } from './match.ts'
import { placeLines, reportUnplaced } from './place.ts'
import {
  beginStatement,
  failStatement,
  finishStatement,
  keepAlive,
  type NewStatement,
  presentStatement,
  type Statement,
  type Totals,
} from './statements.ts'
import { sweepBooks } from './sweep.ts'

const PERIOD_MS_MAX = 62 * 86_400_000

/** A file of a statement, of which provider and period it is. */
export type FileImport = { file: StatementFile } & Reading

/** Checks the whole file, then takes in its lines. Answers what `finishFile` ends it with; refuses as its parts do. */
export async function importFile(deps: Deps, act: Act, input: FileImport): Promise<Imported> {
  const { provider, file, period } = input
  checkPeriod(deps, period)
  // Two days without any movement have the same file.
  const empty = (await checkFile(file, input)) === 0
  const { name: file_name } = file
  const sha256 = empty ? null : file.sha256
  const what = { provider, source: 'file', file_name, sha256, period, actor: act.actor } as const
  return takeIn(deps, what, () => linesOf(file, input, SET_LINES))
}

/** Imports a file and says so in the audit log. */
export async function importWhole(deps: Deps, act: Act, input: FileImport): Promise<Statement> {
  const imported = await importFile(deps, act, input)
  return inTransaction(deps.db, (tx) => finishImport(deps, tx, act, imported))
}

function checkPeriod(deps: Deps, { from, to }: { from: Date; to: Date }): void {
  if (from >= to) refuseField('to', 'must be after from')
  if (to.getTime() - from.getTime() > PERIOD_MS_MAX) refuseField('to', 'must not be more than 62 days after from')
  // What has not happened yet cannot be in a statement, and would all be missing there.
  if (to > deps.clock.now()) refuseField('to', 'must not be in the future')
}

/** An import whose lines are all taken in, and which only has to be ended. */
export type Imported = { id: string; totals: Totals }

/** Takes in the lines of a statement and compares both ways. An import that fails is given up. */
export async function takeIn(
  deps: Deps,
  what: NewStatement,
  lines: () => AsyncIterable<readonly Line[]>,
): Promise<Imported> {
  const { id, provider } = await beginStatement(deps, what)
  const by: Judge = { provider, statement_id: id, explained_by: id, by: null, may_be_missing: () => [] }
  try {
    return { id, totals: await compareAll(deps, by, what.period, lines()) }
  } catch (error) {
    // Should that fail as well, the lease ends by itself.
    await failStatement(deps, id).catch((failure) => deps.log.warn({ err: failure, statement_id: id }, 'not given up'))
    throw error
  }
}

async function compareAll(
  deps: Deps,
  by: Judge,
  period: { from: Date; to: Date },
  sets: AsyncIterable<readonly Line[]>,
): Promise<Totals> {
  const alive = keepAlive(deps, by.statement_id)
  const totals: Totals = { lines: 0, matched: 0, opened: 0, explained: 0 }
  const add = (changed: { opened: number; explained: number; matched?: number }) => {
    totals.matched += changed.matched ?? 0
    totals.opened += changed.opened
    totals.explained += changed.explained
  }
  let unplaced = 0
  // While the database works on one set, the next one is read.
  let running: Promise<void> = Promise.resolve()
  for await (const lines of sets) {
    await running
    await alive()
    totals.lines += lines.length
    running = matchSet(deps, by, period, lines).then((result) => {
      unplaced += result.unplaced
      add(result)
    })
    // It is awaited above or below; until then nobody else hears of its failure.
    running.catch(() => {})
  }
  await running
  if (unplaced > 0) {
    add(await placeLines(deps, by, period, alive))
    add(await reportUnplaced(deps, by, alive))
  }
  add(await sweepBooks(deps, by, period, alive))
  return totals
}

/** Ends an import, with its entry in the audit log. */
export async function finishImport(deps: Deps, tx: Tx, act: Act, { id, totals }: Imported): Promise<Statement> {
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
