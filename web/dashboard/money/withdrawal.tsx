// Shows one withdrawal: the next step, the actions, the fees, and the timeline.

import { Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Chip, CopyButton, FactList, Mono, Page, PageButton, PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { CancelButton } from '../cancel-button.tsx'
import { useResendWebhook } from '../collect/resend-webhook.tsx'
import { useEnvironmentPath, useHasRole, useMerchantAccess } from '../merchant.ts'
import { useMetadataFact } from '../metadata.tsx'
import { Timeline } from '../timeline.tsx'
import { OperatorQuestion } from './withdrawal-answer.tsx'
import { Funding } from './withdrawal-funding.tsx'
import { SimulateOutcome } from './withdrawal-play.tsx'
import { hasReceipt, showIdentifier, type WithdrawalDetail } from './withdrawal-record.ts'
import { withdrawalTexts } from './withdrawal-texts.ts'

const TIMELINE = 'GET /v1/merchant/withdrawals/{withdrawal_id}/timeline'

/**
 * Shows the withdrawal whose id is in the address. While the page is open, it reads the withdrawal again every few seconds.
 */
export function Withdrawal() {
  const t = useTexts(withdrawalTexts)
  const { withdrawal_id } = useParams({ strict: false }) as { withdrawal_id: string }
  const read = useRead('GET /v1/merchant/withdrawals/{withdrawal_id}', { params: { withdrawal_id } }, { live: true })
  const { environment } = useMerchantAccess()
  if (read.data === undefined) {
    return (
      <Page title={t.one}>
        {read.error ? <Problem error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  const row = read.data
  return (
    <Page record title={t.title(showAmount(row.amount, row.currency))} lead={<WithdrawalLead row={row} />}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      <WithdrawalActs key={row.id} row={row} />
      <NextStep row={row} />
      <OperatorQuestion row={row} />
      <WithdrawalFacts row={row} />
      <Timeline name={TIMELINE} params={{ withdrawal_id }} />
      <Funding row={row} />
      {environment === 'sandbox' ? <SimulateOutcome row={row} /> : null}
    </Page>
  )
}

function WithdrawalLead({ row }: { row: WithdrawalDetail }) {
  const words = useWords()
  return (
    <>
      <Chip tone={toneOf(row.status)}>{words.withdrawal(row.status)}</Chip> <Time time={row.created_at} />
    </>
  )
}

function WithdrawalActs({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const at = useEnvironmentPath()
  const params = { withdrawal_id: row.id }
  const items = useRead(TIMELINE, { params }, { live: true, keep: true }).data?.items
  const resend = useResendWebhook(items)
  const has_receipt = hasReceipt(row)
  if (resend.button === null && !has_receipt) return null
  return (
    <Stack gap="xs" className="no-print">
      <Group gap="xs">
        {has_receipt ? (
          <PageButton variant="default" to={at(`withdrawals/${row.id}/receipt`)}>
            {t.receipt}
          </PageButton>
        ) : null}
        {resend.button}
      </Group>
      {resend.result}
    </Stack>
  )
}

const COLOURS = { good: 'teal', bad: 'red', wait: 'blue', warn: 'yellow', plain: 'gray' } as const

/** The statuses after which no step follows, except a reversal of a successful withdrawal. */
const ENDED: ReadonlySet<WithdrawalDetail['status']> = new Set([
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'CANCELLED',
  'REVERSED',
])

function NextStep({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const over = row.status === 'FAILED' || row.status === 'REJECTED' || row.status === 'CANCELLED'
  return (
    <Alert
      role="status"
      variant="light"
      color={COLOURS[toneOf(row.status)]}
      title={ENDED.has(row.status) ? words.withdrawal(row.status) : `${t.next_title}: ${words.withdrawal(row.status)}`}
    >
      <Stack gap="xs">
        <Text size="sm">{t.next[row.status]}</Text>
        {row.status === 'PENDING_ADMIN_APPROVAL' ? <Text size="sm">{t.mailed}</Text> : null}
        {over && may ? (
          <span>
            <PageButton to={at('withdrawals/new')} size="xs" variant="default">
              {t.again}
            </PageButton>
          </span>
        ) : null}
        {row.requires_approval && may ? <CancelWithdrawal row={row} /> : null}
      </Stack>
    </Alert>
  )
}

function CancelWithdrawal({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const [confirming, setConfirming] = useState(false)
  const act = useAction('POST /v1/merchant/withdrawals/{withdrawal_id}/cancel')
  const cancel = () =>
    act.mutate({ params: { withdrawal_id: row.id }, body: {} }, { onSuccess: () => setConfirming(false) })
  return (
    <span>
      <CancelButton
        {...{ t, act, confirming, setConfirming, cancel }}
        text={t.cancel_text(showAmount(row.amount, row.currency))}
      />
    </span>
  )
}

function WithdrawalFacts({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const words = useWords()
  const at = useEnvironmentPath()
  const destinations = useRead('GET /v1/destinations', { query: { environment: row.environment } })
  const destination_name =
    destinations.data?.items.find(({ code }) => code === row.destination_code)?.name ?? row.destination_code
  const money = (value: string) => <Amount value={value} currency={row.currency} />
  const metadata = useMetadataFact(row.metadata)
  // If all fees are zero, one line says so.
  const charged = Number(row.total_charges) > 0
  const failure = row.failure_reason_code === null ? null : words.reason(row.failure_reason_code)
  return (
    <section className="panel">
      <Title order={2}>{t.facts}</Title>
      <FactList
        facts={[
          [t.amount, <strong key="amount">{money(row.recipient_net_amount)}</strong>],
          charged ? [t.percentage, money(row.percentage_fee)] : null,
          charged ? [t.flat, money(row.flat_fee)] : null,
          charged && row.processor_fee_pass_through ? [t.processor, money(row.processor_charge)] : null,
          [t.charges, money(row.total_charges)],
          [t.total, <strong key="total">{money(row.total_reserved_amount)}</strong>],
          [t.to, row.destination_name ?? '–'],
          [t.number, showIdentifier(row.method, row.destination_identifier)],
          [t.place, row.bank_name ?? destination_name],
          [t.method, words.method(row.method)],
          [t.failure, failure],
          row.status === 'INFO_REQUESTED' ? null : [t.reason, row.status_reason],
          [t.reference, row.reference],
          metadata,
          row.transaction_reference === null
            ? null
            : [
                t.transaction,
                <PageLink key="transaction" to={at(`transactions/${row.transaction_reference}`)}>
                  <Mono>{row.transaction_reference}</Mono>
                </PageLink>,
              ],
          [
            t.provider_reference,
            row.provider_reference === null ? null : (
              <span key="provider">
                <Mono>{row.provider_reference}</Mono> <CopyButton text={row.provider_reference} />
              </span>
            ),
          ],
          [t.created, <Time key="created" time={row.created_at} />],
          row.completed_at === null ? null : [t.completed, <Time key="completed" time={row.completed_at} />],
          [
            t.id,
            <span key="id">
              <Mono>{row.id}</Mono> <CopyButton text={row.id} />
            </span>,
          ],
        ]}
      />
    </section>
  )
}
