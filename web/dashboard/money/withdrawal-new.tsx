// Creates a withdrawal in two steps: the form, then the review with all fees. Only the review sends the withdrawal.

import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Refused } from '../../ui/api.ts'
import type { Calls } from '../../ui/api-types.ts'
import { checks, readAmount } from '../../ui/checks.ts'
import { useCall, useRead } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { EmptyState, hrefOf, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { readPhone } from '../../ui/phone-number.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { DestinationFields, type PayoutDestination, useDestinationChecks } from './destination-fields.tsx'
import {
  fieldsOf,
  type KnownRecipient,
  knownRecipient,
  RecipientChoice,
  type RecipientLists,
} from './recipient-choice.tsx'
import { recipientsTexts } from './recipients-texts.ts'
import { newTexts } from './withdrawal-new-texts.ts'
import {
  destinationFields,
  type PayoutMethod,
  type WithdrawalDraft,
  type WithdrawalFields,
} from './withdrawal-record.ts'
import { Review, type WithdrawalQuote } from './withdrawal-review.tsx'

const EMPTY: WithdrawalFields = {
  method: 'MOBILE_MONEY',
  destination_code: '',
  identifier: '',
  name: '',
  amount: '',
  reference: '',
  keep: false,
}

// The form field for each API field with another name. The names of the API fields depend on the method.
const RENAME = {
  destination_phone: 'identifier',
  destination_identifier: 'identifier',
  bank_account_number: 'identifier',
  destination_name: 'name',
  bank_account_name: 'name',
  bank_name: 'destination_code',
}

/**
 * Shows the form. If the member's role forbids withdrawals, or the business is not ready for real money, shows an explanation
 * instead.
 */
export function NewWithdrawal() {
  const t = useTexts(newTexts)
  const parts = useTexts(partsTexts)
  const { environment, membership } = useMerchantAccess()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const reached = useRead('GET /v1/destinations', { query: { environment } })
  const ready = membership.status === 'ACTIVE' && membership.verified && membership.priced
  if (!may) return <Page title={t.title}>{t.only}</Page>
  if (environment === 'live' && !ready) {
    return (
      <Page title={t.title}>
        <EmptyState
          title={facts.rehearses ? t.rehearsal_title : t.not_yet_title}
          action={<PageButton to="sandbox/withdrawals/new">{parts.try_sandbox}</PageButton>}
        >
          {t.not_yet}
        </EmptyState>
      </Page>
    )
  }
  if (reached.data === undefined) {
    return (
      <Page title={t.title} lead={t.lead}>
        {reached.error ? <Problem error={reached.error} retry={() => void reached.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  if (reached.data.items.length === 0) return <Page title={t.title}>{t.nowhere}</Page>
  return <WithdrawalSteps destinations={reached.data.items} />
}

function WithdrawalSteps({ destinations }: { destinations: readonly PayoutDestination[] }) {
  const t = useTexts(newTexts)
  const at = useEnvironmentPath()
  const call = useCall()
  const navigate = useNavigate()
  const texts = useTexts(recipientsTexts)
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const [quote, setQuote] = useState<WithdrawalQuote | null>(null)
  const draft = useDraft<WithdrawalFields>({
    name: `withdrawal.${membership.merchant_id}.${environment}`,
    initial: EMPTY,
    rename: RENAME,
    check: {
      ...useDestinationChecks(),
      amount: check.amount,
      reference: check.short(100),
    },
  })
  const recipients = useRead('GET /v1/merchant/recipients')
  useNamedRecipient(recipients.data, draft)
  const price = draft.ask(async (typed) => {
    const { method, destination_code, amount } = requestBody(typed, destinations)
    setQuote(await call('POST /v1/merchant/withdrawals/quote', { body: { method, destination_code, amount } }))
  })
  // The server has already stored the withdrawal. If the server refuses the recipient, the page only shows a message.
  const keep = (typed: WithdrawalFields, once: string) =>
    call('POST /v1/merchant/recipients', { body: destinationFields(typed), once: `${once}-keep` }).then(
      ({ label }) => showToast(texts.saved_toast(label)),
      () => showToast(texts.not_kept),
    )
  const send = draft.submit(async (typed, once) => {
    try {
      const { id } = await call('POST /v1/merchant/withdrawals', { body: requestBody(typed, destinations), once })
      if (typed.keep) await keep(typed, once)
      await navigate({ to: hrefOf(at(`withdrawals/${id}`)) })
    } catch (error) {
      // The form marks the refused fields, so the page returns to the form. The next review requests the fees again.
      if (error instanceof Refused && Object.keys(error.fieldsIn('sw')).length > 0) setQuote(null)
      throw error
    }
  })
  if (quote !== null) {
    const typed = draft.form.getValues()
    const chosen = destinations.find(({ code }) => code === quote.destination_code)
    const recipient = recipients.data ? recipientOf(recipients.data, typed) : null
    return (
      <Review {...{ typed, quote, send, draft, recipient }} place={chosen?.name ?? ''} back={() => setQuote(null)} />
    )
  }
  return (
    <Page key="form" title={t.title} lead={t.lead}>
      <form onSubmit={price} noValidate>
        <Stack gap="md" maw="34rem">
          <Fields {...{ draft, destinations }} lists={recipients.data} />
          <Problem error={draft.error} />
          <Group>
            <Button type="submit" loading={draft.sending}>
              {t.next}
            </Button>
            <Button variant="default" onClick={draft.forget}>
              {t.forget}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}

function Fields({
  draft,
  destinations,
  lists,
}: {
  draft: WithdrawalDraft
  destinations: readonly PayoutDestination[]
  lists: RecipientLists | undefined
}) {
  const t = useTexts(newTexts)
  const recipients = useTexts(recipientsTexts)
  const parts = useTexts(partsTexts)
  const { form } = draft
  const { method } = form.values
  const chosen = lists ? recipientOf(lists, form.values) : null
  const choose = (value: PayoutMethod) => {
    form.setValues({ method: value, destination_code: '' })
    form.clearErrors()
  }
  return (
    <>
      {lists ? <RecipientChoice {...{ lists, chosen, draft }} /> : null}
      <DestinationFields {...{ method, destinations, choose }} input={(name) => form.getInputProps(name)} />
      {lists === undefined || (chosen !== null && 'label' in chosen) ? null : (
        <Checkbox label={recipients.keep} {...form.getInputProps('keep', { type: 'checkbox' })} />
      )}
      <TextInput
        label={t.amount}
        required
        description={t.amount_help}
        inputMode="decimal"
        {...form.getInputProps('amount')}
      />
      <TextInput
        label={parts.optional(t.reference)}
        description={t.reference_help}
        {...form.getInputProps('reference')}
      />
    </>
  )
}

/** Finds the saved or earlier recipient with the destination in the form. Null means that the destination is new. */
function recipientOf(lists: RecipientLists, typed: WithdrawalFields): KnownRecipient | null {
  const { method, destination_code } = typed
  const { destination_identifier } = destinationFields(typed)
  return knownRecipient(lists, method === 'PROVIDER_PESA' ? method : destination_code, destination_identifier)
}

/** If the address names a recipient, fills the form with the recipient and removes it from the address. */
function useNamedRecipient(lists: RecipientLists | undefined, { form }: WithdrawalDraft): void {
  const { recipient } = useSearch({ strict: false }) as { recipient?: string }
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form changes with every key press
  useEffect(() => {
    if (recipient === undefined || lists === undefined) return
    const found = lists.items.find(({ id }) => id === recipient)
    if (found) form.setValues(fieldsOf(found))
    void navigate({ to: '.', search: {} as never, replace: true })
  }, [recipient, lists])
}

/** Converts the typed fields into the body of the request. The names of its fields depend on the method. */
function requestBody(
  typed: WithdrawalFields,
  destinations: readonly PayoutDestination[],
): Calls['POST /v1/merchant/withdrawals']['body'] {
  const { method, destination_code: code } = typed
  const name = typed.name.trim()
  const number = typed.identifier.trim()
  const reference = typed.reference.trim()
  const common = {
    method,
    amount: readAmount(typed.amount) ?? typed.amount,
    ...(reference === '' ? {} : { reference }),
    ...(method === 'PROVIDER_PESA' ? {} : { destination_code: code }),
  }
  if (method === 'BANK_ACCOUNT') {
    const bank_name = destinations.find((one) => one.code === code)?.name ?? code
    return { ...common, bank_name, bank_account_number: number, bank_account_name: name }
  }
  return { ...common, destination_phone: readPhone(number) ?? number, destination_name: name }
}
