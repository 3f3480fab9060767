// Contains the texts of the page about IP addresses.

import { texts } from '../../ui/language.ts'

/** The texts of the list, the form and the dialog. */
export const addressesTexts = texts({
  sw: {
    title: 'Anwani za IP',
    lead: 'Funguo halisi zilizowekewa masharti hufanya kazi kutoka anwani zilizoidhinishwa za orodha hii tu.',
    sandbox: 'Funguo za Majaribio haziwekewi masharti ya anwani. Orodha hii ina maana kwenye mazingira Halisi.',
    sandbox_none: 'Majaribio hayahitaji anwani',
    to_live: 'Fungua anwani za Halisi',
    label: 'Jina',
    label_help: 'Ili uitambue, kwa mfano "Seva ya duka".',
    address: 'Anwani',
    address_help: 'Anwani ya IPv4 au IPv6 ya seva yako, au mtandao mzima kama 203.0.113.0/24.',
    status: 'Hali',
    state: { PENDING: 'Inasubiri idhini', APPROVED: 'Imeidhinishwa', REJECTED: 'Imekataliwa' } as Record<
      string,
      string
    >,
    requested: 'Iliombwa',
    decided: 'Iliamuliwa',
    acts: 'Vitendo',
    remove: 'Ondoa',
    empty: 'Bado hakuna anwani',
    teach:
      'Ongeza anwani ya seva yako, kisha tengeneza ufunguo wenye sharti la anwani. Mwendeshaji huidhinisha kila anwani.',
    add: 'Ongeza anwani',
    add_help: (environment: string) =>
      `Kwa mazingira: ${environment}. Mwendeshaji akiidhinisha anwani, funguo zenye sharti la anwani zitafanya kazi kutoka humo.`,
    send: 'Omba idhini',
    added: (address: string) => `Umeongeza ${address}. Inasubiri idhini ya mwendeshaji.`,
    remove_title: (label: string) => `Ondoa "${label}"?`,
    remove_text: (address: string) =>
      `Funguo zenye sharti la anwani zitakataliwa kutoka ${address} kuanzia ombi linalofuata.`,
    remove_yes: 'Ndiyo, ondoa',
    removed: (label: string) => `Umeondoa "${label}".`,
  },
  en: {
    title: 'IP addresses',
    lead: 'Restricted live keys work only from the approved addresses of this list.',
    sandbox: 'This list applies to live keys only. Sandbox keys work from every address.',
    sandbox_none: 'Sandbox keys need no addresses',
    to_live: 'Open the live addresses',
    label: 'Name',
    label_help: 'A name for this address, for example "Shop server".',
    address: 'Address',
    address_help: "Your server's IPv4 or IPv6 address, or a whole network such as 203.0.113.0/24.",
    status: 'Status',
    state: { PENDING: 'Waits for approval', APPROVED: 'Approved', REJECTED: 'Rejected' },
    requested: 'Requested',
    decided: 'Decided',
    acts: 'Actions',
    remove: 'Remove',
    empty: 'No addresses yet',
    teach:
      "Add your server's address, then create a key that is restricted to addresses. An operator approves each address.",
    add: 'Add an address',
    add_help: (environment: string) =>
      `For the environment: ${environment}. If an operator approves the address, restricted keys work from the address.`,
    send: 'Ask for approval',
    added: (address: string) => `You added ${address}. The address waits for the approval of an operator.`,
    remove_title: (label: string) => `Remove "${label}"?`,
    remove_text: (address: string) =>
      `From the next request on, the server refuses requests from ${address} with keys that are restricted to addresses.`,
    remove_yes: 'Yes, remove it',
    removed: (label: string) => `You removed "${label}".`,
  },
})
