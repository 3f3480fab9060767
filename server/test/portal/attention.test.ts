// Tests that members see problems on the first page, find a payment, and send webhooks again.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setMember } from '../../src/access/merchants/index.ts'
import { inTransaction } from '../../src/kernel/db/index.ts'
import { removeRoutes } from '../browser.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { endDeliveries } from '../webhooks.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
let receiver: Receiver
before(async () => {
  office = await openOffice()
  receiver = await startReceiver()
})
beforeEach(() => endDeliveries(office.world.deps.db))
after(async () => {
  await office.close()
  await receiver.close()
})

/**
 * Makes a merchant with a payment under review, a paid payment, and further endpoints of these names. Waits until each webhook
 * delivery of the merchant has failed two times.
 */
async function troubledShop(endpoints: readonly string[] = []) {
  const { world } = office
  const merchant = await world.newMerchant()
  const key = await world.newKey({ merchant })
  receiver.reply = { kind: 'status', status: 500 }
  const url = { webhook_url: receiver.url }
  await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: url, key })
  for (const description of endpoints) {
    const events = ['collection.success', 'collection.pending_review']
    const endpoint = { webhook_url: `${receiver.url}/${description}`, description, events }
    const made = await world.post('/v1/merchant/webhook-endpoints', endpoint, { key })
    assert.equal(made.status, 201, made.text)
  }
  const pay = (phone: string, reference: string, customer_name: string) =>
    world.post('/v1/collections/wallet-push', { amount: '25000', phone, reference, customer_name }, { key })
  await pay('0713456014', 'HELD-1', 'Juma Ali')
  const paid = await pay('0754129001', 'ORDER-77', 'Neema Mushi')
  const deliveries = async () => (await world.get('/v1/merchant/webhook-deliveries', key)).body.data.items
  const until = async (holds: () => Promise<boolean>) => {
    while (!(await holds())) await new Promise((done) => setTimeout(done, 20))
  }
  await until(async () => (await deliveries()).length >= 2 + 2 * endpoints.length)
  const missed = (attempts: number) =>
    until(async () =>
      (await deliveries()).every((one: { attempts: unknown[]; status: string }) => one.attempts.length >= attempts),
    )
  await missed(1)
  world.deps.clock.advance(61_000)
  await missed(2)
  return { merchant, key, id: paid.body.data.collection_id as string, deliveries }
}

for (const language of languagesOf(0)) {
  test(`a member sees problems on the first page and in the menu, and opens the payments that need attention (${language})`, async () => {
    const { merchant } = await troubledShop()
    const person = await office.newPerson('MERCHANT_ADMIN', merchant)
    const at = await office.comes(person, 'dashboard', { language, refusals: [400] })
    const { page, says } = at
    await at.opens('/sandbox')
    const strip = page.getByRole('region', { name: says('Yanayohitaji uangalizi wako', 'Needs your attention') })
    await strip
      .getByText(says('haipokei matukio ya mazingira ya Majaribio', 'does not accept the events of the sandbox'))
      .waitFor()
    await strip
      .getByText(says(/^2 unajaribiwa tena \(jaribio lijalo .*\d\d:\d\d\)$/, /^2 are retried \(next .*\d\d:\d\d\)$/))
      .waitFor()
    await page.getByText(says('Nionye salio likiwa chini ya kiasi fulani', 'Warn me when the balance is low')).click()
    const field = page.getByLabel(says('Kiasi (TZS)', 'Below this amount (TZS)'))
    await field.fill('25,000.505')
    await field.press('Enter')
    await page.locator('.mantine-TextInput-error').waitFor()
    await field.fill('TZS 900,000')
    await field.press('Enter')
    await strip
      .getByText(says('Salio lako liko chini ya TZS\u00a0900,000', 'Your balance is below TZS\u00a0900,000'))
      .waitFor()
    await at.looks('the attention strip')
    await at.picture('attention')
    await page.setViewportSize({ width: 360, height: 740 })
    // On a phone, each item is its sentence and one action. The details open by their button, whose name has the sentence.
    await strip.locator('.facts').waitFor({ state: 'hidden' })
    const items = strip.getByRole('listitem')
    const heights = await items.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
    assert.ok(heights.length >= 3 && Math.max(...heights) < 110, `the items are ${heights.join(', ')} pixels high`)
    for (const item of await items.all()) {
      assert.equal(await item.locator('a:visible, button:visible').count(), 1, await item.innerText())
    }
    await at.looks('the folded attention strip on a phone')
    await at.picture('attention-phone')
    await page.setViewportSize({ width: 360, height: 740 })
    await strip.locator('.facts').waitFor({ state: 'hidden' })
    const failing = items.filter({ hasText: says('haipokei matukio', 'does not accept the events') })
    const sentence = await failing.locator('strong').innerText()
    const details = failing.locator('summary')
    assert.equal(await details.textContent(), `${says('Maelezo', 'Details')}: ${sentence}`)
    await details.click()
    const facts = await strip.locator('.facts').boundingBox()
    assert.ok(facts !== null && facts.height < 180, `on a phone, the facts are ${facts?.height} pixels high`)
    await at.looks('an opened item of the attention strip on a phone')
    await at.picture('attention-phone-opened')
    await page.setViewportSize({ width: 1280, height: 800 })
    const menu = page.getByRole('navigation', { name: says('Menyu', 'Menu') })
    await menu
      .getByRole('link', { name: /^Webhook/ })
      .locator('.count')
      .waitFor()
    assert.equal(
      await menu
        .getByRole('link', { name: says('Malipo', 'Payments') })
        .locator('.count')
        .innerText(),
      '1',
    )
    await strip.getByRole('link', { name: says('Angalia malipo', 'See the payments') }).click()
    await page.getByRole('cell', { name: 'HELD-1', exact: true }).waitFor()
    assert.match(page.url(), /status=pending_clearance/)
    await at.leave()
  })
}

/** Makes a member of two merchants, of which one needs attention. */
async function memberOfTwo() {
  const { world } = office
  const { merchant } = await troubledShop()
  const calm = await world.newMerchant()
  const person = await office.newPerson('VIEWER', calm)
  await inTransaction(world.deps.db, (tx) => setMember(world.deps, tx, merchant.id, person.user_id, 'VIEWER'))
  return { merchant, calm, person }
}

for (const language of languagesOf(0)) {
  test(`the choice of businesses marks another business that needs attention, also while it is closed (${language})`, async () => {
    const { merchant, calm, person } = await memberOfTwo()
    const at = await office.comes(person, 'dashboard', { language })
    const { page, says } = at
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/me/attention')) reads.push(request.url())
    })
    await at.opens('/sandbox')
    const choice = page.getByLabel(says('Biashara', 'Business'), { exact: true })
    await choice.selectOption(calm.id)
    const mark = page.locator('.business-mark')
    const text = says('Biashara yako nyingine inahitaji uangalizi.', 'Another of your businesses needs attention.')
    await mark.getByText(text).waitFor()
    assert.ok(((await mark.boundingBox())?.width ?? 0) >= 8, 'the closed choice shows the dot')
    const labels = await choice.locator('option').allInnerTexts()
    const marked = labels.filter((label) => label.endsWith(says('(inahitaji uangalizi)', '(needs attention)')))
    assert.deepEqual([marked.length, marked[0]?.startsWith('● ')], [1, true], labels.join())
    await at.looks('the choice with a marked business')
    await at.picture('choice-of-businesses')
    assert.equal(reads.filter((url) => url.includes('merchant_id')).length, 0, 'one request reads all businesses')
    await choice.selectOption(merchant.id)
    await mark.waitFor({ state: 'hidden' })
    assert.equal((await choice.innerText()).includes('●'), false, 'the open business has no mark')
    await at.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`a member on a phone reads on the first page which other business needs attention and why, and opens it there (${language})`, async () => {
    const { calm, person } = await memberOfTwo()
    const at = await office.comes(person, 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox')
    await page.getByLabel(says('Biashara', 'Business'), { exact: true }).selectOption(calm.id)
    await page.setViewportSize({ width: 360, height: 740 })
    const line = page.getByText(
      says(
        'Biashara yako Duka la Juma inahitaji uangalizi: seva yake haipokei matukio; mwendeshaji anakagua malipo.',
        'Your business Duka la Juma needs attention: its server does not accept events; an operator reviews a payment.',
      ),
    )
    await line.waitFor()
    await at.looks('the line about another business')
    await at.picture('other-business')
    await page
      .getByRole('button', { name: says('Fungua Duka la Juma', 'Open Duka la Juma') })
      .first()
      .click()
    await line.waitFor({ state: 'hidden' })
    await at.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`several failing endpoints share a line, which leads to their list, and a row of the list leads to its deliveries (${language})`, async () => {
    const { merchant } = await troubledShop(['Stock', 'Books'])
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox')
    const strip = page.getByRole('region', { name: says('Yanayohitaji uangalizi wako', 'Needs your attention') })
    const line = strip.getByRole('listitem').filter({ hasText: /webhook/i })
    await line.getByText(says('Anwani 3 za webhook hazipokei', '3 webhook endpoints do not accept')).waitFor()
    assert.equal(await line.count(), 1)
    await line
      .getByText(says(/^Ujumbe usiopokelewa: 6 unajaribiwa tena \(/, /^Missed deliveries: 6 are retried \(next /))
      .waitFor()
    await at.looks('several failing endpoints')
    await at.picture('several-failing')
    await line.getByRole('link', { name: says('Angalia anwani hizi', 'See the endpoints') }).click()
    await at.sees('Anwani zisizopokea ujumbe', 'Failing endpoints')
    const rows = page.getByRole('table').locator('tbody').getByRole('row')
    await rows.filter({ hasText: says('Anwani kuu', 'Main endpoint') }).waitFor()
    await rows
      .filter({ hasText: 'Books' })
      .getByText(says(/^2 unajaribiwa tena \(/, /^2 are retried \(next /))
      .waitFor()
    assert.equal(await rows.count(), 3)
    await at.looks('the list of failing endpoints')
    await at.picture('failing-endpoints')
    await rows.filter({ hasText: 'Stock' }).getByRole('link').click()
    await page.waitForURL(/webhooks\?endpoint_id=[0-9a-f-]{36}&status=pending$/)
    await page
      .getByRole('heading', { name: says('Ujumbe uliotumwa', 'Deliveries'), exact: true })
      .and(page.locator(':focus'))
      .waitFor()
    await line.getByRole('link', { name: says('Angalia anwani hizi', 'See the endpoints') }).waitFor()
    await at.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`the warning about one failing endpoint has buttons that test this endpoint and change its address (${language})`, async () => {
    const { merchant, deliveries, key } = await troubledShop(['Stock'])
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    const box = page.getByRole('region', { name: says('Yanayohitaji uangalizi wako', 'Needs your attention') })
    const [test_name, change_name] = [
      says('Tuma tukio la mfano', 'Send a test event'),
      says('Badilisha anwani', 'Change the address'),
    ]
    await at.opens('/sandbox/webhooks')
    await box.getByRole('link', { name: says('Angalia anwani hizi', 'See the endpoints') }).waitFor()
    assert.equal(await box.getByRole('button').count(), 0, 'several endpoints share a line without buttons')
    await page.getByText(says('Badilisha anwani au matukio', 'Change the address or the events')).click()
    await at.press('Hifadhi', 'Save')
    await page.locator(':focus', { hasText: says('Imehifadhiwa.', 'Saved.') }).waitFor()
    assert.equal(await page.locator('.attention-with-result:focus').count(), 0, 'the warning has no button')
    // Only the other endpoint still fails after a test of the main address succeeds and the server sends its missed deliveries.
    receiver.reply = { kind: 'status', status: 200 }
    const isMain = ({ endpoint_id }: { endpoint_id: string }) => endpoint_id === 'default'
    const { created_at: since } = (await deliveries()).findLast(isMain)
    const sent = await office.world.post(
      '/v1/merchant/webhook-deliveries/replay',
      { since, endpoint_id: 'default' },
      { key },
    )
    assert.equal(sent.status, 202, sent.text)
    while ((await deliveries()).filter(isMain).some(({ status }: { status: string }) => status !== 'delivered'))
      await new Promise((done) => setTimeout(done, 20))
    await box.getByRole('button', { name: change_name }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(
      await dialog.getByLabel(says('Anwani ya seva yako', 'Address of your server')).inputValue(),
      `${receiver.url}/Stock`,
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await at.looks('the warning with its buttons')
    await at.picture('warning-buttons')
    await box.getByRole('button', { name: change_name }).click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    const before = receiver.received.length
    await box.getByRole('button', { name: test_name }).click()
    const result = page
      .getByRole('main')
      .getByRole('status')
      .filter({ hasText: says('imejibu 200', 'answered 200') })
    await result.getByText(`${receiver.url}/Stock`).waitFor()
    assert.deepEqual(
      receiver.received.slice(before).map(({ path }) => path),
      ['/hook/Stock'],
    )
    await at.picture('warning-tested')
    await at.leave()
  })

  test(`the warning about the failing main address opens the form of this address (${language})`, async () => {
    const { merchant } = await troubledShop()
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox/webhooks')
    const box = page.getByRole('region', { name: says('Yanayohitaji uangalizi wako', 'Needs your attention') })
    const field = page.getByLabel(says('Anwani ya seva yako', 'Address of your server'))
    assert.equal(await field.isVisible(), false)
    for (let i = 0; i < 2; i += 1) {
      await box.getByRole('button', { name: says('Badilisha anwani', 'Change the address') }).click()
      await field.and(page.locator(':focus')).waitFor()
      await page.getByText(says('Badilisha anwani au matukio', 'Change the address or the events')).click()
      await field.waitFor({ state: 'hidden' })
    }
    // After the save, the warning takes the focus, because its button sends the missed deliveries.
    await box.getByRole('button', { name: says('Badilisha anwani', 'Change the address') }).click()
    await field.fill(`${receiver.url}/moved`)
    await at.press('Hifadhi', 'Save')
    await page.locator('.toasts').getByText(says('Imehifadhiwa.', 'Saved.'), { exact: true }).waitFor()
    await page.locator('.attention-with-result:focus').waitFor()
    const send = box.getByRole('button', { name: says('Tuma sasa', 'Send now') })
    await send.waitFor()
    const place = (await send.boundingBox())?.y ?? -1
    assert.ok(place > 0 && place < 700, `the button that sends the missed deliveries is at ${place} px`)
    await at.picture('address-changed')
    await at.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`an operator whose live queue is empty finds the work that waits in the sandbox (${language})`, async () => {
    await troubledShop()
    const at = await office.comes(await office.newPerson('SUPER_ADMIN'), 'operator', { language })
    const { page, says } = at
    await at.opens('/')
    await page.getByRole('heading', { name: says('Hakuna kazi kwenye Halisi', 'No work waits in live') }).waitFor()
    await at.looks('an empty live queue')
    await at.picture('queue-elsewhere')
    const waiting = page.getByRole('link', { name: says('Kwenye Majaribio yanasubiri', 'Waiting in the sandbox') })
    await waiting.and(page.locator('.mantine-Button-root')).click()
    const held = page.getByRole('main').getByRole('link', { name: says('Malipo yaliyozuiwa', 'Held payments') })
    await held.waitFor()
    assert.match(page.url(), /environment=sandbox/)
    await at.leave()
  })
}

/** Moves the clock until the server retries no delivery of the merchant. */
async function untilGivenUp(deliveries: () => Promise<{ status: string }[]>): Promise<void> {
  while ((await deliveries()).some(({ status }) => status === 'pending')) {
    office.world.deps.clock.advance(31 * 60_000)
    await new Promise((done) => setTimeout(done, 100))
  }
}

for (const language of languagesOf(1)) {
  test(`a member who sends a webhook again sees a refusal, an error, or that no result came yet (${language})`, async () => {
    const { merchant, id, deliveries } = await troubledShop()
    await untilGivenUp(deliveries)
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    const result = page.getByRole('main').getByRole('status')
    const sendAgain = () => at.press('Tuma webhook tena', 'Send the webhook again')
    await at.opens(`/sandbox/collections/${id}`)
    let answer = () => {}
    const until = new Promise<void>((done) => {
      answer = done
    })
    receiver.reply = { kind: 'status', status: 503, until }
    await sendAgain()
    await result.getByText(says('Inatuma…', 'Sending…')).waitFor()
    await at.picture('resend-sending')
    answer()
    await result
      .getByText(says('Seva yako imejibu ujumbe collection.success kwa HTTP 503.', 'with HTTP 503. Only a 2xx answer'))
      .waitFor()
    const mend = result.getByRole('link', { name: says('Angalia au badilisha anwani', 'Check or change the address') })
    assert.match((await mend.getAttribute('href')) ?? '', /\/sandbox\/webhooks\?endpoint_id=default$/)
    await at.looks('a webhook that the receiver refused again')
    await at.picture('resend-refused')
    // Somebody removes the endpoint after the attempt, so the merchant can change no address.
    const resent = '**/v1/merchant/webhook-deliveries/*?*'
    await page.route(resent, async (route) => {
      const body = await (await route.fetch()).json()
      await route.fulfill({ json: { ...body, data: { ...body.data, status: 'cancelled' } } })
    })
    await sendAgain()
    await result.getByText(says('kwa HTTP 503', 'with HTTP 503')).waitFor()
    assert.equal(await mend.count(), 0)
    await removeRoutes(page, resent)
    receiver.reply = { kind: 'reset' }
    await sendAgain()
    await result.getByText(says('seva imekata muunganisho', 'the receiver closed the connection')).waitFor()
    receiver.reply = { kind: 'status', status: 200 }
    const delivery = (await deliveries()).find(({ payload }: { payload: object }) =>
      Object.values(payload).includes(id),
    )
    const next_attempt_at = new Date(office.world.deps.clock.now().getTime() + 60_000).toISOString()
    const data = { ...delivery, status: 'pending', attempts: [], next_attempt_at }
    await page.route(`**/v1/merchant/webhook-deliveries/${delivery.id}?*`, (route) =>
      route.fulfill({ json: { success: true, data } }),
    )
    await page.clock.install()
    const looked = page.waitForResponse((response) => response.url().includes(`/${delivery.id}?`))
    await sendAgain()
    await looked
    await result.getByText(says('Inatuma…', 'Sending…')).waitFor()
    await page.clock.fastForward(31_000)
    await result.getByText(says('Bado hakuna matokeo', 'has no result after 30 seconds')).waitFor()
    await result.getByText(says('Uko kwenye foleni', 'Queued')).waitFor()
    await at.picture('resend-late')
    await at.leave()
  })
}

for (const language of languagesOf(2)) {
  test(`a member sends the webhook of a payment again to each endpoint that receives it, and sees the result of each address (${language})`, async () => {
    const { merchant, id, deliveries } = await troubledShop(['stock'])
    await untilGivenUp(deliveries)
    receiver.reply = { kind: 'status', status: 200 }
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', {
      language,
      refusals: [409],
    })
    const { page, says } = at
    await at.opens(`/sandbox/collections/${id}`)
    const button = page.getByRole('button', { name: says('Tuma webhook tena', 'Send the webhook again') })
    await button.waitFor()
    const before = receiver.received.length
    await button.dblclick()
    const result = page.getByRole('main').getByRole('status')
    for (const address of [receiver.url, `${receiver.url}/stock`]) {
      await result.getByText(address, { exact: true }).waitFor()
    }
    const arrived = says(
      'imepokea ujumbe collection.success: HTTP 200.',
      'accepted the event collection.success: HTTP 200.',
    )
    await result.getByText(arrived).nth(1).waitFor()
    assert.equal(await result.getByText(arrived).count(), 2)
    const sent = receiver.received.slice(before).map(({ body }) => JSON.parse(body).collection_id)
    assert.deepEqual(sent, [id, id], 'each endpoint gets the event once')
    // The server then refuses the delivery of one endpoint. Both results name their address.
    const stock = (await deliveries()).find(
      ({ endpoint_id, payload }: { endpoint_id: string; payload: object }) =>
        endpoint_id !== 'default' && Object.values(payload).includes(id),
    )
    await page.route(`**/webhook-deliveries/${stock.id}/replay?*`, (route) => {
      const error = { code: 'invalid_state', message: 'This delivery is still pending.', details: null }
      return route.fulfill({ status: 409, json: { success: false, error } })
    })
    await button.click()
    const refused = page.locator('.long-mono', { has: page.getByRole('alert') })
    await refused.getByText(`${receiver.url}/stock`, { exact: true }).waitFor()
    await result.getByText(receiver.url, { exact: true }).waitFor()
    await result.getByText(arrived).first().waitFor()
    assert.equal(await result.getByText(arrived).count(), 1)
    await at.picture('resend-one-refused')
    await at.looks('a webhook that the member sent again to two endpoints')
    await at.picture('resend-two-endpoints')
    await at.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`a member resends the webhooks of selected payments once, sees which did not arrive and why, and copies references (${language})`, async () => {
    const { merchant, key, id, deliveries } = await troubledShop()
    const other = await office.world.post(
      '/v1/collections/wallet-push',
      { amount: '3000', phone: '0754129001', reference: 'ORDER-78' },
      { key },
    )
    const other_id: string = other.body.data.collection_id
    const ofOther = async () =>
      (await deliveries()).find(({ payload }: { payload: object }) => Object.values(payload).includes(other_id))
    while ((await ofOther()) === undefined) await new Promise((done) => setTimeout(done, 20))
    await untilGivenUp(deliveries)
    receiver.reply = { kind: 'status', status: 200 }
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', {
      language,
      refusals: [409],
    })
    const { page, says } = at
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await at.opens('/sandbox/collections')
    await page.getByRole('table').getByText('ORDER-78').waitFor()
    const all = page.getByLabel(says('Chagua yote ya ukurasa huu', 'Select all on this page'))
    const resend = page.getByRole('button', { name: says('Tuma webhook tena', 'Resend webhooks'), exact: true })
    const dialog = page.getByRole('dialog')
    const confirm = dialog.getByRole('button', { name: says('Tuma tena', 'Resend'), exact: true })
    await all.check()
    await at.press('Nakili namba za kumbukumbu', 'Copy references')
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'ORDER-78\nORDER-77\nHELD-1')
    const before = receiver.received.length
    const sent = () => receiver.received.slice(before).map(({ body }) => JSON.parse(body).collection_id)
    const calls: string[] = []
    const keys: (string | undefined)[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/webhook-resends|\/replay|\/timeline/.test(pathname)) calls.push(`${request.method()} ${pathname}`)
      if (request.method() === 'POST') keys.push(request.headers()['idempotency-key'])
    })
    await resend.click()
    await dialog.getByText(says('Malipo 1 hayajakamilika', '1 selected payment is not finished')).waitFor()
    await at.picture('resend-selected-question')
    await dialog.getByRole('button', { name: says('Ghairi', 'Cancel') }).click()
    assert.deepEqual(sent(), [], 'the question sends nothing')
    await resend.click()
    await confirm.dblclick()
    const arrived = says('Webhook zote zimefika kwa malipo 2.', 'All webhooks arrived for 2 payments.')
    await page.locator('.toasts').getByText(arrived, { exact: true }).waitFor()
    assert.deepEqual(sent().sort(), [id, other_id].sort(), 'each finished payment is sent once')
    await page.getByText(says('Umechagua 1', '1 selected')).waitFor()
    assert.equal(
      await page.evaluate<string>('document.activeElement.textContent.slice(0, 40)'),
      says('Tuma webhook tena', 'Resend webhooks'),
      'the button keeps the focus',
    )
    await at.looks('a list after all webhooks arrived')
    // The server sends the webhooks, but the page gets no answer. The second press repeats the same request.
    await page.route('**/webhook-resends?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    await all.check()
    await resend.click()
    await confirm.click()
    await page
      .getByText(says('muunganisho umekatika; huenda ujumbe', 'the connection failed, so the server may'))
      .waitFor()
    await removeRoutes(page, '**/webhook-resends?*')
    await resend.click()
    await confirm.click()
    await page.locator('.toasts').getByText(arrived, { exact: true }).waitFor()
    assert.deepEqual([keys.length, new Set(keys).size, keys[1]], [3, 2, keys[2]], 'an unknown answer keeps the key')
    assert.deepEqual(sent().sort(), [id, id, other_id, other_id].sort(), 'the repeated request sends nothing twice')
    // The server refuses one payment, and the receiver does not accept the other one.
    await office.world.rows('update webhook_deliveries set attempts = 100 where merchant_id = $1 and id = $2', [
      merchant.id,
      (await ofOther()).id,
    ])
    receiver.reply = { kind: 'status', status: 503 }
    await all.check()
    await resend.click()
    await confirm.click()
    const summary = says(
      'Webhook zote zimefika kwa malipo 0, hazijafika zote kwa malipo 2.',
      'All webhooks arrived for 0 payments, not for 2.',
    )
    await page.locator('.toasts').getByText(summary, { exact: true }).waitFor()
    const report = page.getByRole('group', { name: summary, exact: true })
    const reasons = report.getByRole('listitem')
    await reasons
      .getByText(says('ORDER-77: seva yako imejibu HTTP 503', 'ORDER-77: your server answered with HTTP 503'))
      .waitFor()
    await reasons
      .getByText(says('ORDER-78: seva imeutuma mara 100', 'ORDER-78: the server made 100 attempts'))
      .waitFor()
    await page.getByText(says('Umechagua 3', '3 selected')).waitFor()
    const resends = '/v1/merchant/webhook-resends'
    assert.equal(calls.filter((one) => one === `POST ${resends}`).length, 4, 'each run is one call')
    assert.deepEqual(
      [...new Set(calls)].sort(),
      [`GET ${resends}`, `POST ${resends}`],
      'one read has the progress of all',
    )
    await at.looks('a list with refused webhooks')
    await at.picture('resend-selected-refused')
    await page.setViewportSize({ width: 360, height: 740 })
    await at.looks('a list with refused webhooks on a phone')
    await at.picture('resend-selected-refused-phone')
    // The report stays when the list becomes empty.
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel(says('Namba ya kumbukumbu', 'Reference')).fill('NOTHING')
    await page.getByText('ORDER-78', { exact: true }).waitFor({ state: 'detached' })
    await reasons.first().waitFor()
    at.complaints.splice(0, Infinity, ...at.complaints.filter((one) => !one.includes('ERR_')))
    await at.leave()
  })

  test(`a member without the right to send webhooks gets no button for it in the list of payments (${language})`, async () => {
    const { merchant } = await troubledShop()
    const at = await office.comes(await office.newPerson('VIEWER', merchant), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox/collections')
    await page.getByLabel(says('Chagua yote ya ukurasa huu', 'Select all on this page')).check()
    await page.getByRole('button', { name: says('Nakili namba za kumbukumbu', 'Copy references') }).waitFor()
    assert.equal(await page.getByRole('button', { name: says('Tuma webhook tena', 'Resend webhooks') }).count(), 0)
    await at.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`the page of a payment says how many attempts of its webhook failed and when the next attempt is, and sends the webhook now (${language})`, async () => {
    const { merchant, id } = await troubledShop()
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    await at.opens(`/sandbox/collections/${id}`)
    const line = page.getByText(
      says(
        'Majaribio 2 ya kutuma ujumbe collection.success yameshindikana, la mwisho kwa HTTP 500.',
        '2 attempts to send the event collection.success failed, the last with HTTP 500.',
      ),
    )
    await line.waitFor()
    const state = says(
      /^Unajaribiwa tena \(2 kati ya 5, jaribio lijalo .*\d\d:\d\d\)$/,
      /^Retrying \(2 of 5, next .*\d\d:\d\d\)$/,
    )
    await line.getByText(state).waitFor()
    await page.getByRole('list').getByText(state).waitFor()
    await at.looks('a payment whose webhook waits')
    await at.picture('webhook-waits')
    // The page then gets the answer that the API gave before the second attempt, and before the first attempt.
    let number = 1
    await page.route('**/timeline?*', async (route) => {
      const body = await (await route.fetch()).json()
      const { items } = body.data
      const { next_attempt_at } = items.findLast(({ kind }: { kind: string }) => kind === 'webhook')
      const shown = items.flatMap((item: { kind: string; number: number }) => {
        if (item.kind !== 'webhook') return [item]
        const untried = { number, status_code: null, duration_ms: null, error: null }
        return item.number === 1 ? [{ ...item, ...(number === 0 ? untried : {}), next_attempt_at }] : []
      })
      await route.fulfill({ json: { ...body, data: { ...body.data, items: shown } } })
    })
    await page
      .getByText(says('Jaribio 1 la kutuma ujumbe collection.success limeshindikana', '1 attempt to send the event'))
      .waitFor()
    number = 0
    await page.getByText(says('Seva bado haijarekodi jaribio', 'The server has recorded no attempt to send')).waitFor()
    assert.ok(
      await page.getByRole('button', { name: says('Tuma webhook tena', 'Send the webhook again') }).isDisabled(),
    )
    await removeRoutes(page, '**/timeline?*')
    await at.opens(`/sandbox/collections/${id}`)
    await line.waitFor()
    const before = receiver.received.length
    await at.press('Tuma webhook sasa', 'Send the webhook now')
    const result = page.getByRole('main').getByRole('status')
    await result
      .getByText(says('Seva yako imejibu ujumbe collection.success kwa HTTP 500.', 'with HTTP 500.'))
      .waitFor()
    assert.equal(receiver.received.length, before + 1, 'the server sends the waiting delivery once')
    await at.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`operators read the state of a missed webhook and its reason in the words of the merchant (${language})`, async () => {
    const { merchant, id } = await troubledShop()
    const at = await office.comes(await office.newPerson('SUPER_ADMIN'), 'operator', { language })
    const { page, says } = at
    await at.opens(`/payments/${id}`)
    const table = page.getByRole('table', { name: says('Webhook kwa biashara', 'Webhooks to the merchant') })
    await table.getByText(says(/^Unajaribiwa tena \(2 kati ya 5, /, /^Retrying \(2 of 5, next /)).waitFor()
    const reason = says('jibu si 2xx', 'the receiver answered with an HTTP status other than 2xx')
    await table.getByText(`HTTP 500 · ${reason}`, { exact: true }).waitFor()
    await at.looks('a payment of a shop whose webhooks fail')
    await at.opens('/webhooks')
    const shop = page.locator('section').filter({ hasText: merchant.name })
    await shop
      .getByText(says(/^2 unajaribiwa tena \(/, /^2 are retried \(next /))
      .first()
      .waitFor()
    await at.leave()
  })
}

test('a member finds a payment by the last four digits of the phone, and sends its webhook again in under 30 seconds', async () => {
  const { merchant, id, deliveries } = await troubledShop()
  // All automatic attempts of the deliveries end before the member opens the console.
  await untilGivenUp(deliveries)
  receiver.reply = { kind: 'status', status: 200 }
  const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  await at.opens('/sandbox')
  await at.page.getByText('2 have failed', { exact: true }).waitFor()
  await at.page.getByRole('button', { name: /^Search/ }).waitFor()
  const began = Date.now()
  await at.page.keyboard.press('/')
  await at.page.keyboard.type('9001')
  await at.page.getByRole('option').filter({ hasText: 'ORDER-77' }).waitFor()
  await at.page.keyboard.press('Enter')
  await at.page.waitForURL(new RegExp(id))
  await at.page.getByText('0754 129 001 · M-Pesa').waitFor()
  await at.page.getByRole('button', { name: 'Send the webhook again' }).waitFor()
  const acts = at.page.locator('.record-head').getByRole('button').or(at.page.locator('.record-head').getByRole('link'))
  const names = (await acts.allTextContents()).filter((name) => name !== 'Copy')
  assert.deepEqual(names, ['Receipt', 'Send the webhook again', 'Query the provider now'])
  await at.looks('the page of a payment')
  await at.picture('payment')
  const before = receiver.received.length
  await at.press('', 'Send the webhook again')
  const result = at.page.getByRole('main').getByRole('status')
  await result.getByText('Your server accepted the event collection.success: HTTP 200.').waitFor()
  const sent = receiver.received.slice(before).map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    sent.filter(({ collection_id }) => collection_id === id).map(({ customer_phone }) => customer_phone),
    ['255754129001'],
  )
  assert.ok(Date.now() - began < 30_000)
  await at.page.getByRole('button', { name: /^Show technical steps/ }).click()
  await at.page.getByRole('button', { name: 'Hide technical steps' }).waitFor()
  await at.looks('the page of a payment with its technical steps')
  await at.leave()
})

test('a member sees the warning about a failing webhook, tests the address, and sends the waiting deliveries with one button', async () => {
  const { merchant, key, deliveries } = await troubledShop()
  const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  const { page } = at
  await at.opens('/sandbox')
  const warning = page.getByText('Your server does not accept the events of the sandbox')
  await warning.waitFor()
  await at.press('', 'Repair it')
  await at.sees('', 'Webhooks')
  assert.match(page.url(), /webhooks\?endpoint_id=default$/)
  const change = page.getByRole('button', { name: 'Change the address' })
  await change.waitFor()
  const place = (await change.boundingBox())?.y ?? -1
  assert.ok(place > 0 && place < 600, `the button that repairs the address is at ${place} px`)
  await at.opens('/sandbox/webhooks?endpoint_id=default&status=pending')
  const list = page.getByRole('heading', { name: 'Deliveries', exact: true })
  await list.and(page.locator(':focus')).waitFor()
  const top = (await list.boundingBox())?.y ?? -1
  assert.ok(top >= 0 && top < 400, `the list begins at ${top} px`)
  await at.picture('failing-deliveries')
  receiver.reply = { kind: 'status', status: 200 }
  const before = receiver.received.length
  const box = page.getByRole('region', { name: 'Needs your attention' })
  await box.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByText('Your server accepts the events of the sandbox again').waitFor()
  const menu = page.getByRole('navigation', { name: 'Menu' })
  const badge = menu.getByRole('link', { name: /^Webhooks/ }).locator('.count')
  assert.equal(await badge.innerText(), '2', 'the menu counts the missed deliveries that wait')
  const result = page.getByRole('main').getByRole('status').filter({ hasText: 'Your server answered 200' })
  await result.getByText(/^Missed deliveries: 2 are retried \(next .*\d\d:\d\d\)$/).waitFor()
  await at.looks('an endpoint whose missed deliveries wait')
  await at.picture('missed')
  const early = (await deliveries()).find(({ status }: { status: string }) => status === 'pending')
  const delivered = async (count: number) => {
    const missed = async () =>
      (await deliveries()).filter(({ attempts }: { attempts: object[] }) => attempts.length > 1)
    while ((await missed()).filter(({ status }: { status: string }) => status === 'delivered').length < count)
      await new Promise((done) => setTimeout(done, 20))
  }
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  // Before the server gets the request of the button, it sends one of the two missed deliveries.
  await page.route('**/v1/merchant/webhook-deliveries/replay?*', async (route) => {
    const sent = await office.world.post(`/v1/merchant/webhook-deliveries/${early.id}/replay`, {}, { key })
    assert.equal(sent.status, 202, sent.text)
    await delivered(1)
    receiver.reply = { kind: 'status', status: 200, until: answered }
    await route.continue()
  })
  const message = page.getByText('The server sends 1 delivery now. It had already sent 1 again, or sends it now.')
  await Promise.all([message.waitFor().then(() => at.picture('sent-missed')), at.press('', 'Send now')])
  await page.getByRole('region', { name: 'Needs your attention' }).waitFor({ state: 'detached' })
  const progress = page.locator('.toasts[role=status] .toast')
  await progress.filter({ hasText: /^1 of 2 arrived\.$/ }).waitFor()
  // The server waits 8 seconds for the receiver. The checks of the page may take longer, so the page gets the next result later.
  const { promise: checked, resolve: check } = Promise.withResolvers<void>()
  await page.route('**/v1/merchant/webhook-deliveries?*', (route) => checked.then(() => route.continue()))
  answer()
  await at.looks('deliveries of which one arrived')
  await at.picture('one-arrived')
  check()
  // The failure names the text that the page shows instead.
  await progress.filter({ hasText: /^1 of 2 arrived\.$/ }).waitFor({ state: 'detached' })
  assert.equal((await progress.allInnerTexts()).at(-1)?.trim(), 'All 2 deliveries arrived.')
  while ((await deliveries()).some(({ status }: { status: string }) => status !== 'delivered'))
    await new Promise((done) => setTimeout(done, 20))
  assert.equal(receiver.received.length, before + 3, 'the server sends the test and each waiting delivery once')
  await badge.waitFor({ state: 'detached' })
  await menu.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByText('An operator reviews a payment').waitFor()
  assert.equal(await warning.count(), 0)
  await at.leave()
})

for (const language of languagesOf(0)) {
  test(`a member who sends missed deliveries reads how many the endpoint accepted, and how many it refused again (${language})`, async () => {
    const { merchant } = await troubledShop()
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    await at.opens('/sandbox/webhooks')
    receiver.reply = { kind: 'status', status: 200 }
    await at.press('Tuma tukio la mfano', 'Send a test event')
    await page.getByText(says('Seva yako inapokea tena', 'Your server accepts the events')).waitFor()
    receiver.reply = { kind: 'status', status: 500 }
    await at.press('Tuma sasa', 'Send now')
    const progress = page.locator('.toasts[role=status] .toast')
    await progress.getByText(says('Ujumbe 0 kati ya 2 umepokelewa.', '0 of 2 arrived.'), { exact: true }).waitFor()
    const ending = says('Seva yako haikupokea ujumbe 2.', 'Your server did not accept 2.')
    await progress.filter({ hasText: ending }).waitFor()
    await at.looks('deliveries that the endpoint refused again')
    await at.picture('refused-again')
    await at.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`a member sends the missed events of a failing endpoint again, and the form already has the endpoint and the start (${language})`, async () => {
    const { merchant, key, deliveries } = await troubledShop()
    const { world } = office
    const other = { webhook_url: `${receiver.url}/other`, description: 'Stock', events: ['balance.low'] }
    const made = await world.post('/v1/merchant/webhook-endpoints', other, { key })
    assert.equal(made.status, 201, made.text)
    await untilGivenUp(deliveries)
    const times = (await deliveries()).map(({ created_at }: { created_at: string }) => Date.parse(created_at))
    const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = at
    // The form refuses a time after the browser's clock.
    await page.clock.install({ time: world.deps.clock.now() })
    await at.opens('/sandbox')
    await at.press('Rekebisha', 'Repair it')
    await at.press('Tuma tena tangu…', 'Send again since…')
    const form = page.getByRole('dialog')
    const endpoint = form.getByLabel(says('Anwani', 'Endpoint'))
    assert.equal(await endpoint.inputValue(), 'default')
    const since = await form.getByLabel(says('Kuanzia (saa za Tanzania)', 'Since (Tanzanian time)')).inputValue()
    assert.equal(since, new Date(Math.min(...times) + 3 * 3_600_000).toISOString().slice(0, 16))
    await at.looks('the form that sends deliveries again')
    await at.picture('replay-since')
    receiver.reply = { kind: 'status', status: 200 }
    const before = receiver.received.length
    await form.getByRole('button', { name: says('Tuma tena', 'Send again'), exact: true }).click()
    await page
      .getByText(says(`Seva inatuma ujumbe ${times.length} sasa.`, `The server sends ${times.length} deliveries now.`))
      .waitFor()
    while (receiver.received.length < before + times.length) await new Promise((done) => setTimeout(done, 20))
    await form.getByRole('button', { name: says('Funga', 'Close'), exact: true }).click()
    const menu = page.getByRole('navigation', { name: says('Menyu', 'Menu') })
    await menu
      .getByRole('link', { name: /^Webhook/ })
      .locator('.count')
      .waitFor({ state: 'detached' })
    await at.press('Ondoa vichujio', 'Clear filters')
    await at.press('Tuma tena tangu…', 'Send again since…')
    assert.equal(await endpoint.inputValue(), '', 'without a warning, the form chooses no endpoint')
    await at.leave()
  })
}

test('a click on a row opens its record, and a reload keeps a saved filter and a hidden column', async () => {
  const { merchant, id } = await troubledShop()
  const at = await office.comes(await office.newPerson('VIEWER', merchant), 'dashboard')
  const { page, context } = at
  await at.opens('/sandbox/collections')
  const row = page.getByRole('row').filter({ hasText: 'ORDER-77' })
  await row.getByText('0754 129 001 · M-Pesa').waitFor()
  await at.looks('the list of payments')
  await at.picture('collections')
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    row.getByRole('cell').nth(2).click({ button: 'middle' }),
  ])
  await tab.waitForURL(new RegExp(id))
  await tab.close()
  await row.getByRole('cell').nth(2).click()
  await page.waitForURL(new RegExp(id))
  await page.goBack()
  await page.getByLabel('Status').selectOption('pending_clearance')
  await page.getByRole('cell', { name: 'HELD-1', exact: true }).waitFor()
  await page.getByText('ORDER-77').waitFor({ state: 'detached' })
  await at.press('', 'Save these filters')
  // The field for the name has the focus.
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('Under review')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await at.press('', 'Clear filters')
  await page.getByText('ORDER-77').waitFor()
  await page.reload()
  await page.getByRole('list', { name: 'Saved filters' }).getByRole('button', { name: 'Under review' }).first().click()
  await page.getByText('ORDER-77').waitFor({ state: 'detached' })
  await page.getByText('Columns', { exact: true }).click()
  await page.getByLabel('Our fee').check()
  await page.getByRole('columnheader', { name: 'Our fee' }).waitFor()
  await page.getByLabel('Method').last().uncheck()
  await at.looks('saved filters and columns')
  await at.picture('collections-filtered')
  await page.reload()
  await page.getByRole('columnheader', { name: 'Our fee' }).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'Method' }).count(), 0)
  await at.press('', 'Remove Under review')
  await page.getByRole('list', { name: 'Saved filters' }).waitFor({ state: 'detached' })
  await at.leave()
})

test('a list on a phone shows each payment in a low row, and a click opens the payment', async () => {
  const { merchant, id } = await troubledShop()
  const options = { viewport: { width: 360, height: 740 } }
  const at = await office.comes(await office.newPerson('VIEWER', merchant), 'dashboard', { language: 'sw', options })
  const { page } = at
  await at.opens('/sandbox/collections')
  const row = page.getByRole('listitem').filter({ hasText: 'ORDER-77' })
  await row.getByText('0754 129 001').waitFor()
  assert.ok(((await row.boundingBox())?.height ?? 999) < 110, 'a row is low')
  await row.getByText('ORDER-77').click()
  await page.waitForURL(new RegExp(id))
  await at.leave()
})

test('a developer selects failed deliveries and sends all of them again with one button', async () => {
  const { merchant, deliveries } = await troubledShop()
  const { world } = office
  while ((await deliveries()).some(({ status }: { status: string }) => status === 'pending')) {
    world.deps.clock.advance(31 * 60_000)
    await new Promise((done) => setTimeout(done, 100))
  }
  receiver.reply = { kind: 'status', status: 200 }
  const operator = await office.comes(await office.newPerson('SUPER_ADMIN'), 'operator')
  await operator.opens('/webhooks')
  const panel = operator.page.locator('section', { has: operator.page.locator(`a[href$="merchants/${merchant.id}"]`) })
  await panel.getByText('They are not retried. The merchant can send them again.', { exact: true }).waitFor()
  await operator.leave()
  const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  const { page } = at
  await at.opens('/sandbox/webhooks')
  const boxes = page.getByRole('checkbox', { name: /^Select / })
  await boxes.nth(1).waitFor()
  await boxes.nth(0).check()
  await boxes.nth(1).check()
  await page.getByText('2 selected').waitFor()
  await at.looks('selected deliveries')
  await at.picture('bulk')
  const before = receiver.received.length
  const posts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
  })
  // The message disappears after some seconds, so the test starts to wait before the press of the button.
  await Promise.all([
    page.getByText('The server sends 2 deliveries again.').waitFor(),
    at.press('', 'Send the selected again'),
  ])
  while (receiver.received.length < before + 2) await new Promise((done) => setTimeout(done, 20))
  assert.deepEqual(new Set(receiver.received.slice(before).map(({ headers }) => headers['webhook-id'])).size, 2)
  assert.deepEqual(posts, ['/v1/merchant/webhook-resends'], 'one call sends all')
  await page.locator('.bulk-bar:focus').waitFor()
  await at.leave()
})

test('a list with a due delivery reads every 2 seconds for 30 seconds, then every 5 seconds, and not in a hidden tab', async () => {
  const { merchant } = await troubledShop()
  const at = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard')
  const { page } = at
  await at.opens('/sandbox')
  await page.clock.install()
  const next_attempt_at = new Date().toISOString()
  let [opened, reads] = [0, 0]
  await page.route('**/v1/merchant/webhook-deliveries?*', async (route) => {
    opened += 1
    const body = await (await route.fetch()).json()
    const items = body.data.items.map((item: object) => ({ ...item, status: 'pending', next_attempt_at }))
    await route.fulfill({ json: { ...body, data: { ...body.data, items } } })
    reads += 1
  })
  // The clock of the page stops while a read is open, so that a slow machine changes no count.
  const readsIn = async (seconds: number) => {
    const before = reads
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1_000)
      do await new Promise((done) => setTimeout(done, 40))
      while (opened > reads)
    }
    return reads - before
  }
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Webhooks/ })
    .click()
  await page
    .getByRole('table', { name: 'Deliveries' })
    .getByText(/^Retrying \(2 of 5/)
    .first()
    .waitFor()
  const soon = await readsIn(20)
  assert.ok(soon >= 9 && soon <= 11, `${soon} reads in the first 20 seconds`)
  await readsIn(15)
  const later = await readsIn(20)
  assert.ok(later >= 3 && later <= 5, `${later} reads in 20 seconds after the first 35`)
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  assert.equal(await readsIn(20), 0, 'a hidden tab reads nothing')
  await at.leave()
})

test('the queue of operators shows a withdrawal that waits for more than a day, and a check of the books that failed', async () => {
  const { world } = office
  const { key } = await troubledShop()
  const body = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456' }
  const made = await world.post('/v1/disbursements/mobile-money', body, { key })
  assert.equal(made.status, 202, made.text)
  const day_ago = new Date(Date.now() - 30 * 3_600_000)
  await world.rows('update withdrawals set created_at = $2 where id = $1', [made.body.data.id, day_ago])
  await world.rows(
    `insert into verify_runs (period_start, process_id, started_at, lease_until, finished_at, ok, checks, problems, duration_ms, broken)
     values ($1, $2, $1, $1, $1, false, 40, 3, 5, '[]')`,
    [day_ago, made.body.data.id],
  )
  for (const language of ['en', 'sw'] as const) {
    const at = await office.comes(await office.newPerson('SUPPORT'), 'operator', { language })
    const { page, says } = at
    await at.opens('/?environment=sandbox')
    const strip = page.getByRole('region', { name: says('Yanayohitaji uangalizi sasa', 'Needs attention now') })
    await strip.getByText(says('Ukaguzi wa mwisho wa vitabu ulikuta migongano 3', 'found 3 contradictions')).waitFor()
    await strip.getByText(says('Utoaji pesa unaosubiri idhini:', 'Withdrawals that wait for approval:')).waitFor()
    await at.looks('the strip of the queue')
    await at.picture('strip')
    await strip.getByRole('link', { name: says('Fungua orodha', 'Open the list') }).click()
    await page.waitForURL(/withdrawals\?status=PENDING_ADMIN_APPROVAL/)
    await at.leave()
  }
})
