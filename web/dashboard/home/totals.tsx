// Shows the totals of a period. A total of records links to the list of these records.

import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useTexts } from '../../ui/language.ts'
import { Amount, PageLink } from '../../ui/parts.tsx'
import { dayOf, showCount } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { homeTexts } from './home-texts.ts'
import { LoadingStatus } from './loading-status.tsx'

/** The totals of a period, as the API computes them. */
export type Overview = Calls['GET /v1/merchant/overview']['data']
/** The periods that the first page offers, shortest first. */
export const PERIODS = ['today', '7d', '30d'] as const
/** The name of a period, as the API writes it. */
export type TotalsPeriod = (typeof PERIODS)[number]

/** Returns the first and the last Tanzanian day of a period, in the format of list filters. */
export function daysOf({ from, to }: { from: string; to: string }): { from: string; to: string } {
  return { from: dayOf(new Date(from)), to: dayOf(new Date(Date.parse(to) - 1)) }
}

/**
 * Shows the totals of a period. If no payment is held, omits the total of held payments. If no payment is reversed, omits the
 * total of reversed payments.
 */
export function Totals({ overview }: { overview: Overview }) {
  const t = useTexts(homeTexts)
  const { collections, withdrawals, success_rate, fees, currency } = overview
  const days = daysOf(overview)
  const count = (
    name: string,
    list: string,
    status: string,
    total: { count: number; amount: string },
    kind = t.payments,
  ) => (
    <Total key={status} name={name} to={list} search={{ status, ...days }} count_text={kind(showCount(total.count))}>
      <Amount value={total.amount} currency={currency} />
    </Total>
  )
  const seldom = [
    { name: t.in_review, status: 'pending_clearance', total: collections.held },
    { name: t.reversed, status: 'reversed', total: collections.reversed },
  ].filter(({ total }) => total.count > 0)
  return (
    <dl className="totals">
      {count(t.received, 'collections', 'successful', collections.successful)}
      {count(t.failed, 'collections', 'failed', collections.failed)}
      {count(t.pending, 'collections', 'processing', collections.pending)}
      {seldom.map(({ name, status, total }) => count(name, 'collections', status, total))}
      <Total name={t.success_rate} count_text={success_rate === null ? t.no_rate : t.success_rate_means}>
        {success_rate === null ? '–' : `${success_rate} %`}
      </Total>
      <Total name={t.fees} count_text={t.fees_means}>
        <Amount value={fees} currency={currency} />
      </Total>
      {count(t.paid_out, 'withdrawals', 'SUCCESS', withdrawals.success, t.withdrawals)}
    </dl>
  )
}

/** Shows the names of the totals with a grey place for each figure, which has the size of the figure. */
export function TotalsLoading() {
  const t = useTexts(homeTexts)
  const place = <Skeleton className="figure-loading" animate={false} />
  const total = (name: string, count_text: string) => (
    <Total key={name} name={name} count_text={count_text}>
      {place}
    </Total>
  )
  const counted = (name: string) => total(name, '\u00a0')
  return (
    <>
      <LoadingStatus of={t.numbers} />
      <dl className="totals">
        {[t.received, t.failed, t.pending].map(counted)}
        {total(t.success_rate, t.success_rate_means)}
        {total(t.fees, t.fees_means)}
        {counted(t.paid_out)}
      </dl>
    </>
  )
}

function Total({
  name,
  to,
  search = {},
  count_text,
  children,
}: {
  name: string
  to?: string
  search?: Record<string, string>
  count_text: string
  children: ReactNode
}) {
  const t = useTexts(homeTexts)
  const at = useEnvironmentPath()
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong className="figure">{children}</strong>
        {to === undefined ? (
          <span className="beside">{count_text}</span>
        ) : (
          <PageLink to={at(to)} search={search} className="beside" aria-label={`${count_text}. ${t.see(name)}`}>
            {count_text}
          </PageLink>
        )}
      </dd>
    </div>
  )
}
