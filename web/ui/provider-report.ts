// Says in words what a provider reported. The history of a payment or a withdrawal stores such a report as "reversed 79500.00 TZS".

const MONEY = /^(succeeded|held|reversed) (\d+\.\d\d) ([A-Z]{3})(, but its page took no more payments)?$/
const DECLINE = /^declined (\w+)$/

const reportTexts = {
  sw: {
    succeeded: (amount: string) => `Mtoa huduma ameripoti: muamala umefanikiwa, ${amount}`,
    held: (amount: string) => `Mtoa huduma ameripoti: pesa zimezuiwa kwa ukaguzi, ${amount}`,
    reversed: (amount: string) => `Mtoa huduma ameripoti: pesa zimerudishwa, ${amount}`,
    declined: (reason: string) => `Mtoa huduma ameripoti: muamala umekataliwa (${reason})`,
    superseded: 'Ukurasa wa malipo haya haukuwa unapokea malipo tena.',
  },
  en: {
    succeeded: (amount: string) => `The provider reported: succeeded, ${amount}`,
    held: (amount: string) => `The provider reported: held for a review, ${amount}`,
    reversed: (amount: string) => `The provider reported: reversed, ${amount}`,
    declined: (reason: string) => `The provider reported: declined (${reason})`,
    superseded: 'The page of this payment took no more payments.',
  },
}

/** The functions that show the parts of a report: an amount with its currency, and the code of a reason in words. */
type ShowParts = { amount(amount: string, currency: string): string; reason(code: string): string | undefined }

/** Returns the text of a history in words. A code becomes its reason in words, and any other text stays unchanged. */
export function sayReport(text: string, language: 'sw' | 'en', show: ShowParts): string {
  const t = reportTexts[language]
  const money = MONEY.exec(text)
  if (money !== null) {
    const [, kind, amount = '', currency = '', superseded] = money
    const report = t[kind as 'succeeded' | 'held' | 'reversed'](show.amount(amount, currency))
    return superseded === undefined ? report : `${report}. ${t.superseded}`
  }
  const reason = show.reason(DECLINE.exec(text)?.[1] ?? '')
  return reason === undefined ? (show.reason(text) ?? text) : t.declined(reason)
}
