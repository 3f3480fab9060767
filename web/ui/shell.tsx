// Shows the frame of every page: the menu, the environment, and the account.

import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useMediaQuery, useNetwork } from '@mantine/hooks'
import { Link, useRouterState } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useContext, useEffect, useRef, useState } from 'react'
import { ConfirmDialog } from './confirm.tsx'
import { chooseDensity, currentDensity } from './density.ts'
import { facts } from './facts.ts'
import { Icon, type IconName, Logo } from './icons.tsx'
import { LanguageContext, useLanguage, useTexts } from './language.ts'
import { hrefOf, placeOf } from './parts.tsx'
import { partsTexts } from './parts-texts.ts'
import type { SearchPlace } from './search-match.ts'
import { signOut } from './session.ts'
import { Toasts } from './toast.tsx'

/** A line of the menu, or a heading above the following lines. `count` is the number of waiting records. */
export type MenuItem =
  | { to: string; search?: Record<string, string>; label: string; icon: IconName; count?: number | undefined }
  | { heading: string }

/** Returns the pages of a menu as entries for the search. */
export function placesOfMenu(menu: readonly MenuItem[]): SearchPlace[] {
  return menu.flatMap((item) => ('heading' in item ? [] : [{ to: item.to, label: item.label, icon: item.icon }]))
}

/** The line on every page that shows the environment or the console. */
type Strip = { kind: 'sandbox' | 'live' | 'operator'; text: string }

/** On these screens, the menu is closed until its reader opens it, and the open menu covers the page. */
const SMALL_SCREEN = '(max-width: 47.99em)'

const STRIP_ICONS: Record<Strip['kind'], IconName> = { sandbox: 'flask', live: 'lock', operator: 'held' }

/** What the frame shows around a page. */
type ShellParts = {
  menu: readonly MenuItem[]
  strip: Strip
  /** The business that the console shows, or the name of the console, below the name of the product. */
  place?: ReactNode
  /** The search box in the header. Without a value, the header has no search box. */
  search?: ReactNode
  /** The switches at the end of the header, such as the environment. */
  header?: ReactNode
  who: string
  /** The role of the user. The dashboard gives no role, because a user can have another role in each business. */
  role?: string
  children: ReactNode
}

/** Shows the frame around a page: the header, the menu, the line of `strip`, and the toasts. */
export function Shell({ children, ...parts }: ShellParts) {
  const [opened, { toggle, close }] = useDisclosure(false)
  const burger = useRef<HTMLButtonElement>(null)
  const covers = useMediaQuery(SMALL_SCREEN) === true && opened
  useMenuFocus(covers, burger, close)
  useMenuEnd(covers, burger, close)
  const { online } = useNetwork()
  const path = useRouterState({ select: (state) => state.location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when its reader opens another page
  useEffect(() => close(), [path, close])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has its own line of the menu
  useEffect(() => {
    document.querySelector('.menu-lines [aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [path])
  return (
    <ShellView {...parts} {...{ opened, toggle, burger, online, path }}>
      <div className="content">{children}</div>
      <ConfirmDialog />
      <Toasts />
    </ShellView>
  )
}

/** Draws the frame of the page at `path`. `opened` opens the menu of a small screen. */
export function ShellView({
  menu,
  strip,
  place,
  search,
  header,
  who,
  role,
  opened,
  toggle,
  burger,
  online,
  path,
  children,
}: ShellParts & {
  opened: boolean
  toggle: () => void
  burger?: RefObject<HTMLButtonElement | null>
  online: boolean
  path: string
}) {
  const t = useTexts(partsTexts)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 256, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
      transitionDuration={0}
      className={`shell shell-${strip.kind}${opened ? '' : ' shell-closed'}`}
    >
      <a href="#main" className="skip">
        {t.skip}
      </a>
      <AppShell.Header className="no-print">
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="xs" wrap="nowrap" className="header-start">
            <Burger
              ref={burger}
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t.menu}
              aria-expanded={opened}
            />
            <HomeLink menu={menu} logo={26} hiddenFrom="sm" onClick={opened ? toggle : undefined} />
            {search}
          </Group>
          {header}
        </Group>
      </AppShell.Header>
      <AppShell.Navbar id="menu" className="no-print" component="nav" aria-label={t.menu}>
        <AppShell.Section className="menu-top">
          <HomeLink menu={menu} visibleFrom="sm" />
          {place}
        </AppShell.Section>
        <AppShell.Section
          grow
          component={ScrollArea}
          type="auto"
          scrollbarSize={6}
          offsetScrollbars="y"
          className="menu-lines"
        >
          <Menu menu={menu} path={path} />
        </AppShell.Section>
        <AppShell.Section className="menu-account">
          <Account who={who} role={role} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <div className={`strip strip-${strip.kind}`}>
          <Icon name={STRIP_ICONS[strip.kind]} size={16} />
          <span>{strip.text}</span>
        </div>
        {online ? null : (
          <div className="strip strip-offline" role="status">
            <Icon name="alert" size={16} />
            <span>{t.offline}</span>
          </div>
        )}
        {children}
      </AppShell.Main>
    </AppShell>
  )
}

/**
 * When the menu covers the page of a small screen, its first line gets the focus. Escape closes the menu and focuses its button.
 * The menu also closes when the focus moves to the page below.
 */
function useMenuFocus(covers: boolean, burger: RefObject<HTMLButtonElement | null>, close: () => void) {
  useEffect(() => {
    if (!covers) return
    const lines = document.querySelectorAll<HTMLElement>('#menu a, #menu button')
    ;[...lines].find((line) => line.getClientRects().length > 0)?.focus()
    const leave = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      close()
      burger.current?.focus()
    }
    const follow = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest('main')) close()
    }
    addEventListener('keydown', leave)
    addEventListener('focusin', follow)
    return () => {
      removeEventListener('keydown', leave)
      removeEventListener('focusin', follow)
    }
  }, [covers, burger, close])
}

/** When the language changes while the menu covers the page, closes the menu and focuses its button. */
function useMenuEnd(covers: boolean, burger: RefObject<HTMLButtonElement | null>, close: () => void) {
  const language = useLanguage()
  const shown = useRef(language)
  useEffect(() => {
    if (shown.current === language) return
    shown.current = language
    if (!covers) return
    close()
    burger.current?.focus()
  }, [language, covers, burger, close])
}

/**
 * Shows the logo and the name of the product. If the menu has pages, they are a link to the first one. `logo` is the width in
 * pixels.
 */
function HomeLink({
  menu,
  logo,
  ...group
}: {
  menu: readonly MenuItem[]
  logo?: number
  hiddenFrom?: 'sm'
  visibleFrom?: 'sm'
  onClick?: (() => void) | undefined
}) {
  const home = menu.find((item) => 'to' in item)
  const link =
    home === undefined
      ? {}
      : {
          'aria-label': `${facts.brand_name}, ${home.label}`,
          renderRoot: (props: object) => <Link {...props} {...placeOf(home.to)} activeOptions={EXACT} />,
        }
  return (
    <Group {...group} {...link} gap="xs" wrap="nowrap" className="brand">
      <Logo {...(logo === undefined ? {} : { size: logo })} />
      <span className="brand-name">{facts.brand_name}</span>
    </Group>
  )
}

/** A link is the current page only at its own path, not at the paths below, and with any query parameters. */
const EXACT = { exact: true, includeSearch: false }

function Menu({ menu, path }: { menu: readonly MenuItem[]; path: string }) {
  return menu.map((item) =>
    'heading' in item ? (
      <p key={item.heading} className="menu-heading">
        {item.heading}
      </p>
    ) : (
      <NavLink
        key={item.to}
        renderRoot={(props) => <Link {...props} {...placeOf(item.to, item.search)} activeOptions={EXACT} />}
        label={item.label}
        leftSection={<Icon name={item.icon} />}
        active={isAt(path, item, menu)}
        aria-current={isAt(path, item, menu) ? 'page' : undefined}
        rightSection={item.count ? <span className="count">{item.count}</span> : null}
      />
    ),
  )
}

/** Shows the menu of the account: the user, the settings of this browser, and the sign-out. */
function Account({ who, role }: { who: string; role: string | undefined }) {
  const t = useTexts(partsTexts)
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Initial name={who} />
        <div className="who-text">
          <Text size="xs" className="who" title={who}>
            {who}
          </Text>
          {role === undefined ? null : <Text size="xs">{role}</Text>}
        </div>
      </Group>
      <div className="who-buttons">
        <LanguageButton />
        <SchemeButton />
        <DensityButton />
        <MenuButton icon="leave" label={t.sign_out} onClick={() => void signOut()} />
      </div>
    </>
  )
}

/** Shows the first letter of a name as a picture. Screen readers ignore the picture. */
export function Initial({ name, square = false }: { name: string; square?: boolean }) {
  return (
    <span className={square ? 'initial initial-square' : 'initial'} aria-hidden="true">
      {(name.match(/[\p{L}\p{N}]/u)?.[0] ?? '?').toUpperCase()}
    </span>
  )
}

/**
 * Returns true on the page of a menu line. If no other menu line is below this line, also returns true on the pages below it.
 */
function isAt(path: string, { to }: { to: string }, menu: readonly MenuItem[]): boolean {
  const href = hrefOf(to)
  const nearer = menu.some((other) => 'to' in other && hrefOf(other.to).startsWith(`${href}/`))
  return path === href || (path.startsWith(`${href}/`) && !nearer)
}

/** Shows a button that switches to the other language. Its label is the name of that language. */
export function LanguageButton() {
  const t = useTexts(partsTexts)
  const { language, choose } = useContext(LanguageContext)
  const other = language === 'sw' ? 'en' : 'sw'
  return (
    <Button
      size="xs"
      variant="subtle"
      lang={other}
      leftSection={<Icon name="globe" size={16} />}
      onClick={() => choose(other)}
    >
      {t.language}
    </Button>
  )
}

function SchemeButton() {
  const t = useTexts(partsTexts)
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return (
    <MenuButton
      icon={scheme === 'dark' ? 'sun' : 'moon'}
      label={scheme === 'dark' ? t.light : t.dark}
      onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
    />
  )
}

function DensityButton() {
  const t = useTexts(partsTexts)
  const [density, setDensity] = useState(currentDensity)
  const other = density === 'compact' ? 'comfortable' : 'compact'
  const change = () => {
    chooseDensity(other)
    setDensity(other)
  }
  return <MenuButton icon={other === 'compact' ? 'rows' : 'roomy'} label={t[other]} onClick={change} />
}

/** Shows a button without text. Its label appears under the pointer, and screen readers announce the label. */
function MenuButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" size={30} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </ActionIcon>
  )
}
