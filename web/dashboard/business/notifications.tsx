// Lets a member choose the e-mails about the business. A member cannot switch off the e-mails about security.

import '../../ui/choices.css'
import { Checkbox, Radio, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { newIdempotencyKey } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Page } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toast.tsx'

type NoticeChange = NonNullable<Calls['PATCH /v1/merchant/notifications']['body']>
type NoticeSettings = Calls['GET /v1/merchant/notifications']['data']

const noticeTexts = texts({
  sw: {
    title: 'Arifa',
    lead: (email: string) =>
      `Chagua ujumbe wa biashara hii unaotaka kupata kwa barua pepe ${email}. Kila mtumiaji anajichagulia.`,
    unverified: 'Hujathibitisha barua pepe yako bado. Utapata ujumbe huu ukishafungua kiungo tulichokutumia.',
    warnings: 'Tahadhari',
    always: 'Usalama',
    always_help: 'Funguo mpya, nywila, watumiaji wapya na kuingia kutoka mahali papya. Ujumbe huu hauzimiki.',
    kinds: {
      withdrawals: 'Maamuzi kuhusu kutoa pesa',
      webhooks: 'Webhook zisizofika',
      keys: 'Funguo za API zinazoisha muda',
    },
    helps: {
      withdrawals: 'Mwendeshaji akikataa ombi, akilisitisha, au akiuliza swali.',
      webhooks: 'Seva yako isipopokea webhook kwa dakika 15. Mara moja kwa siku kwa kila anwani.',
      keys: 'Siku 7 kabla ufunguo haujaisha muda.',
    },
    digest: 'Muhtasari',
    digest_help:
      'Malipo, kiasi, yasiyofanikiwa, utoaji pesa, na matatizo yanayohitaji uangalizi wako. Hautumwi kama hakuna kilichotokea.',
    digests: {
      off: 'Usitume',
      daily: 'Kila siku, saa 12 asubuhi, wa jana',
      weekly: 'Kila Jumatatu, saa 12 asubuhi, wa wiki iliyopita',
    },
    saved: 'Seva imehifadhi uchaguzi wako.',
  },
  en: {
    title: 'Notifications',
    lead: (email: string) =>
      `Choose the e-mails about this business that you get at ${email}. Each member makes this choice separately.`,
    unverified: 'You have not confirmed your e-mail address yet. Open the link that we sent you to get these e-mails.',
    warnings: 'Warnings',
    always: 'Security',
    always_help: 'New keys, passwords, new members and sign-ins from a new place. You cannot switch off these e-mails.',
    kinds: { withdrawals: 'Decisions on withdrawals', webhooks: 'Failing webhooks', keys: 'API keys that expire soon' },
    helps: {
      withdrawals: 'If an operator rejects or recalls a request, or asks a question.',
      webhooks: 'If your server accepts no webhooks for 15 minutes. Once a day for each endpoint.',
      keys: '7 days before a key expires.',
    },
    digest: 'Summary',
    digest_help:
      'Payments, amounts, failures, withdrawals, and the problems that need your attention. If nothing happened, the server sends no e-mail.',
    digests: {
      off: 'None',
      daily: 'Every day at 06:00, about yesterday',
      weekly: 'Every Monday at 06:00, about last week',
    },
    saved: 'The server saved your choice.',
  },
})

/** Shows the choices of this member. A click saves the choice immediately. */
export function Notifications() {
  const t = useTexts(noticeTexts)
  const read = useRead('GET /v1/merchant/notifications')
  if (read.data === undefined) {
    return (
      <Page title={t.title}>
        {read.error ? <Problem error={read.error} retry={() => void read.refetch()} /> : <LoadingRows />}
      </Page>
    )
  }
  return (
    <Page title={t.title} lead={t.lead(read.data.email)}>
      {read.data.email_verified ? null : <Text>{t.unverified}</Text>}
      <NoticeForm settings={read.data} />
    </Page>
  )
}

function NoticeForm({ settings }: { settings: NoticeSettings }) {
  const t = useTexts(noticeTexts)
  const change = useAction('PATCH /v1/merchant/notifications')
  // The page shows the effect of a click immediately. If the server refuses the change, the page shows the stored choice again.
  const [chosen, setChosen] = useState<NoticeChange>({})
  const shown = { ...settings, ...chosen }
  const save = (body: NoticeChange) => {
    setChosen((before) => ({ ...before, ...body }))
    change.mutate(
      { body, once: newIdempotencyKey() },
      { onSuccess: () => showToast(t.saved), onError: () => setChosen({}) },
    )
  }
  return (
    <>
      <section className="panel">
        <Title order={2}>{t.warnings}</Title>
        <Stack gap="md">
          {settings.applies.map((kind) => (
            <Checkbox
              key={kind}
              label={t.kinds[kind]}
              description={t.helps[kind]}
              checked={shown[kind]}
              onChange={(event) => save({ [kind]: event.currentTarget.checked })}
            />
          ))}
          <Checkbox label={t.always} description={t.always_help} checked disabled readOnly />
        </Stack>
      </section>
      <section className="panel">
        <Title order={2}>{t.digest}</Title>
        <Radio.Group
          aria-label={t.digest}
          description={t.digest_help}
          name="digest"
          value={shown.digest}
          onChange={(value) => save({ digest: value as NoticeSettings['digest'] })}
        >
          <Stack gap="xs" mt="xs">
            {(['off', 'daily', 'weekly'] as const).map((one) => (
              <Radio key={one} value={one} label={t.digests[one]} />
            ))}
          </Stack>
        </Radio.Group>
      </section>
      <Problem error={change.error} />
    </>
  )
}
