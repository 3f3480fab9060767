// Why money is let out: asked for with every approval. The last reason of this tab is offered again, so that many are approved
// quickly, and is filled in by nobody but the operator.

import { Button, Stack, TextInput } from '@mantine/core'
import { type ComponentProps, useState } from 'react'
import { texts, useTexts } from '../../ui/language.ts'
import { REASON_MAX } from './record.ts'

const reasonTexts = texts({
  sw: {
    field: 'Sababu ya kuidhinisha',
    hint: 'Inabaki kwenye historia ya utoaji na historia ya shughuli. Biashara haiioni.',
    hint_all: 'Itaandikwa kwa kila moja, kwenye historia ya utoaji na historia ya shughuli. Biashara haziioni.',
    again: (reason: string) => `Tumia tena: ${reason}`,
    needed: 'Andika sababu.',
  },
  en: {
    field: 'Reason for approving',
    hint: 'It stays in the history and in the audit log. The merchant does not see it.',
    hint_all: 'It is written for each of them, in the history and in the audit log. No merchant sees it.',
    again: (reason: string) => `Use again: ${reason}`,
    needed: 'Write the reason.',
  },
})

/** Most of the last reason that its button shows. */
const SHOWN_MAX = 80

// In memory only: it ends with the tab, and with every reload.
let last: string | null = null

/** Remembers the reason of an approval that was made, for the next ones in this tab. */
export function keepReason(reason: string): void {
  last = reason
}

/** The check of the field: what is wrong with a reason, in the words of the reader. */
export function useReasonCheck(): (reason: string) => string | null {
  const t = useTexts(reasonTexts)
  return (reason) => (reason.trim() === '' ? t.needed : null)
}

/** The field, with the last reason beside it. `all`: for several approvals at once. `set` fills it in. */
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
  const [input, setInput] = useState<HTMLInputElement | null>(null)
  const again = (reason: string) => {
    set(reason)
    input?.focus()
  }
  const letters = [...(offered ?? '')]
  const shown = letters.length > SHOWN_MAX ? `${letters.slice(0, SHOWN_MAX).join('')}…` : offered
  return (
    <Stack gap="xs" align="flex-start">
      <TextInput
        ref={setInput}
        w="100%"
        label={t.field}
        description={all ? t.hint_all : t.hint}
        maxLength={REASON_MAX}
        required
        withAsterisk={false}
        {...field}
      />
      {offered === null ? null : (
        <Button type="button" size="xs" variant="default" className="long-button who" onClick={() => again(offered)}>
          {t.again(shown ?? '')}
        </Button>
      )}
    </Stack>
  )
}
