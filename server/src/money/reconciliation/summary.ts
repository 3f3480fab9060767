// How far books and providers agree: counts and sums for each provider, and the money itself.

import { answerOf } from '../../adapters/providers/breaker.ts'
import type { ProviderExtras, ProviderLists } from '../../adapters/providers/extras.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import { type Deps, type Reader, sql } from '../../kernel/db/index.ts'
import { CURRENCY, formatAmount } from '../../kernel/lib/index.ts'
import { CASE_KINDS, type CaseKind } from './judge.ts'

/** The adapters by name, each with what it can do beyond the port. */
export type Providers = ReadonlyMap<string, Provider & ProviderExtras & ProviderLists>

const STATED = sql(
  'reconciliation_stated',
  `select provider, count(*)::int as statements, sum(lines)::bigint as lines, sum(matched)::bigint as matched,
     max(period_to) as stated_until
   from statements where state = 'done' group by provider order by provider`,
)
// Where one period ends before the next begins: up to the newest statement nothing else is missing.
const HOLES = sql(
  'reconciliation_holes',
  `select provider, covered as from, period_from as to from (
     select provider, period_from, max(period_to) over (
       partition by provider order by period_from, period_to rows between unbounded preceding and 1 preceding) as covered
     from statements where state = 'done') s
   where covered < period_from order by period_from desc limit 100`,
)
const OPEN = sql(
  'reconciliation_open_cases',
  `select provider, kind, currency, count(*)::int as cases, sum(abs(difference_minor))::bigint as unexplained_minor,
     sum(difference_minor)::bigint as net_minor
   from reconciliation_exceptions where resolution is null group by provider, kind, currency order by provider, currency`,
)

type Stated = { provider: string; statements: number; lines: bigint; matched: bigint; stated_until: Date }
type Hole = { provider: string; from: Date; to: Date }
type Open = {
  provider: string
  kind: CaseKind
  currency: string
  cases: number
  unexplained_minor: bigint
  net_minor: bigint
}

/** The summary. Asks each of the live providers for its balance, which may take seconds. */
export async function summarize(deps: Deps, providers: Providers, live: readonly string[]) {
  const [stated, holes, open, float] = await Promise.all([
    deps.db.query<Stated>(STATED),
    deps.db.query<Hole>(HOLES),
    deps.db.query<Open>(OPEN),
    compareFloat(deps, providers, live),
  ])
  const names = new Set([...live, ...stated.map(({ provider }) => provider), ...open.map(({ provider }) => provider)])
  return {
    providers: [...names].sort().map((name) =>
      summaryOf(
        name,
        stated.find(({ provider }) => provider === name),
        holes.filter(({ provider }) => provider === name),
        open.filter(({ provider }) => provider === name),
      ),
    ),
    float,
  }
}

function summaryOf(provider: string, stated: Stated | undefined, holes: readonly Hole[], open: readonly Open[]) {
  const count = (rows: readonly Open[]) => rows.reduce((total, row) => total + row.cases, 0)
  const cases = Object.fromEntries(CASE_KINDS.map((kind) => [kind, count(open.filter((row) => row.kind === kind))]))
  const foreign = [...new Set(open.map(({ currency }) => currency))].filter((currency) => currency !== CURRENCY)
  return {
    provider,
    statements: stated?.statements ?? 0,
    lines: Number(stated?.lines ?? 0n),
    matched: Number(stated?.matched ?? 0n),
    stated_until: stated?.stated_until.toISOString() ?? null,
    holes: holes.map(({ from, to }) => ({ from: from.toISOString(), to: to.toISOString() })),
    open_cases: count(open),
    open_by_kind: cases as Record<CaseKind, number>,
    ...sumsOf(open, CURRENCY),
    other_currencies: foreign.map((currency) => ({ currency, ...sumsOf(open, currency) })),
  }
}

/** What differs in one currency: amounts of two are never added. */
function sumsOf(open: readonly Open[], currency: string) {
  const rows = open.filter((row) => row.currency === currency)
  const sum = (of: (row: Open) => bigint) => formatAmount(rows.reduce((total, row) => total + of(row), 0n))
  return { unexplained: sum((row) => row.unexplained_minor), net_difference: sum((row) => row.net_minor) }
}

// A book's balance is found by its whole key.
const FLOAT = sql(
  'reconciliation_float',
  `select coalesce(-sum(a.balance_minor), 0)::bigint as minor
   from merchants m cross join lateral (
     select balance_minor from ledger_accounts
     where merchant_id = m.id and environment = 'live' and currency = $1 and code = 'provider_float' offset 0) a`,
)

/** What should lie at the providers beside what they say lies there. */
async function compareFloat(deps: Deps, providers: Providers, live: readonly string[]) {
  const [minor, balances] = await Promise.all([
    floatOfBooks(deps.db),
    Promise.all(live.map(async (name) => ({ name, balance: await balanceOf(deps, name, providers.get(name)) }))),
  ])
  const known = balances.flatMap(({ balance }) => balance ?? [])
  const separate = (name: string) => providers.get(name)?.separate_float ?? false
  const complete = known.length === balances.length && known.length > 0 && !live.some(separate)
  const theirs = known.reduce((total, balance) => total + balance, 0n)
  return {
    books: formatAmount(minor),
    currency: CURRENCY,
    providers: balances.map(({ name, balance }) => ({
      provider: name,
      balance: balance === null ? null : formatAmount(balance),
      separate: separate(name),
    })),
    difference: complete ? formatAmount(theirs - minor) : null,
  }
}

async function floatOfBooks(reader: Reader): Promise<bigint> {
  const [row] = await reader.query<{ minor: bigint }>(FLOAT, [CURRENCY])
  return row?.minor ?? 0n
}

/** The provider's own balance; null when it has no call for it, does not answer, or answers in another currency. */
async function balanceOf(deps: Deps, name: string, provider: ProviderExtras | undefined): Promise<bigint | null> {
  const said = await answerOf(deps, name, async () => (await provider?.floatBalance?.()) ?? null)
  return said !== null && said.currency === CURRENCY ? said.amount_minor : null
}
