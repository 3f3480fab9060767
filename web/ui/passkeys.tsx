// Shows the passkeys of the user, and adds and removes passkeys.

import { Button, Group, Stack, Text } from '@mantine/core'
import type { Calls } from './api-types.ts'
import { useAction, useRead } from './data.ts'
import { texts, useTexts } from './language.ts'
import { FactList, Panel, Time } from './parts.tsx'
import { Problem } from './problem.tsx'
import { signIn } from './session.ts'

type PasskeyRow = Calls['GET /v1/passkeys']['data']['items'][number]

const passkeysTexts = texts({
  sw: {
    title: 'Passkey',
    lead: 'Kwa passkey, unathibitisha hatua ya pili kwa alama ya kidole, uso au PIN ya kifaa chako. Kivinjari hutumia passkey kwa anwani ya seva hii tu.',
    none: 'Bado huna passkey.',
    add: 'Ongeza passkey',
    cannot_add: 'Huwezi kuongeza passkey hapa: una za kutosha, au anwani ya mfumo huu haina jina la kikoa na https.',
    no_domain: 'Huwezi kuongeza passkey hapa: anwani ya mfumo huu haina jina la kikoa na https.',
    created: 'Iliongezwa',
    used: 'Ilitumika mwisho',
    never: 'Bado',
    remove: 'Ondoa',
    remove_of: (name: string) => `Ondoa passkey: ${name}`,
    removed: (name: string) => `Passkey imeondolewa: ${name}. Iondoe pia kwenye kifaa chenyewe.`,
  },
  en: {
    title: 'Passkeys',
    lead: 'With a passkey, you confirm the second step with a fingerprint, your face or the PIN of your device. The browser uses the passkey only for the address of this server.',
    none: 'You have no passkey yet.',
    add: 'Add a passkey',
    cannot_add:
      'You cannot add a passkey here: you have the maximum, or the address of this server has no domain name with https.',
    no_domain: 'You cannot add a passkey here: the address of this server has no domain name with https.',
    created: 'Added',
    used: 'Last used',
    never: 'Never',
    remove: 'Remove',
    remove_of: (name: string) => `Remove the passkey: ${name}`,
    removed: (name: string) => `You removed the passkey ${name}. Also remove the passkey from the device.`,
  },
})

/**
 * Shows the passkeys with buttons that add and remove a passkey. `onRemove` gets the message about a removed passkey.
 */
export function Passkeys({ onRemove }: { onRemove: (message: string) => void }) {
  const t = useTexts(passkeysTexts)
  const { data, error, refetch } = useRead('GET /v1/passkeys')
  if (data === undefined) return <Problem error={error} retry={() => void refetch()} />
  const { items, can_add } = data
  return (
    <Panel title={t.title} id="passkeys">
      <Stack gap="md">
        <Text>{t.lead}</Text>
        {items.length === 0 ? <Text>{t.none}</Text> : null}
        {items.map((passkey) => (
          <Passkey key={passkey.id} passkey={passkey} onRemove={() => onRemove(t.removed(passkey.name))} />
        ))}
        {can_add ? (
          <Group>
            <Button size="xs" variant="default" onClick={() => void signIn({ enrol: 'passkey' })}>
              {t.add}
            </Button>
          </Group>
        ) : (
          <Text>{items.length === 0 ? t.no_domain : t.cannot_add}</Text>
        )}
      </Stack>
    </Panel>
  )
}

function Passkey({ passkey, onRemove }: { passkey: PasskeyRow; onRemove: () => void }) {
  const t = useTexts(passkeysTexts)
  const { error, isPending, mutateAsync } = useAction('DELETE /v1/passkeys/{passkey_id}')
  const { id, name, created_at, used_at } = passkey
  const remove = () =>
    void mutateAsync({ params: { passkey_id: id } }).then(onRemove, () => {
      // If the API refuses the removal, `error` has the refusal, and the alert below shows it.
    })
  return (
    <Stack gap="xs">
      <Text fw={600}>{name}</Text>
      <FactList
        facts={[
          [t.created, <Time key="created" time={created_at} />],
          [t.used, used_at === null ? t.never : <Time key="used" time={used_at} />],
        ]}
      />
      <Problem error={error} />
      <Group>
        <Button size="xs" variant="default" loading={isPending} aria-label={t.remove_of(name)} onClick={remove}>
          {t.remove}
        </Button>
      </Group>
    </Stack>
  )
}
