// Tests the e-mails that members choose: the summaries, the warnings, and how a member ends them without a sign-in.

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { codeOf, createWorld, type World } from '../../../test/harness.ts'
import { buttonOf } from '../../../test/mail-button.ts'
import { insertWithdrawal } from '../../../test/payouts.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { headerOf, startMailServer, textOf } from '../../../test/smtp.ts'
import { type Merchant, setNotices, unsubscribeUrl } from '../../access/merchants/index.ts'
import { listEmails } from '../../adapters/messages/index.ts'
import { inTransaction } from '../../kernel/db/index.ts'
import { DAY_MS } from '../../kernel/lib/index.ts'
import { duePeriods } from './notices-task.ts'

const PATH = '/v1/merchant/notifications'
const HOUR_MS = 3_600_000

let world: World
/** The test sets this function. It runs before each database statement and receives the name of the statement. */
let onStatement: (name: string) => void | Promise<void> = () => {}
before(async () => {
  world = await createWorld({
    before: (name) => onStatement(name),
    env: { BASE_URL: 'https://pay.example', BRAND_NAME: 'Duka Pay', WEBHOOK_ALLOW_PRIVATE: 'true' },
  })
})
after(() => world.close())
afterEach(async () => {
  onStatement = () => {}
  await world.rows("update member_notices set digest = 'off', digest_since = null")
})

/** Moves the clock to this hour on the next day in Tanzania. */
function tomorrowAt(hour: number): void {
  const now = world.deps.clock.now().getTime() + 3 * HOUR_MS
  const tomorrow = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS + hour * HOUR_MS
  world.deps.clock.advance(tomorrow - now)
}
const memberOf = async (role: 'MERCHANT_ADMIN' | 'FINANCE' | 'DEVELOPER' | 'VIEWER', merchant: Merchant) =>
  world.newSession([{ role, merchant }])
const change = (token: string, payload: object) => world.call({ method: 'PATCH', url: PATH, payload, key: token })
const mailsOf = async (merchant: Merchant, kind: RegExp) =>
  (await listEmails(world.deps, { merchant_id: merchant.id })).filter((mail) => kind.test(mail.kind))
const run = async () => {
  const task = world.system.tasks.find(({ name }) => name === 'notices')
  assert.ok(task)
  while ((await task.runOnce()) > 0);
}
async function pay(merchant: Merchant, amount: string, phone: string): Promise<void> {
  const key = await world.newKey({ merchant, environment: 'live' })
  assert.equal((await world.post('/v1/collections/wallet-push', { amount, phone }, { key })).status, 202)
  await world.work()
}
/** Waits until `count` database connections wait for a lock. */
async function waitsForLock(count: number): Promise<void> {
  for (let look = 0; look < 2_000; look++) {
    const [row] = await world.rows<{ waiting: number }>(
      "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    if ((row?.waiting ?? 0) >= count) return
  }
  assert.fail('too few statements wait for a lock')
}
/** Returns the path of the link that ends e-mails, from the text of an e-mail. */
const pathIn = (text: string): string =>
  /https:\/\/pay\.example(\/unsubscribe\/\S+)/.exec(text)?.[1] ?? assert.fail(text)

describe('the settings', () => {
  test('a member reads and changes only their own settings, and the role determines the warnings', async () => {
    const merchant = await world.newMerchant()
    const [finance, developer] = [await memberOf('FINANCE', merchant), await memberOf('DEVELOPER', merchant)]
    const first = (await world.get(PATH, finance.token)).body.data
    assert.deepEqual(first, {
      email: finance.email,
      email_verified: true,
      withdrawals: true,
      webhooks: true,
      keys: true,
      digest: 'off',
      applies: ['withdrawals'],
    })
    const changed = await change(finance.token, { withdrawals: false, digest: 'weekly' })
    assert.deepEqual([changed.status, changed.body.data.withdrawals, changed.body.data.digest], [200, false, 'weekly'])
    assert.deepEqual((await world.get(PATH, developer.token)).body.data.applies, ['webhooks', 'keys'])
    assert.equal((await world.get(PATH, developer.token)).body.data.digest, 'off')
    assert.deepEqual(codeOf(await change(finance.token, { digest: 'hourly' })), [400, 'validation_failed'])
    assert.deepEqual(codeOf(await world.get(PATH, world.live_key)), [403, 'insufficient_role'])
  })
})

describe('the summary', () => {
  test('a period ends at midnight in Tanzania, and its summary is due at 6 in the morning', () => {
    const at = (time: string) =>
      duePeriods(new Date(time)).map(({ first }) => new Date(first * DAY_MS).toISOString().slice(0, 10))
    // 30 November 2026 is a Monday.
    assert.deepEqual(at('2026-11-30T02:59:59Z'), ['2026-11-28', '2026-11-16'])
    assert.deepEqual(at('2026-11-30T03:00:00Z'), ['2026-11-29', '2026-11-23'])
    assert.deepEqual(at('2026-12-07T02:59:59Z'), ['2026-12-05', '2026-11-23'])
    assert.deepEqual(at('2026-12-07T03:00:00Z'), ['2026-12-06', '2026-11-30'])
  })

  test('a member gets one summary of yesterday with grouped amounts and links, also if several runs of the task overlap', async () => {
    const merchant = await world.newMerchant()
    const { token, email } = await memberOf('MERCHANT_ADMIN', merchant)
    const other = await memberOf('FINANCE', merchant)
    await change(token, { digest: 'daily' })
    await world.rows("update users set language = 'en' where email = $1", [email])
    await pay(merchant, '1250000', '0754123001')
    await pay(merchant, '2000', '0754123002')
    tomorrowAt(5)
    await run()
    assert.equal((await mailsOf(merchant, /^digest/)).length, 0, 'before 6 the day has no summary')
    tomorrowAt(-17)
    await Promise.all([run(), run(), run()])
    await run()
    const mails = await mailsOf(merchant, /^digest/)
    assert.equal(mails.length, 1)
    const [mail] = mails
    assert.equal(mail?.to, email)
    assert.notEqual(mail?.to, other.email)
    assert.match(mail?.subject ?? '', /^Duka Pay: Duka la Juma, daily summary, /)
    assert.match(mail?.text ?? '', /Received: TZS.1,250,000 in 1 payment\nFees: TZS.0\nFailed payments: 1\n/)
    assert.match(
      mail?.text ?? '',
      /https:\/\/pay\.example\/dashboard\/live\/collections\?merchant=[-0-9a-f]+&from=2\d{3}-\d\d-\d\d&to=/,
    )
    const [label, url] = await buttonOf(world, mail)
    assert.equal(label, 'See the payments')
    assert.match(url, /^https:\/\/pay\.example\/dashboard\/live\/collections\?merchant=[-0-9a-f]+&from=/)
    tomorrowAt(7)
    await run()
    assert.equal((await mailsOf(merchant, /^digest/)).length, 1, 'a day without any event has no summary')
  })

  test('a summary counts a withdrawal on the day of its payment, and counts each waiting withdrawal', async () => {
    const merchant = await world.newMerchant()
    const { token, email } = await memberOf('VIEWER', merchant)
    await change(token, { digest: 'daily' })
    await world.rows("update users set language = 'en' where email = $1", [email])
    const paid = await insertWithdrawal(world, { merchant, amount_minor: 700_000n })
    await insertWithdrawal(world, { merchant })
    const textsOf = async () => (await mailsOf(merchant, /^digest/)).map(({ text }) => text ?? '')
    tomorrowAt(9)
    await run()
    const [first] = await textsOf()
    assert.match(
      first ?? '',
      /Withdrawals paid: TZS.0 in 0 withdrawals\nWithdrawals that wait for an operator now: 2\n/,
    )
    await world.rows(
      "update withdrawals set status = 'SUCCESS', funds = 'paid', provider_reference = $2, transfer_id = $2::text::uuid, completed_at = $3 where id = $1",
      [paid.id, paid.id, world.deps.clock.now()],
    )
    tomorrowAt(9)
    await run()
    const texts = await textsOf()
    assert.equal(texts.length, 2)
    const second = texts.find((text) => text !== first)
    assert.match(
      second ?? '',
      /Withdrawals paid: TZS.7,000 in 1 withdrawal\nWithdrawals that wait for an operator now: 1\n/,
    )
    tomorrowAt(9)
    await run()
    assert.equal((await textsOf()).filter((text) => /paid: TZS.7,000/.test(text)).length, 1)
  })

  test('a member gets summaries from the first period that ends after the choice, and no summary after the member has left the merchant', async () => {
    const merchant = await world.newMerchant()
    await pay(merchant, '5000', '0754123001')
    tomorrowAt(9)
    const late = await memberOf('VIEWER', merchant)
    await change(late.token, { digest: 'daily' })
    await run()
    assert.equal((await mailsOf(merchant, /^digest/)).length, 0, 'no member had chosen the summary of that day')
    const left = await memberOf('VIEWER', merchant)
    await change(left.token, { digest: 'daily' })
    await pay(merchant, '7000', '0754123001')
    await world.rows('delete from members where merchant_id = $1 and user_id = $2', [merchant.id, left.user_id])
    tomorrowAt(7)
    await run()
    assert.deepEqual(
      (await mailsOf(merchant, /^digest/)).map(({ to }) => to),
      [late.email],
    )
  })

  test('when the database refuses the e-mail of a summary, the worker stores no record of the summary, and the next run queues one summary', async () => {
    const merchant = await world.newMerchant()
    const { token } = await memberOf('VIEWER', merchant)
    await change(token, { digest: 'daily' })
    await pay(merchant, '5000', '0754123001')
    tomorrowAt(7)
    await world.rows("alter table outbox_messages add constraint dies check (kind not like 'digest.%') not valid")
    await run()
    assert.match(world.deps.logged.join(''), new RegExp(`"merchant_id":"${merchant.id}".*a part of the notices failed`))
    await world.rows('alter table outbox_messages drop constraint dies')
    assert.equal((await world.rows('select 1 from notices_queued where merchant_id = $1', [merchant.id])).length, 0)
    await run()
    await run()
    assert.equal((await mailsOf(merchant, /^digest/)).length, 1)
  })
})

describe('failures', () => {
  test('if the worker cannot read the records of a merchant, it skips the merchant until the next round and completes the other parts', async () => {
    const merchants = [await world.newMerchant(), await world.newMerchant()]
    for (const merchant of merchants) {
      const { token } = await memberOf('VIEWER', merchant)
      await change(token, { digest: 'daily' })
      await pay(merchant, '5000', '0754123001')
    }
    tomorrowAt(7)
    const counts = { attention_read: 0, webhooks_failing: 0, notices_expiring_keys: 0, notices_sweep: 0 }
    onStatement = (name) => {
      if (!(name in counts)) return
      const count = ++counts[name as keyof typeof counts]
      if (name === 'webhooks_failing' || (name === 'attention_read' && count === 1))
        throw new Error('canceling statement due to statement timeout')
    }
    await run()
    const mails = async () => {
      const counted = await Promise.all(merchants.map(async (one) => (await mailsOf(one, /^digest/)).length))
      return counted.sort()
    }
    assert.deepEqual(await mails(), [0, 1], 'the other merchant has its summary')
    assert.deepEqual(counts, { attention_read: 2, webhooks_failing: 1, notices_expiring_keys: 1, notices_sweep: 1 })
    await run()
    assert.deepEqual(await mails(), [1, 1], 'the next round tries it again')
    assert.equal(counts.webhooks_failing, 1, 'the next round of warnings is five minutes later')
  })

  for (const [what, statement] of [
    ['ended the summary', "update member_notices set digest = 'off', digest_since = null where user_id = $1"],
    ['left the merchant', 'delete from members where user_id = $1'],
    ['was disabled', 'update users set disabled_at = created_at where id = $1'],
  ] as const)
    test(`a member who ${what} after the worker read the list gets no summary`, async () => {
      const merchant = await world.newMerchant()
      const { token, user_id } = await memberOf('VIEWER', merchant)
      await change(token, { digest: 'daily' })
      await pay(merchant, '5000', '0754123001')
      tomorrowAt(7)
      let changes = 0
      onStatement = async (name) => {
        if (name !== 'notices_claim' || changes++ > 0) return
        await world.rows(statement, [user_id])
      }
      await run()
      assert.ok(changes > 0)
      assert.equal((await mailsOf(merchant, /^digest/)).length, 0)
    })
})

describe('the end of e-mails without a sign-in', () => {
  test('a visit to the page changes nothing, and one POST of a mail program ends the e-mails', async () => {
    const merchant = await world.newMerchant()
    const { token } = await memberOf('FINANCE', merchant)
    await change(token, { digest: 'daily' })
    await pay(merchant, '5000', '0754123001')
    tomorrowAt(7)
    await run()
    const [mail] = await mailsOf(merchant, /^digest/)
    const path = pathIn(mail?.text ?? '')
    const [row] = await world.rows<{ unsubscribe_url: string }>(
      "select unsubscribe_url from outbox_messages where merchant_id = $1 and kind = 'digest.daily'",
      [merchant.id],
    )
    assert.equal(row?.unsubscribe_url, `https://pay.example${path}`)
    const open = (url: string, method: 'GET' | 'POST', type = 'application/x-www-form-urlencoded') =>
      world.call({
        method,
        url,
        key: null,
        ...(method === 'POST' ? { payload: 'List-Unsubscribe=One-Click', headers: { 'content-type': type } } : {}),
      })
    const rows = async () =>
      (
        await world.rows<{ digest: string }>('select digest from member_notices where merchant_id = $1', [merchant.id])
      ).map((one) => one.digest)
    const page = await open(`${path}?lang=en`, 'GET')
    assert.equal(page.status, 200)
    assert.match(page.text, /Stop the e-mails with the summary of the business &quot;Duka la Juma&quot;\?/)
    assert.match(String(page.headers['content-security-policy']), /form-action 'self'/)
    assert.deepEqual(await rows(), ['daily'], 'programs that check links change nothing')
    for (const wrong of [`${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`, path.replace('/digest/', '/keys/')]) {
      assert.equal((await open(wrong, 'GET')).status, 404)
      assert.equal((await open(wrong, 'POST')).status, 404)
    }
    assert.deepEqual(await rows(), ['daily'])
    assert.equal((await open(path, 'POST', 'multipart/form-data; boundary=x')).status, 200)
    assert.deepEqual(await rows(), ['off'])
    assert.equal((await open(path, 'POST')).status, 200, 'a repetition changes nothing')
    const logged = world.deps.logged.join('')
    assert.match(logged, /"path":"\/unsubscribe\/:merchant_id\/:member_id\/:kind\/:signature"/)
    assert.ok(!logged.includes(path.slice(path.lastIndexOf('/') + 1)), 'no log line has the signature')
  })

  test('simultaneous changes of different settings all take effect', async () => {
    const merchant = await world.newMerchant()
    const { token, user_id } = await memberOf('MERCHANT_ADMIN', merchant)
    await change(token, { digest: 'daily' })
    const [member] = await world.rows<{ id: string }>('select id from members where user_id = $1', [user_id])
    const address = { merchant_id: merchant.id, member_id: member?.id ?? '', kind: 'digest' } as const
    const path = pathIn(unsubscribeUrl(world.deps, address))
    const endsDigest = (url: string) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return world.call({ method: 'POST', url, key: null, payload: 'List-Unsubscribe=One-Click', headers })
    }
    let both: Promise<{ status: number }[]> | undefined
    await inTransaction(world.deps.db, async (tx) => {
      await setNotices(world.deps, tx, { merchant_id: merchant.id, user_id }, { keys: false })
      both = Promise.all([change(token, { webhooks: false }), endsDigest(path)])
      await waitsForLock(2)
    })
    assert.deepEqual(
      (await both)?.map(({ status }) => status),
      [200, 200],
    )
    const { withdrawals, webhooks, keys, digest } = (await world.get(PATH, token)).body.data
    assert.deepEqual([withdrawals, webhooks, keys, digest], [true, false, false, 'off'])
  })

  test('a summary has the headers of RFC 8058 with which a mail program ends such e-mails', async () => {
    const server = await startMailServer()
    const mailing = await createWorld({
      env: {
        BASE_URL: 'https://pay.example',
        SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        MAIL_FROM: 'pay@pay.example',
      },
    })
    try {
      const { token } = await mailing.newSession('VIEWER')
      await mailing.call({ method: 'PATCH', url: PATH, payload: { digest: 'daily' }, key: token })
      await mailing.post(
        '/v1/collections/wallet-push',
        { amount: 5_000, phone: '0754123001' },
        { key: mailing.live_key },
      )
      await mailing.work()
      mailing.deps.clock.advance(30 * HOUR_MS)
      await mailing.work()
      const [sent] = server.mails
      assert.ok(sent)
      const url = headerOf(sent, 'list-unsubscribe').replace(/\s/g, '')
      assert.match(
        url ?? '',
        /^<https:\/\/pay\.example\/unsubscribe\/[-0-9a-f]{36}\/[-0-9a-f]{36}\/digest\/[\w-]{43}>$/,
      )
      assert.equal(headerOf(sent, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
      assert.match(textOf(sent), /Umepokea: TZS.5,000 kwa malipo 1/)
    } finally {
      await mailing.close()
      await server.close()
    }
  })
})

describe('the warnings', () => {
  test('an administrator gets one e-mail about a key that expires within 7 days, and a developer who ended such e-mails gets none', async () => {
    const merchant = await world.newMerchant()
    const [admin, developer] = [await memberOf('MERCHANT_ADMIN', merchant), await memberOf('DEVELOPER', merchant)]
    await memberOf('FINANCE', merchant)
    await change(developer.token, { keys: false })
    const make = (name: string, days: number) =>
      world.post(
        '/v1/merchant/api-keys',
        {
          name,
          environment: 'live',
          scopes: ['collections:read'],
          expires_at: new Date(world.deps.clock.now().getTime() + days * DAY_MS).toISOString(),
        },
        { key: admin.token },
      )
    assert.equal((await make('Shop', 6)).status, 201)
    assert.equal((await make('Later', 30)).status, 201)
    world.deps.clock.advance(6 * 60_000)
    await run()
    world.deps.clock.advance(2 * DAY_MS)
    await run()
    const mails = await mailsOf(merchant, /^notice\.keys/)
    assert.deepEqual(
      mails.map(({ to }) => to),
      [admin.email],
    )
    assert.match(mails[0]?.text ?? '', /"Shop" \(\.\.\.\w{4}\)/)
    const [label, url] = await buttonOf(world, mails[0])
    assert.equal(label, 'Angalia funguo za API')
    assert.match(url, /^https:\/\/pay\.example\/dashboard\/live\/keys\?merchant=/)
  })

  test('developers get at most one e-mail a day about refused webhooks, with the host and never the whole address', async () => {
    const merchant = await world.newMerchant()
    const { token, email } = await memberOf('DEVELOPER', merchant)
    await memberOf('FINANCE', merchant)
    const receiver = await startReceiver()
    try {
      receiver.reply = { kind: 'status', status: 500 }
      const payload = { webhook_url: `${receiver.url}?secret=hidden`, environment: 'live' }
      const saved = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload, key: token })
      assert.equal(saved.status, 200, saved.text)
      await pay(merchant, '5000', '0754123001')
      await world.pass(61_000)
      assert.equal((await mailsOf(merchant, /^notice/)).length, 0, 'a short failure is no reason for an e-mail')
      world.deps.clock.advance(20 * 60_000)
      await world.work()
      await Promise.all([run(), run()])
      world.deps.clock.advance(6 * 60_000)
      const statements: string[] = []
      onStatement = (name) => void statements.push(name)
      await run()
      assert.equal(statements.filter((name) => name === 'notices_claimed').length, 1)
      assert.ok(!statements.includes('notices_claim'), 'a recent warning needs no transaction')
      const mails = await mailsOf(merchant, /^notice\.webhooks/)
      assert.deepEqual(
        mails.map(({ to }) => to),
        [email],
      )
      assert.match(mails[0]?.text ?? '', /127\.0\.0\.1/)
      assert.match(mails[0]?.text ?? '', /HTTP 500/)
      assert.doesNotMatch(mails[0]?.text ?? '', /hidden/)
      world.deps.clock.advance(DAY_MS)
      await run()
      assert.equal((await mailsOf(merchant, /^notice\.webhooks/)).length, 2, 'another day, another warning')
    } finally {
      await receiver.close()
    }
  })
})
