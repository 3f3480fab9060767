// Shows the form of a dialog: its body, and the footer with the button that names the action and the button that cancels.

import { Button, Group, Stack } from '@mantine/core'
import { type FormEventHandler, type ReactNode, useEffect, useRef, useState } from 'react'
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

/**
 * Shows the facts above the form of a dialog. On a phone, they scroll in a box, so that the field and the buttons are in view
 * when the dialog opens. While the box scrolls, the Tab key reaches it.
 */
export function DialogFacts({ label, children }: { label: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setScrolls(element.scrollHeight > element.clientHeight))
    for (const observed of [element, ...element.children]) observer.observe(observed)
    return () => observer.disconnect()
  }, [])
  return (
    <div
      ref={box}
      className={`dialog-facts ${scrolls ? 'dialog-facts-scroll' : ''}`}
      {...(scrolls ? { role: 'region', 'aria-label': label, tabIndex: 0 } : {})}
    >
      {children}
    </div>
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
