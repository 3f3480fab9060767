// Keeps the name of the open dialog in the address, so that a new sign-in returns to the dialog with its draft.

import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * Returns the open dialog, and the function that opens or closes a dialog. If the address of a page names a dialog, the page
 * only opens the dialog.
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
