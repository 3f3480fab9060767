// Converts the row of a collection to its record in the API.

import { CIRCUIT_OPEN } from '../../adapters/providers/breaker.ts'
import { FAILURE_REASONS, FAILURE_REASONS_SW } from '../../adapters/providers/port.ts'
import { amountAsNumber } from '../../kernel/lib/index.ts'
import { feeOn } from './decide.ts'
import type { Collection } from './store.ts'

/** Returns the status record of a collection in the API. `pay_url` is the address of the payment pages. */
export function presentCollection(row: Collection, pay_url: string) {
  const net = netMinor(row)
  return {
    collection_id: row.id,
    reference: row.reference,
    merchant_reference: row.reference,
    status: row.status,
    amount: amountAsNumber(row.amount_minor),
    amount_received: row.amount_received_minor === null ? null : amountAsNumber(row.amount_received_minor),
    foreign_amount: row.foreign_amount_minor === null ? null : amountAsNumber(row.foreign_amount_minor),
    foreign_currency: row.foreign_currency,
    currency: row.currency,
    method: row.method,
    customer_name: row.customer_name,
    customer_phone: row.customer_phone,
    fee: row.method === null ? null : amountAsNumber(row.fee_minor),
    net_amount: net === null ? null : amountAsNumber(net),
    environment: row.environment,
    // If the circuit was open, the stored status is CIRCUIT_OPEN. The server sent no request, so the provider reported no
    // status.
    provider_payment_status: row.provider_payment_status === CIRCUIT_OPEN ? null : row.provider_payment_status,
    payment_url: row.slug === null ? null : `${pay_url}/pay/${row.slug}`,
    failure_reason_code: row.failure_reason_code,
    failure_reason_message: row.failure_reason_code === null ? null : FAILURE_REASONS[row.failure_reason_code],
    failure_reason_message_sw: row.failure_reason_code === null ? null : FAILURE_REASONS_SW[row.failure_reason_code],
    metadata: row.metadata ?? {},
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** Returns the cents that the payment adds to the balance of the merchant. Null means that the payment adds nothing now. */
export function netMinor(row: Collection): bigint | null {
  const { status, amount_received_minor: received } = row
  return status !== 'successful' || received === null ? null : received - feeOn(row, received)
}
