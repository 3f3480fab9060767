// Loads the code of a page in the background, or at the latest when the user opens the page. If the code does not load, the
// console shows the reason and retries. Without a network, the console never reloads, because the browser would then show its
// own error page.

import { Button, Group, Text } from '@mantine/core'
import { type FunctionComponent, type ReactNode, useEffect, useState } from 'react'
import { HOME } from './facts.ts'
import { texts, useTexts } from './language.ts'
import { LoadingRows } from './loading-rows.tsx'
import { Page } from './parts.tsx'

const lazyTexts = texts({
  sw: {
    offline_title: 'Hatukupata majibu ya seva',
    offline: 'Ukurasa huu bado haujapakiwa. Angalia mtandao. Utafunguka wenyewe seva itakapojibu.',
    silent_title: 'Seva imerudisha hitilafu',
    silent: 'Ukurasa huu bado haujapakiwa. Utafunguka wenyewe seva itakapofanya kazi tena.',
    gone_title: 'Ukurasa huu haujapakiwa',
    gone: 'Huenda seva imesasishwa. Pakia upya. Ulichoandika kimehifadhiwa.',
    retry: 'Jaribu tena',
    reload: 'Pakia upya',
  },
  en: {
    offline_title: 'No answer from the server',
    offline:
      'The browser has not loaded this page yet. Check your connection. When the server answers, the page opens by itself.',
    silent_title: 'The server answered with an error',
    silent: 'The browser has not loaded this page yet. When the server works again, the page opens by itself.',
    gone_title: 'The browser did not load this page',
    gone: 'The server may have a newer version. Load the page again. This tab keeps the text that you typed.',
    retry: 'Try again',
    reload: 'Load again',
  },
})

/** The pause between two attempts to load a page, in milliseconds. */
const RETRY_MS = 3_000
/** After this time in milliseconds, the console preloads the next page, even if the browser is never idle. */
const IDLE_MS_MAX = 2_000
/** The pause between two preloads, in milliseconds. */
const AHEAD_MS = 200

/**
 * A page of the router. `preload` never rejects. If the code of a page did not load, the console tries again when the user
 * opens the page.
 */
type LazyPage = FunctionComponent & { preload: () => Promise<void> }
/**
 * Why a page did not load. `offline`: the server did not answer. `silent`: the server answered with an error. `gone`: the
 * server answers, so the file probably no longer exists.
 */
type LoadFailure = 'offline' | 'silent' | 'gone'

const pages: LazyPage[] = []

/**
 * Makes a page from the export `name` of a module. The browser loads the module in the background, or at the latest when the
 * user opens the page.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, FunctionComponent>>,
  name: Name,
): LazyPage {
  let loaded: FunctionComponent | null = null
  const loadPage = async () => {
    loaded ??= (await load())[name]
  }
  const page: LazyPage = Object.assign(
    () => {
      const [Shown, setShown] = useState<FunctionComponent | null>(() => loaded)
      const [failure, setFailure] = useState<LoadFailure | null>(null)
      const [attempts, setAttempts] = useState(0)
      // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads the page again
      useEffect(() => {
        if (Shown !== null) return
        let unmounted = false
        loadPage().then(
          () => {
            sessionStorage.removeItem(reloadedFor(name))
            if (!unmounted) setShown(() => loaded)
          },
          async () => {
            const why = await findLoadFailure(name)
            if (!unmounted) setFailure(why)
          },
        )
        return () => {
          unmounted = true
        }
      }, [attempts])
      if (Shown !== null) return <Shown />
      if (failure === null) return <LoadingRows />
      return <NotLoaded failure={failure} retry={() => setAttempts((before) => before + 1)} />
    },
    { preload: () => loadPage().catch(() => {}) },
  )
  pages.push(page)
  return page
}

const reloadedFor = (name: string) => `malipo.reloaded.${name}`

/**
 * Finds out why a page did not load. If the server answers, an upgrade may have removed the file, so the console reloads
 * once.
 */
async function findLoadFailure(name: string): Promise<LoadFailure> {
  const answer = await fetch(HOME, { cache: 'no-store' }).catch(() => null)
  if (answer === null) return 'offline'
  if (!answer.ok) return 'silent'
  const before = sessionStorage.getItem(reloadedFor(name))
  sessionStorage.setItem(reloadedFor(name), 'yes')
  if (before === null) location.reload()
  return 'gone'
}

function NotLoaded({ failure, retry }: { failure: LoadFailure; retry: () => void }): ReactNode {
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

/**
 * Preloads the other pages one by one while the browser is idle. If the user saves data or has a 2G network, preloads nothing.
 */
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
