// Starts a console: sets the language, checks the session, then shows the pages.

import './ui.css'
import { Button, Group, MantineProvider, Stack, Text, Title } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { type AnyRoute, createRouter, type ErrorComponentProps, RouterProvider } from '@tanstack/react-router'
import { type ReactNode, StrictMode, useEffect, useMemo, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from './data.ts'
import { applyDensity, currentDensity } from './density.ts'
import { facts, HOME } from './facts.ts'
import { Logo } from './icons.tsx'
import { firstLanguage, keepLanguage, type Language, LanguageContext, useTexts } from './language.ts'
import { loadAhead } from './lazy.tsx'
import { Page } from './parts.tsx'
import { partsTexts } from './parts-texts.ts'
import { finishSignIn, isCallback, signIn, signOutWithOthers, token } from './session.ts'
import { LanguageButton } from './shell.tsx'
import { cssVariables, theme } from './theme.ts'

const queries = createQueries()

/** Starts the console with these routes. If the user has no session, redirects to the sign-in. */
export async function startConsole(routes: AnyRoute): Promise<void> {
  const root = createRoot(document.getElementById('root') as HTMLElement)
  const show = (page: ReactNode) =>
    root.render(
      <StrictMode>
        <AppProviders>{page}</AppProviders>
      </StrictMode>,
    )
  document.documentElement.lang = firstLanguage()
  applyDensity(currentDensity())
  signOutWithOthers(() => show(<SignedOut />))
  try {
    if (isCallback()) await finishSignIn()
    if ((await token().catch(() => 'offline')) === null) {
      show(<SigningIn />)
      return await signIn()
    }
  } catch {
    return show(<SignInFailed />)
  }
  const router = createRouter({
    routeTree: routes,
    basepath: HOME,
    defaultPreload: 'intent',
    scrollRestoration: false,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const sent = new URLSearchParams()
      for (const [name, value] of Object.entries(search))
        if (value !== undefined && value !== '') sent.set(name, String(value))
      return sent.size === 0 ? '' : `?${sent}`
    },
    defaultNotFoundComponent: PageNotFound,
    defaultErrorComponent: Broken,
  })
  show(<RouterProvider router={router} />)
  loadAhead()
}

function AppProviders({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const chosen = useMemo(
    () => ({
      language,
      choose(next: Language) {
        keepLanguage(next)
        setLanguage(next)
      },
    }),
    [language],
  )
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => facts.nonce}
    >
      <LanguageContext value={chosen}>
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </LanguageContext>
    </MantineProvider>
  )
}

function StandalonePage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${facts.brand_name}`
  }, [title])
  return (
    <main className="alone">
      <p className="brand alone-brand">
        <Logo size={36} />
        <span className="brand-name">{facts.brand_name}</span>
      </p>
      <Stack gap="md" className="panel">
        <Title order={1}>{title}</Title>
        {children}
        <Group>
          <LanguageButton />
        </Group>
      </Stack>
    </main>
  )
}

function SigningIn() {
  const t = useTexts(partsTexts)
  return <StandalonePage title={t.signing_in}>{null}</StandalonePage>
}

/** Shows a page after the user has signed out in another tab. */
function SignedOut() {
  const t = useTexts(partsTexts)
  return (
    <StandalonePage title={t.signed_out_title}>
      <Text>{t.signed_out}</Text>
      <Group>
        <Button onClick={() => void signIn()}>{t.sign_in}</Button>
      </Group>
    </StandalonePage>
  )
}

function SignInFailed() {
  const t = useTexts(partsTexts)
  return (
    <StandalonePage title={t.sign_in_failed_title}>
      <Text>{t.sign_in_failed}</Text>
      <Group>
        <Button onClick={() => void signIn()}>{t.sign_in}</Button>
      </Group>
    </StandalonePage>
  )
}

function PageNotFound() {
  const t = useTexts(partsTexts)
  return (
    <Page title={t.not_found_title} lead={t.not_found}>
      <Group>
        <Button component="a" href={HOME}>
          {t.to_start}
        </Button>
      </Group>
    </Page>
  )
}

function Broken({ error }: ErrorComponentProps) {
  const t = useTexts(partsTexts)
  useEffect(() => console.error(error), [error])
  return (
    <StandalonePage title={t.broken_title}>
      <Text>{t.broken}</Text>
      <Group>
        <Button onClick={() => location.reload()}>{t.reload}</Button>
      </Group>
    </StandalonePage>
  )
}
