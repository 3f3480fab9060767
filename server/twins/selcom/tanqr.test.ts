import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dataOf, orderOf, startRig } from '../../test/providers/selcom-twin-caller.ts'
import { checksumOf, readTanqr, tanqrOf } from './tanqr.ts'

describe('the QR code of an order', () => {
  const SAMPLES = [
    '00020101021126390014tz.go.bot.tips0105010010208123456785204581453038345802TZ5914YN RESTAURANTS6006DODOMA610541000622103080011234907051100263047D47',
    '000201010212041552545429990002026390014tz.go.bot.tips01050399802086389040052045999530383454035005802TZ5909NEUROTECH6003DSM610512345622401086389040003086389040081500012tz.co.selcom0130 https://selcom.link/addbbff1 630401F1',
    '00020101021226390014tz.go.bot.tips010509999020863890400520459995303834540450005802TZ5909DUKA TEST6013DAR ES SALAAM61051110162350108638904000308638904000507COL0001630472C4',
    '00020101021126390014tz.go.bot.tips0105099990208600000015204599953038345802TZ5909DUKA TEST6013DAR ES SALAAM61051110163045D66',
  ]

  it('tanqrOf writes codes with the checksum of the standard, and readTanqr reads codes of other makers', () => {
    assert.equal(checksumOf('123456789'), '29B1')
    for (const sample of SAMPLES) assert.ok(readTanqr(sample), sample)
    const order = { order_id: 'COL0001', payment_token: '63890400', amount: 5000n }
    assert.equal(tanqrOf(order), SAMPLES[2])
  })

  it('readTanqr refuses a code with a wrong character, length or checksum', () => {
    const [, , good = ''] = SAMPLES
    const spoilt = good.slice(0, -4).replace('5000', '9000')
    assert.equal(readTanqr(good.slice(0, -4).replace('5000', '9000') + good.slice(-4)), null)
    assert.equal(readTanqr(good.slice(0, -1)), null)
    const long = good.slice(0, -4).replace('5909', '5999')
    assert.equal(readTanqr(long + checksumOf(long)), null)
    assert.ok(readTanqr(spoilt + checksumOf(spoilt)))
    assert.equal(readTanqr(''), null)
  })

  it('the twin gives each order a valid QR code with amount and token, and omits a reference that is too long', async (t) => {
    const rig = await startRig()
    t.after(() => rig.close())
    for (const order_id of ['SHORT', 'LONG'.repeat(7)]) {
      const reply = await rig.call('POST', '/checkout/create-order-minimal', orderOf(order_id, { amount: 1234 }))
      const { qr, payment_token, payment_gateway_url } = dataOf(reply)
      const fields = readTanqr(qr ?? '')
      assert.equal(fields?.get('54'), '1234')
      assert.equal(fields?.get('26.02'), payment_token)
      assert.equal(fields?.get('62.05'), order_id.length > 25 ? undefined : order_id)
      assert.match(Buffer.from(payment_gateway_url ?? '', 'base64').toString(), /^https:\/\//)
    }
  })
})
