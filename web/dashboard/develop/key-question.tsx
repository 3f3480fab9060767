// Shows the dialogs that rotate or revoke a key.

import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { readAgain, useCall } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import type { Made } from './key-shown.tsx'
import { keysTexts } from './keys-texts.ts'

/** A key without its secret, as the API lists keys. */
export type ApiKeyRow = Calls['GET /v1/merchant/api-keys']['data']['items'][number]

/** The change that the member requests, with the key to change. */
export type KeyAction = { act: 'rotate' | 'revoke'; row: ApiKeyRow }

/**
 * Shows the dialog of a change. After a rotation, `show` gets the new key. After a revocation, `message` gets a text.
 */
export function KeyQuestion(props: {
  action: KeyAction | null
  close: () => void
  message: (text: string) => void
  show: (made: Made) => void
}) {
  const { action, close } = props
  return action === null ? null : (
    <KeyActionDialog key={`${action.act} ${action.row.id}`} {...props} action={action} close={close} />
  )
}

function KeyActionDialog({
  action: { act, row },
  close,
  message,
  show,
}: {
  action: KeyAction
  close: () => void
  message: (text: string) => void
  show: (made: Made) => void
}) {
  const t = useTexts(keysTexts)
  const parts = useTexts(partsTexts)
  const call = useCall()
  const queries = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  // Every retry of this dialog uses the same Idempotency-Key. If the network loses a response, the server still rotates the key
  // only once.
  const [once] = useState(newIdempotencyKey)
  const sendAction = async () => {
    setBusy(true)
    setError(null)
    try {
      const params = { key_id: row.id }
      // This call does not use useAction, because its cache would keep the key after the member leaves the page.
      if (act === 'rotate') {
        const { plaintext_key, environment, scopes } = await call('POST /v1/merchant/api-keys/{key_id}/rotate', {
          params,
          once,
        })
        show({ plaintext_key, environment, scopes })
      } else {
        await call('PATCH /v1/merchant/api-keys/{key_id}/revoke', { params, once })
        message(t.revoked(row.name))
      }
      close()
      await readAgain(queries)
    } catch (thrown) {
      setError(thrown)
      setBusy(false)
    }
  }
  const rotates = act === 'rotate'
  return (
    <Dialog open onClose={close} title={rotates ? t.rotate_title(row.name) : t.revoke_title(row.name)}>
      <Text>{rotates ? t.rotate_text : t.revoke_text}</Text>
      <Problem error={error} />
      <Group>
        <Button color="red" loading={busy} onClick={() => void sendAction()}>
          {rotates ? t.rotate_yes : t.revoke_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}
