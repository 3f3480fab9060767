// Shows operators the state of the installation: the checks of `admin doctor`, run by the process that answers.

import Type from 'typebox'
import { type Routes, success } from '../../kernel/http/index.ts'
import { oneOf } from '../../kernel/lib/index.ts'

/** The result of one check. The message names the problem and its solution, and contains no secret. */
export type SystemCheck = { name: string; status: 'ok' | 'warn' | 'fail'; message: string }

/** The results of all checks, and when the process ran them. If a check has the status `fail`, `ok` is false. */
export type SystemReport = { ok: boolean; checked_at: Date; checks: SystemCheck[] }

/** Runs the checks. If the process ran the checks less than 30 seconds ago, returns the earlier results. */
export type ReadSystem = () => Promise<SystemReport>

const Report = Type.Object(
  {
    ok: Type.Boolean({ description: 'False means that at least one check fails.' }),
    checked_at: Type.String({ format: 'date-time', description: 'When the process began the checks.' }),
    checks: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['database'] }),
        status: oneOf(['ok', 'warn', 'fail'], 'fail: the problem stops the server or endangers money.'),
        message: Type.String({ description: 'The problem and what to do, in English.' }),
      }),
    ),
  },
  { title: 'SystemCheck' },
)

/** Adds the route that runs the checks of `admin doctor`. */
export function systemRoutes(readSystem: ReadSystem): Routes {
  return (app) => {
    app.get(
      '/v1/operator/system',
      {
        config: { access: 'operator:read' },
        schema: {
          tags: ['Operator'],
          operationId: 'getSystemCheck',
          summary: 'Check the installation',
          description:
            'The checks of "admin doctor", which the answering process runs. A process runs the checks at most every 30 seconds, and answers with the last result in between. The checks send no message, and their results contain no secret.',
          response: { 200: success(Report) },
        },
      },
      async () => {
        const { checked_at, ...report } = await readSystem()
        return { success: true as const, data: { ...report, checked_at: checked_at.toISOString() } }
      },
    )
  }
}
