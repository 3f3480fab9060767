// Shows the dialog in which the user confirms the session with a code, the password or a passkey. After the confirmation, the
// page repeats the refused request.

import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call, Refused } from './api.ts'
import type { Calls } from './api-types.ts'
import { onConfirmation } from './confirm-request.ts'
import { useRead } from './data.ts'
import { texts, useTexts } from './language.ts'
import { Dialog } from './parts.tsx'
import { partsTexts } from './parts-texts.ts'
import { Problem } from './problem.tsx'
import { signIn } from './session.ts'

/** The texts of the dialog. */
export const confirmTexts = texts({
  sw: {
    title: 'Thibitisha kuwa ni wewe',
    lead: 'Muda umepita tangu ulipoingia. Thibitisha, kisha ombi lako litaendelea.',
    code: 'Namba ya uthibitishaji',
    code_hint: 'Tarakimu 6 za programu ya uthibitishaji. Umepoteza simu? Andika moja ya namba zako za dharura.',
    wrong_code: 'Namba si sahihi, au imeshatumika. Subiri namba mpya na ujaribu tena.',
    password: 'Nywila yako',
    wrong_password: 'Nywila si sahihi. Andika tena.',
    use_passkey: 'Tumia passkey yako',
    passkey_failed: 'Passkey haikutumika. Jaribu tena, au andika namba ya uthibitishaji.',
    confirm: 'Thibitisha na uendelee',
    only_sign_in: 'Muda umepita tangu ulipoingia. Ingia tena, kisha rudia ombi lako. Ulichoandika kimehifadhiwa.',
    sign_in: 'Ingia tena',
  },
  en: {
    title: 'Confirm that it is you',
    lead: 'You did not sign in recently. After the confirmation, your request continues.',
    code: 'Authentication code',
    code_hint: 'The 6 digits of the authenticator app. Lost your phone? Enter one of your recovery codes.',
    wrong_code: 'The code is not right, or you have used the code already. Wait for a new code and try again.',
    password: 'Your password',
    wrong_password: 'The password is not right. Enter it again.',
    use_passkey: 'Use your passkey',
    passkey_failed: 'The browser did not use the passkey. Try again, or enter a code.',
    confirm: 'Confirm and continue',
    only_sign_in:
      'You did not sign in recently. Sign in again, then repeat your request. This tab keeps the text that you typed.',
    sign_in: 'Sign in again',
  },
})

/** If the API requires a recent sign-in, shows the dialog. The frame renders this component once. */
export function ConfirmDialog() {
  const t = useTexts(confirmTexts)
  const answer = useRef<((confirmed: boolean) => void) | null>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    onConfirmation(
      () =>
        new Promise((resolve) => {
          answer.current = resolve
          setOpen(true)
        }),
    )
    return () => onConfirmation(null)
  }, [])
  const close = (confirmed: boolean) => {
    setOpen(false)
    answer.current?.(confirmed)
    answer.current = null
  }
  return (
    <Dialog open={open} onClose={() => close(false)} title={t.title}>
      {open ? <ConfirmForm close={close} /> : null}
    </Dialog>
  )
}

function ConfirmForm({ close }: { close: (confirmed: boolean) => void }) {
  const read = useRead('GET /v1/session')
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [sending, setSending] = useState(false)
  const field = read.data?.confirm_with
  if (field === undefined) return <Problem error={read.error} retry={() => void read.refetch()} />
  const send = async () => {
    if (sending) return
    setSending(true)
    setWrong(false)
    setError(null)
    try {
      await call(CONFIRM, { body: field === 'code' ? { code: text } : { password: text } })
      close(true)
    } catch (thrown) {
      if (thrown instanceof Refused && thrown.code === 'validation_failed') setWrong(true)
      else setError(thrown)
    } finally {
      setSending(false)
    }
  }
  const passkey = read.data?.passkey === true && hasPasskeys
  return <ConfirmView {...{ field, passkey, text, setText, wrong, error, sending, close }} send={() => void send()} />
}

/** Draws the form of the dialog. `field` says with what the user confirms. `wrong` marks the refused value. */
export function ConfirmView({
  field,
  passkey,
  text,
  setText,
  wrong,
  error,
  sending,
  send,
  close,
}: {
  field: Calls['GET /v1/session']['data']['confirm_with']
  passkey: boolean
  text: string
  setText: (text: string) => void
  wrong: boolean
  error: unknown
  sending: boolean
  send: () => void
  close: (confirmed: boolean) => void
}) {
  const t = useTexts(confirmTexts)
  const parts = useTexts(partsTexts)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  const cancel = (
    <Button variant="default" onClick={() => close(false)}>
      {parts.cancel}
    </Button>
  )
  if (field === 'sign_in') {
    return (
      <Stack gap="md">
        <Text>{t.only_sign_in}</Text>
        <Group>
          <Button onClick={() => void signIn({ again: true })}>{t.sign_in}</Button>
          {cancel}
        </Group>
      </Stack>
    )
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const is_code = field === 'code'
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="md">
        <Text>{t.lead}</Text>
        {passkey ? <PasskeyButton close={close} /> : null}
        <TextInput
          label={t[field]}
          {...(is_code ? { description: t.code_hint } : {})}
          name={`confirm-${field}`}
          type={is_code ? 'text' : 'password'}
          autoComplete={is_code ? 'one-time-code' : 'current-password'}
          ref={input}
          maxLength={is_code ? 40 : 512}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={wrong ? t[`wrong_${field}`] : null}
        />
        <Problem error={error} />
        <Group>
          <Button type="submit" loading={sending}>
            {t.confirm}
          </Button>
          {cancel}
        </Group>
      </Stack>
    </form>
  )
}

/** True if the browser can read the options of a passkey. Old browsers do not have this function. */
const hasPasskeys = typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'

/** Shows the button that confirms the session with a passkey. */
function PasskeyButton({ close }: { close: (confirmed: boolean) => void }) {
  const t = useTexts(confirmTexts)
  const [failed, setFailed] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [sending, setSending] = useState(false)
  const use = async () => {
    setSending(true)
    setFailed(false)
    setError(null)
    try {
      await confirmWithPasskey()
      close(true)
    } catch (thrown) {
      // If the user closes the browser's dialog or has no passkey here, the browser throws a DOMException.
      const is_passkey = thrown instanceof DOMException
      if (is_passkey || (thrown instanceof Refused && thrown.code === 'validation_failed')) setFailed(true)
      else setError(thrown)
    } finally {
      setSending(false)
    }
  }
  return (
    <Stack gap="xs">
      <Group>
        <Button onClick={() => void use()} loading={sending}>
          {t.use_passkey}
        </Button>
      </Group>
      <Text role="alert" c="red">
        {failed ? t.passkey_failed : ''}
      </Text>
      <Problem error={error} />
    </Stack>
  )
}

async function confirmWithPasskey(): Promise<void> {
  const options = await call('POST /v1/session/passkey')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const passkey = credential.toJSON() as NonNullable<Calls[typeof CONFIRM]['body']['passkey']>
  await call(CONFIRM, { body: { passkey } })
}

const CONFIRM = 'POST /v1/session/confirm'
