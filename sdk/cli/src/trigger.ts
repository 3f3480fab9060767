// Makes a sandbox payment or payout that causes an event, and waits for the event.

import type { Api } from './api.ts'
import { Refused } from './api.ts'
import { Problem, usage } from './problem.ts'
import { sleep } from './sleep.ts'

const PHONE = '0754123001'
const POLL_MS = 500
const WAIT_MS = 60_000
const DAY_MS = 86_400_000

type TriggeredRecord = { id: string; field: 'collection_id' | 'disbursement_id' | 'payment_link_id' | 'invoice_id' }

async function payment(api: Api, simulate_status: string): Promise<TriggeredRecord> {
  const body = { amount: '1000.00', phone: PHONE, reference: 'malipo-trigger', simulate_status }
  const { collection_id } = await api.post<{ collection_id: string }>('/v1/collections/wallet-push', body)
  return { id: collection_id, field: 'collection_id' }
}

async function payout(api: Api, outcome: string): Promise<TriggeredRecord> {
  const body = {
    amount: '1000.00',
    destination_code: 'MPESA',
    destination_identifier: PHONE,
    destination_name: 'Malipo Trigger',
    reference: 'malipo-trigger',
  }
  const submit = () => api.post<{ id: string }>('/v1/disbursements/mobile-money', body)
  const { id } = await submit().catch(async (error) => {
    if (!(error instanceof Refused) || error.code !== 'insufficient_balance') throw error
    await fundBalance(api)
    return submit()
  })
  await api.post(`/v1/sandbox/disbursements/${id}/simulate`, { outcome })
  return { id, field: 'disbursement_id' }
}

/** Pays money into the balance of the sandbox, and waits until the payment is successful. */
async function fundBalance(api: Api): Promise<void> {
  const body = { amount: '1000000.00', phone: PHONE, reference: 'malipo-trigger' }
  const { collection_id } = await api.post<{ collection_id: string }>('/v1/collections/wallet-push', body)
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(POLL_MS)) {
    const { status } = await api.get<{ status: string }>(`/v1/collections/${collection_id}`)
    if (status === 'successful') return
  }
  throw new Problem(
    'The balance of the sandbox is empty, and a payment to fill it did not succeed within a minute. Try again.',
  )
}

async function payLink(api: Api, public_slug: string): Promise<void> {
  const body = { method: 'WALLET_PUSH', customer_phone: PHONE }
  await api.postPublic(`/public/payment-links/${public_slug}/collect`, body)
}

async function link(api: Api): Promise<TriggeredRecord> {
  const body = { amount: '1000.00', description: 'malipo trigger' }
  const { id, public_slug } = await api.post<{ id: string; public_slug: string }>('/v1/payment-links', body)
  await payLink(api, public_slug)
  return { id, field: 'payment_link_id' }
}

async function invoice(api: Api): Promise<TriggeredRecord> {
  const body = {
    customer_name: 'Malipo Trigger',
    due_date: new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10),
    items: [{ description: 'malipo trigger', quantity: '1', unit_price: '1000.00' }],
  }
  const { id } = await api.post<{ id: string }>('/v1/invoices', body)
  const { public_slug } = await api.post<{ public_slug: string }>(`/v1/invoices/${id}/payment-link`)
  await payLink(api, public_slug)
  return { id, field: 'invoice_id' }
}

const TRIGGERS: Readonly<Record<string, (api: Api) => Promise<TriggeredRecord>>> = {
  'collection.success': (api) => payment(api, 'successful'),
  'collection.failed': (api) => payment(api, 'failed'),
  'collection.pending_review': (api) => payment(api, 'pending_clearance'),
  'collection.reversed': (api) => payment(api, 'reversed'),
  'disbursement.success': (api) => payout(api, 'SUCCESS'),
  'disbursement.failed': (api) => payout(api, 'FAILED'),
  'disbursement.reversed': (api) => payout(api, 'REVERSED'),
  'disbursement.approved': (api) => payout(api, 'SUCCESS'),
  'disbursement.info_requested': (api) => payout(api, 'INFO_REQUESTED'),
  'payment_link.paid': link,
  'invoice.paid': invoice,
}

/** The names of the events that the tool can trigger. */
export const TRIGGERED = Object.keys(TRIGGERS)

/** The events that no call with a key can cause, each with its cause. */
const UNTRIGGERED: Readonly<Record<string, string>> = {
  'invoice.overdue': 'the due date of a sent invoice has passed',
  'balance.low': 'the available balance passes below the mark that you set in the dashboard',
}

/**
 * Causes an event in the sandbox, and returns the event. If the event does not follow within a minute, throws a Problem.
 */
export async function trigger(api: Api, name: string): Promise<Record<string, unknown>> {
  const cause = UNTRIGGERED[name]
  if (cause !== undefined) throw usage(`No key can trigger ${name}: the server sends the event when ${cause}.`)
  const make = TRIGGERS[name]
  if (make === undefined) throw usage(`"${name}" is no event. Choose one of: ${TRIGGERED.join(', ')}.`)
  const { environment } = await api.account()
  if (environment !== 'sandbox') {
    throw new Problem('This is a live key, and "malipo trigger" makes payments. Log in with a key of the sandbox.')
  }
  const { id, field } = await make(api)
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(POLL_MS)) {
    const path = `/v1/events?event=${name}&page_size=100`
    const { items } = await api.get<{ items: { data: Record<string, unknown> }[] }>(path)
    const found = items.find(({ data }) => data[field] === id)
    if (found) return found
  }
  throw new Problem(
    `The server made ${field} ${id}, but the event ${name} did not follow within a minute. Check that a worker runs.`,
  )
}
