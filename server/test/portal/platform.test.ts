// Tests the pages on which operators manage the platform: merchants, prices, addresses, providers, books and the audit log.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LANGUAGES } from '../../src/kernel/lib/index.ts'
import { removeRoutes } from '../browser.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Person } from './office.ts'

let office: Office
let boss: Person
before(async () => {
  office = await openOffice()
  boss = await office.newPerson('SUPER_ADMIN')
})
after(() => office?.close())

const PAGES = [
  ['merchants', 'Biashara zote', 'All merchants'],
  ['addresses', 'Anwani za IP', 'IP addresses'],
  ['webhooks', 'Webhook zinazoshindwa', 'Failing webhooks'],
  ['providers', 'Watoa huduma', 'Providers'],
  ['waiting', 'Yanayomsubiri mtoa huduma', 'Waiting for a provider'],
  ['pauses', 'Kusimamisha utoaji pesa', 'Payout pauses'],
  ['decisions', 'Maamuzi ya pili', 'Second decisions'],
  ['networks', 'Msaada wa mitandao', 'Help for networks'],
  ['messages', 'Ujumbe', 'Messages'],
  ['reconciliation', 'Ulinganisho', 'Reconciliation'],
  ['system', 'Hali ya mfumo', 'System'],
  ['operators', 'Waendeshaji', 'Operators'],
  ['audit', 'Historia ya shughuli', 'Audit log'],
] as const

for (const language of LANGUAGES) {
  test(`each listed page of the platform is accessible and fits each tested width (${language})`, async () => {
    const { world } = office
    for (const phone of ['0754123001', '0754123007']) {
      await world.post('/v1/collections/wallet-push', { amount: '5000', phone }, { key: world.live_key })
    }
    const item = { description: 'Viatu', quantity: '1', unit_price: '5000' }
    const invoice = { customer_name: 'Juma', customer_phone: '0744214517', due_date: '2099-12-05', items: [item] }
    const { id } = (await world.post('/v1/invoices', invoice)).body.data
    assert.equal((await world.post(`/v1/invoices/${id}/send`, {})).status, 200)
    const visitor = await office.comes(boss, 'operator', { language })
    // The short form opens each page in one language.
    for (const [path, sw, en] of PAGES.filter((_, place) => languagesOf(place).includes(language))) {
      await visitor.opens(`/${path}`)
      await visitor.sees(sw, en)
      if (path === 'messages') {
        const sms = visitor.page.getByRole('row').filter({ hasText: '0744 214 517' }).first()
        await sms.getByRole('cell').getByText(visitor.says('Ankara', 'Invoice'), { exact: true }).waitFor()
      }
      await visitor.looks(path)
      await visitor.picture(path)
    }
    await visitor.leave()
  })
}

for (const language of LANGUAGES) {
  test(`each page of the menu has the name of its link as its title (${language})`, async () => {
    const visitor = await office.comes(boss, 'operator', { language })
    const { page } = visitor
    await visitor.opens('/')
    const links = page.locator('.menu-lines a')
    const names = await links.locator('.mantine-NavLink-label').allInnerTexts()
    assert.ok(names.length >= 19, names.join())
    for (const [place, name] of names.entries()) {
      await links.nth(place).click()
      await visitor.sees(name, name)
    }
    await page.locator('.menu-top .brand').click()
    await visitor.sees(names[0] ?? '', names[0] ?? '')
    await links.last().click()
    // The line of the open page is in sight, also in a low window whose menu scrolls.
    await page.setViewportSize({ width: 1280, height: 560 })
    await page.reload()
    const last = names.at(-1) ?? ''
    await visitor.sees(last, last)
    const line = await page.locator('.menu-lines [aria-current=page]').boundingBox()
    const account = await page.locator('.menu-account').boundingBox()
    assert.ok(line && account && line.y + line.height <= account.y + 1, JSON.stringify([line, account]))
    await visitor.leave()
  })
}

test('on a phone, the fields of a group of fields begin near the edge of the group', async () => {
  const owner = await office.newPerson('MERCHANT_ADMIN')
  for (const [person, app, path] of [
    [owner, 'dashboard', '/sandbox/invoices/new'],
    [boss, 'operator', '/networks'],
    [boss, 'operator', `/merchants/${office.world.merchant.id}/prices`],
  ] as const) {
    const visitor = await office.comes(person, app, { options: { viewport: { width: 360, height: 740 } } })
    await visitor.opens(path)
    const group = visitor.page.locator('.mantine-Fieldset-root').first()
    const [edge, field] = [
      await group.boundingBox(),
      await group.locator('input, select, textarea').first().boundingBox(),
    ]
    assert.ok(edge !== null && field !== null)
    assert.ok(field.x - edge.x <= 14, `${path}: ${field.x - edge.x} pixels`)
    await visitor.picture(`group${path.replaceAll(/[^a-z]+/g, '-')}`)
    await visitor.leave()
  }
})

for (const language of languagesOf(1)) {
  test(`the first line of the page System names warnings and failures, and is good only without both (${language})`, async () => {
    const visitor = await office.comes(boss, 'operator', { language })
    const { page, says } = visitor
    for (const [statuses, tone, sw, en] of [
      [['ok'], 'good', 'Hakuna ukaguzi ulioshindwa.', 'No check failed.'],
      [
        ['warn', 'ok', 'warn'],
        'warn',
        'Hakuna ukaguzi ulioshindwa, lakini kuna maonyo: 2.',
        'No check failed, but there are warnings: 2.',
      ],
      [['warn', 'fail'], 'bad', 'Angalau ukaguzi mmoja umeshindwa.', 'At least one check failed.'],
    ] as const) {
      const checks = statuses.map((status, i) => ({ name: `check ${i}`, status, message: 'Measured.' }))
      const data = { ok: tone !== 'bad', checked_at: new Date().toISOString(), checks }
      await page.route('**/v1/operator/system', (route) => route.fulfill({ json: { success: true, data } }))
      await visitor.opens('/system')
      await page.locator(`.verdict-${tone}`).getByText(says(sw, en), { exact: true }).waitFor()
      await visitor.looks(`system ${tone}`)
      await visitor.picture(`system-${tone}`)
      await removeRoutes(page)
    }
    await visitor.leave()
  })
}

test('the console names the role of an operator, and offers SUPPORT no suspension, adjustment, limits or fees of a merchant', async () => {
  const { world } = office
  const support = await office.comes(await office.newPerson('SUPPORT'), 'operator', { language: 'en' })
  await support.opens(`/merchants/${world.merchant.id}`)
  await support.page.getByText('Support: reads only').waitFor()
  await support.page.getByText('Decisions about merchants need the role compliance or super admin.').waitFor()
  for (const name of ['Suspend', 'Adjust the balance', 'Change the limits', 'Change the fees']) {
    assert.equal(await support.page.getByRole('button', { name }).count(), 0, name)
    assert.equal(await support.page.getByRole('link', { name }).count(), 0, name)
  }
  await support.leave()
  const examiner = await office.comes(await office.newPerson('COMPLIANCE'), 'operator', { language: 'sw' })
  await examiner.opens(`/merchants/${world.merchant.id}`)
  await examiner.page.getByText('Mkaguzi wa biashara').waitFor()
  await examiner.page.getByRole('button', { name: 'Simamisha' }).waitFor()
  await examiner.opens('/networks')
  await examiner.page.getByText('Makato na mipangilio ya mfumo ni kazi ya msimamizi mkuu.').waitFor()
  await examiner.leave()
})

test('a super admin reads the list of operators, and removes the role of another operator with a reason', async () => {
  const other = await office.newPerson('SUPPORT')
  await office.world.rows('update credentials set is_first = true where user_id = $1', [other.user_id])
  const visitor = await office.comes(boss, 'operator', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/operators')
  const row = page.getByRole('row').filter({ hasText: other.email })
  await row.getByText('Huduma kwa wateja: anasoma tu').waitFor()
  await row.getByText('Haijawekwa').waitFor()
  await row.getByText('Bado hajaingia').waitFor()
  const own = page.getByRole('row').filter({ hasText: boss.email })
  await own.waitFor()
  assert.equal(await own.getByRole('button').count(), 0)
  await row.getByRole('button', { name: `Ondoa jukumu: ${other.email}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Sababu').fill('Ameondoka')
  await dialog.getByRole('button', { name: 'Ondoa jukumu' }).click()
  await page.getByText('Umeondoa jukumu.').waitFor()
  await row.waitFor({ state: 'detached' })
  await visitor.leave()
  const support = await office.comes(await office.newPerson('SUPPORT'), 'operator', { language: 'en' })
  await support.opens('/')
  const menu = support.page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Withdrawals' }).waitFor()
  assert.equal(await menu.getByRole('link', { name: 'Operators' }).count(), 0)
  await support.leave()
})

test('an operator pauses the payouts of a network, another page shows the pause with its reason, and the operator ends the pause', async () => {
  const visitor = await office.comes(boss, 'operator', { language: 'sw' })
  const { page } = visitor
  await visitor.opens('/pauses')
  await visitor.press('Simamisha utoaji pesa', 'Pause payouts')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Unaohusika').selectOption('destination')
  await dialog.getByRole('button', { name: 'Simamisha utoaji pesa' }).click()
  await dialog.getByText('Andika sababu.').waitFor()
  await dialog.getByLabel('Mtandao au benki').selectOption('MPESA')
  await dialog.getByLabel('Sababu').fill('Majina <b>hayalingani</b>')
  await dialog.getByRole('button', { name: 'Simamisha utoaji pesa' }).click()
  await page.getByText('Umesimamisha utoaji pesa.').waitFor()
  await visitor.opens('/withdrawals')
  const banner = page.getByRole('status').filter({ hasText: 'Majina <b>hayalingani</b>' })
  await banner.getByText('Mtandao au benki moja: M-Pesa (Vodacom)').waitFor()
  await banner.getByRole('link', { name: 'Angalia na uruhusu tena' }).click()
  await visitor.sees('Kusimamisha utoaji pesa', 'Payout pauses')
  await page.getByRole('button', { name: /^Ruhusu tena/ }).click()
  await dialog.getByLabel('Sababu').fill('Yamelingana')
  await dialog.getByRole('button', { name: /^Ruhusu tena/ }).click()
  await page.getByText('Utoaji pesa umeruhusiwa tena.').waitFor()
  await banner.waitFor({ state: 'detached' })
  await visitor.leave()
})

test('an operator creates, approves and verifies a merchant, and sets its prices after a preview of the costs', async () => {
  const visitor = await office.comes(boss, 'operator', { language: 'sw', refusals: [400] })
  const { page } = visitor
  await visitor.opens('/merchants')
  await visitor.press('Sajili biashara', 'Register a merchant')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Sajili biashara' }).click()
  await dialog.getByText('Jaza sehemu hii.').waitFor()
  await dialog.getByLabel('Jina').fill('Duka <b>la</b> Neema')
  await dialog.getByLabel('Barua pepe').fill('neema-platform@example.com')
  await dialog.getByRole('button', { name: 'Sajili biashara' }).click()
  await page.getByText('Umesajili Duka <b>la</b> Neema.').waitFor()
  await page.getByRole('link', { name: 'Duka <b>la</b> Neema' }).click()
  await visitor.sees('Duka <b>la</b> Neema', 'Duka <b>la</b> Neema')
  for (const [act, done] of [
    ['Idhinisha', 'Umeidhinisha biashara.'],
    ['Thibitisha utambulisho', 'Umethibitisha utambulisho.'],
  ] as const) {
    await page.getByRole('main').getByRole('button', { name: act, exact: true }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: new RegExp(`^${act}`) })
      .click()
    await page.getByText(done).waitFor()
  }
  const invited = page.getByRole('row').filter({ hasText: 'bado hajaingia' })
  await invited.getByRole('button', { name: 'Tuma mwaliko tena: neema-platform@example.com' }).click()
  await page
    .getByText('Mfumo huu hautumi barua pepe. Kama kikomo cha siku hakijafikiwa, mwaliko uko kwenye ukurasa wa Ujumbe.')
    .waitFor()
  await visitor.looks('a merchant')
  await visitor.picture('merchant')
  await visitor.press('Badilisha makato', 'Change the fees')
  await visitor.sees('Makato', 'Fees')
  await page.getByLabel('Jina la kanuni').fill('Zote')
  await page.getByLabel('Asilimia').fill('abc')
  assert.ok(await page.getByRole('button', { name: 'Tumia orodha hii' }).isDisabled())
  await page.getByRole('button', { name: 'Angalia makato' }).click()
  await page.getByText('Andika asilimia kutoka 0 hadi 100, kama 1.50.').first().waitFor()
  await page.getByLabel('Asilimia').fill('1.50')
  await page.getByRole('button', { name: 'Angalia makato' }).click()
  await page.getByRole('heading', { name: 'Makato ya mfano' }).waitFor()
  await visitor.looks('prices')
  await visitor.picture('prices')
  await page.getByRole('button', { name: 'Tumia orodha hii' }).click()
  await page.getByText('Orodha mpya inatumika sasa.').waitFor()
  await visitor.press('Rudi kwa biashara', 'Back to the merchant')
  await page.getByText('1.50 %').waitFor()
  const [row] = await office.world.rows<{ status: string; verified: boolean }>(
    "select status, verified from merchants where name = 'Duka <b>la</b> Neema'",
  )
  assert.deepEqual(row, { status: 'ACTIVE', verified: true })
  await visitor.leave()
})

test('an operator adjusts a balance after the form shows the effect, and a double click makes one adjustment', async () => {
  const { world } = office
  const visitor = await office.comes(boss, 'operator')
  const { page } = visitor
  await visitor.opens(`/merchants/${world.merchant.id}`)
  await visitor.press('Rekebisha salio', 'Adjust the balance')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('12,500')
  await dialog.getByLabel('Reason').fill('Counted twice on 3 November')
  await visitor.looks('a correction')
  await visitor.picture('adjust')
  await dialog.getByRole('button', { name: 'The merchant gets TZS\u00a012,500' }).dblclick()
  await page.getByText('You adjusted the balance by TZS\u00a012,500.').waitFor()
  await page.getByText('Counted twice on 3 November').first().waitFor()
  const rows = await world.rows("select 1 from adjustments where reason = 'Counted twice on 3 November'")
  assert.equal(rows.length, 1)
  await visitor.leave()
})

test('an operator approves an address, and later rejects the address with a reason', async () => {
  const { world } = office
  const { token } = await world.newSession('DEVELOPER')
  const body = { label: 'Office', address: '203.0.113.7', environment: 'live' }
  assert.equal((await world.post('/v1/merchant/ip-addresses', body, { key: token })).status, 201)
  const visitor = await office.comes(boss, 'operator')
  const { page } = visitor
  await visitor.opens('/addresses')
  await page.getByRole('button', { name: 'Approve 203.0.113.7' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve: 203.0.113.7' }).click()
  await page.getByText('You approved 203.0.113.7.').waitFor()
  await page.getByRole('button', { name: 'Reject 203.0.113.7' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Reject: 203.0.113.7' }).click()
  await page.getByText('Enter the reason.').waitFor()
  await page.getByRole('dialog').getByLabel('Reason').fill('Not theirs')
  await page.getByRole('dialog').getByRole('button', { name: 'Reject: 203.0.113.7' }).click()
  await page.getByText('You rejected 203.0.113.7.').waitFor()
  await visitor.leave()
})

test('an operator verifies the hash chains of the audit log on the page, and the address contains the filter by action', async () => {
  const visitor = await office.comes(boss, 'operator')
  const { page } = visitor
  await visitor.opens('/audit')
  await page.getByRole('button', { name: 'Verify the chains' }).click()
  await page.getByText(/chains with [\d,]+ entries are intact\./).waitFor()
  // The operator chooses the words that the entries show.
  const actions = page.locator('tbody tr > td:nth-child(3)')
  await actions.first().waitFor()
  const all = (await actions.allInnerTexts()).map((text) => text.trim().split('\n') as [words: string, code: string])
  const [words, code] = all.at(-1) ?? ['', '']
  assert.ok(new Set(all.map(([one]) => one)).size > 1, 'the log has several actions')
  await page.getByLabel('Action', { exact: true }).selectOption(words)
  await page.waitForURL((address) => address.searchParams.get('action') === code.trim())
  await actions.filter({ hasNotText: words }).first().waitFor({ state: 'detached' })
  await actions.first().filter({ hasText: words }).waitFor()
  await visitor.leave()
})

test('an operator reads that nothing is compared yet, imports a provider statement, closes the case of an unknown line, and withdraws the statement', async () => {
  const visitor = await office.comes(boss, 'operator')
  const { page } = visitor
  await visitor.opens('/reconciliation')
  await page.getByText('No operator has imported a statement of this provider.').first().waitFor()
  await page.getByText('The server has compared nothing, because no operator has imported a statement.').waitFor()
  assert.equal(await page.getByText('0 of 0 agree').count(), 0)
  await visitor.picture('reconciliation-nothing')
  await visitor.press('Leta taarifa', 'Import a statement')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Provider').getByRole('option', { name: 'Simulated network' }).waitFor({ state: 'attached' })
  await dialog.getByLabel('From day').fill('2026-01-05')
  await dialog.getByLabel('To day').fill('2026-01-06')
  await dialog.getByRole('button', { name: 'Import a statement' }).click()
  await dialog.getByText('Choose a file.').waitFor()
  const line = 'NOBODYKNOWS1,P-1,payment,5000.00,TZS,2026-01-05T10:00:00+03:00'
  await dialog.getByLabel('CSV file').setInputFiles({
    name: 'statement.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`reference,provider_id,kind,amount,currency,at\n${line}\n`),
  })
  await dialog.getByRole('button', { name: 'Import a statement' }).click()
  await page.getByText('The server has imported the statement').waitFor()
  await page
    .getByRole('cell', { name: /Unknown to us/ })
    .first()
    .waitFor()
  await page.getByRole('heading', { name: 'Simulated network', exact: true }).waitFor()
  await page.getByText('Simulated network, Payment').waitFor()
  await visitor.looks('reconciliation with a case')
  await visitor.picture('reconciliation-case')
  await page.getByRole('button', { name: 'Close the case' }).first().click()
  await dialog.getByLabel('Reason').fill('A test of the provider')
  await dialog.getByRole('button', { name: 'Close the case' }).click()
  await page.getByText('You closed the case.').waitFor()
  // No case is open now, and the filter leads to the closed case.
  await visitor.opens('/reconciliation')
  await page.getByText('No cases', { exact: true }).waitFor()
  await page.getByLabel('State', { exact: true }).selectOption('resolved')
  await page.getByRole('cell', { name: 'A test of the provider' }).waitFor()
  await page.getByRole('button', { name: 'Withdraw' }).first().click()
  await dialog.getByLabel('Reason').fill('The wrong day')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('You withdrew the statement.').waitFor()
  await visitor.leave()
})

test('an operator changes the English help text of a network for payers', async () => {
  const visitor = await office.comes(boss, 'operator')
  const { page } = visitor
  await visitor.opens('/networks')
  await page.getByLabel('Help in English').first().fill('Open the menu and choose Pay.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. Payers see the new text now.').waitFor()
  // The title of a box is the name of the network, and never its code.
  assert.equal(await visitor.page.getByRole('group', { name: 'M-Pesa', exact: true }).count(), 1)
  assert.equal(await visitor.page.getByText('MPESA', { exact: true }).count(), 0)
  const { body } = await office.world.get('/v1/operator/networks', (await office.world.newSession('SUPER_ADMIN')).token)
  assert.equal(body.data.networks[0].help_en, 'Open the menu and choose Pay.')
  await visitor.leave()
})

for (const language of languagesOf(0)) {
  test(`the page of providers shows sandbox payments as sandbox payments, and explains why the mock provider has no circuit (${language})`, async () => {
    const { world } = office
    await world.post('/v1/collections/wallet-push', { amount: '5000', phone: '0754123001' })
    const visitor = await office.comes(boss, 'operator', { language })
    await visitor.opens('/providers')
    const sandbox = visitor.says('Matokeo ya majaribio', 'Outcomes in the sandbox')
    const lines = visitor.page.getByRole('table', { name: sandbox }).getByRole('row')
    await lines.filter({ hasText: 'M-Pesa (Vodacom)' }).first().waitFor()
    assert.equal(await lines.filter({ hasText: /MPESA|AIRTEL/ }).count(), 0, 'names, not codes')
    const calls = visitor.page.getByRole('table', { name: visitor.says('Maombi na ulinzi', 'Calls and circuits') })
    await calls
      .getByRole('row')
      .filter({ hasText: visitor.says('Majaribio', 'Sandbox') })
      .first()
      .waitFor()
    const none = visitor.says('Hakuna: seva yenyewe inaigiza', 'No circuit: the server simulates this provider itself')
    await visitor.page.getByText(none, { exact: false }).first().waitFor()
    await visitor.picture('providers')
    await visitor.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`the page of a price list warns about a payout method without a price, and offers the networks in a list (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const visitor = await office.comes(boss, 'operator', { language })
    const { page, says } = visitor
    await visitor.opens(`/merchants/${merchant.id}/prices`)
    const warning = page.getByText(
      says('Utoaji pesa halisi hautaruhusiwa kwenda:', 'The server will refuse withdrawals of real money to:'),
    )
    const network = page.getByLabel(says('Mtandao au benki', 'Network or bank'))
    await network.locator('option[value=MPESA]').waitFor({ state: 'attached' })
    assert.equal(await warning.count(), 0, 'the default list prices all methods')
    const standard = says('Kawaida: bila makato', 'Default: no fee')
    assert.equal(await page.locator('[data-path="rules.0.label"]').inputValue(), standard)
    // A legend in the border stands at the top edge of its group. A heading stands inside, as in other cards.
    await page.getByRole('group', { name: says('Kanuni 1', 'Rule 1'), exact: true }).waitFor()
    const drawn = await page.evaluate<string[]>(`(() => {
      const { borderTopWidth, paddingLeft } = getComputedStyle(document.querySelector('fieldset'))
      return [borderTopWidth, paddingLeft, getComputedStyle(document.querySelector('legend')).float]
    })()`)
    assert.deepEqual(drawn, ['0px', '0px', 'left'])
    await network.selectOption('MPESA')
    await warning.waitFor()
    // The warning names only the destinations without a rule, because the rule of a network does not apply to bank accounts.
    const except = says('isipokuwa kwenda', 'except to')
    await page.getByText(new RegExp(`: [^;,]+, ${except} [^;,]*M-?Pesa[^;,]*; [^;,]+; [^;,]+\\.$`, 'i')).waitFor()
    await visitor.looks('prices with a hole')
    await visitor.picture('prices-hole')
    await visitor.press('Angalia makato', 'Preview the fees')
    await visitor.press('Tumia orodha hii', 'Apply this list')
    await page.getByText(says('Orodha mpya inatumika sasa.', 'The new list applies now.')).waitFor()
    const stored = 'select label from pricing_rules where merchant_id = $1 and valid_until is null'
    assert.deepEqual(await world.rows(stored, [merchant.id]), [{ label: 'Default: no fee' }])
    await visitor.opens(`/merchants/${merchant.id}`)
    await page.getByRole('cell', { name: standard }).waitFor()
    await world.rows(
      "update pricing_rules set destination_code = 'VODKA' where merchant_id = $1 and valid_until is null",
      [merchant.id],
    )
    await visitor.opens(`/merchants/${merchant.id}`)
    await page.getByText(says('VODKA (haujulikani', 'VODKA (unknown'), { exact: false }).waitFor()
    await warning.waitFor()
    // If a price list has prices for collections only, the platform refuses every live withdrawal.
    await world.rows(
      "update pricing_rules set flow = 'collection', destination_code = null where merchant_id = $1 and valid_until is null",
      [merchant.id],
    )
    await visitor.opens(`/merchants/${merchant.id}`)
    await page.getByText(says('VODKA (haujulikani', 'VODKA (unknown'), { exact: false }).waitFor({ state: 'detached' })
    await warning.waitFor()
    await visitor.leave()
  })
}
