// Shows the health of the providers: the outcomes of recent payments and payouts, and the circuit breakers of the
// process that answers.

import { NativeSelect, Stack, Text, Title } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { type Environment, useRead } from '../../ui/data.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows, Table, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, FactList, Page, Time, type Tone } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAge, showCount, showDuration, showTime } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'

type Health = Calls['GET /v1/operator/providers/health']['data']['items'][number] & { environment: Environment }
type CircuitRecord = Calls['GET /v1/operator/providers']['data']['providers'][number]['circuits'][number]

const providersTexts = texts({
  sw: {
    title: 'Watoa huduma',
    lead: 'Mafanikio ya malipo na utoaji pesa, na saketi zinazolinda mfumo mtoa huduma anapoanguka.',
    period: 'Kipindi',
    periods: { 1: 'Saa 1', 24: 'Saa 24', 168: 'Siku 7' } as Record<string, string>,
    flow: { collection: 'Malipo', withdrawal: 'Utoaji pesa' } as Record<string, string>,
    health: 'Matokeo',
    provider: 'Mtoa huduma',
    method: 'Njia na mtandao',
    rate: 'Mafanikio',
    counted: 'Yaliyohesabiwa',
    counts: (good: string, bad: string, open: string) => `${good} sawa, ${bad} hapana, ${open} bado`,
    median: 'Muda wa kuthibitisha (kati)',
    last: 'Mafanikio ya mwisho',
    bounded: 'Ya karibuni tu yamehesabiwa.',
    before: 'Saketi',
    before_states: {
      closed: 'Sawa: inaitwa',
      open: (time: string) => `Imekatwa: haiitwi hadi ${time}`,
      due: 'Imekatwa: mwito unaofuata utajaribu',
      half_open: 'Inajaribiwa',
      none: 'Haina saketi',
    },
    before_lead:
      'Saketi ni moja kwa kila mtoa huduma na njia, si kwa kila mtandao: mistari inayotofautiana kwa mtandao tu ina saketi ile ile. Inayoonyeshwa ni ya mchakato unaojibu.',
    nothing: 'Hakuna kilichotumwa katika kipindi hiki',
    circuits: 'Saketi za mchakato unaojibu',
    circuit: { closed: 'Sawa', open: 'Imekatwa: haiitwi', half_open: 'Inajaribiwa' } as Record<string, string>,
    calls: 'Miito',
    calls_of: (calls: string, faults: string) => `${calls}, zenye hitilafu ${faults}`,
    since: 'Tangu',
    serves: 'Inahudumia',
    live: 'Pesa halisi',
    yes: 'Ndiyo',
    no: 'Hapana',
    no_circuits:
      'Mchakato uliojibu haujamwita mtoa huduma huyu tangu uanze. Michakato mingine ina saketi zake; matokeo hapo juu yanatoka kwenye hifadhidata.',
    no_breaker: 'Hana saketi: mfumo wenyewe unaigiza mtoa huduma huyu, kwa hiyo hakatwi kamwe.',
    results: (period: string) => `Matokeo (${period})`,
    none: 'Hakuna',
  },
  en: {
    title: 'Providers',
    lead: 'The outcomes of payments and payouts, and the circuit breakers that protect the system when a provider is down.',
    period: 'Period',
    periods: { 1: '1 hour', 24: '24 hours', 168: '7 days' },
    flow: { collection: 'Payments', withdrawal: 'Payouts' },
    health: 'Outcomes',
    provider: 'Provider',
    method: 'Method and network',
    rate: 'Success',
    counted: 'Counted',
    counts: (good: string, bad: string, open: string) => `${good} good, ${bad} failed, ${open} open`,
    median: 'Time to confirm (median)',
    last: 'Last success',
    bounded: 'Only the newest were counted.',
    before: 'Circuit',
    before_states: {
      closed: 'Closed: called',
      open: (time: string) => `Open: not called until ${time}`,
      due: 'Open: the next call tries it',
      half_open: 'Being tried',
      none: 'No circuit',
    },
    before_lead:
      'There is one circuit for each provider and method, not for each network: lines that differ only in their network share it. The page shows the circuit of the process that answers.',
    nothing: 'Nothing was sent in this period',
    circuits: 'Circuits of the process that answers',
    circuit: { closed: 'Fine', open: 'Open: not called', half_open: 'Being tried' },
    calls: 'Calls',
    calls_of: (calls: string, faults: string) => `${calls}, ${faults} of them faults`,
    since: 'Since',
    serves: 'Serves',
    live: 'Live money',
    yes: 'Yes',
    no: 'No',
    no_circuits:
      'The process that answered has not called this provider since it started. Other processes have circuits of their own; the outcomes above come from the database.',
    no_breaker: 'No circuit: the platform simulates this provider itself, so its circuit never opens.',
    results: (period: string) => `Outcomes (${period})`,
    none: 'None',
  },
})

/** Shows the health of all providers. */
export function Providers() {
  const t = useTexts(providersTexts)
  const words = useWords()
  const list = useListQuery([])
  const hours = list.search.hours ?? '24'
  const [live, sandbox] = [useHealth(hours, 'live'), useHealth(hours, 'sandbox')]
  const error = live.error ?? sandbox.error
  const again = () => void Promise.all([live.refetch(), sandbox.refetch()])
  const items =
    live.data && sandbox.data
      ? [
          ...live.data.items.map((item) => ({ ...item, environment: 'live' as const })),
          ...sandbox.data.items.map((item) => ({ ...item, environment: 'sandbox' as const })),
        ]
      : undefined
  const now = useRead('GET /v1/operator/providers', {}, { live: true })
  return (
    <Page title={t.title} lead={t.lead}>
      <section className="panel">
        <Stack gap="sm">
          <Title order={2}>{t.health}</Title>
          <NativeSelect
            label={t.period}
            maw="14rem"
            data={Object.entries(t.periods).map(([value, label]) => ({ value, label }))}
            value={hours}
            onChange={(event) => list.set({ hours: event.currentTarget.value })}
          />
          <Problem error={error} retry={again} />
          {items === undefined && !error ? <LoadingRows /> : null}
          {items ? <Outcomes items={items} /> : null}
        </Stack>
      </section>
      <section className="panel">
        <Stack gap="md">
          <Title order={2}>{t.circuits}</Title>
          <Problem error={now.error} retry={() => void now.refetch()} />
          {now.data?.providers.map((one) => (
            <div key={one.name}>
              <Title order={3}>{one.name}</Title>
              <FactList
                facts={[
                  [t.live, one.live ? t.yes : t.no],
                  items
                    ? [t.results(t.periods[hours] ?? hours), <Sums key="sums" items={items} provider={one.name} />]
                    : null,
                  [t.serves, [...one.methods, ...one.payout_methods].map(words.method).join(', '), 'wide'],
                ]}
              />
              {one.circuit_breaker ? (
                <Circuits circuits={one.circuits} label={one.name} />
              ) : (
                <Text size="sm">{t.no_breaker}</Text>
              )}
            </div>
          ))}
        </Stack>
      </section>
    </Page>
  )
}

function useHealth(hours: string, environment: Environment) {
  const query = { hours: Number(hours), environment }
  return useRead('GET /v1/operator/providers/health', { query }, { live: true, keep: true })
}

/**
 * Shows the outcomes of all requests to a provider, by environment. The database has the outcomes, so every process shows the
 * same outcomes.
 */
function Sums({ items, provider }: { items: readonly Health[]; provider: string }) {
  const t = useTexts(providersTexts)
  const words = useWords()
  const sums = (['live', 'sandbox'] as const).flatMap((environment) => {
    const own = items.filter((item) => item.provider === provider && item.environment === environment)
    const sum = (key: 'successful' | 'failed' | 'undecided') => own.reduce((all, item) => all + item[key], 0)
    const counts = t.counts(showCount(sum('successful')), showCount(sum('failed')), showCount(sum('undecided')))
    return own.length === 0 ? [] : [`${words.environment(environment)}: ${counts}`]
  })
  return <>{sums.length === 0 ? t.none : sums.join('; ')}</>
}

function toneOfRate(rate: string | null): Tone {
  if (rate === null) return 'plain'
  return Number(rate) >= 90 ? 'good' : Number(rate) >= 70 ? 'warn' : 'bad'
}

function Outcomes({ items }: { items: readonly Health[] }) {
  const t = useTexts(providersTexts)
  const words = useWords()
  const language = useLanguage()
  if (items.length === 0) return <EmptyState title={t.nothing} />
  return (
    <>
      <Table
        label={t.health}
        rows={items}
        rowKey={(row) => `${row.environment} ${row.provider} ${row.flow} ${row.method} ${row.network}`}
        columns={[
          {
            label: t.provider,
            show: (row) => (
              <>
                {row.provider} · {t.flow[row.flow] ?? row.flow}{' '}
                {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
              </>
            ),
          },
          { label: t.method, show: (row) => [words.method(row.method), row.network].filter(Boolean).join(', ') },
          {
            label: t.rate,
            show: (row) => (
              <Chip tone={toneOfRate(row.success_rate)}>
                {row.success_rate === null ? '–' : `${row.success_rate} %`}
              </Chip>
            ),
          },
          {
            label: t.counted,
            show: (row) => t.counts(showCount(row.successful), showCount(row.failed), showCount(row.undecided)),
          },
          {
            label: t.median,
            show: (row) => (row.median_confirm_ms === null ? '–' : showDuration(row.median_confirm_ms)),
          },
          {
            label: t.last,
            show: (row) => (row.last_success_at === null ? '–' : showAge(row.last_success_at, language)),
          },
          { label: t.before, show: (row) => <Before circuit={row.circuit} /> },
        ]}
      />
      <Text size="sm">{t.before_lead}</Text>
      {items.some(({ bounded }) => bounded) ? <Text size="sm">{t.bounded}</Text> : null}
    </>
  )
}

/** Describes the state of a line's circuit in words. */
function Before({ circuit }: { circuit: Health['circuit'] }) {
  const { before_states: t } = useTexts(providersTexts)
  const language = useLanguage()
  if (circuit === null) return <Chip tone="plain">{t.none}</Chip>
  const { state, retry_at } = circuit
  if (state !== 'open') return <Chip tone={toneOfState(state)}>{t[state]}</Chip>
  const waits = retry_at !== null && Date.parse(retry_at) > Date.now()
  // A circuit opens for at most a minute, so the page shows no date.
  const time = waits ? showTime(retry_at, language, true).split(', ').at(-1) : null
  return <Chip tone={toneOfState(state)}>{time ? t.open(time) : t.due}</Chip>
}

const toneOfState = (state: string): Tone => (state === 'closed' ? 'good' : state === 'open' ? 'bad' : 'warn')

function Circuits({ circuits, label }: { circuits: readonly CircuitRecord[]; label: string }) {
  const t = useTexts(providersTexts)
  const words = useWords()
  if (circuits.length === 0) return <Text size="sm">{t.no_circuits}</Text>
  return (
    <Table
      label={`${t.circuits}: ${label}`}
      rows={circuits}
      rowKey={(row) => row.method}
      columns={[
        { label: t.method, show: (row) => words.method(row.method) },
        {
          label: t.rate,
          show: (row) => <Chip tone={toneOfState(row.state)}>{t.circuit[row.state] ?? row.state}</Chip>,
        },
        { label: t.calls, show: (row) => t.calls_of(showCount(row.calls), showCount(row.faults)) },
        { label: t.since, show: (row) => <Time time={row.since} /> },
      ]}
    />
  )
}
