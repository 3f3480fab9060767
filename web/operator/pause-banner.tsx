// While payouts are paused, shows the pauses above each page of the console.

import { Alert, Text } from '@mantine/core'
import { useRead } from '../ui/data.ts'
import { useTexts } from '../ui/language.ts'
import { PageLink, Time } from '../ui/parts.tsx'
import { usePausedPayouts } from './platform/paused-payouts.ts'
import { pausesTexts } from './platform/pauses-texts.ts'

/** The greatest number of pauses that the banner shows. The page of pauses lists all. */
const SHOWN = 3

/** Shows the newest pauses in force, with their reasons. If no pause is in force, shows nothing. */
export function PauseBanner() {
  const t = useTexts(pausesTexts)
  const describe = usePausedPayouts()
  const query = { state: 'active', page_size: SHOWN } as const
  const { data } = useRead('GET /v1/operator/payout-pauses', { query }, { live: true, keep: true })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Alert color="red" variant="light" mb="md" role="status" title={t.banner} className="no-print">
      {data.items.map((row) => (
        <Text key={row.id} size="sm" className="who">
          <strong>{describe(row)}</strong> · {t.since.toLowerCase()} <Time time={row.started_at} />{' '}
          {t.by(row.started_by)}: {row.reason}
        </Text>
      ))}
      <PageLink to="pauses" className="banner-link">
        {t.banner_link}
      </PageLink>
    </Alert>
  )
}
