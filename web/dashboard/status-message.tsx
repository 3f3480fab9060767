// After the API confirms an action, shows the result for some seconds and announces it to screen readers.

import { useEffect } from 'react'
import { showToast } from '../ui/toast.tsx'

/** Shows the message of a finished action as a toast, once each time it changes. An empty text means that there is no result yet. */
export function StatusMessage({ children }: { children: string }) {
  useEffect(() => {
    if (children !== '') showToast(children)
  }, [children])
  return null
}
