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
  const [opened, setOpened] = useState(false)
  // The keys that the user types while the dialog loads.
  const ahead = useRef('')
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const is_plain = !event.ctrlKey && !event.metaKey && !event.altKey
      if (opened) {
        if (!is_plain || event.key.length !== 1 || document.querySelector('dialog[open]') !== null) return
        ahead.current += event.key
        event.preventDefault()
        return
      }
      const slash = event.key === '/' && is_plain && !isKeyTaken(event.target)
      const letter = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)
      if (!slash && (!letter || document.querySelector('dialog[open]') !== null)) return
      event.preventDefault()
      ahead.current = ''
      setOpened(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [opened])
  const typedAhead = useCallback(() => ahead.current, [])
  const open = () => {
    ahead.current = ''
    setOpened(true)
  }
  return (
    <>
      <UnstyledButton className="search-box" onClick={open} aria-keyshortcuts="/" data-key="/">
        <Icon name="search" size={18} />
        <span className="search-box-text">{t.hint}</span>
      </UnstyledButton>
      {opened ? (
        <Suspense fallback={null}>
          <SearchDialog {...props} typedAhead={typedAhead} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
