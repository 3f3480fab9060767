// Shows the first page: the chart of 30 days, the balance, the totals, and the first steps. Each part reads its data
// separately, so that a failed read hides no other part.

import './home.css'
import { SegmentedControl, Skeleton, Stack, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Amount, Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useEnvironmentPath, useHasRole } from '../merchant.ts'
import { Attention } from './attention.tsx'
import { BalanceMark } from './balance-mark.tsx'
import { Checklist, ChecklistProblem } from './checklist.tsx'
import { homeTexts } from './home-texts.ts'
import { LoadingStatus } from './loading-status.tsx'
import { PERIODS, Totals, TotalsLoading, type TotalsPeriod } from './totals.tsx'
import { Trend, TrendLoading } from './trend.tsx'

// The table is below the first screen, so the code of tables is a later file. If it does not load, the page omits the table.
const Methods = lazy(() =>
  import('./methods.tsx').then(
    ({ Methods: Loaded }) => ({ default: Loaded }),
    () => ({ default: () => <></> }),
  ),
)

/** Shows the first page of an environment. Administrators and finance members see a button for a new payment link. */
export function Home() {
  const t = useTexts(homeTexts)
  const at = useEnvironmentPath()
  const collects = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  return (
    <Page title={t.title} actions={collects ? <PageButton to={at('links/new')}>{t.new_link}</PageButton> : null}>
      <Attention />
      <Checklist />
      <Business />
      <ChecklistProblem />
    </Page>
  )
}

function BalanceOverview() {
  const t = useTexts(homeTexts)
  const at = useEnvironmentPath()
  const withdraws = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const read = useRead('GET /v1/merchant/balance', {}, { live: true, keep: true })
  const parts = [
    {
      name: t.available,
      value: read.data?.available,
      means: read.data !== undefined && Number(read.data.available) <= 0 ? t.available_none : t.available_means,
    },
    { name: t.reserved, value: read.data?.reserved, means: t.reserved_means },
    { name: t.held, value: read.data?.held, means: t.held_means },
  ]
  const loading = read.data === undefined && !read.error
  // If the read failed, the card has no link that needs the balance. While the balance loads, the links keep their places.
  const has_figures = read.data !== undefined || loading
  return (
    <section className="panel" aria-labelledby="balance-title">
      <div className="section-head">
        <Title order={2} id="balance-title">
          {t.balance}
        </Title>
        {withdraws && has_figures ? (
          <PageButton to={at('withdrawals')} variant="default" size="xs">
            {t.to_withdrawals}
          </PageButton>
        ) : null}
      </div>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {loading ? <LoadingStatus of={t.balance} /> : null}
      {has_figures ? (
        <dl className="totals">
          {parts.map(({ name, value, means }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <strong className="figure">
                  {value === undefined ? (
                    <Skeleton className="figure-loading" animate={false} />
                  ) : (
                    <Amount value={value} currency={read.data?.currency} />
                  )}
                </strong>
                <span className="beside">{means}</span>
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {withdraws && has_figures ? <BalanceMark /> : null}
    </section>
  )
}

function Business() {
  const t = useTexts(homeTexts)
  const search = useSearch({ strict: false }) as { period?: string }
  const navigate = useNavigate()
  const period = PERIODS.find((one) => one === search.period) ?? '30d'
  const read = useRead('GET /v1/merchant/overview', { query: { period } }, { live: true, keep: true })
  const loading = read.data === undefined && !read.error
  const choose = (next: string) =>
    void navigate({ to: '.', search: { period: next } as never, replace: true, resetScroll: false })
  return (
    <Stack gap="lg">
      <div className="home-lead">
        <section className="panel" aria-labelledby="trend-title">
          <div className="section-head">
            <Title order={2} id="trend-title">
              {t.trend}
            </Title>
            <Periods period={period} choose={choose} />
          </div>
          <Problem error={read.error} retry={() => void read.refetch()} />
          {loading ? <TrendLoading /> : null}
          {read.data ? <Trend overview={read.data} /> : null}
        </section>
        <BalanceOverview />
      </div>
      {read.data || loading ? (
        <section className="panel" aria-labelledby="numbers-title">
          <Title order={2} id="numbers-title">
            {t.numbers}
          </Title>
          {read.data ? <Totals overview={read.data} /> : null}
          {loading ? <TotalsLoading /> : null}
          <details className="disclosed">
            <summary>{t.how}</summary>
            <ul>
              {t.how_lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        </section>
      ) : null}
      {read.data && read.data.methods.length > 0 ? (
        <Suspense fallback={null}>
          <Methods overview={read.data} />
        </Suspense>
      ) : null}
    </Stack>
  )
}

function Periods({ period, choose }: { period: TotalsPeriod; choose: (next: string) => void }) {
  const t = useTexts(homeTexts)
  return (
    <SegmentedControl
      aria-label={t.period}
      value={period}
      onChange={choose}
      data={PERIODS.map((value) => ({ value, label: t.periods[value] ?? value }))}
    />
  )
}
