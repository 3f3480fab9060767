// Reads the forms of the pay page. The server validates the payer's choice and starts the payment.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fingerprint, type IdempotencyClaim, isIdempotencyKey } from '../../kernel/http/index.ts'
import { Refusal, typedPhone, typedPhoneProblem } from '../../kernel/lib/index.ts'
import type { Link } from '../../money/payment-links/index.ts'
import { availableMethods, METHOD_OF, type PageContext, screenContextOf } from './context.ts'
import { showLinkPage } from './pages.ts'
import { frameOf, redirectTo, sendNotFound, sendScreen, sendTooMany } from './reply.ts'
import type { RejectedForm } from './screen-of.ts'
import type { FormProblem, PayMethod } from './view.ts'

type PaymentChoice = { method: PayMethod; phone: string | null }

/** Starts the payment of a form and redirects to the page of the payment. If the form is wrong, shows the form again. */
export async function submitForm(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
  form: Record<string, unknown>,
): Promise<FastifyReply> {
  const { deps, findBySlug, findPayment } = context
  const link = await findBySlug(slug)
  if (link === null) return sendNotFound(deps, request, reply)
  const key = trimmedText(form.idempotency_key)
  if (!isIdempotencyKey(key) || key.length > 100) {
    const open_path = `/pay/${link.slug}`
    return sendScreen(request, reply, { ...frameOf(deps, request), screen: 'form_expired', open_path })
  }
  const again = trimmedText(form.again)
  if (again !== '') {
    const before = await findPayment(link, again)
    if (before?.method == null || before.method === 'qr' || before.phone === null)
      return redirectTo(deps, request, reply, `/pay/${link.slug}`)
    const method = before.method === 'wallet_push' ? 'WALLET_PUSH' : 'PROVIDER_PESA'
    return startAndRedirect(context, request, reply, link, { method, phone: before.phone, key })
  }
  const choice = readChoice(form, link, availableMethods(context, link))
  if ('problems' in choice) return showLinkPage(context, request, reply, link, choice)
  return startAndRedirect(context, request, reply, link, { ...choice, key })
}

/**
 * Starts the payment and redirects to the page of the payment. If the server refuses the payment, shows the reason or the state
 * of the link.
 */
async function startAndRedirect(
  context: PageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  link: Link,
  chosen: PaymentChoice & { key: string },
): Promise<FastifyReply> {
  const { deps, options } = context
  const method = METHOD_OF[chosen.method]
  const trace = request.trace?.context ?? null
  const choice = { method, phone: chosen.phone, address: request.ip, trace }
  try {
    const answer = await options.collect(link, choice, claimOf(link, chosen))
    const { collection_id } = JSON.parse(answer.response_body).data ?? {}
    const path = collection_id ? `/pay/${link.slug}/c/${collection_id}` : `/pay/${link.slug}`
    return redirectTo(deps, request, reply, path)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { merchantFrame } = await screenContextOf(context, request, link)
    switch (error.code) {
      case 'rate_limited': {
        const frame = { ...merchantFrame, open_path: merchantFrame.pay_path }
        return sendTooMany(deps, request, reply, frame, error.retry_after_s ?? 60)
      }
      case 'provider_unavailable':
      case 'amount_not_supported': {
        const other_way = availableMethods(context, link).some((name) => name !== chosen.method)
        return sendScreen(request, reply, { ...merchantFrame, screen: 'provider_unavailable', other_way })
      }
      case 'idempotency_key_reused': {
        const open_path = merchantFrame.pay_path
        return sendScreen(request, reply, { ...merchantFrame, screen: 'form_expired', open_path })
      }
      default:
        // For example, the link is paid, expired or cancelled, or another payment is in progress. The page shows the state.
        return redirectTo(deps, request, reply, `/pay/${link.slug}`)
    }
  }
}

/**
 * Returns the text of a form field without white space at its ends. If the field is missing or repeated, returns an empty text.
 */
function trimmedText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** Reads the choice of method and phone number from a form. If the form is wrong, returns the problems. */
function readChoice(
  form: Record<string, unknown>,
  link: Link,
  methods: readonly PayMethod[],
): PaymentChoice | RejectedForm {
  const problems: FormProblem[] = []
  const method = methods.find((name) => name === form.method) ?? null
  const phone = trimmedText(form.phone)
  // If the form contains several phone numbers, the server rejects all of them.
  const several = form.phone !== undefined && typeof form.phone !== 'string'
  if (method === null) problems.push({ field: 'method', problem: 'method_missing' })
  if (method === 'TANQR') return { method, phone: null }
  const canonical = several ? null : phone === '' ? link.customer_phone : typedPhone(phone)
  if (canonical === null)
    problems.push({ field: 'phone', problem: phone === '' ? 'phone_missing' : typedPhoneProblem(phone) })
  if (method === null || problems.length > 0) return { problems, phone, method }
  return { method, phone: canonical }
}

/**
 * Returns the idempotency key of a form, combined with method and phone number. If a restored page repeats the old key with
 * another phone number, the server makes another payment.
 */
function claimOf(link: Link, { method, phone, key }: PaymentChoice & { key: string }): IdempotencyClaim {
  const chosen = hash('sha256', `${method} ${phone}`).slice(0, 16)
  return {
    merchant_id: link.merchant_id,
    environment: link.environment,
    scope: `link:${link.id}`,
    key: `page.${key}.${chosen}`,
    fingerprint: fingerprint('POST', `/pay/${link.slug}`, { method, phone }),
  }
}
