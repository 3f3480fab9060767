// Saves the selected payments of a list as a CSV file.

import { download } from '../../ui/api.ts'
import { useScope, withScope } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import type { BulkAct } from '../../ui/list-bulk.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { showAmount, showCount } from '../../ui/show.ts'
import { showToast } from '../../ui/toast.tsx'

const csvTexts = texts({
  sw: {
    save: 'Pakua CSV ya yaliyochaguliwa',
    saved: (count: string) => `Faili la CSV limepakuliwa: malipo ${count}.`,
  },
  en: {
    save: 'Download CSV of the selection',
    saved: (count: string) => `CSV file downloaded: ${count} ${count === '1' ? 'payment' : 'payments'}.`,
  },
})

type PaymentRow = { collection_id: string; amount: string | number; currency: string; reference?: string | null }

/** Returns the action that saves the selected payments as a CSV file. One request exports all of them. */
export function usePaymentsCsv(): BulkAct<PaymentRow> {
  const t = useTexts(csvTexts)
  const parts = useTexts(partsTexts)
  const scope = useScope()
  return {
    label: t.save,
    can: () => true,
    select: ({ amount, currency, reference, collection_id }) =>
      `${parts.select}: ${showAmount(amount, currency)}, ${reference ?? collection_id}`,
    runAll: async (rows) => {
      const ids = rows.map(({ collection_id }) => collection_id).join(',')
      await download('GET /v1/collections/export.csv', withScope(scope, { query: { ids } }), 'collections.csv')
      showToast(t.saved(showCount(rows.length)))
    },
  }
}
