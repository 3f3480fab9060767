// Keeps two choices of the user in this browser: named filters of a list, and the columns that a list hides.

import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { facts } from './facts.ts'
import { Icon } from './icons.tsx'
import { texts, useTexts } from './language.ts'

const viewTexts = texts({
  sw: {
    save: 'Hifadhi vichujio',
    name: 'Jina la vichujio hivi',
    keep: 'Hifadhi',
    cancel: 'Ghairi',
    saved: 'Vichujio ulivyohifadhi',
    remove: (name: string) => `Ondoa ${name}`,
    columns: 'Safu',
  },
  en: {
    save: 'Save these filters',
    name: 'Name of these filters',
    keep: 'Save',
    cancel: 'Cancel',
    saved: 'Saved filters',
    remove: (name: string) => `Remove ${name}`,
    columns: 'Columns',
  },
})

/** Filters of a list that the user saved under a name. */
type SavedView = { name: string; search: Record<string, string> }

const VIEWS_MAX = 12
const NAME_MAX = 40

const keyOf = (kind: 'filters' | 'columns', list: string) => `malipo.${facts.console}.${kind}.${list}`

function readStored<Value>(key: string, isValid: (value: unknown) => value is Value, otherwise: Value): Value {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(stored) ? stored : otherwise
  } catch {
    return otherwise
  }
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')
const isViews = (value: unknown): value is SavedView[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one?.name === 'string' && typeof one?.search === 'object' && one.search !== null)

/**
 * Returns the names of the hidden columns of a list, and the function that changes them. Without a choice of the user,
 * `hidden_first` is hidden.
 */
export function useHiddenColumns(
  list: string,
  hidden_first: readonly string[],
): [hidden: readonly string[], set: (names: string[]) => void] {
  const key = keyOf('columns', list)
  const [hidden, setHidden] = useState<readonly string[]>(() => readStored(key, isNames, [...hidden_first]))
  return [
    hidden,
    (names) => {
      localStorage.setItem(key, JSON.stringify(names))
      setHidden(names)
    },
  ]
}

/** Shows a checkbox for each optional column. */
export function ColumnChoice({
  names,
  labels,
  hidden,
  set,
}: {
  names: readonly string[]
  labels: Readonly<Record<string, string>>
  hidden: readonly string[]
  set: (names: string[]) => void
}) {
  const t = useTexts(viewTexts)
  return (
    <details className="disclosed column-choice">
      <summary>{t.columns}</summary>
      <Group gap="md">
        {names.map((name) => (
          <Checkbox
            key={name}
            label={labels[name]}
            checked={!hidden.includes(name)}
            onChange={(event) =>
              set(event.currentTarget.checked ? hidden.filter((one) => one !== name) : [...hidden, name])
            }
          />
        ))}
      </Group>
    </details>
  )
}

/** Shows the saved filters of a list. The user can save the filters of the address under a name. */
export function SavedFilters({
  list,
  active,
  apply,
}: {
  list: string
  /** The filters in the address of the page. */
  active: Readonly<Record<string, string>>
  apply: (search: Record<string, string>) => void
}) {
  const t = useTexts(viewTexts)
  const key = keyOf('filters', list)
  const [views, setViews] = useState(() => readStored(key, isViews, []))
  const [naming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (naming) field.current?.focus()
  }, [naming])
  const keep = (next: SavedView[]) => {
    localStorage.setItem(key, JSON.stringify(next))
    setViews(next)
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    const named = name.trim()
    if (named === '') return
    keep([{ name: named, search: { ...active } }, ...views.filter((one) => one.name !== named)].slice(0, VIEWS_MAX))
    setNaming(false)
    setName('')
  }
  const can_save = Object.keys(active).length > 0
  if (views.length === 0 && !can_save) return null
  return (
    <Group gap="xs" className="saved-filters no-print">
      {views.length === 0 ? null : (
        <ul aria-label={t.saved} className="saved-list">
          {views.map((view) => (
            <li key={view.name} className="saved-filter">
              <button type="button" onClick={() => apply(view.search)}>
                {view.name}
              </button>
              <button
                type="button"
                aria-label={t.remove(view.name)}
                onClick={() => keep(views.filter((one) => one !== view))}
              >
                <Icon name="cross" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {can_save && !naming ? (
        <Button size="xs" variant="subtle" onClick={() => setNaming(true)}>
          {t.save}
        </Button>
      ) : null}
      {naming ? (
        <form onSubmit={save}>
          <Group gap="xs" align="flex-end">
            <TextInput
              size="xs"
              label={t.name}
              maxLength={NAME_MAX}
              value={name}
              ref={field}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button size="xs" type="submit">
              {t.keep}
            </Button>
            <Button size="xs" variant="default" onClick={() => setNaming(false)}>
              {t.cancel}
            </Button>
          </Group>
        </form>
      ) : null}
    </Group>
  )
}

/** Returns the name of the list on this page: its path without the environment. */
export function useListName(): string {
  useSearch({ strict: false })
  return location.pathname.replace(/^\/\w+\/(?:sandbox\/|live\/)?/, '')
}
