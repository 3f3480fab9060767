// Filters a list by merchant. The operator searches by part of the name or by the start of the merchant code.

import { Button, Group, Text, TextInput } from '@mantine/core'
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useRead } from '../ui/data.ts'
import { texts, useTexts } from '../ui/language.ts'
import type { ListFilter, useListQuery } from '../ui/list.tsx'
import { Problem } from '../ui/problem.tsx'

const filterTexts = texts({
  sw: {
    label: 'Biashara (jina au namba)',
    none: 'Hakuna biashara yenye jina au namba hiyo.',
    chosen: (name: string) => `Biashara: ${name}`,
    all: 'Biashara zote',
    choose: 'Chagua biashara',
  },
  en: {
    label: 'Merchant (name or code)',
    none: 'No merchant has that name or code.',
    chosen: (name: string) => `Merchant: ${name}`,
    all: 'All merchants',
    choose: 'Choose a merchant',
  },
})

/** The filter of a list whose value the operator chooses with `MerchantFilter`. */
export const MERCHANT_FILTER: ListFilter = { name: 'merchant_id', label: '', kind: 'text' }

/** Shows the merchant of the filter. If the filter is empty, shows a search field. */
export function MerchantFilter({ list }: { list: ReturnType<typeof useListQuery> }) {
  const chosen = list.search.merchant_id ?? ''
  const takes_focus = useRef(false)
  const choose = (id: string) => {
    takes_focus.current = true
    list.set({ merchant_id: id })
  }
  return chosen === '' ? (
    <MerchantSearch choose={choose} takes_focus={takes_focus} />
  ) : (
    <ChosenMerchant id={chosen} list={list} takes_focus={takes_focus} />
  )
}

/**
 * Shows the merchant. If the operator has just chosen it, the button takes the focus, because the search field is gone. If the
 * button has the focus when it disappears, the search field takes the focus.
 */
function ChosenMerchant({
  id,
  list,
  takes_focus,
}: {
  id: string
  list: ReturnType<typeof useListQuery>
  takes_focus: RefObject<boolean>
}) {
  const t = useTexts(filterTexts)
  const all = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const button = all.current
    if (takes_focus.current) button?.focus()
    takes_focus.current = false
    return () => {
      takes_focus.current = document.activeElement === button
    }
  }, [takes_focus])
  const { data } = useRead('GET /v1/operator/merchants/{merchant_id}', { params: { merchant_id: id } })
  return (
    <Group gap="sm">
      <Text fw={600} className="who">
        {t.chosen(data?.name ?? id)}
      </Text>
      <Button size="xs" variant="default" ref={all} onClick={() => list.set({ merchant_id: '' })}>
        {t.all}
      </Button>
    </Group>
  )
}

/** Shows the search field and the merchants found. Enter chooses the merchant whose name or code is typed, or the only one. */
function MerchantSearch({ choose, takes_focus }: { choose: (id: string) => void; takes_focus: RefObject<boolean> }) {
  const t = useTexts(filterTexts)
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (takes_focus.current) field.current?.focus()
    takes_focus.current = false
  }, [takes_focus])
  const [entered, setEntered] = useState(false)
  const [typed, setTyped] = useState('')
  const [search, setSearch] = useState('')
  const query = { search, page_size: 5 }
  const read = useRead('GET /v1/operator/merchants', { query }, { enabled: search !== '' })
  const found = search === '' ? undefined : read.data?.items
  useEffect(() => {
    if (!entered || found === undefined) return
    setEntered(false)
    const wanted = search.toLowerCase()
    const same = found.filter((one) => [one.name, one.merchant_code].some((text) => text.toLowerCase() === wanted))
    const [only, ...others] = same.length > 0 ? same : found
    if (only !== undefined && others.length === 0) choose(only.id)
  }, [entered, found, search, choose])
  return (
    <div>
      <TextInput
        label={t.label}
        type="search"
        ref={field}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setEntered(false)
          if (event.currentTarget.value.trim() === '') setSearch('')
        }}
        onBlur={() => {
          setSearch(typed.trim())
          // The operator has left the field, so the answer must not move the focus.
          setEntered(false)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          setSearch(typed.trim())
          setEntered(typed.trim() !== '')
        }}
      />
      <Problem error={search === '' ? null : read.error} retry={() => void read.refetch()} />
      <div role="status">
        {found?.length === 0 ? <Text size="sm">{t.none}</Text> : null}
        {found && found.length > 0 ? (
          <Group gap="xs" mt="xs" role="group" aria-label={t.choose}>
            {found.map(({ id, name }) => (
              <Button key={id} size="xs" variant="light" onClick={() => choose(id)}>
                {name.length > 40 ? `${name.slice(0, 40)}…` : name}
              </Button>
            ))}
          </Group>
        ) : null}
      </div>
    </div>
  )
}
