// Adds the endpoint that returns the statement of a merchant for a day or a month in one environment.

import { type Deps, forReads } from '../../kernel/db/index.ts'
import { caller, type Routes, success } from '../../kernel/http/index.ts'
import { refuseField } from '../../kernel/lib/index.ts'
import { attachmentHeader, CSV_TYPE, csvAnswer, READ, tags } from './common.ts'
import { readPeriod, type StatementPeriod } from './period.ts'
import { StatementParams, StatementQuery, StatementView } from './schema.ts'
import { readStatement, statementCsv } from './statement.ts'

/** Adds the endpoint GET /v1/merchants/:merchant_id/statements/:period. */
export function statementRoutes(deps: Deps): Routes {
  const json = { 'application/json': { schema: success(StatementView) } }
  return (app) => {
    app.get(
      '/v1/merchants/:merchant_id/statements/:period',
      {
        exposeHeadRoute: false,
        schema: {
          tags,
          operationId: 'getStatement',
          summary: 'Show the statement of a day or a month',
          description:
            'The opening balance plus the net of all lines is the closing balance, which is the opening balance of the next period. A period that has not ended shows its transactions so far.',
          params: StatementParams,
          querystring: StatementQuery,
          response: { 200: { content: { ...json, ...csvAnswer.content } } },
        },
        config: { access: READ },
      },
      async (request, reply) => {
        const actor = caller(request)
        const period = readBegunPeriod(deps, request.params.period)
        const book = { merchant_id: actor.merchant.id, environment: actor.environment }
        const statement = await readStatement(forReads(deps), book, period)
        if (request.query.format !== 'csv') return { success: true as const, data: statement }
        return reply
          .type(CSV_TYPE)
          .header('content-disposition', attachmentHeader(`statement-${period.name}`, actor))
          .send(statementCsv(statement))
      },
    )
  }
}

/** Parses the period of a request. Refuses an invalid period, and a period that has not begun, with 400. */
function readBegunPeriod(deps: Deps, name: string): StatementPeriod {
  const period =
    readPeriod(name) ?? refuseField('period', 'must be a month such as 2026-01 or a day such as 2026-01-05')
  if (period.from > deps.clock.now()) refuseField('period', 'has not begun yet in Africa/Dar_es_Salaam')
  return period
}
