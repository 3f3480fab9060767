// Shows a button that keeps the focus while its action runs. Browsers take the focus from a disabled button.

import { Button, type ButtonProps, Loader } from '@mantine/core'
import type { ReactNode, Ref } from 'react'

/**
 * A button that stays in the order of focus while it is busy or disabled, and then ignores presses. Screen readers announce it as
 * disabled.
 */
export function BusyButton({
  busy = false,
  disabled = false,
  onClick,
  ...props
}: Omit<ButtonProps, 'disabled' | 'loading' | 'leftSection'> & {
  busy?: boolean
  disabled?: boolean
  type?: 'submit'
  onClick?: () => void
  onFocus?: () => void
  onBlur?: () => void
  ref?: Ref<HTMLButtonElement>
  children: ReactNode
}) {
  const off = busy || disabled
  return (
    <Button
      {...props}
      leftSection={busy ? <Loader size={16} color="currentColor" /> : null}
      data-disabled={off || undefined}
      aria-disabled={off}
      onClick={(event) => {
        if (off) event.preventDefault()
        else onClick?.()
      }}
    />
  )
}
