// Shows one payment link: the address, the payments, and the cancellation.

import './collect.css'
import { Group, Stack } from '@mantine/core'
import { useParams, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import type { Calls } from '../../ui/api-types.ts'
import { useAction, useRead } from '../../ui/data.ts'
import { useTexts } from '../../ui/language.ts'
import { RecordBody } from '../../ui/list.tsx'
import { Amount, Chip, FactList, Mono, Page, Panel, Time } from '../../ui/parts.tsx'
import { showAmount, showPhone } from '../../ui/show.ts'
import { toneOf, useWords } from '../../ui/words.ts'
import { CancelButton } from '../cancel-button.tsx'
import { useEnvironmentPath } from '../merchant.ts'
import { useMetadataFact } from '../metadata.tsx'
import { linksTexts } from './links-texts.ts'
import { useMayCollect } from './not-yours.tsx'
import { PaymentsOfLink } from './payments.tsx'
import { linkFact } from './record-parts.tsx'
import { Share } from './share.tsx'

type LinkRecord = Calls['GET /v1/payment-links/{link_id}']['data']

/** The id of the element that shows the status of the link. After a cancellation, this element gets the focus. */
const STATUS_ID = 'link-status'

/**
 * Shows the link whose id is in the page's address. While the page is open, it reads the link again every few seconds.
 */
export function Link() {
  const t = useTexts(linksTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const read = useRead('GET /v1/payment-links/{link_id}', { params: { link_id: id } }, { live: true, keep: true })
  const link = read.data
  const title = link === undefined ? t.title : t.link_of(showAmount(link.amount, link.currency))
  return (
    <Page record title={title} lead={link?.description ? <span className="prose">{link.description}</span> : null}>
      <RecordBody read={read}>
        {(record) => (
          <Stack gap="lg">
            <LinkStatus link={record} />
            <PaymentsOfLink link_id={record.id} />
            <LinkFacts link={record} />
          </Stack>
        )}
      </RecordBody>
    </Page>
  )
}

function LinkStatus({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const words = useWords()
  const made = useRouterState({ select: ({ location }) => (location.state as { made?: boolean }).made === true })
  const active = link.status === 'ACTIVE'
  return (
    <section className="panel" aria-label={t.address}>
      <Stack gap="md">
        <div role="status" id={STATUS_ID} tabIndex={-1}>
          <Chip tone={toneOf(link.status)}>{words.link(link.status)}</Chip>{' '}
          <span>{active ? (made ? t.made : '') : t.over[link.status]}</span>
        </div>
        {active ? (
          <Share
            shared={{
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

function LinkFacts({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const at = useEnvironmentPath()
  const may = useMayCollect()
  const metadata = useMetadataFact(link.metadata)
  return (
    <Panel title={t.details} id="facts-title">
      <FactList
        facts={[
          [t.amount, <Amount key="" value={link.amount} currency={link.currency} />],
          [t.customer, link.customer_name],
          [t.phone, link.customer_phone === null ? null : showPhone(link.customer_phone)],
          [t.reference, link.reference],
          [t.created, <Time key="" time={link.created_at} />],
          [t.expires, link.expires_at === null ? t.never : <Time key="" time={link.expires_at} />],
          link.paid_at === null ? null : [t.paid_at, <Time key="" time={link.paid_at} />],
          linkFact(t.paid_by, link.paid_collection_id && at(`collections/${link.paid_collection_id}`), t.see_payment),
          linkFact(t.invoice, link.invoice_id && at(`invoices/${link.invoice_id}`), t.see_invoice),
          metadata,
        ]}
      />
      {may && link.status === 'ACTIVE' ? <CancelLink link={link} /> : null}
    </Panel>
  )
}

function CancelLink({ link }: { link: LinkRecord }) {
  const t = useTexts(linksTexts)
  const [confirming, setConfirming] = useState(false)
  const act = useAction('POST /v1/payment-links/{link_id}/cancel')
  const cancel = async () => {
    try {
      await act.mutateAsync({ params: { link_id: link.id } })
      setConfirming(false)
      document.getElementById(STATUS_ID)?.focus()
    } catch {
      // If the API refuses the cancellation, CancelButton shows the error of `act`.
    }
  }
  return (
    <Group mt="md">
      <CancelButton
        {...{ t, act, confirming, setConfirming }}
        text={t.cancel_text(showAmount(link.amount, link.currency))}
        cancel={() => void cancel()}
      />
    </Group>
  )
}
