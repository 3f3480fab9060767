// Makes the codes of QR payments: commits the payment with its key, calls the provider, and commits the code with the answer.
// If the process dies or the provider gives no code, the key becomes free. Unless the payment failed, a repeated request to the
// API continues with the same collection, so one key makes one payment.

import { type Deps, inTransaction, sql } from '../../kernel/db/index.ts'
import { type IdempotencyClaim, releaseKey, type StoredAnswer, storeAnswer } from '../../kernel/http/index.ts'
import { refuse } from '../../kernel/lib/index.ts'
import type { Driver } from './drive.ts'
import { nextAskAt } from './pauses.ts'
import { ASKS_MAX, type Attempt } from './store.ts'

const SAVE = sql(
  'attempts_save_qr',
  `update collection_attempts set state = 'asked', asks = least(asks + 1, ${ASKS_MAX}), due_at = $4,
     lease_owner = null, sent_at = coalesce(sent_at, $5), provider_status = $6, provider_id = $7, payment_token = $8, qr_payload = $9, updated_at = $5
   where merchant_id = $1 and collection_id = $2 and number = $3 and due_at is not null`,
)

/**
 * Fetches the QR code of an attempt and stores the answer to the request: `fields` and the code. If the provider gives no code,
 * the function frees the key and throws 503 provider_unavailable. If the provider declines, the payment fails. If the answer is
 * unknown, the attempt waits.
 */
export async function fetchQr(
  deps: Deps,
  driver: Driver,
  attempt: Attempt,
  fields: object,
  claim: IdempotencyClaim,
): Promise<StoredAnswer> {
  deps.point('qr.before_call')
  const answer = await driver.qr(attempt)
  deps.point('qr.after_call')
  const { payment_token, qr_payload } = answer
  if (answer.kind !== 'accepted' || payment_token === undefined || qr_payload === undefined) {
    if (answer.kind === 'declined') {
      const { merchant_id, collection_id, number } = attempt
      const declined = { ...answer, reason: 'provider_unavailable' } as const
      await driver.settle({ merchant_id, collection_id, number, answer: declined })
    }
    await releaseKey(deps, claim)
    return refuse('provider_unavailable', { retry_after_s: 5 })
  }
  const data = { collection_id: attempt.collection_id, ...fields, payment_token, qr_payload, expires_at: null }
  const { collection_id: resource_id } = attempt
  const stored = { status_code: 202, response_body: JSON.stringify({ success: true, data }), resource_id }
  const now = deps.clock.now()
  const due_at = nextAskAt(now, { asks: 1, sent_at: now, deadline_at: attempt.deadline_at }, answer)
  await inTransaction(deps.db, async (tx) => {
    await tx.query(SAVE, [
      attempt.merchant_id,
      attempt.collection_id,
      attempt.number,
      due_at,
      now,
      answer.provider_status,
      answer.provider_id ?? null,
      payment_token,
      qr_payload,
    ])
    await storeAnswer(tx, claim, stored)
  })
  return stored
}
