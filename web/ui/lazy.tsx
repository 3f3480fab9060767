// Pages that are loaded when they are opened. One that cannot be loaded says why, and opens by itself once it can: the browser
// is never sent to load the console again while there is no network, because it would show an error page of its own.

import { Button, Group, Text } from '@mantine/core'
import { type FunctionComponent, type ReactNode, useEffect, useState } from 'react'
import { HOME } from './facts.ts'
import { texts, useTexts } from './language.ts'
import { Waiting } from './list.tsx'
import { Page } from './parts.tsx'

const lazyTexts = texts({
  sw: {
    offline_title: 'Huna mtandao',
    offline: 'Ukurasa huu bado haujapakiwa. Utafunguka wenyewe mtandao ukirudi.',
    silent_title: 'Mfumo haujibu',
    silent: 'Ukurasa huu bado haujapakiwa. Utafunguka wenyewe mfumo utakapojibu.',
    gone_title: 'Ukurasa huu haujapakiwa',
    gone: 'Huenda mfumo umesasishwa. Pakia upya. Ulichoandika kimehifadhiwa.',
    retry: 'Jaribu tena',
    reload: 'Pakia upya',
  },
  en: {
    offline_title: 'You are offline',
    offline: 'This page has not been loaded yet. It opens by itself when the connection returns.',
    silent_title: 'The system does not answer',
    silent: 'This page has not been loaded yet. It opens by itself when the system answers.',
    gone_title: 'This page was not loaded',
    gone: 'The system may have been updated. Load it again. What you typed is kept.',
    retry: 'Try again',
    reload: 'Load again',
  },
})

/** How often a page that could not be loaded is tried again. */
const RETRY_MS = 3_000
/** A browser that is never idle loads the next page ahead after so long. */
const IDLE_MS_MAX = 2_000
/** The pause between two pages that are loaded ahead. */
const AHEAD_MS = 200

/** A page of the router. `preload` never fails: what could not be loaded is tried again when the page is shown. */
type LazyPage = FunctionComponent & { preload: () => Promise<void> }
/** Without a network; behind a proxy or a server that refuses, as while the system is updated; or without its file. */
type Failure = 'offline' | 'silent' | 'gone'

const pages: LazyPage[] = []

/** Makes a page of the export `name` of a module. */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, FunctionComponent>>,
  name: Name,
): LazyPage {
  let loaded: FunctionComponent | null = null
  const fetchIt = async () => {
    loaded ??= (await load())[name]
  }
  const page: LazyPage = Object.assign(
    () => {
      const [Shown, setShown] = useState<FunctionComponent | null>(() => loaded)
      const [failure, setFailure] = useState<Failure | null>(null)
      const [tries, setTries] = useState(0)
      // biome-ignore lint/correctness/useExhaustiveDependencies: each try loads it once more
      useEffect(() => {
        if (Shown !== null) return
        let left = false
        fetchIt().then(
          () => {
            sessionStorage.removeItem(reloadedFor(name))
            if (!left) setShown(() => loaded)
          },
          async () => {
            const why = await whyNot(name)
            if (!left) setFailure(why)
          },
        )
        return () => {
          left = true
        }
      }, [tries])
      if (Shown !== null) return <Shown />
      if (failure === null) return <Waiting />
      return <NotLoaded failure={failure} retry={() => setTries((before) => before + 1)} />
    },
    { preload: () => fetchIt().catch(() => {}) },
  )
  pages.push(page)
  return page
}

const reloadedFor = (name: string) => `malipo.reloaded.${name}`

/** Tells a lost network, a system that does not answer and a file that is gone from each other. After an upgrade the console is loaded once more, with its new files. */
async function whyNot(name: string): Promise<Failure> {
  const answer = await fetch(HOME, { cache: 'no-store' }).catch(() => null)
  if (answer === null) return 'offline'
  if (!answer.ok) return 'silent'
  const before = sessionStorage.getItem(reloadedFor(name))
  sessionStorage.setItem(reloadedFor(name), 'yes')
  if (before === null) location.reload()
  return 'gone'
}

function NotLoaded({ failure, retry }: { failure: Failure; retry: () => void }): ReactNode {
  const t = useTexts(lazyTexts)
  const gone = failure === 'gone'
  useEffect(() => {
    if (gone) return
    const timer = setInterval(retry, RETRY_MS)
    addEventListener('online', retry)
    return () => {
      clearInterval(timer)
      removeEventListener('online', retry)
    }
  }, [gone, retry])
  return (
    <Page title={t[`${failure}_title`]}>
      <Text role="status">{t[failure]}</Text>
      <Group>
        <Button onClick={gone ? () => location.reload() : retry}>{gone ? t.reload : t.retry}</Button>
      </Group>
    </Page>
  )
}

/** Loads the other pages one after the other while nothing else happens. Not for readers who save data. */
export function loadAhead(): void {
  const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } }
  if (connection?.saveData || /2g$/.test(connection?.effectiveType ?? '')) return
  const idle = (run: () => void) =>
    globalThis.requestIdleCallback?.(run, { timeout: IDLE_MS_MAX }) ?? setTimeout(run, AHEAD_MS)
  const rest = [...pages]
  const next = () => {
    const page = rest.shift()
    if (page !== undefined && navigator.onLine) idle(() => void page.preload().then(() => setTimeout(next, AHEAD_MS)))
  }
  addEventListener('load', next, { once: true })
  if (document.readyState === 'complete') next()
}
