// Offers actions on the selected payments of a list: save them as CSV, send their webhooks again, copy their references.

import { download } from '../../ui/api.ts'
import { useScope, withScope } from '../../ui/data.ts'
import { texts, useTexts } from '../../ui/language.ts'
import type { BulkAct } from '../../ui/list-bulk.tsx'
import { CopyButton } from '../../ui/parts.tsx'
import { partsTexts } from '../../ui/parts-texts.ts'
import { showAmount, showCount } from '../../ui/show.ts'
import { showToast } from '../../ui/toast.tsx'
import { ResendSelected } from './resend-selected.tsx'
import { nameOfPayment, type SelectablePayment } from './selectable-payment.ts'

const bulkPaymentTexts = texts({
  sw: {
    save: 'Pakua CSV ya yaliyochaguliwa',
    saved: (count: string) => `Faili la CSV limepakuliwa: malipo ${count}.`,
    copy: 'Nakili namba za kumbukumbu',
  },
  en: {
    save: 'Download CSV of the selection',
    saved: (count: string) => `CSV file downloaded: ${count} ${count === '1' ? 'payment' : 'payments'}.`,
    copy: 'Copy references',
  },
})

/** Returns the actions on the selected payments. One request exports all of them. */
export function usePaymentsBulk(): BulkAct<SelectablePayment> {
  const t = useTexts(bulkPaymentTexts)
  const parts = useTexts(partsTexts)
  const scope = useScope()
  return {
    label: t.save,
    can: () => true,
    select: (row) => `${parts.select}: ${showAmount(row.amount, row.currency)}, ${nameOfPayment(row)}`,
    run: async (rows) => {
      const ids = rows.map(({ collection_id }) => collection_id).join(',')
      await download('GET /v1/collections/export.csv', withScope(scope, { query: { ids } }), 'collections.csv')
      showToast(t.saved(showCount(rows.length)))
      return rows.map(({ collection_id }) => collection_id)
    },
    more: (rows, choose) => (
      <>
        {rows.length === 0 ? null : <CopyButton text={rows.map(nameOfPayment).join('\n')} label={t.copy} />}
        <ResendSelected rows={rows} choose={choose} />
      </>
    ),
  }
}
