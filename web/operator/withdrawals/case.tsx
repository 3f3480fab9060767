// Shows one withdrawal on one screen: the facts for the decision, and the decision.

import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Chip, Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAge, showAmount, showCount } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { ForDuty } from '../duty.tsx'
import { type Shortcut, Shortcuts } from '../keys.tsx'
import { Notice } from '../notice.tsx'
import { useOpenQuestion } from '../open-question.ts'
import { useMay, useMe, useQueue } from '../operator.ts'
import { isolateDirection } from '../words.ts'
import { caseTexts } from './case-texts.ts'
import { Decide } from './decide.tsx'
import { EvidencePanel } from './evidence.tsx'
import { isWarning, useFlags } from './flags.ts'
import {
  ApprovalPanel,
  ChargesPanel,
  MerchantMoney,
  PayoutPanel,
  StatusPanel,
  VelocityPanel,
  WarningPanel,
} from './panels.tsx'
import { Destination, useNameCheck } from './panels-destination.tsx'
import { Earlier, HistoryPanel, Talk } from './panels-history.tsx'
import { ACTIONS, type ActionName, allowedActions, type WithdrawalCaseRecord } from './record.ts'
import { useNeighbours } from './walk.ts'

/**
 * Shows the withdrawal whose id is in the address. While the page is open, it reads the withdrawal again every few seconds.
 */
export function WithdrawalCase() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const t = useTexts(caseTexts)
  const params = { withdrawal_id: id }
  const read = useRead('GET /v1/operator/withdrawals/{withdrawal_id}/case', { params }, { live: true })
  if (read.data !== undefined)
    return <Whole key={id} of={read.data} error={read.error} retry={() => void read.refetch()} />
  return (
    <Page
      key={id}
      title={t.withdrawal}
      actions={
        <PageButton to="withdrawals" variant="default" size="xs">
          {t.list}
        </PageButton>
      }
    >
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.error ? null : <LoadingRows />}
    </Page>
  )
}

function Whole({ of, error, retry }: { of: WithdrawalCaseRecord; error: unknown; retry: () => void }) {
  const t = useTexts(caseTexts)
  const words = useWords()
  const language = useLanguage()
  const me = useMe()
  const [notice, setNotice] = useState<string | null>(null)
  const [decided, setDecided] = useState(false)
  const { open_question, ask } = useOpenQuestion(ACTIONS)
  const { withdrawal } = of
  const name_check = useNameCheck(of)
  const { check } = name_check
  const acts = allowedActions(of, me)
  // If the name on the account differs from the stated name, the merchant must explain it before an approval.
  const name_differs = check?.matches === false
  const careful = acts.find((act) => act === 'ask') ?? acts.find((act) => act !== 'approve')
  const flags = useFlags(of, check)
  // With another warning, the name check comes before the approval, so its button is the main one.
  const asks_name = acts[0] === 'approve' && check === null && flags.some(isWarning)
  const primary = asks_name ? null : name_differs && acts[0] === 'approve' ? careful : acts[0]
  const { amount, currency, destination_name, status, environment, created_at } = withdrawal
  const done = (text: string) => {
    ask(null)
    setNotice(text)
    setDecided(true)
  }
  // An open dialog stays open after a decision by another operator. In this case, the API refuses the decision of the dialog.
  const [begun, begin] = useState<ActionName | null>(null)
  const act = open_question !== null && (acts.includes(open_question) || open_question === begun) ? open_question : null
  if (act !== begun) begin(act)
  return (
    <Page
      record
      title={t.title(showAmount(amount, currency), isolateDirection(destination_name ?? t.no_name))}
      lead={
        <Group gap="xs">
          <Chip tone={toneOf(status)}>{words.withdrawal(status)}</Chip>
          {environment === 'sandbox' ? <Chip tone="plain">{words.environment('sandbox')}</Chip> : null}
          <span>
            {t.of(isolateDirection(withdrawal.merchant_name))}, {t.submitted(showAge(created_at, language))}
          </span>
        </Group>
      }
    >
      <div>
        <Ways
          id={withdrawal.id}
          {...{ environment, acts, ask, decided, notice }}
          lookUpName={name_check.look}
          say={setNotice}
        />
      </div>
      <Problem error={error} retry={retry} />
      <ForDuty duty="money" note>
        <Group gap="sm" className="no-print">
          {acts.map((act) => (
            <Button
              key={act}
              variant={act === primary ? 'filled' : 'default'}
              color={act === 'reject' ? 'red' : undefined}
              onClick={() => ask(act)}
            >
              {t[act]}
            </Button>
          ))}
        </Group>
      </ForDuty>
      <StatusPanel of={of} />
      <ApprovalPanel of={of} />
      <WarningPanel of={of} flags={flags} name_check={name_check} asks_name={asks_name} />
      <EvidencePanel of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <ChargesPanel of={of} />
        <Destination of={of} name_check={name_check} />
        <MerchantMoney of={of} />
        <VelocityPanel of={of} />
        <PayoutPanel of={of} />
        <Talk of={of} />
        <HistoryPanel of={of} />
      </SimpleGrid>
      <Earlier of={of} />
      <Text size="sm" c="dimmed">
        {t.id}: <code className="mono">{withdrawal.id}</code>
      </Text>
      <Decide
        of={of}
        flags={flags}
        check={check}
        name_differs={name_differs}
        act={act}
        onClose={() => ask(null)}
        onDone={done}
      />
    </Page>
  )
}

/**
 * Links to the list and to its previous and next withdrawals, also by shortcuts. Other shortcuts open the decisions and ask the
 * provider for the name. After a decision, a button below its result has the focus, so that Enter opens the next withdrawal.
 * Without a next withdrawal, this button opens the list or the queue.
 */
function Ways({
  id,
  environment,
  acts,
  ask,
  lookUpName,
  say,
  decided,
  notice,
}: {
  id: string
  environment: WithdrawalCaseRecord['withdrawal']['environment']
  acts: readonly ActionName[]
  ask: (act: ActionName) => void
  lookUpName: () => void
  say: (text: string) => void
  decided: boolean
  notice: string | null
}) {
  const t = useTexts(caseTexts)
  const may_decide = useMay('money')
  const { list, steps } = useNeighbours(id)
  const [error, setError] = useState<unknown>(null)
  const after = useRef<HTMLDivElement>(null)
  const next = async () => {
    setError(null)
    try {
      if ((await steps?.next()) === false) say(t.last)
    } catch (thrown) {
      setError(thrown)
    }
  }
  const opens = (act: ActionName, key: string, does: string): Shortcut[] =>
    acts.includes(act) ? [{ key, does, run: () => ask(act) }] : []
  const keys: Shortcut[] = [
    { key: 'j', does: t.key_next, run: () => void next() },
    { key: 'k', does: t.key_previous, run: () => void steps?.previous() },
    ...opens('approve', 'a', t.key_approve),
    ...opens('reject', 'r', t.key_reject),
    ...opens('ask', 'i', t.key_ask),
    ...(may_decide ? [{ key: 'n', does: t.check, run: lookUpName }] : []),
  ]
  return (
    <>
      <Group gap="xs" component="nav" aria-label={t.list} className="no-print">
        <PageButton to={list} variant="default" size="xs">
          {t.list}
        </PageButton>
        {steps !== null && steps.count > 1 ? (
          <>
            <Button size="xs" variant="default" disabled={steps.is_first} onClick={() => void steps.previous()}>
              {t.previous}
            </Button>
            <Text size="sm">{t.place(steps.place, steps.count)}</Text>
            <Button size="xs" variant="default" disabled={steps.place >= steps.count} onClick={() => void next()}>
              {t.next}
            </Button>
          </>
        ) : null}
        <Shortcuts keys={keys} />
      </Group>
      <Problem error={error} retry={() => void next()} />
      <Notice text={notice} next={after} />
      {decided ? (
        <AfterDecision
          {...{ environment, next }}
          place={after}
          list={steps ? null : list}
          is_last={steps !== null && notice === t.last}
        />
      ) : null}
    </>
  )
}

/**
 * Shows the next step after a decision: the next withdrawal, or the end of the queue. `list` is the address of the list, if the
 * list does not contain the withdrawal. `is_last` is true after the last withdrawal of the list.
 */
function AfterDecision({
  environment,
  place,
  next,
  list,
  is_last,
}: {
  environment: WithdrawalCaseRecord['withdrawal']['environment']
  place: RefObject<HTMLDivElement | null>
  next: () => Promise<void>
  list: string | null
  is_last: boolean
}) {
  const t = useTexts(caseTexts)
  const { data, isFetching } = useQueue(environment)
  const waiting = data?.items.find(({ kind }) => kind === 'withdrawals_waiting')?.count ?? 0
  const is_clear = data !== undefined && !isFetching && waiting === 0
  // The button with the focus may have left the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step has a new button
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.querySelector<HTMLElement>('a, button')?.focus()
  }, [is_clear, is_last, place])
  return (
    <Stack gap="xs" mt="sm" className="no-print" ref={place}>
      <Text role="status" fw={is_clear ? 600 : 400}>
        {is_clear ? t.queue_clear : waiting > 0 ? t.still_waiting(showCount(waiting)) : ''}
      </Text>
      <Group gap="sm">
        {is_clear || is_last ? (
          <PageButton to="">{t.queue}</PageButton>
        ) : list === null ? (
          <Button onClick={() => void next()}>{t.next_case}</Button>
        ) : (
          <PageButton to={list}>{t.to_list}</PageButton>
        )}
      </Group>
    </Stack>
  )
}
