// Adds the operators' endpoints of statements, of cases and of the summary.

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { PROVIDER_NAMES } from '../../adapters/providers/registry.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, answerOnce, EmptyBody, findAnswer, type Routes, readClaim, replay } from '../../kernel/http/index.ts'
import { Refusal, refuse, refuseField } from '../../kernel/lib/index.ts'
import { type CaseDrivers, createQueryProvider, findCase, listCases, resolveCase, reviewCase } from './case-review.ts'
import { readColumnNames } from './columns.ts'
import { type FileImport, finishImport, importFile } from './import.ts'
import { parseTimeOrDay } from './line.ts'
import {
  CaseAnswer,
  CaseParams,
  CasesAnswer,
  CasesQuery,
  ImportQuery,
  ResolveBody,
  StatementAnswer,
  StatementParams,
  StatementsAnswer,
  StatementsQuery,
  SummaryAnswer,
  WithdrawBody,
} from './schema.ts'
import { type SpooledFile, spool } from './spool.ts'
import { listStatements, presentStatement } from './statements.ts'
import { type ProvidersByName, summarize } from './summary.ts'
import { withdrawStatement } from './withdraw.ts'

const tags = ['Operator']
const READ = { access: 'operator:read' } as const
const WRITE = { access: 'operator:money', idempotency: 'honoured', refusals: ['invalid_state'] } as const
const STATEMENTS = '/v1/operator/statements'
const RECONCILIATION = '/v1/operator/reconciliation'

/** The maximum size of an uploaded file. The admin command can import larger files. */
const FILE_BYTES_MAX = 50 * 1024 * 1024

/** The drivers and providers of the routes. `live` has the names of the providers of live payments. */
export type ReconciliationOptions = CaseDrivers & { providers: ProvidersByName; live: readonly string[] }

/** Adds the operators' endpoints of statements, of cases and of the summary. */
export function reconciliationRoutes(deps: Deps, options: ReconciliationOptions): Routes {
  return (app) => {
    importRoute(deps, app, options)
    withdrawRoute(deps, app)
    reconciliationReadRoutes(deps, app, options)
    reconciliationCaseRoutes(deps, app, options)
  }
}

/** The uploaded files by their request bodies. A body has the hash of its file, so equal files make equal requests. */
const uploads = new WeakMap<object, SpooledFile>()

type UploadBody = { sha256: string; bytes: number }

function importRoute(deps: Deps, app: App, { providers }: ReconciliationOptions): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('text/csv', async (_request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => {
      const file = await spool(payload, FILE_BYTES_MAX)
      const body: UploadBody = { sha256: file.sha256.toString('hex'), bytes: file.bytes }
      uploads.set(body, file)
      return body
    })
    scope.addContentTypeParser('*', async () =>
      refuse('unsupported_media_type', { message: 'Send the file as text/csv.' }),
    )
    // If the server refuses the request before the import, this hook closes the uploaded file.
    scope.addHook('onResponse', async (request) => uploadOf(request)?.close())
    ;(scope as unknown as App).post(
      STATEMENTS,
      {
        config: { ...WRITE, refusals: ['invalid_state', 'payload_too_large', 'unsupported_media_type'] },
        schema: {
          tags,
          operationId: 'importProviderStatement',
          summary: 'Import a statement of a provider',
          description:
            'A CSV file with a header: `reference` (ours), `provider_id`, `kind`, `amount`, `currency` (default TZS) and `at`. `kind` is payment, payout, reversal or charge; by default the kind of the reference. `at` without an offset is the time of Africa/Dar_es_Salaam. The file must have all movements of the period: each booked movement that no statement has becomes a case. The server imports a file once. If a line is invalid, the server imports nothing, and `details.lines` names the first invalid lines.',
          consumes: ['text/csv'],
          querystring: ImportQuery,
          body: Type.Unsafe<UploadBody | undefined>({ description: 'The file, at most 50 MiB.' }),
          response: { 201: StatementAnswer },
        },
      },
      async (request, reply) => {
        const { provider, file_name = null } = request.query
        // A disabled provider may still send statements about its earlier movements.
        const allowed = new Set([...providers.keys(), ...PROVIDER_NAMES])
        if (!allowed.has(provider)) refuseField('provider', `must be one of ${[...allowed].join(', ')}`)
        const period = { from: readPeriodTime(request.query, 'from'), to: readPeriodTime(request.query, 'to') }
        const columns = readColumnNames(request.query.columns ?? '')
        if (typeof columns === 'string') refuseField('columns', columns)
        const file = uploadOf(request)
        if (file === undefined) refuse('validation_failed', { message: 'Send the file as the body of the request.' })
        const input = { provider, file: { ...file, name: file_name }, period, columns }
        // The client may close the connection before the import ends, so the route closes the file at the end of the import.
        return importUpload(deps, request, reply, input).finally(() => file.close())
      },
    )
  })
}

/** Imports an upload once per Idempotency-Key, and responds with the statement. */
async function importUpload(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  input: FileImport,
): Promise<FastifyReply> {
  const claim = readClaim(request)
  const stored_answer = claim && (await findAnswer(deps, deps.db, claim))
  if (stored_answer) return replay(reply, stored_answer)
  const act = actOf(request)
  // The import runs before the transaction of the response. Each batch of lines commits separately, and a repeated batch changes
  // nothing.
  const imported = await importFile(deps, act, input).catch((error) => {
    // If an operator has already imported the file, the server stores the refusal under the key. After any other refusal, the
    // operator can repeat the request with the key.
    if (error instanceof Refusal && error.details?.statement_id !== undefined) return error
    throw error
  })
  return answerOnce(deps, request, reply, 201, async (tx) => {
    if (imported instanceof Refusal) throw imported
    return presentStatement(await finishImport(deps, tx, act, imported))
  })
}

function withdrawRoute(deps: Deps, app: App): void {
  app.post(
    `${STATEMENTS}/:id/withdraw`,
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'withdrawProviderStatement',
        summary: 'Withdraw a statement that was imported by mistake',
        description:
          'The server restores the lines that the lines of the statement replaced. It closes the cases that the statement opened as `withdrawn`, and opens the cases that the statement explained. The same file can be imported again.',
        params: StatementParams,
        body: WithdrawBody,
        response: { 200: StatementAnswer },
      },
    },
    async (request, reply) => {
      const input = { id: request.params.id, ...request.body }
      return answerOnce(deps, request, reply, 200, (tx) => withdrawStatement(deps, tx, actOf(request), input))
    },
  )
}

function uploadOf(request: FastifyRequest): SpooledFile | undefined {
  const { body } = request
  return typeof body === 'object' && body !== null ? uploads.get(body) : undefined
}

function readPeriodTime(query: ImportQuery, name: 'from' | 'to'): Date {
  return (
    parseTimeOrDay(query[name]) ??
    refuseField(name, 'must be a time such as 2026-01-05T00:00:00Z, or a day: 2026-01-05')
  )
}

function reconciliationReadRoutes(deps: Deps, app: App, { providers, live }: ReconciliationOptions): void {
  app.get(
    STATEMENTS,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listProviderStatements',
        summary: 'List the statements of providers, newest first',
        querystring: StatementsQuery,
        response: { 200: StatementsAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await listStatements(deps.db, request.query) }),
  )
  app.get(
    RECONCILIATION,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'getReconciliationSummary',
        summary: 'Show the summary of reconciliation',
        description: 'The server queries each live provider for its balance.',
        response: { 200: SummaryAnswer },
      },
    },
    async () => ({ success: true as const, data: await summarize(deps, providers, live) }),
  )
  app.get(
    `${RECONCILIATION}/exceptions`,
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listReconciliationExceptions',
        summary: 'List cases, newest first',
        description: '`total_items` counts up to 10,000.',
        querystring: CasesQuery,
        response: { 200: CasesAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await listCases(deps, request.query) }),
  )
}

function reconciliationCaseRoutes(deps: Deps, app: App, options: ReconciliationOptions): void {
  const queryProvider = createQueryProvider(deps, options)
  app.post(
    `${RECONCILIATION}/exceptions/:id/ask`,
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'queryReconciliationException',
        summary: 'Query the provider about a case',
        description: 'The server settles the result as usual. If books and statements agree then, the case is closed.',
        params: CaseParams,
        body: EmptyBody,
        response: { 200: CaseAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const claim = readClaim(request)
      const stored_answer = claim && (await findAnswer(deps, deps.db, claim))
      if (stored_answer) return replay(reply, stored_answer)
      const found = await findCase(deps.db, id)
      // `reviewCase` refuses a closed case in the transaction that stores the Idempotency-Key.
      if (found.resolution === null) await queryProvider(found)
      return answerOnce(deps, request, reply, 200, (tx) => reviewCase(deps, tx, actOf(request), id))
    },
  )
  app.post(
    `${RECONCILIATION}/exceptions/:id/resolve`,
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'resolveReconciliationException',
        summary: 'Close a case',
        description:
          'No money moves: an adjustment or the resolution of the withdrawal moves money. The same difference opens no case again.',
        params: CaseParams,
        body: ResolveBody,
        response: { 200: CaseAnswer },
      },
    },
    async (request, reply) => {
      const input = { id: request.params.id, ...request.body }
      return answerOnce(deps, request, reply, 200, (tx) => resolveCase(deps, tx, actOf(request), input))
    },
  )
}
