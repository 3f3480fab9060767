// The references in the statements of providers. A statement may come from a provider that is not configured any more.

import { findProvider } from './registry.ts'

/** The form of a reference in the provider's statements; null if it is the reference itself. */
export function statementForm(provider: string, reference: string): string | null {
  const form = findProvider(provider)?.statementForm?.write(reference) ?? null
  return form === reference ? null : form
}

/** The reference of a text in a provider's statement. Null if the provider writes references unchanged, or the text has none. */
export function readStatementForm(provider: string, text: string, at: Date): string | null {
  return findProvider(provider)?.statementForm?.read(text, at) ?? null
}
