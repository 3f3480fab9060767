// Checks a request to send money out in two steps. The server reports errors in the body before it checks the Idempotency-Key,
// and applies the platform's rules after that check. Programs of merchants rely on this order.

import type { PayoutMethod, Provider, RecipientField } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { type Caller, checkMerchant, type Environment, writtenAmount } from '../../kernel/http/index.ts'
import {
  AMOUNT_HELP,
  CURRENCY,
  canonicalPhone,
  DESTINATIONS,
  type Destination,
  findDestination,
  formatAmount,
  type Metadata,
  PHONE_HELP,
  parseAmount,
  refuse,
  storedMetadata,
} from '../../kernel/lib/index.ts'

/**
 * A valid request body. The amount is in cents, or 'too_large'. The destination code has the form that the merchant sent.
 */
export type CheckedPayoutBody = {
  merchant_id: string | undefined
  method: PayoutMethod
  amount_minor: bigint | 'too_large'
  currency: string
  destination_code: string
  /** The recipient's account or phone. Null means that the request is for a quote without a recipient. */
  destination_identifier: string | null
  destination_name: string | null
  bank_name: string | null
  reference: string | null
  /** The merchant's metadata: pairs of a name and a text. Null means that the merchant sent no pairs. */
  metadata: Metadata | null
}

/** A withdrawal that the platform's rules allow. The amount is in cents, and the destination has its canonical code. */
export type NewWithdrawal = Omit<CheckedPayoutBody, 'merchant_id' | 'amount_minor'> & {
  merchant_id: string
  environment: Environment
  amount_minor: bigint
}

type PayoutBody = {
  merchant_id?: string
  environment?: Environment
  amount: string | number
  currency?: string
  destination_code?: string
  destination_name?: string
  destination_phone?: string
  destination_identifier?: string
  bank_name?: string
  bank_account_number?: string
  bank_account_name?: string
  reference?: string
  metadata?: Metadata
}

type PayoutFieldProblem = { field: string; message: string }

/**
 * The fields that a request must contain in addition to the destination code. `destination`: the account, and for a bank
 * account also the name of the bank. `phone_recipient`: the same fields, and for a phone or wallet also the recipient's name.
 * `price`: no other field, because no price depends on the recipient.
 */
export type RequiredRecipient = 'phone_recipient' | 'destination' | 'price'

/**
 * Checks the rules of fields that the schema cannot express. If fields break a rule, refuses with 400 and names each of them.
 */
export function checkPayoutBody(
  caller: Caller,
  method: PayoutMethod,
  body: PayoutBody,
  required_recipient: RequiredRecipient,
): CheckedPayoutBody {
  const problems: PayoutFieldProblem[] = []
  const required = (field: string) => problems.push({ field, message: 'is required' })
  // If the body has another environment than the API key or session, the server refuses the request. Thus no money leaves the
  // wrong environment.
  if (body.environment !== undefined && body.environment !== caller.environment) {
    problems.push({
      field: 'environment',
      message: `differs from the environment of this request, which is ${caller.environment}`,
    })
  }
  const amount_minor = readPayoutAmount(writtenAmount(body), problems)
  const destination_code = body.destination_code ?? (method === 'PROVIDER_PESA' ? method : '')
  if (destination_code === '') required('destination_code')
  const destination_identifier = readIdentifier(method, body, problems)
  const bank = method === 'BANK_ACCOUNT'
  if (required_recipient !== 'price') {
    if (destination_identifier === undefined) required(identifierField(method))
    if (bank && body.bank_name === undefined) required('bank_name')
  }
  const destination_name = readRecipientName(bank, body, problems)
  if (required_recipient === 'phone_recipient' && !bank && destination_name === null) required('destination_name')
  if (amount_minor === null || problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return {
    merchant_id: body.merchant_id,
    method,
    amount_minor,
    currency: body.currency ?? CURRENCY,
    destination_code,
    destination_identifier: destination_identifier ?? null,
    destination_name,
    bank_name: bank ? (body.bank_name ?? null) : null,
    reference: body.reference ?? null,
    metadata: storedMetadata(body.metadata),
  }
}

function readPayoutAmount(text: string, problems: PayoutFieldProblem[]): bigint | 'too_large' | null {
  const minor = parseAmount(text)
  if (typeof minor === 'bigint' || minor === 'too_large') return minor
  problems.push({ field: 'amount', message: AMOUNT_HELP[minor] })
  return null
}

const ACCOUNT = /^[A-Za-z0-9/-]{1,34}$/
const WALLET = /^\d{6,20}$/

/**
 * The functions that return the stored form of an identifier. Null means that the identifier is invalid. An account number keeps
 * its form.
 */
export const CANONICAL_IDENTIFIER: Record<PayoutMethod, (text: string) => string | null> = {
  MOBILE_MONEY: canonicalPhone,
  PROVIDER_PESA: (text) => canonicalPhone(text) ?? (WALLET.test(text) ? text : null),
  BANK_ACCOUNT: (text) => (ACCOUNT.test(text) ? text : null),
}

/** The message about an identifier that is invalid for the method. */
export const IDENTIFIER_HELP: Record<PayoutMethod, string> = {
  MOBILE_MONEY: PHONE_HELP,
  PROVIDER_PESA: `${PHONE_HELP}, or the 6 to 20 digits of an account`,
  BANK_ACCOUNT: 'must be an account number of 1 to 34 letters, digits, - and /',
}

function identifierField(method: PayoutMethod): 'bank_account_number' | 'destination_phone' {
  return method === 'BANK_ACCOUNT' ? 'bank_account_number' : 'destination_phone'
}

/**
 * Returns the identifier from one of its two fields. Undefined means that both fields are absent. If a field is invalid, or the
 * two fields differ, adds a problem.
 */
function readIdentifier(method: PayoutMethod, body: PayoutBody, problems: PayoutFieldProblem[]): string | undefined {
  let found: string | undefined
  for (const field of [identifierField(method), 'destination_identifier'] as const) {
    const text = body[field]
    if (text === undefined) continue
    const identifier = CANONICAL_IDENTIFIER[method](text)
    if (identifier === null) problems.push({ field, message: IDENTIFIER_HELP[method] })
    else if (found !== undefined && found !== identifier) {
      problems.push({ field, message: `differs from the destination in ${identifierField(method)}` })
    }
    found ??= identifier ?? text
  }
  return found
}

function readRecipientName(bank: boolean, body: PayoutBody, problems: PayoutFieldProblem[]): string | null {
  const of_account = (bank && body.bank_account_name?.trim()) || null
  const name = body.destination_name?.trim() || null
  if (of_account !== null && name !== null && of_account !== name) {
    problems.push({ field: 'bank_account_name', message: 'differs from the recipient in destination_name' })
  }
  const chosen = name ?? of_account
  // An operator reads the recipient's name before the money leaves, so the name must contain no invisible characters.
  if (chosen !== null && /\p{Cf}/u.test(chosen)) {
    problems.push({ field: 'destination_name', message: 'contains invisible characters' })
  }
  return chosen
}

/** The refusal codes of `checkPayoutRules` with the status 422, for the documentation. */
export const RULES = ['unsupported_currency', 'unknown_destination', 'amount_not_supported'] as const

/** Chooses the provider of a payout. Null means that no provider pays out to the destination. */
export type FindProvider = (
  environment: Environment,
  destination: { method: PayoutMethod; destination_code: string },
) => Provider | null

/** Returns true if a configured provider pays out to the destination. */
export function isReached(find: FindProvider, environment: Environment, { method, code }: Destination): boolean {
  return find(environment, { method, destination_code: code }) !== null
}

/**
 * Applies the rules that the server checks after the Idempotency-Key. If the request breaks a rule, refuses with 400, 403 or
 * 422.
 */
export function checkPayoutRules(
  deps: Deps,
  caller: Caller,
  find: FindProvider,
  checked: CheckedPayoutBody,
): NewWithdrawal {
  checkMerchant(caller.merchant.id, checked.merchant_id)
  if (checked.currency !== CURRENCY) refuse('unsupported_currency')
  const destination = findDestination(checked.destination_code)
  if (destination === null || destination.method !== checked.method) refuse('unknown_destination')
  const provider = find(caller.environment, { method: checked.method, destination_code: destination.code })
  if (provider === null) return refuseUnreached(caller.environment, find, checked.method, destination.code)
  // A quote may omit the recipient. If a quote names a recipient, the recipient must be complete.
  const absent = checked.destination_identifier === null ? [] : missingOf(provider, checked)
  if (absent.length > 0) {
    const fields = absent.map((field) => ({ field, message: 'is required for this destination' }))
    refuse('validation_failed', { details: { fields } })
  }
  const amount_minor = checkAmount(deps, provider, checked.amount_minor)
  const { id: merchant_id } = caller.merchant
  const { environment } = caller
  return { ...checked, merchant_id, environment, amount_minor, destination_code: destination.code }
}

/** Returns the fields of the recipient that the provider requires and the withdrawal lacks. */
export function missingOf(
  provider: Provider,
  recipient: { method: PayoutMethod } & Record<RecipientField, string | null>,
): RecipientField[] {
  const needed = provider.capabilities.needs?.[recipient.method] ?? []
  return needed.filter((field) => recipient[field] === null)
}

/** Refuses a known destination to which no configured provider pays out. */
function refuseUnreached(environment: Environment, find: FindProvider, method: PayoutMethod, code: string): never {
  const reached = DESTINATIONS.filter((other) => other.method === method && isReached(find, environment, other)).map(
    (other) => other.code,
  )
  const others =
    reached.length === 0
      ? `No provider supports ${method} payouts.`
      : `The server supports ${method} payouts to ${reached.join(', ')}.`
  const message = `No provider supports payouts to ${code} at the moment. ${others}`
  refuse('unknown_destination', { message, details: { destinations: reached } })
}

function checkAmount(deps: Deps, provider: Provider, amount_minor: bigint | 'too_large'): bigint {
  const { withdrawal_min, withdrawal_max } = deps.config
  if (amount_minor === 'too_large' || amount_minor < withdrawal_min || amount_minor > withdrawal_max) {
    const limits = { minimum: formatAmount(withdrawal_min), maximum: formatAmount(withdrawal_max) }
    const message = `The amount must be from ${limits.minimum} to ${limits.maximum} shillings.`
    return refuse('amount_not_supported', { message, details: limits })
  }
  if (provider.capabilities.whole_shillings && amount_minor % 100n !== 0n) {
    refuse('amount_not_supported', { message: 'The provider moves whole shillings only. Leave out the cents.' })
  }
  return amount_minor
}
