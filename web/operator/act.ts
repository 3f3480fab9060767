// Which question a page asks stands in its address: a new sign-in comes back to it, with what was typed.

import { useNavigate, useSearch } from '@tanstack/react-router'

/** The question that is open, and how to ask or leave one. A page that is opened with a question still only asks it. */
export function useAsking<Name extends string>(names: readonly Name[]) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const asking = names.find((name) => name === search.act) ?? null
  const ask = (act: Name | null, about?: string) => {
    const { act: _act, about: _about, ...rest } = search
    const next = act === null ? rest : { ...rest, act, ...(about === undefined ? {} : { about }) }
    void navigate({ to: '.', search: next as never, replace: true, resetScroll: false })
  }
  return { asking, about: search.about ?? null, ask }
}
