// Exports the provider Selcom as definition.ts describes a provider.

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'selcom'

/** Null, because statements have the references as the platform sent them. */
export const statementForm = null
