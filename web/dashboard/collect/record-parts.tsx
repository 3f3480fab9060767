// Makes the fact with a link to another page, for the pages of an invoice and of a payment link.

import type { ReactNode } from 'react'
import { PageLink } from '../../ui/parts.tsx'

/** Makes a fact that links to another page. If `to` is null, returns null, and FactList omits the fact. */
export function linkFact(label: string, to: string | null, text: string): readonly [string, ReactNode] | null {
  if (to === null) return null
  return [
    label,
    <PageLink key="" to={to}>
      {text}
    </PageLink>,
  ]
}
