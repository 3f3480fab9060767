// Sends a test delivery to the webhook address of the merchant, and shows the result.

import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showDuration } from '../../ui/show.ts'
import { useWebhookItems } from '../attention.ts'
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

/** Shows a button that sends a test delivery and waits for its first attempt. */
export function WebhookTest() {
  const t = useTexts(webhooksTexts)
  const at = useEnvironmentPath()
  const test = useAction('POST /v1/merchant/webhook-config/test')
  const [id, setId] = useState<string | null>(null)
  const [late, setLate] = useState(false)
  const { data, error, refetch } = useRead(
    'GET /v1/merchant/webhook-deliveries/{id}',
    { params: { id: id ?? '' } },
    { enabled: id !== null },
  )
  const recorded = data?.attempts[0]
  const queries = useQueryClient()
  const [listed, setListed] = useState<string | null>(null)
  const found = recorded === undefined ? null : id
  // The page reads the list of deliveries again before it shows the result, so that list and result show the same state.
  useEffect(() => {
    if (found === null) return
    void queries.invalidateQueries({ queryKey: [DELIVERIES] }).finally(() => setListed(found))
    // The answer changes the warnings too, which the frame otherwise reads every few seconds.
    void queries.invalidateQueries({ queryKey: [ATTENTION] })
  }, [found, queries])
  const attempt = listed === id ? recorded : undefined
  const { environment } = useMerchantAccess()
  const missed = useWebhookItems(environment)?.find(
    ({ kind, webhook }) => kind === 'webhooks_waiting' && webhook?.endpoint_id === 'default',
  )?.webhook
  const looking = id !== null && recorded === undefined && !error && !late
  const waiting = looking || (recorded !== undefined && attempt === undefined)
  useEffect(() => {
    if (!looking) return
    const timer = setInterval(() => void refetch(), LOOK_MS)
    const patience = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => {
      clearInterval(timer)
      clearTimeout(patience)
    }
  }, [looking, refetch])
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
              setId(null)
              setLate(false)
              test.mutate({}, { onSuccess: (made) => setId(made.id) })
            }}
          >
            {t.send_test}
          </Button>
        </Group>
        <Problem error={test.error ?? error} />
        <div role="status">
          {waiting ? <Text size="sm">{t.test_waits}</Text> : null}
          {id !== null && recorded === undefined && late ? (
            <Text size="sm">
              {t.test_late} <PageLink to={at(`webhooks/deliveries/${id}`)}>{t.see_delivery}</PageLink>
            </Text>
          ) : null}
          {id !== null && attempt !== undefined ? (
            <Alert color={attempt.error === null ? 'teal' : 'red'} variant="light">
              <Stack gap="xs">
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
          ) : null}
        </div>
      </Stack>
    </section>
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
