// Shows the form of a dialog: its body, and the footer with the button that names the action and the button that cancels.

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
    <form onSubmit={onSubmit} noValidate className="dialog-form">
      {children}
    </form>
  )
}

/** Shows the end of the form of a dialog. The footer stays in view while the rest of the dialog scrolls. */
export function DialogFooter({ children }: { children: ReactNode }) {
  return (
    <Stack gap="sm" className="dialog-footer">
      {children}
    </Stack>
  )
}

/**
 * Shows the footer with the buttons of a dialog, and `children` above the buttons. `text` is the label of the first button.
 * `danger` makes this button red, and `quiet` shows it like the button that cancels.
 */
export function DialogButtons({
  text,
  danger = false,
  quiet = false,
  sending,
  onClose,
  children,
}: {
  text: string
  danger?: boolean
  quiet?: boolean
  sending: boolean
  onClose: () => void
  children?: ReactNode
}) {
  const parts = useTexts(partsTexts)
  return (
    <DialogFooter>
      {children}
      <Group>
        <Button
          type="submit"
          loading={sending}
          variant={quiet ? 'default' : 'filled'}
          color={danger ? 'red' : undefined}
          className="long-button"
        >
          {text}
        </Button>
        <Button variant="default" onClick={onClose}>
          {parts.cancel}
        </Button>
      </Group>
    </DialogFooter>
  )
}
