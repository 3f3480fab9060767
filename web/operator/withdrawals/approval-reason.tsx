// Asks for the reason of an approval, which the console requires. The field offers the last reason of this tab, so that an
// operator can approve many withdrawals quickly. The console never fills in a reason by itself.

import type { TextInput } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import { texts, useTexts } from '../../ui/language.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { REASON_MAX } from './record.ts'

const reasonTexts = texts({
  sw: {
    field: 'Sababu ya kuidhinisha',
    hint: 'Inabaki kwenye historia ya utoaji na historia ya shughuli. Biashara haiioni.',
    hint_all: 'Itaandikwa kwa kila utoaji, kwenye historia ya utoaji na historia ya shughuli. Biashara haziioni.',
    again: (reason: string) => `Tumia tena: ${reason}`,
    needed: 'Andika sababu.',
  },
  en: {
    field: 'Reason for approving',
    hint: 'The history and the audit log keep the reason. The merchant cannot read the reason.',
    hint_all: 'The history and the audit log keep the reason for each withdrawal. No merchant can read the reason.',
    again: (reason: string) => `Use again: ${reason}`,
    needed: 'Enter the reason.',
  },
})

// The last reason. Only the memory of the page contains it, so a reload of the page deletes it.
let last: string | null = null

/** Stores the reason of a completed approval for the next approvals in this tab. */
export function keepReason(reason: string): void {
  last = reason
}

/** Returns the check of the field, which returns an error message. Null means that the reason is valid. */
export function useReasonCheck(): (reason: string) => string | null {
  const t = useTexts(reasonTexts)
  return (reason) => (reason.trim() === '' ? t.needed : null)
}

/**
 * Shows the field with the saved reasons below. `all` means that the reason applies to several approvals. `set` fills the
 * field.
 */
export function ApprovalReason({
  field,
  set,
  all = false,
}: {
  field: ComponentProps<typeof TextInput>
  set: (reason: string) => void
  all?: boolean
}) {
  const t = useTexts(reasonTexts)
  const [offered] = useState(last)
  return (
    <ReasonField
      act="withdrawal.approve"
      set={set}
      last={offered}
      sayLast={t.again}
      label={t.field}
      description={all ? t.hint_all : t.hint}
      maxLength={REASON_MAX}
      required
      withAsterisk={false}
      {...field}
    />
  )
}
