// Shows the frame of the dashboard: the user, the business and the environment.

import { NativeSelect, SegmentedControl, Text, VisuallyHidden } from '@mantine/core'
import { Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { type Environment, ScopeContext, type SignedInUser, useRead, useSignedInUser } from '../ui/data.ts'
import { facts } from '../ui/facts.ts'
import type { IconName } from '../ui/icons.tsx'
import { useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { Page } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'
import { Problem } from '../ui/problem.tsx'
import { SearchBox } from '../ui/search.tsx'
import { Initial, type MenuItem, placesOfMenu, Shell } from '../ui/shell.tsx'
import { useWords } from '../ui/words.ts'
import { AttentionContext, type AttentionItem, countOf, useAttentionRead, useTroubledBusinesses } from './attention.ts'
import { frameTexts } from './frame-texts.ts'
import {
  CHOSEN,
  chooseMerchant,
  ENVIRONMENTS,
  keepUsedMerchant,
  lastUsedMerchant,
  type Membership,
  MerchantContext,
  useMerchantAccess,
} from './merchant.ts'
import { OtherBusinesses } from './other-businesses.tsx'
import { useSearchActs } from './search-acts.ts'
import { useSearchLists } from './search-lists.ts'
import { NeedsSecondFactor } from './second-factor.tsx'

const ENVIRONMENT = 'malipo.dashboard.environment'

/** Reads the user, and then shows the page. */
export function DashboardFrame() {
  const me = useSignedInUser()
  if (me.data === undefined) {
    return (
      <main className="alone">
        {me.error ? <Problem error={me.error} retry={() => void me.refetch()} /> : <LoadingRows />}
      </main>
    )
  }
  return <FrameOfUser user={me.data} />
}

/**
 * Shows the business of the tab. A new tab shows the business that the user used last, else the one with the newest payment, else
 * the first one by name. A user without a business sees an explanation.
 */
function FrameOfUser({ user }: { user: SignedInUser }) {
  const t = useTexts(frameTexts)
  const { id, memberships, email, email_verified, second_factor } = user
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(CHOSEN))
  const [last] = useState(() => lastUsedMerchant(id))
  const find = (wanted: string | null) => memberships.find(({ merchant_id }) => merchant_id === wanted)
  const used = find(chosen) ?? find(last)
  const enabled = used === undefined && memberships.length > 1
  const recent = useRead('GET /v1/me/recent-merchant', {}, { enabled })
  const is_known = !enabled || recent.data !== undefined || recent.error !== null
  const membership = used ?? find(recent.data?.merchant_id ?? null) ?? memberships[0]
  const shown = is_known ? membership?.merchant_id : undefined
  useEffect(() => {
    if (shown === undefined) return
    keepUsedMerchant(id, shown)
    // A later payment of another business must not change the page.
    setChosen(shown)
  }, [id, shown])
  if (!is_known) {
    return (
      <main className="alone">
        <LoadingRows />
      </main>
    )
  }
  if (membership === undefined) {
    return (
      <Shell menu={[]} strip={{ kind: 'sandbox', text: facts.brand_name }} who={email}>
        <Page title={t.no_business_title}>
          {t.no_business} <strong>{email}</strong>
          {email_verified ? null : <Text mt="sm">{t.unproven}</Text>}
        </Page>
      </Shell>
    )
  }
  const choose = (merchant_id: string) => {
    chooseMerchant(merchant_id)
    setChosen(merchant_id)
  }
  return <DashboardShell {...{ memberships, membership, email, second_factor, choose }} />
}

function DashboardShell({
  memberships,
  membership,
  email,
  second_factor,
  choose,
}: {
  memberships: readonly Membership[]
  membership: Membership
  email: string
  second_factor: boolean
  choose: (merchant_id: string) => void
}) {
  const t = useTexts(frameTexts)
  const parts = useTexts(partsTexts)
  const { env } = useParams({ strict: false }) as { env?: string }
  const environment: Environment = env === 'live' ? 'live' : 'sandbox'
  const { merchant_id, role } = membership
  useEffect(() => {
    if (env === undefined) return
    sessionStorage.setItem(ENVIRONMENT, environment)
    localStorage.setItem(ENVIRONMENT, environment)
  }, [env, environment])
  const acting = useMemo(() => ({ environment, membership }), [environment, membership])
  const scope = useMemo(() => ({ environment, merchant_id }), [environment, merchant_id])
  const at = (path: string) => `${environment}${path === '' ? '' : `/${path}`}`
  const may_read = !membership.second_factor_required || second_factor
  const attention = useAttentionRead(scope, may_read)
  const line = (path: string, label: string, icon: IconName, ...kinds: AttentionItem['kind'][]): MenuItem => ({
    to: at(path),
    label,
    icon,
    count: countOf(attention, environment, ...kinds),
  })
  const develops = role === 'MERCHANT_ADMIN' || role === 'DEVELOPER'
  const menu: MenuItem[] = [
    line('', t.home, 'home'),
    { heading: t.collect },
    line('collections', t.collections, 'collect', 'payments_held'),
    line('links', t.links, 'link'),
    line('invoices', t.invoices, 'invoice'),
    { heading: t.money },
    line('withdrawals', t.withdrawals, 'payout', 'withdrawals_info_requested', 'withdrawals_in_doubt'),
    ...(role === 'MERCHANT_ADMIN' || role === 'FINANCE' ? [line('recipients', t.recipients, 'badge')] : []),
    line('transactions', t.transactions, 'transactions'),
    line('statements', t.statements, 'statement'),
    ...(develops
      ? [
          { heading: t.develop },
          line('keys', t.keys, 'key', 'keys_expiring'),
          line('webhooks', t.webhooks, 'webhook', 'webhooks_failing', 'webhooks_retrying', 'webhooks_waiting'),
          line('requests', t.requests, 'request'),
        ]
      : []),
    { heading: t.business },
    line('profile', t.profile, 'shop'),
    line('members', t.members, 'people'),
    ...(develops ? [line('addresses', t.addresses, 'globe')] : []),
    line('messages', t.messages, 'message'),
    line('notifications', t.notifications, 'bell'),
    line('account', t.account, 'person'),
    line('sessions', t.sessions, 'device'),
    ...(role === 'MERCHANT_ADMIN' ? [line('activity', t.activity, 'history')] : []),
  ]
  const listsOf = useSearchLists(at)
  const switchTo = useSwitch(environment, choose)
  const scopeName = (business: Membership, of: Environment) =>
    `${business.name}, ${of === 'live' ? parts.environment_live : parts.environment_sandbox}`
  const other = environment === 'live' ? 'sandbox' : 'live'
  const acts = useSearchActs(role, at, {
    name: other === 'live' ? parts.environment_live : parts.environment_sandbox,
    choose: () => switchTo.environment(other),
  })
  const others = memberships.filter((one) => one.merchant_id !== merchant_id)
  const troubled = useTroubledBusinesses(environment, others)
  const search_scope = {
    name: scopeName(membership, environment),
    others: [
      { id: other, name: scopeName(membership, other), choose: () => switchTo.environment(other) },
      ...others.map((one) => ({
        id: one.merchant_id,
        name: scopeName(one, environment),
        choose: () => void switchTo.business(one.merchant_id),
      })),
    ],
  }
  const live_text = facts.rehearses ? parts.simulated_strip : parts.live_strip
  return (
    <MerchantContext value={acting}>
      <ScopeContext value={scope}>
        <AttentionContext value={attention}>
          <Shell
            menu={menu}
            strip={{
              kind: environment,
              text: `${environment === 'live' ? live_text : parts.sandbox_strip} · ${membership.name}`,
            }}
            who={email}
            place={
              <BusinessChoice
                {...{ memberships, membership }}
                troubled={troubled.map(({ business }) => business)}
                change={switchTo.business}
              />
            }
            search={
              <SearchBox
                call="GET /v1/search"
                places={[...acts, ...placesOfMenu(menu)]}
                pageOf={({ target }) => at(target)}
                listsOf={listsOf}
                scope={search_scope}
              />
            }
            header={<EnvironmentSwitch environment={environment} change={switchTo.environment} />}
          >
            <OtherBusinesses troubled={troubled} choose={choose} />
            {membership.second_factor_required && !second_factor ? (
              <NeedsSecondFactor business={membership.name} />
            ) : (
              <Outlet key={`${merchant_id} ${environment}`} />
            )}
          </Shell>
        </AttentionContext>
      </ScopeContext>
    </MerchantContext>
  )
}

/**
 * Shows the business of the page. A user with several businesses can choose another one. From the page of a record, the choice
 * opens the list. A dot marks each other business that has problems, and the closed choice if there is such a business.
 */
export function BusinessChoice({
  memberships,
  membership,
  troubled,
  change,
}: {
  memberships: readonly Membership[]
  membership: Membership
  /** The other businesses that have problems. */
  troubled: readonly Membership[]
  change: (merchant_id: string) => Promise<void>
}) {
  const t = useTexts(frameTexts)
  const { role: roleName } = useWords()
  return (
    <div className="business">
      <Initial name={membership.name} square />
      {memberships.length > 1 ? (
        <>
          <NativeSelect
            aria-label={t.merchant}
            aria-describedby="other-business"
            size="xs"
            value={membership.merchant_id}
            data={memberships.map((one) => ({
              value: one.merchant_id,
              label: troubled.includes(one) ? `● ${one.name} ${t.needs_attention}` : one.name,
            }))}
            onChange={(event) => void change(event.currentTarget.value)}
          />
          <span className="business-mark" id="other-business">
            {troubled.length > 0 ? <VisuallyHidden>{t.other_needs_attention}</VisuallyHidden> : null}
          </span>
        </>
      ) : (
        <span className="business-text">
          <span className="business-name">{membership.name}</span>
          <span className="business-role">{roleName(membership.role)}</span>
        </span>
      )}
    </div>
  )
}

/** Returns the path of the list of a page. From the page of a record, this list exists also in another business or environment. */
function listOf(path: string, environment: string): string {
  const [, , list = ''] = path.split('/')
  return `/${environment}${list === '' ? '' : `/${list}`}`
}

/** Returns the switches to another business and to another environment. From the page of a record, they open the list. */
function useSwitch(environment: Environment, choose: (merchant_id: string) => void) {
  const navigate = useNavigate()
  const path = useRouterState({ select: (state) => state.location.pathname })
  return {
    environment: (next: string) => void navigate({ to: listOf(path, next) }),
    business: async (merchant_id: string) => {
      // The list comes first, because the other business has no record with this id.
      if (path.split('/').length > 3) await navigate({ to: listOf(path, environment) })
      choose(merchant_id)
    },
  }
}

/**
 * Opens the same list in the other environment. From a page below a list, such as the page of a record, opens the list, because
 * the other environment has no such record.
 */
export function EnvironmentSwitch({
  environment,
  change,
}: {
  environment: Environment
  change: (next: string) => void
}) {
  const t = useTexts(frameTexts)
  const parts = useTexts(partsTexts)
  return (
    <SegmentedControl
      size="xs"
      aria-label={t.environment}
      value={environment}
      onChange={change}
      data={ENVIRONMENTS.map((value) => ({
        value,
        label: value === 'live' ? parts.environment_live : parts.environment_sandbox,
      }))}
    />
  )
}

/**
 * Redirects to the first page in the environment that this tab used last. A new tab takes the environment that this browser used
 * last. If the browser has used none, takes that of the newest payment, if the business of the tab received it, else the sandbox.
 */
export function ToEnvironment() {
  const navigate = useNavigate()
  const { merchant_id } = useMerchantAccess().membership
  const used = sessionStorage.getItem(ENVIRONMENT) ?? localStorage.getItem(ENVIRONMENT)
  const recent = useRead('GET /v1/me/recent-merchant', {}, { enabled: used === null })
  const is_known = used !== null || recent.data !== undefined || recent.error !== null
  const paid = recent.data?.merchant_id === merchant_id ? recent.data.environment : null
  const next = (used ?? paid) === 'live' ? 'live' : 'sandbox'
  useEffect(() => {
    if (is_known) void navigate({ to: `/${next}`, replace: true })
  }, [navigate, is_known, next])
  return null
}
