// Shows, on the first page of a business, which other businesses of the member need attention.

import { Button, Group, Paper, Text } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { Icon } from '../ui/icons.tsx'
import { texts, useTexts } from '../ui/language.ts'
import type { Membership } from './merchant.ts'

const otherTexts = texts({
  sw: {
    needs: (name: string) => `Biashara yako ${name} inahitaji uangalizi.`,
    open: (name: string) => `Fungua ${name}`,
  },
  en: {
    needs: (name: string) => `Your business ${name} needs attention.`,
    open: (name: string) => `Open ${name}`,
  },
})

/** Shows a line with a button for each of the other businesses that have problems. On other pages than the first, shows nothing. */
export function OtherBusinesses({
  troubled,
  choose,
}: {
  troubled: readonly Membership[]
  choose: (merchant_id: string) => void
}) {
  const t = useTexts(otherTexts)
  const is_first_page = useRouterState({ select: (state) => state.location.pathname.split('/').length <= 2 })
  if (!is_first_page || troubled.length === 0) return null
  return (
    <Paper withBorder p="sm" mb="md" component="section" className="no-print">
      {troubled.map(({ merchant_id, name }) => (
        <Group key={merchant_id} justify="space-between" gap="xs">
          <Group gap="xs" wrap="nowrap">
            <Icon name="alert" size={16} />
            <Text size="sm">{t.needs(name)}</Text>
          </Group>
          <Button size="xs" variant="default" onClick={() => choose(merchant_id)}>
            {t.open(name)}
          </Button>
        </Group>
      ))}
    </Paper>
  )
}
