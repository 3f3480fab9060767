// Converts references between the platform and the statements of providers, including providers that the settings no longer
// have.

import { findProvider } from './registry.ts'

/**
 * Returns the form of a reference in the provider's statements. If the provider is unknown, statements contain the reference
 * unchanged, or the reference has no such form, returns null.
 */
export function statementForm(provider: string, reference: string): string | null {
  const form = findProvider(provider)?.statementForm?.write(reference) ?? null
  return form === reference ? null : form
}

/**
 * Returns the reference that a text in a provider's statement contains. If the provider is unknown or writes references
 * unchanged, or the text has no reference, returns null.
 */
export function readStatementForm(provider: string, text: string, at: Date): string | null {
  return findProvider(provider)?.statementForm?.read(text, at) ?? null
}
