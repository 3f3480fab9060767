// Shows one held collection with its facts, and the decision about its money.

import '../../ui/choices.css'
import { Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { checks, readAmount } from '../../ui/checks.ts'
import { useAction } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Amount, FactList, Mono, PageLink, SecondsContext, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showPhone } from '../../ui/show.ts'
import { useWords } from '../../ui/words.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { useProviderName } from '../provider-names.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { isolateDirection } from '../words.ts'
import { heldTexts } from './held-texts.ts'
import { type CollectionRow, receivedAmounts, unvaluedAmount } from './record.ts'

const REASON_MAX = 500

type Props = { of: CollectionRow; onDone: (notice: string) => void; onClose: () => void }

/**
 * Shows the facts of a held collection and its history. While the collection is held, also shows the form of the decision.
 */
export function Clear(props: Props) {
  const t = useTexts(heldTexts)
  const { of } = props
  const { received } = receivedAmounts(of)
  const show = (amount: number) => showAmount(amount, of.currency)
  const foreign = unvaluedAmount(of)
  return (
    <SecondsContext value>
      <Stack gap="md">
        {of.environment === 'sandbox' ? <Text fw={600}>{t.sandbox}</Text> : null}
        {foreign === null ? null : <Text fw={600}>{t.foreign(showAmount(foreign.amount, foreign.currency))}</Text>}
        {foreign !== null || received === of.amount ? null : (
          <Text fw={600}>{t.differs(show(of.amount), show(received))}</Text>
        )}
        <HeldFacts of={of} />
        {of.status === 'pending_clearance' ? (
          <ForDuty duty="money" note>
            <Decision {...props} />
          </ForDuty>
        ) : null}
        <HeldHistory of={of} />
      </Stack>
    </SecondsContext>
  )
}

function HeldFacts({ of }: { of: CollectionRow }) {
  const t = useTexts(heldTexts)
  const words = useWords()
  const providerName = useProviderName()
  const { received, fee, credited } = receivedAmounts(of)
  const money = (amount: number) => <Amount value={amount} currency={of.currency} />
  const foreign = unvaluedAmount(of)
  const waits = of.status === 'pending_clearance' && foreign === null
  const { foreign_amount, foreign_currency } = of
  const isForeign = foreign_amount !== null && foreign_currency !== null
  return (
    <FactList
      facts={[
        [t.requested, money(of.amount)],
        isForeign
          ? [
              t.foreign_received,
              <strong key="foreign">
                <Amount value={foreign_amount} currency={foreign_currency} />
              </strong>,
            ]
          : null,
        foreign === null ? [t.received, <strong key="received">{money(received)}</strong>] : null,
        [t.fee, money(fee)],
        waits ? [t.credited, <strong key="credited">{money(credited)}</strong>] : null,
        [t.merchant, of.merchant_name],
        [
          t.payer,
          [of.customer_name, of.customer_phone && showPhone(of.customer_phone)].filter(Boolean).join(' · ') || null,
        ],
        [t.held_at, <Time key="held" time={of.held_at} />],
        of.decided_at === null ? null : [t.decided, <Time key="decided" time={of.decided_at} />],
        [t.reference, of.reference],
        [t.description, of.description],
        [t.provider, of.provider === null ? null : providerName(of.provider)],
        [t.provider_status, of.provider_payment_status && words.provider_status(of.provider_payment_status)],
        [t.provider_reference, of.provider_reference === null ? null : <Mono key="ref">{of.provider_reference}</Mono>],
        [
          t.id,
          <PageLink key="id" to={`payments/${of.collection_id}`}>
            <Mono>{of.collection_id}</Mono>
          </PageLink>,
        ],
      ]}
    />
  )
}

function Decision({ of, onDone, onClose }: Props) {
  const t = useTexts(heldTexts)
  const act = useAction('POST /v1/operator/collections/{collection_id}/clear')
  const { collection_id, currency, merchant_name } = of
  const amounts = receivedAmounts(of)
  const check = checks(useLanguage())
  const foreign = unvaluedAmount(of)
  const received = foreign ? showAmount(foreign.amount, foreign.currency) : showAmount(amounts.received, currency)
  const { form, submit, error, sending } = useDraft({
    name: `clear.${collection_id}`,
    initial: { decision: '', amount: '', reason: '' },
    check: {
      decision: (value) => (value === '' ? t.decision_needed : null),
      amount: (value, { decision }) => (foreign && decision === 'approve' ? check.amount(value) : null),
      reason: (value) => (value.trim() === '' ? t.needed : null),
    },
  })
  const send = submit(async ({ decision, amount, reason }, once) => {
    const approved = decision === 'approve'
    const stated = foreign && approved ? { amount: readAmount(amount) ?? amount } : {}
    const body = { ...stated, decision: approved ? ('approve' as const) : ('decline' as const), reason: reason.trim() }
    const decided = await act.mutateAsync({ params: { collection_id }, body, once })
    if (decided.status === 'pending_clearance') return onDone(t.done_first)
    const done = foreign ? t.done_decline_foreign(received) : t.done_decline(received)
    onDone(
      approved
        ? t.done_approve(showAmount(receivedAmounts(decided).credited, currency), isolateDirection(merchant_name))
        : done,
    )
  })
  const { decision } = form.values
  const stated = readAmount(form.values.amount)
  // If the money is in another currency, the operator states the amount to credit, before our fee.
  const credited = foreign
    ? stated === null
      ? '…'
      : showAmount(Number(stated), currency)
    : showAmount(amounts.credited, currency)
  const button =
    decision === '' ? t.button : decision === 'approve' ? t.button_approve(credited) : t.button_decline(received)
  return (
    <DialogForm onSubmit={send}>
      <Radio.Group label={t.decision} required {...form.getInputProps('decision')}>
        <Stack gap="xs" mt="xs">
          <Radio
            value="approve"
            label={t.approve}
            description={
              foreign
                ? t.approve_foreign(isolateDirection(merchant_name))
                : t.approve_hint(credited, isolateDirection(merchant_name))
            }
          />
          <Radio
            value="decline"
            label={t.decline}
            description={foreign ? t.decline_foreign(received) : t.decline_hint(received)}
          />
        </Stack>
      </Radio.Group>
      {foreign && decision === 'approve' ? (
        <TextInput
          label={t.worth(received)}
          description={t.worth_hint}
          inputMode="decimal"
          autoComplete="off"
          required
          {...form.getInputProps('amount')}
        />
      ) : null}
      <ReasonField
        act="collection.clear"
        set={(text) => form.setFieldValue('reason', text)}
        label={t.reason}
        description={t.reason_hint}
        maxLength={REASON_MAX}
        required
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <DialogButtons text={button} danger={decision === 'decline'} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}

/** Shows the status history of a payment, oldest status first. `order` is the level of the heading. */
export function HeldHistory({ of, order = 3 }: { of: CollectionRow; order?: 2 | 3 }) {
  const t = useTexts(heldTexts)
  const words = useWords()
  return (
    <section>
      <Title order={order}>{t.history}</Title>
      <ol className="timeline">
        {of.history.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the history only grows at its end
          <li key={place}>
            <Group gap="xs">
              <Text size="sm" fw={600}>
                {entry.from_status === entry.to_status ? t.noted : words.collection(entry.to_status)}
              </Text>
              <Text size="sm" c="dimmed">
                {t.actor(entry.actor)} · <Time time={entry.at} />
              </Text>
            </Group>
            {entry.reason ? (
              <Text className="written">
                {entry.actor.startsWith('operator') ? entry.reason : words.report(entry.reason)}
              </Text>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  )
}
