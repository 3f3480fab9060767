// Shows reconciliation: the state of each provider, the cases, and the imported statements.

import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, type ListFilter, useListQuery } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Chip, Dialog, EmptyState, FactList, Mono, Page, PageLink, Reference, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showCount } from '../../ui/show.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { useProviderName } from '../provider-names.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { reconciliationTexts } from './reconciliation-texts.ts'
import { ProviderStatements } from './statements.tsx'

type Summary = Calls['GET /v1/operator/reconciliation']['data']
type CaseRow = Calls['GET /v1/operator/reconciliation/exceptions']['data']['items'][number]

/**
 * Shows the state of each provider, the cases, and the statements. While the page is open, it reads them again every few
 * seconds.
 */
export function Reconciliation() {
  const t = useTexts(reconciliationTexts)
  const read = useRead('GET /v1/operator/reconciliation', {}, { live: true })
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {read.data ? <ProviderSummary {...read.data} /> : null}
      <Cases
        providers={read.data?.providers.map(({ provider }) => provider) ?? []}
        nothingCompared={read.data?.providers.every(({ stated_until }) => stated_until === null) ?? false}
      />
      <ProviderStatements />
    </Page>
  )
}

function ProviderSummary({ providers, float }: Summary) {
  const t = useTexts(reconciliationTexts)
  const providerName = useProviderName()
  return (
    <section className="panel">
      <Title order={2}>{t.summary}</Title>
      <Stack gap="md">
        {providers.length === 0 ? <Text>{t.nothing}</Text> : null}
        {providers.map((one) => (
          <div key={one.provider}>
            <Title order={3}>{providerName(one.provider)}</Title>
            {one.stated_until === null ? <Text>{t.nothing}</Text> : null}
            <FactList
              facts={[
                one.stated_until === null ? null : [t.until, <Time key="until" time={one.stated_until} />],
                one.stated_until === null ? null : [t.lines, t.lines_of(showCount(one.matched), showCount(one.lines))],
                [t.open, showCount(one.open_cases)],
                one.stated_until === null
                  ? null
                  : [t.unexplained, <Amount key="unexplained" value={one.unexplained} />],
                one.holes.length === 0
                  ? null
                  : [
                      t.holes,
                      one.holes.map(({ from, to }) => (
                        <div key={from}>
                          <Time time={from} /> – <Time time={to} />
                        </div>
                      )),
                    ],
              ]}
            />
          </div>
        ))}
        <div>
          <Title order={3}>{t.float}</Title>
          <FactList
            facts={[
              [t.books, <Amount key="books" value={float.books} currency={float.currency} />],
              ...float.providers.map(
                ({ provider, balance }) =>
                  [
                    t.provider_reports(providerName(provider)),
                    balance === null ? t.unknown : <Amount key={provider} value={balance} currency={float.currency} />,
                  ] as const,
              ),
              float.difference === null
                ? null
                : [t.difference, <Amount key="difference" value={float.difference} currency={float.currency} />],
            ]}
          />
        </div>
      </Stack>
    </section>
  )
}

/** Shows the cases. If the server has compared no statement, `nothingCompared` is true, and the empty list says so. */
function Cases({ providers, nothingCompared }: { providers: readonly string[]; nothingCompared: boolean }) {
  const t = useTexts(reconciliationTexts)
  const providerName = useProviderName()
  const ask = useAction('POST /v1/operator/reconciliation/exceptions/{id}/ask')
  const [ending, setEnding] = useState<CaseRow | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const filters: ListFilter[] = [
    { name: 'state', label: t.state, kind: 'choice', choices: Object.entries(t.states) },
    { name: 'kind', label: t.kind, kind: 'choice', choices: Object.entries(t.kinds) },
    {
      name: 'provider',
      label: t.provider,
      kind: 'choice',
      choices: providers.map((name) => [name, providerName(name)] as const),
    },
  ]
  const list = useListQuery(filters)
  const read = useRead('GET /v1/operator/reconciliation/exceptions', { query: list.query }, { live: true, keep: true })
  const columns: Column<CaseRow>[] = [
    {
      label: t.kind,
      show: (row) => (
        <div>
          {t.kinds[row.kind] ?? row.kind}
          <Text size="sm" c="dimmed">
            {providerName(row.provider)}, {t.line_kinds[row.line_kind] ?? row.line_kind}
          </Text>
        </div>
      ),
    },
    { label: t.reference, show: (row) => <Reference text={row.reference ?? row.provider_id} /> },
    { label: t.theirs, show: (row) => <Amount value={row.amount_theirs} currency={row.currency} />, right: true },
    {
      label: t.ours,
      show: (row) => (
        <span>
          <Amount value={row.amount_ours} currency={row.currency} /> {row.status_ours}
        </span>
      ),
      right: true,
    },
    { label: t.opened, show: (row) => <Time time={row.opened_at} /> },
    {
      label: t.state,
      show: (row) =>
        row.state === 'open' ? (
          <Group gap="xs" justify="inherit">
            <ForDuty duty="money">
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setNotice(null)
                  void ask.mutateAsync({ params: { id: row.id }, body: {} }).then(
                    () => setNotice(t.queried_again),
                    () => {},
                  )
                }}
              >
                {t.ask}
              </Button>
              <Button size="xs" variant="default" onClick={() => setEnding(row)}>
                {t.end}
              </Button>
            </ForDuty>
            {row.withdrawal_id === null ? null : (
              <PageLink to={`withdrawals/${row.withdrawal_id}`}>{t.to_withdrawal}</PageLink>
            )}
          </Group>
        ) : (
          <div>
            <Chip tone="good">{t.resolutions[row.resolution ?? ''] ?? t.states.resolved}</Chip>
            {row.reason}
          </div>
        ),
    },
  ]
  return (
    <section className="panel">
      <Title order={2}>{t.cases}</Title>
      <Stack gap="sm">
        <Notice text={notice} />
        <Problem error={ask.error} />
        <List
          label={t.cases}
          {...{ read, list, filters, columns }}
          rowKey={(row) => row.id}
          narrowed
          isQueue={({ state, ...others }) => state === 'open' && Object.keys(others).length === 0}
          empty={<EmptyState title={t.no_cases}>{nothingCompared ? t.nothing_compared : t.no_cases_text}</EmptyState>}
        />
      </Stack>
      <Dialog open={ending !== null} onClose={() => setEnding(null)} title={t.end}>
        {ending === null ? null : (
          <CloseCase
            row={ending}
            onClose={() => setEnding(null)}
            onDone={() => {
              setEnding(null)
              setNotice(t.ended)
            }}
          />
        )}
      </Dialog>
    </section>
  )
}

function CloseCase({ row, onClose, onDone }: { row: CaseRow; onClose: () => void; onDone: () => void }) {
  const t = useTexts(reconciliationTexts)
  const act = useAction('POST /v1/operator/reconciliation/exceptions/{id}/resolve')
  const { form, submit, error, sending } = useDraft({
    name: `case.${row.id}`,
    initial: { resolution: 'accepted', reason: '' },
    check: { reason: (value) => (value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ resolution, reason }, once) => {
    const body = { resolution: resolution as 'accepted' | 'written_off' | 'corrected', reason: reason.trim() }
    await act.mutateAsync({ params: { id: row.id }, body, once })
    onDone()
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.end_text}</Text>
      <FactList
        facts={[
          [t.kind, t.kinds[row.kind] ?? row.kind],
          [t.reference, <Mono key="reference">{row.reference ?? row.provider_id ?? '–'}</Mono>],
          [t.difference, showAmount(row.difference, row.currency)],
        ]}
      />
      <NativeSelect
        label={t.resolution}
        data={Object.entries(t.resolutions).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('resolution')}
      />
      <ReasonField
        act="reconciliation.resolve"
        set={(text) => form.setFieldValue('reason', text)}
        rows={2}
        label={t.reason}
        required
        maxLength={500}
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <DialogButtons text={t.end} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
