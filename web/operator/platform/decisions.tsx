// Shows the decisions that wait for a second operator. Each row links to the page where the second operator can make the same
// decision.

import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { Amount, Chip, EmptyState, Page, Time } from '../../ui/parts.tsx'
import { useWords } from '../../ui/words.ts'

type DecisionRow = Calls['GET /v1/operator/decisions']['data']['items'][number]

const decisionsTexts = texts({
  sw: {
    title: 'Maamuzi ya pili',
    lead: 'Mwendeshaji wa kwanza ameamua, na hakuna pesa zilizohama. Mwendeshaji mwingine lazima afanye uamuzi uleule.',
    what: 'Uamuzi',
    content: 'Kilichoamuliwa',
    actions: {
      'withdrawal.approve': 'Idhini ya utoaji pesa',
      'withdrawal.resolve': 'Matokeo ya utoaji pesa',
      'collection.clear': 'Malipo yaliyozuiwa',
      'adjustment.create': 'Marekebisho ya salio',
    } as Record<string, string>,
    contents: {
      SUCCESS: 'umefika',
      FAILED: 'haukufika',
      approve: 'yaidhinishwe',
      decline: 'yakataliwe',
      credit: 'ongeza salio',
      debit: 'punguza salio',
      provider_float: 'dhidi ya pesa kwa mtoa huduma',
      fee_income: 'dhidi ya makato yetu',
      processor_cost: 'dhidi ya makato ya mtoa huduma',
    } as Record<string, string>,
    merchant: 'Biashara',
    amount: 'Kiasi',
    first: 'Uamuzi wa kwanza',
    by: (name: string) => `na ${name}`,
    expires: 'Unahesabiwa hadi',
    empty: 'Hakuna uamuzi unaosubiri',
    teach: 'Uamuzi unaohitaji waendeshaji wawili unaonekana hapa baada ya wa kwanza kuamua.',
  },
  en: {
    title: 'Second decisions',
    lead: 'The first operator has decided, and no money has moved. Another operator must make the same decision.',
    what: 'Decision',
    content: 'Decided',
    actions: {
      'withdrawal.approve': 'Approval of a withdrawal',
      'withdrawal.resolve': 'Outcome of a withdrawal',
      'collection.clear': 'Held payment',
      'adjustment.create': 'Adjustment of the balance',
    },
    contents: {
      SUCCESS: 'it arrived',
      FAILED: 'it did not arrive',
      approve: 'approve',
      decline: 'decline',
      credit: 'raise the balance',
      debit: 'lower the balance',
      provider_float: 'against money at the provider',
      fee_income: 'against our fees',
      processor_cost: "against the provider's fees",
    },
    merchant: 'Merchant',
    amount: 'Amount',
    first: 'First decision',
    by: (name: string) => `by ${name}`,
    expires: 'Counts until',
    empty: 'No decision is waiting',
    teach: 'A decision that needs two operators is here after the first operator has decided.',
  },
})

/** Returns the path of the page on which a second operator makes the decision. */
function pageOfDecision({ action, target_id, merchant_id }: DecisionRow): string {
  if (action === 'adjustment.create') return `merchants/${merchant_id}`
  return action === 'collection.clear' ? `payments/${target_id}` : `withdrawals/${target_id}`
}

/**
 * Shows the waiting decisions, with the first operator. While the page is open, it reads the list again every few seconds.
 */
export function WaitingDecisions() {
  const t = useTexts(decisionsTexts)
  const words = useWords()
  const list = useListQuery([])
  const read = useRead('GET /v1/operator/decisions', { query: list.query }, { live: true, keep: true })
  const columns: Column<DecisionRow>[] = [
    {
      label: t.what,
      show: (row) => t.actions[row.action] ?? row.action,
    },
    {
      label: t.content,
      show: (row) =>
        [row.outcome, row.decision, row.direction, row.against]
          .flatMap((one) => (one === undefined ? [] : [t.contents[one] ?? one]))
          .join(', ') || '–',
    },
    { label: t.amount, show: (row) => <Amount value={row.amount} />, right: true },
    {
      label: t.merchant,
      show: (row) => (
        <span>
          {row.merchant_name}{' '}
          {row.environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
        </span>
      ),
    },
    {
      label: t.first,
      show: (row) => (
        <div className="who">
          <Time time={row.decided_at} /> {t.by(row.operator)}
          <div className="written">{row.reason}</div>
        </div>
      ),
    },
    { label: t.expires, show: (row) => (row.expires_at === null ? '–' : <Time time={row.expires_at} />) },
  ]
  return (
    <Page title={t.title} lead={t.lead}>
      <List
        label={t.title}
        {...{ read, list, columns }}
        filters={[]}
        href={pageOfDecision}
        rowKey={(row) => `${row.action} ${row.target_id} ${row.decided_at}`}
        empty={<EmptyState title={t.empty}>{t.teach}</EmptyState>}
      />
    </Page>
  )
}
