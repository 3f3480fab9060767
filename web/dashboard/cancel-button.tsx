// Shows the button that cancels a record, for the pages of an invoice, a payment link and a withdrawal.

import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../ui/parts.tsx'
import { Problem } from '../ui/problem.tsx'

/** The texts of the button and of its dialog. */
type CancelTexts = { cancel: string; cancel_title: string; cancel_sure: string; cancel_keep: string }

/** Shows a button that opens a dialog. Only the buttons of the dialog call `cancel`. */
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
