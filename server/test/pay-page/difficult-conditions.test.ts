// Tests payments under difficult conditions: slow and lost networks, hidden pages, closed tabs, double taps, old links. A real
// browser uses the real server, whose clock the test moves. WAYS=all runs each test in every language, with and without
// scripts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import { HELD, openStreet, PAID, type Payer, type PayPage, type Street, type Way } from './payer.ts'
import { isTried, nameOf, type PageWay, WAYS } from './ways.ts'

let street: Street
before(async () => {
  street = await openStreet()
})
after(() => street?.close())

const payeeText = ['Malipo kwa Duka la Asha', 'Payment to Duka la Asha'] as const
const phoneText = ['Angalia simu yako', 'Check your phone'] as const
const slowText = ['Bado tunasubiri majibu', 'Still waiting for an answer'] as const
const paidText = ['Malipo yamefanikiwa', 'Payment successful'] as const
const alreadyText = ['Tayari imelipwa', 'Already paid'] as const
const busyText = ['Kuna malipo yanayoendelea', 'A payment is in progress'] as const
const checkText = ['Nimeshalipa, angalia hali', 'I have paid, check status'] as const

/** Opens the page of a payer who has received a prompt. */
async function waiting(way: Way = {}): Promise<{ payer: Payer; link: PayPage }> {
  const link = await street.newLink()
  const payer = await street.comes(way)
  await payer.page.goto(link.url)
  await payer.payBy(street.phone('007'))
  await payer.sees(...phoneText)
  return { payer, link }
}

/** Moves the clocks of the server and of the page. */
async function pass(payer: Payer, seconds: number): Promise<void> {
  street.world.deps.clock.advance(seconds * 1000)
  await payer.wait(seconds)
}

/** Returns the number of payment attempts on a page. */
async function attemptsOf({ slug }: PayPage): Promise<number> {
  const [row] = await street.world.rows<{ attempts: number }>(
    `select count(*)::int as attempts from collection_attempts a
     join collections c on c.merchant_id = a.merchant_id and c.id = a.collection_id
     join payment_links l on l.merchant_id = c.merchant_id and l.id = c.payment_link_id where l.slug = $1`,
    [slug],
  )
  return row?.attempts ?? 0
}

/** Scenarios by test name. `isTried` selects the languages and the script setting of each scenario. */
const DAYS: Record<string, (way: PageWay) => Promise<void>> = {
  'at the deadline, the page does not show a payment without a result as failed, and later shows the result': async (
    way,
  ) => {
    const { script } = way
    const { payer } = await waiting(way)
    await pass(payer, street.world.deps.config.push_lifetime_s + 5)
    if (!script) await payer.press(...checkText)
    await payer.sees(...slowText)
    const words = await payer.page.locator('main').innerText()
    assert.match(words, way.language === 'sw' ? /usilipe tena/ : /do not pay again/)
    await street.answers(payer.collection(), PAID)
    await payer.wait(20)
    if (!script) await payer.press(...checkText)
    await payer.sees(...paidText)
    await payer.leave()
  },

  'a payer whose first prompt has expired requests another, and sees that the link is paid when the first prompt takes money':
    async (way) => {
      const { script } = way
      const { payer, link } = await waiting(way)
      const first = payer.collection()
      await pass(payer, street.world.deps.config.push_lifetime_s + 5)
      if (!script) await payer.press(...checkText)
      await payer.sees(...slowText)
      await payer.press('Tuma tena', 'Send again')
      await payer.sees(...phoneText)
      assert.notEqual(payer.collection(), first)
      assert.equal(await attemptsOf(link), 2)
      // The payer approved the first prompt late, so the payer must not approve the second prompt.
      await street.answers(first, PAID)
      await payer.wait(5)
      if (!script) await payer.press(...checkText)
      await payer.sees(...alreadyText)
      await payer.leave()
    },

  'the page of an expired link states the expiry, has no form, and makes no attempt': async (way) => {
    const now = street.world.deps.clock.now().getTime()
    const link = await street.newLink({ expires_at: new Date(now + 60_000).toISOString() })
    const payer = await street.comes(way)
    await payer.page.goto(link.url)
    await payer.sees(...payeeText)
    await pass(payer, 61)
    // If the payer opened a page before the link expired, the page shows the same text.
    await payer.payBy(street.phone('001'))
    await payer.sees('Muda wa kiungo hiki umeisha', 'This link has expired')
    assert.equal(await payer.page.locator('form').count(), 0)
    assert.equal(await attemptsOf(link), 0)
    await payer.leave()
  },

  'a reload and the back button show the current status at every step, and send nothing': async (way) => {
    const { payer, link } = await waiting(way)
    const { page } = payer
    await page.reload()
    await payer.sees(...phoneText)
    await page.goBack()
    await page.reload()
    await payer.sees(...busyText)
    await page.goForward()
    await payer.sees(...phoneText)
    await street.answers(payer.collection(), PAID)
    await page.reload()
    await payer.sees(...paidText)
    await page.goBack()
    await page.reload()
    await payer.sees(...alreadyText)
    await page.goForward()
    await payer.press('Fungua risiti', 'Open the receipt')
    await page.reload()
    await payer.sees('Risiti ya malipo', 'Payment receipt')
    assert.equal(await attemptsOf(link), 1)
    await payer.leave()
  },

  "a form from the browser's history shows the current status of the payment": async (way) => {
    const link = await street.newLink()
    const payer = await street.comes(way)
    await payer.page.goto(link.url)
    await payer.payBy(street.phone('002'))
    await payer.sees('Malipo hayakufanikiwa', 'Payment did not succeed')
    const hint = payer.says('Namba inayoishia na 001 hulipa kila mara.', 'A number that ends in 001 always pays.')
    await payer.page.getByText(hint).waitFor()
    await payer.page.goBack()
    await payer.sees(...payeeText)
    await payer.payBy(street.phone('001'))
    await payer.sees(...paidText)
    await payer.page.goBack()
    const form = payer.page.locator('#phone')
    // Some browsers keep the form, and other browsers load the form again. In both cases the server sends no second prompt.
    if (await form.isVisible()) await payer.payBy(street.phone('001'))
    await payer.sees(...alreadyText)
    assert.equal(await attemptsOf(link), 2)
    await payer.leave()
  },

  'two fast taps make one attempt': async (way) => {
    const link = await street.newLink()
    const payer = await street.comes(way)
    await payer.page.goto(link.url)
    await payer.page.locator('#phone').fill(street.phone('007'))
    const name = payer.says('Lipa TZS 25,000', 'Pay TZS 25,000')
    await payer.page.getByRole('button', { name, exact: true }).dblclick()
    await payer.sees(...phoneText)
    assert.equal(await attemptsOf(link), 1)
    await payer.leave()
  },

  'a payer pays from the link to the receipt with the keyboard alone': async (way) => {
    const link = await street.newLink()
    const payer = await street.comes(way)
    const { page } = payer
    await page.goto(link.url)
    await tabTo(page, page.locator('#phone'))
    await page.keyboard.type(street.phone('007'))
    await page.keyboard.press('Enter')
    await payer.sees(...phoneText)
    await street.answers(payer.collection(), PAID)
    await tabTo(page, page.getByRole('link', { name: payer.says(...checkText), exact: true }))
    await page.keyboard.press('Enter')
    await payer.sees(...paidText)
    await tabTo(page, page.getByRole('link', { name: payer.says('Fungua risiti', 'Open the receipt') }))
    await page.keyboard.press('Enter')
    await payer.sees('Risiti ya malipo', 'Payment receipt')
    await payer.leave()
  },

  'a whole payment fits a narrow window at double pixel density': async (way) => {
    const link = await street.newLink()
    const options = { viewport: { width: 320, height: 256 }, deviceScaleFactor: 2 }
    const payer = await street.comes({ ...way, options })
    await payer.page.goto(link.url)
    await payer.payBy(street.phone('001'))
    await payer.press('Fungua risiti', 'Open the receipt')
    await payer.page.locator('.paper').waitFor()
    await payer.leave()
  },
}

for (const way of WAYS) {
  for (const [place, [name, scenario]] of Object.entries(DAYS).entries()) {
    if (isTried(way, place)) test(`${name} (${nameOf(way)})`, () => scenario(way))
  }
}

for (const language of ['sw', 'en'] as const) {
  test(`after a payer types a valid number, the page hides the refusal of the earlier number (${language})`, async () => {
    const link = await street.newLink()
    const payer = await street.comes({ language, refusals: [422] })
    const { page } = payer
    await page.goto(link.url)
    await payer.payBy('0754 ABC 123')
    const problem = page.locator('#phone-problem')
    await problem.waitFor()
    await page.locator('#phone').fill('0754 12')
    assert.equal(await problem.isVisible(), true, 'an incomplete number keeps the refusal')
    await page.locator('#phone').fill('0754 123 001')
    await problem.waitFor({ state: 'hidden' })
    assert.equal(await page.locator('#phone').getAttribute('aria-invalid'), null)
    await payer.leave()
  })
}

test('the page of a link shows that an earlier attempt is under review although a later attempt failed', async () => {
  const { payer, link } = await waiting({ language: 'en' })
  const first = payer.collection()
  await pass(payer, street.world.deps.config.push_lifetime_s + 5)
  await payer.sees(...slowText)
  await payer.press('', 'Use another way or number')
  await payer.payBy(street.phone('002'))
  await payer.sees('', 'Payment did not succeed')
  await payer.page.goto(link.url)
  await payer.page.getByText('There is a payment on this link that has no answer yet.').waitFor()
  await street.answers(first, HELD)
  await payer.page.goto(link.url)
  await payer.sees('', 'Your payment is under review')
  await payer.leave()
})

test('a payer who comes back from the prompt immediately sees that the payment succeeded', async () => {
  const { payer } = await waiting()
  await payer.page.evaluate('cover(true)')
  await street.answers(payer.collection(), PAID)
  await payer.wait(60)
  await payer.page.getByRole('heading', { name: phoneText[0] }).waitFor()
  await payer.page.evaluate('cover(false)')
  await payer.sees(...paidText)
  await payer.leave()
})

test("without a network every tap keeps the page, and a payment continues after the payer's network returns", async () => {
  const link = await street.newLink()
  const payer = await street.comes({ language: 'en' })
  await payer.page.goto(link.url)
  await payer.context.setOffline(true)
  await payer.payBy(street.phone('007'))
  await payer.page.locator('#offline', { hasText: 'we sent no request' }).waitFor()
  await payer.press('', 'Show the QR')
  assert.equal(await attemptsOf(link), 0)
  await payer.context.setOffline(false)
  await payer.page.locator('#offline').waitFor({ state: 'hidden' })
  await payer.press('', 'Pay TZS 25,000')
  await payer.sees(...phoneText)
  await payer.context.setOffline(true)
  await payer.page.locator('#offline').waitFor()
  await payer.press('', 'I have paid, check status')
  const notice = payer.page.locator('#offline')
  await notice.getByText('Your payment continues.').waitFor()
  for (const outcome of ['paid', 'failed']) {
    await payer.press('', `Simulate: ${outcome}`)
    await notice.getByText('this page did not send your tap').waitFor()
    assert.equal(await payer.page.getByRole('button', { name: `Simulate: ${outcome}` }).isEnabled(), true)
  }
  await street.answers(payer.collection(), PAID)
  // A browser logs an error for each request that it cannot send. This page sends no request without a network.
  await payer.page.clock.runFor(60_000)
  await payer.page.getByRole('heading', { name: phoneText[1] }).waitFor()
  await payer.context.setOffline(false)
  await payer.sees(...paidText)
  assert.equal(await attemptsOf(link), 1)
  const refused = await street.newLink()
  await payer.page.goto(refused.url)
  await payer.payBy(street.phone('002'))
  for (const tap of ['Try again with 0754 *** 002', 'Use another way or number']) {
    await payer.sees('', 'Payment did not succeed')
    await payer.context.setOffline(true)
    await payer.press('', tap)
    await payer.page.locator('#offline', { hasText: 'When the connection is back, press again.' }).waitFor()
    await payer.context.setOffline(false)
    await payer.page.locator('#offline').waitFor({ state: 'hidden' })
  }
  assert.equal(await attemptsOf(refused), 1)
  await payer.page.goto((await street.newLink()).url)
  await payer.payBy(street.phone('007'))
  await payer.sees(...phoneText)
  await payer.context.setOffline(true)
  await payer.press('', 'Simulate: failed')
  await notice.getByText('this page did not send your tap').waitFor()
  await payer.context.setOffline(false)
  await notice.waitFor({ state: 'hidden' })
  await payer.press('', 'Simulate: failed')
  await payer.sees('', 'Payment did not succeed')
  await payer.leave()
})

test('if the payer closes the tab, the link shows the open payment, and later that the payer has paid', async () => {
  for (const script of [true, false]) {
    const { payer, link } = await waiting({ script })
    const collection_id = payer.collection()
    await payer.page.close()
    const page = await payer.context.newPage()
    await page.goto(link.url)
    await page.getByRole('heading', { name: busyText[0] }).waitFor()
    await street.answers(collection_id, PAID)
    await page.reload()
    await page.getByRole('heading', { name: alreadyText[0] }).waitFor()
    await page.goto(`${link.url}/c/${collection_id}`)
    await page.getByRole('heading', { name: paidText[0] }).waitFor()
    assert.equal(await attemptsOf(link), 1)
    await payer.leave()
  }
})

test('the first view of a page makes two requests of at most 14 KB together, and a whole payment costs at most 40 KB', async () => {
  const payer = await street.comes()
  const count = meter(payer.page)
  const link = await street.newLink({ description: 'Viatu vya ngozi, jozi mbili', reference: 'ORDER-2026-000123' })
  await payer.page.goto(link.url, { waitUntil: 'networkidle' })
  const first = await count()
  assert.equal(first.requests, 2)
  assert.ok(first.bytes > 0 && first.bytes <= 14 * 1024, `${first.bytes} bytes at first`)
  await payer.payBy(street.phone('007'))
  await payer.sees(...phoneText)
  await payer.wait(15)
  await street.answers(payer.collection(), PAID)
  await payer.wait(10)
  await payer.sees(...paidText)
  await payer.press('Fungua risiti', 'Open the receipt')
  await payer.page.waitForLoadState('networkidle')
  const all = await count()
  assert.ok(all.requests > 5 && all.bytes <= 40 * 1024, `${all.bytes} bytes in all`)
  await payer.leave()
})

test('two minutes of waiting cost the payer at most 30 KB, including all polls', async () => {
  const { payer } = await waiting()
  const count = meter(payer.page)
  await payer.page.reload()
  for (let i = 0; i < 120; i += 1) {
    await payer.page.clock.runFor(1000)
    // The response to a poll arrives between two seconds of the page's clock.
    await payer.page.evaluate(`fetch('/healthz')`)
    await count()
  }
  const { bytes, requests } = await count()
  assert.ok(requests > 10, `${requests} requests`)
  assert.ok(bytes <= 30 * 1024, `${bytes} bytes`)
  await payer.leave()
})

async function sizeOf(request: Request): Promise<number> {
  await request.response()
  const size = await request.sizes()
  return size.requestHeadersSize + size.requestBodySize + size.responseHeadersSize + size.responseBodySize
}

/** Presses Tab until this element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let i = 0; i < 30; i += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((one: { matches(selector: string): boolean }) => one.matches(':focus'))) return
  }
  assert.fail(`the keyboard does not reach ${target}`)
}

/**
 * Counts the requests of the page from now on, and their bytes in both directions, without /healthz, which only the test
 * requests. The returned function waits for the responses to all these requests.
 */
function meter(page: Page): () => Promise<{ requests: number; bytes: number }> {
  const sizes: Promise<number | null>[] = []
  page.on('request', (request) => {
    // A request that the page aborts has no size.
    if (!request.url().endsWith('/healthz')) sizes.push(sizeOf(request).catch(() => null))
  })
  return async () => {
    const all = (await Promise.all(sizes)).filter((size) => size !== null)
    return { requests: all.length, bytes: all.reduce((sum, size) => sum + size, 0) }
  }
}
