// Shows the first page: the waiting records of each kind, their age and their amount.

import '../ui/attention.css'
import { Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Environment } from '../ui/data.ts'
import { useLanguage, useTexts } from '../ui/language.ts'
import { LoadingRows } from '../ui/loading-rows.tsx'
import { Amount, Chip, EmptyState, Page, PageButton, PageLink, Time } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'
import { Problem } from '../ui/problem.tsx'
import { focusRow } from '../ui/row-link.ts'
import { signIn } from '../ui/session.ts'
import { showAge, showAmount, showCount } from '../ui/show.ts'
import { type Shortcut, Shortcuts } from './keys.tsx'
import { type QueueItem, type QueueRead, queueEnvironment, signInAge, useMe, useQueue } from './operator.ts'
import { QueueStrip } from './queue-strip.tsx'
import { queueTexts } from './queue-texts.ts'

/**
 * The path of the list of each kind of waiting records. Withdrawals, collections and webhooks have a list for each environment.
 */
const PLACES: Record<QueueItem['kind'], (environment: Environment) => string> = {
  withdrawals_waiting: (environment) => `withdrawals?status=PENDING_ADMIN_APPROVAL&environment=${environment}`,
  withdrawals_info_requested: (environment) => `withdrawals?status=INFO_REQUESTED&environment=${environment}`,
  withdrawals_needs_reconciliation: (environment) =>
    `withdrawals?status=NEEDS_RECONCILIATION&environment=${environment}`,
  withdrawals_blocked: (environment) => `withdrawals?status=BLOCKED_IP_WHITELIST&environment=${environment}`,
  withdrawals_needs_attention: (environment) => `withdrawals?status=NEEDS_ADMIN_ATTENTION&environment=${environment}`,
  collections_held: (environment) => `collections?environment=${environment}`,
  merchants_to_check: () => 'merchants?to_check=true',
  ip_addresses_pending: () => 'addresses?status=PENDING',
  reconciliation_exceptions: () => 'reconciliation',
  webhooks_failing: (environment) => `webhooks?environment=${environment}`,
}

/** The kinds of waiting records that each environment has separately. */
const OF_ENVIRONMENT: ReadonlySet<QueueItem['kind']> = new Set(
  (Object.keys(PLACES) as QueueItem['kind'][]).filter((kind) => /^(withdrawals|collections|webhooks)_/.test(kind)),
)

/**
 * Shows the waiting records of an environment: kinds with records first. Also shows the count of the other environment.
 */
export function Queue() {
  const t = useTexts(queueTexts)
  const parts = useTexts(partsTexts)
  const navigate = useNavigate()
  const environment = queueEnvironment(useSearch({ strict: false }))
  const read = useQueue(environment)
  const { data } = read
  const other: Environment = environment === 'live' ? 'sandbox' : 'live'
  const otherItems = useQueue(other).data?.items.filter(({ kind }) => OF_ENVIRONMENT.has(kind)) ?? []
  const other_count = otherItems.reduce((sum, { count }) => sum + count, 0)
  const waiting = data?.items.filter(({ count }) => count > 0) ?? []
  const idle = data?.items.filter(({ count }) => count === 0) ?? []
  const keys: Shortcut[] = [
    { key: 'j', does: t.key_next, run: () => focusRow(1) },
    { key: 'k', does: t.key_previous, run: () => focusRow(-1) },
  ]
  const choose = (next: string) =>
    void navigate({ to: '.', search: (next === 'sandbox' ? { environment: next } : {}) as never, replace: true })
  return (
    <Page
      title={t.title}
      lead={t.lead}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t.environment}
            value={environment}
            onChange={choose}
            data={[
              { value: 'live', label: parts.environment_live },
              { value: 'sandbox', label: parts.environment_sandbox },
            ]}
          />
          <Shortcuts keys={keys} />
        </>
      }
    >
      {environment === 'sandbox' ? <Text fw={600}>{t.sandbox}</Text> : null}
      {other_count > 0 && waiting.length > 0 ? (
        <Text>
          <PageLink to={other === 'sandbox' ? '?environment=sandbox' : ''}>
            {t.other_environment[other](showCount(other_count))}
          </PageLink>
        </Text>
      ) : null}
      {data ? (
        <QueueStrip
          items={waiting}
          failed_check={data.failed_check}
          environment={environment}
          pageOf={(kind, of) => PLACES[kind](of)}
        />
      ) : null}
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {data && waiting.length === 0 ? (
        <EmptyState
          title={other_count > 0 ? t.nothing_in[environment] : t.nothing}
          done={other_count === 0}
          action={
            other_count > 0 ? (
              <PageButton to={other === 'sandbox' ? '?environment=sandbox' : ''} icon="inbox">
                {t.other_environment[other](showCount(other_count))}
              </PageButton>
            ) : null
          }
        >
          {other_count > 0 ? null : t.nothing_teach}
        </EmptyState>
      ) : null}
      {waiting.length > 0 ? <Work waiting={waiting} environment={environment} warned={data?.warned ?? null} /> : null}
      {data && waiting.length > 0 && idle.length > 0 ? (
        <Stack gap={4}>
          <Title order={2}>{t.done}</Title>
          <ul className="plain-list">
            {idle.map(({ kind }) => (
              <li key={kind}>
                <PageLink to={PLACES[kind](environment)}>{t.kinds[kind].name}</PageLink>
              </li>
            ))}
          </ul>
        </Stack>
      ) : null}
      {data ? <SignInNotice step_up_s={data.step_up_s} /> : null}
      {data?.four_eyes_amount ? (
        <Text size="sm" c="dimmed">
          {t.four_eyes(showAmount(data.four_eyes_amount))}
        </Text>
      ) : null}
      {data?.four_eyes_off ? <Text fw={600}>{t.four_eyes_off}</Text> : null}
    </Page>
  )
}

function Work({
  waiting,
  environment,
  warned,
}: {
  waiting: readonly QueueItem[]
  environment: Environment
  warned: QueueRead['warned']
}) {
  const t = useTexts(queueTexts)
  const language = useLanguage()
  return (
    <ul className="queue" aria-label={t.title}>
      {waiting.map(({ kind, count, oldest_at, amount }) => (
        <li key={kind} className="panel">
          <div className="queue-text">
            <PageLink to={PLACES[kind](environment)} className="queue-name" data-row-link>
              {t.kinds[kind].name}
            </PageLink>
            <Text size="sm" c="dimmed">
              {t.kinds[kind].what}
            </Text>
            {kind === 'withdrawals_waiting' && warned !== null && warned.count > 0 ? (
              <Chip tone="warn">
                {t.warned(showCount(warned.count), warned.examined < count ? showCount(warned.examined) : null)}
              </Chip>
            ) : null}
          </div>
          <dl>
            <div>
              <dt>{t.count}</dt>
              <dd className="queue-count">{showCount(count)}</dd>
            </div>
            {oldest_at === null ? null : (
              <div>
                <dt>{t.oldest}</dt>
                <dd>
                  {t.age(showAge(oldest_at, language))}
                  <Text size="xs" c="dimmed">
                    <Time time={oldest_at} />
                  </Text>
                </dd>
              </div>
            )}
            {amount === null ? null : (
              <div>
                <dt>{t.amount}</dt>
                <dd>
                  <Amount value={amount} />
                </dd>
              </div>
            )}
          </dl>
        </li>
      ))}
    </ul>
  )
}

/**
 * Says how old a sign-in may be for an action that moves money. If the sign-in is too old, warns the operator before the API
 * refuses the action.
 */
function SignInNotice({ step_up_s }: { step_up_s: number }) {
  const t = useTexts(queueTexts)
  const language = useLanguage()
  const age = signInAge(useMe(), step_up_s, Date.now())
  if (age === null) return null
  if (!age.old) {
    return (
      <Text size="sm" c="dimmed">
        {t.fresh(Math.round(step_up_s / 60))}
      </Text>
    )
  }
  return (
    <section className="panel flag-warn">
      <Title order={2}>{t.old_title}</Title>
      <Stack gap="xs">
        <Text size="sm">{t.old(showAge(age.since, language))}</Text>
        <Group>
          <Button size="xs" onClick={() => void signIn({ again: true })}>
            {t.sign_in}
          </Button>
        </Group>
      </Stack>
    </section>
  )
}
