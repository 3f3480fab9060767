// Checks the fields of a request, and chooses the code of each refusal.

/** The fields of a request before the checks. */
export type Fields = Readonly<Record<string, unknown>>
/** The fields of a request after the checks. */
export type Texts = Readonly<Record<string, string>>

/** A refusal: the code, and the name of the failed check for the books. */
export type Wrong = { check: string; code: string }

type Rule = { pattern: RegExp; code: string; may_miss?: boolean }

const rule = (pattern: RegExp, code: string): Rule => ({ pattern, code })
const COMMON: Record<string, Rule> = {
  input_Country: rule(/^TZN$/, 'INS-21'),
  input_ServiceProviderCode: rule(/^[0-9A-Za-z]{4,12}$/, 'INS-13'),
  input_ThirdPartyConversationID: rule(/^[0-9A-Za-z _]{1,40}$/, 'INS-28'),
}
const MONEY: Record<string, Rule> = {
  ...COMMON,
  input_Amount: rule(/^(?:\d+(?:\.\d+)?|\.\d+)$/, 'INS-15'),
  input_CustomerMSISDN: rule(/^\d{12,14}$/, 'INS-2051'),
  input_Currency: rule(/^TZS$/, 'INS-26'),
  input_TransactionReference: rule(/^[0-9a-zA-Z \w+]{1,20}$/, 'INS-17'),
}
const text = (code: string) => rule(/^[\s\S]{1,256}$/, code)

/** The rules of each call by field: the pattern of the value, and the code of the refusal. */
export const RULES = {
  c2b: { ...MONEY, input_PurchasedItemsDesc: text('INS-30') },
  b2c: { ...MONEY, input_PaymentItemsDesc: text('INS-31') },
  query: { ...COMMON, input_QueryReference: rule(/^[0-9A-Za-z _]{1,40}$/, 'INS-21') },
  reversal: {
    ...COMMON,
    input_TransactionID: rule(/^[0-9A-Za-z]{1,20}$/, 'INS-18'),
    input_ReversalAmount: { ...rule(/^(?:\d+(?:\.\d+)?|\.\d+)$/, 'INS-15'), may_miss: true },
  },
  name: {
    ...COMMON,
    input_CustomerMSISDN: rule(/^\d{12,14}$/, 'INS-2051'),
    input_KycQueryType: rule(/^Name$/, 'INS-21'),
  },
} satisfies Record<string, Record<string, Rule>>

/**
 * Checks that a request has each required field of the call, no unknown field, and only texts as values. If all fields are
 * valid, returns null.
 */
export function checkFields(call: keyof typeof RULES, fields: Fields): Wrong | null {
  const rules: Record<string, Rule> = RULES[call]
  for (const name of Object.keys(fields)) {
    if (!Object.hasOwn(rules, name)) return { check: `unknown ${name}`, code: 'INS-21' }
  }
  for (const [name, { pattern, code, may_miss }] of Object.entries(rules)) {
    const value = fields[name]
    if (value === undefined && may_miss) continue
    if (value === undefined) return { check: `missing ${name}`, code: 'INS-20' }
    if (typeof value !== 'string') return { check: `no text ${name}`, code: 'INS-21' }
    if (!pattern.test(value)) return { check: name, code }
  }
  return null
}

/**
 * Reads an amount of whole shillings. If the text is no such amount, returns null, because the network moves whole shillings
 * only.
 */
export function amountOf(amount: string): bigint | null {
  const whole = /^(\d{1,15})(?:\.0+)?$/.exec(amount)?.[1]
  return whole === undefined || BigInt(whole) === 0n ? null : BigInt(whole)
}
