// Exports the provider Selcom in the form that definition.ts defines.

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'selcom'

/** Null, because statements contain the references as the platform sent them. */
export const statementForm = null
