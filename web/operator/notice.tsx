// Shows the result of an action.

import { Alert } from '@mantine/core'
import { useEffect, useRef } from 'react'

/**
 * When the text changes, announces the text to screen readers and takes the focus. Null means that the component shows nothing.
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
