// Shows the form of a dialog: its body, the button that names the action, and the button that cancels.

import { Button, Group, Stack } from '@mantine/core'
import type { FormEventHandler, ReactNode } from 'react'
import { useTexts } from '../ui/language.ts'
import { partsTexts } from '../ui/parts-texts.ts'

/** Shows the body of a dialog as a form, so that Enter sends the form. */
export function DialogForm({
  onSubmit,
  children,
}: {
  onSubmit: FormEventHandler<HTMLFormElement>
  children: ReactNode
}) {
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">{children}</Stack>
    </form>
  )
}

/** Shows the buttons of a dialog. `text` is the label of the first button. `danger` makes this button red. */
export function DialogButtons({
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
