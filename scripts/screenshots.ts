// `npm run screenshots` takes the pictures of README.md: three screenshots, and an animation of 10 seconds. It starts the product
// with a new database and the demo history. It needs ffmpeg (Debian), and writes docs/images/.

import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { chooseHistory, type DemoProduct, launchPictureBrowser, startDemoProduct } from './demo-product.ts'

const IMAGES = fileURLToPath(new URL('../docs/images', import.meta.url))
const SIZE = { width: 1280, height: 800 }
// A screenshot is higher than a frame of the animation, so that it shows the whole chart.
const PICTURE = { width: 1280, height: 980 }
const PHONE = { width: 420, height: 780 }
const FRAMES_PER_SECOND = 2
const ANIMATION_BYTES_MAX = 600_000

if (spawnSync('ffmpeg', ['-version']).error) {
  process.stderr.write('This program needs ffmpeg: apt-get install ffmpeg\n')
  process.exit(2)
}
let frames = 0
const product = await startDemoProduct()
const { url, folder } = product
try {
  await takePictures(product)
  animate()
} finally {
  await product.close()
}

async function takePictures({ signIn }: DemoProduct): Promise<void> {
  const browser = await launchPictureBrowser()
  const open = async (from: Browser, name: 'dashboard' | 'operator') => {
    const context = await from.newContext({ viewport: SIZE, locale: 'en-GB', colorScheme: 'light' })
    const page = await context.newPage()
    await signIn(page, name)
    return page
  }
  try {
    await picturesOfDashboard(await open(browser, 'dashboard'))
    await picturesOfOperators(await open(browser, 'operator'))
    const phone = await browser.newContext({ viewport: PHONE, locale: 'en-GB', colorScheme: 'light' })
    await pictureOfPayPage(await phone.newPage())
  } finally {
    await browser.close()
  }
}

async function picturesOfDashboard(page: Page): Promise<void> {
  await chooseHistory(page)
  await page.goto(`${url}/dashboard/sandbox?period=30d`)
  const hide = page.getByRole('button', { name: 'Hide these steps' })
  await page.locator('.plot canvas').waitFor()
  if (await hide.isVisible()) await hide.click()
  await keep(page, 3)
  await keep(page, 4, 'dashboard.png')
  await page.goto(`${url}/dashboard/sandbox/collections`)
  await page.locator('.list tbody a').first().waitFor()
  await keep(page, 3)
  await page.locator('.list tbody a').first().click()
  await page.locator('.timeline').waitFor()
  await keep(page, 4)
}

async function picturesOfOperators(page: Page): Promise<void> {
  await page.goto(`${url}/operator/?environment=sandbox`)
  await page.locator('.queue, .empty').first().waitFor()
  await keep(page, 3)
  await page.goto(`${url}/operator/withdrawals?environment=sandbox`)
  await page.locator('.list tbody a').first().click()
  await page.locator('.facts').first().waitFor()
  await keep(page, 3, 'operators.png')
}

/** Opens the page of a test payment as a visitor of the first page does. */
async function pictureOfPayPage(page: Page): Promise<void> {
  await page.goto(url)
  await page.getByRole('button', { name: 'Try a payment page' }).click()
  await page.getByRole('button', { name: /^Pay TZS/ }).waitFor()
  await page.screenshot({ path: join(IMAGES, 'pay-page.png') })
}

/** Adds the page to the animation for this number of half seconds. With `name`, also writes a picture of this name. */
async function keep(page: Page, half_seconds: number, name?: string): Promise<void> {
  await page.waitForTimeout(700)
  for (let i = 0; i < half_seconds; i++) {
    await page.screenshot({ path: join(folder, `${String(frames++).padStart(3, '0')}.png`) })
  }
  if (name === undefined) return
  await page.setViewportSize(PICTURE)
  await page.waitForTimeout(700)
  await page.screenshot({ path: join(IMAGES, name) })
  await page.setViewportSize(SIZE)
}

function animate(): void {
  const path = join(IMAGES, 'tour.webp')
  const input = ['-framerate', String(FRAMES_PER_SECOND), '-i', join(folder, '%03d.png')]
  const output = ['-vf', 'scale=960:-1:flags=lanczos', '-c:v', 'libwebp_anim', '-quality', '60', '-loop', '0', path]
  const made = spawnSync('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...output], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(made.stderr)
  const { size } = statSync(path)
  if (size > ANIMATION_BYTES_MAX)
    throw new Error(`the animation has ${size} bytes: record fewer frames, or raise ANIMATION_BYTES_MAX`)
  process.stdout.write(`docs/images/tour.webp: ${frames / FRAMES_PER_SECOND} seconds, ${size} bytes\n`)
}
