// Shows the profile of the business that payers see, and changes it: contact, colour and logo.

import { Button, FileButton, Group, Image, Stack, Text, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { Refused } from '../../ui/api.ts'
import type { Calls } from '../../ui/api-types.ts'
import { BusyButton } from '../../ui/busy-button.tsx'
import { checks } from '../../ui/checks.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { newIdempotencyKey, useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Page, Panel } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { plainNumber } from '../../ui/phone-number.ts'
import { Problem } from '../../ui/problem.tsx'
import { useHasRole, useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { type LogoFileProblem, shrinkLogo } from './logo-file.ts'
import { profileTexts } from './profile-texts.ts'

type BusinessProfile = Calls['GET /v1/merchant/profile']['data']

/** Shows the profile to every member. Only administrators can change it. */
export function Profile() {
  const t = useTexts(profileTexts)
  const may = useHasRole('MERCHANT_ADMIN')
  const read = useRead('GET /v1/merchant/profile')
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.data === undefined && !read.error ? <LoadingRows /> : null}
      {read.data === undefined ? null : (
        <Stack gap="md">
          <Text size="sm">{t.name_help(read.data.name)}</Text>
          {may ? null : <Text size="sm">{t.read_only}</Text>}
          <Panel title={t.logo} id="logo">
            <BusinessLogo profile={read.data} may={may} />
          </Panel>
          <Panel title={t.contact} id="contact">
            <ContactForm profile={read.data} may={may} />
          </Panel>
        </Stack>
      )}
    </Page>
  )
}

/** The default colour. If the business has chosen no colour, the pages of payers have this colour. */
const DEFAULT_COLOR = '#0b6b50'

/** Returns a colour such as 7B1FA2 or #FFF in the format of the API. Null means that the text is no such colour. */
function readColor(text: string): string | null {
  const [, short, long = short?.replace(/./g, '$&$&')] =
    /^#?(?:([0-9a-f]{3})|([0-9a-f]{6}))$/.exec(text.trim().toLowerCase()) ?? []
  return long === undefined ? null : `#${long}`
}

type ContactFields = { support_phone: string; support_email: string; support_address: string; accent_color: string }

function ContactForm({ profile, may }: { profile: BusinessProfile; may: boolean }) {
  const t = useTexts(profileTexts)
  const parts = useTexts(partsTexts)
  const check = checks(useLanguage())
  const { merchant_id } = useMerchantAccess().membership
  const { mutateAsync } = useAction('PATCH /v1/merchant/profile')
  const [message, setMessage] = useState('')
  const optional = (test: (text: string) => string | null) => (text: string) => (text.trim() === '' ? null : test(text))
  const draft = useDraft<ContactFields>({
    name: `profile.${merchant_id}`,
    initial: {
      support_phone: profile.support_phone ?? '',
      support_email: profile.support_email ?? '',
      support_address: profile.support_address ?? '',
      accent_color: profile.accent_color ?? '',
    },
    check: {
      support_phone: optional((text) => (/^\+?[0-9][0-9 -]{2,18}$/.test(plainNumber(text)) ? null : t.phone_wrong)),
      support_address: check.short(160),
      support_email: optional(check.email),
      accent_color: optional((text) => (readColor(text) === null ? t.color_wrong : null)),
    },
  })
  const save = draft.submit(async (typed, once) => {
    setMessage('')
    const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
    const body = {
      support_phone: orNull(plainNumber(typed.support_phone)),
      support_email: orNull(typed.support_email),
      support_address: orNull(typed.support_address),
      accent_color: readColor(typed.accent_color),
    }
    await mutateAsync({ body, once })
    setMessage(t.saved)
  })
  const field = draft.form.getInputProps
  return (
    <form onSubmit={save} noValidate>
      <Stack gap="md" maw="34rem">
        <TextInput
          label={parts.optional(t.phone)}
          description={t.phone_help}
          type="tel"
          disabled={!may}
          {...field('support_phone')}
        />
        <TextInput label={parts.optional(t.email)} type="email" disabled={!may} {...field('support_email')} />
        <TextInput
          label={parts.optional(t.address)}
          description={t.address_help}
          disabled={!may}
          {...field('support_address')}
        />
        <TextInput
          label={parts.optional(t.color)}
          description={t.color_help}
          disabled={!may}
          rightSection={
            <input
              type="color"
              className="pick"
              aria-label={t.pick}
              disabled={!may}
              value={readColor(draft.form.values.accent_color) ?? DEFAULT_COLOR}
              onChange={(event) => draft.form.setFieldValue('accent_color', event.currentTarget.value)}
            />
          }
          rightSectionWidth="3.5rem"
          {...field('accent_color')}
        />
        {draft.error instanceof Refused && draft.error.shown_at_fields ? null : <Problem error={draft.error} />}
        <StatusMessage>{message}</StatusMessage>
        {may ? (
          <Group>
            <Button type="submit" loading={draft.sending}>
              {t.save}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </form>
  )
}

function BusinessLogo({ profile, may }: { profile: BusinessProfile; may: boolean }) {
  const t = useTexts(profileTexts)
  const replace = useAction('PUT /v1/merchant/logo')
  const remove = useAction('DELETE /v1/merchant/logo')
  const [problem, setProblem] = useState<LogoFileProblem | null>(null)
  const [message, setMessage] = useState('')
  const chooser = useRef<HTMLButtonElement>(null)
  const choose = async (file: File | null) => {
    if (file === null) return
    setMessage('')
    const small = await shrinkLogo(file)
    setProblem(typeof small === 'string' ? small : null)
    if (typeof small === 'string') return
    await replace.mutateAsync({ body: small, once: newIdempotencyKey() }).then(
      () => setMessage(t.saved),
      () => {
        // If the API refuses the logo, `replace.error` has the refusal, and the alert below shows it.
      },
    )
  }
  // The button that removes the logo disappears with the logo, so the focus moves to the button that chooses another one.
  const startRemoval = useFocusAfterRemoval(profile.logo === null, remove.isPending, chooser)
  const removeLogo = () => {
    setMessage('')
    startRemoval()
    remove.mutate({ once: newIdempotencyKey() }, { onSuccess: () => setMessage(t.saved) })
  }
  return (
    <Stack gap="sm" maw="34rem">
      {profile.logo === null ? (
        <Text size="sm">{t.logo_none}</Text>
      ) : (
        <Image
          src={`data:image/png;base64,${profile.logo.png}`}
          alt={t.logo_alt(profile.name)}
          w={160}
          h={96}
          // The consoles load no styles of Mantine's Image, so its `fit` has no effect.
          style={{ objectFit: 'contain' }}
        />
      )}
      <Text size="sm">{t.logo_help}</Text>
      {problem === null ? null : (
        <Text role="alert" size="sm" c="red" fw={600}>
          {t[problem]}
        </Text>
      )}
      <Problem error={replace.error ?? remove.error} />
      <StatusMessage>{message}</StatusMessage>
      {may ? (
        <Group>
          <FileButton accept="image/png,image/jpeg,image/webp,image/svg+xml" onChange={(file) => void choose(file)}>
            {(props) => (
              <BusyButton {...props} ref={chooser} busy={replace.isPending}>
                {t.choose}
              </BusyButton>
            )}
          </FileButton>
          {profile.logo === null ? null : (
            <BusyButton variant="default" busy={remove.isPending} onClick={removeLogo}>
              {t.remove}
            </BusyButton>
          )}
        </Group>
      ) : null}
    </Stack>
  )
}
