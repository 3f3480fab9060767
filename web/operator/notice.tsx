// Shows the result of an action of the operator.

import { Alert } from '@mantine/core'
import { useEffect, useRef } from 'react'

/**
 * Shows a text in an alert that takes the focus. Screen readers announce each new text. Null means that the alert is not
 * visible.
 */
export function Notice({ text }: { text: string | null }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text !== null) place.current?.focus()
  }, [text])
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
