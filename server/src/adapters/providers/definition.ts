// Defines what the folder of a provider exports. registry.ts lists the providers.

import type { Clock, ConfigurableProvider, Log, Random } from '../../kernel/lib/index.ts'
import type { ProviderExtras, ProviderLists } from './extras.ts'
import type { CallbackSink, Provider } from './port.ts'

/** A provider together with its optional functions. */
export type FullProvider = Provider & ProviderExtras & ProviderLists

/** A provider that this process built from the settings. */
export type BuiltProvider = FullProvider & {
  /** Opens the sessions that take long to open, before the first payment needs them. This function may throw. */
  warm?(): Promise<void>
  /** Closes the connections of the provider. */
  close?(): Promise<void>
}

/** The arguments of `create`. `settings` has the checked values of the settings table of this provider. */
export type ProviderParts<Settings> = {
  settings: Settings
  /**
   * The address for the provider's callbacks. Null means that the platform has no address yet, so the provider sends no
   * callbacks.
   */
  callback_url: string | null
  /** The receiver of callbacks from a provider that runs in this process. */
  sink: CallbackSink
  clock: Clock
  random: Random
  log: Log
}

/**
 * The functions that convert references to and from a provider's statements. Only a provider whose statements change the sent
 * reference has these functions.
 */
export type StatementForm = {
  /** Returns the form of a reference in a statement. If the reference has no such form, returns null. */
  write(reference: string): string | null
  /**
   * Returns the reference that a text in a statement contains. If the text has no reference, returns null. `at` is the time
   * of the movement in the statement.
   */
  read(text: string, at: Date): string | null
}

type AnySettings = Readonly<Record<string, unknown>>

/** A provider in the registry: the exports of its folder. */
export type ProviderDefinition = ConfigurableProvider & {
  /** Returns the capabilities of the provider with these settings. */
  capabilities(settings: AnySettings): Provider['capabilities']
  /**
   * Builds the adapter, which sends nothing before `warm` or its first call. If a setting is invalid, throws a ConfigError that
   * names the setting.
   */
  create(parts: ProviderParts<AnySettings>): BuiltProvider
  /**
   * The form of references in the provider's statements. Null means that statements have the references as the platform sent
   * them.
   */
  statementForm: StatementForm | null
  /**
   * Lists warnings about valid settings. If the platform sends payment prompts through this provider, `is_prompting` is true.
   */
  warnings?(settings: AnySettings, use: { is_prompting: boolean }): string[]
  /** Builds the provider of the sandbox. Exactly one provider defines this function. */
  createSandbox?(name: string, parts: ProviderParts<AnySettings>): FullProvider
}
