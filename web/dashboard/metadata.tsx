// Shows the metadata that a merchant's server stored with a record.

import type { ReactNode } from 'react'
import { useTexts } from '../ui/language.ts'

const metadataTexts = { sw: { metadata: 'Taarifa za ziada (metadata)' }, en: { metadata: 'Metadata' } }

/**
 * Returns the fact with the metadata of a record. If the record has no metadata, returns null, and FactList omits the fact.
 */
export function useMetadataFact(
  metadata: Readonly<Record<string, unknown>>,
): readonly [label: string, shown: ReactNode] | null {
  const t = useTexts(metadataTexts)
  const pairs = Object.entries(metadata)
  if (pairs.length === 0) return null
  return [
    t.metadata,
    <span key="metadata">
      {pairs.map(([name, value]) => (
        <span key={name} style={{ display: 'block', overflowWrap: 'anywhere' }}>
          {name}: {String(value)}
        </span>
      ))}
    </span>,
  ]
}
