// One payment link: its address to hand out, what was tried on it, and its end.

import './collect.css'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useParams, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAct, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { Waiting } from '../../ui/list.tsx'
import { Amount, Chip, Dialog, FactList, Go, Mono, Page, When } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showAmount, showPhone } from '../../ui/show.ts'
import { useIn } from '../merchant.ts'
import { toneOf, useWords } from '../words.ts'
import { linksTexts } from './links-texts.ts'
import { useCollects } from './not-yours.tsx'
import { Payments } from './payments.tsx'
import { Share } from './share.tsx'

type LinkRecord = Calls['GET /v1/payment-links/{link_id}']['data']

/** Where it is said how the link stands. */
const NEWS = 'link-standing'

/** The page of one payment link. */
export function Link() {
  const t = useTexts(linksTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const read = useRead('GET /v1/payment-links/{link_id}', { params: { link_id: id } }, { live: true, keep: true })
  const link = read.data
  const title = link === undefined ? t.title : t.link_of(showAmount(link.amount, link.currency))
  return (
    <Page title={title} lead={link?.description ? <span className="prose">{link.description}</span> : null}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {link === undefined && !read.error ? <Waiting /> : null}
      {link ? (
        <Stack gap="lg">
          <Standing link={link} />
          <Payments link_id={link.id} />
          <Facts link={link} />
        </Stack>
      ) : null}
    </Page>
  )
}

function Standing({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const words = useWords()
  const made = useRouterState({ select: ({ location }) => (location.state as { made?: boolean }).made === true })
  const active = link.status === 'ACTIVE'
  return (
    <section className="panel" aria-label={t.address}>
      <Stack gap="md">
        <div role="status" id={NEWS} tabIndex={-1}>
          <Chip tone={toneOf(link.status)}>{words.link(link.status)}</Chip>{' '}
          <span>{active ? (made ? t.made : '') : t.over[link.status]}</span>
        </div>
        {active ? (
          <Share
            shared={{
              link_id: link.id,
              url: link.public_url,
              amount: link.amount,
              currency: link.currency,
              about: link.description,
              phone: link.customer_phone,
            }}
          />
        ) : (
          <Mono>{link.public_url}</Mono>
        )}
      </Stack>
    </section>
  )
}

function Facts({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const at = useIn()
  const may = useCollects()
  return (
    <section className="panel" aria-labelledby="facts-title">
      <Title order={2} id="facts-title">
        {t.details}
      </Title>
      <FactList
        facts={[
          [t.amount, <Amount key="" value={link.amount} currency={link.currency} />],
          [t.customer, link.customer_name],
          [t.phone, link.customer_phone === null ? null : showPhone(link.customer_phone)],
          [t.reference, link.reference],
          [t.created, <When key="" time={link.created_at} />],
          [t.expires, link.expires_at === null ? t.never : <When key="" time={link.expires_at} />],
          link.paid_at === null ? null : [t.paid_at, <When key="" time={link.paid_at} />],
          link.paid_collection_id === null
            ? null
            : [
                t.paid_by,
                <Go key="" to={at(`collections/${link.paid_collection_id}`)}>
                  {t.see_payment}
                </Go>,
              ],
          link.invoice_id === null
            ? null
            : [
                t.invoice,
                <Go key="" to={at(`invoices/${link.invoice_id}`)}>
                  {t.see_invoice}
                </Go>,
              ],
        ]}
      />
      {may && link.status === 'ACTIVE' ? <Cancel link={link} /> : null}
    </section>
  )
}

function Cancel({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const [asking, setAsking] = useState(false)
  const act = useAct('POST /v1/payment-links/{link_id}/cancel')
  const cancel = async () => {
    try {
      await act.mutateAsync({ params: { link_id: link.id } })
      setAsking(false)
      document.getElementById(NEWS)?.focus()
    } catch {
      // It is shown below.
    }
  }
  return (
    <Group mt="md">
      <Button variant="default" onClick={() => setAsking(true)}>
        {t.cancel}
      </Button>
      <Dialog open={asking} onClose={() => setAsking(false)} title={t.cancel_title}>
        <Text>{t.cancel_text(showAmount(link.amount, link.currency))}</Text>
        <Problem error={act.error} retry={() => void cancel()} />
        <Group>
          <Button color="red" loading={act.isPending} onClick={() => void cancel()}>
            {t.cancel_sure}
          </Button>
          <Button variant="default" onClick={() => setAsking(false)}>
            {t.cancel_keep}
          </Button>
        </Group>
      </Dialog>
    </Group>
  )
}
