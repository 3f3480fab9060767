// Shows the frame of every page: the menu, the environment, and the account.

import {
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useContext, useEffect } from 'react'
import { ConfirmDialog } from './confirm.tsx'
import { facts } from './facts.ts'
import { LanguageContext, useTexts } from './language.ts'
import { hrefOf } from './parts.tsx'
import { partsTexts } from './parts-texts.ts'
import { signOut } from './session.ts'

/** A line of the menu, or a heading above the following lines. */
export type MenuItem = { to: string; label: string; count?: number | undefined } | { heading: string }

/** Shows the frame. `strip` is a coloured line on every page, for example with the environment. */
export function Shell({
  menu,
  strip,
  header,
  who,
  role,
  children,
}: {
  menu: readonly MenuItem[]
  strip: { kind: 'sandbox' | 'live' | 'operator'; text: string }
  /** The switches beside the name of the product. */
  header?: ReactNode
  who: string
  /** The role of the user, if the console has one role for each user. */
  role?: string
  children: ReactNode
}) {
  const t = useTexts(partsTexts)
  const [opened, { toggle, close }] = useDisclosure(false)
  const { online } = useNetwork()
  const path = useRouterState({ select: (state) => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when its reader opens another page
  useEffect(() => close(), [path, close])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
      transitionDuration={0}
      className={`shell shell-${strip.kind}`}
    >
      <a href="#main" className="skip">
        {t.skip}
      </a>
      <AppShell.Header className="no-print">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t.menu}
              aria-expanded={opened}
            />
            <Text fw={700} className="brand" truncate>
              {facts.brand_name}
            </Text>
          </Group>
          {header}
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className="no-print" component="nav" aria-label={t.menu}>
        <AppShell.Section grow component={ScrollArea} type="always" offsetScrollbars="y">
          {menu.map((item) =>
            'heading' in item ? (
              <Text key={item.heading} size="xs" fw={700} c="dimmed" px="sm" pt={10} pb={2}>
                {item.heading}
              </Text>
            ) : (
              <NavLink
                key={item.to}
                renderRoot={(props) => <Link {...props} to={hrefOf(item.to)} activeOptions={{ exact: true }} />}
                label={item.label}
                active={isAt(path, item, menu)}
                aria-current={isAt(path, item, menu) ? 'page' : undefined}
                rightSection={item.count ? <span className="count">{item.count}</span> : null}
              />
            ),
          )}
        </AppShell.Section>
        <AppShell.Section>
          <Stack gap={6} px="xs" pt="xs">
            <Text size="xs" c="dimmed" className="who">
              {who}
            </Text>
            {role === undefined ? null : <Text size="xs">{role}</Text>}
            <Group gap={6} className="who-buttons">
              <LanguageButton />
              <SchemeButton />
              <Button size="xs" variant="default" onClick={() => void signOut()}>
                {t.sign_out}
              </Button>
            </Group>
          </Stack>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <div className={`strip strip-${strip.kind}`}>{strip.text}</div>
        {online ? null : (
          <div className="strip strip-offline" role="status">
            {t.offline}
          </div>
        )}
        <div className="content">{children}</div>
        <ConfirmDialog />
      </AppShell.Main>
    </AppShell>
  )
}

/** Returns true on the page of a menu line, and on pages below that page unless another menu line fits better. */
function isAt(path: string, { to }: { to: string }, menu: readonly MenuItem[]): boolean {
  const href = hrefOf(to)
  const nearer = menu.some((other) => 'to' in other && hrefOf(other.to).startsWith(`${href}/`))
  return path === href || (path.startsWith(`${href}/`) && !nearer)
}

/** Shows a button that switches to the other language. The label is the name of that language. */
export function LanguageButton() {
  const t = useTexts(partsTexts)
  const { language, choose } = useContext(LanguageContext)
  const other = language === 'sw' ? 'en' : 'sw'
  return (
    <Button size="xs" variant="default" lang={other} onClick={() => choose(other)}>
      {t.language}
    </Button>
  )
}

function SchemeButton() {
  const t = useTexts(partsTexts)
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return (
    <Button size="xs" variant="default" onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}>
      {scheme === 'dark' ? t.light : t.dark}
    </Button>
  )
}
