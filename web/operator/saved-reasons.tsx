// Offers the saved reasons of an action below the field of the reason. The operator chooses a reason with a click, or with the
// arrow keys in the field. The console never fills in a reason by itself.

import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ComponentProps, type KeyboardEvent, useState } from 'react'
import { useRead } from '../ui/data.ts'
import { texts, useTexts } from '../ui/language.ts'
import { builtInReasons, READ_BY_MERCHANTS, type ReasonAction } from './reason-texts.ts'

const savedTexts = texts({
  sw: {
    offered: 'Sababu zilizohifadhiwa',
    list: 'Mapendekezo',
    keys: 'Mshale wa chini kwenye sehemu ya kuandika unachagua.',
    enter: 'Enter inatuma fomu.',
    chosen: (reason: string) => `Umechagua: ${reason}`,
    as_written: 'Biashara itaisoma kama ilivyo: seva haitafsiri.',
  },
  en: {
    offered: 'Saved reasons',
    list: 'Suggestions',
    keys: 'The down arrow in the field chooses one.',
    enter: 'Enter sends the form.',
    chosen: (reason: string) => `Chosen: ${reason}`,
    as_written: 'The merchant reads exactly this text: the server does not translate it.',
  },
})

/** The number of characters of a reason that its button shows. */
const SHOWN_MAX = 80

/**
 * Returns the reasons for an action: the list that the platform saved, or else the list of the console in the operator's
 * language. Before the read has a response, the list is empty.
 */
export function useSavedReasons(act: ReasonAction): readonly string[] {
  const built_in = useTexts(builtInReasons)
  const { data } = useRead('GET /v1/operator/reasons')
  if (data === undefined) return []
  return data.items.find((one) => one.action === act)?.reasons ?? built_in[act]
}

/**
 * Shows the field of a reason with the saved reasons below. If the merchant reads the reason, says so. `set` fills the field.
 * `last` is a reason from this tab, which comes first. Then come `certain`, the reasons that the page knows to be true of this
 * record, and the saved reasons, those of `fitting` first. `rows` makes a field of several lines.
 */
export function ReasonField({
  act,
  set,
  rows,
  last = null,
  certain = [],
  fitting = [],
  sayLast,
  ...field
}: {
  act: ReasonAction
  set: (reason: string) => void
  rows?: number
  last?: string | null
  certain?: readonly string[]
  fitting?: readonly string[]
  /** Returns the label of the button for the last reason. */
  sayLast?: (reason: string) => string
} & Omit<ComponentProps<typeof TextInput>, 'ref' | 'rows'>) {
  const t = useTexts(savedTexts)
  const saved = useSavedReasons(act).filter((reason) => reason !== last)
  const known = new Set([
    ...certain.filter((reason) => reason !== last),
    ...fitting.filter((reason) => saved.includes(reason)),
    ...saved,
  ])
  const offered = last === null ? [...known] : [last, ...known]
  const [input, setInput] = useState<HTMLInputElement | HTMLTextAreaElement | null>(null)
  const [chosen, setChosen] = useState('')
  const choose = (reason: string) => {
    set(reason)
    setChosen(t.chosen(reason))
    input?.focus()
  }
  // If the operator has written another text, the arrow keys only move the cursor in the text.
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const place = offered.indexOf(input?.value ?? '')
    if (step === 0 || offered.length === 0 || (place < 0 && input?.value !== '')) return
    event.preventDefault()
    const from = place < 0 && step < 0 ? 0 : place
    choose(offered[(from + step + offered.length) % offered.length] ?? '')
  }
  const description = READ_BY_MERCHANTS.has(act) ? (
    <>
      {t.as_written} {field.description}
    </>
  ) : (
    field.description
  )
  const props = { ...field, description, ref: setInput as never, w: '100%', onKeyDown }
  return (
    <Stack gap="xs" align="flex-start">
      {rows === undefined ? (
        <TextInput {...props} />
      ) : (
        <Textarea {...(props as ComponentProps<typeof Textarea>)} rows={rows} />
      )}
      {offered.length === 0 ? null : (
        <div>
          <Text size="sm" c="dimmed">
            {t.offered}
            <span className="keys-hint">
              . {t.keys} {rows === undefined ? t.enter : null}
            </span>
          </Text>
          <ul aria-label={t.list} className="saved-reasons">
            {offered.map((reason) => (
              <li key={reason}>
                <Button
                  type="button"
                  size="xs"
                  variant="default"
                  className="long-button who"
                  onClick={() => choose(reason)}
                >
                  {reason === last && sayLast ? sayLast(shorten(reason)) : shorten(reason)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
      <span role="status" className="unseen">
        {chosen}
      </span>
    </Stack>
  )
}

function shorten(reason: string): string {
  const letters = [...reason]
  return letters.length > SHOWN_MAX ? `${letters.slice(0, SHOWN_MAX).join('')}…` : reason
}
