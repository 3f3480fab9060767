// Shows the page of a new invoice, and the page that edits a draft.

import { Text } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useAction, useRead } from '../../ui/data.ts'
import { isUnresolved } from '../../ui/form.ts'
import { useLanguage, useTexts } from '../../ui/language.ts'
import { LoadingRows } from '../../ui/loading-rows.tsx'
import { hrefOf, Page, PageButton } from '../../ui/parts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { dayOf, showPhone } from '../../ui/show.ts'
import { useEnvironmentPath, useMerchantAccess } from '../merchant.ts'
import { keepFailedSend } from './failed-send.ts'
import { EMPTY_ITEM, InvoiceForm, invoiceBody, type TypedInvoice } from './invoice-form.tsx'
import { type InvoiceResult, keepInvoiceResult } from './invoice-results.ts'
import { invoicesTexts } from './invoices-texts.ts'
import { NotYours, useMayCollect } from './not-yours.tsx'

const TWO_WEEKS_MS = 14 * 86_400_000

/** Returns a function that opens the page of a saved invoice, which shows the result once. Null means that it shows none. */
function useSaved(): (id: string, result: InvoiceResult | null) => Promise<void> {
  const navigate = useNavigate()
  const at = useEnvironmentPath()
  return (id, result) => {
    if (result !== null) keepInvoiceResult(id, result)
    return navigate({ to: hrefOf(at(`invoices/${id}`)) })
  }
}

/** Shows the form of a new invoice to members who may request money. Other members see an explanation. */
export function NewInvoice() {
  const t = useTexts(invoicesTexts)
  const language = useLanguage()
  const { environment, membership } = useMerchantAccess()
  const at = useEnvironmentPath()
  const make = useAction('POST /v1/invoices')
  const issue = useAction('POST /v1/invoices/{invoice_id}/send')
  const saved = useSaved()
  const may = useMayCollect()
  if (!may) return <NotYours title={t.new_title} back={at('invoices')} />
  const save = async (values: TypedInvoice, once: string) =>
    (await make.mutateAsync({ body: invoiceBody(values), once })).id
  /** Sends a saved invoice. If this fails, returns null, and the page of the invoice shows the error and offers the send again. */
  const send = async (invoice_id: string, once: string): Promise<InvoiceResult | null> => {
    try {
      const { sent_at, updated_at } = await issue.mutateAsync({ params: { invoice_id }, once })
      return { act: 'issued', at: sent_at ?? updated_at }
    } catch (error) {
      keepFailedSend(invoice_id, { error, once: isUnresolved(error) ? once : null })
      return null
    }
  }
  const due_date = dayOf(new Date(Date.now() + TWO_WEEKS_MS))
  const empty_customer = { customer_name: '', customer_phone: '', customer_email: '', note: '' }
  return (
    <Page title={t.new_title}>
      <InvoiceForm
        name={`invoice.${membership.merchant_id}.${environment}`}
        initial={{ ...empty_customer, due_date, language, items: [{ ...EMPTY_ITEM }] }}
        back={at('invoices')}
        save={async (values, once) => saved(await save(values, once), { act: 'saved' })}
        saveAndSend={async (values, once) => {
          const id = await save(values, once)
          // The idempotency key of the send request derives from the key of the form. So a retry sends the invoice once.
          await saved(id, await send(id, `${once}-send`))
        }}
      />
    </Page>
  )
}

/** Shows the form with the values of a draft. If the invoice is no draft any more, the page shows an explanation. */
export function EditInvoice() {
  const t = useTexts(invoicesTexts)
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const at = useEnvironmentPath()
  const params = { invoice_id: id }
  const read = useRead('GET /v1/invoices/{invoice_id}', { params })
  const change = useAction('PATCH /v1/invoices/{invoice_id}')
  const saved = useSaved()
  const may = useMayCollect()
  const back = at(`invoices/${id}`)
  if (!may) return <NotYours title={t.edit_title} back={at('invoices')} />
  const invoice = read.data
  if (invoice !== undefined && invoice.status !== 'DRAFT' && !change.isSuccess) {
    return (
      <Page title={t.edit_title}>
        <Text>{t.not_draft}</Text>
        <div>
          <PageButton to={back}>{t.back}</PageButton>
        </div>
      </Page>
    )
  }
  return (
    <Page title={t.edit_title} lead={invoice?.number}>
      <Problem error={read.error} retry={() => void read.refetch()} />
      {invoice === undefined && !read.error ? <LoadingRows /> : null}
      {invoice ? (
        <InvoiceForm
          name={`invoice.${id}`}
          initial={{
            customer_name: invoice.customer_name,
            customer_phone: invoice.customer_phone === null ? '' : showPhone(invoice.customer_phone),
            customer_email: invoice.customer_email ?? '',
            due_date: invoice.due_date,
            language: invoice.language,
            items: invoice.items.map(({ description, quantity, unit_price }) => ({
              description,
              quantity,
              unit_price: unit_price.replace(/\.00$/, ''),
            })),
            note: invoice.note ?? '',
          }}
          back={back}
          save={async (values, once) => {
            await change.mutateAsync({ params, body: invoiceBody(values), once })
            await saved(id, { act: 'saved' })
          }}
        />
      ) : null}
    </Page>
  )
}
