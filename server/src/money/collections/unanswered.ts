// Tries of payers that nobody has answered: while there is one, a payer who pays again may pay twice.

import type { Method } from '../../adapters/providers/port.ts'
import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { TRIES_LOOKED_AT } from './page.ts'

// The newest try of a payment has the outcome of the payment; an earlier one has its own.
const UNANSWERED = sql(
  'page_unanswered',
  `select i.link_id, a.method, a.created_at as at from ${inputRows('$1', 'link_id', 'merchant_id uuid, link_id uuid')} i
   cross join lateral (
     select id, status, attempts from collections where merchant_id = i.merchant_id and payment_link_id = i.link_id
     order by id desc limit ${TRIES_LOOKED_AT}) c
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = c.id
   where a.state in ('to_send', 'asked') and (a.number < c.attempts or c.status = 'processing')`,
)

/** A try on a page that has no outcome yet, and when it began. */
export type UnansweredTry = { link_id: string; method: Method; at: Date }

/** The tries on these pages that may still take money, the newest one of a page or not. */
export function unansweredTries(
  reader: Reader,
  links: readonly { merchant_id: string; link_id: string }[],
): Promise<UnansweredTry[]> {
  return reader.query<UnansweredTry>(UNANSWERED, [JSON.stringify(links)])
}
