// Shows the profile of the user: name, e-mail address, language and password, with links to the second step and the sessions.

import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Calls } from './api-types.ts'
import { BusyButton } from './busy-button.tsx'
import { checks } from './checks.ts'
import { readAgain, useCall, useRead, useSignedInUser } from './data.ts'
import { useDraft, useSecretForm } from './form.ts'
import { LANGUAGES, type Language, texts, useLanguage, useTexts } from './language.ts'
import { LoadingRows } from './loading-rows.tsx'
import { FactList, Page, PageLink, Panel, useSiblingPath } from './parts.tsx'
import { Problem } from './problem.tsx'
import { signIn } from './session.ts'
import { showToast } from './toast.tsx'

const accountTexts = texts({
  sw: {
    title: 'Wasifu wako',
    lead: 'Akaunti unayoingia nayo. Ni moja kwa biashara zako zote na kwa sehemu zote mbili.',
    person: 'Wewe',
    name: 'Jina',
    email: 'Barua pepe',
    unproven: 'haijathibitishwa',
    mail_language: 'Lugha ya barua pepe',
    language_help: 'Mfumo huu unakutumia barua pepe kwa lugha hii. Lugha ya kurasa hizi unaichagua kwenye menyu.',
    change_language: 'Badilisha lugha',
    language_changed: 'Umebadilisha lugha ya barua pepe.',
    languages: { sw: 'Kiswahili', en: 'Kiingereza' },
    rename: 'Badilisha jina',
    renamed: 'Umebadilisha jina.',
    name_help: 'Kila biashara hubaki na jina ililokupa ilipokualika.',
    new_email: 'Barua pepe mpya',
    email_help: 'Seva hutuma kiungo kwa anwani mpya. Barua pepe hubadilika ukifungua kiungo na kuandika nywila yako.',
    change_email: 'Badilisha barua pepe',
    email_sent: (to: string, now: string) =>
      `Seva inatuma ujumbe kwa ${to}, isipokuwa kama kikomo cha ujumbe kimefikiwa. Fungua kiungo chake ndani ya saa moja. Hadi hapo, barua pepe yako inabaki ${now}. Usipouona, angalia kwenye barua taka, au omba tena baada ya saa moja.`,
    email_kept: (to: string, now: string) =>
      `Mfumo huu hautumi barua pepe. Mwombe mwendeshaji wa mfumo akupe kiungo kilichoandikwa kwa ${to}. Anaweza kukipata kwa amri hii kwenye seva: npm run -s admin -- emails. Hadi ukifungue, barua pepe yako inabaki ${now}.`,
    prove_first: 'Ili kubadilisha barua pepe, thibitisha kwanza hii ya sasa: fungua kiungo ulichotumiwa ulipojisajili.',
    password: 'Nywila',
    foreign: 'Unaingia kwa mtoa utambulisho mwingine. Nywila na hatua ya pili hubadilishwa huko.',
    current: 'Nywila ya sasa',
    new_password: 'Nywila mpya',
    rule: 'Angalau herufi 8. Isiwe nywila inayojulikana na wengi.',
    ends: 'Ukibadilisha nywila, unatolewa kwenye vifaa vyote, pamoja na hiki.',
    change: 'Badilisha nywila',
    forgot: 'Huna nywila, au umeisahau? Ondoka, kisha chagua "Umesahau nywila?" kwenye ukurasa wa kuingia.',
    wrong: 'Nywila si sahihi. Andika tena.',
    done: 'Umebadilisha nywila. Ingia tena kwa nywila mpya.',
    sign_in: 'Ingia tena',
    safety: 'Usalama wa kuingia',
    second_step: 'Hatua ya pili na passkey',
    sessions: 'Mahali ulipoingia',
  },
  en: {
    title: 'Your profile',
    lead: 'The account with which you sign in. It is the same for all your businesses and in both consoles.',
    person: 'You',
    name: 'Name',
    email: 'E-mail address',
    unproven: 'not confirmed',
    mail_language: 'Language of e-mails',
    language_help: 'This service sends you e-mails in this language. Choose the language of these pages in the menu.',
    change_language: 'Change the language',
    language_changed: 'You changed the language of e-mails.',
    languages: { sw: 'Swahili', en: 'English' },
    rename: 'Change the name',
    renamed: 'You changed the name.',
    name_help: 'Each business keeps the name that it gave you in its invitation.',
    new_email: 'New e-mail address',
    email_help:
      'The server sends a link to the new address. The address changes when you open the link and enter your password.',
    change_email: 'Change the e-mail address',
    email_sent: (to: string, now: string) =>
      `The server sends a message to ${to}, unless a limit of messages is reached. Open its link within 1 hour. Until then, your e-mail address stays ${now}. If you do not see the message, look in the spam folder, or ask again after an hour.`,
    email_kept: (to: string, now: string) =>
      `This server sends no e-mail. Ask the operator of the platform for the link to ${to}. The operator finds it with this command on the server: npm run -s admin -- emails. Until you open it, your e-mail address stays ${now}.`,
    prove_first:
      'To change the e-mail address, first confirm the present one: open the link that you got when you signed up.',
    password: 'Password',
    foreign: 'You sign in at another identity provider. Change the password and the second step there.',
    current: 'Current password',
    new_password: 'New password',
    rule: 'At least 8 characters, and not a common password.',
    ends: 'After the change, you are signed out on all devices, also on this one.',
    change: 'Change the password',
    forgot: 'No password, or forgotten? Sign out, then choose "Forgot your password?" on the sign-in page.',
    wrong: 'The password is not right. Enter it again.',
    done: 'You changed the password. Sign in again with the new password.',
    sign_in: 'Sign in again',
    safety: 'Security of the sign-in',
    second_step: 'Second step and passkeys',
    sessions: 'Your sessions',
  },
})

/** Shows the page. If the user signs in at another identity provider, shows an explanation instead of the password form. */
export function UserProfile() {
  const t = useTexts(accountTexts)
  const me = useSignedInUser()
  const sessions = useRead('GET /v1/sessions')
  const [changed, setChanged] = useState(false)
  if (changed) return <Changed />
  if (me.data === undefined || sessions.data === undefined) {
    const error = me.error ?? sessions.error
    return <Page title={t.title}>{error ? <Problem error={error} /> : <LoadingRows />}</Page>
  }
  const { name, email, email_verified, language } = me.data
  const is_foreign = sessions.data.items.length === 0
  return (
    <Page title={t.title} lead={t.lead}>
      <Panel title={t.person} id="person">
        <FactList facts={[[t.email, email_verified ? email : `${email} (${t.unproven})`, 'wide']]} />
        <NameForm name={name} />
        <LanguageForm language={language} />
      </Panel>
      {is_foreign ? null : (
        <Panel title={t.email} id="email">
          {email_verified ? <EmailForm email={email} /> : <Text>{t.prove_first}</Text>}
        </Panel>
      )}
      <Panel title={t.password} id="password">
        {is_foreign ? <Text>{t.foreign}</Text> : <PasswordForm onChange={() => setChanged(true)} />}
      </Panel>
      {is_foreign ? null : <SafetyLinks />}
    </Page>
  )
}

function Changed() {
  const t = useTexts(accountTexts)
  return (
    <Page title={t.title}>
      <Text role="status">{t.done}</Text>
      <Group>
        <Button onClick={() => void signIn()}>{t.sign_in}</Button>
      </Group>
    </Page>
  )
}

function SafetyLinks() {
  const t = useTexts(accountTexts)
  const beside = useSiblingPath()
  return (
    <Panel title={t.safety} id="safety">
      <Stack gap="xs">
        <PageLink to={beside('sessions')}>{t.second_step}</PageLink>
        <PageLink to={beside('sessions')}>{t.sessions}</PageLink>
      </Stack>
    </Panel>
  )
}

/** The greatest number of characters of a name, as the API requires. */
const NAME_MAX = 100

function NameForm({ name }: { name: string }) {
  const t = useTexts(accountTexts)
  const call = useCall()
  const queries = useQueryClient()
  const { text } = checks(useLanguage())
  const draft = useDraft({
    name: 'account.name',
    initial: { name },
    check: { name: text(NAME_MAX) },
  })
  const send = draft.submit(async (body) => {
    const stored = await call('PATCH /v1/session/name', { body: { name: body.name.trim() } })
    // The server may have changed the name. The form stays in place, so that the button keeps the focus.
    draft.form.setInitialValues({ name: stored.name })
    draft.form.setValues({ name: stored.name })
    await readAgain(queries)
    showToast(t.renamed)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md" maw="34rem">
        <TextInput
          label={t.name}
          description={t.name_help}
          autoComplete="name"
          required
          {...draft.form.getInputProps('name')}
        />
        <Problem error={draft.error} />
        <Group>
          <BusyButton type="submit" variant="default" busy={draft.sending}>
            {t.rename}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}

function LanguageForm({ language }: { language: Language }) {
  const t = useTexts(accountTexts)
  const call = useCall()
  const queries = useQueryClient()
  const draft = useDraft({ name: 'account.language', initial: { language }, check: {} })
  const send = draft.submit(async (body) => {
    const stored = await call('PATCH /v1/session/language', { body })
    // The form stays in place, so that the button keeps the focus.
    draft.form.setInitialValues(stored)
    draft.form.setValues(stored)
    await readAgain(queries)
    showToast(t.language_changed)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md" maw="34rem">
        <NativeSelect
          label={t.mail_language}
          description={t.language_help}
          data={LANGUAGES.map((value) => ({ value, label: t.languages[value] }))}
          {...draft.form.getInputProps('language')}
        />
        <Problem error={draft.error} />
        <Group>
          <BusyButton type="submit" variant="default" busy={draft.sending}>
            {t.change_language}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  )
}

type EmailRequest = Calls['POST /v1/session/email']['data']

// The form stays after a request, so that the user can correct a mistyped address. The new request replaces the link.
function EmailForm({ email }: { email: string }) {
  const t = useTexts(accountTexts)
  const call = useCall()
  const { email: isEmail } = checks(useLanguage())
  const [sent, setSent] = useState<EmailRequest | null>(null)
  const draft = useDraft({ name: 'account.email', initial: { email: '' }, check: { email: isEmail } })
  const send = draft.submit(async (body) => {
    setSent(null)
    setSent(await call('POST /v1/session/email', { body: { email: body.email.trim() } }))
    draft.forget()
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md" maw="34rem">
        <TextInput
          label={t.new_email}
          description={t.email_help}
          type="email"
          autoComplete="email"
          required
          {...draft.form.getInputProps('email')}
        />
        <Problem error={draft.error} />
        <Stack gap={sent === null ? 0 : 'md'}>
          <Text role="status" style={{ overflowWrap: 'anywhere' }}>
            {sent === null ? null : (sent.has_mail_server ? t.email_sent : t.email_kept)(sent.email, email)}
          </Text>
          <Group>
            <BusyButton type="submit" variant="default" busy={draft.sending}>
              {t.change_email}
            </BusyButton>
          </Group>
        </Stack>
      </Stack>
    </form>
  )
}

// The form keeps no draft, because a draft must contain no secrets.
function PasswordForm({ onChange }: { onChange: () => void }) {
  const t = useTexts(accountTexts)
  const call = useCall()
  const { needed } = checks(useLanguage())
  const { form, submit, error, sending } = useSecretForm({
    initial: { password: '', new_password: '' },
    check: { password: needed, new_password: needed },
    say: { password: t.wrong },
  })
  const send = submit(async (body) => {
    await call('POST /v1/session/password', { body })
    onChange()
  })
  const input = (name: 'password' | 'new_password') => ({
    type: 'password',
    name,
    required: true,
    maxLength: 512,
    ...form.getInputProps(name),
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md" maw="34rem">
        <TextInput label={t.current} autoComplete="current-password" {...input('password')} />
        <TextInput label={t.new_password} description={t.rule} autoComplete="new-password" {...input('new_password')} />
        <Text size="sm">{t.ends}</Text>
        <Problem error={error} />
        <Group>
          <Button type="submit" loading={sending}>
            {t.change}
          </Button>
        </Group>
        <Text size="sm">{t.forgot}</Text>
      </Stack>
    </form>
  )
}
