// Lists the actions that a member can find with the search of the dashboard.

import { texts, useTexts } from '../ui/language.ts'
import type { SearchPlace } from '../ui/search-match.ts'
import type { Role } from './merchant.ts'

const actTexts = texts({
  sw: {
    new_link: 'Tengeneza kiungo cha malipo',
    new_invoice: 'Tengeneza ankara',
    withdraw: 'Toa pesa',
    invite: 'Alika mtumiaji',
    new_key: 'Tengeneza ufunguo wa API',
    webhook: 'Weka au jaribu webhook',
    resend: 'Tuma tena webhook zilizoshindwa',
    switch_to: (environment: string) => `Badili mazingira: ${environment}`,
  },
  en: {
    new_link: 'Create a payment link',
    new_invoice: 'Create an invoice',
    withdraw: 'Withdraw money',
    invite: 'Invite a member',
    new_key: 'Create an API key',
    webhook: 'Set up or test a webhook',
    resend: 'Send failed webhooks again',
    switch_to: (environment: string) => `Change the environment: ${environment}`,
  },
})

/** The other environment by its name, and its switch. */
type OtherEnvironment = { name: string; choose: () => void }

/** Returns the actions that a role allows. `at` returns the path of a page in the environment. */
export function useSearchActs(role: Role, at: (path: string) => string, other: OtherEnvironment): SearchPlace[] {
  const t = useTexts(actTexts)
  const collects = role === 'MERCHANT_ADMIN' || role === 'FINANCE'
  const develops = role === 'MERCHANT_ADMIN' || role === 'DEVELOPER'
  const acts: (SearchPlace | false)[] = [
    collects && { to: at('links/new'), label: t.new_link, icon: 'link', words: 'new request omba mpya' },
    collects && { to: at('invoices/new'), label: t.new_invoice, icon: 'invoice', words: 'new bill bili mpya' },
    collects && {
      to: at('withdrawals/new'),
      label: t.withdraw,
      icon: 'payout',
      words: 'payout disburse send transfer cash out tuma hamisha',
    },
    role === 'MERCHANT_ADMIN' && { to: at('members'), label: t.invite, icon: 'people', words: 'add new ongeza' },
    develops && { to: at('keys'), label: t.new_key, icon: 'key', words: 'new mpya' },
    develops && { to: at('webhooks'), label: t.webhook, icon: 'webhook', words: 'url' },
    develops && {
      to: at('webhooks?status=failed'),
      label: t.resend,
      icon: 'refresh',
      words: 'resend retry redeliver replay missed rudia ujumbe',
    },
    {
      run: other.choose,
      label: t.switch_to(other.name),
      icon: 'flask',
      words: 'switch environment mode test sandbox live production mazingira majaribio halisi',
    },
  ]
  return acts.filter((act) => act !== false).map((act) => ({ ...act, is_act: true }))
}
