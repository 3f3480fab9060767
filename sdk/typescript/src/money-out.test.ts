// Tests payouts and the ledger through the client, against the real API over a real port.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createWorld, type World } from '../../../server/test/harness.ts'
import { startReceiver } from '../../../server/test/receiver.ts'
import { type Client, createClient, MalipoError, verifyWebhook } from './index.ts'

const PHONE = { destination_identifier: '0754 123 400', destination_code: 'VODACOM', destination_name: 'Asha Juma' }

let world: World
let base_url: string
let merchant_id: string
let client: Client
/** The client of a member of the same merchant. */
let person: Client

before(async () => {
  world = await createWorld()
  await world.system.app.listen({ host: '127.0.0.1', port: 0 })
  base_url = `http://127.0.0.1:${(world.system.app.server.address() as AddressInfo).port}`
  merchant_id = world.merchant.id
  client = createClient({ base_url, api_key: world.sandbox_key })
  person = createClient({ base_url, api_key: (await world.newSession('FINANCE')).token })
  await client.walletPush({ amount: '100000.00', phone: '0754123001', reference: 'FUNDS' })
  await world.work()
})
after(() => world.close())

const failureOf = (call: Promise<unknown>): Promise<MalipoError> =>
  call.then(
    () => assert.fail('the call went through'),
    (error: unknown) => {
      assert.ok(error instanceof MalipoError)
      return error
    },
  )

test('the client lists each network and bank under its method', async () => {
  const { items } = await client.listDestinations({ method: 'MOBILE_MONEY' })
  assert.ok(items.some(({ code, aliases }) => code === 'MPESA' && aliases.includes('VODACOM')))
  assert.ok(items.every(({ method }) => method === 'MOBILE_MONEY'))
  assert.ok((await client.listDestinations()).items.length > items.length)
})

test('a simulated disbursement ends as SUCCESS, and the merchant gets a transaction and a webhook', async () => {
  const receiver = await startReceiver()
  try {
    const payload = { webhook_url: receiver.url }
    const config = await world.call({ method: 'PATCH', url: '/v1/merchant/webhook-config', payload })
    const made = await client.disburseMobileMoney({ amount: '2500.50', reference: 'PAYOUT-1', ...PHONE })
    assert.deepEqual(
      [made.status, made.requires_approval, made.destination_code, made.destination_identifier],
      ['PENDING_ADMIN_APPROVAL', true, 'MPESA', '255754123400'],
    )
    assert.equal((await client.getBalance()).available, '100000.00')

    const paid = await client.simulateDisbursement(made.id, 'SUCCESS')
    assert.equal(paid.status, 'SUCCESS')
    assert.equal((await client.getBalance()).available, '97499.50')
    const { history } = await client.getDisbursement(made.id)
    assert.deepEqual(
      history.map(({ to_status }) => to_status),
      ['PROCESSING', 'SUCCESS'],
    )
    assert.ok(paid.transaction_reference)
    const transaction = await client.getTransaction(paid.transaction_reference)
    assert.deepEqual(
      [transaction.type, transaction.direction, transaction.amount, transaction.balance_after],
      ['WITHDRAWAL', 'debit', '2500.50', '97499.50'],
    )
    assert.deepEqual([transaction.withdrawal_id, transaction.merchant_reference], [made.id, 'PAYOUT-1'])

    await world.work()
    await receiver.waitFor(1)
    const [delivery] = receiver.received
    assert.ok(delivery)
    const { secret } = config.body.data
    const now = world.deps.clock.now()
    const event = verifyWebhook({ body: delivery.body, headers: delivery.headers, secret, now })
    assert.deepEqual(
      [event.event, event.disbursement_id, event.amount, event.sandbox],
      ['disbursement.success', made.id, '2500.50', true],
    )
  } finally {
    await receiver.close()
  }
})

test('the client submits payouts to wallets and bank accounts, and two calls with one idempotency key make one payout', async () => {
  const wallet = await client.disburseProviderPesa({ amount: 100, destination_identifier: '0754123400' })
  assert.deepEqual([wallet.method, wallet.destination_code], ['PROVIDER_PESA', 'PROVIDER_PESA'])
  world.deps.clock.advance(1_000) // lists are in the order of time
  const account = { destination_identifier: '0150-123/456', destination_code: 'CRDB', bank_name: 'CRDB Bank' }
  const input = { amount: '700.00', destination_name: 'Juma Ali', ...account }
  const once = await client.disburseBankAccount(input, { idempotency_key: 'salary-7' })
  assert.deepEqual([once.method, once.destination_identifier], ['BANK_ACCOUNT', '0150-123/456'])
  assert.deepEqual(await client.disburseBankAccount(input, { idempotency_key: 'salary-7' }), once)
  const { items } = await client.listDisbursements(merchant_id, { page_size: 2, status: 'PENDING_ADMIN_APPROVAL' })
  assert.deepEqual(
    items.map(({ id }) => id),
    [once.id, wallet.id],
  )
})

test('a key lists disbursements without a merchant id, and me() returns the merchant of the key', async () => {
  const named = await client.listDisbursements(merchant_id, { page_size: 2 })
  assert.deepEqual(await client.listDisbursements({ page_size: 2 }), named)
  assert.deepEqual((await client.listDisbursements()).pagination.total_items, named.pagination.total_items)
  const me = await client.me()
  assert.ok('key_id' in me)
  assert.deepEqual([me.merchant_id, me.environment, me.key_name], [merchant_id, 'sandbox', 'Test'])
  assert.ok(me.scopes.includes('disbursements:read'))
  const person_me = await person.me()
  assert.ok('memberships' in person_me)
  assert.deepEqual(
    person_me.memberships.map((one) => one.merchant_id),
    [merchant_id],
  )
})

test('a refused payout fails with the error code of the reason and creates no record', async () => {
  const before = (await client.listDisbursements(merchant_id)).pagination.total_items
  const poor = await failureOf(client.disburseMobileMoney({ amount: '100000000.00', ...PHONE }))
  assert.deepEqual([poor.status, poor.code], [409, 'insufficient_balance'])
  const nowhere = await failureOf(client.disburseMobileMoney({ amount: 10, ...PHONE, destination_code: 'NOWHERE' }))
  assert.deepEqual([nowhere.status, nowhere.code], [422, 'unknown_destination'])
  assert.equal((await client.listDisbursements(merchant_id)).pagination.total_items, before)
})

test('a member gets a quote, submits a withdrawal, answers a question about the withdrawal, and finds it in the list', async () => {
  const acting = { environment: 'sandbox' } as const
  const quote = await person.quoteWithdrawal({
    ...acting,
    amount: '5000.00',
    method: 'MOBILE_MONEY',
    destination_code: 'MPESA',
  })
  assert.deepEqual(
    [quote.withdrawal_amount, quote.total_charges, quote.total_reserved_amount, quote.recipient_net_amount],
    ['5000.00', '0.00', '5000.00', '5000.00'],
  )
  world.deps.clock.advance(1_000)
  const made = await person.submitWithdrawal({
    ...acting,
    method: 'BANK_ACCOUNT',
    amount: '5000.00',
    destination_code: 'NMB',
    bank_name: 'NMB Bank',
    bank_account_number: '20110012345',
  })
  assert.equal((await client.simulateDisbursement(made.id, 'INFO_REQUESTED')).status, 'INFO_REQUESTED')
  const answered = await person.respondToWithdrawal(made.id, { ...acting, message: 'Invoice 17 of our printer.' })
  assert.equal(answered.status, 'PENDING_ADMIN_APPROVAL')
  const shown = await person.getWithdrawal(made.id, acting)
  assert.equal(shown.history.at(-1)?.message, 'Invoice 17 of our printer.')
  const { items } = await person.listWithdrawals({ ...acting, page_size: 1 })
  assert.equal(items[0]?.id, made.id)
  assert.equal((await failureOf(client.quoteWithdrawal({ amount: 1, method: 'PROVIDER_PESA' }))).status, 403)
})

test('a key cancels a disbursement and a member cancels a withdrawal before the approval, and neither does after it', async () => {
  const by_key = await client.disburseMobileMoney({ amount: '1000.00', ...PHONE })
  const cancelled = await client.cancelDisbursement(by_key.id, { idempotency_key: 'cancel-1' })
  assert.deepEqual([cancelled.status, cancelled.requires_approval], ['CANCELLED', false])
  assert.deepEqual(await client.cancelDisbursement(by_key.id, { idempotency_key: 'cancel-1' }), cancelled)
  const acting = { environment: 'sandbox' } as const
  const by_person = await client.disburseMobileMoney({ amount: '1000.00', ...PHONE })
  assert.equal((await person.cancelWithdrawal(by_person.id, acting)).status, 'CANCELLED')
  const paid = await client.disburseMobileMoney({ amount: '1000.00', ...PHONE })
  await client.simulateDisbursement(paid.id, 'SUCCESS')
  const refused = await failureOf(client.cancelDisbursement(paid.id))
  assert.deepEqual([refused.status, refused.code, refused.details], [409, 'invalid_state', { status: 'SUCCESS' }])
})

test("the client lists and exports transactions, and the lines of the month's statement add up", async () => {
  const { items, pagination } = await client.listTransactions(merchant_id, { type: 'COLLECTION', page_size: 5 })
  assert.deepEqual([items.length, items[0]?.merchant_reference, pagination.total_items], [1, 'FUNDS', 1])
  const csv = await new Response(await client.exportTransactions(merchant_id)).text()
  const [head, ...lines] = csv.trimEnd().split('\r\n')
  assert.match(head ?? '', /^reference,/)
  assert.equal(lines.length, (await client.listTransactions(merchant_id)).pagination.total_items)
  const statement = await client.getStatement(merchant_id, '2026-01')
  assert.deepEqual(
    [statement.opening_balance, statement.closing_balance, statement.final],
    ['0.00', (await client.getBalance()).available, false],
  )
  const by_person = await person.getStatement(merchant_id, '2026-01-05', { environment: 'sandbox' })
  assert.equal(by_person.closing_balance, statement.closing_balance)
})

test('a refused export and an export without a response fail with a MalipoError', async () => {
  const foreign = await failureOf(client.exportTransactions('00000000-0000-8000-8000-000000000000'))
  assert.deepEqual([foreign.status, foreign.code], [403, 'merchant_mismatch'])
  const unreachable = createClient({ base_url: 'http://127.0.0.1:1', api_key: 'k' })
  assert.equal((await failureOf(unreachable.exportTransactions(merchant_id))).code, 'no_answer')
  const silent = createServer(() => {})
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const waiting = createClient({
    base_url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    api_key: 'k',
    timeout_ms: 50,
  })
  assert.equal((await failureOf(waiting.exportTransactions(merchant_id))).code, 'no_answer')
  silent.closeAllConnections()
  silent.close()
})
