// Exports the provider Vodacom in the form that definition.ts defines.

import { packReference, unpackReference } from './reference.ts'

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings, warnings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'vodacom'

/** The form of references in statements: the packed references that the platform sent. */
export const statementForm = { write: packReference, read: unpackReference }
