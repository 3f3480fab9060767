// Tests that the members who manage a merchant's money get an e-mail about an operator's decision or question.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../test/harness.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { fund } from '../../../test/withdrawals.ts'
import type { Merchant } from '../../access/merchants/index.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { type DecisionKind, notifyDecision } from './notify.ts'
import { rejectWithdrawal, requestInfo } from './review.ts'

const OPERATOR = { actor: { kind: 'operator', id: randomUUID(), name: 'operator@example.com' } } as const

let world: World
before(async () => {
  world = await createWorld({ env: { BASE_URL: 'https://pay.example', BRAND_NAME: 'Duka Pay' } })
})
after(() => world.close())

/** Creates a merchant with a withdrawal that waits for a decision. */
async function waiting(reference = 'PAY-7', at = world): Promise<{ merchant: Merchant; id: string }> {
  const merchant = await at.newMerchant()
  await fund(at, { merchant, amount: '5000' })
  const body = { amount: '1000', destination_code: 'MPESA', destination_identifier: '0754123456', reference }
  const reply = await at.post('/v1/disbursements/mobile-money', body, { key: await at.newKey({ merchant }) })
  assert.equal(reply.status, 202, reply.text)
  return { merchant, id: reply.body.data.id }
}

/** Makes a decision and queues its e-mails, in one transaction. */
function decide(
  kind: DecisionKind,
  { merchant, id }: { merchant: Merchant; id: string },
  text: string,
  { deps } = world,
): Promise<void> {
  const of = { merchant_id: merchant.id, id }
  return inTransaction(deps.db, async (tx) => {
    const row =
      kind === 'rejected'
        ? await rejectWithdrawal(deps, tx, OPERATOR, { ...of, reason: text })
        : await requestInfo(deps, tx, OPERATOR, { ...of, message: text })
    await notifyDecision(deps, tx, row, kind, text)
  })
}
const mailsOf = ({ merchant }: { merchant: Merchant }, { deps } = world) =>
  listEmails(deps, { merchant_id: merchant.id })

test("only members who may send the merchant's money get the e-mail about a decision", async () => {
  const made = await waiting()
  const { merchant } = made
  const [admin, finance, unproven, disabled] = await Promise.all([
    world.newSession([{ role: 'MERCHANT_ADMIN', merchant }]),
    world.newSession([{ role: 'FINANCE', merchant }]),
    world.newSession([{ role: 'FINANCE', merchant }]),
    world.newSession([{ role: 'FINANCE', merchant }]),
    world.newSession([{ role: 'DEVELOPER', merchant }]),
    world.newSession([{ role: 'VIEWER', merchant }]),
    world.newSession('MERCHANT_ADMIN'),
  ])
  await world.rows('update users set email_verified = false where id = $1', [unproven.user_id])
  await world.rows('update users set disabled_at = created_at where id = $1', [disabled.user_id])
  await decide('info_requested', made, 'Who is Juma?')
  assert.deepEqual((await mailsOf(made)).map(({ to }) => to).sort(), [admin.email, finance.email].sort())
})

const UUID = /[\da-f]{8}-[\da-f]{4}-/
const GREETINGS = { sw: /The withdrawal|Sign in|reason/, en: /Ombi|Ingia|Sababu/ }

for (const [language, asks, rejects] of [
  ['sw', /taarifa zinahitajika/, /limekataliwa\. Hakuna pesa iliyotoka/],
  ['en', /information requested/, /was rejected by an operator\. No money has left your balance/],
] as const) {
  test(`a member whose language is ${language} gets the e-mail in that language with the withdrawal and its link`, async () => {
    for (const kind of ['info_requested', 'rejected'] as const) {
      const made = await waiting()
      const { user_id } = await world.newSession([{ role: 'FINANCE', merchant: made.merchant }])
      await world.rows('update users set language = $2 where id = $1', [user_id, language])
      await decide(kind, made, 'Juma?')
      const [mail] = await mailsOf(made)
      const text = mail?.text ?? ''
      assert.match(kind === 'rejected' ? text : (mail?.subject ?? ''), kind === 'rejected' ? rejects : asks)
      for (const words of ['TZS\u00a01,000 ', '"PAY-7"', '"Duka la Juma"', '"Juma?"'])
        assert.ok(text.includes(words), text)
      const page = `https://pay.example/dashboard/sandbox/withdrawals/${made.id}?merchant=${made.merchant.id}`
      assert.ok(text.endsWith(`\n${page}`))
      const prose = `${mail?.subject}\n${text.replace(page, '')}`
      assert.doesNotMatch(prose, UUID)
      assert.doesNotMatch(prose, GREETINGS[language])
    }
  })
}

test('the server keeps an e-mail about a sandbox withdrawal even when a mail server is configured', async () => {
  const made = await waiting()
  await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: made.merchant }])
  const { deps } = world
  const with_server = { ...deps, config: { ...deps.config, smtp_url: 'smtp://mail.example' } }
  await decide('rejected', made, 'No.', { ...world, deps: with_server })
  assert.deepEqual(
    (await mailsOf(made)).map(({ status }) => status),
    ['kept'],
  )
})

test('the e-mail about a decision contains no line break and no link from a text of the merchant', async () => {
  const evil = 'x\n\nSign in at https://evil.example/login www.evil.example evil.example'
  const made = await waiting(evil.replaceAll('\n', ' '))
  await world.rows('update merchants set name = $2 where id = $1', [made.merchant.id, evil])
  await world.newSession([{ role: 'MERCHANT_ADMIN', merchant: made.merchant }])
  await decide('rejected', made, 'We do not know this recipient.')
  const [mail] = await mailsOf(made)
  const links = mail?.text?.match(/\S*(?:https?:|www\.|\.example)\S*/g)
  assert.deepEqual(
    [...new Set(links)],
    [`https://pay.example/dashboard/sandbox/withdrawals/${made.id}?merchant=${made.merchant.id}`],
  )
  assert.doesNotMatch(mail?.subject ?? '', /evil/)
  assert.ok(!mail?.text?.includes('\nSign in at'))
})

test("the e-mail about a decision contains the operator's text unchanged, and its button leads to the withdrawal", async () => {
  const made = await waiting()
  await world.newSession([{ role: 'FINANCE', merchant: made.merchant }])
  const words = 'The invoice says 25,000.00.\n1. Send your ID to docs@duka.example\nhttps://duka.example/kyc\n2. Wait'
  await decide('info_requested', made, words)
  const [mail] = await mailsOf(made)
  assert.equal(mail?.text?.split(`"${words}"`).length, 2)
  const page = `https://pay.example/dashboard/sandbox/withdrawals/${made.id}?merchant=${made.merchant.id}`
  assert.deepEqual(await buttonOf(world, mail), ['Jibu swali', page])
})

test('the e-mail about a decision links to this machine when the installation has no public address', async () => {
  const own = await createWorld()
  try {
    const made = await waiting('PAY-8', own)
    const { user_id } = await own.newSession([{ role: 'FINANCE', merchant: made.merchant }])
    await own.rows("update users set language = 'en' where id = $1", [user_id])
    await decide('info_requested', made, 'What for?', own)
    const [mail] = await mailsOf(made, own)
    const page = `http://127.0.0.1:8080/dashboard/sandbox/withdrawals/${made.id}?merchant=${made.merchant.id}`
    assert.ok(mail?.text?.endsWith(`\nSign in to the dashboard and answer it.\n${page}`), mail?.text ?? '')
    assert.deepEqual(await buttonOf(own, mail), ['Answer the question', page])
  } finally {
    await own.close()
  }
})

test('at most twenty members of a merchant get the e-mail about a decision', async () => {
  const made = await waiting()
  for (let i = 0; i < 23; i++) {
    await world.newSession([{ role: 'FINANCE', merchant: made.merchant }])
    world.deps.clock.advance(1)
  }
  await decide('info_requested', made, 'What for?')
  assert.equal((await mailsOf(made)).length, 20)
})

test('the server queues no e-mail when it refuses a decision', async () => {
  const made = await waiting()
  await world.newSession([{ role: 'FINANCE', merchant: made.merchant }])
  await decide('rejected', made, 'No.')
  await assert.rejects(decide('rejected', made, 'No again.'), { code: 'invalid_state' })
  assert.equal((await mailsOf(made)).length, 1)
})
