// Shows the result of an action of the operator.

import { Alert } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * Shows a text in an alert that takes the focus. Screen readers announce each new text. Null means that the alert is not
 * visible. If `next` contains a link or a button, its first one takes the focus instead of the alert.
 */
export function Notice({ text, next }: { text: string | null; next?: RefObject<HTMLElement | null> }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text === null) return
    const focus = () => (next?.current?.querySelector<HTMLElement>('a, button') ?? place.current)?.focus()
    // A dialog that closes returns the focus to the element that had it before, so the alert takes the focus afterwards.
    const dialog = document.querySelector('dialog[open]')
    if (dialog === null) return focus()
    dialog.addEventListener('close', focus, { once: true })
    return () => dialog.removeEventListener('close', focus)
  }, [text, next])
  return (
    <div role="status" ref={place} tabIndex={-1} className="notice">
      {text === null ? null : (
        <Alert color="teal" variant="light">
          {text}
        </Alert>
      )}
    </div>
  )
}
