// Shows the ways to share a payment page: copy, WhatsApp, SMS.

import './collect.css'
import { Button, Group, Stack } from '@mantine/core'
import { useTexts } from '../../ui/language.ts'
import { CopyButton } from '../../ui/parts.tsx'
import { showAmount } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { linksTexts } from './links-texts.ts'

/**
 * The payment page to share. `phone` is the customer's canonical phone number. Null means that the merchant gave no phone.
 */
export type Shared = {
  url: string
  amount: string
  currency: string
  about: string | null
  phone: string | null
}

/** Shows the address of a payment page, and a button for each way to share the address. */
export function Share({ shared }: { shared: Shared }) {
  const t = useTexts(linksTexts)
  const { membership } = useMerchantAccess()
  const { url, amount, currency, phone } = shared
  const about = shared.about === null ? '' : ` – ${shared.about.replace(/\s+/g, ' ').slice(0, 100)}`
  const text = encodeURIComponent(t.message(membership.name, showAmount(amount, currency), about, url))
  return (
    <Stack gap="sm">
      <div>
        <span className="share-label">{t.address}</span>
        <a className="share-url" href={url} target="_blank" rel="noreferrer">
          {url}
        </a>
      </div>
      <Group gap="xs">
        <CopyButton text={url} label={t.copy} />
        <Button
          size="xs"
          component="a"
          href={`https://wa.me/${phone ?? ''}?text=${text}`}
          target="_blank"
          rel="noreferrer"
        >
          {t.whatsapp}
        </Button>
        <Button
          size="xs"
          component="a"
          href={`sms:${phone === null ? '' : `+${phone}`}?body=${text}`}
          variant="default"
        >
          {t.sms}
        </Button>
        <Button size="xs" component="a" href={url} target="_blank" rel="noreferrer" variant="default">
          {t.open}
        </Button>
      </Group>
    </Stack>
  )
}
