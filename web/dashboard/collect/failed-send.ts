// Keeps the failed sends of new invoices for their pages. The history of the browser does not keep the class of an error.

/**
 * A send that failed after the server had saved the invoice. `once` is its Idempotency-Key. Null means that the server refused
 * the send, so the next send needs a new key.
 */
export type FailedSend = { error: unknown; once: string | null }

const failed = new Map<string, FailedSend>()

/** Keeps the failed send of an invoice for its page. A reload of the tab forgets the failure. */
export function keepFailedSend(invoice_id: string, send: FailedSend): void {
  failed.set(invoice_id, send)
}

/** Returns the failed send of an invoice. Undefined means that this tab has none. */
export function failedSendOf(invoice_id: string): FailedSend | undefined {
  return failed.get(invoice_id)
}

/** Forgets the failed send of an invoice, because a later send succeeded. */
export function forgetFailedSend(invoice_id: string): void {
  failed.delete(invoice_id)
}
