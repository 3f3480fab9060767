// Defines the command that imports a provider's statement. The command is for scheduled imports and for files that are too
// large to upload.

import { basename } from 'node:path'
import { PROVIDER_NAMES } from '../../adapters/providers/registry.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type ColumnNames,
  importAndFinish,
  openFile,
  parseTimeOrDay,
  presentStatement,
  readColumnNames,
} from '../../money/reconciliation/index.ts'
import { COMMAND_ACT } from './act.ts'
import * as read from './options.ts'

/** The file to import, with its provider, period and columns. */
export type StatementToImport = {
  provider: string
  path: string
  period: { from: Date; to: Date }
  columns: ColumnNames
}

/** Reads the options of the command. If an option is invalid, throws a UsageError. */
export function statementToImport(values: read.OptionValues): StatementToImport {
  const columns = readColumnNames(values.columns ?? '')
  if (typeof columns === 'string') throw new read.UsageError(`--columns ${columns}`)
  return {
    provider: read.choice(values, 'provider', PROVIDER_NAMES),
    path: read.required(values, 'file'),
    period: { from: readTimeOption(values, 'from'), to: readTimeOption(values, 'to') },
    columns,
  }
}

function readTimeOption(values: read.OptionValues, name: 'from' | 'to'): Date {
  const found = parseTimeOrDay(read.required(values, name))
  if (found === null)
    throw new read.UsageError(`--${name} must be a time such as 2026-01-05T00:00:00Z, or a day: 2026-01-05`)
  return found
}

/** Imports a statement from a file. The command refuses the same files as the API. */
export async function importStatement(deps: Deps, { path, ...input }: StatementToImport) {
  const opened = await openFile(path).catch((error: { code?: string }) => {
    throw new read.UsageError(
      `the command cannot read --file ${path} (${error.code}): check the path and its permissions`,
    )
  })
  try {
    const { sha256, open } = opened
    const file = { name: basename(path).slice(0, 200), sha256, open }
    const { imported_by: _, ...statement } = presentStatement(
      await importAndFinish(deps, COMMAND_ACT, { ...input, file }),
    )
    return statement
  } finally {
    await opened.close()
  }
}
