// Shows the buttons that simulate the decision of the operator and the answer of the provider in the sandbox.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useAction } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { useHasRole } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import type { WithdrawalDetail } from './withdrawal-record.ts'
import { withdrawalTexts } from './withdrawal-texts.ts'

const WAITING = [
  'SUCCESS',
  'FAILED',
  'REJECTED',
  'INFO_REQUESTED',
  'NEEDS_RECONCILIATION',
  'BLOCKED_IP_WHITELIST',
  'REVERSED',
] as const
/** The outcomes that a member can simulate from each status. */
const PLAYED: Partial<Record<WithdrawalDetail['status'], readonly (typeof WAITING)[number][]>> = {
  PENDING_ADMIN_APPROVAL: WAITING,
  INFO_REQUESTED: WAITING.filter((one) => one !== 'INFO_REQUESTED'),
  PROCESSING: ['SUCCESS', 'FAILED', 'REVERSED'],
  NEEDS_RECONCILIATION: ['SUCCESS', 'FAILED', 'REVERSED'],
  BLOCKED_IP_WHITELIST: ['SUCCESS', 'FAILED', 'REVERSED'],
  SUCCESS: ['REVERSED'],
}

/** Shows a button for each outcome to administrators and finance members. */
export function SimulateOutcome({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const words = useWords()
  const may = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const play = useAction('POST /v1/sandbox/disbursements/{disbursement_id}/simulate')
  const outcomes = PLAYED[row.status] ?? []
  if (!may || (outcomes.length === 0 && !play.data)) return null
  return (
    <section className="panel no-print">
      <Title order={2}>{t.play}</Title>
      <Stack gap="sm">
        {outcomes.length === 0 ? null : <Text size="sm">{t.play_help}</Text>}
        <Group gap="xs">
          {outcomes.map((outcome) => (
            <Button
              key={outcome}
              size="xs"
              variant="default"
              disabled={play.isPending}
              onClick={() => play.mutate({ params: { disbursement_id: row.id }, body: { outcome } })}
            >
              {words.withdrawal(outcome)}
            </Button>
          ))}
        </Group>
        <StatusMessage>{play.data ? t.played(words.withdrawal(play.data.status)) : ''}</StatusMessage>
        <Problem error={play.error} />
      </Stack>
    </section>
  )
}
