// A question with a reason: what is going to happen, why, then the button that says it.

import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'
import { useDraft } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { Answers, Form } from '../question.tsx'

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
    needed: 'Write the reason.',
    hint: 'It stays in the audit log.',
    optional: 'It stays in the audit log.',
  },
})

/** One question. `name` names what is typed; `act` does it. */
export type Question = {
  name: string
  title: string
  text: ReactNode
  button: string
  danger?: boolean
  optional?: boolean
  act: (reason: string, once: string) => Promise<unknown>
}

/** Asks, while there is a question. `onDone` is called when the API said that it is done. */
export function Reason({
  question,
  onClose,
  onDone,
}: {
  question: Question | null
  onClose: () => void
  onDone: () => void
}) {
  return (
    <Dialog open={question !== null} onClose={onClose} title={question?.title ?? ''}>
      {question === null ? null : <Asked key={question.name} {...{ question, onClose, onDone }} />}
    </Dialog>
  )
}

function Asked({ question, onClose, onDone }: { question: Question; onClose: () => void; onDone: () => void }) {
  const t = useTexts(reasonTexts)
  const parts = useTexts(partsTexts)
  const { name, text, button, danger = false, optional = false } = question
  const { form, submit, error, sending } = useDraft({
    name,
    initial: { reason: '' },
    check: { reason: (value) => (!optional && value.trim() === '' ? t.needed : null) },
  })
  const send = submit(async ({ reason }, once) => {
    await question.act(reason.trim(), once)
    onDone()
  })
  return (
    <Form onSubmit={send}>
      <div className="who">{text}</div>
      <Textarea
        label={optional ? parts.optional(t.reason) : t.reason}
        description={optional ? t.optional : t.hint}
        maxLength={REASON_MAX}
        rows={3}
        required={!optional}
        {...form.getInputProps('reason')}
      />
      <Problem error={error} />
      <Answers text={button} danger={danger} sending={sending} onClose={onClose} />
    </Form>
  )
}
