// Shows a dialog in which an operator writes the reason of an action. The dialog also describes the effect of the action.

import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { useDraft } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { DialogButtons, DialogForm } from '../dialog-form.tsx'
import type { ReasonAction } from '../reason-texts.ts'
import { ReasonField } from '../saved-reasons.tsx'

const REASON_MAX = 500

const reasonTexts = texts({
  sw: {
    reason: 'Sababu',
    needed: 'Andika sababu.',
    hint: 'Inabaki kwenye historia ya shughuli.',
    optional: 'Inabaki kwenye historia ya shughuli.',
  },
  en: {
    reason: 'Reason',
    needed: 'Enter the reason.',
    hint: 'The audit log keeps the reason.',
    optional: 'The audit log keeps the reason.',
  },
})

/**
 * The content of the dialog. `name` is the name of its draft, and `act` sends the action with the reason and an
 * Idempotency-Key.
 */
export type ReasonQuestion = {
  name: string
  title: string
  text: ReactNode
  button: string
  danger?: boolean
  optional?: boolean
  /** The action whose saved reasons the dialog offers. Without a value, the dialog offers no reasons. */
  reasons?: ReasonAction
  act: (reason: string, once: string) => Promise<unknown>
}

/**
 * Shows the dialog of a question. Null means that no dialog is open. After the API has confirmed the action, calls `onDone`.
 */
export function ReasonDialog({
  question,
  onClose,
  onDone,
}: {
  question: ReasonQuestion | null
  onClose: () => void
  onDone: () => void
}) {
  return (
    <Dialog open={question !== null} onClose={onClose} title={question?.title ?? ''}>
      {question === null ? null : <ReasonForm key={question.name} {...{ question, onClose, onDone }} />}
    </Dialog>
  )
}

function ReasonForm({
  question,
  onClose,
  onDone,
}: {
  question: ReasonQuestion
  onClose: () => void
  onDone: () => void
}) {
  const t = useTexts(reasonTexts)
  const parts = useTexts(partsTexts)
  const { name, text, button, danger = false, optional = false, reasons } = question
  const { form, submit, error, sending } = useDraft({
    name,
    initial: { reason: '' },
    check: { reason: (value) => (!optional && value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ reason }, once) => {
    await question.act(reason.trim(), once)
    onDone()
  })
  const field = {
    label: optional ? parts.optional(t.reason) : t.reason,
    description: optional ? t.optional : t.hint,
    maxLength: REASON_MAX,
    required: !optional,
    ...form.getInputProps('reason'),
  }
  return (
    <DialogForm onSubmit={send}>
      <div className="who">{text}</div>
      {reasons === undefined ? (
        <Textarea {...field} rows={3} />
      ) : (
        <ReasonField act={reasons} set={(text) => form.setFieldValue('reason', text)} rows={3} {...field} />
      )}
      <Problem error={error} />
      <DialogButtons text={button} danger={danger} sending={sending} onClose={onClose} />
    </DialogForm>
  )
}
