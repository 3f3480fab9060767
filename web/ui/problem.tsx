// Shows alerts for errors. A lost network, an ended session, a conflict and a refusal each have a separate text and action.

import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef } from 'react'
import { NoAnswer, Refused, SessionOver } from './api.ts'
import { facts } from './facts.ts'
import { useLanguage, useTexts } from './language.ts'
import { problemTexts } from './problem-texts.ts'
import { signIn } from './session.ts'

/** The codes whose text in problem-texts.ts is not specific. The message of the API replaces that text. */
const VAGUE: ReadonlySet<string> = new Set([
  'invalid_state',
  'forbidden',
  'insufficient_role',
  'amount_not_supported',
  'unknown_destination',
])

/**
 * Shows an alert for an error. Without an error, shows nothing. If `retry` exists, the alert of a failed read has a button that
 * calls it and repeats all failed reads of the page, because ui.css shows only the first of several such alerts.
 */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useTexts(problemTexts)
  const language = useLanguage()
  const queries = useQueryClient()
  if (!error) return null
  const repeat = () => {
    retry?.()
    const failed = {
      type: 'active',
      predicate: ({ state }: { state: { status: string } }) => state.status === 'error',
    } as const
    void queries.refetchQueries(failed, { cancelRefetch: false })
  }
  const again = retry && (
    <Button size="xs" variant="default" onClick={repeat}>
      {t.retry}
    </Button>
  )
  // Operators are the support of the members, so their text names the log of the server.
  const failed_texts = facts.console === 'operator' ? t.operators : t
  if (error instanceof NoAnswer)
    return <ErrorAlert title={t.lost_title} text={t.lost} action={again} fault={again ? 'lost' : null} />
  if (error instanceof SessionOver) {
    return <ErrorAlert title={t.over_title} text={t.over} action={<SignInButton text={t.sign_in} />} />
  }
  if (!(error instanceof Refused)) {
    return <ErrorAlert title={t.failed_title} text={failed_texts.failed_without_id} action={again} />
  }
  const { code, status, message, request_id, retry_after_s } = error
  if (code === 'step_up_required') {
    return (
      <ErrorAlert
        title={t.step_up_title}
        text={t.codes[code] ?? message}
        action={<SignInButton text={t.sign_in} again />}
      />
    )
  }
  if (status === 404) {
    // The first sentence names the record. The other sentences tell a program what to check.
    const detail = error.reasonIn(language)?.split(/(?<=\.) (?=[A-Z])/)[0] ?? null
    return <ErrorAlert title={t.missing_title} text={t.missing} detail={detail} request_id={request_id} />
  }
  if (status >= 500) {
    const failed = request_id ? failed_texts.failed : failed_texts.failed_without_id
    return (
      <ErrorAlert
        title={t.failed_title}
        text={failed}
        request_id={request_id}
        action={again}
        fault={again ? 'failed' : null}
      />
    )
  }
  const translated = error.reasonIn(language)
  const code_text = t.codes[code]
  const reason = VAGUE.has(code) && translated ? translated : (code_text ?? (translated || message))
  const text = [reason, retry_after_s === null ? '' : t.wait(retry_after_s)].join(' ').trim()
  const detail = code_text === undefined || translated === '' || reason === translated ? null : (translated ?? message)
  const foreign = translated === null
  if (status === 409) {
    const reload = (
      <Button size="xs" variant="default" onClick={() => void queries.invalidateQueries()}>
        {t.reload}
      </Button>
    )
    return (
      <ErrorAlert
        title={t.conflict_title}
        text={text}
        detail={detail}
        foreign={foreign}
        request_id={request_id}
        action={reload}
      />
    )
  }
  const wrong = Object.entries(error.fieldsIn(language))
  const marked = wrong.length > 0
  return (
    <ErrorAlert
      title={t.refused_title}
      text={marked ? (error.shown_at_fields ? t.fields_marked : t.fields) : text}
      list={error.shown_at_fields ? [] : wrong}
      detail={marked ? null : detail}
      foreign={foreign}
      request_id={request_id}
      action={marked ? null : again}
    />
  )
}

function SignInButton({ text, again = false }: { text: string; again?: boolean }) {
  return (
    <Button size="xs" onClick={() => void signIn({ again })}>
      {text}
    </Button>
  )
}

function ErrorAlert(props: {
  title: string
  text: string
  /** The wrong fields beside which the form shows no message. */
  list?: readonly (readonly [field: string, translated: string])[]
  detail?: string | null
  /** True if the page is in Swahili but the detail is in English. */
  foreign?: boolean
  request_id?: string | null
  action?: React.ReactNode
  /** The kind of a failed read, of which the page shows one alert. */
  fault?: 'lost' | 'failed' | null
}) {
  const t = useTexts(problemTexts)
  const alert = useRef<HTMLDivElement>(null)
  // The buttons of a dialog stay in view, so the alert above them may appear outside the visible part.
  useLayoutEffect(() => {
    if (alert.current?.closest('dialog')) alert.current.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <Alert
      color="red"
      variant="light"
      title={props.title}
      role="alert"
      className={props.fault ? `problem problem-${props.fault}` : 'problem'}
      ref={alert}
    >
      <Stack gap="xs">
        <Text size="sm">{props.text}</Text>
        {props.list?.map(([field, message_text]) => (
          <Text size="sm" key={field}>
            <Code>{field}</Code> {message_text}
          </Text>
        ))}
        {props.detail ? (
          <Text size="sm" {...(props.foreign ? { lang: 'en' } : {})}>
            {props.detail}
          </Text>
        ) : null}
        {props.request_id ? (
          <Text size="xs">
            {t.request_id}: <Code>{props.request_id}</Code>
          </Text>
        ) : null}
        {props.action ? <Group>{props.action}</Group> : null}
      </Stack>
    </Alert>
  )
}
