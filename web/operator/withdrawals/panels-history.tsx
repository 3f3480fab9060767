// Shows questions and answers, the status history, and the earlier withdrawals of the merchant.

import { Text, Title } from '@mantine/core'
import { useTexts } from '../../ui/language.ts'
import { type Column, Table } from '../../ui/list.tsx'
import { Amount, Chip, Panel, Time } from '../../ui/parts.tsx'
import { showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { useOperatorWords } from '../words.ts'
import { caseTexts } from './case-texts.ts'
import { isApprovable, type WithdrawalCaseRecord } from './record.ts'

type HistoryEntry = WithdrawalCaseRecord['withdrawal']['history'][number]

const isQuestion = ({ from_status, to_status }: HistoryEntry) =>
  to_status === 'INFO_REQUESTED' && from_status !== to_status
const isMerchantAnswer = ({ from_status, to_status }: HistoryEntry) =>
  from_status === 'INFO_REQUESTED' && to_status === 'PENDING_ADMIN_APPROVAL'

const isApproval = ({ from_status, to_status, actor }: HistoryEntry) =>
  to_status === 'PROCESSING' && isApprovable({ status: from_status }) && actor.kind === 'operator'

/** Shows the questions to the merchant with the answers. If no operator has asked a question, shows nothing. */
export function Talk({ of: { withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const talk = withdrawal.history.filter((entry) => isQuestion(entry) || isMerchantAnswer(entry))
  if (talk.length === 0) return null
  return (
    <Panel title={t.talk}>
      <ol className="timeline">
        {talk.map((entry) => (
          <li key={entry.at}>
            <Text size="sm" fw={600}>
              {isQuestion(entry) ? t.question : t.answered}
            </Text>
            <Text className="written">{entry.reason}</Text>
            <Text size="sm" c="dimmed" className="who">
              {entry.actor.name} · <Time time={entry.at} />
            </Text>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Shows the status history, oldest status first, with the actor and the reason of each change. */
export function HistoryPanel({ of: { withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const operatorWords = useOperatorWords()
  if (withdrawal.history.length === 0) return null
  return (
    <Panel title={t.history}>
      <ol className="timeline">
        {withdrawal.history.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the history only grows at its end
          <li key={place}>
            <Text size="sm" fw={600}>
              {entry.from_status === entry.to_status
                ? t.noted
                : isApproval(entry)
                  ? t.approved
                  : words.withdrawal(entry.to_status)}
            </Text>
            {entry.reason ? (
              <Text className="written">
                {entry.actor.kind === 'provider' ? words.report(entry.reason) : entry.reason}
              </Text>
            ) : null}
            {entry.event ? <Text size="sm">{t.webhook(entry.event)}</Text> : null}
            <Text size="sm" c="dimmed" className="who">
              {t.by(operatorWords.actor(entry.actor.kind), entry.actor.name)} · <Time time={entry.at} />
            </Text>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Shows the newest earlier withdrawals of the merchant, to any destination. */
export function Earlier({ of: { earlier, withdrawal } }: { of: WithdrawalCaseRecord }) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const columns: Column<WithdrawalCaseRecord['earlier'][number]>[] = [
    { label: t.time, show: (row) => <Time time={row.created_at} /> },
    { label: t.amount, show: (row) => <Amount value={row.amount} currency={withdrawal.currency} />, right: true },
    { label: t.number, show: (row) => showPhone(row.destination_identifier) },
    { label: t.status, show: (row) => <Chip tone={toneOf(row.status)}>{words.withdrawal(row.status)}</Chip> },
    { label: t.reason, show: (row) => (row.reason === null ? '–' : words.provider_status(row.reason)) },
  ]
  return (
    <section className="panel">
      <Title order={2}>{t.earlier}</Title>
      {earlier.length === 0 ? (
        <Text size="sm">{t.no_earlier}</Text>
      ) : (
        <Table
          label={t.earlier}
          rows={earlier}
          columns={columns}
          rowKey={(row) => row.withdrawal_id}
          href={(row) => `withdrawals/${row.withdrawal_id}`}
        />
      )}
    </section>
  )
}
