// Shows the form of an invoice: the customer, the items, the due date.

import '../../ui/choices.css'
import './collect.css'
import {
  Button,
  Fieldset,
  Group,
  InputWrapperContext,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type FormEvent, type ReactNode, use, useId, useRef, useState } from 'react'
import { checks } from '../../ui/checks.ts'
import { DayField } from '../../ui/day-field.tsx'
import { useDraft } from '../../ui/form.ts'
import { LANGUAGES, type Language, useLanguage, useTexts } from '../../ui/language.ts'
import { Amount, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { readPhone } from '../../ui/phone-number.ts'
import { Problem } from '../../ui/problem.tsx'
import { dayOf } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { isQuantity, itemsTotal, lineAmount, plainQuantity, readPrice, type TypedItem } from './invoice-sum.ts'
import { canSend, useNothingSent } from './invoice-ways.ts'
import { invoicesTexts } from './invoices-texts.ts'

/** The fields of the form as texts, as the member typed them. */
export type TypedInvoice = {
  customer_name: string
  customer_phone: string
  customer_email: string
  due_date: string
  language: Language
  items: TypedItem[]
  note: string
}

/** The values of a new line of the form. */
export const EMPTY_ITEM: TypedItem = { description: '', quantity: '1', unit_price: '' }
const ITEMS_MAX = 100

/** Converts the fields into the request body that the API expects. */
export function invoiceBody(values: TypedInvoice) {
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
  return {
    customer_name: values.customer_name.trim(),
    customer_phone: readPhone(values.customer_phone) ?? orNull(values.customer_phone),
    customer_email: orNull(values.customer_email),
    due_date: values.due_date,
    language: values.language,
    note: orNull(values.note),
    items: values.items.map((item) => ({
      description: item.description.trim(),
      quantity: plainQuantity(item.quantity),
      unit_price: readPrice(item.unit_price) ?? item.unit_price,
    })),
  }
}

const CHANNELS = ['sms', 'email'] as const
/** The field with the address of the customer for each channel. */
const ADDRESS_OF = { sms: 'customer_phone', email: 'customer_email' } as const

/**
 * Shows the form. `name` is the name of the draft. `save` creates or changes the invoice. With `saveAndSend`, the form has a button
 * that also sends the invoice to the customer. `back` is the page that the Cancel button opens.
 */
export function InvoiceForm({
  name,
  initial,
  save,
  saveAndSend,
  back,
}: {
  name: string
  initial: TypedInvoice
  save: (values: TypedInvoice, once: string) => Promise<unknown>
  saveAndSend?: (values: TypedInvoice, once: string) => Promise<unknown>
  back: string
}) {
  const t = useTexts(invoicesTexts)
  const parts = useTexts(partsTexts)
  const check = checks(useLanguage())
  const today = dayOf(new Date())
  const { environment } = useMerchantAccess()
  // The check of the fields runs in the event handler, before a render, so a ref stores which button the member pressed.
  const sends = useRef(false)
  const { form, submit, forget, error, sending } = useDraft<TypedInvoice>({
    name,
    initial,
    check: {
      customer_name: check.text(200),
      note: check.short(1_000),
      customer_phone: (text, { customer_email }) =>
        check.optional(check.phone)(text) ??
        (sends.current && text.trim() === '' && customer_email.trim() === '' ? t.send_needs : null),
      customer_email: check.optional(check.email),
      due_date: (day) => check.date(day) ?? (day < today ? t.due_past : null),
      items: {
        description: check.text(300),
        quantity: (text) => (isQuantity(text) ? null : t.quantity_wrong),
        unit_price: (text) => (readPrice(text) === null ? t.price_wrong : null),
      },
    },
  })
  // Without an address yet, the text is about both channels.
  const typed = CHANNELS.filter((channel) => form.values[ADDRESS_OF[channel]].trim() !== '')
  const nothing_sent = useNothingSent(
    (typed.length > 0 ? typed : CHANNELS).map((channel) => ({ channel, is_sent: canSend(channel, environment) })),
  )
  const start = (is_sent: boolean, event?: FormEvent<HTMLFormElement>) => {
    sends.current = is_sent
    return submit(is_sent && saveAndSend ? saveAndSend : save)(event)
  }
  return (
    <form onSubmit={(event) => start(false, event)} noValidate>
      <Stack gap="lg">
        <Fieldset legend={t.customer}>
          <Stack gap="md" maw={520}>
            <TextInput label={t.customer_name} required autoComplete="off" {...form.getInputProps('customer_name')} />
            <CustomerAddresses form={form} />
            <NativeSelect
              label={t.language}
              data={LANGUAGES.map((value) => ({ value, label: t.languages[value] ?? value }))}
              {...form.getInputProps('language')}
            />
            <DueDate form={form} today={today} />
          </Stack>
        </Fieldset>
        <Items form={form} />
        <Textarea
          label={parts.optional(t.note)}
          description={t.note_hint}
          rows={3}
          maw={520}
          {...form.getInputProps('note')}
        />
        {saveAndSend && nothing_sent !== null ? (
          <Text maw={520}>
            {nothing_sent} {t.share_after}
          </Text>
        ) : null}
        <Problem error={error} retry={() => void start(sends.current)} />
        <Group>
          {saveAndSend ? (
            <Button
              loading={sending && sends.current}
              disabled={sending && !sends.current}
              onClick={() => void start(true)}
            >
              {nothing_sent === null ? t.save_and_send : t.save_and_issue}
            </Button>
          ) : null}
          <Button
            type="submit"
            variant={saveAndSend ? 'default' : 'filled'}
            loading={sending && !sends.current}
            disabled={sending && sends.current}
          >
            {t.save}
          </Button>
          <PageButton to={back} variant="default" onClick={forget}>
            {parts.cancel}
          </PageButton>
        </Group>
      </Stack>
    </form>
  )
}

type Form = ReturnType<typeof useDraft<TypedInvoice>>['form']

/** Shows the phone and the e-mail address of the customer. A hint of both fields says that the issue needs one of them. */
function CustomerAddresses({ form }: { form: Form }) {
  const t = useTexts(invoicesTexts)
  const { environment } = useMerchantAccess()
  const parts = useTexts(partsTexts)
  const hint = useId()
  const described = (input: ReactNode) => <AlsoDescribed by={hint}>{input}</AlsoDescribed>
  return (
    <>
      <TextInput
        label={parts.optional(t.phone)}
        description={canSend('sms', environment) ? t.phone_hint : t.phone_example}
        type="tel"
        inputMode="tel"
        autoComplete="off"
        inputContainer={described}
        {...form.getInputProps('customer_phone')}
      />
      <TextInput
        label={parts.optional(t.email)}
        description={canSend('email', environment) ? t.email_hint : undefined}
        type="email"
        autoComplete="off"
        inputContainer={described}
        {...form.getInputProps('customer_email')}
      />
      <Text id={hint} size="sm">
        {t.address_hint}
      </Text>
    </>
  )
}

/** The choices of days from today until the due date. */
const DUE_IN_DAYS = [7, 14, 30]
const DAY_MS = 86_400_000

/** Shows the field of the due date, and a button for each usual number of days from today. */
function DueDate({ form, today }: { form: Form; today: string }) {
  const t = useTexts(invoicesTexts)
  const chosen = form.values.due_date
  return (
    <div>
      <DayField label={t.due} required min={today} {...form.getInputProps('due_date')} value={chosen} />
      <Group gap="xs" mt="xs" role="group" aria-label={t.due_quick}>
        {DUE_IN_DAYS.map((days) => {
          const day = dayOf(new Date(Date.now() + days * DAY_MS))
          return (
            <Button
              key={days}
              size="xs"
              variant={day === chosen ? 'light' : 'default'}
              aria-pressed={day === chosen}
              onClick={() => form.setFieldValue('due_date', day)}
            >
              {t.due_in(days)}
            </Button>
          )
        })}
      </Group>
    </div>
  )
}

/** Adds the element with the id `by` to the elements that describe the input, such as its own description and its error. */
function AlsoDescribed({ by, children }: { by: string; children: ReactNode }) {
  const field = use(InputWrapperContext)
  const describedBy = field.describedBy === undefined ? by : `${field.describedBy} ${by}`
  return <InputWrapperContext value={{ ...field, describedBy }}>{children}</InputWrapperContext>
}

function Items({ form }: { form: Form }) {
  const t = useTexts(invoicesTexts)
  const [message, setMessage] = useState('')
  const add = useRef<HTMLButtonElement>(null)
  const { items } = form.values
  const addLine = () => {
    form.insertListItem('items', { ...EMPTY_ITEM })
    setMessage('')
    const place = items.length
    // The focus moves after the render, because the new field does not exist before the render.
    setTimeout(() => document.querySelector<HTMLElement>(`[data-path="items.${place}.description"]`)?.focus())
  }
  const remove = (place: number) => {
    form.removeListItem('items', place)
    setMessage(t.removed(place + 1))
    add.current?.focus()
  }
  return (
    <Fieldset legend={t.items}>
      <Stack gap="sm">
        {items.map((item, place) => (
          <Item
            // biome-ignore lint/suspicious/noArrayIndexKey: a line has no id, and its fields have no state of their own
            key={place}
            {...{ form, item, place }}
            remove={items.length > 1 ? () => remove(place) : null}
          />
        ))}
        <Group justify="space-between" align="center">
          <Button ref={add} variant="default" onClick={addLine} disabled={items.length >= ITEMS_MAX}>
            {t.add}
          </Button>
          {items.length >= ITEMS_MAX ? t.too_many : null}
        </Group>
        <div className="item-total">
          <span>{t.total}</span>
          <output>
            <Amount value={itemsTotal(items)} />
          </output>
        </div>
        <span role="status" className="unseen">
          {message}
        </span>
      </Stack>
    </Fieldset>
  )
}

function Item({
  form,
  item,
  place,
  remove,
}: {
  form: Form
  item: TypedItem
  place: number
  remove: (() => void) | null
}) {
  const t = useTexts(invoicesTexts)
  const path = `items.${place}`
  const amount = lineAmount(item)
  return (
    <fieldset className="item-row" aria-label={t.item(place + 1)}>
      <TextInput label={t.description} required autoComplete="off" {...form.getInputProps(`${path}.description`)} />
      <TextInput
        label={t.quantity}
        required
        inputMode="decimal"
        autoComplete="off"
        {...form.getInputProps(`${path}.quantity`)}
      />
      <TextInput
        label={t.unit_price}
        required
        inputMode="decimal"
        autoComplete="off"
        {...form.getInputProps(`${path}.unit_price`)}
      />
      <div className="item-amount">
        {amount === null ? null : (
          <>
            <span className="unseen">{t.amount}: </span>
            <Amount value={amount} />
          </>
        )}
      </div>
      <div className="item-remove">
        {remove === null ? null : (
          <Button variant="subtle" size="xs" onClick={remove} aria-label={t.remove_item(place + 1)}>
            {t.remove}
          </Button>
        )}
      </div>
    </fieldset>
  )
}
