// Creates a withdrawal in two steps: the form, then the review with all fees. Only the review sends the request.

import '../../ui/choices.css'
import { Button, Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Refused } from '../../ui/api.ts'
import type { Calls } from '../../ui/api-types.ts'
import { checks, readAmount, readPhone } from '../../ui/checks.ts'
import { useCall, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/list.tsx'
import { EmptyState, hrefOf, Page, PageButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { newTexts } from './withdrawal-new-texts.ts'
import { METHODS, type PayoutMethod, type WithdrawalDraft, type WithdrawalFields } from './withdrawal-record.ts'
import { Review, type WithdrawalQuote } from './withdrawal-review.tsx'

/** A network or bank that can receive a payout. */
type PayoutDestination = Calls['GET /v1/destinations']['data']['items'][number]

const EMPTY: WithdrawalFields = {
  method: 'MOBILE_MONEY',
  destination_code: '',
  identifier: '',
  name: '',
  amount: '',
  reference: '',
}

// The form field for each field of the API. The names of the API fields depend on the method.
const RENAME = {
  destination_phone: 'identifier',
  destination_identifier: 'identifier',
  bank_account_number: 'identifier',
  destination_name: 'name',
  bank_account_name: 'name',
  bank_name: 'destination_code',
}

/** Shows the page of a new withdrawal. If the reader's role forbids withdrawals, shows an explanation instead. */
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
          title={t.not_yet_title}
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
  const check = checks(useLanguage())
  const { environment, membership } = useMerchantAccess()
  const [quote, setQuote] = useState<WithdrawalQuote | null>(null)
  const identifier = (value: string, { method }: WithdrawalFields) => {
    if (method === 'MOBILE_MONEY') return check.phone(value)
    const ok = method === 'BANK_ACCOUNT' ? /^[A-Za-z0-9/-]{1,34}$/ : /^\d{6,20}$/
    if (ok.test(value.trim())) return null
    return check.needed(value) ?? (method === 'BANK_ACCOUNT' ? t.account_wrong : check.phone(value))
  }
  const draft = useDraft<WithdrawalFields>({
    name: `withdrawal.${membership.merchant_id}.${environment}`,
    initial: EMPTY,
    rename: RENAME,
    check: {
      destination_code: (value, { method }) => (method === 'PROVIDER_PESA' ? null : check.needed(value)),
      identifier,
      name: check.needed,
      amount: check.amount,
    },
  })
  const price = draft.ask(async (typed) => {
    const { method, destination_code, amount } = requestBody(typed, destinations)
    setQuote(await call('POST /v1/merchant/withdrawals/quote', { body: { method, destination_code, amount } }))
  })
  const send = draft.submit(async (typed, once) => {
    try {
      const { id } = await call('POST /v1/merchant/withdrawals', { body: requestBody(typed, destinations), once })
      await navigate({ to: hrefOf(at(`withdrawals/${id}`)) })
    } catch (error) {
      // The form marks the refused fields. The next review reads the fees again.
      if (error instanceof Refused && Object.keys(error.fieldsIn('sw')).length > 0) setQuote(null)
      throw error
    }
  })
  if (quote !== null) {
    const typed = draft.form.getValues()
    const chosen = destinations.find(({ code }) => code === quote.destination_code)
    return <Review {...{ typed, quote, send, draft }} place={chosen?.name ?? ''} back={() => setQuote(null)} />
  }
  return (
    <Page key="form" title={t.title} lead={t.lead}>
      <form onSubmit={price} noValidate>
        <Stack gap="md" maw="34rem">
          <Fields {...{ draft, destinations }} />
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
  draft: { form },
  destinations,
}: {
  draft: WithdrawalDraft
  destinations: readonly PayoutDestination[]
}) {
  const t = useTexts(newTexts)
  const parts = useTexts(partsTexts)
  const { method } = form.values
  const bank = method === 'BANK_ACCOUNT'
  const wallet = method === 'PROVIDER_PESA'
  const methods = METHODS.filter((one) => destinations.some((destination) => destination.method === one))
  const destination_choices = destinations
    .filter((one) => one.method === method)
    .map(({ code, name }) => ({ value: code, label: name }))
  const choose = (value: string) => {
    form.setFieldValue('method', value as PayoutMethod)
    form.setFieldValue('destination_code', '')
    form.clearErrors()
  }
  return (
    <>
      <Radio.Group label={t.method} value={method} onChange={choose} name="method">
        <Stack gap="xs" mt="xs">
          {methods.map((one) => (
            <Radio key={one} value={one} label={t.methods[one]} />
          ))}
        </Stack>
      </Radio.Group>
      {wallet ? null : (
        <NativeSelect
          label={bank ? t.bank : t.network}
          required
          data={[{ value: '', label: t.choose }, ...destination_choices]}
          {...form.getInputProps('destination_code')}
        />
      )}
      <TextInput
        label={bank ? t.account : wallet ? t.wallet : t.phone}
        required
        description={bank ? t.account_help : wallet ? t.wallet_help : t.phone_help}
        inputMode={bank ? 'text' : 'tel'}
        autoComplete="off"
        {...form.getInputProps('identifier')}
      />
      <TextInput
        label={t.name}
        required
        description={t.name_help}
        autoComplete="off"
        maxLength={200}
        {...form.getInputProps('name')}
      />
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
        maxLength={100}
        {...form.getInputProps('reference')}
      />
    </>
  )
}

/** Converts the fields into the request body that the API expects. */
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
