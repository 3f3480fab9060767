// Sends forms. The tab keeps the draft of a form until the page has sent it. If a request may have reached the server, the page
// repeats it with the same Idempotency-Key.

import { type FormErrors, type FormValidateInput, useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { Refused } from './api.ts'
import { facts } from './facts.ts'
import { useLanguage } from './language.ts'

type StoredDraft<Values> = { values: Values; once: string; sent: string | null }

const draftKey = (name: string) => `malipo.${facts.console}.draft.${name}`

function readDraft<Values>(name: string): StoredDraft<Values> | null {
  try {
    return JSON.parse(sessionStorage.getItem(draftKey(name)) ?? 'null')
  } catch {
    return null
  }
}

function writeDraft<Values>(name: string, draft: StoredDraft<Values>): void {
  sessionStorage.setItem(draftKey(name), JSON.stringify(draft))
}

/** Makes a random Idempotency-Key of 32 hexadecimal digits. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns true if the page must repeat the request with the same Idempotency-Key. The server may have executed such a request,
 * or has refused it because of the rate limit.
 */
export function isUnresolved(error: unknown): boolean {
  // If the error is no refusal, the network failed, the session ended, or the page failed after the response. In each case, the
  // server may have executed the request.
  if (!(error instanceof Refused)) return true
  return error.status >= 500 || error.status === 429 || error.code === 'idempotency_in_progress'
}

/**
 * Keeps the Idempotency-Key of an action on chosen records, so that a press after an unknown answer sends nothing twice. `onceFor`
 * returns the same key for the same records until `settle` gets a known answer: null for a success, or the error.
 */
export function useChosenKey() {
  const kept = useRef<{ chosen: string; once: string } | null>(null)
  return {
    onceFor(ids: readonly string[]): string {
      const chosen = ids.join()
      if (kept.current?.chosen !== chosen) kept.current = { chosen, once: newIdempotencyKey() }
      return kept.current.once
    },
    settle(error: unknown): void {
      if (error === null || !isUnresolved(error)) kept.current = null
    },
  }
}

/**
 * The fields of a form. `check` returns the errors of the fields. `rename` maps API fields to form fields. `say` has texts that
 * replace the messages of the API, by the name of the field.
 */
type FormFields<Values> = {
  initial: Values
  check?: FormValidateInput<Values>
  rename?: Record<string, string>
  say?: Record<string, string>
}

/**
 * Makes a form that shows the errors at its fields and moves the focus to the first wrong field. `stored` are the values that
 * replace the initial ones, and `keep` receives each change.
 */
function useSentForm<Values extends Record<string, unknown>>(
  { initial, check, rename = {}, say = {} }: FormFields<Values>,
  stored: Partial<Values> | undefined,
  keep: (values: Values) => void,
) {
  const language = useLanguage()
  const [error, setError] = useState<unknown>(null)
  const [sending, setSending] = useState(false)
  const [marked, setMarked] = useState<FormErrors>({})
  // The focus moves after the render, because the wrong field may be on another step of the form, or in a folded part.
  useEffect(() => focusFirst(marked), [marked])
  const busy = useRef(false)
  const form = useForm<Values>({
    initialValues: { ...initial, ...stored },
    ...(check ? { validate: check } : {}),
    onValuesChange: (values) => {
      keep(values)
      setError((shown: unknown) => (staysAfterChange(shown) ? shown : null))
    },
  })
  /** Sends the request. If the API refuses fields, the form shows the messages at the fields. */
  const guarded = async (send: () => Promise<unknown>, refused: () => void = () => {}) => {
    // If a request is running, a second click sends nothing.
    if (busy.current) return
    busy.current = true
    setSending(true)
    setError(null)
    try {
      await send()
    } catch (thrown) {
      if (!isUnresolved(thrown)) refused()
      if (thrown instanceof Refused) {
        const errors = renamed(thrown.fieldsIn(language), rename, Object.keys(initial))
        for (const field of Object.keys(errors)) errors[field] = say[field] ?? errors[field]
        form.setErrors(errors)
        setMarked(errors)
        thrown.shown_at_fields = Object.keys(errors).every((one) => findFields(one).length > 0)
      }
      setError(thrown)
    } finally {
      busy.current = false
      setSending(false)
    }
  }
  return { form, guarded, setMarked, error, setError, sending }
}

/**
 * Returns true if the error stays on the page when the user changes the form. A refusal is about the values of the request. It
 * stays only while it names fields that the page does not have. An error with an unknown outcome stays too.
 */
function staysAfterChange(error: unknown): boolean {
  if (isUnresolved(error)) return true
  return error instanceof Refused && Array.isArray(error.details?.fields) && !error.shown_at_fields
}

/** Makes a form with secrets. No draft keeps its values. */
export function useSecretForm<Values extends Record<string, unknown>>(fields: FormFields<Values>) {
  const { form, guarded, setMarked, error, sending } = useSentForm(fields, undefined, () => {})
  /** Makes an `onSubmit` function that sends valid values. */
  const submit = (send: (values: Values) => Promise<unknown>) =>
    form.onSubmit((values) => guarded(() => send(values)), setMarked)
  return { form, submit, error, sending }
}

/** Makes a form whose draft this tab keeps under `name`, even over a new sign-in. A draft must contain no secrets. */
export function useDraft<Values extends Record<string, unknown>>({
  name,
  ...fields
}: FormFields<Values> & { name: string }) {
  const { initial } = fields
  const { form, guarded, setMarked, error, setError, sending } = useSentForm(
    fields,
    readDraft<Values>(name)?.values,
    (values) => {
      const before = readDraft<Values>(name)
      writeDraft(name, { values, once: before?.once ?? newIdempotencyKey(), sent: before?.sent ?? null })
    },
  )

  /**
   * Returns the Idempotency-Key for these values. If the values have not changed since the last request, returns the key of
   * that request.
   */
  const onceFor = (values: Values): string => {
    const before = readDraft<Values>(name)
    const sent = JSON.stringify(values)
    const once = before === null || (before.sent !== null && before.sent !== sent) ? newIdempotencyKey() : before.once
    writeDraft(name, { values, once, sent })
    return once
  }

  /**
   * Makes an `onSubmit` function that sends valid values. If the API refuses fields, the form shows the messages at the fields.
   */
  const submit = (send: (values: Values, once: string) => Promise<unknown>) =>
    form.onSubmit((values) => {
      const sendOnce = async () => {
        await send(values, onceFor(values))
        sessionStorage.removeItem(draftKey(name))
      }
      return guarded(sendOnce, () => writeDraft(name, { values, once: newIdempotencyKey(), sent: null }))
    }, setMarked)

  /** Makes an `onSubmit` function for an earlier step of the form, such as a price quote. The tab keeps the draft. */
  const ask = (question: (values: Values) => Promise<unknown>) =>
    form.onSubmit((values) => guarded(() => question(values)), setMarked)

  const forget = () => {
    form.setInitialValues(initial)
    // reset() changes the values and thereby stores a draft again. The next line removes that draft.
    form.reset()
    sessionStorage.removeItem(draftKey(name))
    setError(null)
  }
  return { form, submit, ask, forget, error, sending }
}

function renamed(
  fields: Record<string, string>,
  rename: Record<string, string>,
  field_names: readonly string[],
): FormErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([field, message]) => {
      const name = rename[field] ?? field
      // A field of a row, such as items.0.amount, has its full name in the form.
      if (/^\w+\.\d+\.\w+$/.test(name)) return [name, message]
      return [field_names.includes(name) ? name : (field_names.find((one) => name.startsWith(one)) ?? name), message]
    }),
  )
}

/** Returns the fields and the groups of choices with these names, in the order of the page. */
function findFields(...names: string[]): HTMLElement[] {
  const selectors = names.map(CSS.escape).flatMap((name) => [`[data-path="${name}"]`, `[name="${name}"]`])
  return selectors.length === 0 ? [] : [...document.querySelectorAll<HTMLElement>(selectors.join())]
}

/**
 * Opens the folded parts with wrong fields. Moves the focus to the first wrong field of the page, and scrolls its label and its
 * message into view.
 */
function focusFirst(errors: FormErrors): void {
  const fields = findFields(...Object.keys(errors))
  for (const one of fields) {
    const folded = one.closest('details')
    if (folded !== null) folded.open = true
  }
  const [field] = fields
  // If the element is a group of choices, the first choice gets the focus.
  const focusable = field?.matches('input, select, textarea') ? field : field?.querySelector<HTMLElement>('input')
  focusable?.focus({ preventScroll: true })
  const whole = focusable === field ? focusable?.closest('.mantine-InputWrapper-root') : focusable
  whole?.scrollIntoView({ block: 'nearest' })
}
