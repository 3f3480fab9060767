// Shows the parts of the gallery that cover a whole window: the frame with its menu, the search and the dialogs.

import { Button, Group, Text } from '@mantine/core'
import { BusinessChoice, EnvironmentSwitch } from '../dashboard/frame.tsx'
import { frameTexts } from '../dashboard/frame-texts.ts'
import { Refused } from '../ui/api.ts'
import { ConfirmView, confirmTexts } from '../ui/confirm.tsx'
import { useTexts } from '../ui/language.ts'
import { Dialog } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'
import { SearchBox } from '../ui/search.tsx'
import { type FoundGroup, SearchView } from '../ui/search-dialog.tsx'
import { type MenuItem, placesOfMenu, ShellView } from '../ui/shell.tsx'
import { HITS, MEMBERSHIPS } from './examples.ts'
import { galleryTexts } from './gallery-texts.ts'
import { Frame, Specimen } from './specimen.tsx'

const nothing = () => {}
const FAILED = new Refused(500, null, new Headers({ 'x-request-id': 'req_7f3a' }))

/** Shows the windows. */
export function FrameSpecimens() {
  return (
    <>
      <ShellSpecimen name="navigation, closed on a phone" opened={false} online />
      <ShellSpecimen name="navigation, open" opened online />
      <ShellSpecimen name="navigation, offline" opened={false} online={false} />
      <SearchSpecimen name="search, empty" typed="" />
      <SearchSpecimen name="search, results" typed="1042" found={HITS} />
      <SearchSpecimen name="search, no result" typed="ORDER-9" />
      <SearchSpecimen name="search, error" typed="1042" error={FAILED} />
      <DialogSpecimens />
    </>
  )
}

/** Returns the menu of the dashboard with waiting records. The gallery is at the path of its first line. */
function useExampleMenu(): readonly MenuItem[] {
  const t = useTexts(frameTexts)
  return [
    { to: '', label: t.home, icon: 'home' },
    { heading: t.collect },
    { to: 'collections', label: t.collections, icon: 'collect', count: 2 },
    { to: 'links', label: t.links, icon: 'link' },
    { to: 'invoices', label: t.invoices, icon: 'invoice' },
    { heading: t.money },
    { to: 'withdrawals', label: t.withdrawals, icon: 'payout', count: 128 },
    { to: 'transactions', label: t.transactions, icon: 'transactions' },
    { heading: t.develop },
    { to: 'webhooks', label: t.webhooks, icon: 'webhook', count: 0 },
  ]
}

function ShellSpecimen({ name, opened, online }: { name: string; opened: boolean; online: boolean }) {
  const t = useTexts(galleryTexts)
  const parts = useTexts(partsTexts)
  const menu = useExampleMenu()
  const [membership] = MEMBERSHIPS
  if (membership === undefined) return null
  return (
    <Specimen name={name}>
      <Frame name={name} height={640} part={opened ? 'nav' : 'header'}>
        <ShellView
          menu={menu}
          strip={{ kind: 'sandbox', text: `${parts.sandbox_strip} · ${membership.name}` }}
          place={
            <BusinessChoice
              memberships={MEMBERSHIPS}
              membership={membership}
              troubled={MEMBERSHIPS.slice(1)}
              change={async () => {}}
            />
          }
          search={<SearchBox call="GET /v1/search" places={[]} pageOf={() => ''} />}
          header={<EnvironmentSwitch environment="sandbox" change={nothing} />}
          who="asha@example.com"
          opened={opened}
          toggle={nothing}
          online={online}
          path="/"
        >
          <div className="content">
            <Text>{t.page}</Text>
          </div>
        </ShellView>
      </Frame>
    </Specimen>
  )
}

function SearchSpecimen({
  name,
  typed,
  found = [],
  error = null,
}: {
  name: string
  typed: string
  found?: readonly FoundGroup[]
  error?: unknown
}) {
  const t = useTexts(galleryTexts)
  const menu = useExampleMenu()
  const parts = useTexts(partsTexts)
  const [here, other] = MEMBERSHIPS.map(({ name: business }) => `${business}, ${parts.environment_sandbox}`)
  const acts = [
    { to: 'links/new', label: t.create, icon: 'plus', is_act: true },
    { to: 'invoices/new', label: t.create_invoice, icon: 'plus', is_act: true },
  ] as const
  return (
    <Specimen name={name}>
      <Frame name={name} height={560} part=".search-dialog">
        <SearchView
          places={[...acts, ...placesOfMenu(menu)]}
          pageOf={() => ''}
          listsOf={({ kind }) => (kind === 'payment' ? [{ to: 'collections', label: t.see_all, icon: 'collect' }] : [])}
          scope={{ name: here ?? '', others: [{ id: '1', name: other ?? '', choose: nothing }] }}
          onClose={nothing}
          typed={typed}
          setTyped={nothing}
          answer={{ found, asks: typed !== '', is_stale: false, is_reading: false, error, retry: nothing }}
        />
      </Frame>
    </Specimen>
  )
}

type ConfirmState = Partial<Parameters<typeof ConfirmView>[0]>

const CONFIRMATIONS: readonly (readonly [string, ConfirmState])[] = [
  ['confirmation, code or passkey', { passkey: true }],
  ['confirmation, wrong code', { text: '123456', wrong: true }],
  ['confirmation, password, busy', { field: 'password', text: 'secret', sending: true }],
  ['confirmation, error', { field: 'password', text: 'secret', error: FAILED }],
  ['confirmation, new sign-in', { field: 'sign_in' }],
]

function DialogSpecimens() {
  const t = useTexts(galleryTexts)
  const { title } = useTexts(confirmTexts)
  return (
    <>
      <Specimen name="dialog">
        <Frame name="dialog" height={320} part=".dialog">
          <Dialog open onClose={nothing} title={t.cancel_title}>
            <Text>{t.cancel_text}</Text>
            <Group>
              <Button color="red">{t.cancel_yes}</Button>
              <Button variant="default">{t.cancel_no}</Button>
            </Group>
          </Dialog>
        </Frame>
      </Specimen>
      {CONFIRMATIONS.map(([name, state]) => (
        <Specimen key={name} name={name}>
          <Frame name={name} height={560} part=".dialog">
            <Dialog open onClose={nothing} title={title}>
              <ConfirmView
                {...{ field: 'code', passkey: false, text: '', wrong: false, error: null, sending: false }}
                {...state}
                setText={nothing}
                send={nothing}
                close={nothing}
              />
            </Dialog>
          </Frame>
        </Specimen>
      ))}
    </>
  )
}
