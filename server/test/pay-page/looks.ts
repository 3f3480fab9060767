// What tests ask of any page in a browser: barriers, room, order. The questions themselves are in in-page.js.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TOOLS = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8')

/** Asks `look` of in-page.js inside the page. */
export const ask = <Answer>(page: Page, question: string): Promise<Answer> =>
  page.evaluate<Answer>(`${TOOLS}\nlook.${question}()`)

/** What axe finds on the page, but for the rules that are named. */
export async function violations(page: Page, without: string[] = []): Promise<string[]> {
  // Every rule is asked about every element; only what they find is written out, which takes a fifth of the time.
  const { violations: found } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'], selectors: false })
    .setLegacyMode(true)
    .disableRules(without)
    .analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

/** Widths of windows: an old phone with keys, small and common phones, a desk. */
const WIDTHS = [240, 320, 360, 1280]

/** Holds a page to its window at each width, and with text of twice the size in the window of a small phone. */
export async function measure(page: Page, where: string): Promise<void> {
  const before = page.viewportSize()
  await ask(page, 'openAll')
  assert.deepEqual(await ask(page, 'smallTargets'), [], where)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 640 })
    assert.equal(await ask(page, 'overflow'), 0, `${where} at ${width} pixels`)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  await ask(page, 'enlarge')
  assert.equal(await ask(page, 'overflow'), 0, `${where} at 200 %`)
  await ask(page, 'restore')
  if (before !== null) await page.setViewportSize(before)
}
