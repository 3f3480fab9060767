// Shows the frame of the operator console: the account, and the menu with the numbers of waiting records.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSignedInUser } from '../ui/data.ts'
import { facts } from '../ui/facts.ts'
import { useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { Mono } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'
import { Problem } from '../ui/problem.tsx'
import { SearchBox } from '../ui/search.tsx'
import { signOut } from '../ui/session.ts'
import { LanguageButton, type MenuItem, placesOfMenu, Shell } from '../ui/shell.tsx'
import { frameTexts, type OperatorRole } from './frame-texts.ts'
import { MeContext, useQueue } from './operator.ts'
import { PauseBanner } from './pause-banner.tsx'
import { useOperatorActs } from './search-acts.ts'

/** Reads the user. If the user is an operator, shows the page. Otherwise shows an explanation. */
export function OperatorFrame() {
  const me = useSignedInUser()
  if (me.data === undefined) {
    return (
      <main className="alone">
        {me.error ? <Problem error={me.error} retry={() => void me.refetch()} /> : <LoadingRows />}
      </main>
    )
  }
  if (me.data.operator_role === null) return <NotAnOperator email={me.data.email} />
  return (
    <MeContext value={me.data}>
      <OperatorShell email={me.data.email} role={me.data.operator_role} />
    </MeContext>
  )
}

function OperatorShell({ email, role }: { email: string; role: OperatorRole }) {
  const t = useTexts(frameTexts)
  const parts = useTexts(partsTexts)
  const acts = useOperatorActs()
  const { data } = useQueue('live')
  const count = (...kinds: string[]) =>
    data?.items.filter(({ kind }) => kinds.includes(kind)).reduce((sum, item) => sum + item.count, 0)
  // While withdrawals wait, the menu opens those, the oldest first.
  const waiting = count('withdrawals_waiting') ?? 0
  const menu: MenuItem[] = [
    { to: '', label: t.queue, icon: 'inbox' },
    { heading: t.money },
    {
      to: 'withdrawals',
      ...(waiting > 0 ? { search: { status: 'PENDING_ADMIN_APPROVAL', environment: 'live' } } : {}),
      label: t.withdrawals,
      icon: 'payout',
      count: count(
        'withdrawals_waiting',
        'withdrawals_needs_reconciliation',
        'withdrawals_blocked',
        'withdrawals_needs_attention',
      ),
    },
    { to: 'decisions', label: t.decisions, icon: 'decisions' },
    { to: 'pauses', label: t.pauses, icon: 'pause' },
    { to: 'payments', label: t.payments, icon: 'collect' },
    { to: 'collections', label: t.collections, icon: 'held', count: count('collections_held') },
    { to: 'reconciliation', label: t.reconciliation, icon: 'balance', count: count('reconciliation_exceptions') },
    { heading: t.merchants_heading },
    { to: 'merchants', label: t.merchants, icon: 'shop', count: count('merchants_to_check') },
    { to: 'addresses', label: t.addresses, icon: 'globe', count: count('ip_addresses_pending') },
    { to: 'webhooks', label: t.webhooks, icon: 'webhook', count: count('webhooks_failing') },
    { heading: t.platform },
    { to: 'providers', label: t.providers, icon: 'plug' },
    { to: 'waiting', label: t.waiting, icon: 'hourglass' },
    { to: 'networks', label: t.networks, icon: 'signal' },
    { to: 'messages', label: t.messages, icon: 'message' },
    { to: 'reasons', label: t.reasons, icon: 'rows' },
    { to: 'system', label: t.system, icon: 'pulse' },
    ...(role === 'SUPER_ADMIN' ? [{ to: 'operators', label: t.operators, icon: 'badge' as const }] : []),
    { to: 'audit', label: t.audit, icon: 'audit' },
    { to: 'account', label: t.account, icon: 'person' },
    { to: 'sessions', label: t.sessions, icon: 'device' },
  ]
  return (
    <Shell
      menu={menu}
      strip={{ kind: 'operator', text: `${t.console} · ${facts.rehearses ? parts.rehearsal_strip : t.strip}` }}
      who={email}
      role={t.roles[role]}
      search={
        <SearchBox
          call="GET /v1/operator/search"
          places={[...acts, ...placesOfMenu(menu)]}
          pageOf={({ target }) => target}
        />
      }
      place={<p className="console-name">{t.console}</p>}
    >
      <PauseBanner />
      <Outlet />
    </Shell>
  )
}

/**
 * Shows a page without data to a user who is not an operator. The page has a button for signing out and a button for the
 * language.
 */
function NotAnOperator({ email }: { email: string }) {
  const t = useTexts(frameTexts)
  const parts = useTexts(partsTexts)
  useEffect(() => {
    document.title = `${t.stranger_title} · ${facts.brand_name}`
  }, [t])
  return (
    <main className="alone">
      <Stack gap="md">
        <Title order={1}>{t.stranger_title}</Title>
        <Text className="who">{t.stranger(email)}</Text>
        <Text>
          {t.dashboard} <Mono>{`${facts.base_url}/dashboard`}</Mono>
        </Text>
        <Group>
          <Button onClick={() => void signOut()}>{parts.sign_out}</Button>
          <LanguageButton />
        </Group>
      </Stack>
    </main>
  )
}
