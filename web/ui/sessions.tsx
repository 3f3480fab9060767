// Shows the sessions of the user, the second step and the passkeys. The user can end a session.

import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from './api-types.ts'
import { useAction, useRead, useSignedInUser } from './data.ts'
import { texts, useTexts } from './language.ts'
import { LoadingRows } from './loading-rows.tsx'
import { Chip, FactList, Mono, Page, PageLink, Panel, Time, useSiblingPath } from './parts.tsx'
import { Passkeys } from './passkeys.tsx'
import { Problem } from './problem.tsx'
import { signIn } from './session.ts'

type SessionRow = Calls['GET /v1/sessions']['data']['items'][number]

const sessionsTexts = texts({
  sw: {
    title: 'Mahali ulipoingia',
    lead: 'Vivinjari ambavyo akaunti yako imeingia sasa. Usiokitambua, kiondoe na ubadilishe nywila yako.',
    change_password: 'Badilisha nywila',
    unknown: 'Kifaa kisichojulikana',
    current: 'Hapa ulipo sasa',
    consoles: { dashboard: 'Dashibodi ya biashara', operator: 'Waendeshaji' },
    console: 'Sehemu',
    address: 'Anwani ya mtandao',
    seen: 'Kilitumika mwisho',
    since: 'Uliingia',
    end: 'Kiondoe',
    end_of: (device: string) => `Kiondoe: ${device}`,
    ended: (device: string) => `${device} kimeondolewa. Seva itakataa ombi lake linalofuata.`,
    second_step: 'Hatua ya pili ya kuingia',
    second_step_on: 'Uliingia kwa nywila na hatua ya pili: namba ya programu ya uthibitishaji, au passkey.',
    second_step_off: 'Unaingia kwa nywila pekee. Kwa hatua ya pili, aliyeiba nywila yako hawezi kuingia.',
    set_second_step: 'Weka hatua ya pili',
    replace_second_step: 'Badilisha programu ya uthibitishaji',
    foreign: 'Unaingia kwa mtoa utambulisho mwingine. Mahali ulipoingia panaonekana huko.',
  },
  en: {
    title: 'Your sessions',
    lead: 'The browsers in which your account is signed in. If you do not recognize a session, end the session and change your password.',
    change_password: 'Change the password',
    unknown: 'Unknown device',
    current: 'This session',
    consoles: { dashboard: 'Dashboard of the business', operator: 'Operators' },
    console: 'Console',
    address: 'Network address',
    seen: 'Last used',
    since: 'Signed in',
    end: 'End this session',
    end_of: (device: string) => `End this session: ${device}`,
    ended: (device: string) => `The session ended: ${device}. The server refuses its next request.`,
    second_step: 'Second step of the sign-in',
    second_step_on:
      'You signed in with your password and a second step: a code of the authenticator app, or a passkey.',
    second_step_off: 'You sign in with the password alone. With a second step, a stolen password does not suffice.',
    set_second_step: 'Set up the second step',
    replace_second_step: 'Replace the authenticator app',
    foreign: 'You sign in at another identity provider. That provider lists your sessions.',
  },
})

/**
 * Shows the page. If the user signs in at another identity provider, shows an explanation, because that provider has the
 * sessions.
 */
export function Sessions() {
  const t = useTexts(sessionsTexts)
  const read = useRead('GET /v1/sessions')
  const [message, setMessage] = useState('')
  const sessions = read.data?.items
  const beside = useSiblingPath()
  return (
    <Page title={t.title} lead={t.lead}>
      <div role="status" className="status-message">
        {message}
      </div>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {sessions === undefined && !read.error ? <LoadingRows /> : null}
      {sessions?.length === 0 ? <Text>{t.foreign}</Text> : null}
      {sessions !== undefined && sessions.length > 0 ? (
        <>
          <PageLink to={beside('account')}>{t.change_password}</PageLink>
          <SecondStep />
          <Passkeys onRemove={setMessage} />
        </>
      ) : null}
      {sessions?.map((session) => (
        <SessionPanel
          key={session.id}
          session={session}
          onEnd={() => setMessage(t.ended(session.device || t.unknown))}
        />
      ))}
    </Page>
  )
}

/** Shows whether the user signed in with a second step, and the button that sets up or replaces the second step. */
function SecondStep() {
  const t = useTexts(sessionsTexts)
  const me = useSignedInUser()
  if (me.data === undefined) return null
  const { second_factor } = me.data
  return (
    <Panel title={t.second_step} id="second-step">
      <Text>{second_factor ? t.second_step_on : t.second_step_off}</Text>
      <Group>
        <Button size="xs" variant="default" onClick={() => void signIn({ enrol: 'totp' })}>
          {second_factor ? t.replace_second_step : t.set_second_step}
        </Button>
      </Group>
    </Panel>
  )
}

function SessionPanel({ session, onEnd }: { session: SessionRow; onEnd: () => void }) {
  const t = useTexts(sessionsTexts)
  const { error, isPending, mutateAsync } = useAction('DELETE /v1/sessions/{session_id}')
  const { id, device, console, address, seen_at, signed_in_at, current } = session
  const name = device || t.unknown
  const end = () =>
    void mutateAsync({ params: { session_id: id } }).then(onEnd, () => {
      // If the API refuses the action, `error` has the refusal, and the alert below shows it.
    })
  return (
    <div className="panel">
      <Title order={2}>{name}</Title>
      <Stack gap="sm">
        <FactList
          facts={[
            [t.console, t.consoles[console]],
            [t.seen, <Time key="seen" time={seen_at} />],
            [t.since, <Time key="since" time={signed_in_at} />],
            [t.address, <Mono key="address">{address}</Mono>],
          ]}
        />
        <Problem error={error} />
        <Group>
          {current ? (
            <Chip tone="good">{t.current}</Chip>
          ) : (
            <Button size="xs" variant="default" loading={isPending} aria-label={t.end_of(name)} onClick={end}>
              {t.end}
            </Button>
          )}
        </Group>
      </Stack>
    </div>
  )
}
