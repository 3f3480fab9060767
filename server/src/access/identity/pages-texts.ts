// Defines the sentences of the identity pages, in Swahili and English.

import type { Language } from '../../kernel/lib/index.ts'

const sw = {
  code: 'sw',
  other: 'English',
  skip: 'Ruka hadi kwenye maudhui',
  problems: 'Kuna tatizo',
  problem_title: 'Tatizo',
  to_dashboard: 'Nenda kwenye dashibodi',
  go_on: 'Endelea',
  sign_in: 'Ingia',
  sign_in_lead: 'Ingia kwenye akaunti yako ya biashara.',
  email: 'Barua pepe',
  password: 'Nywila',
  forgot: 'Umesahau nywila?',
  no_account: 'Huna akaunti?',
  have_account: 'Una akaunti tayari?',
  create_account: 'Fungua akaunti',
  have_invitation: 'Umealikwa?',
  use_invitation: 'Weka nywila yako ya kwanza',
  invited_title: 'Unahitaji mwaliko',
  invited_lead:
    'Mfumo huu hufungua akaunti kwa mwaliko tu. Mwombe msimamizi wa biashara yako, au mwendeshaji wa mfumo, akualike kwa barua pepe yako.',
  sign_up_lead: 'Utaweza kujaribu mfumo mara moja. Malipo halisi huanza baada ya biashara yako kuidhinishwa.',
  business_name: 'Jina la biashara',
  person_name: 'Jina lako kamili',
  new_password: 'Nywila mpya',
  password_hint: 'Angalau herufi 8. Sentensi fupi ambayo wewe tu unaijua ni nzuri.',
  no_mail: 'Mfumo huu hautumi barua pepe',
  no_mail_lead:
    'Mwombe msimamizi wa mfumo akupe kiungo chako. Anaweza kukipata kwa amri hii kwenye seva: npm run -s admin -- emails',
  check_mail: 'Angalia barua pepe yako',
  check_mail_sign_up:
    'Tumetuma ujumbe kwa anwani uliyoandika. Fungua kiungo kilichomo ili kuthibitisha anwani yako. Usipouona, angalia kwenye barua taka.',
  check_mail_reset:
    'Tumetuma ujumbe kwa anwani uliyoandika. Kiungo kilichomo kinatumika mara moja, ndani ya dakika 30. Usipouona, angalia kwenye barua taka.',
  reset_title: 'Weka nywila mpya',
  reset_lead: 'Andika barua pepe ya akaunti yako. Tutakutumia kiungo cha kuweka nywila mpya.',
  send_link: 'Nitumie kiungo',
  choose_title: 'Chagua nywila mpya',
  choose_lead: 'Baada ya kuihifadhi, utatolewa kwenye vifaa vyote na utaingia upya.',
  welcome_title: 'Karibu',
  welcome_lead: 'Chagua nywila ya akaunti yako.',
  save: 'Hifadhi',
  password_saved: 'Nywila imehifadhiwa',
  password_saved_lead: 'Sasa ingia kwa nywila mpya.',
  confirm_title: 'Thibitisha barua pepe yako',
  confirm_lead: 'Andika nywila uliyochagua ulipofungua akaunti.',
  confirm: 'Thibitisha',
  confirmed: 'Barua pepe imethibitishwa',
  confirmed_lead: 'Asante. Umethibitisha kuwa anwani hii ni yako.',
  link_gone: 'Kiungo hiki hakitumiki tena',
  link_gone_lead: 'Kimeshatumika, au muda wake umepita. Omba kingine.',
  code_title: 'Hatua ya pili',
  code_lead: 'Fungua programu yako ya uthibitishaji na andika tarakimu 6 zinazoonekana.',
  or_code: 'Au fungua programu yako ya uthibitishaji na andika tarakimu 6 zinazoonekana.',
  code_label: 'Namba ya uthibitishaji',
  code_hint: 'Umepoteza simu? Andika hapa moja ya namba zako za dharura.',
  use_passkey: 'Tumia passkey yako',
  passkey: 'Passkey',
  passkey_failed: 'Passkey haikutumika. Jaribu tena, au andika namba ya uthibitishaji.',
  wrong_passkey: 'Passkey haikukubaliwa, au muda wake umepita. Jaribu tena.',
  add_passkey_title: 'Ongeza passkey',
  add_passkey_lead:
    'Kwa passkey, unathibitisha kuwa ni wewe kwa alama ya kidole, uso au PIN ya kifaa chako. Programu ya uthibitishaji na namba za dharura zinaendelea kutumika.',
  add_passkey: 'Ongeza passkey',
  add_passkey_failed: 'Passkey haikuongezwa. Labda kifaa hiki tayari kina passkey ya akaunti hii. Jaribu tena.',
  passkey_name: 'Jina la passkey',
  passkey_name_hint: 'Kwa mfano kifaa chako, ili uitambue baadaye.',
  passkey_known: 'Passkey hii imeshaongezwa.',
  passkeys_full: (max: number) => `Una passkey ${max} tayari. Ondoa moja kwanza.`,
  no_passkeys: 'Kivinjari hiki hakiwezi kutumia passkey, au hakiruhusu hati (JavaScript).',
  without_passkey: 'Rudi bila kuongeza passkey',
  enrol_title: 'Weka hatua ya pili',
  enrol_must: 'Akaunti yako inahitaji hatua ya pili ya kuingia.',
  enrol_lead: 'Ongeza akaunti hii kwenye programu ya uthibitishaji ya simu yako, kwa ufunguo huu:',
  enrol_open: 'Fungua kwenye programu ya uthibitishaji ya simu hii',
  enrol_code: 'Namba ya tarakimu 6 kutoka kwenye programu',
  recovery_title: 'Namba zako za dharura',
  recovery_lead:
    'Ziandike na uzihifadhi mahali salama. Kila moja inatumika mara moja, ukipoteza simu yako. Hazitaonyeshwa tena.',
  recovery_done: 'Nimezihifadhi, endelea',
  sign_out: 'Toka',
  sign_out_lead: 'Unataka kutoka kwenye kifaa hiki?',
  stay: 'Baki',
  signed_out: 'Umetoka',
  signed_out_lead: 'Akaunti yako imetoka kwenye kifaa hiki.',
  expired: 'Muda wa kuingia umepita',
  expired_lead: 'Ukurasa huu haufai tena. Anza upya kutoka kwenye dashibodi.',
  foreign: 'Ombi halikutoka kwenye ukurasa huu',
  foreign_lead: 'Fungua ukurasa upya na ujaribu tena.',
  failed: 'Kuna hitilafu upande wetu',
  failed_lead: 'Jaribu tena baada ya muda mfupi.',
  failed_wait: (wait: string) => `Jaribu tena baada ya ${wait}.`,
  busy: 'Watu wengi mno wanaingia sasa',
  busy_lead: (wait: string) => `Ombi lako halikushughulikiwa. Jaribu tena baada ya ${wait}.`,
  wait_title: 'Subiri kidogo',
  wait_lead: (wait: string) => `Umejaribu mara nyingi mno. Jaribu tena baada ya ${wait}.`,
  seconds: (n: number) => `sekunde ${n}`,
  minutes: (n: number) => `dakika ${n}`,
  wrong_sign_in: 'Barua pepe au nywila si sahihi.',
  wrong_password: 'Nywila si sahihi.',
  wrong_code: 'Namba si sahihi, au imeshatumika. Subiri namba mpya na ujaribu tena.',
  bad_email: 'Andika barua pepe kamili, kama jina@mfano.com.',
  missing_business: 'Andika jina la biashara.',
  missing_name: 'Andika jina lako.',
  missing_password: 'Andika nywila.',
  missing_code: 'Andika namba.',
  bad_text: 'Tumia herufi za kawaida, zisizozidi 100.',
  password_short: 'Nywila iwe na angalau herufi 8.',
  password_long: 'Nywila isizidi herufi 128.',
  password_common: 'Watu wengi hutumia nywila hii, kwa hiyo wezi huijaribu mapema. Chagua nyingine.',
  password_personal: 'Nywila isiwe barua pepe au jina lako.',
}

/** The sentences of the identity pages in one language. */
export type IdentityTexts = { [K in keyof typeof sw]: (typeof sw)[K] }

const en: IdentityTexts = {
  code: 'en',
  other: 'Kiswahili',
  skip: 'Skip to the content',
  problems: 'There is a problem',
  problem_title: 'Problem',
  to_dashboard: 'Go to the dashboard',
  go_on: 'Continue',
  sign_in: 'Sign in',
  sign_in_lead: 'Sign in to your business account.',
  email: 'E-mail address',
  password: 'Password',
  forgot: 'Forgot your password?',
  no_account: 'No account yet?',
  have_account: 'Have an account already?',
  create_account: 'Create an account',
  have_invitation: 'Do you have an invitation?',
  use_invitation: 'Set your first password',
  invited_title: 'You need an invitation',
  invited_lead:
    'This server creates accounts by invitation only. Ask the administrator of your business, or the operator of the platform, to invite your e-mail address.',
  sign_up_lead: 'You can try everything at once. Real payments begin when your business has been approved.',
  business_name: 'Name of the business',
  person_name: 'Your full name',
  new_password: 'New password',
  password_hint: 'At least 8 characters. A short sentence that only you know is a good one.',
  no_mail: 'This server sends no e-mail',
  no_mail_lead:
    'Ask its operator for your link. The operator finds it with this command on the server: npm run -s admin -- emails',
  check_mail: 'Check your e-mail',
  check_mail_sign_up:
    'We have sent a message to the address you gave. Open the link in it to confirm your address. If you do not see it, look in the spam folder.',
  check_mail_reset:
    'We have sent a message to the address you gave. The link in it works once, within 30 minutes. If you do not see it, look in the spam folder.',
  reset_title: 'Set a new password',
  reset_lead: 'Give the e-mail address of your account. We will send you a link to set a new password.',
  send_link: 'Send me the link',
  choose_title: 'Choose a new password',
  choose_lead: 'When you save it, you are signed out on all devices and sign in anew.',
  welcome_title: 'Welcome',
  welcome_lead: 'Choose the password of your account.',
  save: 'Save',
  password_saved: 'Password saved',
  password_saved_lead: 'Now sign in with the new password.',
  confirm_title: 'Confirm your e-mail address',
  confirm_lead: 'Give the password that you chose when you created the account.',
  confirm: 'Confirm',
  confirmed: 'E-mail address confirmed',
  confirmed_lead: 'Thank you. You have proven that this address is yours.',
  link_gone: 'This link works no longer',
  link_gone_lead: 'It was used already, or its time is over. Ask for another one.',
  code_title: 'Second step',
  code_lead: 'Open your authenticator app and give the 6 digits that it shows.',
  or_code: 'Or open your authenticator app and give the 6 digits that it shows.',
  code_label: 'Code',
  code_hint: 'Lost your phone? Give one of your recovery codes here.',
  use_passkey: 'Use your passkey',
  passkey: 'Passkey',
  passkey_failed: 'The passkey was not used. Try again, or give a code.',
  wrong_passkey: 'The passkey was not accepted, or its time is over. Try again.',
  add_passkey_title: 'Add a passkey',
  add_passkey_lead:
    'With a passkey, you confirm that it is you with a fingerprint, your face or the PIN of your device. The authenticator app and the recovery codes still work.',
  add_passkey: 'Add the passkey',
  add_passkey_failed:
    'The passkey was not added. Perhaps this device already has a passkey of this account. Try again.',
  passkey_name: 'Name of the passkey',
  passkey_name_hint: 'For example your device, so that you recognise it later.',
  passkey_known: 'This passkey was added already.',
  passkeys_full: (max) => `You have ${max} passkeys already. Remove one first.`,
  no_passkeys: 'This browser cannot use passkeys, or does not permit scripts (JavaScript).',
  without_passkey: 'Go back without a passkey',
  enrol_title: 'Set up the second step',
  enrol_must: 'Your account needs a second step at sign-in.',
  enrol_lead: 'Add this account to the authenticator app of your phone, with this key:',
  enrol_open: 'Open in the authenticator app of this phone',
  enrol_code: 'The 6 digits that the app shows',
  recovery_title: 'Your recovery codes',
  recovery_lead:
    'Write them down and keep them in a safe place. Each works once, when you have lost your phone. They are not shown again.',
  recovery_done: 'I have kept them, continue',
  sign_out: 'Sign out',
  sign_out_lead: 'Do you want to sign out on this device?',
  stay: 'Stay signed in',
  signed_out: 'You are signed out',
  signed_out_lead: 'Your account is no longer signed in on this device.',
  expired: 'This sign-in has expired',
  expired_lead: 'This page is no longer of use. Start again from the dashboard.',
  foreign: 'The request did not come from this page',
  foreign_lead: 'Open the page again and retry.',
  failed: 'Something went wrong on our side',
  failed_lead: 'Try again in a moment.',
  failed_wait: (wait) => `Try again in ${wait}.`,
  busy: 'Too many people are signing in now',
  busy_lead: (wait) => `The server did not process your request. Try again in ${wait}.`,
  wait_title: 'Please wait a little',
  wait_lead: (wait) => `There were too many attempts. Try again in ${wait}.`,
  seconds: (n) => (n === 1 ? '1 second' : `${n} seconds`),
  minutes: (n) => (n === 1 ? '1 minute' : `${n} minutes`),
  wrong_sign_in: 'The e-mail address or the password is not right.',
  wrong_password: 'The password is not right.',
  wrong_code: 'The code is not right, or was used already. Wait for a new code and try again.',
  bad_email: 'Give a whole e-mail address, such as name@example.com.',
  missing_business: 'Give the name of the business.',
  missing_name: 'Give your name.',
  missing_password: 'Give the password.',
  missing_code: 'Give the code.',
  bad_text: 'Use ordinary characters, at most 100.',
  password_short: 'The password must have at least 8 characters.',
  password_long: 'The password must have at most 128 characters.',
  password_common: 'Many people use this password, so attackers try it early. Choose another one.',
  password_personal: 'The password must not be your e-mail address or name.',
}

/** Returns the sentences of the identity pages in a language. */
export const TEXTS: Record<Language, IdentityTexts> = { sw, en }

/**
 * Returns the language of a page: `lang` of the URL, else the language that the dashboard requests, else the language of the
 * browser, else Swahili.
 */
export function languageOf(requested: readonly unknown[], accept: string | undefined): Language {
  const preferred = (accept ?? '')
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const q = parameters.find((parameter) => parameter.trim().startsWith('q='))
      return { tag, q: q === undefined ? 1 : Number(q.trim().slice(2)) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => tag)
  for (const tag of [...requested, ...preferred]) {
    if (typeof tag !== 'string') continue
    const language = tag.trim().split(/[\s-]/)[0]?.toLowerCase()
    if (language === 'sw' || language === 'en') return language
  }
  return 'sw'
}
