// Converts the references in the statements of providers. A statement may come from a provider that the settings no longer
// have.

import { findProvider } from './registry.ts'

/** Returns the form of a reference in the provider's statements. Returns null if statements have the reference itself. */
export function statementForm(provider: string, reference: string): string | null {
  const form = findProvider(provider)?.statementForm?.write(reference) ?? null
  return form === reference ? null : form
}

/**
 * Returns the reference of a text in a provider's statement. Returns null if the provider writes references unchanged or the
 * text has no reference.
 */
export function readStatementForm(provider: string, text: string, at: Date): string | null {
  return findProvider(provider)?.statementForm?.read(text, at) ?? null
}
