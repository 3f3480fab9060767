// The provider Vodacom, as definition.ts describes it.

import { packReference, unpackReference } from './reference.ts'

export { capabilities } from './capabilities.ts'
export { create } from './create.ts'
export { problems, settings, warnings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'vodacom'

/** Statements have the packed references that were sent. */
export const statementForm = { write: packReference, read: unpackReference }
