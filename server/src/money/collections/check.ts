// Checks a request for a payment in two steps. If the body has errors, the server reports them before it checks the
// Idempotency-Key. If the request breaks our rules, a stored answer of the key comes first. Clients of the API rely on this
// order.

import type { Method, Provider, SimulateStatus } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import {
  type Caller,
  checkMerchant,
  type Environment,
  type FieldProblem,
  type IdempotencyClaim,
  writtenAmount,
} from '../../kernel/http/index.ts'
import {
  AMOUNT_HELP,
  CURRENCY,
  canonicalPhone,
  formatAmount,
  lastPhoneDigits,
  type Metadata,
  PHONE_FILTER_HELP,
  PHONE_HELP,
  parseAmount,
  refuse,
  refuseField,
  storedMetadata,
  withoutDirectionMarks,
} from '../../kernel/lib/index.ts'

/** A request body with the right format. Its amount is in cents, or 'too_large'. */
export type CheckedCollectionBody = {
  merchant_id: string | undefined
  amount_minor: bigint | 'too_large'
  currency: string
  customer_name: string | null
  /** The phone of the payer, which gets the prompt of a push payment. Null means that a QR request has no phone. */
  phone: string | null
  customer_email: string | null
  reference: string | null
  description: string | null
  simulate_status: SimulateStatus | null
  /** The merchant's metadata: pairs of a name and a text. Null means that the request has none. */
  metadata: Metadata | null
}

/** A payment that passed all checks. Its amount is in cents, and its phone is canonical. */
export type NewCollection = Omit<CheckedCollectionBody, 'merchant_id' | 'amount_minor'> & {
  claim: IdempotencyClaim
  merchant_id: string
  environment: Environment
  provider: string
  method: Method
  amount_minor: bigint
}

/** A payment that passed all checks, with the provider that `ProviderFor` chose. */
export type Routed = { collection: NewCollection; provider: Provider }

type CollectionBody = {
  merchant_id?: string
  amount: string | number
  currency?: string
  customer_name?: string
  customer_email?: string
  reference?: string
  description?: string
  simulate_status?: SimulateStatus
  metadata?: Metadata
}

/**
 * Checks the amount and the phone, because the schema cannot check their texts. If one or both are wrong, refuses with one 400
 * error that names the wrong fields.
 */
export function checkCollectionBody(
  body: CollectionBody,
  phone: { field: string; value: string | undefined },
): CheckedCollectionBody {
  const problems: FieldProblem[] = []
  const amount_minor = readBodyAmount(writtenAmount(body), problems)
  const canonical = phone.value === undefined ? null : canonicalPhone(phone.value)
  if (phone.value !== undefined && canonical === null) problems.push({ field: phone.field, message: PHONE_HELP })
  if (amount_minor === null || problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return {
    merchant_id: body.merchant_id,
    amount_minor,
    currency: body.currency ?? CURRENCY,
    customer_name: withoutDirectionMarks(body.customer_name ?? '') || null,
    phone: canonical,
    customer_email: body.customer_email ?? null,
    reference: body.reference ?? null,
    description: body.description ?? null,
    simulate_status: body.simulate_status ?? null,
    metadata: storedMetadata(body.metadata),
  }
}

function readBodyAmount(text: string, problems: FieldProblem[]): bigint | 'too_large' | null {
  const minor = parseAmount(text)
  if (typeof minor === 'bigint' || minor === 'too_large') return minor
  problems.push({ field: 'amount', message: AMOUNT_HELP[minor] })
  return null
}

/**
 * Returns the canonical phone number of a filter, or its last 4 to 9 digits. If the text is neither, refuses the field `phone`
 * with 400. If the filter is undefined, returns null.
 */
export function checkPhoneFilter(text: string | undefined): string | null {
  if (text === undefined) return null
  return canonicalPhone(text) ?? lastPhoneDigits(text) ?? refuseField('phone', PHONE_FILTER_HELP)
}

/** Chooses the provider of a payment. If no provider takes the payment, refuses with provider_unavailable. */
export type ProviderFor = (environment: Environment, wanted: { method: Method }) => Provider

/**
 * Applies the rules that come after the Idempotency-Key, and returns the payment with its provider. If the request breaks a
 * rule, refuses with 403, 422 or 503.
 */
export function checkCollectionRules(
  deps: Deps,
  caller: Caller,
  checked: CheckedCollectionBody,
  method: Method,
  providerFor: ProviderFor,
  claim: IdempotencyClaim,
): Routed {
  checkMerchant(caller.merchant.id, checked.merchant_id)
  if (checked.currency !== CURRENCY) refuse('unsupported_currency')
  const { simulate_status, amount_minor } = checked
  if (simulate_status !== null && caller.environment !== 'sandbox') refuse('simulate_status_not_allowed')
  const { collection_min, collection_max } = deps.config
  if (amount_minor === 'too_large' || amount_minor < collection_min || amount_minor > collection_max) {
    const limits = { minimum: formatAmount(collection_min), maximum: formatAmount(collection_max) }
    return refuse('amount_not_supported', {
      message: `The amount must be from ${limits.minimum} to ${limits.maximum} shillings.`,
      details: limits,
    })
  }
  const provider = providerFor(caller.environment, { method })
  if (provider.capabilities.whole_shillings && amount_minor % 100n !== 0n) {
    refuse('amount_not_supported', { message: 'The provider moves whole shillings only. Leave out the cents.' })
  }
  const { merchant_id: _, ...fields } = checked
  const environment: Environment = caller.environment
  const { id: merchant_id } = caller.merchant
  const collection = { ...fields, amount_minor, claim, merchant_id, environment, provider: provider.name, method }
  return { collection, provider }
}
