// Tests the first page of an installation in a browser, and the sign-in pages of both consoles.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureDemoMerchant } from '../../src/apps/admin/demo.ts'
import { openPage } from '../browser.ts'
import { measure, violations } from '../pay-page/page-checks.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
before(async () => {
  office = await openOffice()
  await ensureDemoMerchant(office.world.deps)
})
after(() => office?.close())

for (const [locale, dashboard, try_it] of [
  ['sw-TZ', 'Dashibodi', 'Jaribu ukurasa wa malipo'],
  ['en-GB', 'Dashboard', 'Try a payment page'],
] as const) {
  test(`the first page is accessible in light and dark, and fits each tested width (${locale})`, async () => {
    const { page, complaints, close } = await openPage(office.browser, { locale })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(office.url)
      await page.getByRole('link', { name: new RegExp(`^${dashboard}`) }).waitFor()
      assert.deepEqual(await violations(page), [], colorScheme)
    }
    await measure(page, 'first page')
    assert.deepEqual(complaints, [])
    await close()
  })

  test(`the page for an address without a page is accessible in light and dark, and fits each tested width (${locale})`, async () => {
    const { page, close } = await openPage(office.browser, { locale })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${office.url}/no/such/page`)
      await page.getByRole('link', { name: new RegExp(`^${dashboard}`) }).waitFor()
      assert.deepEqual(await violations(page), [], colorScheme)
    }
    await measure(page, 'unknown page')
    await close()
  })

  test(`a visitor without scripts opens a payment page from the first page (${locale})`, async () => {
    const { page, complaints, close } = await openPage(office.browser, { locale, javaScriptEnabled: false })
    await page.goto(office.url)
    await page.getByRole('button', { name: try_it }).click()
    await page.waitForURL(/\/pay\//)
    assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
    await page.getByText('15,000').first().waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })
}

test('the page to try has the language that the visitor chose on the first page, whatever the browser prefers', async () => {
  for (const [locale, language, button] of [
    ['sw-TZ', 'en', 'Try a payment page'],
    ['en-GB', 'sw', 'Jaribu ukurasa wa malipo'],
  ] as const) {
    const { page, complaints, close } = await openPage(office.browser, { locale })
    await page.goto(`${office.url}/?lang=${language}`)
    await page.getByRole('button', { name: button }).click()
    await page.waitForURL(/\/pay\//)
    assert.equal(await page.locator('html').getAttribute('lang'), language)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('the sign-in page of the operators differs in colour and words, and offers no sign-up', async () => {
  const { page, close } = await openPage(office.browser, { locale: 'en-GB' })
  const colours: string[] = []
  for (const console_name of ['dashboard', 'operator']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${office.url}/${console_name}`)
      await page.locator('input[name=email]').waitFor()
      assert.deepEqual(await violations(page), [], `${console_name} ${colorScheme}`)
      const style = "getComputedStyle(document.querySelector('form button')).backgroundColor"
      colours.push(await page.evaluate<string>(style))
    }
    const is_operator = console_name === 'operator'
    assert.equal(await page.getByText('Operators', { exact: true }).count(), is_operator ? 1 : 0)
    assert.equal(await page.getByRole('link', { name: 'Create an account' }).count(), is_operator ? 0 : 1)
  }
  assert.equal(new Set(colours).size, 4, colours.join(' '))
  await close()
})
