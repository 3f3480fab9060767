// Exports the mock provider in the form that definition.ts defines. The mock provider is the default of a new installation
// and also serves the sandbox.

export { capabilities } from './capabilities.ts'
export { create, createSandbox } from './create.ts'
export {
  MAGIC_NUMBERS,
  type MagicNumber,
  NAME_MAGIC_NUMBERS,
  type NameMagicNumber,
  PAYOUT_MAGIC_NUMBERS,
  type PayoutMagicNumber,
} from './magic.ts'
export { problems, settings } from './settings.ts'

/** The name in PROVIDER and PROVIDER_ROUTES. */
export const name = 'mock'

/** True, because the mock provider moves no money. */
export const simulated = true

/** Null, because statements contain the references as the platform sent them. */
export const statementForm = null
