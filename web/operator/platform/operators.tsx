// Shows the operators with role, second factor and last sign-in. A SUPER_ADMIN can take a role away, or disable an operator.

import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { Chip, EmptyState, Mono, Page, PersonName, Time } from '../../ui/parts.tsx'
import { ForDuty } from '../duty.tsx'
import { frameTexts } from '../frame-texts.ts'
import { Notice } from '../notice.tsx'
import { useMe } from '../operator.ts'
import { ReasonDialog, type ReasonQuestion } from './reason.tsx'

type OperatorRow = Calls['GET /v1/operator/operators']['data']['items'][number]

/** The command that gives a role. It contains no secret, so the page can show it. */
const COMMAND = 'npm run -s admin -- user create --email asha@example.tz --role FINANCE_OPERATOR'

const operatorsTexts = texts({
  sw: {
    title: 'Waendeshaji',
    lead: 'Watu wanaoweza kufungua sehemu hii, na jukumu la kila mmoja.',
    how: 'Jukumu hutolewa au kubadilishwa kwa amri kwenye seva tu, ili mwendeshaji mmoja asijitengenezee wa pili:',
    who: 'Mwendeshaji',
    role: 'Jukumu',
    factor: 'Hatua ya pili ya kuingia',
    app: 'Programu ya namba',
    passkeys: (count: number) => `Passkey: ${count}`,
    none: 'Haijawekwa',
    demo: 'Wa maonyesho',
    last: 'Aliingia mwisho',
    never: 'Hakuna kumbukumbu',
    not_yet: 'Bado hajaingia',
    state: 'Hali',
    active: 'Anaweza kuingia',
    disabled: 'Amezuiwa',
    acts: 'Vitendo',
    you: 'Wewe',
    revoke: 'Ondoa jukumu',
    revoke_title: 'Ondoa jukumu la mwendeshaji?',
    revoke_text: (email: string) =>
      `${email} hatakuwa mwendeshaji tena, na atatolewa kila mahali alipoingia. Nafasi yake kwenye biashara zake inabaki.`,
    revoke_done: 'Umeondoa jukumu.',
    disable: 'Zuia',
    disable_title: 'Zuia mwendeshaji?',
    disable_text: (email: string) =>
      `${email} hataweza kuingia tena, hata kama mtumiaji wa biashara, na atatolewa kila mahali alipoingia.`,
    disable_done: 'Umemzuia mwendeshaji.',
    empty: 'Hakuna mwendeshaji',
  },
  en: {
    title: 'Operators',
    lead: 'The people who can open this console, and the role of each one.',
    how: 'Only a command on the server gives or changes a role, so that no operator alone can add another operator:',
    who: 'Operator',
    role: 'Role',
    factor: 'Second step',
    app: 'Authenticator app',
    passkeys: (count: number) => `Passkeys: ${count}`,
    none: 'Not set up',
    demo: 'Demo',
    last: 'Last sign-in',
    never: 'Not recorded',
    not_yet: 'Has not signed in yet',
    state: 'State',
    active: 'Can sign in',
    disabled: 'Disabled',
    acts: 'Actions',
    you: 'You',
    revoke: 'Remove the role',
    revoke_title: 'Remove the role of this operator?',
    revoke_text: (email: string) =>
      `${email} is no longer an operator, and all sessions end. The memberships of merchants stay.`,
    revoke_done: 'You removed the role.',
    disable: 'Disable',
    disable_title: 'Disable this operator?',
    disable_text: (email: string) =>
      `${email} can no longer sign in, also as a member of merchants, and all sessions end.`,
    disable_done: 'You disabled the operator.',
    empty: 'No operator',
  },
})

type OperatorsTexts = ReturnType<typeof useTexts<typeof operatorsTexts.en>>

/**
 * Shows the operators. Only operators with the duty `platform` see the buttons that take a role or disable an operator.
 */
export function Operators() {
  const t = useTexts(operatorsTexts)
  const frame = useTexts(frameTexts)
  const me = useMe()
  const revoke = useAction('POST /v1/operator/operators/{user_id}/revoke')
  const disable = useAction('POST /v1/operator/operators/{user_id}/disable')
  const [question, setQuestion] = useState<{ ask: ReasonQuestion; done: string } | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const list = useListQuery([])
  const read = useRead('GET /v1/operator/operators', { query: list.query }, { keep: true })
  const ask = (kind: RightsQuestion, { user_id, email }: OperatorRow) => {
    const action = kind === 'revoke' ? revoke : disable
    setQuestion({
      done: t[`${kind}_done`],
      ask: {
        name: `${kind}-operator.${user_id}`,
        title: t[`${kind}_title`],
        text: t[`${kind}_text`](email),
        button: t[kind],
        danger: true,
        act: (reason, once) => action.mutateAsync({ params: { user_id }, body: { reason }, once }),
      },
    })
  }
  return (
    <Page title={t.title} lead={t.lead}>
      <Text size="sm">
        {t.how} <Mono>{COMMAND}</Mono>
      </Text>
      <Notice text={notice} />
      <List
        label={t.title}
        {...{ read, list, filters: [] }}
        columns={operatorColumns(t, frame.roles, me.id, ask)}
        rowKey={(row) => row.user_id}
        empty={<EmptyState title={t.empty} />}
      />
      <ReasonDialog
        question={question?.ask ?? null}
        onClose={() => setQuestion(null)}
        onDone={() => {
          setNotice(question?.done ?? null)
          setQuestion(null)
        }}
      />
    </Page>
  )
}

type RightsQuestion = 'revoke' | 'disable'

function operatorColumns(
  t: OperatorsTexts,
  roles: Record<OperatorRow['role'], string>,
  own_id: string,
  ask: (kind: RightsQuestion, row: OperatorRow) => void,
): Column<OperatorRow>[] {
  return [
    {
      label: t.who,
      show: (row) => (
        <div className="who">
          {row.name} {row.user_id === own_id ? <Chip tone="plain">{t.you}</Chip> : null}{' '}
          {row.demo ? <Chip tone="warn">{t.demo}</Chip> : null}
          <div>
            <PersonName name={row.email} />
          </div>
        </div>
      ),
      wide: true,
    },
    { label: t.role, show: (row) => roles[row.role] },
    { label: t.factor, show: (row) => <Factors row={row} t={t} /> },
    { label: t.last, show: (row) => <LastSignIn row={row} t={t} /> },
    {
      label: t.state,
      show: (row) => (row.disabled ? <Chip tone="bad">{t.disabled}</Chip> : <Chip tone="good">{t.active}</Chip>),
    },
    {
      label: t.acts,
      show: (row) =>
        row.user_id === own_id ? null : (
          <ForDuty duty="platform">
            <Group gap="xs">
              {(row.disabled ? (['revoke'] as const) : (['revoke', 'disable'] as const)).map((kind) => (
                <Button
                  key={kind}
                  size="xs"
                  variant="default"
                  aria-label={`${t[kind]}: ${row.email}`}
                  onClick={() => ask(kind, row)}
                >
                  {t[kind]}
                </Button>
              ))}
            </Group>
          </ForDuty>
        ),
    },
  ]
}

function LastSignIn({ row, t }: { row: OperatorRow; t: OperatorsTexts }) {
  if (row.last_sign_in_at !== null) return <Time time={row.last_sign_in_at} />
  return row.has_signed_in ? t.never : <Chip tone="warn">{t.not_yet}</Chip>
}

function Factors({ row, t }: { row: OperatorRow; t: OperatorsTexts }) {
  if (!row.authenticator && row.passkeys === 0) return <Chip tone="warn">{t.none}</Chip>
  return (
    <div>
      {row.authenticator ? <div>{t.app}</div> : null}
      {row.passkeys > 0 ? <div>{t.passkeys(row.passkeys)}</div> : null}
    </div>
  )
}
