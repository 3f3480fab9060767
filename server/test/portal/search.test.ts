// Tests the search in the header, by which members and operators find records, pages and actions with the keyboard and on a
// phone.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setMember } from '../../src/access/merchants/index.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Visitor } from './office.ts'

let office: Office
before(async () => {
  office = await openOffice()
  const pay = (phone: string, reference: string, customer_name: string, key?: string) =>
    office.world.post(
      '/v1/collections/wallet-push',
      { amount: '25000', phone, reference, customer_name },
      key === undefined ? {} : { key },
    )
  await pay('0754123001', 'ORDER-77', 'Neema Mushi')
  await pay('0713456003', 'ORDER-78', 'Juma Ali')
  await pay('0754987001', 'LIVE-1', 'Baraka John', office.world.live_key)
})
after(() => office.close())

/** Waits for the search box of the page, then opens the search with the keyboard. */
async function openSearch({ page }: Visitor): Promise<void> {
  await page.getByRole('button', { name: /^(Search|Tafuta)/ }).waitFor()
  await page.keyboard.press('/')
}

const field = ({ page }: Visitor) => page.getByRole('combobox', { name: /^(Search|Tafuta)$/ })
const option = ({ page }: Visitor, text: string | RegExp) => page.getByRole('option').filter({ hasText: text })

for (const language of languagesOf(0)) {
  test(`a member finds a payment by the last four digits of its phone with the keyboard alone, and pages by further words (${language})`, async () => {
    const person = await office.newPerson('MERCHANT_ADMIN')
    const at = await office.comes(person, 'dashboard', { language })
    await at.opens('/sandbox')
    await openSearch(at)
    await field(at).waitFor()
    await at.looks('search without a text')
    await at.picture('search-empty')
    await at.page.keyboard.type('3001')
    await option(at, 'ORDER-77').waitFor()
    await at.looks('search with a payment')
    await at.picture('search-payment')
    assert.equal(
      await at.page
        .getByRole('option', { selected: true })
        .innerText()
        .then((text) => /ORDER-77/.test(text)),
      true,
    )
    await at.page.keyboard.press('Enter')
    await at.page.waitForURL(/collections\/[0-9a-f-]{36}$/)
    await at.page.keyboard.press('Control+k')
    await option(at, '3001').waitFor()
    assert.match(await at.page.getByRole('option').first().innerText(), /3001/, 'a recent search comes first')
    // The console opens a hit on Enter only after the hits of the whole text have arrived.
    await field(at).fill('order-7')
    await option(at, 'ORDER-77').waitFor()
    await at.page.keyboard.type('8')
    await at.page.keyboard.press('Enter')
    await field(at).waitFor({ state: 'detached' })
    await at.page.locator('main').getByText('ORDER-78').first().waitFor()
    await at.page.keyboard.press('Control+k')
    await field(at).waitFor()
    await at.page.keyboard.press('Escape')
    await field(at).waitFor({ state: 'detached' })
    await at.page.keyboard.press('Control+k')
    await field(at).waitFor()
    // The dialog closes before its event `close` arrives, and the next key comes between the two.
    await at.page.evaluate(`(() => {
      const had_focus = document.activeElement ?? document.body
      document.querySelector('dialog.search-dialog').close()
      had_focus.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true, cancelable: true }))
    })()`)
    await field(at).fill(at.says('kiungo cha', 'payment link'))
    await option(at, at.says('Tengeneza kiungo cha malipo', 'Create a payment link')).click()
    await at.page.waitForURL(/links\/new$/)
    await at.page.keyboard.press('Control+k')
    // The member may type a word of either language, also one that the name of the page lacks.
    const pages: [word: string, sw: string, en: string][] = [
      ['logo', 'Mwonekano wa biashara', 'Look of the business'],
      ['rangi', 'Mwonekano wa biashara', 'Look of the business'],
      ['password', 'Wasifu wako', 'Your profile'],
      ['passkey', 'Mahali ulipoingia', 'Your sessions'],
      ['team', 'Watumiaji', 'Members'],
      ['alika', 'Alika mtumiaji', 'Invite a member'],
      ['resend', 'Tuma tena webhook zilizoshindwa', 'Send failed webhooks again'],
      ['webhok', 'Weka au jaribu webhook', 'Set up or test a webhook'],
      ['inviet', 'Alika mtumiaji', 'Invite a member'],
      ['log out', 'Ondoka', 'Sign out'],
      ['toka', 'Ondoka', 'Sign out'],
    ]
    for (const [word, sw, en] of pages) {
      await field(at).fill(word)
      await option(at, at.says(sw, en)).first().waitFor()
    }
    await field(at).fill('redeliver')
    await option(at, at.says('Tuma tena webhook zilizoshindwa', 'Send failed webhooks again')).waitFor()
    assert.equal(await option(at, 'redeliver').count(), 0, 'the list does not show the further words')
    await field(at).fill('logi')
    await at.page
      .getByRole('status')
      .filter({ hasText: at.says('Hakuna', 'Nothing') })
      .waitFor({ state: 'attached' })
    assert.equal(await at.page.getByRole('option').count(), 0, 'a word of four letters has no typing error')
    await at.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`a member changes colours, language and environment and signs out with the search (${language})`, async () => {
    const at = await office.comes(await office.newPerson('VIEWER'), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox')
    const act = async (text: string, label: string) => {
      await openSearch(at)
      await field(at).fill(text)
      await option(at, label).click()
      await field(at).waitFor({ state: 'detached' })
    }
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    await act('dark', says('Tumia rangi za giza', 'Use dark colours'))
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
    await act('dark', says('Tumia rangi za mwanga', 'Use light colours'))
    await page.locator('html[data-mantine-color-scheme=light]').waitFor({ state: 'attached' })
    assert.equal(await scheme(), 'light')
    await act('language', says('Badili lugha: English', 'Change the language: Kiswahili'))
    await page.locator(`html[lang=${says('en', 'sw')}]`).waitFor({ state: 'attached' })
    await act('lugha', says('Change the language: Kiswahili', 'Badili lugha: English'))
    await act('sandbox', says('Badili mazingira: Halisi', 'Change the environment: Live'))
    await page.waitForURL(/\/live$/)
    await act('sign out', says('Ondoka', 'Sign out'))
    await page.waitForURL((url) => !url.pathname.startsWith('/dashboard/live'))
  })
}

for (const language of languagesOf(0)) {
  test(`the search says what one can type when the text is too short or finds nothing (${language})`, async () => {
    const at = await office.comes(await office.newPerson('VIEWER'), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox')
    await openSearch(at)
    const short = says(
      'Andika herufi mbili au zaidi, au namba ya ankara.',
      'Enter at least two characters, or the number of an invoice.',
    )
    const hint = says('Jaribu maneno ya jina', 'Try words of a name')
    const status = page.getByRole('dialog').getByRole('status')
    const foot = page.locator('.search-none')
    for (const [text, shown] of [
      ['q', short],
      ['0', short],
      ['1', hint],
      ['qqqq', hint],
    ] as const) {
      await field(at).fill(text)
      await foot.filter({ hasText: shown }).waitFor()
      await status.filter({ hasText: shown }).waitFor({ state: 'attached' })
    }
    await field(at).fill('order')
    await option(at, 'ORDER-77').waitFor()
    assert.equal(await foot.count(), 0)
    await field(at).fill('q')
    await foot.filter({ hasText: short }).waitFor()
    await at.looks('search with a short text')
    await at.picture('search-short')
    await at.leave()
  })
}

test('a member who types fast while the search opens loses no key', async () => {
  const at = await office.comes(await office.newPerson('MERCHANT_ADMIN'), 'dashboard')
  await at.opens('/sandbox')
  // An observer runs directly after React adds the dialog to the page, before the browser can handle a key.
  await at.page.evaluate(`new MutationObserver((_, observer) => {
    const dialog = document.querySelector('dialog.search-dialog')
    if (dialog === null) return
    observer.disconnect()
    window.takes_keys = dialog.open && document.activeElement?.closest('dialog') === dialog
  }).observe(document.body, { childList: true, subtree: true })`)
  await openSearch(at)
  await at.page.keyboard.type('3001')
  await option(at, 'ORDER-77').waitFor()
  assert.equal(await field(at).inputValue(), '3001')
  assert.equal(await at.page.evaluate('window.takes_keys'), true)
  await at.leave()
})

for (const language of languagesOf(1)) {
  test(`a member opens the list of all payments of which the search shows six (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    for (let i = 0; i < 8; i++) {
      const payment = { amount: '1000', phone: `07540${i}8801`, reference: `BULK-${i}`, customer_name: 'Rehema Said' }
      const paid = await world.post('/v1/collections/wallet-push', payment, { key })
      assert.equal(paid.status, 202, paid.text)
    }
    const at = await office.comes(await office.newPerson('FINANCE', merchant), 'dashboard', { language })
    const all = option(at, at.says('Ona yote', 'See all'))
    await at.opens('/sandbox')
    await openSearch(at)
    await field(at).fill('rehema')
    await option(at, 'BULK-7').waitFor()
    assert.equal(await all.count(), 0, 'the list of payments has no filter by name')
    await field(at).fill('8801')
    await option(at, at.says('Ona yote: simu inayoishia na 8801', 'See all: phone ends with 8801')).waitFor()
    assert.equal(await at.page.getByRole('option').count(), 7)
    await at.looks('search with more hits')
    await at.picture('search-more')
    // In a low window, only the rows scroll: the end of the dialog stays in sight.
    const size = at.page.viewportSize()
    await at.page.setViewportSize({ width: 1280, height: 500 })
    const end = await at.page.locator('dialog.search-dialog').boundingBox()
    assert.ok(end && end.y + end.height <= 500, JSON.stringify(end))
    await at.page.setViewportSize(size ?? { width: 1280, height: 800 })
    await all.click()
    await at.page.waitForURL(/sandbox\/collections\?phone=8801$/)
    await at.page.getByRole('table').getByText('BULK-0').waitFor()
    await at.page.keyboard.press('Control+k')
    await field(at).fill('bulk-')
    await option(at, at.says('namba ya kumbukumbu inayoanza na bulk-', 'reference begins with bulk-')).click()
    await at.page.waitForURL(/sandbox\/collections\?reference=bulk-$/)
    await at.page.getByRole('table').getByText('BULK-0').waitFor()
    await at.page.keyboard.press('Control+k')
    await field(at).fill('bulk-1')
    await option(at, 'BULK-1').waitFor()
    assert.equal(await all.count(), 0, 'the search shows all hits')
    await at.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`amount, payer, status and time have the same place in each hit, also if a fact is missing (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const phone = '0754238802'
    const payments = [
      { amount: '1000', customer_name: 'Rehema Said Abdallah Mwakyusa', reference: 'A-REFERENCE-THAT-IS-LONG-0001' },
      { amount: '2500000' },
      { amount: '30000', customer_name: 'Juma' },
    ]
    for (const payment of payments) {
      const paid = await world.post('/v1/collections/wallet-push', { ...payment, phone }, { key })
      assert.equal(paid.status, 202, paid.text)
    }
    const link = { amount: '8100', customer_phone: phone, description: 'Keki ya harusi' }
    const linked = await world.post('/v1/payment-links', link, { key })
    assert.equal(linked.status, 201, linked.text)
    const at = await office.comes(await office.newPerson('FINANCE', merchant), 'dashboard', { language })
    await at.opens('/sandbox')
    await openSearch(at)
    await field(at).fill('8802')
    await option(at, 'Keki ya harusi').waitFor()
    for (const width of [360, 1280]) {
      await at.page.setViewportSize({ width, height: 740 })
      const hits = at.page.getByRole('option').filter({ has: at.page.locator('.search-hit') })
      assert.equal(await hits.count(), 4)
      const places = await hits.evaluateAll((options) =>
        options.map((one) => {
          const box = one.getBoundingClientRect()
          return [...one.querySelectorAll('.search-hit > *')].slice(0, 4).map((cell) => {
            const { left, top, right } = cell.getBoundingClientRect()
            return { column: Math.round(left - box.left), inside: right <= box.right && top >= box.top }
          })
        }),
      )
      for (const place of places) assert.deepEqual(place, places[0])
      const columns = places[0]?.map(({ column }) => column) ?? []
      assert.equal(new Set(columns).size, width === 360 ? 2 : 4, `${columns}`)
      assert.ok(places[0]?.every(({ inside }) => inside))
    }
    await at.looks('columns of hits')
    await at.picture('search-columns')
    await at.leave()
  })
}

test('a member moves through the hits with the arrows, and a screen reader announces when there is none', async () => {
  const at = await office.comes(await office.newPerson('VIEWER'), 'dashboard')
  await at.opens('/sandbox')
  await openSearch(at)
  await field(at).fill('order')
  await option(at, 'ORDER-77').waitFor()
  const active = () => at.page.getByRole('option', { selected: true }).innerText()
  assert.match(await active(), /ORDER-78/, 'the newest payment comes first')
  await at.page.keyboard.press('ArrowDown')
  assert.match(await active(), /ORDER-77/)
  await at.page.keyboard.press('ArrowUp')
  assert.match(await active(), /ORDER-78/)
  const id = await field(at).getAttribute('aria-activedescendant')
  assert.equal(await at.page.locator(`[id="${id}"]`).getAttribute('aria-selected'), 'true')
  await field(at).fill('create')
  await at.page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor({ state: 'attached' })
  assert.equal(
    await at.page.getByRole('option').count(),
    0,
    'the console offers a viewer no action that the role forbids',
  )
  await at.looks('search without a hit')
  await at.picture('search-none')
  await at.leave()
})

for (const language of languagesOf(0)) {
  test(`a search without a hit names its business and environment, and a button repeats it in another one (${language})`, async () => {
    const { world } = office
    const other = await world.newMerchant()
    await world.rows(`update merchants set name = 'Duka la Pili' where id = $1`, [other.id])
    const person = await office.newPerson('VIEWER', other)
    const { merchant } = world
    const [named] = await world.rows<{ name: string }>('select name from merchants where id = $1', [merchant.id])
    await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, merchant.id, person.user_id, 'VIEWER'))
    const at = await office.comes(person, 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox')
    await page.getByLabel(says('Biashara', 'Business'), { exact: true }).selectOption(other.id)
    await openSearch(at)
    await field(at).fill('7001')
    const names = (business: string, environment: string) =>
      page
        .locator('p')
        .getByText(says(`Hakuna kilichopatikana katika ${business}, `, `Nothing found in ${business}, `) + environment)
    await names('Duka la Pili', says('Majaribio.', 'Sandbox.')).waitFor()
    await at.looks('a search without a hit in one of two businesses')
    await at.picture('search-none-in')
    const press = (business: string, environment: string) =>
      at.press(`Tafuta katika ${business}, ${environment}`, `Search in ${business}, ${environment}`)
    await press('Duka la Pili', says('Halisi', 'Live'))
    await names('Duka la Pili', says('Halisi.', 'Live.')).waitFor()
    await press(named?.name as string, says('Halisi', 'Live'))
    await option(at, 'LIVE-1').waitFor()
    assert.equal(await field(at).inputValue(), '7001')
    await page.keyboard.press('Enter')
    await page.waitForURL(/live\/collections\/[0-9a-f-]{36}$/)
    await at.leave()
  })
}

test('a member on a phone opens the search with its button, and sees only payments of the environment', async () => {
  const options = { viewport: { width: 360, height: 740 } }
  const at = await office.comes(await office.newPerson('VIEWER'), 'dashboard', { options })
  await at.opens('/live')
  await at.page.getByRole('button', { name: 'Search' }).click()
  await field(at).fill('0754 987 001')
  await option(at, 'LIVE-1').waitFor()
  await field(at).fill('ORDER-77')
  await at.page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor({ state: 'attached' })
  await at.page.getByRole('button', { name: 'Close' }).click()
  await field(at).waitFor({ state: 'detached' })
  await at.leave()
})

test("an operator finds payments of all merchants, merchants, and the actions of the operator's duties", async () => {
  const at = await office.comes(await office.newPerson('COMPLIANCE'), 'operator')
  await at.opens('/')
  await openSearch(at)
  await field(at).fill('8700')
  await field(at).fill('7001')
  await option(at, 'LIVE-1').waitFor()
  await at.looks('search of an operator')
  await at.picture('search-operator')
  await field(at).fill('asha')
  await at.page.getByRole('group', { name: 'Merchants' }).getByRole('option').first().click()
  await at.page.waitForURL(/merchants\/[0-9a-f-]{36}$/)
  await openSearch(at)
  await field(at).fill('pause')
  await option(at, 'Pause payouts').click()
  await at.page.waitForURL(/pauses$/)
  await openSearch(at)
  await field(at).fill('decide')
  await at.page.getByRole('status').filter({ hasText: 'Nothing found' }).waitFor({ state: 'attached' })
  await at.leave()
})

for (const language of languagesOf(1)) {
  test(`an operator finds the work by what one does there, in either language (${language})`, async () => {
    const at = await office.comes(await office.newPerson('SUPER_ADMIN'), 'operator', { language })
    await at.opens('/')
    await openSearch(at)
    const entries: [word: string, sw: string, en: string][] = [
      ['approve', 'Amua utoaji pesa unaosubiri', 'Decide withdrawals that wait'],
      ['idhinisha', 'Maamuzi ya pili', 'Second decisions'],
      ['invite', 'Sajili biashara', 'Register a merchant'],
      ['invite', 'Waendeshaji', 'Operators'],
      ['delivery', 'Webhook zinazoshindwa', 'Failing webhooks'],
      ['sign out', 'Ondoka', 'Sign out'],
      ['dark', 'Tumia rangi za giza', 'Use dark colours'],
      ['language', 'Badili lugha: English', 'Change the language: Kiswahili'],
    ]
    for (const [word, sw, en] of entries) {
      await field(at).fill(word)
      await option(at, at.says(sw, en)).first().waitFor()
    }
    await field(at).fill('aprove')
    await option(at, at.says('Amua utoaji pesa unaosubiri', 'Decide withdrawals that wait')).click()
    await at.page.waitForURL(/withdrawals\?status=PENDING_ADMIN_APPROVAL/)
    await at.leave()
  })
}
