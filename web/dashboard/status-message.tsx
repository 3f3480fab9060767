// Shows the result of an action for some seconds, after the API has confirmed the action. Also announces the result to screen
// readers.

import { useEffect } from 'react'
import { showToast } from '../ui/toast.tsx'

/** Shows a new message as a toast. An empty text means that the action has no result yet. */
export function StatusMessage({ children }: { children: string }) {
  useEffect(() => {
    if (children !== '') showToast(children)
  }, [children])
  return null
}
