// Sends the screens of the pay page over HTTP.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../../kernel/db/index.ts'
import { compressPage } from './compress.ts'
import { pageHeaders } from './headers.ts'
import { type PollAnswer, pollAnswer, renderScreen, screenStatus } from './render.ts'
import { pathInLanguage, payLanguage } from './texts.ts'
import type { Frame, MerchantFrame, Screen } from './view.ts'

const URL_MAX = 512

/** Returns the frame of a screen, for which the server reads only the request and the configuration. */
export function frameOf({ config }: Deps, request: FastifyRequest): Frame {
  const [url = '', query] = request.url.split('?', 2)
  // If the router could not parse the address, the request has no parsed query.
  const { lang } = (request.query ?? Object.fromEntries(new URLSearchParams(query))) as { lang?: unknown }
  return {
    language: payLanguage(lang, request.headers['accept-language']),
    // If an address is longer than any address of the pay page, the page does not repeat the address.
    url: url.length <= URL_MAX ? url : '/pay',
    brand_name: config.brand_name,
  }
}

/**
 * Sends a screen as a page, compressed if the browser accepts that. By default, the HTTP status is that of the screen.
 */
export function sendScreen(
  request: FastifyRequest,
  reply: FastifyReply,
  screen: Screen,
  status = screenStatus(screen),
): FastifyReply {
  const { body, encoding } = compressPage(renderScreen(screen), request.headers['accept-encoding'])
  if (encoding !== null) reply.header('content-encoding', encoding)
  return reply
    .code(status)
    .headers(pageHeaders('look' in screen ? screen.look.accent_color : null))
    .send(body)
}

/** Sends the page about an unknown address with the status 404. */
export function sendNotFound(deps: Deps, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendScreen(request, reply, { ...frameOf(deps, request), screen: 'unknown' })
}

/**
 * Redirects to a path of the pay page, in the language of the request. The script of the page, which sends a form with
 * `Accept: application/json`, gets the path as JSON, because a script cannot read the target of a redirect.
 */
export function redirectTo(deps: Deps, request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const go = pathInLanguage(path, frameOf(deps, request).language)
  reply.headers({ 'cache-control': 'no-store', vary: 'accept' })
  return request.headers.accept === 'application/json' ? reply.send({ go }) : reply.redirect(go, 303)
}

/**
 * Sends the page about a rate limit with a Retry-After header, in seconds. `frame.open_path` is the page that the payer opens
 * again later.
 */
export function sendTooMany(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  frame: (MerchantFrame | Frame) & { open_path: string },
  retry_after_s: number,
): FastifyReply {
  const again_at = new Date(deps.clock.now().getTime() + retry_after_s * 1_000)
  reply.header('retry-after', String(retry_after_s))
  return sendScreen(request, reply, { ...frame, screen: 'too_many', again_at })
}

/** Sends the response to a poll as JSON that no cache may store. */
export function sendPoll(reply: FastifyReply, answer: PollAnswer): FastifyReply {
  return reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(pollAnswer(answer))
}

/**
 * Makes the handler that sends a page if no route of the pay page runs, because of an unknown or unreadable address or a rate
 * limit. If the address is not under /pay, the handler returns null.
 */
export function notFoundPage(deps: Deps) {
  return (request: FastifyRequest, reply: FastifyReply, status: number): FastifyReply | null => {
    if (!/^\/pay(?:[/?]|$)/.test(request.url)) return null
    const frame = frameOf(deps, request)
    if (status === 429) {
      const again_at = new Date(deps.clock.now().getTime() + Number(reply.getHeader('retry-after') ?? 60) * 1_000)
      return sendScreen(request, reply, { ...frame, screen: 'too_many', open_path: frame.url, again_at }, status)
    }
    return sendScreen(request, reply, { ...frame, screen: 'unknown' }, status)
  }
}
