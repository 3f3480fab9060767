// Translates the names of transaction types.

import { texts, useTexts } from '../../ui/language.ts'

const kinds = texts({
  sw: {
    COLLECTION: 'Malipo yaliyopokelewa',
    COLLECTION_REVERSAL: 'Malipo yaliyorudishwa kwa mlipaji',
    WITHDRAWAL: 'Utoaji pesa',
    WITHDRAWAL_REVERSAL: 'Utoaji pesa uliorudishwa',
    ADJUSTMENT: 'Marekebisho ya mwendeshaji',
  } as Record<string, string>,
  en: {
    COLLECTION: 'Payment received',
    COLLECTION_REVERSAL: 'Payment returned to the payer',
    WITHDRAWAL: 'Withdrawal',
    WITHDRAWAL_REVERSAL: 'Withdrawal returned',
    ADJUSTMENT: 'Adjustment by an operator',
  },
})

/** Returns the function that translates a type, and the translations of all types for a filter. */
export function useKinds() {
  const t = useTexts(kinds)
  return { word: (kind: string) => t[kind] ?? kind, choices: Object.entries(t) }
}

/** Translates the status of a transaction. A withdrawal has other statuses than a payment. */
export function statusWord(
  type: string,
  status: string,
  words: { collection: (word: string) => string; withdrawal: (word: string) => string },
): string {
  return type === 'WITHDRAWAL' ? words.withdrawal(status) : words.collection(status)
}
