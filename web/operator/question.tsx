// The form of a question: what is asked, then the button that restates what it does, and the way back.

import { Button, Group, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTexts } from '../ui/language.ts'
import { partsTexts } from '../ui/parts-texts.ts'

/** The body of a question. */
export function Form({ onSubmit, children }: { onSubmit: FormEventHandler<HTMLFormElement>; children: ReactNode }) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">{children}</Stack>
    </form>
  )
}

/** The buttons of a question. `text` says what the first one does; `danger` colours it. */
export function Answers({
  text,
  danger = false,
  sending,
  onClose,
}: {
  text: string
  danger?: boolean
  sending: boolean
  onClose: () => void
}) {
  const parts = useTexts(partsTexts)
  return (
    <Group>
      <Button type="submit" loading={sending} color={danger ? 'red' : undefined} className="long-button">
        {text}
      </Button>
      <Button variant="default" onClick={onClose}>
        {parts.cancel}
      </Button>
    </Group>
  )
}
