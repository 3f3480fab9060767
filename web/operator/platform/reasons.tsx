// Lets a SUPER_ADMIN edit the reasons that the console offers for each action.

import { Button, Group, SimpleGrid, Stack, Text, Textarea, Title } from '@mantine/core'
import { useState } from 'react'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { Page } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'
import { builtInReasons, READ_BY_MERCHANTS, type ReasonAction } from '../reason-texts.ts'

const reasonsTexts = texts({
  sw: {
    title: 'Sababu zilizohifadhiwa',
    lead: 'Mfumo unazipendekeza mwendeshaji anapoandika sababu ya tendo. Anaweza kuandika nyingine. Orodha unayohifadhi ni ile ile kwa lugha zote mbili za mfumo.',
    lines: 'Sababu moja kwa kila mstari, zisizozidi 12. Acha wazi ili kurudisha sababu za awali.',
    own: 'Za mfumo huu',
    built_in: 'Sababu za awali',
    read_by:
      'Biashara inasoma sababu kama ulivyoiandika: seva haitafsiri. Kama biashara zako zinatumia lugha zote mbili, andika zote mbili kwenye sababu moja.',
    save: 'Hifadhi',
    saved: (act: string) => `Zimehifadhiwa: ${act}.`,
    too_many: 'Sababu zisizidi 12.',
    too_long: 'Kila sababu isizidi herufi 200.',
    twice: 'Kuna sababu iliyoandikwa mara mbili.',
    acts: {
      'withdrawal.approve': 'Kuidhinisha utoaji pesa',
      'withdrawal.reject': 'Kukataa utoaji pesa',
      'withdrawal.recall': 'Kurudisha utoaji ambao haujatumwa',
      'withdrawal.resolve': 'Kuamua utoaji uliokwama',
      'collection.clear': 'Kuamua malipo yaliyozuiwa',
      'adjustment.create': 'Kurekebisha salio',
      'payouts.pause': 'Kusimamisha utoaji pesa',
      'payouts.resume': 'Kuruhusu utoaji pesa tena',
      'merchant.suspend': 'Kusimamisha biashara',
      'ip_address.reject': 'Kukataa anwani ya IP',
      'reconciliation.resolve': 'Kufunga tofauti ya ulinganisho',
    } as Record<ReasonAction, string>,
  },
  en: {
    title: 'Saved reasons',
    lead: 'The console offers these reasons when an operator states the reason of an action. The operator can write another reason. A list that you save is the same in both languages of the console.',
    lines: 'One reason a line, at most 12. Leave the field empty for the built-in reasons.',
    own: 'Saved by this platform',
    built_in: 'Built-in reasons',
    read_by:
      'The merchant reads the reason exactly as you write it: the server does not translate it. If your merchants use both languages, write both in one reason.',
    save: 'Save',
    saved: (act: string) => `Saved: ${act}.`,
    too_many: 'At most 12 reasons.',
    too_long: 'At most 200 characters a reason.',
    twice: 'The list contains a reason twice. Remove one of the two.',
    acts: {
      'withdrawal.approve': 'Approve a withdrawal',
      'withdrawal.reject': 'Reject a withdrawal',
      'withdrawal.recall': 'Recall an unsent payout',
      'withdrawal.resolve': 'Decide a stuck payout',
      'collection.clear': 'Decide a held payment',
      'adjustment.create': 'Adjust a balance',
      'payouts.pause': 'Pause payouts',
      'payouts.resume': 'End a pause',
      'merchant.suspend': 'Suspend a merchant',
      'ip_address.reject': 'Reject an IP address',
      'reconciliation.resolve': 'Close a reconciliation case',
    },
  },
})

const REASONS_MAX = 12
const REASON_CHARS_MAX = 200

/** Shows a form for each action. Each form saves the list of its action separately. */
export function SavedReasonLists() {
  const t = useTexts(reasonsTexts)
  const read = useRead('GET /v1/operator/reasons')
  const [notice, setNotice] = useState<string | null>(null)
  const saved = read.data?.items
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      <Notice text={notice} />
      {saved ? (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          {(Object.keys(t.acts) as ReasonAction[]).map((act) => (
            <ReasonList
              key={act}
              act={act}
              own={saved.find((one) => one.action === act)?.reasons ?? null}
              onDone={() => setNotice(t.saved(t.acts[act]))}
            />
          ))}
        </SimpleGrid>
      ) : null}
    </Page>
  )
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function ReasonList({ act, own, onDone }: { act: ReasonAction; own: readonly string[] | null; onDone: () => void }) {
  const t = useTexts(reasonsTexts)
  const built_in = useTexts(builtInReasons)
  const save = useAction('PUT /v1/operator/reasons/{action}')
  const { form, submit, error, sending } = useDraft({
    name: `reasons.${act}`,
    initial: { reasons: (own ?? []).join('\n') },
    check: {
      reasons: (text) => {
        const lines = linesOf(text)
        if (lines.length > REASONS_MAX) return t.too_many
        if (lines.some((line) => [...line].length > REASON_CHARS_MAX)) return t.too_long
        return new Set(lines).size < lines.length ? t.twice : null
      },
    },
  })
  const send = submit(async ({ reasons }, once) => {
    await save.mutateAsync({ params: { action: act }, body: { reasons: linesOf(reasons) }, once })
    onDone()
  })
  return (
    <section className="panel" aria-labelledby={`reasons-${act}`}>
      <Title order={2} id={`reasons-${act}`}>
        {t.acts[act]}
      </Title>
      <form onSubmit={send} noValidate>
        <Stack gap="sm">
          {READ_BY_MERCHANTS.has(act) ? <Text size="sm">{t.read_by}</Text> : null}
          <Textarea
            label={t.own}
            description={t.lines}
            autosize
            minRows={3}
            maxRows={14}
            {...form.getInputProps('reasons')}
          />
          {own === null ? (
            <Text size="sm" c="dimmed">
              {t.built_in}: {built_in[act].join(' · ')}
            </Text>
          ) : null}
          <Problem error={error} />
          <ForDuty duty="platform" note>
            <Group>
              <Button type="submit" variant="default" loading={sending} aria-label={`${t.save}: ${t.acts[act]}`}>
                {t.save}
              </Button>
            </Group>
          </ForDuty>
        </Stack>
      </form>
    </section>
  )
}
