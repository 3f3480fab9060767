// Keeps the name of the open dialog in the address, so that the page shows the dialog with its draft again after a new sign-in.

import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * Returns the name of the open dialog, its subject, and the function that opens or closes a dialog. An address can only open a
 * dialog, never send its action.
 */
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
