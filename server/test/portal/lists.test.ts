// Tests the lists of the consoles: empty lists, filters, saved CSV files. Also tests error messages, and pages that the browser
// cannot load.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { removeRoutes } from '../browser.ts'
import { fund } from '../withdrawals.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Person } from './office.ts'

let office: Office
let owner: Person
let boss: Person
before(async () => {
  office = await openOffice()
  owner = await office.newPerson('MERCHANT_ADMIN')
  boss = await office.newPerson('SUPER_ADMIN')
})
after(() => office?.close())

for (const language of languagesOf(0)) {
  test(`an empty queue shows a text, and the reader of an empty result can remove the filter (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    await office.world.newKey({ merchant })
    const visitor = await office.comes(boss, 'operator', { language, refusals: [400] })
    const { page, says } = visitor
    const clear = page.getByRole('heading', { name: says('Foleni imekwisha', 'The queue is empty'), exact: true })
    const none = page.getByText(says('Hakuna kinacholingana na vichujio hivi.', 'Nothing matches these filters.'))
    for (const path of ['/withdrawals?status=BLOCKED_IP_WHITELIST', '/addresses?status=PENDING']) {
      await visitor.opens(path)
      await clear.or(page.locator('.empty h2')).first().waitFor()
      assert.equal(await none.count(), 0, path)
      await visitor.looks(path)
    }
    // A filter that may hide waiting records has its name in the empty state, with a button that removes only this filter.
    const environment = says('Ondoa kichujio Mazingira:', 'Remove the filter Environment:')
    const remove = page.getByRole('button', { name: environment })
    for (const [path, rest] of [
      ['/withdrawals?status=BLOCKED_IP_WHITELIST&environment=sandbox', '?status=BLOCKED_IP_WHITELIST'],
      ['/collections?environment=live', ''],
    ] as const) {
      await visitor.opens(path)
      await none.waitFor()
      assert.equal(await clear.count(), 0, path)
      assert.equal(await page.getByRole('button', { name: /^(Ondoa kichujio|Remove the filter)/ }).count(), 1)
      await visitor.looks(path)
      await visitor.picture('hiding-filter')
      await remove.click()
      await page.waitForURL(({ search }) => search === rest)
      await clear.or(page.locator('.empty h2')).first().waitFor()
    }
    await visitor.opens('/withdrawals?status=BLOCKED_IP_WHITELIST&environment=live')
    await clear.waitFor()
    await visitor.opens('/withdrawals?status=BLOCKED_IP_WHITELIST')
    await clear.waitFor()
    await visitor.picture('queue-clear')
    await visitor.opens('/withdrawals?status=REJECTED')
    await none.waitFor()
    assert.equal(await clear.count(), 0)
    await visitor.picture('none-match')
    await visitor.press('Ondoa vichujio', 'Clear filters')
    await none.waitFor({ state: 'detached' })
    await visitor.page.locator('[role=search] :focus').waitFor()
    // The API refuses an unknown status. The page says so, and does not repeat the read.
    const refused: string[] = []
    page.on('response', (reply) => reply.status() === 400 && refused.push(reply.url()))
    await page.clock.install()
    await visitor.opens('/withdrawals?status=SUCCEEDED')
    await page.locator('.problem code', { hasText: 'status' }).waitFor()
    for (let i = 0; i < 4; i += 1) await page.clock.runFor(6_000)
    await visitor.looks('a refused filter')
    await visitor.picture('refused-filter')
    assert.equal(refused.length, 1)
    await visitor.press('Fungua orodha bila vichujio', 'Open the list without filters')
    await page.waitForURL(({ search }) => search === '')
    await page.locator('.problem').waitFor({ state: 'detached' })
    await visitor.page.locator('[role=search] :focus').waitFor()
    await visitor.leave()
  })

  test(`the filters of held collections fold on phones, stay when no collection is held, and the first sentence fits the status (${language})`, async () => {
    const visitor = await office.comes(boss, 'operator', { language })
    const { page, says } = visitor
    const status = page.getByLabel(says('Hali', 'Status'), { exact: true })
    const toggle = page.getByRole('button', { name: says('Chuja', 'Filter'), exact: true })
    await visitor.opens('/collections')
    await page.locator('.empty h2').waitFor()
    await status.waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await status.waitFor({ state: 'hidden' })
    await toggle.click()
    await status.selectOption('successful')
    await page.getByText(says('Hakuna kinacholingana na vichujio hivi.', 'Nothing matches these filters.')).waitFor()
    const pending = says('Zinasubiri uamuzi', 'wait for a decision')
    const leads: [status: string, sw: string, en: string][] = [
      [
        'successful',
        'pesa ziliongezwa kwenye salio la biashara',
        "the server added the money to the merchant's balance",
      ],
      ['failed', 'kisha yalikataliwa', 'then declined'],
      ['reversed', 'kisha yalirudishwa', 'later reversed'],
    ]
    for (const [value, sw, en] of leads) {
      await status.selectOption(value)
      await page.locator('.page-lead').getByText(says(sw, en)).waitFor()
      assert.equal(await page.getByText(pending).count(), 0, value)
    }
    await visitor.looks('held filters')
    await visitor.picture('held-filters')
    await status.selectOption('pending_clearance')
    await page.locator('.page-lead').getByText(pending).waitFor()
    await visitor.leave()
  })

  test(`if the server has no domain name, the page of passkeys states this reason, and not that the maximum is reached (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, says } = visitor
    await page.route('**/v1/passkeys', (route) =>
      route.fulfill({ json: { success: true, data: { items: [], can_add: false } } }),
    )
    await visitor.opens('/sandbox/sessions')
    const reason = says('anwani ya mfumo huu haina jina la kikoa na https', 'server has no domain name with https')
    const text = await page.locator('#passkeys').or(page.getByText(reason)).last().innerText()
    assert.ok(text.includes(reason), text)
    assert.doesNotMatch(text, /una za kutosha|maximum/)
    await visitor.leave()
  })

  test(`the filters of payments share a line at 1280 pixels, the checkboxes are narrow, and arriving rows move no button (${language})`, async () => {
    const paid = { amount: '5000', phone: '0754123001', reference: `LINE-${language}` }
    assert.equal((await office.world.post('/v1/collections/wallet-push', paid)).status, 202)
    const visitor = await office.comes(owner, 'dashboard', { language })
    const rows_may_come = Promise.withResolvers<void>()
    await visitor.page.route('**/v1/collections?**', (route) => rows_may_come.promise.then(() => route.fallback()))
    await visitor.opens('/sandbox/collections')
    const fields = visitor.page.locator('.filters > .mantine-InputWrapper-root')
    await fields.first().waitFor()
    await visitor.page.setViewportSize({ width: 1280, height: 800 })
    const tops = await Promise.all((await fields.all()).map(async (field) => (await field.boundingBox())?.y))
    assert.equal(tops.length, 6)
    assert.equal(new Set(tops).size, 1, JSON.stringify(tops))
    const csv = visitor.page.getByRole('button', { name: visitor.says('Pakua CSV', 'Download CSV') })
    assert.equal(await csv.isDisabled(), true)
    const place = await csv.boundingBox()
    rows_may_come.resolve()
    await visitor.page.getByText(paid.reference).waitFor()
    assert.deepEqual(await csv.boundingBox(), place)
    const column = await visitor.page
      .locator('td', { has: visitor.page.locator('[type=checkbox]') })
      .first()
      .boundingBox()
    assert.ok(column !== null && column.width < 60, `the column of checkboxes is ${column?.width} pixels wide`)
    await visitor.leave()
  })

  test(`the file and the columns share a line at 1280 pixels, also with few filters, and nothing overlaps on small screens (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, says } = visitor
    // A list without any record has no tools.
    await fund(office.world, { merchant: office.world.merchant, amount: '5000', environment: 'sandbox' })
    const withdrawal = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456' }
    const made = await office.world.post('/v1/disbursements/mobile-money', withdrawal)
    assert.equal(made.status, 202, made.text)
    const csv = page.getByRole('button', { name: says('Pakua CSV', 'Download CSV'), exact: true })
    const columns = page.locator('.column-choice > summary')
    for (const [path, with_filters] of [
      ['collections', false],
      ['transactions', true],
      ['withdrawals', false],
    ] as const) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await visitor.opens(`/sandbox/${path}`)
      await columns.waitFor()
      const boxOf = async (one: Locator) => {
        const { x, y, width, height } = (await one.boundingBox()) as {
          x: number
          y: number
          width: number
          height: number
        }
        return { left: x, right: x + width, top: y, bottom: y + height, middle: y + height / 2 }
      }
      const [file, choice] = [await boxOf(csv), await boxOf(columns)]
      assert.ok(choice.middle > file.top && choice.middle < file.bottom, `${path}: ${JSON.stringify([file, choice])}`)
      assert.ok(file.right < choice.left, path)
      const field = await boxOf(page.locator('.filters > .mantine-InputWrapper-root').first())
      assert.equal(file.top < field.bottom, with_filters, `${path}: ${JSON.stringify([file, field])}`)
      await visitor.looks(`the tools of ${path}`)
      await visitor.picture(`tools-${path}`)
      // At 200 % zoom, a window of 1280 pixels has 640 pixels. The filters stay open, so that all tools are visible.
      for (const width of [800, 640, 360]) {
        await page.setViewportSize({ width, height: 740 })
        const toggle = page.locator('.filters-toggle[aria-expanded=false]:visible')
        if ((await toggle.count()) > 0) await toggle.click()
        const tools = page.locator('.filters button:visible, .filters .mantine-InputWrapper-root, summary:visible')
        const boxes = await Promise.all((await tools.all()).map(boxOf))
        for (const [i, one] of boxes.entries()) {
          assert.ok(one.left >= 0 && one.right <= width, `${path} at ${width}: ${JSON.stringify(one)}`)
          for (const other of boxes.slice(i + 1)) {
            const apart =
              one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top
            assert.ok(apart, `${path} at ${width}: ${JSON.stringify([one, other])}`)
          }
        }
      }
    }
    await visitor.leave()
  })

  test(`an empty list shows its tools only while it loads, and then one button, and says why no money can be withdrawn (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    const visitor = await office.comes(await office.newPerson('FINANCE', merchant), 'dashboard', { language })
    const { page, says } = visitor
    const csv = page.getByRole('button', { name: says('Pakua CSV', 'Download CSV') })
    for (const [path, call, status] of [
      ['collections', 'collections', 'failed'],
      ['links', 'payment-links', 'PAID'],
      ['invoices', 'invoices', 'PAID'],
      ['withdrawals', 'merchant/withdrawals', 'REJECTED'],
    ]) {
      const rows_may_come = Promise.withResolvers<void>()
      await page.route(`**/v1/${call}?**`, (route) => rows_may_come.promise.then(() => route.fallback()))
      await visitor.opens(`/sandbox/${path}`)
      await csv.waitFor()
      assert.equal(await csv.isDisabled(), true)
      rows_may_come.resolve()
      await page.locator('.empty').waitFor()
      const main = page.getByRole('main')
      assert.equal(await main.getByRole('search').count(), 0, path)
      assert.equal(await page.locator('.list-tools > *').count(), 0, path)
      assert.equal(await main.getByRole('link').or(main.getByRole('button')).count(), 1, `${path} has one button`)
      if (path === 'withdrawals') {
        const missing = says('Sasa hakuna pesa za kutoa.', 'There is no money to withdraw now.')
        await main.getByText(missing, { exact: false }).waitFor()
      }
      await visitor.looks(`the empty list ${path}`)
      await visitor.picture(`empty-${path}`)
      await page.setViewportSize({ width: 1280, height: 800 })
      // A filter in the address brings the tools back. They stay when the user clears it, and take the focus.
      await visitor.opens(`/sandbox/${path}?status=${status}`)
      await visitor.press('Ondoa vichujio', 'Clear filters')
      await page.locator('.empty').waitFor()
      await page.locator('main [role=search] :focus').waitFor()
    }
    await visitor.opens('/sandbox')
    await page.getByText(says('Sasa hakuna pesa za kutoa.', 'There is no money to withdraw now.')).waitFor()
    // A reversal after a withdrawal makes the balance negative, so there is also nothing to withdraw.
    await page.route('**/v1/merchant/balance?**', async (route) => {
      const body = await (await route.fetch()).json()
      await route.fulfill({ json: { ...body, data: { ...body.data, available: '-500.00' } } })
    })
    for (const path of ['/sandbox', '/sandbox/withdrawals']) {
      await visitor.opens(path)
      await page.getByRole('main').getByText('500').first().waitFor()
      await page.getByText(says('Sasa hakuna pesa za kutoa.', 'There is no money to withdraw now.')).waitFor()
    }
    await visitor.leave()
  })

  test(`the page of a record that does not exist says which record is missing (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language, refusals: [404] })
    const { page, says } = visitor
    for (const [path, sw, en] of [
      [
        'withdrawals',
        'Utoaji pesa huu haupo katika mazingira haya.',
        'There is no such withdrawal in this environment.',
      ],
      ['invoices', 'Ankara hii haipo katika mazingira haya.', 'There is no such invoice in this environment.'],
    ] as const) {
      await visitor.opens(`/sandbox/${path}/019b8d63-68ca-821f-84f9-6826c17a051b`)
      await page.locator('.problem').getByText(says(sw, en)).waitFor()
      await visitor.looks(`missing ${path}`)
      await visitor.picture(`missing-${path}`)
    }
    await visitor.leave()
  })

  test(`an error shows its request id, and an error without a request id asks for the page and the time (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language, refusals: [503] })
    const { page, says } = visitor
    const without = says('waambie msaada ukurasa na saa', 'tell support the page and the time')
    for (const headers of [{}, { 'x-request-id': 'request-7' }]) {
      await removeRoutes(page)
      await page.route('**/v1/payment-links?**', (route) => route.fulfill({ status: 503, json: {}, headers }))
      await visitor.opens('/sandbox/links')
      const alert = page.locator('.problem')
      await alert.waitFor()
      const text = await alert.innerText()
      const has_id = 'x-request-id' in headers
      assert.deepEqual([text.includes('request-7'), text.includes(without)], [has_id, !has_id], text)
    }
    await visitor.leave()
  })

  test(`a refused read can be repeated (${language})`, async () => {
    const visitor = await office.comes(boss, 'operator', { language, refusals: [403] })
    const { page, says } = visitor
    const headers = { 'x-request-id': 'request-9' }
    const refused = { success: false, error: { code: 'forbidden', message: 'Not now.', details: null } }
    await page.route('**/v1/operator/system', (route) => route.fulfill({ status: 403, json: refused, headers }))
    await visitor.opens('/system')
    await page.locator('.problem').getByText('request-9').waitFor()
    await visitor.hides()
    await removeRoutes(page)
    await page.getByRole('button', { name: says('Jaribu tena', 'Try again'), exact: true }).click()
    await page.locator('.problem').waitFor({ state: 'detached' })
    await visitor.leave()
  })

  test(`if several reads of a page of operators fail, the page shows one error with the next step, and its button repeats all (${language})`, async () => {
    const visitor = await office.comes(boss, 'operator', { language, refusals: [503] })
    const { page, says } = visitor
    const pages: [path: string, reads: string[]][] = [
      ['providers', ['providers', 'providers/health']],
      ['reconciliation', ['reconciliation', 'reconciliation/exceptions', 'statements']],
    ]
    const isRead = (url: URL) => /^\/v1\/operator\/(providers|reconciliation|statements)/.test(url.pathname)
    const headers = { 'x-request-id': 'request-8' }
    const alert = page.locator('.problem:visible')
    const again = page.getByRole('button', { name: says('Jaribu tena', 'Try again'), exact: true })
    // The page repeats no read by itself, so only the button can.
    await page.addInitScript(
      'const every = setInterval; window.setInterval = (run, ms, ...rest) => (ms >= 1000 ? 0 : every(run, ms, ...rest))',
    )
    for (const [path, reads] of pages) {
      await page.route(isRead, (route) => route.fulfill({ status: 503, json: {}, headers }))
      await visitor.opens(`/${path}`)
      await page
        .locator('.problem')
        .nth(reads.length - 1)
        .waitFor({ state: 'attached' })
      assert.equal(await alert.count(), 1, path)
      const next_step = says(
        'tafuta namba ya ombi kwenye log ya seva',
        'search the log of the server for the request id',
      )
      assert.ok((await alert.innerText()).includes(next_step))
      await visitor.looks(`error of ${path}`)
      await visitor.picture(`error-${path}`)
      await removeRoutes(page)
      const repeated = reads.map((read) =>
        page.waitForResponse((reply) => new URL(reply.url()).pathname === `/v1/operator/${read}` && reply.ok()),
      )
      await again.click()
      await Promise.all(repeated)
      await page.locator('.problem').first().waitFor({ state: 'detached' })
    }
    await visitor.leave()
  })

  test(`the page reports an invalid phone number at its field, and keeps the list (${language})`, async () => {
    const { world } = office
    for (const phone of ['0754123001', '0715123001']) {
      const paid = await world.post('/v1/collections/wallet-push', { amount: '5000', phone, reference: phone })
      assert.equal(paid.status, 202, paid.text)
    }
    const visitor = await office.comes(owner, 'dashboard', { language, refusals: [400] })
    const { page, says } = visitor
    await visitor.opens('/sandbox/collections')
    const rows = page.getByRole('table').locator('tbody').getByRole('row')
    await rows.nth(1).waitFor()
    const field = page.getByLabel(says('Simu ya mlipaji', "Payer's phone"))
    const before = await rows.count()
    await page
      .getByText(says('Namba nzima, au tarakimu 4 hadi 9', 'The whole number, or its last 4 to 9 digits'))
      .waitFor()
    await field.fill('123')
    await field.press('Enter')
    const wrong = page.getByText(
      says('Andika namba ya simu kama 0754 123 456, au', 'Enter a phone number such as 0754 123 456, or'),
    )
    await wrong.waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.equal(await rows.count(), before, 'the list stays unchanged')
    await visitor.looks('a wrong filter')
    await visitor.picture('wrong-filter')
    await field.fill('(0715) 123.001')
    await field.press('Enter')
    await wrong.waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: '0754123001' }).first().waitFor({ state: 'detached' })
    await rows.first().waitFor()
    // If a shared address contains the error, the field shows the error, and the page offers no list or file of other payments.
    const requests: string[] = []
    page.on('request', (request) => page.url().includes('phone=abc') && requests.push(request.url()))
    await visitor.opens('/sandbox/collections?phone=abc')
    await wrong.waitFor()
    await visitor.looks('a wrong shared filter')
    assert.deepEqual(
      requests.filter((url) => url.includes('/v1/collections')),
      [],
    )
    assert.equal(await rows.count(), 0)
    assert.equal(await page.getByRole('button', { name: /CSV/ }).count(), 0)
    await field.fill('(0715) 123.001')
    await field.press('Enter')
    await rows.first().waitFor()
    // The field also shows an error that only the API detects.
    await visitor.opens('/sandbox/collections')
    await rows.nth(1).waitFor()
    await page.route('**/v1/collections?*reference=*', (route) =>
      route.fulfill({
        status: 400,
        json: {
          success: false,
          error: {
            code: 'validation_failed',
            message: 'wrong',
            details: { fields: [{ field: 'reference', message: 'must occur only once' }] },
          },
        },
      }),
    )
    await page.getByLabel(says('Namba ya kumbukumbu', 'Reference')).fill('X')
    await page.getByLabel(says('Namba ya kumbukumbu', 'Reference')).press('Enter')
    await page.getByText(says('Taja hili mara moja tu.', 'must occur only once')).waitFor()
    assert.ok((await rows.count()) > 1, 'the previous rows stay')
    await visitor.leave()
  })

  test(`the console shows an error page for a page that the browser cannot load, and opens the page when the network is back (${language})`, async () => {
    const visitor = await office.comes(owner, 'dashboard', { language })
    const { page, context, says } = visitor
    await visitor.opens('/sandbox')
    await visitor.sees('Mwanzo', 'Home')
    // The browser has loaded the whole first page before it goes offline.
    await page.waitForLoadState('networkidle')
    await context.setOffline(true)
    await page
      .getByRole('navigation')
      .getByRole('link', { name: says('Taarifa za akaunti', 'Statements'), exact: true })
      .click()
    await visitor.sees('Hatukupata majibu ya seva', 'No answer from the server')
    await visitor.looks('not loaded')
    await visitor.picture('offline')
    await visitor.press('Jaribu tena', 'Try again')
    await visitor.sees('Hatukupata majibu ya seva', 'No answer from the server')
    await context.setOffline(false)
    await visitor.sees('Taarifa za akaunti', 'Statements')
    visitor.complaints.splice(0, Infinity, ...visitor.complaints.filter((one) => !/ERR_|Failed to fetch/.test(one)))
    await visitor.leave()
  })
}

test('the console reloads when the file of a page is missing, and then shows the error', async () => {
  const visitor = await office.comes(owner, 'dashboard', { refusals: [404] })
  const { page } = visitor
  await visitor.opens('/sandbox')
  await visitor.sees('Mwanzo', 'Home')
  let requests = 0
  await page.route('**/assets/statements-*.js', (route) => {
    requests += 1
    return route.fulfill({ status: 404 })
  })
  const loaded = page.waitForEvent('load')
  await page.getByRole('navigation').getByRole('link', { name: 'Statements', exact: true }).click()
  await loaded
  await visitor.sees('', 'The browser did not load this page')
  assert.ok(requests >= 2)
  await removeRoutes(page, '**/assets/statements-*.js')
  await visitor.press('', 'Load again')
  await visitor.sees('', 'Statements')
  visitor.complaints.splice(
    0,
    Infinity,
    ...visitor.complaints.filter((one) => !/dynamically imported|preload/.test(one)),
  )
  await visitor.leave()
})

for (const [console, path, file, title] of [
  ['dashboard', '/sandbox', 'statements', 'Statements'],
  ['operator', '/', 'audit', 'Audit log'],
] as const) {
  test(`the console preloads another page, and the page then opens without a network (${console})`, async () => {
    const visitor = await office.comes(console === 'dashboard' ? owner : boss, console, { preloads: true })
    const { page, context } = visitor
    const ahead = page.waitForResponse(new RegExp(`/assets/${file}-.*\\.js`), { timeout: 60_000 })
    await visitor.opens(path)
    await (await ahead).finished()
    await page.waitForLoadState('networkidle')
    await context.setOffline(true)
    await page.getByRole('navigation').getByRole('link', { name: title, exact: true }).click()
    await visitor.sees('', title)
    await context.setOffline(false)
    visitor.complaints.splice(0, Infinity, ...visitor.complaints.filter((one) => !/ERR_|Failed to fetch/.test(one)))
    await visitor.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`a member saves the filtered list and the selected payments as CSV files (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const member = await office.newPerson('VIEWER', merchant)
    for (const [amount, phone] of [
      [1_000, '0754123001'],
      [2_000, '0754123001'],
      [3_000, '0754123002'],
    ] as const) {
      const paid = await world.post('/v1/collections/wallet-push', { amount, phone, reference: `R-${amount}` }, { key })
      assert.equal(paid.status, 202, paid.text)
    }
    await world.work()
    const visitor = await office.comes(member, 'dashboard', { language })
    const { page, says } = visitor
    const linesOf = async (sw: string, en: string) => {
      const [file] = await Promise.all([page.waitForEvent('download'), visitor.press(sw, en)])
      return readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\r\n')
        .slice(1)
    }
    await visitor.opens('/sandbox/collections?status=successful')
    await page.getByRole('table').getByText('R-2000').waitFor()
    assert.equal((await linesOf('Pakua CSV', 'Download CSV')).length, 2, 'the file has the rows of the filter')
    await page.locator('.toasts').getByText(says('zina saa za Tanzania', 'have the time in Tanzania')).waitFor()
    await visitor.opens('/sandbox/collections')
    await page.getByRole('table').getByText('R-3000').waitFor()
    await visitor.fill('Simu ya mlipaji', "Payer's phone", '3002')
    await page.getByLabel(says('Simu ya mlipaji', "Payer's phone")).press('Enter')
    await page.getByRole('table').getByText('R-2000').waitFor({ state: 'detached' })
    await page.getByRole('table').getByText('R-3000').waitFor()
    await visitor.looks('payments of the last digits of a phone')
    await visitor.picture('last-digits')
    const [only, ...others] = await linesOf('Pakua CSV', 'Download CSV')
    assert.match(only ?? '', /R-3000/)
    assert.deepEqual(others, [], 'the file has the payments of the list')
    await visitor.opens('/sandbox/collections')
    await page.getByRole('table').getByText('R-3000').waitFor()
    const all = page.getByLabel(says('Chagua yote ya ukurasa huu', 'Select all on this page'))
    await all.check()
    await page.getByText(says('Umechagua 3', '3 selected')).waitFor()
    await page.getByLabel(/R-2000$/).uncheck()
    await page.getByText(says('Umechagua 2', '2 selected')).waitFor()
    await visitor.looks('selected payments')
    await visitor.picture('selected-payments')
    const user_reads: string[] = []
    page.on('request', (request) => new URL(request.url()).pathname === '/v1/me' && user_reads.push(request.url()))
    const chosen = await linesOf('Pakua CSV ya yaliyochaguliwa', 'Download CSV of the selection')
    assert.deepEqual(
      chosen.map((line) => /R-\d+/.exec(line)?.[0]),
      ['R-3000', 'R-1000'],
    )
    await page.locator('.toasts').getByText(says('malipo 2', '2 payments')).waitFor()
    await page.getByText(says('Umechagua 2', '2 selected')).waitFor()
    await page.setViewportSize({ width: 360, height: 740 })
    await page
      .locator('.rows')
      .getByLabel(/R-2000$/)
      .check()
    await page.getByText(says('Umechagua 3', '3 selected')).waitFor()
    for (const time of await page.locator('.rows time').allInnerTexts()) assert.match(time, /^\d+ \w+, \d\d:\d\d$/)
    assert.match(page.url(), /\/collections$/, 'a checkbox of a phone opens no record')
    const tops = await page
      .locator('.filters button:visible')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    assert.deepEqual([tops.length, new Set(tops).size], [2, 1], 'on a phone, the buttons of a list share a line')
    await visitor.looks('selected payments on a phone')
    assert.deepEqual(user_reads, [], 'the file changes nothing, so the page does not read everything again')
    await visitor.leave()
  })
}

for (const language of languagesOf(1)) {
  test(`the filters of API requests share a line on a desk although a key has a long name, and the list shows the whole path (${language})`, async () => {
    const { world } = office
    const merchant = await world.newMerchant()
    const key = await world.newKey({ merchant })
    const path = '/v1/merchant/webhook-config/test'
    assert.equal((await world.post(path, {}, { key })).status, 404)
    const name = `Test ${'of the long name '.repeat(5)}`.trim()
    await world.rows('update api_keys set name = $2 where merchant_id = $1', [merchant.id, name])
    const visitor = await office.comes(await office.newPerson('DEVELOPER', merchant), 'dashboard', { language })
    const { page, says } = visitor
    await visitor.opens('/sandbox/requests')
    const line = page.getByRole('table').getByText(`POST ${path}`)
    await line.waitFor()
    await page.getByLabel(says('Ufunguo', 'Key')).getByRole('option', { name: /^Test/ }).waitFor({ state: 'attached' })
    const tops = await page
      .locator('.filters > .mantine-InputWrapper-root')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top))
    assert.deepEqual([tops.length, new Set(tops).size], [6, 1])
    const [wide, seen] = await line.evaluate((one) => [one.scrollWidth, one.clientWidth])
    assert.equal(wide, seen)
    await visitor.looks('requests')
    await visitor.picture('requests')
    await visitor.leave()
  })
}
test('on a phone, a payment takes two lines, and no phone number, time or invoice number is cut', async () => {
  const { world } = office
  for (const reference of ['SHORT-1', `LONG-${'X'.repeat(60)}`]) {
    const paid = await world.post('/v1/collections/wallet-push', { amount: '1000000', phone: '0754123001', reference })
    assert.equal(paid.status, 202, paid.text)
  }
  const visitor = await office.comes(owner, 'dashboard', { language: 'sw' })
  const { page } = visitor
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await visitor.opens('/sandbox/collections')
    const row = (text: string) => page.locator('.rows > li').filter({ hasText: text })
    for (const text of width === 320 ? ['LONG-'] : ['SHORT-1', 'LONG-']) {
      await row(text).locator('time').waitFor()
      const facts = await row(text)
        .locator('.row-facts > span')
        .evaluateAll((all) =>
          all.map((one) => {
            const { top, right } = one.getBoundingClientRect()
            const end = one.closest('li')?.getBoundingClientRect().right ?? 0
            return {
              text: one.textContent,
              top: Math.round(top),
              inside: right <= end,
              cut: one.scrollWidth > one.clientWidth,
            }
          }),
        )
      assert.equal(new Set(facts.map(({ top }) => top)).size, 1, JSON.stringify(facts))
      assert.ok(
        facts.every(({ inside }) => inside),
        JSON.stringify(facts),
      )
      assert.deepEqual(
        facts.filter(({ cut }) => cut).map(({ text: cut_text }) => cut_text?.slice(0, 5)),
        text === 'LONG-' ? ['LONG-'] : [],
        JSON.stringify(facts),
      )
      // The rows of this year name no year.
      assert.match(facts.at(-1)?.text ?? '', /^\d+ \w+, \d\d:\d\d$/)
    }
  }
  await visitor.picture('two-lines')
  const customer_name = 'Hassan Omari Abdallah wa Kariakoo Sokoni'
  const item = { description: 'Viatu', quantity: '1', unit_price: '206000' }
  const made = await world.post('/v1/invoices', { customer_name, due_date: '2099-12-05', items: [item] })
  assert.equal(made.status, 201, made.text)
  for (const width of [320, 360]) {
    await page.setViewportSize({ width, height: 740 })
    await visitor.opens('/sandbox/invoices')
    await page.locator('.rows > li').getByText('INV-000001').waitFor()
    const facts = await page.locator('.row-facts > span').evaluateAll((all) =>
      all.map((one) => {
        const { top, width: wide } = one.getBoundingClientRect()
        return { text: one.textContent, top: Math.round(top), wide, cut: one.scrollWidth > one.clientWidth }
      }),
    )
    const [number, name, due] = facts
    assert.deepEqual([number?.text, name?.text], ['INV-000001', customer_name])
    assert.deepEqual([number?.cut, due?.cut], [false, false], JSON.stringify(facts))
    assert.equal(name?.top, number?.top)
    assert.ok((due?.top ?? 0) > (number?.top ?? 0) && (name?.wide ?? 0) > 120, JSON.stringify(facts))
  }
  await visitor.picture('invoice-lines')
  await visitor.leave()
})

test('a list follows the typing of a reference, and a click on a row directly after typing opens its record', async () => {
  const { world } = office
  for (const reference of ['TYPED-1', 'TYPED-22', 'OTHER-1']) {
    const paid = await world.post('/v1/collections/wallet-push', { amount: '5000', phone: '0754123001', reference })
    assert.equal(paid.status, 202, paid.text)
  }
  const visitor = await office.comes(owner, 'dashboard')
  const { page } = visitor
  await visitor.opens('/sandbox/collections')
  const rows = page.getByRole('table').locator('tbody').getByRole('row')
  const field = page.getByLabel('Reference')
  const row = (text: string) => rows.filter({ hasText: text })
  await row('OTHER-1').waitFor()
  await page.getByText('The beginning is enough', { exact: true }).waitFor()
  await field.focus()
  await page.keyboard.type('typed-', { delay: 30 })
  await row('OTHER-1').waitFor({ state: 'detached' })
  assert.equal(await rows.count(), 2)
  // The field keeps the text and the focus, so the user goes on.
  await page.keyboard.type('22')
  await row('TYPED-1').waitFor({ state: 'detached' })
  assert.deepEqual([await field.inputValue(), await rows.count()], ['typed-22', 1])
  for (let i = 0; i < 2; i++) await page.keyboard.press('Backspace')
  await row('TYPED-1').waitFor()
  // The text in the field is newer than the list.
  await page.keyboard.type('2')
  const box = await row('TYPED-1').boundingBox()
  if (box === null) throw new Error('The list has no such row.')
  await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.up()
  await page.waitForURL(/\/sandbox\/collections\/[\w-]{36}$/)
  await page.getByRole('heading', { level: 1, name: /TZS\s5,000/ }).waitFor()
  await page.getByText('TYPED-1', { exact: true }).first().waitFor()
  await page.goBack()
  await row('TYPED-1').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await row('OTHER-1').waitFor()
  assert.equal(await field.inputValue(), '')
  // The list uses the last digits of a phone as soon as there are four of them.
  const phone = page.getByLabel("Payer's phone")
  await phone.focus()
  await page.keyboard.type('300')
  await page.keyboard.type('1')
  await page.waitForURL(/phone=3001$/)
  await visitor.leave()
})
