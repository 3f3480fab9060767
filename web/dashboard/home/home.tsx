// The first page: how business goes.

import { useTexts } from '../../ui/language.ts'
import { Page } from '../../ui/parts.tsx'
import { frameTexts } from '../frame-texts.ts'

/** The first page. */
export function Home() {
  const t = useTexts(frameTexts)
  return <Page title={t.home}>{null}</Page>
}
