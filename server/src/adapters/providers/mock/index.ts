// The mock provider, as definition.ts describes it: the provider of the sandbox and the default of a new installation.

export { capabilities } from './capabilities.ts'
export { create, createSandbox } from './create.ts'
export { MAGIC_NUMBERS, type MagicNumber, PAYOUT_MAGIC_NUMBERS, type PayoutMagicNumber } from './magic.ts'
export { problems, settings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'mock'

/** It moves no money. */
export const simulated = true

/** Statements have the references as they were sent. */
export const statementForm = null
