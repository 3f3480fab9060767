// Paying on a page: one transaction takes the page under lock, checks that nobody else is paying it, counts the try and
// writes the attempt; the provider is called after it.
//
// Dying before the commit leaves nothing: the payer may repeat. Dying after it leaves an attempt that falls due, and the
// Idempotency-Key with its answer. Only a code to scan is fetched before the answer: died over, its key is free again after
// seconds, and the next request makes another attempt, because nobody has seen the first code.

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
import { canonicalPhone, PHONE_HELP, Refusal, refuse, refuseField } from '../../kernel/lib/index.ts'
import {
  type Attempt,
  checkPromptLimits,
  type Driver,
  feesOf,
  fetchQr,
  lockHosted,
  mayStart,
  type PagePayment,
  paymentsUnderWay,
  startOnPage,
} from '../collections/index.ts'
import { PUBLIC_NAMES } from './present.ts'
import { statusAt } from './state.ts'
import { type Link, lockLink } from './store.ts'

/** What paying needs. `sends`: whether this process sends, or leaves that to a worker. */
export type CollectOptions = {
  driver: Driver
  providerFor(environment: 'live', wanted: { method: Method }): Provider
  sends: boolean
}

/** What a payer chose. `address`: where the request came from, for counting. */
export type PayerChoice = { method: Method; phone: string | null; address: string | null }

/** Begins a payment on a page; answers as the public pay calls do. Refuses what the page does not allow (409, 422, 429, 503). */
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

/** The canonical phone of a choice. Refuses with 400 a missing or unreadable one; a code to scan needs none. */
export function checkPayerPhone(method: Method, phone: string | null | undefined): string | null {
  if (phone === undefined || phone === null || phone === '') {
    return method === 'qr' ? null : refuseField('customer_phone', 'is needed: the prompt is sent to it')
  }
  return canonicalPhone(phone) ?? refuseField('customer_phone', PHONE_HELP)
}

/** Makes `Collect`. */
export function createCollect(deps: Deps, options: CollectOptions): Collect {
  const { driver } = options
  const inTurn = createTurns()

  /** What can be decided without the page under lock: who serves it, and for what fee. */
  const price = async (link: Link, method: Method) => {
    const provider = options.providerFor('live', { method })
    if (!mayServe(link, provider))
      refuse('payment_link_not_active', { message: REHEARSAL, details: { status: 'ACTIVE' } })
    if (provider.capabilities.whole_shillings && link.amount_minor % 100n !== 0n) {
      refuse('amount_not_supported', { message: 'This way to pay moves whole shillings only. Choose another one.' })
    }
    return { provider, fee_minor: await feeOf(deps, link, method, provider) }
  }

  /** Takes the page under lock. Refuses one that is not open, or that somebody is paying. */
  const open = async (tx: Tx, link: Link) => {
    // In the order of settling: the payment, then its page.
    const hosted = link.collection_id === null ? null : await lockHosted(tx, link.merchant_id, link.collection_id)
    const page = await lockLink(tx, link.merchant_id, link.id)
    if (page === null) return refuse('not_found')
    checkOpen(deps, page)
    const under_way = await paymentsUnderWay(tx, page.merchant_id, page.id)
    checkNobodyPays(deps, under_way)
    return { hosted, page, under_way }
  }
  type Opened = Awaited<ReturnType<typeof open>>

  /** Begins the payment of a page under lock, or refuses. */
  const start = async (tx: Tx, { hosted, page }: Opened, choice: PayerChoice & Priced, lease: boolean) => {
    const { method, phone, provider, fee_minor } = choice
    if (hosted !== null && !mayStart(hosted))
      refuse('payment_link_not_active', { message: NO_MORE_TRIES, details: { status: 'ACTIVE' } })
    await checkPromptLimits(deps, tx, {
      phone: method === 'qr' ? null : phone,
      link_id: page.id,
      address: choice.address,
    })
    return startOnPage(deps, tx, page, hosted, { provider: provider.name, method, phone, fee_minor, lease })
  }

  const push = async (link: Link, choice: PayerChoice & Priced, claim: IdempotencyClaim) => {
    // Kept before it is accepted, as for every push: without a place the attempt has no lease, and a worker sends it.
    const freePlace = options.sends ? driver.reserve(choice.provider.name) : null
    try {
      let attempt: Attempt | null = null
      const store = async (tx: Tx) => {
        attempt = await start(tx, await open(tx, link), choice, freePlace !== null)
        const told = { collection_id: attempt.collection_id, ...toldOf(choice.method) }
        const { collection_id: resource_id } = attempt
        return { status_code: 202, response_body: JSON.stringify({ success: true, data: told }), resource_id }
      }
      const answer = await inTurn(link.id, () => onceInTransaction(deps, claim, store))
      deps.point('collect.after_commit')
      if (attempt !== null && !answer.replayed && freePlace !== null) {
        if (choice.provider.capabilities.rehearses) await driver.sendAndAsk(attempt)
        else driver.send(attempt)
      }
      return answer
    } finally {
      freePlace?.()
    }
  }

  const qr = async (link: Link, choice: PayerChoice & Priced, claim: IdempotencyClaim) => {
    const begin = async (tx: Tx): Promise<{ attempt: Attempt } | { answer: StoredAnswer }> => {
      const opened = await open(tx, link)
      const shown = liveCode(deps, opened.page, opened.under_way, choice.provider)
      if (shown === null) return { attempt: await start(tx, opened, choice, true) }
      const { collection_id, payment_token, qr_payload } = shown
      const data = { collection_id, ...toldOf('qr'), payment_token, qr_payload, expires_at: null }
      const response_body = JSON.stringify({ success: true, data })
      const answer = { status_code: 202, response_body, resource_id: collection_id }
      await storeAnswer(tx, claim, answer)
      return { answer }
    }
    const found = await inTurn(link.id, () => beginOnce(deps, claim, begin))
    if ('known' in found) return { ...found.known, replayed: true }
    if ('answer' in found.begun) return { ...found.begun.answer, replayed: false }
    const { attempt } = found.begun
    // Outside of the page's turn: a slow provider keeps nobody else from paying.
    const answer = await fetchQr(deps, driver, attempt, toldOf('qr'), claim)
    if (choice.provider.capabilities.rehearses) await driver.ask(attempt)
    return { ...answer, replayed: false }
  }

  const once = async (link: Link, choice: PayerChoice, claim: IdempotencyClaim) => {
    const known = await findAnswer(deps, deps.db, claim)
    if (known !== null) return { ...known, replayed: true }
    let priced: PayerChoice & Priced
    try {
      checkOpen(deps, link)
      priced = { ...choice, ...(await price(link, choice.method)) }
    } catch (error) {
      return refuseOnce(deps, claim, error)
    }
    return choice.method === 'qr' ? qr(link, priced, claim) : push(link, priced, claim)
  }
  // A double tap waits for what the first one comes to.
  return (link, choice, claim) => inTurn(`${link.id} ${claim.key}`, () => once(link, choice, claim))
}

/** Who serves a payment, and our fee in cents. */
type Priced = { provider: Provider; fee_minor: bigint }

/** Work on one page is done in turn: the payers of one page must not wait for its lock with all connections in hand. */
function createTurns() {
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

function toldOf(method: Method) {
  return { status: 'processing', method: PUBLIC_NAMES[method], message: MESSAGES[method] }
}

/** Refuses a page that cannot be paid (any more) with payment_link_not_active. */
function checkOpen(deps: Deps, page: Link): void {
  const status = statusAt(page, deps.clock.now())
  if (status !== 'ACTIVE') refuse('payment_link_not_active', { message: CLOSED[status], details: { status } })
  if (isSuspended(page)) {
    refuse('payment_link_not_active', { message: 'This business takes no payments now.', details: { status } })
  }
}

/** True when the page is one of real money and its business may take none now. */
export function isSuspended(page: Pick<Link, 'environment' | 'merchant_status'>): boolean {
  return page.environment === 'live' && page.merchant_status === 'SUSPENDED'
}

/**
 * True when a provider may serve the payments of a page. A page that was made to rehearse, before the installation had a
 * real provider, never moves real money.
 */
export function mayServe(page: Pick<Link, 'environment'>, { capabilities }: Provider): boolean {
  return page.environment === 'live' || capabilities.rehearses === true
}

/** True when the payment of a hosted page takes no further tries, because of what became of it. Of a payment link: never. */
export function isOver(page: Pick<Link, 'collection_id'>, payment: PagePayment | null): boolean {
  return page.collection_id !== null && payment !== null && !mayStart(payment)
}

/** A code is shown again, instead of a new one being made, for this long. */
const SAME_CODE_MS = 15 * 60_000

/**
 * The code of a hosted page that was made a while ago and can still be scanned: whoever asks again means the same payment.
 * Each try of a payment link is a payment of its own.
 */
function liveCode(deps: Deps, page: Link, under_way: readonly PagePayment[], provider: Provider): PagePayment | null {
  const since = deps.clock.now().getTime() - SAME_CODE_MS
  const shown = under_way.find(
    ({ collection_id, status }) => collection_id === page.collection_id && status === 'processing',
  )
  if (shown === undefined || shown.method !== 'qr' || shown.attempt_state !== 'asked') return null
  const made_ms = shown.attempt_at?.getTime() ?? 0
  return shown.qr_payload !== null && shown.provider === provider.name && made_ms > since ? shown : null
}

const NO_MORE_TRIES = 'This payment takes no further tries. Ask the business for a new one.'
const REHEARSAL = 'This page was made to rehearse and takes no real money. Ask the business for a new one.'

const CLOSED = {
  PAID: 'This has been paid already. Do not pay it again.',
  EXPIRED: 'The time to pay this is over. Ask the business for a new link.',
  CANCELLED: 'The business has cancelled this payment. Ask it for a new link.',
} as const

/** Refuses with payment_in_progress while somebody may be approving a payment of this page, or one is looked at. */
function checkNobodyPays(deps: Deps, payments: readonly PagePayment[]): void {
  for (const payment of payments) {
    if (payment.status === 'pending_clearance') {
      refuse('payment_in_progress', { message: 'A payment of this is under review. Do not pay it again.' })
    }
    const left_s = promptLeft(deps, payment)
    if (left_s > 0) {
      refuse('payment_in_progress', {
        message: 'A payment prompt for this is waiting on a phone. Approve it there, or wait until it runs out.',
        retry_after_s: left_s,
      })
    }
  }
}

/** Seconds for which the prompt of a payment may still be approved; 0 for a code, and for a payment with an outcome. */
export function promptLeft(deps: Deps, { status, method, attempt_at }: PagePayment): number {
  if (status !== 'processing' || method === 'qr' || attempt_at === null) return 0
  const ends = attempt_at.getTime() + deps.config.push_lifetime_s * 1_000
  return Math.max(0, Math.ceil((ends - deps.clock.now().getTime()) / 1_000))
}

async function feeOf(deps: Deps, page: Link, method: Method, provider: Provider): Promise<bigint> {
  const { merchant_id, amount_minor } = page
  const step_minor = provider.capabilities.whole_shillings ? 100n : 1n
  const [fee] = await feesOf(deps, [{ collection: { merchant_id, method, amount_minor }, step_minor }])
  if (fee instanceof Refusal) throw fee
  return fee ?? 0n
}
