// Implements the gateway: its calls, the fields of each call, and the work for one request.

import { count } from './book.ts'
import { checkFields, checkRequest, type Incoming, notListed, type Rule, type Rules, readUrl } from './check.ts'
import { cancelOrder, createOrder, listOrders, orderStatus, pushOn } from './checkout.ts'
import { type Call, WIRE_FAULTS, type WireFault } from './fates.ts'
import { type MagicNumber, magicPayee, magicPayer } from './magic.ts'
import { accountOf, floatBalance, lookupOn, processOn, queryOn, RAILS } from './payouts.ts'
import { type Reply, refusal } from './reply.ts'
import type { Run, Twin } from './twin.ts'

/**
 * The result of a request: the answer and the fault. Null as `reply` means that the twin did not execute the request.
 */
export type Outcome = { reply: Reply | null; fault: WireFault | null }

/**
 * A call of the gateway. `about` returns the reference by which the twin counts faults, and the row of the request's magic
 * number.
 */
type Operation = { call: Call; rules: Rules; run: Run; about: (twin: Twin, fields: Record<string, string>) => Subject }
type Subject = { reference: string; row: MagicNumber | null }

const text = /^(?=[\s\S]{1,255}$)(?=[\s\S]*\S)/
const id = /^[A-Za-z0-9._-]{1,64}$/
const whole = /^[1-9]\d{0,14}$/
const phone = /^255\d{9}$/
const day = /^\d{4}-\d\d-\d\d$/
const colour = /^#[0-9A-Fa-f]{6}$/
const url: Rule = (value) => readUrl(value) !== null

const ORDER: Rules = {
  must: {
    vendor: text,
    order_id: id,
    buyer_email: /^[^@\s]+@[^@\s]+$/,
    buyer_name: text,
    buyer_phone: phone,
    amount: whole,
    currency: /^(TZS|USD)$/,
    no_of_items: whole,
  },
  may: {
    redirect_url: url,
    cancel_url: url,
    webhook: url,
    buyer_remarks: text,
    merchant_remarks: text,
    header_colour: colour,
    link_colour: colour,
    button_colour: colour,
    expiry: whole,
  },
}
const FULL_ORDER: Rules = {
  ...ORDER,
  must: {
    ...ORDER.must,
    payment_methods: /^(ALL|MASTERPASS|CARD|MOBILEMONEYPULL)(,(ALL|MASTERPASS|CARD|MOBILEMONEYPULL))*$/,
    'billing.firstname': text,
    'billing.lastname': text,
    'billing.address_1': text,
    'billing.city': text,
    'billing.state_or_region': text,
    'billing.postcode_or_pobox': text,
    'billing.country': text,
    'billing.phone': text,
  },
}
const PUSH: Rules = { must: { transid: id, order_id: id, msisdn: /^255[67]\d{8}$/ } }
const BY_ORDER: Rules = { must: { order_id: id } }
const BY_TRANSID: Rules = { must: { transid: id } }
const PAYOUT = { transid: id, amount: whole, vendor: text, pin: text }

const byOrder = (number: 'buyer_phone' | 'msisdn') => (_twin: Twin, fields: Record<string, string>) => ({
  reference: fields.order_id ?? '',
  row: magicPayer(fields[number] ?? null),
})
const byKnownOrder = ({ book }: Twin, { order_id = '' }: Record<string, string>) => {
  const order = book.orders.get(order_id)
  return { reference: order_id, row: magicPayer(order?.payer_phone ?? order?.buyer_phone ?? null) }
}
const byAccount = (_twin: Twin, fields: Record<string, string>) => ({
  reference: fields.transid ?? '',
  row: magicPayee(accountOf(fields)),
})
const byKnownPayout =
  (rail: string) =>
  ({ book }: Twin, { transid = '' }: Record<string, string>) => ({
    reference: transid,
    row: magicPayee(book.payouts.get(`${rail} ${transid}`)?.account ?? null),
  })
const byNothing = (_twin: Twin, fields: Record<string, string>) => ({
  reference: fields.transid ?? fields.fromdate ?? '',
  row: null,
})

const push = (run: Run): Operation => ({ call: 'push', rules: PUSH, run, about: byOrder('msisdn') })
const payout = (run: Run, must: Record<string, Rule>, may: Record<string, Rule>): Operation => {
  return { call: 'payout', rules: { must: { ...PAYOUT, ...must }, may }, run, about: byAccount }
}
const lookup = (run: Run, must: Record<string, Rule>): Operation => {
  return { call: 'lookup', rules: { must: { transid: id, ...must } }, run, about: byAccount }
}

const OPERATIONS: Record<string, Operation> = {
  'POST /checkout/create-order-minimal': {
    call: 'create',
    rules: ORDER,
    run: createOrder,
    about: byOrder('buyer_phone'),
  },
  'POST /checkout/create-order': { call: 'create', rules: FULL_ORDER, run: createOrder, about: byOrder('buyer_phone') },
  'POST /checkout/wallet-payment': push(pushOn('wallet-payment')),
  'POST /checkout/selcompesa-payment': push(pushOn('selcompesa-payment')),
  'GET /checkout/order-status': { call: 'status', rules: BY_ORDER, run: orderStatus, about: byKnownOrder },
  'DELETE /checkout/cancel-order': { call: 'cancel', rules: BY_ORDER, run: cancelOrder, about: byKnownOrder },
  'GET /checkout/list-orders': {
    call: 'list',
    rules: { must: { fromdate: day, todate: day } },
    run: listOrders,
    about: byNothing,
  },
  'POST /walletcashin/process': payout(
    processOn('walletcashin'),
    { utilitycode: text, utilityref: text },
    { msisdn: phone },
  ),
  'POST /selcompesa/cashin': payout(
    processOn('selcompesa'),
    { utilityref: text },
    { utilitycode: /^SPSCASHIN$/, msisdn: phone },
  ),
  'POST /qwiksend/process': payout(
    processOn('qwiksend'),
    {
      recipientFiCode: text,
      recipientAccount: /^[A-Za-z0-9]{4,34}$/,
      recipientName: text,
      senderAccount: text,
      senderName: text,
      msisdn: phone,
      purpose: text,
    },
    { remarks: text },
  ),
  ...Object.fromEntries(
    RAILS.map((rail): [string, Operation] => [
      `GET /${rail}/query`,
      { call: 'query', rules: BY_TRANSID, run: queryOn(rail), about: byKnownPayout(rail) },
    ]),
  ),
  'GET /walletcashin/namelookup': lookup(lookupOn('walletcashin'), { utilitycode: text, utilityref: text }),
  'GET /selcompesa/namelookup': lookup(lookupOn('selcompesa'), { utilityref: text }),
  'GET /qwiksend/lookup': lookup(lookupOn('qwiksend'), { bank: text, account: text }),
  'POST /vendor/balance': {
    call: 'balance',
    rules: { must: { transid: id, vendor: text, pin: text } },
    run: floatBalance,
    about: byNothing,
  },
}

/**
 * Answers one request: checks the request and chooses the fault. If the fault does not prevent the work, does the work.
 */
export function handle(twin: Twin, incoming: Incoming): Outcome {
  const { book, faults } = twin
  const operation = OPERATIONS[`${incoming.method} ${incoming.path}`]
  if (operation === undefined) return refused(twin, noSuchCall(incoming))
  count(book.requests, operation.call)
  const wrong = checkRequest(twin.account, twin.settings, twin.clock.now(), incoming)
  if (wrong) return refused(twin, wrong)
  const fields = incoming.fields ?? {}
  const bad = checkFields(operation.rules, fields)
  if (bad) return refused(twin, bad)
  const { reference, row } = operation.about(twin, fields)
  const fault = faults.onWire(operation.call, reference, row)
  if (fault === 'blocked') return { ...refused(twin, notListed()), fault }
  if (fault !== null && !WIRE_FAULTS[fault].executes) return { reply: null, fault }
  const reply = operation.run(twin, fields)
  return { ...(reply.refused ? refused(twin, reply) : { reply }), fault }
}

function refused({ book }: Twin, reply: Reply): Outcome {
  if (reply.refused !== undefined) count(book.refusals, reply.refused)
  return { reply, fault: null }
}

function noSuchCall({ method, path }: Incoming): Reply {
  const is_other_method = ['GET', 'POST', 'DELETE'].some((other) => OPERATIONS[`${other} ${path}`] !== undefined)
  if (is_other_method) return refusal('method', 405, '405', `${method} is not allowed here`)
  return refusal('path', 404, '404', 'No such endpoint')
}
