// Shows the daily limits of a merchant's payouts, and the form that replaces the limits.

import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { readAmount } from '../../ui/checks.ts'
import { useAction } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Dialog, FactList } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'

type Limits = Calls['GET /v1/operator/merchants/{merchant_id}']['data']['payout_limits']

const limitTexts = texts({
  sw: {
    title: 'Vikomo vya kutoa pesa kwa siku',
    daily: 'Jumla ya siku',
    destination: 'Jumla ya siku kwenda namba moja',
    none: 'Hakuna kikomo',
    platform: (shown: string) => `${shown} (cha mfumo mzima)`,
    change: 'Badilisha vikomo',
    text: 'Idhini inayovuka kikomo inakataliwa. Acha wazi ili kikomo cha mfumo mzima kitumike.',
    wrong: 'Andika kiasi kama 5000000, au acha wazi.',
    reason: 'Sababu',
    button: 'Tumia vikomo hivi',
    done: 'Vikomo vipya vinatumika sasa.',
  },
  en: {
    title: 'Daily limits of payouts',
    daily: 'Sum of a day',
    destination: 'Sum of a day to one destination',
    none: 'No limit',
    platform: (shown: string) => `${shown} (of the platform)`,
    change: 'Change the limits',
    text: 'The server refuses an approval that exceeds a limit. Leave a field empty to use the limit of the platform.',
    wrong: 'Enter an amount such as 5000000, or leave the field empty.',
    reason: 'Reason',
    button: 'Apply these limits',
    done: 'The new limits apply now.',
  },
})

/** Shows the daily limits of a merchant. Operators with the duty `merchants` can replace them. */
export function PayoutLimits({ merchant_id, limits }: { merchant_id: string; limits: Limits }) {
  const t = useTexts(limitTexts)
  const [opened, setOpened] = useState(false)
  const [notice, setNotice] = useState<string | null>(null)
  const shown = (own: string | null, in_force: string | null) => {
    const amount = in_force === null ? t.none : showAmount(in_force)
    return own === null ? t.platform(amount) : amount
  }
  return (
    <section className="panel">
      <Title order={2}>{t.title}</Title>
      <Stack gap="sm">
        <FactList
          facts={[
            [t.daily, shown(limits.daily_limit, limits.in_force.daily_limit)],
            [t.destination, shown(limits.daily_limit_per_destination, limits.in_force.daily_limit_per_destination)],
          ]}
        />
        <Notice text={notice} />
        <ForDuty duty="merchants">
          <Group>
            <Button variant="default" onClick={() => setOpened(true)}>
              {t.change}
            </Button>
          </Group>
        </ForDuty>
      </Stack>
      <Dialog open={opened} onClose={() => setOpened(false)} title={t.change}>
        <LimitsForm
          {...{ merchant_id, limits }}
          onClose={() => setOpened(false)}
          onDone={() => {
            setOpened(false)
            setNotice(t.done)
          }}
        />
      </Dialog>
    </section>
  )
}

function LimitsForm(props: { merchant_id: string; limits: Limits; onClose: () => void; onDone: () => void }) {
  const t = useTexts(limitTexts)
  const parts = useTexts(partsTexts)
  const { merchant_id, limits } = props
  const act = useAction('PUT /v1/operator/merchants/{merchant_id}/payout-limits')
  const isAmount = (value: string) => (toLimit(value) === undefined ? t.wrong : null)
  const { form, submit, error, sending } = useDraft({
    name: `limits.${merchant_id}`,
    initial: {
      daily_limit: limits.daily_limit ?? '',
      daily_limit_per_destination: limits.daily_limit_per_destination ?? '',
      reason: '',
    },
    check: { daily_limit: isAmount, daily_limit_per_destination: isAmount },
  })
  const send = submit(async (values, once) => {
    const reason = values.reason.trim()
    const body = {
      daily_limit: toLimit(values.daily_limit) ?? null,
      daily_limit_per_destination: toLimit(values.daily_limit_per_destination) ?? null,
      ...(reason === '' ? {} : { reason }),
    }
    await act.mutateAsync({ params: { merchant_id }, body, once })
    props.onDone()
  })
  return (
    <DialogForm onSubmit={send}>
      <Text>{t.text}</Text>
      <TextInput label={parts.optional(t.daily)} inputMode="decimal" {...form.getInputProps('daily_limit')} />
      <TextInput
        label={parts.optional(t.destination)}
        inputMode="decimal"
        {...form.getInputProps('daily_limit_per_destination')}
      />
      <Textarea label={parts.optional(t.reason)} maxLength={500} {...form.getInputProps('reason')} />
      <Problem error={error} />
      <DialogButtons text={t.button} sending={sending} onClose={props.onClose} />
    </DialogForm>
  )
}

/**
 * Reads a limit as people write amounts. Null means that the field is empty, so the merchant gets the limit of the platform.
 * Undefined means that the text is no amount.
 */
function toLimit(text: string): string | null | undefined {
  const typed = text.trim()
  if (typed === '') return null
  return /^0+(\.0{1,2})?$/.test(typed) ? '0.00' : (readAmount(typed) ?? undefined)
}
