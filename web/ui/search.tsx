// Shows the search of the header. When the user opens the search, the browser loads its dialog.

import './search.css'
import { UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { Icon } from './icons.tsx'
import { useTexts } from './language.ts'
import type { ListsOfGroup, SearchCall, SearchHit, SearchScope } from './search-dialog.tsx'
import type { SearchPlace } from './search-match.ts'
import { searchTexts } from './search-texts.ts'

const SearchDialog = lazy(() => import('./search-dialog.tsx').then(({ SearchDialog: dialog }) => ({ default: dialog })))

/** One opening of the search: its number, and the keys that the user types while the dialog loads. */
type SearchOpening = { id: number; typed: string }

/** Returns true if a field or an open dialog takes the key press. */
function isKeyTaken(target: EventTarget | null): boolean {
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select')))
  )
}

/**
 * Shows the button that opens the search. "/", Ctrl-K and Command-K also open the search. `places` are the pages and actions of
 * the user. `pageOf` returns the page of a hit, and `listsOf` the lists with all hits of a kind.
 * `scope` names what the search covers.
 */
export function SearchBox(props: {
  call: SearchCall
  places: readonly SearchPlace[]
  pageOf: (hit: SearchHit) => string
  listsOf?: ListsOfGroup
  scope?: SearchScope
}) {
  const t = useTexts(searchTexts)
  const [opening, setOpening] = useState<SearchOpening | null>(null)
  const open = useCallback(() => setOpening((now) => ({ id: (now?.id ?? 0) + 1, typed: '' })), [])
  const close = (id: number) => setOpening((now) => (now?.id === id ? null : now))
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]') !== null) return
      const is_plain = !event.ctrlKey && !event.metaKey && !event.altKey
      const slash = event.key === '/' && is_plain && !isKeyTaken(event.target)
      const letter = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      // The dialog closes before its event `close` arrives.
      const is_closing = document.querySelector('dialog.search-dialog') !== null
      const is_loading = opening !== null && !is_closing
      if ((slash || letter) && !is_loading) open()
      else if (is_loading && is_plain && event.key.length === 1)
        setOpening((now) => now && { ...now, typed: now.typed + event.key })
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [opening, open])
  return (
    <>
      <UnstyledButton className="search-box" onClick={open} aria-keyshortcuts="/" data-key="/">
        <Icon name="search" size={18} />
        <span className="search-box-text">{t.hint}</span>
      </UnstyledButton>
      {opening === null ? null : (
        <Suspense fallback={null}>
          <SearchDialog key={opening.id} {...props} typedAhead={opening.typed} onClose={() => close(opening.id)} />
        </Suspense>
      )}
    </>
  )
}
