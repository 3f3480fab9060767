// Sends the webhooks of the selected payments again after a question, and shows how many arrived and why others did not.

import { Alert, Button, Group, List, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Refused } from '../../ui/api.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { readAgain, useCall } from '../../ui/data.ts'
import { deliveryErrors } from '../../ui/delivery-errors.ts'
import { useChosenKey } from '../../ui/form.ts'
import { texts, useLanguage, useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { problemTexts } from '../../ui/problem-texts.ts'
import { showCount } from '../../ui/show.ts'
import { showProgressToast } from '../../ui/toast.tsx'
import { useHasRole } from '../merchant.ts'
import { refusalTexts } from '../refusal-texts.ts'
import { type ResendFailure, resendAll } from './resend-run.ts'
import { nameOfPayment, type SelectablePayment } from './selectable-payment.ts'

const resendManyTexts = texts({
  sw: {
    resend: 'Tuma webhook tena',
    ask_title: (count: number) => `Utume tena webhook za malipo ${showCount(count)}?`,
    ask: 'Kila anwani itapokea tena ujumbe wa mwisho wa kila malipo, wenye kitambulisho kilekile. Seva yako itautambua kuwa ni uleule.',
    unfinished: (count: number) => `Malipo ${showCount(count)} hayajakamilika: seva haitatuma kitu kwa ajili yake.`,
    none_title: 'Hakuna cha kutuma',
    none: 'Hakuna malipo yaliyokamilika kati ya uliyochagua. Chagua malipo yaliyofanikiwa, yaliyoshindikana au yaliyorudishwa.',
    send: 'Tuma tena',
    progress: (done: number, all: number) => `Webhook: malipo ${showCount(done)} kati ya ${showCount(all)}.`,
    summary: (arrived: number, not: number) =>
      `Webhook zote zimefika kwa malipo ${showCount(arrived)}${not === 0 ? '' : `, hazijafika zote kwa malipo ${showCount(not)}`}.`,
    no_webhook: 'malipo hayana webhook',
    late: 'bado hakuna matokeo baada ya sekunde 30',
    status: (code: number) => `seva yako imejibu HTTP ${code}`,
    lost: 'muunganisho umekatika; huenda ujumbe umetumwa',
  },
  en: {
    resend: 'Resend webhooks',
    ask_title: (count: number) =>
      count === 1 ? 'Resend the webhook of 1 payment?' : `Resend the webhooks of ${showCount(count)} payments?`,
    ask: 'Each endpoint gets the last event of each payment again, with the same id. Your server can recognise a repeated event by this id.',
    unfinished: (count: number) =>
      count === 1
        ? '1 selected payment is not finished. The server sends nothing for it.'
        : `${showCount(count)} selected payments are not finished. The server sends nothing for them.`,
    none_title: 'Nothing to send',
    none: 'No selected payment is finished. Select payments that succeeded, failed or were reversed.',
    send: 'Resend',
    progress: (done: number, all: number) => `Webhooks: ${showCount(done)} of ${showCount(all)} payments.`,
    summary: (arrived: number, not: number) =>
      `All webhooks arrived for ${showCount(arrived)} ${arrived === 1 ? 'payment' : 'payments'}${not === 0 ? '' : `, not for ${showCount(not)}`}.`,
    no_webhook: 'the payment has no webhook',
    late: 'no result after 30 seconds',
    status: (code: number) => `your server answered with HTTP ${code}`,
    lost: 'the connection failed, so the server may have sent the event',
  },
})

/** The statuses of a finished payment. */
const FINISHED: ReadonlySet<string> = new Set(['successful', 'failed', 'reversed'])

/** The summary of a run in which a webhook did not arrive: the number of payments whose webhook arrived, and the names of the others by reason. */
type ResendSummary = { arrived: number; failed: ReadonlyMap<string, readonly string[]> }

/**
 * Shows the button, its question and the summary. Members who may not send webhooks see nothing. Afterwards, only the payments
 * whose webhook did not arrive stay selected. The button keeps the focus after the run, also without a selected payment.
 */
export function ResendSelected({
  rows,
  choose,
}: {
  rows: readonly SelectablePayment[]
  choose: (keys: string[]) => void
}) {
  const t = useTexts(resendManyTexts)
  const parts = useTexts(partsTexts)
  const reasonOf = useReason()
  const call = useCall()
  const queries = useQueryClient()
  const develops = useHasRole('MERCHANT_ADMIN', 'DEVELOPER')
  const [asked, setAsked] = useState<readonly SelectablePayment[] | null>(null)
  const [sending, setSending] = useState(false)
  const [focused, setFocused] = useState(false)
  const { onceFor, settle } = useChosenKey()
  const button = useRef<HTMLButtonElement>(null)
  const [summary, setSummary] = useState<ResendSummary | null>(null)
  const selected = useRef(rows)
  selected.current = rows
  if (!develops) return null
  const finished = asked?.filter(({ status }) => FINISHED.has(status)) ?? []
  const unfinished = (asked?.length ?? 0) - finished.length
  const send = async () => {
    if (sending || asked === null) return
    setAsked(null)
    setSending(true)
    setSummary(null)
    const all = finished.length
    const toast = showProgressToast(t.progress(0, all))
    const ids = finished.map(({ collection_id }) => collection_id).sort()
    const results = await resendAll(call, ids, onceFor(ids), (done) => toast.update(t.progress(done, all)))
    const [first] = results.values()
    settle(first?.kind === 'error' ? first.error : null)
    const failed = new Map<string, string[]>()
    for (const row of finished) {
      const failure = results.get(row.collection_id) ?? null
      if (failure === null) continue
      const reason = reasonOf(failure)
      failed.set(reason, [...(failed.get(reason) ?? []), nameOfPayment(row)])
    }
    const arrived = new Set(ids.filter((id) => results.get(id) === null))
    if (failed.size > 0) setSummary({ arrived: arrived.size, failed })
    toast.end(t.summary(arrived.size, all - arrived.size), failed.size === 0 ? 'done' : 'warning')
    choose(selected.current.map(({ collection_id }) => collection_id).filter((id) => !arrived.has(id)))
    setSending(false)
    // A double click in the dialog has moved the focus to the page below.
    if (document.activeElement?.contains(button.current)) button.current?.focus()
    await readAgain(queries)
  }
  const count = finished.length
  return (
    <>
      {rows.length === 0 && !sending && !focused ? null : (
        <BusyButton
          ref={button}
          size="xs"
          variant="default"
          busy={sending}
          disabled={rows.length === 0}
          onClick={() => setAsked(rows)}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
        >
          {t.resend}
        </BusyButton>
      )}
      {summary === null ? null : <ResendReport summary={summary} close={() => setSummary(null)} />}
      <Dialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        title={count === 0 ? t.none_title : t.ask_title(count)}
      >
        <Text>{count === 0 ? t.none : t.ask}</Text>
        {count === 0 || unfinished === 0 ? null : <Text size="sm">{t.unfinished(unfinished)}</Text>}
        <Group>
          {count === 0 ? null : <Button onClick={() => void send()}>{t.send}</Button>}
          <Button variant="default" onClick={() => setAsked(null)}>
            {count === 0 ? parts.close : parts.cancel}
          </Button>
        </Group>
      </Dialog>
    </>
  )
}

/** Shows which webhooks did not arrive and why, until the user closes it. The message of the run has announced the numbers. */
function ResendReport({ summary: { arrived, failed }, close }: { summary: ResendSummary; close: () => void }) {
  const t = useTexts(resendManyTexts)
  const parts = useTexts(partsTexts)
  return (
    <Alert
      w="100%"
      role="group"
      color="yellow"
      title={t.summary(arrived, [...failed.values()].flat().length)}
      withCloseButton
      closeButtonLabel={parts.close}
      onClose={close}
    >
      <List size="sm" className="long-mono">
        {[...failed].map(([reason, names]) => (
          <List.Item key={reason}>
            {names.join(', ')}: {reason}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

/** Returns the function that says why a webhook did not arrive. */
function useReason(): (failure: ResendFailure) => string {
  const t = useTexts(resendManyTexts)
  const refusals = useTexts(refusalTexts)
  const errors = useTexts(deliveryErrors)
  const problems = useTexts(problemTexts)
  const language = useLanguage()
  return (failure) => {
    if (failure.kind === 'status') return t.status(failure.status_code)
    if (failure.kind === 'attempt') return errors[failure.code] ?? failure.code
    if (failure.kind === 'waits' || failure.kind === 'attempt_limit') return refusals[failure.kind]
    if (failure.kind !== 'error') return t[failure.kind]
    const { error } = failure
    if (!(error instanceof Refused)) return t.lost
    const reason = error.reasonIn(language)
    return reason || problems.codes[error.code] || error.message
  }
}
