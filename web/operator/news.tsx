// What an act has come to, said where the reader is.

import { Alert } from '@mantine/core'
import { useEffect, useRef } from 'react'

/** Says a text, to whoever listens as well, and takes the focus when it is new. Nothing for no text. */
export function News({ text }: { text: string | null }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (text !== null) place.current?.focus()
  }, [text])
  return (
    <div role="status" ref={place} tabIndex={-1} className="news">
      {text === null ? null : (
        <Alert color="teal" variant="light">
          {text}
        </Alert>
      )}
    </div>
  )
}
