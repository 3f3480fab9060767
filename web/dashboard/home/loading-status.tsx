// Tells screen readers that a part of the first page loads. Grey places of the same size stand for its figures.

import { useTexts } from '../../ui/language.ts'
import { partsTexts } from '../../ui/parts-texts.ts'

/** Names the part that loads. */
export function LoadingStatus({ of }: { of: string }) {
  const t = useTexts(partsTexts)
  return (
    <span role="status" className="unseen">
      {of}: {t.loading}
    </span>
  )
}
