// Shows one merchant: the facts, the steps to live money, members, prices and corrections.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { readAgain, useCall, useRead } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { InviteAgain, MemberSince } from '../../ui/invitation.tsx'
import { useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Chip, FactList, Mono, Page, PageButton, PageLink, PersonName, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { useDestinationName } from '../operator.ts'
import { useOperatorWords } from '../words.ts'
import { Adjustments } from './adjustments.tsx'
import { PayoutLimits } from './limits.tsx'
import { MerchantStatus } from './merchants.tsx'
import { merchantsTexts } from './merchants-texts.ts'
import { Unpriced } from './prices.tsx'
import { ReasonDialog, type ReasonQuestion } from './reason.tsx'

type MerchantDetail = Calls['GET /v1/operator/merchants/{merchant_id}']['data']
const ACTS = ['approve', 'verify', 'suspend', 'reactivate'] as const
type MerchantAction = (typeof ACTS)[number]

/**
 * Shows the merchant whose id is in the address. While the page is open, it reads the merchant again every few seconds.
 */
export function MerchantPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useTexts(merchantsTexts)
  const read = useRead('GET /v1/operator/merchants/{merchant_id}', { params: { merchant_id: id } }, { live: true })
  return (
    <Page record title={read.data?.name ?? t.title}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {read.data ? <MerchantFacts merchant={read.data} /> : null}
    </Page>
  )
}

function MerchantFacts({ merchant }: { merchant: MerchantDetail }) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const call = useCall()
  const { id, status, verified, priced } = merchant
  const invited = merchant.members.some((member) => member.first_seen_at === null)
  const inviteAgain = (member: MerchantDetail['members'][number]) =>
    member.first_seen_at === null ? (
      <ForDuty duty="merchants">
        <InviteAgain
          email={member.email}
          send={() =>
            call('POST /v1/operator/merchants/{merchant_id}/members/{member_id}/invitation', {
              params: { merchant_id: id, member_id: member.id },
              once: newIdempotencyKey(),
            })
          }
          no_mail={t.no_mail}
        />
      </ForDuty>
    ) : null
  return (
    <>
      <section className="panel">
        <Title order={2}>{t.facts}</Title>
        <FactList
          facts={[
            [t.code, <Mono key="code">{merchant.merchant_code}</Mono>],
            [t.status, <MerchantStatus key="status" of={merchant} />],
            [t.email, merchant.email],
            [t.created, <Time key="created" time={merchant.created_at} />],
          ]}
        />
        <Group mt="md" gap="md">
          <PageLink to={`withdrawals?merchant_id=${id}`}>{t.withdrawals}</PageLink>
          <PageLink to={`audit?merchant_id=${id}`}>{t.audit}</PageLink>
        </Group>
      </section>
      <LiveSteps merchant={merchant} done={{ approve: status !== 'PENDING', verify: verified, price: priced }} />
      <section className="panel">
        <Title order={2}>{t.members}</Title>
        {merchant.members.length === 0 ? (
          <Text>{t.no_members}</Text>
        ) : (
          <Table
            label={t.members}
            rows={merchant.members}
            rowKey={(row) => row.id}
            columns={[
              { label: t.email, show: (row) => <PersonName name={row.email} />, wide: true },
              { label: t.name, show: (row) => (row.name === row.email ? '–' : row.name) },
              { label: t.role, show: (row) => words.role(row.role) },
              { label: t.since, show: (row) => <MemberSince member={row} /> },
              ...(invited ? [{ label: t.acts, show: inviteAgain }] : []),
            ]}
          />
        )}
      </section>
      <PriceSummary merchant={merchant} />
      <PayoutLimits merchant_id={id} limits={merchant.payout_limits} />
      <Adjustments merchant_id={id} />
    </>
  )
}

/**
 * Shows the steps that the platform must do before the merchant can move real money, and the buttons for them. Another button
 * suspends or reactivates the merchant.
 */
function LiveSteps({
  merchant,
  done,
}: {
  merchant: MerchantDetail
  done: { approve: boolean; verify: boolean; price: boolean }
}) {
  const t = useTexts(merchantsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const [question, setQuestion] = useState<(ReasonQuestion & { act_name: MerchantAction }) | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const ask = (act: MerchantAction) =>
    setQuestion({
      act_name: act,
      name: `${act}.${merchant.id}`,
      title: t[act],
      text: t.ask[act](merchant.name),
      button: `${t[act]}: ${merchant.name.length > 40 ? `${merchant.name.slice(0, 40)}…` : merchant.name}`,
      danger: act === 'suspend',
      optional: act === 'approve' || act === 'verify',
      ...(act === 'suspend' ? { reasons: 'merchant.suspend' as const } : {}),
      act: async (reason) => {
        const body = reason === '' ? {} : { reason }
        await call(`POST /v1/operator/merchants/{merchant_id}/${act}`, { params: { merchant_id: merchant.id }, body })
        await readAgain(queries)
      },
    })
  const offered: MerchantAction[] = [
    ...(done.approve ? [] : (['approve'] as const)),
    ...(done.verify ? [] : (['verify'] as const)),
    merchant.status === 'SUSPENDED' ? 'reactivate' : 'suspend',
  ]
  return (
    <section className="panel">
      <Title order={2}>{t.steps}</Title>
      <Stack gap="sm">
        <Text>{t.steps_text}</Text>
        <Group gap="xs">
          {(
            [
              [t.approved, done.approve],
              [t.checked, done.verify],
              [t.priced, done.price],
            ] as const
          ).map(([label, is]) => (
            <Chip key={label} tone={is ? 'good' : 'wait'}>
              {label}: {is ? t.yes : t.no}
            </Chip>
          ))}
        </Group>
        <Notice text={notice} />
        <ForDuty duty="merchants" note>
          <Group gap="sm">
            {offered.map((act) => (
              <Button key={act} variant={act === 'suspend' ? 'default' : 'filled'} onClick={() => ask(act)}>
                {t[act]}
              </Button>
            ))}
          </Group>
        </ForDuty>
      </Stack>
      <ReasonDialog
        question={question}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setNotice(question === null ? null : t.done[question.act_name])
          setQuestion(null)
        }}
      />
    </section>
  )
}

function PriceSummary({ merchant }: { merchant: MerchantDetail }) {
  const t = useTexts(merchantsTexts)
  const words = useWords()
  const nameOf = useDestinationName()
  const operatorWords = useOperatorWords()
  const { rules, id } = merchant
  return (
    <section className="panel">
      <Title order={2}>{t.prices}</Title>
      <Stack gap="sm">
        <Text>{rules.length === 0 ? t.no_prices : t.prices_text}</Text>
        <Unpriced rules={rules} />
        {rules.length === 0 ? null : (
          <Table
            label={t.prices}
            rows={rules}
            rowKey={(row) => row.id}
            columns={[
              { label: t.label, show: ({ label }) => operatorWords.rule(label) || '–' },
              { label: t.flow, show: (row) => t.flows[row.flow] ?? row.flow },
              { label: t.method, show: (row) => (row.method === null ? t.any : words.method(row.method)) },
              {
                label: t.destination,
                show: ({ destination_code: code, destination_known }) =>
                  code === null ? t.any : destination_known ? nameOf(code) : t.unknown_destination(code),
              },
              { label: t.percentage, show: (row) => `${row.percentage} %`, right: true },
              { label: t.flat_fee, show: (row) => row.flat_fee, right: true },
              { label: t.processor, show: (row) => row.processor_charge, right: true },
              { label: t.pass, show: (row) => (row.processor_fee_pass_through ? t.yes : '–') },
            ]}
          />
        )}
        <ForDuty duty="platform">
          <Group>
            <PageButton to={`merchants/${id}/prices`}>{t.edit_prices}</PageButton>
          </Group>
        </ForDuty>
      </Stack>
    </section>
  )
}
