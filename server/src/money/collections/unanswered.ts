// Attempts without an answer: while there is one, a payer who pays again may pay twice.

import type { Method } from '../../adapters/providers/port.ts'
import { inputRows, type Reader, sql } from '../../kernel/db/index.ts'
import { LINK_PAYMENTS_READ_MAX } from './page.ts'

// The newest attempt has the outcome of the payment; an earlier attempt has its own.
const UNANSWERED = sql(
  'page_unanswered',
  `select i.link_id, a.method, a.created_at as at from ${inputRows('$1', 'link_id', 'merchant_id uuid, link_id uuid')} i
   cross join lateral (
     select id, status, attempts from collections where merchant_id = i.merchant_id and payment_link_id = i.link_id
     order by id desc limit ${LINK_PAYMENTS_READ_MAX}) c
   join collection_attempts a on a.merchant_id = i.merchant_id and a.collection_id = c.id
   where a.state in ('to_send', 'asked') and (a.number < c.attempts or c.status = 'processing')`,
)

/** An attempt on a page that has no outcome yet, and when it started. */
export type UnansweredAttempt = { link_id: string; method: Method; at: Date }

/** The attempts on these pages that may still take money, including earlier ones. */
export function findUnansweredAttempts(
  reader: Reader,
  links: readonly { merchant_id: string; link_id: string }[],
): Promise<UnansweredAttempt[]> {
  return reader.query<UnansweredAttempt>(UNANSWERED, [JSON.stringify(links)])
}
