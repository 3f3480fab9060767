// Moves the focus when an action removes its own button.

import { type RefObject, useEffect, useRef } from 'react'

/**
 * Returns the function to call when an action starts. If the action removes its button (`is_gone`) and no element has the focus,
 * `target` gets it. A focus that the user has moved stays. After the action (`busy` is false), a removal moves no focus.
 */
export function useFocusAfterRemoval(
  is_gone: boolean,
  busy: boolean,
  target: RefObject<HTMLElement | null>,
): () => void {
  const started = useRef(false)
  useEffect(() => {
    if (!started.current) return
    if (is_gone || !busy) started.current = false
    if (is_gone && document.activeElement === document.body) target.current?.focus()
  }, [is_gone, busy, target])
  return () => {
    started.current = true
  }
}
