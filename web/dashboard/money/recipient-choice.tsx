// Lets the member choose a saved or earlier recipient in the withdrawal form, and shows the facts about this recipient.

import { NativeSelect, Text } from '@mantine/core'
import type { Calls } from '../../ui/api-types.ts'
import { type Language, useLanguage, useTexts } from '../../ui/language.ts'
import { Chip, PageLink, type Tone } from '../../ui/parts.tsx'
import { showDate } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import { recipientsTexts } from './recipients-texts.ts'
import { showIdentifier, type WithdrawalDraft, type WithdrawalFields } from './withdrawal-record.ts'

/** The saved and the earlier recipients of a business. */
export type RecipientLists = Calls['GET /v1/merchant/recipients']['data']
/** A recipient that a member saved under a name. */
export type SavedRecipient = RecipientLists['items'][number]
/** A saved recipient, or a recipient that the business paid before. */
export type KnownRecipient = SavedRecipient | RecipientLists['earlier'][number]

const CHECK_TONES: Record<string, Tone> = { same: 'good', different: 'bad', unknown: 'warn' }

/** Returns the saved name of a recipient, or else its registered name, or else its network or bank. */
export function recipientName(recipient: KnownRecipient): string {
  return 'label' in recipient ? recipient.label : (recipient.destination_name ?? recipient.destination)
}

/** Describes the destination: network or bank, and number. */
export function recipientPlace({ method, destination, destination_identifier }: KnownRecipient): string {
  return `${destination} ${showIdentifier(method, destination_identifier)}`
}

/** Says in words when the business last paid a recipient, and how often. */
export function paidBefore(
  { paid_count, last_paid_at }: KnownRecipient,
  t: (typeof recipientsTexts)['sw'],
  language: Language,
): string {
  if (last_paid_at === null) return t.never_paid
  const date = showDate(new Date(Date.parse(last_paid_at) + 3 * 3_600_000).toISOString(), language)
  return paid_count === 1 ? t.paid_once(date) : t.paid(paid_count, date)
}

/** Shows the result and the date of the last name check, or that there has been none. */
export function NameCheckChip({ recipient: { name_check, name_checked_at } }: { recipient: SavedRecipient }) {
  const t = useTexts(recipientsTexts)
  const language = useLanguage()
  if (name_check === null || name_checked_at === null) return <Chip tone="plain">{t.never_checked}</Chip>
  return (
    <>
      <Chip tone={CHECK_TONES[name_check] ?? 'plain'}>{t.checks[name_check] ?? name_check}</Chip>
      <Text size="xs" component="span" c="dimmed">
        {t.checked_on(showDate(new Date(Date.parse(name_checked_at) + 3 * 3_600_000).toISOString(), language))}
      </Text>
    </>
  )
}

/** Returns true if the provider has another name for the account of this recipient. */
export function nameDiffers(recipient: KnownRecipient): boolean {
  return 'label' in recipient && recipient.name_check === 'different'
}

/** Shows the name check of a saved recipient, and when and how often the business paid the recipient. */
export function RecipientFacts({ recipient }: { recipient: KnownRecipient }) {
  const t = useTexts(recipientsTexts)
  const language = useLanguage()
  return (
    <>
      {'label' in recipient ? <NameCheckChip recipient={recipient} /> : null}
      <span>{paidBefore(recipient, t, language)}</span>
    </>
  )
}

const destinationKey = ({ destination_code, destination_identifier }: KnownRecipient) =>
  `${destination_code} ${destination_identifier}`

/** Finds the saved or earlier recipient with this destination. Null means that the destination is new. */
export function knownRecipient(
  { items, earlier }: RecipientLists,
  code: string,
  identifier: string,
): KnownRecipient | null {
  return [...items, ...earlier].find((one) => destinationKey(one) === `${code} ${identifier}`) ?? null
}

/** Returns the values of the withdrawal form for a recipient. */
export function fieldsOf(
  recipient: KnownRecipient,
): Pick<WithdrawalFields, 'method' | 'destination_code' | 'identifier' | 'name'> {
  const { method, destination_code, destination_identifier, destination_name } = recipient
  const identifier = showIdentifier(method, destination_identifier)
  return { method, destination_code, identifier, name: destination_name ?? '' }
}

/** Shows the choice. If the business has neither saved nor earlier recipients, shows nothing. */
export function RecipientChoice({
  lists,
  chosen,
  draft: { form },
}: {
  lists: RecipientLists
  chosen: KnownRecipient | null
  draft: WithdrawalDraft
}) {
  const t = useTexts(recipientsTexts)
  const at = useEnvironmentPath()
  const { items, earlier } = lists
  if (items.length === 0 && earlier.length === 0) return null
  const option = (one: KnownRecipient) => ({
    value: destinationKey(one),
    label: `${recipientName(one)} – ${recipientPlace(one)}`,
  })
  const choose = (key: string) => {
    const found = [...items, ...earlier].find((one) => destinationKey(one) === key)
    const { method } = form.getValues()
    form.clearErrors()
    form.setValues(found ? fieldsOf(found) : { method, destination_code: '', identifier: '', name: '' })
  }
  return (
    <div>
      <NativeSelect
        label={t.choose}
        description={t.choose_help}
        value={chosen === null ? '' : destinationKey(chosen)}
        onChange={(event) => choose(event.currentTarget.value)}
        data={[
          { value: '', label: t.new_one },
          ...(items.length > 0 ? [{ group: t.group_saved, items: items.map(option) }] : []),
          ...(earlier.length > 0 ? [{ group: t.group_earlier, items: earlier.map(option) }] : []),
        ]}
      />
      {chosen === null ? null : (
        <Text size="sm" mt="xs" component="div" className="recipient-facts" role="status">
          <RecipientFacts recipient={chosen} />
        </Text>
      )}
      {chosen !== null && nameDiffers(chosen) ? (
        <Text size="sm" mt="xs" c="red">
          {t.check_says.different}
        </Text>
      ) : null}
      <Text size="sm" mt="xs">
        <PageLink to={at('recipients')}>{t.manage}</PageLink>
      </Text>
    </div>
  )
}
