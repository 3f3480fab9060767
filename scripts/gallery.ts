// `npm run gallery` builds the gallery of components and takes pictures of it. The pictures show the colours of both consoles,
// light and dark, in English and Swahili, on a phone and on a desktop. `npm run gallery -- --serve` keeps the page open for developers.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findBrowser } from '../server/test/find-browser.ts'
import { GALLERY_CONSOLES, openGallery, serveGallery } from '../server/test/gallery.ts'

const FOLDER = fileURLToPath(new URL('../screenshots/', import.meta.url))
const USAGE = `Usage: npm run gallery [-- --serve]

Takes pictures of every shared component in every state, into screenshots/.
With --serve, prints the addresses of the gallery and serves it until Ctrl-C.
`

const [argument] = process.argv.slice(2)
if (argument !== undefined && argument !== '--serve') {
  const asks_help = argument === '--help' || argument === '-h'
  process[asks_help ? 'stdout' : 'stderr'].write(asks_help ? USAGE : `unknown argument ${argument}\n${USAGE}`)
  process.exit(asks_help ? 0 : 2)
}
const site = await serveGallery()
if (argument === '--serve') {
  for (const name of GALLERY_CONSOLES) process.stdout.write(`${site.url}/${name}/\n`)
  process.once('SIGINT', () => void site.close())
} else {
  await takePictures()
  await site.close()
}

async function takePictures(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const { path: executablePath, env } = await findBrowser()
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } })
  const page = await (await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' })).newPage()
  for (const name of GALLERY_CONSOLES)
    for (const scheme of ['light', 'dark'] as const)
      for (const language of ['en', 'sw'] as const)
        for (const width of [360, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          await openGallery(page, site.url, { name, scheme, language })
          const path = join(FOLDER, `gallery-${name}-${width}-${scheme}-${language}.png`)
          await page.screenshot({ path, fullPage: true })
          process.stdout.write(`${path}\n`)
        }
  await browser.close()
}
