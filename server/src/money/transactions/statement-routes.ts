// The endpoint of statements: a day or a month of a merchant in one environment.

import type { Deps } from '../../kernel/db/index.ts'
import { caller, type Routes, success } from '../../kernel/http/index.ts'
import { refuseField } from '../../kernel/lib/index.ts'
import { CSV_TYPE, csvAnswer, fileName, READ, tags } from './common.ts'
import { readPeriod, type StatementPeriod } from './period.ts'
import { StatementParams, StatementQuery, StatementView } from './schema.ts'
import { readStatement, statementCsv } from './statement.ts'

/** Adds the route. */
export function statementRoutes(deps: Deps): Routes {
  const json = { 'application/json': { schema: success(StatementView) } }
  return (app) => {
    app.get(
      '/v1/merchants/:merchant_id/statements/:period',
      {
        exposeHeadRoute: false,
        schema: {
          tags,
          summary: 'The statement of a day or a month',
          description:
            'The opening balance and the net of all lines are the closing balance, and that is the opening balance of the next period. A period that has not ended yet shows its transactions so far.',
          params: StatementParams,
          querystring: StatementQuery,
          response: { 200: { content: { ...json, ...csvAnswer.content } } },
        },
        config: { access: READ },
      },
      async (request, reply) => {
        const of = caller(request)
        const period = begun(deps, request.params.period)
        const book = { merchant_id: of.merchant.id, environment: of.environment }
        const statement = await readStatement(deps, book, period)
        if (request.query.format !== 'csv') return { success: true as const, data: statement }
        return reply
          .type(CSV_TYPE)
          .header('content-disposition', fileName(`statement-${period.name}`, of))
          .send(statementCsv(statement))
      },
    )
  }
}

/** Reads a period. Refuses a wrong format, and a period that has not begun. */
function begun(deps: Deps, name: string): StatementPeriod {
  const period =
    readPeriod(name) ?? refuseField('period', 'must be a month such as 2026-01 or a day such as 2026-01-05')
  if (period.from > deps.clock.now()) refuseField('period', 'has not begun yet in Africa/Dar_es_Salaam')
  return period
}
