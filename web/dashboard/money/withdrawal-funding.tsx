// Shows the transactions that funded a withdrawal.

import { Stack, Text, Title } from '@mantine/core'
import { useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Table } from '../../ui/list.tsx'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Amount, Mono, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useEnvironmentPath } from '../merchant.ts'
import type { WithdrawalDetail } from './withdrawal-record.ts'
import { withdrawalTexts } from './withdrawal-texts.ts'

/**
 * Shows the transactions whose money the withdrawal uses. Before the server has reserved the money, shows an explanation.
 */
export function Funding({ row }: { row: WithdrawalDetail }) {
  const t = useTexts(withdrawalTexts)
  const at = useEnvironmentPath()
  const taken = row.transaction_reference !== null
  const read = useRead(
    'GET /v1/merchant/withdrawals/{withdrawal_id}/funding',
    { params: { withdrawal_id: row.id } },
    { enabled: taken },
  )
  const { data } = read
  const found = data === undefined ? '' : showAmount(data.amount_found, row.currency)
  return (
    <section className="panel">
      <Title order={2}>{t.funding}</Title>
      <Stack gap="sm">
        {taken ? null : <Text size="sm">{t.funding_none}</Text>}
        <Problem error={read.error} retry={() => void read.refetch()} />
        {taken && data === undefined && !read.error ? <LoadingRows /> : null}
        {taken && data ? (
          <>
            <Text size="sm">{t.funding_of(found, showAmount(data.total_reserved_amount, row.currency))}</Text>
            {data.complete ? null : <Text size="sm">{t.funding_part}</Text>}
            <Table
              label={t.funding}
              rows={data.items}
              rowKey={(item) => item.transaction_reference}
              columns={[
                {
                  label: t.payment,
                  show: (item) => (
                    <PageLink to={at(`transactions/${item.transaction_reference}`)}>
                      <Mono>{item.transaction_reference}</Mono>
                    </PageLink>
                  ),
                },
                {
                  label: t.credited,
                  show: (item) => <Amount value={item.amount} currency={row.currency} />,
                  right: true,
                },
                {
                  label: t.used,
                  show: (item) => <Amount value={item.amount_used} currency={row.currency} />,
                  right: true,
                },
              ]}
            />
          </>
        ) : null}
      </Stack>
    </section>
  )
}
