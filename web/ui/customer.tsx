// Shows the payer of a payment: the name, the phone, and the network that issued the phone.

import { Text } from '@mantine/core'
import { networkOfPhone } from './network.ts'
import { showPhone } from './show.ts'

/**
 * Shows the name, the phone and the network of a payer in at most two lines. A dash means that both name and phone are unknown.
 */
export function Customer({ name, phone }: { name: string | null; phone: string | null }) {
  if (phone === null) return <>{name ?? '–'}</>
  const network = networkOfPhone(phone)
  const facts = name === null ? [network] : [showPhone(phone), network]
  const shown = facts.filter((one) => one !== null).join(' · ')
  return (
    <span>
      {name ?? <span className="whole">{showPhone(phone)}</span>}
      {shown === '' ? null : (
        <Text size="xs" c="dimmed" component="span" display="block">
          {shown}
        </Text>
      )}
    </span>
  )
}
