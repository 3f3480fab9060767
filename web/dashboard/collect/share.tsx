// Shows the ways to share a payment page: copy, WhatsApp, SMS, poster.

import './collect.css'
import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import { download } from '../../ui/api.ts'
import { useScope, withScope } from '../../ui/data.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { CopyButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount } from '../../ui/show.ts'
import { useMerchantAccess } from '../merchant.ts'
import { linksTexts } from './links-texts.ts'

/**
 * The payment page to share. `phone` is the customer's canonical phone number. Null means that the merchant gave no phone.
 */
export type Shared = {
  link_id: string
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
        <Poster link_id={shared.link_id} />
        <Button size="xs" component="a" href={url} target="_blank" rel="noreferrer" variant="default">
          {t.open}
        </Button>
      </Group>
    </Stack>
  )
}

function Poster({ link_id }: { link_id: string }) {
  const t = useTexts(linksTexts)
  const language = useLanguage()
  const scope = useScope()
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  const fetchIt = async () => {
    setBusy(true)
    setError(null)
    try {
      const input = withScope<'GET /v1/payment-links/{link_id}/poster.pdf'>(scope, {
        params: { link_id },
        query: { language },
      })
      await download('GET /v1/payment-links/{link_id}/poster.pdf', input, `poster-${link_id}.pdf`)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button size="xs" variant="default" loading={busy} onClick={() => void fetchIt()}>
        {t.poster}
      </Button>
      <Problem error={error} retry={() => void fetchIt()} />
    </>
  )
}
