// The addresses of the pay page. A GET changes nothing, so that previews and reloads are harmless; a form is answered with
// the address of what became of it.

import { hash } from 'node:crypto'
import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Method, Provider } from '../../adapters/providers/port.ts'
import type { Deps } from '../../kernel/db/index.ts'
import { drawDocument, qrSvg } from '../../kernel/documents/index.ts'
import {
  type App,
  bestEncoding,
  fingerprint,
  type IdempotencyClaim,
  isIdempotencyKey,
  payUrlOf,
} from '../../kernel/http/index.ts'
import { canonicalPhone, createSharedDelay, gather, newId, Refusal } from '../../kernel/lib/index.ts'
import { latestPayments, type PagePayment } from '../../money/collections/index.ts'
import { createFindInvoiceByLink, invoiceDocument, publicStatusAt } from '../../money/invoices/index.ts'
import {
  type Collect,
  createFindBySlug,
  createFindPayment,
  createNetworkHelp,
  isSuspended,
  type Link,
  mayServe,
  promptLeft,
} from '../../money/payment-links/index.ts'
import { payScript } from './assets.ts'
import { encode } from './compress.ts'
import { FILE_HEADERS, PAGE_HEADERS, SCRIPT_HEADERS } from './headers.ts'
import { invoiceView } from './invoice-of.ts'
import { createPapers } from './papers.ts'
import { qrPng } from './qr-image.ts'
import { pollAnswer, renderScreen, statusOf } from './render.ts'
import {
  type Around,
  openName,
  openScreen,
  paidOf,
  paymentName,
  paymentPath,
  paymentScreen,
  receiptPath,
  type Typed,
} from './screen-of.ts'
import { inLanguage, payLanguage, speaker } from './texts.ts'
import { createFindUnanswered } from './unanswered.ts'
import type { Frame, PayMethod, Problem, Screen, Shop } from './view.ts'

/** What the pages need. `outcomes`: the magic numbers of an installation that only rehearses. */
export type PayPageOptions = {
  collect: Collect
  find(environment: 'live', wanted: { method: Method }): Provider | null
  live: readonly Provider[]
  outcomes: readonly { ending: string; happens: string }[]
}

const PAYERS = { access: 'public', limit: 'payers' } as const
const PDFS = { access: 'public', limit: 'pdfs' } as const
const METHOD_OF: Record<PayMethod, Method> = { WALLET_PUSH: 'wallet_push', PROVIDER_PESA: 'provider_pesa', TANQR: 'qr' }
/** Around a screen that belongs to a merchant or to nobody, with the page to open again. */
type Asked = (Shop | Frame) & { open_path: string }

const METHODS = Object.keys(METHOD_OF) as PayMethod[]
const FORM_BYTES_MAX = 4 * 1024
const URL_MAX = 512
/** How long a poll waits for others. Nobody who waits for a payment notices. */
const POLLS_WAIT_MS = 20
/** What a magic number is shown as: an M-Pesa number that nobody has. */
const MAGIC_PHONE = '0754000'

const Slug = Type.Object({ slug: Type.String() })
const SlugAndPayment = Type.Object({ slug: Type.String(), collection_id: Type.String() })

/** Adds the pages. */
export function payPageRoutes(deps: Deps, options: PayPageOptions): (app: App) => void {
  const { config } = deps
  const findBySlug = createFindBySlug(deps)
  const findPayment = createFindPayment(deps)
  const findLatest = createFindLatest(deps)
  const findUnanswered = createFindUnanswered(deps)
  const findInvoice = createFindInvoiceByLink(deps)
  const networkHelp = createNetworkHelp(deps)
  const papers = createPapers()
  const rehearses = options.live.every(({ capabilities }) => capabilities.rehearses)
  const outcomes = options.outcomes.map(({ ending, happens }) => ({
    ending,
    phone: `${MAGIC_PHONE}${ending}`,
    what: happens,
  }))

  /** The ways to pay this amount that some provider serves. */
  const methodsFor = (link: Link): PayMethod[] =>
    METHODS.filter((name) => {
      const provider = options.find('live', { method: METHOD_OF[name] })
      if (provider === null || isSuspended(link) || !mayServe(link, provider)) return false
      return !(provider.capabilities.whole_shillings && link.amount_minor % 100n !== 0n)
    })

  const frameOf = (request: FastifyRequest) => frameFor(deps, request)
  const around = async (request: FastifyRequest, link: Link): Promise<Around> => {
    const frame = frameOf(request)
    const help = await networkHelp()
    const pay_path = `/pay/${link.slug}`
    const shop: Shop = {
      ...frame,
      merchant_name: link.merchant_name,
      prompt_name: config.prompt_name || link.merchant_name,
      wallet_name: config.wallet_name,
      amount_minor: link.amount_minor,
      currency: link.currency,
      description: link.description,
      reference: link.reference,
      ...(link.invoice_id === null ? {} : { invoice_path: `${pay_path}/invoice` }),
      test: rehearses || link.environment === 'sandbox' ? { outcomes: rehearses ? outcomes : [] } : null,
      pay_path,
      help_path: `${pay_path}/help`,
      help: help.map(({ help_sw, help_en, ...row }) => ({ ...row, help: frame.language === 'sw' ? help_sw : help_en })),
    }
    return { shop, methods: methodsFor(link), idempotency_key: newId(deps, 0) }
  }

  const lost = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, { ...frameOf(request), screen: 'unknown' })
  const see = (request: FastifyRequest, reply: FastifyReply, path: string) =>
    reply.headers({ 'cache-control': 'no-store' }).redirect(inLanguage(path, frameOf(request).language), 303)

  /** The newest payment of a page, and the one that paid it. */
  const paymentsOf = async (link: Link) => {
    const [latest, paid] = await Promise.all([
      findLatest(link),
      link.paid_collection_id === null ? null : findPayment(link, link.paid_collection_id),
    ])
    return { latest, paid }
  }
  /** The same, and whether some try may still take money. */
  const knownOf = async (link: Link) => {
    const payments = await paymentsOf(link)
    const may = payments.latest !== null && link.status !== 'PAID'
    return { ...payments, unanswered: may ? await findUnanswered(link) : null }
  }
  const showOpen = async (request: FastifyRequest, reply: FastifyReply, link: Link, typed: Typed | null = null) => {
    const [known, given] = await Promise.all([knownOf(link), around(request, link)])
    return send(request, reply, openScreen(deps, link, known, given, typed))
  }

  const tooMany = (request: FastifyRequest, reply: FastifyReply, around: Asked, retry_after_s: number) => {
    const again_at = new Date(deps.clock.now().getTime() + retry_after_s * 1_000)
    reply.header('retry-after', String(retry_after_s))
    return send(request, reply, { ...around, screen: 'too_many', again_at })
  }

  /** Begins what a payer chose, and says where to look, or shows why not. */
  const begin = async (
    request: FastifyRequest,
    reply: FastifyReply,
    link: Link,
    chosen: { method: PayMethod; phone: string | null; key: string },
  ): Promise<FastifyReply> => {
    const method = METHOD_OF[chosen.method]
    const choice = { method, phone: chosen.phone, address: request.ip }
    try {
      const answer = await options.collect(link, choice, claimOf(link, chosen))
      const { collection_id } = JSON.parse(answer.response_body).data ?? {}
      return see(request, reply, collection_id ? `/pay/${link.slug}/c/${collection_id}` : `/pay/${link.slug}`)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { shop } = await around(request, link)
      switch (error.code) {
        case 'rate_limited': {
          return tooMany(request, reply, { ...shop, open_path: shop.pay_path }, error.retry_after_s ?? 60)
        }
        case 'provider_unavailable':
        case 'amount_not_supported': {
          const other_way = methodsFor(link).some((name) => name !== chosen.method)
          return send(request, reply, { ...shop, screen: 'provider_unavailable', other_way })
        }
        case 'idempotency_key_reused':
          return send(request, reply, { ...shop, screen: 'form_expired', open_path: shop.pay_path })
        default:
          // Paid, expired, cancelled, or somebody else is paying: the page itself says so.
          return see(request, reply, `/pay/${link.slug}`)
      }
    }
  }

  return (app) => {
    app.get(
      payScript().path,
      { schema: { hide: true }, config: { access: 'public', limit: 'none' } },
      (request, reply) => {
        const encoding = bestEncoding(request.headers['accept-encoding'])
        if (encoding !== null) reply.header('content-encoding', encoding)
        return reply.headers(SCRIPT_HEADERS).send(payScript()[encoding ?? 'plain'])
      },
    )
    void app.register(async (scope) => {
      await scope.register(formbody, { bodyLimit: FORM_BYTES_MAX })
      const page = { schema: { hide: true, params: Slug }, config: PAYERS }
      const payment = { schema: { hide: true, params: SlugAndPayment }, config: PAYERS }
      // Payers read pages, not JSON, whatever went wrong.
      scope.setErrorHandler((error, request, reply) => {
        const status =
          (error as { statusCode?: number; status?: number }).statusCode ?? (error as { status?: number }).status ?? 500
        if (status >= 500 && !(error instanceof Refusal))
          request.log.error({ err: error, request_id: request.id }, 'a page failed')
        const frame = frameOf(request)
        const retry_after_s = error instanceof Refusal ? error.retry_after_s : null
        if (status === 429) return tooMany(request, reply, { ...frame, open_path: frame.url }, retry_after_s ?? 60)
        if (retry_after_s !== null) reply.header('retry-after', String(retry_after_s))
        const screen: Screen =
          status >= 400 && status < 500
            ? { ...frame, screen: 'form_expired', open_path: frame.url }
            : { ...frame, screen: 'server_error' }
        return send(request, reply, screen, status)
      })

      // Addresses that were cut, or have something behind them.
      for (const path of ['/pay', '/pay/*']) scope.get(path, { schema: { hide: true }, config: PAYERS }, lost)

      scope.get<{ Params: { slug: string } }>('/pay/:slug', page, async (request, reply) => {
        const link = await findBySlug(request.params.slug)
        return link === null ? lost(request, reply) : showOpen(request, reply, link)
      })

      scope.post<{ Params: { slug: string }; Body: Record<string, unknown> | undefined }>(
        '/pay/:slug',
        page,
        async (request, reply) => {
          const link = await findBySlug(request.params.slug)
          if (link === null) return lost(request, reply)
          const form = request.body ?? {}
          const key = textOf(form.idempotency_key)
          if (!isIdempotencyKey(key) || key.length > 100) {
            return send(request, reply, { ...frameOf(request), screen: 'form_expired', open_path: `/pay/${link.slug}` })
          }
          const again = textOf(form.again)
          if (again !== '') {
            const before = await findPayment(link, again)
            if (before?.method == null || before.method === 'qr' || before.phone === null)
              return see(request, reply, `/pay/${link.slug}`)
            const method = before.method === 'wallet_push' ? 'WALLET_PUSH' : 'PROVIDER_PESA'
            return begin(request, reply, link, { method, phone: before.phone, key })
          }
          const read = readChoice(form, link, methodsFor(link))
          if ('problems' in read) return showOpen(request, reply, link, read)
          return begin(request, reply, link, { ...read, key })
        },
      )

      scope.get<{ Params: { slug: string } }>('/pay/:slug/state', page, async (request, reply) => {
        const link = await findBySlug(request.params.slug)
        if (link === null) return reply.code(404).send({ state: 'unknown' })
        return poll(reply, { state: openName(deps, link, await paymentsOf(link)) })
      })

      scope.get<{ Params: { slug: string } }>('/pay/:slug/help', page, async (request, reply) => {
        const link = await findBySlug(request.params.slug)
        if (link === null) return lost(request, reply)
        const { shop } = await around(request, link)
        return send(request, reply, { ...shop, screen: 'help' })
      })

      // Thousands ask while they wait, each for minutes: answered together, they cost a fraction.
      const together = createSharedDelay(POLLS_WAIT_MS)
      /** The page and the payment of an address, or null when there is no such payment; and the other that paid the page. */
      const both = async (request: FastifyRequest<{ Params: { slug: string; collection_id: string } }>) => {
        const link = await findBySlug(request.params.slug)
        const found = link === null ? null : await findPayment(link, request.params.collection_id)
        if (link === null || found === null) return null
        const other = found.status === 'processing' ? link.paid_collection_id : null
        return { link, found, paid: other === null ? null : await findPayment(link, other) }
      }

      scope.get<{ Params: { slug: string; collection_id: string } }>(
        '/pay/:slug/c/:collection_id',
        payment,
        async (request, reply) => {
          const known = await both(request)
          if (known === null) return lost(request, reply)
          const given = await around(request, known.link)
          const beside = known.found.status === 'failed' ? await knownOf(known.link) : null
          const label = speaker(given.shop.language).plain('scan_qr')
          return send(
            request,
            reply,
            paymentScreen(deps, known.link, { payment: known.found, paid: known.paid, beside }, given, (payload) =>
              qrSvg(payload, { label }),
            ),
          )
        },
      )

      scope.get<{ Params: { slug: string; collection_id: string } }>(
        '/pay/:slug/c/:collection_id/state',
        payment,
        async (request, reply) => {
          await together()
          const known = await both(request)
          if (known === null) return reply.code(404).send({ state: 'unknown' })
          const left_s = promptLeft(deps, known.found)
          const state = paymentName(deps, known.link, known.found, known.paid)
          return poll(reply, { state, ...(left_s > 0 ? { left_s } : {}) })
        },
      )

      scope.get<{ Params: { slug: string; collection_id: string } }>(
        '/pay/:slug/c/:collection_id/qr.png',
        payment,
        async (request, reply) => {
          const known = await both(request)
          if (known === null || known.found.qr_payload === null) return lost(request, reply)
          if (paymentName(deps, known.link, known.found, known.paid) !== 'qr') return lost(request, reply)
          return reply
            .headers({ ...FILE_HEADERS, 'content-type': 'image/png', 'cache-control': 'private, max-age=600' })
            .send(qrPng(known.found.qr_payload))
        },
      )

      for (const form of ['html', 'pdf'] as const) {
        scope.get<{ Params: { slug: string; collection_id: string } }>(
          `/pay/:slug/c/:collection_id/receipt${form === 'pdf' ? '.pdf' : ''}`,
          { ...payment, config: form === 'pdf' ? PDFS : PAYERS },
          async (request, reply) => {
            const known = await both(request)
            if (known === null) return lost(request, reply)
            const { link, found } = known
            const { shop } = await around(request, link)
            const { status } = found
            if (status !== 'successful' && status !== 'reversed') return see(request, reply, paymentPath(shop, found))
            const facts = paidOf(link, found)
            const path = receiptPath(shop, found)
            const share_url = `${payUrlOf(config, app)}${inLanguage(path, shop.language)}`
            if (form === 'html') {
              const { collection_id } = found
              const paper = { screen: 'receipt', status, collection_id, share_url, pdf_path: `${path}.pdf` } as const
              return send(request, reply, { ...shop, ...facts, ...paper })
            }
            const facts_of_pdf = {
              language: shop.language,
              brand_name: config.brand_name,
              merchant_name: link.merchant_name,
              amount_minor: facts.amount_minor,
              currency: facts.currency,
              method: methodName(shop, facts.method),
              phone: found.phone,
              reference: link.reference,
              provider_reference: facts.provider_reference,
              collection_id: found.collection_id,
              paid_at: facts.paid_at,
              status,
              description: link.description,
              page_url: share_url,
              test: shop.test !== null,
              drawn_at: facts.paid_at,
            }
            const filename = `receipt-${found.collection_id}.pdf`
            const draw = () => drawDocument(link, { kind: 'receipt', input: facts_of_pdf })
            return papers.send(request, reply, { filename, facts: facts_of_pdf, draw })
          },
        )

        scope.get<{ Params: { slug: string } }>(
          `/pay/:slug/invoice${form === 'pdf' ? '.pdf' : ''}`,
          { ...page, config: form === 'pdf' ? PDFS : PAYERS },
          async (request, reply) => {
            const link = await findBySlug(request.params.slug)
            if (link === null || link.invoice_id === null) return lost(request, reply)
            const invoice = await findInvoice(link)
            // It has another page by now: whoever was given the old one learns nothing more.
            if (invoice === null) return see(request, reply, `/pay/${link.slug}`)
            const { shop } = await around(request, link)
            if (form === 'html') return send(request, reply, invoiceView(deps, invoice, link, shop))
            const facts = await invoiceDocument(deps, invoice, payUrlOf(config, app), shop.test !== null)
            const status = publicStatusAt(invoice, deps.clock.now())
            const shown = { ...facts, language: shop.language, status, customer_email: null }
            const draw = () => drawDocument(link, { kind: 'invoice', input: shown })
            return papers.send(request, reply, { filename: `${facts.number}.pdf`, facts: shown, draw })
          },
        )
      }
    })
  }
}

/** What is around a screen when nothing is known but the request. */
function frameFor({ config }: Deps, request: FastifyRequest): Frame {
  const [url = '', query] = request.url.split('?', 2)
  // What the router could not read has no query of its own.
  const { lang } = (request.query ?? Object.fromEntries(new URLSearchParams(query))) as { lang?: unknown }
  return {
    language: payLanguage(lang, request.headers['accept-language']),
    // An address that is longer than any of ours is not repeated in the page.
    url: url.length <= URL_MAX ? url : '/pay',
    brand_name: config.brand_name,
  }
}

function send(request: FastifyRequest, reply: FastifyReply, screen: Screen, status = statusOf(screen)): FastifyReply {
  const { body, encoding } = encode(renderScreen(screen), request.headers['accept-encoding'])
  if (encoding !== null) reply.header('content-encoding', encoding)
  return reply.code(status).headers(PAGE_HEADERS).send(body)
}

/**
 * Makes what answers addresses of pages that reach no route, because they cannot be read or are called in another way than
 * pages are. Null: it is no address of a page.
 */
export function notFoundPage(deps: Deps) {
  return (request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null => {
    if (!/^\/pay(?:[/?]|$)/.test(request.url)) return null
    const frame = frameFor(deps, request)
    if (status === 429) {
      const again_at = new Date(deps.clock.now().getTime() + Number(reply.getHeader('retry-after') ?? 60) * 1_000)
      return send(request, reply, { ...frame, screen: 'too_many', open_path: frame.url, again_at }, status)
    }
    return send(request, reply, { ...frame, screen: 'unknown' }, status)
  }
}

function poll(reply: FastifyReply, answer: Parameters<typeof pollAnswer>[0]): FastifyReply {
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(pollAnswer(answer))
}

function methodName(shop: Shop, method: Method): string {
  const { plain } = speaker(shop.language)
  if (method === 'provider_pesa') return shop.wallet_name
  return plain(method === 'qr' ? 'method_qr' : 'method_wallet_push')
}

/** A field that may be missing, or given several times. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** What a form chose, or what is wrong with it. */
function readChoice(
  form: Record<string, unknown>,
  link: Link,
  methods: readonly PayMethod[],
): { method: PayMethod; phone: string | null } | Typed {
  const problems: Problem[] = []
  const method = methods.find((name) => name === form.method) ?? null
  const phone = textOf(form.phone)
  // Several phones are none: nobody knows which one was meant.
  const several = form.phone !== undefined && typeof form.phone !== 'string'
  if (method === null) problems.push({ field: 'method', problem: 'method_missing' })
  if (method === 'TANQR') return { method, phone: null }
  const canonical = several ? null : phone === '' ? link.customer_phone : canonicalPhone(phone)
  if (canonical === null)
    problems.push({ field: 'phone', problem: phone === '' && !several ? 'phone_missing' : 'phone_wrong' })
  if (method === null || problems.length > 0) return { problems, phone, method }
  return { method, phone: canonical }
}

/** A form that comes out of the browser's memory has its old key: with another phone it is another payment. */
function claimOf(
  link: Link,
  { method, phone, key }: { method: PayMethod; phone: string | null; key: string },
): IdempotencyClaim {
  const chosen = hash('sha256', `${method} ${phone}`).slice(0, 16)
  return {
    merchant_id: link.merchant_id,
    environment: link.environment,
    scope: `link:${link.id}`,
    key: `page.${key}.${chosen}`,
    fingerprint: fingerprint('POST', `/pay/${link.slug}`, { method, phone }),
  }
}

/** Makes the gatherer that finds the newest payment of a page: one statement for all pages that wait. */
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
