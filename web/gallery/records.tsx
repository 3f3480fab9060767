// Shows the parts of the gallery that show records: lists, facts, charts, timelines, problems and deliveries.

import { Group } from '@mantine/core'
import { AttentionList } from '../dashboard/home/attention.tsx'
import { Trend, TrendLoading } from '../dashboard/home/trend.tsx'
import { TimelineView } from '../dashboard/timeline.tsx'
import { DeliveryState } from '../ui/delivery-state.tsx'
import { useTexts } from '../ui/language.ts'
import { type Column, Pages, Table } from '../ui/list.tsx'
import { Amount, Chip, FactList, Mono, Panel, Time, type Tone } from '../ui/parts.tsx'
import { toneOf, useWords } from '../ui/words.ts'
import { DELIVERIES, OVERVIEWS, PROBLEMS, ROWS, TIMELINES } from './examples.ts'
import { galleryTexts } from './gallery-texts.ts'
import type { ShownState } from './shown-states.ts'
import { Clicked, Frame, Pointed, Shown, Specimen } from './specimen.tsx'

const TONES: readonly Tone[] = ['good', 'bad', 'wait', 'warn', 'plain']
/** The time of all examples. */
const TIME = '2026-01-05T09:00:00Z'

/** Shows the records. */
export function RecordSpecimens() {
  return (
    <>
      <StatusSpecimens />
      <ListSpecimens />
      <ChartSpecimens />
      <TimelineSpecimens />
      {[false, true].map((folds) => (
        <Specimen key={String(folds)} name={folds ? 'problems, folded' : 'problems, open'}>
          <AttentionList items={PROBLEMS} folds={folds} />
        </Specimen>
      ))}
    </>
  )
}

function StatusSpecimens() {
  const t = useTexts(galleryTexts)
  const words = useWords()
  return (
    <>
      <Specimen name="statuses">
        <Group gap="xs">
          {TONES.map((tone) => (
            <Chip key={tone} tone={tone}>
              {tone}
            </Chip>
          ))}
        </Group>
      </Specimen>
      <Specimen name="delivery states">
        <Group gap="xs">
          {DELIVERIES.map((one) => (
            <DeliveryState key={JSON.stringify(one)} of={one} />
          ))}
        </Group>
      </Specimen>
      <Specimen name="panel with facts">
        <Panel title={t.about}>
          <FactList
            facts={[
              [t.amount, <Amount key="amount" value="25000" />],
              [
                t.status,
                <Chip key="status" tone="good">
                  {words.collection('successful')}
                </Chip>,
              ],
              [t.created, <Time key="time" time={TIME} />],
              [t.payment_id, <Mono key="id">01a21f5b-f687-86ed-be07-c4a82589a80e</Mono>, 'wide'],
            ]}
          />
        </Panel>
      </Specimen>
    </>
  )
}

type ExampleRow = (typeof ROWS)[number]

/** Shows the list of the examples. With `selects`, the user can select rows. */
function ExampleList({ selects = false }: { selects?: boolean }) {
  const t = useTexts(galleryTexts)
  const words = useWords()
  const columns: readonly Column<ExampleRow>[] = [
    { label: t.time, show: () => <Time time={TIME} /> },
    { label: t.amount, show: ({ amount }) => <Amount value={amount} />, right: true },
    { label: t.status, show: ({ status }) => <Chip tone={toneOf(status)}>{words.collection(status)}</Chip> },
    { label: t.reference, show: ({ reference }) => reference ?? '–' },
  ]
  const bulk = {
    label: t.resend,
    can: ({ id }: ExampleRow) => id !== '3',
    select: () => t.select,
    run: () => Promise.resolve([]),
  }
  return (
    <Table
      label={t.payments}
      rows={ROWS}
      rowKey={({ id }) => id}
      href={({ id }) => `payments/${id}`}
      columns={columns}
      {...(selects ? { bulk, chosen: ['1'], choose: () => {} } : {})}
    />
  )
}

const ROW_STATES: readonly (readonly [ShownState, string])[] = [
  ['hover', 'tbody tr:nth-child(2)'],
  ['focus', 'tbody tr:nth-child(2) a'],
  ['pressed', 'tbody tr:nth-child(2)'],
]

function ListSpecimens() {
  return (
    <>
      <Specimen name="list">
        <ExampleList />
      </Specimen>
      {ROW_STATES.map(([state, of]) => (
        <Specimen key={state} name={`list, ${state} on the second row`}>
          <Shown state={state} of={of}>
            <ExampleList />
          </Shown>
        </Specimen>
      ))}
      <Specimen name="list, first row selected">
        <ExampleList selects />
      </Specimen>
      <Specimen name="list, compact">
        <Frame name="list, compact" part=".list" density="compact">
          <main>
            <ExampleList />
          </main>
        </Frame>
      </Specimen>
      {(['first', 'middle', 'last'] as const).map((name, i) => (
        <Specimen key={name} name={`pager, ${name} page`}>
          <Pages page={[1, 12, 63][i] ?? 1} total_pages={63} total_items={1_247} set={() => {}} />
        </Specimen>
      ))}
    </>
  )
}

function ChartSpecimens() {
  return (
    <>
      <Specimen name="chart">
        <Trend overview={OVERVIEWS.week} />
      </Specimen>
      <Specimen name="chart, pointer on a point">
        <Pointed press="End">
          <Trend overview={OVERVIEWS.week} />
        </Pointed>
      </Specimen>
      <Specimen name="chart, one day">
        <Trend overview={OVERVIEWS.one_day} />
      </Specimen>
      <Specimen name="chart, payments on one of seven days">
        <Trend overview={OVERVIEWS.one_of_week} />
      </Specimen>
      <Specimen name="chart, empty">
        <Trend overview={OVERVIEWS.empty} />
      </Specimen>
      <Specimen name="chart, loading">
        <TrendLoading />
      </Specimen>
    </>
  )
}

function TimelineSpecimens() {
  const retry = () => {}
  return (
    <>
      <Specimen name="timeline, technical steps folded">
        <TimelineView kind="collection" data={TIMELINES.paid} error={null} retry={retry} />
      </Specimen>
      <Specimen name="timeline, all steps">
        <Clicked of="button">
          <TimelineView kind="collection" data={TIMELINES.paid} error={null} retry={retry} />
        </Clicked>
      </Specimen>
      <Specimen name="timeline, failure">
        <TimelineView kind="collection" data={TIMELINES.failed} error={null} retry={retry} />
      </Specimen>
      <Specimen name="timeline, nothing yet">
        <TimelineView kind="collection" data={TIMELINES.none} error={null} retry={retry} />
      </Specimen>
      <Specimen name="timeline, loading">
        <TimelineView kind="collection" data={undefined} error={null} retry={retry} />
      </Specimen>
    </>
  )
}
