// Tests that the control API shows the books of the twin only to callers with its token. Also tests that a second twin can use
// the key of the first twin.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { begin, C2B, c2b, type VodacomTwinRig } from '../../test/providers/vodacom-twin-caller.ts'
import { FATES, MAGIC, magicRows, SAMPLE_CONTROL_TOKEN } from './index.ts'

const TOKEN = { authorization: `Bearer ${SAMPLE_CONTROL_TOKEN}` }

const look = (rig: VodacomTwinRig, path: string, headers: Record<string, string> = TOKEN) =>
  rig.send('GET', path, {}, { base: rig.twin.control_url, headers })

test("the control API shows the totals, and shows a payment by the caller's id", async () => {
  const rig = await begin()
  const secret = await rig.openSession()
  const fields = c2b()
  assert.equal((await rig.send('POST', C2B, fields, { secret })).code, 'INS-0')
  const book = await look(rig, '/book')
  assert.equal(book.status, 200)
  const { transactions, executions, collected } = JSON.parse(book.text)
  assert.deepEqual([transactions, executions, collected], [1, 1, '5000'])
  const one = await look(rig, `/transactions/${fields.input_ThirdPartyConversationID}`)
  const { state, reference, amount } = JSON.parse(one.text)
  assert.deepEqual([state, reference, amount], ['paid', 'T1234C', '5000'])
  const listed = JSON.parse((await look(rig, '/transactions')).text)
  assert.deepEqual(listed.items, [JSON.parse(one.text)])
})

test('the control API refuses other tokens, also the API key of the gateway', async () => {
  const rig = await begin()
  for (const authorization of ['', 'Bearer x', `Bearer ${rig.twin.account.api_key}`]) {
    const reply = await look(rig, '/book', { authorization })
    assert.equal(reply.status, 401, authorization)
    assert.doesNotMatch(reply.text, /transactions/)
  }
  assert.equal((await look(rig, '/nothing')).status, 404)
  assert.equal((await look(rig, '/transactions/nobody')).status, 404)
  assert.equal((await rig.send('POST', '/book', {}, { base: rig.twin.control_url, headers: TOKEN })).status, 405)
})

test('a twin with the key of an earlier twin accepts a bearer that a caller encrypted for the earlier twin', async () => {
  const first = await begin()
  const second = await begin({ key: first.twin.private_pem })
  assert.equal(second.twin.public_key, first.twin.public_key)
  const reply = await second.send('GET', '/getSession/', {}, { headers: { authorization: bearerOf(first) } })
  assert.equal(reply.code, 'INS-0')
  const stranger = await begin()
  const refused = await stranger.send('GET', '/getSession/', {}, { headers: { authorization: bearerOf(first) } })
  assert.notEqual(refused.code, 'INS-0')
})

const bearerOf = ({ sealed }: VodacomTwinRig) => `Bearer ${sealed('an-api-key')}`

test('the table of magic numbers names the error code of each course, and says paid for each paid course', () => {
  const rows = magicRows()
  assert.deepEqual(
    rows.map(({ ending }) => ending),
    Object.keys(MAGIC),
  )
  for (const { ending, happens } of rows) {
    const { reply, truth } = FATES[MAGIC[ending] as keyof typeof FATES]
    assert.ok(!(happens in FATES), happens)
    if (reply !== null && reply[1] !== 'INS-0') assert.match(happens, new RegExp(reply[1]))
    if (truth === 'paid') assert.match(happens, /paid/)
  }
})
