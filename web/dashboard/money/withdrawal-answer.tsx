// Shows the question of an operator about a withdrawal, and the form for the answer.

import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { checks } from '../../ui/checks.ts'
import { readAgain, useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Problem } from '../../ui/problem.tsx'
import { useHasRole } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import type { WithdrawalDetail } from './withdrawal-record.ts'
import { withdrawalTexts } from './withdrawal-texts.ts'

/**
 * While an operator waits for an answer, shows the question. After the answer, confirms that the server has received it.
 */
export function OperatorQuestion({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const [sent, setSent] = useState(false)
  const is_open = row.status === 'INFO_REQUESTED'
  return (
    <>
      <StatusMessage>{sent && !is_open ? t.answered : ''}</StatusMessage>
      {is_open ? (
        <section className="panel">
          <Title order={2}>{t.question_title}</Title>
          <Stack gap="md">
            <Text className="quoted">{row.status_reason ?? '–'}</Text>
            {may ? <AnswerForm row={row} sent={() => setSent(true)} /> : <Text size="sm">{t.answer_who}</Text>}
          </Stack>
        </section>
      ) : null}
    </>
  )
}

function AnswerForm({ row, sent }: { row: WithdrawalDetail; sent: () => void }) {
  const t = useTexts(withdrawalTexts)
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const draft = useDraft({ name: `answer.${row.id}`, initial: { message: '' }, check: { message: check.text(1_000) } })
  const send = draft.submit(async ({ message }, once) => {
    const params = { withdrawal_id: row.id }
    await call('POST /v1/merchant/withdrawals/{withdrawal_id}/respond', {
      params,
      body: { message: message.trim() },
      once,
    })
    sent()
    await readAgain(queries)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Textarea
          label={t.answer}
          required
          description={t.answer_help}
          rows={4}
          {...draft.form.getInputProps('message')}
        />
        <Problem error={draft.error} />
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.send_answer}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
