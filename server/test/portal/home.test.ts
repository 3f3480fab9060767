// Tests the first page that members of a business see, and the timeline of a payment.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LANGUAGES } from '../../src/kernel/lib/index.ts'
import { removeRoutes } from '../browser.ts'
import { languagesOf } from './languages.ts'
import { FONTS_LOADED, type Office, openOffice, type Person } from './office.ts'

let office: Office
let owner: Person
before(async () => {
  office = await openOffice({ PROMPTS_PER_PHONE: '0' })
  owner = await office.newPerson('MERCHANT_ADMIN')
})
after(() => office?.close())

const push = async (amount: string, phone: string) =>
  (await office.world.post('/v1/collections/wallet-push', { amount, phone })).body.data.collection_id

test('the totals of received, failed and reviewed payments link to lists of that length, and the chart has a text for each point', async () => {
  for (const phone of ['0754123001', '0754123001', '0715123002', '0754123014']) await push('25000', phone)
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  for (const [name, count] of [
    ['Received', '2'],
    ['Did not succeed', '1'],
    ['Under review', '1'],
  ] as const) {
    await visitor.opens('/sandbox?period=7d')
    const total = page.getByRole('link', { name: `${name}: show the list` })
    // The page repeats its read every few seconds, so the test waits until the worker has settled the payments.
    await page.getByRole('link', { name: new RegExp(`^${count} payments?\\. ${name}: show`) }).waitFor()
    await total.click()
    await visitor.sees('Malipo', 'Payments')
    await page.getByText(`Total: ${count}`, { exact: true }).waitFor()
    assert.match(page.url(), /status=\w+&from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/)
  }
  await page.goBack()
  const chart = page.getByRole('slider', { name: /^Chart of the amount received.*TZS\s50,000; success 66\.7 %/ })
  await chart.waitFor()
  // A screen reader reads each point aloud after an arrow key, Home or End.
  const spoken = async () => (await chart.getAttribute('aria-valuetext'))?.replaceAll('\u00a0', ' ') ?? ''
  assert.match(await spoken(), /arrow keys/)
  await chart.focus()
  await page.keyboard.press('Home')
  assert.match(await spoken(), /^\d+ \w{3} \d{4}: TZS \d/)
  const first = await spoken()
  await page.keyboard.press('ArrowRight')
  assert.notEqual(await spoken(), first)
  await page.keyboard.press('ArrowLeft')
  assert.equal(await spoken(), first)
  const points = Number(await chart.getAttribute('aria-valuemax'))
  const all = new Set([first])
  for (let i = 1; i < points; i++) {
    await page.keyboard.press('ArrowRight')
    all.add(await spoken())
  }
  assert.equal(all.size, points, 'each point has its text')
  assert.ok(
    [...all].some((text) => text.endsWith('TZS 50,000 · 66.7 %')),
    [...all].join('; '),
  )
  await page.keyboard.press('End')
  assert.equal(await spoken(), [...all].at(-1))
  assert.equal(
    await page
      .locator('.plot + p')
      .innerText()
      .then((text) => text.replaceAll('\u00a0', ' ')),
    await spoken(),
  )
  await page.getByText('Show as a table').click()
  await page.getByRole('cell', { name: '50,000', exact: true }).waitFor()
  await page.getByRole('cell', { name: 'M-Pesa' }).waitFor()
  await page.getByText('30 days', { exact: true }).click()
  await page.waitForURL(/period=30d/)
  await visitor.looks('the first page')
  await visitor.leave()
})

test('the first page begins with the chart of 30 days, which fits the first screen of a desk beside the balance', async () => {
  await push('1000', '0754123001')
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox')
  const box = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { top, bottom, left, right } = element.getBoundingClientRect()
        return { top, bottom, left, right }
      })
  await page.locator('.plot canvas').waitFor()
  assert.equal(await page.getByRole('slider').getAttribute('aria-valuemax'), '30')
  await page.getByRole('heading', { name: 'Balance' }).waitFor()
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height })
    const chart = await box('section:has(> .plot)')
    const balance = await box('section:has(> * > #balance-title)')
    if (width === 360) assert.ok(chart.bottom <= balance.top, 'on a phone, the balance follows the chart')
    else {
      assert.ok(
        chart.right <= balance.left && chart.top === balance.top,
        'on a desk, the balance stands beside the chart',
      )
      assert.ok((await box('.plot')).bottom <= height, 'on a desk, the whole chart fits the first screen')
    }
  }
  await visitor.picture('first page')
  await visitor.leave()
})

test('the first page marks completed first steps, and the reader can hide the list of steps', async () => {
  await push('1000', '0754123001')
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/sandbox')
  // From the third done step on, the steps are one line.
  await page.getByText(/^Hatua za kuanza: \d kati ya 6 zimekamilika$/).waitFor()
  assert.equal(await page.locator('li.step-done').count(), 0)
  await visitor.press('Onyesha hatua za kuanza', 'Show the first steps')
  await page.locator('li.step-done', { hasText: 'Fanya malipo ya kwanza ya majaribio' }).waitFor()
  assert.equal(await page.locator('li.step-done', { hasText: 'Pokea matukio kwa webhook' }).count(), 0)
  await visitor.press('Ficha hatua hizi', 'Hide these steps')
  await visitor.press('Onyesha hatua za kuanza', 'Show the first steps')
  await visitor.press('Ficha hatua hizi', 'Hide these steps')
  await page.reload()
  await page.getByRole('button', { name: 'Onyesha hatua za kuanza' }).waitFor()
  await visitor.leave()
})

for (const language of languagesOf(1))
  test(`the parts of the first page keep their places while they load, and say that they load (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    await world.post('/v1/collections/wallet-push', { amount: '1000', phone: '0754123001' }, { key })
    const person = await office.newPerson('MERCHANT_ADMIN', merchant)
    const visitor = await office.comes(person, 'dashboard', { language })
    const { page, says } = visitor
    const panels = page.locator('section:has(#trend-title, #balance-title, #numbers-title)')
    const places = () =>
      panels.evaluateAll((all) =>
        all.map((panel) => {
          const { top, height } = panel.getBoundingClientRect()
          return [Math.round(top + (panel.ownerDocument.defaultView?.scrollY ?? 0)), Math.round(height)]
        }),
      )
    await visitor.opens('/sandbox')
    await page.locator('.plot canvas').waitFor()
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 })
      const { promise: released, resolve: release } = Promise.withResolvers<void>()
      const reads = /\/v1\/merchant\/(overview|balance)\?/
      await page.route(reads, async (route) => {
        await released
        await route.continue()
      })
      await page.reload()
      const statuses = page
        .getByRole('main')
        .getByRole('status')
        .getByText(/: (Inapakia|Loading)…$/)
      await statuses.nth(2).waitFor({ state: 'attached' })
      assert.deepEqual(
        await statuses.allInnerTexts(),
        [says('Mwenendo', 'Over time'), says('Salio', 'Balance'), says('Takwimu za biashara', 'Business figures')].map(
          (name) => `${name}: ${says('Inapakia…', 'Loading…')}`,
        ),
      )
      await page
        .getByText(/\d (of|kati ya) \d/)
        .first()
        .waitFor()
      await visitor.picture('home-loading')
      await page.setViewportSize({ width, height: 740 })
      await page.waitForFunction(FONTS_LOADED)
      const loading = await places()
      release()
      await page.locator('.plot canvas').waitFor()
      await page.locator('.figure-loading').first().waitFor({ state: 'detached' })
      assert.deepEqual(await places(), loading, `${width} pixels`)
      await removeRoutes(page, reads)
    }
    await visitor.leave()
  })

test('a browser whose language is no valid tag draws the chart, and a change of the language closes the menu of a phone', async () => {
  await push('1000', '0754123001')
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  await page.addInitScript("Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en_US@posix' })")
  await visitor.opens('/sandbox')
  await page.locator('.plot canvas').waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('button', { name: 'Kiswahili' }).click()
  await page.getByRole('button', { name: 'Menyu', expanded: false }).and(page.locator(':focus')).waitFor()
  await page.getByRole('navigation', { name: 'Menyu' }).waitFor({ state: 'hidden' })
  await visitor.leave()
})

test('the line of the folded first steps keeps its height while the steps load', async () => {
  await push('1000', '0754123001')
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  const line = page.locator('.steps-folded')
  const text = line.getByText(/^First steps: \d of \d done$/)
  const height = () => line.evaluate((element) => element.getBoundingClientRect().height)
  await visitor.opens('/sandbox')
  await text.waitFor()
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 740 })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/v1/merchant/checklist*', async (route) => {
      await released
      await route.continue()
    })
    await page.reload()
    await line.waitFor()
    assert.equal(await text.isVisible(), false)
    const empty = await height()
    release()
    await text.waitFor()
    assert.equal(await height(), empty, `at ${width} pixels`)
    await removeRoutes(page, '**/v1/merchant/checklist*')
  }
  await visitor.leave()
})

test('on a phone, the name of each figure of the first page stays on one line, and the reserved sum names approved withdrawals', async () => {
  for (const language of LANGUAGES) {
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, says } = visitor
    await page.setViewportSize({ width: 360, height: 740 })
    await visitor.opens('/sandbox?period=7d')
    // The places of figures that still load have names too.
    const names = page.locator('.totals:not(:has(.figure-loading)) dt')
    await names.nth(4).waitFor()
    const lines = await names.evaluateAll((all) =>
      all.map((name) => {
        const range = name.ownerDocument.createRange()
        range.selectNodeContents(name)
        return [name.textContent, new Set([...range.getClientRects()].map(({ top }) => top)).size] as const
      }),
    )
    for (const [name, count] of lines) assert.equal(count, 1, `${name} is on ${count} lines`)
    const reserved = says('Utoaji pesa ulioidhinishwa ambao haujakamilika.', 'Approved withdrawals under way.')
    await page.getByText(reserved, { exact: true }).waitFor()
    await visitor.picture('figures')
    await visitor.leave()
  }
})

for (const language of languagesOf(0)) {
  test(`a phone shows the facts and the actions of a payment without scrolling, and a payment through the API has a receipt (${language})`, async () => {
    const id = await push('25000', '0754123001')
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, says } = visitor
    const main = page.getByRole('main')
    await visitor.opens(`/sandbox/collections/${id}`)
    const receipt = main.getByRole('link', { name: says('Risiti', 'Receipt'), exact: true })
    await receipt.waitFor()
    await main
      .getByText(says('Namba ya kumbukumbu kwa mtoa huduma', 'Reference at the provider'), { exact: true })
      .waitFor()
    const status = says('Yamefanikiwa', 'Successful')
    assert.equal(await main.getByText(status, { exact: true }).count(), 1, 'the page shows the status once')
    await visitor.looks('a payment with its receipt')
    await visitor.picture('payment-head')
    await page.setViewportSize({ width: 360, height: 740 })
    const places = await main
      .locator('.record-head')
      .locator('dd, button, a')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
    assert.ok(places.length >= 7, `${places.length} facts and actions`)
    assert.ok(Math.max(...places) <= 740, `the last action ends at ${Math.max(...places)}`)
    const copy = main.locator('.record-head .copyable')
    const lines = await copy.locator(':scope > *').evaluateAll((all) => all.map((one) => one.getBoundingClientRect()))
    const [text, button] = lines
    assert.ok(text && button && button.top < text.bottom && text.height < button.height, 'both are on one line')
    await page.setViewportSize({ width: 1280, height: 800 })
    await receipt.click()
    await visitor.sees('Risiti ya malipo', 'Payment receipt')
    const paper = main.getByRole('article')
    await paper.getByText(/^TZS\s25,000$/).waitFor()
    for (const fact of [office.world.merchant.name, '0754 *** 001', id]) {
      await paper.getByText(fact, { exact: true }).waitFor()
    }
    await visitor.looks('the receipt of a payment')
    await visitor.picture('receipt')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await main.getByRole('button').count(), 0, 'the printed receipt has no buttons')
    await paper.waitFor()
    await visitor.leave()
  })
}

test('the page of a payment shows a timeline from the request to the money, whose technical steps leave the opened details open', async () => {
  const id = await push('25000', '0754123001')
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  await visitor.opens(`/sandbox/collections/${id}`)
  const timeline = page.locator('.timeline')
  await timeline.getByText('came into your balance.').waitFor()
  await timeline.getByText('The status went from “Processing” to “Successful”').waitFor()
  await timeline.locator('li', { hasText: 'came into your balance.' }).getByText('Details').click()
  const transaction = timeline.getByRole('link', { name: /^TXN-/ })
  assert.match((await transaction.getAttribute('href')) ?? '', /\/sandbox\/transactions\/TXN-/)
  const credit = timeline.locator('li', { hasText: 'came into your balance.' })
  await credit.getByText('Payment received', { exact: true }).waitFor()
  const success = timeline.locator('li', { hasText: 'The status went from “Processing” to “Successful”' })
  await success.getByText('Details').click()
  await success.getByText('The provider reported: succeeded, TZS 25,000', { exact: true }).waitFor()
  await visitor.looks('the timeline of a payment')
  await page.getByRole('button', { name: /technical steps/ }).click()
  await timeline.getByText('POST /v1/collections').first().waitFor()
  await timeline.locator('li', { hasText: 'answered about attempt 1.' }).getByText('Details').click()
  await timeline.getByText('Completed', { exact: true }).waitFor()
  assert.equal(await transaction.isVisible(), true)
  await visitor.leave()
})

for (const language of LANGUAGES) {
  test(`each page of the menu of the dashboard has the name of its line as its title (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language, refusals: [404] })
    const { page } = visitor
    await visitor.opens('/sandbox')
    const lines = page.locator('.menu-lines a')
    const names = await lines.locator('.mantine-NavLink-label').allInnerTexts()
    assert.ok(names.length >= 18, names.join())
    for (const [place, name] of names.entries()) {
      await lines.nth(place).click()
      await visitor.sees(name, name)
    }
    await visitor.leave()
  })
}

test('the first page counts withdrawals in correct Swahili, for one and for several', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page } = visitor
  let count = 1
  const since = new Date().toISOString()
  const rest = { environment: 'sandbox', status: 'INFO_REQUESTED', since, amount: null, limit: null, rate: null }
  await page.route('**/v1/merchant/attention?*', (route) => {
    const items = ['withdrawals_info_requested', 'withdrawals_in_doubt'].map((kind) => ({
      ...{ kind, count, rate_before: null, webhook: null },
      ...rest,
    }))
    return route.fulfill({ json: { success: true, data: { items } } })
  })
  await page.route('**/v1/merchant/overview?*', async (route) => {
    const body = await (await route.fetch()).json()
    body.data.withdrawals.success.count = count
    await route.fulfill({ json: body })
  })
  await visitor.opens('/sandbox')
  const lines = page.getByRole('region', { name: 'Yanayohitaji uangalizi wako' }).locator('strong')
  const paid_out = page.locator('.totals a[href*="withdrawals"]')
  await lines.first().waitFor()
  await paid_out.filter({ hasText: /^ombi 1 la kutoa pesa$/ }).waitFor()
  assert.deepEqual(await lines.allInnerTexts(), [
    'Mwendeshaji anasubiri jibu lako kuhusu ombi 1 la kutoa pesa',
    'Mwendeshaji anachunguza matokeo ya ombi 1 la kutoa pesa',
  ])
  count = 3
  await page.reload()
  await paid_out.filter({ hasText: /^maombi 3 ya kutoa pesa$/ }).waitFor()
  await lines.first().waitFor()
  assert.deepEqual(await lines.allInnerTexts(), [
    'Mwendeshaji anasubiri majibu yako kuhusu maombi 3 ya kutoa pesa',
    'Mwendeshaji anachunguza matokeo ya maombi 3 ya kutoa pesa',
  ])
  await visitor.leave()
})
