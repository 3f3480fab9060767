// Shows the health of the providers: the outcomes of recent payments and payouts, with real money and sandbox money apart. Also
// shows the calls and circuit breakers of all processes.

import { NativeSelect, Text, Title } from '@mantine/core'
import { agoInSwahili } from '../../ui/ago.ts'
import type { Calls } from '../../ui/api-types.ts'
import { type Environment, useRead } from '../../ui/data.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { Table, useListQuery } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Chip, Page, Time, type Tone } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAge, showCount, showDuration, showTime } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { useDestinationName } from '../operator.ts'
import { useProviderName } from '../provider-names.ts'

type Health = Calls['GET /v1/operator/providers/health']['data']['items'][number]
type ProviderList = Calls['GET /v1/operator/providers']['data']
type CircuitRecord = ProviderList['providers'][number]['circuits'][number]

const providersTexts = texts({
  sw: {
    title: 'Watoa huduma',
    lead: 'Mafanikio ya malipo na utoaji pesa, na ulinzi unaosimamisha maombi mtoa huduma asipofanya kazi.',
    period: 'Kipindi',
    periods: { 1: 'Saa 1', 24: 'Saa 24', 168: 'Siku 7' } as Record<string, string>,
    flow: { collection: 'Malipo', withdrawal: 'Utoaji pesa' } as Record<string, string>,
    health: 'Matokeo',
    health_of: { live: 'Matokeo ya pesa halisi', sandbox: 'Matokeo ya majaribio' },
    provider: 'Mtoa huduma',
    method: 'Njia na mtandao',
    rate: 'Mafanikio',
    counted: 'Yaliyohesabiwa',
    counts: (good: string, bad: string, open: string) => `mafanikio ${good}, kushindwa ${bad}, bado ${open}`,
    median: 'Muda wa kuthibitisha (kati)',
    last: 'Mafanikio ya mwisho',
    last_request: 'Ombi la mwisho',
    ago: (age: string) => `${agoInSwahili(age)}`,
    bounded: 'Kama malipo au utoaji ni mwingi mno, seva imehesabu wa karibuni tu.',
    before: 'Ulinzi',
    before_states: {
      closed: 'Sawa: seva inatuma maombi',
      open: (time: string) => `Umesimamisha maombi hadi ${time}`,
      due: 'Umesimamisha: ombi linalofuata ni la kujaribu',
      half_open: 'Unajaribu ombi moja',
      none: 'Hakuna ulinzi',
    },
    before_lead:
      'Ulinzi ni mmoja kwa kila mtoa huduma na njia, si kwa kila mtandao: mistari inayotofautiana kwa mtandao tu ina ulinzi ule ule. Ukurasa unaonyesha hali mbaya zaidi kati ya michakato yote.',
    nothing: 'Hakuna kilichotumwa katika kipindi hiki.',
    circuits: 'Maombi na ulinzi',
    circuits_lead: (processes: string) =>
      `Jumla ya michakato yote inayofanya kazi na iliyowahi kutuma ombi kwa mtoa huduma: ${processes}. Kila mchakato unahesabu maombi yake tangu ulipoanza.`,
    no_calls:
      'Hakuna mchakato uliotuma ombi kwa mtoa huduma tangu uanze. Matokeo hapo juu yanatoka kwenye hifadhidata.',
    what: 'Ombi',
    queries: { status: 'Hali ya malipo', payout_status: 'Hali ya utoaji pesa', name: 'Jina la mpokeaji' } as Record<
      string,
      string
    >,
    calls: 'Maombi',
    faults: 'Yenye hitilafu',
    slowest: 'Muda wa ombi (kati)',
    last_call: 'Ombi la mwisho',
    open_in: (open: string, all: string) => `Umesimamisha kwenye michakato ${open} kati ya ${all}`,
    setup: 'Nani anahudumia nini',
    serves: 'Inahudumia',
    money: 'Pesa',
    live: 'Pesa halisi',
    sandbox: 'Majaribio',
    unused: 'Haitumiki',
    breaker: 'Ulinzi',
    no_breaker: 'Hakuna: seva yenyewe inaigiza mtoa huduma huyu, kwa hiyo haiachi kamwe kumtumia maombi.',
    has_breaker: 'Ulinzi mmoja kwa kila njia.',
  },
  en: {
    title: 'Providers',
    lead: 'The outcomes of payments and payouts, and the circuit breakers that protect the server when a provider is down.',
    period: 'Period',
    periods: { 1: '1 hour', 24: '24 hours', 168: '7 days' },
    flow: { collection: 'Payments', withdrawal: 'Payouts' },
    health: 'Outcomes',
    health_of: { live: 'Outcomes of real money', sandbox: 'Outcomes in the sandbox' },
    provider: 'Provider',
    method: 'Method and network',
    rate: 'Success',
    counted: 'Counted',
    counts: (good: string, bad: string, open: string) => `${good} good, ${bad} failed, ${open} open`,
    median: 'Time to confirm (median)',
    last: 'Last success',
    last_request: 'Last request',
    ago: (age: string) => `${age} ago`,
    bounded: 'If there were very many payments or payouts, the server counted only the newest.',
    before: 'Circuit',
    before_states: {
      closed: 'Closed: called',
      open: (time: string) => `Open: not called until ${time}`,
      due: 'Open: the next call is a probe',
      half_open: 'Being tried',
      none: 'No circuit',
    },
    before_lead:
      'There is one circuit for each provider and method, not for each network: lines that differ only in their network share the circuit. The page shows the worst circuit of all processes.',
    nothing: 'The server sent nothing in this period.',
    circuits: 'Calls and circuits',
    circuits_lead: (processes: string) =>
      `The sum of all running processes that have called a provider: ${processes}. Each process counts its calls since it started.`,
    no_calls: 'No process has called a provider since it started. The outcomes above come from the database.',
    what: 'Call',
    queries: { status: 'Status of payments', payout_status: 'Status of payouts', name: "Recipient's name" },
    calls: 'Calls',
    faults: 'Faults',
    slowest: 'Time of a call (median)',
    last_call: 'Last call',
    open_in: (open: string, all: string) => `Open in ${open} of ${all} processes`,
    setup: 'Provider of each method',
    serves: 'Serves',
    money: 'Money',
    live: 'Live money',
    sandbox: 'Sandbox',
    unused: 'Not used',
    breaker: 'Protection',
    no_breaker: 'No circuit: the server simulates this provider itself, so it never stops the calls.',
    has_breaker: 'One circuit for each method.',
  },
})

/**
 * Shows the outcomes of a period that the operator chooses, the calls of the providers and their setup. While the page is open,
 * it reads these data again every few seconds.
 */
export function Providers() {
  const t = useTexts(providersTexts)
  const list = useListQuery([])
  const hours = list.search.hours ?? '24'
  const now = useRead('GET /v1/operator/providers', {}, { live: true })
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <NativeSelect
          label={t.period}
          data={Object.entries(t.periods).map(([value, label]) => ({ value, label }))}
          value={hours}
          onChange={(event) => list.set({ hours: event.currentTarget.value })}
        />
      }
    >
      <OutcomesOf environment="live" hours={hours} />
      <OutcomesOf environment="sandbox" hours={hours} />
      <section className="stacked">
        <Title order={2}>{t.circuits}</Title>
        <Problem error={now.error} retry={() => void now.refetch()} />
        {now.data === undefined && !now.error ? <LoadingRows /> : null}
        {now.data ? <ProviderCalls of={now.data} /> : null}
      </section>
      {now.data ? <Setup of={now.data} /> : null}
    </Page>
  )
}

function OutcomesOf({ environment, hours }: { environment: Environment; hours: string }) {
  const t = useTexts(providersTexts)
  const query = { hours: Number(hours), environment }
  const read = useRead('GET /v1/operator/providers/health', { query }, { live: true, keep: true })
  const items = read.data?.items
  return (
    <section className="stacked">
      <Title order={2}>{t.health_of[environment]}</Title>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {items === undefined && !read.error ? <LoadingRows /> : null}
      {items?.length === 0 ? <Text c="dimmed">{t.nothing}</Text> : null}
      {items && items.length > 0 ? (
        <Outcomes items={items} environment={environment} label={t.health_of[environment]} />
      ) : null}
    </section>
  )
}

function toneOfRate(rate: string | null): Tone {
  if (rate === null) return 'plain'
  return Number(rate) >= 90 ? 'good' : Number(rate) >= 70 ? 'warn' : 'bad'
}

function Ago({ time }: { time: string | null }) {
  const t = useTexts(providersTexts)
  const language = useLanguage()
  return time === null ? (
    <>–</>
  ) : (
    <time dateTime={time} title={`${time} (UTC)`}>
      {t.ago(showAge(time, language))}
    </time>
  )
}

function Outcomes({
  items,
  environment,
  label,
}: {
  items: readonly Health[]
  environment: Environment
  label: string
}) {
  const t = useTexts(providersTexts)
  const words = useWords()
  const providerName = useProviderName()
  const nameOf = useDestinationName()
  const circuits = environment === 'live'
  return (
    <>
      <Table
        label={label}
        rows={items}
        rowKey={(row) => `${row.provider} ${row.flow} ${row.method} ${row.network}`}
        columns={[
          {
            label: t.method,
            show: (row) => (
              <div>
                {[words.method(row.method), row.network === null ? null : nameOf(row.network)]
                  .filter(Boolean)
                  .join(', ')}
                <Text size="sm" c="dimmed">
                  {providerName(row.provider)} · {t.flow[row.flow] ?? row.flow}
                </Text>
              </div>
            ),
          },
          {
            label: t.rate,
            show: (row) => (
              <Chip tone={toneOfRate(row.success_rate)}>
                {row.success_rate === null ? '–' : `${row.success_rate}\u00a0%`}
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
            right: true,
          },
          { label: t.last_request, show: (row) => <Ago time={row.last_request_at} /> },
          { label: t.last, show: (row) => <Ago time={row.last_success_at} /> },
          ...(circuits
            ? [
                {
                  label: t.before,
                  show: (row: Health) => (
                    <div className="sentence">
                      <Before circuit={row.circuit} />
                    </div>
                  ),
                },
              ]
            : []),
        ]}
      />
      {circuits ? (
        <Text size="sm" c="dimmed">
          {t.before_lead}
        </Text>
      ) : null}
      {items.some(({ bounded }) => bounded) ? <Text size="sm">{t.bounded}</Text> : null}
    </>
  )
}

/** Shows the state of a circuit in words. If the circuit or its state is null, shows that there is no circuit. */
function Before({ circuit }: { circuit: Pick<CircuitRecord, 'state' | 'retry_at'> | null }) {
  const { before_states: t } = useTexts(providersTexts)
  const language = useLanguage()
  if (circuit === null || circuit.state === null) return <Chip tone="plain">{t.none}</Chip>
  const { state, retry_at } = circuit
  if (state !== 'open') return <Chip tone={toneOfState(state)}>{t[state]}</Chip>
  const waits = retry_at !== null && Date.parse(retry_at) > Date.now()
  // A circuit is open for at most a minute, so the page shows no date.
  const time = waits ? showTime(retry_at, language, true).split(', ').at(-1) : null
  return <Chip tone={toneOfState(state)}>{time ? t.open(time) : t.due}</Chip>
}

const toneOfState = (state: string): Tone => (state === 'closed' ? 'good' : state === 'open' ? 'bad' : 'warn')

/** Shows the calls of each provider and method, added up over all processes. */
function ProviderCalls({ of }: { of: ProviderList }) {
  const t = useTexts(providersTexts)
  const words = useWords()
  const providerName = useProviderName()
  const rows = of.providers.flatMap(({ name, circuits }) => circuits.map((circuit) => ({ ...circuit, provider: name })))
  if (rows.length === 0) return <Text c="dimmed">{t.no_calls}</Text>
  return (
    <>
      <Text c="dimmed">{t.circuits_lead(showCount(of.processes.length))}</Text>
      <Table
        label={t.circuits}
        rows={rows}
        rowKey={(row) => `${row.provider} ${row.method}`}
        columns={[
          {
            label: t.what,
            show: (row) => (
              <div>
                {t.queries[row.method] ?? words.method(row.method)}
                <Text size="sm" c="dimmed">
                  {providerName(row.provider)}
                </Text>
              </div>
            ),
          },
          {
            label: t.before,
            show: (row) => (
              <div>
                <Before circuit={row} />
                {row.open_in > 0 && row.processes > 1 ? (
                  <Text size="sm" c="dimmed">
                    {t.open_in(showCount(row.open_in), showCount(row.processes))}
                  </Text>
                ) : null}
              </div>
            ),
          },
          { label: t.calls, show: (row) => showCount(row.calls), right: true },
          { label: t.faults, show: (row) => showCount(row.faults), right: true },
          {
            label: t.slowest,
            show: (row) => (row.median_ms === null ? '–' : showDuration(row.median_ms)),
            right: true,
          },
          { label: t.last_call, show: (row) => <Time time={row.last_call_at} /> },
        ]}
      />
    </>
  )
}

/** Shows the methods of each provider, and whether the provider moves real money and has a circuit breaker. */
function Setup({ of }: { of: ProviderList }) {
  const t = useTexts(providersTexts)
  const words = useWords()
  const providerName = useProviderName()
  return (
    <section className="stacked">
      <Title order={2}>{t.setup}</Title>
      <Table
        label={t.setup}
        rows={of.providers}
        rowKey={(row) => row.name}
        columns={[
          { label: t.provider, show: (row) => providerName(row.name) },
          {
            label: t.money,
            show: (row) => (
              <Chip tone={row.live ? 'good' : 'plain'}>
                {row.live ? t.live : row.name === 'sandbox' ? t.sandbox : t.unused}
              </Chip>
            ),
          },
          {
            label: t.serves,
            show: (row) => [...row.methods, ...row.payout_methods].map(words.method).join(', '),
            wide: true,
          },
          { label: t.breaker, show: (row) => (row.circuit_breaker ? t.has_breaker : t.no_breaker), wide: true },
        ]}
      />
    </section>
  )
}
