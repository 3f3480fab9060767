// Shows the form by which an administrator invites a member.

import '../../ui/choices.css'
import { Button, Group, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { checks } from '../../ui/checks.ts'
import { readAgain, useCall } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { useWords } from '../../ui/words.ts'
import { type Role, useMerchantAccess } from '../merchant.ts'
import { StatusMessage } from '../status-message.tsx'
import { membersTexts } from './members-texts.ts'

/** The roles of a member, the most restricted role last. */
export const ROLES: readonly Role[] = ['MERCHANT_ADMIN', 'FINANCE', 'DEVELOPER', 'VIEWER']

/**
 * Shows the invitation form. If `verified` is false, shows an explanation instead, because only a member with a confirmed
 * e-mail address may invite.
 */
export function Invite({ verified }: { verified: boolean }) {
  const t = useTexts(membersTexts)
  return (
    <section className="panel">
      <Title order={2}>{t.invite}</Title>
      {verified ? <InvitationForm /> : <Text>{t.unproven}</Text>}
    </section>
  )
}

type InvitationFields = { email: string; name: string; role: Role }

function InvitationForm() {
  const t = useTexts(membersTexts)
  const parts = useTexts(partsTexts)
  const words = useWords()
  const call = useCall()
  const queries = useQueryClient()
  const check = checks(useLanguage())
  const { merchant_id } = useMerchantAccess().membership
  const [invited, setInvited] = useState('')
  const draft = useDraft<InvitationFields>({
    name: `invite.${merchant_id}`,
    initial: { email: '', name: '', role: 'VIEWER' },
    check: { email: check.email, name: check.short(200) },
  })
  const { form } = draft
  const send = draft.submit(async (typed, once) => {
    setInvited('')
    const name = typed.name.trim()
    const email = typed.email.trim()
    const body = { email, role: typed.role, ...(name === '' ? {} : { name }) }
    const { has_mail_server } = await call('POST /v1/merchant/members', { body, once })
    setInvited(has_mail_server ? t.invited(email) : `${t.invited(email)} ${t.no_mail}`)
    draft.forget()
    await readAgain(queries)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md" maw="34rem">
        <Text size="sm">{t.invite_help}</Text>
        <TextInput label={t.email} required type="email" autoComplete="off" {...form.getInputProps('email')} />
        <TextInput
          label={parts.optional(t.name)}
          description={t.name_help}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <Radio.Group label={t.role} {...form.getInputProps('role')} name="role">
          <Stack gap="xs" mt="xs">
            {ROLES.map((role) => (
              <Radio key={role} value={role} label={words.role(role)} description={t.may[role]} />
            ))}
          </Stack>
        </Radio.Group>
        <Problem error={draft.error} />
        <StatusMessage>{invited}</StatusMessage>
        <Group>
          <Button type="submit" loading={draft.sending}>
            {t.send}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
