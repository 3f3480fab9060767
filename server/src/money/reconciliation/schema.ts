// Defines the requests and responses of statements and cases.

import Type, { type Static } from 'typebox'
import { PageQuery, page, success } from '../../kernel/http/index.ts'
import { enumOf, line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { RESOLUTIONS } from './case-review.ts'
import { CASE_KINDS } from './compare.ts'
import { LINE_KINDS } from './line.ts'

const CaseAmount = (description: string) => Type.String({ description, examples: ['25000.00'] })
const Time = Type.String({ format: 'date-time' })

/** The configured name of a provider, as a parameter. */
export const ProviderName = Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_-]*$', examples: ['selcom'] })

/** The query of POST /v1/operator/statements: the provider, the period, the columns and the name of the file. */
export const ImportQuery = Type.Object({
  provider: ProviderName,
  from: line(40, 'The beginning of the period: a time, or a day of Africa/Dar_es_Salaam.'),
  to: line(40, 'The first moment after the period, in the same form.'),
  columns: Type.Optional(
    line(
      1000,
      'Other names of columns: `reference=Order No,at=Completed`. With an empty name, `kind=`, the server reads no column for the field.',
    ),
  ),
  file_name: Type.Optional(visibleLine(200, 'The name of the file, for display.')),
})

/** A statement as operators see it, with the counts of its lines and cases. */
export const StatementRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    provider: Type.String(),
    source: oneOf(['file', 'list'], 'file: an operator uploaded it. list: the server fetched it from the provider.'),
    file_name: nullable(Type.String()),
    sha256: nullable(Type.String({ description: 'The hash of the file in hex.' })),
    from: Time,
    to: Time,
    state: oneOf(
      ['importing', 'done', 'failed', 'withdrawn'],
      'failed: the import stopped before its end; import the file again. withdrawn: an operator withdrew the statement, and its lines do not count.',
    ),
    lines: Type.Integer({
      description: 'The number of lines. The server counts this and the next three when the import is done.',
    }),
    matched: Type.Integer({ description: 'Lines that agree with our books.' }),
    opened: Type.Integer({ description: 'Cases that this statement opened.' }),
    explained: Type.Integer({ description: 'Cases that this statement closed.' }),
    imported_by: Type.Object({ kind: Type.String(), id: nullable(Type.String()), name: Type.String() }),
    created_at: Time,
    finished_at: nullable(Time),
    withdrawn: nullable(Type.Object({ at: Time, by: Type.String(), reason: Type.String() })),
  },
  { title: 'ProviderStatement' },
)

/** The response of the requests that import or withdraw a statement. */
export const StatementAnswer = success(StatementRecord)
/** The query of GET /v1/operator/statements. */
export const StatementsQuery = Type.Object({ ...PageQuery, provider: Type.Optional(ProviderName) })
/** The response of GET /v1/operator/statements: a page of statements, newest first. */
export const StatementsAnswer = success(page(StatementRecord))

const CASE_KIND_HELP =
  'unknown_to_us: the provider states a movement that our books do not have. unknown_to_them: our books have a movement in the period that no statement has. amount_differs: the amounts or currencies differ. outcome_differs: only one side has the movement or its reversal. duplicate: the provider states a second movement under the same reference.'

/** A case as operators see it. Amounts are texts such as 25000.00. */
export const CaseRecord = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    provider: Type.String(),
    kind: enumOf('ExceptionKind', CASE_KINDS, CASE_KIND_HELP),
    line_kind: oneOf(LINE_KINDS, 'The kind of the movement.'),
    state: oneOf(['open', 'resolved']),
    reference: nullable(Type.String({ description: 'Our reference, or the reference that the provider states.' })),
    provider_id: nullable(Type.String({ description: "The provider's own id." })),
    merchant_id: nullable(
      Type.String({
        format: 'uuid',
        description: 'The merchant of the payment or withdrawal. Null means that the merchant is unknown.',
      }),
    ),
    collection_id: nullable(Type.String({ format: 'uuid' })),
    withdrawal_id: nullable(Type.String({ format: 'uuid' })),
    amount_theirs: nullable(
      CaseAmount('The amount that the provider states. Null means that the provider states no amount.'),
    ),
    amount_ours: nullable(CaseAmount('The amount in our books. Null means that our books have no amount.')),
    currency: Type.String({ description: 'The currency of `amount_ours` and `difference`.' }),
    currency_theirs: nullable(Type.String({ description: 'The currency of `amount_theirs`.' })),
    status_ours: nullable(
      Type.String({
        description:
          'The status of the payment or withdrawal at the last comparison. A payment may be successful through another attempt than the one of `reference`.',
      }),
    ),
    difference: CaseAmount(
      'The money at the provider minus the money in our books. Below zero: the provider has less.',
    ),
    at: nullable(Time),
    statement_id: Type.String({ format: 'uuid', description: 'The statement that opened the case.' }),
    line: nullable(
      Type.Integer({ description: 'The line of that statement. Null means that the statement has no such line.' }),
    ),
    opened_at: Time,
    resolution: nullable(
      oneOf(
        [...RESOLUTIONS, 'explained', 'withdrawn'],
        'explained: books and statements agree now. withdrawn: an operator withdrew the statement that opened the case.',
      ),
    ),
    reason: nullable(Type.String()),
    resolved_at: nullable(Time),
    resolved_by: nullable(
      Type.Object(
        { id: nullable(Type.String()), name: Type.String() },
        { description: 'Null means that the case is open, or that a statement explained the case.' },
      ),
    ),
    explained_by: nullable(Type.String({ format: 'uuid', description: 'The statement that explained the case.' })),
  },
  { title: 'ReconciliationException' },
)

/** The response of the requests that query the provider about a case or close a case. */
export const CaseAnswer = success(CaseRecord)
/** The path parameters of the requests about one case. */
export const CaseParams = Type.Object({ id: line(64) })
/** The query of GET /v1/operator/reconciliation/exceptions. Without `state`, the list has the open cases. */
export const CasesQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional({ ...oneOf(['open', 'resolved']), default: 'open' as const }),
  kind: Type.Optional(enumOf('ExceptionKind', CASE_KINDS)),
  provider: Type.Optional(ProviderName),
})
/** The response of GET /v1/operator/reconciliation/exceptions: a page of cases, newest first. */
export const CasesAnswer = success(page(CaseRecord))

/** The body of a request to close a case. */
export const ResolveBody = Type.Object(
  {
    resolution: oneOf(
      RESOLUTIONS,
      'accepted: the difference is correct. written_off: the money is lost. corrected: an adjustment or the resolution of the withdrawal corrected the money.',
    ),
    reason: visibleLine(500, 'The reason. The case and the audit log keep this text.'),
  },
  { title: 'ReconciliationDecision' },
)
/** The path parameters of the requests about one statement. */
export const StatementParams = Type.Object({ id: line(64) })
/** The body of a request to withdraw a statement. The reason is required. */
export const WithdrawBody = Type.Object(
  {
    reason: visibleLine(500, 'The reason. The statement and the audit log keep this text.'),
  },
  { title: 'StatementWithdrawal' },
)

const DifferenceSums = {
  unexplained: CaseAmount('The sum of the differences of open cases, each without its sign.'),
  net_difference: CaseAmount('The sum with signs: the money at the provider minus the money in our books.'),
}

/** The summary of reconciliation for operators: statements, open cases and balances for each provider. */
export const SummaryRecord = Type.Object(
  {
    providers: Type.Array(
      Type.Object({
        provider: Type.String(),
        statements: Type.Integer(),
        lines: Type.Integer(),
        matched: Type.Integer(),
        stated_until: nullable(
          Type.String({ format: 'date-time', description: 'The end of the newest period of its statements.' }),
        ),
        holes: Type.Array(Type.Object({ from: Time, to: Time }), {
          description: 'Earlier times that no statement covers, newest first.',
        }),
        open_cases: Type.Integer(),
        open_by_kind: Type.Object(Object.fromEntries(CASE_KINDS.map((kind) => [kind, Type.Integer()]))),
        ...DifferenceSums,
        other_currencies: Type.Array(Type.Object({ currency: Type.String(), ...DifferenceSums }), {
          description: 'The sums of cases in another currency than `float.currency`.',
        }),
      }),
    ),
    float: Type.Object({
      books: CaseAmount('The money that the providers should have, from the live books of all merchants.'),
      currency: Type.String(),
      providers: Type.Array(
        Type.Object({
          provider: Type.String(),
          balance: nullable(
            CaseAmount(
              'The balance that the provider reports. Null means that the provider has no such call, or did not respond.',
            ),
          ),
          separate: Type.Boolean({
            description:
              'True: you fill this account yourself, and it only pays payouts; the money of payments is in another account. So the server does not compare the balance with the books.',
          }),
        }),
      ),
      difference: nullable(
        CaseAmount('Balances minus books. Null means that a live provider did not respond or has a separate account.'),
      ),
    }),
  },
  { title: 'ReconciliationSummary' },
)
/** The response of GET /v1/operator/reconciliation. */
export const SummaryAnswer = success(SummaryRecord)

/** The parsed query of POST /v1/operator/statements. */
export type ImportQuery = Static<typeof ImportQuery>
