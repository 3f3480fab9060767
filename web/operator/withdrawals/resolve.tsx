// Shows the decision of an operator about a payout with an unknown outcome. The form preselects no outcome.

import '../../ui/choices.css'
import { Radio, Stack, Text, TextInput } from '@mantine/core'
import { useAction } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ReasonField } from '../saved-reasons.tsx'
import { decideTexts } from './decide-texts.ts'
import { type DecisionProps, REASON_MAX } from './record.ts'

const REFERENCE_MAX = 64

/** Shows the form: the outcome, its reason, and the provider's reference. */
export function Resolve({ of: { withdrawal }, onDone, onClose }: DecisionProps) {
  const t = useTexts(decideTexts)
  const parts = useTexts(partsTexts)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/resolve')
  const { id, amount, currency, status_reason } = withdrawal
  const shown = showAmount(amount, currency)
  const { form, submit, error, sending } = useDraft({
    name: `resolve.${id}`,
    initial: { outcome: '', reason: '', provider_reference: '' },
    check: {
      outcome: (value) => (value === '' ? t.outcome_needed : null),
      reason: (value) => (value.trim() === '' ? t.needed : null),
    },
  })
  const send = submit(async ({ outcome, reason, provider_reference }, once) => {
    const paid = outcome === 'SUCCESS'
    const found = provider_reference.trim()
    const body = {
      outcome: paid ? ('SUCCESS' as const) : ('FAILED' as const),
      reason: reason.trim(),
      ...(found === '' ? {} : { provider_reference: found }),
    }
    const after = await act.mutateAsync({ params: { withdrawal_id: id }, body, once })
    if (after.status === withdrawal.status) return onDone(t.done_first_decision)
    onDone(paid ? t.resolve.done_paid(shown) : t.resolve.done_unpaid(shown))
  })
  const { outcome } = form.values
  const button =
    outcome === ''
      ? t.resolve.button
      : outcome === 'SUCCESS'
        ? t.resolve.button_paid(shown)
        : t.resolve.button_unpaid(shown)
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.resolve.text}</Text>
      {status_reason ? (
        <Text fw={600} className="written">
          {status_reason}
        </Text>
      ) : null}
      <Radio.Group label={t.resolve.outcome} required {...form.getInputProps('outcome')}>
        <Stack gap="xs" mt="xs">
          <Radio value="SUCCESS" label={t.resolve.paid} description={t.resolve.paid_hint} />
          <Radio value="FAILED" label={t.resolve.unpaid} description={t.resolve.unpaid_hint} />
        </Stack>
      </Radio.Group>
      <ReasonField
        act="withdrawal.resolve"
        set={(text) => form.setFieldValue('reason', text)}
        label={t.resolve.field}
        description={t.resolve.hint}
        maxLength={REASON_MAX}
        required
        {...form.getInputProps('reason')}
      />
      <TextInput
        label={parts.optional(t.resolve.reference)}
        description={t.resolve.reference_hint}
        maxLength={REFERENCE_MAX}
        {...form.getInputProps('provider_reference')}
      />
      <Problem error={error} />
      <DialogButtons text={button} danger={outcome === 'FAILED'} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
