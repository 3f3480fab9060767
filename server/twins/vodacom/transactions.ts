// Executes payments and payouts, and answers queries about them.

import { count, execute, reverse, type Transaction } from './book.ts'
import { amountOf, type Texts } from './check.ts'
import { FATES, type Fate } from './fates.ts'
import { replyWith, type TwinReply } from './reply.ts'
import type { Twin } from './twin.ts'

/**
 * Accepts a payment or a payout. In `sync` mode, resolves after the decision. Null means that the twin never answers the
 * request.
 */
export function request(twin: Twin, kind: 'c2b' | 'b2c', fields: Texts): Promise<TwinReply | null> {
  const { book, chances, clock, settings } = twin
  const conversation = fields.input_ThirdPartyConversationID ?? ''
  const amount = amountOf(fields.input_Amount ?? '')
  if (amount === null) return refused(twin, 'input_Amount', replyWith(400, 'INS-15'))
  const earlier = book.by_conversation.get(conversation)
  if (earlier) earlier.requests++
  if (earlier || book.used.has(conversation))
    return refused(twin, 'duplicate', replyWith(409, 'INS-10', echo(conversation)))
  const msisdn = fields.input_CustomerMSISDN ?? ''
  const number = book.by_conversation.size + 1
  const transaction: Transaction = {
    kind,
    conversation,
    own_conversation: `twin${String(number).padStart(12, '0')}`,
    receipt: `TWN${number.toString(36).toUpperCase().padStart(7, '0')}`,
    reference: fields.input_TransactionReference ?? '',
    msisdn,
    amount,
    text: fields.input_PurchasedItemsDesc ?? fields.input_PaymentItemsDesc ?? '',
    fate: chances.fate(conversation, msisdn),
    state: 'pending',
    executions: 0,
    reversals: 0,
    requests: 1,
    prompts: kind === 'c2b' ? 1 : 0,
    at: clock.now(),
  }
  book.by_conversation.set(conversation, transaction)
  book.by_own_id.set(transaction.receipt, transaction)
  book.by_own_id.set(transaction.own_conversation, transaction)
  const decided = new Promise<TwinReply | null>((resolve) => {
    const decide = () => resolve(decideNow(twin, transaction))
    if (settings.decide_ms === 0) decide()
    else clock.after(settings.decide_ms, decide)
  })
  if (settings.mode === 'sync') return decided
  twin.callbacks.follow(transaction, decided)
  return Promise.resolve(replyWith(201, 'INS-0', ids(transaction)))
}

/** Decides a transaction: moves its money and returns the answer. Null means that the twin never answers. */
function decideNow(twin: Twin, transaction: Transaction): TwinReply | null {
  const { book, clock, settings } = twin
  const fate: Fate = FATES[transaction.fate]
  if (fate.truth === 'paid' && !execute(book, transaction)) {
    transaction.state = 'failed'
    return replyWith(422, 'INS-2006', ids(transaction))
  }
  if (fate.truth === 'failed') transaction.state = 'failed'
  if (fate.later !== undefined) {
    const { later } = fate
    clock.after(settings.decide_ms, () => {
      if (later === 'paid') execute(book, transaction)
      else reverse(book, transaction)
    })
  }
  if (fate.reply === null) return null
  const [http, code] = fate.reply
  const receipt = code === 'INS-0' ? { output_TransactionID: fate.receipt ?? transaction.receipt } : {}
  return replyWith(http, code, { ...ids(transaction), ...receipt })
}

/** Answers a query of a transaction by any of its three ids. A caller can use the id of the query itself only once. */
export function query({ book, settings }: Twin, fields: Texts): TwinReply {
  const { input_QueryReference: reference = '', input_ThirdPartyConversationID: own = '' } = fields
  if (isUsed(book, own)) return refuse({ book }, 'duplicate', replyWith(409, 'INS-10', echo(own)))
  book.used.add(own)
  const found = book.by_conversation.get(reference) ?? book.by_own_id.get(reference)
  const is_shown = found !== undefined && (settings.finds_unpaid || found.executions > 0)
  if (!is_shown) return refuse({ book }, 'not found', replyWith(400, 'INS-23', echo(own)))
  const { words } = settings
  const state_text = found.state === 'reversed' ? words.paid : words[found.state]
  return replyWith(200, 'INS-0', {
    ...echo(own),
    output_ConversationID: found.own_conversation,
    output_ResponseTransactionStatus: state_text,
    output_OriginalTransactionID: found.executions > 0 ? found.receipt : 'N/A',
    output_Reversed: String(found.state === 'reversed'),
  })
}

/** Reverses a paid transaction by its receipt. */
export function giveBack(twin: Twin, fields: Texts): TwinReply {
  const { book } = twin
  const { input_TransactionID: receipt = '', input_ThirdPartyConversationID: own = '' } = fields
  if (isUsed(book, own)) return refuse(twin, 'duplicate', replyWith(409, 'INS-10', echo(own)))
  const found = book.by_own_id.get(receipt)
  if (found === undefined || found.receipt !== receipt)
    return refuse(twin, 'not ours', replyWith(400, 'INS-35', echo(own)))
  book.used.add(own)
  if (found.state !== 'paid') return refuse(twin, 'not paid', replyWith(401, 'INS-6', echo(own)))
  reverse(book, found)
  const output_TransactionID = `REV${found.receipt}`
  return replyWith(200, 'INS-0', { ...echo(own), output_ConversationID: found.own_conversation, output_TransactionID })
}

/** Answers a name query. The name depends only on the phone number. */
export function lookUp(twin: Twin, fields: Texts): TwinReply {
  const { input_CustomerMSISDN: msisdn = '', input_ThirdPartyConversationID: own = '' } = fields
  if (twin.chances.fate(`name ${msisdn}`, msisdn) === 'no_such_number') return replyWith(400, 'INS-2051', echo(own))
  return replyWith(200, 'INS-0', {
    ...echo(own),
    output_CustomerFirstName: 'ASHA',
    output_CustomerLastName: `JUMA ${msisdn.slice(-4)}`,
  })
}

function isUsed(book: Twin['book'], conversation: string): boolean {
  return book.used.has(conversation) || book.by_conversation.has(conversation)
}

function ids({ own_conversation, conversation }: Transaction): Record<string, string> {
  return { output_ConversationID: own_conversation, ...echo(conversation) }
}

function echo(conversation: string): Record<string, string> {
  return { output_ThirdPartyConversationID: conversation }
}

function refused(twin: Twin, check: string, reply: TwinReply): Promise<TwinReply> {
  return Promise.resolve(refuse(twin, check, reply))
}

function refuse({ book }: Pick<Twin, 'book'>, check: string, reply: TwinReply): TwinReply {
  count(book.refusals, check)
  return reply
}
