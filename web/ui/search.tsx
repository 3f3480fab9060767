// Shows the search of the header. Its dialog loads when the reader opens it.

import { UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Icon } from './icons.tsx'
import { useTexts } from './language.ts'
import type { SearchCall, SearchHit, SearchPlace } from './search-dialog.tsx'
import { searchTexts } from './search-texts.ts'

const SearchDialog = lazy(() => import('./search-dialog.tsx').then(({ SearchDialog: dialog }) => ({ default: dialog })))

/** Returns true if a key press belongs to a field or to an open dialog. */
function isKeyTaken(target: EventTarget | null): boolean {
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select')))
  )
}

/**
 * Shows the button that opens the search; "/" and Ctrl-K open it too. `places` are the pages and acts of the reader, and `pageOf`
 * returns the page of a hit.
 */
export function SearchBox(props: {
  call: SearchCall
  places: readonly SearchPlace[]
  pageOf: (hit: SearchHit) => string
}) {
  const t = useTexts(searchTexts)
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const slash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isKeyTaken(event.target)
      const letter = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!slash && (!letter || document.querySelector('dialog[open]') !== null)) return
      event.preventDefault()
      setOpened(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <UnstyledButton className="search-box" onClick={() => setOpened(true)} aria-label={t.open} aria-keyshortcuts="/">
        <Icon name="search" size={18} />
        <span className="search-box-text" aria-hidden="true">
          {t.hint}
        </span>
        <span className="search-box-key" aria-hidden="true">
          /
        </span>
      </UnstyledButton>
      {opened ? (
        <Suspense fallback={null}>
          <SearchDialog {...props} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
