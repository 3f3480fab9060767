// Tests the documentation in a real browser, with and without scripts, and the sandbox calls that a developer sends from a
// page.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContextOptions } from 'playwright-core'
import { openPage, type WatchedPage } from '../browser.ts'
import { callInPage, violations } from '../pay-page/page-checks.ts'
import { type Office, openOffice } from './office.ts'

let office: Office
before(async () => {
  office = await openOffice()
})
after(() => office.close())

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 800 }

async function reads(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const reader = await openPage(office.browser, { viewport: DESK, ...options })
  await reader.page.goto(`${office.url}${path}`)
  return reader
}

async function leaves({ complaints, close }: WatchedPage): Promise<void> {
  assert.deepEqual(complaints, [])
  await close()
}

const PAGES = [
  '/docs',
  '/docs/quickstart',
  '/docs/kuanza',
  '/docs/errors',
  '/docs/webhooks',
  '/docs/reconciliation',
  '/docs/api/collections',
  '/docs/api/createWalletPush',
  '/docs/api/getStatement',
  '/docs/events/collection.success',
  '/docs/sdk-typescript',
  '/docs/search?q=webhook',
  '/docs?lang=sw',
  '/docs/quickstart?lang=sw',
]

/** The browser runs this text, which returns each pair of parts of the header with less than 3 pixels between them. */
const OVERLAPS = `(() => {
  const parts = [...document.querySelectorAll('.docs-menu, .docs-brand a, .docs-links > *')].filter((one) => one.offsetParent)
  const boxes = parts.map((one) => ({ text: one.textContent, ...one.getBoundingClientRect().toJSON() }))
  return boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b) =>
    a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom ? [a.text + ' and ' + b.text] : []))
})()`

for (const colorScheme of ['light', 'dark'] as const)
  test(`each listed page is accessible and fits each tested width in ${colorScheme} colours`, async () => {
    const reader = await reads('/docs', { colorScheme })
    for (const path of PAGES) {
      await reader.page.goto(`${office.url}${path}`)
      for (const viewport of [PHONE, DESK]) {
        await reader.page.setViewportSize(viewport)
        assert.deepEqual(await violations(reader.page), [], `${path} at ${viewport.width}`)
      }
      for (const width of [320, 360, 768, 1000, 1280]) {
        await reader.page.setViewportSize({ width, height: 740 })
        assert.equal(await callInPage(reader.page, 'overflow'), 0, `${path} at ${width} pixels`)
        assert.deepEqual(await reader.page.evaluate<string[]>(OVERLAPS), [], `${path} at ${width} pixels`)
      }
    }
    await leaves(reader)
  })

test('the layout shift of a page that loads stays below 0.02, on phones and on a desktop', async () => {
  for (const width of [360, 412, 1280]) {
    const { page, close } = await openPage(office.browser, { viewport: { width, height: 740 } })
    // The browser runs this text before the page: it adds up how far visible parts move.
    await page.addInitScript(`window.shift = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shift += value
      }).observe({ type: 'layout-shift', buffered: true })`)
    for (const path of ['/docs/quickstart', '/docs/quickstart?lang=sw', '/docs/api/createWalletPush']) {
      await page.goto(`${office.url}${path}`)
      await page.locator('.docs-theme:visible').waitFor()
      // The browser reports a shift with the next picture.
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 50)))')
      assert.ok((await page.evaluate<number>('window.shift')) < 0.02, `${path} at ${width} pixels`)
    }
    await close()
  }
})

test('the button that copies an example covers no code in a narrow or a wide window', async () => {
  const reader = await reads('/docs/api/createWalletPush')
  for (const path of ['/docs/api/createWalletPush', '/docs/quickstart', '/docs/webhooks']) {
    await reader.page.goto(`${office.url}${path}`)
    for (const width of [320, 360, 768, 1280]) {
      await reader.page.setViewportSize({ width, height: 740 })
      // The browser runs this text.
      const covered = `[...document.querySelectorAll('.code')].flatMap((block) => {
        const button = block.querySelector('.copy')?.getBoundingClientRect()
        const shown = [...block.querySelectorAll('pre')].filter((pre) => pre.offsetParent !== null)
        if (shown.length === 0) return []
        if (!button) return ['no button']
        const boxes = shown.map((pre) => pre.getBoundingClientRect())
        return boxes.filter((box) => box.top < button.bottom && button.top < box.bottom).map(() => shown[0].textContent.slice(0, 40))
      })`
      assert.deepEqual(await reader.page.evaluate<string[]>(covered), [], `${path} at ${width} pixels`)
    }
  }
  await leaves(reader)
})

test('without scripts a reader opens the menu, changes the language of an example and searches', async () => {
  const reader = await reads('/docs/api/createWalletPush', { viewport: PHONE, javaScriptEnabled: false })
  const { page } = reader
  assert.equal(await page.getByRole('link', { name: 'Invoices' }).first().isVisible(), false)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page
    .getByRole('navigation', { name: 'Documentation pages' })
    .getByRole('link', { name: 'Quickstart', exact: true })
    .waitFor()
  await page.keyboard.press('Escape')
  const php = page.getByText('$malipo->collections->createWalletPush')
  assert.equal(await php.isVisible(), false)
  await page.locator('.tabs > label').getByText('PHP').first().click()
  assert.equal(await php.isVisible(), true)
  // With the arrow keys, a reader moves between the radio buttons.
  await page.keyboard.press('ArrowRight')
  assert.equal(await page.getByText('malipo.collections.create_wallet_push').isVisible(), true)
  assert.equal(await page.getByRole('heading', { name: 'Try it' }).count(), 0)
  await page.getByRole('searchbox').fill('rotate secret')
  await page.getByRole('searchbox').press('Enter')
  await page.getByRole('link', { name: 'Webhooks › Rotate a secret' }).click()
  await page.waitForURL(({ pathname }) => pathname === '/docs/webhooks')
  await reader.close()
})

test('with scripts the search shows hits while the reader types, and the colours and the language of examples stay chosen', async () => {
  const reader = await reads('/docs/quickstart')
  const { page } = reader
  await page.keyboard.press('/')
  await page.keyboard.type('magic num')
  const first = page.locator('.docs-instant a').first()
  await first.waitFor()
  assert.deepEqual(await violations(page), [])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\/sandbox/)
  await page.getByRole('button', { name: 'Change between light and dark' }).click()
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  await page.goto(`${office.url}/docs/quickstart`)
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  assert.deepEqual(await violations(page), [])
  await page.locator('.tabs > label').getByText('Python').first().click()
  const shown = await page
    .locator('.panel[data-lang="python"]')
    .evaluateAll((panels) => panels.map((one) => one.checkVisibility()))
  assert.ok(shown.length > 3 && shown.every(Boolean), 'every example of the page shows Python')
  await page.goto(`${office.url}/docs/api/getBalance`)
  assert.equal(await page.locator('.panel[data-lang="python"]').isVisible(), true)
  await leaves(reader)
})

test('a reader copies an example and a whole page as Markdown', async () => {
  const reader = await reads('/docs/api/getBalance', { permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = reader
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.locator('.tabs > label').getByText('PHP').first().click()
  await page.getByRole('button', { name: 'Copy', exact: true }).first().click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.match(await copied(), /^<\?php\nrequire 'vendor\/autoload\.php';\n[\s\S]*\$malipo->balance->get\(\)/)
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  // The first button soon says "Copy" again, so the test waits for this button.
  await page.locator('[data-copy-page]', { hasText: /^Copied$/ }).waitFor()
  assert.match(await copied(), /^# Show the balance\n\n`GET \/v1\/balance`\n/)
  await leaves(reader)
})

test('a printed page shows each example in every programming language, and neither navigation nor buttons', async () => {
  const reader = await reads('/docs/api/createWalletPush')
  await reader.page.emulateMedia({ media: 'print' })
  for (const part of ['.docs-top', '.docs-nav', '.docs-tools', '.docs-contents', '.copy', '.docs-neighbours'])
    assert.equal(await reader.page.locator(part).first().isVisible(), false, part)
  for (const lang of ['bash', 'ts', 'php', 'python'])
    assert.equal(await reader.page.locator(`.panel[data-lang="${lang}"]`).isVisible(), true, lang)
  await leaves(reader)
})

test('a reader sends a call of the sandbox from its page, and the page refuses a live key and stores no key', async () => {
  const { sandbox_key, live_key } = office.world
  const reader = await reads('/docs/api/createWalletPush')
  const { page } = reader
  let sent = 0
  page.on('request', (request) => {
    if (request.url().includes('/v1/')) sent += 1
  })
  const field = page.getByLabel('Sandbox key')
  const send = page.getByRole('button', { name: 'Send' })
  await field.fill(live_key)
  await send.click()
  await page.getByText('This is a live key').waitFor()
  await field.fill('something')
  await send.click()
  await page.getByRole('alert').getByText('Use a sandbox key.').waitFor()
  await field.fill(sandbox_key)
  await page.getByRole('textbox', { name: 'Body' }).fill('{"amount": ')
  await send.click()
  await page.getByText('The body is no valid JSON').waitFor()
  assert.equal(sent, 0)
  await page
    .getByRole('textbox', { name: 'Body' })
    .fill('{"amount": "1500.00", "phone": "0754123001", "reference": "TRY-1"}')
  await send.click()
  await page.getByText(/^202 in \d+ ms · x-request-id: /).waitFor()
  assert.match(await page.locator('.docs-answer code').innerText(), /"status": "processing"/)
  assert.deepEqual(await violations(page), [])
  assert.equal((await office.world.get('/v1/collections?reference=TRY-1')).body.data.items.length, 1)
  const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  assert.ok(!String(stored).includes(sandbox_key))
  await page.goto(`${office.url}/docs/api/getBalance`)
  await page.goBack()
  assert.equal(await page.getByLabel('Sandbox key').inputValue(), '')
  await leaves(reader)
})

test('a reader who has signed in to the dashboard sees the id of their payment and the beginning of their sandbox key', async () => {
  const { world } = office
  const made = await world.post('/v1/collections/wallet-push', { amount: '2000.00', phone: '0754123001' })
  const { collection_id } = made.body.data
  const visitor = await office.comes(await office.newPerson('DEVELOPER'), 'dashboard', { language: 'en' })
  await visitor.opens('/sandbox/keys')
  await visitor.sees('Funguo za API', 'API keys')
  await visitor.page.goto(`${office.url}/docs/api/getCollection`)
  await visitor.page.getByText('SANDBOX_KEY is your key that begins with').waitFor()
  const text = await visitor.page.locator('article').innerText()
  const prefix = /begins with (\S+)\./.exec(text)?.[1] ?? ''
  assert.ok(prefix.length > 8 && world.sandbox_key.startsWith(prefix), prefix)
  assert.ok(text.includes(`/v1/collections/${collection_id}`), text)
  assert.ok(!(await visitor.page.content()).includes(world.sandbox_key))
  await visitor.leave()
})
