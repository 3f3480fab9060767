// Shows the received amount and the success rate over time, as a chart and as a table of the same numbers.

import { Skeleton, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type Language, useLanguage, useTexts } from '../../ui/language.ts'
import { showAmount, showCount, showDate } from '../../ui/show.ts'
import { homeTexts } from './home-texts.ts'
import { LoadingStatus } from './loading-status.tsx'
import { daysOf, type Overview } from './totals.tsx'

/**
 * Replaces a language of the browser that is no valid tag, such as en_US. The library of the chart formats numbers in this language
 * when it loads, and throws an error for such a tag.
 */
function replaceInvalidLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
  }
}

// If the chart does not load, the page shows an empty area. The member finds the same numbers in the table below.
const Plot = lazy(() => {
  replaceInvalidLanguage()
  return import('./plot.tsx').then(
    (module) => ({ default: module.Plot }),
    () => ({ default: () => <div className="plot" /> }),
  )
})

/**
 * A point of the chart. `rate` is a percentage. Null as `rate` means that no payment of the point is successful or failed.
 */
export type TrendPoint = {
  label: string
  short: string
  amount: string
  count: number
  failed: number
  rate: number | null
}

/** Returns the points of a series. If the period is one day, each point is an hour. Otherwise each point is a day. */
function trendPoints({ series, period }: Overview, language: Language): TrendPoint[] {
  return series.map(({ from, to, successful, failed }) => {
    const answered = successful.count + failed.count
    const day = showDate(daysOf({ from, to }).from, language)
    const hour = new Date(Date.parse(from) + 3 * 3_600_000).toISOString().slice(11, 16)
    return {
      label: period === 'today' ? hour : day,
      short: period === 'today' ? hour : day.replace(/ \d{4}$/, ''),
      amount: successful.amount,
      count: successful.count,
      failed: failed.count,
      rate: answered === 0 ? null : Math.round((successful.count * 1_000) / answered) / 10,
    }
  })
}

function PlotKey() {
  const t = useTexts(homeTexts)
  return (
    <p className="plot-key" aria-hidden="true">
      <span className="key-amount">{t.trend_amount}</span> <span className="key-rate">{t.trend_rate}</span>
    </p>
  )
}

/** Keeps the place of the chart and of the line below it. */
function PlotLoading() {
  const t = useTexts(homeTexts)
  return (
    <>
      <Skeleton className="plot" animate={false} />
      <p className="beside kept-place">{t.point}</p>
    </>
  )
}

/** Shows the legend of the chart with a grey place for the chart. The parts below the chart keep their place. */
export function TrendLoading() {
  const t = useTexts(homeTexts)
  return (
    <>
      <LoadingStatus of={t.trend} />
      <PlotKey />
      <PlotLoading />
      <details className="disclosed kept-place">
        <summary>{t.as_table}</summary>
      </details>
    </>
  )
}

/** Shows the chart with a table of its numbers. If no payment of the period succeeded or failed, shows a sentence instead. */
export function Trend({ overview }: { overview: Overview }) {
  const t = useTexts(homeTexts)
  const language = useLanguage()
  const steps = trendPoints(overview, language)
  const { currency, collections, success_rate } = overview
  const some = steps.some(({ count, failed }) => count + failed > 0)
  const rate = success_rate === null ? '–' : `${success_rate} %`
  return (
    <>
      {some ? null : <Text>{t.trend_none}</Text>}
      {some ? (
        <>
          <PlotKey />
          <Suspense fallback={<PlotLoading />}>
            <Plot
              steps={steps}
              currency={currency}
              label={t.trend_label(showAmount(collections.successful.amount, currency), rate)}
            />
          </Suspense>
          <details className="disclosed">
            <summary>{t.as_table}</summary>
            <table className="small-table">
              <thead>
                <tr>
                  <th scope="col">{t.time}</th>
                  <th scope="col" className="right">
                    {t.amount_in(currency)}
                  </th>
                  <th scope="col" className="right">
                    {t.count}
                  </th>
                  <th scope="col" className="right">
                    {t.count_failed}
                  </th>
                  <th scope="col" className="right">
                    %
                  </th>
                </tr>
              </thead>
              <tbody>
                {steps.map((step) => (
                  <tr key={step.label}>
                    <th scope="row">{step.short}</th>
                    <td className="right">{showAmount(step.amount, '').trim()}</td>
                    <td className="right">{showCount(step.count)}</td>
                    <td className="right">{showCount(step.failed)}</td>
                    <td className="right">{step.rate === null ? '–' : step.rate}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      ) : null}
    </>
  )
}
