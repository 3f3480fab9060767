// Tests the size, contrast and width of every shared component. The test compares the sizes with the committed sizes, because
// pixels differ between machines. `MEASURE=write npm test -- server/test/portal/gallery.test.ts` writes the sizes again: read
// the difference before the commit.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { closePages, launchBrowser, openPage } from '../browser.ts'
import { GALLERY_CONSOLES, openGallery, serveGallery } from '../gallery.ts'
import { violations } from '../pay-page/page-checks.ts'

/** The sizes by look and name of the component, in pixels. A look is a width of the window and a language. */
type GallerySizes = Record<string, Record<string, { width: number; height: number }>>

const FILE = new URL('./gallery-sizes.json', import.meta.url)
const LOOKS = [
  { width: 360, language: 'sw' },
  { width: 1280, language: 'en' },
] as const
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
  const frame = one.querySelector('iframe')
  const part = frame?.contentDocument.querySelector(frame.dataset.part) ?? one.querySelector('.specimen-body')
  const { width, height } = part.getBoundingClientRect()
  return [one.dataset.specimen, { width: Math.round(width), height: Math.round(height) }]
}))`
const TOO_WIDE = `[...document.querySelectorAll('.specimen-body')].filter((one) => {
  const frame = one.querySelector('iframe')
  const { scrollWidth, clientWidth } = frame?.contentDocument.documentElement ?? one
  const part = frame?.contentDocument.querySelector(frame.dataset.part).getBoundingClientRect()
  return scrollWidth > clientWidth + 1 || part?.left < -1 || part?.right > clientWidth + 1
}).map((one) => one.parentElement.dataset.specimen)`

for (const name of GALLERY_CONSOLES)
  for (const scheme of ['light', 'dark'] as const)
    test(`every shared component is accessible and fits a phone in the colours of the ${name}, ${scheme}`, async () => {
      const { page, complaints, close } = await openPage(browser, { locale: 'en-US' })
      for (const { width, language } of LOOKS) {
        await page.setViewportSize({ width, height: 800 })
        await openGallery(page, site.url, { name, scheme, language })
        assert.deepEqual(await page.evaluate(TOO_WIDE), [], String(width))
        // The gallery shows a component several times, so its landmarks have one name.
        assert.deepEqual(await violations(page, ['landmark-unique']), [], String(width))
      }
      assert.deepEqual(complaints, [])
      await close()
    })

for (const scheme of ['light', 'dark'] as const)
  test(`the chosen segment of a choice is lighter than its track, ${scheme}`, async () => {
    const { page, close } = await openPage(browser, { locale: 'en-US' })
    await openGallery(page, site.url, { name: 'dashboard', scheme, only: 'choices' })
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
  const { page, close } = await openPage(browser, { locale: 'en-US' })
  const heights: number[] = []
  for (const density of ['comfortable', 'compact'] as const) {
    await openGallery(page, site.url, { name: 'dashboard', density, only: 'list' })
    const row = page.getByRole('table').first().locator('tbody').getByRole('row').first()
    heights.push((await row.boundingBox())?.height ?? 0)
  }
  await close()
  const [comfortable = 0, compact = 0] = heights
  assert.ok(compact > 0 && compact < comfortable - 2, `${compact} and ${comfortable}`)
})

test('every shared component has its committed size on a phone and on a desktop', async () => {
  const { page, close } = await openPage(browser, { locale: 'en-US', reducedMotion: 'reduce' })
  const found: GallerySizes = {}
  for (const { width, language } of LOOKS) {
    await page.setViewportSize({ width, height: 800 })
    await openGallery(page, site.url, { name: 'dashboard', language })
    found[`${width} ${language}`] = await page.evaluate<GallerySizes[string]>(MEASURE)
  }
  await close()
  if (process.env.MEASURE === 'write') writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`)
  const committed: GallerySizes = JSON.parse(readFileSync(FILE, 'utf8'))
  const changed = Object.entries(found).flatMap(([look, sizes]) =>
    [...new Set([...Object.keys(sizes), ...Object.keys(committed[look] ?? {})])]
      .filter((one) => !isSame(sizes[one], committed[look]?.[one]))
      .map(
        (one) => `${one} at ${look}: ${JSON.stringify(committed[look]?.[one])} is now ${JSON.stringify(sizes[one])}`,
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
