// Asks for the reason of an approval, which the console requires. The field offers the last reason of this tab, so that an
// operator can approve many withdrawals quickly. The console never fills in a reason by itself.

import type { TextInput } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import { texts, useTexts } from '../../ui/language.ts'
import { ReasonField } from '../saved-reasons.tsx'
import { type NameCheck, REASON_MAX } from './record.ts'

const reasonTexts = texts({
  sw: {
    field: 'Sababu ya kuidhinisha',
    hint: 'Inabaki kwenye historia ya utoaji na historia ya shughuli. Biashara haiioni.',
    hint_all: 'Itaandikwa kwa kila utoaji, kwenye historia ya utoaji na historia ya shughuli. Biashara haziioni.',
    again: (reason: string) => `Tumia tena: ${reason}`,
    needed: 'Andika sababu.',
    confirmed: 'Mtoa huduma amethibitisha jina',
    unasked: 'Nimeangalia taarifa na tahadhari; mtoa huduma hajaulizwa jina',
    unknown: 'Nimeangalia taarifa na tahadhari; mtoa huduma hakutoa jina',
  },
  en: {
    field: 'Reason for approving',
    hint: 'The history and the audit log keep the reason. The merchant cannot read the reason.',
    hint_all: 'The history and the audit log keep the reason for each withdrawal. No merchant can read the reason.',
    again: (reason: string) => `Use again: ${reason}`,
    needed: 'Enter the reason.',
    confirmed: 'The provider confirmed the name',
    unasked: 'I looked at the facts and warnings; the provider was not asked for the name',
    unknown: 'I looked at the facts and warnings; the provider gave no name',
  },
})

/** The results of a name check that a reason can name. */
const NAME_RESULTS = ['confirmed', 'unasked', 'unknown'] as const
const LANGUAGES = ['sw', 'en'] as const

/** Returns the result of a name check. Null means that no reason names it: another name, or no name to compare with. */
function nameCheckResult(check: NameCheck | null): (typeof NAME_RESULTS)[number] | null {
  if (check === null) return 'unasked'
  if (check.matches === true) return 'confirmed'
  return check.matches === null && check.name === null ? 'unknown' : null
}

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
 * field. `checks` has the newest name check of each withdrawal. The field offers a reason about the name only if it is true for
 * all of them.
 */
export function ApprovalReason({
  field,
  set,
  checks,
  all = false,
}: {
  field: ComponentProps<typeof TextInput>
  set: (reason: string) => void
  checks: readonly (NameCheck | null)[]
  all?: boolean
}) {
  const t = useTexts(reasonTexts)
  const [offered] = useState(last)
  const about_names = NAME_RESULTS.filter((result) => checks.every((check) => nameCheckResult(check) === result))
  const is_true = (reason: string) =>
    !LANGUAGES.some((language) =>
      NAME_RESULTS.some((result) => reasonTexts[language][result] === reason && !about_names.includes(result)),
    )
  return (
    <ReasonField
      act="withdrawal.approve"
      set={set}
      last={offered !== null && is_true(offered) ? offered : null}
      certain={checks.length === 0 ? [] : about_names.map((result) => t[result])}
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
