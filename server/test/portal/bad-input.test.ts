// Tests pasted text in each form of the dashboard. The form reads the text correctly, or refuses it at the field in plain
// words.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { languagesOf } from './languages.ts'
import { type Office, openOffice, type Visitor } from './office.ts'

let office: Office
before(async () => {
  office = await openOffice()
})
after(() => office?.close())

const LONG = 'N'.repeat(500)
const LONGER = 'd'.repeat(1_500)
/** A name in Arabic, and a name with an emoji. The dashboard accepts both. */
const ARABIC = 'محمد علي'
const EMOJI = 'Mama Neema 🍅'

/** A text that a form refuses, and the refusal at the field. */
type WrongText = { pasted: string; refusal: [sw: string, en: string] }
/** A field of a form: its label, its first wrong text, and further wrong texts that the reader pastes later. */
type WrongField = WrongText & { label: [sw: string, en: string]; later?: WrongText[] }

const tooLong = (max: number, length: number): [string, string] => [
  `Andika herufi zisizozidi ${max}. Umeandika ${length}.`,
  `Enter at most ${max} characters. You entered ${length}.`,
]
const AMOUNT: [string, string] = ['Andika kiasi kama 25000', 'Enter an amount such as 25000']
const ZERO: [string, string] = ['Andika kiasi kinachozidi sifuri.', 'Enter an amount greater than zero.']
const LARGE: [string, string] = ['tarakimu zisizozidi 12 kabla ya nukta', 'at most 12 digits before the point']
const PHONE: [string, string] = ['Andika namba ya simu kama', 'Enter a phone number such as']
const URL: [string, string] = [
  'Andika anwani kamili inayoanza na https://',
  'Enter a whole address that begins with https://',
]

const FORMS: { path: string; open?: [string, string]; send: [string, string]; fields: WrongField[] }[] = [
  {
    path: '/sandbox/links/new',
    open: ['Zaidi: simu', 'More: phone'],
    send: ['Tengeneza kiungo', 'Create a link'],
    fields: [
      {
        label: ['Kiasi', 'Amount'],
        pasted: '٢٥٠٠٠',
        refusal: AMOUNT,
        later: [
          { pasted: '0', refusal: ZERO },
          { pasted: '99999999999999', refusal: LARGE },
        ],
      },
      { label: ['Maelezo', 'Description'], pasted: LONGER, refusal: tooLong(1_000, 1_500) },
      { label: ['Jina la mteja', 'Name of the customer'], pasted: LONG, refusal: tooLong(200, 500) },
      { label: ['Simu ya mteja', 'Phone of the customer'], pasted: '0754 ABC 456', refusal: PHONE },
      { label: ['Namba yako ya kumbukumbu', 'Your reference'], pasted: LONG, refusal: tooLong(100, 500) },
    ],
  },
  {
    path: '/sandbox/invoices/new',
    send: ['Hifadhi rasimu', 'Save the draft'],
    fields: [
      { label: ['Jina la mteja', 'Name of the customer'], pasted: LONG, refusal: tooLong(200, 500) },
      { label: ['Simu ya mteja', 'Phone of the customer'], pasted: 'piga 0754', refusal: PHONE },
      {
        label: ['Idadi', 'Quantity'],
        pasted: '1,5',
        refusal: ['Tumia nukta kwa desimali.', 'Use a point for decimals.'],
      },
      {
        label: ['Bei ya kimoja', 'Unit price'],
        pasted: 'elfu kumi',
        refusal: ['Andika bei kama 12500', 'Enter a price such as'],
      },
      { label: ['Ujumbe kwa mteja', 'Note to the customer'], pasted: LONGER, refusal: tooLong(1_000, 1_500) },
    ],
  },
  {
    path: '/sandbox/withdrawals/new',
    send: ['Angalia makato', 'See the fees'],
    fields: [
      { label: ['Namba ya simu ya mpokeaji', "Recipient's phone number"], pasted: '0754 12x 456', refusal: PHONE },
      { label: ['Jina la mpokeaji', "Recipient's name"], pasted: LONG, refusal: tooLong(200, 500) },
      { label: ['Kiasi cha kumtumia mpokeaji', 'Amount that the recipient gets'], pasted: '25,00', refusal: AMOUNT },
      { label: ['Namba yako ya kumbukumbu', 'Your reference'], pasted: LONG, refusal: tooLong(100, 500) },
    ],
  },
  {
    path: '/sandbox/members',
    send: ['Tuma mwaliko', 'Send the invitation'],
    fields: [
      {
        label: ['Barua pepe', 'E-mail'],
        pasted: 'neema at example',
        refusal: ['Andika anwani kama', 'Enter an address such as'],
        later: [
          { pasted: '\u202ee@b.example', refusal: ['Kuna herufi zisizoonekana', 'The text has invisible characters'] },
        ],
      },
      { label: ['Jina', 'Name'], pasted: LONG, refusal: tooLong(200, 500) },
    ],
  },
  {
    path: '/live/addresses',
    send: ['Omba idhini', 'Ask for approval'],
    fields: [{ label: ['Jina', 'Name'], pasted: LONG, refusal: tooLong(100, 500) }],
  },
  {
    path: '/sandbox/webhooks',
    send: ['Hifadhi', 'Save'],
    fields: [{ label: ['Anwani ya seva yako', 'Address of your server'], pasted: `javascript:${LONG}`, refusal: URL }],
  },
  {
    path: '/sandbox/profile',
    send: ['Hifadhi', 'Save'],
    fields: [
      {
        label: ['Simu ya huduma kwa wateja', 'Support phone'],
        pasted: 'tupigie',
        refusal: ['Andika tarakimu 3', 'Enter 3 to 19 digits'],
      },
      { label: ['Mahali pa biashara', 'Address of the business'], pasted: LONG, refusal: tooLong(160, 500) },
    ],
  },
]

async function refusesEach(visitor: Visitor, form: (typeof FORMS)[number]): Promise<void> {
  const { page, says } = visitor
  await visitor.opens(form.path)
  const field = ({ label: [sw, en] }: WrongField) => page.getByLabel(new RegExp(`^${says(sw, en)}`)).last()
  await field(form.fields[0] as WrongField)
    .or(page.getByText(says(...(form.open ?? ['-', '-']))))
    .first()
    .waitFor()
  if (form.open) await page.getByText(says(...form.open)).click()
  for (const one of form.fields) await field(one).fill(one.pasted)
  await visitor.press(...form.send)
  for (const one of form.fields) {
    const found = field(one)
    await page.locator(`[id="${await found.getAttribute('id')}"][aria-invalid="true"]`).waitFor()
    await page
      .getByText(says(...one.refusal))
      .first()
      .waitFor()
    assert.equal(await found.inputValue(), one.pasted, `${form.path}: the form keeps what the reader pasted`)
  }
  await visitor.looks(`${form.path}, refused`)
  for (const one of form.fields)
    for (const { pasted, refusal } of one.later ?? []) {
      await field(one).fill(pasted)
      await visitor.press(...form.send)
      await page
        .getByText(says(...refusal))
        .first()
        .waitFor()
    }
}

for (const language of languagesOf(1)) {
  test(`each listed form refuses pasted nonsense at its field, and cuts no text silently (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    const visitor = await office.comes(await office.newPerson('MERCHANT_ADMIN', merchant), 'dashboard', {
      language,
      // If a business has no webhook, the API answers 404 about its webhook settings.
      refusals: [404],
    })
    for (const form of FORMS) await refusesEach(visitor, form)
    const written = await office.world.rows('select 1 from payment_links where merchant_id = $1', [merchant.id])
    assert.equal(written.length, 0)
    await visitor.leave()
  })
}

for (const language of languagesOf(0)) {
  test(`a link takes an amount with TZS, an Arabic name and an emoji, and its page shows the emoji and refuses a phone with letters (${language})`, async () => {
    const merchant = await office.world.newMerchant()
    const visitor = await office.comes(await office.newPerson('FINANCE', merchant), 'dashboard', {
      language,
      refusals: [400, 422],
    })
    const { page, says } = visitor
    for (const amount of [' TZS 25 000 ', '25,000 TZS', '25,000/=', 'Tsh.25000']) {
      await visitor.opens('/sandbox/links/new')
      await page.getByLabel(new RegExp(`^${says('Kiasi', 'Amount')}`)).fill(amount)
      await page.getByLabel(new RegExp(`^${says('Maelezo', 'Description')}`)).fill(EMOJI)
      await page.getByLabel(new RegExp(`^${says('Jina la mteja', 'Name of the customer')}`)).fill(ARABIC)
      await visitor.press('Tengeneza kiungo', 'Create a link')
      await visitor.sees('Kiungo cha TZS 25,000', 'Link for TZS 25,000')
    }
    await visitor.looks('link with an Arabic name')
    const rows = await office.world.rows<{ slug: string; customer_name: string; description: string }>(
      'select slug, customer_name, description from payment_links where merchant_id = $1',
      [merchant.id],
    )
    assert.equal(rows.length, 4)
    assert.deepEqual([rows[0]?.customer_name, rows[0]?.description], [ARABIC, EMOJI])
    await page.goto(`${office.url}/pay/${rows[0]?.slug}?lang=${language}`)
    await page.getByText(EMOJI).first().waitFor()
    await page.getByLabel(says('Namba ya simu itakayolipa', 'Phone number that will pay')).fill('0754 ABC 456')
    await page
      .getByRole('button', { name: /TZS.25,000/ })
      .first()
      .click()
    await page.getByText(says('Namba ina herufi', 'The number has a letter')).first().waitFor()
    assert.equal((await office.world.rows('select 1 from collections where merchant_id = $1', [merchant.id])).length, 0)
    await visitor.looks('payment page, refused')
    await visitor.leave()
  })
}
