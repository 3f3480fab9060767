// Contains components that the pages of an invoice and of a payment link share.

import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dialog, PageLink } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'

/** Makes a fact that links to another page. If `to` is null, returns null, and FactList omits the fact. */
export function linkFact(label: string, to: string | null, text: string): readonly [string, ReactNode] | null {
  if (to === null) return null
  return [
    label,
    <PageLink key="" to={to}>
      {text}
    </PageLink>,
  ]
}

/** The texts of a cancellation, for invoices and for links. */
type CancelTexts = { cancel: string; cancel_title: string; cancel_sure: string; cancel_keep: string }

/** Shows the button that cancels, and the dialog that asks for a confirmation. */
export function CancelButton(props: {
  t: CancelTexts
  text: string
  act: { error: unknown; isPending: boolean }
  confirming: boolean
  setConfirming: (confirming: boolean) => void
  cancel: () => void
}) {
  const { t, text, act, confirming, setConfirming, cancel } = props
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {t.cancel}
      </Button>
      <Dialog open={confirming} onClose={() => setConfirming(false)} title={t.cancel_title}>
        <Text>{text}</Text>
        <Problem error={act.error} retry={cancel} />
        <Group>
          <Button color="red" loading={act.isPending} onClick={cancel}>
            {t.cancel_sure}
          </Button>
          <Button variant="default" onClick={() => setConfirming(false)}>
            {t.cancel_keep}
          </Button>
        </Group>
      </Dialog>
    </>
  )
}
