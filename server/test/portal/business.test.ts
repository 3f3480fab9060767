// Tests the pages of the dashboard about a business: members and roles, IP addresses of keys, messages, contact and logo, audit
// log.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createKey } from '../../src/access/api-keys/index.ts'
import { unsubscribeUrl } from '../../src/access/merchants/index.ts'
import { removeRoutes } from '../browser.ts'
import { createTestOperator } from '../operator.ts'
import { mailedUrl } from '../sign-in.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Person, type Visitor } from './office.ts'
import { until } from './totals-data.ts'

let office: Office

before(async () => {
  office = await openOffice()
})
after(() => office.close())

test("an administrator invites a person, changes the person's role and removes the person, and the page describes the chosen role", async () => {
  const merchant = await office.world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const visitor = await office.comes(admin, 'dashboard', { language: 'sw', refusals: [409] })
  const { page } = visitor
  await visitor.opens('/live/members')
  await page.getByText('(wewe)').waitFor()
  await page.getByLabel('Barua pepe').fill('neema@example.com')
  await page.getByRole('radio', { name: 'Fedha' }).check()
  await page.getByText('Kutoa pesa, ankara na viungo vya malipo.').first().waitFor()
  await visitor.press('Tuma mwaliko', '')
  await page.getByRole('status').getByText('Umemwalika neema@example.com.').waitFor()
  await page.getByRole('status').getByText('Mfumo huu hautumi barua pepe. Kama kikomo cha siku hakijafikiwa').waitFor()
  const invited = page.getByRole('row').filter({ hasText: 'neema@example.com' })
  await invited.getByText(/^Alialikwa tarehe \d+ \S+ \d{4}, bado hajaingia$/).waitFor()
  assert.equal(await page.getByText('bado hajaingia').count(), 1, 'the administrator has signed in')
  const again = page.getByRole('button', { name: 'Tuma mwaliko tena: neema@example.com' })
  const [sent] = await Promise.all([page.waitForResponse(/\/invitation/), again.click()])
  assert.equal(sent.status(), 200)
  const mails = 'select kind from outbox_messages where recipient = $1'
  assert.equal((await office.world.rows(mails, ['neema@example.com'])).length, 2)
  assert.equal(await again.evaluate((button) => button === button.ownerDocument.activeElement), true, 'keeps the focus')
  assert.equal(await page.getByLabel('Barua pepe').inputValue(), '')
  await visitor.looks('members')
  // On a phone, all labels are above their values, and the domain of an address stays on one line.
  await page.setViewportSize({ width: 360, height: 740 })
  await office.world.rows("update users set email = 'merchant-admin@demo.malipo.example' where id = $1", [
    admin.user_id,
  ])
  await visitor.opens('/live/members')
  await page.getByText('(wewe)').waitFor()
  const cells = await page.evaluate<string[]>(`[...document.querySelectorAll('.list td')].map((cell) => {
    const edge = (box) => Math.round(box.left)
    const value = document.createRange()
    value.selectNodeContents(cell.firstElementChild)
    const style = getComputedStyle(cell, '::before')
    return [style.display, edge(cell.getBoundingClientRect()) === edge(value.getBoundingClientRect())].join(' ')
  })`)
  assert.ok(cells.length >= 10)
  assert.deepEqual([...new Set(cells)], ['block true'])
  const tops = await page.evaluate<number[]>(`(() => {
    const nodes = [...document.querySelector('.email').childNodes].filter((node) => node.nodeType === 3)
    return nodes.filter((node) => !/@|merchant/.test(node.data)).map((node) => {
      const text = document.createRange()
      text.selectNodeContents(node)
      return Math.round(text.getBoundingClientRect().top)
    })
  })()`)
  assert.ok(tops.length > 0 && new Set(tops).size === 1, `the domain is on ${tops.length} lines`)
  await visitor.picture('members')
  await page.setViewportSize({ width: 1280, height: 800 })
  await office.world.rows('update users set email = $2 where id = $1', [admin.user_id, admin.email])
  await visitor.opens('/live/members')

  await page.getByRole('button', { name: 'Badilisha jukumu: neema@example.com' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: 'Msanidi programu' }).check()
  await visitor.looks('another role')
  await page.getByRole('dialog').getByRole('button', { name: 'Badilisha jukumu' }).click()
  await page.getByRole('status').getByText('Jukumu la neema@example.com sasa ni Msanidi programu.').waitFor()

  await page.getByRole('button', { name: 'Ondoa: neema@example.com' }).click()
  await page.getByRole('dialog').getByText('Atakataliwa mara moja').waitFor()
  await visitor.press('Ndiyo, ondoa', '')
  await page.getByRole('status').getByText('Umemwondoa neema@example.com.').waitFor()
  assert.equal(await page.getByRole('row').filter({ hasText: 'neema@example.com' }).count(), 0)

  // The platform refuses to remove the last administrator, and the page shows the reason.
  await page.getByRole('button', { name: `Jiondoe: ${admin.email}` }).click()
  await visitor.press('Ndiyo, nijiondoe', '')
  await page.getByRole('alert').getByText('Huyu ni msimamizi wa mwisho.').waitFor()
  await visitor.leave()
})

test('before the removal of a member, an administrator reads which API keys end, and keeps one of them', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const maker = await office.newPerson('DEVELOPER', merchant)
  const make = (name: string, environment: 'live' | 'sandbox', created_by_id = maker.user_id) =>
    createKey(world.deps, { merchant_id: merchant.id, environment, scopes: ['collections:read'], name, created_by_id })
  const [shop, trial, other] = [
    await make('Shop server', 'live'),
    await make('Trial', 'sandbox'),
    await make('Of the administrator', 'live', admin.user_id),
  ]
  for (const language of ['sw', 'en'] as const) {
    const visitor = await office.comes(admin, 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/members')
    await page.getByRole('button', { name: `${says('Ondoa', 'Remove')}: ${maker.email}` }).click()
    const dialog = page.getByRole('dialog')
    const boxes = dialog.getByRole('checkbox')
    await boxes.first().waitFor()
    assert.equal(await boxes.count(), 2, 'the keys of both environments, and of no other member')
    for (const box of await boxes.all()) assert.equal(await box.isChecked(), false, 'every key ends by default')
    await dialog.getByText(says('Seva itauzima', 'The server revokes this key')).nth(1).waitFor()
    await dialog.getByRole('checkbox', { name: /^Shop server/ }).check()
    await dialog.getByText(says('Utaendelea kufanya kazi', 'Stays valid')).waitFor()
    await visitor.looks('removal with keys')
    await visitor.picture('removal-with-keys')
    if (language === 'en') {
      await visitor.press('', 'Yes, remove them')
      await page
        .getByRole('status')
        .getByText(`You removed ${maker.email}. The server revoked these API keys: Trial.`)
        .waitFor()
    }
    await visitor.leave()
  }
  const works = async ({ plaintext_key }: { plaintext_key: string }) =>
    (await world.get('/v1/collections', plaintext_key)).status
  assert.deepEqual([await works(shop), await works(trial), await works(other)], [200, 401, 200])
})

test('a member who is not an administrator sees the members and may leave the business', async () => {
  const merchant = await office.world.newMerchant()
  await office.newPerson('MERCHANT_ADMIN', merchant)
  const visitor = await office.comes(await office.newPerson('VIEWER', merchant), 'dashboard', { refusals: [403] })
  const { page } = visitor
  await visitor.opens('/live/activity')
  await page.getByText('Only administrators of the business may read the audit log.').waitFor()
  await visitor.opens('/live/members')
  await page.getByText('(you)').waitFor()
  assert.deepEqual(
    (await page.locator('main').getByRole('button').allInnerTexts()).filter((name) => name !== ''),
    ['Leave'],
  )
  await page.getByRole('button', { name: /^Leave/ }).click()
  await visitor.press('', 'Yes, leave')
  await page.getByRole('heading', { name: 'You have no business here yet' }).waitFor()
  await visitor.leave()
})

test('an IP address waits for an operator, and the page of the addresses shows the approval', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { refusals: [400] })
  const { page } = visitor
  await visitor.opens('/live/addresses')
  await page.getByRole('heading', { name: 'No addresses yet' }).waitFor()
  await page.getByLabel('Name').fill('Shop server')
  await page.getByLabel('Address', { exact: true }).fill('shop.example')
  await visitor.press('', 'Ask for approval')
  await page.getByText('This must be an IPv4 or IPv6 address, or a network such as 203.0.113.0/24.').waitFor()
  await page.getByLabel('Address', { exact: true }).fill('203.0.113.7')
  await visitor.press('', 'Ask for approval')
  await page.getByRole('status').getByText('waits for the approval of an operator').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Shop server' })
  await row.getByText('Waits for approval').waitFor()
  await visitor.looks('addresses')
  const operator = await createTestOperator(world)
  const waiting = await world.get(
    `/v1/operator/ip-addresses?status=PENDING&merchant_id=${merchant.id}`,
    await operator.session(),
  )
  const approved = await world.post(
    `/v1/operator/ip-addresses/${waiting.body.data.items[0].id}/approve`,
    {},
    { key: await operator.session(), idempotency_key: null },
  )
  assert.equal(approved.status, 200, approved.text)
  // The page updates without a reload.
  await row.getByText('Approved').waitFor()
  await page.getByRole('button', { name: 'Remove: Shop server' }).click()
  await page.getByRole('dialog').getByText('refuses requests from 203.0.113.7').waitFor()
  await visitor.press('', 'Yes, remove it')
  await page.getByRole('status').getByText('You removed "Shop server".').waitFor()
  await visitor.leave()
})

test('the sandbox offers no form for IP addresses, and leads to the list of the live environment', async () => {
  const visitor = await office.comes(await office.newPerson('DEVELOPER'), 'dashboard', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/sandbox/addresses')
  await page.getByRole('heading', { name: 'Majaribio hayahitaji anwani' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Omba idhini' }).count(), 0)
  await visitor.looks('addresses of the sandbox')
  await visitor.press('Fungua anwani za Halisi', 'Open the live addresses')
  await page.getByRole('button', { name: 'Omba idhini' }).waitFor()
  assert.match(page.url(), /\/live\/addresses$/)
  await visitor.leave()
})

test('the console shows HTML in a message as plain text, and the audit log names the API key that sent an invoice', async () => {
  const { world } = office
  const merchant = await world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const key = await world.newKey({ merchant })
  await world.rows("update merchants set name = 'Duka la Juma la vifaa vya ujenzi na umeme' where id = $1", [
    merchant.id,
  ])
  const hostile = '<img src=x onerror=alert(1)>\u202Eتست 🧾'
  const invoice = await world.post(
    '/v1/invoices',
    {
      customer_name: hostile.replace('\u202E', ''),
      customer_email: 'mteja@example.com',
      due_date: '2100-01-30',
      items: [{ description: 'Mchele', quantity: '1', unit_price: '5000.00' }],
    },
    { key },
  )
  assert.equal(invoice.status, 201, invoice.text)
  const sent = await world.post(`/v1/invoices/${invoice.body.data.id}/send`, {}, { key })
  assert.equal(sent.status, 200, sent.text)
  const visitor = await office.comes(admin, 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox/messages?channel=email')
  const row = page.getByRole('row').filter({ hasText: 'mteja@example.com' })
  assert.match(await row.locator('summary').innerText(), /, TZS 5,000$/, 'the subject is whole')
  await row.locator('summary').click()
  await row.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  assert.equal(await page.locator('main img').count(), 0)
  await visitor.looks('messages')
  await visitor.opens('/sandbox/activity')
  const act = page.getByRole('row').filter({ hasText: 'Sent an invoice' })
  await act.getByText('Key: Test').waitFor()
  await act.locator('summary').click()
  await act.getByRole('link').waitFor()
  await visitor.looks('activity')
  await visitor.leave()
})

test('an administrator sets contact, colour and logo from a phone, and a photo of several megabytes becomes a small logo', async (t) => {
  const { world } = office
  const merchant = await world.newMerchant()
  const admin = await office.newPerson('MERCHANT_ADMIN', merchant)
  const options = { viewport: { width: 360, height: 740 } }
  const visitor = await office.comes(admin, 'dashboard', { language: 'en', refusals: [400], options })
  const { page } = visitor
  await visitor.opens('/sandbox/profile')
  await visitor.sees('Mwonekano wa biashara', 'Look of the business')
  await page.getByLabel('Support phone').fill('\u202a(022) 211.1234\u202c')
  await page.getByLabel('Support e-mail').fill('not an address')
  await visitor.press('Hifadhi', 'Save')
  await page.getByText('Enter an address such as name@example.co.tz.').waitFor()
  await page.getByLabel('Support e-mail').fill('duka@example.com')
  await page.getByLabel('Colour of buttons').fill('#ffee00')
  await visitor.press('Hifadhi', 'Save')
  await page.getByText('is too light: white text on it would be hard to read.').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0, 'the refusal is only at the field')
  await page.getByLabel('Colour of buttons').fill('#FFF')
  await visitor.press('Hifadhi', 'Save')
  await page.getByText('is too light: white text on it would be hard to read.').waitFor()
  await page.getByLabel('Colour of buttons').fill('7A1FA2')
  await visitor.press('Hifadhi', 'Save')
  await page.getByRole('status').getByText('Saved. Payers see the change now.').waitFor()
  const saved = await world.rows('select support_phone, accent_color from merchants where id = $1', [merchant.id])
  assert.deepEqual(saved, [{ support_phone: '022 211 1234', accent_color: '#7a1fa2' }])

  const upload = (name: string, mimeType: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
  await upload('notes.txt', 'image/png', Buffer.from('no picture'))
  await page.getByRole('alert').getByText('This file is not a picture.').waitFor()
  const drawn = (width: number, height: number, fill: string) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${fill}"/></svg>`,
    )
  for (const [name, picture, refusal] of [
    ['high.svg', drawn(1, 2_000, '#000'), 'This picture is too long and thin for a logo.'],
    ['transparent.svg', drawn(200, 80, 'none'), 'This picture is not visible on white.'],
    ['wide.svg', drawn(2_000, 1, '#000'), 'This picture is too long and thin for a logo.'],
    ['white.svg', drawn(200, 80, '#fff'), 'This picture is not visible on white.'],
  ] as const) {
    await upload(name, 'image/svg+xml', picture)
    await page.getByRole('alert').getByText(refusal).waitFor()
  }
  assert.equal((await world.rows('select 1 from merchant_logos where merchant_id = $1', [merchant.id])).length, 0)
  const script = '<script>document.title = "changed"</script>'
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="80">${script}<rect width="200" height="80" fill="#7a1fa2"/></svg>`
  const focused = () => page.evaluate<string>('document.activeElement.textContent.slice(0, 40)')
  const choose = page.getByRole('button', { name: 'Choose a picture' })
  // The request waits, so that the button has the focus while it is busy.
  await page.route('**/v1/merchant/logo*', async (route) => {
    await choose.focus()
    await new Promise((done) => setTimeout(done, 200))
    await route.continue()
  })
  await upload('logo.svg', 'image/svg+xml', Buffer.from(svg))
  await page.getByRole('img', { name: `Logo of ${merchant.name}` }).waitFor()
  await page.getByRole('status').getByText('Saved. Payers see the change now.').waitFor()
  assert.equal(await focused(), 'Choose a picture')
  await removeRoutes(page, '**/v1/merchant/logo*')
  assert.equal(await page.title(), 'Look of the business · Malipo')
  const photo = await page.screenshot({ type: 'png', fullPage: true, scale: 'device' })
  // The PNG format permits bytes after its end, so the test appends 5 MB to a valid file. The browser reads the file itself, because
  // the transfer of so many bytes to the browser takes seconds on a busy machine.
  const folder = await mkdtemp(join(tmpdir(), 'malipo-photo-'))
  t.after(() => rm(folder, { recursive: true }))
  const path = join(folder, 'photo.png')
  await writeFile(path, Buffer.concat([photo, Buffer.alloc(5_000_000)]))
  await page.locator('input[type=file]').setInputFiles(path)
  const logo = page.getByRole('img', { name: `Logo of ${merchant.name}` })
  type Picture = { naturalHeight: number; naturalWidth: number }
  await until('the page shows the photo, which is higher than wide', () =>
    logo.evaluate((picture: Picture) => picture.naturalHeight > picture.naturalWidth),
  )
  // The box of the logo has one size, so a logo of another shape needs empty space at its sides.
  assert.equal(
    await page.evaluate<string>(`getComputedStyle(document.querySelector('img[alt^="Logo of"]')).objectFit`),
    'contain',
  )
  await visitor.looks('look of the business')
  await visitor.picture('business-look')
  const [stored] = await world.rows<{ bytes: number }>(
    'select length(png) as bytes from merchant_logos where merchant_id = $1',
    [merchant.id],
  )
  assert.ok(stored !== undefined && stored.bytes <= 20_480)
  // Another read of the page is slow, and the focus does not wait for it.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/v1/merchant/attention*', async (route) => {
    await released
    await route.continue()
  })
  await visitor.press('Ondoa nembo', 'Remove the logo')
  await page.getByText('There is no logo yet.').waitFor()
  await choose.and(page.locator(':focus')).waitFor()
  release()
  await page.getByRole('status').getByText('Saved. Payers see the change now.').waitFor()
  await visitor.leave()
})

for (const language of languagesOf(0)) {
  test(`a member chooses the e-mails to get, and ends a summary on the page that its e-mail links to (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    const person = await office.newPerson('FINANCE', merchant)
    const visitor = await office.comes(person, 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/live/notifications')
    await visitor.sees('Arifa', 'Notifications')
    const decisions = page.getByLabel(says('Maamuzi kuhusu kutoa pesa', 'Decisions on withdrawals'))
    await page.getByText(person.email).first().waitFor()
    assert.equal(await page.getByLabel(says('Webhook zisizofika', 'Failing webhooks')).count(), 0)
    assert.equal(await page.getByLabel(says('Usalama', 'Security'), { exact: true }).isDisabled(), true)
    const saved = page
      .locator('.toast')
      .filter({ hasText: says('Seva imehifadhi uchaguzi wako.', 'The server saved your choice.') })
    await page.setViewportSize({ width: 360, height: 640 })
    await decisions.uncheck()
    await saved.waitFor()
    // The message moves while it appears.
    const toast = page.locator('.toast').last()
    await toast.evaluate((box) =>
      Promise.all(box.getAnimations().map((one: { finished: Promise<unknown> }) => one.finished)),
    )
    const message = await saved.boundingBox()
    const header = await page.locator('header').boundingBox()
    assert.ok(message !== null && header !== null)
    assert.ok(message.y >= 0 && message.y + message.height <= header.height, 'on a phone, a message is in the header')
    const text = toast.locator('span').last()
    const three_lines = says(
      'Seva inatuma ujumbe 1,000 tena sasa. Imeshatuma au inatuma ujumbe 1,000 kati ya ule uliokosekana.',
      'The server sends 1,000 deliveries again now. It already sent or sends 1,000 of the missed deliveries.',
    )
    await text.evaluate((span, longer) => span.replaceChildren(longer), three_lines)
    const lines = await text.evaluate((span) => {
      const style = span.ownerDocument.defaultView?.getComputedStyle(span)
      return Math.round(span.getBoundingClientRect().height / Number.parseFloat(style?.lineHeight ?? ''))
    })
    const longest = await toast.boundingBox()
    await visitor.picture('toast')
    assert.equal(lines, 3)
    assert.ok(longest && longest.y >= 0 && longest.y + longest.height <= header.height, 'three lines fit the header')
    assert.equal(await decisions.evaluate((box) => box === box.ownerDocument.activeElement), true, 'no focus is lost')
    // With its keyboard open, a phone shows about half of the page.
    await page.setViewportSize({ width: 360, height: 340 })
    await decisions.evaluate((box) => {
      const view = box.ownerDocument.defaultView
      box.blur()
      view?.scrollBy(0, box.getBoundingClientRect().top - 10)
      box.focus()
    })
    const focused = await decisions.boundingBox()
    assert.ok(focused !== null && focused.y >= header.height, 'the header covers no focused field')
    await Promise.all([
      page.waitForResponse(
        (response) =>
          response.url().includes('/notifications') && response.request().method() !== 'GET' && response.ok(),
      ),
      page.getByLabel(says('Kila siku', 'Every day')).check(),
    ])
    await page.reload()
    await visitor.sees('Arifa', 'Notifications')
    assert.equal(await decisions.isChecked(), false)
    assert.equal(await page.getByLabel(says('Kila siku', 'Every day')).isChecked(), true)
    await visitor.looks('notifications')
    await visitor.picture('notifications')
    const [member] = await office.world.rows<{ id: string }>('select id from members where user_id = $1', [
      person.user_id,
    ])
    const address = unsubscribeUrl(
      { ...office.world.deps, config: { ...office.world.deps.config, base_url: office.url } },
      { merchant_id: merchant.id, member_id: member?.id as string, kind: 'digest' },
    )
    await page.goto(`${address}?lang=${language}`)
    await page.getByRole('heading', { name: says('Acha kupokea ujumbe', 'Stop e-mails') }).waitFor()
    await visitor.looks('unsubscribe')
    await visitor.picture('unsubscribe')
    await visitor.press('Acha kupokea', 'Stop these e-mails')
    await page.getByRole('heading', { name: says('Hutapokea tena', 'The e-mails have stopped') }).waitFor()
    await visitor.looks('unsubscribed')
    const [left] = await office.world.rows<{ digest: string }>('select digest from member_notices where user_id = $1', [
      person.user_id,
    ])
    assert.equal(left?.digest, 'off')
    await visitor.leave()
  })
}

for (const language of ['sw', 'en'] as const)
  test(`a user chooses the language of the own e-mails on the profile page, and the console keeps its language (${language})`, async () => {
    const person = await office.newPerson('VIEWER')
    const visitor = await office.comes(person, 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/live/account')
    await visitor.sees('Wasifu wako', 'Your profile')
    const field = page.getByLabel(says('Lugha ya barua pepe', 'Language of e-mails'))
    assert.equal(await field.inputValue(), 'sw')
    await field.selectOption('en')
    await visitor.press('Badilisha lugha', 'Change the language')
    await page.getByText(says('Umebadilisha lugha ya barua pepe.', 'You changed the language of e-mails.')).waitFor()
    const rows = await office.world.rows('select language from users where id = $1', [person.user_id])
    assert.deepEqual(rows, [{ language: 'en' }])
    await visitor.looks('the profile')
    await visitor.picture('profile')
    await page.reload()
    await visitor.sees('Wasifu wako', 'Your profile')
    assert.equal(await field.inputValue(), 'en')
    await visitor.leave()
  })

for (const [console, path, role] of [
  ['dashboard', '/live/sessions', 'VIEWER'],
  ['operator', '/sessions', 'SUPPORT'],
] as const) {
  for (const language of languagesOf(console === 'dashboard' ? 0 : 1)) {
    test(`a user of the ${console} reads the profile, changes the password and the e-mail address, and signs in with both (${language})`, async () => {
      const person = await office.newPerson(role)
      const visitor = await office.comes(person, console, { language, refusals: [400, 401] })
      const { page, says } = visitor
      const focused = (name: string) => page.locator(`input[name=${name}]:focus`).waitFor()
      const drafts = () => page.evaluate<string>('JSON.stringify(sessionStorage)')
      await visitor.opens(path)
      await visitor.press('Badilisha nywila', 'Change the password')
      await visitor.sees('Wasifu wako', 'Your profile')
      await page.getByText(person.email).first().waitFor()
      await visitor.fill('Jina', 'Name', ' ')
      await visitor.press('Badilisha jina', 'Change the name')
      await page.getByText(says('Jaza sehemu hii.', 'Fill in this field.')).waitFor()
      await visitor.fill('Jina', 'Name', 'Neema \u202eMushi')
      await visitor.press('Badilisha jina', 'Change the name')
      await page.getByText(says('Umebadilisha jina.', 'You changed the name.')).waitFor()
      assert.equal(await page.getByLabel(says('Jina', 'Name')).inputValue(), 'Neema Mushi')
      const button = await page.evaluate<string>('document.activeElement.textContent')
      assert.equal(button, says('Badilisha jina', 'Change the name'), 'the button keeps the focus')
      await visitor.press('Badilisha nywila', 'Change the password')
      assert.equal(await page.getByText(says('Jaza sehemu hii.', 'Fill in this field.')).count(), 2)
      await focused('password')
      const password = 'mti mrefu kando ya mto'
      await visitor.fill('Nywila ya sasa', 'Current password', 'not this one')
      await visitor.fill('Nywila mpya', 'New password', password)
      await visitor.press('Badilisha nywila', 'Change the password')
      await page.getByText(says('Nywila si sahihi. Andika tena.', 'The password is not right.')).waitFor()
      await focused('password')
      assert.equal((await drafts()).includes(password), false, 'no draft has a password')
      await visitor.fill('Nywila ya sasa', 'Current password', person.password)
      await visitor.fill('Nywila mpya', 'New password', 'password123')
      await visitor.press('Badilisha nywila', 'Change the password')
      await page.getByText(says('Nywila hii inajulikana na wengi.', 'must not be a common password')).waitFor()
      await focused('new_password')
      await visitor.looks('profile')
      await visitor.picture('user-profile')
      await visitor.fill('Nywila mpya', 'New password', password)
      await visitor.press('Badilisha nywila', 'Change the password')
      const done = page.getByRole('status').getByText(says('Umebadilisha nywila.', 'You changed the password.'))
      await done.or(page.locator('input[name=email]')).first().waitFor()
      await visitor.leave()
      const again = await office.comes({ ...person, password }, console, { language, refusals: [400, 401, 409] })
      await again.opens(path.replace('sessions', 'account'))
      await again.sees('Wasifu wako', 'Your profile')
      const address = `mpya-${person.email.split('@')[0]}@example.com`
      if (console === 'dashboard') await changesAddress(again, { ...person, password }, address)
      else await cannotChangeAddress(again, address)
      await again.leave()
    })
  }
}

/** A demo user keeps the address, because the demo finds its users by it. */
async function cannotChangeAddress(visitor: Visitor, address: string): Promise<void> {
  await visitor.fill('Barua pepe mpya', 'New e-mail address', address)
  await visitor.press('Badilisha barua pepe', 'Change the e-mail address')
  const refusal = visitor.says('Barua pepe ya mtumiaji wa maonyesho haibadilishwi.', 'of a demo user does not change.')
  await visitor.page.getByRole('alert').getByText(refusal).waitFor()
}

/** Changes the e-mail address over the mailed link, and signs in with the new address. */
async function changesAddress(visitor: Visitor, person: Person, address: string): Promise<void> {
  const { page, says, language } = visitor
  const ask = async (text: string) => {
    await visitor.fill('Barua pepe mpya', 'New e-mail address', text)
    await visitor.press('Badilisha barua pepe', 'Change the e-mail address')
  }
  const problemIs = async (text: string) => {
    await page.getByText(text).waitFor()
    await page.locator('input[type=email][aria-invalid=true]:focus').waitFor()
  }
  await ask('neema')
  await problemIs(says('Andika anwani kama jina@mfano.co.tz.', 'Enter an address such as name@example.co.tz.'))
  await ask(person.email)
  await problemIs(says('Hii ndiyo barua pepe yako ya sasa.', 'must not be your current e-mail address'))
  await ask(` ${address}`)
  const sent = page.getByRole('status').filter({ hasText: address })
  await sent.filter({ hasText: says(`inabaki ${person.email}`, `stays ${person.email}`) }).waitFor()
  const focused = await page.evaluate<string>('document.activeElement.textContent')
  assert.equal(focused, says('Badilisha barua pepe', 'Change the e-mail address'), 'the button keeps the focus')
  assert.equal(await page.locator('input[type=email]').inputValue(), '')
  await visitor.looks('new-address')
  await visitor.picture('new-address')

  const link = await mailedUrl(office.world, address)
  await page.goto(link.replace(/lang=\w+/, `lang=${language}`))
  await visitor.sees('Thibitisha barua pepe yako mpya', 'Confirm your new e-mail address')
  await page.locator('main').getByText(address).waitFor()
  const enter = async (text: string) => {
    await page.getByLabel(says('Nywila', 'Password')).fill(text)
    await page.getByRole('button', { name: says('Thibitisha', 'Confirm') }).click()
  }
  await enter('not this one')
  await page.getByRole('alert').getByText(says('Nywila si sahihi.', 'The password is not right.')).waitFor()
  await visitor.looks('new-address-link')
  await visitor.picture('new-address-link')
  await enter(person.password)
  await visitor.sees('Umebadilisha barua pepe', 'E-mail address changed')
  const renamed = await office.comes({ ...person, email: address }, 'dashboard', { language })
  await renamed.opens('/live/account')
  await renamed.page.locator('main').getByText(address, { exact: true }).waitFor()
  await renamed.leave()
}
