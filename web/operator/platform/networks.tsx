// Edits the help for the payers of each network, which the pay page shows: the menu code, and the next step if no prompt
// arrives.

import '../../ui/choices.css'
import { Button, Fieldset, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useDraft } from '../../ui/form.ts'
import { texts, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { NETWORKS } from '../../ui/network.ts'
import { Page } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { Problem } from '../../ui/problem.tsx'
import { ForDuty } from '../duty.tsx'
import { Notice } from '../notice.tsx'

type NetworkHelp = Calls['GET /v1/operator/networks']['data']['networks'][number]

const networksTexts = texts({
  sw: {
    title: 'Msaada wa mitandao',
    lead: 'Walipaji wanasoma haya kwenye ukurasa wa malipo, kwa lugha waliyochagua.',
    name: 'Jina',
    menu: 'Namba ya menyu',
    help_sw: 'Msaada kwa Kiswahili',
    help_en: 'Msaada kwa Kiingereza',
    save: 'Hifadhi',
    saved: 'Imehifadhiwa. Walipaji wanaona maneno mapya sasa.',
  },
  en: {
    title: 'Help for networks',
    lead: 'Payers read this text on the pay page, in the language that they chose.',
    name: 'Name',
    menu: 'Menu code',
    help_sw: 'Help in Swahili',
    help_en: 'Help in English',
    save: 'Save',
    saved: 'Saved. Payers see the new text now.',
  },
})

/** Shows one form for all networks. Only operators with the duty `platform` can save it. */
export function Networks() {
  const t = useTexts(networksTexts)
  const read = useRead('GET /v1/operator/networks')
  return (
    <Page title={t.title} lead={t.lead}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {read.isPending && !read.error ? <LoadingRows /> : null}
      {read.data ? <EditNetwork networks={read.data.networks} /> : null}
    </Page>
  )
}

function EditNetwork({ networks }: { networks: readonly NetworkHelp[] }) {
  const t = useTexts(networksTexts)
  const parts = useTexts(partsTexts)
  const act = useAction('PUT /v1/operator/networks')
  const [notice, setNotice] = useState<string | null>(null)
  const { form, submit, forget, error, sending } = useDraft({ name: 'networks', initial: { networks: [...networks] } })
  const send = submit(async (values, once) => {
    setNotice(null)
    const sent = values.networks.map((one) => ({
      ...one,
      menu_code: one.menu_code?.trim() ? one.menu_code.trim() : null,
    }))
    await act.mutateAsync({ body: { networks: sent }, once })
    setNotice(t.saved)
  })
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {form.values.networks.map((network, i) => (
          <Fieldset key={network.code} legend={NETWORKS[network.code]?.name ?? network.code}>
            <Stack gap="sm">
              <TextInput label={t.name} required {...form.getInputProps(`networks.${i}.name`)} />
              <TextInput
                label={parts.optional(t.menu)}
                {...form.getInputProps(`networks.${i}.menu_code`)}
                value={network.menu_code ?? ''}
              />
              <Textarea
                label={t.help_sw}
                required
                lang="sw"
                autosize
                {...form.getInputProps(`networks.${i}.help_sw`)}
              />
              <Textarea
                label={t.help_en}
                required
                lang="en"
                autosize
                {...form.getInputProps(`networks.${i}.help_en`)}
              />
            </Stack>
          </Fieldset>
        ))}
        <Notice text={notice} />
        <Problem error={error} />
        <ForDuty duty="platform" note>
          <Group>
            <Button type="submit" loading={sending}>
              {t.save}
            </Button>
            <Button variant="default" onClick={forget}>
              {parts.cancel}
            </Button>
          </Group>
        </ForDuty>
      </Stack>
    </form>
  )
}
