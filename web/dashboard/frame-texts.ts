// Contains the texts of the dashboard's frame.

import { texts } from '../ui/language.ts'

/** The texts of the menu, the switches, and the page for a user without a business. */
export const frameTexts = texts({
  sw: {
    home: 'Mwanzo',
    collect: 'Kupokea pesa',
    collections: 'Makusanyo',
    links: 'Viungo vya malipo',
    invoices: 'Ankara',
    money: 'Pesa zako',
    withdrawals: 'Utoaji pesa',
    transactions: 'Miamala',
    statements: 'Taarifa za akaunti',
    develop: 'Wasanidi programu',
    keys: 'Funguo za API',
    webhooks: 'Webhook',
    requests: 'Maombi ya API',
    business: 'Biashara',
    members: 'Watumiaji',
    addresses: 'Anwani za IP',
    messages: 'Ujumbe uliotumwa',
    activity: 'Historia ya shughuli',
    environment: 'Mazingira',
    merchant: 'Biashara',
    no_business_title: 'Bado huna biashara hapa',
    no_business:
      'Umeingia, lakini hujawekwa kwenye biashara yoyote. Mwombe msimamizi wa biashara akualike kwa barua pepe hii:',
    unproven: 'Barua pepe yako haijathibitishwa bado: fungua kiungo tulichokutumia.',
  },
  en: {
    home: 'Home',
    collect: 'Getting paid',
    collections: 'Collections',
    links: 'Payment links',
    invoices: 'Invoices',
    money: 'Your money',
    withdrawals: 'Withdrawals',
    transactions: 'Transactions',
    statements: 'Statements',
    develop: 'Developers',
    keys: 'API keys',
    webhooks: 'Webhooks',
    requests: 'API requests',
    business: 'Business',
    members: 'Members',
    addresses: 'IP addresses',
    messages: 'Messages sent',
    activity: 'Activity log',
    environment: 'Environment',
    merchant: 'Business',
    no_business_title: 'You have no business here yet',
    no_business:
      'You are signed in, but you do not belong to any business. Ask an administrator of the business to invite this address:',
    unproven: 'Your e-mail address is not confirmed yet: open the link that we sent you.',
  },
})
