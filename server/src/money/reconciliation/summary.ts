// Summarizes reconciliation: counts and sums for each provider, with the balances at the providers and in our books.

import { answerOf } from '../../adapters/providers/breaker.ts'
import type { ProviderExtras, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { CURRENCY, formatAmount } from '../../kernel/lib/index.ts'
import { CASE_KINDS, type CaseKind } from './compare.ts'

/** The provider adapters by name, with the optional functions that the summary calls. */
export type ProvidersByName = ReadonlyMap<string, Provider & ProviderExtras & ProviderLists>

const STATEMENT_TOTALS = sql(
  'reconciliation_stated',
  `select provider, count(*)::int as statements, sum(lines)::bigint as lines, sum(matched)::bigint as matched,
     max(period_to) as stated_until
   from statements where state = 'done' group by provider order by provider`,
)
// The query finds the newest 100 gaps between the periods of statements, each gap of one provider.
const GAPS = sql(
  'reconciliation_holes',
  `select provider, covered as from, period_from as to from (
     select provider, period_from, max(period_to) over (
       partition by provider order by period_from, period_to rows between unbounded preceding and 1 preceding) as covered
     from statements where state = 'done') s
   where covered < period_from order by period_from desc limit 100`,
)
const OPEN_CASES = sql(
  'reconciliation_open_cases',
  `select provider, kind, currency, count(*)::int as cases, sum(abs(difference_minor))::bigint as unexplained_minor,
     sum(difference_minor)::bigint as net_minor
   from reconciliation_exceptions where resolution is null group by provider, kind, currency order by provider, currency`,
)

type StatementTotalsRow = { provider: string; statements: number; lines: bigint; matched: bigint; stated_until: Date }
type GapRow = { provider: string; from: Date; to: Date }
type OpenCasesRow = {
  provider: string
  kind: CaseKind
  currency: string
  cases: number
  unexplained_minor: bigint
  net_minor: bigint
}

/** Builds the summary. The server queries the balance of each live provider, which may take seconds. */
export async function summarize(deps: Deps, providers: ProvidersByName, live: readonly string[]) {
  const [statements, gaps, open, float] = await Promise.all([
    deps.db.query<StatementTotalsRow>(STATEMENT_TOTALS),
    deps.db.query<GapRow>(GAPS),
    deps.db.query<OpenCasesRow>(OPEN_CASES),
    compareFloat(deps, providers, live),
  ])
  const names = new Set([...live, ...[...statements, ...open].map(({ provider }) => provider)])
  return {
    providers: [...names].sort().map((name) =>
      providerSummary(
        name,
        statements.find(({ provider }) => provider === name),
        gaps.filter(({ provider }) => provider === name),
        open.filter(({ provider }) => provider === name),
      ),
    ),
    float,
  }
}

function providerSummary(
  provider: string,
  totals: StatementTotalsRow | undefined,
  gaps: readonly GapRow[],
  open: readonly OpenCasesRow[],
) {
  const countCases = (rows: readonly OpenCasesRow[]) => rows.reduce((total, row) => total + row.cases, 0)
  const cases = Object.fromEntries(
    CASE_KINDS.map((kind) => [kind, countCases(open.filter((row) => row.kind === kind))]),
  )
  const foreign = [...new Set(open.map(({ currency }) => currency))].filter((currency) => currency !== CURRENCY)
  return {
    provider,
    statements: totals?.statements ?? 0,
    lines: Number(totals?.lines ?? 0n),
    matched: Number(totals?.matched ?? 0n),
    stated_until: totals?.stated_until.toISOString() ?? null,
    holes: gaps.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() })),
    open_cases: countCases(open),
    open_by_kind: cases as Record<CaseKind, number>,
    ...sumsOf(open, CURRENCY),
    other_currencies: foreign.map((currency) => ({ currency, ...sumsOf(open, currency) })),
  }
}

/** Returns the sums of one currency. The summary never adds amounts of different currencies. */
function sumsOf(open: readonly OpenCasesRow[], currency: string) {
  const rows = open.filter((row) => row.currency === currency)
  const sum = (amountOf: (row: OpenCasesRow) => bigint) =>
    formatAmount(rows.reduce((total, row) => total + amountOf(row), 0n))
  return { unexplained: sum((row) => row.unexplained_minor), net_difference: sum((row) => row.net_minor) }
}

// The query finds each balance by its whole primary key.
const FLOAT = sql(
  'reconciliation_float',
  `select coalesce(-sum(a.balance_minor), 0)::bigint as minor
   from merchants m cross join lateral (
     select balance_minor from ledger_accounts
     where merchant_id = m.id and environment = 'live' and currency = $1 and code = 'provider_float' offset 0) a`,
)

/** Returns the money that the providers should have by our books, and the balances that the providers report. */
async function compareFloat(deps: Deps, providers: ProvidersByName, live: readonly string[]) {
  const [minor, balances] = await Promise.all([
    floatOfBooks(deps.db),
    Promise.all(live.map(async (name) => ({ name, balance: await reportedBalance(deps, name, providers.get(name)) }))),
  ])
  const reported = balances.flatMap(({ balance }) => balance ?? [])
  const isSeparate = (name: string) => providers.get(name)?.separate_float ?? false
  const is_complete = reported.length === balances.length && reported.length > 0 && !live.some(isSeparate)
  const theirs = reported.reduce((total, balance) => total + balance, 0n)
  return {
    books: formatAmount(minor),
    currency: CURRENCY,
    providers: balances.map(({ name, balance }) => ({
      provider: name,
      balance: balance === null ? null : formatAmount(balance),
      separate: isSeparate(name),
    })),
    difference: is_complete ? formatAmount(theirs - minor) : null,
  }
}

async function floatOfBooks(reader: Reader): Promise<bigint> {
  const [row] = await reader.query<{ minor: bigint }>(FLOAT, [CURRENCY])
  return row?.minor ?? 0n
}

/**
 * Returns the balance that a provider reports. Null means that the adapter cannot query the balance, that the provider does not
 * respond, or that it reports another currency.
 */
async function reportedBalance(deps: Deps, name: string, provider: ProviderExtras | undefined): Promise<bigint | null> {
  const balance = await answerOf(deps, name, async () => (await provider?.floatBalance?.()) ?? null)
  return balance !== null && balance.currency === CURRENCY ? balance.amount_minor : null
}
