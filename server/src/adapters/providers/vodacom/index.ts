// Exports the provider Vodacom as definition.ts describes a provider.

import { packReference, unpackReference } from './reference.ts'

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings, warnings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'vodacom'

/** The statement form: statements have the packed references that the platform sent. */
export const statementForm = { write: packReference, read: unpackReference }
