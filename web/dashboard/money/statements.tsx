// Shows the merchant's statement of a day or a month: opening balance, a line for each type and direction of transactions, and
// closing balance. The member can print the statement or save it as CSV.

import { Button, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { download } from '../../ui/api.ts'
import type { Calls } from '../../ui/api-types.ts'
import { useRead, useScope, withScope } from '../../ui/data.ts'
import { DayField } from '../../ui/day-field.tsx'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Page, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { dayOf, showCount, showDate } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { monthsBack, showMonth } from './months.ts'
import { statementTexts } from './statement-texts.ts'
import { useKinds } from './transaction-words.ts'

type BalanceStatement = Calls['GET /v1/merchants/{merchant_id}/statements/{period}']['data']

/**
 * Shows the statement of the period in the address, such as 2026-11 or 2026-11-22. Without a period, shows this month.
 */
export function BalanceStatements() {
  const t = useTexts(statementTexts)
  const { membership } = useMerchantAccess()
  const today = dayOf(new Date())
  const { period = today.slice(0, 7) } = useSearch({ strict: false }) as { period?: string }
  const params = { merchant_id: membership.merchant_id, period }
  const read = useRead('GET /v1/merchants/{merchant_id}/statements/{period}', { params }, { keep: true })
  return (
    <Page title={t.title} lead={t.lead} actions={read.data ? <Keep params={params} /> : null}>
      <Chooser {...{ period, today }} />
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.data === undefined ? read.error ? null : <LoadingRows /> : <Sheet statement={read.data} />}
    </Page>
  )
}

function Chooser({ period, today }: { period: string; today: string }) {
  const t = useTexts(statementTexts)
  const language = useLanguage()
  const navigate = useNavigate()
  const choose = (next: string) => void navigate({ to: '.', search: { period: next } as never, replace: true })
  const by_day = period.length > 7
  const month = period.slice(0, 7)
  const months = monthsBack(today, 36)
  return (
    <Group gap="sm" align="flex-end" className="no-print">
      <SegmentedControl
        aria-label={t.kind}
        value={by_day ? 'day' : 'month'}
        onChange={(kind) => choose(kind === 'month' ? month : month === today.slice(0, 7) ? today : `${month}-01`)}
        data={[
          { value: 'month', label: t.month },
          { value: 'day', label: t.day },
        ]}
      />
      {by_day ? (
        <StatementDay period={period} max={today} choose={choose} />
      ) : (
        <NativeSelect
          label={t.month}
          value={month}
          data={(months.includes(month) ? months : [month, ...months]).map((value) => ({
            value,
            label: showMonth(value, language),
          }))}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
    </Group>
  )
}

/** Shows the field for the day. While the user still types the year, the page keeps the statement of the last whole day. */
function StatementDay({ period, max, choose }: { period: string; max: string; choose: (period: string) => void }) {
  const t = useTexts(statementTexts)
  const [typed, setTyped] = useState(period)
  return (
    <DayField
      label={t.day}
      max={max}
      value={typed}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        if (/^2\d{3}-\d{2}-\d{2}$/.test(value)) choose(value)
      }}
    />
  )
}

function Keep({ params }: { params: { merchant_id: string; period: string } }) {
  const t = useTexts(statementTexts)
  const scope = useScope()
  const [error, setError] = useState<unknown>(null)
  const csv = async () => {
    setError(null)
    const input = withScope(scope, { params, query: { format: 'csv' } })
    await download(
      'GET /v1/merchants/{merchant_id}/statements/{period}',
      input,
      `statement-${params.period}.csv`,
    ).catch(setError)
  }
  return (
    <Stack gap={4} maw="22rem">
      <Group gap="xs">
        <Button variant="default" onClick={() => print()}>
          {t.print}
        </Button>
        <Button variant="default" onClick={() => void csv()}>
          {t.csv}
        </Button>
      </Group>
      <Problem error={error} retry={() => void csv()} />
    </Stack>
  )
}

function Sheet({ statement }: { statement: BalanceStatement }) {
  const t = useTexts(statementTexts)
  const words = useWords()
  const language = useLanguage()
  const kinds = useKinds()
  const at = useEnvironmentPath()
  const { membership } = useMerchantAccess()
  const { period, currency, opening_balance, closing_balance } = statement
  const money = (value: string) => <Amount value={value} currency={currency} />
  const name = period.length > 7 ? showDate(period, language) : showMonth(period, language)
  const first = dayOf(new Date(statement.from))
  // The end of the statement is the start of the next period, so the last day is one millisecond earlier.
  const last = dayOf(new Date(Date.parse(statement.to) - 1))
  return (
    <section className="panel statement" aria-label={name}>
      <Stack gap="md">
        <div>
          <Text fw={700} component="h2" fz="h2">
            {membership.name}
          </Text>
          <Text>
            {t.of} {name} · {words.environment(statement.environment)}
          </Text>
          <Text size="sm" c="dimmed">
            {period.length > 7 ? t.whole_day : `${showDate(first, language)} – ${showDate(last, language)} (EAT)`}
          </Text>
        </div>
        {statement.final ? null : <Text role="note">{t.not_final}</Text>}
        <table className="sums">
          <tbody>
            <tr>
              <th scope="row">{t.opening}</th>
              <td>{money(opening_balance)}</td>
            </tr>
          </tbody>
        </table>
        <Table
          label={t.lines}
          rows={statement.lines}
          rowKey={(line) => `${line.type} ${line.direction}`}
          columns={[
            {
              label: t.type,
              show: (line) => `${kinds.word(line.type)}${line.type === 'ADJUSTMENT' ? t.side[line.direction] : ''}`,
            },
            { label: t.count, show: (line) => showCount(line.count), right: true },
            { label: t.amount, show: (line) => money(line.amount), right: true },
            { label: t.fee, show: (line) => money(line.fee), right: true },
            { label: t.net, show: (line) => money(line.net), right: true },
          ]}
        />
        <table className="sums">
          <tbody>
            <tr>
              <th scope="row">
                <strong>{t.closing}</strong>
              </th>
              <td>
                <strong>{money(closing_balance)}</strong>
              </td>
            </tr>
          </tbody>
        </table>
        <Text size="sm">{t.sum}</Text>
        <span className="no-print">
          <PageLink to={at('transactions')} search={{ from: first, to: last }}>
            {t.each}
          </PageLink>
        </span>
      </Stack>
    </section>
  )
}
