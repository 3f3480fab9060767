// Tests payers from the link to the receipt: a real browser on the real server, in both languages, with and without scripts.
// WAYS=all runs every journey in each language, both with and without scripts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import type { Locator } from 'playwright-core'
import { createKey } from '../../src/access/api-keys/index.ts'
import { createMerchant } from '../../src/access/merchants/index.ts'
import { SCOPES } from '../../src/kernel/http/index.ts'
import { readPdf } from '../read-pdf.ts'
import { readQr } from '../read-qr.ts'
import { openStreet, PAID, type Payer, REVERSED, type Street } from './payer.ts'
import { isTried, nameOf, WAYS } from './ways.ts'

let street: Street
before(async () => {
  street = await openStreet()
})
after(() => street?.close())

const AT_ONCE = { concurrency: 3 }

const paidText = ['Malipo yamefanikiwa', 'Payment successful'] as const
const failedText = ['Malipo hayakufanikiwa', 'Payment did not succeed'] as const
const phoneText = ['Angalia simu yako', 'Check your phone'] as const
const reviewText = ['Malipo yako yanakaguliwa', 'Your payment is under review'] as const
const checkText = ['Nimeshalipa, angalia hali', 'I have paid, check status'] as const
const goneText = ['Malipo yamerudishwa', 'The payment came back'] as const
const alreadyText = ['Tayari imelipwa', 'Already paid'] as const
const busyText = ['Kuna malipo yanayoendelea', 'A payment is in progress'] as const
const otherText = ['Tumia njia au namba nyingine', 'Use another way or number'] as const
const payeeText = ['Malipo kwa Duka la Asha', 'Payment to Duka la Asha'] as const

for (const way of WAYS) {
  const { language, script } = way
  const comes = (more: object = {}) => street.comes({ language, script, ...more })

  let place = 0
  const journey = (promise: string, go: () => Promise<void>) => {
    if (isTried(way, place++)) test(promise, go)
  }

  describe(nameOf(way), AT_ONCE, () => {
    journey('a payer follows the link of an invoice, enters the phone, pays, and gets receipt and PDF', async () => {
      // The invoice is in the other language, so that the page must make the title of the invoice again.
      const { link, number } = await street.newInvoice(language === 'sw' ? 'en' : 'sw')
      const title = language === 'sw' ? `Ankara ${number}` : `Invoice ${number}`
      const payer = await comes()
      await payer.page.goto(link.url)
      await payer.sees(...payeeText)
      await payer.page.getByRole('link', { name: title, exact: true }).waitFor()
      await payer.payBy(street.phone('001'))
      await payer.sees(...paidText)
      assert.match(payer.page.url(), new RegExp(`/pay/${link.slug}/c/[0-9a-f-]+\\?lang=${language}$`))
      await payer.press('Fungua risiti', 'Open the receipt')
      await payer.sees('Risiti ya malipo', 'Payment receipt')
      const shown = await payer.page.locator('main').innerText()
      assert.match(shown, /TZS\s25,000/)
      assert.match(shown, /0754 \*\*\* 001/)
      assert.ok(shown.includes(title), shown)
      const [paper] = await Promise.all([download(payer), payer.press('Pakua PDF', 'Download PDF')])
      const words = readPdf(paper).pages.flatMap(({ texts }) => texts.map(({ text }) => text))
      for (const part of ['TZS 25,000', title])
        assert.ok(words.join(' ').replaceAll('\u00a0', ' ').includes(part), words.join(' '))
      await payer.leave()
    })

    journey('a failure page states the reason, and its button leads to a successful payment', async () => {
      const payer = await comes()
      for (const [ending, sw, en, ...way] of [
        ['002', /PIN\) si sahihi\. Hakuna pesa/, /PIN was wrong\. No money/, ...otherText],
        ['003', /Salio halitoshi/, /balance is not enough/, 'Tumia namba nyingine', 'Use another number'],
        ['004', /Umeghairi malipo\. Hakuna pesa/, /You cancelled the payment\. No money/, ...otherText],
        ['005', /umekataa malipo haya/, /declined this payment/, 'Tumia njia nyingine', 'Use another way'],
        ['006', /Muda wa kuthibitisha umeisha/, /time to confirm has run out/, ...otherText],
        ['013', /haipatikani kwa sasa/, /unavailable at the moment/, 'Tumia njia nyingine', 'Use another way'],
      ] as const) {
        await payer.page.goto((await street.newLink()).url)
        await payer.payBy(street.phone(ending))
        await payer.sees(...failedText)
        assert.match(await payer.page.locator('main').innerText(), language === 'sw' ? sw : en)
        if (ending === '002') {
          const first = payer.collection()
          await payer.press('Jaribu tena kwa simu 0754 *** 002', 'Try again with 0754 *** 002')
          await payer.page.waitForURL((url) => /\/c\//.test(url.pathname) && !url.pathname.includes(first))
          await payer.sees(...failedText)
        }
        await payer.press(way[0], way[1])
        await payer.sees(...payeeText)
        await payer.payBy(street.phone('001'))
        await payer.sees(...paidText)
      }
      await payer.leave()
    })

    journey('the page shows a late result by itself with scripts, and by its button without scripts', async () => {
      const link = await street.newLink()
      const payer = await comes()
      await payer.page.goto(link.url)
      await payer.payBy(street.phone('007'))
      await payer.sees(...phoneText)
      assert.equal(await payer.page.locator('#countdown').isVisible(), script)
      // While the request is open, the page of the link refuses another payment.
      assert.equal(await payer.page.getByRole('link', { name: payer.says('Tumia njia', 'Use another way') }).count(), 0)
      const latest = payer.page.getByText(payer.says('subiri hadi', 'wait until'))
      assert.match(await latest.innerText(), /\d\d:\d\d \(EAT\)/)
      if (!script) await payer.press(...checkText)
      await payer.sees(...phoneText)
      await street.answers(payer.collection(), PAID)
      await payer.wait(5)
      if (!script) await payer.press(...checkText)
      await payer.sees(...paidText)
      await payer.leave()
    })

    journey("a payer confirms a wallet payment in the wallet's own app", async () => {
      const link = await street.newLink()
      const payer = await comes()
      await payer.page.goto(link.url)
      const pin = payer.page.getByText(payer.says('kisha anathibitisha kwa PIN', 'then confirms with the PIN'))
      await pin.waitFor()
      await payer.page.locator('input[value=PROVIDER_PESA]').check()
      await payer.page
        .getByText(payer.says('kisha anathibitisha ndani ya programu', 'then confirms in the app'))
        .waitFor()
      await pin.waitFor({ state: 'hidden' })
      await payer.page.locator('#networks').waitFor({ state: 'hidden' })
      await payer.payBy(street.phone('007'))
      const { wallet_name } = street.world.deps.config
      await payer.sees(`Fungua programu ya ${wallet_name}`, `Open the ${wallet_name} app`)
      await street.answers(payer.collection(), PAID)
      await payer.wait(5)
      if (!script) await payer.press(...checkText)
      await payer.sees(...paidText)
      assert.ok((await payer.page.locator('main').innerText()).includes(wallet_name))
      await payer.leave()
    })

    journey('the page shows the number of a QR, and the saved picture contains the payload to scan', async () => {
      const link = await street.newLink()
      const payer = await comes()
      await payer.page.goto(link.url)
      await payer.press('Onyesha QR', 'Show the QR')
      await payer.sees('Skani QR kulipa', 'Scan the QR to pay')
      const [attempt] = await street.world.rows<{ payment_token: string; qr_payload: string }>(
        'select payment_token, qr_payload from collection_attempts where collection_id = $1',
        [payer.collection()],
      )
      assert.ok((await payer.page.locator('.token').innerText()).includes(attempt?.payment_token ?? 'no token'))
      const [picture] = await Promise.all([download(payer), payer.press('Hifadhi picha ya QR', 'Save the QR picture')])
      assert.equal(readQr(modulesOf(picture)).toString(), attempt?.qr_payload)
      await street.answers(payer.collection(), PAID)
      await payer.wait(5)
      if (!script) await payer.press(...checkText)
      await payer.sees(...paidText)
      await payer.leave()
    })

    journey('the page shows that a payment is under review, and asks the payer not to pay again', async () => {
      const payer = await comes()
      for (const ending of ['014', '011']) {
        const link = await street.newLink()
        await payer.page.goto(link.url)
        await payer.payBy(street.phone(ending))
        await payer.sees(...reviewText)
        assert.match(
          await payer.page.locator('main').innerText(),
          language === 'sw' ? /Usilipe tena/ : /Do not pay again/,
        )
        await payer.page.goto(link.url)
        await payer.sees(...reviewText)
      }
      await payer.leave()
    })

    journey('the page, the receipt and the link show a returned payment as returned', async () => {
      const link = await street.newLink()
      const payer = await comes()
      await payer.page.goto(link.url)
      await payer.payBy(street.phone('001'))
      await payer.sees(...paidText)
      await street.answers(payer.collection(), REVERSED)
      await payer.page.reload()
      await payer.sees(...goneText)
      await payer.press('Fungua risiti', 'Open the receipt')
      assert.equal(await payer.page.locator('.stamp').innerText(), payer.says('Yamerudishwa', 'Returned'))
      await payer.page.goto(link.url)
      await payer.sees(...goneText)
      await payer.leave()
    })

    journey(
      'a second visitor sees that a payment is in progress, then that the link is paid, and never the phone of the payer',
      async () => {
        const link = await street.newLink()
        const [payer, other] = await Promise.all([comes(), comes()])
        await payer.page.goto(link.url)
        const phone = street.phone('007')
        await payer.payBy(phone)
        await payer.sees(...phoneText)
        const hidesPhone = async () => {
          const html = await other.page.content()
          for (const whole of [phone, phone.slice(1), `${phone.slice(0, 4)} ${phone.slice(4, 7)}`])
            assert.ok(!html.includes(whole), whole)
        }
        await other.page.goto(link.url)
        await other.sees(...busyText)
        await hidesPhone()
        await street.answers(payer.collection(), PAID)
        await other.wait(5)
        if (!script) await other.press('Angalia tena', 'Check again')
        await other.sees(...alreadyText)
        await hidesPhone()
        await payer.leave()
        await other.leave()
      },
    )

    journey(
      'a cancelled link shows an explanation without a form, and an unknown link shows that no such page exists',
      async () => {
        const link = await street.newLink()
        const cancelled = await street.world.post(`/v1/payment-links/${link.id}/cancel`, {})
        assert.equal(cancelled.status, 200, cancelled.text)
        const payer = await comes({ refusals: [404] })
        await payer.page.goto(link.url)
        await payer.sees('Kiungo hiki kimesitishwa', 'This link is cancelled')
        assert.equal(await payer.page.locator('form').count(), 0)
        for (const path of [`/pay/${link.slug}x`, `/pay/${link.slug}/c/none`, `/pay/none/c/none/receipt`]) {
          const answer = await payer.page.goto(`${street.url}${path}`)
          assert.equal(answer?.status(), 404)
          await payer.sees('Hatukupata ukurasa huu', 'We cannot find this page')
        }
        await payer.leave()
      },
    )

    journey('the page reports an invalid number in its title, and keeps the number for correction', async () => {
      const link = await street.newLink()
      const payer = await comes({ refusals: [422] })
      await payer.page.goto(link.url)
      await payer.payBy('12345')
      await payer.page.getByText(payer.says('Namba ni fupi', 'The number is too short')).waitFor()
      assert.equal(
        await payer.page.title(),
        `${payer.says('Kosa: Lipa', 'Problem: Pay')} TZS\u00a025,000 - Duka la Asha`,
      )
      assert.equal(await payer.page.locator('#phone').inputValue(), '12345')
      await payer.payBy(street.phone('001'))
      await payer.sees(...paidText)
      await payer.leave()
    })

    journey(
      'after too many prompts to one phone, the page refuses another prompt and shows the time of the next',
      async () => {
        const phone = street.phone('002')
        const payer = await comes({ refusals: [429] })
        for (let i = 0; i <= street.world.deps.config.prompts_per_phone; i += 1) {
          await payer.page.goto((await street.newLink()).url)
          await payer.payBy(phone)
          await payer.page.locator('h1[autofocus]').waitFor()
        }
        await payer.sees('Umejaribu mara nyingi mno', 'Too many tries')
        assert.match(await payer.page.locator('main').innerText(), /5 Jan 2026, 12:10 \(EAT\)/)
        await payer.press('Rudi kwenye malipo', 'Back to the payment')
        await payer.payBy(street.phone('001'))
        await payer.sees(...paidText)
        await payer.leave()
      },
    )

    journey(
      'the pages of a simulated payment have the mark of a test, and a button of the form chooses the outcome',
      async () => {
        const link = await street.newLink()
        const payer = await comes()
        await payer.page.goto(link.url)
        const strip = payer.says('Majaribio: hakuna pesa halisi', 'Test: no real money moves')
        await payer.page.locator('.test', { hasText: strip }).waitFor()
        await payer.page.locator('summary').first().click()
        await payer.page.locator('.outcomes button', { hasText: '008' }).click()
        await payer.sees(...paidText)
        await payer.page.locator('.test', { hasText: strip }).waitFor()
        await payer.leave()
      },
    )

    journey('a hosted page leads the payer back to the shop with the reference, also without a payment', async () => {
      const back = `${street.url}/docs`
      const page = await street.newPage({ reference: 'A 1/ä', redirect_url: `${back}?a=1`, cancel_url: back })
      const payer = await comes()
      await payer.page.goto(page.url)
      const out = payer.page.getByRole('link', {
        name: payer.says('Ghairi na urudi kwa Duka la Asha', 'Cancel and go back to Duka la Asha'),
      })
      assert.deepEqual(await queryOf(payer, out), { reference: 'A 1/ä', collection_id: page.id, status: 'cancelled' })
      await payer.payBy(street.phone('001'))
      await payer.sees(...paidText)
      const home = payer.page.locator('#back')
      const expected = { a: '1', reference: 'A 1/ä', collection_id: page.id, status: 'successful' }
      assert.deepEqual(await queryOf(payer, home), expected)
      assert.equal(await payer.page.locator('#leaving').isVisible(), script)
      if (script) {
        const gone = payer.page.waitForRequest((request) => request.url().startsWith(back))
        await payer.wait(6)
        assert.deepEqual(Object.fromEntries(new URL((await gone).url()).searchParams), expected)
        await payer.close()
      } else await payer.leave()
    })
  })
}

test('a payer chooses the language on a link that names no language, and the forms keep the language until the receipt', async () => {
  for (const script of [true, false]) {
    const payer = await street.comes({ script })
    await payer.page.goto((await street.newLink()).url)
    await payer.press('English', 'English')
    await payer.page.locator('#phone').fill(street.phone('001'))
    await payer.press('Pay TZS 25,000', '')
    await payer.press('Open the receipt', '')
    await payer.page.getByRole('heading', { level: 1, name: 'Payment receipt' }).waitFor()
    await payer.press('Kiswahili', '')
    await payer.sees('Risiti ya malipo', '')
    await payer.leave()
  }
})

test("the pages of a payment and the receipt show HTML in a merchant's texts as plain text", async () => {
  const attack = '<script>document.title="taken"</script>"><img src=x onerror=alert(1)>'
  const names = [attack, 'متجر عائشة \u202eekaf', '👩🏾‍🍳 Mgahawa 🍛', `${'Duka '.repeat(30)}mwisho`]
  const long = `${'maelezo '.repeat(120)}<b>${'x'.repeat(20)}`
  for (const [i, name] of names.entries()) {
    const merchant = await createMerchant(street.world.deps, { name, approved: true })
    const key = { merchant_id: merchant.id, environment: 'sandbox', scopes: Object.keys(SCOPES), name: 'Test' } as const
    const { plaintext_key } = await createKey(street.world.deps, key)
    const texts = { description: i === 0 ? attack : long, reference: `'"><i>\u202e${i}` }
    const link = await street.newLink(texts, plaintext_key)
    const payer = await street.comes({ language: 'en' })
    await payer.page.goto(link.url)
    await payer.page.locator('#phone').waitFor()
    await payer.looks(`choose ${i}`)
    await payer.payBy(street.phone('007'))
    await payer.page.locator('#clock').waitFor()
    await payer.looks(`waiting ${i}`)
    await street.answers(payer.collection(), PAID)
    await payer.wait(5)
    await payer.page.getByRole('link', { name: 'Open the receipt' }).waitFor()
    await payer.looks(`success ${i}`)
    await payer.page.getByRole('link', { name: 'Open the receipt' }).click()
    await payer.page.locator('.paper').waitFor()
    await payer.looks(`receipt ${i}`)
    assert.notEqual(await payer.page.title(), 'taken')
    const shown = await payer.page.locator('main').innerText()
    if (i === 0) assert.ok(shown.includes(attack), shown)
    assert.ok(shown.includes(`'"><i>`), shown)
    assert.equal(await payer.page.locator('main img, main i, main b:has-text("xxxx"), main script').count(), 0)
    const [paper] = await Promise.all([download(payer), payer.page.getByRole('link', { name: 'Download PDF' }).click()])
    assert.ok(readPdf(paper).pages.length > 0)
    await payer.leave()
  }
})

/** Waits for the next file that the browser saves, and returns its content. */
async function download(payer: Payer): Promise<Buffer> {
  const saved = await payer.page.waitForEvent('download')
  return readFileSync(await saved.path())
}

/** Returns the parameters that a link adds to the address. */
async function queryOf(payer: Payer, link: Locator): Promise<Record<string, string>> {
  const href = (await link.getAttribute('href')) ?? ''
  return Object.fromEntries(new URL(href, payer.page.url()).searchParams)
}

/**
 * Returns the modules of a QR code in the PNG: eight pixels per module, one bit per pixel, with a margin of four white modules.
 */
function modulesOf(png: Buffer): boolean[][] {
  const width = png.readUInt32BE(16)
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const lines = inflateSync(Buffer.concat(parts))
  const bytes = Math.ceil(width / 8)
  const size = width / 8
  const white = (x: number, y: number) => ((lines[(y * 8 + 4) * (bytes + 1) + 1 + x] ?? 0) & 0b1000) !== 0
  const rows = Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => !white(x, y)))
  return rows.slice(4, -4).map((row) => row.slice(4, -4))
}
