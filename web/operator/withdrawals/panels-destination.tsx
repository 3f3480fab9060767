// Shows the destination of a withdrawal, earlier withdrawals to it, and the account name at the provider.

import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { inSwahili } from '../../ui/api-messages.ts'
import { useAction } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Chip, FactList, Mono, PageLink, Panel, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showCount, showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { useDestinationName } from '../operator.ts'
import { caseTexts } from './case-texts.ts'
import type { NameCheck, WithdrawalCaseRecord } from './record.ts'

/**
 * Returns the name checks of a withdrawal, and the function that asks the provider for the name. `all` has the newest check
 * first, and `own` is the last check of this page. Null as `check` means that no operator has asked the provider.
 */
export function useNameCheck({ withdrawal, name_checks }: WithdrawalCaseRecord) {
  const [own, setOwn] = useState<NameCheck | null>(null)
  const act = useAction('POST /v1/operator/withdrawals/{withdrawal_id}/name-check')
  const look = () => {
    if (!act.isPending) act.mutate({ params: { withdrawal_id: withdrawal.id }, body: {} }, { onSuccess: setOwn })
  }
  const recorded = name_checks[0]
  // The server records an own check, so the next read of the case contains it.
  const all =
    own !== null && (recorded === undefined || own.checked_at > recorded.checked_at)
      ? [own, ...name_checks]
      : name_checks
  return { check: all[0] ?? null, all, own, look, error: act.error, is_pending: act.isPending }
}

/** Shows the recipient, the earlier withdrawals to this destination, and the name check. */
export function Destination({
  of,
  name_check,
}: {
  of: WithdrawalCaseRecord
  name_check: ReturnType<typeof useNameCheck>
}) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const nameOf = useDestinationName()
  const { withdrawal, destination } = of
  const { currency } = withdrawal
  const { open_payout: open } = destination
  return (
    <Panel title={t.destination}>
      <FactList
        facts={[
          [t.name, <strong key="name">{withdrawal.destination_name ?? '–'}</strong>],
          [t.network, withdrawal.bank_name ?? nameOf(withdrawal.destination_code)],
          [
            t.number,
            withdrawal.method === 'BANK_ACCOUNT' ? (
              <Mono key="account">{withdrawal.destination_identifier}</Mono>
            ) : (
              <strong key="number">{showPhone(withdrawal.destination_identifier)}</strong>
            ),
          ],
          [t.method, words.method(withdrawal.method)],
          destination.first_paid_at === null
            ? null
            : [t.first_paid, <Time key="first" time={destination.first_paid_at} />],
          destination.last_paid_at === null ? null : [t.last_paid, <Time key="last" time={destination.last_paid_at} />],
          open === null
            ? null
            : [
                t.open_payout,
                <Group key="open" gap="xs">
                  <PageLink to={`withdrawals/${open.withdrawal_id}`}>{showAmount(open.amount, currency)}</PageLink>
                  <Chip tone={toneOf(open.status)}>{words.withdrawal(open.status)}</Chip>
                  <Time time={open.changed_at} />
                </Group>,
                'wide',
              ],
        ]}
      />
      <Text size="sm">
        {destination.paid_count > 0
          ? t.paid_before(showCount(destination.paid_count), showAmount(destination.paid_amount, currency))
          : t.never}
      </Text>
      <OtherMerchants destination={destination} />
      <Name name_check={name_check} />
    </Panel>
  )
}

/** Lists the other merchants that paid this destination last, each with its name for the recipient. */
function OtherMerchants({ destination }: Pick<WithdrawalCaseRecord, 'destination'>) {
  const t = useTexts(caseTexts)
  const { other_merchants, newest_other_merchants: newest } = destination
  if (newest.length === 0) return null
  const more = other_merchants - newest.length
  return (
    <div>
      <Text size="sm">{t.others(showCount(other_merchants))}</Text>
      <ul className="other-merchants" aria-label={t.others(showCount(other_merchants))}>
        {newest.map(({ merchant_id, name, destination_name, last_paid_at }) => (
          <li key={merchant_id}>
            <PageLink to={`merchants/${merchant_id}`}>{name}</PageLink>
            <Text size="sm">{destination_name === null ? t.others_unnamed : t.others_name(destination_name)}</Text>
            <Text size="sm" c="dimmed">
              {t.others_last} <Time time={last_paid_at} />
            </Text>
          </li>
        ))}
      </ul>
      {more > 0 ? <Text size="sm">{t.others_more(showCount(more))}</Text> : null}
    </div>
  )
}

/** Shows the name checks, newest first, and the button that asks the provider. */
function Name({ name_check: { all, own, look, error, is_pending } }: { name_check: ReturnType<typeof useNameCheck> }) {
  const t = useTexts(caseTexts)
  const result = useRef<HTMLDivElement>(null)
  // The warnings also say the result. If the operator used the key and sees no warnings, the page scrolls to the result.
  useEffect(() => {
    if (own === null) return
    const warnings = document.querySelector('.case-warnings')?.getBoundingClientRect()
    const is_said = warnings !== undefined && warnings.bottom > 0 && warnings.top < window.innerHeight
    if (!is_said) result.current?.scrollIntoView({ block: 'nearest' })
    // The button that had the focus may have left the page with the warning.
    if (document.activeElement === document.body) result.current?.focus({ preventScroll: true })
  }, [own])
  const [newest, ...older] = all
  return (
    <Stack gap="xs">
      <div role="status" ref={result} tabIndex={-1}>
        {newest === undefined ? null : <CheckAnswer check={newest} />}
      </div>
      {older.length === 0 ? null : (
        <ul className="name-checks" aria-label={t.earlier_checks}>
          {older.map((check) => (
            <li key={check.checked_at}>
              <CheckAnswer check={check} />
            </li>
          ))}
        </ul>
      )}
      <Problem error={error} retry={look} />
      <ForDuty duty="money">
        <Group className="no-print">
          <Button size="xs" variant="default" loading={is_pending} onClick={look}>
            {newest === undefined ? t.check : t.check_again}
          </Button>
        </Group>
      </ForDuty>
    </Stack>
  )
}

/** Shows the answer to one name check, with the operator and the time. */
function CheckAnswer({ check: { name, matches, message, checked_by, checked_at } }: { check: NameCheck }) {
  const t = useTexts(caseTexts)
  const language = useLanguage()
  const translated = message !== null && language === 'sw' ? inSwahili(message) : null
  return (
    <Group gap="xs">
      {matches === null ? (
        <Chip tone="plain">{name === null ? t.check_unknown : t.check_unstated}</Chip>
      ) : (
        <Chip tone={matches ? 'good' : 'bad'}>{matches ? t.check_same : t.check_differs}</Chip>
      )}
      <Text size="sm" lang={name === null && translated === null ? 'en' : undefined} className="who">
        {name === null ? (translated ?? message) : t.check_name(name)}
      </Text>
      <Text size="sm" c="dimmed" className="who">
        {checked_by} · <Time time={checked_at} />
      </Text>
    </Group>
  )
}
