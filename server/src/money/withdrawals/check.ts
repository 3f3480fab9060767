// Checking a request to send money out. Two steps, because callers rely on the order of the checks: what is wrong in the
// body itself comes before the Idempotency-Key, what our rules refuse comes after it.

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
  PHONE_HELP,
  parseAmount,
  refuse,
} from '../../kernel/lib/index.ts'

/** A body whose form is right. Amount in cents, or too large to be one; the destination as it was named. */
export type CheckedBody = {
  merchant_id: string | undefined
  method: PayoutMethod
  amount_minor: bigint | 'too_large'
  currency: string
  destination_code: string
  /** Null only where none is needed. */
  destination_identifier: string | null
  destination_name: string | null
  bank_name: string | null
  reference: string | null
}

/** What is asked for, checked against our rules. Amount in cents, the destination by its own code. */
export type NewWithdrawal = Omit<CheckedBody, 'merchant_id' | 'amount_minor'> & {
  merchant_id: string
  environment: Environment
  amount_minor: bigint
}

type Body = {
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
}

type FieldProblem = { field: string; message: string }

/**
 * What a call must name. `phone_recipient`: the destination, and the recipient's name if the money goes to a phone.
 * `destination`: the destination. `price`: neither, because no price depends on who receives the money.
 */
export type Naming = 'phone_recipient' | 'destination' | 'price'

/** Checks what the schema cannot. Refuses with 400 naming every field that is wrong. */
export function checkBody(caller: Caller, method: PayoutMethod, body: Body, naming: Naming): CheckedBody {
  const problems: FieldProblem[] = []
  const required = (field: string) => problems.push({ field, message: 'is required' })
  // Whoever names an environment means it: money must not leave the other one because a key decides.
  if (body.environment !== undefined && body.environment !== caller.environment) {
    problems.push({ field: 'environment', message: `contradicts this request, which acts in ${caller.environment}` })
  }
  const amount_minor = readAmount(writtenAmount(body), problems)
  const destination_code = body.destination_code ?? (method === 'PROVIDER_PESA' ? method : '')
  if (destination_code === '') required('destination_code')
  const destination_identifier = readIdentifier(method, body, problems)
  const bank = method === 'BANK_ACCOUNT'
  if (naming !== 'price') {
    if (destination_identifier === undefined) required(ownField(method))
    if (bank && body.bank_name === undefined) required('bank_name')
  }
  const destination_name = readName(bank, body, problems)
  if (naming === 'phone_recipient' && !bank && destination_name === null) required('destination_name')
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
  }
}

function readAmount(text: string, problems: FieldProblem[]): bigint | 'too_large' | null {
  const minor = parseAmount(text)
  if (typeof minor === 'bigint' || minor === 'too_large') return minor
  problems.push({ field: 'amount', message: AMOUNT_HELP[minor] })
  return null
}

const ACCOUNT = /^[A-Za-z0-9/-]{1,34}$/
const WALLET = /^\d{6,20}$/

/** What is stored of an identifier, or null when it is none. An account number is never changed. */
const READ: Record<PayoutMethod, (text: string) => string | null> = {
  MOBILE_MONEY: canonicalPhone,
  PROVIDER_PESA: (text) => canonicalPhone(text) ?? (WALLET.test(text) ? text : null),
  BANK_ACCOUNT: (text) => (ACCOUNT.test(text) ? text : null),
}

const HELP: Record<PayoutMethod, string> = {
  MOBILE_MONEY: PHONE_HELP,
  PROVIDER_PESA: `${PHONE_HELP}, or the 6 to 20 digits of an account`,
  BANK_ACCOUNT: 'must be an account number of 1 to 34 letters, digits, - and /',
}

function ownField(method: PayoutMethod): 'bank_account_number' | 'destination_phone' {
  return method === 'BANK_ACCOUNT' ? 'bank_account_number' : 'destination_phone'
}

/** The identifier by either of its names; undefined when none was sent. Sent twice, both have to mean the same. */
function readIdentifier(method: PayoutMethod, body: Body, problems: FieldProblem[]): string | undefined {
  let found: string | undefined
  for (const field of [ownField(method), 'destination_identifier'] as const) {
    const text = body[field]
    if (text === undefined) continue
    const identifier = READ[method](text)
    if (identifier === null) problems.push({ field, message: HELP[method] })
    else if (found !== undefined && found !== identifier) {
      problems.push({ field, message: `names another destination than ${ownField(method)}` })
    }
    found ??= identifier ?? text
  }
  return found
}

function readName(bank: boolean, body: Body, problems: FieldProblem[]): string | null {
  const of_account = (bank && body.bank_account_name?.trim()) || null
  const name = body.destination_name?.trim() || null
  if (of_account !== null && name !== null && of_account !== name) {
    problems.push({ field: 'bank_account_name', message: 'names another recipient than destination_name' })
  }
  const chosen = name ?? of_account
  // It is what an operator reads before the money leaves: it must look as it is.
  if (chosen !== null && /\p{Cf}/u.test(chosen)) {
    problems.push({ field: 'destination_name', message: 'holds characters that cannot be seen' })
  }
  return chosen
}

/** Codes of the refusals of `checkRules`, for the documentation. */
export const RULES = ['unsupported_currency', 'unknown_destination', 'amount_not_supported'] as const

/** Chooses the provider of a payout; null when none reaches its destination. */
export type FindProvider = (
  environment: Environment,
  wanted: { method: PayoutMethod; destination_code: string },
) => Provider | null

/** True when a configured provider pays out to it. */
export function isReached(find: FindProvider, environment: Environment, { method, code }: Destination): boolean {
  return find(environment, { method, destination_code: code }) !== null
}

/** Applies the rules that come after the Idempotency-Key. Refuses with 403 or 422; gives what may be priced and submitted. */
export function checkRules(deps: Deps, caller: Caller, find: FindProvider, checked: CheckedBody): NewWithdrawal {
  checkMerchant(caller.merchant.id, checked.merchant_id)
  if (checked.currency !== CURRENCY) refuse('unsupported_currency')
  const destination = findDestination(checked.destination_code)
  if (destination === null || destination.method !== checked.method) refuse('unknown_destination')
  const provider = find(caller.environment, { method: checked.method, destination_code: destination.code })
  if (provider === null) return refuseUnreached(caller.environment, find, checked.method, destination.code)
  // A question about the price alone names no recipient; whoever names one has to name all of it.
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

/** What the provider needs to pay it out, and is not there. */
export function missingOf(
  provider: Provider,
  recipient: { method: PayoutMethod } & Record<RecipientField, string | null>,
): RecipientField[] {
  const needed = provider.capabilities.needs?.[recipient.method] ?? []
  return needed.filter((field) => recipient[field] === null)
}

/** It exists, and nobody who is configured here pays out to it. */
function refuseUnreached(environment: Environment, find: FindProvider, method: PayoutMethod, code: string): never {
  const reached = DESTINATIONS.filter((other) => other.method === method && isReached(find, environment, other)).map(
    (other) => other.code,
  )
  const others = reached.length === 0 ? `Nothing can be sent by ${method}.` : `By ${method}: ${reached.join(', ')}.`
  const message = `Nothing can be sent to ${code} at the moment. ${others}`
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
