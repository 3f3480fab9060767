// Tests the money of a merchant in the dashboard: the request of a withdrawal, the answer to an operator, and the statement.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { eatTime, LANGUAGES } from '../../src/kernel/lib/index.ts'
import { removeRoutes } from '../browser.ts'
import { createTestOperator, MONEY, type ShopWithKeys, type TestOperator } from '../operator.ts'
import { startReceiver } from '../receiver.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Visitor } from './office.ts'

let office: Office
let operator: TestOperator
let shop: ShopWithKeys

before(async () => {
  office = await openOffice()
  operator = await createTestOperator(office.world)
  shop = await operator.shop(MONEY)
})
after(() => office.close())

const made = async () =>
  (
    await office.world.rows<{ count: number }>(
      'select count(*)::int as count from withdrawals where merchant_id = $1 and destination_name = $2',
      [shop.merchant.id, 'Neema Mushi'],
    )
  )[0]?.count

/** Fills in the form for 10,000 shillings to a phone number, and requests the quote. */
async function asks(visitor: Visitor): Promise<void> {
  const { page, says } = visitor
  await visitor.opens('/live/withdrawals')
  await visitor.press('Toa pesa', 'Withdraw money')
  await visitor.sees('Toa pesa', 'Withdraw money')
  await page.getByLabel(says('Mtandao', 'Network'), { exact: true }).selectOption('MPESA')
  await visitor.fill('Namba ya simu ya mpokeaji', "Recipient's phone number", '0754 123 001')
  await visitor.fill('Jina la mpokeaji', "Recipient's name", 'Neema Mushi')
  await visitor.fill('Kiasi cha kumtumia mpokeaji', 'Amount that the recipient gets', '10,000/=')
  await visitor.press('Angalia makato', 'See the fees')
  await visitor.sees('Hakiki kabla ya kutuma ombi', 'Check before you send the request')
}

test('the review shows recipient, fees and remaining balance before the request; the next page states the next step', async () => {
  const visitor = await office.comes(await office.newPerson('FINANCE', shop.merchant), 'dashboard', {
    language: 'sw',
  })
  const { page } = visitor
  await asks(visitor)
  await page
    .locator(':focus')
    .filter({ hasText: /^Hakiki kabla ya kutuma ombi$/ })
    .waitFor()
  // Until the page has read the other open requests, the last row names this request only.
  await page.getByRole('row', { name: 'Litakalobaki baada ya idhini TZS 89,200' }).waitFor()
  const lines = await page.getByRole('row').allInnerTexts()
  assert.deepEqual(
    lines.map((line) => line.replace(/\s+/g, ' ')),
    [
      'Mpokeaji anapata TZS 10,000',
      'Zinakwenda kwa Neema Mushi, namba 0754 123 001, kupitia M-Pesa (Vodacom)',
      'Makato ya asilimia TZS 100',
      'Makato kwa kila muamala TZS 500',
      'Makato ya mtoa huduma TZS 200',
      'Jumla ya makato TZS 800',
      'Jumla itakayotoka kwenye salio lako TZS 10,800',
      'Salio linalopatikana sasa TZS 100,000',
      'Litakalobaki baada ya idhini TZS 89,200',
    ],
  )
  assert.equal(await made(), 0, 'the review sends nothing')
  await visitor.looks('review')
  await page.getByRole('button', { name: /^Tuma ombi la kutoa TZS.10,000$/ }).dblclick()
  await visitor.sees('Utoaji wa TZS 10,000', 'Withdrawal of TZS 10,000')
  await page.getByRole('status').getByText('Kinachofuata: Unasubiri idhini').waitFor()
  await page.getByText('Mwendeshaji wa mfumo analinganisha').waitFor()
  assert.equal(await made(), 1, 'a double click makes one request')
  await visitor.looks('withdrawal')
  await visitor.opens('/live/withdrawals')
  await page.getByRole('table').getByText('M-Pesa (Vodacom) 0754 123 001').waitFor()
  await visitor.leave()
})

test('a member who repeats a withdrawal request after a lost response makes one withdrawal', async () => {
  const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', shop.merchant), 'dashboard', {})
  const { page } = visitor
  const before = (await made()) ?? 0
  await asks(visitor)
  let lost = 0
  await page.route('**/v1/merchant/withdrawals?*', async (route) => {
    if (route.request().method() !== 'POST' || lost++ > 0) return route.fallback()
    await route.fetch()
    await route.abort('connectionreset')
  })
  const submit = page.getByRole('button', { name: /^Withdraw/ })
  await submit.click()
  await page.getByRole('alert').getByText('No answer from the server').waitFor()
  assert.equal(await made(), before + 1, 'the request had arrived')
  await submit.click()
  await visitor.sees('Withdrawal of TZS 10,000', 'Withdrawal of TZS 10,000')
  assert.equal(await made(), before + 1)
  visitor.complaints.splice(0, visitor.complaints.length, ...visitor.complaints.filter((one) => !one.includes('ERR_')))
  await visitor.leave()
})

test('the form refuses a malformed amount, the review refuses an amount above the balance, and the page keeps the typed text', async () => {
  const visitor = await office.comes(await office.newPerson('FINANCE', shop.merchant), 'dashboard')
  const { page } = visitor
  await asks(visitor)
  const lines = page.getByRole('row')
  const last_lines = async () => (await lines.allInnerTexts()).slice(-4).map((line) => line.replace(/\s+/g, ' '))
  await lines.nth(10).waitFor()
  assert.deepEqual(await last_lines(), [
    'Available now TZS 100,000',
    'Available after the approval of this request only TZS 89,200',
    'Your other requests that wait for an approval (2) TZS 21,600',
    'Available after the approval of all requests TZS 67,600',
  ])
  await visitor.looks('the review beside open requests')
  await visitor.picture('review-beside-open-requests')
  await visitor.press('Rudi kurekebisha', 'Go back and correct')
  const amount = page.getByLabel('Amount that the recipient gets')
  assert.equal(await amount.inputValue(), '10,000/=')
  // In these texts, the comma is the decimal point. If the form ignored the comma, the amount would be a hundred times as
  // large.
  for (const wrong of ['not money', '25000,50', '2,50']) {
    await amount.fill(wrong)
    await visitor.press('Angalia makato', 'See the fees')
    await page.getByText('Enter an amount such as 25000 or 25000.50.').waitFor()
  }
  await amount.and(page.locator(':focus')).waitFor()
  await amount.fill('80000')
  await visitor.press('Angalia makato', 'See the fees')
  await page.getByText('The available balance does not cover all these requests.').waitFor()
  await page.getByRole('button', { name: /^Withdraw/, disabled: false }).waitFor()
  await visitor.press('Rudi kurekebisha', 'Go back and correct')
  // If one page of the list does not have all open requests, the review shows their number without a sum.
  await page.route(/\/v1\/merchant\/withdrawals\?.*status=INFO_REQUESTED/, async (route) => {
    const response = await route.fetch()
    const json = await response.json()
    json.data.pagination.total_items = 101
    await route.fulfill({ response, json })
  })
  await visitor.press('Angalia makato', 'See the fees')
  await page.getByText('Your other requests that wait for an approval (103)').waitFor()
  assert.deepEqual((await last_lines()).slice(2), [
    'Your other requests that wait for an approval (103) –',
    'Available after the approval of all requests –',
  ])
  await removeRoutes(page)
  await visitor.press('Rudi kurekebisha', 'Go back and correct')
  await amount.fill('100000')
  await visitor.press('Angalia makato', 'See the fees')
  await page.getByRole('alert').getByText('does not cover').waitFor()
  await page.getByRole('button', { name: /^Withdraw/, disabled: true }).waitFor()
  await page.reload()
  await visitor.sees('Toa pesa', 'Withdraw money')
  assert.equal(await amount.inputValue(), '100000')
  await visitor.leave()
})

test("a merchant answers an operator's question on the page of the withdrawal, and keeps the typed text when the network fails", async () => {
  const id = await operator.submit(shop)
  const visitor = await office.comes(await office.newPerson('FINANCE', shop.merchant), 'dashboard')
  const { page, context } = visitor
  await visitor.opens(`/live/withdrawals/${id}`)
  await page.getByRole('status').getByText('What happens next: Pending approval').waitFor()
  const question = await operator.act(id, 'request-info', { message: 'Whose <b>phone</b> is this?' })
  assert.equal(question.status, 200, question.text)
  // The page updates without a reload.
  await page.getByText('Whose <b>phone</b> is this?', { exact: true }).first().waitFor()
  await visitor.looks('question')
  await visitor.fill('Jibu lako', 'Your answer', 'It belongs to our driver.')
  await context.setOffline(true)
  await visitor.press('Tuma jibu', 'Send the answer')
  await page.getByRole('alert').getByText('No answer from the server').first().waitFor()
  await context.setOffline(false)
  assert.equal(await page.getByLabel('Your answer').inputValue(), 'It belongs to our driver.')
  await visitor.press('Tuma jibu', 'Send the answer')
  await page.getByRole('status').getByText('The operator has your answer.').waitFor()
  await page.getByText('It belongs to our driver.').first().waitFor()
  // One timeline tells the decisions, with the words of both sides and without the technical steps.
  assert.equal(await page.getByRole('heading', { name: 'History', exact: true }).count(), 0)
  const timeline = page.locator('.timeline li')
  await timeline.nth(2).waitFor()
  assert.deepEqual(await timeline.locator('.quoted').allInnerTexts(), [
    'Whose <b>phone</b> is this?',
    'It belongs to our driver.',
  ])
  await visitor.looks('the timeline of a withdrawal')
  await visitor.picture('withdrawal-timeline')
  assert.equal((await operator.show(id)).status, 'PENDING_ADMIN_APPROVAL')
  visitor.complaints.splice(0, visitor.complaints.length, ...visitor.complaints.filter((one) => !one.includes('ERR_')))
  await visitor.leave()
})

test('a member cancels a waiting withdrawal after a confirmation, and the page offers no second cancellation', async () => {
  const id = await operator.submit(shop)
  const visitor = await office.comes(await office.newPerson('FINANCE', shop.merchant), 'dashboard', { language: 'sw' })
  const { page } = visitor
  await visitor.opens(`/live/withdrawals/${id}`)
  await visitor.press('Sitisha ombi', 'Cancel the request')
  await page.getByText('Ombi la kutoa TZS 10,000 halitaidhinishwa').waitFor()
  await visitor.press('Hapana, libaki', 'No, keep it')
  assert.equal((await operator.show(id)).status, 'PENDING_ADMIN_APPROVAL')
  await visitor.press('Sitisha ombi', 'Cancel the request')
  await visitor.press('Ndiyo, sitisha', 'Yes, cancel the request')
  await page.getByRole('status').getByText('Umesitishwa', { exact: true }).waitFor()
  assert.equal((await operator.show(id)).status, 'CANCELLED')
  assert.equal(await page.getByRole('button', { name: 'Sitisha ombi' }).count(), 0)
  await visitor.leave()
})

test('a member with a read-only role sees the balance and the total of a withdrawal, and the console offers no new withdrawal', async () => {
  const id = await operator.submit(shop)
  const visitor = await office.comes(await office.newPerson('VIEWER', shop.merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens('/live/withdrawals')
  await page.getByText('TZS 100,000').first().waitFor()
  assert.equal(await page.getByText('Withdraw money', { exact: true }).count(), 0)
  await visitor.opens(`/live/withdrawals/${id}`)
  await page.getByText('TZS 10,800').first().waitFor()
  await visitor.opens('/live/withdrawals/new')
  await page.getByText('Your role can only read.').waitFor()
  await visitor.leave()
})

test('a withdrawal without fees says so in one line, and a member sends its webhook again', async () => {
  const receiver = await startReceiver()
  const other = await operator.shop(MONEY, null)
  const hook = { webhook_url: receiver.url }
  await office.world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload: hook, key: other.sandbox })
  const id = await operator.submit(other, { environment: 'sandbox' })
  const path = `/v1/sandbox/disbursements/${id}/simulate`
  const done = await office.world.post(path, { outcome: 'SUCCESS' }, { key: other.sandbox })
  assert.equal(done.status, 200, done.text)
  const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', other.merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens(`/sandbox/withdrawals/${id}`)
  await page.getByText('Total fees', { exact: true }).waitFor()
  for (const fee of ['Percentage fee', 'Fixed fee', "Provider's fee"]) {
    assert.equal(await page.getByText(fee, { exact: true }).count(), 0, fee)
  }
  const before = receiver.received.length
  await visitor.press('Tuma webhook tena', 'Send the webhook again')
  await page.getByText('Your server accepted the event disbursement.success: HTTP 200.').waitFor()
  assert.equal(receiver.received.length, before + 1)
  await visitor.looks('a withdrawal whose webhook the member sent again')
  await visitor.picture('withdrawal-resent')
  await visitor.leave()
  await receiver.close()
})

for (const language of LANGUAGES) {
  test(`a paid withdrawal has a receipt with the masked number of the recipient, and a waiting one has none (${language})`, async () => {
    const other = await operator.shop(MONEY)
    const id = await operator.submit(other, { environment: 'sandbox' })
    const { world } = office
    const visitor = await office.comes(await office.newPerson('VIEWER', other.merchant), 'dashboard', { language })
    const { page, says } = visitor
    const main = page.getByRole('main')
    const receipt = main.getByRole('link', { name: says('Risiti', 'Receipt'), exact: true })
    await visitor.opens(`/sandbox/withdrawals/${id}`)
    await main.getByText(says('Jumla kutoka kwenye salio', 'From your balance in total')).waitFor()
    assert.equal(await receipt.count(), 0)
    await visitor.opens(`/sandbox/withdrawals/${id}/receipt`)
    await main.getByText(says('hauna risiti', 'has no receipt')).waitFor()
    assert.equal(await main.getByRole('article').count(), 0)
    const path = `/v1/sandbox/disbursements/${id}/simulate`
    const done = await world.post(path, { outcome: 'SUCCESS' }, { key: other.sandbox })
    assert.equal(done.status, 200, done.text)
    const record = (await world.get(`/v1/disbursements/${id}`, other.sandbox)).body.data
    await visitor.opens(`/sandbox/withdrawals/${id}`)
    await receipt.click()
    await visitor.sees('Risiti ya utoaji pesa', 'Withdrawal receipt')
    const paper = main.getByRole('article')
    const number: string = record.destination_identifier
    const paid_at = eatTime(new Date(record.completed_at)).slice(11, 19)
    for (const fact of [
      says('MAJARIBIO: hakuna pesa halisi', 'TEST: no real money'),
      other.merchant.name,
      says('Umefika', 'Paid out'),
    ]) {
      await paper.getByText(fact, { exact: true }).first().waitFor()
    }
    const text = await paper.innerText()
    for (const part of [
      'TZS\u00a010,000',
      'TZS\u00a0800',
      `0${number.slice(3, 6)} *** ${number.slice(9)}`,
      record.provider_reference,
      record.destination_name,
      `${paid_at} (EAT)`,
      id,
    ]) {
      assert.ok(text.includes(part), `${part}: ${text}`)
    }
    assert.ok(!text.replace(/\s/g, '').includes(number.slice(3)), text)
    if (language === 'en') await masksAccounts(visitor, other)
    await visitor.opens(`/sandbox/withdrawals/${id}/receipt`)
    await paper.waitFor()
    await visitor.looks('the receipt of a withdrawal')
    await visitor.picture('withdrawal-receipt')
    await page.emulateMedia({ media: 'print' })
    assert.equal(await main.getByRole('button').count(), 0, 'the printed receipt has no buttons')
    assert.equal(await main.getByRole('link').count(), 0, 'the printed receipt has no links')
    await paper.waitFor()
    await visitor.leave()
  })
}

/** Opens the receipts of withdrawals to wallets and a bank, and checks that each shows only the masked number. */
async function masksAccounts({ opens, page }: Visitor, from: ShopWithKeys): Promise<void> {
  const { world } = office
  const bank = { destination_code: 'CRDB', bank_name: 'CRDB' }
  for (const [route, number, shown, more] of [
    ['provider-pesa', '44001122337', '*** 2337', {}],
    ['provider-pesa', '0754123001', '0754 *** 001', {}],
    ['bank-account', '255754123001', '*** 3001', bank],
  ] as const) {
    const body = { amount: '2000', destination_name: 'Asha Mwinyi', destination_identifier: number, ...more }
    const made = await world.post(`/v1/disbursements/${route}`, body, { key: from.sandbox })
    assert.equal(made.status, 202, made.text)
    const { id, destination_identifier } = made.body.data
    const path = `/v1/sandbox/disbursements/${id}/simulate`
    assert.equal((await world.post(path, { outcome: 'SUCCESS' }, { key: from.sandbox })).status, 200)
    await opens(`/sandbox/withdrawals/${id}/receipt`)
    const paper = page.getByRole('main').getByRole('article')
    await paper.getByText(shown, { exact: true }).waitFor()
    const text = (await paper.innerText()).replace(/\s/g, '')
    for (const whole of [number, destination_identifier]) assert.ok(!text.includes(whole), `${whole}: ${text}`)
  }
}

test('a paid withdrawal links to the transaction that funded it, a member saves transactions as CSV, and the printed statement shows the closing balance', async () => {
  const other = await operator.shop(MONEY)
  const id = await operator.submit(other, { environment: 'sandbox' })
  const done = await office.world.post(
    `/v1/sandbox/disbursements/${id}/simulate`,
    { outcome: 'SUCCESS' },
    { key: other.sandbox },
  )
  assert.equal(done.status, 200, done.text)
  const visitor = await office.comes(await office.newPerson('VIEWER', other.merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens(`/sandbox/withdrawals/${id}`)
  await page.getByRole('status').getByText('Paid out').waitFor()
  await page.getByRole('table', { name: 'Sources of this money' }).getByRole('link').first().click()
  await visitor.sees('Marekebisho ya mwendeshaji', 'Adjustment by an operator')
  await page.getByText('Sequence number', { exact: true }).waitFor()
  await visitor.opens('/sandbox/transactions?type=WITHDRAWAL')
  const listed = page.getByRole('table', { name: 'Transactions' }).getByRole('row')
  await listed.nth(1).waitFor()
  assert.equal(await listed.count(), 2, 'the header and the one withdrawal')
  const [csv] = await Promise.all([page.waitForEvent('download'), visitor.press('Pakua CSV', 'Download CSV')])
  const rows = readFileSync(await csv.path(), 'utf8')
    .trim()
    .split('\r\n')
  assert.equal(rows.length, 2, 'the file has the rows of the list')
  assert.match(rows[1] ?? '', /,WITHDRAWAL,debit,10000\.00,800\.00,/)
  await visitor.opens('/sandbox/statements')
  await page.getByRole('row', { name: /^Opening balance TZS.0$/ }).waitFor()
  await page.getByRole('row', { name: /^Closing balance TZS.89,200$/ }).waitFor()
  // The first and the last day of the month, and no midnight of the next month.
  const today = new Date(office.world.deps.clock.now().getTime() + 3 * 3_600_000)
  const day = (date: number, months: number) =>
    new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, date))
  const shown = (date: Date) => `${date.getUTCDate()} ${date.toUTCString().slice(8, 16)}`
  await page.getByText(`${shown(day(1, 0))} – ${shown(day(0, 1))} (EAT)`, { exact: true }).waitFor()
  await visitor.looks('statement')
  await visitor.picture('statement')
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false)
  assert.equal(await page.getByRole('row', { name: /^Closing balance/ }).isVisible(), true)
  await visitor.leave()
})

test('filters work with the keyboard alone: the page applies a complete date and keeps the focus', async () => {
  const visitor = await office.comes(await office.newPerson('VIEWER', shop.merchant), 'dashboard')
  const { page } = visitor
  const focused = () => page.evaluate<string>('document.activeElement.labels?.[0]?.textContent ?? ""')
  await visitor.opens('/live/transactions')
  await page.getByRole('table', { name: 'Transactions' }).waitFor()
  await page.getByLabel('From', { exact: true }).focus()
  // The browser's language decides the order of day and month. The test uses the same number for both, so any order gives this
  // date.
  await page.keyboard.type('11112026')
  await page.waitForURL((address) => address.searchParams.get('from') === '2026-11-11')
  assert.equal(await focused(), 'From')
  const described = "document.getElementById(document.activeElement.getAttribute('aria-describedby'))?.textContent"
  assert.equal(await page.evaluate<string>(described), '11 Nov 2026')
  await page.getByLabel('Type', { exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.waitForURL((address) => address.searchParams.has('type'))
  assert.equal(await focused(), 'Type')
  await page.keyboard.press('ArrowUp')
  await page.waitForURL((address) => !address.searchParams.has('type'))
  await visitor.press('', 'Clear filters')
  await page.waitForURL((address) => !address.searchParams.has('from'))
  assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '')
  // The user clears the filters before the pause ends that starts when a field loses the focus.
  await page.clock.install()
  await page.getByLabel('From', { exact: true }).focus()
  await page.keyboard.type('11112026')
  await page.waitForURL((address) => address.searchParams.get('from') === '2026-11-11')
  await page.evaluate(`document.activeElement.blur()
    ;[...document.querySelectorAll('button')].find((one) => one.textContent === 'Clear filters').click()`)
  await page.waitForURL((address) => !address.searchParams.has('from'))
  await page.clock.fastForward(1000)
  await page.getByLabel('Type', { exact: true }).focus()
  await page.keyboard.press('ArrowDown')
  await page.waitForURL((address) => address.searchParams.has('type'))
  assert.equal(new URL(page.url()).searchParams.has('from'), false)
  await visitor.opens('/live/statements?period=2026-01-05')
  await page.getByLabel('Day', { exact: true }).last().focus()
  await page.keyboard.type('02022026')
  await page.waitForURL((address) => address.searchParams.get('period') === '2026-02-02')
  assert.equal(await focused(), 'Day')
  await visitor.leave()
})

test('a member corrects a withdrawal that the API refused after the review, and sees the new amount before the next request', async () => {
  const visitor = await office.comes(await office.newPerson('FINANCE', shop.merchant), 'dashboard', { refusals: [400] })
  const { page } = visitor
  await asks(visitor)
  await visitor.press('', 'Go back and correct')
  // The form refuses a name with invisible characters. Only the API refuses them in the reference.
  const name = page.getByLabel("Recipient's name")
  await name.fill('\u200b')
  await visitor.press('', 'See the fees')
  await page.locator('[data-path=name]:focus').waitFor()
  await page.getByText('The text has invisible characters.').waitFor()
  await name.fill('Neema Mushi')
  const reference = page.getByLabel('Your reference')
  await reference.fill('A\u0007')
  await visitor.press('', 'See the fees')
  await page.getByRole('button', { name: /^Withdraw/ }).click()
  await visitor.sees('', 'Withdraw money')
  await page.locator('[data-path=reference]:focus').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.type('Amina')
  assert.match(await reference.inputValue(), /Amina$/, 'no key press leaves the form')
  await page.getByLabel('Amount that the recipient gets').fill('20,000')
  await reference.fill('A-1')
  await visitor.press('', 'See the fees')
  await page.getByRole('button', { name: /^Withdraw TZS.20,000$/ }).waitFor()
  await visitor.leave()
})

for (const language of languagesOf(0)) {
  test(`the review warns first about a name that differs, and repeats when the business paid the recipient (${language})`, async () => {
    const other = await operator.shop(MONEY)
    const finance = await office.newPerson('FINANCE', other.merchant)
    const visitor = await office.comes(finance, 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/recipients')
    await page.getByLabel(says('Mtandao', 'Network'), { exact: true }).selectOption('MPESA')
    await visitor.fill('Namba ya simu ya mpokeaji', "Recipient's phone number", '0754 123 202')
    await visitor.fill('Jina la mpokeaji', "Recipient's name", 'Neema Mushi')
    await visitor.press('Hifadhi mpokeaji', 'Save the recipient')
    await visitor.press('Hakiki jina: Neema Mushi', 'Check the name: Neema Mushi')
    const differs = says('Jina ni tofauti', 'Name differs')
    await page.getByRole('list').getByText(differs).first().waitFor()
    const withdraw = async () => {
      await visitor.press('Toa pesa kwenda kwa Neema Mushi', 'Withdraw money to Neema Mushi')
      await visitor.fill('Kiasi cha kumtumia mpokeaji', 'Amount that the recipient gets', '1000')
      await visitor.press('Angalia makato', 'See the fees')
      await visitor.sees('Hakiki kabla ya kutuma ombi', 'Check before you send the request')
      const [first] = await page.locator('main form').getByText(differs).all()
      assert.equal(await first?.locator('xpath=ancestor::*[@role="alert"]').count(), 1, 'the warning comes first')
    }
    await withdraw()
    const facts = page.getByRole('row', { name: says('Uhakiki wa jina', 'Name check') })
    await facts.getByText(says('Hujawahi kumlipa', 'Never paid')).waitFor()
    await visitor.looks('review of a recipient whose name differs')
    await visitor.picture('review-name-differs')
    await page.getByRole('button', { name: says('Tuma ombi la kutoa', 'Withdraw TZS') }).click()
    await visitor.sees('Utoaji wa TZS 1,000', 'Withdrawal of TZS 1,000')
    const made = page.url().split('/').at(-1)
    const path = `/v1/sandbox/disbursements/${made}/simulate`
    await office.world.post(path, { outcome: 'SUCCESS' }, { key: other.sandbox })
    await visitor.opens('/sandbox/recipients')
    await withdraw()
    await facts.getByText(says('Umemlipa mara 1, tarehe', 'Paid once, on')).waitFor()
    await visitor.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`a finance member saves, checks, renames, uses and removes a recipient (${language})`, async () => {
    const other = await operator.shop(MONEY)
    const visitor = await office.comes(await office.newPerson('FINANCE', other.merchant), 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/live/recipients')
    await visitor.sees('Wapokeaji', 'Recipients')
    await page.getByText(says('Bado hujahifadhi mpokeaji', 'You have not saved a recipient yet')).waitFor()
    await visitor.looks('recipients, empty')
    await visitor.press('Hifadhi mpokeaji', 'Save the recipient')
    await page.locator('[data-path=destination_code]:focus').waitFor()
    await page.getByLabel(says('Mtandao', 'Network'), { exact: true }).selectOption('MPESA')
    await visitor.fill('Namba ya simu ya mpokeaji', "Recipient's phone number", '0754 12a 456')
    await visitor.fill('Jina la mpokeaji', "Recipient's name", 'N'.repeat(500))
    await visitor.press('Hifadhi mpokeaji', 'Save the recipient')
    await page
      .getByText(says('Andika herufi zisizozidi 200. Umeandika 500.', 'Enter at most 200 characters. You entered 500.'))
      .waitFor()
    await page.getByText(says('Andika namba ya simu kama', 'Enter a phone number such as')).waitFor()
    await visitor.looks('recipients, refused')
    await visitor.fill('Namba ya simu ya mpokeaji', "Recipient's phone number", '0754 123 456')
    await visitor.fill('Jina la mpokeaji', "Recipient's name", 'Neema Mushi')
    await visitor.fill('Jina la kumtambua', 'Your name for the recipient', 'Landlord')
    await visitor.press('Hifadhi mpokeaji', 'Save the recipient')
    await page.locator('.toasts').getByText('Landlord').waitFor()
    const list = page.getByRole('list', { name: says('Waliohifadhiwa', 'Saved'), exact: true })
    await list.getByText('M-Pesa (Vodacom) 0754 123 456').waitFor()
    await visitor.press('Hakiki jina: Landlord', 'Check the name: Landlord')
    // The provider has no name for this number.
    await list.getByText(says('Jina halikuhakikiwa', 'Name not confirmed')).waitFor()
    await visitor.press('Badilisha jina: Landlord', 'Rename: Landlord')
    await visitor.looks('rename')
    await page
      .getByRole('dialog')
      .getByLabel(says('Jina la kumtambua', 'Your name for the recipient'))
      .fill('Shop rent')
    await visitor.press('Hifadhi jina', 'Save the name')
    await list.getByText('Shop rent').waitFor()
    await visitor.looks('recipients')
    assert.equal(await page.locator('.panel').filter({ has: list }).count(), 1, 'the list has a card')
    const filled = page.locator(
      '.recipients [data-variant=filled], .recipients .mantine-Button-root:not([data-variant])',
    )
    assert.equal(await filled.count(), 0, 'no row has a main button')
    await visitor.picture('recipients')
    await visitor.press('Toa pesa kwenda kwa Shop rent', 'Withdraw money to Shop rent')
    await visitor.sees('Toa pesa', 'Withdraw money')
    const name = page.getByLabel(says('Jina la mpokeaji', "Recipient's name"))
    await page.getByText(says('Hujawahi kumlipa', 'Never paid')).waitFor()
    assert.equal(await name.inputValue(), 'Neema Mushi')
    await visitor.looks('withdrawal to a saved recipient')
    await visitor.picture('withdrawal-saved')
    await visitor.fill('Kiasi cha kumtumia mpokeaji', 'Amount that the recipient gets', ' TZS 10 000 ')
    await visitor.press('Angalia makato', 'See the fees')
    await page.getByRole('button', { name: says('Tuma ombi la kutoa', 'Withdraw TZS') }).click()
    await visitor.sees('Utoaji wa TZS 10,000', 'Withdrawal of TZS 10,000')
    const [made] = await office.world.rows<{ status: string }>(
      'select status from withdrawals where merchant_id = $1',
      [other.merchant.id],
    )
    assert.equal(made?.status, 'PENDING_ADMIN_APPROVAL', 'a saved recipient waits for an operator like any other')
    await visitor.opens('/live/recipients')
    await visitor.press('Ondoa: Shop rent', 'Remove: Shop rent')
    await visitor.press('Ndiyo, ondoa', 'Yes, remove')
    await page.getByText(says('Bado hujahifadhi mpokeaji', 'You have not saved a recipient yet')).waitFor()
    await visitor.opens('/sandbox/recipients')
    await page.getByText(says('namba inayoishia na 201', 'a number that ends in 201')).waitFor()
    await page.getByLabel(says('Mtandao', 'Network'), { exact: true }).selectOption('MPESA')
    await visitor.fill('Namba ya simu ya mpokeaji', "Recipient's phone number", '0754 123 201')
    await visitor.fill('Jina la mpokeaji', "Recipient's name", 'Asha Juma')
    await visitor.press('Hifadhi mpokeaji', 'Save the recipient')
    await visitor.press('Hakiki jina: Asha Juma', 'Check the name: Asha Juma')
    await list.getByText(says('Jina linalingana', 'Name agrees')).waitFor()
    await visitor.looks('recipients of the sandbox')
    await visitor.leave()
  })
}

test('a finance member saves the recipient while withdrawing, chooses an earlier recipient, and a viewer sees no recipients', async () => {
  const other = await operator.shop(MONEY)
  const done = await operator.submit(other, { environment: 'sandbox' })
  await office.world.post(`/v1/sandbox/disbursements/${done}/simulate`, { outcome: 'SUCCESS' }, { key: other.sandbox })
  const visitor = await office.comes(await office.newPerson('FINANCE', other.merchant), 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox/withdrawals/new')
  const choice = page.getByLabel('Choose a recipient')
  await choice.waitFor()
  const [earlier = ''] = await choice.locator('option:not([value=""])').allInnerTexts()
  await choice.selectOption({ label: earlier })
  await page.getByText(/^Paid once, on /).waitFor()
  assert.notEqual(await page.getByLabel("Recipient's phone number").inputValue(), '')
  await page.getByLabel("Recipient's name").fill('Neema Mushi')
  await page.getByLabel('Save this recipient for the next time').check()
  await page.getByLabel('Amount that the recipient gets').fill('1000')
  await visitor.press('', 'See the fees')
  await page.getByRole('button', { name: /^Withdraw TZS/ }).click()
  await page.locator('.toasts').getByText('Saved: Neema Mushi.').waitFor()
  await visitor.opens('/sandbox/recipients')
  await page.getByText(/Paid once, on /).waitFor()
  await visitor.opens('/live/recipients')
  await page.getByText('You have not saved a recipient yet').waitFor()
  await visitor.leave()
  const viewer = await office.comes(await office.newPerson('VIEWER', other.merchant), 'dashboard')
  await viewer.opens('/sandbox/recipients')
  await viewer.page.getByText('Only administrators and finance members').waitFor()
  assert.equal(await viewer.page.getByRole('link', { name: 'Recipients', exact: true }).count(), 0)
  await viewer.leave()
})
