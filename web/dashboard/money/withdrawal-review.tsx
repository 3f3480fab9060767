// Shows the review before the member submits a withdrawal: the recipient, each fee that the merchant pays, and the remaining
// balance.

import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { FormEvent } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Amount, Page } from '../../ui/parts.tsx'
import { readPhone } from '../../ui/phone-number.ts'
import { Problem } from '../../ui/problem.tsx'
import { addAmounts, showAmount } from '../../ui/show.ts'
import { useOpenRequests } from './open-requests.ts'
import { type KnownRecipient, nameDiffers, RecipientFacts } from './recipient-choice.tsx'
import { recipientsTexts } from './recipients-texts.ts'
import { newTexts } from './withdrawal-new-texts.ts'
import { showIdentifier, type WithdrawalDraft, type WithdrawalFields } from './withdrawal-record.ts'

/** The fees of a withdrawal, as the server computed them for the review. */
export type WithdrawalQuote = Calls['POST /v1/merchant/withdrawals/quote']['data']

/**
 * Shows the review. `place` is the name of the network, bank or wallet. `send` submits the withdrawal. Null as `recipient` means
 * that the business neither saved nor lately paid the recipient.
 */
export function Review(props: {
  typed: WithdrawalFields
  quote: WithdrawalQuote
  place: string
  recipient: KnownRecipient | null
  draft: WithdrawalDraft
  send: (event?: FormEvent<HTMLFormElement>) => void
  back: () => void
}) {
  const t = useTexts(newTexts)
  const { typed, quote, place, recipient, draft, send, back } = props
  const balance = useRead('GET /v1/merchant/balance', {}, { live: true })
  const { currency, total_reserved_amount } = quote
  const limits = useRead('GET /v1/merchant/payout-limits', {}, { live: true })
  const available = balance.data?.available
  const after = available === undefined ? null : addAmounts([available, `-${total_reserved_amount}`])
  const short = after?.startsWith('-') === true
  const open = useOpenRequests()
  const after_all = after === null || !open.data?.amount ? null : addAmounts([after, `-${open.data.amount}`])
  return (
    <Page key="review" title={t.review_title} lead={t.review_lead}>
      <form onSubmit={send}>
        <Stack gap="md" maw="38rem">
          {recipient !== null && nameDiffers(recipient) ? <NameWarning /> : null}
          <section className="panel" aria-label={t.review_title}>
            <table className="sums">
              <tbody>
                <Line label={t.gets} strong>
                  <Amount value={quote.recipient_net_amount} currency={currency} />
                </Line>
                <Line label={t.where}>{whereTo(typed, place, t)}</Line>
                {recipient === null ? null : (
                  <Line label={t.known}>
                    <div className="recipient-facts">
                      <RecipientFacts recipient={recipient} />
                    </div>
                  </Line>
                )}
                {typed.reference.trim() === '' ? null : <Line label={t.reference}>{typed.reference.trim()}</Line>}
                <Fees quote={quote} />
                <Line label={t.total} strong>
                  <Amount value={total_reserved_amount} currency={currency} />
                </Line>
                <Line label={t.now}>
                  <Amount value={available ?? null} currency={currency} />
                </Line>
                <Line label={open.data?.count === 0 ? t.after : t.after_this}>
                  <Amount value={after} currency={currency} />
                </Line>
                {open.data === undefined || open.data.count === 0 ? null : (
                  <>
                    <Line label={t.open(open.data.count)}>
                      <Amount value={open.data.amount} currency={currency} />
                    </Line>
                    <Line label={t.after_all}>
                      <Amount value={after_all} currency={currency} />
                    </Line>
                  </>
                )}
              </tbody>
            </table>
          </section>
          <Problem error={balance.error} retry={() => void balance.refetch()} />
          <Problem error={open.error} retry={open.refetch} />
          {short ? (
            <Alert color="red" variant="light" role="alert">
              {t.short}
            </Alert>
          ) : (
            <Alert color="yellow" variant="light" title={t.warn_title}>
              {t.warn}
            </Alert>
          )}
          <Text size="sm">
            {after_all?.startsWith('-') && !short ? `${t.short_of_all} ` : null}
            {t.approval} {t.priced}
          </Text>
          {limits.data ? <DailyLimits limits={limits.data} currency={currency} /> : null}
          <Problem error={draft.error} />
          <Group>
            <Button type="submit" loading={draft.sending} disabled={short}>
              {t.submit(showAmount(quote.withdrawal_amount, currency))}
            </Button>
            <Button variant="default" onClick={back} disabled={draft.sending}>
              {t.back}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  )
}

function NameWarning() {
  const t = useTexts(recipientsTexts)
  return (
    <Alert color="red" variant="light" role="alert" title={t.checks.different}>
      {t.check_says.different}
    </Alert>
  )
}

type LimitFacts = Calls['GET /v1/merchant/payout-limits']['data']

/** Shows the daily limits of the merchant. If the merchant has no limit, shows nothing. */
function DailyLimits({ limits, currency }: { limits: LimitFacts; currency: string }) {
  const t = useTexts(newTexts)
  const { daily_limit, daily_limit_per_destination, approved_today } = limits
  const texts = [
    daily_limit === null ? null : t.daily(showAmount(daily_limit, currency), showAmount(approved_today, currency)),
    daily_limit_per_destination === null
      ? null
      : t.daily_destination(showAmount(daily_limit_per_destination, currency)),
  ].filter((text) => text !== null)
  return texts.length === 0 ? null : <Text size="sm">{texts.join(' ')}</Text>
}

function Fees({ quote }: { quote: WithdrawalQuote }) {
  const t = useTexts(newTexts)
  const fees: [string, string][] = [
    [t.percentage, quote.percentage_fee],
    [t.flat, quote.flat_fee],
    // If the merchant does not pay the provider's charge, the review does not show the charge.
    ...(quote.processor_fee_pass_through ? ([[t.processor, quote.processor_charge]] as [string, string][]) : []),
    [t.charges, quote.total_charges],
  ]
  return fees.map(([label, value]) => (
    <Line key={label} label={label}>
      <Amount value={value} currency={quote.currency} />
    </Line>
  ))
}

function Line({ label, strong = false, children }: { label: string; strong?: boolean; children: React.ReactNode }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{strong ? <strong>{children}</strong> : children}</td>
    </tr>
  )
}

/** Describes the recipient in one line: name, number, and network or bank. */
function whereTo(typed: WithdrawalFields, place: string, t: (typeof newTexts)['sw']): string {
  const name = typed.name.trim()
  const number = typed.identifier.trim()
  if (typed.method === 'BANK_ACCOUNT') return t.to_bank(name, number, place)
  return t.to_phone(name, showIdentifier(typed.method, readPhone(number) ?? number), place)
}
