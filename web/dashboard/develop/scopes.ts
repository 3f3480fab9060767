// Defines the scopes of API keys, and the selections of scopes that businesses often need.

import { texts } from '../../ui/language.ts'

/** Every scope, in the order in which the form shows them. */
export const SCOPES = [
  'collections:write',
  'collections:read',
  'payment_links:write',
  'payment_links:read',
  'invoices:write',
  'invoices:read',
  'transactions:read',
  'webhooks:manage',
  'disbursements:write',
  'disbursements:read',
  'requests:read',
] as const
/** The name of a scope, as the API writes it. */
export type Scope = (typeof SCOPES)[number]

/** The selections of scopes that the form offers. `by_hand` means that the member ticks each scope. */
export const PRESETS = ['shop', 'links', 'read', 'all', 'by_hand'] as const
/** The name of a selection of scopes in the form. */
export type Preset = (typeof PRESETS)[number]

/** The scopes that each selection gives to a key. */
export const SCOPES_OF: Record<Exclude<Preset, 'by_hand'>, readonly Scope[]> = {
  shop: ['collections:write', 'collections:read', 'transactions:read'],
  links: ['payment_links:write', 'payment_links:read', 'invoices:write', 'invoices:read', 'collections:read'],
  read: ['collections:read', 'payment_links:read', 'invoices:read', 'transactions:read', 'disbursements:read'],
  all: SCOPES,
}

/** The names and explanations of scopes and selections. */
export const scopeTexts = texts({
  sw: {
    scope: {
      'collections:write': 'Kutuma maombi ya malipo na kutengeneza misimbo ya QR',
      'collections:read': 'Kuona malipo',
      'payment_links:write': 'Kutengeneza na kusitisha viungo vya malipo',
      'payment_links:read': 'Kuona viungo vya malipo',
      'invoices:write': 'Kutengeneza, kutuma na kusitisha ankara',
      'invoices:read': 'Kuona ankara',
      'transactions:read': 'Kuona miamala na salio',
      'webhooks:manage': 'Kubadilisha anwani na matukio ya webhook',
      'disbursements:write': 'Kuomba utoaji pesa (kila ombi linasubiri idhini)',
      'disbursements:read': 'Kuona utoaji pesa',
      'requests:read': 'Kuona kumbukumbu ya maombi ya API, bila maudhui yake',
    } as Record<string, string>,
    preset: {
      shop: 'Duka la mtandaoni: kupokea malipo na kuona hali yake',
      links: 'Viungo na ankara: kutengeneza, kutuma na kuona',
      read: 'Kuona tu: hakuna kinachobadilishwa',
      all: 'Kila kitu, pamoja na kuomba utoaji pesa',
      by_hand: 'Nitachagua mwenyewe',
    } as Record<string, string>,
  },
  en: {
    scope: {
      'collections:write': 'Send payment prompts and create QR codes',
      'collections:read': 'See payments',
      'payment_links:write': 'Create and cancel payment links',
      'payment_links:read': 'See payment links',
      'invoices:write': 'Create, send and cancel invoices',
      'invoices:read': 'See invoices',
      'transactions:read': 'See transactions and the balance',
      'webhooks:manage': 'Change webhook endpoints and their events',
      'disbursements:write': 'Request withdrawals (each one waits for approval)',
      'disbursements:read': 'See withdrawals',
      'requests:read': 'See the log of API requests, without their bodies',
    },
    preset: {
      shop: 'Online shop: take payments and read their status',
      links: 'Links and invoices: create, send and see them',
      read: 'Read only: the key can change nothing',
      all: 'Everything, requests for withdrawals too',
      by_hand: 'I choose by hand',
    },
  },
})
