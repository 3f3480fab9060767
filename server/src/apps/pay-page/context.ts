// Makes the queries that the pages share, and reads the facts that each screen of a link shows.

import type { FastifyRequest } from 'fastify'
import type { MerchantLook } from '../../access/merchants/index.ts'
import type { Method, Provider } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { gather, type Language, newId } from '../../kernel/lib/index.ts'
import { type Attempt, latestPayments, type PagePayment } from '../../money/collections/index.ts'
import { createFindInvoiceByLink } from '../../money/invoices/index.ts'
import {
  type Collect,
  createFindBySlug,
  createFindPayment,
  createNetworkHelp,
  type Link,
  mayServe,
  pageDescription,
  takesNoPayments,
} from '../../money/payment-links/index.ts'
import { createPdfSender } from './pdf-sender.ts'
import { frameOf } from './reply.ts'
import type { PageState, ScreenContext } from './screen-of.ts'
import { createFindUnanswered } from './unanswered.ts'
import type { MagicOutcome, MerchantFrame, PayMethod } from './view.ts'

/**
 * The dependencies of the pages. `outcomes` lists the magic numbers. The pages show them only if all live providers are mock
 * providers.
 */
export type PayPageOptions = {
  collect: Collect
  /** Queries the provider about an attempt, and records the answer in the database. */
  ask(attempt: Attempt): Promise<void>
  find(environment: 'live', request: { method: Method }): Provider | null
  live: readonly Provider[]
  outcomes: readonly { ending: string; happens: string; happens_sw: string }[]
}

/** The provider's method for each way to pay. */
export const METHOD_OF: Record<PayMethod, Method> = {
  WALLET_PUSH: 'wallet_push',
  PROVIDER_PESA: 'provider_pesa',
  TANQR: 'qr',
}
const METHODS = Object.keys(METHOD_OF) as PayMethod[]
/** The first digits of a phone number that ends in a magic number: a prefix of M-Pesa, then 000. */
const MAGIC_PHONE = '0754000'

/** The dependencies and the queries of the pages. Each process makes one context. */
export type PageContext = ReturnType<typeof createPageContext>

/** Makes the context of a process. The queries about links and payments answer the requests that wait in batches. */
export function createPageContext(deps: Deps, options: PayPageOptions) {
  return {
    deps,
    options,
    findBySlug: createFindBySlug(deps),
    findPayment: createFindPayment(deps),
    findLatest: createFindLatest(deps),
    findUnanswered: createFindUnanswered(deps),
    findInvoice: createFindInvoiceByLink(deps),
    networkHelp: createNetworkHelp(deps),
    pdfs: createPdfSender(),
    rehearses: options.live.every(({ capabilities }) => capabilities.rehearses),
    outcomes: { sw: outcomesIn('sw', options), en: outcomesIn('en', options) },
  }
}

/** Returns the outcomes of the magic numbers, each with a label in this language. */
function outcomesIn(language: Language, { outcomes }: PayPageOptions): MagicOutcome[] {
  return outcomes.map(({ ending, happens, happens_sw }) => ({
    ending,
    phone: `${MAGIC_PHONE}${ending}`,
    what: language === 'sw' ? happens_sw : happens,
  }))
}

/**
 * Returns the ways to pay whose provider may serve this page and accepts its amount. If the merchant takes no payments, returns
 * an empty list.
 */
export function availableMethods({ options }: PageContext, link: Link): PayMethod[] {
  return METHODS.filter((name) => {
    const provider = options.find('live', { method: METHOD_OF[name] })
    if (provider === null || takesNoPayments(link) || !mayServe(link, provider)) return false
    return !(provider.capabilities.whole_shillings && link.amount_minor % 100n !== 0n)
  })
}

function lookOf({ support_phone, support_email, support_address, accent_color, logo_hash }: Link): MerchantLook {
  return { support_phone, support_email, support_address, accent_color, logo_hash }
}

/** Reads the facts that each screen of a link needs. */
export async function screenContextOf(
  context: PageContext,
  request: FastifyRequest,
  link: Link,
): Promise<ScreenContext> {
  const { deps, rehearses, outcomes } = context
  const { config } = deps
  const frame = frameOf(deps, request)
  const help = await context.networkHelp()
  const pay_path = `/pay/${link.slug}`
  const merchantFrame: MerchantFrame = {
    ...frame,
    merchant_name: link.merchant_name,
    look: lookOf(link),
    prompt_name: config.prompt_name || link.merchant_name,
    wallet_name: config.wallet_name,
    amount_minor: link.amount_minor,
    currency: link.currency,
    description: pageDescription(link, frame.language),
    reference: link.reference,
    ...(link.invoice_id === null ? {} : { invoice_path: `${pay_path}/invoice` }),
    test:
      rehearses || link.environment === 'sandbox'
        ? { environment: link.environment, outcomes: rehearses ? outcomes[frame.language] : [] }
        : null,
    pay_path,
    help_path: `${pay_path}/help`,
    help: help.map(({ help_sw, help_en, ...row }) => ({ ...row, help: frame.language === 'sw' ? help_sw : help_en })),
  }
  return { merchantFrame, methods: availableMethods(context, link), idempotency_key: newId(deps, 0) }
}

/** Returns the payment that determines the state of a page, and the payment that paid the page. */
export async function paymentsOf(
  { findLatest, findPayment }: PageContext,
  link: Link,
): Promise<Pick<PageState, 'latest' | 'paid'>> {
  const [latest, paid] = await Promise.all([
    findLatest(link),
    link.paid_collection_id === null ? null : findPayment(link, link.paid_collection_id),
  ])
  return { latest, paid }
}

/**
 * Returns the payments of a page for a payer with an IP address. If the page is not paid, also returns the kind of an attempt
 * that can still take money.
 */
export async function pageStateOf(context: PageContext, link: Link, address: string): Promise<PageState> {
  const payments = await paymentsOf(context, link)
  const may = payments.latest !== null && link.status !== 'PAID'
  return { ...payments, address, unanswered: may ? await context.findUnanswered(link) : null }
}

/**
 * Makes the function that finds the payment that determines the state of a page. Null means that the page has no payment. One SQL
 * statement answers up to 500 requests.
 */
function createFindLatest(deps: Deps): (link: Link) => Promise<PagePayment | null> {
  return gather<Link, PagePayment | null>(
    async (links) => {
      const keys = new Map(links.map(({ merchant_id, id: link_id }) => [link_id, { merchant_id, link_id }]))
      const rows = await latestPayments(deps.db, [...keys.values()])
      const found = new Map(rows.map((row) => [row.payment_link_id, row]))
      return links.map(({ id }) => found.get(id) ?? null)
    },
    { max_items: 500, max_running: 2 },
  )
}
