// Moves the focus when an action removes its own button.

import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the function to call when an action starts. When `is_gone` is then true and no element has the focus, `target` gets it.
 * So a screen reader continues there, and a focus that the user has moved meanwhile stays.
 */
export function useFocusAfterRemoval(is_gone: boolean, target: RefObject<HTMLElement | null>): () => void {
  const started = useRef(false)
  useEffect(() => {
    if (!is_gone || !started.current) return
    started.current = false
    if (document.activeElement === document.body) target.current?.focus()
  }, [is_gone, target])
  return () => {
    started.current = true
  }
}
