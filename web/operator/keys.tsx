// Defines keyboard shortcuts for operators. A shortcut is a single letter that opens a page or a dialog, moves the focus, or
// asks for a name, but never decides. The operator can switch the shortcuts off.

import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../ui/language.ts'
import { Dialog } from '../ui/parts.tsx'
import { partsTexts } from '../ui/parts-texts.ts'

const STORAGE_KEY = 'malipo.operator.keys'

const keysTexts = texts({
  sw: {
    title: 'Vitufe vya kibodi',
    button: 'Vitufe vya kibodi (?)',
    lead: 'Hakuna kitufe kinachofanya uamuzi. Havifanyi kazi unapoandika.',
    search: 'Tafuta',
    list: 'Onyesha orodha hii',
    off: 'Zima vitufe',
    on: 'Washa vitufe',
    are_off: 'Umezima vitufe kwenye kivinjari hiki, isipokuwa kitufe cha kutafuta.',
  },
  en: {
    title: 'Keyboard shortcuts',
    button: 'Keyboard shortcuts (?)',
    lead: 'No key makes a decision. The keys do not work while you type.',
    search: 'Search',
    list: 'Show this list',
    off: 'Switch the keys off',
    on: 'Switch the keys on',
    are_off: 'You have switched off the keys in this browser, except the key of the search.',
  },
})

/** A shortcut: its letter, its description and its function. */
export type Shortcut = { key: string; does: string; run: () => void }

/** Returns true if the operator types into a field, or a dialog is open. */
function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]')) return true
  const field = target instanceof Element ? target.closest('input, textarea, select, [contenteditable]') : null
  return field !== null && !(field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type))
}

/**
 * Unless the operator has switched the shortcuts off, listens for them while the page is open. Also shows the button that opens
 * the list of shortcuts, but not in a window as narrow as a phone, where only the key `?` opens the list.
 */
export function Shortcuts({ keys }: { keys: readonly Shortcut[] }) {
  const t = useTexts(keysTexts)
  const parts = useTexts(partsTexts)
  const [open, setOpen] = useState(false)
  const [on, setOn] = useState(() => localStorage.getItem(STORAGE_KEY) !== 'off')
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    if (!on) return
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return
      const found = current.current.find(({ key }) => key === event.key)
      if (found === undefined && event.key !== '?') return
      event.preventDefault()
      if (found === undefined) setOpen(true)
      else found.run()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [on])
  const toggle = () => {
    localStorage.setItem(STORAGE_KEY, on ? 'off' : 'on')
    setOn(!on)
  }
  const search = { key: '/', does: t.search }
  // The search is no shortcut of this component: its key also works while the shortcuts are off.
  const listed = on ? [...keys, search, { key: '?', does: t.list }] : [search]
  return (
    <>
      <Button size="xs" variant="subtle" className="keys-button" onClick={() => setOpen(true)}>
        {t.button}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={t.title}>
        <Text>{on ? t.lead : t.are_off}</Text>
        <dl className="keys">
          {listed.map(({ key, does }) => (
            <div key={key} className="key">
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <Group>
          <Button onClick={() => setOpen(false)}>{parts.close}</Button>
          <Button variant="default" onClick={toggle}>
            {on ? t.off : t.on}
          </Button>
        </Group>
      </Dialog>
    </>
  )
}
