// Errors as people read them. A lost network, an ended session, a conflict and the rest each have their own words and way on.

import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Lost, Refused, SessionOver } from './api.ts'
import { useLanguage, useTexts } from './language.ts'
import { problemTexts } from './problem-texts.ts'
import { signIn } from './session.ts'

/** Codes that say no more than no: the sentence of the API takes their place. */
const VAGUE: ReadonlySet<string> = new Set([
  'invalid_state',
  'forbidden',
  'amount_not_supported',
  'unknown_destination',
])

/** Says what went wrong. `retry`: what the button does, where trying again makes sense. Nothing for no error. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useTexts(problemTexts)
  const language = useLanguage()
  const queries = useQueryClient()
  if (!error) return null
  const again = retry && (
    <Button size="xs" variant="default" onClick={retry}>
      {t.retry}
    </Button>
  )
  if (error instanceof Lost) return <Notice title={t.lost_title} text={t.lost} action={again} />
  if (error instanceof SessionOver) {
    return <Notice title={t.over_title} text={t.over} action={<SignInButton text={t.sign_in} />} />
  }
  if (!(error instanceof Refused)) return <Notice title={t.failed_title} text={t.failed} action={again} />
  const { code, status, message, request_id, retry_after_s } = error
  if (code === 'step_up_required') {
    return (
      <Notice
        title={t.step_up_title}
        text={t.codes[code] ?? message}
        action={<SignInButton text={t.sign_in} again />}
      />
    )
  }
  if (status === 404) return <Notice title={t.missing_title} text={t.missing} request_id={request_id} />
  if (status >= 500) return <Notice title={t.failed_title} text={t.failed} request_id={request_id} action={again} />
  const said = error.saidIn(language)
  const by_code = t.codes[code]
  const reason = VAGUE.has(code) && said ? said : (by_code ?? (said || message))
  const text = [reason, retry_after_s === null ? '' : t.wait(retry_after_s)].join(' ').trim()
  const detail = by_code === undefined || said === '' || reason === said ? null : (said ?? message)
  const foreign = said === null
  if (status === 409) {
    const reload = (
      <Button size="xs" variant="default" onClick={() => void queries.invalidateQueries()}>
        {t.reload}
      </Button>
    )
    return (
      <Notice
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
    <Notice
      title={t.refused_title}
      text={marked ? (error.placed ? t.fields_marked : t.fields) : text}
      list={error.placed ? [] : wrong}
      detail={marked ? null : detail}
      foreign={foreign}
      request_id={request_id}
      action={status === 429 ? again : null}
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

function Notice(props: {
  title: string
  text: string
  /** Fields that nothing on the page says are wrong. */
  list?: readonly (readonly [field: string, said: string])[]
  detail?: string | null
  /** The detail is in English, whatever the page is in. */
  foreign?: boolean
  request_id?: string | null
  action?: React.ReactNode
}) {
  const t = useTexts(problemTexts)
  return (
    <Alert color="red" variant="light" title={props.title} role="alert" className="problem">
      <Stack gap="xs">
        <Text size="sm">{props.text}</Text>
        {props.list?.map(([field, said]) => (
          <Text size="sm" key={field}>
            <Code>{field}</Code> {said}
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
