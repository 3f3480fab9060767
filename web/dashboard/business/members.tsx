// Shows the members of the business and their roles.

import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useCall, useRead, useSignedInUser } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { InviteAgain, MemberSince } from '../../ui/invitation.tsx'
import { useTexts } from '../../ui/language.ts'
import { type Column, List, useListQuery } from '../../ui/list.tsx'
import { EmptyState, Page, PersonName } from '../../ui/parts.tsx'
import { useWords } from '../../ui/words.ts'
import { useHasRole } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { type MemberAction, MemberQuestion, type MemberRow } from './member-question.tsx'
import { Invite } from './members-invite.tsx'
import { membersTexts } from './members-texts.ts'
import { Security } from './security.tsx'

/**
 * Shows the members to every role. Every member can leave the business. Administrators can also invite members, change roles
 * and remove members.
 */
export function Members() {
  const t = useTexts(membersTexts)
  const words = useWords()
  const admin = useHasRole('MERCHANT_ADMIN')
  const me = useSignedInUser()
  const [action, setAction] = useState<MemberAction | null>(null)
  const [message, setMessage] = useState('')
  const list = useListQuery([])
  const read = useRead('GET /v1/merchant/members', { query: list.query }, { keep: true })
  const own_email = me.data?.email
  const call = useCall()
  const inviteAgain = ({ id: member_id }: MemberRow) =>
    call('POST /v1/merchant/members/{member_id}/invitation', { params: { member_id }, once: newIdempotencyKey() })
  const columns: Column<MemberRow>[] = [
    {
      label: t.email,
      show: (row) => (
        <>
          <strong>
            <PersonName name={row.email} />
          </strong>{' '}
          {row.email === own_email ? `(${t.you})` : ''}
        </>
      ),
      wide: true,
    },
    { label: t.name, show: (row) => (row.name === row.email ? '–' : row.name) },
    { label: t.role, show: (row) => <RoleOf role={row.role} />, wide: true },
    { label: t.since, show: (row) => <MemberSince member={row} /> },
    {
      label: t.acts,
      show: (row) => (
        <Group gap="xs">
          <MemberActions row={row} own={row.email === own_email} admin={admin} ask={setAction} />
          {admin && row.first_seen_at === null ? (
            <InviteAgain email={row.email} send={() => inviteAgain(row)} no_mail={t.no_mail} />
          ) : null}
        </Group>
      ),
    },
  ]
  const done = (act: MemberAction['act'], { email, role }: MemberRow, revoked: readonly { name: string }[] = []) => {
    const keys = revoked.map(({ name }) => name).join(', ')
    setMessage(act === 'change' ? t.changed(email, words.role(role)) : t.removed(email, keys))
  }
  return (
    <Page title={t.title} lead={t.lead}>
      <StatusMessage>{message}</StatusMessage>
      <List
        label={t.title}
        {...{ read, list, columns }}
        filters={[]}
        rowKey={(row) => row.id}
        empty={<EmptyState title={t.empty} />}
      />
      {admin ? <Invite verified={me.data?.email_verified === true} /> : <Text size="sm">{t.only}</Text>}
      {admin ? <Security own={me.data?.second_factor === true} /> : null}
      <MemberQuestion action={action} close={() => setAction(null)} done={done} />
    </Page>
  )
}

function RoleOf({ role }: { role: string }) {
  const t = useTexts(membersTexts)
  const words = useWords()
  return (
    <>
      {words.role(role)}
      <Text size="xs" c="dimmed">
        {t.may[role]}
      </Text>
    </>
  )
}

function MemberActions({
  row,
  own,
  admin,
  ask,
}: {
  row: MemberRow
  own: boolean
  admin: boolean
  ask: (action: MemberAction) => void
}) {
  const t = useTexts(membersTexts)
  const button = (act: MemberAction['act']) => (
    <Button size="xs" variant="default" aria-label={`${t[act]}: ${row.email}`} onClick={() => ask({ act, row })}>
      {t[act]}
    </Button>
  )
  if (!admin && !own) return <>–</>
  return (
    <Group gap="xs">
      {admin ? button('change') : null}
      {own ? button('leave') : button('remove')}
    </Group>
  )
}
