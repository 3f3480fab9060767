// Finds the list that shows all hits of a search in the dashboard. The search itself shows only the newest hits of a kind.

import { texts, useTexts } from '../ui/language.ts'
import { isPhoneFilter, plainNumber, readPhone } from '../ui/phone-number.ts'
import type { FoundGroup, ListsOfGroup } from '../ui/search-dialog.tsx'
import { showPhone } from '../ui/show.ts'

const listTexts = texts({
  sw: {
    phone: (phone: string) => `Ona yote: simu ${phone}`,
    digits: (digits: string) => `Ona yote: simu inayoishia na ${digits}`,
    reference: (text: string) => `Ona yote: namba ya kumbukumbu inayoanza na ${text}`,
  },
  en: {
    phone: (phone: string) => `See all: phone ${phone}`,
    digits: (digits: string) => `See all: phone ends with ${digits}`,
    reference: (text: string) => `See all: reference begins with ${text}`,
  },
})

/** The lists that filter by the beginning of a reference. The list of payments also filters by a phone. */
const LISTS: Partial<Record<FoundGroup['kind'], { path: string; icon: 'collect' | 'payout' }>> = {
  payment: { path: 'collections', icon: 'collect' },
  withdrawal: { path: 'withdrawals', icon: 'payout' },
}

/**
 * Returns the lists with all hits of a group, for each filter that a shown hit passes. `at` returns the path of a page in the
 * environment.
 */
export function useSearchLists(at: (path: string) => string): ListsOfGroup {
  const t = useTexts(listTexts)
  return ({ kind, items }, typed) => {
    const list = LISTS[kind]
    if (list === undefined) return []
    const text = typed.trim().replace(/\s+/g, ' ')
    const phone = readPhone(text)
    const digits = plainNumber(text).replace(/[ -]/g, '')
    const hasPhone = items.some((hit) => hit.phone?.endsWith(phone ?? digits))
    const hasReference = items.some(({ reference }) => reference?.toLowerCase().startsWith(text.toLowerCase()))
    const filtered = (name: string, value: string, label: string) => ({
      to: at(`${list.path}?${name}=${encodeURIComponent(value)}`),
      label,
      icon: list.icon,
    })
    return [
      ...(kind === 'payment' && isPhoneFilter(text) && hasPhone
        ? [filtered('phone', phone ?? digits, phone === null ? t.digits(digits) : t.phone(showPhone(phone)))]
        : []),
      ...(hasReference ? [filtered('reference', text, t.reference(text))] : []),
    ]
  }
}
