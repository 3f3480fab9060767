// Tests that members of a business request payments in the dashboard: links, invoices, and their payments.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { removeRoutes } from '../browser.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Person } from './office.ts'

let office: Office
let owner: Person
before(async () => {
  office = await openOffice({ PROMPTS_PER_PHONE: '0' })
  owner = await office.newPerson('MERCHANT_ADMIN')
})
after(() => office?.close())

const MONTHS_SW = 'Jan Feb Mac Apr Mei Jun Jul Ago Sep Okt Nov Des'
const MONTHS_EN = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
const REFUSALS: readonly number[] = []
const links = async () => (await office.world.get('/v1/payment-links')).body.data
async function pay(slug: string, phone: string): Promise<void> {
  const url = `/public/payment-links/${slug}/collect`
  const payload = { method: 'WALLET_PUSH', customer_phone: phone }
  const reply = await office.world.call({ method: 'POST', url, key: null, idempotency_key: randomUUID(), payload })
  assert.equal(reply.status, 202, reply.text)
}

test('a member makes a link from three fields and shares the link, and the open page shows its payment', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw', refusals: REFUSALS })
  const { page } = visitor
  await visitor.opens('/sandbox/links')
  await visitor.sees('Viungo vya malipo', 'Payment links')
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await visitor.sees('Kiungo kipya cha malipo', 'New payment link')
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.getByText('Jaza sehemu hii.').waitFor()
  await page.locator('[data-path="amount"]:focus').waitFor()
  await visitor.fill('Kiasi', 'Amount', 'Tsh 25,000/=')
  // A wrong field of the folded part opens the part, and stays visible after its correction.
  const phone = page.locator('[data-path="customer_phone"]')
  const more = page.locator('details.disclosed summary')
  await more.click()
  await phone.fill('12')
  await more.click()
  await phone.waitFor({ state: 'hidden' })
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.locator('[data-path="customer_phone"]:focus').waitFor()
  // If the member folds the part again without a correction, the next refusal opens it again.
  await more.click()
  await phone.waitFor({ state: 'hidden' })
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.locator('[data-path="customer_phone"]:focus').waitFor()
  await phone.fill('')
  await page.getByText('Andika namba ya simu kama 0754 123 456.', { exact: true }).waitFor({ state: 'detached' })
  assert.equal(await phone.isVisible(), true)
  await visitor.fill('Maelezo', 'Description', 'Viatu vya ngozi')
  await visitor.fill('Jina la mteja', 'Name of the customer', 'Juma')
  await visitor.looks('the form of a link')
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.getByText('Umetengeneza kiungo. Kitume kwa mteja.').waitFor()
  await visitor.looks('a link')
  const [link] = (await links()).items
  assert.deepEqual([link.amount, link.description, link.customer_name], ['25000.00', 'Viatu vya ngozi', 'Juma'])
  const shared = decodeURIComponent(
    (await page.getByRole('link', { name: 'Tuma kwa WhatsApp' }).getAttribute('href')) ?? '',
  )
  assert.match(shared, /^https:\/\/wa\.me\/\?text=Lipa TZS\u00a025,000 kwa Duka la Asha – Viatu vya ngozi: http/)
  assert.ok(shared.endsWith(link.public_url))
  // One customer pays a link, so the page offers no poster, which hangs for many customers.
  assert.equal(await page.getByRole('button', { name: /bango/i }).count(), 0)
  await pay(link.public_slug, '0754123002')
  await page.getByRole('cell', { name: 'Hayakufanikiwa' }).waitFor()
  await pay(link.public_slug, '0754123001')
  await page.getByText('Kiungo kimelipwa.').waitFor()
  await page.getByRole('link', { name: 'Angalia malipo' }).click()
  await visitor.sees('Malipo ya TZS 25,000', 'Payment of TZS 25,000')
  await page.getByText('Pesa zimeingia kwenye salio lako.').waitFor()
  const facts = page.locator('section', { has: page.getByText('Hali kwa mtoa huduma', { exact: true }) }).first()
  await facts.getByText('Amekamilisha', { exact: true }).waitFor()
  assert.equal(await facts.getByText('COMPLETED').count(), 0, 'the status of the provider is in words')
  await visitor.press('Angalia hali kwa mtoa huduma', 'Query the provider now')
  await page.getByText('Mtoa huduma ameulizwa. Hali haijabadilika: Yamefanikiwa.').waitFor()
  await page.getByText('Rekodi kama API inavyoitoa (JSON)').click()
  await page.getByText('"status": "successful"').waitFor()
  await visitor.looks('a payment')
  // The payment looks open until the query. Then it is final, and its button moves to the end of the actions.
  const record = /\/v1\/collections\/[0-9a-f-]{36}\?/
  await page.route(record, async (route) => {
    const body = await (await route.fetch()).json()
    await route.fulfill({ json: { ...body, data: { ...body.data, status: 'processing' } } })
  })
  await page.reload()
  const head = page.locator('.record-head > [role=status]')
  await head.getByText('Yanashughulikiwa').waitFor()
  await page.route('**/refresh-status?*', async (route) => {
    await removeRoutes(page, record)
    await route.continue()
  })
  await visitor.press('Angalia hali kwa mtoa huduma', 'Query the provider now')
  await head.getByText('Pesa zimeingia kwenye salio lako.').waitFor()
  const has_focus = () => head.evaluate((status) => status === status.ownerDocument.activeElement)
  await head.and(page.locator(':focus')).waitFor()
  // This query leaves the payment open. A later read makes it final, and moves no focus.
  await page.route(record, async (route) => {
    const body = await (await route.fetch()).json()
    await route.fulfill({ json: { ...body, data: { ...body.data, status: 'processing' } } })
  })
  await removeRoutes(page, '**/refresh-status?*')
  await page.reload()
  await head.getByText('Yanashughulikiwa').waitFor()
  await visitor.press('Angalia hali kwa mtoa huduma', 'Query the provider now')
  await page.getByText('Mtoa huduma ameulizwa.').waitFor()
  await page.locator('.record-head button[aria-disabled=false]', { hasText: 'Angalia hali kwa mtoa huduma' }).waitFor()
  await removeRoutes(page, record)
  await head.getByText('Pesa zimeingia kwenye salio lako.').waitFor()
  assert.equal(await has_focus(), false, 'the later read moves no focus')
  await visitor.leave()
})

test('a member who repeats a link request after a lost response makes no second link, and a reload keeps the typed text', async () => {
  const visitor = await office.comes(owner, 'dashboard', { refusals: REFUSALS })
  const { page } = visitor
  const before_it = (await links()).pagination.total_items
  await visitor.opens('/sandbox/links/new')
  await visitor.fill('Kiasi', 'Amount', '1500')
  await page.reload()
  await visitor.sees('Kiungo kipya cha malipo', 'New payment link')
  assert.equal(await page.getByLabel('Amount').inputValue(), '1500')
  // The server gets the request, but the browser gets no response.
  let lost = 0
  await page.route('**/v1/payment-links?**', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue()
    lost += 1
    await route.fetch()
    await route.abort('connectionreset')
  })
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await page.getByText('No answer from the server').waitFor()
  assert.equal((await links()).pagination.total_items, before_it + 1)
  await visitor.press('Tengeneza kiungo', 'Create a link')
  await visitor.sees('Kiungo cha TZS 1,500', 'Link for TZS 1,500')
  assert.equal((await links()).pagination.total_items, before_it + 1)
  visitor.complaints.splice(0, visitor.complaints.length, ...visitor.complaints.filter((one) => !one.includes('RESET')))
  await visitor.leave()
})

test('a member cancels a link after a confirmation, and the page then does not offer to send the link by WhatsApp', async () => {
  const made = (await office.world.post('/v1/payment-links', { amount: '700' })).body.data
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw', refusals: REFUSALS })
  const { page } = visitor
  await visitor.opens(`/sandbox/links/${made.id}`)
  await visitor.press('Sitisha kiungo', 'Cancel the link')
  await visitor.press('Hapana, kibaki', 'No, keep it')
  assert.equal((await office.world.get(`/v1/payment-links/${made.id}`)).body.data.status, 'ACTIVE')
  await visitor.press('Sitisha kiungo', 'Cancel the link')
  await visitor.press('Ndiyo, sitisha', 'Yes, cancel the link')
  await page.getByText('Biashara yako imesitisha kiungo; wateja hawawezi kukilipa tena.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Tuma kwa WhatsApp' }).count(), 0)
  await visitor.leave()
})

test('a member writes and sends an invoice, sees its recipient, and can no longer edit the invoice', async () => {
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw', refusals: [...REFUSALS, 400] })
  const { page } = visitor
  await visitor.opens('/sandbox/invoices')
  await visitor.press('Tengeneza ankara', 'Create an invoice')
  await visitor.sees('Ankara mpya', 'New invoice')
  await visitor.fill('Jina la mteja', 'Name of the customer', 'Juma <b>Bora</b>')
  await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 456')
  await visitor.fill('Barua pepe ya mteja', 'E-mail of the customer', 'juma@example.com')
  const line = (place: number) => page.getByRole('group', { name: `Mstari wa ${place}` })
  await line(1).getByLabel('Maelezo').fill('Viatu')
  await line(1).getByLabel('Idadi').fill('1,000')
  await line(1).getByLabel('Bei ya kimoja').fill('12.50')
  await visitor.press('Ongeza mstari', 'Add a line')
  await page.locator('[data-path="items.1.description"]:focus').waitFor()
  await line(2).getByLabel('Maelezo').fill('Kiwi')
  await line(2).getByLabel('Idadi').fill('1.5')
  await line(2).getByLabel('Bei ya kimoja').fill('999.99')
  await visitor.press('Ongeza mstari', 'Add a line')
  await visitor.press('Ondoa mstari wa 3', 'Remove line 3')
  await line(2).getByLabel('Bei ya kimoja').fill('12.500')
  await page.locator('output').getByText('–', { exact: true }).waitFor()
  await line(2).getByLabel('Bei ya kimoja').fill('999.99')
  assert.match((await page.locator('output').textContent()) ?? '', /TZS\s13,999\.99/)
  await visitor.looks('the form of an invoice')
  // Only the API detects this error. The page shows the error at the line of the invoice.
  await line(2).getByLabel('Maelezo').fill('\u200b')
  await visitor.press('Hifadhi rasimu', 'Save the draft')
  await page.locator('[data-path="items.1.description"][aria-invalid=true]').waitFor()
  await line(2).getByLabel('Maelezo').fill('Kiwi')
  await visitor.press('Hifadhi rasimu', 'Save the draft')
  await visitor.sees('Ankara INV-000001', 'Invoice INV-000001')
  await page.getByText('Seva imehifadhi ankara.').waitFor()
  await visitor.looks('an invoice')
  await visitor.press('Tuma kwa mteja', 'Send to the customer')
  await visitor.press('Ndiyo, tuma', 'Yes, send')
  await page.getByText(/^Umetoa ankara: \d+ \S+ \d{4}, \d\d:\d\d\.$/).waitFor()
  await page.getByRole('cell', { name: 'juma@example.com' }).waitFor()
  for (const way of ['SMS kwa 0754 123 456', 'Barua pepe kwa juma@example.com']) {
    await page.getByText(`${way}: seva inahifadhi ujumbe hapa tu, kwa sababu haya ni majaribio.`).waitFor()
  }
  await page.getByRole('cell', { name: 'Umehifadhiwa (Majaribio)' }).first().waitFor()
  assert.doesNotMatch(await page.getByRole('main').innerText(), /\b[Ii]metumwa|\b[Uu]metumwa/)
  await page.getByRole('cell', { name: 'juma@example.com' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Hariri' }).count(), 0)
  const [invoice] = (await office.world.get('/v1/invoices')).body.data.items
  assert.deepEqual([invoice.status, invoice.total], ['SENT', '13999.99'])
  const pdf = await page.getByRole('link', { name: 'Fungua PDF' }).getAttribute('href')
  const file = await office.world.call({ method: 'GET', url: new URL(pdf ?? '').pathname, key: null })
  assert.deepEqual([file.status, file.headers['content-type']], [200, 'application/pdf'])
  // The page says the result after 20 seconds if no later read gets a response.
  await visitor.press('Sitisha ankara', 'Cancel the invoice')
  await page.clock.install()
  await page.route('**/v1/**', (route) => (route.request().method() === 'GET' ? undefined : route.continue()))
  const reads = page.waitForRequest((request) => request.method() === 'GET')
  await visitor.press('Ndiyo, sitisha', 'Yes, cancel the invoice')
  await reads
  await page.clock.fastForward(20_000)
  await page.getByText('Umesitisha ankara.').waitFor()
  await removeRoutes(page)
  await page.reload()
  await page.getByText('Imesitishwa', { exact: true }).first().waitFor()
  await page.getByRole('cell', { name: 'juma@example.com' }).waitFor()
  assert.equal(await page.getByText('Barua pepe kwa juma@example.com').count(), 0, 'the customer needs no link')
  await visitor.leave()
})

for (const language of languagesOf(1)) {
  test(`a member saves and sends an invoice with one tap, and a failed send leaves a saved invoice to send again (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const person = await office.newPerson('MERCHANT_ADMIN', merchant)
    const visitor = await office.comes(person, 'dashboard', { language, refusals: [...REFUSALS, 422, 503] })
    const { page, says } = visitor
    const invoices = async () =>
      (await world.get('/v1/invoices', key)).body.data.items as { id: string; status: string }[]
    const messages = async () =>
      (
        await world.rows('select 1 from outbox_messages where merchant_id = $1 and invoice_id is not null', [
          merchant.id,
        ])
      ).length
    const writes = async () => {
      await visitor.opens('/sandbox/invoices/new')
      await visitor.fill('Jina la mteja', 'Name of the customer', 'Juma')
      assert.equal(await page.locator('.item-amount').innerText(), '', 'a line without a price has no amount')
      await page.locator('[data-path="items.0.description"]').fill('Viatu')
      await page.locator('[data-path="items.0.unit_price"]').fill('12500')
      await page.locator('.item-amount').getByText('12,500').waitFor()
    }
    const save = page.getByRole('button', { name: says('Hifadhi na utume', 'Save and send'), exact: true })
    const again = page.getByRole('button', { name: says('Tuma tena', 'Send again'), exact: true })
    const TIME = '\\d+ \\S+ \\d{4}, \\d\\d:\\d\\d'
    const issued = page.getByText(new RegExp(`^${says('Umetoa ankara', 'You issued the invoice')}: ${TIME}\\.$`))
    const issued_again = page.getByText(
      new RegExp(`^${says('Umetoa ankara tena', 'You issued the invoice again')}: ${TIME}\\.$`),
    )
    const was_issued = page.getByText(says('Umetoa ankara; mteja bado hajalipa.', 'You have issued the invoice. The'))
    const facts = page.locator('[aria-labelledby=status-title] [role=status]')

    const hint = says(
      'Ili kutoa ankara, andika namba ya simu au barua pepe.',
      'To issue the invoice, enter a phone number or an e-mail address.',
    )
    /** Returns the texts that a screen reader reads after the name of the field. */
    const descriptions = (path: string) =>
      page
        .locator(`[data-path="${path}"]`)
        .evaluate((field) =>
          (field.getAttribute('aria-describedby') ?? '')
            .split(/ +/)
            .map((id: string) => field.ownerDocument.getElementById(id)?.textContent),
        )

    await writes()
    await page.getByText(hint, { exact: true }).waitFor()
    const phone_hint = says(
      'Kwa SMS yenye kiungo cha kulipa. Mfano: 0754 123 456.',
      'For the SMS with the link to pay. Example: 0754 123 456.',
    )
    const email_hint = says('Kwa barua pepe yenye kiungo cha kulipa.', 'For the e-mail with the link to pay.')
    assert.deepEqual(await descriptions('customer_phone'), [phone_hint, hint])
    assert.deepEqual(await descriptions('customer_email'), [email_hint, hint])

    // On a phone with an open keyboard, the focus moves to the first wrong field of the page. The header covers no part of it.
    await page.setViewportSize({ width: 360, height: 420 })
    const price = page.locator('[data-path="items.0.unit_price"]')
    const note = page.locator('[data-path="note"]')
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 456')
    await price.fill('x')
    await note.fill('x'.repeat(1_001))
    await price.evaluate((field) =>
      field.ownerDocument.defaultView?.scrollBy(0, field.getBoundingClientRect().top - 20),
    )
    await save.evaluate((button) => button.click())
    await page.locator('[data-path="items.0.unit_price"]:focus').waitFor()
    const hidden = await page.evaluate<number>(`(() => {
      const { top, bottom } = document.activeElement.closest('.mantine-InputWrapper-root').getBoundingClientRect()
      return Math.max(document.querySelector('header').getBoundingClientRect().bottom - top, bottom - innerHeight)
    })()`)
    assert.ok(hidden <= 0, `${hidden} pixels of the field, its label or its message are out of sight`)
    await note.fill('')
    await price.fill('12500')
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '')
    await page.setViewportSize({ width: 1280, height: 800 })
    await save.click()
    await page.getByText(says('Ili kutoa ankara, andika simu', 'To issue the invoice, enter the phone')).waitFor()
    await page.locator('[data-path="customer_phone"]:focus').waitFor()
    assert.deepEqual((await descriptions('customer_phone')).slice(1), [phone_hint, hint], 'the error comes first')
    assert.deepEqual(await invoices(), [], 'without an address, the server saves nothing')
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 456')
    // A refusal disappears when the member changes the form.
    await price.fill('0')
    await save.click()
    const refusal = page.getByText(says('Seva imekataa ombi', 'The server refused the request'))
    await refusal.waitFor()
    await price.fill('12500')
    await refusal.waitFor({ state: 'detached' })
    const day = page.locator('[data-path="due_date"]')
    await day.fill('2099-03-04')
    await page.getByText(says('4 Mac 2099', '4 Mar 2099'), { exact: true }).waitFor()
    await visitor.looks('the form of an invoice with two buttons')
    await visitor.picture('save-and-send')
    await save.dblclick()
    await visitor.sees('Ankara INV-000001', 'Invoice INV-000001')
    await issued.waitFor()
    assert.deepEqual([(await invoices()).length, await messages()], [1, 1], 'a double tap makes and sends one invoice')
    assert.equal(await again.getAttribute('data-variant'), 'default', 'a second send is not the main button')
    // The page says where the invoice went, in its own text, because a message above the page would cover the buttons.
    const reach = (sw: string, en: string) =>
      page.getByText(says(`SMS kwa 0754 123 456: ${sw}.`, `SMS to 0754 123 456: ${en}.`), { exact: true })
    await reach(
      'seva inahifadhi ujumbe hapa tu, kwa sababu haya ni majaribio',
      'the server only keeps the message here, because this is the sandbox',
    ).waitFor()
    assert.equal(await page.locator('.toast').count(), 0)
    assert.equal(await facts.count(), 1, 'one element announces the status and the result')
    assert.equal(await was_issued.count(), 0, 'the page says once that the member issued the invoice')
    // A second send right after the first says that the invoice was sent again. The focus moves, so a screen reader reads the text.
    await again.click()
    await visitor.press('Ndiyo, tuma', 'Yes, send')
    await issued_again.waitFor()
    await page.locator('[aria-labelledby=status-title] [role=status]:focus').waitFor()
    assert.equal(await messages(), 2)
    const limit = "update outbox_messages set error = 'recipient_limit: 10 messages a day' where merchant_id = $1"
    await world.rows(limit, [merchant.id])
    await reach(
      'seva inahifadhi ujumbe hapa tu, kwa sababu mpokeaji amefikia kikomo cha ujumbe. Mpe mteja kiungo mwenyewe',
      'the server only keeps the message here, because the recipient has reached the limit of messages. Give the customer the link yourself',
    ).waitFor()
    await world.rows("update outbox_messages set status = 'sent', error = null where merchant_id = $1", [merchant.id])
    await reach('umetumwa', 'sent').waitFor()
    await visitor.looks('an invoice that the server sent')
    await visitor.picture('sent-invoice')
    // The result is not in the history of the browser: a step back to the page does not show it again.
    await visitor.press('Ankara', 'Invoices')
    await visitor.sees('Ankara', 'Invoices')
    await page.goBack()
    await was_issued.waitFor()
    assert.equal((await issued.count()) + (await issued_again.count()), 0, 'an old result does not come back')

    // The server refuses the first send.
    await page.route('**/v1/invoices/*/send?*', (route) => route.fulfill({ status: 503, json: {} }))
    await writes()
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 457')
    await save.click()
    await visitor.sees('Ankara INV-000002', 'Invoice INV-000002')
    await page.getByText(says('lakini haikuitoa kwa mteja', 'but did not issue it to the customer')).waitFor()
    assert.equal(await page.getByText(says('Seva imehifadhi ankara.', 'The server saved the invoice.')).count(), 0)
    await visitor.looks('an invoice that the server did not send')
    await visitor.picture('unsent-invoice')
    await Promise.all([page.waitForResponse((response) => response.url().includes('/send?')), again.click()])
    assert.deepEqual([(await invoices())[0]?.status, await messages()], ['DRAFT', 2])
    await removeRoutes(page, '**/v1/invoices/*/send?*')
    await again.dblclick()
    await issued.waitFor()
    assert.deepEqual([(await invoices()).length, await messages()], [2, 3])

    // The server sends the invoice, but the browser gets no response.
    await page.route('**/v1/invoices/*/send?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await writes()
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 458')
    await save.click()
    await visitor.sees('Ankara INV-000003', 'Invoice INV-000003')
    await was_issued.waitFor()
    assert.equal(await page.getByText(says('lakini haikuitoa', 'but did not issue it')).count(), 0)
    assert.deepEqual([(await invoices()).length, await messages()], [3, 4])
    visitor.complaints.splice(0, Infinity, ...visitor.complaints.filter((one) => !one.includes('ERR_')))
    await visitor.leave()
  })
}

for (const language of languagesOf(2)) {
  test(`without a provider of messages, the page of a live invoice promises no message and offers to share the link (${language})`, async () => {
    const { world } = office
    const person = await office.newPerson('MERCHANT_ADMIN', await world.newMerchant())
    const visitor = await office.comes(person, 'dashboard', { language })
    const { page, says } = visitor
    const nothing = says(
      'Seva haitumi ujumbe kwa mteja, kwa sababu hakuna mtoa huduma wa SMS wala barua pepe.',
      'The server sends no message to the customer, because no SMS or e-mail gateway is set up.',
    )
    const again = page.getByRole('button', { name: says('Tuma tena', 'Send again'), exact: true })
    await visitor.opens('/live/invoices/new')
    await page.getByText(nothing).waitFor()
    const issues = page.getByRole('button', { name: says('Hifadhi na utoe', 'Save and issue') })
    await issues.waitFor()
    assert.equal(await page.getByText(says('yenye kiungo cha kulipa', 'with the link to pay')).count(), 0)
    await visitor.fill('Jina la mteja', 'Name of the customer', 'Juma')
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 456')
    await visitor.fill('Barua pepe ya mteja', 'E-mail of the customer', 'juma@example.com')
    await page.locator('[data-path="items.0.description"]').fill('Viatu')
    await page.locator('[data-path="items.0.unit_price"]').fill('12500')
    await visitor.looks('the form of an invoice without a provider')
    await visitor.picture('invoice-form-no-provider')
    await visitor.press('Hifadhi rasimu', 'Save the draft')
    await visitor.sees('Ankara INV-000001', 'Invoice INV-000001')
    await visitor.press('Toa ankara', 'Issue the invoice')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(nothing).waitFor()
    await visitor.picture('issue-invoice-no-provider')
    await visitor.press('Ndiyo, toa', 'Yes, issue')
    // The ways to share come right after the status, where the focus is.
    const share = page.locator('[aria-labelledby=status-title] + [aria-labelledby=link-title]')
    await share.getByText(nothing).waitFor()
    await share.getByRole('link', { name: says('Tuma kwa WhatsApp', 'Send by WhatsApp') }).waitFor()
    assert.equal(await again.count(), 0, 'the page offers no second message')
    await visitor.looks('an issued invoice without a provider')
    await visitor.picture('issued-invoice-no-provider')
    // The page then gets the facts of an installation with an SMS provider.
    await page.route('**/dashboard/**', async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback()
      const response = await route.fetch()
      const body = (await response.text()).replace('&quot;sms&quot;:false', '&quot;sms&quot;:true')
      await route.fulfill({ response, body })
    })
    await page.reload()
    await again.click()
    await dialog.getByRole('listitem').getByText(says('SMS kwa 0754 123 456', 'SMS to 0754 123 456')).waitFor()
    const unsent = says(
      'Barua pepe kwa juma@example.com: haitatumwa, kwa sababu hakuna mtoa huduma wa njia hii.',
      'E-mail to juma@example.com: not sent, because no gateway is set up for it.',
    )
    await dialog.getByText(unsent).waitFor()
    assert.equal(await page.getByText(nothing).count(), 0)
    await visitor.picture('send-again-one-provider')
    // With only an SMS provider, the form sends nothing to a customer who has only an e-mail address.
    await visitor.opens('/live/invoices/new')
    const sends = page.getByRole('button', { name: says('Hifadhi na utume', 'Save and send') })
    await sends.waitFor()
    await visitor.fill('Barua pepe ya mteja', 'E-mail of the customer', 'juma@example.com')
    await issues.waitFor()
    await visitor.fill('Simu ya mteja', 'Phone of the customer', '0754 123 456')
    await sends.waitFor()
    await visitor.leave()
  })

  test(`a member chooses a due date in 7, 14 or 30 days by the keyboard, and reads the day in words (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/invoices/new')
    const choices = page.getByRole('group', { name: says('Chagua haraka', 'Quick choice') })
    const field = page.locator('[data-path="due_date"]')
    const pressed = choices.locator('[aria-pressed=true]')
    for (const days of [30, 7, 14]) {
      const button = choices.getByRole('button', {
        name: says(`Baada ya siku ${days}`, `In ${days} days`),
        exact: true,
      })
      await button.press('Enter')
      const [today, day] = [await field.getAttribute('min'), await field.inputValue()]
      assert.equal((Date.parse(day) - Date.parse(today ?? '')) / 86_400_000, days)
      const [year = '', month = '', of_month = ''] = day.split('-')
      const name = says(MONTHS_SW, MONTHS_EN).split(' ')[Number(month) - 1]
      await page.getByText(`${Number(of_month)} ${name} ${year}`, { exact: true }).waitFor()
      assert.deepEqual([await pressed.count(), await button.getAttribute('aria-pressed')], [1, 'true'])
    }
    await field.fill('2099-12-05')
    await page.getByText(says('5 Des 2099', '5 Dec 2099'), { exact: true }).waitFor()
    assert.equal(await pressed.count(), 0, 'another day is none of the quick choices')
    await visitor.looks('the quick choices of the due date')
    await visitor.leave()
  })
}

test('the console deletes the typed text when the member cancels the form or signs out', async () => {
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  const drafts = () =>
    page.evaluate<number>("Object.keys(sessionStorage).filter((key) => key.includes('draft')).length")
  await visitor.opens('/sandbox/invoices/new')
  await visitor.fill('', 'Name of the customer', 'Nobody')
  assert.equal(await drafts(), 1)
  await visitor.press('', 'Cancel')
  await visitor.sees('', 'Invoices')
  assert.equal(await drafts(), 0)
  await visitor.opens('/sandbox/links/new')
  await visitor.fill('', 'Amount', '1500')
  assert.equal(await drafts(), 1)
  await visitor.press('', 'Sign out')
  // The sign-out opens several addresses, and another page may open only after the last of them.
  await page.locator('input[name=email]').waitFor()
  await visitor.opens('/sandbox')
  assert.equal(await drafts(), 0)
  await visitor.leave()
})

test('a member with a read-only role sees no link that creates, edits or cancels, and the page of a new link refuses the role', async () => {
  const link = (await office.world.post('/v1/payment-links', { amount: '900', description: '<i>Chai</i>' })).body.data
  const visitor = await office.comes(await office.newPerson('VIEWER'), 'dashboard', { refusals: REFUSALS })
  const { page } = visitor
  for (const path of ['', '/collections', '/links', '/invoices', `/links/${link.id}`]) {
    await visitor.opens(`/sandbox${path}`)
    await page.locator('.panel, .list, .empty').first().waitFor()
    const acts = page.getByRole('main').getByRole('link', { name: /^(Create|Edit|Cancel|Send the)/ })
    assert.equal(await acts.count(), 0, path)
  }
  await page.getByText('<i>Chai</i>').first().waitFor()
  assert.equal(await page.getByRole('button', { name: 'Cancel the link' }).count(), 0)
  await visitor.opens('/sandbox/links/new')
  await page.getByText('Your role does not allow this action.').waitFor()
  await visitor.leave()
})

test('the first page shows what it could read, and an error in place of each missing figure', async () => {
  const visitor = await office.comes(owner, 'dashboard', { refusals: [...REFUSALS, 503] })
  const { page } = visitor
  const fails = (name: string) => page.route(name, (route) => route.fulfill({ status: 503, body: '{}' }))
  const balance = page.getByRole('region', { name: 'Balance', exact: true })
  const figures = page.getByRole('heading', { name: 'Business figures', exact: true })
  const error = 'Error on our side'
  await fails('**/v1/merchant/overview?**')
  await visitor.opens('/sandbox?period=7d')
  await page.getByText(error).waitFor()
  await balance.getByText('Available', { exact: true }).waitFor()
  assert.equal(await figures.count(), 0, 'without a figure, the page has no card of figures')
  await fails('**/v1/merchant/balance?**')
  await fails('**/v1/merchant/checklist**')
  await page.reload()
  await balance.getByText(error).waitFor()
  await page.getByRole('region', { name: 'Over time', exact: true }).getByText(error).waitFor()
  assert.equal(await page.getByText(error).filter({ visible: true }).count(), 2, 'no further error is above the cards')
  assert.equal(await balance.getByRole('link').count(), 0, 'no link needs the missing balance')
  assert.equal(await balance.getByText('Warn me when the balance is low').count(), 0)
  await visitor.looks('the first page without figures')
  await visitor.picture('home-errors')
  // The list of withdrawals also needs two reads. The page shows one error, below the filters, as the other lists do.
  await fails('**/v1/merchant/withdrawals?**')
  await visitor.opens('/sandbox/withdrawals')
  await page.getByText(error).filter({ visible: true }).waitFor()
  assert.equal(await page.getByText(error).filter({ visible: true }).count(), 1)
  const alert = await page.getByRole('alert').filter({ visible: true }).boundingBox()
  const search = await page.getByRole('main').getByRole('search').boundingBox()
  assert.ok(alert && search && alert.y >= search.y + search.height, JSON.stringify([alert, search]))
  await visitor.opens('/sandbox?period=7d')
  await balance.getByText(error).waitFor()
  for (const name of ['overview?**', 'balance?**', 'checklist**']) await removeRoutes(page, `**/v1/merchant/${name}`)
  await balance.getByRole('button', { name: 'Try again' }).click()
  await balance.getByText('Available', { exact: true }).waitFor()
  await balance.getByRole('link', { name: 'Withdraw', exact: true }).waitFor()
  await figures.waitFor()
  await page.getByText('How are these numbers counted?').click()
  await page.getByText('A day begins at midnight in Tanzania (EAT)').waitFor()
  await visitor.leave()
})
