// Shows the search of the header. When the user opens the search, the browser loads its dialog.

import './search.css'
import { UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { Icon } from './icons.tsx'
import { useTexts } from './language.ts'
import type { SearchCall, SearchHit, SearchPlace } from './search-dialog.tsx'
import { searchTexts } from './search-texts.ts'

const SearchDialog = lazy(() => import('./search-dialog.tsx').then(({ SearchDialog: dialog }) => ({ default: dialog })))

/** Returns true if a field or an open dialog takes the key press. */
function isKeyTaken(target: EventTarget | null): boolean {
  return (
    document.querySelector('dialog[open]') !== null ||
    (target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select')))
  )
}

/**
 * Shows the button that opens the search. "/" and Ctrl-K open it too. `places` are the pages and actions of the user, and
 * `pageOf` returns the page of a hit.
 */
export function SearchBox(props: {
  call: SearchCall
  places: readonly SearchPlace[]
  pageOf: (hit: SearchHit) => string
}) {
  const t = useTexts(searchTexts)
  // The number of the opening on the screen. Zero means that the search is closed.
  const [opening, setOpening] = useState(0)
  const openings = useRef(0)
  // The keyboard listener needs the number at once, before React draws the page again.
  const current = useRef(0)
  // The keys that the user types while the dialog loads.
  const ahead = useRef('')
  const typedAhead = useCallback(() => ahead.current, [])
  const open = useCallback(() => {
    ahead.current = ''
    openings.current += 1
    current.current = openings.current
    setOpening(current.current)
  }, [])
  const close = (closed: number) => {
    if (current.current !== closed) return
    current.current = 0
    setOpening(0)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]') !== null) return
      const is_plain = !event.ctrlKey && !event.metaKey && !event.altKey
      const slash = event.key === '/' && is_plain && !isKeyTaken(event.target)
      const letter = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      // The dialog closes before its event `close` arrives.
      const is_closing = document.querySelector('dialog.search-dialog') !== null
      if ((slash || letter) && (current.current === 0 || is_closing)) open()
      else if (current.current > 0 && is_plain && event.key.length === 1) ahead.current += event.key
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [open])
  return (
    <>
      <UnstyledButton className="search-box" onClick={open} aria-keyshortcuts="/" data-key="/">
        <Icon name="search" size={18} />
        <span className="search-box-text">{t.hint}</span>
      </UnstyledButton>
      {opening > 0 ? (
        <Suspense fallback={null}>
          <SearchDialog key={opening} {...props} typedAhead={typedAhead} onClose={() => close(opening)} />
        </Suspense>
      ) : null}
    </>
  )
}
