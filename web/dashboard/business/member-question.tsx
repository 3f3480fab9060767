// Shows the dialogs that change a role or remove a member.

import { Button, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import type { Role } from '../merchant.ts'
import { ROLES } from './members-invite.tsx'
import { membersTexts } from './members-texts.ts'

/** A member of the business. */
export type MemberRow = Calls['GET /v1/merchant/members']['data']['items'][number]

/** The change that the reader requests, with the member whom the change concerns. */
export type MemberAction = { act: 'change' | 'remove' | 'leave'; row: MemberRow }

type QuestionProps = {
  close: () => void
  done: (act: MemberAction['act'], member: MemberRow, revoked?: readonly { name: string }[]) => void
}

/**
 * Shows the dialog of a change. After the change, `done` gets the changed member, or the removed member with the revoked API keys.
 */
export function MemberQuestion({ action, ...props }: { action: MemberAction | null } & QuestionProps) {
  if (action === null) return null
  const key = `${action.act} ${action.row.id}`
  return action.act === 'change' ? (
    <ChangeRole key={key} {...action} {...props} />
  ) : (
    <RemoveMember key={key} {...action} {...props} />
  )
}

function ChangeRole({ act, row, close, done }: MemberAction & QuestionProps) {
  const t = useTexts(membersTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const [role, setRole] = useState<Role>(row.role)
  const change = useAction('PATCH /v1/merchant/members/{member_id}')
  const save = () =>
    change.mutate(
      { params: { member_id: row.id }, body: { role } },
      {
        onSuccess: (member) => {
          done(act, member)
          close()
        },
      },
    )
  return (
    <Dialog open onClose={close} title={t.change_title(row.email)}>
      <Text>{t.change_text}</Text>
      <Radio.Group label={t.role} value={role} onChange={(value) => setRole(value as Role)} name="new-role">
        <Stack gap="xs" mt="xs">
          {ROLES.map((one) => (
            <Radio key={one} value={one} label={words.role(one)} description={t.may[one]} />
          ))}
        </Stack>
      </Radio.Group>
      <Problem error={change.error} />
      <Group>
        <Button loading={change.isPending} disabled={role === row.role} onClick={save}>
          {t.change_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}

function RemoveMember({ act, row, close, done }: MemberAction & QuestionProps) {
  const t = useTexts(membersTexts)
  const parts = useTexts(partsTexts)
  const [once] = useState(newIdempotencyKey)
  const remove = useAction('DELETE /v1/merchant/members/{member_id}')
  const leaves = act === 'leave'
  const removeMember = () =>
    remove.mutate(
      { params: { member_id: row.id }, once },
      {
        onSuccess: (member) => {
          done(act, member, member.revoked_keys)
          close()
        },
      },
    )
  return (
    <Dialog open onClose={close} title={leaves ? t.leave_title : t.remove_title(row.email)}>
      <Text>{leaves ? t.leave_text : t.remove_text}</Text>
      <Problem error={remove.error} />
      <Group>
        <Button color="red" loading={remove.isPending} onClick={removeMember}>
          {leaves ? t.leave_yes : t.remove_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}
