// Tests the screens in a real browser: in both languages, with and without the script, light and dark, narrow and enlarged.
// WAYS=all opens the screens in each language, both with and without the script.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { payScript } from '../../src/apps/pay-page/index.ts'
import { LANGUAGES } from '../../src/kernel/lib/index.ts'
import { closePages, launchBrowser, openPage } from '../browser.ts'
import { callInPage, measure, violations } from './page-checks.ts'
import { type ScreenSite, startScreens } from './screen-server.ts'
import { screens } from './screens.ts'
import { isTried, nameOf, WAYS } from './ways.ts'

let browser: Browser
let site: ScreenSite
before(async () => {
  browser = await launchBrowser()
  site = await startScreens()
})
after(async () => {
  if (browser) await closePages(browser)
  await site?.close()
})

const NAMES = Object.keys(screens('sw'))

/**
 * The axe rule that pages without the script break. Such a page announces its refresh and has a button to refresh, so the
 * refresh disturbs no reader.
 */
const REFRESHES = 'meta-refresh'

/**
 * The screens that the browser opens. The screens of failure reasons differ only in their texts, so the browser opens two of
 * them. For the same reason, the browser opens one of the screens of a refused number.
 */
const TESTED_PAGES = NAMES.filter((name) => !/^failed-(?!timeout|wrong_pin)|^choose-refused-(?!prefix)/.test(name))

/** The number of pages that a test opens at the same time. The test mostly waits, so several pages do not slow it down. */
const AT_ONCE = 6

const PHONE = { viewport: { width: 360, height: 640 } }

/** Every tested page, and three pages as a mock installation shows the pages. */
const VISITS = [
  ...TESTED_PAGES.map((name) => [name, false] as const),
  ...['choose', 'waiting-push', 'receipt'].map((name) => [name, true] as const),
]

for (const way of WAYS) {
  const { language, script } = way
  const visits = VISITS.filter((_, place) => isTried(way, place))

  test(`axe finds no accessibility problem on the visited pages (${nameOf(way)})`, async () => {
    // axe is a script, so this browser runs scripts. For the ways without scripts, the browser requests the `unscripted` form
    // of the pages.
    const opened = await openPage(browser, { ...PHONE, colorScheme: script ? 'light' : 'dark' })
    for (const [name, as_test] of visits) {
      await opened.page.goto(site.address(name, language, { as_test, unscripted: !script }))
      await callInPage(opened.page, 'openAll')
      assert.deepEqual(await violations(opened.page, script ? [] : [REFRESHES]), [], name)
    }
    assert.deepEqual(opened.complaints, [])
    await opened.close()
  })

  test(`each visited page fits a narrow window and an enlarged window, breaks no word, and its touch targets are at least 44 pixels (${nameOf(way)})`, async () => {
    const opened = await openPage(browser, { ...PHONE, javaScriptEnabled: script })
    for (const [name, as_test] of visits) {
      await opened.page.goto(site.address(name, language, { as_test }))
      await measure(opened.page, name)
      // A phone of 360 pixels shows 180 pixels at 200% zoom.
      await opened.page.setViewportSize({ width: 180, height: 320 })
      await callInPage(opened.page, 'openAll')
      assert.equal(await callInPage(opened.page, 'overflow'), 0, `${name} at 180 pixels`)
      assert.deepEqual(await callInPage(opened.page, 'brokenWords'), [], `${name} at 180 pixels`)
      await opened.page.setViewportSize(PHONE.viewport)
    }
    assert.deepEqual(opened.complaints, [])
    await opened.close()
  })
}

test('a payer with a small phone sees the pay button without scrolling', async () => {
  const opened = await openPage(browser, PHONE)
  for (const language of LANGUAGES) {
    for (const name of ['choose', 'choose-saved', ...NAMES.filter((one) => /^choose-(?:empty|refused)/.test(one))]) {
      for (const as_test of [false, true]) {
        await opened.page.goto(site.address(name, language, { as_test }))
        const box = await opened.page.locator('button.first').boundingBox()
        assert.ok(box !== null && box.y + box.height <= PHONE.viewport.height, `${language} ${name}: ${box?.y}`)
      }
    }
  }
  await opened.close()
})

test('a developer with a small phone sees the buttons of the simulation without scrolling', async () => {
  const opened = await openPage(browser, PHONE)
  for (const language of LANGUAGES) {
    for (const name of ['waiting-push', 'waiting-wallet', 'slow']) {
      await opened.page.goto(site.address(name, language, { as_test: true }))
      const box = await opened.page.locator('button[value="failed"]').boundingBox()
      assert.ok(box !== null && box.y + box.height <= PHONE.viewport.height, `${language} ${name}: ${box?.y}`)
    }
  }
  await opened.close()
})

test('on a dark page, a way to pay that is not chosen is an empty circle with the border of a field', async () => {
  const opened = await openPage(browser, { ...PHONE, colorScheme: 'dark' })
  await opened.page.goto(site.address('choose', 'en'))
  const look = await opened.page.evaluate<string[]>(`(() => {
    const { backgroundColor, borderTopColor, borderTopLeftRadius } = getComputedStyle(document.querySelector('.choice input:not(:checked)'))
    return [backgroundColor, borderTopColor, borderTopLeftRadius]
  })()`)
  assert.deepEqual(look, ['rgb(24, 32, 40)', 'rgb(135, 149, 163)', '50%'])
  await opened.close()
})

test('the page marks the network of the typed number, and warns about a number of another network', async () => {
  const opened = await openPage(browser, PHONE)
  await opened.page.goto(site.address('choose', 'en'))
  const phone = opened.page.getByLabel('Phone number that will pay')
  const marked = opened.page.locator('.marks .on')
  const warning = opened.page.getByText('does not look like one of these networks')
  await phone.pressSequentially('0754')
  assert.deepEqual(await marked.allTextContents(), ['M-Pesa'])
  await phone.fill('+255 68 4123456')
  assert.deepEqual(await marked.allTextContents(), ['Airtel'])
  assert.equal(await warning.isVisible(), false)
  await phone.fill('0774 123 456')
  assert.deepEqual(await marked.allTextContents(), [])
  assert.equal(await warning.isVisible(), true)
  await phone.fill('0774')
  assert.equal(await warning.isVisible(), false)
  await opened.close()
})

test('the Tab key reaches every control of each tested page, in reading order', async () => {
  const opened = await openPage(browser, PHONE)
  for (const name of TESTED_PAGES) {
    await opened.page.goto(site.address(name, 'sw', { as_test: true }))
    await callInPage(opened.page, 'openAll')
    const stop_count = await callInPage<number>(opened.page, 'numberStops')
    const reached: string[] = []
    for (let i = 0; i < stop_count; i += 1) {
      await opened.page.keyboard.press('Tab')
      const { stop, seen } = await callInPage<{ stop: string; seen: boolean }>(opened.page, 'stop')
      assert.ok(seen, `${name}: the focus on ${stop} is invisible`)
      reached.push(stop)
    }
    assert.deepEqual(
      reached,
      Array.from({ length: stop_count }, (_, i) => String(i)),
      name,
    )
  }
  await opened.close()
})

test('a page moves the focus to its new message, with and without the script', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const opened = await openPage(browser, { javaScriptEnabled })
    for (const [name, focused] of [
      ['choose', 'BODY'],
      ['choose-wrong', 'DIV'],
      ['choose-empty', 'INPUT'],
      ['waiting-push', 'H1'],
      ['success-here', 'H1'],
      ['failed-timeout', 'H1'],
    ] as const) {
      await opened.page.goto(site.address(name, 'sw'))
      // Without the script, the browser moves the focus in the next frame.
      if (focused !== 'BODY') await opened.page.locator(`${focused}:focus`).waitFor()
      assert.equal(await callInPage(opened.page, 'focused'), focused, name)
    }
    await opened.close()
  }
})

test('the sentence under the check button keeps its distance from the button, with and without the script', async () => {
  const distances: number[] = []
  for (const javaScriptEnabled of [true, false]) {
    const opened = await openPage(browser, { ...PHONE, javaScriptEnabled })
    await opened.page.goto(site.address('waiting-push', 'en'))
    const button = await opened.page.getByRole('link', { name: 'I have paid, check status' }).boundingBox()
    const text = await opened.page.locator(javaScriptEnabled ? '#moves-on' : 'noscript p').boundingBox()
    assert.ok(button !== null && text !== null)
    distances.push(Math.round(text.y - button.y - button.height))
    await opened.close()
  }
  assert.deepEqual(distances, [14, 14])
})

test('with forced colours, buttons and fields keep their borders, and the signs of the states stay visible', async () => {
  const opened = await openPage(browser, { forcedColors: 'active', viewport: { width: 360, height: 640 } })
  for (const name of TESTED_PAGES) {
    await opened.page.goto(site.address(name, 'sw'))
    assert.deepEqual(await callInPage(opened.page, 'withoutEdge'), [], name)
    assert.equal(await callInPage(opened.page, 'unseenSigns'), 0, name)
  }
  assert.deepEqual(opened.complaints, [])
  await opened.close()
})

test('the first view of a page makes two requests to the server, of at most 14 KB together', async () => {
  const remaining = [...TESTED_PAGES]
  // The test mostly waits for further requests, so the test opens several pages at the same time.
  const look = async () => {
    for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) await firstView(name)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, look))
})

async function firstView(name: string): Promise<void> {
  const opened = await openPage(browser)
  const answers: { url: string; size: Promise<number> }[] = []
  opened.page.on('response', (response) =>
    answers.push({
      url: response.url(),
      size: response
        .request()
        .sizes()
        .then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
    }),
  )
  await opened.page.goto(site.address(name, 'sw'), { waitUntil: 'networkidle' })
  const urls = answers.map(({ url }) => url)
  assert.deepEqual(urls, [site.address(name, 'sw'), `${site.url}${payScript().path}`], name)
  const bytes = (await Promise.all(answers.map(({ size }) => size))).reduce((sum, size) => sum + size, 0)
  assert.ok(bytes <= 14 * 1024, `${name}: ${bytes} bytes`)
  await opened.close()
}

test('a narrow window shows payment by phone first, and a wide window shows the QR code first', async () => {
  const order = async (width: number) => {
    const opened = await openPage(browser, { viewport: { width, height: 640 } })
    await opened.page.goto(site.address('choose', 'sw'))
    const ways = await callInPage(opened.page, 'ways')
    await opened.close()
    return ways
  }
  assert.deepEqual(await order(360), ['way brief', 'way scan brief'])
  assert.deepEqual(await order(1280), ['way scan brief', 'way brief'])
})

test('on a phone, the card of payment by phone has the same space above its first field as below its last text', async () => {
  for (const language of LANGUAGES) {
    const opened = await openPage(browser, { viewport: { width: 360, height: 640 } })
    await opened.page.goto(site.address('choose', language))
    const way = opened.page.locator('.way.brief:not(.scan)')
    const boxOf = async (part: typeof way) => (await part.boundingBox()) ?? assert.fail('no box')
    const first = await boxOf(way.locator('.choice').first())
    const last = await boxOf(way.locator('p:visible').last())
    const card = await boxOf(way)
    const space = [first.y - card.y, card.y + card.height - last.y - last.height].map(Math.round)
    assert.deepEqual(space, [space[1], space[1]], language)
    await opened.close()
  }
})

test('the list of problems has the same space above its heading as below its last line', async () => {
  const opened = await openPage(browser, { viewport: { width: 360, height: 640 } })
  for (const language of LANGUAGES) {
    await opened.page.goto(site.address('choose-wrong', language))
    const space = await opened.page.evaluate<[number, number]>(`(() => {
      const list = document.querySelector('.problems')
      const box = list.getBoundingClientRect()
      const lines = [...list.querySelectorAll('a')].at(-1).firstChild
      const text = document.createRange()
      text.selectNodeContents(lines)
      return [list.querySelector('h2').getBoundingClientRect().top - box.top, box.bottom - text.getBoundingClientRect().bottom]
    })()`)
    assert.ok(Math.abs(space[0] - space[1]) <= 4, `${language}: ${space}`)
  }
  await opened.close()
})

test('a receipt fits one page of 58 mm till paper and one page of A4, and no text is cut', async () => {
  const pages = (pdf: Buffer) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length
  for (const language of LANGUAGES) {
    const opened = await openPage(browser)
    await opened.page.goto(site.address('receipt', language))
    assert.equal(pages(await opened.page.pdf({ format: 'A4' })), 1, `A4 ${language}`)
    assert.equal(pages(await opened.page.pdf({ width: '58mm', height: '200mm' })), 1, `58 mm ${language}`)
    await opened.page.emulateMedia({ media: 'print' })
    // A till prints on 48 of the 58 mm of its paper.
    await opened.page.setViewportSize({ width: 181, height: 800 })
    assert.equal(await callInPage(opened.page, 'overflow'), 0)
    assert.equal(await opened.page.locator('.actions').isVisible(), false)
    await opened.close()
  }
})

test('the QR code stays black on white when the page is dark', async () => {
  const opened = await openPage(browser, { colorScheme: 'dark' })
  await opened.page.goto(site.address('qr', 'en'))
  assert.deepEqual(await callInPage(opened.page, 'fills'), ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
  assert.equal(await opened.page.locator('.code svg').getAttribute('aria-label'), 'QR to pay TZS 25,000')
  await opened.close()
})
