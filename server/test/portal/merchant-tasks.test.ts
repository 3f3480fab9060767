// Tests that a new merchant needs few steps for each of its first daily tasks. A tap, a key or a filled field is one step.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { type Receiver, startReceiver } from '../receiver.ts'
import { sampleLogo } from '../sample-logo.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
let receiver: Receiver
before(async () => {
  office = await openOffice()
  receiver = await startReceiver()
})
after(async () => {
  await office?.close()
  await receiver?.close()
})

/** Counts the steps of a person. */
function countSteps() {
  let steps = 0
  return {
    tap: async (target: Locator) => {
      await target.click()
      steps += 1
    },
    fill: async (target: Locator, text: string) => {
      await target.fill(text)
      steps += 1
    },
    step: async (work: Promise<unknown>) => {
      await work
      steps += 1
    },
    count: () => steps,
  }
}

test('a new merchant sets its logo and sends an invoice from a phone in at most 14 steps', async (t) => {
  const merchant = await office.world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const visitor = await office.comes(admin, 'dashboard', { language: 'en', options })
  const { page } = visitor
  await visitor.opens('/sandbox')
  const { tap, fill, step, count } = countSteps()
  const begun = performance.now()
  const menu = page.getByRole('button', { name: 'Menu' })
  const line = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true })
  await tap(menu)
  await tap(line('Look of the business'))
  await visitor.sees('', 'Look of the business')
  const box = await page.getByRole('button', { name: 'Choose a picture' }).boundingBox()
  assert.ok(box !== null && box.y + box.height <= 740, `the first screen ends above the logo: ${box?.y}`)
  const file = { name: 'logo.png', mimeType: 'image/png', buffer: sampleLogo() }
  await step(page.locator('input[type=file]').setInputFiles(file))
  await page.getByRole('img', { name: `Logo of ${merchant.name}` }).waitFor()
  await tap(menu)
  await tap(line('Invoices'))
  await tap(page.getByRole('link', { name: 'Create an invoice' }).first())
  await visitor.sees('', 'New invoice')
  await fill(page.getByLabel('Name of the customer'), 'Juma Ali')
  await fill(page.getByLabel(/^Phone of the customer/), '0754 123 456')
  const row = page.getByRole('group', { name: 'Line 1' })
  await fill(row.getByLabel('Description'), 'Shoes')
  await fill(row.getByLabel('Unit price'), '25,000')
  await tap(page.getByRole('button', { name: 'Save and send' }))
  await visitor.sees('', 'Invoice INV-000001')
  await page.getByText(/^You issued the invoice: \d+ \w+ \d{4}, \d\d:\d\d\.$/).waitFor()
  const [sent] = await office.world.rows<{ status: string }>('select status from invoices where merchant_id = $1', [
    merchant.id,
  ])
  assert.equal(sent?.status, 'SENT')
  t.diagnostic(`${count()} steps, ${Math.round(performance.now() - begun)} ms by a script`)
  assert.ok(count() <= 14, `${count()} steps`)
  await visitor.leave()
})

test('a member finds a payment by the last four digits of the phone and sends its webhook again in at most 4 steps', async (t) => {
  const merchant = await office.world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const key = await office.world.newKey({ merchant })
  const payload = { webhook_url: receiver.url, environment: 'sandbox' }
  const set = await office.world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key })
  assert.equal(set.status, 200, set.text)
  const pay = { amount: '25000', phone: '0713456001', reference: 'ORDER-9' }
  assert.equal((await office.world.post('/v1/collections/wallet-push', pay, { key })).status, 202)
  const delivered = async () =>
    (
      await office.world.rows<{ count: number }>(
        'select count(*)::int as count from webhook_attempts where merchant_id = $1',
        [merchant.id],
      )
    )[0]?.count ?? 0
  while ((await delivered()) === 0) await new Promise((resolve) => setTimeout(resolve, 100))
  const visitor = await office.comes(admin, 'dashboard', { language: 'en' })
  const { page } = visitor
  await visitor.opens('/sandbox')
  await page.getByRole('button', { name: /^Search/ }).waitFor()
  const { tap, step, count } = countSteps()
  const begun = performance.now()
  await step(page.keyboard.press('/'))
  await page.getByRole('combobox', { name: 'Search' }).waitFor()
  await step(page.keyboard.type('6001'))
  await page.getByRole('option').filter({ hasText: 'ORDER-9' }).waitFor()
  await step(page.keyboard.press('Enter'))
  await page.waitForURL(/collections\/[0-9a-f-]{36}$/)
  await tap(page.getByRole('button', { name: 'Send the webhook again' }))
  await page.getByRole('status').getByText('Your server accepted the event collection.success: HTTP 200.').waitFor()
  assert.equal(await delivered(), 2)
  t.diagnostic(`${count()} steps, ${Math.round(performance.now() - begun)} ms by a script`)
  assert.ok(count() <= 4, `${count()} steps`)
  await visitor.leave()
})

const FOCUS_IN_MENU = "document.activeElement?.closest('nav') !== null"

test('on a small screen, the keyboard skips the closed menu; the open menu takes the focus, and Escape gives it back', async () => {
  const merchant = await office.world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const options = { viewport: { width: 640, height: 400 } }
  const visitor = await office.comes(admin, 'dashboard', { language: 'en', options })
  const { page } = visitor
  await visitor.opens('/sandbox')
  await visitor.sees('', 'Home')
  const menu = page.getByRole('button', { name: 'Menu' })
  const in_menu = () => page.evaluate<boolean>(FOCUS_IN_MENU)
  await menu.focus()
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab')
    assert.equal(await in_menu(), false)
  }
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(FOCUS_IN_MENU)
  await page.keyboard.press('Escape')
  await page.locator('button[aria-expanded=false]:focus').waitFor()
  await page.keyboard.press('Tab')
  assert.equal(await in_menu(), false)
  // The menu never covers the element that has the focus.
  await menu.click()
  await page.getByRole('navigation').getByRole('button', { name: 'Sign out' }).focus()
  await page.keyboard.press('Tab')
  await page.locator('main :focus').waitFor()
  await page.locator('button[aria-expanded=false]').waitFor()
  await menu.click()
  await visitor.looks('menu on a small screen')
  // The logo leads to the first page and closes the menu, also on that page. On another page, it is not the current page.
  await page.setViewportSize(options.viewport)
  const closed = page.locator('button[aria-expanded=false]')
  const logo = page.locator('header .brand')
  await page.reload()
  await menu.click()
  await logo.click()
  await closed.waitFor()
  await visitor.opens('/sandbox/links')
  await visitor.sees('', 'Payment links')
  assert.equal(await page.locator('[aria-current=page]').count(), 1)
  await menu.click()
  await logo.click()
  await visitor.sees('', 'Home')
  await closed.waitFor()
  await visitor.leave()
})
