// Says in words what a provider reported. The history of a payment or a withdrawal stores such a report as "reversed 79500.00 TZS".

const MONEY = /^(succeeded|held|reversed) (\d+\.\d\d) ([A-Z]{3})(, but its page took no more payments)?$/
const DECLINE = /^declined (\w+)$/
const UNBOOKED = /^the ledger reserved (\d+\.\d\d) of (\d+\.\d\d); the provider answered (.+)$/

const reportTexts = {
  sw: {
    succeeded: (amount: string) => `Mtoa huduma ameripoti: muamala umefanikiwa, ${amount}`,
    held: (amount: string) => `Mtoa huduma ameripoti: pesa zimezuiwa kwa ukaguzi, ${amount}`,
    reversed: (amount: string) => `Mtoa huduma ameripoti: pesa zimerudishwa, ${amount}`,
    declined: (reason: string) => `Mtoa huduma ameripoti: muamala umekataliwa (${reason})`,
    superseded: 'Ukurasa wa malipo haya haukuwa unapokea malipo tena.',
    unbooked: (booked: string, needed: string, report: string) =>
      `Vitabu vilitenga ${booked} badala ya ${needed}, kwa hiyo seva haikuhamisha pesa. ${report}`,
    notes: {
      accepted: 'Mtoa huduma amepokea agizo na bado hajatoa jibu la mwisho.',
      not_found: 'Mtoa huduma ameulizwa na hana rekodi hii.',
      not_sent: 'Seva haikuweza kutuma agizo kwa mtoa huduma.',
      blocked: 'Mtoa huduma hakukubali anwani au ruhusa ya mfumo huu.',
      'blocked address': 'Mtoa huduma hakukubali anwani ya mfumo huu.',
      'blocked access': 'Mtoa huduma hakukubali nywila za mfumo huu, au njia ya malipo.',
      'blocked float': 'Akaunti ambayo mtoa huduma hutumia kulipa haina pesa za kutosha.',
      'unknown timeout': 'Mtoa huduma hakujibu kwa wakati, kwa hiyo matokeo hayajulikani.',
      'unknown ambiguous': 'Jibu la mtoa huduma halikuwa wazi, kwa hiyo matokeo hayajulikani.',
      'unknown unreadable': 'Seva haikuweza kusoma jibu la mtoa huduma, kwa hiyo matokeo hayajulikani.',
      'unknown unseen_status': 'Mtoa huduma alitoa hali ambayo seva haiijui, kwa hiyo matokeo hayajulikani.',
      'unknown not_asked': 'Seva haikumuuliza mtoa huduma, kwa hiyo matokeo hayajulikani.',
      'unknown unreachable': 'Seva haikuweza kumfikia mtoa huduma, kwa hiyo matokeo hayajulikani.',
      'unknown busy': 'Mtoa huduma alikuwa na kazi nyingi na hakutoa matokeo.',
      'unknown refused_us': 'Mtoa huduma hakukubali swali la seva, kwa hiyo matokeo hayajulikani.',
      'no final answer in time': 'Mtoa huduma hakutoa jibu la mwisho kwa wakati.',
      'the server could not send the payout in time': 'Seva haikuweza kutuma agizo kwa wakati.',
    } as Record<string, string>,
  },
  en: {
    succeeded: (amount: string) => `The provider reported: succeeded, ${amount}`,
    held: (amount: string) => `The provider reported: held for a review, ${amount}`,
    reversed: (amount: string) => `The provider reported: reversed, ${amount}`,
    declined: (reason: string) => `The provider reported: declined (${reason})`,
    superseded: 'The page of this payment took no more payments.',
    unbooked: (booked: string, needed: string, report: string) =>
      `The books had reserved ${booked} instead of ${needed}, so the server moved no money. ${report}`,
    notes: {
      accepted: 'The provider accepted the request and has not given a final answer.',
      not_found: 'The provider was asked and has no record of it.',
      not_sent: 'The server could not send the request to the provider.',
      blocked: 'The provider refused the address or the access of this installation.',
      'blocked address': 'The provider refused the address of this installation.',
      'blocked access': 'The provider refused the credentials of this installation, or the payout method.',
      'blocked float': 'The account from which the provider pays has too little money.',
      'unknown timeout': 'The provider did not answer in time, so the outcome is unknown.',
      'unknown ambiguous': 'The answer of the provider was not clear, so the outcome is unknown.',
      'unknown unreadable': 'The server could not read the answer of the provider, so the outcome is unknown.',
      'unknown unseen_status': 'The provider gave a status that the server does not know, so the outcome is unknown.',
      'unknown not_asked': 'The server did not ask the provider, so the outcome is unknown.',
      'unknown unreachable': 'The server could not reach the provider, so the outcome is unknown.',
      'unknown busy': 'The provider was too busy to give the outcome.',
      'unknown refused_us': 'The provider refused the question of the server, so the outcome is unknown.',
      'no final answer in time': 'The provider gave no final answer in time.',
      'the server could not send the payout in time': 'The server could not send the payout in time.',
    } as Record<string, string>,
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
  const unbooked = UNBOOKED.exec(text)
  if (unbooked !== null) {
    const [, booked = '', needed = '', answer = ''] = unbooked
    return t.unbooked(show.amount(booked, 'TZS'), show.amount(needed, 'TZS'), sayReport(answer, language, show))
  }
  const note = Object.hasOwn(t.notes, text) ? t.notes[text] : undefined
  if (note !== undefined) return note
  const reason = show.reason(DECLINE.exec(text)?.[1] ?? '')
  return reason === undefined ? (show.reason(text) ?? text) : t.declined(reason)
}
