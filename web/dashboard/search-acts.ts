// Lists the actions that a member can find with the search of the dashboard.

import { texts, useTexts } from '../ui/language.ts'
import type { SearchPlace } from '../ui/search-dialog.tsx'
import type { Role } from './merchant.ts'

const actTexts = texts({
  sw: {
    new_link: 'Tengeneza kiungo cha malipo',
    new_invoice: 'Tengeneza ankara',
    withdraw: 'Toa pesa',
    invite: 'Alika mtumiaji',
    new_key: 'Tengeneza ufunguo wa API',
    webhook: 'Weka au jaribu webhook',
  },
  en: {
    new_link: 'Create a payment link',
    new_invoice: 'Create an invoice',
    withdraw: 'Withdraw money',
    invite: 'Invite a member',
    new_key: 'Create an API key',
    webhook: 'Set up or test a webhook',
  },
})

/** Returns the actions that a role allows. `at` returns the path of a page in the environment. */
export function useSearchActs(role: Role, at: (path: string) => string): SearchPlace[] {
  const t = useTexts(actTexts)
  const collects = role === 'MERCHANT_ADMIN' || role === 'FINANCE'
  const develops = role === 'MERCHANT_ADMIN' || role === 'DEVELOPER'
  const acts: (SearchPlace | false)[] = [
    collects && { to: at('links/new'), label: t.new_link, icon: 'link' },
    collects && { to: at('invoices/new'), label: t.new_invoice, icon: 'invoice' },
    collects && { to: at('withdrawals/new'), label: t.withdraw, icon: 'payout' },
    role === 'MERCHANT_ADMIN' && { to: at('members'), label: t.invite, icon: 'people' },
    develops && { to: at('keys'), label: t.new_key, icon: 'key' },
    develops && { to: at('webhooks'), label: t.webhook, icon: 'webhook' },
  ]
  return acts.filter((act) => act !== false).map((act) => ({ ...act, is_act: true }))
}
