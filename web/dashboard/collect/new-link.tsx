// Shows the form of a new payment link. A folded part of the form has the less common fields.

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { checks, readAmount } from '../../ui/checks.ts'
import { useAction } from '../../ui/data.ts'
import { DayField } from '../../ui/day-field.tsx'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { hrefOf, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { readPhone } from '../../ui/phone-number.ts'
import { Problem } from '../../ui/problem.tsx'
import { dayOf, endOfDay } from '../../ui/show.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { linksTexts } from './links-texts.ts'
import { NotYet, NotYours, useLiveNotReady, useMayCollect } from './not-yours.tsx'

const EMPTY = { amount: '', description: '', customer_name: '', customer_phone: '', reference: '', expires_at: '' }

/**
 * Returns the trimmed text of an optional field. If the field is empty, returns null, which the API takes as no value.
 */
function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/**
 * Shows the form to members who may request money. Other members, and a business that is not ready, see an explanation.
 */
export function NewLink() {
  const t = useTexts(linksTexts)
  const parts = useTexts(partsTexts)
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const at = useEnvironmentPath()
  const navigate = useNavigate()
  const make = useAction('POST /v1/payment-links')
  const may = useMayCollect()
  const closed = useLiveNotReady()
  const { form, submit, forget, error, sending } = useDraft({
    name: `link.${membership.merchant_id}.${environment}`,
    initial: EMPTY,
    check: {
      amount: check.amount,
      description: check.short(1_000),
      customer_name: check.short(200),
      reference: check.short(100),
      customer_phone: check.optional(check.phone),
      expires_at: check.optional((day) => check.date(day) ?? (day < dayOf(new Date()) ? t.past : null)),
    },
  })
  const send = submit(async (values, once) => {
    const body = {
      amount: readAmount(values.amount) ?? values.amount,
      description: orNull(values.description),
      customer_name: orNull(values.customer_name),
      customer_phone: readPhone(values.customer_phone) ?? orNull(values.customer_phone),
      reference: orNull(values.reference),
      expires_at: values.expires_at === '' ? null : endOfDay(values.expires_at),
    }
    const { id } = await make.mutateAsync({ body, once })
    await navigate({ to: hrefOf(at(`links/${id}`)), state: { made: true } as never })
  })
  if (!may) return <NotYours title={t.new_title} back={at('links')} />
  if (closed) return <NotYet title={t.new_title} />
  return (
    <Page title={t.new_title} lead={t.new_lead}>
      <form onSubmit={send} noValidate>
        <Stack gap="md" maw={520}>
          <TextInput
            label={t.amount}
            description={t.amount_hint}
            inputMode="decimal"
            autoComplete="off"
            required
            {...form.getInputProps('amount')}
          />
          <TextInput
            label={parts.optional(t.description)}
            description={t.description_hint}
            {...form.getInputProps('description')}
          />
          <TextInput
            label={parts.optional(t.customer)}
            description={t.customer_hint}
            autoComplete="off"
            {...form.getInputProps('customer_name')}
          />
          <details className="disclosed">
            <summary>{t.more}</summary>
            <Stack gap="md" mt="sm">
              <TextInput
                label={parts.optional(t.phone)}
                description={t.phone_hint}
                type="tel"
                inputMode="tel"
                autoComplete="off"
                {...form.getInputProps('customer_phone')}
              />
              <TextInput
                label={parts.optional(t.reference)}
                description={t.reference_hint}
                autoComplete="off"
                {...form.getInputProps('reference')}
              />
              <DayField
                label={parts.optional(t.expires)}
                description={t.expires_hint}
                min={dayOf(new Date())}
                {...form.getInputProps('expires_at')}
                value={form.values.expires_at}
              />
            </Stack>
          </details>
          <Problem error={error} retry={() => void send()} />
          <Group>
            <Button type="submit" loading={sending}>
              {t.make}
            </Button>
            <PageButton to={at('links')} variant="default" onClick={forget}>
              {parts.cancel}
            </PageButton>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}
