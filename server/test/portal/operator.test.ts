// Tests the console of operators: the queue, the permissions for a decision, and the confirmation of an action about money.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { removeRoutes } from '../browser.ts'
import { createTestOperator, type ShopWithKeys, type TestOperator } from '../operator.ts'
import { forgetSums, fund } from '../payouts.ts'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Person, type Visitor } from './office.ts'

let office: Office
let operator: TestOperator
let shop: ShopWithKeys
let asha: Person
let juma: Person

before(async () => {
  office = await openOffice({ FOUR_EYES_AMOUNT: '50000' })
  operator = await createTestOperator(office.world)
  shop = await operator.shop('1000000.00')
  asha = await office.newPerson('SUPER_ADMIN')
  juma = await office.newPerson('SUPER_ADMIN')
  // The shop has already paid this destination, so most tests approve without a confirmation.
  await operator.approve(await operator.submit(shop, { amount: '1000.00' }))
})
after(() => office.close())
// The sums of the day begin at zero in each test. Otherwise, the approvals of one test could bring the next test to
// FOUR_EYES_AMOUNT.
beforeEach(() => forgetSums(office.world))

/** Waits until the page shows this text and announces it to screen readers. */
const hears = (visitor: Visitor, sw: string, en: string) =>
  visitor.page
    .locator('[role=status]')
    .filter({ hasText: visitor.says(sw, en) })
    .first()
    .waitFor()
let endings = 700
/** Returns the ending of a phone number that no merchant has paid. */
const newEnding = () => {
  endings += 1
  return String(endings)
}
/** Returns the open dialog. */
const question = ({ page }: Visitor) => page.locator('dialog[open]')
/** Opens the dialog of a rejection with its key, and returns the reason that it offers first. */
const firstReason = async (visitor: Visitor) => {
  await question(visitor).waitFor({ state: 'detached' })
  await visitor.page.keyboard.press('r')
  return question(visitor).locator('.saved-reasons button').first().innerText()
}
/** Opens the review of the chosen withdrawals. */
const review = ({ page, says }: Visitor) =>
  page.getByRole('button', { name: says('Kagua na uidhinishe', 'Review and approve') }).click()
const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 800 }
/** Returns the distances of the upper and the lower edge of an element from the top of the window. */
const edgesOf = async (element: Locator) => {
  const box = await element.boundingBox()
  assert.ok(box !== null, `${element} is not visible`)
  return { top: box.y, bottom: box.y + box.height }
}
/** Asserts that the open dialog shows this element in full, and if it is outside of the footer, that no footer covers it. */
const assertShown = async (visitor: Visitor, element: Locator, place: 'footer' | 'body') => {
  // A dialog moves while it appears.
  await question(visitor).evaluate((dialog) =>
    Promise.all(dialog.getAnimations().map((one: { finished: Promise<unknown> }) => one.finished)),
  )
  const [shown, dialog, footer] = await Promise.all(
    [element, question(visitor), question(visitor).locator('.dialog-footer')].map(edgesOf),
  )
  assert.ok(shown && dialog && footer)
  const height = visitor.page.viewportSize()?.height ?? 0
  assert.ok(dialog.top >= 0 && dialog.bottom <= height, `the dialog fits into the window: ${JSON.stringify(dialog)}`)
  const end = place === 'footer' ? dialog.bottom : footer.top
  assert.ok(
    shown.top >= dialog.top && shown.bottom <= end,
    `${element} in a window of ${height} pixels: ${JSON.stringify({ shown, dialog, footer })}`,
  )
}
const statusOf = async (id: string): Promise<string> => (await operator.show(id)).status
/** Returns the withdrawals of a merchant that wait for an approval. */
const waitingOf = async ({ merchant }: ShopWithKeys): Promise<{ id: string }[]> => {
  const query = `status=PENDING_ADMIN_APPROVAL&merchant_id=${merchant.id}`
  return (await office.world.get(`/v1/operator/withdrawals?${query}`, await operator.session())).body.data.items
}

describe("the operators' console", () => {
  test('a user who is not an operator sees an explanation, the address of the dashboard and a sign-out button', async () => {
    const merchant = await office.newPerson('MERCHANT_ADMIN')
    const visitor = await office.comes(merchant, 'operator')
    await visitor.opens('/withdrawals')
    await visitor.sees('Sehemu hii ni ya waendeshaji tu', 'This console is for operators only')
    await visitor.looks('stranger')
    assert.equal(await visitor.page.locator('nav, [role=navigation]').count(), 0)
    await visitor.page.getByText(`${office.url}/dashboard`).waitFor()
    await visitor.press('Ondoka', 'Sign out')
    await visitor.page.waitForURL((address) => !address.pathname.startsWith('/operator/withdrawals'))
    await visitor.leave()
  })

  test('the queue links to a withdrawal, and the console pays only after a confirmation that repeats the data of the withdrawal', async () => {
    const visitor = await office.comes(asha, 'operator', { language: 'sw' })
    const reads = new Set<string>()
    visitor.page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname === '/v1/operator/queue') reads.add(search)
    })
    await visitor.opens('/')
    await visitor.page.getByText('Foleni imekwisha: hakuna kinachosubiri', { exact: true }).waitFor()
    await visitor.looks('empty queue')
    // The withdrawal that waits longest is the first row.
    const first = await operator.submit(shop, { amount: '12000.00', ending: '009' })
    const second = await operator.submit(shop, { amount: '20000.00', ending: '009' })
    // The page updates without a reload.
    const lines = visitor.page.locator('.queue .queue-name')
    await lines.filter({ hasText: 'Utoaji pesa unaosubiri idhini' }).waitFor()
    const focused = () => visitor.page.evaluate('document.activeElement?.textContent')
    const names = await lines.allInnerTexts()
    for (const [key, name] of [...names.map((name) => ['j', name]), ...names.toReversed().map((name) => ['k', name])]) {
      if (key === 'k' && name === names.at(-1)) continue
      await visitor.page.keyboard.press(key as string)
      assert.equal(await focused(), name)
    }
    // Both withdrawals would be the first payout to their number.
    const line = visitor.page.locator('.queue > li').filter({ hasText: 'Utoaji pesa unaosubiri idhini' })
    await line.locator('.chip-warn').getByText('Wenye tahadhari: 2', { exact: true }).waitFor()
    assert.deepEqual([...reads].sort(), ['?environment=live&warnings=true', '?environment=sandbox'])
    await visitor.picture('queue-keys')
    for (const _ of names.slice(0, names.indexOf('Utoaji pesa unaosubiri idhini')))
      await visitor.page.keyboard.press('j')
    await visitor.page.keyboard.press('Enter')
    await visitor.sees('Utoaji pesa', 'Withdrawals')
    await visitor.looks('list')
    await visitor.page.getByRole('row').nth(1).getByRole('link').click()
    await visitor.sees('TZS 12,000 kwa Asha Mwinyi', '')
    await visitor.page.getByText('Ni mara ya kwanza kulipa hapa.').waitFor()
    await visitor.page.getByText(/^Ombi la .+, lililoombwa .+ (iliyopita|zilizopita)$/).waitFor()
    await visitor.looks('withdrawal')
    await visitor.press('Uliza jina kwa mtoa huduma', '')
    await hears(visitor, 'Jina halijajulikana', '')
    await hears(visitor, 'Mtoa huduma hakutoa jina: akaunti haina jina, au utafutaji haukufanikiwa.', '')
    await visitor.page.getByText('Mwendeshaji mmoja anatosha kwa utoaji huu. Kuanzia TZS 50,000 kwa siku').waitFor()

    // The button and the obligatory checkbox are in view when the dialog opens, and a field with the focus is above them. The
    // facts leave room for the first warning.
    for (const size of [{ width: 360, height: 640 }, PHONE, DESK]) {
      await visitor.page.setViewportSize(size)
      await visitor.page.keyboard.press('a')
      await question(visitor).getByText('Sababu zilizohifadhiwa').waitFor()
      // A phone shows no hint about keys, so the heading itself has no full stop.
      const heading = question(visitor).getByText('Sababu zilizohifadhiwa')
      assert.equal(await heading.evaluate((text) => text.firstChild?.textContent), 'Sababu zilizohifadhiwa')
      await assertShown(visitor, question(visitor).getByRole('button', { name: 'Idhinisha TZS 12,000' }), 'footer')
      await assertShown(visitor, question(visitor).getByRole('checkbox'), 'footer')
      await assertShown(visitor, question(visitor).locator('.flag').first(), 'body')
      await visitor.picture('approve-first-payout')
      if (size === DESK) continue
      const reason = question(visitor).getByLabel('Sababu ya kuidhinisha')
      // The footer covers the field, until the field gets the focus.
      const [field, dialog] = await Promise.all([reason, question(visitor)].map(edgesOf))
      await question(visitor).evaluate(
        (element, by) => element.scrollBy(0, by),
        (field?.bottom ?? 0) - (dialog?.bottom ?? 0),
      )
      await reason.focus()
      await assertShown(visitor, reason, 'body')
      await visitor.page.keyboard.press('Escape')
      await question(visitor).waitFor({ state: 'detached' })
    }
    const question_text = await question(visitor).innerText()
    for (const fact of ['TZS 12,000', 'TZS 12,820', 'Asha Mwinyi', '0754 123 009', 'M-Pesa', 'Duka la Juma'])
      assert.ok(
        question_text.replaceAll('\u00a0', ' ').includes(fact),
        `${fact} is missing in the question: ${question_text}`,
      )
    await visitor.looks('question')
    // Enter directly after the opening of the question does not confirm the payout.
    await visitor.page.keyboard.press('Enter')
    assert.equal(await statusOf(first), 'PENDING_ADMIN_APPROVAL')
    assert.equal(await question(visitor).getByRole('button', { name: 'Tumia tena' }).count(), 0)
    await visitor.press('Idhinisha TZS 12,000', '')
    await question(visitor).getByText('Andika sababu.').waitFor()
    assert.equal(await statusOf(first), 'PENDING_ADMIN_APPROVAL')
    await visitor.fill('Sababu ya kuidhinisha', '', ' Kodi ya duka ')
    await visitor.press('Idhinisha TZS 12,000', '')
    await question(visitor).getByText('Weka alama kwamba umekagua inakokwenda.').waitFor()
    assert.equal(await statusOf(first), 'PENDING_ADMIN_APPROVAL')
    await question(visitor).getByRole('checkbox').check()
    await visitor.press('Idhinisha TZS 12,000', '')
    await hears(
      visitor,
      'Umeidhinishwa: TZS 12,000 zinatumwa kwa Asha Mwinyi. Seva inaigiza utoaji huu: hakuna pesa halisi zinazohama.',
      '',
    )
    assert.match(await statusOf(first), /^(PROCESSING|SUCCESS)$/)
    await visitor.page.locator('.timeline').getByText('Kodi ya duka', { exact: true }).waitFor()
    await visitor.page.locator('.timeline').getByText('Umeidhinishwa', { exact: true }).waitFor()
    // The list of the keys has no key of a decision that is no longer possible. The keys of every page come last.
    await visitor.page.keyboard.press('?')
    const letters = question(visitor).locator('kbd')
    await letters.first().waitFor()
    assert.deepEqual(await letters.allInnerTexts(), ['j', 'k', 'n', '/', '?'])
    await visitor.page.keyboard.press('Escape')
    await question(visitor).waitFor({ state: 'detached' })

    await visitor.page.keyboard.press('j')
    await visitor.sees('TZS 20,000 kwa Asha Mwinyi', '')
    await visitor.page.keyboard.press('k')
    await visitor.sees('TZS 12,000 kwa Asha Mwinyi', '')
    await visitor.page.keyboard.press('j')
    await visitor.sees('TZS 20,000 kwa Asha Mwinyi', '')
    assert.equal(await statusOf(second), 'PENDING_ADMIN_APPROVAL')
    await visitor.leave()
  })

  for (const language of languagesOf(1))
    test(`at 200 % zoom, the buttons of a dialog are in view, its footer covers no field with the focus, and a phone shows the field at once (${language})`, async () => {
      const known = await operator.shop('70000.00')
      await operator.act(await operator.submit(known, { amount: '1500.00' }), 'reject')
      // Three warnings, and the rule of two operators.
      const id = await operator.submit(known, { amount: '60000.00', ending: newEnding() })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      await visitor.opens(`/withdrawals/${id}`)
      // A window of 1280 x 720 pixels at 200 % zoom, and a small phone.
      for (const size of [
        { width: 640, height: 360 },
        { width: 360, height: 640 },
      ])
        for (const [open, act] of [
          [says('Idhinisha', 'Approve'), says('Idhinisha TZS 60,000', 'Approve TZS 60,000')],
          [says('Kataa', 'Reject'), says('Kataa TZS 60,000', 'Reject TZS 60,000')],
        ] as const) {
          await page.setViewportSize(size)
          await visitor.press(open, open)
          const button = question(visitor).getByRole('button', { name: act, exact: true })
          const cancel = question(visitor).getByRole('button', { name: says('Ghairi', 'Cancel'), exact: true })
          const fields = question(visitor).locator(':is(button, input, textarea, select):visible')
          await question(visitor).getByRole('textbox').waitFor()
          for (const shown of [button, cancel]) await assertShown(visitor, shown, 'footer')
          assert.equal(await question(visitor).locator('.flag').count(), 3)
          if (size.width === 360) {
            await assertShown(visitor, question(visitor).getByRole('textbox'), 'body')
            await assertShown(visitor, question(visitor).locator('.flag').first(), 'body')
          }
          if (process.env.SCREENSHOTS)
            await page.screenshot({
              path: `${process.env.SCREENSHOTS}/open-${language}-${size.width}-${act.slice(0, 4)}.png`,
            })
          for (const field of await fields.all()) {
            await field.focus()
            const in_footer = await field.evaluate((one) => one.closest('.dialog-footer') !== null)
            await assertShown(visitor, field, in_footer ? 'footer' : 'body')
            for (const shown of [button, cancel]) await assertShown(visitor, shown, 'footer')
          }
          await visitor.looks(`${open} in ${size.width} pixels`)
          await page.setViewportSize(size)
          await page.keyboard.press('Escape')
          await question(visitor).waitFor({ state: 'detached' })
        }
      await operator.act(id, 'reject')
      await visitor.leave()
    })

  test('while withdrawals wait, the menu opens the waiting live ones, and otherwise all withdrawals', async () => {
    const id = await operator.submit(shop, { amount: '2500.00' })
    await operator.approve(await operator.submit(shop, { amount: '2600.00' }))
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    const link = page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: /^Withdrawals/ })
    const rows = page.locator('main').getByRole('row')
    const others = await office.world.rows(
      "select id from withdrawals where status = 'PENDING_ADMIN_APPROVAL' and environment = 'live'",
    )
    await visitor.opens('/system')
    await link.getByText(String(others.length), { exact: true }).waitFor()
    await link.click()
    await visitor.sees('', 'Withdrawals')
    await page.waitForURL(/\?status=PENDING_ADMIN_APPROVAL&environment=live$/)
    await rows.filter({ hasText: /TZS\s2,500/ }).waitFor()
    assert.equal(await rows.filter({ hasText: /TZS\s2,600/ }).count(), 0)
    assert.equal(await link.getAttribute('aria-current'), 'page')
    for (const one of others) await operator.act(one.id as string, 'reject')
    assert.equal(await statusOf(id), 'REJECTED')
    await visitor.opens('/system')
    await link.and(page.locator('[href$="/withdrawals"]')).click()
    await visitor.sees('', 'Withdrawals')
    await rows.filter({ hasText: /TZS\s2,600/ }).waitFor()
    await visitor.leave()
  })

  test('after the decision about the last waiting withdrawal, the page says that the queue is clear, and Enter opens Open work', async () => {
    for (const { id } of (await office.world.rows(
      "select id from withdrawals where status = 'PENDING_ADMIN_APPROVAL' and environment = 'live'",
    )) as { id: string }[])
      await operator.act(id, 'reject')
    const [first, last] = [
      await operator.submit(shop, { amount: '2710.00' }),
      await operator.submit(shop, { amount: '2720.00' }),
    ]
    const visitor = await office.comes(asha, 'operator', { language: 'sw' })
    const { page } = visitor
    const button = (name: string) => page.locator('a:focus, button:focus').getByText(name, { exact: true })
    const reject = async (amount: string) => {
      await visitor.sees(`TZS ${amount} kwa Asha Mwinyi`, '')
      await page.keyboard.press('r')
      await question(visitor).getByRole('textbox').first().fill('Jina si sahihi')
      await visitor.press(`Kataa TZS ${amount}`, '')
    }
    await visitor.opens('/withdrawals?status=PENDING_ADMIN_APPROVAL&environment=live')
    await page.getByRole('row').nth(1).locator('a[data-row-link]').click()
    await reject('2,710')
    await page.getByText('Utoaji wa biashara zote unaosubiri idhini bado: 1', { exact: true }).waitFor()
    await button('Fungua unaofuata').waitFor()
    await page.keyboard.press('Enter')
    await reject('2,720')
    await page.getByText('Foleni imekwisha: hakuna utoaji mwingine unaosubiri idhini.', { exact: true }).waitFor()
    await button('Angalia kazi nyingine inayosubiri').waitFor()
    await visitor.looks('queue clear')
    await visitor.picture('queue-clear')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/operator\/?$/)
    assert.deepEqual(await Promise.all([first, last].map(statusOf)), ['REJECTED', 'REJECTED'])
    await visitor.leave()
  })

  test('a shortcut opens its dialog even at the moment when Escape has closed a dialog', async () => {
    const id = await operator.submit(shop, { amount: '2400.00' })
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.sees('', 'TZS 2,400 to Asha Mwinyi')
    await page.keyboard.press('a')
    await question(visitor).getByRole('button', { name: 'Approve TZS 2,400' }).waitFor()
    // The next key comes as soon as no dialog is open, before the browser has reported that the dialog is closed.
    await page.evaluate(`
      const watch = new MutationObserver(() => {
        if (document.querySelector('dialog[open]') !== null) return
        watch.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'r', bubbles: true }))
      })
      watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ['open'] })`)
    await page.keyboard.press('Escape')
    await question(visitor).getByRole('button', { name: 'Reject TZS 2,400' }).waitFor()
    await page.waitForURL(/act=reject$/)
    assert.equal(await statusOf(id), 'PENDING_ADMIN_APPROVAL')
    await visitor.leave()
  })

  test('the console offers the last reason for the next approval by keyboard, and forgets the reason when the page closes', async () => {
    const ids = [await operator.submit(shop, { amount: '2100.00' }), await operator.submit(shop, { amount: '2200.00' })]
    const visitor = await office.comes(asha, 'operator')
    const { keyboard } = visitor.page
    const field = question(visitor).getByLabel('Reason for approving')
    await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${shop.merchant.id}`)
    await visitor.page
      .getByRole('row')
      .filter({ hasText: /TZS\s2,[12]00/ })
      .first()
      .locator('a[data-row-link]')
      .click()
    const heading = visitor.page.getByRole('heading', { level: 1, name: /^TZS 2,[12]00 to/ })
    const shown = await heading.innerText()
    await keyboard.press('a')
    await field.fill('Wages of the week')
    await keyboard.press('Enter')
    await hears(visitor, '', 'to Asha Mwinyi.')
    await keyboard.press('j')
    await visitor.sees('', `TZS ${shown.includes('2,100') ? '2,200' : '2,100'} to Asha Mwinyi`)
    await keyboard.press('a')
    await field.waitFor()
    assert.equal(await field.inputValue(), '')
    const again = question(visitor).getByRole('button', { name: 'Use again: Wages of the week' })
    await again.focus()
    await keyboard.press('Enter')
    assert.equal(await field.inputValue(), 'Wages of the week')
    await visitor.looks('reason again')
    await field.press('Enter')
    await hears(visitor, '', 'to Asha Mwinyi.')
    for (const id of ids) assert.equal((await operator.show(id)).history[0].reason, 'Wages of the week')

    const later = await operator.submit(shop, { amount: '2300.00' })
    await visitor.opens(`/withdrawals/${later}`)
    await visitor.sees('', 'TZS 2,300 to Asha Mwinyi')
    await keyboard.press('a')
    await field.waitFor()
    assert.equal(await again.count(), 0)
    await field.fill('Rent')
    await keyboard.press('Enter')
    await hears(visitor, '', 'to Asha Mwinyi.')
    // This withdrawal is not in the last list of the tab, so the next step is the list.
    await visitor.page.locator('a:focus').getByText('Back to the list', { exact: true }).waitFor()
    await keyboard.press('Enter')
    await visitor.sees('', 'Withdrawals')
    await visitor.leave()
  })

  test('an operator decides ten withdrawals with 42 key presses, and rejects the suspicious withdrawal', async (t) => {
    const known = await operator.shop('1000000.00')
    await operator.approve(await operator.submit(known, { amount: '1000.00' }))
    const ids: string[] = []
    for (let i = 0; i < 10; i++) {
      // One of the ten withdrawals goes to a phone that the merchant has never paid.
      const suspicious = i === 6
      ids.push(await operator.submit(known, { amount: `${2_000 + i}.00`, ...(suspicious ? { ending: '777' } : {}) }))
    }
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    let keys = 0
    const press = async (key: string) => {
      keys += 1
      await page.keyboard.press(key)
    }
    // On a small laptop, the arrow keys choose a reason only if the field is in view when the dialog opens.
    await page.setViewportSize({ width: 1280, height: 650 })
    await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
    await page.locator('a[data-row-link]').nth(9).waitFor()
    const began = Date.now()
    await press('j')
    await press('Enter')
    for (let i = 0; i < 10; i++) {
      await page.getByRole('heading', { level: 1, name: new RegExp(`^TZS 2,00${i} to`) }).waitFor()
      await page.getByRole('button', { name: 'Reject' }).waitFor()
      const warns = (await page.getByText('First payout to this destination.').count()) > 0
      if (i === 7) {
        const failure = page.locator('.flag-warn', { hasText: 'You rejected another withdrawal of this merchant' })
        const text = (await failure.innerText()).replaceAll(/[\u2068\u2069]/g, '')
        const latest =
          /merchant under a minute ago \(\d+ \w{3} \d{4}, \d\d:\d\d\)\. Reason: (.+)\. Open that withdrawal$/
        assert.equal(latest.exec(text)?.[1], 'We do not know this recipient; please contact us', text)
        assert.equal(await failure.getByRole('link').getAttribute('href'), `/operator/withdrawals/${ids[6]}`)
        await visitor.picture('recent-failure')
      }
      await press(warns ? 'r' : 'a')
      await question(visitor).getByText('Saved reasons').waitFor()
      await press('ArrowDown')
      await press('Enter')
      await hears(visitor, '', warns ? 'Rejected: the server' : 'to Asha Mwinyi.')
      // After the dialog, the button that opens the next withdrawal has the focus.
      await page.locator('button:focus').getByText('Open the next withdrawal', { exact: true }).waitFor()
      if (i === 0) await visitor.picture('decided')
      await press('Enter')
    }
    await hears(visitor, '', 'This is the last withdrawal of the list.')
    await page.locator('a:focus').getByText('See the other open work', { exact: true }).waitFor()
    await visitor.picture('decided-last')
    const seconds = Math.round((Date.now() - began) / 1_000)
    t.diagnostic(`ten withdrawals: ${keys} key presses, ${seconds} seconds in a test`)
    assert.equal(keys, 2 + 4 * 10)
    const statuses = await Promise.all(ids.map(statusOf))
    assert.deepEqual(
      statuses.map((status) => (status === 'REJECTED' ? 'rejected' : /^(PROCESSING|SUCCESS)$/.test(status) && 'paid')),
      ids.map((_, i) => (i === 6 ? 'rejected' : 'paid')),
    )
    const rejected = await operator.show(ids[6] as string)
    assert.equal(rejected.status_reason, 'We do not know this recipient; please contact us')
    const approved = await operator.show(ids[0] as string)
    assert.equal(
      approved.history[0].reason,
      'I looked at the facts and warnings; the provider was not asked for the name',
    )
    await visitor.leave()
  })

  for (const language of languagesOf(0))
    test(`the list, the bar of the selection and the dry run show the warnings of the page about a shared number and new income (${language})`, async () => {
      const [known, other] = [await operator.shop('100000.00'), await operator.shop('100000.00')]
      const [own, both] = [newEnding(), newEnding()]
      await operator.approve(await operator.submit(known, { amount: '1000.00', ending: own }))
      await operator.approve(await operator.submit(known, { amount: '1000.00', ending: both }))
      await operator.approve(await operator.submit(other, { amount: '1000.00', ending: both }))
      await fund(office.world, 3_000_000n, { merchant: known.merchant })
      await office.world.rows("update merchants set created_at = created_at - interval '9 days' where id = $1", [
        known.merchant.id,
      ])
      const plain = await operator.submit(known, { amount: '1100.00', ending: own })
      // At this request the merchant was younger than eight days, so the server does not compare its income.
      await office.world.rows("update withdrawals set created_at = created_at - interval '2 days' where id = $1", [
        plain,
      ])
      const shared = await operator.submit(known, { amount: '1200.00', ending: both })
      const sudden = await operator.submit(known, { amount: '98000.00', ending: own })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const marks: [amount: RegExp, mark: string][] = [
        [/1,200/, says('Biashara nyingine zimelipa namba hii', 'Other merchants have paid this number')],
        [/98,000/, says('Mapato yameongezeka ghafla', 'Burst of income')],
      ]
      await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
      for (const [amount, mark] of marks)
        await page.getByRole('row').filter({ hasText: amount }).getByText(mark, { exact: true }).waitFor()
      assert.equal(await page.getByRole('row').filter({ hasText: /1,100/ }).locator('.chip-warn').count(), 0)
      await visitor.looks('warnings of the list')
      await visitor.picture('list-warnings')
      // The warnings stand below the status, so that they move nothing in the first line of the row.
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size)
        const row = page.locator(size === PHONE ? 'main .rows > li' : 'main tr').filter({ hasText: /98,000/ })
        await row.locator('.chip-wait').waitFor()
        const [status, mark] = await Promise.all(
          [row.locator('.chip-wait'), row.locator('.chip-warn').first()].map(edgesOf),
        )
        assert.ok(status && mark && mark.top >= status.bottom, JSON.stringify({ status, mark }))
        const face = await page.evaluate("getComputedStyle(document.querySelector('main time')).fontVariantNumeric")
        assert.equal(face, 'tabular-nums')
      }
      await visitor.press('Chagua 1 usio na tahadhari', 'Choose the 1 without a warning')
      await hears(visitor, 'Umechagua 1, jumla TZS 1,100', 'You chose 1, TZS 1,100 in total')
      for (const amount of ['1,200', '98,000'])
        await page
          .getByRole('checkbox', {
            name: says(`Chagua TZS ${amount} kwa Asha Mwinyi`, `Choose TZS ${amount} to Asha Mwinyi`),
          })
          .check()
      await hears(visitor, 'Wenye tahadhari au swali: 2', '2 with a warning or a question')
      // Another filter hides the chosen rows, and the bar still counts all of them.
      await visitor.opens(`/withdrawals?status=REJECTED&merchant_id=${known.merchant.id}`)
      await hears(visitor, 'Umechagua 3,', 'You chose 3,')
      await hears(visitor, 'Wenye tahadhari au swali: 2', '2 with a warning or a question')
      await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
      await review(visitor)
      const lines = question(visitor).locator('.lines > li')
      for (const [amount, mark] of marks) {
        const line = lines.filter({ hasText: amount })
        await line.getByText(mark, { exact: true }).waitFor()
        await line.getByRole('checkbox').waitFor()
      }
      await visitor.looks('warnings of a dry run')
      await visitor.picture('dry-run-warnings')
      for (const [id, sw, en] of [
        [
          shared,
          'Biashara nyingine zimelipa namba hii pia (1): ',
          'Other merchants have paid this number as well (1): ',
        ],
        [
          sudden,
          'Mapato yameongezeka ghafla: TZS 30,000 zimeingia ndani ya saa 24 kabla ya ombi. Siku 7 kabla yake hazikuwa na mapato. TZS 1,420 za utoaji huu zinatokana na pesa hizo.',
          'Burst of income: TZS 30,000 came in within the 24 hours before the request, and nothing in the 7 days before. TZS 1,420 of this withdrawal comes from that money.',
        ],
      ] as const) {
        await visitor.opens(`/withdrawals/${id}`)
        await page.locator('.flag-warn').getByText(says(sw, en)).waitFor()
        assert.equal(
          await firstReason(visitor),
          says('Tunashuku udanganyifu; wasiliana nasi', 'We suspect fraud; please contact us'),
        )
      }
      for (const { id } of await waitingOf(known)) await operator.act(id, 'reject')
      await visitor.leave()
    })

  for (const language of languagesOf(0))
    test(`the list, the dry run and the page of a withdrawal mark a large withdrawal among small withdrawals (${language})`, async () => {
      const known = await operator.shop('1000000.00')
      // No other merchant pays this number.
      const ending = newEnding()
      await operator.approve(await operator.submit(known, { amount: '1000.00', ending }))
      for (const amount of ['1050.00', '1100.00', '1200.00']) await operator.submit(known, { amount, ending })
      const large = await operator.submit(known, { amount: '900000.00', ending })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const marks = [
        says('91.1 % ya salio', '91.1 % of the balance'),
        says('Ni mara 900 ya utoaji mkubwa zaidi uliolipwa', '900 times the largest payout'),
      ]
      await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
      const row = page.getByRole('row').filter({ hasText: /TZS\s900,000/ })
      for (const mark of marks) await row.getByText(mark, { exact: true }).waitFor()
      assert.equal(await page.locator('main table .chip-warn').count(), 2, 'the small withdrawals have no mark')
      await visitor.looks('marks')
      await visitor.picture('marks')

      await visitor.press('Chagua 3 usio na tahadhari', 'Choose the 3 without a warning')
      await row.getByRole('checkbox').check()
      await review(visitor)
      const lines = question(visitor).getByRole('listitem')
      for (const mark of marks)
        await lines
          .filter({ hasText: /900,000/ })
          .getByText(mark, { exact: true })
          .waitFor()
      const small = lines.filter({ hasText: /1,100/ })
      await small.getByText(says('0.1 % ya salio', '0.1 % of the balance'), { exact: true }).waitFor()
      await small
        .getByText(says('Ni mara 1.1 ya utoaji mkubwa zaidi uliolipwa', '1.1 times the largest payout'))
        .waitFor()
      await lines
        .filter({ hasText: /1,050/ })
        .getByText(
          says('Karibu sawa na utoaji mkubwa zaidi uliolipwa hadi sasa', 'About the same as the largest payout so far'),
          { exact: true },
        )
        .waitFor()
      assert.equal(await question(visitor).locator('.chip-warn').count(), 2)
      await visitor.looks('marks of a dry run')
      await visitor.picture('marks-dry-run')

      await visitor.opens(`/withdrawals/${large}`)
      const warning = says(
        'Kiasi ni mara 900 ya TZS 1,000, kiasi kikubwa zaidi kati ya utoaji 200 wa karibuni uliofanikiwa.',
        'The amount is 900 times TZS 1,000, the largest of the latest 200 payouts that succeeded.',
      )
      await page.getByText(warning, { exact: true }).waitFor()
      // Three other withdrawals of the merchant wait for an approval. The reserved sum does not contain them.
      const reserved = says('Limetengwa kwa utoaji ulioidhinishwa', 'Reserved for approved payouts')
      await page.getByText(reserved, { exact: true }).waitFor()
      // The server compares the limits with the payouts of this merchant only, and the labels say so.
      const sum = page.locator('.sum-rows > div').filter({
        hasText: says(
          'Za biashara hii zilizoidhinishwa leo kwenda namba hii',
          'Approved today for this merchant to this number',
        ),
      })
      assert.match((await sum.innerText()).replaceAll('\u00a0', ' '), /TZS 1,000$/)
      await visitor.looks('facts')
      await visitor.picture('facts')
      await page.keyboard.press('r')
      const restated = (await question(visitor).innerText()).replaceAll('\u00a0', ' ')
      for (const fact of ['91.1 %', says('mara 900 ya TZS 1,000', '900 times TZS 1,000')])
        assert.ok(restated.includes(fact), `${fact} is missing in the question: ${restated}`)
      await visitor.picture('facts-question')
      await page.keyboard.press('Escape')
      assert.equal(
        await firstReason(visitor),
        says('Kiasi ni kikubwa kuliko kawaida; wasiliana nasi', 'The amount is unusually large; please contact us'),
      )
      for (const { id } of await waitingOf(known)) await operator.act(id, 'reject')
      await visitor.leave()
    })

  for (const language of languagesOf(1))
    test(`an operator chooses and confirms each marked withdrawal by itself, a batch omits a marked withdrawal without a confirmation, and then the title has the focus (${language})`, async () => {
      const known = await operator.shop('100000.00')
      const ending = newEnding()
      await operator.approve(await operator.submit(known, { amount: '1000.00', ending }))
      const large = await operator.submit(known, { amount: '6000.00', ending })
      const asked = await operator.submit(known, { amount: '1400.00', ending })
      await operator.act(asked, 'request-info')
      // The merchant named no recipient of this withdrawal, and the provider has the name Asha Juma for the number.
      const first = await operator.submit(known, { amount: '1300.00', ending: '201', name: ' ' })
      const small: string[] = []
      for (const amount of ['1100.00', '1200.00']) small.push(await operator.submit(known, { amount, ending }))
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const bodies: { dry_run: boolean; withdrawal_ids: string[]; confirmed_new_destinations: string[] }[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/approve-batch')) bodies.push(request.postDataJSON())
      })
      await visitor.opens(`/withdrawals/${first}`)
      await visitor.press('Idhinisha', 'Approve')
      const no_name = says('Nimekagua namba. Jina halijulikani.', 'I have checked the number. No name is known.')
      await question(visitor).getByRole('checkbox', { name: no_name, exact: true }).waitFor()
      await question(visitor).getByText(says('Hakuna jina', 'No name'), { exact: true }).waitFor()
      await visitor.picture('approve-no-name')
      await page.keyboard.press('Escape')
      await page.keyboard.press('n')
      await page.getByText('Asha Juma').first().waitFor()
      await visitor.press('Idhinisha', 'Approve')
      const both = says('Nimekagua namba na jina', 'I have checked the number and the name')
      await question(visitor).getByRole('checkbox', { name: both }).waitFor()
      await question(visitor).getByText('Asha Juma', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await visitor.opens(`/withdrawals?merchant_id=${known.merchant.id}`)
      await visitor.press('Chagua 2 usio na tahadhari', 'Choose the 2 without a warning')
      await hears(visitor, 'Umechagua 2, jumla TZS 2,300', 'You chose 2, TZS 2,300 in total')
      const choice = async () =>
        (await page.locator('.choice-bar').innerText()).replaceAll('\u00a0', ' ').split(/\n+/).filter(Boolean)
      const acts = (count: number) => [
        says(`Kagua na uidhinishe ${count}`, `Review and approve ${count}`),
        says('Ondoa uchaguzi', 'Clear the selection'),
      ]
      assert.deepEqual(await choice(), [
        says('Umechagua 2, jumla TZS 2,300', 'You chose 2, TZS 2,300 in total'),
        ...acts(2),
      ])
      await page.locator('.choice-bar button:focus', { hasText: says('', 'Review and approve 2') }).waitFor()
      await visitor.looks('marked withdrawals left')
      await visitor.picture('marked-left')
      for (const amount of ['6,000', '1,400', '1,300']) {
        const to = amount === '1,300' ? '255754123201' : 'Asha Mwinyi'
        const name = says(`Chagua TZS ${amount} kwa ${to}`, `Choose TZS ${amount} to ${to}`)
        await page.getByRole('checkbox', { name }).focus()
        await page.keyboard.press('Space')
      }
      await hears(visitor, 'Umechagua 5,', 'You chose 5,')
      assert.deepEqual(await choice(), [
        says('Umechagua 5, jumla TZS 11,000', 'You chose 5, TZS 11,000 in total'),
        says('Wenye tahadhari au swali: 3', '3 with a warning or a question'),
        ...acts(5),
      ])

      await review(visitor)
      const lines = question(visitor).locator('.lines > li')
      const left_out = says('Umeachwa: hujathibitisha', 'Left out: not confirmed')
      await lines.getByText(left_out).nth(2).waitFor()
      const texts = (await lines.allInnerTexts()).map((text) => text.replaceAll('\u00a0', ' '))
      assert.deepEqual(
        texts.map((text) => /TZS ([\d,]+)/.exec(text)?.[1]),
        ['6,000', '1,400', '1,300', '1,200', '1,100'],
      )
      // The count is above the list. The list has no scroll area of its own, so that the dialog hides no end of it.
      await question(visitor).getByText(says('Utoaji pesa: 5', '5 withdrawals'), { exact: true }).waitFor()
      const list = question(visitor).locator('.lines')
      assert.equal(await list.evaluate((element) => element.scrollHeight - element.clientHeight), 0)
      const approve = says('Idhinisha 2, jumla TZS 2,300', 'Approve 2, TZS 2,300 in total')
      await assertShown(visitor, question(visitor).getByRole('button', { name: approve }), 'footer')
      assert.match(texts[2] ?? '', /^TZS 1,300\s+0754 123 201\n/)
      // The operator has asked the provider for one of the names, and the merchant named no recipient of that withdrawal.
      const unasked = says('Mtoa huduma hajaulizwa jina', 'Name not checked with the provider')
      const unnamed =
        /^(Biashara haikutaja jina. Jina kwa mtoa huduma|The merchant gave no name. Name at the provider): .?Asha Juma.?$/m
      assert.deepEqual(
        texts.map((text) => [text.includes(unasked), unnamed.test(text)]),
        [
          [true, false],
          [true, false],
          [false, true],
          [true, false],
          [true, false],
        ],
      )
      const names = says(
        'Ambao mtoa huduma hajathibitisha jina: 5 kati ya 5.',
        'The provider has not confirmed the name for 5 of 5.',
      )
      await question(visitor).getByText(names).waitFor()
      const reasons = question(visitor).getByRole('list', { name: says('Mapendekezo', 'Suggestions') })
      assert.deepEqual(await reasons.getByRole('button').allInnerTexts(), [
        says(
          'Nimeangalia taarifa na tahadhari; mtoa huduma hajaulizwa jina',
          'I looked at the facts and warnings; the provider was not asked for the name',
        ),
        says('Nimeangalia taarifa na tahadhari', 'I looked at the facts and warnings'),
        says('Biashara imethibitisha kwa simu', 'The merchant confirmed by phone'),
      ])
      const pays = says('Seva itatuma pesa', 'The server will pay out')
      assert.deepEqual(
        texts.map((text) => [text.includes(left_out), text.includes(pays)]),
        [...Array(3).fill([true, false]), ...Array(2).fill([false, true])],
      )
      await lines
        .filter({ hasText: /1,400/ })
        .locator('.chip-warn')
        .filter({ hasText: says('Taarifa zaidi', 'More information needed') })
        .waitFor()
      await visitor.looks('marked withdrawals of a dry run')
      await visitor.picture('marked-dry-run')
      await visitor.press('Uliza majina 4 kwa mtoa huduma', 'Ask the provider for 4 names')
      await hears(visitor, 'Mtoa huduma ameulizwa majina yote: 4.', 'The provider was asked for all names: 4.')
      const unknown = says(
        'Mtoa huduma ameulizwa, na jina halijajulikana',
        'The provider was asked, and the name is not known',
      )
      await lines.getByText(unknown, { exact: true }).nth(3).waitFor()
      assert.equal(await lines.getByText(unasked, { exact: true }).count(), 0)
      await visitor.picture('asked-names')
      for (const amount of ['1,400', '1,300']) {
        const to = amount === '1,300' ? '0754 123 201' : 'Asha Mwinyi'
        const name = says(
          `Nimekagua utoaji huu: TZS ${amount} kwa ${to}`,
          `I have checked this withdrawal: TZS ${amount} to ${to}`,
        )
        await question(visitor).getByRole('checkbox', { name }).focus()
        await page.keyboard.press('Space')
        const confirmed_all = amount === '1,300'
        await hears(
          visitor,
          `Ulioachwa, kwa sababu hujauthibitisha: ${confirmed_all ? 1 : 2}.`,
          `Left out, because you have not confirmed: ${confirmed_all ? 1 : 2}.`,
        )
      }
      await hears(visitor, 'Utakaotumwa: 4.', 'The server will pay out: 4.')
      await visitor.fill('Sababu ya kuidhinisha', 'Reason for approving', 'Wages')
      await visitor.press('Idhinisha 4, jumla TZS 5,000', 'Approve 4, TZS 5,000 in total')
      await hears(visitor, 'Umeidhinisha 4. Seva inatuma pesa sasa.', 'You approved 4. The server pays out now.')
      await hears(
        visitor,
        'Seva inaigiza utoaji huu: hakuna pesa halisi zinazohama.',
        'The server simulates these payouts: no real money moves.',
      )
      await lines.filter({ hasText: /6,000/ }).getByText(left_out).waitFor()
      await visitor.looks('marked withdrawal left out')
      await visitor.picture('marked-result')
      await question(visitor).locator('[role=status]:focus').waitFor()
      await visitor.press('Funga', 'Close')
      await question(visitor).waitFor({ state: 'detached' })
      await page.locator('h1:focus').waitFor()
      const sent = bodies.filter(({ dry_run }) => !dry_run)
      assert.equal(sent.length, 1)
      assert.deepEqual(sent[0]?.withdrawal_ids.toSorted(), [asked, first, ...small].toSorted())
      assert.deepEqual(sent[0]?.confirmed_new_destinations, [first])
      assert.equal(await statusOf(large), 'PENDING_ADMIN_APPROVAL')
      for (const id of [asked, first, ...small]) assert.match(await statusOf(id), /^(PROCESSING|SUCCESS)$/)
      await operator.act(large, 'reject')
      await visitor.leave()
    })

  test('a dry run folds many withdrawals without a mark, and never folds a marked or a refused one', async () => {
    const known = await operator.shop('100000.00')
    const ending = '615'
    await operator.approve(await operator.submit(known, { amount: '2000.00', ending }))
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push(await operator.submit(known, { amount: `${1_700 + i}.00`, ending }))
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
    await visitor.press('', 'Choose the 6 without a warning')
    await page.getByText('You chose 6,').waitFor()
    // Another operator has rejected one of them since.
    await operator.act(ids[5] as string, 'reject')
    await visitor.press('', 'Review and approve 6')
    const lines = question(visitor).locator('.lines > li:visible')
    await lines.filter({ hasText: /1,705/ }).waitFor()
    assert.equal(await lines.count(), 1)
    await question(visitor).getByText('6 withdrawals', { exact: true }).waitFor()
    await visitor.looks('folded dry run')
    await visitor.picture('folded-dry-run')
    await question(visitor).getByText('Show the 5 without a warning', { exact: true }).click()
    const unmarked = lines.filter({ hasText: /1,700/ })
    await unmarked
      .getByText('Duka la Juma · M-Pesa (Vodacom) · Paid before by this merchant', { exact: true })
      .waitFor()
    assert.equal(await lines.count(), 6)
    await question(visitor).getByText('Hide the 5 without a warning', { exact: true }).click()
    await question(visitor).getByText('Show the 5 without a warning', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    for (const { id } of await waitingOf(known)) await operator.act(id, 'reject')
    await visitor.leave()
  })

  for (const language of languagesOf(1))
    test(`above its rows, the list says how many have a warning, and a button and the key w move the focus to these rows (${language})`, async () => {
      const known = await operator.shop('100000.00')
      const ending = newEnding()
      await operator.approve(await operator.submit(known, { amount: '2000.00', ending }))
      for (let i = 0; i < 10; i++) {
        const marked = i === 8 || i === 9
        await operator.submit(known, { amount: `${2_100 + i}.00`, ending: marked ? newEnding() : ending })
      }
      const visitor = await office.comes(asha, 'operator', { language })
      const { page } = visitor
      const focused = async () =>
        (await page.locator('tr:has(a:focus), li:has(a:focus)').innerText()).match(/2,1\d\d/)?.[0]
      const list = `/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size)
        await visitor.opens(list)
        await hears(visitor, 'Wenye tahadhari: 2 kati ya 10', '2 of 10 have a warning')
        await visitor.picture('warning-count')
        await visitor.press('Nenda kwenye tahadhari ya kwanza', 'Go to the first warning')
        assert.equal(await focused(), '2,108')
        const mark = "getComputedStyle(document.querySelector('tr:has(a:focus), li:has(a:focus)')).outline"
        assert.match(await page.evaluate(mark), /solid 2px/)
        const row = await edgesOf(page.locator('a:focus'))
        assert.ok(row.top >= 0 && row.bottom <= size.height, `the row is in view: ${JSON.stringify(row)}`)
        for (const amount of ['2,109', '2,108', '2,109']) {
          await page.keyboard.press('w')
          assert.equal(await focused(), amount)
        }
      }
      await visitor.looks('count of warnings')
      const waiting = await waitingOf(known)
      for (const { id } of waiting.filter((_, place) => place !== 1)) await operator.act(id, 'reject')
      await hears(visitor, 'Wenye tahadhari: 1 kati ya 1', '1 of 1 has a warning')
      await operator.act(waiting[1]?.id as string, 'reject')
      await page
        .getByText(language === 'sw' ? /Wenye tahadhari: \d/ : /\d ha(s|ve) a warning/)
        .waitFor({ state: 'detached' })
      await visitor.leave()
    })

  for (const language of languagesOf(0))
    test(`the bar of the selection moves no row, stays in view, and covers no row with the focus (${language})`, async () => {
      const known = await operator.shop('100000.00')
      const ending = newEnding()
      await operator.approve(await operator.submit(known, { amount: '1000.00', ending }))
      for (let i = 0; i < 12; i++) await operator.submit(known, { amount: `${1_000 + i}.00`, ending })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page } = visitor
      const bar = page.locator('.choice-bar')
      const chooseAll = page.getByRole('button', { name: /^(Chagua \d+ usio|Choose the \d+ without)/ })
      for (const size of [{ width: 360, height: 640 }, DESK]) {
        await page.setViewportSize(size)
        await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${known.merchant.id}`)
        const boxes = page.locator('main').getByRole('checkbox', { name: /^(Chagua|Choose) TZS/ })
        await boxes.nth(11).waitFor()
        assert.equal(await bar.count(), 0, 'without a selection, no bar covers a row')
        // No row has a warning, so the empty status above the rows takes no place before the button.
        const lefts = await Promise.all(
          [page.locator('h1.page-title'), chooseAll].map(async (one) => (await one.boundingBox())?.x),
        )
        assert.equal(lefts[1], lefts[0])
        const tops = () =>
          boxes.evaluateAll((all) => {
            const start = all[0]?.closest('main')?.getBoundingClientRect().top ?? 0
            return all.map((one) => Math.round(one.getBoundingClientRect().top - start))
          })
        const before = await tops()
        await boxes.first().focus()
        await page.keyboard.press('Space')
        await hears(visitor, 'Umechagua 1,', 'You chose 1,')
        assert.deepEqual(await tops(), before)
        await visitor.picture(`choice-${size.width}`)
        for (let i = 0; i < 12; i++) {
          await boxes.nth(i).focus()
          const [row, shown] = await Promise.all([edgesOf(boxes.nth(i)), edgesOf(bar)])
          assert.ok(shown.bottom <= size.height, 'the bar is in view')
          assert.ok(row.bottom <= shown.top, `the bar covers row ${i}: ${JSON.stringify({ row, shown })}`)
        }
        await chooseAll.click()
        await page.locator('.choice-bar button:focus').waitFor()
        assert.deepEqual([await chooseAll.isDisabled(), await tops()], [true, before])
        await visitor.press('Ondoa uchaguzi', 'Clear the selection')
        await bar.waitFor({ state: 'detached' })
        await page.locator('h1:focus').waitFor()
        // The bar appears over the row with the focus, so the row moves.
        await boxes.nth(11).evaluate((box) => box.scrollIntoView({ block: 'end' }))
        await boxes.nth(11).evaluate((box) => box.focus({ preventScroll: true }))
        await page.keyboard.press('Space')
        await bar.waitFor()
        const [row, shown] = await Promise.all([edgesOf(boxes.nth(11)), edgesOf(bar)])
        assert.ok(row.bottom <= shown.top, `the bar covers the chosen row: ${JSON.stringify({ row, shown })}`)
        await visitor.press('Ondoa uchaguzi', 'Clear the selection')
      }
      await chooseAll.click()
      await visitor.looks('choice')

      let [asked, open, most] = [0, 0, 0]
      await page.route('**/name-check', async (route) => {
        asked += 1
        open += 1
        most = Math.max(most, open)
        // The third request gets no answer.
        if (asked !== 3) await route.continue()
      })
      for (const event of ['requestfinished', 'requestfailed'] as const)
        page.on(event as 'requestfinished', (request) => {
          if (request.url().endsWith('/name-check')) open -= 1
        })
      await review(visitor)
      await visitor.press('Uliza majina 12 kwa mtoa huduma', 'Ask the provider for 12 names')
      const progress = visitor.says('Mtoa huduma ameulizwa: 2 kati ya 12', 'Asked the provider: 2 of 12')
      await question(visitor).getByText(progress, { exact: true }).waitFor()
      await visitor.press('Acha kuuliza', 'Stop asking')
      await hears(
        visitor,
        'Umeacha kuuliza. Mtoa huduma ameulizwa: 2 kati ya 12.',
        'You stopped. Asked the provider: 2',
      )
      assert.equal(asked, 3)
      // The provider has no name for this number.
      await visitor.press('Uliza majina 10 kwa mtoa huduma', 'Ask the provider for 10 names')
      await hears(visitor, 'Kuuliza kumeishia 5 kati ya 10', 'Stopped after 5 of 10')
      const rest = visitor.says('Uliza majina 5 kwa mtoa huduma', 'Ask the provider for 5 names')
      await question(visitor).getByRole('button', { name: rest, exact: true }).waitFor()
      assert.deepEqual([asked, most], [8, 1], 'one request at a time')
      await visitor.looks('names asked in part')
      await page.keyboard.press('Escape')
      for (const { id } of await waitingOf(known)) await operator.act(id, 'reject')
      await visitor.leave()
    })

  test('a batch without a first payout sends no confirmation of a destination, and Escape moves the focus from its result to the title', async () => {
    const known = await operator.shop('100000.00')
    const ending = '613'
    await operator.approve(await operator.submit(known, { amount: '1000.00', ending }))
    // The provider has the name Duka la Mfano for a number with the ending 202.
    const named = { ending: '202', name: 'Duka la Mfano' }
    await operator.approve(await operator.submit(known, { amount: '1000.00', ...named }))
    const small = await operator.submit(known, { amount: '1100.00', ...named })
    const other = await operator.submit(known, { amount: '1200.00', ...named, name: 'Neema Mushi' })
    const first = await operator.submit(known, { amount: '1300.00', ending: '009' })
    for (const id of [small, other]) {
      const url = `/v1/operator/withdrawals/${id}/name-check`
      assert.equal((await office.world.post(url, {}, { key: await operator.session() })).status, 200)
    }
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    await visitor.opens(`/withdrawals?merchant_id=${known.merchant.id}`)
    await visitor.press('', 'Choose the 2 without a warning')
    await page.getByRole('checkbox', { name: 'Choose TZS 1,300 to Asha Mwinyi' }).check()
    await review(visitor)
    const line = (amount: string) => question(visitor).locator('.lines > li', { hasText: amount })
    await line('1,100')
      .getByText(/^The provider confirmed the name: .?Duka la Mfano.?$/)
      .waitFor()
    // A batch contains a withdrawal with another name at the provider only if the operator confirms it.
    await line('1,200').locator('.chip-bad').getByText('Different name at the provider: ').waitFor()
    await line('1,200').getByRole('checkbox', { checked: false }).waitFor()
    await question(visitor).getByText('The provider has not confirmed the name for 2 of 3.').waitFor()
    await visitor.picture('names-dry-run')
    const offered = question(visitor).getByRole('list', { name: 'Suggestions' }).getByRole('button')
    const reasons = [
      'The provider confirmed the name',
      'I looked at the facts and warnings',
      'The merchant confirmed by phone',
    ]
    assert.deepEqual((await offered.allInnerTexts()).slice(-3), reasons)
    await line('1,200').getByRole('checkbox').check()
    assert.deepEqual((await offered.allInnerTexts()).slice(-2), reasons.slice(1))
    // No reason about names fits both withdrawals.
    assert.equal(await offered.filter({ hasText: /the provider/i }).count(), 0)
    // No reason about names fits the withdrawal with another name.
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await question(visitor).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: /^Choose TZS 1,100 / }).uncheck()
    // After an erasure of the recipient, the server answers without the name.
    await page.route('**/approve-batch', async (route) => {
      const response = await route.fetch()
      const json = await response.json()
      for (const { name_check } of json.data.items) if (name_check !== null) name_check.name = null
      await route.fulfill({ response, json })
    })
    await review(visitor)
    await line('1,200').locator('.chip-bad').getByText('Different name at the provider', { exact: true }).waitFor()
    await removeRoutes(page, '**/approve-batch')
    await line('1,200').getByRole('checkbox').check()
    await offered.getByText('I looked at the facts and warnings', { exact: true }).waitFor()
    assert.equal(await offered.filter({ hasText: /the provider/i }).count(), 0)
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await question(visitor).waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: /^Choose TZS 1,100 / }).check()
    await review(visitor)
    await line('1,200').getByRole('checkbox', { checked: false }).waitFor()
    await visitor.fill('', 'Reason for approving', 'Wages')
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.url().endsWith('/approve-batch') && one.postDataJSON().dry_run === false),
      visitor.press('', 'Approve 1, TZS 1,100 in total'),
    ])
    assert.deepEqual(
      [request.postDataJSON().withdrawal_ids, request.postDataJSON().confirmed_new_destinations],
      [[small], []],
    )
    await question(visitor).getByText('You approved 1. The server pays out now.').waitFor()
    await page.keyboard.press('Escape')
    await question(visitor).waitFor({ state: 'detached' })
    await page.locator('h1:focus').waitFor()
    assert.equal(await statusOf(first), 'PENDING_ADMIN_APPROVAL')
    for (const id of [first, other]) await operator.act(id, 'reject')
    await visitor.leave()
  })

  for (const language of languagesOf(0))
    test(`the page of a withdrawal says which share of the amount the merchant received in 24 hours (${language})`, async () => {
      const fresh = await operator.shop('800.00')
      await fund(office.world, 20_000n, { merchant: fresh.merchant })
      // This payment came three days ago, so the average of the seven days before is TZS 28.57.
      await office.world.rows('grant update on ledger_transfers to current_user')
      await office.world.rows(
        "update ledger_transfers set created_at = created_at - interval '3 days' where merchant_id = $1",
        [fresh.merchant.id],
      )
      await office.world.rows('revoke update on ledger_transfers from current_user')
      await fund(office.world, 2_000_000n, { merchant: fresh.merchant })
      // The provider gives no certain answer for this number.
      const ending = '103'
      const spent = await operator.submit(fresh, { amount: '2000.00', ending })
      const id = await operator.submit(fresh, { amount: '5000.00', ending })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      await visitor.opens(`/withdrawals/${id}`)
      const share = says(
        '80 % ya kiasi hiki ilipokelewa ndani ya saa 24 kabla ya ombi (malipo kabla ya makato).',
        'The merchant received 80 % of this amount in the 24 hours before the request (payments before fees).',
      )
      await page.getByText(share, { exact: true }).waitFor()
      await operator.approve(spent)
      await visitor.opens(`/withdrawals/${id}`)
      const all = says(
        'Kiasi hiki chote kilipokelewa ndani ya saa 24 kabla ya ombi (malipo kabla ya makato).',
        'The merchant received all of this amount in the 24 hours before the request (payments before fees).',
      )
      await page.locator('.flag-facts').getByText(all, { exact: true }).waitFor()
      const approved = page.locator('.facts > div').filter({
        hasText: says(
          'Utoaji ulioidhinishwa kwenda hapa, ambao haujakamilika',
          'Approved payout to here, not yet final',
        ),
      })
      await approved.getByText(says('Unahakikiwa kwa mtoa huduma', 'Being checked with the provider')).waitFor()
      assert.equal(await approved.getByRole('link').getAttribute('href'), `/operator/withdrawals/${spent}`)
      await page
        .locator('.flag-facts')
        .getByText(
          says('Ufunguo wa API wa ombi hili ulikuwa mpya: uliundwa ', 'The API key of this request was new: created '),
        )
        .waitFor()
      // A merchant of the first week has no usual income, so the income is no burst.
      const burst = page.locator('.flag-warn').getByText(says('Mapato yameongezeka ghafla', 'Burst of income'))
      assert.equal(await burst.count(), 0)
      for (const [table, key] of [
        ['merchants', 'id'],
        ['api_keys', 'merchant_id'],
      ])
        await office.world.rows(
          `update ${table} set created_at = created_at - interval '9 days 12 hours' where ${key} = $1`,
          [fresh.merchant.id],
        )
      await visitor.opens(`/withdrawals/${id}`)
      await burst.waitFor()
      const sentence = (await burst.innerText()).replaceAll('\u00a0', ' ')
      assert.equal(
        sentence,
        says(
          'Mapato yameongezeka ghafla: TZS 20,000 zimeingia ndani ya saa 24 kabla ya ombi, mara 700 ya siku ya kawaida (TZS 28, wastani wa siku 7 kabla yake). Utoaji huu wote unatokana na pesa hizo.',
          'Burst of income: TZS 20,000 came in within the 24 hours before the request, 700 times the usual day (TZS 28, the average of the 7 days before). All of this withdrawal comes from that money.',
        ),
      )
      assert.equal(await page.getByText(all, { exact: true }).count(), 0)
      assert.equal(await page.getByText(says('wa ombi hili ulikuwa mpya', 'of this request was new')).count(), 0)
      const key_age = says(
        '^Ufunguo wa API: .+, uliundwa .+ \\(siku 9 zilizopita\\)$',
        '^API key: .+, created .+ \\(9 days ago\\)$',
      )
      await page.getByText(new RegExp(key_age)).waitFor()
      await visitor.looks('share of new money')
      await visitor.picture('fresh')
      await operator.act(id, 'reject')
      await operator.act(spent, 'resolve')
      await visitor.leave()
    })

  for (const language of languagesOf(1))
    test(`the page of a withdrawal shows ordinary facts apart from warnings (${language})`, async () => {
      const [known, other] = [await operator.shop('100000.00'), await operator.shop('100000.00')]
      const ending = newEnding()
      // The provider has a name for this number.
      const named = language === 'sw' ? { ending: '201', name: 'Asha Juma' } : { ending: '202', name: 'Duka la Mfano' }
      const rehearsal = { amount: '1000.00', environment: 'sandbox', ...named } as const
      await operator.approve(await operator.submit(known, rehearsal))
      const rehearsed = await operator.submit(known, rehearsal)
      await operator.approve(await operator.submit(other, { amount: '1000.00', ending, name: 'Neema Mushi' }))
      const shared = await operator.submit(known, { amount: '1000.00', ending })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const first = says('Ni mara ya kwanza kulipa hapa.', 'First payout to this destination.')
      const others = says(
        `Biashara nyingine zimelipa namba hii pia (1): ${other.merchant.name}.`,
        `Other merchants have paid this number as well (1): ${other.merchant.name}.`,
      )
      const names = says(
        'Biashara hizo zilimtaja mpokeaji kwa jina tofauti: Neema Mushi.',
        'Other merchants gave a different name for the recipient: Neema Mushi.',
      )
      const fact = (text: string) => page.locator('.flag-facts > li').getByText(text, { exact: true })
      await visitor.opens(`/withdrawals/${rehearsed}`)
      await fact(
        says('Huu ni utoaji wa majaribio: hakuna pesa halisi.', 'This is a sandbox withdrawal: no real money.'),
      ).waitFor()
      assert.equal(await page.locator('.flags > li').count(), 0)
      // Before the check of the name, the page does not say that there is no warning.
      const unconfirmed = says('Jina halijakaguliwa.', 'The name is not checked.')
      const none = page.getByText(says('Hakuna tahadhari', 'No warning'), { exact: true })
      await page.getByText(unconfirmed, { exact: true }).waitFor()
      assert.equal(await none.count(), 0)
      await visitor.picture('unconfirmed-name')
      await page.keyboard.press('r')
      await question(visitor).getByText(unconfirmed, { exact: true }).waitFor()
      await visitor.picture('unconfirmed-rejection')
      await page.keyboard.press('Escape')
      await question(visitor).waitFor({ state: 'detached' })
      await page.keyboard.press('n')
      await none.waitFor()
      assert.equal(await page.getByText(unconfirmed).count(), 0)
      const same = says(
        `Mtoa huduma amethibitisha jina: ${named.name}.`,
        `The provider confirmed the name: ${named.name}.`,
      )
      for (const key of ['r', 'a']) {
        await page.keyboard.press(key)
        await question(visitor).getByText(same, { exact: true }).waitFor()
        await page.keyboard.press('Escape')
        await question(visitor).waitFor({ state: 'detached' })
      }
      await visitor.looks('facts without a warning')
      await visitor.picture('ordinary-facts')

      // Another merchant has paid this phone, and this merchant has not.
      await visitor.opens(`/withdrawals/${shared}`)
      await page.locator('.flags > li').nth(1).waitFor()
      assert.deepEqual(await page.locator('.flags > li.flag-warn').allInnerTexts(), [names, others, first])
      assert.equal(await none.count(), 0)
      const payer = page.locator('.other-merchants > li')
      await payer.getByText('Neema Mushi').waitFor()
      const address = await payer.getByRole('link', { name: other.merchant.name, exact: true }).getAttribute('href')
      assert.equal(address, `/operator/merchants/${other.merchant.id}`)
      // On a phone, both dialogs begin with the warnings, and the footer with the buttons covers none of them.
      for (const key of ['r', 'a']) {
        await page.setViewportSize({ width: 360, height: 640 })
        await page.keyboard.press(key)
        await question(visitor).getByText(says('Sababu zilizohifadhiwa', 'Saved reasons')).waitFor()
        const shown = question(visitor).locator('.flags > li')
        assert.equal(await shown.count(), 3)
        for (const warning of await shown.all()) await assertShown(visitor, warning, 'body')
        assert.equal(await question(visitor).evaluate((dialog) => dialog.scrollTop), 0)
        await visitor.picture(`warnings-first-${key}`)
        await page.keyboard.press('Escape')
        await question(visitor).waitFor({ state: 'detached' })
      }
      await visitor.looks('other merchants')
      await visitor.picture('shared-first')
      for (const { id } of await waitingOf(known)) await operator.act(id, 'reject')
      await operator.act(rehearsed, 'reject')
      await visitor.leave()
    })

  for (const language of languagesOf(0))
    test(`if the name on the account differs, asking the merchant is the primary action and approving is not (${language})`, async () => {
      // The provider has the name Asha Juma for this number.
      const id = await operator.submit(shop, { amount: '1600.00', ending: '201', name: 'Neema Mushi' })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const variantOf = (name: string) => page.getByRole('button', { name, exact: true }).getAttribute('data-variant')
      const [approve, ask] = [says('Idhinisha', 'Approve'), says('Uliza biashara', 'Ask the merchant')]
      await visitor.opens(`/withdrawals/${id}`)
      await page.getByRole('button', { name: approve, exact: true }).waitFor()
      const first = says('Ni mara ya kwanza kulipa hapa.', 'First payout to this destination.')
      await page.locator('.flag').getByText(first, { exact: true }).first().waitFor()
      assert.deepEqual([await variantOf(approve), await variantOf(ask)], ['default', 'default'])
      const unchecked = says('Jina halijakaguliwa.', 'The name is not checked.')
      const warnings = page.locator('section', {
        has: page.getByRole('heading', { name: says('Tahadhari', 'Warnings'), exact: true }),
      })
      await warnings.getByText(unchecked, { exact: true }).waitFor()
      const check = warnings.getByRole('button', {
        name: says('Uliza jina kwa mtoa huduma', 'Ask the provider for the name'),
        exact: true,
      })
      assert.equal(await check.getAttribute('data-variant'), 'filled', 'the name check comes before the approval')
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size)
        assert.equal(await check.getByText('n', { exact: true }).isVisible(), size === DESK)
      }
      await visitor.looks('unchecked name')
      await visitor.picture('unchecked-name')
      await page.keyboard.press('a')
      const footer = question(visitor).locator('.dialog-footer')
      await footer.getByText(unchecked, { exact: true }).waitFor()
      await visitor.picture('unchecked-name-question')
      await page.keyboard.press('Escape')
      await question(visitor).waitFor({ state: 'detached' })
      await page.setViewportSize(PHONE)
      await check.scrollIntoViewIfNeeded()
      const place = (await warnings.boundingBox())?.y
      await check.click()
      const differs = says(
        'Jina la akaunti kwa mtoa huduma ni tofauti: Asha Juma.',
        'The name on the account is different: Asha Juma.',
      )
      await page.locator('.flag-bad').getByText(differs, { exact: true }).waitFor()
      await page.getByRole('status').getByText(asha.email).waitFor()
      assert.equal((await warnings.boundingBox())?.y, place, 'the answer stands where the operator asked')
      await page.setViewportSize(DESK)
      assert.deepEqual([await variantOf(approve), await variantOf(ask)], ['default', 'filled'])
      assert.equal(await page.getByText(unchecked).count(), 0)
      await visitor.looks('another name')
      await visitor.picture('another-name')
      await page.keyboard.press('a')
      assert.equal(await question(visitor).getByText(unchecked).count(), 0)
      assert.equal(await variantOf(says('Idhinisha TZS 1,600', 'Approve TZS 1,600')), 'default')
      await visitor.picture('another-name-question')
      await page.keyboard.press('Escape')
      await question(visitor).waitFor({ state: 'detached' })
      await page.keyboard.press('r')
      // The dialog of a rejection repeats the warnings of the page in the same words.
      const on_page = await page.locator('main section .flags > li').allInnerTexts()
      assert.ok(on_page.includes(differs))
      await question(visitor).locator('.flags > li').first().waitFor()
      assert.deepEqual(await question(visitor).locator('.flags > li').allInnerTexts(), on_page)
      await visitor.looks('another name of a rejection')
      await visitor.picture('another-name-rejection')
      await operator.act(id, 'reject')
      await visitor.leave()
    })

  for (const language of languagesOf(0))
    test(`if the provider knows no name, the warnings and both dialogs say so, also to another operator (${language})`, async () => {
      const id = await operator.submit(shop, { amount: '1650.00', ending: newEnding() })
      const checks = async () =>
        (await office.world.get(`/v1/operator/withdrawals/${id}/case`, await operator.session())).body.data.name_checks
      const unknown = [
        'Mtoa huduma ameulizwa, na jina halijajulikana.',
        'The provider was asked, and the name is not known.',
      ]
      for (const person of [asha, juma]) {
        const visitor = await office.comes(person, 'operator', { language })
        const { page, says } = visitor
        const text = says(unknown[0] ?? '', unknown[1] ?? '')
        await visitor.opens(`/withdrawals/${id}`)
        if (person === asha) {
          await page.getByText(says('Jina halijakaguliwa.', 'The name is not checked.'), { exact: true }).waitFor()
          await visitor.press('Uliza jina kwa mtoa huduma', 'Ask the provider for the name')
        }
        const warnings = page.locator('section', {
          has: page.getByRole('heading', { name: says('Tahadhari', 'Warnings'), exact: true }),
        })
        await warnings.getByText(text, { exact: true }).waitFor()
        await page.getByRole('status').getByText(asha.email).waitFor()
        for (const key of ['r', 'a']) {
          await page.keyboard.press(key)
          await question(visitor).getByText(text, { exact: true }).waitFor()
          await visitor.picture(`unknown-name-${key}`)
          await page.keyboard.press('Escape')
          await question(visitor).waitFor({ state: 'detached' })
        }
        await visitor.looks('unknown name')
        await visitor.picture('unknown-name')
        assert.equal((await checks()).length, 1, 'opening the page asks no provider')
        await visitor.leave()
      }
      await operator.act(id, 'reject')
    })

  for (const language of languagesOf(1))
    test(`the page of a rejected withdrawal says that no money left, and keeps its warnings as of now; the later withdrawals name the rejection (${language})`, async () => {
      const mine = await operator.shop('1000000.00')
      const id = await operator.submit(mine, { amount: '1700.00', ending: newEnding() })
      const next = await operator.submit(mine, { amount: '1800.00' })
      const last = await operator.submit(mine, { amount: '1900.00' })
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      const first = says('Mpokeaji mpya', 'First payout to this destination')
      const leaves = says('Yatakayotoka kwenye salio', 'Leaves the balance')
      const nothing = says(
        'Hakuna pesa iliyotoka kwenye salio, na hakuna makato.',
        'No money left the balance, and the merchant paid no fees.',
      )
      await visitor.opens(`/withdrawals/${id}`)
      await page.getByText(leaves, { exact: true }).waitFor()
      assert.equal(await page.getByText(nothing).count(), 0)
      await operator.act(id, 'reject')
      // On a slow machine, the test could take a minute, and the pages would then say "1 minute ago".
      await page.clock.setFixedTime(office.world.deps.clock.now())
      await page.getByText(nothing, { exact: true }).waitFor()
      await page.getByText(says('Yangetoka kwenye salio', 'Would have left the balance'), { exact: true }).waitFor()
      assert.equal(await page.getByText(leaves, { exact: true }).count(), 0)
      await page
        .getByText(
          says(
            'Uamuzi umeshafanyika. Tahadhari hizi ni za sasa, si za wakati wa uamuzi.',
            'The decision is made. These warnings are as of now, not as of the decision.',
          ),
        )
        .waitFor()
      await page.locator('.flag-warn').getByText(first, { exact: true }).waitFor()
      const seen = page.getByRole('region', { name: says('Alichokiona mwendeshaji', 'What the operator saw') })
      const first_then = says(
        'Ilikuwa mara ya kwanza kwa biashara kulipa hapa.',
        'First payout of the merchant to this destination.',
      )
      await seen.locator('.flag-warn').getByText(first_then, { exact: true }).waitFor()
      const unasked = says('Mtoa huduma hakuwa ameulizwa jina.', 'The provider had not been asked for the name.')
      await seen.getByText(unasked, { exact: true }).waitFor()
      await seen.getByText(says(`${operator.email} alikataa`, `${operator.email} rejected`)).waitFor()
      await visitor.looks('rejected withdrawal')
      await visitor.picture('rejected')

      const waiting = `/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${mine.merchant.id}`
      const markOf = (row: RegExp, text: string) =>
        page
          .getByRole('row')
          .filter({ hasText: row })
          .locator('.chip-warn')
          .getByRole('link', { name: text, exact: true })
      const by_other = says(
        `${operator.email} alikataa utoaji mwingine wa biashara hii chini ya dakika iliyopita`,
        `${operator.email} rejected another withdrawal of this merchant under a minute ago`,
      )
      await visitor.opens(waiting)
      await markOf(/1,900/, by_other).waitFor()
      assert.equal(await markOf(/1,800/, by_other).getAttribute('href'), `/operator/withdrawals/${id}`)
      await visitor.looks('rejection in the list')
      await visitor.picture('rejection-list')
      await visitor.opens(`/withdrawals/${next}`)
      await page.locator('.flag-warn').filter({ hasText: by_other }).getByRole('link').waitFor()
      await page.keyboard.press('r')
      await question(visitor).getByLabel(says('Sababu', 'Reason'), { exact: true }).fill('No such person')
      await page.keyboard.press('Enter')
      await hears(
        visitor,
        'Utoaji mwingine wa biashara hii unaosubiri ambao sasa una tahadhari kuhusu kukataliwa huku: 1.',
        'Other waiting withdrawals of this merchant that now have a warning about this rejection: 1.',
      )
      const rejected_then = says(
        `${operator.email} alikuwa amekataa utoaji mwingine wa biashara hii`,
        `${operator.email} had rejected another withdrawal of this merchant`,
      )
      await seen.locator('.flag-warn').filter({ hasText: rejected_then }).getByRole('link').waitFor()
      await visitor.picture('rejection-notice')
      await visitor.opens(waiting)
      const by_me = says(
        'Umekataa utoaji mwingine wa biashara hii chini ya dakika iliyopita',
        'You rejected another withdrawal of this merchant under a minute ago',
      )
      assert.equal(await markOf(/1,900/, by_me).getAttribute('href'), `/operator/withdrawals/${next}`)
      await markOf(/1,900/, by_me).click()
      await page.locator('.flag-warn').filter({ hasText: by_other }).waitFor()
      await operator.act(last, 'reject')
      await visitor.leave()
    })

  test('if the next read of an open withdrawal fails, the page keeps the withdrawal and offers to try again', async () => {
    const id = await operator.submit(shop, { amount: '1800.00' })
    const visitor = await office.comes(asha, 'operator', { refusals: [503] })
    const { page } = visitor
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.sees('', 'TZS 1,800 to Asha Mwinyi')
    await page.route('**/case', (route) => route.fulfill({ status: 503, json: {} }))
    const again = page.getByRole('button', { name: 'Try again', exact: true })
    await again.waitFor()
    await visitor.sees('', 'TZS 1,800 to Asha Mwinyi')
    await visitor.picture('case-error')
    await removeRoutes(page)
    await again.click()
    await page.locator('.problem').waitFor({ state: 'detached' })
    await operator.act(id, 'reject')
    await visitor.leave()
  })

  test('the page of a withdrawal shows its place among all withdrawals of the list, over several pages', async () => {
    const many = await operator.shop('100000.00')
    for (let i = 0; i < 23; i++) await operator.submit(many, { amount: `${1_000 + i}.00` })
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    const list = `/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${many.merchant.id}`
    const openRow = async (address: string, place: number) => {
      await visitor.opens(address)
      await page.locator('a[data-row-link]').nth(place).click()
    }
    await openRow(list, 3)
    await page.getByText('4 of 23 in the list', { exact: true }).waitFor()
    await openRow(list, 19)
    await page.getByText('20 of 23 in the list', { exact: true }).waitFor()
    await page.keyboard.press('j')
    await page.getByText('21 of 23 in the list', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next', exact: true }).and(page.locator(':enabled')).waitFor()
    await openRow(`${list}&page=2`, 2)
    await page.getByText('23 of 23 in the list', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next', exact: true }).and(page.locator(':disabled')).waitFor()
    await openRow(`${list}&page=2`, 0)
    await page.getByText('21 of 23 in the list', { exact: true }).waitFor()
    for (const { id } of await waitingOf(many)) await operator.act(id, 'reject')
    for (const { id } of await waitingOf(many)) await operator.act(id, 'reject')
    await visitor.leave()
  })

  for (const language of languagesOf(1))
    test(`a SUPER_ADMIN saves reasons, and the dialog of the action offers them by click and by arrow keys (${language})`, async () => {
      const visitor = await office.comes(asha, 'operator', { language })
      const { page, says } = visitor
      await visitor.opens('/reasons')
      await visitor.sees('Sababu zilizohifadhiwa', 'Saved reasons')
      const form = page.locator('section', {
        has: page.getByRole('heading', { name: says('Kukataa utoaji pesa', 'Reject a withdrawal'), exact: true }),
      })
      const own = form.getByLabel(says('Za mfumo huu', 'Saved by this platform'))
      await own.waitFor()
      // The merchant reads the reasons of four actions, and the page and the dialog say that the server translates none.
      const as_written = page.getByText(says('seva haitafsiri', 'the server does not translate it'))
      assert.equal(await as_written.count(), 4)
      await own.fill('One\nOne')
      await form.getByRole('button').click()
      await form.getByText(says('Kuna sababu iliyoandikwa mara mbili.', 'The list contains a reason twice.')).waitFor()
      await own.fill(' The number is new \n\nThe owner does not answer')
      await form.getByRole('button').click()
      await hears(visitor, 'Zimehifadhiwa: Kukataa utoaji pesa.', 'Saved: Reject a withdrawal.')
      await visitor.looks('saved reasons')
      await visitor.picture('saved-reasons')

      const id = await operator.submit(shop, { amount: '1700.00' })
      await visitor.opens(`/withdrawals/${id}`)
      await visitor.sees('TZS 1,700 kwa Asha Mwinyi', 'TZS 1,700 to Asha Mwinyi')
      await page.keyboard.press('r')
      const field = question(visitor).locator('input').first()
      const reasons = question(visitor).getByRole('list', { name: says('Mapendekezo', 'Suggestions') })
      await reasons.getByRole('button').nth(1).waitFor()
      assert.equal(await field.inputValue(), '', 'the console fills in no reason by itself')
      assert.equal(await as_written.count(), 1)
      await field.press('ArrowDown')
      assert.equal(await field.inputValue(), 'The number is new')
      await field.press('ArrowUp')
      assert.equal(await field.inputValue(), 'The owner does not answer')
      await field.press('End')
      await field.pressSequentially(' his phone')
      await field.press('ArrowDown')
      assert.equal(await field.inputValue(), 'The owner does not answer his phone', 'a text of the operator stays')
      await reasons.getByRole('button', { name: 'The number is new' }).click()
      await visitor.looks('reasons of an action')
      await visitor.picture('reasons-of-an-action')
      await field.press('Enter')
      await hears(visitor, 'Umekataliwa', 'Rejected')
      // The head of the page already names the status, so the panel names the reason.
      await page.getByRole('heading', { name: says('Sababu iliyoandikwa', 'Recorded reason'), exact: true }).waitFor()
      assert.equal((await operator.show(id)).status_reason, 'The number is new')
      const url = '/v1/operator/reasons/withdrawal.reject'
      await office.world.call({ method: 'PUT', url, payload: { reasons: [] }, key: await operator.session() })
      await visitor.leave()
    })

  test('the console requires a reason for a rejection, shows the title of its dialog but no button of the keys on a phone, and ignores shortcuts while the operator types', async () => {
    const id = await operator.submit(shop, { amount: '7000.00' })
    const visitor = await office.comes(asha, 'operator')
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.sees('', 'TZS 7,000 to Asha Mwinyi')
    await visitor.page.keyboard.press('?')
    await question(visitor).getByText('No key makes a decision').waitFor()
    const listed = await question(visitor).locator('kbd').allInnerTexts()
    assert.deepEqual(listed.slice(-2), ['/', '?'], 'the keys of each page come last')
    await visitor.press('', 'Switch the keys off')
    assert.deepEqual(await question(visitor).locator('kbd').allInnerTexts(), ['/'], 'the search still has its key')
    await visitor.press('', 'Switch the keys on')
    await visitor.page.keyboard.press('Escape')
    const keys = visitor.page.getByRole('button', { name: 'Keyboard shortcuts (?)' })
    assert.equal(await keys.isVisible(), true)
    const hint = visitor.page.locator('.key-hint')
    assert.equal(await hint.isVisible(), true)
    const touch = await office.comes(asha, 'operator', { options: { hasTouch: true, isMobile: true } })
    await touch.opens(`/withdrawals/${id}`)
    await touch.sees('', 'TZS 7,000 to Asha Mwinyi')
    assert.equal(await touch.page.getByRole('button', { name: 'Keyboard shortcuts (?)' }).isVisible(), false)
    assert.equal(await touch.page.locator('.key-hint').isVisible(), false, 'a touch screen has no keyboard')
    await touch.page.getByRole('button', { name: 'Reject', exact: true }).click()
    await question(touch).getByText('Saved reasons').waitFor()
    assert.equal(await question(touch).locator('.keys-hint').isVisible(), false)
    await touch.leave()
    await visitor.page.setViewportSize(PHONE)
    assert.equal(await keys.isVisible(), false, 'a phone has no keyboard')
    await visitor.picture('no-keys-button')
    await visitor.page.keyboard.press('r')
    await question(visitor).getByText('Saved reasons').waitFor()
    assert.equal(await question(visitor).evaluate((dialog) => dialog.scrollTop), 0, 'the title is visible')
    const reject = question(visitor).getByRole('button', { name: 'Reject TZS 7,000' })
    await assertShown(visitor, reject, 'footer')
    await visitor.page.keyboard.press('Escape')
    await visitor.page.setViewportSize(DESK)
    await visitor.page.keyboard.press('r')
    await question(visitor).getByText('Saved reasons').waitFor()
    await assertShown(visitor, reject, 'footer')
    await visitor.picture('reject')
    await visitor.press('', 'Reject TZS 7,000')
    await question(visitor).getByText('Enter the reason.').waitFor()
    assert.equal(await statusOf(id), 'PENDING_ADMIN_APPROVAL')
    await question(visitor).getByLabel('Reason').pressSequentially('jar <b>of a</b> kind')
    await visitor.press('', 'Reject TZS 7,000')
    await hears(visitor, '', 'Rejected: the server does not pay out TZS 7,000.')
    await visitor.page.locator('.timeline').getByText('jar <b>of a</b> kind').waitFor()
    const { status, status_reason } = await operator.show(id)
    assert.deepEqual([status, status_reason], ['REJECTED', 'jar <b>of a</b> kind'])
    await visitor.opens(`/audit?target_id=${id}`)
    await visitor.page.getByText('TZS 7,000 · M-Pesa (Vodacom) 0754 *** 001').first().waitFor()
    await visitor.picture('audit-amounts')
    await visitor.leave()
  })

  test('when the network fails and the operator cancels the dialog, the console does not send the decision', async () => {
    const id = await operator.submit(shop, { amount: '7700.00' })
    const visitor = await office.comes(asha, 'operator')
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.press('', 'Approve')
    const yes = question(visitor).getByRole('button', { name: 'Approve TZS 7,700' })
    await visitor.fill('', 'Reason for approving', 'Stock')
    await visitor.context.setOffline(true)
    await yes.click()
    await question(visitor).getByRole('alert').getByText('No answer from the server').waitFor()
    await visitor.press('', 'Cancel')
    const read = visitor.page.waitForResponse((reply) => reply.ok() && reply.url().includes(id))
    await visitor.context.setOffline(false)
    await read
    assert.equal(await statusOf(id), 'PENDING_ADMIN_APPROVAL')
    visitor.complaints.splice(0, Infinity, ...visitor.complaints.filter((one) => !one.includes('ERR_')))
    await visitor.leave()
  })

  test('the console shows the earlier decision to an operator who decides later, and the server refuses the later decision', async () => {
    const id = await operator.submit(shop, { amount: '7900.00' })
    const visitor = await office.comes(asha, 'operator', { refusals: [409] })
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.press('', 'Approve')
    await visitor.fill('', 'Reason for approving', 'Stock')
    assert.equal((await operator.act(id, 'reject')).status, 200)
    await visitor.page.setViewportSize(PHONE)
    await visitor.press('', 'Approve TZS 7,900')
    await question(visitor).getByRole('alert').getByText('Not possible now').waitFor()
    await assertShown(visitor, question(visitor).getByRole('alert'), 'body')
    await visitor.page.getByText('Rejected').first().waitFor()
    await question(visitor).getByRole('alert').getByText('REJECTED').waitFor()
    await visitor.press('', 'Cancel')
    assert.equal(await statusOf(id), 'REJECTED')
    await visitor.leave()
  })

  test("the page of a withdrawal shows the operator's question beside the merchant's answer", async () => {
    const id = await operator.submit(shop, { amount: '7500.00' })
    const visitor = await office.comes(asha, 'operator')
    await visitor.opens(`/withdrawals/${id}`)
    await visitor.press('', 'Ask the merchant')
    await question(visitor).getByLabel('Question').fill('What is this for?')
    await visitor.press('', 'Send the question')
    await hears(visitor, '', 'The server has sent the question.')
    const finance = await office.world.newSession([{ role: 'FINANCE', merchant: shop.merchant }])
    const path = `/v1/merchant/withdrawals/${id}/respond?environment=live`
    const answered = await office.world.post(path, { message: 'The rent of the shop' }, { key: finance.token })
    assert.equal(answered.status, 200, answered.text)
    await visitor.opens(`/withdrawals/${id}`)
    const talk = visitor.page.locator('section', { hasText: 'Questions and answers' }).last()
    await talk.getByText('The rent of the shop').waitFor()
    await talk.getByText('What is this for?').waitFor()
    await visitor.leave()
  })

  test('the platform sends a large payout only after a second operator approves, and informs both operators', async () => {
    const id = await operator.submit(shop, { amount: '60000.00' })
    const first = await office.comes(asha, 'operator')
    await first.opens(`/withdrawals/${id}`)
    await first.press('', 'Approve')
    await question(first).getByText('Yours is the first approval').waitFor()
    await first.fill('', 'Reason for approving', 'The invoice is there')
    await first.press('', 'Approve TZS 60,000')
    await hears(first, '', 'and has sent no money: a second operator must approve.')
    await first.page.getByText('You have approved.', { exact: false }).waitFor()
    assert.equal(await first.page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
    assert.equal(await statusOf(id), 'PENDING_ADMIN_APPROVAL')
    await first.leave()

    const second = await office.comes(juma, 'operator')
    await second.opens(`/withdrawals/${id}`)
    await second.page.getByText(`${asha.email} approved`).waitFor()
    await second.page.getByText('Recorded reason: The invoice is there').waitFor()
    await second.press('', 'Approve')
    await second.fill('', 'Reason for approving', 'Called the owner')
    await second.looks('second approval')
    await second.press('', 'Approve TZS 60,000')
    await hears(second, '', 'Approved: the server pays out TZS 60,000 to Asha Mwinyi.')
    assert.match(await statusOf(id), /^(PROCESSING|SUCCESS)$/)
    await second.page.locator('.timeline').getByText('Called the owner').waitFor()
    await second.leave()
  })

  test('an operator approves selected withdrawals after a dry run, which omits a withdrawal that the balance does not cover', async () => {
    const poor = await operator.shop('5000.00')
    const good = await operator.submit(poor, { amount: '4000.00' })
    const short = await operator.submit(poor, { amount: '3900.00' })
    const visitor = await office.comes(juma, 'operator')
    await visitor.opens('/withdrawals?status=PENDING_ADMIN_APPROVAL')
    for (const amount of ['TZS 4,000', 'TZS 3,900'])
      await visitor.page.getByRole('checkbox', { name: `Choose ${amount} to Asha Mwinyi` }).check()
    await hears(visitor, '', 'You chose 2, TZS 7,900 in total')
    await review(visitor)
    await question(visitor).getByText('If you confirm a withdrawal, you can approve it.').waitFor()
    await question(visitor).getByText('The balance is too low').waitFor()
    await visitor.looks('trial run')
    // Without a confirmed withdrawal, Enter in the field of the reason sends nothing.
    assert.equal(await question(visitor).getByRole('button', { name: 'Approve' }).count(), 0)
    await visitor.page.getByLabel('Reason for approving').press('Enter')
    assert.equal(await statusOf(good), 'PENDING_ADMIN_APPROVAL')
    await question(visitor).getByRole('checkbox', { name: 'I have checked this withdrawal: TZS 4,000' }).check()
    await question(visitor).getByText('The server will pay out: 1.').waitFor()
    await visitor.press('', 'Approve 1, TZS 4,000 in total')
    await question(visitor).getByText('Enter the reason.').waitFor()
    assert.equal(await statusOf(good), 'PENDING_ADMIN_APPROVAL')
    await visitor.fill('', 'Reason for approving', 'Checked with the owner')
    await visitor.press('', 'Approve 1, TZS 4,000 in total')
    await question(visitor).getByText('You approved 1. The server pays out now.').waitFor()
    assert.match(await statusOf(good), /^(PROCESSING|SUCCESS)$/)
    assert.equal((await operator.show(good)).history[0].reason, 'Checked with the owner')
    assert.equal(await statusOf(short), 'PENDING_ADMIN_APPROVAL')
    await question(visitor).getByRole('link', { name: 'Processing', exact: true }).waitFor()
    await question(visitor).getByRole('link', { name: 'Paid out', exact: true }).click()
    await question(visitor).waitFor({ state: 'detached' })
    await visitor.page.waitForURL(/status=SUCCESS/)
    assert.match(visitor.page.url(), /environment=live/)
    await visitor.leave()
  })

  test('the console does not let an operator select sandbox and live withdrawals together', async () => {
    const { merchant } = shop
    const ending = '614'
    for (const environment of ['live', 'sandbox'] as const)
      await operator.approve(await operator.submit(shop, { amount: '3000.00', ending, environment }))
    await operator.submit(shop, { amount: '3100.00', ending })
    await operator.submit(shop, { amount: '3200.00', ending, environment: 'sandbox' })
    await operator.submit(shop, { amount: '3300.00', ending })
    const visitor = await office.comes(juma, 'operator')
    const { page } = visitor
    await visitor.opens(`/withdrawals?status=PENDING_ADMIN_APPROVAL&merchant_id=${merchant.id}`)
    const box = (amount: string) => page.getByRole('checkbox', { name: `Choose ${amount} to Asha Mwinyi` })
    await box('TZS 3,200').check()
    await page.getByText('You cannot approve sandbox and live withdrawals together.').waitFor()
    assert.equal(await box('TZS 3,100').isDisabled(), true)
    await box('TZS 3,200').uncheck()
    await box('TZS 3,100').check()
    await page.getByRole('button', { name: /^Choose the \d+ without a warning$/ }).click()
    await page.getByRole('checkbox', { name: 'Choose TZS 3,300 to Asha Mwinyi', checked: true }).waitFor()
    assert.equal(await box('TZS 3,200').isChecked(), false)
    await visitor.press('', 'Clear the selection')
    await visitor.press('', 'Clear filters')
    await page.waitForURL((address) => address.search === '')
    await visitor.leave()
  })

  test('during a pause an operator reads why payouts wait and recalls one payout, and the server sends the other payout after the pause', async () => {
    const { world } = office
    const visitor = await office.comes(asha, 'operator')
    const { page } = visitor
    const pause = async (scope: 'merchant' | 'destination', reason: string) => {
      await visitor.opens('/pauses')
      await visitor.press('', 'Pause payouts')
      await question(visitor).getByLabel('Payouts that wait').selectOption(scope)
      if (scope === 'merchant') await question(visitor).getByLabel('Id of the merchant').fill(shop.merchant.id)
      else await question(visitor).getByLabel('Network or bank').selectOption('MPESA')
      await question(visitor).getByLabel('Reason').fill(reason)
      await question(visitor).getByRole('button', { name: 'Pause payouts' }).click()
    }
    const resume = async (name: RegExp) => {
      await page.getByRole('button', { name }).click()
      await question(visitor).getByLabel('Reason').fill('The owner has the phone again')
      await question(visitor).getByRole('button', { name }).click()
      await hears(visitor, '', 'The pause has ended.')
      await page.getByRole('button', { name }).waitFor({ state: 'detached' })
    }
    await pause('merchant', 'A stolen phone')
    await hears(visitor, '', 'You paused the payouts.')
    const [recalled, sent] = [
      await operator.submit(shop, { amount: '1500.00' }),
      await operator.submit(shop, { amount: '1600.00' }),
    ]
    for (const id of [recalled, sent]) assert.equal((await operator.act(id, 'approve')).status, 200)

    // Sets the payout to the state that a process leaves if it takes the send token before the pause.
    const begin = (state: string, token: string | null, hours: number) =>
      world.rows(
        `update payouts set state = $2, send_token = $3, due_at = due_at + $4 * interval '1 hour' where withdrawal_id = $1`,
        [sent, state, token, hours],
      )
    await begin('sending', null, 1)
    await pause('destination', 'Wrong names')
    await hears(visitor, '', 'Payouts that the server had begun to send before: 1. The provider may have paid them')
    await begin('to_send', randomUUID(), -1)
    const banner = page.getByRole('status').filter({ hasText: 'An operator has paused payouts' })
    await banner.getByText('Wrong names').waitFor()
    await visitor.looks('two pauses')
    await visitor.picture('two-pauses')
    await resume(/^End the pause: One network or bank/)

    await visitor.opens(`/withdrawals/${recalled}`)
    await banner.getByText('A stolen phone').waitFor()
    await page.getByText('An operator has paused payouts: see the history.').waitFor()
    await visitor.picture('waiting-payout')
    await visitor.press('', 'Recall the unsent payout')
    await visitor.press('', 'Recall TZS 1,500')
    await question(visitor).getByText('Enter the reason.').waitFor()
    assert.equal(await statusOf(recalled), 'PROCESSING')
    await question(visitor).getByLabel('Reason').fill('The thief submitted it')
    await visitor.looks('recall')
    await visitor.picture('recall')
    await visitor.press('', 'Recall TZS 1,500')
    await hears(visitor, '', 'Recalled: TZS 1,500 and the fees are back in the balance of the merchant.')
    assert.equal(await statusOf(recalled), 'CANCELLED')
    await page.getByText('The thief submitted it').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Recall the unsent payout' }).count(), 0)

    await visitor.opens('/pauses')
    await resume(/^End the pause: One merchant/)
    await banner.waitFor({ state: 'detached' })
    world.deps.clock.advance(30_000)
    await visitor.opens(`/withdrawals/${sent}`)
    await page.locator('.timeline').getByText('Paid out').first().waitFor()
    assert.equal(await statusOf(sent), 'SUCCESS')
    await visitor.leave()
  })

  test('the console asks for a decision before it credits held money', async () => {
    const body = { amount: '1000.00', phone: '0754123011', reference: 'ORDER-1' }
    const made = await office.world.post('/v1/collections/wallet-push', body, { key: shop.live })
    assert.equal(made.status, 202, made.text)
    const visitor = await office.comes(juma, 'operator')
    await visitor.opens('/collections')
    await visitor.page.getByRole('link', { name: 'TZS 1,100' }).waitFor()
    const alignment = await visitor.page.evaluate<string>(
      "getComputedStyle([...document.querySelectorAll('td')].find((cell) => /^TZS\\s1,100$/.test(cell.innerText))).textAlign",
    )
    assert.match(alignment, /^(right|end)$/)
    await visitor.page.getByRole('link', { name: 'TZS 1,100' }).click()
    await question(visitor).getByText('The merchant requested TZS 1,000, but the provider took TZS 1,100.').waitFor()
    const history = visitor.page.locator('.timeline li', { hasText: 'Under review' })
    await history.getByText('The provider reported: succeeded, TZS 1,100', { exact: true }).waitFor()
    await visitor.looks('held')
    await visitor.press('', 'Confirm')
    await question(visitor).getByText('Choose a decision.').waitFor()
    await question(visitor).getByLabel("Approve: the money is the merchant's").check()
    await question(visitor).getByLabel('Reason').fill('The payer sent the receipt')
    await visitor.press('', 'Approve TZS 1,100')
    await hears(visitor, '', 'Approved: the server added TZS 1,100 to the balance of Duka la Juma.')
    const shown = await office.world.get(`/v1/collections/${made.body.data.collection_id}`, shop.live)
    assert.equal(shown.body.data.status, 'successful')
    // A payment with its final answer waits for nothing, so its page has no such panel.
    await visitor.opens(`/payments/${made.body.data.collection_id}`)
    await visitor.page.getByRole('heading', { name: 'Payment', exact: true }).waitFor()
    assert.equal(await visitor.page.getByRole('heading', { name: 'Waiting for' }).count(), 0)
    const books = visitor.page.locator('section', {
      has: visitor.page.getByRole('heading', { name: "Merchant's books" }),
    })
    await books.getByText('Payment received, under review', { exact: true }).first().waitFor()
    await books.getByText('Money at the provider → Money under review', { exact: true }).first().waitFor()
    await visitor.page
      .getByText(/^Completed · /)
      .first()
      .waitFor()
    const code = books.getByText('collection_held: provider_float → held', { exact: true })
    assert.equal(await code.isVisible(), false, 'the codes are folded')
    await books.getByText('Technical details', { exact: true }).click()
    await code.waitFor()
    await visitor.leave()
  })

  for (const language of languagesOf(0)) {
    test(`the page of a held payment opens the decision while more than 20 other payments wait (${language})`, async () => {
      const { world } = office
      const held: string[] = []
      for (let i = 0; i < 22; i++) {
        const body = { amount: '1000.00', phone: '0754123011', reference: `MANY-${language}-${i}` }
        const made = await world.post('/v1/collections/wallet-push', body, { key: shop.live })
        assert.equal(made.status, 202, made.text)
        held.push(made.body.data.collection_id)
      }
      const visitor = await office.comes(juma, 'operator', { language })
      const { page, says } = visitor
      // The test uses the oldest and the newest payment. In any order, one of the two is not on the first page of the list.
      for (const id of [held[0], held.at(-1)]) {
        await visitor.opens(`/payments/${id}`)
        await page.getByRole('link', { name: says('Fungua na uamue', 'Open and decide') }).click()
        await question(visitor)
          .getByText(`MANY-${language}-${held.indexOf(id as string)}`)
          .first()
          .waitFor()
        await question(visitor).getByRole('radio').first().waitFor()
      }
      await visitor.leave()
    })

    test(`an operator finds a payment whose payer does not answer, and sees the next step of the payment (${language})`, async () => {
      const { world } = office
      const reference = `WAIT-${language}`
      const body = { amount: '4200', phone: '0754123007', reference }
      const made = await world.post('/v1/collections/wallet-push', body, { key: shop.live })
      assert.equal(made.status, 202, made.text)
      const id = made.body.data.collection_id
      const visitor = await office.comes(juma, 'operator', { language })
      const { page } = visitor
      await visitor.opens(`/payments?status=processing&merchant_id=${shop.merchant.id}&reference=${reference}`)
      await visitor.sees('Malipo yote', 'All payments')
      await page.getByText(reference, { exact: true }).first().waitFor()
      await visitor.picture('payments')
      const times = () => page.locator('main time').allInnerTexts()
      assert.match((await times()).join(), /^\d+ \w+ \d{4}, \d\d:\d\d$/, 'a list shows the minute')
      await page.locator(`a[href$="/payments/${id}"]`).first().click()
      await visitor.sees('Malipo ya TZS 4,200', 'Payment of TZS 4,200')
      await page.getByRole('heading', { name: visitor.says('Yanasubiri nini', 'Waiting for') }).waitFor()
      await page.getByText(visitor.says('Mtandao wa kuigiza', 'Simulated network')).first().waitFor()
      await page.getByText('0754 123 007 · M-Pesa', { exact: true }).waitFor()
      for (const time of await times()) assert.match(time, /, \d\d:\d\d:\d\d$/, 'the page of a payment shows seconds')
      await visitor.looks('payment')
      await visitor.picture('payment')
      await visitor.opens('/payments?reference=NOWHERE')
      await visitor.sees('Malipo yote', 'All payments')
      await page
        .getByRole('button', { name: visitor.says('Ondoa vichujio', 'Clear filters') })
        .first()
        .waitFor()
      assert.equal(await page.getByText(reference, { exact: true }).count(), 0)

      await visitor.opens('/payments')
      const search = page.getByLabel(visitor.says('Biashara (jina au namba)', 'Merchant (name or code)'))
      await search.fill(shop.merchant.name)
      await search.press('Enter')
      await page
        .getByRole('group', { name: visitor.says('Chagua biashara', 'Choose a merchant') })
        .getByRole('button')
        .nth(1)
        .waitFor()
      assert.doesNotMatch(page.url(), /merchant_id/, 'several merchants have this name')
      await search.fill(shop.merchant.merchant_code.toLowerCase())
      await search.press('Enter')
      await page.waitForURL(new RegExp(`merchant_id=${shop.merchant.id}`))
      await page.locator('button:focus', { hasText: visitor.says('Biashara zote', 'All merchants') }).waitFor()
      await page.getByText(visitor.says(`Biashara: ${shop.merchant.name}`, `Merchant: ${shop.merchant.name}`)).waitFor()
      await page.keyboard.press('Enter')
      await search.and(page.locator(':focus')).waitFor()
      // If the operator leaves the field before the answer, the answer moves no focus.
      const released = Promise.withResolvers<void>()
      await page.route('**/v1/operator/merchants?**', (route) => released.promise.then(() => route.continue()))
      await search.fill(shop.merchant.merchant_code)
      await search.press('Enter')
      await search.press('Tab')
      released.resolve()
      await page.getByRole('button', { name: shop.merchant.name, exact: true }).waitFor()
      assert.doesNotMatch(page.url(), /merchant_id/)
      await visitor.leave()
    })
  }

  // This test runs last, because it moves the clock of all tests.
  test('if the sign-in is old, the console asks for the password before money moves, and then repeats the action', async () => {
    const id = await operator.submit(shop, { amount: '9000.00', ending: '103' })
    await operator.act(id, 'approve')
    const visitor = await office.comes(asha, 'operator', { refusals: [400, 403] })
    const { page } = visitor
    await visitor.opens(`/withdrawals/${id}`)
    await page.getByText('Being checked with the provider').first().waitFor()
    // The panel of the status and the panel of the payout say the code of the provider in words.
    for (const place of ['strong', 'dd']) await page.locator(place, { hasText: /^The outcome is unclear$/ }).waitFor()
    office.world.deps.clock.advance(11 * 60_000)
    await visitor.press('', 'Resolve the outcome')
    await question(visitor).getByLabel('The provider paid', { exact: true }).check()
    await question(visitor).getByLabel('How do you know?').fill('Seen in the portal of the provider')
    await visitor.press('', 'Confirm: the provider paid TZS 9,000')
    const confirmation = page.locator('dialog[open]', { hasText: 'Confirm that it is you' })
    await confirmation.getByLabel('Your password').fill('not this one')
    await visitor.press('', 'Confirm and continue')
    await confirmation.getByText('The password is not right. Enter it again.').waitFor()
    await visitor.looks('confirmation')
    await visitor.picture('confirmation')
    // Without the confirmation, the server moves no money, and the dialog keeps the typed text.
    await confirmation.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Confirm that it is you first').first().waitFor()
    assert.equal(await statusOf(id), 'NEEDS_RECONCILIATION')
    await visitor.press('', 'Confirm: the provider paid TZS 9,000')
    await confirmation.getByLabel('Your password').fill(asha.password)
    await visitor.press('', 'Confirm and continue')
    await hears(visitor, '', 'Closed as paid: TZS 9,000 has left the balance.')
    assert.equal(await statusOf(id), 'SUCCESS')
    await visitor.leave()
  })
})
