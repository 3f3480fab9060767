// Builds and serves the gallery of components for its test and its pictures. The server of the product never serves the
// gallery.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { buildGallery } from '../../web/gallery/build.ts'

/** The consoles whose colours the gallery shows. */
export const GALLERY_CONSOLES = ['dashboard', 'operator'] as const

/** The look of the gallery: the colours of a console, and the choices in the address. */
export type GalleryLook = {
  name: (typeof GALLERY_CONSOLES)[number]
  scheme?: 'light' | 'dark'
  language?: 'en' | 'sw'
  density?: 'comfortable' | 'compact'
  /** The name of the only component that the page shows. */
  only?: string
}

/** True when each window has its part, each chart is drawn, and each document has its font. */
const IS_DRAWN = `(() => {
  const windows = [...document.querySelectorAll('iframe')]
  const charts = [...document.querySelectorAll('[data-specimen^=chart]:not([data-specimen$=loading])')]
  const hasFont = ({ fonts }) => [...fonts].some(({ status }) => status === 'loaded') && fonts.status === 'loaded'
  return document.querySelector('[data-specimen]') !== null && hasFont(document) &&
    windows.every((one) => one.contentDocument?.querySelector(one.dataset.part) && hasFont(one.contentDocument)) &&
    charts.every((one) => !one.querySelector('.mantine-Skeleton-root')) &&
    charts.every((one) => !one.matches('[data-specimen*=pointer]') || one.querySelector('.u-cursor-x:not(.u-off)'))
})()`

/** Opens the gallery at `url` and waits until it is drawn. */
export async function openGallery(page: Page, url: string, { name, ...look }: GalleryLook): Promise<void> {
  await page.goto(`${url}/${name}/?${new URLSearchParams(look)}`)
  await page.waitForFunction(IS_DRAWN)
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
}

/** Builds the gallery and serves it on loopback, at a path for each console. */
export async function serveGallery(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'malipo-gallery-'))
  await buildGallery(folder)
  const page = await readFile(join(folder, 'index.html'), 'utf8')
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const name = GALLERY_CONSOLES.find((one) => pathname === `/${one}/`)
    if (name !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageFor(page, name))
      return
    }
    const file = /^\/assets\/[\w.-]+$/.test(pathname) ? pathname : null
    const type = TYPES[extname(pathname)]
    if (file === null || type === undefined) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': type }).end(await readFile(join(folder, file)))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the facts of an example installation into the page, as the server of the product does. */
function pageFor(page: string, console_name: string): string {
  const facts = {
    console: console_name,
    brand_name: 'Malipo',
    issuer: 'http://127.0.0.1/identity',
    client_id: console_name,
    scope: 'openid',
    pay_url: 'http://127.0.0.1',
    base_url: 'http://127.0.0.1',
    brand: 'service',
    rehearses: true,
    sends: { email: true, sms: true },
    nonce: '',
  }
  return page
    .replace('<meta name="malipo" content="">', `<meta name="malipo" content='${JSON.stringify(facts)}'>`)
    .replace('data-console="dashboard"', `data-console="${console_name}"`)
}
