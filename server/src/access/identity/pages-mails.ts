// Writes the e-mails of the identity provider in the language of the recipient.

import type { Email } from '../../adapters/messages/index.ts'
import { type Language, showTime } from '../../kernel/lib/index.ts'

/**
 * The recipient of an e-mail, the URL of its link, and the action that the e-mail reports. `new_email` is the masked address
 * that a user asked for.
 */
export type IdentityMail = {
  to: string
  language: Language
  brand: string
  url: string
  act?: MailedAct
  new_email?: string
}

const BODIES = {
  'identity.confirm': {
    sw: (b: string, u: string) => [
      `${b}: thibitisha barua pepe yako`,
      `Karibu ${b}.\n\nFungua kiungo hiki ili kuthibitisha anwani yako. Kinatumika kwa siku 7:\n${u}\n\nKama hukufungua akaunti, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: confirm your e-mail address`,
      `Welcome to ${b}.\n\nOpen this link to confirm your address. The link works for 7 days:\n${u}\n\nIf you did not create an account, do nothing.`,
    ],
  },
  'identity.known': {
    sw: (b: string, u: string) => [
      `${b}: una akaunti tayari`,
      `Mtu amejaribu kufungua akaunti ya ${b} kwa anwani hii, lakini ipo tayari.\n\nKama ni wewe, ingia kwa nywila yako. Kama huna, weka mpya hapa ndani ya dakika 30:\n${u}\n\nKama si wewe, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: you have an account already`,
      `A person tried to create an account at ${b} with this address, but the address already has an account.\n\nIf it was you, sign in with your password. If you have no password, set a password here within 30 minutes:\n${u}\n\nIf it was not you, do nothing.`,
    ],
  },
  'identity.reset': {
    sw: (b: string, u: string) => [
      `${b}: weka nywila mpya`,
      `Fungua kiungo hiki ili kuweka nywila mpya. Kinatumika mara moja, ndani ya dakika 30:\n${u}\n\nKama hukuomba, usifanye chochote: nywila yako haijabadilika.`,
    ],
    en: (b: string, u: string) => [
      `${b}: set a new password`,
      `Open this link to set a new password. The link works once, within 30 minutes:\n${u}\n\nIf you did not ask for the link, do nothing: your password has not changed.`,
    ],
  },
  'identity.unknown': {
    sw: (b: string, u: string) => [
      `${b}: hakuna akaunti kwa anwani hii`,
      `Mtu ameomba nywila mpya ya ${b} kwa anwani hii, lakini haina akaunti. Labda ulitumia anwani nyingine.\n\nUnaweza kufungua akaunti hapa:\n${u}\n\nKama si wewe, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: no account with this address`,
      `A person asked for a new password at ${b} for this address, but the address has no account. Perhaps you used another address.\n\nYou can create an account here:\n${u}\n\nIf it was not you, do nothing.`,
    ],
  },
  'identity.uninvited': {
    sw: (b: string, u: string) => [
      `${b}: hakuna akaunti kwa anwani hii`,
      `Mtu ameomba nywila mpya ya ${b} kwa anwani hii, lakini haina akaunti wala mwaliko. Labda ulitumia anwani nyingine.\n\nAkaunti hufunguliwa kwa mwaliko tu:\n${u}\n\nKama si wewe, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: no account with this address`,
      `A person asked for a new password at ${b} for this address, but the address has no account and no invitation. Perhaps you used another address.\n\nAn account needs an invitation:\n${u}\n\nIf it was not you, do nothing.`,
    ],
  },
  'identity.changed': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: nywila yako imebadilishwa`,
      `Nywila ya akaunti yako ya ${b} imebadilishwa. Umetolewa kwenye vifaa vyote.\n\n${facts}\n\nKama si wewe, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: your password has changed`,
      `A person changed the password of your account at ${b}. You are now signed out on all devices.\n\n${facts}\n\nIf it was not you, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.recovery': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: namba ya dharura imetumika`,
      `Mtu ametumia moja ya namba za dharura za akaunti yako ya ${b}. Namba hiyo haitumiki tena.\n\n${facts}\n\nKama si wewe, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: a person used a recovery code`,
      `A person used one of the recovery codes of your account at ${b}. That code no longer works.\n\n${facts}\n\nIf it was not you, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.new_place': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: umeingia kwenye kivinjari kipya`,
      `Mtu ameingia kwenye akaunti yako ya ${b} kwa kivinjari ambacho hakijawahi kutumika.\n\n${facts}\n\nKama ni wewe, usifanye chochote. Kama si wewe, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: sign-in from a new browser`,
      `A person signed in to your account at ${b} with a browser that is new to the account.\n\n${facts}\n\nIf it was you, do nothing. If it was not you, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.second_step': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: hatua ya pili ya kuingia imewekwa`,
      `Hatua ya pili ya kuingia imewekwa kwenye akaunti yako ya ${b}, na umetolewa kwenye vifaa vingine.\n\n${facts}\n\nKama si wewe, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: your sign-in has a new second step`,
      `A person set up the second step of the sign-in for your account at ${b}. You are now signed out on other devices.\n\n${facts}\n\nIf it was not you, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.second_step_removed': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: hatua ya pili ya kuingia imeondolewa`,
      `Msimamizi wa ${b} ameondoa hatua ya pili ya kuingia kwenye akaunti yako, na umetolewa kwenye vifaa vyote.\n\n${facts}\n\nKama hukuomba, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: your sign-in no longer has a second step`,
      `An administrator of ${b} removed the second step of the sign-in from your account. You are now signed out on all devices.\n\n${facts}\n\nIf you did not ask for the removal, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.passkey_added': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: passkey imeongezwa kwenye akaunti yako`,
      `Passkey mpya imeongezwa kwenye akaunti yako ya ${b}, na umetolewa kwenye vifaa vingine.\n\n${facts}\n\nKama si wewe, iondoe na uweke nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: your account has a new passkey`,
      `A person added a new passkey to your account at ${b}. You are now signed out on other devices.\n\n${facts}\n\nIf it was not you, remove the passkey and set a new password immediately here:\n${u}`,
    ],
  },
  'identity.passkey_removed': {
    sw: (b: string, u: string, facts: string) => [
      `${b}: passkey imeondolewa kwenye akaunti yako`,
      `Passkey imeondolewa kwenye akaunti yako ya ${b}.\n\n${facts}\n\nKama si wewe, weka nywila mpya mara moja hapa:\n${u}`,
    ],
    en: (b: string, u: string, facts: string) => [
      `${b}: a person removed a passkey from your account`,
      `A person removed a passkey from your account at ${b}.\n\n${facts}\n\nIf it was not you, set a new password immediately here:\n${u}`,
    ],
  },
  'identity.email_change': {
    sw: (b: string, u: string) => [
      `${b}: thibitisha barua pepe yako mpya`,
      `Mtu ameomba kutumia anwani hii kwa akaunti ya ${b}.\n\nKama ni wewe, fungua kiungo hiki, kisha andika nywila ya akaunti yako. Kinatumika mara moja, ndani ya saa 1. Hadi hapo, akaunti inabaki na anwani ya sasa:\n${u}\n\nKama si wewe, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: confirm your new e-mail address`,
      `A person asked to use this address for an account at ${b}.\n\nIf it was you, open this link, then enter the password of your account. The link works once, within 1 hour. Until then, the account keeps its present address:\n${u}\n\nIf it was not you, do nothing.`,
    ],
  },
  'identity.email_requested': {
    sw: (b: string, u: string, facts: string, n: string) => [
      `${b}: ombi la kubadilisha barua pepe yako`,
      `Mtu ameomba kubadilisha barua pepe ya akaunti yako ya ${b} iwe ${n}. Haibadiliki hadi afungue kiungo kilichotumwa kwa anwani hiyo na kuandika nywila yako, ndani ya saa 1.\n\n${facts}\n\nKama ni wewe, fungua kiungo hicho. Kama si wewe, weka nywila mpya mara moja hapa, ili kiungo hicho kisitumike tena:\n${u}`,
    ],
    en: (b: string, u: string, facts: string, n: string) => [
      `${b}: a request to change your e-mail address`,
      `A person asked to change the e-mail address of your account at ${b} to ${n}. It changes only when a person opens the link mailed to that address and enters your password, within 1 hour.\n\n${facts}\n\nIf it was you, open that link. If it was not you, set a new password immediately here, so that the link no longer works:\n${u}`,
    ],
  },
  'identity.email_taken': {
    sw: (b: string, u: string) => [
      `${b}: anwani hii ina akaunti tayari`,
      `Mtu ameomba kutumia anwani hii kwa akaunti nyingine ya ${b}, lakini anwani ina akaunti au mwaliko tayari. Hakuna kilichobadilika.\n\nKama ni wewe, ingia kwa anwani hii. Kama huna nywila, omba kiungo hapa:\n${u}\n\nKama si wewe, usifanye chochote.`,
    ],
    en: (b: string, u: string) => [
      `${b}: this address has an account already`,
      `A person asked to use this address for another account at ${b}, but the address has an account or an invitation already. Nothing has changed.\n\nIf it was you, sign in with this address. If you have no password, ask for a link here:\n${u}\n\nIf it was not you, do nothing.`,
    ],
  },
  'identity.email_changed': {
    sw: (b: string, _u: string, facts: string) => [
      `${b}: barua pepe ya akaunti yako imebadilishwa`,
      `Barua pepe ya akaunti yako ya ${b} imebadilishwa. Anwani hii haitumiki tena kuingia, na umetolewa kwenye vifaa vyote.\n\n${facts}\n\nKama ni wewe, ingia kwa anwani mpya. Kama si wewe, mwambie mwendeshaji wa ${b} mara moja.`,
    ],
    en: (b: string, _u: string, facts: string) => [
      `${b}: the e-mail address of your account has changed`,
      `A person changed the e-mail address of your account at ${b}. You can no longer sign in with this address, and you are now signed out on all devices.\n\n${facts}\n\nIf it was you, sign in with the new address. If it was not you, tell the operator of ${b} immediately.`,
    ],
  },
} satisfies Record<string, Record<Language, (brand: string, url: string, facts: string, new_email: string) => string[]>>

/**
 * The time, the IP address and the device of a reported action. Null as `address`, or an empty `device`, means unknown.
 */
export type MailedAct = { at: Date; address: string | null; device: string }

const FACTS = {
  sw: { at: 'Wakati', device: 'Kifaa', unknown: 'hakijulikani', address: 'Anwani ya IP' },
  en: { at: 'Time', device: 'Device', unknown: 'unknown', address: 'IP address' },
} as const

function factLines(act: MailedAct | undefined, language: Language): string {
  if (act === undefined) return ''
  const words = FACTS[language]
  const time = `${words.at}: ${showTime(act.at, language)}`
  if (act.address === null) return time
  return `${time}\n${words.device}: ${act.device || words.unknown}\n${words.address}: ${act.address}`
}

const BUTTONS = {
  sw: {
    confirm: 'Thibitisha anwani',
    password: 'Weka nywila mpya',
    sign_up: 'Fungua akaunti',
    invitation: 'Soma kuhusu mialiko',
  },
  en: {
    confirm: 'Confirm the address',
    password: 'Set a new password',
    sign_up: 'Create an account',
    invitation: 'Read about invitations',
  },
} as const

/** The buttons other than `password`. Null means that the e-mail has no button. */
const BUTTON_OF: { [Kind in keyof typeof BODIES]?: keyof (typeof BUTTONS)['en'] | null } = {
  'identity.confirm': 'confirm',
  'identity.email_change': 'confirm',
  // The server sends this e-mail to the earlier address, which can no longer set a password.
  'identity.email_changed': null,
  'identity.unknown': 'sign_up',
  'identity.uninvited': 'invitation',
}

/** Returns an e-mail of the given kind in the language of the recipient. */
export function identityMail(
  kind: keyof typeof BODIES,
  { to, language, brand, url, act, new_email = '' }: IdentityMail,
): Email {
  const [subject = '', text = ''] = BODIES[kind][language](brand, url, factLines(act, language), new_email)
  const { [kind]: button = 'password' } = BUTTON_OF
  return { kind, to, subject, text, ...(button && { button: { label: BUTTONS[language][button], url } }) }
}
