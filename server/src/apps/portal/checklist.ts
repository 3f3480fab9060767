// Reads the steps that lead a merchant to the first live payment, and when each step was done.

import { IS_BOOKING } from '../../books/ledger/index.ts'
import { type Reader, sql } from '../../kernel/db/index.ts'

/** The steps from the first sandbox key to the first live payment, in order. */
export const CHECKLIST_STEPS = [
  'sandbox_key',
  'first_payment',
  'webhook',
  'business',
  'live_key',
  'first_live_payment',
] as const
/**
 * A step of the checklist. Null in `done_at` means that the step is not done, or that the server has no record of its time.
 */
export type ChecklistStep = { key: (typeof CHECKLIST_STEPS)[number]; done: boolean; done_at: Date | null }

// The subqueries of payments and deliveries read the oldest rows of an index. If none of the first 10,000 deliveries arrived,
// the query reads the newest deliveries.
const firstPaymentTime = (environment: string) => `(
     select t.created_at from ledger_transfers t
     where t.merchant_id = m.id and t.environment = '${environment}' and ${IS_BOOKING}
       and t.posting in ('collection_settled', 'collection_cleared')
     order by t.sequence limit 1)`
const firstKeyTime = (environment: string) => `(
     select min(k.created_at) from api_keys k where k.merchant_id = m.id and k.environment = '${environment}')`
const deliveredId = (order: 'asc' | 'desc') => `(
     select d.id from (
       select d.id, d.status from webhook_deliveries d where d.merchant_id = m.id order by d.id ${order} limit 10000) d
     where d.status = 'delivered' order by d.id ${order} limit 1)`

const READ_CHECKLIST = sql(
  'checklist_read',
  `select ${firstKeyTime('sandbox')} as sandbox_key, ${firstPaymentTime('sandbox')} as first_payment,
     d.id is not null as webhook_done, (
       select min(a.at) from webhook_attempts a
       where a.merchant_id = m.id and a.delivery_id = d.id and a.status_code between 200 and 299) as webhook,
     m.status = 'ACTIVE' and m.verified and exists (
       select 1 from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal' and p.valid_until is null)
       as business_done, (
       select max(at) from (
         select min(p.valid_from) as at from pricing_rules p where p.merchant_id = m.id and p.flow = 'withdrawal'
         union all
         select min(l.at) from (
           select action, at from audit_log where merchant_id = m.id order by seq limit 1000) l
         where l.action in ('merchant.create', 'merchant.approve', 'merchant.verify') group by l.action) steps) as business,
     ${firstKeyTime('live')} as live_key, ${firstPaymentTime('live')} as first_live_payment
   from merchants m
   left join lateral (select coalesce(${deliveredId('asc')}, ${deliveredId('desc')}) as id) d on true
   where m.id = $1`,
)

type ChecklistRow = Record<ChecklistStep['key'], Date | null> & { webhook_done: boolean; business_done: boolean }

/** Reads the steps of a merchant, in the order of `CHECKLIST_STEPS`. */
export async function checklistOf(reader: Reader, merchant_id: string): Promise<ChecklistStep[]> {
  const [row] = await reader.query<ChecklistRow>(READ_CHECKLIST, [merchant_id])
  return CHECKLIST_STEPS.map((key) => {
    const at = row?.[key] ?? null
    const done = key === 'webhook' ? row?.webhook_done : key === 'business' ? row?.business_done : at !== null
    return { key, done: done === true, done_at: done === true ? at : null }
  })
}
