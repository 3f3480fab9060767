// Contains the texts of the page about members.

import { texts } from '../../ui/language.ts'

/** The texts of the list, the invitation, and the dialogs. */
export const membersTexts = texts({
  sw: {
    title: 'Watumiaji',
    lead: 'Watu wanaoweza kuingia kwenye biashara hii, na wanachoweza kufanya.',
    name: 'Jina',
    email: 'Barua pepe',
    role: 'Jukumu',
    since: 'Tangu',
    acts: 'Vitendo',
    you: 'wewe',
    no_mail:
      'Mfumo huu hautumi barua pepe. Kama kikomo cha siku hakijafikiwa, mwendeshaji anausoma mwaliko kwenye ukurasa wake wa Ujumbe.',
    change: 'Badilisha jukumu',
    remove: 'Ondoa',
    leave: 'Jiondoe',
    may: {
      MERCHANT_ADMIN: 'Ana haki za majukumu mengine yote; husimamia watumiaji na huona historia ya shughuli.',
      DEVELOPER:
        'Funguo za API, webhook, maombi ya API na anwani za IP. Anaona malipo; haoni historia ya shughuli wala wapokeaji; hatoi pesa.',
      FINANCE:
        'Kutoa pesa, ankara na viungo vya malipo. Anaona malipo; haoni historia ya shughuli wala maombi ya API; hagusi funguo.',
      VIEWER:
        'Anaona malipo, ankara, viungo vya malipo, utoaji pesa na taarifa za akaunti. Haombi wala hatoi pesa; habadilishi mipangilio ya biashara.',
    } as Record<string, string>,
    invite: 'Alika mtu',
    invite_help:
      'Seva inamtumia barua pepe, isipokuwa kama kikomo cha siku kimefikiwa, kwa mfano mialiko 3 kwa anwani moja. Akiingia kwa anwani hii, ataiona biashara hii.',
    name_help: 'Jina mtakalomtambua.',
    send: 'Tuma mwaliko',
    invited: (email: string) => `Umemwalika ${email}.`,
    unproven: 'Thibitisha kwanza barua pepe yako: fungua kiungo tulichokutumia ulipojiandikisha.',
    only: 'Msimamizi ndiye anayealika, kubadilisha majukumu na kuondoa watumiaji.',
    change_title: (email: string) => `Jukumu la ${email}`,
    change_text: 'Jukumu jipya linaanza kwenye ombi lake linalofuata.',
    change_yes: 'Badilisha jukumu',
    changed: (email: string, role: string) => `Jukumu la ${email} sasa ni ${role}.`,
    remove_title: (email: string) => `Ondoa ${email}?`,
    remove_text:
      'Atakataliwa mara moja kwenye biashara hii. Funguo za API alizotengeneza zitazimwa pia, isipokuwa utakazochagua kubaki: seva zinazotumia funguo zilizozimwa zitakataliwa.',
    keys_made: 'Funguo za API alizotengeneza',
    keys_help:
      'Weka alama kwenye funguo ambazo seva zenu bado zinazihitaji. Anayeondoka anaweza kuwa na nakala ya ufunguo.',
    keys_revoked: 'Funguo za API zitakazozimwa',
    key_ends: 'Seva itauzima',
    key_stays: 'Utaendelea kufanya kazi',
    remove_yes: 'Ndiyo, ondoa',
    removed: (email: string, keys: string) =>
      keys === '' ? `Umemwondoa ${email}.` : `Umemwondoa ${email}. Funguo za API ambazo seva imezima: ${keys}.`,
    leave_title: 'Jiondoe kwenye biashara hii?',
    leave_text: 'Hutaiona tena biashara hii mpaka msimamizi akualike upya. Funguo za API ulizotengeneza zitazimwa.',
    leave_yes: 'Ndiyo, nijiondoe',
    empty: 'Hakuna watumiaji',
  },
  en: {
    title: 'Members',
    lead: 'The people who can sign in to this business, with their roles.',
    name: 'Name',
    email: 'E-mail',
    role: 'Role',
    since: 'Since',
    acts: 'Actions',
    you: 'you',
    no_mail:
      'This installation sends no e-mail. If no daily limit is reached, an operator can read the invitation on the page Messages of the operators.',
    change: 'Change role',
    remove: 'Remove',
    leave: 'Leave',
    may: {
      MERCHANT_ADMIN: 'Has the rights of the other roles, manages members, and reads the audit log.',
      DEVELOPER:
        'API keys, webhooks, API requests and IP addresses. Reads payments, but neither the audit log nor saved recipients; withdraws no money.',
      FINANCE:
        'Withdraws money, creates invoices and payment links. Reads payments, but neither the audit log nor API requests; cannot change keys.',
      VIEWER:
        'Reads payments, invoices, payment links, withdrawals and statements. Cannot request or withdraw money, and cannot change settings of the business.',
    },
    invite: 'Invite a member',
    invite_help:
      'The server sends an e-mail, unless a daily limit is reached, for example 3 invitations to one address. The invited person sees this business after signing in with this address.',
    name_help: 'The name by which you know this person.',
    send: 'Send the invitation',
    invited: (email: string) => `You invited ${email}.`,
    unproven: 'Confirm your own e-mail address first: open the link that we sent when you signed up.',
    only: 'Administrators invite people, change roles and remove members.',
    change_title: (email: string) => `Role of ${email}`,
    change_text: 'The new role applies from the next request of this member on.',
    change_yes: 'Change the role',
    changed: (email: string, role: string) => `The role of ${email} is now ${role}.`,
    remove_title: (email: string) => `Remove ${email}?`,
    remove_text:
      'This member loses access to the business immediately. The server also revokes the API keys that the member created, except those that you keep, and refuses servers that use a revoked key.',
    keys_made: 'API keys that this member created',
    keys_help: 'Tick the keys that your servers still need. The person who leaves may have a copy of a key.',
    keys_revoked: 'API keys that the server revokes',
    key_ends: 'The server revokes this key',
    key_stays: 'Stays valid',
    remove_yes: 'Yes, remove them',
    removed: (email: string, keys: string) =>
      keys === '' ? `You removed ${email}.` : `You removed ${email}. The server revoked these API keys: ${keys}.`,
    leave_title: 'Leave this business?',
    leave_text:
      'You will not see this business again until an administrator invites you again. The server revokes the API keys that you created.',
    leave_yes: 'Yes, leave',
    empty: 'No members',
  },
})
