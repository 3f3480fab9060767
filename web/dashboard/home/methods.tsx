// Shows the received amount and the success rate of each method and network, each as a bar.

import { Title } from '@mantine/core'
import { useTexts } from '../../ui/language.ts'
import { type Column, Table } from '../../ui/list.tsx'
import { Amount } from '../../ui/parts.tsx'
import { showCount } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { homeTexts } from './home-texts.ts'
import type { Overview } from './totals.tsx'

type MethodRow = Overview['methods'][number]

/** Shows a table of methods and networks. The longest bar of the amounts is at the method with the greatest amount. */
export function Methods({ overview }: { overview: Overview }) {
  const t = useTexts(homeTexts)
  const words = useWords()
  const { methods, currency } = overview
  const most = Math.max(1, ...methods.map(({ successful }) => Number(successful.amount)))
  const networkOf = (method: string, network: string | null) =>
    network === null ? (method === 'qr' ? '–' : t.other_network) : (t.networks[network] ?? network)
  const columns: Column<MethodRow>[] = [
    { label: t.method, show: ({ method }) => words.method(method) },
    { label: t.network, show: ({ method, network }) => networkOf(method, network) },
    {
      label: t.received,
      show: ({ successful }) => (
        <span className="barred">
          <Amount value={successful.amount} currency={currency} />
          <Bar part={Number(successful.amount) / most} kind="amount" />
        </span>
      ),
    },
    { label: t.count, show: ({ successful }) => showCount(successful.count) },
    { label: t.count_failed, show: ({ failed }) => showCount(failed.count) },
    {
      label: t.success_rate,
      show: ({ success_rate }) => (
        <span className="barred">
          <span>{success_rate === null ? '–' : `${success_rate} %`}</span>
          <Bar part={Number(success_rate ?? 0) / 100} kind="rate" />
        </span>
      ),
    },
  ]
  return (
    <section className="panel" aria-labelledby="methods-title">
      <Title order={2} id="methods-title">
        {t.by_method}
      </Title>
      <Table label={t.by_method} rows={methods} columns={columns} rowKey={(row) => `${row.method} ${row.network}`} />
    </section>
  )
}

function Bar({ part, kind }: { part: number; kind: 'amount' | 'rate' }) {
  return (
    <span className="bar" aria-hidden="true">
      <span className={`bar-${kind}`} style={{ width: `${Math.round(part * 100)}%` }} />
    </span>
  )
}
