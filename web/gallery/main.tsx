// Shows the basic components of the consoles in their states, for developers who change the look of the consoles. The texts
// are examples.

import '../ui/choices.css'
import '../ui/ui.css'
import '../dashboard/pages.css'
import './gallery.css'
import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  MantineProvider,
  NativeSelect,
  Radio,
  SegmentedControl,
  Stack,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { NoAnswer } from '../ui/api.ts'
import { createQueries } from '../ui/data.ts'
import { applyDensity } from '../ui/density.ts'
import { ICON_NAMES, Icon, Logo } from '../ui/icons.tsx'
import { LanguageContext } from '../ui/language.ts'
import { Table } from '../ui/list.tsx'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { Amount, Chip, CopyButton, EmptyState, FactList, Mono, PageLink, Panel, Time, type Tone } from '../ui/parts.tsx'
import { Problem } from '../ui/problem.tsx'
import { Initial } from '../ui/shell.tsx'
import { cssVariables, theme } from '../ui/theme.ts'
import { ToastBox } from '../ui/toast.tsx'

const TONES: readonly Tone[] = ['good', 'bad', 'wait', 'warn', 'plain']
const ROWS = [
  { id: '1', amount: '25000', tone: 'good', status: 'Successful', reference: 'ORDER-1042' },
  { id: '2', amount: '1250000', tone: 'warn', status: 'Under review', reference: 'ORDER-1041' },
  { id: '3', amount: '900', tone: 'bad', status: 'Failed', reference: null },
] as const

/** Shows one component of the gallery. The test of the gallery finds the component by its name. */
function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="specimen" data-specimen={name} aria-label={name}>
      <p className="specimen-name">{name}</p>
      <div className="specimen-body">{children}</div>
    </section>
  )
}

function ButtonSpecimens() {
  return (
    <>
      <Specimen name="buttons">
        <Group gap="sm">
          <Button>Create a link</Button>
          <Button leftSection={<Icon name="plus" size={16} />}>With an icon</Button>
          <Button variant="default">Second</Button>
          <Button variant="subtle">Quiet</Button>
          <Button color="red">Cancel the link</Button>
        </Group>
      </Specimen>
      <Specimen name="file upload">
        <Group gap="sm">
          <FileButton accept="image/png" onChange={() => {}}>
            {(props) => <Button {...props}>Choose a picture</Button>}
          </FileButton>
          <Button variant="default">Remove the logo</Button>
        </Group>
      </Specimen>
      <Specimen name="buttons, small and busy">
        <Group gap="sm">
          <Button size="xs">Small</Button>
          <Button size="xs" variant="default">
            Small
          </Button>
          <Button disabled>Disabled</Button>
          <Button loading>Sending</Button>
          <CopyButton text="ORDER-1042" />
        </Group>
      </Specimen>
    </>
  )
}

function FieldSpecimens() {
  return (
    <>
      <Specimen name="fields">
        <Stack gap="md">
          <TextInput label="Amount" description="In shillings, such as 25,000." defaultValue="25000" />
          <TextInput label="Phone" error="Write a phone number such as 0754 123 456." defaultValue="07541" />
          <TextInput label="Reference" disabled defaultValue="ORDER-1042" />
          <NativeSelect label="Status" data={['All', 'Successful', 'Failed']} />
          <Textarea label="Reason" defaultValue="The receipt was shown." />
        </Stack>
      </Specimen>
      <Specimen name="choices">
        <Stack gap="md">
          <Checkbox label="A payment succeeded" description="collection.success" defaultChecked />
          <Checkbox label="A payment failed" description="collection.failed" />
          <Radio.Group label="Where should the money go?" defaultValue="phone">
            <Stack gap="xs" mt="xs">
              <Radio value="phone" label="A phone number" />
              <Radio value="bank" label="A bank account" />
            </Stack>
          </Radio.Group>
          <SegmentedControl data={['Today', '7 days', '30 days']} aria-label="Period" />
        </Stack>
      </Specimen>
    </>
  )
}

function RecordSpecimens() {
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
      <Specimen name="panel with facts">
        <Panel title="About the payment">
          <FactList
            facts={[
              ['Amount', <Amount key="amount" value="25000" />],
              [
                'Status',
                <Chip key="status" tone="good">
                  {'Successful'}
                </Chip>,
              ],
              ['Created', <Time key="time" time="2026-01-05T09:00:00Z" />],
              ['Payment id', <Mono key="id">01a21f5b-f687-86ed-be07-c4a82589a80e</Mono>, 'wide'],
            ]}
          />
        </Panel>
      </Specimen>
      <Specimen name="list">
        <Table
          label="Payments"
          rows={ROWS}
          rowKey={({ id }) => id}
          href={({ id }) => `payments/${id}`}
          columns={[
            { label: 'Time', show: () => <Time time="2026-01-05T09:00:00Z" /> },
            { label: 'Amount', show: ({ amount }) => <Amount value={amount} />, right: true },
            { label: 'Status', show: ({ tone, status }) => <Chip tone={tone}>{status}</Chip> },
            { label: 'Reference', show: ({ reference }) => reference ?? '–' },
          ]}
        />
      </Specimen>
      <Specimen name="link">
        <PageLink to="payments">See all payments</PageLink>
      </Specimen>
    </>
  )
}

function StateSpecimens() {
  return (
    <>
      <Specimen name="empty, nothing yet">
        <EmptyState title="No invoices yet" action={<Button>Create an invoice</Button>}>
          An invoice begins as a draft.
        </EmptyState>
      </Specimen>
      <Specimen name="empty, work done">
        <EmptyState title="The queue is empty" done>
          New work appears here automatically.
        </EmptyState>
      </Specimen>
      <Specimen name="loading">
        <LoadingRows />
      </Specimen>
      <Specimen name="lost network">
        <Problem error={new NoAnswer()} retry={() => {}} />
      </Specimen>
      <Specimen name="messages">
        <Stack gap="sm">
          <ToastBox text="The link is created." />
          <ToastBox text="3 of 8 arrived." kind="running" />
          <ToastBox text="7 of 8 arrived. Your server did not accept 1." kind="warning" />
          <Alert color="yellow" variant="light" title="Check number and name">
            Once the money is sent, this system cannot take it back.
          </Alert>
          <Alert color="blue" variant="light">
            The key of this page works in the sandbox only.
          </Alert>
        </Stack>
      </Specimen>
      <Specimen name="dialog">
        <div className="dialog">
          <Stack gap="md" className="dialog-body">
            <Title order={2}>Cancel this link?</Title>
            <p className="specimen-text">The customer can then no longer pay it.</p>
            <Group>
              <Button color="red">Yes, cancel the link</Button>
              <Button variant="default">No, keep it</Button>
            </Group>
          </Stack>
        </div>
      </Specimen>
    </>
  )
}

function Gallery() {
  return (
    <main className="gallery">
      <Group gap="sm">
        <Logo size={40} />
        <Title order={1}>Gallery</Title>
      </Group>
      <Specimen name="icons">
        <div className="icons">
          {ICON_NAMES.map((name) => (
            <Icon key={name} name={name} size={22} />
          ))}
        </div>
      </Specimen>
      <Specimen name="people and businesses">
        <Group gap="sm">
          <Initial name="asha@example.com" />
          <Initial name="Duka la Asha" square />
        </Group>
      </Specimen>
      <Specimen name="strips">
        <div className="strips">
          {(['sandbox', 'live', 'operator', 'offline'] as const).map((kind) => (
            <div key={kind} className={`strip strip-${kind}`}>
              <Icon name="flask" size={16} />
              <span>{kind}</span>
            </div>
          ))}
        </div>
      </Specimen>
      <ButtonSpecimens />
      <FieldSpecimens />
      <RecordSpecimens />
      <StateSpecimens />
    </main>
  )
}

applyDensity(new URLSearchParams(location.search).get('density') === 'compact' ? 'compact' : 'comfortable')
const scheme = new URLSearchParams(location.search).get('scheme') === 'dark' ? 'dark' : 'light'
const router = createRouter({
  routeTree: createRootRoute({ component: Gallery, notFoundComponent: Gallery }),
  history: createMemoryHistory({ initialEntries: ['/'] }),
})
createRoot(document.getElementById('root') as HTMLElement).render(
  <MantineProvider theme={theme} cssVariablesResolver={cssVariables} forceColorScheme={scheme}>
    <LanguageContext value={{ language: 'en', choose() {} }}>
      <QueryClientProvider client={createQueries()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </LanguageContext>
  </MantineProvider>,
)
