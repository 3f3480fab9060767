// The address holds the name of the open dialog, so that a new sign-in returns to it with its draft.

import { useNavigate, useSearch } from '@tanstack/react-router'

/** The open dialog, and the function that opens or closes one. Opening a page with a dialog in its address decides nothing. */
export function useOpenQuestion<Name extends string>(names: readonly Name[]) {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>
  const navigate = useNavigate()
  const open_question = names.find((name) => name === search.act) ?? null
  const ask = (act: Name | null, about?: string) => {
    const { act: _act, about: _about, ...rest } = search
    const next = act === null ? rest : { ...rest, act, ...(about === undefined ? {} : { about }) }
    void navigate({ to: '.', search: next as never, replace: true, resetScroll: false })
  }
  return { open_question, about: search.about ?? null, ask }
}
