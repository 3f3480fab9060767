// Checks a page in a browser: accessibility, width and focus order. in-page.js has the functions that run inside the page.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

const TOOLS = readFileSync(new URL('./in-page.js', import.meta.url), 'utf8')

/** Calls a function of in-page.js inside the page. */
export const callInPage = <Answer>(page: Page, question: string): Promise<Answer> =>
  page.evaluate<Answer>(`${TOOLS}\nlook.${question}()`)

/** The minified source of axe, in the version that AxeBuilder uses. */
const AXE = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

/** Resolves when each animation with an end has ended. A spinner has no end. */
const ANIMATIONS_END = `Promise.allSettled(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime ?? Infinity))
  .map((one) => one.finished)).then(() => null)`

/**
 * Returns the violations that axe finds on the page, without the rules in `without`. axe looks after the animations, because a
 * text that fades in has too little contrast.
 */
export async function violations(page: Page, without: string[] = []): Promise<string[]> {
  await page.evaluate(ANIMATIONS_END)
  // AxeBuilder by default sends the long source of axe to the page twice for each check. So the page gets the source here, once.
  for (const frame of page.frames())
    if (await frame.evaluate<boolean>('window.axe === undefined')) await frame.evaluate(AXE)
  // axe checks every rule but reports only the violations. This setting reduces the time to a fifth.
  const { violations: found } = await new AxeBuilder({ page, axeSource: 'null' })
    .options({ resultTypes: ['violations'], selectors: false })
    .setLegacyMode(true)
    .disableRules(without)
    .analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

/** Window widths: an old phone with keys, a small phone, a common phone, a desktop. */
const WIDTHS = [240, 320, 360, 1280]

/**
 * Asserts that no touch target is too small, and that the page fits the window at each width. The page must also fit a small
 * phone when the text has double size.
 */
export async function measure(page: Page, where: string): Promise<void> {
  const before = page.viewportSize()
  await callInPage(page, 'openAll')
  assert.deepEqual(await callInPage(page, 'smallTargets'), [], where)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 640 })
    assert.equal(await callInPage(page, 'overflow'), 0, `${where} at ${width} pixels`)
  }
  await page.setViewportSize({ width: 320, height: 640 })
  await callInPage(page, 'enlarge')
  assert.equal(await callInPage(page, 'overflow'), 0, `${where} at 200 %`)
  await callInPage(page, 'restore')
  if (before !== null) await page.setViewportSize(before)
}
