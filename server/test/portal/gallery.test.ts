// Tests the size, contrast and width of every shared component. The test compares the sizes with the committed sizes, because
// pixels differ between machines. `MEASURE=write npm test -- server/test/portal/gallery.test.ts` writes the sizes again: read
// the difference before the commit.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { closePages, launchBrowser, openPage } from '../browser.ts'
import { GALLERY_CONSOLES, serveGallery } from '../gallery.ts'
import { violations } from '../pay-page/page-checks.ts'

/** The sizes by width of the window and name of the component, in pixels. */
type GallerySizes = Record<string, Record<string, { width: number; height: number }>>

const FILE = new URL('./gallery-sizes.json', import.meta.url)
const WIDTHS = [360, 1280]
/** A line of text may wrap one word earlier on another machine. */
const TOLERANCE = { share: 0.06, pixels: 6 }

let site: Awaited<ReturnType<typeof serveGallery>>
let browser: Browser
before(async () => {
  site = await serveGallery()
  browser = await launchBrowser()
})
after(async () => {
  await closePages(browser)
  await site.close()
})

const MEASURE = `Object.fromEntries([...document.querySelectorAll('[data-specimen]')].map((one) => {
  const { width, height } = one.querySelector('.specimen-body').getBoundingClientRect()
  return [one.dataset.specimen, { width: Math.round(width), height: Math.round(height) }]
}))`
const TOO_WIDE = `[...document.querySelectorAll('[data-specimen]')]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.dataset.specimen)`

for (const name of GALLERY_CONSOLES)
  for (const scheme of ['light', 'dark'])
    test(`every shared component is accessible and fits a phone in the colours of the ${name}, ${scheme}`, async () => {
      const { page, complaints, close } = await openPage(browser)
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 })
        await page.goto(`${site.url}/${name}/?scheme=${scheme}`)
        await page.locator('[data-specimen=dialog]').waitFor()
        assert.deepEqual(await page.evaluate(TOO_WIDE), [], String(width))
        assert.deepEqual(await violations(page), [], String(width))
      }
      assert.deepEqual(complaints, [])
      await close()
    })

for (const scheme of ['light', 'dark'])
  test(`the chosen segment of a choice is lighter than its track, ${scheme}`, async () => {
    const { page, close } = await openPage(browser)
    await page.goto(`${site.url}/dashboard/?scheme=${scheme}`)
    const lightness = async (part: string) => {
      const colour = await page
        .locator(`.mantine-SegmentedControl-${part}`)
        .first()
        .evaluate((element): string => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor)
      return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, value) => sum + Number(value), 0)
    }
    const [chosen, track] = [await lightness('indicator'), await lightness('root')]
    assert.ok(chosen > track && track > 0, `${chosen} and ${track}`)
    await close()
  })

test('the rows of a list are lower in the compact density', async () => {
  const { page, close } = await openPage(browser)
  const heights: number[] = []
  for (const density of ['comfortable', 'compact']) {
    await page.goto(`${site.url}/dashboard/?density=${density}`)
    const row = page.getByRole('table').first().locator('tbody').getByRole('row').first()
    heights.push((await row.boundingBox())?.height ?? 0)
  }
  await close()
  const [comfortable = 0, compact = 0] = heights
  assert.ok(compact > 0 && compact < comfortable - 2, `${compact} and ${comfortable}`)
})

test('every shared component has its committed size on a phone and on a desktop', async () => {
  const { page, close } = await openPage(browser, { reducedMotion: 'reduce' })
  const found: GallerySizes = {}
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${site.url}/dashboard/`)
    await page.locator('[data-specimen=dialog]').waitFor()
    await page.evaluate('document.fonts.ready.then(() => 1)')
    found[width] = await page.evaluate<GallerySizes[string]>(MEASURE)
  }
  await close()
  if (process.env.MEASURE === 'write') writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`)
  const committed: GallerySizes = JSON.parse(readFileSync(FILE, 'utf8'))
  const changed = Object.entries(found).flatMap(([width, sizes]) =>
    [...new Set([...Object.keys(sizes), ...Object.keys(committed[width] ?? {})])]
      .filter((one) => !isSame(sizes[one], committed[width]?.[one]))
      .map(
        (one) => `${one} at ${width}: ${JSON.stringify(committed[width]?.[one])} is now ${JSON.stringify(sizes[one])}`,
      ),
  )
  assert.deepEqual(changed, [])
})

function isSame(
  one: GallerySizes[string][string] | undefined,
  other: GallerySizes[string][string] | undefined,
): boolean {
  if (one === undefined || other === undefined) return false
  const near = (a: number, b: number) => Math.abs(a - b) <= Math.max(TOLERANCE.pixels, b * TOLERANCE.share)
  return near(one.width, other.width) && near(one.height, other.height)
}
