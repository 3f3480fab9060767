// Searches the records of all merchants, the merchants, the users and the lines of statements for operators.

import { type Deps, sql } from '../../kernel/db/index.ts'
import { ENVIRONMENTS, type Environment } from '../../kernel/http/index.ts'
import { formatAmount, limitConcurrency } from '../../kernel/lib/index.ts'
import { parseOwnReference } from '../../money/reconciliation/index.ts'
import { type FoundRecord, presentRecord, type SearchHit } from './hit.ts'
import { foldedText, ofManyText, type RecordKind } from './statements.ts'
import { FOUND_MAX, patternsFor, type SearchTerms, valuesFor } from './terms.ts'

/**
 * The highest number of merchants whose records a search of all merchants reads. The search reads the newest merchants.
 */
export const MERCHANTS_MAX = 1_000

// The statements have no name, so PostgreSQL plans them for the given terms.
const STATEMENTS = {
  payment: sql('', ofManyText('payment', MERCHANTS_MAX)),
  withdrawal: sql('', ofManyText('withdrawal', MERCHANTS_MAX)),
  payment_link: sql('', ofManyText('payment_link', MERCHANTS_MAX)),
  invoice: sql('', ofManyText('invoice', MERCHANTS_MAX)),
  transaction: sql('', ofManyText('transaction', MERCHANTS_MAX)),
  delivery: sql('', ofManyText('delivery', MERCHANTS_MAX)),
} as const satisfies Record<RecordKind, unknown>

const MERCHANTS = sql(
  '',
  `select m.id, m.merchant_code, m.name, m.status, m.created_at from (
     select * from merchants where archived_at is null order by id desc limit ${10 * MERCHANTS_MAX}) m
   where ${foldedText('m.name')} like all($3::text[]) or starts_with(m.merchant_code, upper($1::text))
     or m.id = $2::uuid order by m.id desc limit ${FOUND_MAX}`,
)

/** The highest number of e-mail addresses that a search reads, in alphabetical order from the text on. */
const ADDRESSES_MAX = 100

const PEOPLE = sql(
  '',
  `select u.id, u.email, u.name, u.created_at, u.operator_role, u.super_admin, u.disabled_at, b.merchant_id, m.name as merchant_name
   from (select * from users where email >= lower($1::text) order by email limit ${ADDRESSES_MAX}) u
   left join lateral (select merchant_id from members where user_id = u.id order by created_at desc limit 1) b on true
   left join merchants m on m.id = b.merchant_id
   where starts_with(u.email, lower($1)) order by u.email limit ${FOUND_MAX}`,
)

const LINES = sql(
  '',
  `select l.provider, l.subject, l.kind, l.reference, l.provider_id, l.amount_minor, l.currency, l.at
   from unnest($1::text[]) p(provider) join statement_lines l on l.provider = p.provider and l.subject = any($2::text[])
   order by l.at desc limit ${FOUND_MAX}`,
)

const readForOperators = limitConcurrency(3)

/** The merchant and the environment of an operator's search. Null means all merchants, or both environments. */
export type SearchScope = { merchant_id: string | null; environment: Environment | null }

/** Finds records of one merchant or of all merchants. Returns a list for each kind in `kinds`, newest first. */
export async function searchMerchants(
  deps: Deps,
  { merchant_id, environment }: SearchScope,
  terms: SearchTerms,
  kinds: readonly RecordKind[],
): Promise<SearchHit[][]> {
  const environments = environment === null ? ENVIRONMENTS : [environment]
  return Promise.all(
    kinds.map(async (kind) => {
      const values = [merchant_id, environments, ...valuesFor(kind, terms)]
      const rows = await readForOperators(() => deps.db.query<FoundRecord>(STATEMENTS[kind], values))
      return rows.map((row) => presentRecord(kind, row, deps.clock.now()))
    }),
  )
}

const NOTHING = {
  currency: null,
  name: null,
  phone: null,
  reference: null,
  description: null,
  status: null,
  environment: null,
  merchant_id: null,
  merchant_name: null,
}

/** Finds merchants that are not archived, among the newest 10,000: by parts of the name, by the beginning of the code, or by the whole id. */
export async function findMerchantsBy(deps: Deps, { text, words, ids }: SearchTerms): Promise<SearchHit[]> {
  const id = ids !== null && ids.from === ids.until ? ids.from : null
  const rows = await readForOperators(() =>
    deps.db.query<{ id: string; merchant_code: string; name: string; status: string; created_at: Date }>(MERCHANTS, [
      text,
      id,
      patternsFor(words, ''),
    ]),
  )
  return rows.map((row) => ({
    ...NOTHING,
    kind: 'merchant',
    id: row.id,
    title: row.name,
    reference: row.merchant_code,
    status: row.status,
    created_at: row.created_at.toISOString(),
    target: `merchants/${row.id}`,
  }))
}

type FoundPerson = {
  id: string
  email: string
  name: string
  created_at: Date
  operator_role: string | null
  super_admin: boolean
  disabled_at: Date | null
  merchant_id: string | null
  merchant_name: string | null
}

/**
 * Finds users by the beginning of the e-mail address. Returns members of merchants. If `sees_operators` is true, also returns
 * operators.
 */
export async function findPeople(deps: Deps, { text }: SearchTerms, sees_operators: boolean): Promise<SearchHit[]> {
  const rows = await readForOperators(() => deps.db.query<FoundPerson>(PEOPLE, [text]))
  return rows.flatMap((row): SearchHit[] => {
    const operates = row.super_admin || row.operator_role !== null
    if (row.merchant_id === null && !(operates && sees_operators)) return []
    const { id, email: title, name, merchant_id, merchant_name } = row
    return [
      {
        ...NOTHING,
        kind: 'person',
        id,
        title,
        name,
        merchant_id,
        merchant_name,
        status: row.disabled_at === null ? null : 'disabled',
        created_at: row.created_at.toISOString(),
        target: merchant_id === null ? 'operators' : `merchants/${merchant_id}`,
      },
    ]
  })
}

type FoundLine = {
  provider: string
  subject: string
  kind: string
  reference: string | null
  provider_id: string | null
  amount_minor: bigint
  currency: string
  at: Date
}

/**
 * Finds lines of provider statements by the provider's id, or by a whole reference: our reference or that of the provider.
 */
export async function findLines(deps: Deps, { text }: SearchTerms, providers: readonly string[]): Promise<SearchHit[]> {
  const subjects = [text.toUpperCase(), `id:${text}`, `ref:${text}`]
  const rows = await readForOperators(() => deps.db.query<FoundLine>(LINES, [providers, subjects]))
  return rows.map((row) => {
    const own = parseOwnReference(row.reference)
    return {
      ...NOTHING,
      kind: 'statement_line',
      id: row.reference ?? row.provider_id ?? row.subject,
      title: formatAmount(row.amount_minor),
      currency: row.currency,
      name: row.provider,
      reference: row.provider_id,
      status: row.kind,
      created_at: row.at.toISOString(),
      target: own === null ? 'reconciliation' : `${own.flow === 'payment' ? 'payments' : 'withdrawals'}/${own.id}`,
    }
  })
}
