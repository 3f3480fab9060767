// What operators send and get about statements and cases.

import Type, { type Static } from 'typebox'
import { PageQuery, page, success } from '../../kernel/http/index.ts'
import { line, nullable, oneOf, visibleLine } from '../../kernel/lib/index.ts'
import { RESOLUTIONS } from './exceptions.ts'
import { CASE_KINDS } from './judge.ts'
import { LINE_KINDS } from './line.ts'

const Amount = (description: string) => Type.String({ description, examples: ['25000.00'] })
const Time = Type.String({ format: 'date-time' })

/** A name of a provider, as it is configured. */
export const ProviderName = Type.String({ maxLength: 64, pattern: '^[a-z][a-z0-9_-]*$' })

/** What a statement is of. */
export const ImportQuery = Type.Object({
  provider: ProviderName,
  from: line(40, 'Where the period begins: a time, or a day of Africa/Dar_es_Salaam.'),
  to: line(40, 'The first moment after it, written alike.'),
  columns: Type.Optional(
    line(
      1000,
      'Names of columns that have other ones: `reference=Order No,at=Completed`. With an empty name, `kind=`, none holds it.',
    ),
  ),
  file_name: Type.Optional(visibleLine(200, 'What the file is called, for people.')),
})

/** A statement. */
export const StatementRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  provider: Type.String(),
  source: oneOf(['file', 'list'], 'file: somebody brought it. list: the provider was asked.'),
  file_name: nullable(Type.String()),
  sha256: nullable(Type.String({ description: 'Of the file, in hex.' })),
  from: Time,
  to: Time,
  state: oneOf(
    ['importing', 'done', 'failed', 'withdrawn'],
    'failed: it stopped in the middle; bring it again. withdrawn: it was taken back, and counts for nothing.',
  ),
  lines: Type.Integer({ description: 'Counted when it is done, as the next three are.' }),
  matched: Type.Integer({ description: 'Lines that agree with our books.' }),
  opened: Type.Integer({ description: 'Cases that it opened.' }),
  explained: Type.Integer({ description: 'Cases that it closed.' }),
  imported_by: Type.Object({ kind: Type.String(), id: nullable(Type.String()), name: Type.String() }),
  created_at: Time,
  finished_at: nullable(Time),
  withdrawn: nullable(Type.Object({ at: Time, by: Type.String(), reason: Type.String() })),
})

/** Answer of the import. */
export const StatementAnswer = success(StatementRecord)
/** Which statements are listed. */
export const StatementsQuery = Type.Object({ ...PageQuery, provider: Type.Optional(ProviderName) })
/** Answer of the list. */
export const StatementsAnswer = success(page(StatementRecord))

const CASE_WORDS =
  'unknown_to_us: the provider has a movement that we do not know. unknown_to_them: we booked one in the period that no statement has. amount_differs. outcome_differs: it moved there and not here, or went back on one side alone. duplicate: a second movement under the same reference.'

/** A case. */
export const CaseRecord = Type.Object({
  id: Type.String({ format: 'uuid' }),
  provider: Type.String(),
  kind: oneOf(CASE_KINDS, CASE_WORDS),
  line_kind: oneOf(LINE_KINDS, 'Which movement is meant.'),
  state: oneOf(['open', 'resolved']),
  reference: nullable(Type.String({ description: 'Our reference, or the one that the provider states.' })),
  provider_id: nullable(Type.String({ description: "The provider's own id." })),
  merchant_id: nullable(Type.String({ format: 'uuid', description: 'Whose money it is, as far as we know.' })),
  collection_id: nullable(Type.String({ format: 'uuid' })),
  withdrawal_id: nullable(Type.String({ format: 'uuid' })),
  amount_theirs: nullable(Amount('What the provider states. Null: nothing.')),
  amount_ours: nullable(Amount('What our books say. Null: nothing.')),
  currency: Type.String({ description: 'Of `amount_ours` and `difference`.' }),
  currency_theirs: nullable(Type.String({ description: 'Of `amount_theirs`.' })),
  status_ours: nullable(
    Type.String({
      description:
        'Where payment or withdrawal stood when the case was last judged. A payment may be successful by another attempt than `reference` names.',
    }),
  ),
  difference: Amount('What the provider has more than our books say; below zero: less.'),
  at: nullable(Time),
  statement_id: Type.String({ format: 'uuid', description: 'The statement that opened it.' }),
  line: nullable(Type.Integer({ description: 'The line of that statement. Null: it has none.' })),
  opened_at: Time,
  resolution: nullable(
    oneOf(
      [...RESOLUTIONS, 'explained', 'withdrawn'],
      'explained: books and statements agree by now. withdrawn: the statement that opened it was taken back.',
    ),
  ),
  reason: nullable(Type.String()),
  resolved_at: nullable(Time),
  resolved_by: nullable(
    Type.Object(
      { id: nullable(Type.String()), name: Type.String() },
      { description: 'Null: it is open, or a statement explained it.' },
    ),
  ),
  explained_by: nullable(Type.String({ format: 'uuid', description: 'The statement that explained it.' })),
})

/** Answer about one case. */
export const CaseAnswer = success(CaseRecord)
/** Which case. */
export const CaseParams = Type.Object({ id: line(64) })
/** Which cases are listed. */
export const CasesQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional({ ...oneOf(['open', 'resolved']), default: 'open' as const }),
  kind: Type.Optional(oneOf(CASE_KINDS)),
  provider: Type.Optional(ProviderName),
})
/** Answer of the list. */
export const CasesAnswer = success(page(CaseRecord))

/** How an operator ends a case. */
export const ResolveBody = Type.Object({
  resolution: oneOf(
    RESOLUTIONS,
    'accepted: it is right as it is. written_off: it is lost. corrected: the money was put right, by an adjustment or by resolving the withdrawal.',
  ),
  reason: visibleLine(500, 'Why. It stays with the case and in the audit log.'),
})
/** Which statement. */
export const StatementParams = Type.Object({ id: line(64) })
/** Why a statement is taken back. */
export const WithdrawBody = Type.Object({
  reason: visibleLine(500, 'Why. It stays with the statement and in the audit log.'),
})

const Differences = {
  unexplained: Amount('Sum of what differs in open cases, whichever way.'),
  net_difference: Amount('The same with its signs: what the provider has more than our books say.'),
}

/** How far books and providers agree. */
export const SummaryRecord = Type.Object({
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      statements: Type.Integer(),
      lines: Type.Integer(),
      matched: Type.Integer(),
      stated_until: nullable(Type.String({ format: 'date-time', description: 'Where its newest period ends.' })),
      holes: Type.Array(Type.Object({ from: Time, to: Time }), {
        description: 'Times before that which no statement is of, the newest first.',
      }),
      open_cases: Type.Integer(),
      open_by_kind: Type.Object(Object.fromEntries(CASE_KINDS.map((kind) => [kind, Type.Integer()]))),
      ...Differences,
      other_currencies: Type.Array(Type.Object({ currency: Type.String(), ...Differences }), {
        description: 'The same of cases in another currency than `float.currency`.',
      }),
    }),
  ),
  float: Type.Object({
    books: Amount('What should lie at the providers: the live books of all merchants.'),
    currency: Type.String(),
    providers: Type.Array(
      Type.Object({
        provider: Type.String(),
        balance: nullable(Amount('What the provider says. Null: it has no call for it, or did not answer.')),
        separate: Type.Boolean({
          description:
            'True: this is an account that you fill yourself and that pays payouts alone; what payments brought lies elsewhere. It cannot be compared with the books.',
        }),
      }),
    ),
    difference: nullable(
      Amount(
        'Balances less books. Null unless every live provider answered, and with an account that all its money is in.',
      ),
    ),
  }),
})
/** Answer of the summary. */
export const SummaryAnswer = success(SummaryRecord)

/** What is asked for in the query of the import. */
export type ImportQuery = Static<typeof ImportQuery>
