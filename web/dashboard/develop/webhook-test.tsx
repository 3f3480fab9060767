// Sends a test delivery to a webhook endpoint of the merchant, and shows the result.

import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { readAgain, useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Mono, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showDuration } from '../../ui/show.ts'
import { type FailingWebhook, useWebhookItems } from '../attention.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { MissedFacts, SendMissed } from '../send-missed.tsx'
import type { DeliveryAttempt } from './delivery-parts.tsx'
import { webhooksTexts } from './webhooks-texts.ts'

/** The call that reads the list of deliveries below the test button. */
const DELIVERIES = 'GET /v1/merchant/webhook-deliveries'
/** The call that reads the warnings for the frame. */
const ATTENTION = 'GET /v1/merchant/attention'
/** The pause between two reads of the result, in milliseconds. */
const LOOK_MS = 500
/** After this time in milliseconds, the page stops waiting for the result. */
const PATIENCE_MS = 30_000

/** A test that the server sends: its delivery, its endpoint, and the name of this endpoint. Null as `name`: the main address. */
export type StartedTest = { id: string; endpoint_id: string; name: string | null }

/** Shows a button that sends a test delivery to the main address, and the result of its first attempt. */
export function WebhookTest() {
  const t = useTexts(webhooksTexts)
  const test = useAction('POST /v1/merchant/webhook-config/test')
  const [started, setStarted] = useState<StartedTest | null>(null)
  const { waiting, error, view } = useTestResult(started)
  return (
    <section className="panel">
      <Title order={2}>{t.test}</Title>
      <Stack gap="sm">
        <Text size="sm">{t.test_help}</Text>
        <Group>
          <Button
            variant="default"
            loading={test.isPending || waiting}
            onClick={() => {
              setStarted(null)
              test.mutate({}, { onSuccess: ({ id }) => setStarted({ id, endpoint_id: 'default', name: null }) })
            }}
          >
            {t.send_test}
          </Button>
        </Group>
        <Problem error={test.error ?? error} />
        {view}
      </Stack>
    </section>
  )
}

/**
 * Returns a function that sends a test to a failing endpoint, and the result, which stays after the warning about the endpoint
 * ends.
 */
export function useEndpointTest() {
  const main = useAction('POST /v1/merchant/webhook-config/test')
  const other = useAction('POST /v1/merchant/webhook-endpoints/{id}/test')
  const [started, setStarted] = useState<StartedTest | null>(null)
  const { waiting, error, view } = useTestResult(started)
  const send = ({ endpoint_id, webhook_url }: FailingWebhook) => {
    setStarted(null)
    const name = endpoint_id === 'default' ? null : webhook_url
    const onSuccess = ({ id }: { id: string }) => setStarted({ id, endpoint_id, name })
    if (endpoint_id === 'default') main.mutate({}, { onSuccess })
    else other.mutate({ params: { id: endpoint_id } }, { onSuccess })
  }
  const busy = main.isPending || other.isPending || waiting
  return { send, busy, error: main.error ?? other.error ?? error, view }
}

/** Reads the delivery of a test until its first attempt, and returns the result for screen and screen reader. */
export function useTestResult(started: StartedTest | null): { waiting: boolean; error: unknown; view: ReactNode } {
  const t = useTexts(webhooksTexts)
  const at = useEnvironmentPath()
  const [late, setLate] = useState<StartedTest | null>(null)
  const { data, error, refetch } = useRead(
    'GET /v1/merchant/webhook-deliveries/{id}',
    { params: { id: started?.id ?? '' } },
    { enabled: started !== null },
  )
  const recorded = data?.attempts[0]
  const queries = useQueryClient()
  const [listed, setListed] = useState<StartedTest | null>(null)
  const found = recorded === undefined ? null : started
  // The page reads the list of deliveries again before it shows the result, so that list and result show the same state. After
  // 20 seconds without a response, it shows the result alone.
  useEffect(() => {
    if (found === null) return
    void readAgain(queries, [DELIVERIES]).finally(() => setListed(found))
    // The answer changes the warnings too, which the frame otherwise reads every few seconds.
    void queries.invalidateQueries({ queryKey: [ATTENTION] })
  }, [found, queries])
  const attempt = listed === started ? recorded : undefined
  const is_late = started !== null && recorded === undefined && late === started
  const looking = started !== null && recorded === undefined && !error && !is_late
  const waiting = looking || (recorded !== undefined && attempt === undefined)
  useEffect(() => {
    if (!looking) return
    const timer = setInterval(() => void refetch(), LOOK_MS)
    const patience = setTimeout(() => setLate(started), PATIENCE_MS)
    return () => {
      clearInterval(timer)
      clearTimeout(patience)
    }
  }, [looking, started, refetch])
  const view = (
    <div role="status">
      {waiting ? <Text size="sm">{t.test_waits}</Text> : null}
      {is_late ? (
        <Text size="sm">
          {t.test_late} <PageLink to={at(`webhooks/deliveries/${started.id}`)}>{t.see_delivery}</PageLink>
        </Text>
      ) : null}
      {started === null || attempt === undefined ? null : <TestResult started={started} attempt={attempt} />}
    </div>
  )
  return { waiting, error, view }
}

/** Shows the answer to a test. If the endpoint works again, offers to send the deliveries that it missed. */
function TestResult({ started, attempt }: { started: StartedTest; attempt: DeliveryAttempt }) {
  const t = useTexts(webhooksTexts)
  const at = useEnvironmentPath()
  const { environment } = useMerchantAccess()
  const { id, endpoint_id, name } = started
  const missed = useWebhookItems(environment)?.find(
    ({ kind, webhook }) => kind === 'webhooks_waiting' && webhook?.endpoint_id === endpoint_id,
  )?.webhook
  return (
    <Alert color={attempt.error === null ? 'teal' : 'red'} variant="light">
      <Stack gap="xs">
        {name === null ? null : <Mono>{name}</Mono>}
        <Text size="sm">{resultOf(attempt, t)}</Text>
        {attempt.error !== null || missed == null ? null : (
          <div>
            <MissedFacts webhook={missed} />
            <SendMissed webhook={missed} />
          </div>
        )}
        <span>
          <PageLink to={at(`webhooks/deliveries/${id}`)}>{t.see_delivery}</PageLink>
        </span>
      </Stack>
    </Alert>
  )
}

function resultOf({ status_code, duration_ms, error }: DeliveryAttempt, t: (typeof webhooksTexts)['sw']): string {
  const took = showDuration(duration_ms)
  if (status_code === null) return t.test_none(t.error[error ?? ''] ?? error ?? '', took)
  if (error === null) return t.test_ok(status_code, took)
  return status_code === 401 || status_code === 403
    ? t.test_signature(status_code, took)
    : t.test_code(status_code, took)
}
