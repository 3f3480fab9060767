// Lets the merchant set the balance below which the first page warns.

import { Button, Group, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Refused } from '../../ui/api.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { StatusMessage } from '../status-message.tsx'
import { attentionTexts } from './attention-texts.ts'

/** Removes the marks that people write around the digits of an amount: spaces, commas, TZS, TSH and /=. */
const plainAmount = (text: string) => text.replace(/TZS|TSH|\/=/gi, '').replace(/[\s,]/g, '')

/** Shows the balance of the warning, and the form that changes it. An empty field ends the warning. */
export function BalanceMark() {
  const t = useTexts(attentionTexts)
  const language = useLanguage()
  const read = useRead('GET /v1/merchant/balance-mark')
  const act = useAction('PUT /v1/merchant/balance-mark')
  const [typed, setTyped] = useState('')
  const mark = read.data?.balance_below ?? null
  const save = (event: FormEvent) => {
    event.preventDefault()
    const text = plainAmount(typed)
    act.mutate({ body: { balance_below: text === '' ? null : text } }, { onSuccess: () => setTyped('') })
  }
  const wrong = act.error instanceof Refused ? act.error.fieldsIn(language).balance_below : undefined
  return (
    <details className="disclosed">
      <summary>{t.mark_title}</summary>
      <form onSubmit={save}>
        <Text size="sm">{mark === null ? t.mark_none : `${t.mark_now(showAmount(mark))} ${t.mark_none}`}</Text>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t.mark_field}
            inputMode="decimal"
            value={typed}
            error={wrong}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={act.isPending}>
            {t.mark_save}
          </Button>
        </Group>
        <StatusMessage>{act.isSuccess ? t.mark_saved : ''}</StatusMessage>
        <Problem error={wrong === undefined ? act.error : null} />
      </form>
    </details>
  )
}
