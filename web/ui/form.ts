// Forms that lose nothing: what is typed is kept in this tab until it was sent, and a request that may have arrived is
// repeated under the same Idempotency-Key.

import { type FormErrors, type FormValidateInput, useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { Refused } from './api.ts'
import { facts } from './facts.ts'
import { useLanguage } from './language.ts'

type Kept<Values> = { values: Values; once: string; sent: string | null }

const keyOf = (name: string) => `malipo.${facts.console}.draft.${name}`

function read<Values>(name: string): Kept<Values> | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(name)) ?? 'null')
  } catch {
    return null
  }
}

function write<Values>(name: string, kept: Kept<Values>): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify(kept))
}

/** A fresh Idempotency-Key. */
export function newOnce(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** True when nobody knows whether a request arrived or was worked on: the same one may be sent again, under the same key. */
export function isOpen(error: unknown): boolean {
  // No network, a session that ended, or what broke in the page after the answer had come.
  if (!(error instanceof Refused)) return true
  return error.status >= 500 || error.status === 429 || error.code === 'idempotency_in_progress'
}

/**
 * A form named `name` that is kept while it is open, also over a new sign-in. `check` answers what is wrong at each field.
 * `rename` maps the API's names of fields to those of the form where they differ. Nothing secret may be typed into it.
 */
export function useDraft<Values extends Record<string, unknown>>({
  name,
  initial,
  check,
  rename = {},
}: {
  name: string
  initial: Values
  check?: FormValidateInput<Values>
  rename?: Record<string, string>
}) {
  const language = useLanguage()
  const [error, setError] = useState<unknown>(null)
  const [sending, setSending] = useState(false)
  const [marked, setMarked] = useState<FormErrors>({})
  // Once the page has drawn what was refused: the field may have been on another step.
  useEffect(() => focusFirst(marked), [marked])
  const busy = useRef(false)
  const form = useForm<Values>({
    initialValues: { ...initial, ...read<Values>(name)?.values },
    ...(check ? { validate: check } : {}),
    onValuesChange: (values) => {
      const before = read<Values>(name)
      write(name, { values, once: before?.once ?? newOnce(), sent: before?.sent ?? null })
    },
  })

  /** The key of these values: that of the last try when they are the same as then. */
  const onceFor = (values: Values): string => {
    const before = read<Values>(name)
    const sent = JSON.stringify(values)
    const once = before === null || (before.sent !== null && before.sent !== sent) ? newOnce() : before.once
    write(name, { values, once, sent })
    return once
  }

  const guarded = async (send: () => Promise<unknown>, refused: () => void) => {
    // A double click is one click.
    if (busy.current) return
    busy.current = true
    setSending(true)
    setError(null)
    try {
      await send()
    } catch (thrown) {
      if (!isOpen(thrown)) refused()
      if (thrown instanceof Refused) {
        const errors = renamed(thrown.fieldsIn(language), rename, Object.keys(initial))
        form.setErrors(errors)
        setMarked(errors)
        thrown.placed = Object.keys(errors).every((one) => fieldOf(one) !== null)
      }
      setError(thrown)
    } finally {
      busy.current = false
      setSending(false)
    }
  }

  /** For `onSubmit`: sends what is valid, and shows what the API refuses at its fields. */
  const submit = (send: (values: Values, once: string) => Promise<unknown>) =>
    form.onSubmit((values) => {
      const sendOnce = async () => {
        await send(values, onceFor(values))
        sessionStorage.removeItem(keyOf(name))
      }
      return guarded(sendOnce, () => write(name, { values, once: newOnce(), sent: null }))
    }, focusFirst)

  /** For `onSubmit` of a step that comes before the sending: asks about what is valid, and the draft stays. */
  const ask = (question: (values: Values) => Promise<unknown>) =>
    form.onSubmit(
      (values) =>
        guarded(
          () => question(values),
          () => {},
        ),
      focusFirst,
    )

  const forget = () => {
    form.setInitialValues(initial)
    // Which is a change of values, and would be kept.
    form.reset()
    sessionStorage.removeItem(keyOf(name))
    setError(null)
  }
  return { form, submit, ask, forget, error, sending }
}

function renamed(fields: Record<string, string>, rename: Record<string, string>, known: readonly string[]): FormErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([field, message]) => {
      const name = rename[field] ?? field
      // Rows of a form have fields of their own.
      if (/^\w+\.\d+\.\w+$/.test(name)) return [name, message]
      return [known.includes(name) ? name : (known.find((one) => name.startsWith(one)) ?? name), message]
    }),
  )
}

/** The field, or group of choices, of this name in the page. */
function fieldOf(name: string): HTMLElement | null {
  return document.querySelector(`[data-path="${CSS.escape(name)}"], [name="${CSS.escape(name)}"]`)
}

/** Keyboard and screen reader go to what is wrong. */
function focusFirst(errors: FormErrors): void {
  const [first] = Object.keys(errors)
  if (first === undefined) return
  const field = fieldOf(first)
  // A group of choices is no field: its first choice is.
  const focusable = field?.matches('input, select, textarea') ? field : field?.querySelector<HTMLElement>('input')
  focusable?.focus()
}
