// Shows the steps to the first live payment. If the business has the data that a step creates, the step is done.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useRead } from '../../ui/data.ts'
import { facts } from '../../ui/facts.ts'
import { useTexts } from '../../ui/language.ts'
import { PageLink, Time } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useHasRole, useMerchantAccess } from '../merchant.ts'
import { Raw } from '../raw.tsx'
import { checklistTexts } from './checklist-texts.ts'

type ChecklistItem = Calls['GET /v1/merchant/checklist']['data']['items'][number]

/** The page of each step, as a path below the console. Null means that an operator does the step, not the merchant. */
const PLACES: Record<ChecklistItem['key'], string | null> = {
  sandbox_key: 'sandbox/keys',
  first_payment: 'sandbox/links/new',
  webhook: 'sandbox/webhooks',
  business: null,
  live_key: 'live/keys',
  first_live_payment: 'live/links/new',
}

/** If at least this many steps are done, the list is folded until the member opens it in this tab. */
const FOLDED_FROM = 3

/**
 * Shows the steps until all steps are done. The member can hide and show the steps in this tab. From `FOLDED_FROM` done steps
 * on, the steps are hidden at first.
 */
export function Checklist() {
  const t = useTexts(checklistTexts)
  const { membership } = useMerchantAccess()
  const storage_key = `malipo.dashboard.steps.${membership.merchant_id}`
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(storage_key))
  const read = useRead('GET /v1/merchant/checklist', {}, { live: true, keep: true })
  const items = read.data?.items ?? []
  const done = items.filter((item) => item.done).length
  const folds = chosen === 'hidden' || (chosen !== 'shown' && done >= FOLDED_FROM)
  const folded = done < items.length && folds
  const place_key = `malipo.dashboard.steps-folded.${membership.merchant_id}`
  const is_known = read.data !== undefined
  useEffect(() => {
    if (is_known) localStorage.setItem(place_key, String(folded))
  }, [is_known, folded, place_key])
  if (read.error && !is_known) return null
  // If the steps were one line at the last visit, their place stays free while the steps load, so that the chart does not
  // move.
  if (!is_known) return localStorage.getItem(place_key) === 'true' ? <FoldedSteps done={0} all={0} /> : null
  if (done === items.length) return null
  const hide = (next: boolean) => {
    const choice = next ? 'hidden' : 'shown'
    sessionStorage.setItem(storage_key, choice)
    setChosen(choice)
  }
  if (folded) return <FoldedSteps done={done} all={items.length} show={() => hide(false)} />
  const next = items.find((item) => !item.done)
  return (
    <section className="panel" aria-labelledby="steps-title">
      <div className="section-head">
        <div>
          <Title order={2} id="steps-title">
            {t.title}
          </Title>
          <Text size="sm" c="dimmed">
            {t.progress(done, items.length)}
          </Text>
        </div>
        <Button variant="default" size="xs" onClick={() => hide(true)}>
          {t.hide}
        </Button>
      </div>
      <ol className="steps">
        {items.map((item, place) => (
          <Step key={item.key} item={item} place={place + 1} next={item === next} />
        ))}
      </ol>
    </section>
  )
}

/** Shows why the first page has no steps, below the figures, because the figures and their errors come first. */
export function ChecklistProblem() {
  const { data, error, refetch } = useRead('GET /v1/merchant/checklist', {}, { live: true, keep: true })
  return data === undefined ? <Problem error={error} retry={() => void refetch()} /> : null
}

/** Shows the number of done steps in one line. Without `show`, the line is invisible, but keeps its height. */
function FoldedSteps({ done, all, show }: { done: number; all: number; show?: () => void }) {
  const t = useTexts(checklistTexts)
  return (
    <Group className={`panel steps-folded ${show ? '' : 'steps-wait'}`} justify="space-between">
      <Text size="sm">
        {t.title}: {t.progress(done, all)}
      </Text>
      <Button variant="default" size="xs" onClick={show}>
        {t.show}
      </Button>
    </Group>
  )
}

/** Shows one step. `next` is true for the first step that is not done. */
function Step({ item, place, next }: { item: ChecklistItem; place: number; next: boolean }) {
  const t = useTexts(checklistTexts)
  const step = t.steps[item.key]
  return (
    <li className={item.done ? 'step-done' : undefined}>
      <span className="step-mark" aria-hidden="true">
        {item.done ? '✓' : place}
      </span>
      <div>
        <p>
          <strong>{facts.rehearses && 'rehearsal_name' in step ? step.rehearsal_name : step.name}</strong>{' '}
          <span className="unseen">({item.done ? t.done : t.to_do})</span>
        </p>
        {item.done ? (
          <p className="beside">
            {t.done}
            {item.done_at === null ? null : (
              <>
                {' · '}
                <Time time={item.done_at} />
              </>
            )}
          </p>
        ) : (
          <ToDo item={item} opened={next} />
        )}
      </div>
    </li>
  )
}

function ToDo({ item: { key }, opened }: { item: ChecklistItem; opened: boolean }) {
  const t = useTexts(checklistTexts)
  const { membership } = useMerchantAccess()
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const collects = useHasRole('MERCHANT_ADMIN', 'FINANCE')
  const step = t.steps[key]
  const money = key === 'first_payment' || key === 'first_live_payment'
  const may = money ? collects : develops
  const place = PLACES[key]
  const { status, verified, priced } = membership
  return (
    <Stack gap={4}>
      <Text size="sm">{facts.rehearses && 'rehearsal' in step ? step.rehearsal : step.text}</Text>
      {key === 'business' ? <Text size="sm">{t.business_status(status === 'ACTIVE', verified, priced)}</Text> : null}
      {place === null ? null : may ? (
        <Text size="sm">
          <PageLink to={place}>{step.action}</PageLink>
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          {money ? t.ask_money : t.ask}
        </Text>
      )}
      {key === 'first_payment' ? (
        <>
          <Disclosed title={t.command} opened={opened}>
            <Command />
          </Disclosed>
          <Disclosed title={t.numbers} opened={false}>
            <Numbers />
          </Disclosed>
        </>
      ) : null}
    </Stack>
  )
}

function Disclosed({ title, opened, children }: { title: string; opened: boolean; children: ReactNode }) {
  return (
    <details className="disclosed" open={opened}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

function Command() {
  const t = useTexts(checklistTexts)
  const text = [
    `curl ${facts.base_url}/v1/collections/wallet-push \\`,
    `  -H 'Authorization: Bearer ${t.key_place}' \\`,
    `  -H "Idempotency-Key: $(date +%s)" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"amount": "1000", "phone": "0754000001", "reference": "TEST-1"}'`,
  ].join('\n')
  return <Raw text={text} label={t.command} copy={t.copy} />
}

function Numbers() {
  const t = useTexts(checklistTexts)
  const rows = [...t.endings, [t.other_ending, t.other_happens]]
  return (
    <>
      <Text size="sm">{t.numbers_lead}</Text>
      <table className="small-table">
        <thead>
          <tr>
            <th scope="col">{t.ends_in}</th>
            <th scope="col">{t.happens}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([ending, happens]) => (
            <tr key={ending}>
              <th scope="row">{ending}</th>
              <td>{happens}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
