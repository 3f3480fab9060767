// Operators bring statements and work on what does not agree.

import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { PROVIDER_NAMES } from '../../adapters/providers/registry.ts'
import { actOf } from '../../books/audit/index.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type App, answerOnce, findAnswer, NoBody, type Routes, readClaim, replay } from '../../kernel/http/index.ts'
import { Refusal, refuse, refuseField } from '../../kernel/lib/index.ts'
import { readColumnNames } from './columns.ts'
import { type Askers, createAsk, findCase, listCases, resolveCase, reviewCase } from './exceptions.ts'
import { type FileImport, finishImport, importFile } from './import.ts'
import { readMoment } from './line.ts'
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
import { type Spooled, spool } from './spool.ts'
import { listStatements, presentStatement } from './statements.ts'
import { type Providers, summarize } from './summary.ts'
import { withdrawStatement } from './withdraw.ts'

const tags = ['Operator']
const READ = { access: 'operator' } as const
const WRITE = { access: 'operator', idempotency: 'honoured', refusals: ['invalid_state'] } as const
const STATEMENTS = '/v1/operator/statements'
const RECONCILIATION = '/v1/operator/reconciliation'

/** The largest file that may be uploaded; the admin command takes larger ones. */
const FILE_BYTES_MAX = 50 * 1024 * 1024

/** What the routes work with. `live`: the names of the providers that serve live payments. */
export type ReconciliationOptions = Askers & { providers: Providers; live: readonly string[] }

/** Adds the routes. */
export function reconciliationRoutes(deps: Deps, options: ReconciliationOptions): Routes {
  return (app) => {
    importRoute(deps, app, options)
    withdrawRoute(deps, app)
    readRoutes(deps, app, options)
    caseRoutes(deps, app, options)
  }
}

/** Files that came in with requests, by the body that stands for them: two of the same content are the same request. */
const files = new WeakMap<object, Spooled>()

type Body = { sha256: string; bytes: number }

function importRoute(deps: Deps, app: App, { providers }: ReconciliationOptions): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('text/csv', async (_request: FastifyRequest, payload: AsyncIterable<Uint8Array>) => {
      const file = await spool(payload, FILE_BYTES_MAX)
      const body: Body = { sha256: file.sha256.toString('hex'), bytes: file.bytes }
      files.set(body, file)
      return body
    })
    scope.addContentTypeParser('*', async () =>
      refuse('unsupported_media_type', { message: 'Send the file as text/csv.' }),
    )
    // For a request that is refused before it comes to its file.
    scope.addHook('onResponse', async (request) => fileOf(request)?.close())
    ;(scope as unknown as App).post(
      STATEMENTS,
      {
        config: { ...WRITE, refusals: ['invalid_state', 'payload_too_large', 'unsupported_media_type'] },
        schema: {
          tags,
          summary: 'Bring a statement of a provider',
          description:
            'A CSV file with a header: `reference` (ours), `provider_id`, `kind` (payment, payout, reversal, charge; told by the reference when left out), `amount`, `currency` (TZS when left out) and `at`, whose times are of Africa/Dar_es_Salaam unless they say otherwise. It has to be all that moved in the period: what our books have there and no statement has becomes a case. A file is taken once, and not at all when a line is wrong: `details.lines` names the first.',
          consumes: ['text/csv'],
          querystring: ImportQuery,
          body: Type.Unsafe<Body | undefined>({ description: 'The file, at most 50 MiB.' }),
          response: { 201: StatementAnswer },
        },
      },
      async (request, reply) => {
        const { provider, file_name = null } = request.query
        // One that was switched off may still state what it moved before.
        const known = new Set([...providers.keys(), ...PROVIDER_NAMES])
        if (!known.has(provider)) refuseField('provider', `must be one of ${[...known].join(', ')}`)
        const period = { from: momentOf(request.query, 'from'), to: momentOf(request.query, 'to') }
        const columns = readColumnNames(request.query.columns ?? '')
        if (typeof columns === 'string') refuseField('columns', columns)
        const file = fileOf(request)
        if (file === undefined) refuse('validation_failed', { message: 'Send the file as the body of the request.' })
        const what = { provider, file: { ...file, name: file_name }, period, columns }
        // Whoever asked may be gone by the time it is done.
        return importOnce(deps, request, reply, what).finally(() => file.close())
      },
    )
  })
}

async function importOnce(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  what: FileImport,
): Promise<FastifyReply> {
  const claim = readClaim(request)
  const known = claim && (await findAnswer(deps, deps.db, claim))
  if (known) return replay(reply, known)
  const act = actOf(request)
  // Long before anything is answered: each set of lines commits by itself, and bringing them again changes nothing.
  const imported = await importFile(deps, act, what).catch((error) => {
    // That the file was imported before is an answer, which is kept with its key. Whatever else is refused may be tried again.
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
        summary: 'Take back a statement that was brought by mistake',
        description:
          'Its lines give way to what they replaced, the cases that it opened are closed as `withdrawn`, and those that it explained open again. The same file may be brought once more.',
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

function fileOf(request: FastifyRequest): Spooled | undefined {
  const { body } = request
  return typeof body === 'object' && body !== null ? files.get(body) : undefined
}

function momentOf(query: ImportQuery, name: 'from' | 'to'): Date {
  return (
    readMoment(query[name]) ?? refuseField(name, 'must be a time such as 2026-01-05T00:00:00Z, or a day: 2026-01-05')
  )
}

function readRoutes(deps: Deps, app: App, { providers, live }: ReconciliationOptions): void {
  app.get(
    STATEMENTS,
    {
      config: READ,
      schema: {
        tags,
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
        summary: 'How far our books and the providers agree',
        description: 'Asks each live provider for its balance.',
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
        summary: 'List what does not agree, newest first',
        description: '`total_items` counts up to 10,000.',
        querystring: CasesQuery,
        response: { 200: CasesAnswer },
      },
    },
    async (request) => ({ success: true as const, data: await listCases(deps, request.query) }),
  )
}

function caseRoutes(deps: Deps, app: App, options: ReconciliationOptions): void {
  const ask = createAsk(deps, options)
  app.post(
    `${RECONCILIATION}/exceptions/:id/ask`,
    {
      config: WRITE,
      schema: {
        tags,
        summary: 'Ask the provider again about a case',
        description: 'What it says is settled as always. The case is closed when books and statements agree then.',
        params: CaseParams,
        body: NoBody,
        response: { 200: CaseAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const claim = readClaim(request)
      const known = claim && (await findAnswer(deps, deps.db, claim))
      if (known) return replay(reply, known)
      const found = await findCase(deps.db, id)
      // One that is closed is refused where its key is kept.
      if (found.resolution === null) await ask(found)
      return answerOnce(deps, request, reply, 200, (tx) => reviewCase(deps, tx, actOf(request), id))
    },
  )
  app.post(
    `${RECONCILIATION}/exceptions/:id/resolve`,
    {
      config: WRITE,
      schema: {
        tags,
        summary: 'End a case by your word',
        description:
          'It moves no money: an adjustment, or resolving the withdrawal, does that. The same difference opens no case again.',
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
