// Tests that documents and e-mails to customers show the merchant's logo until its removal, and the merchant's contact and colour.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { invoicesOf, slugOf } from '../../../test/invoices.ts'
import { readPdf } from '../../../test/read-pdf.ts'
import { sampleLogo } from '../../../test/sample-logo.ts'
import { type MailServer, startMailServer } from '../../../test/smtp.ts'

let world: World
let mail: MailServer
before(async () => {
  mail = await startMailServer()
  world = await createWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${mail.port}`, MAIL_FROM: 'pay@example.tz' } })
})
after(async () => {
  await world.close()
  await mail.close()
})

const IMAGE = /\/Subtype \/Image/

test("a merchant's logo is in the documents and the e-mail until its removal, and the documents have contact and colour", async () => {
  const key = world.live_key
  const admin = (await world.newSession('MERCHANT_ADMIN')).token
  const invoices = invoicesOf(world)
  const png = sampleLogo('rgba', 200, 80)
  const put = () =>
    world.call({ method: 'PUT', url: '/v1/merchant/logo', payload: { png: png.toString('base64') }, key: admin })
  const invoice = await invoices.sent({}, key)
  const path = `/pay/${slugOf(invoice.payment_url)}`
  const paid = await invoices.pay(invoice)
  assert.equal(paid.status, 202, paid.text)
  await world.work()
  const { collection_id } = paid.body.data
  const link = (await world.post('/v1/payment-links', { amount: 1_000 }, { key })).body.data
  const documents = [
    `${path}/invoice.pdf`,
    `${path}/c/${collection_id}/receipt.pdf`,
    `/v1/payment-links/${link.id}/poster.pdf`,
  ]
  const images = async () => {
    const found: boolean[] = []
    for (const url of documents) {
      const reply = await world.call({ method: 'GET', url, key: url.startsWith('/v1') ? key : null })
      assert.equal(reply.status, 200, `${url}: ${reply.text.slice(0, 200)}`)
      found.push(IMAGE.test(reply.bytes.toString('latin1')))
    }
    return found
  }
  const mailed = async () => {
    mail.mails.length = 0
    await invoices.sent({}, key)
    await world.work()
    assert.equal(mail.mails.length, 1)
    return /Content-Id: <logo>/i.test(mail.mails[0]?.raw ?? '')
  }
  assert.deepEqual([await images(), await mailed()], [[false, false, false], false])
  assert.equal((await put()).status, 200)
  assert.deepEqual([await images(), await mailed()], [[true, true, true], true])
  const look = { support_phone: '022 211 1234', support_address: 'Kariakoo', accent_color: '#7a1fa2' }
  const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/profile', payload: look, key: admin })
  assert.equal(saved.status, 200, saved.text)
  for (const url of documents) {
    const { bytes } = await world.call({ method: 'GET', url, key: url.startsWith('/v1') ? key : null })
    const { pages } = readPdf(bytes)
    assert.ok(
      pages.some(({ line_colors }) => line_colors.includes('#7a1fa2')),
      url,
    )
    const texts = pages.flatMap((page) => page.texts.map(({ text }) => text))
    for (const line of ['022 211 1234', 'Kariakoo']) assert.ok(texts.join(' ').includes(line), `${url}: ${line}`)
  }
  const removed = await world.call({ method: 'DELETE', url: '/v1/merchant/logo', key: admin })
  assert.equal(removed.status, 200, removed.text)
  assert.deepEqual([await images(), await mailed()], [[false, false, false], false])
})
