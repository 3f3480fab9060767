// Keeps the result of the form of an invoice until the page of the invoice shows it. The result is not in the history of the
// browser, so a reload or a step back does not show an old result again.

/** What the member did with an invoice. `at` is the time at which the server issued the invoice. */
export type InvoiceResult =
  | { act: 'saved' | 'link_made' | 'cancelled' }
  | { act: 'issued' | 'issued_again'; at: string }

const results = new Map<string, InvoiceResult>()

/** Keeps the result of the form for the page of the invoice. */
export function keepInvoiceResult(invoice_id: string, result: InvoiceResult): void {
  results.set(invoice_id, result)
}

/** Returns the kept result of the form. Null means that this tab has none. */
export function invoiceResultOf(invoice_id: string): InvoiceResult | null {
  return results.get(invoice_id) ?? null
}

/** Forgets the kept result, because the page of the invoice shows it. */
export function forgetInvoiceResult(invoice_id: string): void {
  results.delete(invoice_id)
}
