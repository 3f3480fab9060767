// Starts payments on a page. One transaction locks the page, checks that no other payment keeps the page busy, counts the
// request for the prompt limits and writes the attempt. If the process dies before the commit, no row exists. If it dies after
// the commit, the attempt becomes due. The Idempotency-Key of a prompt keeps its answer.

import type { Method, Provider } from '../../adapters/providers/port.ts'
import type { Deps, Tx } from '../../kernel/db/index.ts'
import {
  beginOnce,
  findAnswer,
  type IdempotencyClaim,
  onceInTransaction,
  refuseOnce,
  type StoredAnswer,
  storeAnswer,
} from '../../kernel/http/index.ts'
import { canonicalPhone, PHONE_HELP, Refusal, refuse, refuseField, type TraceContext } from '../../kernel/lib/index.ts'
import {
  type Attempt,
  checkPromptLimits,
  type Driver,
  feesOf,
  fetchQr,
  lockHosted,
  mayStart,
  type PagePayment,
  pageAddressHash,
  paymentsUnderWay,
  startOnPage,
} from '../collections/index.ts'
import { PUBLIC_NAMES } from './present.ts'
import { linkStatusAt } from './state.ts'
import { type Link, lockLink } from './store.ts'

/**
 * The dependencies of `createCollect`. If `sends` is false, this process sends no prompt, and a worker sends the prompts.
 */
export type CollectOptions = {
  driver: Driver
  providerFor(environment: 'live', payment: { method: Method }): Provider
  sends: boolean
}

/** The payer's choice of a method and a phone, with the payer's IP address for the prompt limits, and the trace of the request. */
export type PayerChoice = {
  method: Method
  phone: string | null
  address: string | null
  trace?: TraceContext | null
}

/** Starts a payment on a page and returns the answer to the payer's request. Refuses with 404, 409, 422, 429 or 503. */
export type Collect = (
  link: Link,
  choice: PayerChoice,
  claim: IdempotencyClaim,
) => Promise<StoredAnswer & { replayed: boolean }>

const MESSAGES: Record<Method, string> = {
  wallet_push: 'Payment prompt sent. Approve it on the phone by entering the PIN.',
  provider_pesa: 'Payment prompt sent. Approve it in the wallet app.',
  qr: 'Scan the code with a banking or mobile-money app to pay.',
}

/**
 * Returns the canonical phone of a payment. If the phone is missing or invalid, refuses with 400. For a QR code without a phone,
 * returns null.
 */
export function checkPayerPhone(method: Method, phone: string | null | undefined): string | null {
  if (phone === undefined || phone === null || phone === '') {
    return method === 'qr'
      ? null
      : refuseField('customer_phone', 'is needed: the provider sends the prompt to this phone')
  }
  return canonicalPhone(phone) ?? refuseField('customer_phone', PHONE_HELP)
}

/** The dependencies of the functions that start a payment. `inTurn` runs the work on one page in sequence. */
type CollectWork = { deps: Deps; options: CollectOptions; inTurn: PageTurns }

type CollectReply = StoredAnswer & { replayed: boolean }

/** Makes the function that starts payments on pages. In one process, the transactions on one page run in sequence. */
export function createCollect(deps: Deps, options: CollectOptions): Collect {
  const work: CollectWork = { deps, options, inTurn: createPageTurns() }
  // A second request with the same key, such as a double tap, waits for the result of the first request.
  return (link, choice, claim) => work.inTurn(`${link.id} ${claim.key}`, () => collectOnce(work, link, choice, claim))
}

async function collectOnce(
  work: CollectWork,
  link: Link,
  choice: PayerChoice,
  claim: IdempotencyClaim,
): Promise<CollectReply> {
  const { deps } = work
  const stored = await findAnswer(deps, deps.db, claim)
  if (stored !== null) return { ...stored, replayed: true }
  let priced: PricedChoice
  try {
    checkOpen(deps, link)
    priced = { ...choice, ...(await priceOf(work, link, choice.method)) }
  } catch (error) {
    return refuseOnce(deps, claim, error)
  }
  return choice.method === 'qr' ? collectByQr(work, link, priced, claim) : collectByPush(work, link, priced, claim)
}

/** The provider of a payment, and our fee in cents, both chosen before the lock of the page. */
type PagePrice = { provider: Provider; fee_minor: bigint }
type PricedChoice = PayerChoice & PagePrice

/**
 * Chooses the provider and computes the fee before the transaction locks the page. If the provider may not serve the page, or
 * cannot move its cents, refuses.
 */
async function priceOf({ deps, options }: CollectWork, link: Link, method: Method): Promise<PagePrice> {
  const provider = options.providerFor('live', { method })
  if (!mayServe(link, provider)) {
    refuse('payment_link_not_active', { message: REHEARSAL, details: { status: 'ACTIVE' } })
  }
  if (provider.capabilities.whole_shillings && link.amount_minor % 100n !== 0n) {
    refuse('amount_not_supported', {
      message: 'This payment method moves whole shillings only. Choose another payment method.',
    })
  }
  return { provider, fee_minor: await pageFee(deps, link, method, provider) }
}

/** A page under lock, with the collection of a hosted page and the payments in progress. */
type OpenPage = { hosted: HostedPayment; page: Link; under_way: readonly PagePayment[] }
type HostedPayment = Awaited<ReturnType<typeof lockHosted>> | null

/**
 * Locks the page. Refuses a page that takes no payments, that a prompt keeps busy for this address, or on which a payment is
 * under review.
 */
async function lockOpenPage(deps: Deps, tx: Tx, link: Link, address: string | null): Promise<OpenPage> {
  // The transaction locks the collection before its page, in the same order as a settlement.
  const hosted = link.collection_id === null ? null : await lockHosted(tx, link.merchant_id, link.collection_id)
  const page = await lockLink(tx, link.merchant_id, link.id)
  if (page === null) return refuse('not_found')
  checkOpen(deps, page)
  const under_way = await paymentsUnderWay(tx, page.merchant_id, page.id)
  checkNoPaymentInProgress(deps, under_way, address)
  return { hosted, page, under_way }
}

/** Starts the payment of a locked page. If the page or a limit allows no further attempt, refuses the payment. */
async function startLinkPayment(
  deps: Deps,
  tx: Tx,
  { hosted, page }: OpenPage,
  choice: PricedChoice,
  lease: boolean,
): Promise<Attempt> {
  const { method, phone, provider, fee_minor } = choice
  if (hosted !== null && !mayStart(hosted)) {
    refuse('payment_link_not_active', { message: NO_MORE_ATTEMPTS, details: { status: 'ACTIVE' } })
  }
  const busy_for = await checkPromptLimits(deps, tx, {
    phone: method === 'qr' ? null : phone,
    link_id: page.id,
    address: choice.address,
    prompt: { environment: page.environment, method, phone },
  })
  const trace = choice.trace ?? null
  return startOnPage(deps, tx, page, hosted, {
    provider: provider.name,
    method,
    phone,
    fee_minor,
    lease,
    busy_for,
    trace,
  })
}

/**
 * Starts a payment by a prompt on the payer's phone. Stores the attempt and the answer to the payer, then sends the attempt or
 * leaves it to a worker.
 */
async function collectByPush(
  { deps, options, inTurn }: CollectWork,
  link: Link,
  choice: PricedChoice,
  claim: IdempotencyClaim,
): Promise<CollectReply> {
  const { driver } = options
  // The server reserves capacity before it accepts the payment. If the provider has no free capacity, the attempt gets no lease,
  // and a worker sends it.
  const releaseCapacity = options.sends ? driver.reserve(choice.provider.name) : null
  try {
    let attempt: Attempt | null = null
    const store = async (tx: Tx) => {
      const opened = await lockOpenPage(deps, tx, link, choice.address)
      attempt = await startLinkPayment(deps, tx, opened, choice, releaseCapacity !== null)
      const data = { collection_id: attempt.collection_id, ...answerFields(choice.method) }
      const { collection_id: resource_id } = attempt
      return { status_code: 202, response_body: JSON.stringify({ success: true, data }), resource_id }
    }
    const answer = await inTurn(link.id, () => onceInTransaction(deps, claim, store))
    deps.point('collect.after_commit')
    if (attempt !== null && !answer.replayed && releaseCapacity !== null) {
      if (choice.provider.capabilities.rehearses) await driver.sendAndAsk(attempt)
      else driver.send(attempt)
    }
    return answer
  } finally {
    releaseCapacity?.()
  }
}

/**
 * Starts a payment by a QR code: shows a recent code of a hosted page again, or stores an attempt and fetches its code. If the
 * process dies before the answer, the key becomes free within seconds. The next request may make a new attempt, because no
 * payer has seen the first code.
 */
async function collectByQr(
  { deps, options, inTurn }: CollectWork,
  link: Link,
  choice: PricedChoice,
  claim: IdempotencyClaim,
): Promise<CollectReply> {
  const { driver } = options
  const begin = async (tx: Tx): Promise<{ attempt: Attempt } | { answer: StoredAnswer }> => {
    const opened = await lockOpenPage(deps, tx, link, choice.address)
    const recent = recentCode(deps, opened.page, opened.under_way, choice.provider)
    if (recent === null) return { attempt: await startLinkPayment(deps, tx, opened, choice, true) }
    const { collection_id, payment_token, qr_payload } = recent
    const data = { collection_id, ...answerFields('qr'), payment_token, qr_payload, expires_at: null }
    const response_body = JSON.stringify({ success: true, data })
    const answer = { status_code: 202, response_body, resource_id: collection_id }
    await storeAnswer(tx, claim, answer)
    return { answer }
  }
  const found = await inTurn(link.id, () => beginOnce(deps, claim, begin))
  if ('known' in found) return { ...found.known, replayed: true }
  if ('answer' in found.begun) return { ...found.begun.answer, replayed: false }
  const { attempt } = found.begun
  // This call comes after the sequential work on the page, so a slow provider does not delay the other payers of the page.
  const answer = await fetchQr(deps, driver, attempt, answerFields('qr'), claim)
  if (choice.provider.capabilities.rehearses) await driver.ask(attempt)
  return { ...answer, replayed: false }
}

type PageTurns = <Result>(id: string, work: () => Promise<Result>) => Promise<Result>

/**
 * Returns the function that runs the work with one id in sequence. The payers of one page thus do not hold all connections
 * while they wait for its lock.
 */
function createPageTurns(): PageTurns {
  const last = new Map<string, Promise<unknown>>()
  return async <Result>(id: string, work: () => Promise<Result>): Promise<Result> => {
    const turn = (last.get(id) ?? Promise.resolve()).then(work, work)
    last.set(id, turn)
    try {
      return await turn
    } finally {
      if (last.get(id) === turn) last.delete(id)
    }
  }
}

function answerFields(method: Method) {
  return { status: 'processing', method: PUBLIC_NAMES[method], message: MESSAGES[method] }
}

/** If a page takes no payments now, refuses with payment_link_not_active. */
function checkOpen(deps: Deps, page: Link): void {
  const status = linkStatusAt(page, deps.clock.now())
  if (status !== 'ACTIVE') refuse('payment_link_not_active', { message: CLOSED[status], details: { status } })
  if (takesNoPayments(page)) {
    refuse('payment_link_not_active', {
      message: 'This business takes no payments now. Contact the business.',
      details: { status },
    })
  }
}

/** Returns true if the merchant takes no payments: it is archived, or the page is live and the merchant is suspended. */
export function takesNoPayments(page: Pick<Link, 'environment' | 'merchant_status' | 'merchant_archived'>): boolean {
  return page.merchant_archived || (page.environment === 'live' && page.merchant_status === 'SUSPENDED')
}

/**
 * Returns true if a provider may serve the payments of a page. Only simulated providers may serve a sandbox page, so such a
 * page takes no real money.
 */
export function mayServe(page: Pick<Link, 'environment'>, { capabilities }: Provider): boolean {
  return page.environment === 'live' || capabilities.rehearses === true
}

/** Returns true if the payment of a hosted page allows no further attempt. Returns false for a payment link. */
export function isOver(page: Pick<Link, 'collection_id'>, payment: PagePayment | null): boolean {
  return page.collection_id !== null && payment !== null && !mayStart(payment)
}

/** The time for which a page shows a QR code again before it requests a new code. */
const SAME_CODE_MS = 15 * 60_000

/**
 * Returns the recent, still usable QR code of a hosted page, because a repeated request means the same payment. Null means that no
 * such code exists, or that the page is a payment link, on which each request starts a new payment.
 */
function recentCode(deps: Deps, page: Link, under_way: readonly PagePayment[], provider: Provider): PagePayment | null {
  const since = deps.clock.now().getTime() - SAME_CODE_MS
  const recent = under_way.find(
    ({ collection_id, status }) => collection_id === page.collection_id && status === 'processing',
  )
  if (recent === undefined || recent.method !== 'qr' || recent.attempt_state !== 'asked') return null
  const made_ms = recent.attempt_at?.getTime() ?? 0
  return recent.qr_payload !== null && recent.provider === provider.name && made_ms > since ? recent : null
}

const NO_MORE_ATTEMPTS = 'This payment takes no further attempts. Ask the business for a new payment page.'
const REHEARSAL = 'This page is only for simulated payments and takes no real money. Ask the business for a new page.'

const CLOSED = {
  PAID: 'A payer has already paid this request. Do not pay again.',
  EXPIRED: 'The time to pay on this page is over. Ask the business for a new link.',
  CANCELLED: 'The business has cancelled this payment. Ask the business for a new link.',
} as const

/**
 * If a prompt keeps the page busy for a payer with this address, or a payment is under review, refuses with payment_in_progress.
 */
function checkNoPaymentInProgress(deps: Deps, payments: readonly PagePayment[], address: string | null): void {
  for (const payment of payments) {
    if (payment.status === 'pending_clearance') {
      refuse('payment_in_progress', { message: 'A payment on this page is under review. Do not pay again.' })
    }
    const left_s = busyLeft(deps, payment, address)
    if (left_s > 0) {
      refuse('payment_in_progress', {
        message: 'A payment prompt of this page waits on a phone. Approve the prompt there, or wait until it expires.',
        retry_after_s: left_s,
      })
    }
  }
}

/**
 * Returns the time at which the prompt of a payment expires. Returns null for a QR code, before the first attempt, and for every
 * status but `processing`.
 */
export function promptEndsAt(deps: Deps, { status, method, attempt_at }: PagePayment): Date | null {
  if (status !== 'processing' || method === 'qr' || attempt_at === null) return null
  return new Date(attempt_at.getTime() + deps.config.push_lifetime_s * 1_000)
}

/** Returns the seconds in which the payer may still approve the prompt. If the payment has no prompt, returns 0. */
export function promptLeft(deps: Deps, payment: PagePayment): number {
  const ends_at = promptEndsAt(deps, payment)
  if (ends_at === null) return 0
  return Math.max(0, Math.ceil((ends_at.getTime() - deps.clock.now().getTime()) / 1_000))
}

/**
 * Returns the seconds for which the prompt of a payment keeps the page busy for a payer with this address. After two prompts of
 * one address on the page, further prompts of the address keep the page busy only for this address.
 */
export function busyLeft(deps: Deps, payment: PagePayment, address: string | null): number {
  const { busy_for, payment_link_id } = payment
  const concerns = busy_for === null || pageAddressHash(deps, payment_link_id, address)?.equals(busy_for) === true
  return concerns ? promptLeft(deps, payment) : 0
}

async function pageFee(deps: Deps, page: Link, method: Method, provider: Provider): Promise<bigint> {
  const { merchant_id, amount_minor } = page
  const step_minor = provider.capabilities.whole_shillings ? 100n : 1n
  const [fee] = await feesOf(deps, [{ collection: { merchant_id, method, amount_minor }, step_minor }])
  if (fee instanceof Refusal) throw fee
  return fee ?? 0n
}
