// One held collection with all that is known of it, and the decision whose its money is.

import { Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useWords } from '../../dashboard/words.ts'
import { useAct } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Amount, FactList, Mono, When } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showPhone } from '../../ui/show.ts'
import { Answers, Form } from '../question.tsx'
import { within } from '../words.ts'
import { heldTexts } from './held-texts.ts'
import { amountsOf, type Held } from './record.ts'

const REASON_MAX = 500

type Props = { of: Held; onDone: (news: string) => void; onClose: () => void }

/** The case, with its decision while it waits for one. */
export function Clear(props: Props) {
  const t = useTexts(heldTexts)
  const { of } = props
  const { received } = amountsOf(of)
  const show = (amount: number) => showAmount(amount, of.currency)
  return (
    <Stack gap="md">
      {of.environment === 'sandbox' ? <Text fw={600}>{t.sandbox}</Text> : null}
      {received === of.amount ? null : <Text fw={600}>{t.differs(show(of.amount), show(received))}</Text>}
      <HeldFacts of={of} />
      {of.status === 'pending_clearance' ? <Decision {...props} /> : null}
      <HeldHistory of={of} />
    </Stack>
  )
}

function HeldFacts({ of }: { of: Held }) {
  const t = useTexts(heldTexts)
  const { received, fee, credited } = amountsOf(of)
  const money = (amount: number) => <Amount value={amount} currency={of.currency} />
  const waits = of.status === 'pending_clearance'
  return (
    <FactList
      facts={[
        [t.asked, money(of.amount)],
        [t.received, <strong key="received">{money(received)}</strong>],
        [t.fee, money(fee)],
        waits ? [t.credited, <strong key="credited">{money(credited)}</strong>] : null,
        [t.merchant, of.merchant_name],
        [
          t.payer,
          [of.customer_name, of.customer_phone && showPhone(of.customer_phone)].filter(Boolean).join(' · ') || null,
        ],
        [t.held_at, <When key="held" time={of.held_at} />],
        of.decided_at === null ? null : [t.decided, <When key="decided" time={of.decided_at} />],
        [t.reference, of.reference],
        [t.description, of.description],
        [t.provider, of.provider],
        [t.provider_status, of.provider_payment_status],
        [t.provider_reference, of.provider_reference === null ? null : <Mono key="ref">{of.provider_reference}</Mono>],
        [t.id, <Mono key="id">{of.collection_id}</Mono>],
      ]}
    />
  )
}

function Decision({ of, onDone, onClose }: Props) {
  const t = useTexts(heldTexts)
  const act = useAct('POST /v1/operator/collections/{collection_id}/clear')
  const { collection_id, currency, merchant_name } = of
  const amounts = amountsOf(of)
  const credited = showAmount(amounts.credited, currency)
  const received = showAmount(amounts.received, currency)
  const { form, submit, error, sending } = useDraft({
    name: `clear.${collection_id}`,
    initial: { decision: '', reason: '' },
    check: {
      decision: (value) => (value === '' ? t.decision_needed : null),
      reason: (value) => (value.trim() === '' ? t.needed : null),
    },
  })
  const send = submit(async ({ decision, reason }, once) => {
    const approved = decision === 'approve'
    const body = { decision: approved ? ('approve' as const) : ('decline' as const), reason: reason.trim() }
    await act.mutateAsync({ params: { collection_id }, body, once })
    onDone(approved ? t.done_approve(credited, within(merchant_name)) : t.done_decline(received))
  })
  const { decision } = form.values
  const button =
    decision === '' ? t.button : decision === 'approve' ? t.button_approve(credited) : t.button_decline(received)
  return (
    <Form onSubmit={send}>
      <Radio.Group label={t.decision} required {...form.getInputProps('decision')}>
        <Stack gap="xs" mt="xs">
          <Radio value="approve" label={t.approve} description={t.approve_hint(credited, within(merchant_name))} />
          <Radio value="decline" label={t.decline} description={t.decline_hint(received)} />
        </Stack>
      </Radio.Group>
      <TextInput
        label={t.reason}
        description={t.reason_hint}
        maxLength={REASON_MAX}
        required
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <Answers text={button} danger={decision === 'decline'} sending={sending} onClose={onClose} />
    </Form>
  )
}

function HeldHistory({ of }: { of: Held }) {
  const t = useTexts(heldTexts)
  const words = useWords()
  return (
    <section>
      <Title order={3}>{t.history}</Title>
      <ol className="timeline">
        {of.history.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the history only grows at its end
          <li key={place}>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {entry.from_status === entry.to_status ? t.noted : words.collection(entry.to_status)}
              </Text>
              <Text size="sm" c="dimmed">
                {t.actor(entry.actor)} · <When time={entry.at} seconds />
              </Text>
            </Group>
            {entry.reason ? <Text className="written">{entry.reason}</Text> : null}
          </li>
        ))}
      </ol>
    </section>
  )
}
