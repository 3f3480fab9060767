// The provider Selcom, as definition.ts describes it.

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'selcom'

/** Statements have the references as they were sent. */
export const statementForm = null
