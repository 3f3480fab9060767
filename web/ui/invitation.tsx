// Shows since when a user is a member, or that an invited user has not signed in yet. Sends the invitation again.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BusyButton } from './busy-button.tsx'
import { readAgain } from './data.ts'
import { texts, useLanguage, useTexts } from './language.ts'
import { Chip, Time } from './parts.tsx'
import { Problem } from './problem.tsx'
import { dayOf, showDate } from './show.ts'
import { showToast } from './toast.tsx'

const invitationTexts = texts({
  sw: {
    pending: (date: string) => `Alialikwa tarehe ${date}, bado hajaingia`,
    again: 'Tuma mwaliko tena',
    done: (email: string) => `Kama kikomo cha siku hakijafikiwa, seva inatuma tena mwaliko kwa ${email}.`,
  },
  en: {
    pending: (date: string) => `Invited on ${date}, has not signed in yet`,
    again: 'Send the invitation again',
    done: (email: string) => `If no daily limit is reached, the server sends the invitation to ${email} again.`,
  },
})

/** Shows since when the user is a member. For an invited user who has not signed in, says so. */
export function MemberSince({ member }: { member: { created_at: string; first_seen_at: string | null } }) {
  const t = useTexts(invitationTexts)
  const language = useLanguage()
  if (member.first_seen_at !== null) return <Time time={member.created_at} />
  return <Chip tone="warn">{t.pending(showDate(dayOf(new Date(member.created_at)), language))}</Chip>
}

/**
 * Shows the button that sends an invitation again. `send` calls the API. `no_mail` says where the message is if the
 * installation has no mail server.
 */
export function InviteAgain({
  email,
  send,
  no_mail,
}: {
  email: string
  send: () => Promise<{ has_mail_server: boolean }>
  no_mail: string
}) {
  const t = useTexts(invitationTexts)
  const queries = useQueryClient()
  const invite = useMutation({
    mutationFn: send,
    onSuccess: ({ has_mail_server }) => showToast(has_mail_server ? t.done(email) : no_mail),
    onSettled: () => readAgain(queries),
  })
  return (
    <>
      <BusyButton
        size="xs"
        variant="default"
        busy={invite.isPending}
        aria-label={`${t.again}: ${email}`}
        onClick={() => invite.mutate()}
      >
        {t.again}
      </BusyButton>
      <Problem error={invite.error} />
    </>
  )
}
