// Contains the texts of the audit log of a business.

import { texts } from '../../ui/language.ts'

/** The titles, filters and column names of the audit log. */
export const activityTexts = texts({
  sw: {
    title: 'Historia ya shughuli',
    lead: 'Nani amefanya nini kwenye biashara hii. Seva haifuti rekodi yoyote humu.',
    only: 'Historia hii inaonekana kwa wasimamizi wa biashara tu.',
    time: 'Muda',
    who: 'Nani',
    what: 'Alichofanya',
    from: 'Kutoka anwani',
    operator: 'Mwendeshaji wa mfumo',
    key: 'Ufunguo',
    system: 'Seva',
    reason: 'Sababu',
    before: 'Kabla',
    after: 'Baada',
    about: 'Kuhusu',
    request: 'Namba ya ombi',
    details: 'Maelezo zaidi',
    empty: 'Bado hakuna shughuli',
    teach: 'Mtu akitengeneza ufunguo, akitoa pesa au akialika mtumiaji, inaandikwa hapa.',
  },
  en: {
    title: 'Audit log',
    lead: 'The actions in this business, with the actor of each. The server deletes no entry.',
    only: 'Only administrators of the business may read the audit log.',
    time: 'Time',
    who: 'Actor',
    what: 'Action',
    from: 'From address',
    operator: 'Operator of the platform',
    key: 'Key',
    system: 'Server',
    reason: 'Reason',
    before: 'Before',
    after: 'After',
    about: 'About',
    request: 'Request id',
    details: 'Details',
    empty: 'No entries yet',
    teach: 'Actions appear here, for example a new key, a withdrawal or an invitation.',
  },
})
