// Makes payment links, and hosted pages of one collection each. One transaction writes the page and the Idempotency-Key, if
// any. If the process dies before the commit, no row exists. If it dies after the commit, a repeated request with the same key
// gets the stored answer.

import { findMerchant, NO_LOOK } from '../../access/merchants/index.ts'
import type { Provider } from '../../adapters/providers/port.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import { type Caller, checkMerchant, type Environment, writtenAmount } from '../../kernel/http/index.ts'
import {
  AMOUNT_HELP,
  CURRENCY,
  canonicalPhone,
  formatAmount,
  type Metadata,
  newId,
  PHONE_HELP,
  parseAmount,
  refuse,
  refuseField,
  storedMetadata,
  withoutDirectionMarks,
} from '../../kernel/lib/index.ts'
import { createHosted } from '../collections/index.ts'
import { insertLink, type Link, newSlug } from './store.ts'

/** The configured providers of live payments. An installation may have only simulated providers. */
export type LiveProviders = readonly Provider[]

type PageBody = {
  merchant_id?: string
  amount: string | number
  currency?: string
  customer_name?: string | null
  customer_phone?: string | null
  customer_email?: string | null
  description?: string | null
  reference?: string | null
  redirect_url?: string | null
  cancel_url?: string | null
  expires_at?: string | null
  metadata?: Metadata
}

/** A valid request body for a page. The amount is in cents, or 'too_large'. */
export type CheckedPage = Pick<
  Link,
  | 'currency'
  | 'customer_name'
  | 'customer_phone'
  | 'customer_email'
  | 'description'
  | 'reference'
  | 'redirect_url'
  | 'cancel_url'
  | 'expires_at'
  | 'metadata'
> & { merchant_id: string | undefined; amount_minor: bigint | 'too_large' }

/**
 * Checks the rules of single fields that the schema cannot express. If fields break a rule, refuses with one 400 error that
 * names each of these fields.
 */
export function checkPage(body: PageBody): CheckedPage {
  const problems: { field: string; message: string }[] = []
  const amount = parseAmount(writtenAmount(body))
  if (typeof amount !== 'bigint' && amount !== 'too_large')
    problems.push({ field: 'amount', message: AMOUNT_HELP[amount] })
  const phone = textOrNull(body.customer_phone)
  const customer_phone = phone === null ? null : canonicalPhone(phone)
  if (phone !== null && customer_phone === null) problems.push({ field: 'customer_phone', message: PHONE_HELP })
  for (const field of ['redirect_url', 'cancel_url'] as const) {
    const url = textOrNull(body[field])
    if (url !== null && !isReturnUrl(url)) problems.push({ field, message: RETURN_URL_HELP })
  }
  const expires_at = body.expires_at == null ? null : readExpiry(body.expires_at)
  if (expires_at === 'not_a_time') problems.push({ field: 'expires_at', message: EXPIRES_HELP })
  if (problems.length > 0) refuse('validation_failed', { details: { fields: problems } })
  return {
    merchant_id: body.merchant_id,
    amount_minor: amount as bigint | 'too_large',
    currency: body.currency ?? CURRENCY,
    customer_name: shownText(body.customer_name),
    customer_phone,
    customer_email: textOrNull(body.customer_email),
    description: shownText(body.description),
    reference: textOrNull(body.reference),
    redirect_url: textOrNull(body.redirect_url),
    cancel_url: textOrNull(body.cancel_url),
    expires_at: expires_at === 'not_a_time' ? null : expires_at,
    metadata: storedMetadata(body.metadata),
  }
}

const EXPIRES_HELP = 'must be a time that exists, such as 2030-01-31T18:00:00+03:00'

/**
 * Returns the time of a text, or 'not_a_time'. JavaScript reads 30 February as a day of March and 24:00 as the next day. The
 * function does not accept such a text, because the page would end at a time that the merchant did not write.
 */
function readExpiry(text: string): Date | 'not_a_time' {
  const time = new Date(text)
  const day = text.slice(0, 10)
  const midnight = new Date(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  // A year after 9999 in UTC has no four-digit text in our answers.
  const fits = !Number.isNaN(time.getTime()) && time.getUTCFullYear() <= 9_999
  return exists && fits && text.slice(11, 13) !== '24' ? time : 'not_a_time'
}

/** Returns null for an absent or empty text, because forms send an empty text for an absent field. */
function textOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null || text === '' ? null : text
}

/** Returns a text that the payer reads, without the marks that change the direction of text, or null like `textOrNull`. */
function shownText(text: string | null | undefined): string | null {
  return textOrNull(text == null ? null : withoutDirectionMarks(text))
}

/**
 * Returns the environment of a new page. If a configured provider moves real money, the page is live; otherwise the page has
 * the caller's environment. If the merchant of a live page is not approved, verified and priced, refuses with
 * production_access_restricted.
 */
export async function environmentOf(tx: Tx, caller: Caller, live: LiveProviders): Promise<Environment> {
  const environment = pageEnvironment(caller, live)
  if (environment === 'sandbox') return environment
  const merchant = await findMerchant(tx, caller.merchant.id)
  const may_go_live = merchant?.status === 'ACTIVE' && merchant.verified && merchant.priced
  if (!may_go_live) {
    refuse('production_access_restricted', {
      message:
        'This page would take real money: an operator must first approve and verify the business, and set its fees.',
    })
  }
  return environment
}

function pageEnvironment(caller: Caller, live: LiveProviders): Environment {
  const rehearses = live.every(({ capabilities }) => capabilities.rehearses)
  return rehearses ? caller.environment : 'live'
}

/**
 * In production, refuses return addresses without TLS on live pages. The address contains the result of the payment, which an
 * attacker on the network could read and change.
 */
function checkReturnAddresses(deps: Deps, caller: Caller, checked: CheckedPage, live: LiveProviders): void {
  if (deps.config.node_env !== 'production' || pageEnvironment(caller, live) === 'sandbox') return
  const plain = (['redirect_url', 'cancel_url'] as const).filter((field) => /^http:/i.test(checked[field] ?? ''))
  if (plain.length === 0) return
  const message = 'must begin with https:// for live payments'
  refuse('validation_failed', { details: { fields: plain.map((field) => ({ field, message })) } })
}

/**
 * Applies the rules to a page: merchant, return addresses, expiry, currency, limits and whole shillings. Returns the amount in
 * cents. If the page breaks a rule, refuses.
 */
export function checkPageRules(deps: Deps, caller: Caller, checked: CheckedPage, live: LiveProviders): bigint {
  checkMerchant(caller.merchant.id, checked.merchant_id)
  checkReturnAddresses(deps, caller, checked, live)
  // This check comes after the check of the Idempotency-Key, so that a replay after the expiry still gets the stored answer.
  if (checked.expires_at !== null && checked.expires_at <= deps.clock.now()) {
    refuseField('expires_at', 'must be in the future')
  }
  if (checked.currency !== CURRENCY) refuse('unsupported_currency')
  const { amount_minor } = checked
  const { collection_min, collection_max } = deps.config
  if (amount_minor === 'too_large' || amount_minor < collection_min || amount_minor > collection_max) {
    const limits = { minimum: formatAmount(collection_min), maximum: formatAmount(collection_max) }
    return refuse('amount_not_supported', {
      message: `The amount must be from ${limits.minimum} to ${limits.maximum} shillings.`,
      details: limits,
    })
  }
  const cents = amount_minor % 100n !== 0n
  if (cents && live.every(({ capabilities }) => capabilities.whole_shillings)) {
    refuse('amount_not_supported', { message: 'The provider moves whole shillings only. Leave out the cents.' })
  }
  return amount_minor
}

/** Makes a payment link in the given transaction. Null in `invoice_id` means that the link is for no invoice. */
export async function createLink(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  checked: CheckedPage,
  live: LiveProviders,
  invoice_id: string | null = null,
): Promise<Link> {
  const amount_minor = checkPageRules(deps, caller, checked, live)
  const link = await buildPage(deps, tx, caller, { ...checked, amount_minor }, live)
  const made = { ...link, invoice_id }
  await insertLink(tx, made)
  return made
}

/** Makes one collection and its hosted page in the given transaction. */
export async function createHostedPage(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  checked: CheckedPage,
  live: LiveProviders,
): Promise<Link & { collection_id: string }> {
  const amount_minor = checkPageRules(deps, caller, checked, live)
  const link = await buildPage(deps, tx, caller, { ...checked, amount_minor }, live)
  const made = { ...link, collection_id: newId(deps, caller.merchant.routing_code) }
  await insertLink(tx, made)
  await createHosted(deps, tx, made)
  return made
}

async function buildPage(
  deps: Deps,
  tx: Tx,
  caller: Caller,
  checked: Omit<CheckedPage, 'amount_minor'> & { amount_minor: bigint },
  live: LiveProviders,
): Promise<Link> {
  const { id: merchant_id, routing_code } = caller.merchant
  const environment = await environmentOf(tx, caller, live)
  const now = deps.clock.now()
  return {
    ...checked,
    merchant_id,
    routing_code,
    id: newId(deps, routing_code),
    environment,
    origin_environment: caller.environment,
    slug: newSlug(deps.random, routing_code),
    status: 'ACTIVE',
    collection_id: null,
    invoice_id: null,
    paid_collection_id: null,
    paid_at: null,
    created_at: now,
    updated_at: now,
    ...NO_LOOK,
    merchant_name: '',
    merchant_status: 'ACTIVE',
    merchant_archived: false,
  }
}

const RETURN_URL_MAX = 2_000

const RETURN_URL_HELP = 'must be an address that begins with https:// or http://, without a user name or password'

/**
 * Returns true for a web address without credentials. The page sends the payer to the address, so an address of a script or a
 * file is unsafe.
 */
function isReturnUrl(text: string): boolean {
  // The URL parser removes tabs and line ends and accepts backslashes. The stored text must be the text that the server checked.
  if (text.length > RETURN_URL_MAX || /[\s\p{Cc}\p{Cf}\\<>"]/u.test(text)) return false
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)) return false
  const { protocol, username, password, hostname } = new URL(text)
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '' && hostname !== ''
}
