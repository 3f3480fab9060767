// Shows the actions of an invoice: edit, send, make a link, cancel.

import { Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import type { CallName } from '../../ui/api.ts'
import type { Calls } from '../../ui/api-types.ts'
import { useAction } from '../../ui/data.ts'
import { isUnresolved, newIdempotencyKey } from '../../ui/form.ts'
import { useTexts } from '../../ui/language.ts'
import { Dialog, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { CancelButton } from '../cancel-button.tsx'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { type FailedSend, failedSendOf, forgetFailedSend } from './failed-send.ts'
import type { InvoiceResult } from './invoice-results.ts'
import { useInvoiceWays, useNothingSent } from './invoice-ways.ts'
import { invoicesTexts } from './invoices-texts.ts'
import { useMayCollect } from './not-yours.tsx'

/** An invoice with its items, as the API returns it to the merchant. */
export type InvoiceRecord = Calls['GET /v1/invoices/{invoice_id}']['data']

const OPEN = ['DRAFT', 'SENT', 'OVERDUE']

/** Shows the buttons that the status and the member's role allow. After a successful action, calls `done` with its result. */
export function InvoiceActs({ invoice, done }: InvoiceActProps) {
  const t = useTexts(invoicesTexts)
  const at = useEnvironmentPath()
  const may = useMayCollect()
  const linked = invoice.payment_link_status === 'ACTIVE'
  if (!may || !OPEN.includes(invoice.status)) return null
  return (
    <Group gap="xs">
      {/* With another status, a send is a new request, which needs a new Idempotency-Key. */}
      <SendInvoice key={invoice.status} invoice={invoice} done={done} />
      {invoice.status === 'DRAFT' ? (
        <PageButton to={at(`invoices/${invoice.id}/edit`)} variant="default">
          {t.edit}
        </PageButton>
      ) : null}
      {linked ? null : <MakeLink invoice={invoice} done={done} />}
      <CancelInvoice invoice={invoice} done={done} />
    </Group>
  )
}

type InvoiceActProps = { invoice: InvoiceRecord; done: (result: InvoiceResult) => void }

/**
 * Sends an action on an invoice. While the outcome is unknown, each retry uses the same Idempotency-Key. `first` is the key of
 * an earlier request with an unknown outcome. Null means that no such request exists.
 */
function useOnce<Name extends CallName & `POST /v1/invoices/{invoice_id}/${string}`>(
  name: Name,
  invoice_id: string,
  first: string | null = null,
) {
  const act = useAction(name)
  const once = useRef(first ?? newIdempotencyKey())
  // The page shows the result, because the button may disappear after the action.
  const run = async (then: (data: Calls[Name]['data']) => void) => {
    try {
      const data = await act.mutateAsync({ params: { invoice_id }, once: once.current } as never)
      once.current = newIdempotencyKey()
      then(data)
    } catch (error) {
      if (!isUnresolved(error)) once.current = newIdempotencyKey()
    }
  }
  return { act, run }
}

function SendInvoice({ invoice, done }: InvoiceActProps) {
  const t = useTexts(invoicesTexts)
  const { environment } = useMerchantAccess()
  const [confirming, setConfirming] = useState(false)
  const { status } = invoice
  // If the invoice is no draft any more, the failure is out of date. The server may have sent the invoice although the page got
  // no response.
  const failed = status === 'DRAFT' ? failedSendOf(invoice.id) : undefined
  const { act, run } = useOnce('POST /v1/invoices/{invoice_id}/send', invoice.id, failed?.once)
  const ways = useInvoiceWays(invoice)
  const nothing_sent = useNothingSent(ways)
  const send = () =>
    run((sent) => {
      forgetFailedSend(invoice.id)
      setConfirming(false)
      done({ act: invoice.sent_at === null ? 'issued' : 'issued_again', at: sent.sent_at ?? sent.updated_at })
    })
  if (failed !== undefined) {
    return (
      <SendFailed
        {...{ failed, act, send: () => void send() }}
        again={nothing_sent === null ? t.send_again : t.issue}
      />
    )
  }
  // A second send would send nothing, and the page offers to share the link.
  if (nothing_sent !== null && status !== 'DRAFT') return null
  return (
    <>
      {/* A second send is a second message to the customer, so its button is not the main one. */}
      <Button variant={status === 'DRAFT' ? 'filled' : 'default'} onClick={() => setConfirming(true)}>
        {nothing_sent !== null ? t.issue : status === 'DRAFT' ? t.send : t.send_again}
      </Button>
      <Dialog
        open={confirming}
        onClose={() => setConfirming(false)}
        title={nothing_sent === null ? t.send_title : t.issue_title}
      >
        {ways.length === 0 ? (
          <Text>{t.send_no_way}</Text>
        ) : nothing_sent !== null ? (
          <Text>
            {nothing_sent} {t.issue_text}
          </Text>
        ) : (
          <div>
            <Text>{t.send_where}</Text>
            <ul className="ways">
              {ways.map(({ channel, text, is_sent }) => (is_sent ? <li key={channel}>{text}</li> : null))}
            </ul>
            {ways.map(({ channel, text, is_sent }) =>
              is_sent ? null : (
                <Text key={channel} size="sm">
                  {t.only_not(text)}
                </Text>
              ),
            )}
            {environment === 'sandbox' ? <Text size="sm">{t.sandbox_send}</Text> : null}
          </div>
        )}
        <Problem error={act.error} retry={() => void send()} />
        <Group>
          {ways.length === 0 ? null : (
            <Button loading={act.isPending} onClick={() => void send()}>
              {nothing_sent === null ? t.send_sure : t.issue_sure}
            </Button>
          )}
          <Button variant="default" onClick={() => setConfirming(false)}>
            {t.keep}
          </Button>
        </Group>
      </Dialog>
    </>
  )
}

/**
 * Says that the server saved the invoice but did not issue it, shows the reason, and offers to repeat the request. `again` is
 * the name of the button.
 */
function SendFailed(props: {
  failed: FailedSend
  act: { error: Error | null; isPending: boolean }
  send: () => void
  again: string
}) {
  const t = useTexts(invoicesTexts)
  const { error, isPending } = props.act
  return (
    <Stack gap="xs" w="100%">
      <Text role="alert" fw={600}>
        {t.unsent}
      </Text>
      <Problem error={isPending ? null : (error ?? props.failed.error)} />
      <div>
        <Button loading={isPending} onClick={props.send}>
          {props.again}
        </Button>
      </div>
    </Stack>
  )
}

function MakeLink({ invoice, done }: InvoiceActProps): ReactNode {
  const t = useTexts(invoicesTexts)
  const { act, run } = useOnce('POST /v1/invoices/{invoice_id}/payment-link', invoice.id)
  const make = () => run(() => done({ act: 'link_made' }))
  return (
    <>
      <Button variant="default" loading={act.isPending} onClick={() => void make()}>
        {t.make_link}
      </Button>
      <Problem error={act.error} retry={() => void make()} />
    </>
  )
}

function CancelInvoice({ invoice, done }: InvoiceActProps) {
  const t = useTexts(invoicesTexts)
  const [confirming, setConfirming] = useState(false)
  const { act, run } = useOnce('POST /v1/invoices/{invoice_id}/cancel', invoice.id)
  const cancel = () =>
    run(() => {
      setConfirming(false)
      done({ act: 'cancelled' })
    })
  return <CancelButton {...{ t, act, confirming, setConfirming }} text={t.cancel_text} cancel={() => void cancel()} />
}
