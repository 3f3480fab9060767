// Serves the screens of the pay page with the headers of the real server. The test answers the polls.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  compressPage,
  pageHeaders,
  payScript,
  renderScreen,
  SCRIPT_HEADERS,
  type Screen,
  screenStatus,
} from '../../src/apps/pay-page/index.ts'
import type { Language } from '../../src/kernel/lib/index.ts'
import { type Site, startSite } from '../browser.ts'
import { screens, shop, testShop } from './screens.ts'

/**
 * The way to render a screen: with `as_test` as on a mock installation, with `unscripted` as a browser without scripts shows
 * it.
 */
export type How = { as_test?: boolean; unscripted?: boolean }

/** A server of screens. A request that is neither for a screen nor for the script goes to `other`. */
export type ScreenSite = Site & {
  address(name: string, language: Language, how?: How): string
  /** Answers the other requests: polls, forms and the targets of links. */
  other(request: IncomingMessage, response: ServerResponse): void | Promise<void>
}

/** Starts a server of screens. `change` can change the data of a screen. */
export async function startScreens(change: (view: Screen) => Screen = (view) => view): Promise<ScreenSite> {
  const site = await startSite(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === payScript().path) {
      response.writeHead(200, { ...SCRIPT_HEADERS, 'content-encoding': 'br' }).end(payScript().br)
      return
    }
    const [, place, language, name = ''] = url.pathname.split('/')
    if (place !== 'screen') return whole.other(request, response)
    const known = language === 'en' ? 'en' : 'sw'
    const view = screens(known, url.searchParams.has('test') ? testShop(known) : shop(known))[name]
    if (view === undefined) throw new Error(`no screen has the name ${name}`)
    const shown = change(view)
    const page = renderScreen(shown)
    const sent = url.searchParams.has('unscripted') ? withoutScript(page) : page
    const { body, encoding } = await compressPage(sent, request.headers['accept-encoding'])
    // The status is 203 in place of an error status, because a browser logs an error for each error status.
    response.writeHead(screenStatus(shown) === 200 ? 200 : 203, {
      ...pageHeaders('look' in shown ? shown.look.accent_color : null),
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    })
    response.end(body)
  })
  const whole: ScreenSite = {
    ...site,
    address: (name, language, { as_test = false, unscripted = false } = {}) =>
      `${site.url}/screen/${language}/${name}?${as_test ? 'test&' : ''}${unscripted ? 'unscripted' : ''}`,
    other: (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  }
  return whole
}

/** Returns the elements of a page that a browser without scripts renders. */
function withoutScript(page: string): string {
  return page.replace(/<script[^>]*><\/script>/, '').replace(/<\/?noscript>/g, '')
}
