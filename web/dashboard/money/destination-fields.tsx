// Shows the fields of a recipient: the method, the network or bank, the number and the registered name.

import '../../ui/choices.css'
import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { checks } from '../../ui/checks.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { newTexts } from './withdrawal-new-texts.ts'
import { METHODS, type PayoutMethod } from './withdrawal-record.ts'

/** A network or bank that can receive a payout. */
export type PayoutDestination = Calls['GET /v1/destinations']['data']['items'][number]

/** Returns the checks of the fields of a recipient. The rules for the number depend on the method. */
export function useDestinationChecks() {
  const t = useTexts(newTexts)
  const check = checks(useLanguage())
  return {
    destination_code: (value: string, { method }: { method: PayoutMethod }) =>
      method === 'PROVIDER_PESA' ? null : check.needed(value),
    identifier: (value: string, { method }: { method: PayoutMethod }) => {
      if (method === 'MOBILE_MONEY') return check.phone(value)
      const ok = method === 'BANK_ACCOUNT' ? /^[A-Za-z0-9/-]{1,34}$/ : /^\d{6,20}$/
      if (ok.test(value.trim())) return null
      return check.needed(value) ?? (method === 'BANK_ACCOUNT' ? t.account_wrong : check.phone(value))
    },
    name: check.line(200),
  }
}

/**
 * Shows the fields. `input` returns the properties of a field of the form, and `choose` sets the method and empties the
 * network.
 */
export function DestinationFields({
  method,
  destinations,
  input,
  choose,
}: {
  method: PayoutMethod
  destinations: readonly PayoutDestination[]
  input: (name: 'destination_code' | 'identifier' | 'name') => object
  choose: (method: PayoutMethod) => void
}) {
  const t = useTexts(newTexts)
  const bank = method === 'BANK_ACCOUNT'
  const wallet = method === 'PROVIDER_PESA'
  const methods = METHODS.filter((one) => destinations.some((destination) => destination.method === one))
  const destination_choices = destinations
    .filter((one) => one.method === method)
    .map(({ code, name }) => ({ value: code, label: name }))
  return (
    <>
      <Radio.Group label={t.method} value={method} onChange={(value) => choose(value as PayoutMethod)} name="method">
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
          {...input('destination_code')}
        />
      )}
      <TextInput
        label={bank ? t.account : wallet ? t.wallet : t.phone}
        required
        description={bank ? t.account_help : wallet ? t.wallet_help : t.phone_help}
        inputMode={bank ? 'text' : 'tel'}
        autoComplete="off"
        {...input('identifier')}
      />
      <TextInput label={t.name} required description={t.name_help} autoComplete="off" {...input('name')} />
    </>
  )
}
