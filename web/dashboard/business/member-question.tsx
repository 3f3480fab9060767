// Shows the dialogs that change a role or remove a member.

import '../../ui/choices.css'
import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { type Environment, useAction, useRead } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { type Role, useHasRole } from '../merchant.ts'
import { ROLES } from './members-invite.tsx'
import { membersTexts } from './members-texts.ts'

/** A member of the business, as the API lists members. */
export type MemberRow = Calls['GET /v1/merchant/members']['data']['items'][number]

/** The change that an administrator or the member requests, with the member to change. */
export type MemberAction = { act: 'change' | 'remove' | 'leave'; row: MemberRow }

type QuestionProps = {
  close: () => void
  done: (act: MemberAction['act'], member: MemberRow, revoked?: readonly { name: string }[]) => void
}

/**
 * Shows the dialog of a change. After the change, `done` gets the changed member, or the removed member with the revoked API
 * keys.
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
  const admin = useHasRole('MERCHANT_ADMIN')
  const live = useMadeKeys(row, 'live')
  const sandbox = useMadeKeys(row, 'sandbox')
  const [kept, setKept] = useState<string[]>([])
  const keys = live.data && sandbox.data ? [...live.data.items, ...sandbox.data.items] : []
  const removeMember = () =>
    remove.mutate(
      { params: { member_id: row.id }, once, query: kept.length === 0 ? {} : { keep_keys: kept.join(',') } },
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
      <MadeKeys {...{ keys, kept, setKept }} may_keep={admin} />
      <Problem error={live.error ?? sandbox.error ?? remove.error} />
      <Group>
        <Button
          color="red"
          loading={remove.isPending}
          disabled={live.data === undefined || sandbox.data === undefined}
          onClick={removeMember}
        >
          {leaves ? t.leave_yes : t.remove_yes}
        </Button>
        <Button variant="default" onClick={close}>
          {parts.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}

type MadeKey = Calls['GET /v1/merchant/api-keys']['data']['items'][number]

/** Reads at most 100 active keys that a member made in an environment. */
function useMadeKeys(row: MemberRow, environment: Environment) {
  return useRead('GET /v1/merchant/api-keys', {
    query: { environment, status: 'active', made_by: row.id, page_size: 100 },
  })
}

/**
 * Lists the keys that the server revokes when it removes the member. An administrator can tick keys that must stay valid.
 */
function MadeKeys({
  keys,
  kept,
  setKept,
  may_keep,
}: {
  keys: readonly MadeKey[]
  kept: string[]
  setKept: (ids: string[]) => void
  may_keep: boolean
}) {
  const t = useTexts(membersTexts)
  const words = useWords()
  if (keys.length === 0) return null
  const labelOf = (key: MadeKey) =>
    `${key.name} (${words.environment(key.environment)}, ${key.key_prefix}…${key.key_last4})`
  if (!may_keep) {
    return (
      <Stack gap="xs">
        <Text fw={600}>{t.keys_revoked}</Text>
        {keys.map((key) => (
          <Text key={key.id}>{labelOf(key)}</Text>
        ))}
      </Stack>
    )
  }
  return (
    <Checkbox.Group label={t.keys_made} description={t.keys_help} value={kept} onChange={setKept}>
      <Stack gap="xs" mt="xs">
        {keys.map((key) => (
          <Checkbox
            key={key.id}
            value={key.id}
            label={labelOf(key)}
            description={kept.includes(key.id) ? t.key_stays : t.key_ends}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
